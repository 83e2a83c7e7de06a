"""Playing areas: where a board may lie. Cloths, plates and sheets that stand out from the table, and the whole picture.

Each is a first estimate of the plane of the board: a homography from a unit plane, in which the outline is a circle (a
round cloth seen from above; a square plate becomes a square), to the image.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.homography import rotation
from vision.imaging.medians import percentile

OUTLINE_IMAGE_SIDE_PX = 192
"""Longest side of the reduced picture in which outlines are sought, px: strokes and pebbles vanish, a cloth is 20 px or
more."""

MIN_CLUSTER_PIXELS = 64
"""Least number of pixels of a picture in which clusters of colours are sought."""

MIN_AREA_SHARE = 0.012
"""Least share of the picture that a playing area covers. A board at 25 % of the picture's height covers about 2 %."""

SMALL_AREA_SHARE = 0.0015
"""Least share of the picture that a small thing covers which might be a board far away."""

MAX_AREA_SHARE = 0.97
"""Largest share of the picture that a playing area covers."""

SIZE_WEIGHT = 0.5
"""Weight of the size of an outline (root of its share of the picture) beside its shape. People point the camera at the
board, so a mug or a phone with a better outline is still the smaller thing."""

OUTER_DISC_RATIOS = (1.4, 1.95)
"""Width of a disc over the width of the disc that lies on it, and of the one on top of that."""

CENTRAL_SHARES = (0.7, 0.5)
"""Central parts of the picture in which something without an outline is sought, shares of its width."""

LOG_OFFSET_LEVEL = 4.0
"""Added to colours (of 255) before the logarithm: levels below it are noise."""

MIN_LOG_RATIO_RANGE = 0.1
"""Least range of the logarithm of a colour ratio that is stretched over 0 to 255."""

MIN_OUTLINE_QUALITY = 0.88
"""Least quality of an outline, 0 to 1: how much of its convex hull it fills times how round or four-sided that is."""


MAX_MIDDLE_DISTANCE, MAX_SIZE_RATIO = 0.15, 1.18
"""Two outlines are one where their middles are no further apart, radii, and one is at most so much larger."""

MAX_COMPLETED_AREA_RATIO = 3.0
"""Largest area of an outline with what the picture cuts off, over that of the part which is seen."""

MIN_FREE_CONTOUR_SHARE = 0.4
"""Least share of a contour that lies within the picture, for the rest of the outline to be known from it."""


@dataclass(frozen=True, eq=False)
class PlayingArea:
    """A part of the picture in which a board may lie.

    ``image_from_unit`` takes the unit circle to the outline. The y axis of the unit plane is the direction in which the
    plane falls away from the camera (the short axis of the ellipse), as far as it is known.
    """

    image_from_unit: Float64Array
    outline_quality: float  # similarity to an ellipse or a rectangle, plus size; 0 without an outline
    whole_from_unit: Float64Array | None = None  # the same for an outline cut off by the picture, as it goes on
    rim_px: Float64Array = field(default_factory=lambda: np.empty((0, 2)))


class Contours(NamedTuple):
    """The contours, (n, 2) each, of the things in a reduced picture of this width and height."""

    contours: list[NDArray[np.int32]]
    size_px: tuple[int, int]


def find_contours(bgr: Image) -> Contours:
    """Return the contours of all things in a picture of shape (H, W, 3) but those smaller than small things."""
    small = cv.shrink(bgr, OUTLINE_IMAGE_SIDE_PX / max(bgr.shape[:2]))
    least = SMALL_AREA_SHARE * small.shape[0] * small.shape[1]
    found = (contour for mask in _binary_masks(small) for contour in cv.outer_contours(mask) if len(contour) >= 5)
    return Contours([contour for contour in found if cv2.contourArea(contour) > least], size_of(small))


def find_playing_areas(
    bgr: Image, most: int = 4, *, small_things: bool = False, contours: Contours | None = None
) -> list[PlayingArea]:
    """Return the outlined playing areas, or only smaller things, the most promising first, without near-duplicates."""
    contours = contours or find_contours(bgr)
    shares = (SMALL_AREA_SHARE, MIN_AREA_SHARE) if small_things else (MIN_AREA_SHARE, MAX_AREA_SHARE)
    found = _find_outlines(contours, shares)
    found.sort(key=lambda outline: -outline.quality)
    kept: list[_Outline] = []
    for outline in found:
        if all(_are_distinct(outline.moments, other.moments) for other in kept):
            kept.append(outline)
        if len(kept) == most:
            break
    scale = max(bgr.shape[:2]) / max(contours.size_px)
    return [
        PlayingArea(
            _ellipse_from_moments(outline.moments, scale),
            outline.quality,
            None if whole is None else _ellipse_from_moments(whole, scale),
            (rim + 0.5) * scale - 0.5,
        )
        for outline in kept
        for rim in (_rim(outline.hull),)
        for whole in (_completed(rim, contours.size_px) if outline.is_cut else None,)
    ]


def whole_picture_areas(bgr: Image) -> list[PlayingArea]:
    """Return areas for a board without an outline: a circle as large as the picture, unslanted and at two slants."""
    height, width = bgr.shape[:2]
    reach = 0.5 * max(height, width)
    out = []
    for axis_ratio in (1.0, 0.75, 0.55):
        shrink = min(1.0, 0.62 * height / (reach * axis_ratio))
        a, b = reach * shrink, reach * shrink * axis_ratio
        h = np.array([[a, 0, (width - 1) / 2], [0, b, (height - 1) / 2], [0, 0, 1]])
        out.append(PlayingArea(h, 0.0))
    return out


def distinct_areas(areas: Sequence[PlayingArea], known: Sequence[PlayingArea]) -> list[PlayingArea]:
    """Return the playing areas that differ from the known ones and from those before them."""
    kept: list[PlayingArea] = []
    for area in areas:
        if not any(_are_alike(area, other) for other in (*known, *kept)):
            kept.append(area)
    return kept


def _are_alike(one: PlayingArea, other: PlayingArea) -> bool:
    """Return whether two playing areas lie in one place and are about as large and as slanted."""
    between = np.linalg.inv(one.image_from_unit) @ other.image_from_unit
    sizes = np.linalg.svd(between[:2, :2], compute_uv=False)
    moved = float(np.hypot(*between[:2, 2])) / max(1.0, float(sizes[0]))
    return moved <= MAX_MIDDLE_DISTANCE and max(float(sizes[0]), 1 / float(sizes[1])) <= MAX_SIZE_RATIO


def scaled_areas(areas: Sequence[PlayingArea], scales: Sequence[float]) -> list[PlayingArea]:
    """Return playing areas made larger or smaller about their middles."""
    sizes = [np.diag([scale, scale, 1.0]) for scale in scales]
    return [replace(area, image_from_unit=area.image_from_unit @ size) for size in sizes for area in areas]


def _binary_masks(small: Image) -> Iterator[NDArray[np.uint8]]:
    """Yield binary pictures (0 or 255) in one of which the playing area is likely to be one white part.

    They come from thresholds on brightness, colour and colour ratios, and from k-means clusters of the colours. The
    gaps of each are closed and its small parts removed, in two sizes. A threshold of a plane in which that was done
    gives the same, so each plane is smoothed instead of all of its thresholds.
    """
    smooth = np.asarray(cv2.medianBlur(small, 7), dtype=np.uint8)
    lab = np.asarray(cv2.cvtColor(smooth, cv2.COLOR_BGR2LAB), dtype=np.uint8)
    twice_a, twice_b = np.moveaxis(2 * (lab[..., 1:].astype(np.float32) - 128), 2, 0)
    chroma = np.asarray(np.clip(np.hypot(twice_a, twice_b), 0, 255), np.uint8)
    for channel in (*cv2.split(lab), chroma, *_log_ratio_planes(smooth)):
        plane = np.asarray(channel, dtype=np.uint8)
        low, high = percentile(plane, 2), percentile(plane, 98)
        if high - low < 8:
            continue
        light = [_without_gaps(plane, kernel) for kernel in _closing_kernels()]
        dark = [_without_gaps(cv2.bitwise_not(plane), kernel) for kernel in _closing_kernels()]
        for level in np.unique(np.linspace(low, high, 12)[1:-1].astype(int)).tolist():
            for above in light:
                yield cv.threshold(above, level)
            for below in dark:
                yield cv.threshold(below, 254 - level)
    yield from (_without_gaps(mask, kernel) for mask in _cluster_masks(lab) for kernel in _closing_kernels())


def _cluster_masks(lab: Image) -> Iterator[NDArray[np.uint8]]:
    """Yield the binary pictures (0 or 255) of the k-means clusters of the colours, for several numbers of clusters."""
    pixels = lab.reshape(-1, 3).astype(np.float32)
    if len(pixels) < MIN_CLUSTER_PIXELS:
        return
    pixels[:, 0] *= 0.6  # shadows change brightness more than colour
    planes, some = pixels.T.copy(), pixels[::3].copy()
    for k in (2, 3, 4, 6):
        cv2.setRNGSeed(1)
        stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.5)
        _, labels, _ = cv2.kmeans(some, k, None, stop, 1, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
        centres = [some[labels.ravel() == i].mean(0) for i in range(k) if (labels == i).any()]
        square = np.stack([sum((p - c) ** 2 for p, c in zip(planes, centre, strict=True)) for centre in centres])
        nearest = square.argmin(0).reshape(lab.shape[:2])
        for i in range(len(centres)):
            yield np.asarray((nearest == i) * np.uint8(255))


@cache
def _closing_kernels() -> tuple[NDArray[np.uint8], ...]:
    """Return the kernels with which gaps are closed."""
    sides = (3, 9)
    return tuple(np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8) for side in sides)


def _without_gaps(plane: NDArray[Any], kernel: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a plane whose dark gaps are closed and whose small light parts are removed."""
    closed = cv2.morphologyEx(plane, cv2.MORPH_CLOSE, kernel)
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, kernel), dtype=np.uint8)


def _log_ratio_planes(small: Image) -> list[NDArray[np.uint8]]:
    """Return the logarithms of red/green and green/blue, stretched to 0 to 255; a shadow hardly changes them."""
    blue, green, red = np.log(small.astype(np.float32) + LOG_OFFSET_LEVEL).transpose(2, 0, 1)
    planes = []
    for ratio in (red - green, green - blue):
        low, high = percentile(ratio, 1), percentile(ratio, 99)
        spread = max(float(high - low), MIN_LOG_RATIO_RANGE)
        planes.append(np.asarray(np.clip(255 * (ratio - low) / spread, 0, 255), dtype=np.uint8))
    return planes


class _Outline(NamedTuple):
    """An outline; its moments are x, y of the middle and the covariance xx, xy, yy of the filled convex hull."""

    quality: float
    moments: Float64Array
    is_cut: bool
    hull: NDArray[Any]


def _find_outlines(contours: Contours, shares: tuple[float, float]) -> list[_Outline]:
    """Return the outlines that are round or four-sided, of these shares of the picture."""
    width, height = contours.size_px
    area_all = width * height
    out = []
    for contour in contours.contours:
        area = cv2.contourArea(contour)
        if not shares[0] * area_all < area < shares[1] * area_all:
            continue
        hull = cv2.convexHull(contour)
        hull_area = cv2.contourArea(hull)
        solidity = area / hull_area
        if solidity < 0.8:
            continue
        m = cv2.moments(hull)
        cx, cy = m["m10"] / m["m00"], m["m01"] / m["m00"]
        xx, xy, yy = m["mu20"] / m["m00"], m["mu11"] / m["m00"], m["mu02"] / m["m00"]
        root = np.sqrt(max(xx * yy - xy * xy, 1e-9))
        # An ellipse has area = 4 pi sqrt(det), a parallelogram 12 sqrt(det); anything between is round enough.
        shape = hull_area / root
        roundness = 1 - max(0.0, shape - 4 * np.pi, 11.6 - shape) / 4
        mean, half_gap = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
        if mean - half_gap < 0.33**2 * (mean + half_gap):  # variances along the two axes
            continue
        x, y, w, h = cv2.boundingRect(contour)
        touching = (x <= 1) + (y <= 1) + (x + w >= width - 1) + (y + h >= height - 1)
        quality = solidity * roundness * (1 - 0.12 * touching)
        if quality > MIN_OUTLINE_QUALITY - 0.12 * touching:
            size = float(SIZE_WEIGHT * np.sqrt(area / area_all))
            outline = np.array([cx, cy, xx, xy, yy])
            out.append(_Outline(float(quality) + size, outline, touching > 0, hull.reshape(-1, 2)))
    return out


def _rim(hull: NDArray[Any]) -> Float64Array:
    """Return places on a hull, about a pixel apart, (n, 2)."""
    ring = np.concatenate([hull, hull[:1]]).astype(np.float64)
    sides = zip(ring, ring[1:], strict=False)
    return np.concatenate(
        [np.linspace(a, b, max(2, round(float(np.hypot(*(b - a))))), endpoint=False) for a, b in sides]
    )


def _completed(rim: Float64Array, size_px: tuple[int, int]) -> Float64Array | None:
    """Return the moments of the ellipse through the part of a rim within the picture; None without a good one."""
    last = np.array(size_px) - 3
    free = rim[((rim >= 2) & (rim <= last)).all(axis=1)]
    if len(free) < max(6, MIN_FREE_CONTOUR_SHARE * len(rim)):
        return None
    (cx, cy), (width, height), angle = cv2.fitEllipseDirect(free.astype(np.float32))
    if not min(width, height) > 0.33 * max(width, height):
        return None
    if np.pi / 4 * width * height > MAX_COMPLETED_AREA_RATIO * cv2.contourArea(rim.astype(np.float32)):
        return None
    axes = rotation(np.deg2rad(angle))
    covariance = axes @ np.diag([(width / 4) ** 2, (height / 4) ** 2]) @ axes.T
    return np.array([cx, cy, covariance[0, 0], covariance[0, 1], covariance[1, 1]])


def _are_distinct(a: Float64Array, b: Float64Array) -> bool:
    """Return whether two outlines, given by their moments, differ by more than about a sixth of their size."""
    size_a, size_b = np.sqrt(a[2] + a[4]), np.sqrt(b[2] + b[4])
    moved = np.hypot(a[0] - b[0], a[1] - b[1]) / max(size_a, size_b)
    ratio = max(size_a, size_b) / min(size_a, size_b)
    return bool(moved > MAX_MIDDLE_DISTANCE or ratio > MAX_SIZE_RATIO)


def _ellipse_from_moments(moments: Float64Array, scale: float) -> Float64Array:
    """Return the homography of a playing area with these moments; ``scale`` enlarges the reduced picture."""
    cx, cy, xx, xy, yy = moments
    values, vectors = np.linalg.eigh(np.array([[xx, xy], [xy, yy]]))
    short, long = 2 * np.sqrt(np.maximum(values, 1e-9)) * scale  # half axes of the ellipse with these moments
    down = vectors[:, 0] if vectors[1, 0] >= 0 else -vectors[:, 0]
    across = np.array([down[1], -down[0]])  # right-handed with y down: no mirror image
    centre = np.array([(cx + 0.5) * scale - 0.5, (cy + 0.5) * scale - 0.5])
    h = np.eye(3)
    h[:2, 0], h[:2, 1], h[:2, 2] = across * long, down * short, centre
    return h
