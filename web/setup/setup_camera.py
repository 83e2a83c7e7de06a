"""The set-up as a guest in the camera process of a table: commands of a page in, measurements of each frame out.

`SetupCamera` borrows the process for the page, sends it commands, and keeps its newest messages.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import cv2
import numpy as np

from calibration import target_views as target
from calibration.cameras import measured_fps
from calibration.field_step import find_field
from calibration.lens_calibration import LensMeasurement, calibrate_lens
from calibration.placement import grade_placement, measure_placement
from calibration.profile import CameraPart
from calibration.step_texts import Refused, phrases
from languages import message, message_of
from referee.board import Board
from vision.capture.sources import LiveCamera, SourceError, open_source
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import Lens
from vision.tracking.follow import Anchor, follow
from web.child_process import PARENT_GONE, CalledProcess, quieten
from web.errors import MillchenError
from web.table.table_camera import TableCamera
from web.table.vision_messages import Ask, EncodedPicture, SourceEnded
from web.table.vision_process import encode_picture, pace_film

PLACEMENT_INTERVAL_S = 0.3  # time between two grades of the placement, in seconds
BOARD_SEARCH_INTERVAL_S = 1.5  # shortest time between the starts of two searches for the board, in seconds
LENS_VIEW_INTERVAL_S = 0.15  # shortest time between two frames that are searched for the printed target, in seconds
WARM_UP_FRAMES = 20  # number of frames after which the frame rate is known and the camera's automatics have settled
LONG_AGO_S = -1e9  # a time before all others, in seconds
HELD_FRAME_INTERVAL_S = 0.1  # longest time between two looks at the picture with which a film ends, in seconds
CAMERA_OPEN_TIMEOUT_S = 12.0  # time in seconds within which a camera must give a picture, else it counts as unusable
THUMBNAIL_TIMEOUT_S = 8.0  # time in seconds within which a camera must give a thumbnail
ANSWER_TIMEOUT_S = 15.0  # time in seconds within which the process must answer a request
CAMERA_IDLE_TIMEOUT_S = 20.0  # time in seconds without a request of a page after which the camera is given back

T = TypeVar("T")


class PlacementTracker:
    """Keeps the board in sight: follows it from frame to frame, and searches for it in a thread where it is lost."""

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self.field: Field | None = None
        self._thread = thread
        self._anchor: Anchor | None = None
        self._reason = ""
        self._search: Future[Registration | NotRegistered] | None = None
        self._searched: Frame | None = None
        self._searched_s = LONG_AGO_S
        self.reported_s = LONG_AGO_S

    def update(self, frame: Frame, lens: Lens | None, boards: tuple[Board, ...] | None) -> dict[str, Any] | None:
        """Look for the board in a frame; return the grades as JSON where a report is due, else None."""
        now = time.monotonic()
        self._track(frame, lens, boards)
        if now - self.reported_s < PLACEMENT_INTERVAL_S:
            return None
        self.reported_s = now
        fitting_lens = lens if lens is not None and lens.size_px == frame.size_px else None
        meters = grade_placement(measure_placement(frame.bgr, self.field, fitting_lens))
        return {
            "meters": [meter.to_json() for meter in meters],
            "points": [] if self.field is None else np.round(self.field.points_px, 1).tolist(),
            "board": "" if self.field is None else self.field.board.name,
            "reason": self._reason,
            "size": list(frame.size_px),
        }

    def _track(self, frame: Frame, lens: Lens | None, boards: tuple[Board, ...] | None) -> None:
        now = time.monotonic()
        if self._search is not None and self._search.done():
            result, self._search = self._search.result(), None
            if isinstance(result, NotRegistered):
                self._reason = result.reason
            elif self._searched is not None and self._searched.size_px == frame.size_px:
                self._anchor, self.field, self._reason = (Anchor(self._searched.bgr, result.field), result.field, "")
        if self._anchor is not None and now - self.reported_s >= PLACEMENT_INTERVAL_S:
            followed = follow(self._anchor, frame)
            if isinstance(followed, NotRegistered):
                self._anchor, self.field = None, None
            else:
                self.field = followed.field
        if self._anchor is None and self._search is None and now - self._searched_s > BOARD_SEARCH_INTERVAL_S:
            self._searched, self._searched_s = frame, now
            self._search = self._thread.submit(find_field, frame.bgr, lens, boards)


# ---------------------------------------------------------------- what page and process tell each other


@dataclass(frozen=True, slots=True)
class WatchFor:
    """Look for "placement" (meters and the board), "lens" (the printed target) or "idle" (pictures only) now."""

    what: str
    boards: tuple[Board, ...] | None = None
    lens: Lens | None = None


class Request(Enum):
    """Commands without words of their own."""

    FRAME = "send the newest frame as it is"
    FILM_AGAIN = "begin a film that is over once more"
    LENS = "compute the lens from the views collected so far"
    FORGET_VIEWS = "drop the views collected so far"


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """News for the page as JSON; ``kind`` is "placement", "lens" or "film"."""

    kind: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewestFrame:
    """A frame as it is."""

    bgr: Any


@dataclass(frozen=True, slots=True)
class LensResult:
    """A lens, or why it cannot be computed, by language."""

    measured: LensMeasurement | None
    texts: dict[str, str]


# ---------------------------------------------------------------- the process


def run_setup_camera(pipe: Connection, source: str, name: str) -> None:
    """Look through a source until the parent goes away: the target of the child process."""
    quieten()
    cv2.setNumThreads(1)
    with suppress(*PARENT_GONE):
        try:
            _run(pipe, source, name)
        except SourceError as why:
            pipe.send(SourceEnded(message_of(why), is_over=False))
        except Exception as why:
            pipe.send(SourceEnded(f"{type(why).__name__}: {why}", is_over=False))


def _run(pipe: Connection, source: str, name: str) -> None:
    with ThreadPoolExecutor(1) as thread:
        loop = _CameraLoop(pipe, thread)
        while (last := _look_through(source, name, loop)) is not None:
            pipe.send(PageUpdate("film", {"over": True}))
            loop.hold(last)
            pipe.send(PageUpdate("film", {"over": False}))
        pipe.send(SourceEnded(message("camera.ended"), is_over=False))


def _look_through(source: str, name: str, loop: _CameraLoop) -> Frame | None:
    """Show what a source gives; return the picture with which a film ends, None where a camera has gone away."""
    last: Frame | None = None
    times: list[float] = []
    with open_source(source) as opened:
        camera, is_film = (opened, False) if isinstance(opened, LiveCamera) else (None, not opened.is_photo_series)
        for frame in pace_film(iter(opened), time.monotonic, time.sleep) if is_film else opened:
            times = [*times[-60:], frame.time_s]
            if camera is None:
                loop.announce(CameraPart(source, name, frame.size_px, 0.0, {}))  # nobody can make a film faster
                last = frame
            elif len(times) >= WARM_UP_FRAMES and not loop.is_announced:
                settings = camera.lock_settings()
                loop.announce(CameraPart(source, name, frame.size_px, measured_fps(times) or camera.fps, settings))
            loop.show(frame)
            if opened.is_photo_series:
                loop.hold(frame)  # one picture is enough to set a table up
    return last


class _CameraLoop:
    """Takes commands from the pipe, processes frames and sends what the page asked to watch for."""

    def __init__(self, pipe: Connection, thread: ThreadPoolExecutor) -> None:
        self._pipe = pipe
        self._watch = WatchFor("idle")
        self._placement = PlacementTracker(thread)
        self._lens_views = LensViewCollector()
        self._owes_picture = False
        self._is_film_wanted = False
        self.is_announced = False

    def announce(self, camera: CameraPart) -> None:
        """Say once what the source really gives."""
        if not self.is_announced:
            self._pipe.send(camera)
            self.is_announced = True

    def show(self, frame: Frame) -> None:
        """Process a frame as the page has asked, and send its picture where one is due."""
        self.take_commands(frame)
        self.process(frame)
        if self._owes_picture:
            self._pipe.send(EncodedPicture(encode_picture(frame.bgr)))
            self._owes_picture = False

    def hold(self, frame: Frame) -> None:
        """Go on with one frame until the film is wanted again."""
        self._is_film_wanted = False
        while not self._is_film_wanted:
            self._pipe.poll(HELD_FRAME_INTERVAL_S)
            self.show(frame)

    def take_commands(self, frame: Frame) -> None:
        """Carry out the commands that have arrived; ``frame`` is the newest one."""
        while self._pipe.poll():
            match self._pipe.recv():
                case Ask.PICTURE:
                    self._owes_picture = True
                case WatchFor() as watch:
                    if watch.what != self._watch.what or watch.lens is not self._watch.lens:
                        self._placement.reported_s = self._lens_views.looked_s = LONG_AGO_S
                    self._watch = watch
                case Request.FRAME:
                    self._pipe.send(NewestFrame(frame.bgr))
                case Request.FILM_AGAIN:
                    self._is_film_wanted = True
                case Request.FORGET_VIEWS:
                    self._lens_views.collection = target.ViewCollection()
                case Request.LENS:
                    try:
                        self._pipe.send(LensResult(calibrate_lens(self._lens_views.collection.views), {}))
                    except Refused as why:
                        self._pipe.send(LensResult(None, why.texts))

    def process(self, frame: Frame) -> None:
        """Look for what the page watches for; send the page an update where one is due."""
        if self._watch.what == "placement":
            body = self._placement.update(frame, self._watch.lens, self._watch.boards)
        elif self._watch.what == "lens":
            body = self._lens_views.update(frame)
        else:
            return
        if body is not None:
            self._pipe.send(PageUpdate(self._watch.what, body))


class LensViewCollector:
    """Collects views of the printed target, from which the lens is computed."""

    def __init__(self) -> None:
        self.collection = target.ViewCollection()
        self.looked_s = LONG_AGO_S

    def update(self, frame: Frame) -> dict[str, Any] | None:
        """Offer a frame to the collection; return its progress as JSON, None where the last frame is too recent."""
        now = time.monotonic()
        if now - self.looked_s < LENS_VIEW_INTERVAL_S:
            return None
        self.looked_s = now
        view = target.detect_target(frame.bgr)
        self.collection, answer = self.collection.offer(view)
        views = self.collection
        return {
            "n": len(views.views),
            "of": target.TARGET_VIEW_COUNT,
            "enough": views.is_enough,
            "said": answer,
            "texts": phrases(answer),
            "wish": phrases(views.wish_key()),
            "cover": views.coverage.astype(int).tolist(),
            "corners": np.round(view.corners_px, 1).tolist() if isinstance(view, target.TargetView) else [],
            "taken": [np.round(v.corners_px, 0).tolist() for v in views.views[-1:]] if answer == "view.taken" else [],
            "size": list(frame.size_px),
        }


# ---------------------------------------------------------------- the page's end


class SetupCamera:
    """A guest of a table's camera process from `open` to `close`; methods may be called from any thread."""

    def __init__(self) -> None:
        self.gone_reason = ""
        self._lender: TableCamera | None = None
        self._changed = threading.Condition()
        self._n_messages = 0
        self._picture: tuple[int, bytes] = (0, b"")
        self._updates: dict[str, Any] = {}
        self._answer: object = None
        self._asked_s = 0.0

    def open(self, lender: TableCamera, place: str, name: str) -> CameraPart:
        """Look through a source from now on, in the place of a table's game; return what it really gives."""
        self.close()
        with self._changed:
            self._lender, self.gone_reason, self._updates, self._answer = lender, "", {}, None
            self._asked_s = time.monotonic()
        lender.lend(self, run_setup_camera, place, name)
        try:
            return self._wait_for(CameraPart, CAMERA_OPEN_TIMEOUT_S)
        except MillchenError:
            self.close()
            raise

    def close(self) -> None:
        """Give the camera back to the table."""
        with self._changed:
            lender, self._lender = self._lender, None
            self._changed.notify_all()
        if lender is not None:
            lender.lend(None)

    def tick(self) -> None:
        """Give the camera back where no page has asked for anything for a while."""
        if time.monotonic() - self._asked_s > CAMERA_IDLE_TIMEOUT_S:
            self.close()

    def send(self, command: object) -> None:
        """Send a command."""
        if (lender := self._lender) is None or not lender.supervisor.send(command):
            raise MillchenError(message("camera.closed"))

    def request(self, command: object, kind: type[T]) -> T:
        """Send a command, wait for its answer, a message of the type ``kind``, and return it."""
        with self._changed:
            self._answer = None
        self.send(command)
        return self._wait_for(kind, ANSWER_TIMEOUT_S)

    def tell_page(self, kind: str, body: dict[str, Any]) -> None:
        """Put something beside the updates of the process, for `state`."""
        with self._changed:
            self._updates[kind] = body

    def state(self, after: int, timeout_s: float) -> dict[str, Any]:
        """Return the newest of all updates; wait a moment for a message after number ``after``."""
        with self._changed:
            self._look(lambda: self._n_messages > after, timeout_s)
            is_open = self._lender is not None
            return {"number": self._n_messages, "open": is_open, "gone": self.gone_reason, **self._updates}

    def picture(self, after: int, timeout_s: float) -> tuple[int, bytes] | None:
        """Return the newest picture after number ``after``, with its number; None where none came in time."""
        with self._changed:
            self._look(lambda: self._picture[0] > after, timeout_s)
            return self._picture if self._picture[0] > after else None

    def _look(self, is_there: Callable[[], bool], timeout_s: float) -> None:
        """Keep pictures coming, and wait a moment for something."""
        self._asked_s = time.monotonic()
        if self._lender is not None:
            self._lender.supervisor.request_pictures()
        self._changed.wait_for(lambda: is_there() or self._lender is None, timeout_s)

    def _wait_for(self, kind: type[T], timeout_s: float) -> T:
        with self._changed:
            self._changed.wait_for(lambda: isinstance(self._answer, kind) or self.gone_reason, timeout_s)
            if isinstance(self._answer, kind):
                return self._answer
            raise MillchenError(self.gone_reason or message("camera.no_picture"))

    def receive(self, message: object) -> None:
        """Take in a message of the process."""
        with self._changed:
            self._n_messages += 1
            match message:
                case EncodedPicture(jpeg):
                    self._picture = self._n_messages, jpeg
                case PageUpdate(kind, body):
                    self._updates[kind] = body
                case SourceEnded(reason):
                    self.gone_reason = reason
                case _:
                    self._answer = message
            self._changed.notify_all()


def camera_thumbnail(number: int) -> bytes | None:
    """Return a picture of a camera of this computer as JPEG, None where it gives none."""
    process = CalledProcess("thumbnail")
    try:
        return process.ask(THUMBNAIL_TIMEOUT_S, _thumbnail, str(number))
    except Exception:  # whatever its driver does
        return None
    finally:
        process.end()


def _thumbnail(source: str) -> bytes:
    with open_source(source) as frames:
        frame = next(frame for k, frame in enumerate(frames) if k >= 4 or frames.n_frames is not None)
    return encode_picture(frame.bgr)
