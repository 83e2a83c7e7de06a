"""How well Millchen plays as a partner: three strengths, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.game import Game
from referee.nearest_word import no_such
from referee.search.think import think
from referee.search.thought import Limits, Thought


@dataclass(frozen=True, slots=True)
class Strength:
    """How far somebody looks ahead and how well he judges.

    Attributes:
        seconds: Longest time for a turn; on most machines one of the next two ends it before.
        positions, depth: As in ``Limits``.
        imprecision: By how much he misjudges positions, in hundredths of a stone (standard deviation).
        uses_table: Whether he knows the solved games by heart.
    """

    seconds: float
    positions: int | None = None
    depth: int | None = None
    imprecision: float = 0.0
    uses_table: bool = False


STRENGTHS: dict[str, Strength] = {
    "easy": Strength(1.0, 2_000, 1, imprecision=120.0),  # sees mills and what can be taken, little more
    "medium": Strength(1.8, 20_000, 5, imprecision=20.0),  # never longer than two seconds
    "strong": Strength(4.5, 150_000, uses_table=True),
}
"""The strengths by their names on the command line. Source: matches (``tests/benchmarks/bench_strength.py``)."""


def find_strength(name: str) -> Strength:
    """The strength of a name.

    Raises:
        ValueError: When there is none of that name; one sentence that names the word.
    """
    if name not in STRENGTHS:
        raise ValueError(no_such("strength", name, STRENGTHS))
    return STRENGTHS[name]


def choose_turn(
    game: Game, strength: str, clock: Callable[[], float], *, seed: int = 0, seconds: float | None = None
) -> Thought:
    """What a partner of this strength plays.

    Args:
        strength: Its name.
        clock: Counts seconds.
        seconds: Longest time, where it is less than the strength would take.

    Raises:
        ValueError: When there is no such strength, or the game is over.
    """
    found = find_strength(strength)
    most = found.seconds if seconds is None else min(seconds, found.seconds)
    limits = Limits.within(most, clock, found.positions, found.depth)
    return think(game, limits, seed=seed, imprecision=found.imprecision, uses_table=found.uses_table)
