"""A process that thinks, so that neither camera nor page wait for it, and what a table asks it: turns and advice."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import NamedTuple, ParamSpec, TypeVar

from referee.game import Game
from referee.moves import Move
from referee.search.reasons import Chance, Reason, chances, reasons_for
from referee.search.think import choose_turn
from referee.search.thought import RankedTurn, Thought, Value

log = logging.getLogger("millchen.thinking")

P = ParamSpec("P")
T = TypeVar("T")

NICENESS = 10  # how far the process stands back behind camera and page for the processor, as ``nice`` counts
ADVISER = "strong"  # the strength of hints: the best there is
ADVICE_S = 1.8  # longest time for a hint, seconds: as long as a partner of medium strength thinks


class Thinker:
    """Calls functions in a process of its own, in order; its methods may be called from any thread.

    When the process dies, the calls that it had fail with `BrokenProcessPool`, and the next call starts a new one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._is_closed = False

    def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function there with what can be pickled. Raises `RuntimeError` when the thinker was closed."""
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the thinker is closed")
            for _ in range(2):
                if self._pool is None:
                    context = multiprocessing.get_context("spawn")
                    self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_stand_back)
                try:
                    return self._pool.submit(function, *args, **kwargs)
                except BrokenProcessPool:
                    log.warning("the process that thinks has died; a new one goes on")
                    self._pool = None
            raise RuntimeError("no process that thinks can be started")

    def stop(self) -> None:
        """Break off what is being thought about; the next call starts a new process."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            processes = list((pool._processes or {}).values())  # public only from Python 3.14 on (kill_workers)
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                with suppress(OSError, ValueError):
                    process.kill()

    def close(self) -> None:
        """End the process for good."""
        self._is_closed = True
        self.stop()


def _stand_back() -> None:
    """Leave Ctrl-C to the parent, and the processor to camera and page; end with the parent, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent has gone: one that was killed could not end this process, which would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


class Advice(NamedTuple):
    """What came out of thinking at a table."""

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
