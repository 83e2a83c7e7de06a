"""Nobody gets in unasked: every role on every route with every method, forged names, limits, links (promise R16)."""

import json
import os
import re
import ssl
import stat
import tempfile
from itertools import product
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from web.app import ROUTES, create_app
from web.hosted_tables import AppContext
from web.net.links import DAY_S, SEASON_DAYS, TOKEN_COOKIE, Links
from web.net.network import NetworkAccess, open_network_access
from web.net.roles import ANYONE, CAMERA, MEMBER, REFEREE, ROLES, THIS_COMPUTER, VIEWER

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE")
HOST = "192.168.7.5"
HOME = f"https://{HOST}:8321"
MAY = {
    ANYONE: {None, VIEWER, CAMERA, REFEREE},
    MEMBER: {VIEWER, CAMERA, REFEREE},
    VIEWER: {VIEWER, REFEREE},
    CAMERA: {CAMERA, REFEREE},
    REFEREE: {REFEREE},
    THIS_COMPUTER: set(),  # no link opens it
}
LINKS = Links(Path(tempfile.mkdtemp()) / "links.json")
TOKENS = {link.role: link.token for link in LINKS.valid}
ADDRESSES = (f"{k // 250}.{k % 250}" for k in range(60_000))
PLACES = {"token": TOKENS[VIEWER], "path": "style.css", "name": "nine_mens_morris", "kind": "pgn"}


def place_of(rule: str) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda found: PLACES.get(found[1], "1"), rule)


@pytest.fixture(scope="module")
def network(shell: AppContext) -> Flask:
    """The application as the network sees it."""
    lan = NetworkAccess(HOST, (HOST,), LINKS, Path("certificate.pem"), Path("key.pem"), "AB:CD", 8321)
    context = AppContext(shell.table, network=lan)
    return create_app(context, trusted_hosts=[HOST], role_of=LINKS.role_of_request, in_network=True)


def client(app: Flask, address: str | None = None) -> FlaskClient:
    """A browser at an address of its own: what the one before has asked for is not laid to its charge."""
    made = app.test_client(use_cookies=False)
    made.environ_base["REMOTE_ADDR"] = address or f"10.1.{next(ADDRESSES)}"
    return made


def ask(app: Flask, method: str, path: str, role: str | None, address: str | None = None) -> TestResponse:
    headers = {}
    if role is not None:
        headers["Cookie"] = f"{TOKEN_COOKIE}={TOKENS[role]}"
    body = None if method in ("GET", "HEAD") else {}
    return client(app, address).open(path, method=method, base_url=HOME, json=body, headers=headers)


@pytest.mark.film
@pytest.mark.parametrize("role", [None, *ROLES])
def test_every_role_gets_exactly_what_the_table_says_with_every_method(network: Flask, role: str | None) -> None:
    served = {(route.rule, route.method): route for route in ROUTES}
    for rule, method in product({route.rule for route in ROUTES}, METHODS):
        route = served.get((rule, "GET" if method == "HEAD" else method))
        with ask(network, method, place_of(rule), role) as answer:
            told = f"{method} {rule}: {answer.status_code}"
            if route is None:
                assert answer.status_code == (401 if role is None else 405), told
            elif role in MAY[route.role]:
                assert answer.status_code not in (401, 403, 429) and answer.status_code < 500, told
            else:
                assert answer.status_code == (401 if role is None else 403), told
                assert method == "HEAD" or set(json.loads(answer.data)) == {"error"}, told


HOSTS = [
    *("evil.example", "evil.example:8321", f"{HOST}.evil.example", f"evil.example@{HOST}", "[::1]:8321", "10.0.0.1"),
    *("localhost", "127.0.0.1", "0.0.0.0", "[::ffff:192.168.7.5]", "192.168.7.50", "192.168.7.5.", "3232237317", "a"),
]  # fmt: skip
ORIGINS = [
    *("https://evil.example", "null", f"http://{HOST}:8321", f"https://{HOST}", f"https://{HOST}:9999", "file://", "a"),
    *(f"https://{HOST}:8321.evil.example", f"https://evil.example/{HOME}", f"{HOME}/", f"{HOME}@evil.example", ""),
]  # fmt: skip
FORGED = (
    [{"Host": host} for host in HOSTS]
    + [{"Origin": origin} for origin in ORIGINS]
    + [{"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "weird", "")]
    + [{"Host": "evil.example", name: HOST} for name in ("X-Forwarded-Host", "Forwarded", "X-Host", "X-Original-Host")]
    + [{"Origin": "https://evil.example", "Referer": f"{HOME}/"}, {"Origin": "null", "Referer": f"{HOME}/"}]
    + [{"Sec-Fetch-Site": "cross-site", "Origin": HOME}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}]
    + [{"Content-Type": kind} for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")]
)


@pytest.mark.parametrize("headers", FORGED, ids=str)
def test_a_forged_command_is_refused_even_with_the_referees_cookie(network: Flask, headers: dict[str, str]) -> None:
    cookie = {"Cookie": f"{TOKEN_COOKIE}={TOKENS[REFEREE]}", "Content-Type": "application/json"}
    sent = cookie | headers
    answer = client(network).post("/api/again", base_url=HOME, data="{}", headers=sent)
    assert answer.status_code in (400, 403, 415)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "127.0.0.1"}, {"X-Real-IP": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1;host=localhost"},
        {"X-Remote-User": "referee"}, {"Authorization": "Basic cmVmZXJlZTo="}, {"Authorization": "Bearer "},
        {"Authorization": "Bearer undefined"}, {"Cookie": f"{TOKEN_COOKIE}="},
        {"Cookie": f"{TOKEN_COOKIE}={TOKENS[VIEWER][:-1]}"}, {"Cookie": f"{TOKEN_COOKIE}={TOKENS[VIEWER].swapcase()}"},
        {"Cookie": f"{TOKEN_COOKIE}=\xff\xfe"}, {"Cookie": f"lang={TOKENS[REFEREE]}"},
    ],
    ids=(  # by name, not by value: each worker makes its own tokens
        *("forwarded for", "real address", "forwarded", "remote user", "basic", "bare bearer", "bearer undefined"),
        *("no token", "cut short", "swapped case", "no letters", "in another cookie"),
    ),
)  # fmt: skip
def test_no_header_stands_for_a_token(network: Flask, headers: dict[str, str]) -> None:
    assert client(network).get("/api/state", base_url=HOME, headers=headers).status_code == 401


STEPS = ("..", ".", "%2e%2e", "%252e%252e", "..%2f", "..%5c", "....//", "%c0%ae%c0%ae", ";", "%00", "\\..", "//")
WANTED = ("app.py", "etc/passwd", "journal.sqlite", "network/links.json", "key.pem", "../templates/table.html")
PATHS = [f"/{start}/{step}/{end}" for start in ("static", "boards", "join") for step in STEPS for end in WANTED]


def test_no_path_leads_outside_of_the_page(network: Flask) -> None:
    assert len(PATHS) >= 200
    for path in PATHS:
        answer = ask(network, "GET", path, REFEREE)
        assert answer.status_code in (308, 401, 403, 404), path
        if answer.status_code == 308:
            assert answer.headers["Location"].startswith((HOME, "/")), path


def test_a_link_gives_its_role_a_cookie_that_only_this_page_gets(network: Flask) -> None:
    answer = client(network).get(f"/join/{TOKENS[VIEWER]}", base_url=HOME)
    assert answer.status_code == 200
    cookie = answer.headers["Set-Cookie"]
    for part in ("Secure", "HttpOnly", "SameSite=Strict", "Path=/"):
        assert part in cookie
    assert client(network).get("/join/wrong", base_url=HOME).status_code == 403
    assert "Set-Cookie" not in client(network).get("/join/wrong", base_url=HOME).headers


def test_tokens_have_128_bits_are_kept_for_the_owner_alone_and_differ(tmp_path: Path) -> None:
    links = Links(tmp_path / "network" / "links.json")
    assert Links(links.path).valid == links.valid
    assert len({link.token for link in (*links.valid, *LINKS.valid)}) == 6
    assert all(len(link.token) == 22 for link in links.valid)  # 16 bytes in base64
    if os.name != "nt":
        assert stat.S_IMODE(links.path.stat().st_mode) == 0o600


def test_a_link_ends_after_its_time_and_a_season_where_nothing_is_said(tmp_path: Path) -> None:
    now = [1_000_000_000.0]
    links = Links(tmp_path / "links.json", clock=lambda: now[0])
    evening = links.add(VIEWER, "Ann's telephone", 1)
    now[0] += DAY_S - 1
    assert links.find(evening.token) == evening
    now[0] += 2
    assert links.find(evening.token) is None and len(links.valid) == len(ROLES)
    now[0] += (SEASON_DAYS - 1) * DAY_S
    assert links.valid == ()
    assert len(Links(tmp_path / "links.json", clock=lambda: now[0]).valid) == len(ROLES), "the next season has its own"


@pytest.mark.parametrize("name", ["key.pem", "certificate.pem", "links.json"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 40, b"[" * 100_000, b'{"viewer": 1}'])
def test_what_cannot_be_read_of_the_door_is_made_anew(name: str, content: bytes, tmp_path: Path) -> None:
    before = open_network_access(tmp_path, "127.0.0.1")
    (tmp_path / name).write_bytes(content)
    after = open_network_access(tmp_path, "127.0.0.1")
    assert (after.fingerprint != before.fingerprint) == (name != "links.json")
    assert (after.links.valid != before.links.valid) == (name == "links.json")
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(after.certificate_file, after.key_file)
    again = open_network_access(tmp_path, "127.0.0.1")
    assert (again.fingerprint, again.links.valid) == (after.fingerprint, after.links.valid)
