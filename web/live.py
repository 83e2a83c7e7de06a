"""The loop of one table: eyes in a child process, the journal, and what the pages see.

What the eyes report is written to the journal first and published after. When the eyes die (a camera that crashes its
driver) or the source goes away, new ones are started from the game that the journal holds. This is the only clock of
a table.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.board import Board
from referee.events import BoardFound, BoardLost, Event, TurnPlayed
from referee.moves import Move
from web import eyes
from web.byhand import check_point, is_by_hand, sentences
from web.course import Course, begin, board_options, event_of, is_kept, is_told, record_body, replay, start_body, tell
from web.errors import ShellError
from web.games import check_game
from web.gameview import game_view, with_begun
from web.journal import Journal
from web.keeper import Keeper, Look
from web.record import Record
from web.snapshot import Announcement, Desk, Picture, Sight, Snapshot, SourceView
from web.sources import Source, demo, understand
from web.stonecolours import colour_names, steady

log = logging.getLogger("millchen.live")

Say = Callable[[Event, tuple[str, ...], Board], Mapping[str, Mapping[str, str]]]
"""From an event, the names of the stones' colours (empty where unknown) and the board to its sentences: by kind
("texts" for the eye, "spoken" for the ear, "title" for fouls) and language."""

REPEATED = 12  # announcements of an older run that the page shows again
REST_S = 0.4  # a turn is accepted at the end of a rest at least so long
PAST_S = 0.01


class LiveTable:
    """A table that is being refereed; its methods may be called from any thread.

    Parameters
    ----------
    journal : Journal
    say : callable
    look : callable
        What the child process runs; tests give their own.
    """

    def __init__(self, journal: Journal, say: Say, look: Look = eyes.look) -> None:
        self._journal = journal
        self._say = say
        self._desk = Desk()
        self._lock = threading.RLock()
        self._keeper = Keeper(self, look)
        self._version = 0
        self._number = 0
        self._records: list[Record] = []
        self._course: Course | None = None
        self._source = Source("", "file", "")
        self._source_view = SourceView("", "file")
        self._sight = Sight()
        self._pending: tuple[Move, ...] = ()
        self._unsaved: deque[tuple[str, int | None, dict[str, Any], str]] = deque()
        self._corners: eyes.Corners | None = None
        self._seen_s = 0.0
        self._failed_at, self._n_failed = (0, 0), 0
        self._is_found = False
        self._n_pictures = 0
        self._n_frames = self._n_losses = 0
        self._step_ms = 0.0

    # ------------------------------------------------------------ opening and closing

    def open(self, source: str, game: str, options: Mapping[str, Any], corners: eyes.Corners | None = None) -> None:
        """Sit down: go on with the last game of the journal where it is this one and not over, else begin one.

        Raises
        ------
        ShellError
            When the source or the game is not known.
        """
        found = understand(source)
        wanted = start_body(game, options, found.name)
        check_game(game, options)
        with self._lock:
            self._use(found)
            self._corners = corners
            last = self._journal.last_game()
            if last is None or not self._take_up(last, wanted):
                self._begin(game, options)
            self._publish(self._recall())
        self._keeper.start()

    def close(self) -> None:
        """Get up: end the eyes and wake every page. What was announced is in the journal already."""
        self._desk.close()
        self._keeper.close()

    def _take_up(self, number: int, wanted: Mapping[str, Any]) -> bool:
        records = self._journal.records(number)
        if not records or records[0].kind != "start" or dict(records[0].body) != dict(wanted):
            return False
        try:
            course = replay(records)
        except (ValueError, KeyError, TypeError):
            log.exception("game %s of the journal cannot be replayed; a new one begins", number)
            return False
        if course.game.outcome is not None:
            return False
        self._number, self._records, self._course = number, list(records), course
        return True

    def _recall(self) -> tuple[Announcement, ...]:
        return tuple(a for record in self._records[-REPEATED:] if (a := self._announcement(record)) is not None)

    def _begin(self, game: str, options: Mapping[str, Any]) -> None:
        """Begin a new game in the journal."""
        number = (self._journal.last_game() or 0) + 1
        record = self._journal.append(number, "start", start_body(game, options, self._source.name), by="hand")
        self._number, self._records, self._course = number, [record], begin(record)
        self._unsaved.clear()
        self._new_eyes()

    def _use(self, source: Source) -> None:
        self._source = source
        self._source_view = SourceView(source.name, source.kind)
        self._corners = None
        self._new_eyes()

    def _new_eyes(self) -> None:
        """Have the loop end the present eyes and start others."""
        self._keeper.renew()
        self._sight = Sight(colours=self._sight.colours)
        self._pending = ()
        self._is_found = False
        self._source_view = replace(self._source_view, state="opening", reason="")

    # ------------------------------------------------------------ what pages ask

    @property
    def desk(self) -> Desk:
        """Where the newest state lies."""
        return self._desk

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self._now.game.variant.board

    @property
    def _now(self) -> Course:
        if self._course is None:
            raise RuntimeError("the table is not open")
        return self._course

    def missed(self, seq: int) -> Sequence[Announcement]:
        """What was announced in this game after the journal's number ``seq``."""
        with self._lock:
            later = [record for record in self._records if record.seq > seq]
            return [a for record in later if (a := self._announcement(record)) is not None]

    def want_picture(self) -> None:
        """Somebody is looking: keep pictures coming for a while."""
        self._keeper.want_picture()

    def new_game(self, game: str, options: Mapping[str, Any], source: str | None = None) -> None:
        """Close the game and begin another one, from another source where one is named."""
        found = understand(source) if source is not None else None
        if (found or self._source).kind == "demo":
            game, options = demo().game, {}
        check_game(game, options)
        with self._lock:
            if found is not None and found != self._source:
                self._use(found)
            self._sight = Sight()
            self._begin(game, options)
            self._publish()

    def again(self) -> None:
        """Begin the same game again; a film starts at its beginning."""
        body = self._records[0].body
        self.new_game(body["game"], body["options"])

    def use_source(self, source: str) -> None:
        """Take the pictures from elsewhere; a camera goes on with the game, a film begins its own."""
        found = understand(source)
        if found.is_film:
            body = self._records[0].body
            self.new_game(body["game"], body["options"], source)
            return
        with self._lock:
            self._use(found)
            self._publish()

    def place_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        """The corners of the field as people see them, clockwise from the upper left one, in pixels."""
        with self._lock:
            self._corners = tuple(corners)
            self._keeper.tell(eyes.UseCorners(self._corners))

    def play_on(self) -> None:
        """Let the foul stand and go on from what lies on the table."""
        with self._lock:
            if self._now.foul is None:
                raise ShellError("there is no foul that could stand")
            self._command(eyes.PlayOn())

    def correct(self, point: str, top: int) -> None:
        """Take the players' word for what lies on a point: 0 nothing, k a stone of player k."""
        with self._lock:
            check_point(self._now.game, point, top)
            self._command(eyes.Correct(point, top))

    def take_back(self) -> None:
        """Take back the last turn."""
        with self._lock:
            if not self._now.game.turns:
                raise ShellError("nothing has been played that could be taken back")
            self._command(eyes.TakeBack())

    def _command(self, command: eyes.Command) -> None:
        if not self._keeper.tell(command):
            raise ShellError("the camera is away: the game goes on when it is back")

    def health(self) -> dict[str, Any]:
        """Counters for people who look after the machine."""
        with self._lock:
            return {
                "source": self._source_view.to_json(),
                "sight": self._sight.sight,
                "frames": self._n_frames,
                "starts": self._keeper.n_starts,
                "losses": self._n_losses,
                "step_ms": round(self._step_ms, 1),
                "unsaved": len(self._unsaved),
                "game": self._number,
                "ply": self._now.game.ply,
                "sqlite": self._journal.sqlite_version,
            }

    # ------------------------------------------------------------ what the keeper of the eyes asks and tells

    def next_job(self) -> eyes.Job:
        """What new eyes are to look at."""
        with self._lock:
            source = self._source
            return eyes.Job(source.place, tuple(self._records), self._resume_s(), self._corners, source.is_film)

    def is_waiting(self) -> bool:
        """The source has nothing more to show."""
        return self._source_view.state in ("ended", "failed")

    def tick(self) -> None:
        """Try again what could not be saved."""
        if not self._unsaved:
            return
        with self._lock:
            said = self._write_waiting()
            if said or not self._unsaved:
                self._publish(tuple(said))

    def gone(self) -> None:
        """The eyes have died; the game has not."""
        with self._lock:
            self._source_away("lost", "")
            self._n_failed = self._n_failed + 1 if self._failed_at == self._place else 1
            self._failed_at = self._place

    def _resume_s(self) -> float:
        """Where new eyes take up a film: at the last rest in which the table showed what the journal says."""
        if not self._source.is_film:
            return 0.0
        if self._failed_at == self._place and self._n_failed > 1:
            return self._seen_s + PAST_S  # eyes died twice in the same stretch: what is there is passed over
        return max(0.0, (self._now.last_s or 0.0) - REST_S)

    @property
    def _place(self) -> tuple[int, int]:
        return self._number, len(self._records)

    def hear(self, message: eyes.Message, generation: int) -> None:
        """Take in what the eyes say, unless they have been replaced meanwhile."""
        with self._lock:
            if generation == self._keeper.generation:
                self._hear(message)

    def _hear(self, message: eyes.Message) -> None:
        match message:
            case eyes.Opened():
                self._source_view = replace(self._source_view, state="live", reason="")
                self._publish()
            case eyes.Jpeg(jpeg):
                self._n_pictures += 1
                self._desk.show(Picture(jpeg, self._n_pictures))
            case eyes.ByHand(kind, ply, body):
                self._publish(tuple(self._keep(kind, ply, body, "hand")))
            case eyes.Ended(reason, is_over):
                state = "ended" if is_over else "failed" if self._source.is_film else "lost"
                self._source_away(state, reason)
            case eyes.Failed(reason, trace):
                log.error("the eyes failed (%s); new ones go on", reason)
                log.debug("%s", trace)
                self.gone()
            case eyes.Seen():
                self._take_in(message)

    def _take_in(self, seen: eyes.Seen) -> None:
        self._n_frames = max(self._n_frames, seen.frame + 1)
        self._seen_s = seen.time_s
        self._step_ms += 0.05 * (seen.step_ms - self._step_ms)
        colours = steady(self._sight.colours, seen.sight.colours)
        self._sight, self._pending = replace(seen.sight, colours=colours), seen.pending
        said: list[Announcement] = []
        for event in seen.events:
            said += self._take_event(event)
        self._publish(tuple(said))
        if seen.ply != self._now.game.ply and not self._unsaved:
            log.error("the eyes are at turn %s, the journal at %s: new eyes", seen.ply, self._now.game.ply)
            self._new_eyes()

    def _take_event(self, event: Event) -> list[Announcement]:
        if isinstance(event, BoardFound) and (options := board_options(event, self._now)):
            self._keep("board", None, {"options": options}, "camera")
        if not is_kept(event):
            is_news = self._is_found if isinstance(event, BoardLost) else not self._is_found
            self._is_found = isinstance(event, BoardFound)
            kind = "board" if self._is_found else "lost"
            return [Announcement(None, self._number, kind, self._texts(event))] if is_news else []
        course = self._now
        if is_told(event, course):
            return []
        said: list[Announcement] = []
        if isinstance(event, TurnPlayed) and event.ply == course.game.ply + 2 and course.foul is not None:
            # The next turn was made on top of a foul: the players have let it stand without saying so.
            said += self._keep("stood", event.ply - 1, {"tops": list(course.foul.seen_tops)}, "camera")
        kind, ply, body = record_body(event)
        return said + self._keep(kind, ply, body, "camera")

    def _keep(self, kind: str, ply: int | None, body: dict[str, Any], by: str) -> list[Announcement]:
        """Write an event down; only what is written is told. What cannot be written waits in order."""
        self._unsaved.append((kind, ply, body, by))
        return self._write_waiting()

    def _write_waiting(self) -> list[Announcement]:
        said: list[Announcement] = []
        while self._unsaved:
            kind, ply, body, by = self._unsaved[0]
            try:
                # Tried before it is written: what the journal holds can always be replayed.
                course = tell(self._now, Record(0, self._number, kind, ply, body, "", by))
            except ValueError:
                log.exception("the eyes reported what cannot be: new eyes")
                self._unsaved.clear()
                self._new_eyes()
                break
            try:
                record = self._journal.append(self._number, kind, body, ply=ply, by=by)
            except ShellError as why:
                log.error("not saved: %s", why)
                break
            self._unsaved.popleft()
            self._records.append(record)
            self._course = course
            announcement = self._announcement(record)
            if announcement is not None:
                said.append(announcement)
        return said

    def _announcement(self, record: Record) -> Announcement | None:
        if record.kind in ("start", "board", "stood"):
            return None
        if is_by_hand(record):
            said = sentences(record, colour_names(self._sight.colours), self.board)
            return Announcement(record.seq, record.game, record.kind, said)
        return Announcement(record.seq, record.game, record.kind, self._texts(event_of(record, self._now)))

    def _texts(self, event: Event) -> Mapping[str, Mapping[str, str]]:
        return self._say(event, colour_names(self._sight.colours), self.board)

    def _source_away(self, state: str, reason: str) -> None:
        if state == "lost":
            self._n_losses += 1
        self._source_view = replace(self._source_view, state=state, reason=reason)
        self._publish()

    def _publish(self, said: tuple[Announcement, ...] = ()) -> None:
        self._version += 1
        shown = with_begun(self._now.game, () if self._unsaved else self._pending)
        view = game_view(self._number, self._now, shown, self._texts)
        self._desk.publish(Snapshot(self._version, view, self._sight, self._source_view, not self._unsaved), said)
