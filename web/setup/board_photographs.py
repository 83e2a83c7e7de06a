"""Photographs of boards that were checked or read; the last few are kept, so that what was found can be fetched."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from calibration.making.board_check import check_board
from calibration.making.board_faults import BoardCheck
from calibration.making.check_report import draw_check
from calibration.making.photographed_colours import PhotographedColours, colours_of_photograph
from referee.board import Board
from vision.imaging.frame import Image
from web.net.image_upload import DECODING, WaitingRoom, decode_image, encode_jpeg
from web.setup.read_board import ReadBoard, read_board

MOST_KEPT = 3
"""Photographs that are kept, some 6 MB each. Source: chosen."""

MOST_WAITING = 2
"""Boards that wait while one is looked at, which takes a few seconds. Source: chosen."""

LONGEST_WAIT_S = 20.0
"""Longest wait for those before, seconds. Source: chosen."""


@dataclass(frozen=True, eq=False)
class CheckedBoard:
    """A photograph and what it says of its board.

    Attributes:
        number: By which it is asked for again.
        bgr: uint8 array of shape (H, W, 3).
    """

    number: int
    bgr: Image
    check: BoardCheck

    @property
    def picture_jpeg(self) -> bytes:
        """The photograph with points and faults drawn over it."""
        return encode_jpeg(draw_check(self.bgr, self.check))


class BoardPhotographs:
    """Looks at photographs of boards one after the other; may be used from any thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, CheckedBoard | ReadBoard] = OrderedDict()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._room = WaitingRoom(MOST_WAITING, LONGEST_WAIT_S)

    def check(self, data: bytes, boards: Sequence[Board]) -> CheckedBoard:
        """Check the board in a picture that somebody has sent, and keep it.

        Args:
            data: A JPEG, PNG or WEBP.
            boards: What it is meant to be.

        Raises:
            MillchenError: When it is no picture.
            BusyError: When too many others wait.
        """
        bgr = DECODING.run(lambda: decode_image(data))
        found = CheckedBoard(next(self._numbers), bgr, self._room.run(lambda: check_board(bgr, boards)))
        self._keep(found)
        return found

    def read(self, data: bytes, game: str) -> ReadBoard:
        """Read the stones on the board in a picture that somebody has sent, and keep it.

        Args:
            data: A JPEG, PNG or WEBP.
            game: What is meant to be played on it.

        Raises:
            MillchenError: When it is no picture, or shows no board.
            BusyError: When too many others wait.
        """
        bgr = DECODING.run(lambda: decode_image(data))
        found = self._room.run(lambda: read_board(next(self._numbers), bgr, game))
        self._keep(found)
        return found

    def _keep(self, found: CheckedBoard | ReadBoard) -> None:
        with self._lock:
            self._kept[found.number] = found
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def colours(self, data: bytes, n_players: int) -> PhotographedColours:
        """Return the colours of cloth, line and pebbles in a picture that somebody has sent; it is not kept.

        Raises:
            Refused: When it does not show them.
            MillchenError: When it is no picture.
            BusyError: When too many others wait.
        """
        bgr = DECODING.run(lambda: decode_image(data))
        return self._room.run(lambda: colours_of_photograph(bgr, n_players))

    def find(self, number: int) -> CheckedBoard | ReadBoard | None:
        """Return what was found in a photograph a short while ago, or None."""
        with self._lock:
            return self._kept.get(number)
