"""One event as the journal keeps it, and the key of the command that wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

UnwrittenRecord = tuple[str, int | None, dict[str, Any]]
"""Kind, ply and body of a record that is not in the journal yet."""


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """One event of the journal."""

    seq: int  # number in the journal; it increases and is never used twice
    game: int  # number of the game, 1 first
    kind: str  # one of `web.game.records.KINDS`
    ply: int | None  # number of the turn it belongs to, 1 first
    body: Mapping[str, Any]  # what happened; JSON values only
    wall_time: str  # ISO 8601 with time zone, for people
    by: str  # "camera", "hand" for a person at the page, "thinker" for what Millchen thought of, or "file"


KEY_FIELD = "key"
"""Field of a body with the key of the command that wrote the record, by which a retry after a crash is known.

Only the journal can tell whether the command was written; its first record alone has the key.
"""

_KEY: ContextVar[str] = ContextVar("key of the command that this thread carries out", default="")


@contextmanager
def under_key(key: str) -> Iterator[None]:
    """Give this key to the first record that is written in here; an empty one to no record."""
    before = _KEY.set(key)
    try:
        yield
    finally:
        _KEY.reset(before)


def key_field() -> dict[str, str]:
    """Return the field with the key for a record that is to be written, empty where no key is left."""
    key = _KEY.get()
    return {KEY_FIELD: key} if key else {}


def key_was_written() -> None:
    """Take note that a record has the key: the next ones of the same command do not."""
    _KEY.set("")
