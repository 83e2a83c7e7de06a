"""The loop of one table: eyes in a child process, the journal, and what the pages see.

What the eyes report is written to the journal first and published after. When the eyes die (a camera that crashes its
driver) or the source goes away, new ones are started from the game that the journal holds. This is the only clock of
a table.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from calibration.known_table import KnownTable
from referee.board import Board
from referee.events import BoardFound, BoardLost, Event
from referee.moves import Move
from web.drawing.colour_names import colour_names, stabilise_colours
from web.game.announcements import MakeSentences, announce_record
from web.game.clock import Clock, TableClock
from web.game.game_json import game_to_json, with_pending_moves
from web.game.player_commands import correct_stone, let_foul_stand, take_back_turn
from web.game.replay import (
    GameState,
    apply_record,
    hole_count_options,
    is_already_recorded,
    is_recorded,
    record_of_event,
    start_record_body,
)
from web.game.snapshot import Announcement, Picture, Snapshot, SnapshotPublisher, SourceStatus, VisionStatus
from web.journal.journal import Journal
from web.journal.journal_record import Record
from web.journal.turn_photographs import TurnPhotographs
from web.table import vision_process
from web.table.counters import SourceCounters
from web.table.current_game import CurrentGame
from web.table.film_position import FilmPosition
from web.table.offered_games import check_game
from web.table.source_names import HAND, PHONE, Source, find_demo, parse_source
from web.table.supervisor import VisionSupervisor, VisionTarget

log = logging.getLogger("millchen.live")

REPEATED = 12  # announcements of an older run that the page shows again


class LiveTable:
    """A table that is being refereed; its methods may be called from any thread.

    Parameters
    ----------
    journal : Journal
    say : callable
    look : callable
        What the child process runs; tests give their own.
    name : str
        The table's name among several that share the journal.
    """

    def __init__(self, journal: Journal, say: MakeSentences, look: VisionTarget = vision_process.run_vision, name: str = "") -> None:
        self._journal = journal
        self._say = say
        self._publisher, self._version = SnapshotPublisher(), 0
        self._lock = threading.RLock()
        self._supervisor = VisionSupervisor(self, look)
        self._ledger = CurrentGame(journal, name)
        self._clock = TableClock()
        self.photographs, self.journal_path = TurnPhotographs(journal.path.with_name("photographs")), journal.path
        self.known_tables: Callable[[str], tuple[KnownTable, ...]] = lambda _: ()  # tables measured through a source
        self.phone_address = ""  # where the pictures of a phone can be had on this computer
        self._source = Source("", "file", "")
        self._source_view = SourceStatus("", "file")
        self._sight = VisionStatus()
        self._pending: tuple[Move, ...] = ()
        self._corners: vision_process.Corners | None = None
        self._resume, self._n_pictures = FilmPosition(), 0
        self._is_found = self._is_paused = False
        self._counters = SourceCounters()

    # ------------------------------------------------------------ opening and closing

    def open(
        self, source: str, game: str, options: Mapping[str, Any], corners: vision_process.Corners | None = None
    ) -> None:
        """Sit down: go on with the last game of the journal where it is this one and not over, else begin one.

        Raises
        ------
        MillchenError
            When the source or the game is not known.
        """
        found = parse_source(source)
        wanted = start_record_body(game, options, found.name, self._ledger.table)
        check_game(game, options)
        with self._lock:
            self._use(found)
            self._corners = corners
            if not self._ledger.take_up(wanted):
                self._begin(game, options)
            self._publish(self._recall())
        self._supervisor.start()

    def close(self) -> None:
        """Get up: end the eyes and wake every page. What was announced is in the journal already."""
        self._publisher.close()
        self._supervisor.close()

    def _recall(self) -> tuple[Announcement, ...]:
        return tuple(self._told(self._ledger.records[-REPEATED:]))

    def _begin(self, game: str, options: Mapping[str, Any]) -> None:
        self._ledger.begin(game, options, self._source.name)
        self._new_eyes()

    def _use(self, source: Source) -> None:
        self._source = source
        self._source_view = SourceStatus(source.name, source.kind)
        self._corners = None
        self._new_eyes()

    def _new_eyes(self) -> None:
        """Have the loop end the present eyes and start others."""
        self._supervisor.renew()
        self._sight = VisionStatus(colours=self._sight.colours)
        self._pending = ()
        self._is_found = False
        state = "live" if self._source.kind == HAND else "opening"
        self._source_view = replace(self._source_view, state=state, reason="")

    # ------------------------------------------------------------ what pages ask

    @property
    def publisher(self) -> SnapshotPublisher:
        """Where the newest state lies."""
        return self._publisher

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self._state.game.variant.board

    @property
    def _state(self) -> GameState:
        return self._ledger.course

    def announcements_after(self, seq: int) -> Sequence[Announcement]:
        """What was announced in this game after the journal's number ``seq``."""
        with self._lock:
            return self._told(self._ledger.after(seq))

    def set_paused(self, is_paused: bool) -> None:
        """Let go of the camera while somebody else looks through it, or look through it again."""
        with self._lock:
            self._is_paused = is_paused
            self._new_eyes()

    def request_pictures(self) -> None:
        """Somebody is looking: keep pictures coming for a while."""
        self._supervisor.request_pictures()

    def new_game(self, game: str, options: Mapping[str, Any], source: str | None = None) -> None:
        """Close the game and begin another one, from another source where one is named."""
        found = parse_source(source) if source is not None else None
        if (found or self._source).kind == "demo":
            game, options = find_demo((found or self._source).name).game, {}
        check_game(game, options)
        with self._lock:
            if found is not None and found != self._source:
                self._use(found)
            self._sight = VisionStatus()
            self._begin(game, options)
            self._publish()

    def restart_game(self) -> None:
        """Begin the same game again; a film starts at its beginning."""
        body = self._ledger.records[0].body
        self.new_game(body["game"], body["options"])

    def use_source(self, source: str) -> None:
        """Take the pictures from elsewhere; a camera goes on with the game, a film begins its own."""
        found = parse_source(source)
        if found.is_film:
            body = self._ledger.records[0].body
            self.new_game(body["game"], body["options"], source)
            return
        with self._lock:
            self._use(found)
            self._publish()

    def place_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        """The corners of the field as people see them, clockwise from the upper left one, in pixels."""
        with self._lock:
            self._corners = tuple(corners)
            self._supervisor.send(vision_process.UseCorners(self._corners))

    def let_foul_stand(self) -> None:
        """Let the foul stand and go on from what lies on the table."""
        with self._lock:
            self.apply_command(let_foul_stand)

    def correct_point(self, point: str, top: int) -> None:
        """Take the players' word for what lies on a point: 0 nothing, k a stone of player k."""
        with self._lock:
            shown = with_pending_moves(self._state.game, self._pending)
            self.apply_command(partial(correct_stone, shown=shown, point=point, top=top))

    def apply_command(self, word_of: Callable[[GameState], UnwrittenRecord]) -> None:
        """Take the players' word for what no eyes can see; the eyes go on from there where it changes the game."""
        with self._lock:
            course = self._state
            kind, ply, body = word_of(course)
            after = apply_record(course, Record(0, self._ledger.number, kind, ply, body, "", "hand")).game
            change = vision_process.ChangeGame(kind, ply, body, course.game.ply, after)
            if after is course.game or self.is_waiting() or not self._supervisor.send(change):
                self._publish(tuple(self._keep(kind, ply, body, "hand")))

    def set_clock(self, change: Callable[[Clock, GameState, float], Clock]) -> None:
        """Change the clock of the table, now."""
        with self._lock:
            before = self._clock.clock
            self._clock.clock = change(before, self._state, time.monotonic())
            if self._clock.clock.settings() != before.settings():
                self._keep("clock", None, self._clock.clock.settings(), "hand")
            self._publish()

    def add_record(self, game: int, kind: str, ply: int | None, body: dict[str, Any]) -> None:
        """Write something beside a game, also one that is over: a name, a remark."""
        with self._lock:
            if game == self._ledger.number:
                self._publish(tuple(self._keep(kind, ply, body, "hand")))
            else:
                self._journal.append(game, kind, body, ply=ply, by="hand")

    def take_back(self) -> None:
        """Take back the last turn."""
        with self._lock:
            self.apply_command(take_back_turn)

    def health(self) -> dict[str, Any]:
        """Counters for people who look after the machine."""
        with self._lock:
            return {
                "source": self._source_view.to_json(),
                "sight": self._sight.phase,
                **self._counters.to_json(),
                "starts": self._supervisor.n_starts,
                "unsaved": self._ledger.n_waiting,
                "game": self._ledger.number,
                "ply": self._state.game.ply,
                "sqlite": self._journal.sqlite_version,
            }

    # ------------------------------------------------------------ what the keeper of the eyes asks and tells

    def next_job(self) -> vision_process.VisionJob:
        """What new eyes are to look at."""
        with self._lock:
            source = self._source
            place = "" if self._is_paused else self.phone_address if source.kind == PHONE else source.place
            known = () if self._is_paused else self.known_tables(source.name)
            first_s = self._resume.from_s(self._place, self._state.last_event_s) if source.is_film else 0.0
            return vision_process.VisionJob(place, tuple(self._ledger.records), first_s, self._corners, source.is_film, known)

    def is_waiting(self) -> bool:
        """The source has nothing more to show."""
        return self._is_paused or self._source.kind == HAND or self._source_view.state in ("ended", "failed")

    def tick(self) -> None:
        """Try again what could not be saved."""
        if not self._ledger.n_waiting:
            return
        with self._lock:
            said = self._told(self._ledger.write_waiting())
            if said or not self._ledger.n_waiting:
                self._publish(tuple(said))

    def vision_lost(self) -> None:
        """The eyes have died; the game has not."""
        with self._lock:
            self._source_away("lost", "")
            self._resume.failed(self._place)

    @property
    def _place(self) -> tuple[int, int]:
        return self._ledger.number, len(self._ledger.records)

    def receive(self, message: vision_process.VisionMessage, generation: int) -> None:
        """Take in what the eyes say, unless they have been replaced meanwhile."""
        with self._lock:
            if generation == self._supervisor.generation:
                self._hear(message)

    def _hear(self, message: vision_process.VisionMessage) -> None:
        match message:
            case vision_process.SourceOpened():
                self._source_view = replace(self._source_view, state="live", reason="")
                self._publish()
            case vision_process.SourceStale():
                self._counters.n_stale += self._source_view.state != "stale"
                self._source_away("stale", "")
            case vision_process.EncodedPicture(jpeg):
                self._n_pictures += 1
                self._publisher.publish_picture(Picture(jpeg, self._n_pictures))
            case vision_process.GameChanged(kind, ply, body):
                self._publish(tuple(self._keep(kind, ply, body, "hand")))
            case vision_process.SourceEnded(reason, is_over):
                state = "ended" if is_over else "failed" if self._source.is_film else "lost"
                self._source_away(state, reason)
            case vision_process.VisionFailed(reason, trace):
                log.error("the eyes failed (%s); new ones go on", reason)
                log.debug("%s", trace)
                self.vision_lost()
            case vision_process.FrameResult():
                self._take_in(message)

    def _take_in(self, seen: vision_process.FrameResult) -> None:
        self._counters.saw(seen.frame, seen.step_ms)
        if self._source_view.state == "stale":
            self._source_view = replace(self._source_view, state="live")
        self._resume.seen_s = seen.time_s
        colours = stabilise_colours(self._sight.colours, seen.sight.colours)
        self._sight, self._pending = replace(seen.sight, colours=colours), seen.pending
        said: list[Announcement] = []
        n_before = len(self._ledger.records)
        for event in seen.events:
            said += self._take_event(event)
        if self._state.keeps_photographs and seen.photo:
            for record in self._ledger.records[n_before:]:
                self.photographs.save(record.seq, seen.photo)
        self._publish(tuple(said))
        if seen.ply != self._state.game.ply and not self._ledger.n_waiting:
            log.error("the eyes are at turn %s, the journal at %s: new eyes", seen.ply, self._state.game.ply)
            self._new_eyes()

    def _take_event(self, event: Event) -> list[Announcement]:
        if isinstance(event, BoardFound) and (options := hole_count_options(event, self._state)):
            self._keep("board", None, {"options": options}, "camera")
        if not is_recorded(event):
            is_news = self._is_found if isinstance(event, BoardLost) else not self._is_found
            self._is_found = isinstance(event, BoardFound)
            kind = "board" if self._is_found else "lost"
            return [Announcement(None, self._ledger.number, kind, self._texts(event))] if is_news else []
        course = self._state
        if is_already_recorded(event, course):
            return []
        kind, ply, body = record_of_event(event)
        if kind == "turn":
            colours = {} if self._sight.colours == course.colours else {"colours": list(self._sight.colours)}
            body |= self._clock.turn_fields(time.monotonic()) | colours
        return self._keep(kind, ply, body, "camera")

    def _keep(self, kind: str, ply: int | None, body: dict[str, Any], by: str) -> list[Announcement]:
        """Write an event down; only what is written is told. What cannot be written waits in order."""
        return self._told(self._ledger.keep(kind, ply, body, by))

    def _told(self, written: Sequence[Record]) -> list[Announcement]:
        if self._ledger.is_astray:
            log.error("the eyes reported what cannot be: new eyes")
            self._ledger.is_astray = False
            self._new_eyes()
        names = colour_names(self._colours)
        called = self._state.names
        told = []
        for record in written:
            course = replace(self._ledger.course_at(record.seq), names=called)  # as it was then, by the names of today
            told.append(announce_record(record, course, names, self._say))
        return [said for said in told if said is not None]

    @property
    def _colours(self) -> tuple[str, ...]:
        """The stones' colours as they are seen, before that as the journal has them."""
        return self._sight.colours if any(self._sight.colours) else self._state.colours

    def _texts(self, event: Event) -> Mapping[str, Mapping[str, str]]:
        return self._say(event, colour_names(self._colours), self.board)

    def _source_away(self, state: str, reason: str) -> None:
        if self._is_paused or self._source.kind == HAND:
            return
        if state == "lost":
            self._counters.lost()
        self._source_view = replace(self._source_view, state=state, reason=reason)
        self._publish()

    def _publish(self, said: tuple[Announcement, ...] = ()) -> None:
        self._version += 1
        shown = with_pending_moves(self._state.game, () if self._ledger.n_waiting else self._pending)
        clock = self._clock.update(self._ledger.number, self._state.game, self._state.clock, time.monotonic())
        view = game_to_json(self._ledger.number, self._state, shown, self._texts) | {"clock": clock}
        self._publisher.publish(
            Snapshot(self._version, view, self._sight, self._source_view, not self._ledger.n_waiting), said
        )
