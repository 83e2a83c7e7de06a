"""What is counted about a source, for the page of health."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

HOUR_S = 3600.0
STEP_TIME_WEIGHT = 0.05  # share of the newest frame in the mean of what a frame costs


class SourceCounters:
    """Frames taken in, what they cost, and how often the source went away; written by one thread.

    Parameters
    ----------
    clock : callable
        Seconds that never jump.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._losses: deque[float] = deque(maxlen=10_000)
        self._seen_s: float | None = None
        self.n_frames = self.n_losses = self.n_stale = 0
        self.step_ms = 0.0

    def saw(self, frame: int, step_ms: float) -> None:
        """A frame was taken in: its number in the source, and what it has cost."""
        self.n_frames = max(self.n_frames, frame + 1)
        self.step_ms += STEP_TIME_WEIGHT * (step_ms - self.step_ms)
        self._seen_s = self._clock()

    def lost(self) -> None:
        """The source has gone."""
        self.n_losses += 1
        self._losses.append(self._clock())

    def to_json(self) -> dict[str, Any]:
        """The counts; ``age_s`` is how long ago something was seen, None before."""
        now = self._clock()
        while self._losses and now - self._losses[0] > HOUR_S:
            self._losses.popleft()
        return {
            "frames": self.n_frames,
            "age_s": None if self._seen_s is None else round(now - self._seen_s, 1),
            "losses": self.n_losses,
            "losses_last_hour": len(self._losses),
            "stale": self.n_stale,
            "step_ms": round(self.step_ms, 1),
        }
