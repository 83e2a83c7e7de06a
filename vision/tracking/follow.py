"""A field in the last accepted frame and a new frame in; the field in the new one, wherever it was pushed, out.

The board is compared with the last accepted frame, never with the empty board, so that stones are part of what is
recognised. Two kinds of motion are tried where something moved: of the camera (everything in the picture moves
together), and of the board or cloth alone (only the field and its surroundings move). Small motions are measured by
sparse optical flow, large ones by feature matching. A motion is accepted only when the board, moved back, shows the
same detail as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from languages import message
from vision.detection.refusal import MIN_POINTS_IN_SIGHT
from vision.imaging.board_view import SURE_AGREEMENT, BoardView, board_lies_still, cut_board_view
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Float32Array, Float64Array, Frame, Image, in_picture, reduce_by_averaging
from vision.imaging.homography import apply_homography
from vision.imaging.medians import median

GrayImage = NDArray[np.uint8]
"""Grey levels, shape (H, W)."""

STATIONARY_SPACINGS, ELSEWHERE_SPACINGS = 0.04, 0.15
"""Largest shift of any point that is noise of the estimate, the field stays as it is, and the distance from which a
point lies elsewhere, spacings."""

MIN_AGREEMENT = 0.55
"""Agreement from which a motion is accepted: the share of the textured blocks of the board that look as before."""

MIN_AGREEMENT_GAIN = 0.05
"""Gain in agreement from which a later estimate replaces an earlier one, and another way round a nearer one."""

MIN_SLIDE_CORNERS = 8
"""Corners that must agree on a slide of the board."""

SLIDE_TOLERANCE = 0.012
"""Largest residual of a corner that agrees on a slide, board units: two or three pixels."""

BOARD_STRETCH, SURROUNDINGS_STRETCH, CLOTH_STRETCH = 1.05, 1.25, 1.9
"""Factors by which the outline of the points is stretched about its middle. Inside the first is the board alone:
striped cloth stays in place when a board slides over it. What lies or moves inside the second may touch a point, and
the cloth there helps to find motions. Outside the third is the table: what moves there is somebody else."""

BLOCK_SIDE_PX = 13
"""Side of a block of the reduced frame, px: about half a spacing."""

MIN_TEXTURE_LEVELS = 3.0
"""Standard deviation from which a block has texture, grey levels: more than noise."""

CORNER_QUALITY = 0.01
"""Least quality of a corner, share of the best one's. Source: cited, OpenCV's tutorial on ``goodFeaturesToTrack``."""

MAX_TRACKED_CORNERS = 80
"""Most corners that are tracked; a homography needs four, and half of them may be under a hand."""


@dataclass(frozen=True, eq=False)
class _Blocks:
    """A reduced frame, with which others are compared block by block."""

    size: tuple[int, int]  # width and height
    shrink: Float64Array  # (3, 3), from image space to the reduced frame
    gray: Float32Array
    mean: Float32Array  # of the block around every pixel, as is the variance
    variance: Float32Array
    on_board: NDArray[np.bool_]
    around_board: NDArray[np.bool_]  # on the board or around it


@dataclass(frozen=True, eq=False)
class Anchor:
    """The last accepted frame, with which later frames are compared."""

    bgr: Image  # (H, W, 3), image space
    field: Field  # in that frame

    @cached_property
    def gray(self) -> GrayImage:
        """The frame in grey, uint8 of shape (H, W)."""
        return np.asarray(cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY), np.uint8)

    @cached_property
    def corners_px(self) -> Float32Array:
        """Corners to track, on the board and its surroundings, image space, shape (n, 1, 2)."""
        mask = hull_mask(self.field, self.gray.shape)
        x, y, w, h = cv2.boundingRect(mask)
        part, apart_px = (slice(y, y + h), slice(x, x + w)), float(median(self.field.spacing_px)) / 5
        corners = cv2.goodFeaturesToTrack(
            self.gray[part], MAX_TRACKED_CORNERS, CORNER_QUALITY, apart_px, mask=mask[part]
        )
        some = np.empty((0, 1, 2)) if corners is None else np.asarray(corners).reshape(-1, 1, 2)
        return np.asarray(some + (x, y), np.float32)

    @cached_property
    def blocks(self) -> _Blocks:
        """The frame reduced for ``agreement``: half a spacing becomes a block at most."""
        h, w = self.gray.shape
        scale = min(1.0, 2 * (BLOCK_SIDE_PX - 1) / float(median(self.field.spacing_px)))
        size = max(8, round(w * scale)), max(8, round(h * scale))
        shrink = np.diag([size[0] / w, size[1] / h, 1.0])
        gray = _small_gray(self.gray, size)
        small = replace(self.field, points_px=apply_homography(shrink, self.field.points_px))
        masks = (hull_mask(small, gray.shape, stretch) > 0 for stretch in (BOARD_STRETCH, SURROUNDINGS_STRETCH))
        return _Blocks(size, shrink, gray, *_block_moments(gray), *masks)

    @cached_property
    def view(self) -> BoardView:
        """The part of the frame that shows the board, for comparing pixels."""
        return cut_board_view(self.bgr, self.field)


@dataclass(frozen=True, eq=False)
class TrackedField:
    """The field in a new frame."""

    field: Field
    now_from_before: Float64Array  # (3, 3), homography from the anchor's frame to the new one, image space both
    moved: bool  # any point, by more than noise
    view: BoardView | None = None  # the board in the new frame, where it lies still


def follow(anchor: Anchor, frame: Frame) -> TrackedField | NotRegistered:
    """Find the field of the last accepted frame in a new one, where something may hide a part of the board.

    Raises ``ValueError`` when the frame has another size than the anchor's.
    """
    if frame.bgr.shape != anchor.bgr.shape:
        raise ValueError(f"frame must have the anchor's size {anchor.bgr.shape[:2]}, got {frame.bgr.shape[:2]}")
    view = cut_board_view(frame.bgr, anchor.field)
    if board_lies_still(anchor.view, view):
        return TrackedField(anchor.field, np.eye(3), moved=False, view=view)
    gray = np.asarray(cv2.cvtColor(frame.bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    motion = _best_motion(anchor, gray)
    if motion is None:
        return NotRegistered(message("sight.moved"))
    if np.array_equal(motion, np.eye(3)):
        return TrackedField(anchor.field, np.eye(3), moved=False)
    field = replace(
        anchor.field,
        points_px=apply_homography(motion, anchor.field.points_px),
        image_from_board=motion @ anchor.field.image_from_board,
    )
    return TrackedField(field, motion, moved=True)


def _best_motion(anchor: Anchor, gray: GrayImage) -> Float64Array | None:
    """Return the motion with the best agreement, ``now_from_before``.

    It is the identity where the board has not moved, and None where no motion can be accepted.
    """
    stayed, best, best_agreement = False, None, MIN_AGREEMENT
    small = _small_gray(gray, anchor.blocks.size)
    for estimates in (_motions_by_flow, _motions_by_features):
        for now_from_before in estimates(anchor, gray):
            carried = apply_homography(now_from_before, anchor.field.points_px)
            shift = np.linalg.norm(carried - anchor.field.points_px, axis=1) / anchor.field.spacing_px
            if _has_ring_turned(anchor.field, carried):
                return np.eye(3)
            still = bool(shift.max() < STATIONARY_SPACINGS)
            stayed |= still
            if not still and not _is_plausible_motion(anchor.field.points_px, carried, gray.shape):
                continue
            of_board, of_surroundings = _block_agreements(anchor, small, now_from_before)
            if still and of_board > SURE_AGREEMENT:
                return np.eye(3)
            # Shadows stay behind when a board moves, so the cloth around it may agree better than the board.
            agreed = max(of_board, of_surroundings)
            if agreed > best_agreement + (MIN_AGREEMENT_GAIN if best is not None else 0.0):
                best, best_agreement = np.eye(3) if still else now_from_before, agreed
            if best_agreement > 1 - MIN_AGREEMENT_GAIN:
                return best
        if best_agreement > SURE_AGREEMENT:
            break
    return np.eye(3) if best is None and stayed else best


def agreement(anchor: Anchor, gray: GrayImage, now_from_before: Float64Array) -> float:
    """Return the share of the board that looks as it did in the anchor's frame, 0 to 1; ``gray`` is the new frame.

    It is that of the textured blocks of the board whose normalised cross-correlation is over 0.5; blocks are about half
    a spacing wide. Stones that came or went and small occluders lower it little.
    """
    return _block_agreements(anchor, _small_gray(gray, anchor.blocks.size), now_from_before)[0]


def _block_agreements(anchor: Anchor, small_now: Float32Array, now_from_before: Float64Array) -> tuple[float, float]:
    """Return the agreement of the board, and that of the board with its surroundings.

    ``small_now`` is the new frame, grey and reduced to ``anchor.blocks.size``.
    """
    blocks = anchor.blocks
    before_from_now = blocks.shrink @ np.linalg.inv(now_from_before) @ np.linalg.inv(blocks.shrink)
    warped = cv2.warpPerspective(small_now, before_from_now, blocks.size, flags=cv2.INTER_LINEAR, borderValue=-1.0)
    now = np.asarray(warped, np.float32)
    mean, variance = _block_moments(now)
    ncc = cv2.blur(blocks.gray * now, (BLOCK_SIDE_PX, BLOCK_SIDE_PX)) - blocks.mean * mean
    correlated = ncc > 0.5 * np.sqrt(blocks.variance * variance + 1.0)
    in_sight = cv2.erode((now >= 0).astype(np.uint8), np.ones((BLOCK_SIDE_PX, BLOCK_SIDE_PX))) > 0

    def share(inside: NDArray[np.bool_]) -> float:
        inside = inside & in_sight
        usual = float(median(blocks.variance[inside])) if inside.any() else 0.0
        textured = inside & (blocks.variance > max(MIN_TEXTURE_LEVELS**2, usual))
        n_textured = np.count_nonzero(textured)
        return np.count_nonzero(correlated & textured) / n_textured if n_textured >= 30 else 0.0

    return share(blocks.on_board), share(blocks.around_board)


def _block_moments(gray: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Return mean and variance of the block around every pixel, each of the picture's shape."""
    mean = np.asarray(cv2.blur(gray, (BLOCK_SIDE_PX, BLOCK_SIDE_PX)), np.float32)
    return mean, np.maximum(cv2.blur(gray * gray, (BLOCK_SIDE_PX, BLOCK_SIDE_PX)) - mean**2, 0)


def _small_gray(gray: GrayImage, size: tuple[int, int]) -> Float32Array:
    return reduce_by_averaging(gray, size).astype(np.float32)


def _has_ring_turned(field: Field, carried: Float64Array) -> bool:
    """Return whether every point would come to lie on a point: then a ring has turned, and the board stands still."""
    if not field.board.rings:
        return False
    apart = np.linalg.norm(carried[:, None] - field.points_px[None], axis=2).min(axis=1)
    return bool((apart < ELSEWHERE_SPACINGS * field.spacing_px).all())


def hull_mask(
    field: Field, shape: tuple[int, ...], stretch: float = SURROUNDINGS_STRETCH, scale: tuple[float, float] = (1.0, 1.0)
) -> GrayImage:
    """Return the mask of the hull of the points, stretched about its middle, in a picture of this scale; 255 inside."""
    middle = field.points_px.mean(axis=0)
    stretched = (middle + stretch * (field.points_px - middle)) * scale
    mask = np.zeros(shape[:2], np.uint8)
    hull = cv2.convexHull(stretched.astype(np.float32)).reshape(-1, 2)
    cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 255)
    return mask


# ---------------------------------------------------------------- estimates of the motion


def _motions_by_flow(anchor: Anchor, gray: GrayImage) -> Iterator[Float64Array]:
    """Yield the motions that explain corners tracked by optical flow; none when too few corners agree."""
    before, now = _track_corners(anchor, gray)
    yield from _candidate_motions(anchor, before, now, 12, 0.5)


def _track_corners(anchor: Anchor, gray: GrayImage) -> tuple[Float32Array, Float32Array]:
    """Return the corners of the anchor that were tracked again, before and now, float32 of shape (n, 2) each.

    Corners are tracked forwards and back. Those that do not come back to their pixel are left out.
    """
    if len(anchor.corners_px) < 12:
        return np.empty((0, 2), np.float32), np.empty((0, 2), np.float32)
    there, is_tracked = _optical_flow(anchor.gray, gray, anchor.corners_px)
    back, is_tracked_back = _optical_flow(gray, anchor.gray, there)
    error = np.linalg.norm((back - anchor.corners_px).reshape(-1, 2), axis=1)
    good = is_tracked & is_tracked_back & (error < 1)
    return anchor.corners_px.reshape(-1, 2)[good], there.reshape(-1, 2)[good]


def _candidate_motions(
    anchor: Anchor, before: Float32Array, now: Float32Array, min_inliers: int, min_inlier_share: float
) -> Iterator[Float64Array]:
    """Yield the motions that explain pairs of places: of the camera (any homography), and of the board on its table.

    A board that slides has three degrees of freedom, not eight. So shadows that stay behind, and dots of the cloth
    under it, cannot distort it.
    """
    free = _robust_homography(before, now, min_inliers, min_inlier_share)
    slide = _fit_slide(anchor.field, before, now)
    # The first describes a moved camera exactly.
    yield from (matrix for matrix in (free, slide) if matrix is not None)
    has_moved = np.linalg.norm(now - before, axis=1) > STATIONARY_SPACINGS * float(median(anchor.field.spacing_px))
    if MIN_SLIDE_CORNERS <= has_moved.sum() < len(has_moved):  # many specks of a still cloth may outnumber the board's
        slide = _fit_slide(anchor.field, before[has_moved], now[has_moved])
        yield from (matrix for matrix in (slide,) if matrix is not None)


def _fit_slide(field: Field, before: Float32Array, now: Float32Array) -> Float64Array | None:
    """Return the slide and turn in the board's plane that most pairs agree on (RANSAC); None when too few agree."""
    if len(before) < MIN_SLIDE_CORNERS:
        return None
    board_from_image = np.asarray(np.linalg.inv(field.image_from_board), np.float64)
    here, there = (apply_homography(board_from_image, pairs.astype(np.float64)) for pairs in (before, now))
    motion, inliers = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=SLIDE_TOLERANCE)
    if motion is None or inliers is None or np.count_nonzero(inliers) < MIN_SLIDE_CORNERS:
        return None
    in_plane = np.vstack([motion, [0.0, 0.0, 1.0]])
    return np.asarray(field.image_from_board @ in_plane @ board_from_image, np.float64)


def _optical_flow(
    source: GrayImage, destination: GrayImage, points: Float32Array
) -> tuple[Float32Array, NDArray[np.bool_]]:
    """Return the places of points of one image in another (pyramidal Lucas-Kanade), and which were tracked."""
    empty = np.empty_like(points)
    there, is_tracked, _ = cv2.calcOpticalFlowPyrLK(source, destination, points, empty, winSize=(21, 21), maxLevel=4)
    return np.asarray(there, np.float32), np.asarray(is_tracked).ravel() > 0


def _motions_by_features(anchor: Anchor, gray: GrayImage) -> Iterator[Float64Array]:
    """Yield the motions that explain ORB features of the board and its surroundings, refined by optical flow."""
    orb = cv2.ORB.create(nfeatures=1500, fastThreshold=7)
    keypoints_a, descriptors_a = orb.detectAndCompute(anchor.gray, hull_mask(anchor.field, gray.shape))
    keypoints_b, descriptors_b = orb.detectAndCompute(gray, None)
    if descriptors_a is None or descriptors_b is None or len(keypoints_a) < 12 or len(keypoints_b) < 12:
        return
    matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(descriptors_a, descriptors_b)
    if len(matches) < 12:
        return
    a = np.array([keypoints_a[m.queryIdx].pt for m in matches], np.float32)
    b = np.array([keypoints_b[m.trainIdx].pt for m in matches], np.float32)
    for coarse in _candidate_motions(anchor, a, b, 15, 0.0):
        yield _refine_by_flow(anchor, gray, coarse)


def _refine_by_flow(anchor: Anchor, gray: GrayImage, coarse: Float64Array) -> Float64Array:
    """Return a coarse motion, refined by optical flow in the picture that is warped back by it."""
    h, w = gray.shape
    unwarped = cv2.warpPerspective(gray, np.linalg.inv(coarse), (w, h), flags=cv2.INTER_LINEAR)
    residual = _robust_homography(*_track_corners(anchor, np.asarray(unwarped, np.uint8)), 12, 0.5)
    return coarse if residual is None else coarse @ residual


def _robust_homography(
    a: Float32Array, b: Float32Array, min_inliers: int, min_inlier_share: float
) -> Float64Array | None:
    """Return the homography that maps most places of ``a`` to ``b`` (MAGSAC); None when too few agree."""
    if len(a) < min_inliers:
        return None
    matrix, inliers = cv2.findHomography(a, b, cv2.USAC_MAGSAC)
    if matrix is None or inliers is None:
        return None
    n = int(np.count_nonzero(inliers))
    if n < min_inliers or n < min_inlier_share * len(a):
        return None
    return np.asarray(matrix, np.float64)


def _is_plausible_motion(before: Float64Array, now: Float64Array, shape: tuple[int, ...]) -> bool:
    """Return whether a motion is plausible: a board does not flip or leave the picture."""
    if not np.isfinite(now).all() or in_picture(now, (shape[1], shape[0])).mean() < MIN_POINTS_IN_SIGHT:
        return False
    fit, _ = cv2.estimateAffine2D(before, now)
    return fit is not None and float(np.linalg.det(fit[:, :2])) > 0
