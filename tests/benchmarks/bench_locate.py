"""How long it takes to find a board in a cold 1280x720 picture on one core, beside the decoding of its JPEG.

python -m tests.benchmarks.bench_locate [--tables 24]
"""

from __future__ import annotations

import argparse
import time

import cv2
import numpy as np

from referee.boards import BOARDS
from tests.synthetic import Scene, random_spec
from tests.synthetic.boardless import KINDS, boardless
from vision.detection.detect import locate
from vision.imaging.field import Registration
from vision.imaging.frame import Image

SIZE_PX = (1280, 720)

DECODED = 20
"""How often each JPEG is decoded for its median."""


def pictures(n_tables: int) -> list[Image]:
    """Tables with boards of all kinds, and half as many things that are no board."""
    out = []
    for number in range(n_tables):
        rng = np.random.default_rng([number, 81])
        board = list(BOARDS.values())[number % len(BOARDS)]
        scene = Scene(random_spec(rng, board, size_px=SIZE_PX))
        stacks = [[int(rng.integers(2))] if rng.random() < 0.3 else [] for _ in board.points]
        out.append(scene.render(stacks, rng=rng)[0])
    for number in range(n_tables // 2):
        rng = np.random.default_rng([number, 82])
        out.append(boardless(rng, list(KINDS)[(5 * number) % len(KINDS)], size_px=SIZE_PX))
    return out


def main() -> None:
    """Run the benchmark."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--tables", type=int, default=24)
    given = ask.parse_args()
    cv2.setNumThreads(1)
    times: dict[str, list[float]] = {"found": [], "refused": []}
    decoding = []
    shown = pictures(given.tables)
    locate(shown[0])  # look-up maps of the drawings are made once a process
    for bgr in shown:
        packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
        for _ in range(DECODED):
            began = time.process_time()
            cv2.imdecode(packed, cv2.IMREAD_COLOR)
            decoding.append(time.process_time() - began)
        began = time.process_time()
        answer = locate(bgr)
        took = time.process_time() - began
        times["found" if isinstance(answer, Registration) else "refused"].append(took)
    decode_s = float(np.median(decoding))
    print(f"decoding of a JPEG of {SIZE_PX[0]} x {SIZE_PX[1]}: {1000 * decode_s:.1f} ms")
    for name, took_s in times.items():
        if took_s:
            median, p95 = np.percentile(took_s, (50, 95))
            print(
                f"{name}: {len(took_s)} pictures, median {median:.2f} s ({median / decode_s:.0f} decodings), "
                f"95 % under {p95:.2f} s"
            )


if __name__ == "__main__":
    main()
