"""Memory of the whole program, page and eyes, while a film is watched at its own pace (Linux).

    python -m tests.benchmarks.bench_memory [minutes]

The bundled demo is made into one film of that length and shown to the real command, while one page listens and asks for
a picture each second. Told ten times: the share of memory of each process (PSS: what several share is divided among
them), the greatest first, and the sum.
"""

import os
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np

from tests.benchmarks.frame import serving
from vision.capture.sources import MJPG
from web.table.source_names import find_demo

PORT = 18_520
FPS, MARKS = 10, 10


def lengthened(minutes: float, path: Path) -> None:
    """Write the demo again and again into one film."""
    film, demo = cv2.VideoWriter(), cv2.VideoCapture(str(find_demo().video))
    n = round(60 * FPS * minutes)
    while n:
        is_there, bgr = demo.read()
        if not is_there:
            demo.set(cv2.CAP_PROP_POS_FRAMES, 0)
            continue
        if not film.isOpened():
            film.open(str(path), cv2.CAP_FFMPEG, MJPG, FPS, bgr.shape[1::-1])
        film.write(np.asarray(bgr, np.uint8))
        n -= 1
    film.release()


def share_mb(process: int) -> float:
    """Megabytes of a process, by what it shares with how many."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def family(process: int) -> list[int]:
    """All that a process has started."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    children = [int(k) for task in tasks for k in (task / "children").read_text().split()]
    return [*children, *(k for child in children for k in family(child))]


def be_a_page(address: str) -> None:
    """Hear the events, and see a picture each second."""
    events = urllib.request.urlopen(f"{address}/api/events", timeout=600)
    threading.Thread(target=events.read, daemon=True).start()
    while True:
        with suppress(OSError):
            urllib.request.urlopen(f"{address}/frame.jpg", timeout=60).read()
        time.sleep(1)


def main() -> None:
    """Print the shares as the film goes on."""
    minutes, sums = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, list[float]()
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.avi"
        lengthened(minutes, film)
        with serving(["--game", "millchen", "--source", str(film)], PORT):
            threading.Thread(target=be_a_page, args=(f"http://127.0.0.1:{PORT}",), daemon=True).start()
            for mark in range(1, MARKS + 1):
                time.sleep(48 * minutes / MARKS)  # the last one before the film is over
                shares = sorted((share_mb(process) for process in family(os.getpid())), reverse=True)
                sums.append(sum(shares))
                told = ", ".join(f"{share:.0f}" for share in shares)
                print(f"after {0.8 * mark * minutes / MARKS:.1f} minutes: {sums[-1]:.0f} MB; {told}", flush=True)
    print(f"at most {max(sums):.0f} MB")


if __name__ == "__main__":
    main()
