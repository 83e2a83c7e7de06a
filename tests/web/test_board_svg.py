from xml.etree import ElementTree

import pytest
from flask import Flask

from referee.boards import BOARDS
from web.colour_names import colour_name, stabilise_colours
from web.drawing.board_svg import DRAWING_SIDE, draw_board

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_is_drawn_with_its_points_where_they_are(app: Flask, name: str) -> None:
    text = app.test_client().get(f"/boards/{name}.svg", base_url="http://localhost").get_data(as_text=True)
    drawn = ElementTree.fromstring(text)
    board = BOARDS[name]
    points = {
        g.get("data-name"): (g.get("data-x"), g.get("data-y")) for g in drawn.iter(f"{SVG}g") if g.get("data-name")
    }
    assert list(points) == list(board.points)
    for point, (x, y) in zip(board.points, board.xy, strict=True):
        assert float(points[point][0] or 0) == pytest.approx(x * DRAWING_SIDE, abs=0.1)
        assert float(points[point][1] or 0) == pytest.approx(y * DRAWING_SIDE, abs=0.1)
    assert len([path for path in drawn.iter(f"{SVG}path") if path.get("class") == "mill"]) == len(board.lines)


def test_a_colour_that_creeps_keeps_its_name_and_one_that_is_another_does_not() -> None:
    assert [colour_name(c) for c in ("#9f9f9f", "#aeaeae")] == ["grey", "white"]
    assert stabilise_colours(("#9f9f9f", ""), ("#aeaeae", "#a83a2c")) == ("#9f9f9f", "#a83a2c")
    assert stabilise_colours(("#9f9f9f",), ("#f4f4f4",)) == ("#f4f4f4",)
    assert stabilise_colours((), ("#f4f4f4",)) == ("#f4f4f4",)
    assert stabilise_colours(("#9f9f9f", "#f4f4f4"), ("",)) == ("",)


def test_the_page_knows_which_points_a_turning_ring_carries() -> None:
    drawing = draw_board(BOARDS["moulin_rouge"])
    assert [ring.split()[:2] for ring in drawing.rings.split("|")] == [["o1", "o2"], ["m1", "m2"], ["i1", "i2"]]
    assert draw_board(BOARDS["trialectic"]).rings == ""
