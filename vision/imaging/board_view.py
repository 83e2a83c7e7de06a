"""Board view: the window of a picture that shows the board, for comparing two pictures of a board at rest.

While neither board nor camera move, a pixel can be compared with itself. ``cut_board_view`` cuts the window out at a
bounded resolution and says where each point lies in it. ``board_lies_still`` checks whether two views show the board
in the same place. ``vision.change.pixel_change`` compares the views point by point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging import cv
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import spacings
from vision.imaging.medians import median
from vision.imaging.patches import (
    STONE_OFFSET_UNITS,
    grid_places,
    image_jacobians,
    radii_units,
    stone_centres_px,
    stone_unit,
)

COARSE_PX_PER_UNIT = 8
"""Resolution of the coarse view, which finds the places to compare closely, px per unit."""

FINE_SAMPLES_PER_UNIT = 24
"""Resolution of the fine patches that are compared sample by sample, samples per unit."""

FINE_PATCH_SIDE = 44
"""Side of a fine patch, samples; a patch reaches 0.9 units to each side of its middle."""

MAX_SPACING_UNITS = 1.3
"""Largest spacing that counts, units: stones are not laid less exactly for ever as points lie further apart."""

MIN_EDGE_LEVELS = 24
"""Difference from its neighbours from which a pixel counts as lying on an edge, grey levels."""

MIN_EDGE_PIXELS = 50
"""Least number of edge pixels for checking whether the board lies still."""

MAX_EDGE_CHANGE = 0.3
"""Change up to which an edge pixel counts as unchanged, as a share of the strength of its edge. A shift by a third of a
pixel changes it by more."""

SURE_AGREEMENT = 0.75
"""Share of a board, of its edge pixels or textured blocks, that looks as before where it surely lies there."""

BOARD_MARGIN_UNITS = 0.3
"""Margin around the outermost points that still counts as the board when its edges are compared, units."""

FINE_PATCH_RADII = radii_units(FINE_PATCH_SIDE, FINE_SAMPLES_PER_UNIT).ravel()
"""Distance of each sample of a fine patch from its middle, units, shape (FINE_PATCH_SIDE ** 2,)."""


@dataclass(frozen=True, eq=False)
class BoardView:
    """The window of a picture that shows the board, at about the resolution of the fine patches."""

    bgr: Image  # (rows, columns, 3), shrunk ``sampling.shrink`` times
    sampling: BoardViewSampling

    @cached_property
    def coarse(self) -> Image:
        """The view at ``COARSE_PX_PER_UNIT``, smoothed over half a pebble against the noise of far boards."""
        coarse = cv2.resize(self.bgr, self.sampling.coarse_size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(coarse, (3, 3), 0), np.uint8)

    @cached_property
    def edges(self) -> NDArray[np.uint8]:
        """Largest difference of grey levels in the 3 x 3 pixels around each pixel, shape (rows, columns)."""
        gray, square = np.asarray(cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY), np.uint8), np.ones((3, 3), np.uint8)
        return np.asarray(cv2.subtract(cv2.dilate(gray, square), cv2.erode(gray, square)), np.uint8)


@dataclass(frozen=True, eq=False)
class BoardViewSampling:
    """The window of the view of one field, and the place of each point in it."""

    window: tuple[int, int, int, int]  # left, top, right, bottom, image px; the last two exclusive
    coarse_size: tuple[int, int]  # width and height of the coarse view, px
    coarse_indices: NDArray[np.intp]  # (n_points, n_samples), of the flat coarse view, where a stone may lie
    shrink: int  # factor by which the window is reduced
    places_px: Float32Array  # (n_points, FINE_PATCH_SIDE, FINE_PATCH_SIDE, 2), samples in the shrunk window
    spacing_units: Float64Array  # (n_points,), to the nearest other point, 1 to ``MAX_SPACING_UNITS``
    inside: NDArray[np.bool_]  # (n_points,), in sight, and the middle of the patch in the picture
    board_mask: NDArray[np.uint8]  # (rows, columns), 255 up to ``BOARD_MARGIN_UNITS`` around the points


def cut_board_view(bgr: Image, field: Field) -> BoardView:
    """Cut the view of a field out of a picture."""
    sampling = _board_view_sampling(field, bgr.shape[1], bgr.shape[0])
    x0, y0, x1, y1 = sampling.window
    times = sampling.shrink
    x1, y1 = x1 - (x1 - x0) % times, y1 - (y1 - y0) % times
    return BoardView(cv.reduced(bgr[y0:y1, x0:x1], times), sampling)


def board_lies_still(before: BoardView, now: BoardView) -> bool:
    """Return whether the edges of the board show the same in both views, except where hands have changed something.

    Only edges on the board count: the stripes of a cloth stay where they are when a board of pale lines slides over
    them. False where there are too few edges. Raises ``ValueError`` when the views are not of one field in pictures of
    one size.
    """
    check_same_field(before, now)
    edges, board = before.edges, before.sampling.board_mask
    on_edge = cv2.bitwise_and((edges > MIN_EDGE_LEVELS).astype(np.uint8), board)
    n_on_edge = int(np.count_nonzero(on_edge))
    if n_on_edge < MIN_EDGE_PIXELS:
        return False
    difference = np.asarray(cv2.cvtColor(cv2.absdiff(before.bgr, now.bgr), cv2.COLOR_BGR2GRAY), np.uint8)
    same = cv2.compare(difference, cv2.convertScaleAbs(edges, alpha=MAX_EDGE_CHANGE), cv2.CMP_LE)
    return int(np.count_nonzero(cv2.bitwise_and(same, on_edge))) > SURE_AGREEMENT * n_on_edge


def check_same_field(before: BoardView, now: BoardView) -> None:
    """Raise ``ValueError`` when two views are not of one field in pictures of one size."""
    if before.sampling is not now.sampling and before.bgr.shape != now.bgr.shape:
        raise ValueError(f"views must be of one field and size, got {before.bgr.shape} and {now.bgr.shape}")


@lru_cache(maxsize=4)
def _board_view_sampling(field: Field, width: int, height: int) -> BoardViewSampling:
    """Return the sampling of a field in pictures of one size; cached, because a board at rest keeps its ``Field``."""
    unit = stone_unit(field.board)
    axes = image_jacobians(field) * unit
    middles, inside = stone_centres_px(field, (width, height))
    places = grid_places(
        middles, axes, (np.arange(FINE_PATCH_SIDE) - (FINE_PATCH_SIDE - 1) / 2) / FINE_SAMPLES_PER_UNIT
    )
    size = np.array((width, height))
    x0, y0 = (int(c) for c in np.clip(places.reshape(-1, 2).min(axis=0), 0, size - 1))
    x1, y1 = (int(c) for c in np.clip(places.reshape(-1, 2).max(axis=0) + 2, (x0 + 1, y0 + 1), size))
    unit_px = float(median(np.sqrt(np.abs(np.linalg.det(axes)))))
    scale = min(1.0, COARSE_PX_PER_UNIT / max(unit_px, 1e-6))
    coarse_size = max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale))
    spacing = np.clip(spacings(np.asarray(field.board.xy, np.float64)) / unit, 1.0, MAX_SPACING_UNITS)
    step = FINE_SAMPLES_PER_UNIT // COARSE_PX_PER_UNIT
    disc = (FINE_PATCH_RADII.reshape(FINE_PATCH_SIDE, FINE_PATCH_SIDE) <= STONE_OFFSET_UNITS)[::step, ::step]
    there = (places[:, ::step, ::step][:, disc] - (x0, y0) + 0.5) * (
        coarse_size[0] / (x1 - x0),
        coarse_size[1] / (y1 - y0),
    )
    column = np.clip(there[..., 0], 0, coarse_size[0] - 1).astype(np.intp)
    row = np.clip(there[..., 1], 0, coarse_size[1] - 1).astype(np.intp)
    shrink = max(1, min(int(unit_px / FINE_SAMPLES_PER_UNIT), x1 - x0, y1 - y0))
    shrunk = ((places - (x0, y0) + 0.5) / shrink - 0.5).astype(np.float32)
    shrunk_size = ((x1 - x0) // shrink, (y1 - y0) // shrink)
    return BoardViewSampling(
        (x0, y0, x1, y1),
        coarse_size,
        row * coarse_size[0] + column,
        shrink,
        shrunk,
        spacing,
        inside,
        _board_mask(shrunk, shrunk_size),
    )


def _board_mask(places_px: Float32Array, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a mask that is 255 within ``BOARD_MARGIN_UNITS`` of the points or between them; shape (height, width)."""
    near = places_px.reshape(-1, FINE_PATCH_SIDE**2, 2)[:, FINE_PATCH_RADII <= BOARD_MARGIN_UNITS].reshape(-1, 2)
    mask = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(cv2.convexHull(near)).astype(np.int32), 255)
    return mask
