"""The vision process: camera and vision in a child process of the table.

The parent starts it with a `VisionJob` and reads its messages from a pipe. A crash of native code in here costs a
restart and not the game: the journal has what was accepted, and a new process continues from there.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection

import cv2
import numpy as np

from calibration.known_table import begin_with_known_table
from languages import message_of
from referee.boards import boards_for
from referee.events import Event
from vision.capture.sources import FrameSource, SourceError, open_source
from vision.imaging.frame import Frame, Image
from vision.pipeline import finish, step, was_looked_at
from vision.watching.player_actions import change_game, correct_game, place_field, resume_from
from vision.watching.state import State, Table, start
from web.game.event_records import UNRECORDED
from web.game.records import KINDS
from web.game.replay import replay
from web.table.camera_process import PARENT_GONE, quieten
from web.table.vision_messages import (
    ChangeGame,
    Corners,
    CrashCause,
    CrashRiskNotice,
    EncodedPicture,
    FrameResult,
    SendPicture,
    SourceEnded,
    SourceOpened,
    SourceStale,
    UseCorners,
    VisionCommand,
    VisionFailed,
    VisionJob,
)
from web.table.vision_report import VisionReporter, pending_moves

MAX_PICTURE_WIDTH_PX = 1280
"""Width of the pictures for pages, in pixels.

A page shows them smaller, and a 4K camera would fill the pipe. Source: chosen.
"""

PAGE_JPEG_QUALITY = 82
"""Quality of these pictures by OpenCV's scale of 0 to 100; one of 1280x720 has about 100 kB. Source: chosen."""

STATUS_INTERVAL_S = 1.0
"""Longest time between two results while frames come, in seconds; they are the sign of life. Source: chosen."""

MAX_LATENESS_S = 0.5
"""Lateness of a film in seconds up to which it drops frames; beyond that it waits for vision. Source: chosen."""


def run_vision(pipe: Connection, job: VisionJob) -> None:
    """Referee a source until it ends or the parent goes away: the target of the child process."""
    quieten()
    try:
        _run(pipe, job)
    except PARENT_GONE:
        return
    except Exception as why:
        with suppress(OSError):
            pipe.send(VisionFailed(f"{type(why).__name__}: {why}", traceback.format_exc()))


def _run(pipe: Connection, job: VisionJob) -> None:
    pipe.send(CrashRiskNotice(CrashCause.GAME))
    kept = replay(job.records)
    game = kept.game
    # a position that was set up lies on one board alone, with as many holes as that has
    table = Table(game.variant, (game.variant.board,) if game.is_set_up else boards_for(game.variant))
    is_disputed = kept.foul is not None or kept.question is not None
    state = replace(start(table, game), told_colours=kept.colours, is_disputed=is_disputed)
    pipe.send(CrashRiskNotice(CrashCause.SOURCE))
    try:
        settings = next((known.settings for known in job.known_tables if known.settings), None)
        source = open_source(
            job.source, settings=settings, defers_pixels=True, on_stale=lambda age_s: pipe.send(SourceStale(age_s))
        )
    except SourceError as why:
        pipe.send(SourceEnded(message_of(why), is_over=False))
        return
    loop = _VisionLoop(pipe, job, replace(table, photographs=source.is_photo_series), state)
    pipe.send(SourceOpened())
    with source:
        try:
            last = None
            for frame in _frames_of(source, job):
                loop.take_commands()
                last = frame if loop.process(frame) else last
            if job.is_film and last is not None:
                loop.process(last, is_last=True)
        except SourceError as why:
            pipe.send(SourceEnded(message_of(why), is_over=False))
            return
    pipe.send(SourceEnded("", is_over=job.is_film))


class _VisionLoop:
    """Takes commands from the pipe, processes frames and sends the results."""

    def __init__(self, pipe: Connection, job: VisionJob, table: Table, state: State) -> None:
        self._pipe, self._table, self._state = pipe, table, state
        self._corners: Corners | None = job.corners
        self._known_tables = job.known_tables  # tried with the first frame only
        self._reporter = VisionReporter(gives_advice=job.gives_advice)
        self._owes_picture = False
        self._n_changes = 0
        self._sent: FrameResult | None = None
        self._sent_s = 0.0

    def take_commands(self) -> None:
        """Carry out the commands that have arrived."""
        while self._pipe.poll():
            command: VisionCommand = self._pipe.recv()
            match command:
                case UseCorners(corners):
                    self._corners = corners
                case SendPicture():
                    self._owes_picture = True
                case ChangeGame():
                    self._state, self._n_changes = apply_change(self._state, command), command.number

    def process(self, frame: Frame, *, is_last: bool = False) -> bool:
        """Process a frame; send its result where it is news, and the frame where a picture was asked for.

        With ``is_last`` the film has ended with this frame, and what is open is decided or asked. Returns whether the
        frame was looked at.
        """
        began = time.perf_counter()
        events = self._place_field(frame)
        self._state, more = (finish if is_last else step)(self._state, frame, self._table)
        step_ms = (time.perf_counter() - began) * 1000
        status, pending = self._reporter.status(self._state, frame), pending_moves(self._state)
        events += more
        photograph = encode_picture(frame.bgr) if any(not isinstance(event, UNRECORDED) for event in events) else b""
        ply = self._state.game.ply
        at = frame.sequence, frame.time_s
        result = FrameResult(events, status, ply, pending, *at, step_ms, photograph, self._n_changes)
        now = time.monotonic()
        is_news = self._sent is None or (status, pending) != (self._sent.status, self._sent.pending)
        if result.events or is_news or now - self._sent_s > STATUS_INTERVAL_S:
            self._pipe.send(result)
            self._sent, self._sent_s = result, now
        if self._owes_picture:
            self._pipe.send(EncodedPicture(encode_picture(frame.bgr)))
            self._owes_picture = False
        return was_looked_at(self._state, frame)

    def _place_field(self, frame: Frame) -> tuple[Event, ...]:
        """Place the field where somebody has pointed at it, or where a known table has it; return the events."""
        events: tuple[Event, ...] = ()
        if self._corners is not None:
            self._pipe.send(CrashRiskNotice(CrashCause.CORNERS))
            boards = (self._state.game.variant.board,)  # the one that the page draws into the corners
            corners_px = np.array(self._corners, np.float64)
            if self._reporter.accepts_corners(corners_px, frame.size_px):
                self._state, events = place_field(self._state, frame, replace(self._table, boards=boards), corners_px)
            self._corners = None
        elif self._known_tables:
            self._pipe.send(CrashRiskNotice(CrashCause.KNOWN_TABLES))
            self._state, events, self._table, self._reporter.known_table_note = begin_with_known_table(
                self._known_tables, self._state, frame, self._table
            )
        elif self._sent is None:
            self._pipe.send(CrashRiskNotice(None))
        self._known_tables = ()
        return events


def apply_change(state: State, command: ChangeGame) -> State:
    """Return the state after a person has changed the game; what was accepted in between is void."""
    if command.kind == "resumed":
        to_move = command.body["to_move"]
        return resume_from(state, command.game.position.tops, None if to_move is None else to_move - 1)
    if command.kind in KINDS and KINDS[command.kind].is_correction:
        return correct_game(state, command.game)
    # The table shows a foul that stands already; anything else people still have to do by hand.
    return change_game(state, command.game, recheck=command.kind == "stood")


def _frames_of(source: FrameSource, job: VisionJob) -> Iterator[Frame]:
    """Yield the frames of a source; those of a film from ``job.first_s`` on, at its own speed like a camera's."""
    if not job.is_film:
        yield from source
        return
    yield from pace_film((frame for frame in source if frame.time_s >= job.first_s), time.monotonic, time.sleep)


def pace_film(frames: Iterator[Frame], clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Frame]:
    """Yield each frame of a film at its time.

    Frames that come a little late are dropped. When much time was lost at once (vision searched for the field), the
    film waits instead, so that nothing that happens in it is missed.
    """
    offset_s: float | None = None
    last_s = -1.0
    for frame in frames:
        now = clock()
        if offset_s is None:
            offset_s = now - frame.time_s
        late_s = now - offset_s - frame.time_s
        if late_s < 0:
            sleep(-late_s)
        elif late_s > MAX_LATENESS_S:
            offset_s += late_s
        elif late_s > 0.1 and frame.time_s - last_s < 0.12:  # late, and the frame before it is not old yet
            continue
        last_s = frame.time_s
        yield frame


def encode_picture(bgr: Image) -> bytes:
    """Return an image as a JPEG for the page, scaled down to `MAX_PICTURE_WIDTH_PX` where it is wider.

    Args:
        bgr: uint8 array of shape (H, W, 3).
    """
    height, width = bgr.shape[:2]
    if width > MAX_PICTURE_WIDTH_PX:
        size = (MAX_PICTURE_WIDTH_PX, round(height * MAX_PICTURE_WIDTH_PX / width))
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, PAGE_JPEG_QUALITY])
    return np.asarray(data, np.uint8).tobytes()
