"""Printed templates lie on drawn tables: the sheets join without a gap, and the eyes find and name the board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.making.board_template import board_pieces, choose_template
from calibration.making.sheets import Sheet, sheets_pdf
from calibration.making.tiles import template_pdf, template_tiles
from referee.boards import BOARDS
from tests.simulation.drawings import describe
from tests.simulation.printed_boards import (
    PX_PER_MM,
    SIZES_CM,
    boards_and_drawings,
    glued_pieces,
    printed_pages,
    printed_picture,
    searched,
)

pytestmark = pytest.mark.film

SEED = 253000  # kept aside: line width and dots were chosen on tables of other seeds
LEAST_FOUND = 0.95  # 117 of 120: one small board under a shadow and one other are refused, one has points beside theirs


def test_glued_sheets_show_the_whole_board_without_a_gap() -> None:
    choice = choose_template(BOARDS["trialectic"], size_cm=45)
    tiles = template_tiles(choice)
    assert len(tiles) > 3
    glued = glued_pieces(tiles, printed_pages(template_pdf(choice)))[0]
    piece = board_pieces(choice)[0]
    whole = printed_pages(sheets_pdf([Sheet(piece.size_mm, piece.marks)]))[0]
    left, top = (round(side * PX_PER_MM) for side in glued.corner_mm)
    seen = glued.grey[top : top + whole.shape[0], left : left + whole.shape[1]]
    one_mm = np.ones((round(PX_PER_MM), round(PX_PER_MM)), np.uint8)  # half a millimetre to either side
    for one, other in ((seen, whole), (whole, seen)):
        missing = (one < 64) & (cv2.erode(other, one_mm) > 64)
        assert missing.sum() == 0


@pytest.mark.parametrize(
    ("name", "number"), [pytest.param("nine_mens_morris", 0, marks=pytest.mark.slow), ("moulin_rouge", 1)]
)
def test_a_printed_board_is_found_and_named(name: str, number: int) -> None:
    found = searched(printed_picture(SEED, number, choose_template(BOARDS[name]), (640, 360)))
    assert found.kind_right, found.answer
    assert max(found.errors) < 0.3


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
