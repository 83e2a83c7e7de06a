"""Where others have accounts on this computer, its page is its owner's alone, and so are passwords (promise R24)."""

import json
import logging
import os
import re
import signal
import stat
import threading
import webbrowser
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

import millchen
from languages import LANGUAGES
from tests.web.broken_camera import BrokenCamera
from tests.web.conftest import Open
from tests.web.scripted_eyes import look, write_film
from tests.web.test_access import place_of
from vision.capture.addresses import without_secrets
from vision.capture.sources import SourceError, open_source
from web.app import ROUTES, create_app
from web.errors import MillchenError
from web.hosted_tables import AppContext, Listeners, TableRequest
from web.journal.data_folder import DataFolder, private_files
from web.main import PageRequest, serve
from web.net.image_upload import PhoneFrames, encode_jpeg
from web.net.links import Links, link_to, open_own_link, stream_address
from web.net.logs import LOG_FILE, log_to
from web.table.source_names import parse_source

HERE = "http://127.0.0.1:8321/"
posix_only = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture
def own(tmp_path: Path) -> Links:
    made = open_own_link(tmp_path, True)
    assert made is not None
    return made


@pytest.fixture
def shared(shell: AppContext, own: Links) -> Flask:
    """The page of a computer on which other people have accounts."""
    return create_app(replace(shell, own_link=own), role_of=own.role_of_request)


def follow(client: FlaskClient, link: str) -> int:
    return client.get(link.removeprefix(HERE[:-1]), base_url=HERE).status_code


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_without_the_owners_link_every_route_is_refused(shared: Flask) -> None:
    for route in ROUTES:
        answer = shared.test_client().open(place_of(route.rule), method=route.method, base_url=HERE, json={})
        assert answer.status_code == (403 if route.rule == "/join/<token>" else 401), route.rule
        assert "Set-Cookie" not in answer.headers


def test_with_it_the_page_is_as_on_a_computer_of_ones_own(shared: Flask, own: Links) -> None:
    mine = shared.test_client()
    assert follow(mine, link_to(HERE, own)) == 200
    for path in ("/", "/api/state", "/links", "/settings", "/setup"):
        assert mine.get(path, base_url=HERE).status_code == 200, path
    assert mine.post("/api/network", base_url=HERE, json={"open": 1}).status_code == 400  # asked of this computer alone
    bearer = {"Authorization": f"Bearer {own.valid[0].token}"}
    assert shared.test_client().get("/api/state", base_url=HERE, headers=bearer).status_code == 200
    cookie = shared.test_client().get(link_to("/", own), base_url=HERE).headers["Set-Cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/"))


def test_who_types_the_address_is_told_what_to_do_in_every_language(shared: Flask) -> None:
    for language in LANGUAGES:
        accepted = {"Accept": "text/html", "Accept-Language": language}
        answer = shared.test_client().get("/", base_url=HERE, headers=accepted)
        assert answer.status_code == 401
        assert "millchen link" in answer.text and f'lang="{language}"' in answer.text


@pytest.mark.film
def test_our_own_eyes_read_the_phones_pictures_where_the_page_asks_for_a_link(shell: AppContext, own: Links) -> None:
    context = replace(shell, own_link=own, phone_frames=PhoneFrames())
    picture, has_seen = encode_jpeg(np.full((48, 64, 3), 200, np.uint8)), threading.Event()

    def send() -> None:
        while not has_seen.wait(0.02):
            context.phone_frames.put(picture)

    sending = threading.Thread(target=send)
    with closing(Listeners(create_app, context, 0)) as doors:
        doors.open()
        sending.start()
        try:
            with open_source(stream_address(doors.address, own)) as phone:
                assert next(iter(phone)).size_px == (64, 48)
            with pytest.raises(SourceError, match="asks for a password"):
                open_source(f"{doors.address}phone.mjpeg")
        finally:
            has_seen.set()
            sending.join()


def test_the_command_prints_it(shared: Flask, own: Links, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert millchen.main(["link", "--data", str(tmp_path)]) == 0
    assert follow(shared.test_client(), capsys.readouterr().out.strip()) == 200
    assert millchen.main(["link", "--data", str(tmp_path), "--port", "9999"]) == 0
    assert capsys.readouterr().out.startswith("http://127.0.0.1:9999/join/")
    assert millchen.main(["link", "--data", str(tmp_path / "none")]) == 1
    assert "no page of" in capsys.readouterr().err


@posix_only
def test_the_browser_is_started_with_nothing_that_helps_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def open_it(address: str) -> bool:
        opened.append(address)
        opened.append(f"{os.umask(0o022):03o}")
        os.kill(os.getpid(), signal.SIGTERM)
        return True

    monkeypatch.setattr(webbrowser, "open", open_it)
    film = write_film(tmp_path / "film.json", "d6")
    request = TableRequest(str(film), "nine_mens_morris")
    before = os.umask(0o022)
    try:
        assert serve(PageRequest([request], 0, data=tmp_path / "data", asks_for_link=True), look) == 0
    finally:
        assert os.umask(before) == 0o022
    assert opened[1] == "022"  # the browser's own files are none of our business
    file = tmp_path / "data" / "open.html"
    assert opened[0] == file.as_uri() and re.search(r'url=http://127\.0\.0\.1:\d+/join/[\w-]{22}"', file.read_text())
    said = capfd.readouterr().err
    assert "'millchen link' prints it" in said and "/join/" not in said  # this is no terminal
    assert {oct(mode_of(file) & 0o077) for file in (tmp_path / "data", *(tmp_path / "data").rglob("*"))} == {"0o0"}


@posix_only
def test_what_is_written_while_serving_is_the_owners_alone(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "data") as folder, private_files() as usual_files:
        (folder.path / "journal.sqlite").touch()
        with usual_files():
            (tmp_path / "browser").touch()
    assert mode_of(tmp_path / "data") == 0o700
    assert mode_of(tmp_path / "data" / "lock") == mode_of(tmp_path / "data" / "journal.sqlite") == 0o600
    assert mode_of(tmp_path / "browser") & 0o044


SECRET = "hunter2"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"rtsp://ann:{SECRET}@cam:554/one", "rtsp://…@cam:554/one"),
        (f"http://cam/video.cgi?user=ann&pwd={SECRET}", "http://cam/video.cgi?…"),
        (f"'http://cam/a?{SECRET}'): gone", "'http://cam/a?…'): gone"),
        (f"rtsp://ann:x@y/{SECRET}?@cam/one", "rtsp://…@cam/one"),
        (
            f"see postgresql://ann:{SECRET}@db/club and mqtts://b:{SECRET}@h",
            "see postgresql://…@db/club and mqtts://…@h",
        ),
        ("http://cam:8080/video", "http://cam:8080/video"),
        ("ann@club.example wrote: is 3:1 won?", "ann@club.example wrote: is 3:1 won?"),
    ],
)
def test_what_is_shown_of_an_address_holds_no_secret_and_twice_is_once(text: str, shown: str) -> None:
    assert without_secrets(text) == without_secrets(without_secrets(text)) == shown


@pytest.mark.parametrize(
    "words",
    [
        ("--archive", f"postgresql://ann:{SECRET}@db/club"),
        ("--archive", f"postgresql://db/club?password={SECRET}"),
        ("--mqtt", f"mqtt://ann:{SECRET}@broker/home"),
        ("--source", f"rtsp://ann:{SECRET}@cam/one", "--game", "millchen"),
        ("--table", f"Hall=http://cam/video?pwd={SECRET}", "--game", "millchen"),
        ("watch", f"rtsp://ann:{SECRET}@cam/one", "--game", "millchen"),
        ("calibrate", "Hall", "--source", f"rtsp://ann:{SECRET}@cam/one"),
        ("doctor", "--source", f"rtsp://ann:{SECRET}@cam/one"),
        (f"rtsp://ann:{SECRET}@cam/one",),
        ("--source", "0", "--source", f"rtsp://ann:{SECRET}@cam/one"),
    ],
)
def test_a_password_on_the_command_line_is_refused_in_a_sentence_without_it(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        millchen.main(words)
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.count("\n") == 1 and SECRET not in said
    assert "@FILE" in said or len(words) in (1, 4)


def test_page_journal_and_errors_name_a_camera_without_its_password(open_table: Open, tmp_path: Path) -> None:
    table = open_table("d6")
    address = f"rtsp://ann:{SECRET}@127.0.0.1:1/one?key={SECRET}"
    table.new_game("nine_mens_morris", {}, address)
    assert table.camera.source.place == address  # the eyes get all of it
    client = create_app(AppContext(table)).test_client()
    for path in ("/api/state", "/health", "/", "/api/games", "/games"):
        page = client.get(path).text
        assert SECRET not in page, path
    shown = table.publisher.snapshot.source.name
    assert shown == "rtsp://…@127.0.0.1:1/one?…"
    table.use_source(shown)  # as the page names it
    assert table.camera.source.place == address
    assert SECRET.encode() not in b"".join(file.read_bytes() for file in tmp_path.glob("journal.sqlite*"))
    with pytest.raises(MillchenError, match="is not kept"):
        parse_source(shown)
    with pytest.raises(SourceError) as refused:
        open_source(f"http://ann:{SECRET}@127.0.0.1:1/")
    assert SECRET not in str(refused.value)


def test_the_log_holds_no_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("millchen.test")
    with log_to(tmp_path):
        try:
            raise OSError(f"rtsp://ann:{SECRET}@cam/one is away")
        except OSError:
            log.exception("lost %s", f"http://cam/video?pwd={SECRET}")
    line = json.loads((tmp_path / LOG_FILE).read_text())
    assert "rtsp://…@cam/one is away" in line["trace"] and line["text"] == "lost http://cam/video?…"
    assert SECRET not in str(line) + capsys.readouterr().err


def test_a_camera_that_asks_for_a_password_still_gets_it() -> None:
    """The address is shown without it, and opened with it."""
    camera = BrokenCamera()
    try:
        source = parse_source(camera.address.replace("http://", f"http://ann:{SECRET}@"))
        assert SECRET not in source.name and SECRET in source.place
        with open_source(source.place) as live:
            assert next(iter(live)).size_px
    finally:
        camera.close()
