"""Names of sources that are no camera. Imports nothing: they are read before the command is known."""

from __future__ import annotations

DEMO = "demo"
"""Name of the source of the bundled clips; "demo:GAME" is that of a game."""

HAND = "hand"
"""No pictures at all: the players place their stones on the page."""


def is_demo_source(source: str) -> bool:
    """Return whether a game from this source was played in a bundled clip, and so is none of the house."""
    return source.partition(":")[0] == DEMO
