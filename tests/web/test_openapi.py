"""Hostile requests after the description of the JSON API: refused in one shape, no mistake of ours (promise R5)."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import hypothesis
import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from tests.web.conftest import LOCAL
from tests.web.scripted_eyes import look, write_film
from web.app import ROUTES, Route, create_app
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.net.roles import REFEREE, ROLES
from web.table import supervisor
from web.table.live_table import LiveTable
from web.views import table_page

pytestmark = pytest.mark.film

HIDDEN = ("/api/events",)  # an endless answer; test_stream.py asks for it
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "CONNECT", "BREW")

WHO = {"owner": REFEREE, **{f"{role} in the network": role for role in (*ROLES, None)}}
"""Who may ask, and the role of each."""


@pytest.fixture(scope="module")
def blind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The application on a table whose eyes stay closed: commands cost no process, and no picture is waited for."""
    folder = tmp_path_factory.mktemp("blind")
    patch = pytest.MonkeyPatch()
    patch.setattr(supervisor.VisionSupervisor, "start", lambda _: None)
    patch.setattr(table_page, "FRAME_WAIT_S", 0.01)
    with Journal(folder / "journal.sqlite") as journal:
        table = LiveTable(journal, look)
        table.open(str(write_film(folder / "film.json", "d6")), "nine_mens_morris", {})
        app = create_app(AppContext(table))
        app.config["PROPAGATE_EXCEPTIONS"] = False
        yield app
        table.close()
    patch.undo()


def check(status: int, kind: str, body: bytes) -> None:
    """What is promised of every answer."""
    assert status < 500, body
    if status >= 400:
        error = json.loads(body)
        assert set(error) == ({"error", "state"} if status == 409 else {"error"})
        assert set(error["error"]) == {"code", "text"}
        assert kind.startswith("application/json")


def attack(app: Flask, n: int, who: Sequence[str]) -> int:
    """Requests by schemathesis on every described operation, right ones and wrong ones, by all of these; how many."""
    import schemathesis  # noqa: PLC0415  # it takes seconds to load, which only the worker that asks shall spend
    from schemathesis.specs.openapi import checks  # noqa: PLC0415

    asked = [checks.status_code_conformance, checks.content_type_conformance, checks.response_schema_conformance]
    asking = ["owner"]
    network = create_app(app.extensions["millchen"], role_of=lambda _: WHO[asking[0]], in_network=True)
    network.config["PROPAGATE_EXCEPTIONS"] = False
    apps = {who: app if who == "owner" else network for who in WHO}
    schema: Any = schemathesis.openapi.from_wsgi("/api/openapi.json", lambda *call: apps[asking[0]](*call))
    n_sent = 0
    settings = hypothesis.settings(
        max_examples=n,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path in HIDDEN:
            continue
        for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):

            @settings
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: Any) -> None:
                nonlocal n_sent
                for asking[0] in who:
                    n_sent += 1
                    answer = case.call(base_url=LOCAL)
                    check(answer.status_code, answer.headers.get("content-type", [""])[0], answer.content or b"")
                    case.validate_response(answer, checks=asked)

            try:
                ask()
            except hypothesis.errors.Unsatisfiable:
                continue  # nothing can be wrong about a request without words
    return n_sent


def storm(app: Flask, n: int) -> None:
    """Requests of any method, path and body."""
    paths = st.one_of(st.sampled_from([r.rule for r in ROUTES if r.rule not in HIDDEN]), st.text(max_size=40))
    bodies = st.one_of(st.binary(max_size=200), st.recursive(st.none(), st.lists, max_leaves=5).map(json.dumps))
    kinds = st.sampled_from(["application/json", "text/plain", "application/json; charset=utf-16", "", "a/b; c"])

    @hypothesis.settings(max_examples=n, deadline=None, database=None, derandomize=True)
    @given(method=st.sampled_from(METHODS), path=paths, body=bodies, kind=kinds)
    def ask(method: str, path: str, body: bytes | str, kind: str) -> None:
        path = "/" + path.lstrip("/")
        answer = app.test_client().open(path, method=method, data=body, content_type=kind, base_url=LOCAL)
        if method != "HEAD":
            check(answer.status_code, answer.mimetype, answer.data)

    ask()


HUGE = str(10**30)


@pytest.mark.parametrize("route", [r for r in ROUTES if "<int:" in r.rule], ids=lambda r: f"{r.method} {r.rule}")
def test_a_number_that_no_journal_has_is_refused_in_the_same_shape(blind: Flask, route: Route) -> None:
    path = re.sub(r"<int:\w+>", HUGE, route.rule).replace("<kind>", "pgn").replace("<language>", "en")
    answer = blind.test_client().open(path, method=route.method, json={}, base_url=LOCAL)
    assert 400 <= answer.status_code < 500, answer.data


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("each", "least", "n"), [(1, 25, 50), pytest.param(250, 2000, 20_000, marks=pytest.mark.slow)])
def test_hostile_requests_are_refused_in_one_shape(blind: Flask, each: int, least: int, n: int) -> None:
    who = ["owner", "viewer in the network"] if each == 1 else list(WHO)  # roles of all routes: `test_access`
    n_sent = attack(blind, each, who)
    print(f"R5: {n_sent} requests after the description by {len(who)} kinds of people: 0 of 500, 0 not described")
    assert n_sent > 60 * len(who)
    storm(blind, max(least, n - n_sent))


JSON_ROUTES = [
    route.rule.replace("<int:number>", "1").replace("<name>", "millchen")
    for route in ROUTES
    if route.method == "POST" and not isinstance(route.body, tuple)
]


@pytest.mark.parametrize("body", ["[" * 60_000, '{"game":' * 8_000, '{"game": ' + "[" * 900 + "]" * 900 + "}"])
def test_json_that_is_nested_without_end_is_refused_by_every_route_with_a_sentence(blind: Flask, body: str) -> None:
    client = blind.test_client()
    assert len(JSON_ROUTES) > 30
    for path in JSON_ROUTES:
        answer = client.post(
            path, data=body, content_type="application/json", base_url="http://127.0.0.1:8321",
            headers={"Accept-Language": "fr"},
        )  # fmt: skip
        assert answer.status_code in (400, 404), path
        if answer.status_code == 400:
            assert "trop de crochets emboîtés" in answer.get_json()["error"]["text"], path
