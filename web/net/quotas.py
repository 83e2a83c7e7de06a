"""How much each kind of caller, and each address, may have at once.

What holds a thread or memory for long (an event stream, a picture that is being decoded) takes a slot first.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

HERE = "here"  # the callers of this computer


class Share(NamedTuple):
    """Most slots of one kind of callers."""

    together: int
    of_one_address: int


class Quota:
    """Counts the slots that are taken; may be used from any thread. A kind of caller without a share gets none."""

    def __init__(self, most: int, shares: Mapping[str, Share]) -> None:
        self.most = most
        self._shares = shares
        self._taken: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    @property
    def n_taken(self) -> int:
        """How many slots are taken."""
        with self._lock:
            return self._taken.total()

    def acquire_slot(self, kind: str, address: str) -> Callable[[], None] | None:
        """Take a slot; return the function that gives it back, None where the caller's share is used up."""
        with self._lock:
            share = self._shares.get(kind, Share(0, 0))
            together = sum(n for (other, _), n in self._taken.items() if other == kind)
            is_full = self._taken.total() >= self.most or together >= share.together
            if is_full or self._taken[kind, address] >= share.of_one_address:
                return None
            self._taken[kind, address] += 1
        is_held = [True]  # the function may be called more than once

        def give_back() -> None:
            with self._lock:
                if is_held:
                    is_held.clear()
                    self._taken[kind, address] -= 1
                    self._taken += Counter()  # those without a slot are forgotten

        return give_back
