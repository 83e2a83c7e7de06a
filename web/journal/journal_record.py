"""One event as the journal keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

UnwrittenRecord = tuple[str, int | None, dict[str, Any]]
"""Kind, ply and body of a record that is not in the journal yet."""


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """One event of the journal.

    Attributes:
        seq: Number in the journal; it increases and is never used twice.
        game: Number of the game, 1 first.
        kind: From the table: "start", "board", "turn", "amended", "mill", "foul", "stood", "corrected", "resumed",
            "restored", "question", "out", "owner", "warning", "over". From people: "named", "remark", "pictures",
            "clock", "resigned", "timed_out", "agreed", "decided", "abandoned", "redone", "turned", and "source": where
            the game is gone on with; "partner": for whom Millchen plays, "hints": whether people may ask for advice.
            From Millchen's thinking: "proposed", "hinted". From a file: "imported", a whole game.
        ply: Number of the turn it belongs to, 1 first.
        body: What happened; JSON values only.
        wall_time: ISO 8601 with time zone, for people.
        by: "camera", "hand" for a person at the page, "thinker" for what Millchen thought of, or "file".
    """

    seq: int
    game: int
    kind: str
    ply: int | None
    body: Mapping[str, Any]
    wall_time: str
    by: str
