"""The page's end of a table's camera process while the set-up has it: the newest of all that it sends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from calibration.cameras import make_thumbnail
from calibration.profile import CameraPart
from languages import message
from vision.capture.sources import open_source
from web.child_process import CalledProcess
from web.errors import MillchenError
from web.setup.setup_process import PageUpdate, run_setup_camera
from web.table.live_table import LiveTable
from web.table.vision_messages import EncodedPicture, SourceEnded
from web.table.vision_process import encode_picture

CAMERA_OPEN_TIMEOUT_S = 12.0  # time in seconds within which a camera must give a picture, else it counts as unusable
THUMBNAIL_TIMEOUT_S = 8.0  # time in seconds within which a camera must give a thumbnail
ANSWER_TIMEOUT_S = 15.0  # time in seconds within which the process must answer a request
CAMERA_IDLE_TIMEOUT_S = 20.0  # time in seconds without a request of a page after which the camera is given back

T = TypeVar("T")


class SetupCamera:
    """A guest of a table's camera process from `open` to `close`; methods may be called from any thread."""

    def __init__(self) -> None:
        self.process: tuple[Callable[..., None], Sequence[Any]] = (run_setup_camera, ())
        self._table: LiveTable | None = None
        self._changed = threading.Condition()
        self._n_messages = 0
        self._picture: tuple[int, bytes] = (0, b"")
        self._updates: dict[str, Any] = {}
        self._answer: object = None
        self._gone_reason = ""
        self._asked_s = 0.0

    def open(self, table: LiveTable, place: str, name: str) -> CameraPart:
        """Look through a source from now on, in the place of the game at the table; return what it really gives."""
        self.close()
        with self._changed:
            self._table, self._gone_reason, self._updates, self._answer = table, "", {}, None
            self._asked_s = time.monotonic()
        self.process = run_setup_camera, (place, name)
        table.lend_camera(self)
        try:
            return self._wait_for(CameraPart, CAMERA_OPEN_TIMEOUT_S)
        except MillchenError:
            self.close()
            raise

    def close(self) -> None:
        """Give the camera back to the table."""
        with self._changed:
            table, self._table = self._table, None
            self._changed.notify_all()
        if table is not None:
            table.lend_camera(None)

    @property
    def is_gone(self) -> bool:
        """Whether the source has ended, or cannot be used."""
        return bool(self._gone_reason)

    def tick(self) -> None:
        """Give the camera back where no page has asked for anything for a while."""
        if time.monotonic() - self._asked_s > CAMERA_IDLE_TIMEOUT_S:
            self.close()

    def send(self, command: object) -> None:
        """Send a command."""
        if (table := self._table) is None or not table.send_to_camera(command):
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
        with self._looking(lambda: self._n_messages > after, timeout_s):
            is_open = self._table is not None
            return {"number": self._n_messages, "open": is_open, "gone": self._gone_reason, **self._updates}

    def picture(self, after: int, timeout_s: float) -> tuple[int, bytes] | None:
        """Return the newest picture after number ``after``, with its number; None where none came in time."""
        with self._looking(lambda: self._picture[0] > after, timeout_s):
            return self._picture if self._picture[0] > after else None

    @contextmanager
    def _looking(self, is_there: Callable[[], bool], timeout_s: float) -> Iterator[None]:
        """Keep pictures coming, and wait a moment for something."""
        with self._changed:
            self._asked_s = time.monotonic()
            if self._table is not None:
                self._table.request_pictures()
            self._changed.wait_for(lambda: is_there() or self._table is None, timeout_s)
            yield

    def _wait_for(self, kind: type[T], timeout_s: float) -> T:
        with self._changed:
            self._changed.wait_for(lambda: isinstance(self._answer, kind) or self._gone_reason, timeout_s)
            if isinstance(self._answer, kind):
                return self._answer
            raise MillchenError(self._gone_reason or message("camera.no_picture"))

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
                    self._gone_reason = reason
                case _:
                    self._answer = message
            self._changed.notify_all()


def camera_thumbnail(number: int) -> bytes | None:
    """Return a small picture of a camera of this computer as JPEG, None where it gives none."""
    process = CalledProcess("thumbnail")
    try:
        return process.ask(THUMBNAIL_TIMEOUT_S, _thumbnail, str(number))
    except Exception:  # whatever its driver does
        return None
    finally:
        process.end()


def _thumbnail(source: str) -> bytes:
    with open_source(source) as opened:
        frame = next(frame for k, frame in enumerate(opened) if k >= 4 or opened.n_frames is not None)
    return encode_picture(make_thumbnail(frame.bgr))
