"""A game in, a thought out: from the exact table where the game is solved, else by the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from referee.game import Game
from referee.nearest_word import no_such
from referee.position import Position
from referee.search.alpha_beta import AlphaBeta
from referee.search.exact_table import SolvedGame, best_turns, rank, solved
from referee.search.shipped_solution import stored
from referee.search.thought import Limits, RankedTurn, Thought, Value
from referee.turns import Turn, legal_turns
from referee.variant import Variant


def table_of(variant: Variant) -> SolvedGame | None:
    """The solution of a game; None where it is not solved. Takes up to some seconds at the first call for a game."""
    return solved(variant) or stored(variant)


def think(
    game: Game,
    limits: Limits,
    *,
    seed: int = 0,
    imprecision: float = 0.0,
    uses_table: bool = True,
    all_turns: bool = False,
    also: Turn | None = None,
) -> Thought:
    """What to play in ``game``, and what it is worth; ValueError when the game is over.

    While captures are due, the rest of the turn is thought about. The same ``seed`` chooses the same of equally good
    turns where the positions or the depth end the thought, not the seconds. ``imprecision`` is by how much positions
    are misjudged, in hundredths of a stone. With ``all_turns`` each turn gets its own right value; ``also`` is a turn
    that does in any case: with three players and more not every way to take stones is compared.
    """
    if game.outcome is not None:
        raise ValueError("the game is over, there is nothing to think about")
    table = table_of(game.variant) if uses_table else None
    if table is not None and table.value(game.position) is not None:
        return _looked_up(table, game, seed)
    return AlphaBeta(game, limits, imprecision, seed).think(all_turns=all_turns, also=also)


def _looked_up(table: SolvedGame, game: Game, seed: int) -> Thought:
    """The best turn by the table; of equally good ones that on which the other side has most wrong answers."""
    turns = list(legal_turns(game.position))
    Random(f"{seed}/{game.ply}").shuffle(turns)  # noqa: S311  # nothing secret is drawn
    me = game.position.to_move
    ranked = best_turns(table, game.position, turns)
    best = rank(ranked[0][1], me)
    equal = [pair for pair in ranked if rank(pair[1], me) == best]
    first = max(equal, key=lambda pair: _wrong_answers(table, pair[0].after, me))
    ordered = tuple(RankedTurn(*pair) for pair in (first, *(pair for pair in ranked if pair is not first)))
    line = _best_line(table, first[0])
    return Thought(first[0], first[1], line, ordered, 0, len(turns))


def _wrong_answers(table: SolvedGame, position: Position, player: int) -> float:
    """The share of the answers after which ``player`` wins though he would not by force."""
    if position.ended is not None or position.to_move == player:
        return 0.0
    values = [table.value(turn.after) for turn in legal_turns(position)]
    return sum(value is not None and value.winner == player for value in values) / len(values)


def _best_line(table: SolvedGame, first: Turn) -> tuple[Turn, ...]:
    """How a decided game goes on to its end, and a drawn one for some turns."""
    line, most = [first], 1 + ((table.value(first.after) or Value.drawn(2)).turns or 5)
    while len(line) < most and line[-1].after.ended is None:
        position = line[-1].after
        line.append(best_turns(table, position, legal_turns(position))[0][0])
    return tuple(line)


@dataclass(frozen=True, slots=True)
class Strength:
    """How far somebody looks ahead and how well he judges."""

    seconds: float  # longest time for a turn; on most machines one of the next two ends it before
    positions: int | None = None  # as in ``Limits``
    depth: int | None = None
    imprecision: float = 0.0  # by how much he misjudges positions, in hundredths of a stone (standard deviation)
    uses_table: bool = False  # whether he knows the solved games by heart


STRENGTHS: dict[str, Strength] = {
    "easy": Strength(1.0, 2_000, 1, imprecision=120.0),  # sees mills and what can be taken, little more
    "medium": Strength(1.8, 20_000, 5, imprecision=20.0),  # never longer than two seconds
    "strong": Strength(4.5, 150_000, uses_table=True),
}
"""The strengths by their names on the command line. Source: matches (``tools/benchmarks/bench_strength.py``)."""


def find_strength(name: str) -> Strength:
    """The strength of a name; ValueError with one sentence that names an unknown word."""
    if name not in STRENGTHS:
        raise ValueError(no_such("strength", name, STRENGTHS))
    return STRENGTHS[name]


def choose_turn(
    game: Game, strength: str, clock: Callable[[], float], *, seed: int = 0, seconds: float | None = None
) -> Thought:
    """What a partner of this strength plays, in ``seconds`` at most; ValueError as ``find_strength`` and ``think``."""
    skill = find_strength(strength)
    most = skill.seconds if seconds is None else min(seconds, skill.seconds)
    limits = Limits.within(most, clock, skill.positions, skill.depth)
    return think(game, limits, seed=seed, imprecision=skill.imprecision, uses_table=skill.uses_table)
