"""A cup that somebody puts down on the board: an upright cylinder, seen along the true rays."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.spec import Bgr
from tests.synthetic.viewpoint import Array, Viewpoint

_SUB = 16  # cv2 draws at 1/16 px when told shift=4


@dataclass(frozen=True, slots=True)
class Cup:
    """A cup on the board.

    Attributes:
        place: Of its middle, board space.
        radius, height: Sides of the board; a mug of 8 cm on a board of 36 cm.
        colour, inside: BGR.
    """

    place: tuple[float, float]
    radius: float = 0.1
    height: float = 0.2
    colour: Bgr = (190, 150, 90)
    inside: Bgr = (30, 45, 70)


def draw_cup(
    picture: NDArray[np.uint8], cup: Cup, ground: Array, view: Viewpoint, light_at: NDArray[np.floating]
) -> NDArray[np.uint8]:
    """Draw a cup into ``picture`` (which is changed); return what it hides, uint8 (H, W), 255 there.

    Args:
        picture: uint8 array of shape (H, W, 3).
        ground: float64 array of shape (2,). World place of its middle.
        light_at: float array of shape (3,). The light there.
    """
    around = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    rim = np.stack([np.cos(around), np.sin(around)], axis=1)
    foot, top, well = (
        view.project(np.column_stack([ground + share * cup.radius * rim, np.full(48, -height)]))
        for share, height in ((0.85, 0.0), (1.0, cup.height), (0.88, cup.height))
    )
    mask = np.zeros(picture.shape[:2], np.uint8)
    side = cv2.convexHull(np.vstack([foot, top]).astype(np.float32)).reshape(-1, 2)
    lit = [float(c) for c in light_at]
    for outline, colour, bright in ((side, cup.colour, 0.7), (top, cup.colour, 1.0), (well, cup.inside, 0.9)):
        places = np.clip(outline * _SUB, -(2**19), 2**19).round().astype(np.int32)
        shade = tuple(min(255.0, c * bright * light) for c, light in zip(colour, lit, strict=True))
        cv2.fillPoly(picture, [places], shade, cv2.LINE_AA, 4)
        cv2.fillPoly(mask, [places], 255, cv2.LINE_AA, 4)
    return mask
