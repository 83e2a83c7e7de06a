"""How fast the rules are: perft beside python-chess, and whole turns for the decoder.

Run ``python tools/benchmarks/bench_perft.py``; python-chess (``pip install chess``) is only needed for the comparison.
Both count leaves the same way (the last ply is counted, not played), both are pure Python, and they take turns within
one run, so that a busy machine slows both. Times are processor time of this process.
"""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from referee.advance import advance
from referee.game import Game
from referee.legal import legal_moves
from referee.position import Position
from referee.presets import PRESETS, find_variant
from referee.turns import whole_and_begun

try:
    import chess
except ImportError:
    chess = None

ROUNDS, DEPTH = 5, 4  # 255,024 leaves of nine men's morris and 197,281 of chess


def perft(position: Position, depth: int, is_counted: bool) -> int:
    """Number of sequences of ``depth`` single moves; the last are counted, or really made as well."""
    if depth == 0:
        return 1
    moves = legal_moves(position)
    if is_counted and depth == 1:
        return len(moves)
    return sum(perft(advance(position, move), depth - 1, is_counted) for move in moves)


def chess_perft(board: Any, depth: int, is_counted: bool) -> int:
    """As ``perft``, in chess."""
    if depth == 0:
        return 1
    if is_counted and depth == 1:
        return int(board.legal_moves.count())
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += chess_perft(board, depth - 1, is_counted)
        board.pop()
    return total


def speed(count: Callable[..., int], *args: Any) -> float:
    """Leaves a second."""
    began = time.process_time()
    return count(*args) / (time.process_time() - began)


def compare_with_chess() -> None:
    """Print leaves a second of both, and their ratio."""
    start = Position.start(find_variant("nine_mens_morris"))
    for name, is_counted, depth in (("counted", True, DEPTH), ("played", False, DEPTH - 1)):
        speeds = [
            (speed(perft, start, depth, is_counted),
             speed(chess_perft, chess.Board(), depth, is_counted) if chess else float("nan"))
            for _ in range(ROUNDS)
        ]  # fmt: skip
        mine, other = (statistics.median(column) for column in zip(*speeds, strict=True))
        ratio = statistics.median(a / b for a, b in speeds)
        print(f"perft({depth}), last ply {name}: {mine:,.0f}/s, python-chess {other:,.0f}/s, ratio {ratio:.2f}")


def turns_per_position(n_games: int = 20, most_plies: int = 150) -> None:
    """Print, over the positions of random games, the time of all turns that the decoder asks for, whole and begun."""
    print(f"\n{'ms a position':31}{'positions':>9} {'mean':>8} {'max':>8} {'turns, most':>12}")
    for name, options in [*((name, {}) for name in PRESETS), ("moulin_rouge", {"players": 3})]:
        rng, n_most, times = random.Random(1), 0, list[float]()
        for _ in range(n_games):
            game = Game.start(find_variant(name, **options))
            while game.outcome is None and game.ply < most_plies:
                began = time.process_time()
                whole, begun = whole_and_begun(game.position)
                times.append(1e3 * (time.process_time() - began))
                n_most = max(n_most, len(whole) + len(begun))
                game = game.play_turn(rng.choice(whole))
        label = f"{name} {options or ''}"
        print(f"{label:31}{len(times):9} {statistics.fmean(times):8.3f} {max(times):8.3f} {n_most:12}")


if __name__ == "__main__":
    compare_with_chess()
    turns_per_position()
