"""Views of the target in, the lens out: intrinsics, distortion and their uncertainty.

References:
    Zhang, A flexible new technique for camera calibration, 2000 (what ``cv2.calibrateCamera`` does).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.printed_target import target_corners_mm
from calibration.step_texts import Refused
from calibration.target_views import TargetView, ViewCollection
from referee.typed_json import In, limits, rounded
from vision.imaging.frame import Float64Array
from vision.imaging.lens import Lens, usual_lens

MIN_VIEWS = 6  # fewest different views, count: two are needed in theory, and people's hands shake
MAX_FOCAL_UNCERTAINTY = 0.005  # largest relative standard deviation of the focal length; beyond it views are too alike

# largest reprojection error at a width of 1280 px, px; beyond it the sheet was bent or the focus moved
MAX_RMS_PX = 1.0

MOST_SAID_PERCENT = 99.0  # greatest uncertainty that is said, %
RAYLEIGH_MEDIAN = np.sqrt(2 * np.log(2))  # median of a Rayleigh distribution, standard deviations; source: its formula
MIN_SIGMA_PX = 0.02  # least spread of corners that is believed, px
OUTLIER_SIGMAS = 4.0  # residual from which a corner is dropped (a reflection, a thumb), robust standard deviations

# share of the largest eigenvalue below which one is only rounding; good views have 1e-3
MIN_EIGENVALUE_SHARE = 1e-9

Size = Annotated[float, limits(minimum=0, maximum=1e4)]


@dataclass(frozen=True, eq=False)
class LensMeasurement:
    """A lens and how well it was measured."""

    lens: Annotated[Lens, In(is_flat=True)]
    rms_px: Size  # reprojection error of the corners that were kept, root mean square
    # the same for each view, in the order given; None for a view that was dropped
    errors_px: tuple[Annotated[float, rounded(4, minimum=0, maximum=1e4)] | None, ...]
    focal_uncertainty: Annotated[Size, In("unsure")]  # standard deviation of the focal length, relative
    coverage: Annotated[Size, In("cover")]  # share of the picture in which the target was seen


def calibrate_lens(views: Sequence[TargetView]) -> LensMeasurement:
    """Return the lens that explains the views best.

    They are of one size and differ, as a ``ViewCollection`` has them. Raises Refused when there are too few, or nothing
    fits them.
    """
    if not views:
        raise Refused("lens.none")
    if len(views) < MIN_VIEWS:
        raise Refused("lens.few", n=len(views), least=MIN_VIEWS)
    corner_masks = [np.ones(len(view.ids), np.bool_) for view in views]
    fit = _fit(views, corner_masks)
    for _ in range(2):
        if (fewer := _without_outliers(fit, corner_masks)) is None:
            break
        corner_masks, fit = fewer, _fit(views, fewer)
    good_views = _views_with(corner_masks)
    if len(good_views) < MIN_VIEWS or fit.rms_px > MAX_RMS_PX * max(1.0, views[0].size_px[0] / 1280):
        raise Refused("lens.poor", rms=fit.rms_px)
    unsure = fit.focal_sigma_px / float(fit.matrix[0, 0])
    if not unsure < MAX_FOCAL_UNCERTAINTY:
        raise Refused("lens.flat", percent=min(MOST_SAID_PERCENT, 100 * unsure))
    return LensMeasurement(
        Lens(views[0].size_px, fit.matrix, fit.distortion),
        fit.rms_px,
        tuple(_rms(miss[good]) if good.any() else None for miss, good in zip(fit.misses, corner_masks, strict=True)),
        unsure,
        float(ViewCollection(tuple(views[k] for k in good_views)).coverage.mean()),
    )


def _views_with(corners: Sequence[NDArray[np.bool_]]) -> list[int]:
    """Return the numbers of the views that keep a corner."""
    return [k for k, good in enumerate(corners) if good.any()]


def _rms(misses: Float64Array) -> float:
    """Return the root mean square distance of misses, (n, 2)."""
    return float(np.sqrt((misses**2).sum(axis=1).mean()))


@dataclass(frozen=True, eq=False)
class _Fit:
    """A lens that explains views."""

    matrix: Float64Array
    distortion: Float64Array
    focal_sigma_px: float
    rms_px: float
    misses: tuple[Float64Array, ...]  # how far it misses the corners of each view, (n, 2), px; NaN where none is kept


def _fit(views: Sequence[TargetView], corner_masks: Sequence[NDArray[np.bool_]]) -> _Fit:
    """Return the lens that explains the corners that are kept, (n,) for each view, best."""
    size_px, good_views = views[0].size_px, _views_with(corner_masks)
    ideal = [target_corners_mm()[views[k].ids[corner_masks[k]]].astype(np.float32) for k in good_views]
    corners = [views[k].corners_px[corner_masks[k]].astype(np.float32) for k in good_views]
    start = usual_lens(size_px).matrix.copy(), np.zeros(5)
    try:
        answer = cv2.calibrateCamera(ideal, corners, size_px, *start, flags=cv2.CALIB_USE_INTRINSIC_GUESS)
    except cv2.error:
        raise Refused("lens.poor", rms=float("inf")) from None
    matrix, distortion = np.asarray(answer[1], np.float64), np.asarray(answer[2], np.float64).reshape(-1)[:5]
    if not (np.isfinite(matrix).all() and np.isfinite(distortion).all() and matrix[0, 0] > 0 and matrix[1, 1] > 0):
        raise Refused("lens.poor", rms=float("inf"))
    misses = [np.full((len(view.ids), 2), np.nan) for view in views]
    information = []
    for k, turn, shift in zip(good_views, answer[3], answer[4], strict=True):
        places, slopes = cv2.projectPoints(target_corners_mm()[views[k].ids], turn, shift, matrix, distortion)
        information.append(_information(np.asarray(slopes, np.float64), corner_masks[k]))
        misses[k] = np.asarray(places, np.float64).reshape(-1, 2) - views[k].corners_px
    rms_px = _rms(np.concatenate([miss[good] for miss, good in zip(misses, corner_masks, strict=True)]))
    return _Fit(
        matrix, distortion, rms_px / np.sqrt(2) * _focal_sigma(np.sum(information, axis=0)), rms_px, tuple(misses)
    )


def _information(slopes: Float64Array, good: NDArray[np.bool_]) -> Float64Array:
    """Return the Fisher information of a view about the intrinsics, (8, 8), with its own pose unknown, for unit noise.

    ``calibrateCameraExtended`` gives deviations too, but they are too small where the target was held flat: focal
    length and distance cannot be separated there, which its damped steps hide. The Schur complement shows it.
    """
    rows = np.repeat(good, 2)
    pose, focal, rest = slopes[rows, :6], slopes[rows, 6:8].sum(axis=1, keepdims=True), slopes[rows, 8:15]
    inner = np.column_stack([focal, rest])
    shared = inner.T @ pose @ np.linalg.pinv(pose.T @ pose) @ pose.T @ inner
    information: Float64Array = inner.T @ inner - shared
    return information


def _focal_sigma(information: Float64Array) -> float:
    """Return the standard deviation of the focal length, px, for corners with 1 px; infinite if undetermined."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-12))
    sizes, ways = np.linalg.eigh(information / np.outer(scale, scale))
    if sizes[0] < MIN_EIGENVALUE_SHARE * sizes[-1] or not np.isfinite(sizes).all():
        return float("inf")  # only rounding is left, of either sign
    return float(np.sqrt((ways[0] ** 2 / sizes).sum()) / scale[0])


def _without_outliers(fit: _Fit, corner_masks: Sequence[NDArray[np.bool_]]) -> list[NDArray[np.bool_]] | None:
    """Return the corners without outliers, None when nothing changes; drop views with half of their corners bad."""
    off = [np.linalg.norm(miss, axis=1) for miss in fit.misses]
    distances = np.concatenate([far[good] for far, good in zip(off, corner_masks, strict=True)])
    limit = OUTLIER_SIGMAS * max(float(np.median(distances)) / RAYLEIGH_MEDIAN, MIN_SIGMA_PX)
    near = [good & (np.nan_to_num(far, nan=np.inf) < limit) for far, good in zip(off, corner_masks, strict=True)]
    fewer = [good if good.sum() >= max(6, len(good) / 2) else np.zeros_like(good) for good in near]
    return None if all((a == good).all() for a, good in zip(fewer, corner_masks, strict=True)) else fewer
