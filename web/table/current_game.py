"""The game that is on at a table: records in, its state after each of them out; only what is written counts.

The table that owns a game has the lock.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from languages import message, message_of
from referee.events import Event
from referee.game_events import consequences, game_ended
from web.errors import ImpossibleEventError, LessonStandsError, MillchenError, NotWrittenError
from web.game.first_record import (
    counts_as_club_game,
    first_played,
    is_demo_source,
    is_initial_lesson_position,
    lesson_body,
)
from web.game.game_state import GameState
from web.game.imported_games import IMPORTED
from web.game.page_state import LastGame, Offer
from web.game.records import apply_record, record_of_event
from web.game.replay import (
    LAID_ENTRY,
    ReplayedGame,
    carried_over,
    initial_state,
    replay_rows,
    replay_states,
    source_record_body,
    start_record_body,
)
from web.journal.data_folder import TurnPhotographs
from web.journal.journal import Journal, hour_now
from web.journal.journal_record import KEY_ENTRY, JournalRecord, UnwrittenRecord

log = logging.getLogger("millchen.game")


class CurrentGame:
    """One game of the journal, open for writing; ``table`` is the table's name among several that share the journal."""

    def __init__(self, journal: Journal, table: str = "") -> None:
        self.table = table
        self.number = 0  # the game's; 0 before the first
        self.records: list[JournalRecord] = []
        self._journal = journal
        self._states: dict[int, GameState] = {}  # after each record, by its number
        self._own_game: tuple[JournalRecord, GameState] | None = None  # the last game that was no demo
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
    def progress(self) -> tuple[int, int]:
        """How far the game has come: its number, and the number of its records."""
        return self.number, len(self.records)

    @property
    def data_folder(self) -> Path:
        """The folder of the journal."""
        return self._journal.path.parent

    @property
    def n_unsaved(self) -> int:
        """Number of records that could not be written yet."""
        return len(self._unsaved)

    def take_up(self, game: str, options: Mapping[str, Any], source: str, photographs: TurnPhotographs) -> bool:
        """Go on with a game of the journal where there is one; `question` is asked where it is another one."""
        start_body = start_record_body(game, options, source, self.table)
        unfinished = find_unfinished(self._journal, start_body)
        if unfinished is not None:
            self._open(unfinished)
            self._offer = _offer(unfinished, start_body, photographs)
        return unfinished is not None

    def go_on(self, number: int) -> None:
        """Continue a game of the journal at this table, and write that it is on here now."""
        if number != self.number or self.state.game.outcome is not None:
            if self._unsaved:
                raise NotWrittenError(message("game.not_written"))
            unfinished = read_unfinished(self._journal, number)
            last = unfinished.states[-1]
            body = source_record_body(last.source, self.table)
            record = self._journal.append(number, "source", body, by="hand")
            states = (*unfinished.states, apply_record(last, record))
            self._open(ReplayedGame((*unfinished.records, record), states))
        self._offer = None

    def _open(self, unfinished: ReplayedGame) -> None:
        self.number, self.records = unfinished.records[0].game, list(unfinished.records)
        self._states = {r.seq: state for r, state in zip(unfinished.records, unfinished.states, strict=True)}
        self._unsaved.clear()
        self._is_demo = not counts_as_club_game(self.records[0].body)
        if self._is_demo:
            self._own_game = self._newest_own_game()

    def question(self) -> Offer | None:
        """Return the open question whether the reopened game goes on; its next turn answers it."""
        if self._offer is not None and (self._offer.game, self._offer.ply) != (self.number, self.state.game.ply):
            self._offer = None
        return self._offer

    def decline(self) -> Mapping[str, Any]:
        """Return the body of the first record of the game that people asked for instead."""
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
        body |= lesson_body(game, lesson) if lesson else {} if laid is None else {LAID_ENTRY: dict(laid)}
        is_first = not self.records
        if is_first:
            self._own_game = self._newest_own_game()
        elif not self._is_demo:
            self._own_game = self.records[0], self.state
        before = self._own_game[1] if self._own_game is not None and not is_first else None
        try:
            state = initial_state(UnwrittenRecord("start", None, body).in_game(0, "hand"))
        except ValueError as why:
            raise MillchenError(message_of(why)) from why
        if state.game.outcome is not None:
            raise MillchenError(message("position.over"))
        # Other people play in the demo, and one alone in a lesson.
        is_demo = not counts_as_club_game(body)
        settings = () if is_demo else carried_over(before, state, swap=swap)
        records = [UnwrittenRecord("start", None, body), *settings]
        self.records = list(self._journal.begin_all([records], by="hand"))
        self.number, self._is_demo = self.records[0].game, is_demo
        self._states = {r.seq: state for r, state in zip(self.records, replay_states(self.records), strict=True)}
        self._unsaved.clear()

    def last_own_game(self) -> LastGame:
        """Return the newest game that people played, else this one."""
        first, state = self.records[0], self.state
        if self._is_demo and self._own_game is not None:
            first, state = self._own_game
        return LastGame(first.body["game"], first.body["options"], state.names)

    def was_deleted(self, games: Collection[int]) -> None:
        """Forget the last own game where it, or names in it, were deleted: its players are offered no more."""
        if self._own_game is not None and self._own_game[0].game in games:
            self._own_game = self._newest_own_game()

    def _newest_own_game(self) -> tuple[JournalRecord, GameState] | None:
        number = self._journal.last_game_of_table(self.table, counts_as_club_game)
        if number is None:
            return None
        try:
            game = _replayed(self._journal, number)
        except MillchenError:
            log.error("game %s of the journal cannot be replayed; its players are not offered again", number)
            return None
        return game.records[0], game.states[-1]

    def write(self, record: UnwrittenRecord) -> list[JournalRecord]:
        """Write a record of the camera; return the records that were written now, in order. The rest waits.

        Raises `ImpossibleEventError` where it cannot follow on this game; then what waits is void too.
        """
        self._unsaved.append((record, hour_now()))
        return self.write_unsaved()

    def write_unsaved(self) -> list[JournalRecord]:
        """Try again to write what waits; return the records that were written now, in order."""
        records: list[JournalRecord] = []
        while self._unsaved:
            try:
                record, hour = self._unsaved[0]
                records += self._append(record, "camera", hour)
            except NotWrittenError as why:
                log.error("not saved: %s", why)
                break
            except (ValueError, IndexError, LessonStandsError) as why:
                log.error("what was reported cannot be: %s", why, exc_info=not isinstance(why, LessonStandsError))
                self._unsaved.clear()
                raise ImpossibleEventError(str(why)) from why
            self._unsaved.popleft()
        return records

    def write_by_hand(self, record: UnwrittenRecord, by: str = "hand") -> list[JournalRecord]:
        """Write a record of people or of Millchen, now or never, and what follows; return the records."""
        if self._unsaved:
            raise NotWrittenError(message("game.not_written"))
        return self._append(record, by, hour_now())

    def _append(self, unwritten: UnwrittenRecord, by: str, hour: str) -> list[JournalRecord]:
        """Write a record and what follows from it, in one transaction."""
        # Applied before it is written: what the journal holds can always be replayed.
        state = apply_record(self.state, unwritten.in_game(self.number, by))
        if (
            state.lesson is not None
            and is_initial_lesson_position(self.state.game)
            and not is_initial_lesson_position(state.game)
        ):
            raise LessonStandsError(message("lesson.stands"))
        following = self._consequences(state, unwritten, by)
        records = self._journal.append_all(self.number, [unwritten, *following], by=by, hour=hour)
        for record in records:
            self.records.append(record)
            self._states[record.seq] = state = state if record is records[0] else apply_record(state, record)
        return list(records)

    def _consequences(self, state: GameState, unwritten: UnwrittenRecord, by: str) -> list[UnwrittenRecord]:
        """Return the records of the consequences of one that leads to ``state``; a camera reports the end itself.

        Of the turns that Millchen lays itself as many are taken back as stand before that of a person.
        """
        kind, body = unwritten.kind, unwritten.body
        taken_back: list[UnwrittenRecord] = []
        is_for_all = len(state.partners) == state.game.variant.players
        while kind == "amended" and by == "hand" and state.lays_own_stones and state.game.turns and not is_for_all:
            taken_back.append(UnwrittenRecord(kind, state.game.ply, body))
            state = apply_record(state, taken_back[-1].in_game(self.number, by))
        before, after, time_s = self.state.game, state.game, state.time_s
        if after.ply != before.ply + 1 or after.turns[:-1] != before.turns:
            return taken_back
        events: list[Event] = list(consequences(before, after, time_s))
        is_on_page = (kind == "turn" and by != "camera") or (kind == "stood" and "moves" in body)
        if is_on_page and after.outcome is not None:
            events.append(game_ended(after, time_s))
        return [record_of_event(event) for event in events]


# ---------------------------------------------------------------- games that are not over


def find_unfinished(journal: Journal, start_body: Mapping[str, Any]) -> ReplayedGame | None:
    """Return the game with which a table goes on when it is opened; None where it begins what is asked for.

    That is the newest game of people at this table, whatever is asked for, if there is anything in it. Where that is
    over, it is the newest game of all, if it is what is asked for: a demo, say.
    """
    table = str(start_body.get("table", ""))
    for number in (
        journal.last_game_of_table(table, lambda body: not is_demo_source(str(body["source"]))),
        journal.last_game_of_table(table),
    ):
        try:
            game = None if number is None else _replayed(journal, number)
        except MillchenError as why:
            log.error("%s; another one begins", why)
            continue
        if game is None or game.states[-1].game.outcome is not None:
            continue
        if _is_as_asked(game, start_body) or (_is_begun(game.states[-1]) and not _is_of_demo(game)):
            return game
    return None


def read_unfinished(journal: Journal, number: int) -> ReplayedGame:
    """Return a game that people may go on with; refuse one that is damaged, from a file or a demo, or over."""
    game = _replayed(journal, number)
    if _is_of_demo(game):
        raise MillchenError(message("go_on.demo", number=number))
    if game.states[-1].game.outcome is not None:
        raise MillchenError(message("go_on.over", number=number))
    return game


def _replayed(journal: Journal, number: int) -> ReplayedGame:
    """Return a game that was played here, over or not."""
    if not 0 < number <= (journal.last_game() or 0) or number in journal.deleted:
        raise MillchenError(message("page.no_game", number=number))
    try:
        rows = journal.rows_of_game(number)
        is_imported = bool(rows) and rows[0].kind == IMPORTED
        game = ReplayedGame((), ()) if is_imported else replay_rows(rows)
    except MillchenError as why:
        is_imported, game = False, ReplayedGame((), (), str(why))
    if is_imported:
        raise MillchenError(message("go_on.imported", number=number))
    if game.problem or not game.records:
        log.warning("game %s of the journal: %s", number, game.problem or "it has no records")
        raise MillchenError(message("go_on.damaged", number=number))
    return game


def _is_of_demo(game: ReplayedGame) -> bool:
    return is_demo_source(str(game.records[0].body["source"]))


def _is_begun(state: GameState) -> bool:
    """Return whether anything would be lost with a game: a stone, the players' names, a lesson that is not solved."""
    if state.lesson is not None:
        turn = first_played(state.game.turns)
        return turn is None or not state.lesson.is_solved_by(turn)
    return bool(state.game.turns or state.game.is_set_up or state.begun or any(state.names))


def _is_as_asked(game: ReplayedGame, start_body: Mapping[str, Any]) -> bool:
    """Return whether it is the game of a first record with this body, and is watched through that source now."""
    return {**game.records[0].body, "source": game.states[-1].source, KEY_ENTRY: ""} == {**start_body, KEY_ENTRY: ""}


def _offer(game: ReplayedGame, instead: Mapping[str, Any], photographs: TurnPhotographs) -> Offer | None:
    """Return the question whether a game goes on; None where it is what was asked for."""
    if _is_as_asked(game, instead):
        return None
    ply = game.states[-1].game.ply
    last = next((one.seq for one in reversed(game.records) if one.kind == "turn" and one.ply == ply), None)
    photograph_seq = last if last is not None and photographs.has(last) else None
    return Offer(game.records[0].game, ply, game.records[-1].wall_time, photograph_seq, instead)
