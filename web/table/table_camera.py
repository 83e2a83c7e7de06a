"""The camera of a table: its source, the process that looks through it, and how both fare.

In come a source, corners and changes of the game, and the messages of the process. Out go the state of the source and
its pictures to the pages, and each `FrameResult` to the table. When the process dies (a camera that crashes its driver)
or the source goes away, a new process starts from the game that the journal has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from languages import message
from web.game.first_record import HAND
from web.game.page_state import SourceStatus
from web.journal.journal_record import UnwrittenRecord
from web.net.film_upload import UPLOAD, FilmUploads
from web.table import vision_messages
from web.table.current_game import CurrentGame
from web.table.publisher import TablePublisher
from web.table.source_counters import SourceCounters
from web.table.source_names import PHONE, Source, parse_source
from web.table.supervisor import CameraGuest, VisionRestartPolicy, VisionSupervisor, VisionTarget
from web.table.vision_process import run_vision

log = logging.getLogger("millchen.live")


class TableCamera:
    """One table's source and the process that looks through it; any thread may call, under the table's ``lock``.

    The table sets ``on_result``, which takes each `FrameResult`, and ``on_tick``, which is called all the time.
    """

    def __init__(
        self,
        game: CurrentGame,
        publisher: TablePublisher,
        uploads: FilmUploads,
        lock: AbstractContextManager[Any],
        vision_target: VisionTarget | None,
    ) -> None:
        self._game, self._publisher, self._uploads, self._lock = game, publisher, uploads, lock
        self._vision_target = run_vision if vision_target is None else vision_target
        self.on_result: Callable[[vision_messages.FrameResult], None] = lambda _: None
        self.on_tick: Callable[[], None] = lambda: None
        self.known_tables: vision_messages.FindKnownTables = lambda _: ()
        self.phone_address = ""  # on this computer, from which the pictures of a phone come
        self.source = Source("", "file", "")  # with the password of a camera that has one
        self.counters = SourceCounters()
        self.change_seq = 0  # the journal's number of the newest record that the vision process had to be told of
        self.supervisor = VisionSupervisor(self)
        self._restarts = VisionRestartPolicy()
        self._guest: CameraGuest | None = None  # that has the camera now; the game rests
        self._guest_process: tuple[Callable[..., None], Sequence[Any]] = self._vision_target, ()

    # ------------------------------------------------------------ what it looks at

    def parse(self, text: str) -> Source:
        """Return the source that a page names; pages know the present one without its password."""
        is_present = self.source.kind == "address" and text.strip() == self.source.name
        return self.source if is_present else parse_source(text, self._uploads)

    def find_source(self, text: str) -> Source:
        """Return the source that a text names, as it is opened from here."""
        source = parse_source(text, self._uploads)
        return replace(source, place=self._place_of(source))

    def _place_of(self, source: Source) -> str:
        """Return where the pictures of a source come from; those of a phone come through this table's own page."""
        return self.phone_address if source.kind == PHONE else source.place

    def use(self, source: Source, corners: vision_messages.Corners | None = None) -> None:
        """Look through another source from now on."""
        before, self.source = self.source, source
        self._publisher.source = SourceStatus(source.name, source.kind, has_answered=False)
        self._restarts.use(source, corners)
        self.restart()
        if before.name.startswith(f"{UPLOAD}:") and before != source:
            self._uploads.remove(before.name)

    def place_corners(self, corners: vision_messages.Corners) -> None:
        """Use corners of the field that people have pointed at, clockwise from the upper left one, in pixels."""
        with self._lock:
            self._restarts.place(corners)
            self.supervisor.send(vision_messages.UseCorners(corners))

    def change_game(self, record: UnwrittenRecord) -> None:
        """Tell vision the newest game, and by which record it differs; what vision saw of another one is void."""
        self.change_seq = self._game.records[-1].seq
        change = vision_messages.ChangeGame(record.kind, record.body, self._game.state.game, self.change_seq)
        if not self.supervisor.send(change):
            self.restart()  # one that is just starting has another game

    def restart(self) -> None:
        """Have a new process look, from the newest game on."""
        if self._guest is None:
            self.supervisor.restart()
        self._publisher.reset_vision()
        problem = self.source.problem
        self._set_state("live" if self.source.kind == HAND else "failed" if problem else "opening", problem)

    def lend(self, guest: CameraGuest | None, look: Callable[..., None] = run_vision, *arguments: Any) -> None:
        """Leave the process to a guest, which runs ``look`` there, or with None look through it again."""
        with self._lock:
            self._guest = None
            self._restarts.use(self.source, self._restarts.corners)  # the table may have been measured anew
            self.restart()
            self._guest, self._guest_process = guest, (look, arguments)

    @property
    def is_idle(self) -> bool:
        """Whether the source has nothing more to show, or nobody refereeing looks."""
        return (
            self._guest is not None or self.source.kind == HAND or self._publisher.source.state in ("ended", "failed")
        )

    @property
    def time_fields(self) -> dict[str, Any]:
        """The fields of a record that say when the source showed what it is about."""
        return {"t": round(self._restarts.seen_s, 3), "frame": self.counters.n_frames}

    # ------------------------------------------------------------ what the supervisor calls

    def next_process(self) -> tuple[Callable[..., None], Sequence[Any]]:
        """Return the function that a new process runs, and its arguments."""
        with self._lock:
            return (self._vision_target, [self.next_job()]) if self._guest is None else self._guest_process

    def needs_no_process(self) -> bool:
        """Return whether there is nothing to look at."""
        guest = self._guest
        return self.is_idle if guest is None else bool(guest.gone_reason)

    def next_job(self) -> vision_messages.VisionJob:
        """Return the job of a new vision process."""
        source, state, restarts = self.source, self._game.state, self._restarts
        first_s = restarts.first_s(self._game.progress, state.time_s) if source.is_film else 0.0
        restarts.begin()
        is_demo = source.kind == "demo"
        return vision_messages.VisionJob(
            self._place_of(source),
            tuple(self._game.records),
            first_s,
            restarts.corners,
            source.is_film,
            gives_advice=not is_demo,
            known_tables=self.known_tables(source.name) if restarts.uses_known_tables else (),
            cases=None if is_demo or state.lesson is not None else self._game.data_folder,
        )

    def tick(self) -> None:
        """Do what has to be done every few hundredths of a second."""
        if (guest := self._guest) is not None:
            guest.tick()
        self.on_tick()

    def vision_died(self, *, has_failed: bool = False) -> None:
        """Take note that the process has died, or ``has_failed`` by an error of its own; the game goes on."""
        with self._lock:
            if self._guest is not None:
                self._guest.receive(vision_messages.SourceEnded(message("camera.unplugged"), is_over=False))
            else:
                self._lose_source(*self._restarts.died(self._game.progress, has_failed=has_failed))

    def receive(self, news: Any, generation: int) -> None:
        """Take in a message of the process, unless it has been replaced meanwhile."""
        with self._lock:
            if generation == self.supervisor.generation:
                (self.take_message if self._guest is None else self._guest.receive)(news)

    def take_message(self, news: vision_messages.VisionMessage) -> None:
        """Take in a message of vision."""
        publisher = self._publisher
        match news:
            case vision_messages.CrashRiskNotice(cause):
                self._restarts.risk = cause
            case vision_messages.SourceNews.OPENED:
                publisher.source = replace(publisher.source, state="live", reason="", has_answered=True)
                publisher.publish()
            case vision_messages.SourceNews.STALE:
                self.counters.n_stale += publisher.source.state != "stale"
                self._lose_source("stale", "")
            case vision_messages.EncodedPicture(jpeg):
                publisher.publish_picture(jpeg)
            case vision_messages.SourceEnded(reason, is_over):
                state = "ended" if is_over else "failed" if self.source.is_film else "lost"
                self._lose_source(state, self._restarts.lost(reason) if state == "lost" else reason)
            case vision_messages.VisionFailed(reason, trace):
                log.error("vision failed (%s); a new process goes on", reason)
                log.debug("%s", trace)
                self.vision_died(has_failed=True)
            case vision_messages.FrameResult():
                self.counters.count_frame(news.frame, news.step_ms)
                if publisher.source.state == "stale":
                    publisher.source = replace(publisher.source, state="live")
                self._restarts.saw(news.time_s)
                publisher.update_sight(news.sight, news.pending, self._restarts.disabled_features_note)
                self.on_result(news)

    def _lose_source(self, state: str, reason: str) -> None:
        """Publish that the source shows nothing, with its new state; unless nothing was to be seen anyway."""
        if self._guest is not None or self.source.kind == HAND:
            return
        if state == "lost":
            self.counters.count_loss()
        self._set_state(state, reason)
        self._publisher.publish()

    def _set_state(self, state: str, reason: str) -> None:
        self._publisher.source = replace(self._publisher.source, state=state, reason=reason)
