"""What can be wrong with a board that somebody made: lines too pale or left out, points askew, a lamp's reflection."""

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.texels import PX_PER_SIDE, SIDE_PX, SUB, Array, texel

Float = NDArray[np.float32]
Xy = tuple[float, float]

FADE_WIDTH = 0.09
"""Width of the part of the cloth in which a line is painted paler, sides: it wanders and its points lie off."""

FADE_TRIM = 0.05
"""How far from both of its ends a pale line is as strong as the others, sides: other lines meet it there."""


@dataclass(frozen=True, slots=True)
class Glare:
    """The reflection of a lamp: its middle (board space), its radius (sides), and its light in grey levels of 255."""

    place: Xy
    radius: float
    level: float = 330.0


@dataclass(frozen=True, slots=True)
class Blemish:
    """Faults of a board, each where it is.

    Attributes:
        faded: Lines that are too pale, each as places along it, ideal board space.
        strength: What they have of the opacity of the others; 0 leaves them out.
        askew: Points off their places: index and how far (sides).
    """

    faded: tuple[tuple[Xy, ...], ...] = ()
    strength: float = 0.25
    askew: tuple[tuple[int, Xy], ...] = ()
    glare: tuple[Glare, ...] = ()


def push_askew(points_xy: Array, blemish: Blemish) -> Array:
    """The places of the points with those that were drawn askew, board space."""
    pushed = points_xy.copy()
    for point, offset in blemish.askew:
        pushed[point] += offset
    return pushed


def fade(alpha: Float, blemish: Blemish) -> Float:
    """How opaque the strokes are, with the faded lines paler; float32 (SIDE_PX, SIDE_PX)."""
    kept: Float = np.ones_like(alpha)
    for path in blemish.faded:
        way = np.array(path)
        length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
        at = np.linspace(FADE_TRIM, length[-1] - FADE_TRIM, 40)
        middle = np.stack([np.interp(at, length, way[:, axis]) for axis in (0, 1)], axis=1)
        mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
        places = np.round(texel(middle) * SUB).astype(np.int32)
        for start, end in zip(places, places[1:], strict=False):
            cv2.line(mask, start.tolist(), end.tolist(), 255, round(FADE_WIDTH * PX_PER_SIDE), cv2.LINE_4, 4)
        kept[mask > 0] = blemish.strength
    return cast(Float, alpha * kept)


def reflection(outline_px: Array, size_px: tuple[int, int]) -> Float:
    """How much of a lamp each pixel of a picture shows, 0 to 1, from the outline of its reflection; float32 (H, W)."""
    mask = np.zeros((size_px[1], size_px[0]), np.uint8)
    cv2.fillPoly(mask, [np.round(outline_px * SUB).astype(np.int32)], 255, cv2.LINE_AA, 4)
    blur_px = max(1.0, 0.15 * float(np.ptp(outline_px, axis=0).mean()))
    return cast(Float, cv2.GaussianBlur(mask, (0, 0), blur_px).astype(np.float32) / 255)
