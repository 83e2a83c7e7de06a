"""What vision reports becomes records of the journal, and announcements."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from referee.events import BoardFound, BoardLost, Event, FoulStood, OtherGameSeen, TurnPlayed
from referee.fouls import IllegalMoveError
from web.game.event_records import FOLLOWING, UNRECORDED, record_of_event
from web.game.page_state import Announcement
from web.game.player_commands import let_other_turn_stand, other_turn
from web.game.replay import hole_count_options, is_already_recorded
from web.journal.journal_record import UnwrittenRecord
from web.table.current_game import CurrentGame
from web.table.publisher import TablePublisher


class SeenEvents:
    """Takes the events of the vision process; the table that owns it has the lock.

    ``answer`` tells vision the newest game, where that is another one than vision has.
    """

    def __init__(
        self, current_game: CurrentGame, publisher: TablePublisher, answer: Callable[[UnwrittenRecord], None]
    ) -> None:
        self._game, self._publisher, self._answer = current_game, publisher, answer

    def take(self, events: Sequence[Event], *, is_stale: bool) -> Iterator[Announcement]:
        """Write events to the journal where they belong there; yield what is announced.

        With ``is_stale`` vision has not seen the newest game yet: what it says of its own is left out.
        """
        for k, event in enumerate(events):
            if is_stale and not isinstance(event, UNRECORDED):
                continue
            if isinstance(event, FoulStood) and self._game.state.lesson is not None:
                is_stale = True  # a lesson stands as it was laid: people put the foul, or their last trial, back
                self._answer(("amended", None, {}))
            elif (other := self._other_turn(event, events[k + 1 :])) is not None:
                is_stale = True  # what follows from a turn that does not count yet
                yield from () if self._is_known(other) else self._write(other)
                self._answer(other)
            else:
                yield from self._take(event)

    def _other_turn(self, event: Event, following: Sequence[Event]) -> UnwrittenRecord | None:
        """Return the record that people made another turn for Millchen than it meant; None where they did not.

        Where the next player has made a turn already, it is too late to put that right.
        """
        if not isinstance(event, TurnPlayed) or any(isinstance(later, TurnPlayed) for later in following):
            return None
        state = self._game.state
        if event.ply != state.game.ply + 1:
            return None
        try:
            return other_turn(state, event.moves)
        except IllegalMoveError:
            return None

    def _is_known(self, other: UnwrittenRecord) -> bool:
        """Return whether that was said already: a new process sees the same turn once more."""
        foul = self._game.state.foul
        return foul is not None and bool(foul.meant) and list(foul.seen_tops) == other[2]["seen"]

    def _take(self, event: Event) -> list[Announcement]:
        state = self._game.state
        if isinstance(event, BoardFound) and (options := hole_count_options(event, state)):
            self._write(("board", None, {"options": options}))
        if isinstance(event, BoardFound | BoardLost):
            return self._publisher.announce_field(event)
        if isinstance(event, OtherGameSeen):
            return self._publisher.announce_other_game(event)
        if isinstance(event, FOLLOWING) or is_already_recorded(event, state):
            return []
        if isinstance(event, FoulStood) and state.foul is not None and state.foul.meant:
            record = let_other_turn_stand(state)  # people have played on: it is known what was made
            announcements = self._write(record)
            self._answer(record)
            return announcements
        kind, ply, body = record_of_event(event)
        if kind == "turn":
            colours = self._publisher.sight.colours
            body |= self._publisher.clock.turn_fields(time.monotonic())
            body |= {} if colours == state.colours else {"colours": list(colours)}
        return self._write((kind, ply, body))

    def _write(self, record: UnwrittenRecord) -> list[Announcement]:
        """Write what was seen; return what is announced. Only what is written is announced, the rest waits in order."""
        return self._publisher.announce(self._game.write(record))
