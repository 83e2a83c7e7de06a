"""The error for expected failures of the program: its message is written for players."""

from __future__ import annotations


class MillchenError(Exception):
    """Something the program needs cannot be used; the message is one sentence that a player can act on."""
