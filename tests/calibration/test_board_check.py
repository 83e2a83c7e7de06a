"""The check of a finished board: the right fault is named, at its place, and good boards are not blamed."""

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from calibration.making.board_check import BoardCheck, check_board, find_made_board
from calibration.making.check_report import check_html, check_json, check_title, draw_check, fault_texts
from languages import LANGUAGES
from referee.boards import BOARDS
from tests.calibration.faulty_boards import FAULTS, DrawnBoard, draw_board
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Image

pytestmark = pytest.mark.film

COUNTED_SEEDS, CHOSEN_SEEDS = 254000, 251000
"""The figures are counted on boards from the first seed on; thresholds were chosen on boards from the second on."""

N_FAULTY, N_GOOD = 40, 20
LEAST_RIGHT = 36
LEAST_FOUND = 18  # of the good ones; a board that is not found is not blamed, but not praised either
SMALL_PX = (640, 480)


def looked_at(drawn: DrawnBoard) -> BoardCheck:
    return check_board(drawn.bgr, [drawn.board])


@pytest.mark.parametrize(
    ("kind", "seed", "name"),
    [
        ("pale_line", 1, "six_mens_morris"), ("crooked_corner", 2, "nine_mens_morris"),
        ("missing_link", 3, "seven_mens_morris"), ("alike_paints", 4, "six_mens_morris"),
        ("too_small", 5, "nine_mens_morris"), ("glare", 6, "six_mens_morris"),
    ],
)  # fmt: skip
def test_a_fault_is_named_at_its_place(kind: str, seed: int, name: str) -> None:
    drawn = draw_board(CHOSEN_SEEDS + seed, kind, name=name, size_px=SMALL_PX)
    check = looked_at(drawn)
    assert check.board == name
    assert drawn.is_rightly_named(check), check.faults
    assert not check.is_good


@pytest.fixture(scope="module")
def good() -> tuple[DrawnBoard, BoardCheck]:
    drawn = draw_board(CHOSEN_SEEDS + 7, None, name="nine_mens_morris", size_px=SMALL_PX)
    return drawn, looked_at(drawn)


def test_a_good_board_is_called_good_and_its_points_lie_where_drawn(good: tuple[DrawnBoard, BoardCheck]) -> None:
    drawn, check = good
    assert check.is_good
    assert [name for name, _, _ in check.points] == list(drawn.board.points)
    off = np.linalg.norm(np.array([(x, y) for _, x, y in check.points]) - drawn.points_px, axis=1)
    assert off.max() < 8, "a fifth of the distance between two points"
    assert "24" in check_title(check, "en")
    assert check_json(check)["good"] is True


def test_what_is_wrong_is_said_in_every_language_and_drawn_over(good: tuple[DrawnBoard, BoardCheck]) -> None:
    drawn = draw_board(CHOSEN_SEEDS + 3, "missing_link", name="seven_mens_morris", size_px=SMALL_PX)
    check = looked_at(drawn)
    said = {fault_texts(check, language)[0].what for language in LANGUAGES}
    assert len(said) == len(LANGUAGES)
    for language in LANGUAGES:
        (text, *_) = fault_texts(check, language)
        assert all(name in text.what for name in drawn.names)
        assert text.advice
    painted = draw_check(drawn.bgr, check)
    assert max(painted.shape[:2]) == 900, "small pictures are enlarged so that names can be read"
    for drawn_board, its_check in (good, (drawn, check)):
        assert check_html(drawn_board.bgr, its_check, "lb").count("<li ") == len(its_check.faults)


def test_a_picture_without_a_board_says_why() -> None:
    bare: Image = np.full((480, 640, 3), 120, np.uint8)
    check = check_board(bare)
    assert not check.is_found and not check.is_good
    assert check.why_not
    assert check_json(check, "de")["reason"] != check_json(check, "en")["reason"]
    assert (check_json(check)["board"], check_json(check)["good"]) == (None, False)
    assert draw_check(bare, check).shape[:2] == (675, 900)


@dataclass(frozen=True)
class Counts:
    right: int
    alone: int
    blamed: int
    found: int
    wrong: tuple[str, ...]


def count(first_seed: int) -> Counts:
    """Draw 40 boards with one fault each and 20 good ones, and count what is named."""
    right, alone, blamed, found, wrong = 0, 0, 0, 0, []
    for k in range(N_FAULTY + N_GOOD):
        kind = FAULTS[k % len(FAULTS)] if k < N_FAULTY else None
        drawn = draw_board(first_seed + k, kind)
        check = looked_at(drawn)
        told = [(fault.kind, *fault.points[:3], *fault.beside[:3]) for fault in check.faults]
        if kind is None:
            blamed += bool(check.faults)
            found += check.is_found
        elif drawn.is_rightly_named(check):
            right += 1
            alone += len(check.faults) == 1
        if not (check.is_good if kind is None else drawn.is_rightly_named(check)):
            where = ", ".join(sorted(drawn.names))
            wrong.append(f"{first_seed + k} {drawn.board.name} {drawn.style}, {kind} {where}: {told or check.why_not}")
    return Counts(right, alone, blamed, found, tuple(wrong))


@pytest.mark.slow
def test_the_right_fault_is_named_and_no_good_board_blamed() -> None:
    counts = count(COUNTED_SEEDS)
    print(*counts.wrong, sep="\n")
    print(f"right fault named in {counts.right} of {N_FAULTY} ({counts.alone} of them and nothing else)", end="; ")
    print(f"good ones blamed {counts.blamed} of {N_GOOD}, of which {counts.found} were found")
    assert counts.right >= LEAST_RIGHT
    assert counts.blamed == 0
    assert counts.found >= LEAST_FOUND


@pytest.mark.parametrize("noise", [1.0, 2.0, 6.0])
@pytest.mark.parametrize("quality", [60, 85, 95])
def test_a_noisy_plain_cloth_with_four_stones_is_no_board(noise: float, quality: int) -> None:
    cloth = np.random.default_rng(1).normal(170, noise, (960, 1280, 3))
    cloth = cv2.GaussianBlur(cloth.clip(0, 255).astype(np.uint8), (0, 0), 1)
    for k, place in enumerate([(300, 100), (1100, 140), (1050, 860), (260, 800)]):
        cv2.circle(cloth, place, 40, ((40, 40, 150), (30, 30, 30))[k % 2], -1, cv2.LINE_AA)
    seen = cv2.imdecode(cv2.imencode(".jpg", cloth, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    for boards in (None, [BOARDS["nine_mens_morris"]]):
        assert isinstance(find_made_board(np.asarray(seen, np.uint8), boards), NotRegistered)
