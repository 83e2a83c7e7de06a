"""A game in, Millchen's turn or advice out, from a process of its own: neither camera nor page wait for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from referee.game import Game
from referee.moves import Move
from referee.search.reasons import Chance, Reason, chances, reasons_for
from referee.search.think import choose_turn
from referee.search.thought import RankedTurn, Thought, Value
from web.child_process import CalledProcess, P, Result

NICENESS = 10  # how far the process stands back behind camera and page for the processor, as ``nice`` counts
ADVISER = "strong"  # the strength of hints: the best there is
ADVICE_S = 1.8  # longest time for a hint, seconds: as long as a partner of medium strength thinks


class Thinker:
    """Calls functions in a process of its own, in order; its methods may be called from any thread.

    When the process dies, the call that it had fails with `ProcessEndedError`, and the next call starts a new one.
    """

    def __init__(self) -> None:
        self._process = CalledProcess("thinker", stand_back)
        self._calls = ThreadPoolExecutor(1, "thinker")

    def ask(self, function: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        """Call a function there with what can be pickled. Raises `RuntimeError` when the thinker was closed."""
        return self._calls.submit(lambda: self._process.ask(None, function, *args, **kwargs))

    def close(self) -> None:
        """End the process for good."""
        self._calls.shutdown(wait=False, cancel_futures=True)
        self._process.end()


def stand_back() -> None:
    """Leave the processor to camera and page."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


class Advice(NamedTuple):
    """A turn and what speaks for it; of a hint also the chances of all players."""

    moves: tuple[Move, ...]  # the turn; where captures are due, the rest of it
    value: Value  # what the game is worth then
    reasons: tuple[Reason, ...]
    own: tuple[Chance, ...] = ()  # mills, or threes in a row, that the player to move can close
    threats: tuple[Chance, ...] = ()  # those that the others could close if it were their turn


def propose(game: Game, strength: str, seed: int) -> Advice:
    """Return what a partner plays; the strengths are those of ``referee.search.think``."""
    thought = choose_turn(game, strength, time.monotonic, seed=seed)
    return Advice(thought.turn.moves, thought.value, reasons_of(game, thought))


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


def reasons_of(game: Game, thought: Thought) -> tuple[Reason, ...]:
    """Return what speaks for a turn; where nothing on the board does, how far was looked ahead."""
    reasons = reasons_for(game, RankedTurn(thought.turn, thought.value))
    if all(reason.kind.startswith("allows_") for reason in reasons):
        kind = "looked_ahead" if thought.depth > 1 else "looked_ahead_one"
        return Reason(kind, n=thought.depth), *reasons
    return reasons


def be_ready() -> None:
    """Do nothing: the process has started when this is done, and the first turn need not wait for that."""
