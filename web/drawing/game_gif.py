"""A game as an animated GIF: the drawings of `web.drawing.position_svg`, rendered with OpenCV, encoded with Pillow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from vision.imaging.frame import Image
from web.drawing import position_svg as svg
from web.drawing.board_svg import PEBBLE_RADIUS, pebble_shapes

GIF_SIDE_PX = 480  # width and height of the GIF in pixels: clear on a phone
SUPERSAMPLING = 2  # factor by which pictures are rendered larger before they are scaled down, for soft edges
TURN_DURATION_MS, LAST_DURATION_MS = 1100, 4000  # how long a turn is shown, and how long the last one, in milliseconds
TABLE_COLOUR = "#e8dcc6"  # around the board, as in the light theme in style.css

LIGHT_LAYERS = ((0.93, 0.16), (0.84, 0.0), (0.66, -0.1), (0.48, -0.22), (0.3, -0.38), (0.14, -0.6))
"""Layers of a stone, each smaller: radius as a share of the stone's, and how much darker, or lighter below 0, it is."""

LIGHT_FROM = np.array([-0.3, -0.34])  # from a stone's middle to where its light is brightest, in radii
SHADOW_AT, SHADOW_SIZE = np.array([0.05, 0.13]), 1.06  # middle and size of a stone's shadow, in radii

_SUBPIXEL_BITS = 4  # fractional bits of the coordinates that are given to OpenCV


def animate_positions(drawings: Sequence[svg.PositionDrawing], comment: str = "") -> bytes:
    """Return the positions one after the other as a GIF that repeats for ever."""
    durations_ms = [TURN_DURATION_MS] * (len(drawings) - 1) + [LAST_DURATION_MS]
    return encode_gif([render_position(drawing) for drawing in drawings], durations_ms, comment)


def encode_gif(images: Sequence[Image], durations_ms: Sequence[int], comment: str = "") -> bytes:
    """Return the images, uint8 of shape (H, W, 3), bgr, one after the other as a GIF that repeats for ever.

    All share one palette, so that unchanged regions stay equal: Pillow stores only the rectangle that has changed.
    """
    rgb = [np.ascontiguousarray(image[:, :, ::-1]) for image in images]
    # 255 colours leave one index to mark unchanged pixels as transparent.
    palette = Pillow.fromarray(np.concatenate(rgb)).quantize(255, method=Pillow.Quantize.FASTOCTREE)
    # Without dithering, whose noise would make unchanged regions differ.
    first, *others = [Pillow.fromarray(image).quantize(palette=palette, dither=Pillow.Dither.NONE) for image in rgb]
    gif = BytesIO()
    first.save(
        gif,
        "GIF",
        save_all=True,
        append_images=others,
        duration=list(durations_ms),
        loop=0,
        palette=bytes(palette.getpalette() or ()),
        optimize=True,
        comment=comment,
    )
    return gif.getvalue()


def render_position(drawing: svg.PositionDrawing) -> Image:
    """Return a position as an image, uint8 array of shape (GIF_SIDE_PX, GIF_SIDE_PX, 3), bgr."""
    canvas = _Canvas(tuple(float(v) for v in drawing.board.view_box.split()))
    for shape in drawing.under:
        canvas.draw(shape)
    outlines = [_flatten_path(path)[0] / PEBBLE_RADIUS for path in pebble_shapes()]
    for stone in drawing.stones:
        _draw_stone(canvas, stone, outlines[stone.shape], drawing)
        for ring in svg.owner_ring(stone, drawing):
            canvas.draw(ring)
    for shape in drawing.over:
        canvas.draw(shape)
    return canvas.image()


def _draw_stone(
    canvas: _Canvas, stone: svg.StoneDrawing, outline: NDArray[np.float64], drawing: svg.PositionDrawing
) -> None:
    """Draw a stone with shadow, light and veins; ``outline`` has shape (n, 2) and radius 1."""
    radius, colour = drawing.board.stone_radius, drawing.paints[stone.paint - 1]
    at = np.array([stone.x, stone.y])
    canvas.fill((outline * SHADOW_SIZE + SHADOW_AT) * radius + at, svg.mix_colours(svg.CLOTH, "#1c140a", svg.SHADE))
    canvas.fill(outline * radius + at, svg.mix_colours(colour, svg.EDGE, svg.SHADE))
    for share, light in LIGHT_LAYERS:  # as the gradient on the page
        tone = svg.mix_colours(colour, svg.EDGE, light) if light >= 0 else svg.mix_colours(colour, "#ffffff", -light)
        canvas.fill((outline * share + LIGHT_FROM * (1 - share)) * radius + at, tone)
    for vein in _flatten_path(svg.vein_of(stone.paint)):  # veins tell players apart where colours do not
        inside = vein[np.hypot(*vein.T) < PEBBLE_RADIUS] / PEBBLE_RADIUS * radius + at
        canvas.line(inside, svg.vein_colour(colour, stone.paint), radius / 10)


def _flatten_path(path: str) -> list[NDArray[np.float64]]:
    """Return the points along each part of an SVG path (M, L, C, Q, Z), shape (n, 2), drawing space."""
    parts: list[list[NDArray[np.float64]]] = []
    for command, numbers in re.findall(r"([MLCQ])([^MLCQZ]*)", path):
        pairs = np.array([float(v) for v in re.findall(r"-?\d+(?:\.\d+)?", numbers)]).reshape(-1, 2)
        if command == "M":
            parts.append([])
        places = parts[-1]
        if command in "ML":
            places.extend(pairs)
            continue
        corners = [places[-1], *pairs]
        n = len(corners) - 1
        for t in np.linspace(0, 1, 9)[1:]:
            row = corners
            for _ in range(n):  # de Casteljau's algorithm
                row = [a + (b - a) * t for a, b in zip(row, row[1:], strict=False)]
            places.append(row[0])
    return [np.array(part) for part in parts]


class _Canvas:
    """An image on which one draws in drawing space; it shows a square region of it (x, y, width, height)."""

    def __init__(self, view_box: tuple[float, ...]) -> None:
        self._origin = np.array(view_box[:2])
        self._scale = GIF_SIDE_PX * SUPERSAMPLING / view_box[2]
        side_px = GIF_SIDE_PX * SUPERSAMPLING
        self._image = np.full((side_px, side_px, 3), _bgr(TABLE_COLOUR), np.uint8)

    def _fixed_point(self, places: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the pixel coordinates with `_SUBPIXEL_BITS` fractional bits."""
        return np.asarray(np.round((places - self._origin) * self._scale * (1 << _SUBPIXEL_BITS)), np.int32)

    def draw(self, shape: svg.Shape) -> None:
        """Draw a shape, its lines without gaps."""
        for along in _flatten_path(shape.path):
            if shape.fill != "none":
                self.fill(along, shape.fill)
            if shape.is_arrow:
                self.arrow(along, shape.stroke, shape.width)
            elif shape.width:
                self.line(along, shape.stroke, shape.width, closed=shape.path.endswith("Z"))

    def fill(self, around: NDArray[np.float64], colour: str) -> None:
        """Fill an outline."""
        cv2.fillPoly(self._image, [self._fixed_point(around)], _bgr(colour), cv2.LINE_AA, _SUBPIXEL_BITS)

    def line(self, along: NDArray[np.float64], colour: str, width: float, closed: bool = False) -> None:
        """Draw a line with round ends."""
        width_px = max(1, round(width * self._scale))
        points = [self._fixed_point(along)]
        cv2.polylines(self._image, points, closed, _bgr(colour), width_px, cv2.LINE_AA, _SUBPIXEL_BITS)

    def arrow(self, along: NDArray[np.float64], colour: str, width: float) -> None:
        """Draw a line with an arrow head at its end."""
        self.line(along, colour, width)
        direction = along[-1] - along[-2]
        direction = direction / (np.hypot(*direction) or 1.0)
        across = np.array([-direction[1], direction[0]])
        tip = along[-1] + direction * width
        foot, half = tip - direction * 13 / 5 * width, across * 3 / 2 * width
        self.fill(np.array([tip, foot + half, foot - half]), colour)

    def image(self) -> Image:
        """Return the image in its final size."""
        small = cv2.resize(self._image, (GIF_SIDE_PX, GIF_SIDE_PX), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8)


def _bgr(colour: str) -> tuple[int, int, int]:
    return int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16)
