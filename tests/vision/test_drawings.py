"""Boards are found in the drawings that people make of them, and grids that only look like one are not."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.boards import BOARDS
from referee.layouts import NINE_MENS_MORRIS, TIC_TAC_TOE
from tests.simulation.drawings import BOARDS_OF_LINES, drawn_picture, outcome, shadowed_pictures
from tests.synthetic import random_spec
from tests.synthetic.boardless import COUNTED, FURTHER, GRIDS, boardless
from tests.synthetic.cloth import make_cloth
from tests.synthetic.ways_to_draw import OF_CELLS, drawings_of, drawn_spec
from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE
from vision.detection.detect import search_for
from vision.detection.line_boards import boards_drawn_as, distinct_templates
from vision.detection.line_filter import coloured_line_responses, stroke_colour_direction
from vision.detection.template_fit import without_spots
from vision.detection.templates import board_template, line_drawings
from vision.detection.verification import largest_overrun_of_a_side

pytestmark = pytest.mark.film

SIZE_PX = (640, 360)


@pytest.mark.parametrize(
    ("board", "drawing", "number"),
    [
        ("tic_tac_toe", "framed", 0),
        pytest.param("tic_tac_toe", "filled frame", 1, marks=pytest.mark.slow),
        pytest.param("three_mens_morris", "frames", 2, marks=pytest.mark.slow),
        ("nine_mens_morris", "filled", 3),
        pytest.param("six_mens_morris", "frames", 5, marks=pytest.mark.slow),
    ],
)
def test_a_board_is_found_in_a_drawing_that_people_make_of_it(board: str, drawing: str, number: int) -> None:
    found = outcome(drawn_picture(11, number, boards=[board], drawings=[drawing], size_px=SIZE_PX))
    assert found.kind_right, found.answer
    assert max(found.errors) < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2 * len(BOARDS_OF_LINES)))
def test_whoever_names_the_board_that_lies_there_loses_nothing_by_it(number: int) -> None:
    picture = drawn_picture(12, number, size_px=SIZE_PX)
    cold, named = outcome(picture), outcome(picture, [picture.board])
    if cold.right:
        assert named.kind_right
        assert named.confidence >= min(cold.confidence, CERTAIN_CONFIDENCE)


def test_what_was_found_of_every_board_counts_for_those_named_alone() -> None:
    picture = drawn_picture(11, 0, boards=["three_mens_morris"], drawings=["plain"], size_px=SIZE_PX)
    found = search_for(picture.bgr, tuple(BOARDS.values())).lines
    assert found.confidence > CERTAIN_CONFIDENCE
    named = boards_drawn_as(found, distinct_templates([TIC_TAC_TOE]))  # nine points with lines: the same drawing
    assert named.confidence == found.confidence
    assert {hypothesis.template.board.name for hypothesis in named.hypotheses} == {"tic_tac_toe"}
    others = boards_drawn_as(found, distinct_templates([BOARDS["trialectic"]])).hypotheses
    assert {hypothesis.template.board.name for hypothesis in others} <= {"trialectic"}


@pytest.mark.parametrize(
    "kind", ["sudoku", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("crossword", "table", "tiles"))]
)
def test_a_closed_grid_of_more_than_nine_fields_is_no_framed_board(kind: str) -> None:
    report = search_for(boardless(np.random.default_rng([14, 3]), kind, size_px=(640, 480)), (TIC_TAC_TOE,))
    assert report.lines.confidence < MIN_BOARD_CONFIDENCE


def test_lines_that_run_on_only_to_the_end_of_their_thing_run_on() -> None:
    sides, clear = np.array([0, 0, 1, 1, 2, 3]), np.ones((6, 6), np.bool_)
    seen = np.zeros((6, 6), np.bool_)
    assert largest_overrun_of_a_side(seen, clear, sides) == 0
    seen[0, 3:] = True  # something lies there, but the stroke has ended
    assert largest_overrun_of_a_side(seen, clear, sides) == pytest.approx(0.25)
    seen[2:4, :3] = True
    assert largest_overrun_of_a_side(seen, clear, sides) == pytest.approx(1.0)
    clear[2:4] = False  # outside the picture nothing can be told
    assert largest_overrun_of_a_side(seen, clear, sides) == pytest.approx(0.25)


def test_every_board_has_the_plain_drawing_and_cells_belong_to_three_in_a_row_alone() -> None:
    for name, board in BOARDS.items():
        assert "plain" in drawings_of(board)
        assert (set(drawings_of(board)) >= OF_CELLS) == (name == "tic_tac_toe")
    with pytest.raises(ValueError, match="framed"):
        drawn_spec(np.random.default_rng(1), NINE_MENS_MORRIS, "framed")


@pytest.mark.parametrize("name", ["frames", "filled", "circles", "rim letters", "fold"])
def test_what_is_added_to_a_drawing_is_seen_and_moves_no_point(name: str) -> None:
    spec = drawn_spec(np.random.default_rng(5), NINE_MENS_MORRIS, name, hardness=0.2)
    drawn, plain = make_cloth(spec), make_cloth(replace(spec, manner=None))
    assert np.array_equal(drawn.points_xy, plain.points_xy)
    assert (drawn.bgra != plain.bgra).any(axis=2).mean() > 0.001


def test_tables_that_nobody_asked_for_a_drawing_have_the_plain_one() -> None:
    for seed in range(30):
        spec = random_spec(np.random.default_rng(seed), TIC_TAC_TOE)
        assert spec.manner is None and spec.drawing in ("cells", "lines")


@pytest.mark.parametrize("number", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_the_hard_shadow_of_a_window_or_a_wall_moves_no_point(number: int) -> None:
    clear, under = shadowed_pictures(21, number, size_px=SIZE_PX)
    assert np.array_equal(clear.points_px, under.points_px)
    ratio = under.bgr.astype(float).sum(axis=2) / np.maximum(clear.bgr.astype(float).sum(axis=2), 1)
    assert np.percentile(ratio, 2) < 0.65  # there is a shadow, and there is light beside it
    assert np.percentile(ratio, 98) > 0.9
    found = [outcome(picture) for picture in (clear, under)]
    assert all(one.right for one in found)
    assert np.median(found[1].errors) < np.median(found[0].errors) + 0.02
    assert max(found[1].errors) < 0.2


def test_37_kinds_of_things_without_a_board_can_be_drawn_and_ten_taught_nothing() -> None:
    assert len(COUNTED) == len(set(COUNTED)) == 37 and len(FURTHER) == 10
    for kind in (*GRIDS, *FURTHER):
        bgr = boardless(np.random.default_rng(3), kind, size_px=(160, 120))
        assert bgr.shape == (120, 160, 3) and bgr.std() > 5


def test_a_spot_is_left_out_where_it_touches_no_stroke_and_is_no_larger_than_a_stone() -> None:
    seen, strokes = np.zeros((100, 100), np.bool_), np.zeros((100, 100), np.bool_)
    strokes[50:55] = True
    seen[52] = True  # the stroke itself
    seen[20:26, 20:26] = True  # a spot
    seen[40:52, 70] = True  # a line that meets the stroke
    seen[80, 10:90] = True  # a long line
    points = np.array([[20.0, 20], [60, 20], [20, 60], [60, 60]])
    left = without_spots(seen, strokes, points)
    assert not left[20:26, 20:26].any()
    assert (left == seen)[30:].all()


def test_the_line_that_closes_round_a_hash_is_the_square_of_its_cells() -> None:
    cells, framed = (board_template(d) for d in line_drawings(TIC_TAC_TOE)[:2])
    assert (cells.drawing, framed.drawing) == ("cells", "framed")
    reach = [np.abs(t.outline(40)[0] @ np.linalg.inv(t.template_from_board)[:2, :2]).max() for t in (cells, framed)]
    assert reach == pytest.approx([0.5, 0.5])


def test_a_stroke_between_two_fields_stands_out_from_both() -> None:
    patch = np.empty((120, 120, 3), np.uint8)
    patch[:60], patch[60:] = (40, 160, 200), (60, 90, 30)
    patch[58:62] = (40, 40, 200)
    noise = np.random.default_rng(1).normal(0, 3, patch.shape)
    patch = np.clip(cv2.GaussianBlur(patch, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)
    samples = np.column_stack([np.linspace(10, 110, 60), np.full(60, 59.5)])
    normals = np.tile([0.0, 1.0], (60, 1))
    colour = stroke_colour_direction(patch, samples, normals, np.ones(60))
    seen = coloured_line_responses(patch, colour, np.full((120, 120), 255, np.uint8), samples).max(0)
    assert seen[58:62, 20:100].max(0).min() > 0.5
    assert seen[20:40, 20:100].max() < 0.5
