"""Printed templates lie on drawn tables: the sheets join without a gap, and the eyes find and name the board."""

import pytest

from calibration.making.board_template import choose_template
from referee.boards import BOARDS
from tests.simulation.drawings import describe
from tests.simulation.printed_boards import (
    SIZES_CM,
    boards_and_drawings,
    flat_templates,
    printed_picture,
    searched,
    verdict,
)
from vision.detection.detect import locate

pytestmark = pytest.mark.film

SEED = 253000  # kept aside: line width and dots were chosen on tables of other seeds
LEAST_FOUND = 0.95  # 117 of 120: one small board under a shadow and one other are refused, one has points beside theirs


@pytest.mark.parametrize(
    ("name", "number"), [pytest.param("nine_mens_morris", 0, marks=pytest.mark.slow), ("moulin_rouge", 1)]
)
def test_a_printed_board_is_found_and_named(name: str, number: int) -> None:
    found = searched(printed_picture(SEED, number, choose_template(BOARDS[name]), (640, 360)))
    assert found.kind_right, found.answer
    assert max(found.errors) < 0.3


def test_templates_that_lie_flat_are_found_on_every_ground_from_a_tenth_of_the_picture_on() -> None:
    flats = [flat for flat in flat_templates(every=39, first=2) if not flat.picture.board.rings]
    assert {flat.ground for flat in flats} == {"wood", "cloth"} and min(flat.share for flat in flats) == 0.1
    assert [verdict(flat.picture, locate(flat.picture.bgr)) for flat in flats] == ["found"] * len(flats)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_printed_board_is_found_and_named_at_its_usual_size_and_at_three_others() -> None:
    usual, others = [], []
    number = 0
    for board, drawing in boards_and_drawings():
        for size in (None, *SIZES_CM):
            choice = choose_template(board, drawing, size_cm=size)
            for _ in range(2):
                number += 1
                found = searched(printed_picture(SEED, number, choice))
                (usual if size is None else others).append(found)
                if not found.right:
                    print(f"{number} {board.name} {drawing} {choice.size_cm} cm: {found.answer}", flush=True)
    print()
    for title, some in (("usual size", usual), ("three others", others)):
        print(describe(title, some))
    for some in (usual, others):
        assert sum(found.right for found in some) >= LEAST_FOUND * len(some)
