"""How fast the rules are: perft beside python-chess, and whole turns for the decoder.

Run ``python tests/benchmarks/bench_perft.py``; python-chess (``pip install chess``) is only needed for the comparison.
Both count leaves the same way (the last ply is counted, not played), both are pure Python, and they take turns within
one run, so that a busy machine slows both. Times are processor time of this process.
"""

from __future__ import annotations

import random
import statistics
import time

from referee.game import Game
from referee.position import Position
from referee.presets import PRESETS, find_variant
from referee.rules import advance, legal_moves, legal_turns

try:
    import chess
except ImportError:
    chess = None

ROUNDS = 5
DEPTH = 4
"""255,024 leaves of nine men's morris and 197,281 of chess."""


def perft(position: Position, depth: int) -> int:
    """Number of sequences of ``depth`` single moves."""
    if depth == 1:
        return len(legal_moves(position))
    return sum(perft(advance(position, move), depth - 1) for move in legal_moves(position))


def perft_played(position: Position, depth: int) -> int:
    """As ``perft``, but every leaf is really made."""
    if depth == 0:
        return 1
    return sum(perft_played(advance(position, move), depth - 1) for move in legal_moves(position))


def chess_perft(board, depth: int) -> int:  # type: ignore[no-untyped-def]
    """As ``perft``, in chess."""
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += chess_perft(board, depth - 1)
        board.pop()
    return total


def chess_perft_played(board, depth: int) -> int:  # type: ignore[no-untyped-def]
    """As ``perft_played``, in chess."""
    if depth == 0:
        return 1
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += chess_perft_played(board, depth - 1)
        board.pop()
    return total


def timed(count, *args) -> float:  # type: ignore[no-untyped-def]
    """Leaves a second."""
    began = time.process_time()
    leaves = count(*args)
    return leaves / (time.process_time() - began)


def compare_with_chess() -> None:
    """Print leaves a second of both, and their ratio."""
    start = Position.start(find_variant("nine_mens_morris"))
    pairs = (("counted", perft, chess_perft, DEPTH), ("played", perft_played, chess_perft_played, DEPTH - 1))
    for name, ours, theirs, depth in pairs:
        speeds: list[tuple[float, float]] = []
        for _ in range(ROUNDS):
            speeds.append((timed(ours, start, depth), timed(theirs, chess.Board(), depth) if chess else float("nan")))
        mine, other = (statistics.median(column) for column in zip(*speeds, strict=True))
        ratio = statistics.median(a / b for a, b in speeds)
        print(f"perft({depth}), last ply {name}: nine men's morris {mine:12,.0f}/s  python-chess {other:12,.0f}/s  "
              f"ratio {ratio:.2f}")  # fmt: skip


def turns_per_position(n_games: int = 20, most_plies: int = 150) -> None:
    """Print the time of ``legal_turns`` over the positions of random games."""
    print(f"\n{'legal_turns, ms a position':32} {'positions':>9} {'mean':>8} {'p99':>8} {'max':>8}  turns at max")
    for name, options in [*((name, {}) for name in PRESETS), ("moulin_rouge", {"players": 3})]:
        variant = find_variant(name, **options)
        rng = random.Random(1)
        times: list[tuple[float, int]] = []
        for _ in range(n_games):
            game = Game.start(variant)
            while game.outcome is None and game.ply < most_plies:
                began = time.process_time()
                turns = legal_turns(game.position)
                times.append((1e3 * (time.process_time() - began), len(turns)))
                game = game.play_turn(rng.choice(turns))
        ms = sorted(t for t, _ in times)
        label = f"{name} {options or ''}"
        print(f"{label:32} {len(ms):9} {statistics.fmean(ms):8.3f} {ms[int(0.99 * len(ms))]:8.3f} {ms[-1]:8.3f}  "
              f"{max(times)[1]}")  # fmt: skip


if __name__ == "__main__":
    compare_with_chess()
    turns_per_position()
