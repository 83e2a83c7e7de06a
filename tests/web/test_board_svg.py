from xml.etree import ElementTree

import pytest
from flask import Flask

from referee.boards import BOARDS
from web.colour_names import colour_name, colour_names, display_colours, stabilise_colours
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


@pytest.mark.parametrize("name", BOARDS)
def test_all_that_is_drawn_lies_on_the_cloth(name: str) -> None:
    drawing = draw_board(BOARDS[name])
    left, top, width, height = map(float, drawing.view_box.split())
    for x, y in ((x, y) for _, x, y in drawing.points):
        assert left + drawing.stone_radius < x < left + width - drawing.stone_radius
        assert top + drawing.stone_radius < y < top + height - drawing.stone_radius


def test_stones_are_painted_in_their_own_kind_of_colour() -> None:
    for colour in ("#b3191f", "#6b1010", "#1d4fa8", "#8a7a30", "#2a7d3c", "#1c1c1e", "#c9c3b8", "#8b8880"):
        assert colour_name(display_colours([colour])[0]) == colour_name(colour)


def test_two_players_of_one_colour_have_no_colour_name() -> None:
    assert colour_names(("#b3191f", "#a01010")) == ("", "")
    assert colour_names(("#b3191f", "")) == ("red", "")


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
