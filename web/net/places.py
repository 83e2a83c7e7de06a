"""Places that may be taken at once: so many in all, a share for each kind of caller, and less for one address.

What holds a thread or memory for long (an event stream, a picture that is being decoded) takes a place first. The
shares of the network add up to less than all places, so that no link can take those of this computer.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

HERE = "here"
"""The callers of this computer."""


@dataclass(frozen=True, slots=True)
class Share:
    """The places of one kind of callers.

    Attributes:
        together: Most places that all of them have.
        of_one_address: Most places that those of one address have.
    """

    together: int
    of_one_address: int


class Places:
    """Counts the places that are taken; may be used from any thread.

    Args:
        most: Most places that are taken at once.
        shares: By kind of caller; who has no share gets no place.
    """

    def __init__(self, most: int, shares: Mapping[str, Share]) -> None:
        self.most = most
        self._shares = shares
        self._taken: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    @property
    def n_taken(self) -> int:
        """How many places are taken."""
        with self._lock:
            return self._taken.total()

    def take(self, kind: str, address: str) -> Callable[[], None] | None:
        """Take a place for a caller; return the function that gives it back, None where the caller's share is used up.

        The function may be called more than once.
        """
        with self._lock:
            share = self._shares.get(kind)
            together = sum(n for (other, _), n in self._taken.items() if other == kind)
            if (
                share is None
                or self._taken.total() >= self.most
                or together >= share.together
                or self._taken[kind, address] >= share.of_one_address
            ):
                return None
            self._taken[kind, address] += 1
        is_held = [True]

        def give_back() -> None:
            with self._lock:
                if is_held:
                    is_held.clear()
                    self._taken[kind, address] -= 1
                    self._taken += Counter()  # those without a place are forgotten

        return give_back
