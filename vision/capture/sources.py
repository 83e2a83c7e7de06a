"""Sources of frames: a video file, a camera number, an address, or a folder of pictures.

The only impure file of ``vision``. A source is opened from what a person types, yields frames, and is closed. A live
source holds only the newest frame: a frame that was not fetched in time is dropped, never queued.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from languages import message, message_of
from referee.events import PictureSkipped
from vision.capture.addresses import without_secrets
from vision.capture.network_cameras import CAMERA_TIMEOUT_MS, film_copy, still_picture, why_no_answer
from vision.capture.pictures import (
    PICTURE_SUFFIXES,
    Picture,
    PictureError,
    decode_picture,
    in_order,
    moving_pictures,
    n_pictures_in,
    read_picture,
)
from vision.imaging.frame import MAX_PIXELS, Frame, Image, JpegPicture, Undecoded, reduced, size_of

FILM_SUFFIXES = frozenset((".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".3gp"))
"""Endings of the names of films, in lower case, which may lie among photographs."""

TIME_LIMITS = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, CAMERA_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, CAMERA_TIMEOUT_MS]
"""``CAMERA_TIMEOUT_MS`` as OpenCV takes it."""

STALE_AFTER_S = 1.0
"""Time without a new frame after which a camera is reported as stale, seconds: it may recover or be lost soon."""

DEFAULT_FPS = 25.0
"""Frame rate of a file or camera that does not state one, frames per second."""

PHOTOGRAPH_INTERVAL_S = 1.0
"""Time between two pictures of a folder of photographs, seconds."""

SHOWN_FPS = 10.0
"""How often a picture of a GIF that stays for a while is shown, frames a second."""

STILL_INTERVAL_S = 0.25
"""Time after which a camera that has only still pictures is asked for the next one, seconds."""

RESTART_DELAYS_S = (0.5, 1.0, 2.0, 3.0, 5.0)
"""Waits before a camera that has gone is tried again, seconds; the last one repeats."""

STEADY_RUN_S = 10.0
"""Time for which a camera has to show something before the waits begin with the shortest one again, seconds."""

UNREAD_CODECS = {"av01": "AV1", "vvc1": "H.266", "vvi1": "H.266", "evc1": "EVC", "lvc1": "LCEVC", "avs3": "AVS3"}
"""Kinds of films for which OpenCV may have no decoder, by the four letters in the file: what people call them."""

MJPG = cv2.VideoWriter.fourcc(*"MJPG")
"""How OpenCV names a stream of JPEGs."""

CAMERA_SETTINGS = {
    "focus": (cv2.CAP_PROP_AUTOFOCUS, (0.0,), cv2.CAP_PROP_FOCUS),
    "exposure": (cv2.CAP_PROP_AUTO_EXPOSURE, (1.0, 0.25), cv2.CAP_PROP_EXPOSURE),
    "white_balance": (cv2.CAP_PROP_AUTO_WB, (0.0,), cv2.CAP_PROP_WB_TEMPERATURE),
}
"""The settings that can be locked, by name: the switch of the automatic, the values by which backends write "off" (V4L2
has 1 for a manual exposure, others 0.25), and the property of the value. Source:
https://github.com/opencv/opencv/issues/9738."""

SETTING_TOLERANCE = 0.05
"""Largest difference between a value that was set and that reported, as a share of the first (of 1 at least)."""


class SourceError(Exception):
    """The source cannot be used; the message is one sentence that says what to do."""


class FrameSource:
    """Something that yields frames until it ends or is closed, also at the end of a ``with`` statement."""

    fps: float  # frames a second, as far as the source says
    n_frames: int | None = None  # None for a live source
    is_photo_series = False  # whether every frame is a photograph of the table at rest, not part of a film
    note = ""  # what people should know before the first frame, as a ``Message``

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames in order."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release what was opened."""


class VideoFile(FrameSource):
    """A video file; frame times are those of the video.

    With ``realtime`` it plays at its own speed and drops late frames, as a camera would. With ``defers_pixels`` the
    pixels of a frame can only be had until the next one is asked for, and cost nothing where nobody reads them.
    """

    def __init__(self, place: str, *, realtime: bool = False, defers_pixels: bool = False) -> None:
        self._name, self._copy, is_address = _called(without_secrets(place)), None, "://" in place
        self._capture = cv2.VideoCapture(place, cv2.CAP_FFMPEG, TIME_LIMITS if is_address else [])
        if is_address and self._capture.get(cv2.CAP_PROP_FRAME_WIDTH) < 1:  # its server cannot send a part of it
            self._copy = TemporaryDirectory(prefix="millchen-")
            self._capture = cv2.VideoCapture(str(film_copy(place, Path(self._copy.name))), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            raise SourceError(message("source.no_video", name=self._name))
        if self._capture.get(cv2.CAP_PROP_FRAME_WIDTH) * self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT) > MAX_PIXELS:
            raise SourceError(message("source.large_film", name=self._name, most=MAX_PIXELS // 1_000_000))
        self.fps = _fps_of(self._capture)
        self.n_frames = n_frames_of(self._capture)
        self._realtime, self._defers_pixels = realtime, defers_pixels

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames in order; raise ``SourceError`` when none can be read."""
        began = time.monotonic()
        sequence = 0
        newest: FilmPicture | None = None
        while True:
            time_s = sequence / self.fps
            late_s = time.monotonic() - began - time_s if self._realtime else 0.0
            if late_s < 0:
                time.sleep(-late_s)
            if newest is not None:
                newest.let_go()
            if not self._capture.grab():
                break
            if late_s <= 2 / self.fps:
                newest = FilmPicture(self._capture)
                yield Frame(newest if self._defers_pixels else newest.bgr, time_s, sequence)
            sequence += 1
        if newest is None:
            letters = int(self._capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little", signed=True).decode("latin-1")
            if codec := UNREAD_CODECS.get(letters.lower()):
                raise SourceError(message("source.codec", name=self._name, codec=codec))
            raise SourceError(message("source.empty_video", name=self._name))

    def close(self) -> None:
        """Close the file."""
        self._capture.release()
        if self._copy is not None:
            self._copy.cleanup()


class MovingPicture(FrameSource):
    """A GIF, WEBP or PNG that moves: each of its pictures is shown for as long as it says."""

    fps = SHOWN_FPS

    def __init__(self, path: Path, *, realtime: bool = False) -> None:
        self._path, self._realtime, self.n_frames = path, realtime, None

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames in order; raise ``SourceError`` where the file is damaged."""
        began, sequence, until_s = time.monotonic(), 0, 0.0
        try:
            for bgr, duration_s in moving_pictures(self._path):
                until_s += duration_s
                while (time_s := sequence / self.fps) < until_s:
                    if self._realtime:
                        time.sleep(max(0.0, time_s - (time.monotonic() - began)))
                    yield Frame(bgr, time_s, sequence)
                    sequence += 1
        except PictureError as why:
            raise SourceError(message_of(why)) from why


class PictureFolder(FrameSource):
    """Pictures in their order, in the size of the first and turned as it is: photographs, or with ``fps`` a film.

    With ``own_sizes`` each stays in its own size. ``on_skipped`` is called with each file that cannot be read.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fps: float | None = None,
        own_sizes: bool = False,
        on_skipped: Callable[[PictureSkipped], None] | None = None,
    ) -> None:
        try:
            inside = [folder] if folder.is_file() else list(folder.iterdir())
        except OSError as why:
            raise SourceError(message("source.closed_folder", name=_called(folder), why=why.strerror)) from None
        shown = [path for path in inside if path == folder or path.suffix.lower() in PICTURE_SUFFIXES | FILM_SUFFIXES]
        if all(path.suffix.lower() in FILM_SUFFIXES for path in shown):
            raise SourceError(message("source.empty_folder", name=_called(folder)))
        self._paths, is_by_time = in_order(shown)
        self.note = message("source.by_time") if is_by_time else ""
        self.is_photo_series, self._own_sizes = fps is None, own_sizes
        self.fps = fps or 1 / PHOTOGRAPH_INTERVAL_S
        self.n_frames, self._on_skipped, self._name = len(self._paths), on_skipped, _called(folder)

    def __iter__(self) -> Iterator[Frame]:
        """Yield the pictures that can be read, in their order; raise ``SourceError`` when none can."""
        first: Picture | None = None
        why = ""
        for sequence, path in enumerate(self._paths):
            try:
                picture = _photograph(path)
            except PictureError as error:
                why = message_of(error)
                if self._on_skipped is not None and len(self._paths) > 1:
                    self._on_skipped(PictureSkipped(path.name, why, sequence / self.fps, sequence))
                continue
            first = first or picture
            bgr, size_px = picture.turned_like(first).shown, size_of(first.shown)
            if not self._own_sizes and size_px != size_of(bgr):
                bgr = colour(cv2.resize(bgr, size_px, interpolation=cv2.INTER_AREA))
            yield Frame(bgr, sequence / self.fps, sequence)
        if first is None:
            raise SourceError(message("source.damaged_pictures", name=self._name, why=why))


def _photograph(path: Path) -> Picture:
    if path.suffix.lower() in FILM_SUFFIXES or n_pictures_in(path) > 1:
        raise PictureError(message("picture.film"))
    return read_picture(path)


@dataclass(frozen=True)
class CameraCare:
    """How a camera is cared for while it is looked through.

    ``settings`` are values of ``CAMERA_SETTINGS`` to lock. ``on_stale`` is called during iteration with the age of the
    newest frame, seconds, whenever ``STALE_AFTER_S`` pass without one. Where the camera goes away it is opened again
    and again for ``patience_s``; ``on_gone`` is called with True, and with False when it is back.
    """

    settings: Mapping[str, float] | None = None
    on_stale: Callable[[float], None] | None = None
    patience_s: float = 0.0
    on_gone: Callable[[bool], None] = lambda _: None


class LiveCamera(FrameSource):
    """A camera by number or address; a thread of its own opens it and holds only the newest frame.

    ``n_taken`` counts the frames that were delivered, ``n_dropped`` those of them that were not fetched in time. An
    address whose film has an end says so in ``n_frames``, and shows nothing.
    """

    def __init__(self, name: int | str, care: CameraCare = CameraCare()) -> None:
        self.fps = DEFAULT_FPS
        self.n_taken = self.n_dropped = 0
        self._name, self._care = name, care
        self._locked: dict[str, float] | None = None
        self._lock_requested = False
        self._newest: Frame | None = None
        self._newest_s = self._began_s = 0.0
        self._is_open = self._ended = self._stop = self._is_gone = False
        self._changed = threading.Condition()
        # Opening may hang for seconds in a driver, which cannot be interrupted; waiting for a thread can be.
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()
        try:
            with self._changed:
                while not (self._is_open or self._ended):
                    self._changed.wait()
        except KeyboardInterrupt:
            self._stop = True
            raise
        if not self._is_open:
            if isinstance(name, str):
                raise SourceError(why_no_answer(name))
            raise SourceError(message("source.no_answer", name=f"camera {name}"))

    def _run(self) -> None:
        tries, gone_s = 0, time.monotonic()
        while True:
            began_s, n_before = time.monotonic(), self.n_taken
            self._show()
            now = time.monotonic()
            if self.n_taken > n_before:
                gone_s, tries = now, 0 if now - began_s > STEADY_RUN_S else tries
            if self._stop or not self._is_open or self.n_frames is not None or now - gone_s >= self._care.patience_s:
                break
            if not self._is_gone:
                self._is_gone = True
                self._care.on_gone(True)
            delay_s, tries = RESTART_DELAYS_S[min(tries, len(RESTART_DELAYS_S) - 1)], tries + 1
            with self._changed:
                self._changed.wait_for(lambda: self._stop, delay_s)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _show(self) -> None:
        """Open the camera, and hold its newest frame until it goes away."""
        capture = _open_capture(self._name)
        if capture.isOpened():
            if self._care.settings:
                lock_settings(capture, self._care.settings)
            is_jpeg, is_address, n_before = ask_for_jpeg(capture), isinstance(self._name, str), self.n_taken
            with self._changed:
                self.fps = _fps_of(capture)
                self.n_frames = n_frames_of(capture) if is_address else None
                self._newest_s = time.monotonic()
                self._began_s = self._began_s or self._newest_s
                self._is_open = True
                self._changed.notify_all()
            if self.n_frames is None:
                self._hold_newest(capture, is_jpeg=is_jpeg)
            if self.n_taken == n_before + 1 and is_address:  # one picture is no stream
                self._poll_stills()
        capture.release()

    def _hold_newest(self, capture: cv2.VideoCapture, *, is_jpeg: bool) -> None:
        while not self._stop:
            ok, read = capture.read()  # isOpened() stays True after a loss: only this answer counts
            if not ok or read is None:
                return
            picture: Image | Undecoded | None = jpeg_of(read) if is_jpeg else colour(read)
            if picture is None:
                continue
            if self._lock_requested:
                self._locked, self._lock_requested = lock_settings(capture), False
            self._hold(picture)

    def _poll_stills(self) -> None:
        while not self._stop and (data := still_picture(str(self._name))) is not None:
            try:
                self._hold(jpeg_of(data) or decode_picture(data))
            except PictureError:
                return
            time.sleep(STILL_INTERVAL_S)

    def _hold(self, picture: Image | Undecoded) -> None:
        if self._is_gone:
            self._is_gone = False
            self._care.on_gone(False)
        with self._changed:
            self._newest_s = time.monotonic()
            self._newest = Frame(picture, self._newest_s - self._began_s, self.n_taken)
            self.n_taken += 1
            self._changed.notify_all()

    def lock_settings(self) -> dict[str, float]:
        """Lock focus, exposure and white balance at their present values; return what the driver accepted, by name."""
        with self._changed:
            self._locked, self._lock_requested = None, True
            self._changed.wait_for(lambda: self._locked is not None or self._ended, timeout=CAMERA_TIMEOUT_MS / 1000)
            return self._locked or {}

    def __iter__(self) -> Iterator[Frame]:
        """Yield the newest frame whenever it has not been yielded yet; end when the camera is lost."""
        last = -1
        while True:
            stale_s: float | None = None
            with self._changed:
                while not self._ended and (self._newest is None or self._newest.sequence == last):
                    if not self._changed.wait(STALE_AFTER_S):
                        stale_s = time.monotonic() - self._newest_s
                        break
                frame = self._newest
                is_new = frame is not None and frame.sequence != last
                if self._ended and not is_new:
                    return
            if stale_s is not None and self._care.on_stale is not None:
                self._care.on_stale(stale_s)
            if frame is not None and is_new:
                self.n_dropped += frame.sequence - last - 1
                last = frame.sequence
                yield frame

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is KeyboardInterrupt:
            self._stop = True  # a hanging driver must not delay somebody who wants to quit
        else:
            self.close()

    def close(self) -> None:
        """Release the camera."""
        with self._changed:
            self._stop = True
            self._changed.notify_all()
        self._thread.join(timeout=CAMERA_TIMEOUT_MS / 1000 + 1)


def _open_capture(name: int | str) -> cv2.VideoCapture:
    if isinstance(name, int):
        capture = cv2.VideoCapture(name)
        if capture.isOpened():
            capture.set(cv2.CAP_PROP_FOURCC, MJPG)
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1280)
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 720)
        return capture
    return cv2.VideoCapture(name, cv2.CAP_FFMPEG, TIME_LIMITS)


def open_source(
    text: str,
    *,
    camera: CameraCare = CameraCare(),
    fps: float | None = None,
    own_sizes: bool = False,
    realtime: bool = False,
    defers_pixels: bool = False,
    on_skipped: Callable[[PictureSkipped], None] | None = None,
) -> VideoFile | MovingPicture | PictureFolder | LiveCamera:
    """Open what a person names: a camera number, an address, a video file, a picture or a folder of pictures.

    ``fps`` plays a folder of pictures as a film; the other options are those of the sources.
    Raises ``SourceError`` when the source does not exist or cannot be read.
    """
    if fps is not None and not 0 < fps <= 1000:
        raise SourceError(f"frames a second must be over 0 and at most 1000, got {fps!r}")
    if re.fullmatch(r"\d{1,3}", text):
        return LiveCamera(int(text), camera)
    if re.match(r"(https?|rtsps?)://", text):
        live = LiveCamera(text, replace(camera, settings=None))
        if live.n_frames is None:
            return live
        live.close()  # a film that is kept elsewhere
        return VideoFile(text, realtime=realtime, defers_pixels=defers_pixels)
    if "://" in text:
        raise SourceError(message("source.scheme", address=repr(without_secrets(text))))
    path = Path(text)
    try:
        is_folder, is_there = bool(text) and path.is_dir(), bool(text) and path.exists()
    except OSError:  # a name that no file can have
        is_folder = is_there = False
    if is_folder:
        return PictureFolder(path, fps=fps, own_sizes=own_sizes, on_skipped=on_skipped)
    if not is_there:
        raise SourceError(message("source.no_file_or_folder", name=_called(text)))
    if not path.is_file():  # a pipe would be waited for, and a device might never end
        raise SourceError(message("source.device", name=_called(text)))
    n_pictures = n_pictures_in(path)
    if n_pictures > 1:
        return MovingPicture(path, realtime=realtime)
    if n_pictures or path.suffix.lower() in PICTURE_SUFFIXES:
        return PictureFolder(path, fps=fps, own_sizes=own_sizes, on_skipped=on_skipped)
    return VideoFile(str(path), realtime=realtime, defers_pixels=defers_pixels)


def _called(path: str | Path) -> str:
    """Return what a file is called in a sentence that pages may show: they do not learn where it lies."""
    return repr(Path(path).name if Path(path).is_absolute() else str(path))


def _fps_of(capture: cv2.VideoCapture) -> float:
    fps = capture.get(cv2.CAP_PROP_FPS)
    return fps if 0 < fps < 1000 else DEFAULT_FPS


def n_frames_of(capture: cv2.VideoCapture) -> int | None:
    """Return how many pictures a film has; None where that is not known, as of a camera."""
    count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    return count if count > 1 else None


class FilmPicture:
    """The newest picture that was read of a film; its pixels are gone, unless asked for, when the next one is read."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture: cv2.VideoCapture | None = capture
        self.size_px = int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))

    @cached_property
    def bgr(self) -> Image:
        """The picture, shape (H, W, 3)."""
        ok, bgr = (False, None) if self._capture is None else self._capture.retrieve()
        if not ok or bgr is None:
            raise LookupError("the film has gone on: who keeps a frame for later takes its bgr at once")
        array = colour(bgr)
        self.size_px = size_of(array)
        return array

    @property
    def reduced(self) -> Image:
        """The means of its blocks, shape (ceil(H / 8), ceil(W / 8), 3)."""
        return reduced(self.bgr)

    def let_go(self) -> None:
        """The next picture is read now."""
        self._capture = None


def ask_for_jpeg(capture: cv2.VideoCapture) -> bool:
    """Have a camera that gives JPEGs hand them over as they are; return whether it does so from now on."""
    if int(capture.get(cv2.CAP_PROP_FOURCC)) != MJPG:
        return False
    if capture.getBackendName() == "FFMPEG":
        return capture.set(cv2.CAP_PROP_FORMAT, -1)  # packets; each of this codec is one JPEG
    if capture.getBackendName() != "V4L2" or not capture.set(cv2.CAP_PROP_CONVERT_RGB, 0):
        return False
    ok, data = capture.read()  # drivers promise much: what comes is looked at
    if ok and data is not None and jpeg_of(data) is not None:
        return True
    capture.set(cv2.CAP_PROP_CONVERT_RGB, 1)
    return False


def jpeg_of(data: object) -> JpegPicture | None:
    """Return the JPEG that a camera has handed over; None for other data."""
    try:
        return JpegPicture(np.asarray(data, np.uint8).tobytes())
    except ValueError:
        return None


def colour(bgr: object) -> Image:
    """Return a picture of OpenCV with three channels."""
    array = np.asarray(bgr, np.uint8)
    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    return np.ascontiguousarray(array[:, :, :3])


def lock_settings(capture: cv2.VideoCapture, wanted: Mapping[str, float] | None = None) -> dict[str, float]:
    """Lock settings at their present or the ``wanted`` values, as far as that can be; return those that were taken."""
    locked: dict[str, float] = {}
    for name, (switch, offs, value) in CAMERA_SETTINGS.items():
        if wanted is not None and name not in wanted:
            continue
        aim, before = capture.get(value) if wanted is None else wanted[name], capture.get(switch)
        is_off = any(capture.set(switch, off) and capture.get(switch) == off for off in offs)
        if is_off and capture.set(value, aim):
            taken = capture.get(value)
            if abs(taken - aim) <= SETTING_TOLERANCE * max(1.0, abs(aim)):
                locked[name] = taken
                continue
        capture.set(switch, before)
    return locked
