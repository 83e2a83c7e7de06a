"""Things that are no mill board are refused, and what is said of a board that is not whole is true."""

import numpy as np
import pytest

from tests.synthetic.boardless import KINDS, boardless
from vision.detection.detect import locate
from vision.detection.refusal import describe_location, failure_reasons
from vision.imaging.field import NotRegistered, Registration
from vision.networks.heat_maps import look

pytestmark = pytest.mark.film


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
        (0.0, 0.1, "the middle"),
        (0.6, 0.0, "the right part"),
        (-0.5, -0.5, "the upper left part"),
        (0, 0.9, "the lower part"),
    ],
)
def test_a_place_on_the_board_has_a_name(right: float, down: float, words: str) -> None:
    assert describe_location(np.array([right, down])) == words
