"""Frames and losses of a source in, counters for the page of health out."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

STEP_TIME_WEIGHT = 0.05  # weight of the newest frame in the running mean of the time per frame
LOSSES_WITHIN_S = 3600.0  # seconds within which the newest losses are counted apart


class SourceCounters:
    """Counts frames, their cost and the losses of the source; one thread at a time calls it."""

    def __init__(self) -> None:
        self._losses_s: deque[float] = deque(maxlen=10_000)
        self._frame_s: float | None = None
        self.n_frames = self.n_losses = self.n_stale = 0
        self.step_ms = 0.0

    def count_frame(self, frame: int, step_ms: float) -> None:
        """Count a processed frame: its number in the source, and the time that it took."""
        self.n_frames = max(self.n_frames, frame + 1)
        self.step_ms += STEP_TIME_WEIGHT * (step_ms - self.step_ms)
        self._frame_s = time.monotonic()

    def count_loss(self) -> None:
        """Count that the source has gone."""
        self.n_losses += 1
        self._losses_s.append(time.monotonic())

    def to_json(self) -> dict[str, Any]:
        """Return the counters; ``age_s`` is the time since the last frame, None before the first."""
        now = time.monotonic()
        while self._losses_s and now - self._losses_s[0] > LOSSES_WITHIN_S:
            self._losses_s.popleft()
        return {
            "frames": self.n_frames,
            "age_s": None if self._frame_s is None else round(now - self._frame_s, 1),
            "losses": self.n_losses,
            "losses_last_hour": len(self._losses_s),
            "stale": self.n_stale,
            "step_ms": round(self.step_ms, 1),
        }
