import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.templating import DispatchingJinjaLoader
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.web.conftest import LOCAL
from tests.web.seen import seen_by
from web.app import CONTENT_SECURITY_POLICY, ROUTES, create_app
from web.hosted_tables import AppContext

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE")
PLACES = {
    "<name>": "nine_mens_morris", "<path:path>": "style.css", "<int:number>": "1", "<kind>": "pgn", "<int:seq>": "1",
    "<paper>": "a4", "<int:k>": "1",
}  # fmt: skip


def place_of(rule: str) -> str:
    for name, value in PLACES.items():
        rule = rule.replace(name, value)
    return rule


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


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


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.rule}")
def test_every_route_answers_its_own_method_only_always_with_security_headers(client: FlaskClient, route: Any) -> None:
    for method in METHODS:
        if route.rule == "/api/events" and method in ("GET", "HEAD"):
            continue  # an endless answer; test_stream.py asks for it
        answer = ask(client, method, place_of(route.rule), json={} if method not in ("GET", "HEAD") else None)
        assert answer.status_code < 500, method
        if method != route.method and not (method == "HEAD" and route.method == "GET"):
            assert answer.status_code == 405, method
            assert method == "HEAD" or error_of(answer)["code"] == "method_not_allowed"
        assert answer.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"]
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_the_policy_trusts_nobody_but_this_server() -> None:
    assert "default-src 'self'" in CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "*" not in CONTENT_SECURITY_POLICY


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8321", "127.0.0.1.evil.example", "[::1]:8321", "10.0.0.1"]
)
def test_another_name_for_this_server_is_refused(client: FlaskClient, host: str) -> None:
    answer = client.get("/api/state", headers={"Host": host})
    assert answer.status_code == 400
    error_of(answer)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/game", {}), ("/api/game", {"game": 3}), ("/api/game", {"game": ""}), ("/api/game", {"game": "x" * 41}),
        ("/api/game", {"game": "millchen", "options": []}), ("/api/game", []), ("/api/source", {"source": "a\nb"}),
        ("/api/source", {"source": None}), ("/api/corners", {"corners": [[1, 2], [3, 4], [5, 6]]}),
        ("/api/corners", {"corners": [[1, 2], [3, 4], [5, 6], [7, "8"]]}),
        ("/api/corners", {"corners": [[1, 2], [3, 4], [5, 6], [7, True]]}), ("/api/corners", {"corners": "everywhere"}),
        ("/api/corners", {"corners": [[1e300, 0], [0, 10**400], [-1e300, 0], [0, 1]]}),
    ],
)  # fmt: skip
def test_a_command_of_the_wrong_shape_is_refused(client: FlaskClient, path: str, body: Any) -> None:
    answer = ask(client, "POST", path, json=body)
    assert answer.status_code == 400
    assert error_of(answer)["text"]


@pytest.mark.parametrize(
    ("corners", "told"),
    [
        ([[300, 300]] * 4, "clockwise"),
        ([[200, 150], [200, 550], [600, 550], [600, 150]], "clockwise"),
        ([[10, 10], [20, 10], [20, 20], [10, 20]], "pixels"),
        ([[9200, 150], [9600, 150], [9600, 550], [9200, 550]], "outside the picture, which is 1280 x 720"),
    ],
)
def test_corners_that_are_no_field_never_reach_the_eyes(client: FlaskClient, corners: Any, told: str) -> None:
    answer = ask(client, "POST", "/api/corners", json={"corners": corners})
    assert answer.status_code == 422
    assert told in error_of(answer)["text"]


def test_numbers_that_are_none_are_refused(client: FlaskClient) -> None:
    body = '{"corners": [[1, 2], [3, 4], [5, 6], [7, NaN]]}'
    assert ask(client, "POST", "/api/corners", data=body, content_type="application/json").status_code == 400
    assert ask(client, "POST", "/api/corners", data="{", content_type="application/json").status_code == 400


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/api/game", {"game": "millchen", "options": {"fly": "always"}}, "fly"),
        ("/api/source", {"source": "/no/such/film.mp4"}, "there is no file"),
        ("/api/source", {"source": "concat:a|b"}, "addresses begin with"),
        ("/api/source", {"source": "gopher://x/"}, "addresses begin with"),
        ("/api/play-on", {}, "there is no foul"),
        ("/api/clock", {"act": "start"}, "no clock"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(client: FlaskClient, path: str, body: Any, says: str) -> None:
    answer = ask(client, "POST", path, json=body | {"seen": seen_by(client)})
    assert answer.status_code == 422
    error = error_of(answer)
    assert error["code"] == "not_possible"
    assert says in error["text"]
    assert "\n" not in error["text"]


def test_our_own_mistake_has_the_same_shape(app: Flask, shell: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(shell.table), "carry_out", lambda *_, **__: 1 / 0)
    answer = ask(app.test_client(), "POST", "/api/again", json={})
    assert answer.status_code == 500
    assert error_of(answer)["code"] == "internal_server_error"


def test_the_page_speaks_the_language_of_the_browser_until_another_is_chosen(client: FlaskClient) -> None:
    page = ask(client, "GET", "/", headers={"Accept-Language": "fr-CH, fr;q=0.9, en;q=0.8"}).get_data(as_text=True)
    assert '<html lang="fr"' in page
    answer = ask(client, "GET", "/?lang=lb")
    assert answer.status_code == 303
    assert "SameSite=Strict" in answer.headers["Set-Cookie"]
    page = ask(client, "GET", "/", headers={"Accept-Language": "fr"}).get_data(as_text=True)
    assert '<html lang="lb"' in page


def test_the_page_has_no_script_or_style_of_its_own_text(client: FlaskClient) -> None:
    page = ask(client, "GET", "/").get_data(as_text=True)
    scripts = re.findall(r"<script([^>]*)>", page)
    assert all('src="' in script or 'type="application/json"' in script for script in scripts)
    assert "<style" not in page
    assert not re.search(r"\sstyle=|\son\w+=", page)
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)


def test_what_people_type_cannot_become_markup(client: FlaskClient, tmp_path: Any) -> None:
    film = tmp_path / "<img src=x onerror=alert(1)>.json"
    film.write_text('{"scenes": [], "pause_s": 0, "end": "wait"}')
    assert ask(client, "POST", "/api/source", json={"source": str(film)}).status_code == 200
    page = ask(client, "GET", "/").get_data(as_text=True)
    assert "<img src=x" not in page


def test_the_picture_is_a_jpeg_with_its_number(client: FlaskClient) -> None:
    answer = ask(client, "GET", "/frame.jpg")
    assert answer.mimetype == "image/jpeg"
    assert answer.data[:2] == b"\xff\xd8"
    assert int(answer.headers["X-Frame-Number"]) >= 1
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.film
def test_parts_of_a_page_that_are_asked_for_at_once_load_their_templates_one_at_a_time(
    shell: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = create_app(shell)
    inside, met = threading.Semaphore(1), []
    load = DispatchingJinjaLoader.load

    def slowly(*asked: Any) -> Any:
        met.append(inside.acquire(blocking=False))
        time.sleep(0.05)
        found = load(*asked)
        inside.release()
        return found

    monkeypatch.setattr(DispatchingJinjaLoader, "load", slowly)
    paths = ("/", "/games", "/make", "/settings", "/story/achi", "/make/steps/achi", "/scoreboard")
    with ThreadPoolExecutor(len(paths)) as callers:
        answers = list(callers.map(lambda path: fresh.test_client().get(path, base_url=LOCAL).status_code, paths))
    assert answers == [200] * len(paths)
    assert len(met) > len(paths) and all(met)
