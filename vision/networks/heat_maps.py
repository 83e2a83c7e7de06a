"""A picture in; maps of how likely each place is a joint, point, hole, stroke, stone, the board or its cover, out.

One network (a U-Net, Ronneberger, Fischer and Brox 2015) tells them all in one look, at the whole picture or at a part
of it. ``tools/finder/map_network.py`` has trained it, on drawn and rendered tables and on photographs of go boards
(docs/FINDING.md names them). Joints, points and strokes are told under stones, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging import cv
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.networks.runtime import run

NETWORK: str | Path = "board_maps"
"""The network, or a file with another, as the workbench has it."""

SEEN_PX, RIM_MARGIN = (384, 224), 0.03
"""Width and height of the network's input for a whole picture, which is as large in it as it fits with a margin all
round, shares of its longer side. Source: the lessons of the network (``tools/finder/map_network.py``)."""

STRIDE = 2
"""Pixels that the network sees to one of its maps. Source: the network."""

FROM_ABOVE_PX, MARGIN = 288, 0.14
"""Side of a look from above, and the usual margin round what it is at, as a share of that side. Source: the lessons."""

SEEN_FROM_MAP = np.array([[STRIDE, 0, 0.5 * STRIDE - 0.5], [0, STRIDE, 0.5 * STRIDE - 0.5], [0, 0, 1.0]])
"""The homography from a map to what the network sees. Source: the network."""

MAPS = ("joints", "points", "holes", "strokes", "stones", "board", "cover", "cosine", "sine")
"""The last two are the direction of strokes, of twice the angle, so that a line and its reverse are alike."""

N_PROBABILITIES = MAPS.index("cosine")
"""Maps that are probabilities."""

MIN_BOARD_PX = 60
"""Least area of a board's outline on its map, px."""

MAX_SPREADS, CLIP_SPREADS = 4.5, 2.0
"""Spreads of a picture beyond which its colours are unlike those of the lessons, and to which they are clipped then.
Source: measured, 9 pictures beyond: 9 boards are found in place of 7, their points as exactly. No photograph is beyond
of the 87 of real boards."""

LEAST_SCALE, SHARP_SCALE, BLUR_PX = 0.6, 0.7, 0.35
"""Scale to which a larger picture is reduced by averaging before it is warped, scale below which it is blurred, and
by how much, px of the network's input. Source: the lessons."""

MIN_SPREAD_LEVELS = 8.0
"""Least spread of a picture, levels of 255: a picture of one colour has no contrast to enhance. Source: the lessons."""


def letterbox(size_px: tuple[int, int]) -> Float64Array:
    """Return the homography from a picture of this width and height to what the network sees: whole, in the middle.

    A margin lies round it, so that a line along the rim of the picture has two sides.
    """
    margin = RIM_MARGIN * max(size_px)
    return looking_at(np.array([[0.0, 0.0], np.array(size_px) - 1.0]) + [[-0.5 - margin], [0.5 + margin]])


def looking_at(box_px: Float64Array, most: float = np.inf) -> Float64Array:
    """Return the homography that puts a box, its least and greatest x and y, into the middle of ``SEEN_PX``.

    It is as large as it fits, enlarged ``most`` times at most.
    """
    scale = min(most, *(np.array(SEEN_PX) / (box_px[1] - box_px[0])))
    shift = (np.array(SEEN_PX) - 1) / 2 - scale * box_px.mean(0)
    return np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1.0]])


def seen_part(
    bgr: Image, seen_from_image: Float64Array, seen_px: tuple[int, int] = SEEN_PX
) -> tuple[Image, NDArray[np.bool_]]:
    """Return the network's input, uint8 (h, w, 3), and the mask of the picture in it; thin lines stay whole."""
    inside = cv2.warpPerspective(np.ones(bgr.shape[:2], np.uint8), seen_from_image, seen_px, flags=cv2.INTER_NEAREST)
    scale = float(np.sqrt(abs(np.linalg.det(seen_from_image[:2, :2]))))
    times = max(1, int(LEAST_SCALE / scale))
    reduced = cv.reduced(bgr[: bgr.shape[0] // times * times, : bgr.shape[1] // times * times], times)
    if scale * times < SHARP_SCALE:
        reduced = np.asarray(cv2.GaussianBlur(reduced, (0, 0), BLUR_PX / (scale * times)), np.uint8)
    shift = (times - 1) / 2
    seen_from_reduced = seen_from_image @ np.array([[times, 0, shift], [0, times, shift], [0, 0, 1.0]])
    part = cv2.warpPerspective(reduced, seen_from_reduced, seen_px, flags=cv2.INTER_LINEAR)
    return np.asarray(part, np.uint8), inside > 0


def relative_colours(picture: Image, inside: NDArray[np.bool_]) -> Float32Array:
    """Return the colours relative to the mean and the spread of the picture, (h, w, 3); 0 beside it.

    Few strokes on a sheet that is white all over lie further from its mean than anything in the lessons: nearer then.
    """
    means, spreads = cv2.meanStdDev(picture, mask=inside.astype(np.uint8))
    mean, spread = means.mean(), np.sqrt((spreads**2 + means**2).mean() - means.mean() ** 2)
    off = (picture - np.float32(mean)) * (np.float32(1 / max(spread, MIN_SPREAD_LEVELS)) * inside[..., None])
    return np.asarray(np.clip(off, -CLIP_SPREADS, CLIP_SPREADS) if np.abs(off).max() > MAX_SPREADS else off, np.float32)


@dataclass(frozen=True, eq=False)
class HeatMaps:
    """What one look at a picture tells."""

    layers: Float32Array  # (9, h, w), by ``MAPS``
    image_from_map: Float64Array
    inside: NDArray[np.bool_]  # (h, w), where the maps show the picture and not what lies beyond its rim

    @property
    def map_from_image(self) -> Float64Array:
        """The homography from the picture to the maps."""
        return np.asarray(np.linalg.inv(self.image_from_map), np.float64)

    def shows(self, xy: Float64Array) -> NDArray[np.bool_]:
        """Return which places (..., 2), map space, lie on the maps and in the picture."""
        column, row = np.moveaxis(np.rint(np.clip(np.nan_to_num(xy), -9, 9999)).astype(np.intp), -1, 0)
        height, width = self.inside.shape
        here = (column >= 0) & (row >= 0) & (column < width) & (row < height)
        return np.asarray(here & self.inside[np.where(here, row, 0), np.where(here, column, 0)])

    def __getitem__(self, name: str) -> Float32Array:
        """Return the map of that name."""
        return np.asarray(self.layers[MAPS.index(name)])


def board_outline(maps: HeatMaps) -> NDArray[np.int32] | None:
    """Return the outline of the largest thing that looks like a board, map space (n, 2); None without one."""
    outlines = cv.outer_contours((maps["board"] > 0.5).astype(np.uint8))
    largest = max(outlines, key=cv2.contourArea, default=None)
    return None if largest is None or cv2.contourArea(largest) < MIN_BOARD_PX else largest


def peaks_of(heat: Float32Array, least: float) -> tuple[Float64Array, Float64Array]:
    """Return where a map has its maxima, map space (n, 2), to a part of a pixel, and its values there."""
    wide = np.pad(heat, 1)
    rows, columns = np.nonzero((heat >= least) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8))))
    logs = np.log(np.maximum(wide, 1e-6))
    r, c = rows + 1, columns + 1
    parts = []
    for before, after in ((logs[r, c - 1], logs[r, c + 1]), (logs[r - 1, c], logs[r + 1, c])):
        bend = before - 2 * logs[r, c] + after  # the logarithm of a spot is a parabola
        parts.append(np.clip((before - after) / np.minimum(2 * bend, -1e-3), -0.5, 0.5))
    return np.column_stack([columns + parts[0], rows + parts[1]]), heat[rows, columns].astype(np.float64)


def value_at(heat: Float32Array, xy: Float64Array, reach: int = 1) -> Float64Array:
    """Return the largest value of a map within some of its pixels of places (..., 2), map space; 0 outside."""
    if not xy.size:
        return np.empty(xy.shape[:-1])
    wide = cv2.dilate(heat, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
    at = np.clip(xy, -9, 9999).astype(np.float32).reshape(-1, 1, 2)
    values = cv2.remap(wide, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    return np.asarray(values, np.float64).reshape(xy.shape[:-1])


def look(bgr: Image, seen_from_image: Float64Array | None = None, seen_px: tuple[int, int] = SEEN_PX) -> HeatMaps:
    """Return the maps of a picture, or of the part that ``seen_from_image`` puts before the network; sides by 32."""
    h = letterbox((bgr.shape[1], bgr.shape[0])) if seen_from_image is None else seen_from_image
    picture, inside = seen_part(bgr, h, seen_px)
    (answer,) = run(NETWORK, seen=relative_colours(picture, inside).transpose(2, 0, 1)[None])
    return HeatMaps(answer[0], np.asarray(np.linalg.inv(h) @ SEEN_FROM_MAP, np.float64), inside[::STRIDE, ::STRIDE])


def look_from_above(
    bgr: Image,
    image_from_plane: Float64Array,
    low: Float64Array,
    high: Float64Array,
    margin: float = MARGIN,
    side_px: int = FROM_ABOVE_PX,
) -> HeatMaps:
    """Return the maps of a picture as seen through a pose, its plane from ``low`` to ``high`` in the middle."""
    scale = side_px * (1 - 2 * margin) / float((high - low).max())
    shift = (side_px - 1) / 2 - scale * (low + high) / 2
    seen_from_plane = np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1.0]])
    return look(bgr, seen_from_plane @ np.linalg.inv(image_from_plane), (side_px, side_px))
