"""The wizard's eyes: a camera that is looked at while somebody sets a table up, in a process of its own.

It sends pictures, meters and views of the printed sheet through a pipe, and takes commands. A driver that crashes
takes this process with it, not the page.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import cv2
import numpy as np

from calibration.cameras import measured_fps, thumbnail
from calibration.field_step import FieldMeasurement, find_field
from calibration.lens_calibration import LensMeasurement, calibrate_lens
from calibration.placement import grade_placement, measure_placement
from calibration.profile import CameraPart
from calibration.step_texts import Refused, phrases
from calibration.target_views import (
    TARGET_VIEW_COUNT,
    TargetNotSeen,
    TargetView,
    ViewCollection,
    detect_target,
    is_another_target,
)
from languages import message, message_of
from referee.board import Board
from vision.capture.sources import LiveCamera, SourceError, open_source
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Frame
from vision.imaging.lens import Lens
from vision.tracking.follow import Anchor, anchor_at, follow
from web.table.vision_process import QUIET_ENVIRONMENT

PLACEMENT_INTERVAL_S = 0.3
LENS_VIEW_INTERVAL_S = 0.15
SEARCH_INTERVAL_S = 1.5
WARM_UP_FRAMES = 20
"""Frames by which the rate is known and automatics have settled."""

PICTURE_WIDTH = 1280
JPEG_QUALITY = 82


# ---------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
class WatchFor:
    """What to look for: "placement" (meters and the board), "lens" (the sheet) or "idle" (pictures only)."""

    what: str
    boards: tuple[Board, ...] | None = None
    lens: Lens | None = None


@dataclass(frozen=True, slots=True)
class SendSetupPicture:
    """One more picture, please."""


@dataclass(frozen=True, slots=True)
class SendFrame:
    """The newest frame as it is, and the field in it where it is known."""


@dataclass(frozen=True, slots=True)
class MeasureLens:
    """Work out the lens from the views so far."""


@dataclass(frozen=True, slots=True)
class ForgetLensViews:
    """Drop the views so far."""


# ---------------------------------------------------------------- messages


@dataclass(frozen=True, slots=True)
class SetupPicture:
    """A picture to show."""

    jpeg: bytes
    size_px: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CameraOpened:
    """What the camera really gives."""

    camera: CameraPart


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """Something for the page, as JSON: "placement" or "lens"."""

    kind: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewestFrame:
    """A frame as it is, and where the board was seen in it."""

    bgr: Any
    field: Field | None


@dataclass(frozen=True, slots=True)
class LensResult:
    """A lens, or why there is none, by language."""

    measured: LensMeasurement | None
    texts: dict[str, str]


@dataclass(frozen=True, slots=True)
class CameraGone:
    """The source has ended or cannot be used."""

    reason: str


@dataclass
class _Seeing:
    """What the eyes know while they look."""

    watch: WatchFor = field(default_factory=lambda: WatchFor("idle"))
    anchor: Anchor | None = None
    at: Field | None = None
    reason: str = ""
    searching: Future[FieldMeasurement | NotRegistered] | None = None
    searched: Frame | None = None
    searched_s: float = -1e9
    told_s: float = -1e9
    viewed_s: float = -1e9
    collection: ViewCollection = field(default_factory=ViewCollection)
    n_blind: int = 0


def run_setup_camera(pipe: Connection, source: str, name: str) -> None:
    """Be the wizard's eyes until the parent goes away: the target of the child process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for key, quiet in QUIET_ENVIRONMENT.items():
        os.environ.setdefault(key, quiet)
    cv2.setNumThreads(1)
    with suppress(BrokenPipeError, EOFError, ConnectionResetError):
        try:
            _run(pipe, source, name)
        except SourceError as why:
            pipe.send(CameraGone(message_of(why)))
        except Exception as why:
            pipe.send(CameraGone(f"{type(why).__name__}: {why}"))


def send_thumbnail(pipe: Connection, source: str) -> None:
    """Send one small picture of a source, or why there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(BrokenPipeError, EOFError, ConnectionResetError):
        try:
            with open_source(source) as opened:
                frame = next(frame for k, frame in enumerate(opened) if k >= 4 or opened.n_frames is not None)
            pipe.send(_jpeg(frame, thumbnail(frame.bgr)))
        except (SourceError, StopIteration) as why:
            pipe.send(CameraGone(message_of(why)))


def _run(pipe: Connection, source: str, name: str) -> None:
    wants_picture, is_told = False, False
    times: list[float] = []
    seeing = _Seeing()
    with open_source(source, realtime=True) as opened, ThreadPoolExecutor(1) as thread:
        is_film = opened.n_frames is not None
        while True:
            newest: Frame | None = None
            for frame in opened:
                newest = frame
                times = [*times[-60:], frame.time_s]
                if not is_told and (len(times) >= WARM_UP_FRAMES or is_film):
                    settings = opened.lock_settings() if isinstance(opened, LiveCamera) else {}
                    fps = 0.0 if is_film and opened.is_photo_series else measured_fps(times) or opened.fps
                    pipe.send(CameraOpened(CameraPart(source, name, frame.size_px, fps, settings)))
                    is_told = True
                wants_picture = _obey(pipe, seeing, frame, wants_picture)
                _take_in(pipe, seeing, frame, thread)
                if wants_picture:
                    pipe.send(_jpeg(frame, frame.bgr))
                    wants_picture = False
            if newest is None or not is_film:
                pipe.send(CameraGone(message("camera.ended")))
                return
            while opened.is_photo_series and not pipe.poll(0.1):  # a single picture stays before the eyes
                _take_in(pipe, seeing, newest, thread)


def _obey(pipe: Connection, seeing: _Seeing, frame: Frame, wants_picture: bool) -> bool:
    """Do what was asked; whether a picture is wanted now."""
    while pipe.poll():
        match pipe.recv():
            case SendSetupPicture():
                wants_picture = True
            case WatchFor() as watch:
                if watch.what != seeing.watch.what or watch.lens is not seeing.watch.lens:
                    seeing.told_s = seeing.viewed_s = -1e9
                seeing.watch = watch
            case SendFrame():
                pipe.send(NewestFrame(frame.bgr, seeing.at))
            case ForgetLensViews():
                seeing.collection = ViewCollection()
            case MeasureLens():
                try:
                    pipe.send(LensResult(calibrate_lens(seeing.collection.views), {}))
                except Refused as why:
                    pipe.send(LensResult(None, why.texts))
    return wants_picture


def _take_in(pipe: Connection, seeing: _Seeing, frame: Frame, thread: ThreadPoolExecutor) -> None:
    now = time.monotonic()
    if seeing.watch.what == "placement":
        _follow(seeing, frame, thread)
        if now - seeing.told_s >= PLACEMENT_INTERVAL_S:
            seeing.told_s = now
            lens = seeing.watch.lens
            fits = lens if lens is not None and lens.size_px == frame.size_px else None
            meters = grade_placement(measure_placement(frame.bgr, seeing.at, fits))
            points = [] if seeing.at is None else np.round(seeing.at.points_px, 1).tolist()
            board = "" if seeing.at is None else seeing.at.board.name
            body = {"meters": [m.to_json() for m in meters], "points": points, "board": board, "reason": seeing.reason}
            pipe.send(PageUpdate("placement", body | {"size": list(frame.size_px)}))
    elif seeing.watch.what == "lens" and now - seeing.viewed_s >= LENS_VIEW_INTERVAL_S:
        seeing.viewed_s = now
        _collect(pipe, seeing, frame)


def _follow(seeing: _Seeing, frame: Frame, thread: ThreadPoolExecutor) -> None:
    """Keep the board in sight: follow it, and search for it where it is lost, beside the pictures."""
    now = time.monotonic()
    if seeing.searching is not None and seeing.searching.done():
        found, seeing.searching = seeing.searching.result(), None
        if isinstance(found, NotRegistered):
            seeing.reason = found.reason
        elif seeing.searched is not None and seeing.searched.size_px == frame.size_px:
            seeing.anchor, seeing.at, seeing.reason = anchor_at(seeing.searched, found.field), found.field, ""
    if seeing.anchor is not None and now - seeing.told_s >= PLACEMENT_INTERVAL_S:
        followed = follow(seeing.anchor, frame)
        if isinstance(followed, NotRegistered):
            seeing.anchor, seeing.at = None, None
        else:
            seeing.at = followed.field
    if seeing.anchor is None and seeing.searching is None and now - seeing.searched_s > SEARCH_INTERVAL_S:
        seeing.searched, seeing.searched_s = frame, now
        watch = seeing.watch
        seeing.searching = thread.submit(find_field, frame.bgr, watch.lens, watch.boards)


def _collect(pipe: Connection, seeing: _Seeing, frame: Frame) -> None:
    """Offer a frame to the collection and tell how far it has come."""
    seen = detect_target(frame.bgr)
    if isinstance(seen, TargetNotSeen):
        seeing.n_blind += 1
        if seeing.n_blind % 20 == 5 and is_another_target(frame.bgr):
            seen = TargetNotSeen("target.wrong")
    else:
        seeing.n_blind = 0
    seeing.collection, said = seeing.collection.offer(seen)
    views = seeing.collection
    body = {
        "n": len(views.views),
        "of": TARGET_VIEW_COUNT,
        "enough": views.is_enough,
        "said": said,
        "texts": phrases(said),
        "wish": phrases(views.wish_key()),
        "cover": views.coverage.astype(int).tolist(),
        "corners": np.round(seen.corners_px, 1).tolist() if isinstance(seen, TargetView) else [],
        "taken": [np.round(v.corners_px, 0).tolist() for v in views.views[-1:]] if said == "view.taken" else [],
        "size": list(frame.size_px),
    }
    pipe.send(PageUpdate("lens", body))


def _jpeg(frame: Frame, bgr: Any) -> SetupPicture:
    if bgr.shape[1] > PICTURE_WIDTH:
        size = (PICTURE_WIDTH, round(bgr.shape[0] * PICTURE_WIDTH / bgr.shape[1]))
        bgr = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return SetupPicture(np.asarray(data, np.uint8).tobytes(), frame.size_px)


__all__: Sequence[str] = ("run_setup_camera", "send_thumbnail")
