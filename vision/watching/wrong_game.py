"""Say when the board in sight is that of another game than the one chosen."""

from __future__ import annotations

from referee.events import OtherGameSeen
from referee.presets import variants_on
from vision.detection.detect import locate
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import register_through_lens
from vision.watching.state import Table

SEARCHES_BEFORE = (2, 5, 11)
"""Searches in vain for the chosen board after which those of all games are searched for. Such a search takes seconds,
and a hand may hide the board in any of them. Source: chosen."""

MIN_OTHER_CONFIDENCE = 0.9
"""Confidence of another board from which it is offered: the chosen one is under the half of that. Source: chosen."""


def find_other_game(frame: Frame, table: Table) -> OtherGameSeen | None:
    """Return what the board in sight is fit for, where the board of the chosen game was searched for in vain."""
    seen = register_through_lens(table.lens, frame.bgr, locate)
    if not isinstance(seen, Registration) or seen.confidence < MIN_OTHER_CONFIDENCE:
        return None
    games = variants_on(seen.field.board)
    if not games or seen.field.board.name in {board.name for board in table.boards}:
        return None
    return OtherGameSeen(table.variant.name, games, frame.time_s, frame.sequence)
