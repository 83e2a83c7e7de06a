"""Pictures that are refused: things that are no board, and advice that names what is wrong with a picture."""

import cv2
import numpy as np
import pytest

from languages import Message
from referee.boards import BOARDS
from referee.layouts import NINE_MENS_MORRIS
from tests.synthetic.boardless import KINDS, boardless
from tests.synthetic.refused import refused
from vision.detection.detect import locate, search_picture
from vision.detection.refusal import (
    covered_reason,
    describe_location,
    failure_reasons,
    leaves_picture,
    outline_cut_off_reason,
)
from vision.detection.template_pose import PlacedBoard
from vision.detection.templates import board_template, line_drawings
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.homography import apply_homography
from vision.networks.heat_maps import MAPS, SEEN_FROM_MAP, HeatMaps, look

pytestmark = pytest.mark.film

OUTLINE = np.array([[20, 20], [100, 20], [100, 100], [20, 100]], np.int32)


def covered(first_row: int) -> HeatMaps:
    """The maps of a board that is covered from one row on."""
    told = np.zeros((len(MAPS), 112, 192), np.float32)
    told[MAPS.index("cover"), first_row:, 20:100] = 1
    return HeatMaps(told, SEEN_FROM_MAP, np.ones((112, 192), np.bool_))


def test_what_covers_a_board_is_named_with_the_part_that_it_hides() -> None:
    assert covered_reason(covered(80), OUTLINE).startswith("something hides the lower part of what may be a board")


def test_a_finger_on_the_rim_hides_nothing() -> None:
    assert covered_reason(covered(97), OUTLINE) == ""


@pytest.mark.parametrize(
    ("number", "key", "said"),
    [
        (6, "sight.outside", "the board is cut off at the top: about a third of it is missing"),
        (1, "sight.covered", "something hides"),
        pytest.param(
            23,
            "sight.folded",
            "the board is folded over and hides the lower right part of itself",
            marks=pytest.mark.xfail(reason="with the present weights it may be one of two boards"),
        ),
        (8, "sight.dark", "the picture is too dark to see a board"),
        (3, "sight.blurred", "no playing field in sight: the picture is blurred"),
    ],
)
def test_what_is_wrong_with_a_picture_is_named(number: int, key: str, said: str) -> None:
    drawn = refused(121000, number)
    answer = locate(drawn.bgr)
    assert isinstance(answer, NotRegistered) and isinstance(answer.reason, Message)
    assert answer.reason.key == key, (drawn.what, answer.reason)
    assert answer.reason.startswith(said)


def drawn_flat(ground: int, line: int, width: int, side: int = 400) -> np.ndarray:
    """A cross in a square, nine holes, in the middle of an even picture without any grain."""
    picture = np.full((720, 960, 3), ground, np.uint8)
    low, high = (480 - side // 2, 360 - side // 2), (480 + side // 2, 360 + side // 2)
    cv2.rectangle(picture, low, high, (line,) * 3, width)
    cv2.line(picture, (480, low[1]), (480, high[1]), (line,) * 3, width)
    cv2.line(picture, (low[0], 360), (high[0], 360), (line,) * 3, width)
    return picture


@pytest.mark.parametrize("width", [2, 5, 9, 14, 25])
@pytest.mark.parametrize(("ground", "line"), [(255, 0), (170, 40), (42, 215)])  # paper, a table, chalk on slate
def test_of_a_sharp_bright_bare_board_that_is_whole_no_reason_is_given_that_is_false(
    ground: int, line: int, width: int
) -> None:
    bgr = drawn_flat(ground, line, width)
    report = search_picture(bgr, tuple(BOARDS.values()))
    said = {reason.key for reason in failure_reasons(bgr, report.maps, report.boards) if isinstance(reason, Message)}
    assert said <= {"sight.two_boards", "sight.lines", "sight.show_whole"}


def test_a_sheet_that_goes_beyond_the_picture_is_no_board_that_does() -> None:
    sheet, strokes = np.array([[0.0, 0], [300, 0], [300, 200], [0, 200]]), np.array([[90.0, 40], [210, 160]])
    assert outline_cut_off_reason(sheet, (640, 360), strokes) == ""
    assert "at the left" in outline_cut_off_reason(sheet + (0, 40), (640, 360), strokes - (85, 0))


@pytest.mark.parametrize("is_seen", [True, False])
def test_a_board_leaves_the_picture_where_its_strokes_are_seen_to(is_seen: bool) -> None:
    template = board_template(line_drawings(NINE_MENS_MORRIS)[0])
    larger = np.diag([400.0, 400, 1]) + np.array([[0, 0, 240], [0, 0, 240], [0, 0, 0.0]])
    samples, joints = apply_homography(larger, template.sample_xy), apply_homography(larger, template.joints)
    seen = np.full(len(samples), is_seen)
    assert leaves_picture(PlacedBoard(template, larger, joints, samples, "lines", {}, seen), (480, 480)) is is_seen


MORE = [("tiles", [11, 3]), ("tiles", [221000, 3]), ("writing", [11, 5]), ("dot grid", [11, 18])]


@pytest.mark.parametrize(
    ("kind", "seed"),
    [("go", [11, 0]), ("pebbles", [11, 16]), *(pytest.param(*like, marks=pytest.mark.slow) for like in MORE)],
)
def test_what_looks_most_like_a_board_is_refused(kind: str, seed: list[int]) -> None:
    answer = locate(boardless(np.random.default_rng(seed), kind, size_px=(640, 480)))
    assert isinstance(answer, NotRegistered)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 13])
def test_at_most_one_of_fifty_pictures_without_a_board_is_called_one(seed: int) -> None:
    sizes = ((640, 480), (960, 540), (1280, 720))
    called = []
    for k, kind in enumerate([*KINDS, *KINDS][:50]):
        answer = locate(boardless(np.random.default_rng([seed, k]), kind, size_px=sizes[k % 3]))
        if isinstance(answer, Registration):
            called.append((k, kind, answer.field.board.name))
    assert len(called) <= 1, called


def test_a_dim_picture_is_refused_as_dim_and_a_tiny_one_as_tiny() -> None:
    noise = np.random.default_rng(1).integers(0, 40, (240, 320, 3)).astype(np.uint8)
    assert "dim" in next(filter(None, failure_reasons(noise, look(noise), ())))
    tiny = locate(noise[:40, :50])
    assert isinstance(tiny, NotRegistered) and "50 x 40" in tiny.reason


@pytest.mark.parametrize(
    ("right", "down", "words"),
    [
        (0.0, 0.1, "the middle"), (0.6, 0.0, "the right part"), (-0.5, -0.5, "the upper left part"),
        (0, 0.9, "the lower part"),
    ],
)  # fmt: skip
def test_a_place_on_the_board_has_a_name(right: float, down: float, words: str) -> None:
    assert describe_location(np.array([right, down])) == words
