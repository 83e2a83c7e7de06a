"""Where other people have accounts on this computer, its page is its owner's alone (promise R24)."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

import millchen
from languages import LANGUAGES
from tests.web.ports import free_port
from tests.web.scripted_eyes import look, write_film
from tests.web.test_access import place_of
from tests.web.test_main import ROOT
from vision.capture.sources import SourceError, open_source
from web.app import ROUTES, create_app
from web.hosted_tables import Listeners, TableRequest
from web.journal.data_folder import DataFolder, private_files
from web.main import serve
from web.net import local_accounts, owner_access, server
from web.net.image_upload import PhoneFrames, encode_jpeg
from web.net.local_accounts import GONE, PEER_UID, has_other_accounts, peer_uid
from web.net.network import NetworkDoor
from web.net.owner_access import LINK_AGE_S, OwnerAccess, open_owner_access, stream_address
from web.net.roles import REFEREE
from web.views.context import AppContext

HERE = "http://127.0.0.1:8321/"
posix_only = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture
def owner(tmp_path: Path) -> OwnerAccess:
    return OwnerAccess(tmp_path / "owner")


@pytest.fixture
def shared(shell: AppContext, owner: OwnerAccess) -> Flask:
    """The page of a computer on which other people have accounts."""
    return create_app(replace(shell, owner=owner), role_of=owner.role_of_request)


def browser(app: Flask) -> FlaskClient:
    return app.test_client()


def follow(client: FlaskClient, link: str) -> int:
    return client.get(link.removeprefix(HERE[:-1]), base_url=HERE).status_code


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# ---------------------------------------------------------------- who else there is


@pytest.mark.parametrize(
    ("accounts", "is_shared"),
    [
        ([(0, "/bin/bash"), (33, "/usr/sbin/nologin"), (65534, "/bin/sh")], False),
        ([(0, "/bin/bash"), (1000, "/bin/bash")], False),
        ([(1000, "/bin/bash"), (1001, "/bin/zsh")], True),
        ([(1000, "/bin/bash"), (1001, "")], True),
        ([(1000, "/bin/bash"), (30001, "/run/current-system/sw/bin/nologin"), (1002, "/bin/false")], False),
        ([(1000, "/bin/bash"), (728400012, "/bin/bash")], True),
    ],
    ids=["a container", "one person", "two", "two, the usual shell", "builders", "of a directory"],
)
def test_people_are_told_from_services_among_the_accounts(accounts: list[tuple[int, str]], is_shared: bool) -> None:
    listed = [SimpleNamespace(pw_uid=uid, pw_shell=shell) for uid, shell in accounts]
    assert has_other_accounts(listed, 1000) is is_shared


@pytest.mark.parametrize(
    ("services", "are_listed"),
    [("files systemd", True), ("files ldap", False), ("files [NOTFOUND=return] sss", False), (None, True)],
)
def test_where_accounts_cannot_be_listed_there_are_others(
    services: str | None, are_listed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sssd.conf").touch()
    monkeypatch.setattr(local_accounts, "DIRECTORY_SETTINGS", {"sss": tmp_path / "sssd.conf"})
    if services is not None:
        (tmp_path / "nsswitch").write_text(f"group: ldap\npasswd: {services}  # nis\n")
    assert local_accounts._are_all_listed(tmp_path / "nsswitch") is are_listed


def test_profiles_beside_ones_own_are_other_people(tmp_path: Path) -> None:
    for name in ("Ann", "Public", "Default"):
        (tmp_path / name).mkdir()
    assert not local_accounts._has_other_profiles(tmp_path / "Ann")
    (tmp_path / "Bob").mkdir()
    assert local_accounts._has_other_profiles(tmp_path / "Ann")
    assert local_accounts._has_other_profiles(tmp_path / "nowhere" / "Ann")


def test_the_page_asks_where_there_are_others_and_only_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for others in (False, True):
        monkeypatch.setattr(owner_access, "is_shared_computer", lambda others=others: others)
        assert (open_owner_access(tmp_path, None) is not None) is others
        assert open_owner_access(tmp_path, False) is None


# ---------------------------------------------------------------- what strangers get


def test_without_the_owners_token_every_route_is_refused(shared: Flask) -> None:
    for route in ROUTES:
        answer = browser(shared).open(place_of(route.rule), method=route.method, base_url=HERE, json={})
        assert answer.status_code == (403 if route.rule == "/join/<token>" else 401), route.rule
        assert "Set-Cookie" not in answer.headers


def test_with_it_the_page_is_as_on_a_computer_of_ones_own(shared: Flask, owner: OwnerAccess) -> None:
    mine = browser(shared)
    assert follow(mine, owner.new_link(HERE)) == 200
    for path in ("/", "/api/state", "/links", "/settings", "/setup"):
        assert mine.get(path, base_url=HERE).status_code == 200, path
    assert mine.post("/api/network", base_url=HERE, json={"open": 1}).status_code == 400  # asked of this computer alone
    bearer = {"Authorization": f"Bearer {owner.token}"}
    assert browser(shared).get("/api/state", base_url=HERE, headers=bearer).status_code == 200


def test_who_types_the_address_is_told_what_to_do_in_every_language(shared: Flask) -> None:
    for language in LANGUAGES:
        accepted = {"Accept": "text/html", "Accept-Language": language}
        answer = browser(shared).get("/", base_url=HERE, headers=accepted)
        assert answer.status_code == 401
        assert "millchen link" in answer.text and f'lang="{language}"' in answer.text


# ---------------------------------------------------------------- links


def test_a_link_opens_one_browser_once_and_for_a_while(shared: Flask, owner: OwnerAccess, tmp_path: Path) -> None:
    link = owner.new_link(HERE)
    answer = browser(shared).get(link.removeprefix(HERE[:-1]), base_url=HERE)
    cookie = answer.headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=Strict", "Path=/", owner.cookie):
        assert part in cookie
    assert link.rsplit("/", 1)[1] not in cookie
    assert follow(browser(shared), link) == 403
    late = OwnerAccess(tmp_path / "owner", clock=lambda: time.time() + LINK_AGE_S + 5)
    ticket = owner.new_link(HERE).rsplit("/", 1)[1]
    assert not late.use_ticket(ticket) and not owner.use_ticket(ticket)
    for guess in ("", ".", "..", "../token", "\x00", "a" * 5000):
        assert not owner.use_ticket(guess)


def test_of_many_who_use_a_link_at_once_one_gets_in(owner: OwnerAccess) -> None:
    ticket = owner.new_link(HERE).rsplit("/", 1)[1]
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(owner.use_ticket, [ticket] * 64)) == 1


def test_links_that_nobody_uses_do_not_pile_up(owner: OwnerAccess, tmp_path: Path) -> None:
    for _ in range(owner_access.MAX_LINKS + 5):
        newest = owner.new_link(HERE)
    assert len(list((tmp_path / "owner" / "links").iterdir())) == owner_access.MAX_LINKS
    assert owner.use_ticket(newest.rsplit("/", 1)[1])


def test_a_restart_keeps_browsers_in_and_another_folder_has_another_cookie(owner: OwnerAccess, tmp_path: Path) -> None:
    again, other = OwnerAccess(tmp_path / "owner"), OwnerAccess(tmp_path / "other")
    assert (again.token, again.cookie) == (owner.token, owner.cookie)
    assert other.token != owner.token and other.cookie != owner.cookie
    assert again.stream_key != owner.stream_key


@pytest.mark.parametrize("content", [b"", b"\x00" * 22, b"short", "é".encode() * 22])
def test_a_damaged_token_is_made_anew(content: bytes, owner: OwnerAccess, tmp_path: Path) -> None:
    (tmp_path / "owner" / "token").write_bytes(content)
    again = OwnerAccess(tmp_path / "owner")
    assert again.token != owner.token and OwnerAccess(tmp_path / "owner").token == again.token


def test_our_own_eyes_may_read_the_phones_pictures_and_nothing_else(shared: Flask, owner: OwnerAccess) -> None:
    address = stream_address(HERE, owner)
    path = address.removeprefix(HERE[:-1])
    query = path.partition("?")[2]
    with shared.test_request_context(path, base_url=HERE) as asked:
        assert owner.role_of_request(asked.request) == REFEREE
    for other in ("/api/state", "/phone.mjpeg/", "/frame.jpg", "//phone.mjpeg"):
        assert browser(shared).get(f"{other}?{query}", base_url=HERE).status_code in (308, 401), other
    assert browser(shared).get(f"/phone.mjpeg?{query}x", base_url=HERE).status_code == 401


@pytest.mark.film
def test_the_eyes_do_read_them_where_the_page_asks_for_a_link(
    shell: AppContext, owner: OwnerAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = replace(shell, owner=owner, phone_frames=PhoneFrames(), door=NetworkDoor())
    picture, has_seen = encode_jpeg(np.full((48, 64, 3), 200, np.uint8)), threading.Event()

    def send() -> None:
        while not has_seen.wait(0.02):
            context.phone_frames.put(picture)

    sending = threading.Thread(target=send)
    with closing(Listeners(context, 0)) as doors:
        doors.open()
        sending.start()
        try:
            with open_source(stream_address(doors.address, owner)) as phone:
                assert next(iter(phone)).size_px == (64, 48)
            monkeypatch.setattr(server, "peer_uid", lambda _: None)  # as where the system names nobody
            with open_source(stream_address(doors.address, owner)) as phone:
                assert next(iter(phone)).size_px == (64, 48)
            with pytest.raises(SourceError, match="does not answer"):
                open_source(f"{doors.address}phone.mjpeg")
            monkeypatch.setattr(server, "peer_uid", lambda _: os.geteuid() + 1)
            with pytest.raises(SourceError, match="does not answer"):
                open_source(stream_address(doors.address, owner))
        finally:
            has_seen.set()
            sending.join()


def test_a_caught_token_or_link_helps_no_other_user(shared: Flask, owner: OwnerAccess) -> None:
    ticket = owner.new_link(HERE).rsplit("/", 1)[1]
    bearer = {"Authorization": f"Bearer {owner.token}"}
    for uid, is_let_in in ((os.geteuid() + 1, False), (GONE, False), (os.geteuid(), True), (0, True)):
        asks = {PEER_UID: uid}
        for carried in (bearer, {}):  # whom the system names needs no token, and none helps anybody else
            answer = browser(shared).get("/api/state", base_url=HERE, headers=carried, environ_overrides=asks)
            assert answer.status_code == (200 if is_let_in else 401)
        if not is_let_in:
            answer = browser(shared).get(f"/join/{ticket}", base_url=HERE, environ_overrides=asks)
            assert answer.status_code == 403 and "Set-Cookie" not in answer.headers
    assert owner.use_ticket(ticket)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say who calls")
def test_the_system_says_who_calls_and_nobody_is_taken_for_who_has_hung_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
            with socket.socket(family) as caller:
                caller.connect((address, door.getsockname()[1]))
                called, _ = door.accept()
                with called:
                    assert peer_uid(called) == os.geteuid()
                    caller.close()
                    assert peer_uid(called) == GONE
                    with monkeypatch.context() as patch:  # somebody else has the port by the time we look
                        patch.setattr(local_accounts, "_uid_in", lambda *_: os.geteuid())
                        assert peer_uid(called) == GONE


def test_the_command_prints_a_link_that_opens_the_page(
    shared: Flask, owner: OwnerAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    owner.keep_address(HERE)
    assert millchen.main(["link", "--data", str(tmp_path)]) == 0
    link = capsys.readouterr().out.split()[0]
    assert follow(browser(shared), link) == 200
    assert millchen.main(["link", "--data", str(tmp_path), "--port", "9999"]) == 0
    assert capsys.readouterr().out.startswith("http://127.0.0.1:9999/join/")
    assert millchen.main(["link", "--data", str(tmp_path / "none")]) == 1
    assert "no page of" in capsys.readouterr().err


@posix_only
@pytest.mark.parametrize("are_told", [True, False], ids=["users are told apart", "they are not"])
def test_the_browser_is_started_with_nothing_that_helps_another_user(
    are_told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def open_it(address: str) -> bool:
        opened.append(address)
        opened.append(f"{os.umask(0o022):03o}")
        os.kill(os.getpid(), signal.SIGTERM)
        return True

    monkeypatch.setattr(webbrowser, "open", open_it)
    monkeypatch.setattr(owner_access, "are_users_told", lambda: are_told)
    film = write_film(tmp_path / "film.json", "d6")
    request = TableRequest(str(film), "nine_mens_morris")
    before = os.umask(0o022)
    try:
        assert serve([request], 0, data_dir=tmp_path / "data", vision_target=look, asks_for_link=True) == 0
    finally:
        assert os.umask(before) == 0o022
    assert opened[1] == "022"  # the browser's own files are none of our business
    link = r"http://127\.0\.0\.1:\d+/join/[\w-]{22}"
    if are_told:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", opened[0])
    else:
        file = tmp_path / "data" / "owner" / "open.html"
        assert opened[0] == file.as_uri() and re.search(rf'url={link}"', file.read_text())
    said = capfd.readouterr().err
    assert ("'millchen link' prints one" in said) is not are_told and "/join/" not in said  # this is no terminal
    assert {oct(mode_of(file) & 0o077) for file in (tmp_path / "data", *(tmp_path / "data").rglob("*"))} == {"0o0"}


# ---------------------------------------------------------------- files


@posix_only
def test_what_is_written_while_serving_is_the_owners_alone(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "data") as folder, private_files() as usual_files:
        (folder.path / "journal.sqlite").touch()
        with usual_files():
            (tmp_path / "browser").touch()
    assert mode_of(tmp_path / "data") == 0o700
    assert mode_of(tmp_path / "data" / "lock") == mode_of(tmp_path / "data" / "journal.sqlite") == 0o600
    assert mode_of(tmp_path / "browser") & 0o044


# ---------------------------------------------------------------- a second user, really

OTHER_UID = 54321
ASKS = """
import encodings.idna, json, os, sys, urllib.error, urllib.request
from pathlib import Path
os.setgroups([]), os.setgid(int(sys.argv[3])), os.setuid(int(sys.argv[3]))
page, data = sys.argv[1], Path(sys.argv[2])
token, ticket = sys.argv[4:]
caught = {"Authorization": "Bearer " + token}
asks = [(path, path, None, {}) for path in ("", "api/state", "api/events", "frame.jpg", "phone.mjpeg", "games",
                                            "settings/games.sqlite")]
asks += [("POST " + path, path, b"{}", {"Content-Type": "application/json"})
         for path in ("api/act", "api/end", "api/network", "api/source")]
asks += [("caught state", "api/state", None, caught), ("caught link", "join/" + ticket, None, caught)]
got = {}
for name, path, body, headers in asks:
    try:
        got[name] = urllib.request.urlopen(urllib.request.Request(page + path, body, headers), timeout=20).status
    except urllib.error.HTTPError as why:
        got[name] = why.code
for name in (".", "journal.sqlite", "owner/token", "owner/links", "owner/open.html", "log.jsonl", "lock"):
    try:
        os.listdir(data) if name == "." else os.open(data / name, os.O_RDONLY)
        got["file " + name] = "opened"
    except OSError as why:
        got["file " + name] = type(why).__name__
print(json.dumps(got))
"""


@pytest.fixture
def place_for_all() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="millchen-") as name:
        Path(name).chmod(0o755)  # only Millchen's own modes are to keep the other one out
        yield Path(name)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_second_user_of_this_computer_gets_neither_page_nor_pictures_nor_files(place_for_all: Path) -> None:
    data, port = place_for_all / "data", free_port()
    film = write_film(place_for_all / "film.json", "d6", "d7")
    words = [sys.executable, "-m", "tests.web.table_process", str(film), "nine_mens_morris", str(port), str(data)]
    running = subprocess.Popen([*words, "ask"], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr is not None
        assert "is at" in running.stderr.readline()
        if sys.platform != "linux":
            assert "asks for a link" in running.stderr.readline()
        page, owner = f"http://127.0.0.1:{port}/", OwnerAccess(data / "owner")
        ticket = owner.new_link(page).rsplit("/", 1)[1]
        call = [sys.executable, "-c", ASKS, page, str(data), str(OTHER_UID)]
        call += [owner.token, ticket] if sys.platform == "linux" else ["", ""]
        asked = subprocess.run(call, cwd="/", capture_output=True, text=True, timeout=120)
        assert asked.returncode == 0, asked.stderr
        got = json.loads(asked.stdout)
        print(got)
        assert (got.pop("caught state"), got.pop("caught link")) == (401, 403)
        assert {value for name, value in got.items() if not name.startswith("file ")} == {401}
        assert {value for name, value in got.items() if name.startswith("file ")} == {"PermissionError"}
        if sys.platform == "linux":  # the owner types the address, as on a computer of his own
            assert urllib.request.urlopen(f"{page}api/state", timeout=60).status == 200
        right = urllib.request.Request(f"{page}api/state", headers={"Authorization": f"Bearer {owner.token}"})
        assert urllib.request.urlopen(right, timeout=60).status == 200
        mine = subprocess.run(
            [sys.executable, "millchen.py", "link", "--data", str(data)], cwd=ROOT, capture_output=True, text=True
        )
        assert mine.stdout.startswith(f"http://127.0.0.1:{port}/join/")
    finally:
        running.terminate()
        running.communicate(timeout=60)
