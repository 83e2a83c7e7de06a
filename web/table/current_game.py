"""The game that is being played: what is not written does not count. The table that owns it has the lock."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from languages import message, message_of
from referee.events import Event
from referee.game_events import consequences, game_ended
from web.errors import ImpossibleEventError, LessonStandsError, MillchenError, NotWrittenError
from web.game.event_records import record_of_event
from web.game.first_record import counts_as_club_game, is_initial_lesson_position, lesson_body
from web.game.game_state import GameState
from web.game.page_state import LastGame, Offer
from web.game.records import apply_record
from web.game.replay import (
    LAID_FIELD,
    carried_over,
    initial_state,
    replay,
    replay_states,
    source_record_body,
    start_record_body,
)
from web.journal.data_folder import TurnPhotographs
from web.journal.journal import Journal, hour_now
from web.journal.journal_record import JournalRecord, UnwrittenRecord
from web.table.unfinished_game import UnfinishedGame, find_unfinished, read_unfinished

log = logging.getLogger("millchen.game")


class CurrentGame:
    """One game of the journal, open for writing; ``table`` is the table's name among several that share the journal."""

    def __init__(self, journal: Journal, table: str = "") -> None:
        self.table = table
        self.number = 0  # the game's; 0 before the first
        self.records: list[JournalRecord] = []
        self._journal = journal
        self._states: dict[int, GameState] = {}  # after each record, by its number
        self._house: tuple[JournalRecord, GameState] | None = None  # the last game that was no demo
        self._is_demo = False  # or a lesson
        self._unsaved: deque[tuple[UnwrittenRecord, str]] = deque()  # with the hour of each
        self._offer: Offer | None = None

    @property
    def state(self) -> GameState:
        """The state after all records that are written."""
        if not self.records:
            raise RuntimeError("no game has been begun")
        return self._states[self.records[-1].seq]

    def state_after(self, seq: int) -> GameState:
        """Return the state after the record with this number; its announcement speaks of that."""
        return self._states[seq]

    @property
    def n_unsaved(self) -> int:
        """Number of records that could not be written yet."""
        return len(self._unsaved)

    def take_up(self, game: str, options: Mapping[str, Any], source: str, photographs: TurnPhotographs) -> bool:
        """Go on with a game of the journal where there is one; `question` is asked where it is another one."""
        wanted = start_record_body(game, options, source, self.table)
        unfinished = find_unfinished(self._journal, wanted)
        if unfinished is not None:
            self._open(unfinished)
            self._offer = unfinished.offer(wanted, photographs)
        return unfinished is not None

    def go_on(self, number: int) -> None:
        """Continue a game of the journal at this table, and write that it is on here now."""
        if number != self.number or self.state.game.outcome is not None:
            if self._unsaved:
                raise NotWrittenError(message("game.not_written"))
            unfinished = read_unfinished(self._journal, number)
            body = source_record_body(unfinished.state.source, self.table)
            record = self._journal.append(number, "source", body, by="hand")
            states = (*unfinished.states, apply_record(unfinished.state, record))
            self._open(UnfinishedGame((*unfinished.records, record), states))
        self._offer = None

    def _open(self, unfinished: UnfinishedGame) -> None:
        self.number, self.records = unfinished.number, list(unfinished.records)
        self._states = {r.seq: state for r, state in zip(unfinished.records, unfinished.states, strict=True)}
        self._unsaved.clear()
        self._is_demo = not counts_as_club_game(self.records[0].body)
        if self._is_demo:
            self._house = self._last_game_of_house()

    def question(self) -> Offer | None:
        """Return the question whether the game goes on that was taken up; its next turn is the answer."""
        if self._offer is not None and (self._offer.game, self._offer.ply) != (self.number, self.state.game.ply):
            self._offer = None
        return self._offer

    def decline(self) -> Mapping[str, Any]:
        """Return the body of the first record of the game that the command asked for, which is to be begun."""
        offer = self.question()
        if offer is None:
            raise MillchenError(message("go_on.answered"))
        return offer.instead

    def begin(
        self,
        game: str,
        options: Mapping[str, Any],
        source: str,
        *,
        swap: bool = False,
        lesson: int = 0,
        laid: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin a new game; the settings of the same people are carried over, ``swap`` by one place.

        With ``laid`` the stones lie as its FEN says. Where it cannot be written the old game is still open.
        """
        body = start_record_body(game, options, source, self.table)
        body |= lesson_body(game, lesson) if lesson else {} if laid is None else {LAID_FIELD: dict(laid)}
        is_first = not self.records
        if is_first:
            self._house = self._last_game_of_house()
        elif not self._is_demo:
            self._house = self.records[0], self.state
        before = self._house[1] if self._house is not None and not is_first else None
        try:
            state = initial_state(JournalRecord(0, 0, "start", None, body, "", "hand"))
        except ValueError as why:
            raise MillchenError(message_of(why)) from why
        if state.game.outcome is not None:
            raise MillchenError(message("position.over"))
        # Other people play in the demo, and one alone in a lesson.
        is_demo = not counts_as_club_game(body)
        carried = () if is_demo else carried_over(before, state, swap=swap)
        settings: list[UnwrittenRecord] = [(kind, None, kept) for kind, kept in carried]
        self.records = list(self._journal.begin_with([("start", None, body), *settings], by="hand"))
        self.number, self._is_demo = self.records[0].game, is_demo
        self._states = {r.seq: state for r, state in zip(self.records, replay_states(self.records), strict=True)}
        self._unsaved.clear()

    def last_of_house(self) -> LastGame:
        """Return the newest game that people played, else this one."""
        first, state = self.records[0], self.state
        if self._is_demo and self._house is not None:
            first, state = self._house
        return LastGame(first.body["game"], first.body["options"], state.names)

    def _last_game_of_house(self) -> tuple[JournalRecord, GameState] | None:
        number = self._journal.last_game_of_table(self.table, counts_as_club_game)
        if number is None:
            return None
        try:
            records = self._journal.records(number)
            return records[0], replay(records)
        except (MillchenError, ValueError, KeyError, TypeError, IndexError):
            log.exception("game %s of the journal cannot be replayed; its players are not offered again", number)
            return None

    def write(self, record: UnwrittenRecord) -> list[JournalRecord]:
        """Write what a camera saw; return the records that were written now, in order. What cannot be written waits.

        Raises `ImpossibleEventError` where it cannot follow on this game; then what waits is void too.
        """
        self._unsaved.append((record, hour_now()))
        return self.write_unsaved()

    def write_unsaved(self) -> list[JournalRecord]:
        """Try again to write what waits; return the records that were written now, in order."""
        written: list[JournalRecord] = []
        while self._unsaved:
            try:
                record, hour = self._unsaved[0]
                written += self._append(record, "camera", hour)
            except NotWrittenError as why:
                log.error("not saved: %s", why)
                break
            except (ValueError, IndexError, LessonStandsError) as why:
                log.error("what was reported cannot be: %s", why, exc_info=not isinstance(why, LessonStandsError))
                self._unsaved.clear()
                raise ImpossibleEventError(str(why)) from why
            self._unsaved.popleft()
        return written

    def write_by_hand(self, record: UnwrittenRecord, by: str = "hand") -> list[JournalRecord]:
        """Write a record of people or of Millchen, now or never, and what follows; return the records."""
        if self._unsaved:
            raise NotWrittenError(message("game.not_written"))
        return self._append(record, by, hour_now())

    def _append(self, unwritten: UnwrittenRecord, by: str, hour: str) -> list[JournalRecord]:
        """Write a record and what follows from it, in one transaction."""
        # Applied before it is written: what the journal holds can always be replayed.
        state = apply_record(self.state, JournalRecord(0, self.number, *unwritten, "", by))
        if (
            state.lesson is not None
            and is_initial_lesson_position(self.state.game)
            and not is_initial_lesson_position(state.game)
        ):
            raise LessonStandsError(message("lesson.stands"))
        following = self._consequences(state, unwritten, by)
        written = self._journal.append_all(self.number, [unwritten, *following], by=by, hour=hour)
        for record in written:
            self.records.append(record)
            self._states[record.seq] = state = state if record is written[0] else apply_record(state, record)
        return list(written)

    def _consequences(self, state: GameState, unwritten: UnwrittenRecord, by: str) -> list[UnwrittenRecord]:
        """Return the records of what follows from one that leads to ``state``; a camera reports the end itself.

        Of the turns that Millchen lays itself as many are taken back as stand before that of a person.
        """
        kind, _, body = unwritten
        taken_back: list[UnwrittenRecord] = []
        is_for_all = len(state.partners) == state.game.variant.players
        while kind == "amended" and by == "hand" and state.lays_own_stones and state.game.turns and not is_for_all:
            taken_back.append((kind, state.game.ply, body))
            state = apply_record(state, JournalRecord(0, self.number, *taken_back[-1], "", by))
        before, after, time_s = self.state.game, state.game, state.time_s
        if after.ply != before.ply + 1 or after.turns[:-1] != before.turns:
            return taken_back
        events: list[Event] = list(consequences(before, after, time_s))
        is_on_page = (kind == "turn" and by != "camera") or (kind == "stood" and "moves" in body)
        if is_on_page and after.outcome is not None:
            events.append(game_ended(after, time_s))
        return [record_of_event(event) for event in events]

    def records_after(self, seq: int) -> Sequence[JournalRecord]:
        """Return the records that were written after the journal's number ``seq``."""
        return [record for record in self.records if record.seq > seq]
