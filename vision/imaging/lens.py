"""A lens and points or a picture in, the same without its distortion out.

A wide lens bends the lines of a board, and no homography can follow bent lines. Where the lens is known, the board is
searched for in the undistorted picture. The points that were found are then mapped back into the distorted picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, Numbers, PictureSize, size_of

USUAL_FOCAL_WIDTHS = 0.75
"""Focal length of an unmeasured camera, picture widths (67 degrees); parallax depends on it only weakly."""


@dataclass(frozen=True, eq=False)
class Lens:
    """Intrinsics and distortion of a camera, valid for one size of picture.

    Raises ``ValueError`` when a shape is wrong, a number is not finite, or a focal length is not positive.
    """

    size_px: PictureSize  # width and height of the pictures for which it was measured
    matrix: Numbers  # (3, 3), px; image space
    distortion: Numbers  # (5,), ``k1, k2, p1, p2, k3`` of Brown and Conrady's model, in OpenCV's order

    def __post_init__(self) -> None:
        if self.matrix.shape != (3, 3) or self.distortion.shape != (5,):
            raise ValueError(f"a lens has shapes (3, 3) and (5,), got {self.matrix.shape} and {self.distortion.shape}")
        if not (np.isfinite(self.matrix).all() and np.isfinite(self.distortion).all()) or min(self.focal_px) <= 0:
            raise ValueError("a lens has finite numbers and focal lengths over 0")
        self.matrix.setflags(write=False)
        self.distortion.setflags(write=False)

    @property
    def focal_px(self) -> tuple[float, float]:
        """Focal length along x and y, px."""
        return float(self.matrix[0, 0]), float(self.matrix[1, 1])

    def rays(self, image_px: ArrayLike) -> Float64Array:
        """Return the slopes (x / z, y / z) of the rays through image points, px, by fixed point iteration."""
        places = np.asarray(image_px, np.float64)
        middle = self.matrix[:2, 2]
        bent = (places - middle) / np.array(self.focal_px)
        straight: Float64Array = np.array(bent, np.float64)
        for _ in range(100):  # ten are enough for all but the widest lenses, and more change nothing
            stretch, shift = self._distortion_at(straight)
            straight = (bent - shift) / stretch
        return straight

    def project(self, rays: ArrayLike) -> Float64Array:
        """Return the image points, px, of rays given by their slopes; the inverse of ``rays``."""
        straight = np.asarray(rays, np.float64)
        stretch, shift = self._distortion_at(straight)
        places: Float64Array = (straight * stretch + shift) * np.array(self.focal_px) + self.matrix[:2, 2]
        return places

    def _distortion_at(self, straight: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Return factor and shift of the distortion at undistorted slopes: distorted = straight * factor + shift."""
        k1, k2, p1, p2, k3 = self.distortion
        x, y = straight[..., 0], straight[..., 1]
        rr = x * x + y * y
        stretch = 1 + rr * (k1 + rr * (k2 + rr * k3))
        shift = np.stack([2 * p1 * x * y + p2 * (rr + 2 * x * x), p1 * (rr + 2 * y * y) + 2 * p2 * x * y], axis=-1)
        return stretch[..., None], shift

    @cached_property
    def pinhole(self) -> Lens:
        """The same camera without distortion; its focal length keeps the middles of all four sides in the picture."""
        width, height = self.size_px
        x, y = self.matrix[:2, 2]
        rims = np.array([[0, y], [width - 1, y], [x, 0], [x, height - 1]], np.float64)
        left, right, top, bottom = (abs(v) for v in (*self.rays(rims)[:2, 0], *self.rays(rims)[2:, 1]))
        focal = min((width - 1) / (left + right), (height - 1) / (top + bottom))
        spare_x, spare_y = (width - 1) - focal * (left + right), (height - 1) - focal * (top + bottom)
        middle = focal * left + spare_x / 2, focal * top + spare_y / 2
        return Lens(self.size_px, np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]]), np.zeros(5))

    def undistorted(self, bgr: Image) -> Image:
        """Return the picture as the ``pinhole`` camera would have taken it; raises ``ValueError`` for another size."""
        if size_of(bgr) != self.size_px:
            measured, got = (" x ".join(map(str, size)) for size in (self.size_px, size_of(bgr)))
            raise ValueError(f"the lens was measured for pictures of {measured}, this one has {got}")
        return np.asarray(cv2.undistort(bgr, self.matrix, self.distortion, None, self.pinhole.matrix), np.uint8)

    def undistorted_points(self, image_px: ArrayLike) -> Float64Array:
        """Return the points in the picture of the ``pinhole`` camera, px, from points in the distorted picture."""
        return self.pinhole.project(self.rays(image_px))


def usual_lens(size_px: tuple[int, int]) -> Lens:
    """Return the lens of an unmeasured camera: a usual webcam without distortion."""
    width, height = size_px
    focal = USUAL_FOCAL_WIDTHS * width
    return Lens(size_px, np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]]), np.zeros(5))


def register_through_lens(
    lens: Lens | None, bgr: Image, find: Callable[[Image], Registration | NotRegistered]
) -> Registration | NotRegistered:
    """Return the field that ``find`` finds in the undistorted picture, as it lies in the distorted one."""
    if lens is None or size_of(bgr) != lens.size_px:
        return find(bgr)
    flat = find(lens.undistorted(bgr))
    if isinstance(flat, NotRegistered):
        return flat
    points = lens.project(lens.pinhole.rays(flat.field.points_px))
    return Registration(Field.fitted(flat.field.board, flat.field.drawing, points), flat.confidence)
