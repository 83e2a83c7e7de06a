"""The setup page's camera: starts its process, sends it commands, and keeps the newest of all that it sends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any, TypeVar

from calibration.profile import CameraPart
from languages import message
from web.child_process import ChildProcess
from web.errors import MillchenError
from web.setup import camera_loop

CAMERA_OPEN_TIMEOUT_S = 12.0  # time in seconds within which a camera must give a picture, else it counts as unusable
THUMBNAIL_TIMEOUT_S = 8.0  # time in seconds within which a camera must give a thumbnail
ANSWER_TIMEOUT_S = 15.0  # time in seconds within which the process must answer a request
CAMERA_IDLE_TIMEOUT_S = 20.0  # time in seconds without a request of a page after which the camera is closed

UNREQUESTED_PICTURE_INTERVAL_S = 2.0
"""Time in seconds between pictures that nobody has asked for; they have the first one ready at once."""

T = TypeVar("T")


class SetupCamera:
    """A camera that stays open from `open` to `close`; methods may be called from any thread."""

    def __init__(self, target: Callable[..., None] = camera_loop.run_setup_camera) -> None:
        self.on_close: Callable[[], None] | None = None  # called once when the camera is closed
        self._target = target
        self._changed = threading.Condition()
        self._process: ChildProcess | None = None
        self._n_messages = 0
        self._picture: tuple[int, bytes] = (0, b"")
        self._updates: dict[str, Any] = {}
        self._answer: object = None
        self._gone_reason = ""
        self._asked_s = 0.0
        self._is_picture_due = False

    def open(self, place: str, name: str) -> CameraPart:
        """Look through a source from now on; return what it really gives."""
        self.close()
        process = ChildProcess("setup camera", self._target, place, name)
        with self._changed:
            self._process, self._gone_reason, self._updates, self._answer = process, "", {}, None
            self._asked_s = time.monotonic()
        threading.Thread(target=self._listen, args=(process,), name="setup camera", daemon=True).start()
        try:
            return self._wait_for(CameraPart, CAMERA_OPEN_TIMEOUT_S)
        except MillchenError:
            self.close()
            raise

    def close(self) -> None:
        """Close the camera."""
        with self._changed:
            process, self._process = self._process, None
            after, self.on_close = self.on_close, None if process is not None else self.on_close
            self._changed.notify_all()
        if process is not None:
            process.end()
            if after is not None:
                after()

    def send(self, command: object) -> None:
        """Send a command."""
        process = self._process
        if process is None:
            raise MillchenError(message("camera.closed"))
        process.send(command)

    def request(self, command: object, kind: type[T]) -> T:
        """Send a command, wait for its answer, a message of the type ``kind``, and return it."""
        with self._changed:
            self._answer = None
        self.send(command)
        return self._wait_for(kind, ANSWER_TIMEOUT_S)

    def add_update(self, kind: str, body: dict[str, Any]) -> None:
        """Put something beside the updates of the process, for `state`."""
        with self._changed:
            self._updates[kind] = body

    def state(self, after: int, timeout_s: float) -> dict[str, Any]:
        """Return the newest of all updates; wait a moment for a message after number ``after``."""
        with self._changed:
            self._asked_s = time.monotonic()
            self._changed.wait_for(lambda: self._n_messages > after or self._process is None, timeout_s)
            is_open = self._process is not None
            return {"number": self._n_messages, "open": is_open, "gone": self._gone_reason, **self._updates}

    def picture(self, after: int, timeout_s: float) -> tuple[int, bytes] | None:
        """Return the newest picture after number ``after``, with its number; None where none came in time."""
        with self._changed:
            self._asked_s = time.monotonic()
            self._is_picture_due = True
            self._changed.wait_for(lambda: self._picture[0] > after or self._process is None, timeout_s)
            return self._picture if self._picture[0] > after else None

    def _wait_for(self, kind: type[T], timeout_s: float) -> T:
        with self._changed:
            self._changed.wait_for(lambda: isinstance(self._answer, kind) or self._gone_reason, timeout_s)
            if isinstance(self._answer, kind):
                return self._answer
            raise MillchenError(self._gone_reason or message("camera.no_picture"))

    def _listen(self, process: ChildProcess) -> None:
        """Take in the messages of the process until it ends or no page asks for anything any more."""
        pictured_s = 0.0
        while self._process is process:
            now = time.monotonic()
            if now - self._asked_s > CAMERA_IDLE_TIMEOUT_S:
                self.close()
                break
            if self._is_picture_due or now - pictured_s > UNREQUESTED_PICTURE_INTERVAL_S:
                self._is_picture_due, pictured_s = False, now
                process.send(camera_loop.Ask.PICTURE)
            if not wait([process.pipe], timeout=0.05):
                continue
            try:
                received = process.pipe.recv()
            except (EOFError, OSError):
                received = camera_loop.CameraGone(message("camera.unplugged"))
            with self._changed:
                self._receive(received)
                self._changed.notify_all()
            if isinstance(received, camera_loop.CameraGone):
                break
        process.pipe.close()

    def _receive(self, received: object) -> None:
        self._n_messages += 1
        match received:
            case camera_loop.SetupPicture(jpeg, size_px):
                self._picture = self._n_messages, jpeg
                self._updates["size"] = size_px
            case camera_loop.PageUpdate(kind, body):
                self._updates[kind] = body
            case camera_loop.CameraGone(reason):
                self._gone_reason = reason
            case _:
                self._answer = received


def camera_thumbnail(number: int) -> bytes | None:
    """Return a small picture of a camera of this computer as JPEG, None where it gives none."""
    process = ChildProcess("thumbnail", camera_loop.send_thumbnail, str(number))
    try:
        received = process.pipe.recv() if process.pipe.poll(THUMBNAIL_TIMEOUT_S) else None
    except (EOFError, OSError):
        received = None
    finally:
        process.end()
        process.pipe.close()
    return received.jpeg if isinstance(received, camera_loop.SetupPicture) else None
