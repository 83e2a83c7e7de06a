"""How far a command has come and how long it will still take, for people, on standard error."""

from __future__ import annotations

import sys
import time

PROGRESS_BAR_CHARACTERS = 30
"""Width of the progress bar, characters."""


class Progress:
    """A bar with the time left; in a terminal it is drawn over itself, elsewhere each step is a line."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total, self._shown = total, shown
        self._in_place = shown and sys.stderr.isatty()
        self._began_s = time.monotonic()

    def step(self, done: int) -> None:
        """Say how many steps are done."""
        if self._shown and (self._in_place or done < self._total):
            bar = f"\r\x1b[K{bar_text(done, self._total)}" if self._in_place else f"{done}/{self._total}"
            text = bar + time_left_text(done, self._total, time.monotonic() - self._began_s)
            print(text, end="" if self._in_place else "\n", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Make room for a line of output."""
        if self._in_place:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def bar_text(done: int, total: int) -> str:
    """Return a bar and the numbers beside it.

    >>> bar_text(1, 3)
    '[##########....................] 1/3'
    """
    filled = round(PROGRESS_BAR_CHARACTERS * done / total)
    return f"[{'#' * filled}{'.' * (PROGRESS_BAR_CHARACTERS - filled)}] {done}/{total}"


def time_left_text(done: int, total: int, taken_s: float) -> str:
    """Return the time that is left when all steps take as long as those that are done; empty before the first one.

    >>> time_left_text(2, 6, 45.0), time_left_text(1, 3, 5.2), time_left_text(0, 3, 1.0)
    (', about 1:30 minutes left', ', about 10 s left', '')
    """
    if not 0 < done < total:
        return ""
    left_s = round(taken_s / done * (total - done))
    if left_s < 60:
        return f", about {left_s} s left"
    minutes, seconds = divmod(left_s, 60)
    return f", about {minutes}:{seconds:02} minutes left"
