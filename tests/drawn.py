"""Drawn tables that several tests look at: making one takes a second, so each is made once in a worker."""

from __future__ import annotations

from functools import lru_cache

from tests.synthetic import Scene, TableSpec

MOST_KEPT = 12  # a table of 960 x 540 with its pictures takes some 30 MB


@lru_cache(maxsize=MOST_KEPT)
def drawn(spec: TableSpec) -> Scene:
    """The table of this spec. Rendering is a pure function: whoever looked at it before changes no picture."""
    return Scene(spec)
