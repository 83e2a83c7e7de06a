"""Games in, their analyses out: one after another, from one process that thinks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from languages import message
from referee.game import Game
from web.child_process import CalledProcess, ProcessEndedError
from web.errors import MillchenError
from web.history.kept_analyses import KeptAnalyses, KeptAnalysis, continue_analysis, game_digest
from web.thinking import stand_back

log = logging.getLogger("millchen.thinking")

MAX_JOBS = 4  # most games that are being analysed or wait for it: a game takes up to some minutes of a processor
MAX_UNKEPT = 4  # most analyses that a full disk did not take and that are remembered, up to some 100 kB each


@dataclass
class _Job:
    game: Game
    analysis: KeptAnalysis
    store: KeptAnalyses
    is_stopped: bool = False


class AnalysisDesk:
    """Analyses games in order; its methods may be called from any thread.

    The process that thinks runs while a game waits. What is done is kept after each turn, or shown if a disk is full.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[tuple[str, int], _Job] = {}
        self._unkept: dict[str, _Job] = {}  # by the digest of the game, newest last
        self._process = CalledProcess("analyses", stand_back)
        self._work = ThreadPoolExecutor(1, "analyses")
        self._is_closed = False

    def start(self, store: KeptAnalyses, game: Game, positions: int) -> None:
        """Analyse a game, or go on with it, unless that is under way or done. Raises `MillchenError`."""
        key = game_digest(game), positions
        with self._lock:
            if key in self._jobs or self._is_closed:
                return
            unkept = self._unkept.get(key[0])
            analysis = store.load(game, positions)
            if unkept is not None and unkept.analysis.positions == positions:
                analysis = unkept.analysis
            if analysis.is_whole:
                return
            if len(self._jobs) >= MAX_JOBS:
                raise MillchenError(message("analysis.busy", n=MAX_JOBS))
            job = self._jobs[key] = _Job(game, analysis, store)
            self._work.submit(self._carry_out, key, job)

    def progress(self, game: Game) -> tuple[KeptAnalysis, bool] | None:
        """Return how far a game has come, and whether it waits for others; None where nobody is analysing it."""
        digest = game_digest(game)
        with self._lock:
            for n, (key, job) in enumerate(self._jobs.items()):
                if key[0] == digest:
                    return job.analysis, n > 0
        return None

    def remembered(self, game: Game) -> tuple[KeptAnalysis | None, bool]:
        """Return the analysis that a full disk did not take, or None, and whether the disk takes it now."""
        digest = game_digest(game)
        with self._lock:
            job = self._unkept.get(digest)
            if job is None:
                return None, True
            is_kept = job.store.save(job.game, job.analysis)
            if is_kept:
                del self._unkept[digest]
            return job.analysis, is_kept

    def stop(self, game: Game) -> None:
        """Break off the analysis of a game; what is done stays."""
        digest = game_digest(game)
        with self._lock:
            for n, (key, job) in enumerate(tuple(self._jobs.items())):
                if key[0] == digest:
                    job.is_stopped = True
                    if n > 0:
                        del self._jobs[key]
                    else:
                        self._process.end()

    def close(self) -> None:
        """End all work."""
        with self._lock:
            self._is_closed = True
            for job in self._jobs.values():
                job.is_stopped = True
        self._process.end()
        self._work.shutdown()

    def _carry_out(self, key: tuple[str, int], job: _Job) -> None:
        if self._jobs.get(key) is not job:
            return  # it was broken off while it waited
        try:
            self._analyse(job)
        except Exception as why:  # one game that cannot be thought about keeps no other one waiting
            if not job.is_stopped:
                log.exception("a game cannot be analysed: %s", why)
        with self._lock:
            self._jobs.pop(key, None)
            if not self._jobs:
                self._process.end()

    def _analyse(self, job: _Job) -> None:
        digest = game_digest(job.game)
        for analysis in continue_analysis(job.analysis, job.game, self._ask):
            is_kept = job.store.save(job.game, analysis)
            if not is_kept and analysis.is_whole:
                log.error("an analysis was not kept: is the disk full?")
            with self._lock:
                job.analysis = analysis
                self._unkept.pop(digest, None)
                if not is_kept:
                    self._unkept[digest] = job
                    for oldest in list(self._unkept)[:-MAX_UNKEPT]:
                        del self._unkept[oldest]
            if job.is_stopped:
                return

    def _ask(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return the answer of the process; it is asked once more where it has died of this or another question."""
        try:
            return self._process.ask(None, function, *args)
        except ProcessEndedError:
            with self._lock:
                job = next(iter(self._jobs.values()), None)
            if job is None or job.is_stopped:
                raise
            log.warning("the process that analyses has died; the turn is looked at once more")
            return self._process.ask(None, function, *args)
