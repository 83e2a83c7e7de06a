"""Photographs of boards in, what they show out; the last few are kept, so that pages can fetch more of them."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from werkzeug.exceptions import NotFound

from calibration.field_step import field_at_corners
from calibration.making.board_check import BoardCheck, check_board, find_made_board
from calibration.making.check_report import draw_check
from calibration.making.photographed_colours import PhotographedColours, colours_of_photograph
from referee.board import Board
from referee.boards import boards_for
from referee.presets import find_variant, variants_on
from referee.variant import Variant
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.detection.refusal import MIN_POINTS_IN_SIGHT, cut_off_reason
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, in_picture, size_of
from vision.overlay import draw_points, draw_rings
from vision.stones.photograph_reader import PhotographReading, read_photograph
from web.drawing.position_svg import DEFAULT_STONE_COLOURS
from web.errors import MillchenError
from web.net.image_upload import LOOKER, decode_image, encode_jpeg

MIN_SURE_POSTERIOR = 0.9  # least posterior of a point; below it people are asked to look
MARGIN_SPACINGS = 1.2  # what is shown of the photograph around the outermost points, in spacings of the points
MIN_PICTURE_PX = 900  # least longer side of the picture that is drawn over, px: names can be read
MOST_KEPT = 40  # photographs that are kept, some 0.5 MB each


@dataclass(frozen=True, eq=False)
class KeptPhotograph:
    """A photograph, encoded anew; ``number`` finds it again."""

    number: int
    jpeg: bytes

    @property
    def bgr(self) -> Image:
        """The picture."""
        return decode_image(self.jpeg)


@dataclass(frozen=True, eq=False)
class ReadBoard(KeptPhotograph):
    """A photograph and the stones that it shows."""

    asked: str  # the game that it was meant to show
    field: Field
    readings: Mapping[int, PhotographReading]  # what was read where so many players' stones are told apart

    @property
    def games(self) -> tuple[str, ...]:
        """The games that are played on such a board; the one that was asked for first."""
        games = variants_on(self.field.board)
        return tuple(sorted(games, key=lambda game: game != self.asked))

    def variant(self, game: str) -> Variant:
        """Return the rules of a game on this board, which may have another number of holes than usual."""
        board = self.field.board
        return find_variant(game, **({"fields": len(board.rings[0])} if board.rings else {}))

    def stones(self, variant: Variant) -> Mapping[str, Sequence[int]]:
        """Return the player on each point, 1 first: player 1 has the most frequent colour."""
        reading = self.readings[variant.players]
        player_of = {group: player + 1 for player, group in _groups_by_player(reading, variant).items()}
        points = zip(reading.points, reading.stones, reading.heights, strict=True)
        return {name: (player_of[group],) * min(int(n), variant.max_height) for name, group, n in points if group}

    def colours(self, variant: Variant) -> tuple[str, ...]:
        """Return ``#rrggbb`` of each player's stones, the usual colour where none lie."""
        reading = self.readings[variant.players]
        groups, colours = _groups_by_player(reading, variant), dict(reading.groups)
        usual = enumerate(DEFAULT_STONE_COLOURS[: variant.players])
        return tuple(colours[groups[player]] if player in groups else colour for player, colour in usual)

    def doubtful(self, variant: Variant) -> tuple[str, ...]:
        """Return the points at which people should look: what lies there is not sure, or not in the picture."""
        reading = self.readings[variant.players]
        return tuple(name for name, p in zip(reading.points, reading.p, strict=True) if p < MIN_SURE_POSTERIOR)

    def picture_jpeg(self, tops: Sequence[int], colours: Sequence[str]) -> bytes:
        """Return the board in the photograph with its points and, in the players' colours, the tops of its stones."""
        points_px, bgr = self.field.points_px, self.bgr
        margin = MARGIN_SPACINGS * self.field.spacing_px.max()
        left, top = np.floor(np.maximum(points_px.min(axis=0) - margin, 0)).astype(int)
        right, bottom = np.ceil(np.minimum(points_px.max(axis=0) + margin, size_of(bgr))).astype(int)
        board = np.ascontiguousarray(bgr[top:bottom, left:right])
        scale = max(1.0, MIN_PICTURE_PX / max(board.shape[:2]))
        painted = np.asarray(cv2.resize(board, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)
        places = (points_px - (left, top)) * scale
        draw_points(painted, places, self.field.board.points)
        draw_rings(painted, places, [colours[top - 1] if top else None for top in tops])
        return encode_jpeg(painted)


def read_board(number: int, data: bytes, game: str, corners_px: Float64Array | None = None) -> ReadBoard:
    """Read the stones on the board of a game in a photograph, at its corners where people have shown them, (4, 2).

    Without corners another board is read where the picture clearly shows that one.
    """
    bgr = decode_image(data)
    if corners_px is None:
        registration = _find_board(bgr, game)
    else:
        registration = field_at_corners(bgr, None, find_variant(game).board, corners_px)
    if isinstance(registration, NotRegistered):
        raise MillchenError(registration.reason)
    if in_picture(registration.field.points_px, size_of(bgr)).mean() < MIN_POINTS_IN_SIGHT:
        raise MillchenError(cut_off_reason(registration.field.points_px, size_of(bgr)))
    players = {find_variant(name).players for name in variants_on(registration.field.board)}
    readings = {n: read_photograph(bgr, registration, None, n) for n in players}
    return ReadBoard(number, encode_jpeg(bgr), game, registration.field, readings)


def _find_board(bgr: Image, game: str) -> Registration | NotRegistered:
    registration = find_made_board(bgr)  # among all: a board may hold a smaller one
    if not (isinstance(registration, Registration) and registration.confidence > CERTAIN_CONFIDENCE):
        of_game = find_made_board(bgr, boards_for(find_variant(game)))
        registration = (
            of_game if isinstance(of_game, Registration) or isinstance(registration, NotRegistered) else registration
        )
    return registration


def _groups_by_player(reading: PhotographReading, variant: Variant) -> dict[int, str]:
    """Return each player's group of stones, 0 first; players without stones are missing."""
    groups = sorted(dict(reading.groups), key=lambda name: (-reading.stones.count(name), name))
    order = [(variant.first + k) % variant.players for k in range(variant.players)]
    return dict(zip(order, groups, strict=False))


@dataclass(frozen=True, eq=False)
class CheckedBoard(KeptPhotograph):
    """A photograph and the faults of its board."""

    check: BoardCheck

    @property
    def picture_jpeg(self) -> bytes:
        """The photograph with points and faults drawn over it."""
        return encode_jpeg(draw_check(self.bgr, self.check))


def look_for_faults(number: int, data: bytes, boards: Sequence[Board]) -> CheckedBoard:
    """Look which of the boards is in a photograph, and what is wrong with it."""
    bgr = decode_image(data)
    return CheckedBoard(number, encode_jpeg(bgr), check_board(bgr, boards))


def colours_in(data: bytes, n_players: int) -> PhotographedColours:
    """Return the colours of cloth, line and pebbles in a picture that somebody has sent; it is not kept."""
    return LOOKER.run(_colours, data, n_players)


def _colours(data: bytes, n_players: int) -> PhotographedColours:
    return colours_of_photograph(decode_image(data), n_players)


Found = TypeVar("Found", CheckedBoard, ReadBoard)


class BoardPhotographs:
    """Looks at photographs of boards one after the other; may be used from any thread."""

    def __init__(self) -> None:
        self._photographs = OrderedDict[int, CheckedBoard | ReadBoard]()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def look(self, function: Callable[..., Found], *args: object) -> Found:
        """Check or read the board in a picture (JPEG, PNG or WEBP), and keep it."""
        photograph = LOOKER.run(function, next(self._numbers), *args)
        with self._lock:
            self._photographs[photograph.number] = photograph
            while len(self._photographs) > MOST_KEPT:
                self._photographs.popitem(last=False)
        return photograph

    def find(self, number: int, kind: type[Found], why_not: str) -> Found:
        """Return what was found in a photograph a short while ago. Raises NotFound where it is not kept any more."""
        with self._lock:
            photograph = self._photographs.get(number)
        if not isinstance(photograph, kind):
            raise NotFound(why_not)
        return photograph
