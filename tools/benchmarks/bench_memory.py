"""Memory of the whole program, page and eyes, while a film is watched at its own pace (Linux).

    python -m tools.benchmarks.bench_memory [minutes]

The bundled demo is made into one film of that length and shown to the real command, while a page listens and asks for a
picture each second. Told ten times: the share of memory of each process (PSS: what several share is divided among
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

from tools.benchmarks.shared_measures import serving
from vision.capture.sources import MJPG
from web.table.source_names import find_demo

PORT = 18_520
FPS, MARKS = 10, 10


def lengthened(minutes: float, path: Path) -> None:
    """Write the demo again and again into one film."""
    film, demo = cv2.VideoWriter(), cv2.VideoCapture(str(find_demo().video))
    left = round(60 * FPS * minutes)
    while left:
        is_there, bgr = demo.read()
        if not is_there:
            demo.set(cv2.CAP_PROP_POS_FRAMES, 0)
            continue
        if not film.isOpened():
            film.open(str(path), cv2.CAP_FFMPEG, MJPG, FPS, bgr.shape[1::-1])
        film.write(np.asarray(bgr, np.uint8))
        left -= 1
    film.release()


def shares_mb(process: int) -> list[float]:
    """Megabytes of all that a process has started, and of what these have."""
    children = [
        int(k) for task in Path(f"/proc/{process}/task").iterdir() for k in (task / "children").read_text().split()
    ]
    pages = {child: Path(f"/proc/{child}/smaps_rollup").read_text().split("\nPss:")[1].split()[0] for child in children}
    return [share for child, kb in pages.items() for share in (int(kb) / 1024, *shares_mb(child))]


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
    minutes, most = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.avi"
        lengthened(minutes, film)
        with serving(["--game", "millchen", "--source", str(film)], PORT):
            threading.Thread(target=be_a_page, args=(f"http://127.0.0.1:{PORT}",), daemon=True).start()
            for mark in range(1, MARKS + 1):
                time.sleep(48 * minutes / MARKS)  # the last one before the film is over
                shares = sorted(shares_mb(os.getpid()), reverse=True)
                most = max(most, sum(shares))
                told = ", ".join(f"{share:.0f}" for share in shares)
                print(f"after {0.8 * mark * minutes / MARKS:.1f} minutes: {sum(shares):.0f} MB; {told}", flush=True)
    print(f"at most {most:.0f} MB")


if __name__ == "__main__":
    main()
