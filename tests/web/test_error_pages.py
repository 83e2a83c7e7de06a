"""Whatever goes wrong, a person gets a page in his language with a way back, and a program gets JSON."""

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from languages import LANGUAGES, catalogue
from tests.web.conftest import LOCAL
from tests.web.test_access import HOME, TOKENS
from tests.web.test_access import network as network
from web.errors import MillchenError
from web.history.game_index import GameIndex
from web.hosted_tables import AppContext
from web.net.links import TOKEN_COOKIE
from web.net.roles import CAMERA, REFEREE, VIEWER
from web.views import games_api

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


def open_page(client: FlaskClient, path: str, language: str = "en", method: str = "GET", **more: Any) -> TestResponse:
    headers = {"Accept": BROWSER, "Accept-Language": language} | more.pop("headers", {})
    return client.open(path, method=method, base_url=more.pop("home", LOCAL), headers=headers, **more)


def visitor(app: Flask, role: str | None, language: str = "en", path: str = "/setup", address: str = "10.9.0.1") -> Any:
    client = app.test_client(use_cookies=False)
    client.environ_base["REMOTE_ADDR"] = address
    cookie = {} if role is None else {"Cookie": f"{TOKEN_COOKIE}={TOKENS[role]}"}
    return open_page(client, path, language, home=HOME, headers=cookie)


def title_of(page: TestResponse) -> str:
    found = re.search(r"<h1>(.*?)</h1>", page.get_data(as_text=True))
    assert found is not None
    return found[1]


def links_of(page: TestResponse) -> set[str]:
    return set(re.findall(r'href="([^#"][^"]*)"', page.get_data(as_text=True)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_is_a_page_in_the_visitors_language_with_a_way_back(
    app: Flask, shell: AppContext, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, client = catalogue(language, "page"), app.test_client()
    folder = str(shell.table.journal.path.parent)

    def fail(_: str) -> None:
        raise MillchenError(f"cannot read {folder}/journal.sqlite")

    pages = {
        "404": open_page(client, "/nowhere", language),
        "405": open_page(client, "/games", language, method="POST"),
        "no_game": open_page(client, "/games/99", language),
    }
    monkeypatch.setattr(GameIndex, "find", lambda *_, **__: 1 / 0)
    pages["500"] = open_page(client, "/games", language)
    monkeypatch.setattr(GameIndex, "find", lambda *_, **__: fail(""))
    pages["other"] = open_page(client, "/games", language)
    monkeypatch.setattr(games_api, "game_history", lambda *_: int("x"))
    pages["damaged_game"] = open_page(client, "/games/1", language)
    for key, page in pages.items():
        text = page.get_data(as_text=True)
        assert page.mimetype == "text/html" and page.status_code >= 400, key
        assert title_of(page) == words[f"error.{key}"], key
        assert f'lang="{language}"' in text and {"/", "/games"} <= links_of(page), key
        assert folder not in text and "Traceback" not in text, key
        assert not re.search(r'\sstyle=|<style|src=""', text), key


def test_a_visitor_is_shown_only_the_ways_that_he_may_go(network: Flask) -> None:
    ways = {role: links_of(visitor(network, role)) for role in (VIEWER, CAMERA)}
    assert {"/", "/games"} <= ways[VIEWER] and not {"/links", "/setup", "/camera"} & ways[VIEWER]
    assert "/camera" in ways[CAMERA] and not {"/", "/games", "/scoreboard", "/club"} & ways[CAMERA]
    assert {visitor(network, role).status_code for role in (VIEWER, CAMERA)} == {403}
    assert visitor(network, REFEREE).status_code == 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stranger_gets_one_page_that_tells_nothing_and_loads_nothing(network: Flask, language: str) -> None:
    address = f"10.9.1.{list(LANGUAGES).index(language)}"
    paths = ("/", "/nowhere", "/games/1", "/links")
    pages = [visitor(network, None, language, path, address) for path in paths]
    assert {page.status_code for page in pages} == {401}
    assert len({page.data for page in pages}) == 1
    text = pages[0].get_data(as_text=True)
    assert title_of(pages[0]) == catalogue(language, "page")["error.401"]
    assert links_of(pages[0]) == set() and "src=" not in text and "millchen" not in text.lower()
    assert "unsafe" not in pages[0].headers["Content-Security-Policy"]
    assert visitor(network, None, language, "/join/old", address).status_code == 403


def test_a_language_is_chosen_on_the_page_of_an_error_too_and_leads_to_no_other_server(client: FlaskClient) -> None:
    for path in ("/nowhere", "//other.example/x", "/%09/other.example", "/%5Cother.example"):
        page = open_page(client, path)
        assert all(re.match(r"/(?![/\\\t])", link) for link in links_of(page)), path
        answer = open_page(client, f"{path}?lang=fr")
        assert answer.status_code == 303 and re.match(r"(http://127.0.0.1:8321)?/(?!/)", answer.headers["Location"])
    assert title_of(open_page(client, "/nowhere")) == catalogue("fr", "page")["error.404"]
