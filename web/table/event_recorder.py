"""Events of the vision process in, records of the journal and announcements out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from referee.events import BoardFound, BoardLost, Event, FoulStood, OtherGameSeen, PictureSkipped, TurnPlayed
from web.game.page_state import Announcement
from web.game.player_commands import let_other_turn_stand, other_turn
from web.game.records import FOLLOWING, UNRECORDED, record_of_event
from web.game.replay import hole_count_options, is_already_recorded
from web.journal.journal_record import UnwrittenRecord
from web.table.current_game import CurrentGame
from web.table.publisher import TablePublisher
from web.table.table_camera import TableCamera


class EventRecorder:
    """Writes what vision reports into the game, and tells vision where the game goes on otherwise."""

    def __init__(self, game: CurrentGame, publisher: TablePublisher, camera: TableCamera) -> None:
        self._game, self._publisher, self._camera = game, publisher, camera

    def record(self, events: Sequence[Event], *, is_stale: bool) -> Iterator[Announcement]:
        """Write events to the journal where they belong there; yield what is announced.

        With ``is_stale`` vision has not seen the newest game yet: what it says of its own is left out.
        """
        for k, event in enumerate(events):
            if is_stale and not isinstance(event, UNRECORDED):
                continue
            if isinstance(event, FoulStood) and self._game.state.lesson is not None:
                is_stale = True  # a lesson stands as it was laid: people put the foul, or their last trial, back
                self._camera.change_game(UnwrittenRecord("amended", None, {}))
            elif (other := self._other_turn(event, events[k + 1 :])) is not None:
                is_stale = True  # what follows from a turn that does not count yet
                foul = self._game.state.foul
                is_known = foul is not None and bool(foul.meant) and list(foul.seen_tops) == other.body["seen"]
                yield from () if is_known else self._write(other)  # a new process sees the same turn once more
                self._camera.change_game(other)
            else:
                yield from self._record_one(event)

    def _other_turn(self, event: Event, later_events: Sequence[Event]) -> UnwrittenRecord | None:
        """Return the record that people made another turn for Millchen than it meant; None where they did not.

        Where the next player has made a turn already, it is too late to put that right.
        """
        if not isinstance(event, TurnPlayed) or any(isinstance(later, TurnPlayed) for later in later_events):
            return None
        state = self._game.state
        return other_turn(state, event.moves) if event.ply == state.game.ply + 1 else None

    def _record_one(self, event: Event) -> list[Announcement]:
        state, publisher = self._game.state, self._publisher
        if isinstance(event, BoardFound) and (options := hole_count_options(event, state)):
            self._write(UnwrittenRecord("board", None, {"options": options}))
        if isinstance(event, BoardFound | BoardLost):
            return publisher.announce_field(event)
        if isinstance(event, OtherGameSeen):
            return publisher.announce_other_game(event)
        if isinstance(event, PictureSkipped):
            return publisher.announce_unseen(event)
        if isinstance(event, FOLLOWING) or is_already_recorded(event, state):
            return []
        if isinstance(event, FoulStood) and state.foul is not None and state.foul.meant:
            record = let_other_turn_stand(state)  # people have played on: it is known what was made
            announcements = self._write(record)
            self._camera.change_game(record)
            return announcements
        record = record_of_event(event)
        if record.kind == "turn":
            colours = publisher.sight.colours
            record.body.update(publisher.clock.turn_fields(time.monotonic()))
            record.body.update({} if colours == state.colours else {"colours": list(colours)})
        return self._write(record)

    def _write(self, record: UnwrittenRecord) -> list[Announcement]:
        """Write a record; return what is announced. Only what is written is announced, the rest waits in order."""
        return self._publisher.announce(self._game.write(record))
