"""A game as an animated picture: the drawing of `web.drawing.position_svg`, painted with OpenCV."""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from web.drawing.board_svg import PEBBLE_RADIUS, pebble_shapes
from web.drawing.gif_encoder import write_gif
from web.drawing.position_svg import PositionDrawing, StoneDrawing

SIZE_PX = 480  # wide and high: clear on a phone
FINER = 2  # painted so much larger, then made smaller: soft edges
TURN_MS, END_MS = 1100, 4000
TABLE, CLOTH, FRINGE, HEM = "#e8dcc6", "#f8f0df", "#d3bf95", "#cdb88d"
YARN, HOLLOW, GOLD, INK = "#40633f", "#e2d4b8", "#d99a1f", "#6a5a49"  # as in style.css, by day
SUBPIXEL = 4  # bits behind the point in OpenCV's coordinates

Picture = NDArray[np.uint8]


def animate(drawings: Sequence[PositionDrawing]) -> bytes:
    """The positions one after the other, as a GIF that runs for ever."""
    return write_gif([paint(drawing) for drawing in drawings], [TURN_MS] * (len(drawings) - 1) + [END_MS])


def paint(drawing: PositionDrawing) -> Picture:
    """A position as a picture.

    Returns
    -------
    uint8 array of shape (SIZE_PX, SIZE_PX, 3), bgr
    """
    board = drawing.board
    canvas = _Canvas(tuple(float(v) for v in board.view_box.split()))
    canvas.fill(flat(board.cloth), FRINGE, grow=16)
    canvas.fill(flat(board.cloth), CLOTH)
    canvas.line(flat(board.hem), HEM, 4, closed=True)
    for yarn in board.yarns:
        canvas.line(flat(yarn), YARN, 18, closed=yarn.endswith("Z"))
    for x, y, radius in board.hollows:
        canvas.disc(x, y, radius, YARN)
        canvas.disc(x, y, radius - 6, HOLLOW)
    for path in drawing.mills:
        canvas.line(flat(path), GOLD, 34)
    if board.drawing == "lines":
        for _, x, y in board.points:
            canvas.disc(x, y, board.stone * 0.22, YARN)
    for x, y in drawing.ghosts:
        canvas.ring(x, y, board.stone * 0.8, INK, 6)
    for x, y in drawing.rings:
        canvas.ring(x, y, board.stone * 1.24, GOLD, 12)
    for x, y in drawing.taken:
        a = board.stone * 0.42
        canvas.line(np.array([[x - a, y - a], [x + a, y + a]]), INK, 11)
        canvas.line(np.array([[x + a, y - a], [x - a, y + a]]), INK, 11)
    outlines = [flat(path) / PEBBLE_RADIUS for path in pebble_shapes()]
    for stone in drawing.stones:
        _lay(canvas, stone, outlines[stone.shape], drawing)
    for path in drawing.arrows:
        canvas.arrow(flat(path), GOLD, 16)
    return canvas.done()


def _lay(canvas: _Canvas, stone: StoneDrawing, outline: NDArray[np.float64], drawing: PositionDrawing) -> None:
    radius, colour = drawing.board.stone, drawing.paints[stone.paint - 1]
    at = np.array([stone.x, stone.y])
    canvas.fill(outline * radius * 1.06 + at + np.array([0.05, 0.13]) * radius, mixed(CLOTH, "#1c140a", 0.45))
    canvas.fill(outline * radius + at, mixed(colour, "#1a120a", 0.42))
    # Light from the upper left: ever smaller and lighter, as the gradient of the page.
    for share, light in ((0.93, 0.16), (0.84, 0.0), (0.66, -0.1), (0.48, -0.22), (0.3, -0.38), (0.14, -0.6)):
        tone = mixed(colour, "#1a120a", light) if light >= 0 else mixed(colour, "#ffffff", -light)
        canvas.fill(outline * radius * share + at - np.array([0.3, 0.34]) * radius * (1 - share), tone)
    for k in range(stone.paint - 1):  # veins tell players apart where colours do not
        y = (k - (stone.paint - 2) / 2) * 0.42
        vein = np.array([[-0.72, y + 0.2], [-0.2, y], [0.25, y + 0.06], [0.74, y - 0.2]]) * radius + at
        pale = stone.paint != 2
        canvas.line(vein, mixed(colour, "#ffffff" if pale else "#241a10", 0.45), 0.09 * radius)


def mixed(colour: str, other: str, share: float) -> str:
    """``colour`` with a share of ``other``, both ``#rrggbb``."""
    a, b = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in (colour, other))
    return "#" + "".join(f"{round(v):02x}" for v in a + (b - a) * share)


def flat(path: str) -> NDArray[np.float64]:
    """The places along a path of `web.drawing.board_svg` (M, L, C, Q, Z), shape (n, 2), drawing space."""
    places: list[NDArray[np.float64]] = []
    for command, numbers in re.findall(r"([MLCQ])([^MLCQZ]*)", path):
        pairs = np.array([float(v) for v in re.findall(r"-?\d+(?:\.\d+)?", numbers)]).reshape(-1, 2)
        if command in "ML":
            places.extend(pairs)
            continue
        corners = [places[-1], *pairs]
        n = len(corners) - 1
        for t in np.linspace(0, 1, 9)[1:]:
            row = corners
            for _ in range(n):  # de Casteljau
                row = [a + (b - a) * t for a, b in zip(row, row[1:], strict=False)]
            places.append(row[0])
    return np.array(places)


class _Canvas:
    """A picture that is painted in drawing space."""

    def __init__(self, view: tuple[float, ...]) -> None:
        self._origin = np.array(view[:2])
        self._scale = SIZE_PX * FINER / view[2]
        self._image = np.full((SIZE_PX * FINER, SIZE_PX * FINER, 3), _bgr(TABLE), np.uint8)

    def _px(self, places: NDArray[np.float64]) -> NDArray[np.int32]:
        return np.asarray(np.round((places - self._origin) * self._scale * (1 << SUBPIXEL)), np.int32)

    def fill(self, around: NDArray[np.float64], colour: str, grow: float = 0.0) -> None:
        """A filled outline; ``grow`` widens it by so much on every side."""
        cv2.fillPoly(self._image, [self._px(around)], _bgr(colour), cv2.LINE_AA, SUBPIXEL)
        if grow:
            self.line(around, colour, 2 * grow, closed=True)

    def line(self, along: NDArray[np.float64], colour: str, width: float, closed: bool = False) -> None:
        """A line with round ends."""
        thick = max(1, round(width * self._scale))
        cv2.polylines(self._image, [self._px(along)], closed, _bgr(colour), thick, cv2.LINE_AA, SUBPIXEL)

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        """A filled circle."""
        self._circle(x, y, radius, colour, -1)

    def ring(self, x: float, y: float, radius: float, colour: str, width: float) -> None:
        """A circle."""
        self._circle(x, y, radius, colour, max(1, round(width * self._scale)))

    def _circle(self, x: float, y: float, radius: float, colour: str, thick: int) -> None:
        (cx, cy), r = self._px(np.array([x, y])), round(radius * self._scale * (1 << SUBPIXEL))
        cv2.circle(self._image, (int(cx), int(cy)), r, _bgr(colour), thick, cv2.LINE_AA, SUBPIXEL)

    def arrow(self, along: NDArray[np.float64], colour: str, width: float) -> None:
        """A line with a head at its end."""
        self.line(along, colour, width)
        way = along[-1] - along[-2]
        way = way / (np.hypot(*way) or 1.0)
        across = np.array([-way[1], way[0]])
        tip = along[-1] + way * width
        foot = tip - way * 2.6 * width
        self.fill(np.array([tip, foot + across * 1.5 * width, foot - across * 1.5 * width]), colour)

    def done(self) -> Picture:
        """The picture in its final size."""
        small = cv2.resize(self._image, (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8)


def _bgr(colour: str) -> tuple[int, int, int]:
    return int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16)
