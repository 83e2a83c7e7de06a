"""The name of the source of the bundled clips. Imports nothing: it is read before the command is known."""

from __future__ import annotations

DEMO = "demo"
"""Name of the source of the bundled clips; "demo:GAME" is that of a game."""


def is_demo_source(source: str) -> bool:
    """Return whether a game from this source was played in a bundled clip, and so is none of the house."""
    return source.partition(":")[0] == DEMO
