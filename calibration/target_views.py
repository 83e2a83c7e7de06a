"""Pictures of the printed target in, views of it out: found in a picture, and collected where they add something.

A lens is measured from views that differ: the target everywhere in the picture, near and far, and slanted.
``ViewCollection`` takes views that are still, sharp and new, and says which part of the picture is still missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.placement import edge_blur_px
from calibration.printed_target import SQUARE_MM, TARGET_COLUMNS, charuco_board, target_corners_mm
from vision.imaging.frame import Image, size_of
from vision.imaging.homography import apply_homography, fit_homography
from vision.imaging.lens import usual_lens

MIN_CORNERS = 12  # fewest corners of the target (of 40) in a view, count: three times what a homography needs
MIN_GOOD_CORNERS = 0.8  # least share of the corners that lie where the others say

# largest distance of a corner from the homography through the others, squares; a lens bends less than that
MAX_CORNER_ERROR_SQUARES = 0.3

# largest blur of a view, standard deviation in squares: half a module of a marker; beyond it corners drift
MAX_BLUR_SQUARES = 0.06

# largest shift of the corners between two frames of a target that is held still, picture widths
MAX_STILL_SHIFT_WIDTHS = 0.002

MIN_VIEW_DISTANCE_WIDTHS = 0.045  # mean distance of the corners from which two views are different, picture widths

# number of views after which little is gained: the focal length is within 0.06 % in tests/calibration/studio.py
TARGET_VIEW_COUNT = 12

COVERAGE_GRID = (5, 4)  # columns and rows of the map of parts of the picture that the target has covered
MIN_COVERAGE = 0.8  # share of that map that should be covered
MIN_SLANT_DEG = 12.0  # tilt from which a view counts as slanted, degrees; frontal views do not show the focal length
MIN_SLANTED_VIEWS = 5  # number of slanted views that are needed


@dataclass(frozen=True, eq=False)
class TargetView:
    """The target in one picture."""

    ids: NDArray[np.intp]  # shape (n,); corners that are seen, rows of ``target_corners_mm``
    corners_px: NDArray[np.float64]  # shape (n, 2); where they are seen, image space
    size_px: tuple[int, int]  # width and height of the picture

    @cached_property
    def image_from_target(self) -> NDArray[np.float64]:
        """Homography from the target, mm, to the picture, px."""
        return fit_homography(target_corners_mm()[self.ids, :2], self.corners_px)

    @cached_property
    def slant_deg(self) -> float:
        """Approximate angle between the target and the plane of the picture, degrees."""
        pose = np.linalg.solve(usual_lens(self.size_px).matrix, self.image_from_target)
        normal = np.cross(pose[:, 0], pose[:, 1])
        return float(np.rad2deg(np.arccos(min(1.0, abs(normal[2]) / max(float(np.linalg.norm(normal)), 1e-12)))))

    @property
    def side_px(self) -> float:
        """Usual length of the side of a square, px."""
        rows = self.all_corners_px().reshape(-1, TARGET_COLUMNS - 1, 2)
        return float(np.linalg.norm(np.diff(rows, axis=1), axis=2).mean())

    def all_corners_px(self) -> NDArray[np.float64]:
        """The places of all corners of the target, seen or not, shape (n_corners, 2), px."""
        return apply_homography(self.image_from_target, target_corners_mm()[:, :2])


@cache
def _detector() -> cv2.aruco.CharucoDetector:
    return cv2.aruco.CharucoDetector(charuco_board())


def detect_target(bgr: Image) -> TargetView | str:
    """Return the target in a picture, or the key of the reason for not seeing it."""
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    corners, names, _, markers = _detector().detectBoard(gray)
    n_markers = 0 if markers is None else len(markers)
    if corners is None or names is None or len(names) < MIN_CORNERS:
        return "target.wrong" if n_markers >= MIN_CORNERS else "target.few" if n_markers else "target.none"
    ids = np.asarray(names, np.intp).reshape(-1)
    fine, ideal = np.asarray(corners, np.float64).reshape(-1, 2), target_corners_mm()[ids, :2]
    _, inliers = cv2.findHomography(fine, ideal, cv2.RANSAC, MAX_CORNER_ERROR_SQUARES * SQUARE_MM)
    good = np.zeros(len(ids), np.bool_) if inliers is None else np.asarray(inliers).reshape(-1) > 0
    if good.mean() < MIN_GOOD_CORNERS:
        return "target.wrong"
    if good.sum() < MIN_CORNERS:
        return "target.few"
    view = TargetView(ids[good], fine[good], size_of(bgr))
    x, y, w, h = cv2.boundingRect(view.corners_px.astype(np.float32))
    sheet = gray[max(0, y) : y + h, max(0, x) : x + w]
    is_blurred = edge_blur_px(sheet, np.ones_like(sheet)) > MAX_BLUR_SQUARES * view.side_px
    return "target.blurred" if is_blurred else view


@dataclass(frozen=True, eq=False)
class ViewCollection:
    """The views collected so far; ``offer`` returns a new collection."""

    views: tuple[TargetView, ...] = ()
    last: TargetView | None = None  # the view offered last, to see whether the target is held still

    def offer(self, view: TargetView | str, *, is_picture: bool = False) -> tuple[ViewCollection, str]:
        """Add a view that is still, sharp and new; return the collection and the key of the outcome.

        The key is "view.taken", "view.moving", "view.alike", "view.other_size", or the reason in place of a view.
        A photograph (``is_picture``) need not be held still.
        """
        if isinstance(view, str):
            return replace(self, last=None), view
        width = view.size_px[0]
        after = replace(self, last=view)
        if self.views and self.views[0].size_px != view.size_px:
            return self, "view.other_size"
        if not is_picture and (self.last is None or apart(self.last, view) > MAX_STILL_SHIFT_WIDTHS * width):
            return after, "view.moving"
        if any(apart(one, view) < MIN_VIEW_DISTANCE_WIDTHS * width for one in self.views):
            return after, "view.alike"
        return replace(after, views=(*self.views, view)), "view.taken"

    @cached_property
    def coverage(self) -> NDArray[np.bool_]:
        """Parts of the picture that the target has covered, shape (rows, columns) of ``COVERAGE_GRID``."""
        columns, rows = COVERAGE_GRID
        covered = np.zeros((rows, columns), np.bool_)
        for view in self.views:
            places = view.corners_px / np.array(view.size_px) * (columns, rows)
            x, y = np.clip(places.astype(int), 0, (columns - 1, rows - 1)).T
            covered[y, x] = True
        return covered

    @property
    def n_slanted(self) -> int:
        """Number of slanted views."""
        return sum(view.slant_deg > MIN_SLANT_DEG for view in self.views)

    @property
    def is_enough(self) -> bool:
        """Whether the views suffice to measure the lens well."""
        has_all = len(self.views) >= TARGET_VIEW_COUNT and self.n_slanted >= MIN_SLANTED_VIEWS
        return has_all and float(self.coverage.mean()) >= MIN_COVERAGE

    def wish_key(self) -> str:
        """Return the key of the advice for the next view."""
        if self.is_enough:
            return "wish.enough"
        if not self.views:
            return "wish.begin"
        columns, rows = COVERAGE_GRID
        gaps = np.argwhere(~self.coverage)
        if len(self.views) >= 3 and len(gaps) > (1 - MIN_COVERAGE) * columns * rows:
            row, column = gaps[np.linalg.norm(gaps - [(rows - 1) / 2, (columns - 1) / 2], axis=1).argmax()]
            return f"wish.{'upper' if row < rows / 2 else 'lower'}_{'left' if column < columns / 2 else 'right'}"
        if self.n_slanted < min(MIN_SLANTED_VIEWS, len(self.views) // 2 + 1):
            return "wish.slant"
        return "wish.move"


def apart(one: TargetView, other: TargetView) -> float:
    """Return the mean distance of the corners of two views, px."""
    return float(np.linalg.norm(one.all_corners_px() - other.all_corners_px(), axis=1).mean())
