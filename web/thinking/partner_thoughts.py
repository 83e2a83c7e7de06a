"""What the process that thinks is asked at a table: a turn of a partner, or advice for somebody who wants a hint."""

from __future__ import annotations

import time
from typing import NamedTuple

from referee.game import Game
from referee.moves import Move
from referee.search.reasons import Chance, Reason, chances, reasons_for
from referee.search.think import choose_turn
from referee.search.thought import RankedTurn, Thought, Value

ADVISER = "strong"
"""The strength of hints: who asks for advice gets the best there is. Source: chosen."""

ADVICE_S = 1.8
"""Longest time for a hint, seconds: as long as a partner of medium strength thinks. Source: chosen."""


class Advice(NamedTuple):
    """What came out of thinking at a table.

    Attributes:
        moves: The turn; where captures are due, the rest of it.
        value: What the game is worth then.
        reasons: What speaks for the turn.
        own: Mills, or threes in a row, that the player to move can close.
        threats: Those that the others could close if it were their turn.
    """

    moves: tuple[Move, ...]
    value: Value
    reasons: tuple[Reason, ...]
    own: tuple[Chance, ...] = ()
    threats: tuple[Chance, ...] = ()


def propose(game: Game, strength: str, seed: int) -> Advice:
    """Return what a partner plays; the strengths are those of ``referee.search.think``."""
    thought = choose_turn(game, strength, time.monotonic, seed=seed)
    return Advice(thought.turn.moves, thought.value, reasons_of(game, thought))


def reasons_of(game: Game, thought: Thought) -> tuple[Reason, ...]:
    """Return what speaks for a turn; where nothing on the board does, how far was looked ahead."""
    reasons = reasons_for(game, RankedTurn(thought.turn, thought.value))
    if all(reason.kind.startswith("allows_") for reason in reasons):
        kind = "looked_ahead" if thought.depth > 1 else "looked_ahead_one"
        return Reason(kind, n=thought.depth), *reasons
    return reasons


def advise(game: Game, seed: int) -> Advice:
    """Return a hint for the player to move."""
    thought = choose_turn(game, ADVISER, time.monotonic, seed=seed, seconds=ADVICE_S)
    position = game.position
    others = [player for player in range(game.variant.players) if player != position.to_move]
    return Advice(
        thought.turn.moves,
        thought.value,
        reasons_of(game, thought),
        () if position.dues else chances(position, position.to_move),
        tuple(chance for other in others for chance in chances(position, other)),
    )


def be_ready() -> None:
    """Do nothing: the process has started when this is done, and the first turn need not wait for that."""
