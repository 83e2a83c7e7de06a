"""What can keep the shell from working, each with one sentence for people."""

from __future__ import annotations


class MillchenError(Exception):
    """The page, the journal or the source cannot be used; the message is one sentence that a player can act on."""
