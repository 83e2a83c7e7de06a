"""What a person types in, a source of frames out: a camera, an address, a film, a picture or a folder of pictures.

A camera holds only its newest frame: one that is not fetched in time is dropped, never queued.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import cv2
import numpy as np

from languages import message, message_of
from referee.events import PictureSkipped
from vision.capture.addresses import without_secrets
from vision.capture.network_cameras import CAMERA_TIMEOUT_MS, film_copy, still_picture, why_no_answer
from vision.capture.pictures import (
    MAX_PIXELS,
    PICTURE_SUFFIXES,
    SHOWN_FPS,
    Picture,
    in_order,
    jpeg_of,
    kind_of_place,
    moving_pictures,
    n_pictures_in,
    read_picture,
)
from vision.capture.pictures import SourceError as SourceError
from vision.imaging.frame import Frame, Image, JpegPicture, size_of

FILM_SUFFIXES = frozenset((".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".3gp"))
"""Endings of the names of films, in lower case, which may lie among photographs."""

TIME_LIMITS = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, CAMERA_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, CAMERA_TIMEOUT_MS]
"""``CAMERA_TIMEOUT_MS`` as OpenCV takes it."""

STALE_AFTER_S = 1.0
"""Time without a frame after which a camera is reported as stale, and wait before one that has gone is tried again."""

DEFAULT_FPS = 25.0
"""Frames a second of a film or camera that states none. Source: cited, the default frame rate of FFmpeg's demuxers."""

UNREAD_CODECS = {"av01": "AV1", "vvc1": "H.266", "vvi1": "H.266", "evc1": "EVC", "lvc1": "LCEVC", "avs3": "AVS3"}
"""Names of kinds of films for which OpenCV may have no decoder, by the four letters in the file."""

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
"""Largest difference between a camera's value and its aim, as a share of the aim (of 1 at least)."""


class FrameSource:
    """Something that yields frames until it ends or is closed, also at the end of a ``with`` statement."""

    fps: float  # frames a second, as far as the source says
    n_frames: int | None = None  # None for a live source
    is_photo_series = False  # whether every frame is a photograph of the table at rest, not part of a film
    note = ""  # what people should know before the first frame, as a ``Message``

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames in order; raise ``SourceError`` when none can be read."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the source."""


class VideoFile(FrameSource):
    """A video file; frame times are those of the video."""

    def __init__(self, place: str) -> None:
        self._name, self._copy, is_address = _file_name(without_secrets(place)), None, "://" in place
        if place != place.encode(errors="replace").decode():  # OpenCV crashes at a name that is no text
            self._copy = TemporaryDirectory(prefix="millchen-")
            (link := Path(self._copy.name) / "film").symlink_to(Path(place).absolute())
            place = str(link)
        self._capture = cv2.VideoCapture(place, cv2.CAP_FFMPEG, TIME_LIMITS if is_address else [])
        if is_address and self._capture.get(cv2.CAP_PROP_FRAME_WIDTH) < 1:  # its server cannot send a part of it
            self._copy = TemporaryDirectory(prefix="millchen-")
            self._capture = cv2.VideoCapture(str(film_copy(place, Path(self._copy.name))), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            raise SourceError(message("source.no_video", name=self._name))
        if self._capture.get(cv2.CAP_PROP_FRAME_WIDTH) * self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT) > MAX_PIXELS:
            raise SourceError(message("source.large_film", name=self._name, most=MAX_PIXELS // 1_000_000))
        self.fps, self.n_frames = _fps_of(self._capture), n_frames_of(self._capture)

    def __iter__(self) -> Iterator[Frame]:
        time_s, sequence = -1 / self.fps, 0
        while (read := self._capture.read())[0]:
            told_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            time_s = told_s if told_s > time_s else time_s + 1 / self.fps  # some tell none, or begin anew
            yield Frame(_colour(read[1]), time_s, sequence)
            sequence += 1
        if not sequence:
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

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[Frame]:
        sequence, until_s = 0, 0.0
        for bgr, duration_s in moving_pictures(self._path):
            until_s += duration_s
            while (time_s := sequence / self.fps) < until_s:
                yield Frame(bgr, time_s, sequence)
                sequence += 1


class PictureFolder(FrameSource):
    """Pictures in their order, in the size of the first and turned as it is: photographs, or with ``fps`` a film.

    With ``own_sizes`` each stays in its own size. ``on_skipped`` is called with each file that cannot be read. The time
    of a photograph is its number.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fps: float | None = None,
        own_sizes: bool = False,
        on_skipped: Callable[[PictureSkipped], None] = lambda _: None,
    ) -> None:
        try:
            files = [folder] if folder.is_file() else list(folder.iterdir())
        except OSError as why:
            raise SourceError(message("source.closed_folder", name=_file_name(folder), why=why.strerror)) from None
        paths = [path for path in files if path == folder or path.suffix.lower() in PICTURE_SUFFIXES | FILM_SUFFIXES]
        if all(path.suffix.lower() in FILM_SUFFIXES for path in paths):
            raise SourceError(message("source.empty_folder", name=_file_name(folder)))
        self._paths, is_by_time = in_order(paths)
        self.note = message("source.by_time") if is_by_time else ""
        self.is_photo_series, self.fps, self.n_frames = fps is None, fps or 1.0, len(paths)
        self._own_sizes, self._on_skipped, self._name = own_sizes, on_skipped, _file_name(folder)

    def __iter__(self) -> Iterator[Frame]:
        first: Picture | None = None
        why = ""
        for sequence, path in enumerate(self._paths):
            try:
                if path.suffix.lower() in FILM_SUFFIXES or n_pictures_in(path) > 1:
                    raise SourceError(message("picture.film"))
                picture = read_picture(path)
            except SourceError as error:
                why = message_of(error)
                if len(self._paths) > 1:
                    self._on_skipped(PictureSkipped(path.name, why, sequence / self.fps, sequence))
                continue
            first = first or picture
            bgr, size_px = picture.turned_like(first).upright, size_of(first.upright)
            if not self._own_sizes and size_px != size_of(bgr):
                bgr = _colour(cv2.resize(bgr, size_px, interpolation=cv2.INTER_AREA))
            yield Frame(bgr, sequence / self.fps, sequence)
        if first is None:
            raise SourceError(message("source.damaged_pictures", name=self._name, why=why))


@dataclass(frozen=True)
class CameraCare:
    """How a camera is cared for while it is looked through.

    ``settings`` are values of ``CAMERA_SETTINGS`` to lock. ``on_stale`` is called during iteration with the age of the
    newest frame, seconds, whenever ``STALE_AFTER_S`` pass without one. Where the camera goes away it is opened again
    and again for ``patience_s``; ``on_gone`` is called with True, and with False when it is back.
    """

    settings: Mapping[str, float] | None = None
    on_stale: Callable[[float], None] = lambda _: None
    patience_s: float = 0.0
    on_gone: Callable[[bool], None] = lambda _: None


class LiveCamera(FrameSource):
    """A camera by number or address; a thread of its own opens it and holds only the newest frame.

    ``n_pictures`` counts the frames that it has given. An address whose film has an end says so in ``n_frames``, and
    shows nothing.
    """

    def __init__(self, name: int | str, care: CameraCare = CameraCare()) -> None:
        self.fps, self.n_pictures, self._n_past = DEFAULT_FPS, 0, 0
        self._name, self._care = name, care
        self._lock_order: Future[dict[str, float]] | None = None
        self._newest: Frame | None = None
        self._began_s = self._newest_s = time.monotonic()
        self._is_open = self._is_over = self._stop = False
        self._news = threading.Condition()
        # Opening may hang for seconds in a driver, which cannot be interrupted; waiting for a thread can be.
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()
        try:
            with self._news:
                self._news.wait_for(lambda: self._is_open or self._is_over)
        except KeyboardInterrupt:
            self._stop = True
            raise
        if not self._is_open:
            no_answer = message("source.no_answer", name=f"camera {name}")
            raise SourceError(why_no_answer(name) if isinstance(name, str) else no_answer)

    def _run(self) -> None:
        """Hold the camera's newest picture; where it goes away open it again, as long as the patience lasts."""
        is_gone = False
        try:
            while True:
                for picture in self._pictures():
                    if is_gone:
                        is_gone = False
                        self._care.on_gone(False)
                    with self._news:
                        self._newest_s = time.monotonic()
                        self._newest = Frame(picture, self._newest_s - self._began_s, self.n_pictures)
                        self.n_pictures += 1
                        self._news.notify_all()
                is_live = self._is_open and self.n_frames is None
                if self._stop or not is_live or time.monotonic() - self._newest_s >= self._care.patience_s:
                    break
                if not is_gone:
                    is_gone = True
                    self._care.on_gone(True)
                with self._news:
                    self._news.wait_for(lambda: self._stop, STALE_AFTER_S)
        finally:  # nobody waits for ever
            with self._news:
                self._is_over = True
                self._news.notify_all()

    def _pictures(self) -> Iterator[Image | JpegPicture]:
        """Open the camera, and yield its pictures until it goes away."""
        capture, n_before = _open_capture(self._name), self.n_pictures
        address = self._name if isinstance(self._name, str) else ""
        if not capture.isOpened():
            return
        if self._care.settings:
            lock_settings(capture, self._care.settings)
        is_jpeg = ask_for_jpeg(capture)
        with self._news:
            self.fps, self._is_open = _fps_of(capture), True
            self.n_frames = n_frames_of(capture) if address else None
            self._news.notify_all()
        while not self._stop and self.n_frames is None:
            ok, data = capture.read()  # isOpened() stays True after a loss: only this answer counts
            if not ok or data is None:
                break
            if (picture := jpeg_of(data) if is_jpeg else _colour(data)) is not None:
                yield picture
            if (order := self._lock_order) is not None:
                self._lock_order = None
                order.set_result(lock_settings(capture))
        capture.release()
        is_still = bool(address) and self.n_pictures == n_before + 1  # one picture is no stream
        while is_still and not self._stop and (still := still_picture(address)) is not None:
            yield still
            time.sleep(1 / SHOWN_FPS)

    def lock_settings(self) -> dict[str, float]:
        """Lock focus, exposure and white balance at their present values; return what the driver accepted, by name."""
        self._lock_order = order = Future[dict[str, float]]()
        with suppress(TimeoutError):
            return order.result(timeout=0 if self._is_over else CAMERA_TIMEOUT_MS / 1000)
        return {}

    def __iter__(self) -> Iterator[Frame]:
        """Yield the newest frame whenever it has not been yielded yet; end when the camera is lost."""
        while True:
            with self._news:
                self._news.wait_for(lambda: self._is_over or self.n_pictures > self._n_past, STALE_AFTER_S)
                frame = self._newest
            if frame is not None and frame.sequence >= self._n_past:
                self._n_past = frame.sequence + 1
                yield frame
            elif self._is_over:
                return
            else:
                self._care.on_stale(time.monotonic() - self._newest_s)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is KeyboardInterrupt:
            self._stop = True  # a hanging driver must not delay somebody who wants to quit
        else:
            self.close()

    def close(self) -> None:
        """Release the camera."""
        with self._news:
            self._stop = True
            self._news.notify_all()
        self._thread.join(timeout=CAMERA_TIMEOUT_MS / 1000 + 1)


def _open_capture(name: int | str) -> cv2.VideoCapture:
    if isinstance(name, str):
        return cv2.VideoCapture(name, cv2.CAP_FFMPEG, TIME_LIMITS)
    capture = cv2.VideoCapture(name)
    for setting, value in (
        (cv2.CAP_PROP_FOURCC, MJPG),
        (cv2.CAP_PROP_FRAME_WIDTH, 1280),
        (cv2.CAP_PROP_FRAME_HEIGHT, 720),
    ):
        capture.set(setting, value)
    return capture


def open_source(
    text: str,
    *,
    camera: CameraCare = CameraCare(),
    fps: float | None = None,
    own_sizes: bool = False,
    on_skipped: Callable[[PictureSkipped], None] = lambda _: None,
) -> FrameSource:
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
        return VideoFile(text)
    if "://" in text:
        raise SourceError(message("source.scheme", address=repr(without_secrets(text))))
    path, kind = Path(text), kind_of_place(Path(text)) if text else "missing"
    if kind == "missing":
        raise SourceError(message("source.no_file_or_folder", name=_file_name(text)))
    if kind == "device":  # a pipe would be waited for, and a device might never end
        raise SourceError(message("source.device", name=_file_name(text)))
    n_pictures = n_pictures_in(path)
    if n_pictures > 1:
        return MovingPicture(path)
    if kind == "folder" or n_pictures or path.suffix.lower() in PICTURE_SUFFIXES:
        return PictureFolder(path, fps=fps, own_sizes=own_sizes, on_skipped=on_skipped)
    if not os.access(path, os.R_OK):
        raise SourceError(message("source.damaged_pictures", name=_file_name(text), why=message("picture.closed")))
    return VideoFile(text)


def _file_name(path: str | Path) -> str:
    """Return the name of a file in a sentence that pages may show: they do not learn its folder."""
    return repr(Path(path).name if Path(path).is_absolute() else str(path))


def _fps_of(capture: cv2.VideoCapture) -> float:
    fps = capture.get(cv2.CAP_PROP_FPS)
    return fps if 0 < fps < 1000 else DEFAULT_FPS


def n_frames_of(capture: cv2.VideoCapture) -> int | None:
    """Return how many pictures a film has; None where that is not known, as of a camera."""
    n_frames = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    return n_frames if n_frames > 1 else None


def ask_for_jpeg(capture: cv2.VideoCapture) -> bool:
    """Ask a camera for its JPEGs as they are; return whether it gives them from now on."""
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


def _colour(bgr: object) -> Image:
    """Return a picture of OpenCV with three channels."""
    array = np.asarray(bgr, np.uint8)
    colour = cv2.cvtColor(array, cv2.COLOR_GRAY2BGR) if array.ndim == 2 else array[:, :, :3]
    return np.ascontiguousarray(colour, np.uint8)


def lock_settings(capture: cv2.VideoCapture, aims: Mapping[str, float] | None = None) -> dict[str, float]:
    """Lock settings at their present values or those of ``aims``, where that is possible; return what is reported."""
    locked: dict[str, float] = {}
    for name, (switch, offs, setting) in CAMERA_SETTINGS.items():
        if aims is not None and name not in aims:
            continue
        aim, before = capture.get(setting) if aims is None else aims[name], capture.get(switch)
        is_off = any(capture.set(switch, off) and capture.get(switch) == off for off in offs)
        if is_off and capture.set(setting, aim):
            value = capture.get(setting)
            if abs(value - aim) <= SETTING_TOLERANCE * max(1.0, abs(aim)):
                locked[name] = value
                continue
        capture.set(switch, before)
    return locked
