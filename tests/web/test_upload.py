"""Pictures from outside: right ones are read, hostile ones refused at little cost (promise R4); phones as cameras."""

import os
import random
import signal
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from flask import Flask
from PIL import Image as Pillow

from tests.process import is_gone
from tests.web.conftest import LOCAL, Until
from tests.web.pace import is_kept
from web.errors import MillchenError
from web.net import picture_decoder, picture_process
from web.net.health import memory_mb
from web.net.image_upload import decode_image
from web.net.picture_decoder import MAX_SIDE_PX, reencoded
from web.net.picture_process import PictureProcess

WEB = Path(__file__).parents[2] / "web"


def drawn(width: int = 160, height: int = 120) -> Pillow.Image:
    rng = np.random.default_rng(3)
    return Pillow.fromarray(rng.integers(0, 256, (height, width, 3), np.uint8)).resize((width, height))


def encoded(kind: str, image: Pillow.Image | None = None, **how: object) -> bytes:
    out = BytesIO()
    (image or drawn()).save(out, kind, method=0, **how)  # the quickest, of WEBP alone
    return out.getvalue()


def png(width: int, height: int, *chunks: tuple[bytes, bytes], data: bytes = b"", grey_bits: int = 0) -> bytes:
    """A PNG with a head that says anything."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, grey_bits or 8, 0 if grey_bits else 2, 0, 0, 0)
    body = b"".join(chunk(*one) for one in chunks)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IDAT", data) + chunk(b"IEND", b"")


BOMBS: dict[str, Callable[[], bytes]] = {
    "144 million pixels in 18 kB": lambda: png(12_000, 12_000, data=zlib.compress(bytes(1501 * 12_000)), grey_bits=1),
    "half a gigabyte of nothing": lambda: png(12_000, 12_000, data=zlib.compress(bytes(1_000_000))),
    "a side of two milliards": lambda: png(2**31 - 1, 1, data=zlib.compress(b"\0")),
    "no size at all": lambda: png(0, 0, data=zlib.compress(b"\0")),
    "a text that unfolds": lambda: png(8, 8, (b"zTXt", b"a\0\0" + zlib.compress(bytes(90_000_000))), data=b""),
    "a profile that unfolds": lambda: png(8, 8, (b"iCCP", b"a\0\0" + zlib.compress(bytes(90_000_000))), data=b""),
    "an animation of frames that are not there": lambda: png(8, 8, (b"acTL", struct.pack(">II", 2**31, 0)), data=b""),
    "a chunk longer than the file": lambda: b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**31 - 1) + b"IHDR",
    "a JPEG of 65535 by 65535": lambda: (
        b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03" + b"\x01\x11\x00" * 3 + b"\xff\xd9"
    ),
    "a GIF": lambda: encoded("GIF"),
    "a TIFF": lambda: encoded("TIFF"),
    "a BMP": lambda: encoded("BMP"),
    "a letter": lambda: b"this is a letter, not a picture" * 100,
    "nothing": lambda: b"",
    "an EPS that would start a program": lambda: (
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(%pipe%id) (w) file\n"
    ),
    "an SVG": lambda: b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_read_as_blue_green_red(kind: str) -> None:
    red = Pillow.new("RGB", (64, 48), (200, 10, 30))
    bgr = decode_image(encoded(kind, red))
    assert bgr.shape == (48, 64, 3) and bgr.dtype == np.uint8
    assert np.abs(bgr.reshape(-1, 3).mean(0) - (30, 10, 200)).max() < 6


def test_a_large_picture_is_made_smaller() -> None:
    bgr = decode_image(encoded("JPEG", Pillow.new("RGB", (4000, 3000), (90, 90, 90))))
    assert max(bgr.shape) <= MAX_SIDE_PX and abs(bgr.shape[1] / bgr.shape[0] - 4 / 3) < 0.01


@pytest.mark.parametrize("name", BOMBS)
def test_what_is_meant_to_hurt_is_refused_at_little_cost(name: str) -> None:
    picture = BOMBS[name]()
    before, began = memory_mb() or 0, time.process_time()
    with pytest.raises(MillchenError, match=r"no picture that can be read|too large"):
        decode_image(picture)
    assert is_kept(0.5, time.process_time() - began)
    assert (memory_mb() or 0) - before < 300


TOO_LARGE = {
    "a JPEG of 12.6 million pixels": lambda: encoded("JPEG", Pillow.new("L", (4000, 3150))),
    "a PNG of 4.1 million": lambda: png(2560, 1602, data=zlib.compress(bytes(321 * 1602)), grey_bits=1),
    "a WEBP of 4.1 million": lambda: encoded("WEBP", Pillow.new("RGB", (2560, 1602))),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large_a_picture_is_refused_before_it_is_decoded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_decoder, "_loaded", lambda _: pytest.fail("it was decoded"))
    with pytest.raises(MillchenError, match=r"at most (12|4) million pixels"):
        decode_image(TOO_LARGE[name]())


@pytest.fixture
def process() -> Iterator[PictureProcess]:
    made = PictureProcess(most_waiting=1, wait_s=60, limit_s=60)
    yield made
    made.end()


def test_pictures_are_decoded_in_a_process_that_ends_when_none_come(
    process: PictureProcess, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    monkeypatch.setattr(picture_process, "IDLE_S", 0.2)
    pid = process.run(os.getpid)
    assert pid != os.getpid()
    until(lambda: is_gone(pid))
    assert decode_image(process.run(reencoded, encoded("PNG"))).shape == (120, 160, 3)
    with pytest.raises(MillchenError, match="no picture that can be read"):
        process.run(reencoded, b"a letter")


def test_a_decoder_that_dies_of_a_picture_or_takes_too_long_costs_that_picture_alone(until: Until) -> None:
    process = PictureProcess(most_waiting=1, wait_s=60, limit_s=0.1)  # and twenty seconds more to start
    os.kill(pid := process.run(os.getpid), signal.SIGKILL)
    until(lambda: is_gone(pid))
    assert process.run(reencoded, encoded("JPEG"))
    began = time.monotonic()
    with pytest.raises(MillchenError, match="no picture that can be read"):
        process.run(time.sleep, 3600)
    assert time.monotonic() - began < 60
    assert process.run(reencoded, encoded("JPEG"))
    process.end()


def mutated(n: int, seed: int = 1) -> Iterator[bytes]:
    """Pictures with flipped, cut, doubled and exchanged bytes."""
    rng = random.Random(seed)
    whole = [encoded(kind, drawn(48, 36)) for kind in ("JPEG", "JPEG", "JPEG", "PNG", "WEBP")]
    for _ in range(n):
        data = bytearray(rng.choice(whole))
        for _ in range(rng.choice((1, 1, 2, 5, 20))):
            at = rng.randrange(len(data) or 1)
            if at >= len(data):
                break  # nothing is left
            match rng.randrange(5):
                case 0:
                    data[at] = rng.randrange(256)
                case 1:
                    data[at : at + rng.randrange(1, 5)] = rng.choice((b"\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"))
                case 2:
                    del data[at : at + rng.randrange(1, 60)]
                case 3:
                    data[at:at] = data[at : at + rng.randrange(1, 60)]
                case _:
                    data = data[: max(1, at)]
        yield bytes(data)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("n", [1500, pytest.param(120_000, marks=pytest.mark.slow)])
def test_mutated_pictures_are_read_or_refused(n: int) -> None:
    n_read, slowest, before = 0, 0.0, memory_mb() or 0
    for data in mutated(n):
        began = time.process_time()
        with suppress(MillchenError):  # refused: as it should be
            assert decode_image(data).ndim == 3
            n_read += 1
        slowest = max(slowest, time.process_time() - began)
    grown = (memory_mb() or 0) - before
    print(f"R4: {n_read} of {n} could be read, slowest {1000 * slowest:.0f} ms, {grown:.0f} MB")
    assert 0 < n_read < n and grown < 300
    assert is_kept(0.5, slowest, exactly=n > 1500)


def test_no_decoder_of_opencv_is_given_what_comes_from_outside() -> None:
    for path in WEB.rglob("*.py"):
        assert "imdecode" not in path.read_text(encoding="utf-8"), path


def test_the_page_of_the_camera_may_use_the_camera_and_no_other_page_may(app: Flask) -> None:
    client = app.test_client()
    assert "camera=(self)" in client.get("/camera", base_url=LOCAL).headers["Permissions-Policy"]
    assert "camera=()" in client.get("/", base_url=LOCAL).headers["Permissions-Policy"]
