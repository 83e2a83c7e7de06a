"""The live table: the vision process, the journal and the view for pages, brought together.

What vision reports is written to the journal first and published after. When the vision process dies (a camera that
crashes its driver) or the source goes away, a new process starts from the game that the journal has.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from referee.board import Board
from referee.events import BoardFound, BoardLost, Event, OtherGameSeen
from web.game.announcements import MakeSentences
from web.game.clock import Clock
from web.game.event_records import FOLLOWING, UnwrittenRecord, record_of_event
from web.game.player_commands import correct_stone, let_foul_stand, resume_from_seen, take_back_turn
from web.game.replay import IMPORTED, GameState, hole_count_options, is_already_recorded
from web.game.snapshot import Announcement, SnapshotPublisher, SourceStatus, VisionStatus
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord
from web.journal.turn_photographs import TurnPhotographs
from web.net.film_upload import UPLOAD, FilmUploads
from web.table.current_game import CurrentGame
from web.table.offered_games import check_game
from web.table.source_names import HAND, PHONE, Source, find_demo, parse_source
from web.table.supervisor import VisionSupervisor, VisionTarget
from web.table.table_view import TableView
from web.table.vision_messages import (
    ChangeGame,
    Corners,
    EncodedPicture,
    FindKnownTables,
    FrameResult,
    GameChanged,
    SourceEnded,
    SourceOpened,
    SourceStale,
    UseCorners,
    VisionFailed,
    VisionJob,
    VisionMessage,
)

log = logging.getLogger("millchen.live")

N_REPEATED_ANNOUNCEMENTS = 12
"""Number of announcements of an earlier run that the page shows again. Source: chosen."""

STEP_TIME_WEIGHT = 0.05
"""Weight of the newest frame in the running mean of the time per frame. Source: chosen."""

REPLAYED_REST_S = 0.4
"""Time before the last event, in seconds, from which a film continues.

A turn is accepted at the end of a rest that is at least so long. Source: chosen.
"""

SKIPPED_S = 0.01
"""Time of a film in seconds that is skipped after vision has died at the same place again. Source: chosen."""

MAX_DEATHS_AT_PLACE = 1
"""Number of times that vision may die at one place of a film before that place is skipped. Source: chosen."""

UPLOADS_FOLDER = "uploads"
"""Folder of what was picked on the page, beside the journal."""

JournalPosition = tuple[int, int]
"""How far a game has come: its number, and the number of its records."""


class SourceCounters:
    """Counts frames, their cost and the losses of the source, for the page of health; one thread writes them.

    Parameters
    ----------
    clock : callable
        Seconds that never jump.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._losses: deque[float] = deque(maxlen=10_000)
        self._frame_s: float | None = None
        self.n_frames = self.n_losses = self.n_stale = 0
        self.step_ms = 0.0

    def count_frame(self, frame: int, step_ms: float) -> None:
        """Count a processed frame: its number in the source, and the time that it took."""
        self.n_frames = max(self.n_frames, frame + 1)
        self.step_ms += STEP_TIME_WEIGHT * (step_ms - self.step_ms)
        self._frame_s = self._clock()

    def count_loss(self) -> None:
        """Count that the source has gone."""
        self.n_losses += 1
        self._losses.append(self._clock())

    def to_json(self) -> dict[str, Any]:
        """Return the counts; ``age_s`` is the time since the last frame, None before the first."""
        now = self._clock()
        while self._losses and now - self._losses[0] > 3600.0:
            self._losses.popleft()
        return {
            "frames": self.n_frames,
            "age_s": None if self._frame_s is None else round(now - self._frame_s, 1),
            "losses": self.n_losses,
            "losses_last_hour": len(self._losses),
            "stale": self.n_stale,
            "step_ms": round(self.step_ms, 1),
        }


class FilmPosition:
    """Decides where a new vision process continues a film after the last one has died.

    Attributes
    ----------
    seen_s : float
        Time of the film that the last process had come to, in seconds.
    """

    def __init__(self) -> None:
        self.seen_s = 0.0
        self._died_at: JournalPosition = (0, 0)
        self._n_deaths = 0

    def vision_died(self, at: JournalPosition) -> None:
        """Note that vision has died with the game at this place."""
        self._n_deaths = self._n_deaths + 1 if self._died_at == at else 1
        self._died_at = at

    def first_s(self, at: JournalPosition, last_event_s: float | None) -> float:
        """Return the time to continue from: the rest before the last event, where the table shows the journal's game.

        Where vision has died repeatedly with the game at this place, it is what comes after the last frame seen.
        """
        if self._died_at == at and self._n_deaths > MAX_DEATHS_AT_PLACE:
            return self.seen_s + SKIPPED_S
        return max(0.0, (last_event_s or 0.0) - REPLAYED_REST_S)


class LiveTable:
    """A table that is being refereed; its methods may be called from any thread.

    Parameters
    ----------
    journal : Journal
    make_sentences : callable
    vision_target : callable or None
        What the child process runs; None is `web.table.vision_process.run_vision`, tests give their own.
    name : str
        The table's name among several that share the journal.

    Attributes
    ----------
    photographs : TurnPhotographs
        The photographs of accepted turns.
    uploads : FilmUploads
        Films and photographs that were picked on the page.
    journal_path : Path
        The file of the journal, for those who only read it.
    known_tables : callable
        Finds the tables that were measured through a source.
    phone_address : str
        Address on this computer from which the pictures of a phone come.
    """

    def __init__(
        self,
        journal: Journal,
        make_sentences: MakeSentences,
        vision_target: VisionTarget | None = None,
        name: str = "",
    ) -> None:
        self._journal = journal
        self._lock = threading.RLock()
        self._supervisor = VisionSupervisor(self, vision_target)
        self._current_game = CurrentGame(journal, name)
        self._view = TableView(self._current_game, make_sentences)
        self.photographs = TurnPhotographs(journal.path.with_name("photographs"))
        self.uploads = FilmUploads(journal.path.with_name(UPLOADS_FOLDER))
        self.journal_path = journal.path
        self.known_tables: FindKnownTables = lambda _: ()
        self.phone_address = ""
        self._source = Source("", "file", "")
        self._corners: Corners | None = None
        self._film_position = FilmPosition()
        self._counters = SourceCounters()
        self._is_paused = False

    # ------------------------------------------------------------ opening and closing

    def open(self, source: str, game: str, options: Mapping[str, Any], corners: Corners | None = None) -> None:
        """Start refereeing: continue the last game of the journal if it is this one and not over, else begin one.

        Raises
        ------
        MillchenError
            When the source or the game is not known.
        """
        parsed = parse_source(source, self.uploads)
        check_game(game, options)
        with self._lock:
            self._use(parsed)
            self._corners = corners
            if not self._current_game.resume(game, options, parsed.name):
                self._begin(game, options)
            self._publish(tuple(self._announce(self._current_game.records[-N_REPEATED_ANNOUNCEMENTS:])))
        self._supervisor.start()

    def close(self) -> None:
        """End the vision process and wake every page; what was announced is in the journal already."""
        self._view.publisher.close()
        self._supervisor.close()

    def _begin(self, game: str, options: Mapping[str, Any], *, swap: bool = False) -> None:
        self._current_game.begin(game, options, self._source.name, swap=swap)
        self._restart_vision()

    def _use(self, source: Source) -> None:
        before, self._source = self._source, source
        self._view.source = SourceStatus(source.name, source.kind)
        self._corners = None
        self._restart_vision()
        if before.name.startswith(f"{UPLOAD}:") and before != source:
            self.uploads.remove(before.name)

    def _restart_vision(self) -> None:
        """Have the supervisor replace the vision process."""
        self._supervisor.restart()
        self._view.reset_vision()
        state = "live" if self._source.kind == HAND else "opening"
        self._view.source = replace(self._view.source, state=state, reason="")

    # ------------------------------------------------------------ what pages ask

    @property
    def publisher(self) -> SnapshotPublisher:
        """Hands the newest state to the pages."""
        return self._view.publisher

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self._state.game.variant.board

    @property
    def _state(self) -> GameState:
        return self._current_game.state

    def announcements_after(self, seq: int) -> Sequence[Announcement]:
        """Return what was announced in this game after the journal's number ``seq``."""
        with self._lock:
            return self._announce(self._current_game.records_after(seq))

    def set_paused(self, is_paused: bool) -> None:
        """Let go of the camera while the setup page looks through it, or look through it again."""
        with self._lock:
            self._is_paused = is_paused
            self._restart_vision()

    def request_pictures(self) -> None:
        """Keep pictures coming for a while: somebody is looking."""
        self._supervisor.request_pictures()

    def new_game(self, game: str, options: Mapping[str, Any], source: str | None = None, *, swap: bool = False) -> None:
        """Close the game and begin another one, from another source where one is named.

        With ``swap`` the players of the game before have changed their places, and so their colours.
        """
        parsed = parse_source(source, self.uploads) if source is not None else None
        if (parsed or self._source).kind == "demo":
            game, options = find_demo((parsed or self._source).name).game, {}
        check_game(game, options)
        with self._lock:
            if parsed is not None and parsed != self._source:
                self._use(parsed)
            self._view.vision = VisionStatus()
            self._begin(game, options, swap=swap)
            self._publish()

    def restart_game(self, *, number: int | None = None, swap: bool = False) -> None:
        """Begin the same game again; a film starts at its beginning.

        Where ``number`` is that of another game than this one, somebody else was faster, and nothing is done.
        """
        with self._lock:
            body = self._current_game.records[0].body
            if number in (None, self._current_game.number):
                self.new_game(body["game"], body["options"], swap=swap)

    def use_source(self, source: str) -> None:
        """Take the pictures from another source; a camera continues the game, a film begins its own."""
        parsed = parse_source(source, self.uploads)
        if parsed.is_film:
            body = self._current_game.records[0].body
            self.new_game(body["game"], body["options"], source)
            return
        with self._lock:
            self._use(parsed)
            self._publish()

    def place_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        """Use corners of the field that people have pointed at, clockwise from the upper left one, in pixels."""
        with self._lock:
            self._corners = tuple(corners)
            self._supervisor.send(UseCorners(self._corners))

    def let_foul_stand(self) -> None:
        """Let the foul stand and continue from what lies on the table."""
        with self._lock:
            self.apply_command(let_foul_stand)

    def correct_point(self, point: str, top: int) -> None:
        """Take over what people say lies on a point: 0 nothing, k a stone of player k."""
        with self._lock:
            self.apply_command(partial(correct_stone, shown=self._view.game_with_pending, point=point, top=top))

    def resume_from_seen(self, tops: Sequence[int], to_move: int | None) -> None:
        """Go on from the board as it is seen: by point 0 bare, k a stone of player k; ``to_move`` is 1 first."""
        with self._lock:
            seen = self._view.vision.seen_tops
            self.apply_command(partial(resume_from_seen, seen=seen, tops=tops, to_move=to_move))

    def keep_game(self) -> None:
        """Stay with the game that was chosen, although the board in sight fits another one."""
        with self._lock:
            self._view.decline_other_game()
            self._publish()

    def apply_command(self, command: Callable[[GameState], UnwrittenRecord]) -> None:
        """Apply a person's command; one that changes the game goes through the vision process, if there is one."""
        with self._lock:
            before = self._state
            kind, ply, body = command(before)
            if kind == "turn":
                body |= self._view.clock.turn_fields(time.monotonic())
            record = kind, ply, body
            after = self._current_game.state_with(record, "hand").game
            change = ChangeGame(*record, before.game.ply, after)
            if after is before.game or self.is_idle() or not self._supervisor.send(change):
                self._publish(tuple(self._write(record, "hand")))

    def set_clock(self, change: Callable[[Clock, GameState, float], Clock]) -> None:
        """Change the clock of the table, now."""
        with self._lock:
            clock = self._view.clock
            before = clock.clock
            clock.clock = change(before, self._state, time.monotonic())
            if clock.clock.settings() != before.settings():
                self._write(("clock", None, clock.clock.settings()), "hand")
            self._publish()

    def add_record(self, game: int, kind: str, ply: int | None, body: dict[str, Any]) -> None:
        """Write a person's record for a game, also for one that is over: a name, a remark."""
        with self._lock:
            if game == self._current_game.number:
                self._publish(tuple(self._write((kind, ply, body), "hand")))
            else:
                self._journal.append(game, kind, body, ply=ply, by="hand")

    def keep_records(self, bodies: Sequence[Mapping[str, Any]]) -> list[int]:
        """Keep games that came from a file, all or none, beside the one that is being played; return their numbers."""
        return [record.game for record in self._journal.begin_all(bodies, by="file", kind=IMPORTED)]

    def take_back(self) -> None:
        """Take back the last turn."""
        with self._lock:
            self.apply_command(take_back_turn)

    def health(self) -> dict[str, Any]:
        """Return counters for people who look after the machine."""
        with self._lock:
            return {
                "source": self._view.source.to_json(),
                "sight": self._view.vision.phase,
                **self._counters.to_json(),
                "starts": self._supervisor.n_starts,
                "unsaved": self._current_game.n_unsaved,
                "game": self._current_game.number,
                "ply": self._state.game.ply,
                "sqlite": self._journal.sqlite_version,
            }

    # ------------------------------------------------------------ what the supervisor calls

    def next_job(self) -> VisionJob:
        """Return the job of a new vision process."""
        with self._lock:
            source = self._source
            place = "" if self._is_paused else self.phone_address if source.kind == PHONE else source.place
            known = () if self._is_paused else self.known_tables(source.name)
            first_s = 0.0
            if source.is_film:
                first_s = self._film_position.first_s(self._journal_position, self._state.last_event_s)
            return VisionJob(place, tuple(self._current_game.records), first_s, self._corners, source.is_film, known)

    def is_idle(self) -> bool:
        """Return whether the source has nothing more to show."""
        return self._is_paused or self._source.kind == HAND or self._view.source.state in ("ended", "failed")

    def tick(self) -> None:
        """Try again to write what could not be saved."""
        if not self._current_game.n_unsaved:
            return
        with self._lock:
            announcements = self._announce(self._current_game.write_unsaved())
            if announcements or not self._current_game.n_unsaved:
                self._publish(tuple(announcements))

    def vision_died(self) -> None:
        """Take note that the vision process has died; the game goes on."""
        with self._lock:
            self._source_lost("lost", "")
            self._film_position.vision_died(self._journal_position)

    @property
    def _journal_position(self) -> JournalPosition:
        return self._current_game.number, len(self._current_game.records)

    def receive(self, message: VisionMessage, generation: int) -> None:
        """Take in a message of the vision process, unless it has been replaced meanwhile."""
        with self._lock:
            if generation == self._supervisor.generation:
                self._receive(message)

    def _receive(self, message: VisionMessage) -> None:
        match message:
            case SourceOpened():
                self._view.source = replace(self._view.source, state="live", reason="")
                self._publish()
            case SourceStale():
                self._counters.n_stale += self._view.source.state != "stale"
                self._source_lost("stale", "")
            case EncodedPicture(jpeg):
                self._view.publish_picture(jpeg)
            case GameChanged(kind, ply, body):
                self._publish(tuple(self._write((kind, ply, body), "hand")))
            case SourceEnded(reason, is_over):
                state = "ended" if is_over else "failed" if self._source.is_film else "lost"
                self._source_lost(state, reason)
            case VisionFailed(reason, trace):
                log.error("the eyes failed (%s); new ones go on", reason)
                log.debug("%s", trace)
                self.vision_died()
            case FrameResult():
                self._take_result(message)

    def _take_result(self, result: FrameResult) -> None:
        self._counters.count_frame(result.frame, result.step_ms)
        if self._view.source.state == "stale":
            self._view.source = replace(self._view.source, state="live")
        self._film_position.seen_s = result.time_s
        self._view.update_vision(result.status, result.pending)
        announcements: list[Announcement] = []
        n_before = len(self._current_game.records)
        for event in result.events:
            announcements += self._take_event(event)
        if self._state.keeps_photographs and result.photograph:
            for record in self._current_game.records[n_before:]:
                self.photographs.save(record.seq, result.photograph)
        self._publish(tuple(announcements))
        if result.ply != self._state.game.ply and not self._current_game.n_unsaved:
            log.error("the eyes are at turn %s, the journal at %s: new eyes", result.ply, self._state.game.ply)
            self._restart_vision()

    def _take_event(self, event: Event) -> list[Announcement]:
        """Write an event to the journal where it belongs there; return what is announced."""
        if isinstance(event, BoardFound) and (options := hole_count_options(event, self._state)):
            self._write(("board", None, {"options": options}), "camera")
        if isinstance(event, BoardFound | BoardLost):
            return self._view.announce_field(event)
        if isinstance(event, OtherGameSeen):
            return self._view.announce_other_game(event)
        state = self._state
        if isinstance(event, FOLLOWING) or is_already_recorded(event, state):
            return []
        kind, ply, body = record_of_event(event)
        if kind == "turn":
            colours = self._view.vision.colours
            body |= self._view.clock.turn_fields(time.monotonic())
            body |= {} if colours == state.colours else {"colours": list(colours)}
        return self._write((kind, ply, body), "camera")

    def _write(self, record: UnwrittenRecord, by: str) -> list[Announcement]:
        """Write a record; return what is announced. Only what is written is announced, the rest waits in order."""
        return self._announce(self._current_game.write(record, by))

    def _announce(self, written: Sequence[JournalRecord]) -> list[Announcement]:
        if self._current_game.is_inconsistent:
            log.error("the eyes reported what cannot be: new eyes")
            self._current_game.is_inconsistent = False
            self._restart_vision()
        return self._view.announce(written)

    def _source_lost(self, state: str, reason: str) -> None:
        """Publish that the source shows nothing, with its new state; unless nothing was to be seen anyway."""
        if self._is_paused or self._source.kind == HAND:
            return
        if state == "lost":
            self._counters.count_loss()
        self._view.source = replace(self._view.source, state=state, reason=reason)
        self._publish()

    def _publish(self, announcements: tuple[Announcement, ...] = ()) -> None:
        self._view.publish(announcements)
