"""The eyes: camera and vision in a process of their own.

The parent starts one with a `VisionJob` and reads messages from a pipe. A native crash in here costs a restart, not the
game: what is accepted lies in the journal, and new eyes begin from there.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import cv2
import numpy as np

from calibration.start import KnownTable, take_up
from referee.events import Event
from referee.game import Game
from referee.moves import Move
from vision.capture.sources import FrameSource, SourceError, open_source
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.imaging.patches import log_colour_to_hex
from vision.pipeline import step
from vision.player_actions import change_game, correct_game, place_field
from vision.rotation.angle_at_rest import DiscStrips, featureless_rings
from vision.state import State, Table, boards_for, start
from vision.stones.appearance import Appearance
from vision.stones.separability import FIELD, pairwise_separability
from web.game.hand_corrections import CORRECTION_KINDS
from web.game.replay import is_recorded, replay
from web.game.snapshot import VisionStatus
from web.journal.journal_record import Record

Corners = tuple[tuple[float, float], ...]

PICTURE_WIDTH = 1280  # px; a page shows it smaller, and a 4K camera would starve the pipe
JPEG_QUALITY = 82  # about 100 kB at 1280x720
QUIET = {"OPENCV_LOG_LEVEL": "ERROR", "OPENCV_FFMPEG_LOGLEVEL": "-8"}  # what a camera lacks is said in our own words
PULSE_S = 1.0  # a sign of life at least so often while frames come
WARNED_PLIES = 4  # turns after which nobody changes the stones any more
LATE_S = 0.5  # a film that is later than this waits for the eyes instead of dropping what they would have seen


@dataclass(frozen=True, slots=True)
class VisionJob:
    """What new eyes are to look at.

    Attributes
    ----------
    source : str
        As `vision.capture.sources.open_source` understands it.
    records : tuple of Record
        The game so far; its first record names the game.
    first_s : float
        What a film shows before this time has been refereed already.
    corners : four (x, y) or None
        The field, where somebody has pointed at it, in pixels.
    is_film : bool
        The source is played at its own speed.
    known : tuple of KnownTable
        Tables that were measured through this source.
    """

    source: str
    records: tuple[Record, ...]
    first_s: float = 0.0
    corners: Corners | None = None
    is_film: bool = False
    known: tuple[KnownTable, ...] = ()


# Parent to eyes.


@dataclass(frozen=True, slots=True)
class UseCorners:
    """Somebody has pointed at the four corners, in pixels."""

    corners: Corners


@dataclass(frozen=True, slots=True)
class ChangeGame:
    """A person changes the game.

    Attributes
    ----------
    kind : str
    ply : int or None
    body : dict
        Of the record of it.
    after_ply : int
        Complete turns of the game that it changes; a turn that was accepted meanwhile makes it void.
    game : Game
        The game after it.
    """

    kind: str
    ply: int | None
    body: dict[str, Any]
    after_ply: int
    game: Game


@dataclass(frozen=True, slots=True)
class SendPicture:
    """Send one more picture when there is a new one."""


# Eyes to parent.


@dataclass(frozen=True, slots=True)
class SourceOpened:
    """The source is open."""


@dataclass(frozen=True, slots=True)
class SourceStale:
    """The source is open but has shown nothing new for so many seconds."""

    age_s: float


@dataclass(frozen=True, slots=True)
class FrameResult:
    """A frame was taken in.

    Attributes
    ----------
    events : tuple of Event
        What is to be said, in order.
    sight : Sight
    ply : int
        Complete turns of the game as the eyes have it.
    pending : tuple of Move
        Moves of a turn that has begun and still owes its captures.
    frame : int
        Number of the frame in the source.
    time_s : float
        Its time, seconds since the source was opened.
    step_ms : float
        What taking it in has cost.
    photo : bytes
        The frame as a JPEG where something is to be said of the game, else empty.
    """

    events: tuple[Event, ...]
    sight: VisionStatus
    ply: int
    pending: tuple[Move, ...]
    frame: int
    time_s: float
    step_ms: float
    photo: bytes = b""


@dataclass(frozen=True, slots=True)
class GameChanged:
    """A person's change was taken up, and the record of it: kind, ply and body."""

    kind: str
    ply: int | None
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    """One picture."""

    jpeg: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """There are no more frames; ``reason`` is empty at the end of a film."""

    reason: str
    is_over: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """The eyes made a mistake of their own; ``trace`` is for those who mend it."""

    reason: str
    trace: str


Message = SourceOpened | SourceStale | FrameResult | GameChanged | EncodedPicture | Ended | Failed
Command = UseCorners | ChangeGame | SendPicture


def run_vision(pipe: Connection, job: VisionJob) -> None:
    """Be the eyes until the source ends or the parent goes away: the target of the child process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends us in its own time
    for name, quiet in QUIET.items():
        os.environ.setdefault(name, quiet)
    try:
        _run(pipe, job)
    except (BrokenPipeError, EOFError, ConnectionResetError):
        return  # the parent is gone; nothing here is worth keeping
    except Exception as why:
        with suppress(OSError):
            pipe.send(Failed(f"{type(why).__name__}: {why}", traceback.format_exc()))


def _run(pipe: Connection, job: VisionJob) -> None:
    game = replay(job.records).game
    try:
        settings = next((known.settings for known in job.known if known.settings), None)
        source = open_source(job.source, settings=settings, on_stale=lambda age_s: pipe.send(SourceStale(age_s)))
    except SourceError as why:
        pipe.send(Ended(str(why), is_over=False))
        return
    table = Table(game.variant, boards_for(game.variant), photographs=source.is_photo_series)
    state = start(table, game)
    pipe.send(SourceOpened())
    corners, known = job.corners, job.known
    note: Mapping[str, str] = {}
    wants_picture = False
    told: tuple[VisionStatus, tuple[Move, ...]] | None = None
    told_at = 0.0
    compared: tuple[float, ...] = ()
    alike: tuple[tuple[int, int, float], ...] = ()
    strips: DiscStrips | None = None
    plain: tuple[int, ...] = ()
    with source:
        try:
            for frame in _frames(source, job):
                while pipe.poll():
                    command: Command = pipe.recv()
                    if isinstance(command, UseCorners):
                        corners = command.corners
                    elif isinstance(command, SendPicture):
                        wants_picture = True
                    else:
                        state, done = obey(state, frame, command)
                        if done is not None:
                            pipe.send(done)
                began = time.perf_counter()
                events: tuple[Event, ...] = ()
                if corners is not None:
                    shown = replace(table, boards=(state.game.variant.board,))  # what the page has drawn into them
                    state, events = place_field(state, frame, shown, np.array(corners, np.float64))
                    corners = None
                elif known:
                    state, events, table, note = take_up(known, state, frame, table)
                known = ()
                state, more = step(state, frame, table)
                took_ms = (time.perf_counter() - began) * 1000
                learnt = tuple(stones.n_stones for stones in state.appearance.stones)
                if state.game.ply > WARNED_PLIES:
                    alike = ()
                elif learnt != compared:
                    compared, alike = learnt, alike_in(state.appearance)
                if state.strips is not strips:
                    strips = state.strips
                    plain = featureless_rings(strips) if strips is not None and state.game.ply <= WARNED_PLIES else ()
                sight, pending = replace(sight_of(state, frame), note=note, alike=alike, plain=plain), _pending(state)
                events += more
                photo = _jpeg(frame) if any(map(is_recorded, events)) else b""
                seen = FrameResult(events, sight, state.game.ply, pending, frame.sequence, frame.time_s, took_ms, photo)
                now = time.monotonic()
                if seen.events or (sight, pending) != told or now - told_at > PULSE_S:
                    pipe.send(seen)
                    told, told_at = (sight, pending), now
                if wants_picture:
                    pipe.send(EncodedPicture(_jpeg(frame)))
                    wants_picture = False
        except SourceError as why:
            pipe.send(Ended(str(why), is_over=False))
            return
    pipe.send(Ended("", is_over=job.is_film))


def obey(state: State, frame: Frame, command: ChangeGame) -> tuple[State, GameChanged | None]:
    """Do what a person at the page wants of the game; with the record of it, None where a turn came in between."""
    if state.game.ply != command.after_ply:
        return state, None
    if command.kind in CORRECTION_KINDS:
        state = correct_game(state, command.game)
    else:  # a foul that stands is what the table shows already; anything else is still to be done by hand
        state = change_game(state, command.game, recheck=command.kind == "stood")
    stamp = {"t": round(frame.time_s, 3), "frame": frame.sequence}
    body = command.body | {key: stamp[key] for key in stamp.keys() & command.body.keys()}
    return state, GameChanged(command.kind, command.ply, body)


def _pending(state: State) -> tuple[Move, ...]:
    turn = state.belief.pending
    return turn.moves if turn is not None else ()


def sight_of(state: State, frame: Frame) -> VisionStatus:
    """What the page may know of a state of the eyes."""
    registration = state.registration
    is_found = isinstance(registration, Registration)
    return VisionStatus(
        sight=state.sight,
        reason="" if isinstance(registration, Registration) else registration.reason,
        points_px=tuple((round(float(x), 1), round(float(y), 1)) for x, y in registration.field.points_px)
        if isinstance(registration, Registration)
        else (),
        hidden=state.hidden if is_found else (),
        size_px=frame.size_px,
        colours=tuple(
            log_colour_to_hex(seen.mean_log_colour) if seen.n_stones else "" for seen in state.appearance.stones
        ),
    )


def alike_in(appearance: Appearance) -> tuple[tuple[int, int, float], ...]:
    """What is hard to tell apart, as `Sight.alike` has it."""
    numbers = {FIELD: 0} | {f"player {k + 1}": k + 1 for k in range(len(appearance.stones))}
    return tuple(
        (numbers[pair.one], numbers[pair.other], float(pair.error))
        for pair in pairwise_separability(appearance)
        if pair.rating != "clear"
    )


def _frames(source: FrameSource, job: VisionJob) -> Iterator[Frame]:
    """The frames from ``first_s`` on; a film at its own speed, as a camera would have shown it."""
    if not job.is_film:
        yield from source
        return
    yield from paced((frame for frame in source if frame.time_s >= job.first_s), time.monotonic, time.sleep)


def paced(frames: Iterator[Frame], clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Frame]:
    """Yield each frame of a film at its time.

    Frames that come a little late are dropped; when much time was lost in one go (the field was being searched for),
    the film waits instead, so that nothing that happens in it is missed.
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
        elif late_s > LATE_S:
            offset_s += late_s
        elif late_s > 0.1 and frame.time_s - last_s < 0.12:
            continue
        last_s = frame.time_s
        yield frame


def _jpeg(frame: Frame) -> bytes:
    bgr = frame.bgr
    height, width = bgr.shape[:2]
    if width > PICTURE_WIDTH:
        size = (PICTURE_WIDTH, round(height * PICTURE_WIDTH / width))
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return np.asarray(data, np.uint8).tobytes()
