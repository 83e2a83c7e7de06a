"""The game and what vision sees in; snapshots, pictures and announcements for pages out. The table has the lock."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from threading import Condition, Lock
from typing import Any

from referee.events import BoardFound, BoardLost, Event, OtherGameSeen, PictureSkipped
from referee.game import Game
from referee.moves import Move
from web.colour_names import colour_names, display_colours, stabilise_colours
from web.game.event_sentences import callers_of, sentences_of_event
from web.game.game_state import Clock, with_pending_moves
from web.game.page_state import (
    Announcement,
    ClockView,
    OtherGame,
    PartnerStatus,
    Sight,
    Snapshot,
    SourceStatus,
    clock_view,
    game_view,
    hint_view,
    proposal_view,
)
from web.game.records import announce_record
from web.journal.journal_record import JournalRecord
from web.page_words import Sentences
from web.table.current_game import CurrentGame

MAX_KEPT_ANNOUNCEMENTS = 200  # announcements kept for pages that come back; nobody wants to hear more
MAX_SHOWN_ANNOUNCEMENTS = 12  # announcements that a state has at most; the page shows ten lines
LONG_AGO = -1  # the version of announcements that are shown again, silently


class TableClock:
    """The clock of one table; it follows the game turn by turn."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._game_number, self._ply = 0, 0

    def update(self, number: int, game: Game, saved: Clock, now_s: float) -> ClockView:
        """Bring the clock in line with the game and return it for the page.

        After an accepted turn the time of the player to move runs; after a turn was taken back it runs without an
        increment. At the end of the game all clocks stand. A new or resumed game starts with the ``saved`` one.
        """
        is_new, ply_before = number != self._game_number, self._ply
        ply, player = game.ply, game.position.to_move
        self._game_number, self._ply = number, ply
        if is_new:
            self.clock = saved
        if game.outcome is not None:
            self.clock = self.clock.pause(now_s)
        elif self.clock.kind != "off" and not is_new and ply > ply_before:
            self.clock = self.clock.press(player, now_s)
        elif self.clock.running is not None and ply < ply_before:
            self.clock = self.clock.run(player, now_s)  # a turn was taken back
        return clock_view(self.clock, now_s)

    def turn_fields(self, now_s: float) -> dict[str, Any]:
        """Return the fields that the record of a turn gets: the seconds used so far; empty without a clock."""
        return {} if self.clock.kind == "off" else {"clock": [round(spent, 2) for spent in self.clock.used(now_s)]}


class TablePublisher:
    """Makes the snapshot of one table, and hands it to pages in any thread; the table never waits for a page."""

    def __init__(self, game: CurrentGame) -> None:
        self.clock = TableClock()
        self.sight = Sight()
        self.source = SourceStatus("", "file")
        self.pending: tuple[Move, ...] = ()  # of a turn that vision has seen begin and that still owes its captures
        self.is_thinking = False
        self.snapshot: Snapshot  # the newest; there is none before the table is opened
        self.picture = (0, b"")  # the newest, a JPEG, and its number since the table was opened
        self.is_closed = False
        self._game = game
        self._version = 0
        self._is_found = False
        self._other_game: OtherGameSeen | None = None
        self._declined_game = 0  # number of the game at which people said that the board is right
        # each with the version that brought it
        self._announcements: deque[tuple[int, Announcement]] = deque(maxlen=MAX_KEPT_ANNOUNCEMENTS)
        self._changed, self._pictured = Condition(), Condition()  # a picture does not wake 200 listeners
        self._caching = Lock()
        self._cached: tuple[int, dict[Hashable, bytes]] = (-1, {})

    @property
    def page_game(self) -> Game:
        """The game with the moves of a turn that has begun."""
        return self._page_game(self.pending)

    @property
    def is_settled(self) -> bool:
        """Whether the table shows what is written, as far as vision knows, and no turn has begun."""
        return self.sight.sight != "disputed" and self.sight.seen is None and not self.pending

    @property
    def colours(self) -> tuple[str, ...]:
        """The stones' colours as vision sees them; before that as the journal has them."""
        return self.sight.colours if any(self.sight.colours) else self._game.state.colours

    def reset_vision(self) -> None:
        """Forget what the last vision process saw, except the colours."""
        self.sight = Sight(colours=self.sight.colours)
        self.pending = ()
        self._is_found = False
        self._other_game = None

    def take_colours_of_game(self) -> None:
        """Forget what vision saw, and show the colours of the stones as the journal has them."""
        self.sight = Sight(colours=self._game.state.colours)

    def update_sight(self, sight: Sight, pending: tuple[Move, ...], first_note: Mapping[str, str]) -> None:
        """Take over what vision sees now, its note after a first one; small changes of the colours are left out."""
        colours = stabilise_colours(self.sight.colours, sight.colours)
        notes = first_note, sight.note
        note = {key: " ".join(filter(None, (one.get(key) for one in notes))) for key in {**sight.note, **first_note}}
        self.sight, self.pending = replace(sight, colours=colours, note=note), pending

    def announce(self, records: Sequence[JournalRecord]) -> list[Announcement]:
        """Return the announcements of records, each for the state after it, with the names that players have now."""
        colours = colour_names(self.colours)
        names = self._game.state.called
        announcements = []
        for record in records:
            state = replace(self._game.state_after(record.seq), names=names)
            announcements.append(announce_record(record, state, colours, medium=self.source.medium))
        return [announcement for announcement in announcements if announcement is not None]

    def publish_again(self) -> None:
        """Publish a reopened game, and repeat its last announcements silently."""
        recalled = self.announce(self._game.records[-MAX_SHOWN_ANNOUNCEMENTS:])
        again = {announcement.seq for announcement in recalled}
        with self._changed:
            others = [(at, one) for at, one in self._announcements if one.seq is None or one.seq not in again]
            self._announcements.clear()
            self._announcements.extend([*others, *((LONG_AGO, one) for one in recalled)])
        self.publish()

    def announce_field(self, event: BoardFound | BoardLost) -> list[Announcement]:
        """Return the announcement that the field was found or lost; empty where that is no news."""
        is_news = self._is_found if isinstance(event, BoardLost) else not self._is_found
        self._is_found = isinstance(event, BoardFound)
        kind = "board" if self._is_found else "lost"
        return [Announcement.of(None, self._game.number, kind, self._sentences_of(event))] if is_news else []

    def announce_other_game(self, event: OtherGameSeen) -> list[Announcement]:
        """Ask whether another game is played; return the announcement, empty where people have said no."""
        if self._declined_game == self._game.number:
            return []
        self._other_game = event
        return [Announcement.of(None, self._game.number, "question", self._sentences_of(event))]

    def announce_unseen(self, event: PictureSkipped) -> list[Announcement]:
        """Return the announcement that a photograph cannot be read."""
        return [Announcement.of(None, self._game.number, "unseen", self._sentences_of(event))]

    def decline_other_game(self) -> None:
        """Ask no more in this game whether another one is played."""
        self._other_game, self._declined_game = None, self._game.number

    def publish(self, announcements: Sequence[Announcement] = ()) -> None:
        """Publish the present state together with announcements."""
        self._version += 1
        game, state, is_saved = self._game, self._game.state, not self._game.n_unsaved
        pending = self.pending if is_saved else ()
        other = self._other_game
        colours = colour_names(self.colours)
        callers = callers_of(state.called, colours)
        begun_game, is_by_hand = self._page_game(pending), self.source.is_away
        view = game_view(game.number, state, begun_game, colours, instructs=True, is_played_by_hand=is_by_hand)
        clock = self.clock.update(game.number, state.game, state.clock, time.monotonic())
        page = Snapshot(
            version=self._version,
            game=replace(view, seq=game.records[-1].seq, clock=clock),
            sight=replace(self.sight, colours=display_colours(self.sight.colours)),
            source=self.source,
            saved=is_saved,
            last=game.last_own_game(),
            other_game=None if other is None else OtherGame(other.options, self._sentences_of(other)["texts"]),
            offer=game.question(),
            partner=PartnerStatus(self.is_thinking, state.may_hint, state.lays_own_stones),
            proposal=proposal_view(state, pending, callers),
            hint=hint_view(state, pending, callers),
        )
        self.hand_out(page, announcements)

    def hand_out(self, snapshot: Snapshot, announcements: Sequence[Announcement] = ()) -> None:
        """Replace the snapshot and append the announcements that belong to it."""
        with self._changed:
            self._announcements.extend((snapshot.version, announcement) for announcement in announcements)
            newest = [one for _, one in self._announcements][-MAX_SHOWN_ANNOUNCEMENTS:]
            self.snapshot = replace(snapshot, said=tuple(one for one in newest if one.game == snapshot.game.id))
            self._changed.notify_all()

    def wait(self, version: int, timeout_s: float) -> tuple[Snapshot, tuple[Announcement, ...]]:
        """Wait for a snapshot after ``version``; return it, and what was announced after that version."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_closed or self.snapshot.version != version, timeout_s)
            return self.snapshot, tuple(announcement for at, announcement in self._announcements if at > version)

    def cached(self, about: Hashable, serialise: Callable[[Snapshot], bytes]) -> bytes:
        """Return the newest state as bytes; ``serialise`` is called once per state and language (``about``)."""
        with self._caching:
            if self._cached[0] != self.snapshot.version:
                self._cached = self.snapshot.version, {}
            version, texts = self._cached
            if about not in texts:
                texts[about] = serialise(self.snapshot)
            return texts[about]

    def publish_picture(self, jpeg: bytes) -> None:
        """Publish a new picture of the table."""
        with self._pictured:
            self.picture = self.picture[0] + 1, jpeg
            self._pictured.notify_all()

    def wait_for_picture(self, number: int, timeout_s: float) -> tuple[int, bytes]:
        """Wait for a picture other than ``number``, at most for ``timeout_s``; return the newest one, 0 for none."""
        with self._pictured:
            self._pictured.wait_for(lambda: self.is_closed or self.picture[0] not in (0, number), timeout_s)
            return self.picture

    def close(self) -> None:
        """Wake everybody who waits: the table is being closed."""
        self.is_closed = True
        for condition in (self._changed, self._pictured):
            with condition:
                condition.notify_all()

    def _page_game(self, pending: Sequence[Move]) -> Game:
        state = self._game.state
        return with_pending_moves(state.game, pending or state.begun)

    def _sentences_of(self, event: Event) -> Sentences:
        state, colours = self._game.state, colour_names(self.colours)
        return sentences_of_event(event, callers_of(state.called, colours), state.game.variant.board, colours)
