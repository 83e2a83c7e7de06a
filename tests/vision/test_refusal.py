"""Pictures that are refused: things that are no board, and advice that names what is wrong with a picture."""

import numpy as np
import pytest

from languages import Message
from tests.synthetic.boardless import KINDS, boardless
from tests.synthetic.refused import refused
from vision.detection.detect import locate
from vision.detection.refusal import (
    failure_reasons,
)
from vision.imaging.field import NotRegistered, Registration
from vision.networks.heat_maps import look

pytestmark = pytest.mark.film


@pytest.mark.parametrize(
    ("number", "key", "said"),
    [
        (6, "sight.outside", "the board is cut off at the top: about a third of it is missing"),
        (1, "sight.covered", "something hides"),
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


@pytest.mark.parametrize(("kind", "seed"), [("go", [11, 0]), ("pebbles", [11, 16]), ("tiles", [11, 3])])
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
