"""The options of a question: notation in, the turns that they stand for out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from referee.board import Board
from referee.events import QuestionAsked
from referee.moves import Move, parse_turn

NOTHING = "="  # the option that nothing was played
UNLAWFUL = "..."  # the option that something was done that no lawful turn explains
_BACK = re.compile(r"-(\d+)")

_NUMBERED = re.compile(r"(\d+)\. (.+)")


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of one option; nothing was played where all fields are empty."""

    turns: tuple[tuple[int, tuple[Move, ...]], ...] = ()  # turns played, each with its player, 0 first
    ply: int | None = None  # the number of the turn, where it is an earlier one that is in doubt
    back: int = 0  # turns taken back
    unlawful: bool = False  # something was done that no lawful turn explains


def readings(event: QuestionAsked, board: Board) -> tuple[Reading, ...]:
    """The readings of the options; empty where nobody knows whose turns they are."""
    if len(event.players) != len(event.options):
        return ()
    return tuple(_reading(text, players, board) for text, players in zip(event.options, event.players, strict=True))


def in_doubt(options: Sequence[Reading]) -> tuple[Reading, ...]:
    """The readings without the turns that all of them begin with; readings that say nothing more are dropped.

    >>> from referee.moves import Place
    >>> one, both = Reading(((0, (Place("a1"),)),)), Reading(((0, (Place("a1"),)), (1, (Place("b3"),))))
    >>> in_doubt([one, both])
    (Reading(turns=((1, (Place(to='b3'),)),), ply=None, back=0, unlawful=False),)
    """
    n_common = 0
    if all(reading.ply is None for reading in options):
        kth_turns = zip(*(reading.turns for reading in options), strict=False)
        n_common = sum(1 for _ in takewhile(lambda turns: len(set(turns)) == 1, kth_turns))
    rest = (replace(reading, turns=reading.turns[n_common:]) for reading in options)
    return tuple(reading for reading in rest if reading != Reading())


def _reading(text: str, players: tuple[int, ...], board: Board) -> Reading:
    if text == UNLAWFUL:
        return Reading(unlawful=True)
    if back := _BACK.fullmatch(text):
        return Reading(back=int(back[1]))
    numbered = _NUMBERED.fullmatch(text)
    turns = [] if text == NOTHING else (numbered[2] if numbered else text).split()
    numbered_turns = tuple((who, parse_turn(turn, board)) for who, turn in zip(players, turns, strict=True))
    return Reading(numbered_turns, int(numbered[1]) if numbered else None)
