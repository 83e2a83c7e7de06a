"""How much each kind of caller, and each address, may have at once, and how often an address may ask.

What holds a thread or memory for long (an event stream, a picture that is being decoded) takes a slot first.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
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


class RateLimit:
    """Limits how often each address may do something: ``per_s`` tokens a second flow into a bucket of ``burst``.

    Memory is bounded: beyond `MAX_ADDRESSES`, those that asked longest ago are forgotten.
    """

    MAX_ADDRESSES = 1000
    """Addresses that are remembered."""

    def __init__(self, per_s: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s, self._burst, self._clock = per_s, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def is_exceeded(self, address: str, cost: float = 1.0) -> bool:
        """Take ``cost`` (0 only looks) out of the bucket of an address; True when there is not enough in it."""
        with self._lock:
            now = self._clock()
            level, at = self._buckets.pop(address, (self._burst, now))
            level = min(self._burst, level + (now - at) * self._per_s)
            is_exceeded = level < max(cost, 1.0)
            self._buckets[address] = (level if is_exceeded else level - cost, now)
            while len(self._buckets) > self.MAX_ADDRESSES:
                self._buckets.popitem(last=False)
        return is_exceeded
