"""How long it takes to find a board in a cold picture on one core, beside the decoding of the picture's JPEG.

python -m tests.benchmarks.bench_locate [--tables 24] [--seed 81]

Searched are pictures of 1280 x 720, cold and with a board named, and some of them enlarged to 12 megapixels. Each time
is given in seconds of process time and as a multiple of the decoding of the same picture's JPEG: on a crowded machine
both grow alike.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import cv2
import numpy as np

from referee.board import Board
from referee.boards import COMMON_BOARDS
from tests.synthetic import Scene, random_spec
from tests.synthetic.boardless import KINDS, boardless
from vision.detection.detect import locate
from vision.imaging.field import Registration
from vision.imaging.frame import Image

SIZE_PX = (1280, 720)

LARGE_SIZE_PX = (4608, 2592)
"""Twelve megapixels of the same shape."""

N_LARGE = 4
"""Tables, and things that are no board, that are searched in 12 megapixels as well."""

N_DECODED = 5
"""How often each JPEG is decoded for its median."""

Timing = tuple[str, float, float]
"""What was timed, the search in seconds of process time, and the decoding of the picture's JPEG."""


def pictures(n_tables: int, seed: int = 81) -> list[tuple[Image, Board]]:
    """Tables with boards of all kinds, and half as many things that are no board; each with the board to be named."""
    out = []
    for number in range(n_tables):
        rng = np.random.default_rng([number, seed])
        board = list(COMMON_BOARDS.values())[number % len(COMMON_BOARDS)]
        scene = Scene(random_spec(rng, board, size_px=SIZE_PX))
        stacks = [[int(rng.integers(2))] if rng.random() < 0.3 else [] for _ in board.points]
        out.append((scene.render(stacks, rng=rng)[0], board))
    for number in range(n_tables // 2):
        rng = np.random.default_rng([number, seed + 1])
        kind = list(KINDS)[(5 * number) % len(KINDS)]
        out.append((boardless(rng, kind, size_px=SIZE_PX), COMMON_BOARDS["nine_mens_morris"]))
    return out


def timed(name: str, bgr: Image, boards: Sequence[Board] | None, decode_s: float) -> Timing:
    """Search one picture; the name gets "found" or "refused"."""
    began = time.process_time()
    answer = locate(bgr, boards)
    took_s = time.process_time() - began
    return f"{name}, {'found' if isinstance(answer, Registration) else 'refused'}", took_s, decode_s


def decoding_s(bgr: Image) -> float:
    """Median time to decode the picture's JPEG, s."""
    packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    times = []
    for _ in range(N_DECODED):
        began = time.process_time()
        cv2.imdecode(packed, cv2.IMREAD_COLOR)
        times.append(time.process_time() - began)
    return float(np.median(times))


def main() -> None:
    """Run the benchmark."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--tables", type=int, default=24)
    ask.add_argument("--seed", type=int, default=81)
    given = ask.parse_args()
    cv2.setNumThreads(1)
    shown = pictures(given.tables, given.seed)
    locate(shown[0][0])  # look-up maps of the drawings are made once a process
    timings: list[Timing] = []
    for bgr, board in shown:
        decode_s = decoding_s(bgr)
        timings += [timed("1280 x 720, cold", bgr, None, decode_s), timed("1280 x 720, named", bgr, [board], decode_s)]
    for bgr, _ in [*shown[:N_LARGE], *shown[-N_LARGE:]]:
        large = np.asarray(cv2.resize(bgr, LARGE_SIZE_PX, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
        timings.append(timed("12 megapixels, cold", large, None, decoding_s(large)))
    small_decode_ms = 1000 * np.median([decode_s for name, _, decode_s in timings if name.startswith("1280")])
    print(f"decoding of a JPEG of {SIZE_PX[0]} x {SIZE_PX[1]}: {small_decode_ms:.1f} ms")
    for name in sorted({name for name, _, _ in timings}):
        took_s = np.array([s for other, s, _ in timings if other == name])
        ratio = took_s / np.array([d for other, _, d in timings if other == name])
        (p50, p95), (p50_ratio, p95_ratio) = np.percentile(took_s, (50, 95)), np.percentile(ratio, (50, 95))
        print(
            f"{name}: {len(took_s)} pictures, p50 {p50:.2f} s ({p50_ratio:.0f} decodings), "
            f"p95 {p95:.2f} s ({p95_ratio:.0f} decodings)"
        )


if __name__ == "__main__":
    main()
