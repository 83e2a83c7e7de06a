"""How fast the rules are: perft beside python-chess, whole turns for the decoder, and what it makes of them in a look.

Run ``python tests/benchmarks/bench_perft.py``; python-chess (``pip install chess``) is only needed for the comparison.
Both count leaves the same way (the last ply is counted, not played), both are pure Python, and they take turns within
one run, so that a busy machine slows both. Times are processor time of this process.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from referee.advance import advance
from referee.game import Game
from referee.legal import legal_moves
from referee.position import Position
from referee.presets import PRESETS, find_variant
from referee.turns import whole_and_begun
from vision.decoding.belief import Belief, initial_belief, update
from vision.decoding.posterior import decode
from vision.decoding.turn_hypotheses import Hypothesis, lawful_hypotheses
from vision.evidence.fusion import Evidence

try:
    import chess
except ImportError:
    chess = None

ROUNDS = 5
DEPTH = 4
"""255,024 leaves of nine men's morris and 197,281 of chess."""

CLEAR_NATS = 12.0
"""Between the right appearance of a point and any other, where all cues agree."""

LOOKED_AT = 0.1
"""Share of the positions at which a look is decoded as well."""


def perft(position: Position, depth: int) -> int:
    """Number of sequences of ``depth`` single moves."""
    if depth == 1:
        return len(legal_moves(position))
    total = 0
    for move in legal_moves(position):
        total += perft(advance(position, move), depth - 1)
    return total


def perft_played(position: Position, depth: int) -> int:
    """As ``perft``, but every leaf is really made."""
    if depth == 0:
        return 1
    total = 0
    for move in legal_moves(position):
        total += perft_played(advance(position, move), depth - 1)
    return total


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


def belief_in(game: Game, tops: tuple[int, ...]) -> Belief:
    """What is believed after one clear look at a table that shows ``tops``, and hands over it before."""
    belief = initial_belief(game)
    changed = np.array(tops) != np.array(belief.expected_tops)
    rest = replace(belief.rest, change_log_odds=np.where(changed, CLEAR_NATS, -CLEAR_NATS))
    rows = np.full((len(tops), game.variant.players + 1), -CLEAR_NATS)
    rows[np.arange(len(tops)), tops] = 0.0
    return update(replace(belief, rest=rest, visited=True), Evidence(rows))


def expanded(belief: Belief) -> list[Hypothesis]:
    """Every lawful hypothesis of one turn."""
    return list(lawful_hypotheses(belief))


def milliseconds(act: Callable[[], Any]) -> float:
    """Processor time of what is done."""
    began = time.process_time()
    act()
    return 1e3 * (time.process_time() - began)


def turns_per_position(n_games: int = 20, most_plies: int = 150) -> None:
    """Print, over the positions of random games, the time of all turns, of the hypotheses of a look and of a look.

    The turns are those that the decoder asks for, whole and begun. A look is at the table after the next turn.
    """
    print(f"\n{'ms a position':31}{'':9} {'turns, whole and begun':^26}  {'hypotheses':^17} {'a look decoded':^17}")
    print(f"{'':31}{'positions':>9} {'mean':>8} {'max':>8} {'most':>8}  {'mean':>8} {'max':>8} {'mean':>8} {'max':>8}")
    for name, options in [*((name, {}) for name in PRESETS), ("moulin_rouge", {"players": 3})]:
        variant = find_variant(name, **options)
        rng = random.Random(1)
        n_most, times = 0, []
        for _ in range(n_games):
            game = Game.start(variant)
            while game.outcome is None and game.ply < most_plies:
                whole, begun = whole_and_begun(game.position)
                turn = rng.choice(whole)
                n_most = max(n_most, len(whole) + len(begun))
                ms = [milliseconds(partial(whole_and_begun, game.position))]
                if rng.random() < LOOKED_AT:
                    belief = belief_in(game, turn.tops)
                    ms += [
                        milliseconds(lambda b=belief: list(lawful_hypotheses(b))),
                        milliseconds(partial(decode, belief)),
                    ]
                times.append(ms)
                game = game.play_turn(turn)
        columns = [[ms[k] for ms in times if len(ms) > k] for k in range(3)]
        mean_most = [f"{statistics.fmean(column):8.3f} {max(column):8.3f}" for column in columns]
        label = f"{name} {options or ''}"
        print(f"{label:31}{len(times):9} {mean_most[0]} {n_most:8}  {mean_most[1]} {mean_most[2]}")


if __name__ == "__main__":
    compare_with_chess()
    turns_per_position()
