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
from calibration.target_views import MIN_VIEW_DISTANCE_WIDTHS, TargetView, ViewCollection, apart
from referee.typed_json import Count, Form, In, form_of, limits
from vision.imaging.frame import Float64Array
from vision.imaging.lens import Lens, usual_lens

MIN_VIEWS = 6  # fewest different views, count: two are needed in theory, and people's hands shake
MAX_FOCAL_UNCERTAINTY = 0.005  # largest relative standard deviation of the focal length; beyond it views are too alike

# largest reprojection error at a width of 1280 px, px; beyond it the sheet was bent or the focus moved
MAX_RMS_PX = 1.0

MOST_SAID_PERCENT = 99.0  # greatest uncertainty that is said, %
RAYLEIGH_MEDIAN = 1.1774  # median of a Rayleigh distribution, standard deviations; source: sqrt(2 log 2)
MIN_SIGMA_PX = 0.02  # least spread of corners that is believed, px
OUTLIER_SIGMAS = 4.0  # residual from which a corner is dropped (a reflection, a thumb), robust standard deviations

_MODELS = (
    cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_K3,
    cv2.CALIB_FIX_ASPECT_RATIO,
    0,
)
"""Lens models, simplest first: square pixels with two radial coefficients; with a third, which wide lenses need; with
pixels that are not square. Source: chosen."""


Size = Annotated[float, limits(minimum=0, maximum=1e4)]
_SIZE = form_of(Size)
SizeOrNaN = Annotated[
    float,
    Form(
        _SIZE.schema,
        lambda value, name, about: float("nan") if value is None else _SIZE.read(value, name, about),
        lambda value: None if value != value else round(value, 4),
    ),
]


@dataclass(frozen=True, eq=False)
class LensMeasurement:
    """A lens and how well it was measured."""

    lens: Annotated[Lens, In(is_flat=True)]
    rms_px: Size  # reprojection error of the corners that were kept, root mean square
    errors_px: tuple[SizeOrNaN, ...]  # the same for each view, in the order given; NaN for a view that was dropped
    n_dropped: Count  # corners that were dropped, including those of dropped views
    focal_uncertainty: Annotated[Size, In("unsure")]  # standard deviation of the focal length, relative
    coverage: Annotated[Size, In("cover")]  # share of the picture in which the target was seen
    # (n, 2) each; for each view that was kept, its corners, px, and their residuals, px
    residuals: Annotated[tuple[tuple[Float64Array, Float64Array], ...], In(is_kept=False)] = ()


def calibrate_lens(views: Sequence[TargetView]) -> LensMeasurement:
    """Return the lens that explains the views best.

    Raises Refused when there are too few views, all are alike, pictures differ in size, or nothing fits them.
    """
    if not views:
        raise Refused("lens.none")
    sizes = {view.size_px for view in views}
    if len(sizes) > 1:
        raise Refused("lens.sizes", sizes=", ".join(f"{w} x {h}" for w, h in sorted(sizes)))
    if len(views) < MIN_VIEWS:
        raise Refused("lens.few", n=len(views), least=MIN_VIEWS)
    if _n_different(views) < MIN_VIEWS:
        raise Refused("lens.alike", n=len(views), different=_n_different(views), least=MIN_VIEWS)
    use = [np.ones(len(view.ids), np.bool_) for view in views]
    fit = _best_model(views, use)
    for _ in range(2):
        if (dropped := _without_outliers(fit, use)) is None:
            break
        use, fit = dropped, _best_model(views, dropped)
    good_views = [k for k, good in enumerate(use) if good.any()]
    if len(good_views) < MIN_VIEWS:
        raise Refused("lens.poor", rms=fit.rms_px)
    unsure = fit.focal_sigma_px / float(fit.matrix[0, 0])
    if fit.rms_px > MAX_RMS_PX * max(1.0, views[0].size_px[0] / 1280):
        raise Refused("lens.poor", rms=fit.rms_px)
    if not unsure < MAX_FOCAL_UNCERTAINTY:
        raise Refused("lens.flat", percent=min(MOST_SAID_PERCENT, 100 * unsure))
    errors = [
        float(np.sqrt((miss[good] ** 2).sum(axis=1).mean())) if good.any() else float("nan")
        for miss, good in zip(fit.misses, use, strict=True)
    ]
    return LensMeasurement(
        Lens(views[0].size_px, fit.matrix, fit.distortion),
        fit.rms_px,
        tuple(errors),
        sum(int((~good).sum()) for good in use),
        unsure,
        float(ViewCollection(tuple(views[k] for k in good_views)).coverage.mean()),
        tuple((views[k].corners_px[use[k]], fit.misses[k][use[k]]) for k in good_views),
    )


def _n_different(views: Sequence[TargetView]) -> int:
    """Return the number of views that differ from all views before them."""
    different: list[TargetView] = []
    for view in views:
        if all(apart(view, other) > MIN_VIEW_DISTANCE_WIDTHS / 2 * view.size_px[0] for other in different):
            different.append(view)
    return len(different)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Fit of one lens model; ``misses`` holds the residuals of each view, shape (n, 2), px."""

    matrix: Float64Array
    distortion: Float64Array
    focal_sigma_px: float
    rms_px: float
    misses: tuple[Float64Array, ...]
    bic: float  # Bayesian information criterion (Schwarz 1978); the lowest is best


def _best_model(views: Sequence[TargetView], use: Sequence[NDArray[np.bool_]]) -> _Fit:
    """Return the fit of the lens model with the lowest Bayesian information criterion."""
    fits: list[_Fit] = []
    for model in _MODELS:  # each begins with the best before
        fits.append(_fit(views, use, model, min(fits, key=lambda fit: fit.bic, default=None)))
    return min(fits, key=lambda fit: fit.bic)


def _fit(views: Sequence[TargetView], use: Sequence[NDArray[np.bool_]], model: int, before: _Fit | None) -> _Fit:
    width, height = views[0].size_px
    good_views = [k for k, good in enumerate(use) if good.any()]
    ideal = [target_corners_mm()[views[k].ids[use[k]]].astype(np.float32).reshape(-1, 1, 3) for k in good_views]
    corners = [views[k].corners_px[use[k]].astype(np.float32).reshape(-1, 1, 2) for k in good_views]
    matrix = (usual_lens((width, height)) if before is None else before).matrix.copy()
    bent = np.zeros(5) if before is None else before.distortion.copy()
    try:
        answer = cv2.calibrateCamera(
            ideal, corners, (width, height), matrix, bent, flags=model | cv2.CALIB_USE_INTRINSIC_GUESS
        )
    except cv2.error:
        raise Refused("lens.poor", rms=float("inf")) from None
    fitted, distortion = np.asarray(answer[1], np.float64), np.asarray(answer[2], np.float64).reshape(-1)[:5]
    if not (np.isfinite(fitted).all() and np.isfinite(distortion).all() and fitted[0, 0] > 0 and fitted[1, 1] > 0):
        raise Refused("lens.poor", rms=float("inf"))
    poses = dict(zip(good_views, zip(answer[3], answer[4], strict=True), strict=True))
    misses, information = [], np.zeros((_N_INTRINSICS, _N_INTRINSICS))
    for k, view in enumerate(views):
        if k in poses:
            places, slopes = cv2.projectPoints(target_corners_mm()[view.ids], *poses[k], fitted, distortion)
            information += _information(np.asarray(slopes, np.float64), use[k])
            misses.append(np.asarray(places, np.float64).reshape(-1, 2) - view.corners_px)
        else:
            misses.append(np.full((len(view.ids), 2), np.nan))
    squares = np.concatenate([(misses[k][use[k]] ** 2).sum(axis=1) for k in good_views])
    rms_px, n, n_free = float(np.sqrt(squares.mean())), 2 * len(squares), 7 + 6 * len(good_views) + _MODELS.index(model)
    bic = float(n * np.log(max(rms_px, 1e-6) ** 2) + n_free * np.log(n))
    sigma_px = float(np.sqrt(squares.mean() / 2) * _focal_sigma(information))
    return _Fit(fitted, distortion, sigma_px, rms_px, tuple(misses), bic)


_N_INTRINSICS = 8  # number of intrinsics: one focal length, two of the principal point, five of the distortion


def _information(slopes: Float64Array, good: NDArray[np.bool_]) -> Float64Array:
    """Return the Fisher information of a view about the intrinsics, with its own pose unknown, for unit noise.

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
    if sizes[0] < _MIN_EIGENVALUE_SHARE * sizes[-1] or not np.isfinite(sizes).all():
        return float("inf")  # only rounding is left, of either sign
    return float(np.sqrt((ways[0] ** 2 / sizes).sum()) / scale[0])


_MIN_EIGENVALUE_SHARE = 1e-9  # share of the largest eigenvalue below which one is only rounding; good views have 1e-3


def _without_outliers(fit: _Fit, use: Sequence[NDArray[np.bool_]]) -> list[NDArray[np.bool_]] | None:
    """Return the corners without outliers, None when nothing changes; drop views with half of their corners bad."""
    off = [np.linalg.norm(miss, axis=1) for miss in fit.misses]
    distances = np.concatenate([o[good] for o, good in zip(off, use, strict=True)])
    limit = OUTLIER_SIGMAS * max(float(np.median(distances)) / RAYLEIGH_MEDIAN, MIN_SIGMA_PX)
    after = []
    for o, good in zip(off, use, strict=True):
        better = good & (np.nan_to_num(o, nan=np.inf) < limit)
        after.append(better if better.sum() >= max(6, 0.5 * len(o)) else np.zeros_like(good))
    if all((a == good).all() for a, good in zip(after, use, strict=True)):
        return None
    return after
