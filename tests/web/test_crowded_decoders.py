"""Many hostile pictures at once, from outside, against Millchen as a process of its own (promises R4 and R25)."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image as Pillow

from tests.web.caller import free_port
from tests.web.pace import is_kept
from tests.web.scripted_eyes import write_film

N_PARALLEL = 45
LASTS_S = 15


def hostile(kind: str, size: tuple[int, int], **how: object) -> bytes:
    out = BytesIO()
    Pillow.new("RGB", size, (90, 120, 30)).save(out, kind, **how)
    return out.getvalue()


PICTURES = {
    "12 million pixels in 36 kB, as they were sent first": hostile("PNG", (3500, 3500)),
    "a PNG as large as it may be": hostile("PNG", (2500, 1600)),
    "a WEBP as large as it may be": hostile("WEBP", (2500, 1600), lossless=True),
    "a progressive JPEG as large as it may be": hostile("JPEG", (4080, 3060), progressive=True, subsampling=0),
    "a JPEG as large as it may be": hostile("JPEG", (4080, 3060)),
}

SCAN = PICTURES["a progressive JPEG as large as it may be"].rsplit(b"\xff\xda", 1)[1][:-2]
PICTURES["a JPEG of 2000 scans, which kept a decoder busy for 85 s"] = (
    PICTURES["a progressive JPEG as large as it may be"][:-2] + (b"\xff\xda" + SCAN) * 2000 + b"\xff\xd9"
)


def memory_mb(pid: int, field: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def ask(port: int, method: str, path: str, body: bytes | None = None) -> int:
    caller = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        caller.request(method, path, body, {"Content-Type": "image/png"} if body else {})
        answer = caller.getresponse()
        answer.read()
        return answer.status
    finally:
        caller.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak of another process")
def test_many_hostile_pictures_at_once_take_little_memory_and_hold_nobody_up(tmp_path: Path) -> None:
    port = free_port()
    film = write_film(tmp_path / "film.json", "d6", "d7")
    words = [sys.executable, "-m", "tests.web.table_process", str(film), "nine_mens_morris", str(port), str(tmp_path)]
    with subprocess.Popen(words) as millchen:
        try:
            give_up = time.monotonic() + 60
            while time.monotonic() < give_up:
                try:
                    if ask(port, "GET", "/api/state") == 200:
                        break
                except OSError:
                    time.sleep(0.1)
            ask(port, "POST", "/api/camera", hostile("JPEG", (1280, 720)))  # the decoders are loaded
            for name, data in PICTURES.items():
                storm(millchen.pid, port, name, data)
        finally:
            millchen.send_signal(signal.SIGTERM)


def storm(pid: int, port: int, name: str, data: bytes) -> None:
    before = memory_mb(pid, "VmRSS")
    Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")
    until = time.monotonic() + LASTS_S / len(PICTURES)
    statuses: list[int] = []

    def send() -> None:
        while time.monotonic() < until:
            statuses.append(ask(port, "POST", "/api/camera", data))

    senders = [threading.Thread(target=send, daemon=True) for _ in range(N_PARALLEL)]
    for sender in senders:
        sender.start()
    took_s: list[float] = []
    while time.monotonic() < until:
        began = time.monotonic()
        assert ask(port, "GET", "/api/state") == 200
        took_s.append(time.monotonic() - began)
        time.sleep(0.05)
    for sender in senders:
        sender.join(timeout=60)
    grown = memory_mb(pid, "VmHWM") - before
    usual, slowest = sorted(took_s)[len(took_s) // 2], max(took_s)
    told = {status: statuses.count(status) for status in sorted(set(statuses))}
    print(
        f"R4: {N_PARALLEL} at once of {name} ({len(data) / 1000:.0f} kB): +{grown:.0f} MB at most, the state in "
        f"{1000 * usual:.0f} ms, {1000 * slowest:.0f} ms at most, of {len(took_s)}; "
        f"answers {told}, load {os.getloadavg()[0]:.0f}"
    )
    assert set(statuses) <= {200, 422, 503}
    assert grown < 150
    assert is_kept(0.5, slowest, exactly=True)
