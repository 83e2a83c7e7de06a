"""Where frames come from: a video file, a camera number, an address, or a folder of pictures.

The only impure file of ``vision``. A source is opened by what a person types, yields frames, and is closed. A live
source holds the newest frame only: what nobody looked at in time is dropped, never queued.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import cv2
import numpy as np

from vision.frame import Frame, Image

PICTURE_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}

OPEN_TIMEOUT_MS = 3000
READ_TIMEOUT_MS = 2000
"""A stalled http camera blocks OpenCV for 30 s by its defaults."""

USUAL_FPS = 25.0
"""Frames a second of a file whose header does not say."""

SETTLED_PICTURE_S = 1.0
"""Time between two pictures of a folder: each one is a settled look at the table."""


class SourceError(Exception):
    """The source cannot be used; the message is one sentence that says what to do."""


class FrameSource(Protocol):
    """Something that yields frames until it ends or is closed.

    Attributes
    ----------
    fps : float
        Frames a second, as far as the source says.
    n_frames : int or None
        How many frames there will be; None for a live source.
    settled : bool
        True when every frame is a settled look of its own (a folder of pictures).
    """

    fps: float
    n_frames: int | None
    settled: bool

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames in order."""
        ...

    def close(self) -> None:
        """Let go of the camera or the file."""
        ...


class _Closing:
    """Makes a source usable in a ``with``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what was opened."""


class VideoFile(_Closing):
    """A video file; time is the video's own.

    Parameters
    ----------
    path : Path
    realtime : bool
        Play at the file's own speed and drop what comes too late, as a camera would.
    """

    settled = False

    def __init__(self, path: Path, *, realtime: bool = False) -> None:
        self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise SourceError(f"{str(path)!r} is no video that can be read: try another file, or convert it to MP4")
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 0.1 < fps < 1000 else USUAL_FPS
        count = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.n_frames: int | None = count if count > 0 else None
        self._realtime = realtime
        self._name = str(path)

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames in order; raise ``SourceError`` when not one can be read."""
        began = time.monotonic()
        sequence = 0
        while True:
            time_s = sequence / self.fps
            if self._realtime:
                late_s = time.monotonic() - began - time_s
                if late_s > 1.5 / self.fps:
                    if not self._capture.grab():
                        return
                    sequence += 1
                    continue
                time.sleep(max(0.0, -late_s))
            ok, bgr = self._capture.read()
            if not ok or bgr is None:
                if sequence == 0:
                    raise SourceError(f"{self._name!r} holds no picture: try another file, or convert it to MP4")
                return
            yield Frame(_colour(bgr), time_s, sequence)
            sequence += 1

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class PictureFolder(_Closing):
    """A folder of pictures, sorted by name; each is a settled look unless ``fps`` makes them a video.

    Pictures of another size than the first one that can be read are brought to its size. A single picture will do.
    """

    def __init__(self, folder: Path, *, fps: float | None = None) -> None:
        try:
            inside = [folder] if folder.is_file() else list(folder.iterdir())
            self._paths = sorted(p for p in inside if p.suffix.lower() in PICTURE_SUFFIXES)
        except OSError as why:
            raise SourceError(f"the folder {str(folder)!r} cannot be opened ({why.strerror})") from None
        if not self._paths:
            raise SourceError(f"there is no picture in {str(folder)!r}: put JPEG, PNG or WEBP files there")
        self.settled = fps is None
        self.fps = fps or 1 / SETTLED_PICTURE_S
        self.n_frames: int | None = len(self._paths)

    def __iter__(self) -> Iterator[Frame]:
        """Yield the pictures that can be read, in order of their names; raise ``SourceError`` when none can."""
        size_px: tuple[int, int] | None = None
        for sequence, path in enumerate(self._paths):
            bgr = read_picture(path)
            if bgr is not None:
                size_px = size_px or (bgr.shape[1], bgr.shape[0])
                if size_px != (bgr.shape[1], bgr.shape[0]):
                    bgr = _colour(cv2.resize(bgr, size_px, interpolation=cv2.INTER_AREA))
                yield Frame(bgr, sequence / self.fps, sequence)
        if size_px is None:
            raise SourceError(f"no picture in {str(self._paths[0].parent)!r} can be read: are the files damaged?")


class LiveCamera(_Closing):
    """A camera by number or address; a thread of its own always holds the newest frame only.

    Parameters
    ----------
    name : int or str
        Number of a camera on this machine, or an ``http://``, ``https://`` or ``rtsp://`` address.
    """

    settled = False
    n_frames: int | None = None

    def __init__(self, name: int | str) -> None:
        if isinstance(name, int):
            self._capture = cv2.VideoCapture(name)
        else:
            limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS]
            self._capture = cv2.VideoCapture(name, cv2.CAP_FFMPEG, limits)
        if not self._capture.isOpened():
            what = f"camera {name}" if isinstance(name, int) else repr(name)
            raise SourceError(f"{what} does not answer: is it plugged in, switched on, and free of other programs?")
        if isinstance(name, int):
            self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1280)
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 720)
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 0.1 < fps < 1000 else USUAL_FPS
        self._newest: Frame | None = None
        self._ended = False
        self._stop = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._hold_newest, name="camera", daemon=True)
        self._thread.start()

    def _hold_newest(self) -> None:
        began = time.monotonic()
        sequence = 0
        while not self._stop:
            ok, bgr = self._capture.read()  # isOpened() stays True after a loss: only this answer counts
            with self._changed:
                if not ok or bgr is None:
                    self._ended = True
                else:
                    self._newest = Frame(_colour(bgr), time.monotonic() - began, sequence)
                    sequence += 1
                self._changed.notify_all()
            if self._ended:
                break
        self._capture.release()

    def __iter__(self) -> Iterator[Frame]:
        """Yield the newest frame whenever there is one that was not yielded; end when the camera is lost."""
        last = -1
        while True:
            with self._changed:
                while not self._ended and (self._newest is None or self._newest.sequence == last):
                    self._changed.wait()
                frame = self._newest
                if frame is None or frame.sequence == last:
                    return
            last = frame.sequence
            yield frame

    def close(self) -> None:
        """Let go of the camera."""
        self._stop = True
        self._thread.join(timeout=READ_TIMEOUT_MS / 1000 + 1)


def open_source(
    text: str, *, fps: float | None = None, realtime: bool = False
) -> VideoFile | PictureFolder | LiveCamera:
    """Open what a person names.

    Parameters
    ----------
    text : str
        A camera number, an ``http://``, ``https://`` or ``rtsp://`` address, a video file, or a folder of pictures.
    fps : float, optional
        Makes a folder of pictures a video of so many frames a second.
    realtime : bool
        Play a video file at its own speed.

    Returns
    -------
    FrameSource

    Raises
    ------
    SourceError
        When it is not there or cannot be read.
    """
    if fps is not None and not 0 < fps <= 1000:
        raise SourceError(f"frames a second must be over 0 and at most 1000, got {fps!r}")
    if re.fullmatch(r"\d{1,3}", text):
        return LiveCamera(int(text))
    if re.match(r"(https?|rtsps?)://", text):
        return LiveCamera(text)
    if "://" in text:
        raise SourceError(f"addresses begin with http://, https:// or rtsp://, got {text!r}")
    path = Path(text)
    try:
        is_folder, is_there = bool(text) and path.is_dir(), bool(text) and path.exists()
    except OSError:  # a name that no file can have
        is_folder = is_there = False
    if is_folder:
        return PictureFolder(path, fps=fps)
    if not is_there:
        raise SourceError(f"there is no file or folder {text!r}: give a video, a folder, a camera number or an address")
    if path.suffix.lower() in PICTURE_SUFFIXES and path.is_file():
        return PictureFolder(path, fps=fps)
    return VideoFile(path, realtime=realtime)


def read_picture(path: Path) -> Image | None:
    """Read a picture file as bgr, its pixels as stored (a note on how to turn it is ignored); None when it is none."""
    try:
        if not path.is_file():  # a device or a pipe might never end
            return None
        data = np.fromfile(path, np.uint8)
    except OSError:
        return None
    if data.size == 0:
        return None
    try:
        bgr = cv2.imdecode(data, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    return None if bgr is None else _colour(bgr)


def _colour(bgr: object) -> Image:
    array = np.asarray(bgr, np.uint8)
    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    return np.ascontiguousarray(array[:, :, :3])
