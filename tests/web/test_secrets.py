"""A password in an address is for whoever is reached by it, and stands nowhere else (promise R24)."""

import json
import logging
from pathlib import Path

import pytest

import millchen
from tests.web.broken_camera import BrokenCamera
from tests.web.conftest import Open
from vision.capture.addresses import without_secrets
from vision.capture.sources import SourceError, open_source
from web.app import create_app
from web.errors import MillchenError
from web.hosted_tables import AppContext
from web.net.logs import LOG_FILE, log_to
from web.table.source_names import parse_source

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
