from itertools import product
from typing import Any
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from referee.boards import BOARDS
from tests.web.conftest import LOCAL
from tests.web.seen import seen_by
from tests.web.test_access import place_of
from web.app import CONTENT_SECURITY_POLICY, ROUTES
from web.colour_names import colour_name, stabilise_colours
from web.drawing.board_svg import DRAWING_SIDE, draw_board


def ask(client: FlaskClient, method: str, path: str, **more: Any) -> TestResponse:
    return client.open(path, method=method, base_url=LOCAL, **more)


def error_of(answer: TestResponse) -> dict[str, str]:
    body = answer.get_json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "text"}
    return dict(body["error"])


def test_only_the_routes_of_the_table_are_served(app: Flask) -> None:
    served = {(rule.rule, method) for rule in app.url_map.iter_rules() for method in rule.methods or ()}
    listed = {(route.rule, route.method) for route in ROUTES}
    assert served - {(rule, "HEAD") for rule, _ in listed} == listed


def test_every_route_has_security_headers_whatever_it_answers(client: FlaskClient) -> None:
    for route, method in product(ROUTES, ("own", "DELETE")):
        if route.rule == "/api/events" and method == "own":
            continue  # an endless answer; test_stream.py asks for it
        how = route.method if method == "own" else method
        answer = ask(client, how, place_of(route.rule), json=None if how == "GET" else {})
        assert answer.status_code < 500, route.rule
        if how != route.method:
            assert error_of(answer)["code"] == "method_not_allowed", route.rule
        assert answer.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"]
        assert "Access-Control-Allow-Origin" not in answer.headers
    assert "default-src 'self'" in CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "*" not in CONTENT_SECURITY_POLICY


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/api/game", {"game": "millchen", "options": {"fly": "always"}}, "fly"),
        ("/api/source", {"source": "/no/such/film.mp4"}, "there is no file"),
        ("/api/source", {"source": "concat:a|b"}, "addresses begin with"),
        ("/api/source", {"source": "gopher://x/"}, "addresses begin with"),
        ("/api/play-on", {}, "there is no foul"),
        ("/api/clock", {"act": "start"}, "no clock"),
        ("/api/corners", {"corners": [[300, 300]] * 4}, "clockwise"),
        ("/api/corners", {"corners": [[9200, 150], [9600, 150], [9600, 550], [9200, 550]]}, "outside the picture"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(client: FlaskClient, path: str, body: Any, says: str) -> None:
    answer = ask(client, "POST", path, json=body | {"seen": seen_by(client)})
    assert answer.status_code == 422
    error = error_of(answer)
    assert error["code"] == "not_possible"
    assert says in error["text"]
    assert "\n" not in error["text"]


def test_the_page_speaks_the_language_of_the_browser_until_another_is_chosen(client: FlaskClient) -> None:
    page = ask(client, "GET", "/", headers={"Accept-Language": "fr-CH, fr;q=0.9, en;q=0.8"}).get_data(as_text=True)
    assert '<html lang="fr"' in page
    answer = ask(client, "GET", "/?lang=lb")
    assert answer.status_code == 303
    assert "SameSite=Strict" in answer.headers["Set-Cookie"]
    page = ask(client, "GET", "/", headers={"Accept-Language": "fr"}).get_data(as_text=True)
    assert '<html lang="lb"' in page


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
