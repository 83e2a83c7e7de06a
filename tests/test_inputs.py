"""What people bring: each kind of input is taken, or refused in one true sentence. And 500 that nobody would bring."""

import io
import json
import os
import shutil
import struct
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow
from PIL import features

from calibration.commands import watch
from millchen import DONE, UNUSABLE
from referee.record_files import decode_record, read_records
from tests.process import said_by_command as run
from tests.web.test_upload import png
from vision.capture import network_cameras
from vision.capture.sources import PictureFolder, SourceError, VideoFile, open_source
from vision.commands.arguments import WRONG_WORDS, parse_address

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests/data/command/table.jpg"
DEMO = ROOT / "web/demo/tic_tac_toe.mp4"
ORIENTATION, TIME_TAKEN, EXIF = 0x0112, 0x9003, 0x8769


def table() -> Pillow.Image:
    return Pillow.open(TABLE).convert("RGB")


def saved(picture: Pillow.Image, **options: Any) -> Callable[[Path], None]:
    return lambda path: picture.save(path, **options)


def written(data: bytes) -> Callable[[Path], None]:
    return lambda path: (path.write_bytes(data), None)[1]


GREY_16 = Pillow.fromarray(np.asarray(table().convert("L"), np.uint16) * 256)
HEIC = b"\x00\x00\x00\x18ftypheic" + bytes(200)
READ = {
    "jpeg.jpg": saved(table()),
    "png.png": saved(table()),
    "alpha.png": saved(table().convert("RGBA")),
    "grey of 16 bits.png": saved(GREY_16),
    "cmyk.jpg": saved(table().convert("CMYK"), quality=95),
    "tiff.tif": saved(table()),
    "bmp.bmp": saved(table()),
    "webp.webp": saved(table(), quality=95),
    "gif.gif": saved(table()),
    "a name that lies.png": saved(table(), format="JPEG"),
    "no ending": saved(table(), format="PNG"),
}
REFUSED = {
    "bomb.png": (written(png(30_000, 30_000, grey_bits=1)), "too large: it may have 125 million pixels"),
    "bomb.jpg": (written(png(12_000, 12_000, grey_bits=1)), "too large"),
    "photo.heic": (written(HEIC), "this is a HEIC photograph: let the phone take JPEG"),
    "cut.jpg": (written(TABLE.read_bytes()[:9000]), "this picture is damaged"),
    "letter.jpg": (written(b"Dear grandmother, " * 40), "this is no picture: give a JPEG, PNG or WEBP file"),
    "empty.png": (written(b""), "this is no picture"),
    "vector.svg": (written(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), "this is no picture"),
    "folder.jpg": (Path.mkdir, "this is a folder: name the pictures in it"),
    "none.jpg": (lambda _: None, "there is no such file"),
}


@pytest.mark.film
@pytest.mark.parametrize("name", READ)
def test_a_picture_is_read_whatever_it_is_kept_in(name: str, tmp_path: Path) -> None:
    READ[name](tmp_path / name)
    status, out, _ = run("read", tmp_path / name, "--board", "nine_mens_morris", "--json")
    assert (status, json.loads(out)["board"]) == (DONE, "nine_mens_morris"), out


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_picture_is_refused_in_one_sentence_everywhere(name: str, tmp_path: Path) -> None:
    make, told = REFUSED[name]
    make(tmp_path / name)
    picture = tmp_path / name
    check = ("make", "--check", picture)
    for words in (("read", picture), ("read", TABLE, "--empty", picture), check, (*check, "--json")):
        status, out, err = run(*words)
        assert status == UNUSABLE and told in out + err and (out + err).count("\n") == 1, (words, out, err)
    assert json.loads(out) | {"reason": ""} == {"image": str(picture), "board": None, "good": False, "reason": ""}
    if picture.is_file() and picture.suffix != ".svg":
        status, out, err = run("watch", picture, "--game", "millchen")
        assert status == UNUSABLE and told in err and (out + err).count("\n") == 1, (out, err)


@pytest.mark.film
def test_a_photograph_is_turned_as_people_see_it_and_its_points_lie_where_it_is_stored(tmp_path: Path) -> None:
    upright = json.loads(run("read", TABLE, "--json")[1])["points"]
    exif = Pillow.Exif()
    exif[ORIENTATION] = 6  # to be turned clockwise by a quarter
    table().transpose(Pillow.Transpose.ROTATE_90).save(tmp_path / "held.png", exif=exif)
    held = json.loads(run("read", tmp_path / "held.png", "--json")[1])["points"]
    width = table().width
    for name, seen in upright.items():
        assert (held[name]["x"], held[name]["y"]) == pytest.approx((seen["y"], width - 1 - seen["x"]), abs=0.11), name
        assert held[name]["stone"] == seen["stone"]
    table().transpose(Pillow.Transpose.ROTATE_90).save(tmp_path / "scanned.tif", exif=exif)
    scanned = json.loads(run("read", tmp_path / "scanned.tif", "--json")[1])["points"]
    assert {name: point["stone"] for name, point in scanned.items()} == {n: p["stone"] for n, p in upright.items()}


def test_a_phone_that_looks_straight_down_may_say_what_it_likes(tmp_path: Path) -> None:
    for k, told in enumerate((1, 6, 3, 8)):
        exif = Pillow.Exif()
        exif[ORIENTATION] = told
        table().save(tmp_path / f"img{k}.png", exif=exif)
    frames = list(PictureFolder(tmp_path))
    assert all(np.array_equal(frame.bgr, frames[0].bgr) for frame in frames)


# ---------------------------------------------------------------- folders


@pytest.mark.film
def test_a_folder_comes_in_the_order_of_its_numbers_and_names_what_it_cannot_show(tmp_path: Path) -> None:
    for k in (10, 2, 1):
        shutil.copy(TABLE, tmp_path / f"img{k}.jpg")
    (tmp_path / "img3.jpg").write_bytes(TABLE.read_bytes()[:5000])
    (tmp_path / "img4.heic").write_bytes(HEIC)
    (tmp_path / "img5.mp4").write_bytes(b"a film")
    table().save(tmp_path / "img6.gif", save_all=True, append_images=[table().rotate(90)])
    status, out, _ = run("watch", tmp_path, "--game", "nine_mens_morris", "--json")
    skipped = [event for event in map(json.loads, out.splitlines()) if event["event"] == "skipped"]
    assert status == DONE
    assert [(event["file"], event["frame"], event["t"]) for event in skipped] == [
        ("img3.jpg", 2, 2.0), ("img4.heic", 3, 3.0), ("img5.mp4", 4, 4.0), ("img6.gif", 5, 5.0)
    ]  # fmt: skip
    for event, word in zip(skipped, ("damaged", "HEIC", "this is a film", "this is a film"), strict=True):
        assert word in event["reason"]


def test_where_names_say_nothing_the_times_of_photographs_do(tmp_path: Path) -> None:
    start = datetime(2026, 11, 28, 12)
    for k, name in enumerate(("sun", "moon", "earth")):
        exif = Pillow.Exif()
        exif.get_ifd(EXIF)[TIME_TAKEN] = f"{start + timedelta(minutes=k):%Y:%m:%d %H:%M:%S}"
        Pillow.new("RGB", (40, 30), (50 + 50 * k,) * 3).save(tmp_path / f"{name}.jpg", exif=exif)
    folder = PictureFolder(tmp_path)
    assert [round(float(frame.bgr.mean()), -1) for frame in folder] == [50, 100, 150]
    assert folder.note == "the names of the photographs say no order: they are taken in the order of their times"
    assert folder.note in run("watch", tmp_path, "--game", "millchen")[2].splitlines()[0]


@pytest.mark.parametrize("kind", ["gif", "webp", "png"])
def test_a_picture_that_moves_is_played_by_its_durations(kind: str, tmp_path: Path) -> None:
    greys = [Pillow.new("RGB", (64, 48), (level,) * 3) for level in (40, 120, 200)]
    place = tmp_path / f"moves.{kind}"
    greys[0].save(place, save_all=True, append_images=greys[1:], duration=[1250, 500, 3000], lossless=True)
    with open_source(str(place)) as source:
        seen = Counter(round(float(frame.bgr.mean()) / 40) for frame in source)
    assert seen == {1: 13, 3: 5, 5: 30}


# ---------------------------------------------------------------- films and cameras


def test_a_film_has_its_own_times_where_its_pictures_come_unevenly(tmp_path: Path) -> None:
    greys = [Pillow.new("RGB", (64, 48), (level,) * 3) for level in (40, 120, 200)]
    greys[0].save(tmp_path / "film", "GIF", save_all=True, append_images=greys[1:], duration=[1250, 500, 3000])
    with VideoFile(str(tmp_path / "film")) as film:
        assert [frame.time_s for frame in film] == pytest.approx([0, 1.25, 1.75])


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_a_film_is_played_whose_name_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/film\xff.mp4")
    shutil.copy(DEMO, name)
    with open_source(name) as film:
        assert next(iter(film)).size_px


def test_a_film_that_may_not_be_read_is_not_called_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # as root everything may be read
    assert "tic_tac_toe.mp4' cannot be read: this file may not be read" in run("watch", DEMO, "--game", "achi")[2]


@pytest.mark.skipif(not features.check("avif"), reason="this Pillow writes no AV1")
def test_a_codec_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    still = io.BytesIO()
    Pillow.new("RGB", (64, 48)).save(still, "AVIF")  # one picture of AV1 in a box
    av1 = still.getvalue().partition(b"mdat")[2]
    head = struct.pack("<4s2H4s2H4I", b"DKIF", 0, 32, b"AV01", 64, 48, 5, 1, 4, 0)
    film = b"".join(struct.pack("<IQ", len(av1), k) + av1 for k in range(4))
    (tmp_path / "film.avi").write_bytes(head + film)
    status, _, err = run("watch", tmp_path / "film.avi", "--game", "tic_tac_toe")
    assert status == UNUSABLE and "are AV1, which cannot be read here: film in H.264" in err


STILL = 200, "image/jpeg", TABLE.read_bytes()
PART = b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + TABLE.read_bytes() + b"\r\n"
ANSWERS: dict[str, tuple[Any, ...]] = {
    "/secret": (401, "text/plain", b"", ("WWW-Authenticate", 'Basic realm="camera"')),
    "/private": (403, "text/plain", b""),
    "/broken": (503, "text/plain", b""),
    "/page": (200, "text/html", b"<html><img src=/stream></html>"),
    "/state": (200, "application/json", b"{}"),
    "/circle": (302, "text/plain", b"", ("Location", "/circle")),
    "/still.jpg": STILL,
    "/still": STILL,
    "/moved": (302, "text/plain", b"", ("Location", "/still")),
    "/film.mp4": (200, "video/mp4", DEMO.read_bytes()),
    "/short": (200, "multipart/x-mixed-replace; boundary=frame", PART * 4),
}
"""What a camera answers at each path: status, type, body and a header."""


class _Camera(BaseHTTPRequestHandler):
    n_asked = 0

    def do_GET(self) -> None:
        type(self).n_asked += 1
        for _ in range(20 if self.path == "/slow" else 0):
            self.wfile.write(b"HTTP/1.0 404 -\r\n")
            time.sleep(0.1)
        goes_on = self.path != "/short" or self.n_asked < 2
        status, kind, body, *headers = ANSWERS.get(self.path if goes_on else "", (404, "text/plain", b""))
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def camera() -> Iterator[str]:
    _Camera.n_asked = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), _Camera) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.film
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/secret", "asks for a password"),
        ("/private", "asks for a password"),
        ("/nowhere", "has no such address"),
        ("/broken", "answers with an error: 503"),
        ("/page", "is a web page, not a camera"),
        ("/state", "is neither a film nor a picture: application/json"),
        ("/circle", "leads in a circle"),
    ],
)
def test_an_address_that_shows_nothing_says_why(path: str, told: str, camera: str) -> None:
    with pytest.raises(SourceError, match=told):
        open_source(camera + path)


@pytest.mark.film
def test_a_camera_that_goes_on_with_its_answer_does_not_answer(camera: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_cameras, "CAMERA_TIMEOUT_MS", 300)
    assert "does not answer" in network_cameras.why_no_answer(f"{camera}/slow")


@pytest.mark.film
def test_a_password_that_is_wrong_and_a_certificate_that_is_none_are_named(camera: str) -> None:
    host = camera.removeprefix("http://")
    with pytest.raises(SourceError, match="does not take this name and password"):
        open_source(f"http://ann:wrong@{host}/secret")
    with pytest.raises(SourceError, match="no secure connection"):
        open_source(f"https://{host}/still.jpg")


@pytest.mark.film
@pytest.mark.parametrize("path", ["/still.jpg", "/still", "/moved"])
def test_a_camera_of_still_pictures_is_asked_again_and_again(path: str, camera: str) -> None:
    with open_source(camera + path) as source:
        frames = [frame for frame, _ in zip(source, range(4), strict=False)]
    assert {frame.size_px for frame in frames} == {table().size} and source.n_frames is None


@pytest.mark.film
def test_a_film_that_is_kept_elsewhere_is_played_whole(camera: str) -> None:
    with open_source(str(DEMO)) as here, open_source(f"{camera}/film.mp4") as there:
        assert sum(1 for _ in there) == sum(1 for _ in here)


@pytest.mark.film
def test_a_camera_that_stays_away_ends_watch_with_status_1_and_its_last_line(
    camera: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "PATIENCE_S", 1.0)
    status, _, err = run("watch", f"{camera}/short", "--game", "nine_mens_morris")
    assert status == UNUSABLE
    assert err.splitlines()[0] == "the camera has gone: it is tried again for 1 s"
    assert err.splitlines()[-1] == "millchen: the camera has gone and did not come back within 1 s"


# ---------------------------------------------------------------- texts

PGN = '[Variant "tic_tac_toe"]\n\n% not for you: 9. a1\n1. b2 a3 ; a corner\n2. c3 {é} *\n'


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "latin-1"])
def test_a_record_is_read_as_any_editor_writes_it(code: str, ends: str) -> None:
    (record,) = read_records(decode_record(PGN.replace("\n", ends).encode(code)))
    assert len(record.game.turns) == 3 and record.comments == ((3, "é"),)


@pytest.mark.parametrize("ends", ["", "\n", "\r\n"])
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"])
def test_an_address_is_read_as_any_editor_writes_it(code: str, ends: str, tmp_path: Path) -> None:
    (tmp_path / "address").write_bytes(f"rtsp://ann:secret@camera/1{ends}".encode(code))
    assert parse_address(f"@{tmp_path / 'address'}") == "rtsp://ann:secret@camera/1"


# ---------------------------------------------------------------- boards that are checked


@pytest.mark.film
def test_a_board_of_another_kind_than_told_is_named() -> None:
    status, out, _ = run("make", "--check", TABLE, "tic_tac_toe")
    assert status == UNUSABLE and "this is another board: Nine men’s morris, not Tic Tac Toe" in out


# ---------------------------------------------------------------- what nobody would bring


def _seeds(folder: Path) -> dict[str, bytes]:
    """Something of every kind, by the ending of its name."""
    small = table().resize((320, 240))
    for ending in ("jpg", "png", "webp", "gif", "tif", "bmp", "avif"):
        small.save(folder / f"seed.{ending}")
    for ending in ("gif", "webp", "png"):
        small.save(folder / f"seed.moves.{ending}", save_all=True, append_images=[small.rotate(3)], duration=300)
    film = cv2.VideoWriter(str(folder / "seed.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 5, (320, 240))
    for _ in range(4):
        film.write(np.asarray(small)[:, :, ::-1])
    film.release()
    return {path.name.removeprefix("seed."): path.read_bytes() for path in sorted(folder.glob("seed.*"))} | {
        "pgn": PGN.encode(), "json": b'{"game": "tic_tac_toe", "moves": ["b2", "a1"]}', "heic": HEIC,
        "mp4": DEMO.read_bytes()[:60_000], "txt": b"http://127.0.0.1:9/stream\r\n",
        "millchen-case": b"PK\x03\x04" + bytes(100), "toml": b"name = 'table'",
    }  # fmt: skip


def _spoilt(data: bytes, rng: np.random.Generator) -> bytes:
    """The same, with bytes changed, left out, doubled, or cut off."""
    for _ in range(int(rng.integers(0, 6))):
        at, length = int(rng.integers(0, len(data) or 1)), int(rng.integers(1, 40))
        head, part, tail = data[:at], data[at : at + length], data[at + length :]
        changes = (head + rng.bytes(length) + tail, head + tail, head + part + part + tail, head)
        data = changes[int(rng.choice(4, p=(0.3, 0.3, 0.3, 0.1)))]
    return data


def _commands(path: Path, folder: Path, data: Path) -> list[tuple[object, ...]]:
    return [
        ("read", path, "--json"),
        ("read", path, "--board", "tic_tac_toe", "--draw", folder / "drawn.png"),
        ("read", TABLE, "--empty", path),
        ("watch", path, "--game", "tic_tac_toe", "--json"),
        ("watch", folder, "--game", "nine_mens_morris"),
        ("watch", f"@{path}", "--game", "millchen"),
        ("make", "--check", path, "nine_mens_morris", "--json"),
        ("games", "import", path, "--data", data),
        ("tables", "import", path, "--data", data),
        ("cases", "replay", path),
        ("calibrate", "table", "--board", "nine_mens_morris", "--source", path, "--data", data),
        ("doctor", "--source", path, "--data", data),
    ]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_of_500_spoilt_files_none_ends_a_command_in_a_traceback(tmp_path: Path) -> None:
    rng, ended = np.random.default_rng(57), Counter[str]()
    seeds = _seeds(tmp_path)
    for number in range(500):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        kind = str(rng.choice(list(seeds)))
        path = folder / f"img{number}.{kind if rng.random() < 0.8 else rng.choice(list(seeds))}"
        path.write_bytes(_spoilt(seeds[kind], rng))
        commands = _commands(path, folder, tmp_path / "data")
        words = commands[number % len(commands)]
        with warnings.catch_warnings(action="error"):
            status, out, err = run(*words)
        assert status in (DONE, UNUSABLE, WRONG_WORDS) and "Traceback" not in out + err, (words, out, err)
        assert status == DONE or (out + err).strip(), words
        ended[f"{words[0]}: {status}"] += 1
        shutil.rmtree(folder)
    print(dict(sorted(ended.items())))
