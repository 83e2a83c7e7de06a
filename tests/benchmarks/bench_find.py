"""What the cold search for a board costs, as a ratio to the JPEG decode of the same picture on one thread.

    python -m tests.benchmarks.bench_find [--tables 6] [--seed 24]

Each game is searched as its camera searches (its own boards, not thorough): tables with its board, tables with a hand
over the board, and tables without a board, which are searched again and again. The same pictures are searched for all
boards as ``millchen read`` does it. The first search of the process comes apart: look-up maps are made in it.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from referee.board import Board
from referee.boards import boards_for
from referee.game import Variant
from referee.presets import find_variant
from tests.synthetic import Hand, Scene, random_spec
from tests.synthetic.boardless import boardless
from vision.detection.detect import locate
from vision.imaging.field import Registration
from vision.imaging.frame import Image

GAMES = ("millchen", "nine_mens_morris", "tic_tac_toe", "moulin_rouge", "trialectic", "roman_mill")
NO_BOARDS = ("bare", "desk", "pebbles")
SIZE_PX = (1280, 720)
JPEG_QUALITY = 90
N_DECODED = 5  # how often each JPEG is decoded for its median


def pictures(variant: Variant, n_tables: int, rng: np.random.Generator) -> Iterator[tuple[str, Image]]:
    """Tables with a game's board, every other one with stones, with a hand over it, and tables without a board."""
    boards = boards_for(variant)
    for number in range(n_tables):
        board = boards[number % len(boards)]
        hardness, n_players = 0.3 * (number % 3), variant.players
        scene = Scene(random_spec(rng, board, n_players=n_players, hardness=hardness, size_px=SIZE_PX))
        share = 0.3 * (number % 2)
        stacks = [[int(rng.integers(variant.players))] if rng.random() < share else [] for _ in board.points]
        yield "board", scene.render(stacks, rng=rng)[0]
        yield "hand over the board", scene.render(stacks, rng=rng, hand=Hand((0.5, 0.5)))[0]
        yield "no board", boardless(rng, NO_BOARDS[number % len(NO_BOARDS)], size_px=SIZE_PX)


def search_ratio(bgr: Image, boards: Sequence[Board] | None) -> tuple[float, bool]:
    """Return the time of a search over that of the decode of the picture's JPEG, and whether a board was found."""
    jpeg = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    decode_s = []
    for _ in range(N_DECODED):
        began = time.thread_time()
        bgr = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
        decode_s.append(time.thread_time() - began)
    began = time.thread_time()
    answer = locate(bgr, boards, thorough=boards is None)
    return (time.thread_time() - began) / float(np.median(decode_s)), isinstance(answer, Registration)


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--seed", type=int, default=24)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    seen: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for number, game in enumerate(GAMES):
        variant = find_variant(game)
        for kind, bgr in pictures(variant, given.tables, np.random.default_rng([given.seed, number])):
            if not seen:
                seen["first search of the process"].append(search_ratio(bgr, boards_for(variant)))
            seen[f"{game}, {kind}"].append(search_ratio(bgr, boards_for(variant)))
            seen[f"all boards, {kind}"].append(search_ratio(bgr, None))
    print(f"OpenCV {cv2.__version__}, {SIZE_PX[0]}x{SIZE_PX[1]}, quality {JPEG_QUALITY}, one thread\n")
    print(f"{'a search, x decode':40} {'n':>5} {'found':>5} {'median':>8} {'p95':>8}")
    for name, results in sorted(seen.items()):
        ratios = [ratio for ratio, _ in results]
        n_found = sum(found for _, found in results)
        print(f"{name:40} {len(results):5} {n_found:5} {np.median(ratios):8.1f} {np.percentile(ratios, 95):8.1f}")


if __name__ == "__main__":
    main()
