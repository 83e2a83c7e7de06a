"""What all who draw share: the flat picture in which a board is painted, distances of points, and JPEG."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Image

Array = NDArray[np.float64]

PX_PER_SIDE = 640  # texels for one side of the board; a board fills about 450 px of a 720p picture
MARGIN = 0.5  # sides of cloth around the board's unit square that the picture has room for
SIDE_PX = round(PX_PER_SIDE * (1 + 2 * MARGIN))
SUB = 16  # cv2 draws at 1/16 px when told shift=4


def texel(board_xy: Array) -> Array:
    """Place in ``Cloth.bgra`` (column, row) of a place in board space."""
    placed: Array = (np.asarray(board_xy, np.float64) + MARGIN) * PX_PER_SIDE
    return placed


def subtexel(board_xy: Array) -> NDArray[np.int32]:
    """The same in sixteenths of a texel, as cv2 takes it."""
    return np.asarray(np.round(texel(board_xy) * SUB), dtype=np.int32)


def spacings(places: Array) -> Array:
    """Distance from each place, shape (n, 2), to the nearest other one, shape (n,)."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1))


def compressed(bgr: cv2.typing.MatLike, jpeg_quality: int) -> Image:
    """The picture after it was written as JPEG and read again."""
    packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, jpeg_quality])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
