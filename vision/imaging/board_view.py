"""A picture and its field in, the window that shows the board out, for comparing two looks at rest.

While neither board nor camera move, a pixel can be compared with itself. The window is the one from which patches are
cut, at their resolution. ``board_lies_still`` checks whether two views show the board in the same place, and
``vision.change.pixel_change`` compares them point by point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import MIN_EDGE_LEVELS, Image, size_of
from vision.imaging.patches import (
    NEAR_POINT,
    PATCH_SIDE,
    STONE_DISC,
    PatchSampling,
    patch_samples_per_unit,
    patch_sampling,
    patch_window,
)

COARSE_PX_PER_UNIT = 8
"""Resolution of the coarse view, which finds the places to compare closely, px per unit."""

MAX_EDGE_CHANGE = 0.3
"""Change up to which an edge pixel counts as unchanged, as a share of the strength of its edge. Source: measured, as
``SURE_AGREEMENT``."""

SURE_AGREEMENT = 0.75
"""Share of a board, of its edge pixels or textured blocks, that looks as before where it surely lies there. Source:
measured, of the edges of 55 drawn boards 98 % and more do that lie still, and 72 % at most when moved by a pixel."""


@dataclass(frozen=True, eq=False)
class BoardView:
    """The window of a picture that shows the board, at about the resolution of the patches."""

    bgr: Image  # (rows, columns, 3), shrunk ``sampling.patches.shrink`` times
    sampling: BoardViewSampling

    @cached_property
    def coarse(self) -> Image:
        """The view at ``COARSE_PX_PER_UNIT``, smoothed over half a pebble against the noise of far boards."""
        coarse = cv2.resize(self.bgr, self.sampling.coarse_size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(coarse, (3, 3), 0), np.uint8)

    @cached_property
    def edges(self) -> NDArray[np.uint8]:
        """Largest difference of grey levels in the 3 x 3 pixels around each pixel, shape (rows, columns)."""
        gray, square = cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY), np.ones((3, 3), np.uint8)
        return np.asarray(cv2.morphologyEx(gray, cv2.MORPH_GRADIENT, square), np.uint8)


@dataclass(frozen=True, eq=False)
class BoardViewSampling:
    """Where the points of one field lie in its view, and in the coarse view."""

    patches: PatchSampling
    coarse_size: tuple[int, int]  # width and height of the coarse view, px
    coarse_indices: NDArray[np.intp]  # (n_points, n_samples), of the flat coarse view, where a stone may lie
    board_mask: NDArray[np.uint8]  # (rows, columns), 255 where stones on points lie, or between them


def cut_board_view(bgr: Image, field: Field) -> BoardView:
    """Cut the view of a field out of a picture."""
    sampling = _board_view_sampling(field, *size_of(bgr))
    return BoardView(patch_window(bgr, sampling.patches), sampling)


def board_lies_still(before: BoardView, now: BoardView) -> bool:
    """Return whether the edges of the board show the same in both views, except where hands have changed something.

    Only edges on the board count: the stripes of a cloth stay where they are when a board of pale lines slides over
    them. False without an edge. Raises ``ValueError`` when the views are not of one field in pictures of
    one size.
    """
    check_same_field(before, now)
    edges, board = before.edges, before.sampling.board_mask
    on_edge = cv2.bitwise_and((edges > MIN_EDGE_LEVELS).astype(np.uint8), board)
    difference = np.asarray(cv2.cvtColor(cv2.absdiff(before.bgr, now.bgr), cv2.COLOR_BGR2GRAY), np.uint8)
    same = cv2.compare(difference, cv2.convertScaleAbs(edges, alpha=MAX_EDGE_CHANGE), cv2.CMP_LE)
    return cv2.countNonZero(cv2.bitwise_and(same, on_edge)) > SURE_AGREEMENT * cv2.countNonZero(on_edge)


def check_same_field(before: BoardView, now: BoardView) -> None:
    """Raise ``ValueError`` when two views are not of one field in pictures of one size."""
    if before.sampling is not now.sampling and before.bgr.shape != now.bgr.shape:
        raise ValueError(f"views must be of one field and size, got {before.bgr.shape} and {now.bgr.shape}")


@lru_cache(maxsize=4)
def _board_view_sampling(field: Field, width: int, height: int) -> BoardViewSampling:
    """Return the sampling of a field in pictures of one size; cached, because a board at rest keeps its ``Field``."""
    patches = patch_sampling(field, width, height)
    left, top, right, bottom = patches.window
    size = (right - left) // patches.shrink, (bottom - top) // patches.shrink
    places = patches.places_px.reshape(-1, PATCH_SIDE, PATCH_SIDE, 2)
    scale = min(1.0, COARSE_PX_PER_UNIT / max(patches.px_per_unit, 1e-6))
    coarse_size = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
    step = round(patch_samples_per_unit() / COARSE_PX_PER_UNIT)
    near = places[:, ::step, ::step][:, NEAR_POINT[::step, ::step]]
    coarse_px = (near + 0.5) * (np.array(coarse_size) / size)
    column, row = np.moveaxis(np.clip(coarse_px, 0, np.array(coarse_size) - 1).astype(np.intp), -1, 0)
    mask = np.zeros(size[::-1], np.uint8)
    outline = cv2.convexHull(np.ascontiguousarray(places[:, STONE_DISC].reshape(-1, 2)))
    cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), 255)
    return BoardViewSampling(patches, coarse_size, row * coarse_size[0] + column, mask)
