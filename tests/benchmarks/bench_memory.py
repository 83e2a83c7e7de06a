"""Memory of the whole program, page and eyes, over an hour of frames at ten a second (Linux).

    python -m tests.benchmarks.bench_memory [frames] [width height]

The bundled demo is shown again and again to the real command, as fast as the eyes look at it, while one page listens
and asks for a picture each second. The clock of the frames is their own, so 36,000 of them are an hour for the referee.
Told at every tenth: the share of memory of each process (PSS: what several share is divided among them) and the sum.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import cv2

import millchen
from vision.imaging.frame import Frame
from web.table import vision_process
from web.table.source_names import find_demo

ROOT = Path(__file__).parents[2]
HOUR = 36_000
MARKS = 10
ASKED_FOR = "MILLCHEN_BENCH_MEMORY"
"""Environment of the command and of its eyes: frames, width, height."""


def share_mb(process: int) -> float:
    """Megabytes of a process, by what it shares with how many."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def family(process: int) -> list[int]:
    """A process and all that it has started."""
    children = [
        int(k) for task in Path(f"/proc/{process}/task").iterdir() for k in (task / "children").read_text().split()
    ]
    return [process, *(k for child in children for k in family(child))]


class Endless:
    """The demo without an end. At every tenth it says how far it is."""

    fps, n_frames, is_photo_series = 10.0, None, False

    def __init__(self, n: int, width: int, height: int) -> None:
        self._n, self._size_px = n, (width, height)

    def __enter__(self) -> Endless:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Frame]:
        film = cv2.VideoCapture(str(find_demo().video))
        for k in range(self._n):
            is_there, bgr = film.read()
            if not is_there:
                film.set(cv2.CAP_PROP_POS_FRAMES, 0)
                _, bgr = film.read()
            if k % (self._n // MARKS) == self._n // MARKS - 1:
                print(json.dumps({"frames": k + 1, "eyes": os.getpid()}), file=sys.stderr, flush=True)
            yield Frame(cv2.resize(bgr, self._size_px), k / self.fps, k)  # type: ignore[arg-type]
        while True:
            time.sleep(1)  # until all of it is ended


if ASKED_FOR in os.environ:  # this is the command, or its eyes, which load this file again
    asked_for = [int(word) for word in os.environ[ASKED_FOR].split()]
    vision_process.open_source = lambda *_, **__: Endless(*asked_for)  # type: ignore[attr-defined, assignment]
    vision_process.pace_film = lambda frames, *_: frames  # type: ignore[assignment]


def listen(address: str) -> None:
    """Be a page: hear the events, and see a picture each second."""
    with suppress(OSError), urllib.request.urlopen(f"{address}/api/events", timeout=600) as events:
        while events.readline():
            pass


def see(address: str) -> None:
    """Ask for the pictures of a page."""
    while True:
        with suppress(OSError):
            urllib.request.urlopen(f"{address}/frame.jpg", timeout=60).read()
        time.sleep(1)


def main() -> None:
    """Start the command, and tell its memory as it goes on."""
    n, width, height = [int(word) for word in sys.argv[1:]] + [HOUR, 1280, 720][len(sys.argv) - 1 :]
    port = 18_520
    words = ["--no-browser", "--no-link", "--port", str(port), "--demo", "millchen"]
    most = 0.0
    with tempfile.TemporaryDirectory() as data:
        running = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.bench_memory", *words, "--data", data],
            cwd=ROOT,
            env=os.environ | {ASKED_FOR: f"{n} {width} {height}"},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert running.stderr is not None
            marks = 0
            while marks < MARKS:
                line = running.stderr.readline()
                if not line:
                    raise SystemExit("the command has ended")
                if not line.startswith('{"frames"'):
                    continue
                if not marks:
                    for work in (listen, see):
                        threading.Thread(target=work, args=(f"http://127.0.0.1:{port}",), daemon=True).start()
                marks += 1
                mark: dict[str, Any] = json.loads(line)
                shares = {process: share_mb(process) for process in family(running.pid)}
                eyes, page = shares[mark["eyes"]], shares[running.pid]
                most = max(most, sum(shares.values()))
                print(
                    f"{mark['frames']:6} frames: {sum(shares.values()):.0f} MB; page {page:.0f}, eyes {eyes:.0f}, "
                    f"Python's keeper of resources {sum(shares.values()) - page - eyes:.0f}",
                    flush=True,
                )
        finally:
            running.terminate()
            running.wait(30)
    print(f"at most {most:.0f} MB over {n} frames of {width} x {height}")


if __name__ == "__main__":
    if ASKED_FOR in os.environ:
        sys.exit(millchen.main())
    main()
