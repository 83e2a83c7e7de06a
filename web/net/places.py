"""Places: how many callers, and how many of one address, may have at once what holds a thread or memory for long."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable


class Places:
    """Counts the places that are taken; may be used from any thread."""

    def __init__(self, most: int, of_one_address: int | None = None) -> None:
        self.most, self._of_one_address = most, most if of_one_address is None else of_one_address
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def n_taken(self) -> int:
        """How many places are taken."""
        with self._lock:
            return self._taken.total()

    def take(self, address: str, spared: int = 0) -> Callable[[], None] | None:
        """Take a place, where ``spared`` are left then; return the function that gives it back, None without one."""
        with self._lock:
            if self._taken.total() >= self.most - spared or self._taken[address] >= self._of_one_address:
                return None
            self._taken[address] += 1
        is_held = [True]  # the function may be called more than once

        def give_back() -> None:
            with self._lock:
                if is_held:
                    is_held.clear()
                    self._taken[address] -= 1
                    self._taken += Counter()  # addresses without a place are forgotten

        return give_back
