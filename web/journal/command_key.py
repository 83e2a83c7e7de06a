"""The key of the command that a thread is carrying out; the first record that the command writes carries it.

A retry that comes after a crash is known by it: whether the command was written, only the journal can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

KEY_FIELD = "key"
"""Field of a record's body that holds the key."""

_KEY: ContextVar[str] = ContextVar("key of the command", default="")


@contextmanager
def under_key(key: str) -> Iterator[None]:
    """Give this key to the first record that is written in here; an empty one to none."""
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
    """Take note that a record carries the key: the next ones of the same command do not."""
    _KEY.set("")
