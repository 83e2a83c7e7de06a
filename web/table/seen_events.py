"""What the eyes report becomes records of the journal, and announcements.

Not safe between threads; the table that owns it has the lock.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from referee.events import BoardFound, BoardLost, Event, OtherGameSeen
from web.game.event_records import FOLLOWING, is_recorded, record_of_event
from web.game.replay import hole_count_options, is_already_recorded
from web.game.snapshot import Announcement
from web.journal.journal_record import UnwrittenRecord
from web.table.current_game import CurrentGame
from web.table.table_view import TableView


class SeenEvents:
    """Takes the events of the vision process.

    Parameters
    ----------
    current_game : CurrentGame
    view : TableView
    """

    def __init__(self, current_game: CurrentGame, view: TableView) -> None:
        self._game, self._view = current_game, view

    def take(self, events: Sequence[Event], *, is_void: bool) -> list[Announcement]:
        """Write events to the journal where they belong there; return what is announced.

        With ``is_void`` the eyes did not know the game yet as people have changed it: what they say of it counts for
        nothing, and they will see the table again.
        """
        return [said for event in events if not (is_void and is_recorded(event)) for said in self._take(event)]

    def _take(self, event: Event) -> list[Announcement]:
        state = self._game.state
        if isinstance(event, BoardFound) and (options := hole_count_options(event, state)):
            self._write(("board", None, {"options": options}))
        if isinstance(event, BoardFound | BoardLost):
            return self._view.announce_field(event)
        if isinstance(event, OtherGameSeen):
            return self._view.announce_other_game(event)
        if isinstance(event, FOLLOWING) or is_already_recorded(event, state):
            return []
        kind, ply, body = record_of_event(event)
        if kind == "turn":
            colours = self._view.vision.colours
            body |= self._view.clock.turn_fields(time.monotonic())
            body |= {} if colours == state.colours else {"colours": list(colours)}
        return self._write((kind, ply, body))

    def _write(self, record: UnwrittenRecord) -> list[Announcement]:
        """Write what was seen; return what is announced. Only what is written is announced, the rest waits in order."""
        return self._view.announce(self._game.write(record))
