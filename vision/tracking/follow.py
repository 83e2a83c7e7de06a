"""Keep the field through bumps and slips.

The board is followed from the last settled look, never from the empty board, so that the stones ride along. Both
hypotheses are tried where something moved: the camera (everything in the picture moves alike) and the cloth (only
what lies inside the field's surroundings does), which differ only in which part of the picture has a vote. Small
slips are measured by sparse optical flow, large ones by features; a move counts only when the board, brought
back, shows the same detail as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.board_view import BoardView, board_lies_still, cut_board_view
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Frame, Image

Gray = NDArray[np.uint8]
Matrix = NDArray[np.float64]

STATIONARY_SPACINGS = 0.04
"""A shift of every point under this share of its spacing is noise of the estimate: the field stays as it is."""

MIN_AGREEMENT = 0.55
"""Share of textured blocks of the board that must look as before for a registration to be believed."""

SURE_AGREEMENT = 0.75
"""The same from which no other way to find the board is tried."""

MIN_AGREEMENT_GAIN = 0.02
"""By so much a later estimate must agree better than an earlier one to be taken."""

MIN_SLIDE_CORNERS = 8
"""Corners that must agree on a slide of the board."""

SLIDE_TOLERANCE = 0.012
"""Board units by which a corner may be off a slide of the board: two or three pixels."""

SURROUNDINGS_STRETCH = 1.25
"""The cloth around the points helps to find motions: the outline of the points is stretched by this factor."""

BOARD_STRETCH = 1.05
"""The same where motions are judged: cloth with bold stripes stays where it is when a board slides over it."""

MAX_TRACKED_CORNERS = 80
"""Corners that are tracked; a homography needs four, and half of them may be under a hand."""

MAX_ROUND_TRIP_ERROR_PX = 1.0
"""A tracked corner must come back to within this distance when it is tracked backwards."""


@dataclass(frozen=True, eq=False)
class Anchor:
    """The last settled look, to follow from.

    Attributes
    ----------
    bgr : uint8 array of shape (H, W, 3)
        Image space.
    field : Field
        Where the points lay in that look.
    """

    bgr: Image
    field: Field

    @cached_property
    def gray(self) -> Gray:
        """The same in grey, uint8 of shape (H, W)."""
        return np.asarray(cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY), np.uint8)

    @cached_property
    def corners_px(self) -> NDArray[np.float32]:
        """Corners worth tracking, on the board and its surroundings, image space, shape (n, 1, 2)."""
        mask = _hull_mask(self.field, self.gray.shape)
        x, y, w, h = cv2.boundingRect(mask)
        apart_px = max(4.0, float(np.median(self.field.spacing_px)) / 5)
        found = cv2.goodFeaturesToTrack(
            self.gray[y : y + h, x : x + w], MAX_TRACKED_CORNERS, 0.01, apart_px, mask=mask[y : y + h, x : x + w]
        )
        corners = np.empty((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32).reshape(-1, 1, 2)
        return corners + np.array((x, y), np.float32)

    @cached_property
    def view(self) -> BoardView:
        """The board in small, to compare pixels with."""
        return cut_board_view(self.bgr, self.field)


@dataclass(frozen=True, eq=False)
class TrackedField:
    """Where the field is now.

    Attributes
    ----------
    field : Field
        In the new frame.
    now_from_before : float64 array of shape (3, 3)
        Homography that carries the board from the old look to the new one, image space to image space.
    moved : bool
        Whether any point moved by more than noise.
    view : BoardView or None
        The board in this frame, where it lies still.
    """

    field: Field
    now_from_before: Matrix
    moved: bool
    view: BoardView | None = None


def anchor_at(frame: Frame, field: Field) -> Anchor:
    """Take a settled look to follow from."""
    return Anchor(frame.bgr, field)


def follow(anchor: Anchor, frame: Frame) -> TrackedField | NotRegistered:
    """Find the field of the last settled look in a new frame.

    Parameters
    ----------
    anchor : Anchor
    frame : Frame
        Of the same size; something may hide a part of the board.

    Returns
    -------
    Followed or NotRegistered

    Raises
    ------
    ValueError
        When the frame has another size than the anchor's.
    """
    if frame.bgr.shape != anchor.bgr.shape:
        raise ValueError(f"frame must have the anchor's size {anchor.bgr.shape[:2]}, got {frame.bgr.shape[:2]}")
    view = cut_board_view(frame.bgr, anchor.field)
    if board_lies_still(anchor.view, view):
        return TrackedField(anchor.field, np.eye(3), moved=False, view=view)
    gray = np.asarray(cv2.cvtColor(frame.bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    stayed, best, likeness = False, None, MIN_AGREEMENT
    for estimates in (_motions_by_flow, _motions_by_features):
        for now_from_before in estimates(anchor, gray):
            carried = _transform(now_from_before, anchor.field.points_px)
            shift = np.linalg.norm(carried - anchor.field.points_px, axis=1) / anchor.field.spacing_px
            if _has_ring_turned(anchor.field, carried):
                return TrackedField(anchor.field, np.eye(3), moved=False)
            still = bool(shift.max() < STATIONARY_SPACINGS)
            stayed |= still
            if not still and not _is_plausible_motion(anchor.field.points_px, carried, gray.shape):
                continue
            itself, around = _block_agreements(anchor, gray, now_from_before)
            if still and itself > SURE_AGREEMENT:
                return TrackedField(anchor.field, np.eye(3), moved=False)
            # Shadows that stay behind cost a board more of its own likeness than of a cloth's that moves along.
            alike = max(itself, around)
            if alike > likeness + (MIN_AGREEMENT_GAIN if best is not None else 0.0):
                best, likeness = np.eye(3) if still else now_from_before, alike
        if likeness > SURE_AGREEMENT:
            break
    if (best is None and stayed) or (best is not None and np.array_equal(best, np.eye(3))):
        return TrackedField(anchor.field, np.eye(3), moved=False)
    if best is not None:
        field = replace(
            anchor.field,
            points_px=_transform(best, anchor.field.points_px),
            image_from_board=best @ anchor.field.image_from_board,
        )
        return TrackedField(field, best, moved=True)
    return NotRegistered("the board is not where it was: bring it back into the picture and take hands away")


def agreement(anchor: Anchor, gray: Gray, now_from_before: Matrix) -> float:
    """Say how much of the board looks as it did in the anchor's look, 0 to 1.

    Parameters
    ----------
    anchor : Anchor
    gray : uint8 array of shape (H, W)
        The new frame, image space.
    now_from_before : float64 array of shape (3, 3)

    Returns
    -------
    float
        Share of the textured blocks of the board whose normalised correlation is over 0.5; blocks are about half a
        spacing wide. Stones that came or went and small occluders cost little of it.
    """
    return _block_agreements(anchor, gray, now_from_before)[0]


def _block_agreements(anchor: Anchor, gray: Gray, now_from_before: Matrix) -> tuple[float, float]:
    """The same, and for the board with its surroundings."""
    h, w = gray.shape
    scale = min(1.0, 24.0 / float(np.median(anchor.field.spacing_px)))  # a spacing becomes 24 px at most
    size = max(8, round(w * scale)), max(8, round(h * scale))
    shrink = np.diag([size[0] / w, size[1] / h, 1.0])
    before = cv2.resize(anchor.gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    small_now = cv2.resize(gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    before_from_now = shrink @ np.linalg.inv(now_from_before) @ np.linalg.inv(shrink)
    now = cv2.warpPerspective(small_now, before_from_now, size, flags=cv2.INTER_LINEAR, borderValue=-1.0)
    block = (13, 13)
    mean_a, mean_b = cv2.blur(before, block), cv2.blur(now, block)
    var_a = np.maximum(cv2.blur(before * before, block) - mean_a**2, 0)
    var_b = np.maximum(cv2.blur(now * now, block) - mean_b**2, 0)
    ncc = (cv2.blur(before * now, block) - mean_a * mean_b) / np.sqrt(var_a * var_b + 1.0)
    small = replace(anchor.field, points_px=_transform(shrink, anchor.field.points_px))
    seen = cv2.erode((now >= 0).astype(np.uint8), np.ones(block)) > 0

    def share(stretch: float) -> float:
        inside = seen & (_hull_mask(small, before.shape, stretch) > 0)
        textured = inside & (var_a > max(9.0, float(np.median(var_a[inside])) if inside.any() else 9.0))
        return float((ncc[textured] > 0.5).mean()) if textured.sum() >= 30 else 0.0

    return share(BOARD_STRETCH), share(SURROUNDINGS_STRETCH)


def _has_ring_turned(field: Field, carried: NDArray[np.float64]) -> bool:
    """Whether the points would come to lie on points: then a ring has turned, not the board."""
    if not field.board.rings:
        return False
    apart = np.linalg.norm(carried[:, None] - field.points_px[None], axis=2).min(axis=1)
    return bool((apart < 0.2 * field.spacing_px).all())


def _transform(destination_from_source: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    homogeneous = np.column_stack([points, np.ones(len(points))]) @ destination_from_source.T
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], np.float64)


def _hull_mask(field: Field, shape: tuple[int, ...], stretch: float = SURROUNDINGS_STRETCH) -> Gray:
    """Mask of the hull of the points, stretched about its middle; uint8 of the given (H, W)."""
    middle = field.points_px.mean(axis=0)
    stretched = middle + stretch * (field.points_px - middle)
    mask = np.zeros(shape[:2], np.uint8)
    hull = cv2.convexHull(stretched.astype(np.float32)).reshape(-1, 2)
    cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 255)
    return mask


def _motions_by_flow(anchor: Anchor, gray: Gray) -> Iterator[Matrix]:
    """Motions that explain corners tracked with Lucas-Kanade, there and back; none when too few agree."""
    before, now = _track_corners(anchor, gray)
    yield from _candidate_motions(anchor, before, now, 12, 0.5)


def _track_corners(anchor: Anchor, gray: Gray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Corners of the anchor that were found again, and where, float32 of shape (n, 2) each."""
    if len(anchor.corners_px) < 12:
        return np.empty((0, 2), np.float32), np.empty((0, 2), np.float32)
    there, found = _optical_flow(anchor.gray, gray, anchor.corners_px)
    back, found_back = _optical_flow(gray, anchor.gray, there)
    error = np.linalg.norm((back - anchor.corners_px).reshape(-1, 2), axis=1)
    good = found & found_back & (error < MAX_ROUND_TRIP_ERROR_PX)
    return anchor.corners_px.reshape(-1, 2)[good], there.reshape(-1, 2)[good]


def _candidate_motions(
    anchor: Anchor, before: NDArray[np.float32], now: NDArray[np.float32], n_least: int, share_least: float
) -> Iterator[Matrix]:
    """Motions that explain pairs of places: of the camera (any homography), and of the board on its table.

    A board that slides has three degrees of freedom, not eight: shadows that stay behind, and dots of the cloth under
    it, cannot bend it.
    """
    free = _robust_homography(before, now, n_least, share_least)
    slid = _fit_slide(anchor.field, before, now)
    # Where nothing moved, one answer is enough; a knocked camera is told by the first, exactly.
    yield from (matrix for matrix in (free, slid) if matrix is not None)
    went = np.linalg.norm(now - before, axis=1) > STATIONARY_SPACINGS * float(np.median(anchor.field.spacing_px))
    if MIN_SLIDE_CORNERS <= went.sum() < len(went):  # a cloth full of specks that stay may outvote the board on it
        pushed = _fit_slide(anchor.field, before[went], now[went])
        yield from (matrix for matrix in (pushed,) if matrix is not None)


def _fit_slide(field: Field, before: NDArray[np.float32], now: NDArray[np.float32]) -> Matrix | None:
    """The slide and turn within its plane that takes the board along with most pairs; None when too few agree."""
    if len(before) < MIN_SLIDE_CORNERS:
        return None
    board_from_image = np.asarray(np.linalg.inv(field.image_from_board), np.float64)
    here, there = (_transform(board_from_image, pairs.astype(np.float64)) for pairs in (before, now))
    motion, inliers = cv2.estimateAffinePartial2D(
        here, there, method=cv2.RANSAC, ransacReprojThreshold=SLIDE_TOLERANCE, maxIters=2000, confidence=0.999
    )
    if motion is None or inliers is None or np.count_nonzero(inliers) < MIN_SLIDE_CORNERS:
        return None
    in_plane = np.vstack([motion, [0.0, 0.0, 1.0]])
    return np.asarray(field.image_from_board @ in_plane @ board_from_image, np.float64)


def _optical_flow(
    source: Gray, destination: Gray, points: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    empty = np.empty_like(points)
    there, found, _ = cv2.calcOpticalFlowPyrLK(source, destination, points, empty, winSize=(21, 21), maxLevel=4)
    return np.asarray(there, np.float32), np.asarray(found).ravel() > 0


def _motions_by_features(anchor: Anchor, gray: Gray) -> Iterator[Matrix]:
    """Motions that explain ORB features of the board and its surroundings, sharpened by flow."""
    orb = cv2.ORB.create(nfeatures=1500, fastThreshold=7)
    keys_a, words_a = orb.detectAndCompute(anchor.gray, _hull_mask(anchor.field, gray.shape))
    keys_b, words_b = orb.detectAndCompute(gray, None)
    if words_a is None or words_b is None or len(keys_a) < 12 or len(keys_b) < 12:
        return
    matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(words_a, words_b)
    if len(matches) < 12:
        return
    a = np.array([keys_a[m.queryIdx].pt for m in matches], np.float32)
    b = np.array([keys_b[m.trainIdx].pt for m in matches], np.float32)
    for coarse in _candidate_motions(anchor, a, b, 15, 0.0):
        yield _refine_by_flow(anchor, gray, coarse)


def _refine_by_flow(anchor: Anchor, gray: Gray, coarse: Matrix) -> Matrix:
    """Sharpen a coarse motion by flow that starts where it points."""
    h, w = gray.shape
    unwarped = cv2.warpPerspective(gray, np.linalg.inv(coarse), (w, h), flags=cv2.INTER_LINEAR)
    residue = _robust_homography(*_track_corners(anchor, np.asarray(unwarped, np.uint8)), 12, 0.5)
    return coarse if residue is None else coarse @ residue


def _robust_homography(a: NDArray[np.float32], b: NDArray[np.float32], n_least: int, share_least: float) -> Matrix | None:
    if len(a) < n_least:
        return None
    matrix, inliers = cv2.findHomography(a, b, cv2.USAC_MAGSAC, 2.5, maxIters=2000, confidence=0.999)
    if matrix is None or inliers is None:
        return None
    n = int(np.count_nonzero(inliers))
    if n < n_least or n < share_least * len(a):
        return None
    return np.asarray(matrix, np.float64)


def _is_plausible_motion(before: NDArray[np.float64], now: NDArray[np.float64], shape: tuple[int, ...]) -> bool:
    """A board may slide, turn and tilt; it does not flip, shrink to a third, or leave the picture."""
    if not np.isfinite(now).all():
        return False
    h, w = shape[:2]
    inside = (now[:, 0] > -0.1 * w) & (now[:, 0] < 1.1 * w) & (now[:, 1] > -0.1 * h) & (now[:, 1] < 1.1 * h)
    fit, _ = cv2.estimateAffine2D(before, now)
    if fit is None:
        return False
    area = float(np.linalg.det(fit[:, :2]))
    return bool(inside.mean() > 0.8 and 0.3 < area < 3.0)
