"""The wizard's camera: a process that looks through it, and the newest of everything that it has told."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from calibration.profile import CameraPart
from languages import message
from web.errors import MillchenError
from web.setup import camera_loop as eyes

CAMERA_OPEN_TIMEOUT_S = 12.0  # a camera that has not given a picture by then will not
THUMBNAIL_TIMEOUT_S = 8.0
ANSWER_TIMEOUT_S = 15.0
CAMERA_IDLE_TIMEOUT_S = 20.0  # the camera is let go when no page has asked for so long
UNREQUESTED_PICTURE_INTERVAL_S = 2.0  # a picture comes so often although nobody asks, so that the first one is there at once

CameraTarget = Callable[[Connection, str, str], None]
T = TypeVar("T")


class SetupCamera:
    """A camera that stays open from `open` to `close`; methods may be called from any thread.

    Parameters
    ----------
    look : callable
        What the process runs; tests give their own.

    Attributes
    ----------
    on_close : callable or None
        Called once when the camera was let go.
    """

    def __init__(self, look: CameraTarget = eyes.run_setup_camera) -> None:
        self.on_close: Callable[[], None] | None = None
        self._look = look
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._number = 0
        self._jpeg: tuple[int, bytes] = (0, b"")
        self._told: dict[str, Any] = {}
        self._answer: object = None
        self._gone = ""
        self._asked_s = 0.0
        self._is_picture_due = False

    def open(self, place: str, name: str) -> CameraPart:
        """Look through a source from now on; what it really gives.

        Raises
        ------
        MillchenError
            When it cannot be used.
        """
        self.close()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=self._look, args=(theirs, place, name), name="wizard", daemon=True)
        process.start()
        theirs.close()
        with self._changed:
            self._process, self._pipe, self._gone, self._told, self._answer = process, ours, "", {}, None
            self._asked_s = time.monotonic()
        threading.Thread(target=self._listen, args=(ours,), name="wizard", daemon=True).start()
        try:
            return self._wait_for(eyes.CameraOpened, CAMERA_OPEN_TIMEOUT_S).camera
        except MillchenError:
            self.close()
            raise

    def close(self) -> None:
        """Let the camera go."""
        with self._changed:
            process, self._process, self._pipe = self._process, None, None
            after, self.on_close = self.on_close, None if process is not None else self.on_close
            self._changed.notify_all()
        if process is not None:
            _end_process(process)
            if after is not None:
                after()

    def tell(self, command: object) -> None:
        """Send a command.

        Raises
        ------
        MillchenError
            When there is no camera.
        """
        with self._sending:
            pipe = self._pipe
            if pipe is None:
                raise MillchenError(message("camera.closed"))
            try:
                pipe.send(command)
            except OSError:
                raise MillchenError(message("camera.lost")) from None

    def ask(self, command: object, kind: type[T]) -> T:
        """Send a command and wait for its answer.

        Raises
        ------
        MillchenError
            When none comes.
        """
        with self._changed:
            self._answer = None
        self.tell(command)
        return self._wait_for(kind, ANSWER_TIMEOUT_S)

    def note(self, kind: str, body: dict[str, Any]) -> None:
        """Put something beside what the eyes tell, for `state`."""
        with self._changed:
            self._told[kind] = body

    def state(self, after: int, timeout_s: float) -> dict[str, Any]:
        """Everything that was told; waits a moment for news after number ``after``."""
        with self._changed:
            self._asked_s = time.monotonic()
            self._changed.wait_for(lambda: self._number > after or self._pipe is None, timeout_s)
            return {"number": self._number, "open": self._pipe is not None, "gone": self._gone, **self._told}

    def picture(self, after: int, timeout_s: float) -> tuple[int, bytes] | None:
        """The newest picture after number ``after``, with its number."""
        with self._changed:
            self._asked_s = time.monotonic()
            self._is_picture_due = True
            self._changed.wait_for(lambda: self._jpeg[0] > after or self._pipe is None, timeout_s)
            return self._jpeg if self._jpeg[0] > after else None

    def _wait_for(self, kind: type[T], timeout_s: float) -> T:
        with self._changed:
            self._changed.wait_for(lambda: isinstance(self._answer, kind) or self._gone, timeout_s)
            if isinstance(self._answer, kind):
                return self._answer
            raise MillchenError(self._gone or message("camera.no_picture"))

    def _listen(self, pipe: Connection) -> None:
        """Take in what the eyes say, until they end or nobody looks any more."""
        wished_s = 0.0
        while self._pipe is pipe:
            now = time.monotonic()
            if now - self._asked_s > CAMERA_IDLE_TIMEOUT_S:
                self.close()
                break
            if self._is_picture_due or now - wished_s > UNREQUESTED_PICTURE_INTERVAL_S:
                self._is_picture_due, wished_s = False, now
                try:
                    self.tell(eyes.SendSetupPicture())
                except MillchenError:
                    break
            if not wait([pipe], timeout=0.05):
                continue
            try:
                received = pipe.recv()
            except (EOFError, OSError):
                received = eyes.CameraGone(message("camera.unplugged"))
            with self._changed:
                self._hear(received)
                self._changed.notify_all()
            if isinstance(received, eyes.CameraGone):
                break
        pipe.close()

    def _hear(self, received: object) -> None:
        self._number += 1
        match received:
            case eyes.SetupPicture(jpeg, size_px):
                self._jpeg = self._number, jpeg
                self._told["size"] = list(size_px)
            case eyes.PageUpdate(kind, body):
                self._told[kind] = body
            case eyes.CameraGone(reason):
                self._gone = reason
            case _:
                self._answer = received


def camera_thumbnail(number: int) -> bytes | None:
    """A small picture of a camera of this computer as JPEG; None when it gives none."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=eyes.send_thumbnail, args=(theirs, str(number)), daemon=True)
    process.start()
    theirs.close()
    try:
        seen = ours.recv() if ours.poll(THUMBNAIL_TIMEOUT_S) else None
    except (EOFError, OSError):
        seen = None
    finally:
        _end_process(process)
        ours.close()
    return seen.jpeg if isinstance(seen, eyes.SetupPicture) else None


def _end_process(process: BaseProcess) -> None:
    process.terminate()
    process.join(timeout=1.0)
    if process.is_alive():
        process.kill()
        process.join(timeout=1.0)
