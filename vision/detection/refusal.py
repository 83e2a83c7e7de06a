"""Refusals: why no board could be registered, as a sentence that a player can act on.

Wrong advice is worse than general advice. So a specific reason is only given where it was measured.
``tools/finder/advice.py`` measures how often the reasons are right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from languages import message
from vision.detection.template_pose import RIVAL_RATING, PlacedBoard
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, rotation, spacings
from vision.imaging.medians import median, percentile
from vision.networks.heat_maps import HeatMaps, board_outline

DARK_LEVEL = 22.0
"""A picture is too dark when 98 % of it lies below this brightness, levels of 255."""

EVEN_LEVELS = 6
"""Levels of 255, in each channel, within which a picture is of one colour: what saving it as a JPEG adds."""

DIM_LEVEL = 60.0
"""A picture is dim when 90 % of it lies below this brightness, levels of 255."""

MIN_POINTS_IN_SIGHT = 0.75
"""Least share of the points in the picture with which a board can be played on; else it is cut off."""

MIN_OUTLINE_CUT_OFF = 0.12
"""Least share of an outline outside the picture for a board in it to be called cut off."""

MIN_FOLD_SHARE = 0.24
"""Least share of the outline of something round that is straight where it is folded."""

MAX_FOLD_BEND = 0.012
"""Largest distance of a fold from a straight line, shares of the length of the outline."""

MAX_RIM_UNEVENNESS = 0.04
"""Largest standard deviation of the rest of the outline from an ellipse, radii of that."""

FLAP_SHARES = (0.1, 0.6)
"""Least and largest share of that ellipse which lies beyond the fold."""

MISSING_SHARES = {
    "tenth": 0.1, "fifth": 0.2, "quarter": 0.25, "third": 1 / 3, "half": 0.5, "two_thirds": 2 / 3, "most": 0.75,
}  # fmt: skip
"""Names of the shares of a board that may be missing; the nearest one is said."""

MIN_CONFIDENCE = 0.05
"""Posterior from which a reason is given about the board that it may be."""

SMALL_SPACING_PX = 14.0
"""Median distance of neighbouring points below which a board is small in the picture, px."""

MIN_COVERED_SHARE = 0.1
"""Least share of the board's outline that something covers."""

BLUR_WIDTH_SHARE = 0.007
"""Blur of the sharpest edges from which a picture is blurred, share of its shorter side: 2.5 px of 360 px."""

STRONG_BLUR_WIDTH_SHARE = 0.009
"""The same, measured more coarsely, from which nothing else is the reason: lines run into their ground.

Source: measured, 60 drawn refusals (``tests/synthetic/refused.py``, seed 121000): 0.0091 to 0.030 of blurred pictures,
at most 0.0086 of the others."""

STRONG_BLUR_SCALES = (0.006, 0.02)
"""Standard deviations of the two smoothings by which strong blur is measured, shares of the shorter side."""


def is_too_dark(bgr: Image) -> bool:
    """Return whether nothing can be seen at all."""
    return _brightness(bgr, 98) < DARK_LEVEL


def is_even(bgr: Image) -> bool:
    """Return whether the picture has one colour all over."""
    return all(int(channel.max()) - int(channel.min()) <= EVEN_LEVELS for channel in cv2.split(bgr[::4, ::4]))


def _brightness(bgr: Image, percent: float) -> float:
    """Return the brightness, 0 to 255, that so many per cent of the pixels do not exceed."""
    blue, green, red = cv2.split(bgr[::4, ::4])
    return float(percentile(np.maximum(np.maximum(blue, green), red), percent))


def failure_reasons(bgr: Image, maps: HeatMaps, boards: Sequence[PlacedBoard]) -> Iterator[str]:
    """Yield what may be the reason why no board could be registered, the most certain first; empty where it is not.

    ``maps`` are those of the whole picture; ``boards`` are the likeliest ones, the best first.
    """
    size_px, side_px = size_of(bgr), min(bgr.shape[:2])
    once_px, more_px = (share * side_px for share in STRONG_BLUR_SCALES)
    yield message("sight.dim") if _brightness(bgr, 90) < DIM_LEVEL else ""
    yield message("sight.blurred") if edge_width_px(bgr, once_px, more_px) > STRONG_BLUR_WIDTH_SHARE * side_px else ""
    likely = boards if boards and boards[0].confidence > MIN_CONFIDENCE else ()
    for board in likely[:1]:
        yield cut_off_reason(board.points_px, size_px)
        yield message("sight.small") if median(spacings(board.points_px)) < SMALL_SPACING_PX else ""
    outline = board_outline(maps)
    if outline is not None:
        rim_px = apply_homography(maps.image_from_map, outline.astype(np.float64))
        yield outline_cut_off_reason(rim_px, size_px)
        yield outline_folded_reason(rim_px, size_px)
        yield covered_reason(maps, outline)
    yield _rival_reason(likely) if likely else ""
    yield message("sight.blurred") if edge_width_px(bgr) > BLUR_WIDTH_SHARE * side_px else ""
    yield message("sight.lines") if likely else ""
    yield message("sight.show_whole")


def _rival_reason(boards: Sequence[PlacedBoard]) -> str:
    """Return the reason that two boards look equally likely; empty where one is clearly the best."""
    best, *others = boards
    others = [other for other in others if other.template.board.name != best.template.board.name]
    rivals = [other for other in others if other.rating > best.rating - RIVAL_RATING]
    return message("sight.two_boards", one=best.template.name, other=rivals[0].template.name) if rivals else ""


def cut_off_reason(points_px: Float64Array, size_px: tuple[int, int], least: float = 0.0) -> str:
    """Return on which sides of the picture a board is cut off, and how much; empty where less than ``least`` is."""
    if in_picture(points_px, size_px).all():
        return ""
    hull = cv2.convexHull(points_px.astype(np.float32))
    width, height = size_px
    frame = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32).reshape(-1, 1, 2) - 0.5
    here = cv2.intersectConvexConvex(hull, frame)[0] / max(cv2.contourArea(hull), 1e-9)
    if 1 - here < least:
        return ""
    x, y = points_px.T
    beyond = {"left": x < 0, "right": x > width - 1, "upper": y < 0, "lower": y > height - 1}
    return cut_off_message([side for side, points in beyond.items() if points.any()], 1 - float(here))


def cut_off_message(sides: Sequence[str], missing: float) -> str:
    """Return the sentence that a board is cut off at one or two sides of the picture by a share of it."""
    if {"left", "right"} <= set(sides) or {"upper", "lower"} <= set(sides):
        return message("sight.too_close")
    place, way = (
        reduce(lambda one, other: message("cut.both", one=one, other=other), [message(f"cut.{k}.{s}") for s in sides])
        for k in ("side", "way")
    )
    share = min(MISSING_SHARES, key=lambda name: abs(MISSING_SHARES[name] - missing))
    return message("sight.outside", side=place, share=message(f"cut.share.{share}"), way=way)


def outline_cut_off_reason(rim_px: Float64Array, size_px: tuple[int, int]) -> str:
    """Return on which sides of the picture an outline is cut off, where much of it is; else empty."""
    low, high = rim_px.min(0), rim_px.max(0)
    near = 0.01 * max(size_px)
    sides = {"left": low[0] < near, "right": high[0] > size_px[0] - 1 - near}
    sides |= {"upper": low[1] < near, "lower": high[1] > size_px[1] - 1 - near}
    beyond = [side for side, is_cut in sides.items() if is_cut]
    if not beyond or {"left", "right"} <= set(beyond) or {"upper", "lower"} <= set(beyond):
        return ""  # what goes on beyond opposite sides is more often the table than a board
    wide, high_px = high - low
    missing = 1 - min(wide, high_px) / max(wide, high_px)
    return cut_off_message(beyond, missing) if missing > MIN_OUTLINE_CUT_OFF else ""


def outline_folded_reason(rim_px: Float64Array, size_px: tuple[int, int]) -> str:
    """Return the reason that something round, given by its convex outline (n, 2), is folded: one side is straight."""
    if len(rim_px) < 24:
        return ""
    outline = rim_px.astype(np.float32).reshape(-1, 1, 2)
    perimeter = cv2.arcLength(outline, True)
    corners = cv2.approxPolyDP(outline, MAX_FOLD_BEND * perimeter, True).reshape(-1, 2).astype(np.float64)
    sides = np.roll(corners, -1, axis=0) - corners
    k = int(np.linalg.norm(sides, axis=1).argmax())
    length, start = float(np.linalg.norm(sides[k])), corners[k]
    away = np.abs((rim_px - start) @ np.array([-sides[k][1], sides[k][0]])) / max(length, 1e-9)
    bent = rim_px[away > 2 * MAX_FOLD_BEND * perimeter]
    if length < MIN_FOLD_SHARE * perimeter or len(bent) < 12:
        return ""
    if not in_picture(np.array([start, start + sides[k]]), size_px, margin_px=4.0).all():
        return ""  # the picture ends there
    (x, y), axes, angle = cv2.fitEllipseDirect(bent.astype(np.float32))
    turned = (bent - (x, y)) @ rotation(np.deg2rad(angle))
    unevenness = float(np.std(np.linalg.norm(turned / (np.array(axes) / 2), axis=1)))
    flap = 1 - cv2.contourArea(outline) / max(np.pi / 4 * axes[0] * axes[1], 1e-9)
    if unevenness > MAX_RIM_UNEVENNESS or not FLAP_SHARES[0] < flap < FLAP_SHARES[1]:
        return ""
    offset = (start + sides[k] / 2 - (x, y)) / max(axes) * 2
    percent = min(95, round(200 * flap))  # the flap hides as much of the board as lies on its other side
    return message("sight.folded", place=describe_location(offset), percent=percent)


def covered_reason(maps: HeatMaps, outline: NDArray[np.int32]) -> str:
    """Return the reason that things lie on what may be a board; empty where too little of it is covered."""
    inside = np.zeros(maps["cover"].shape, np.uint8)
    cv2.fillPoly(inside, [cv2.convexHull(outline)], 1)
    covered = (maps["cover"] > 0.5) & (inside > 0)
    share = float(covered.sum() / inside.sum())
    if share < MIN_COVERED_SHARE:
        return ""
    under, board = (np.argwhere(mask)[:, ::-1].astype(np.float64) for mask in (covered, inside > 0))
    offset = (under.mean(0) - board.mean(0)) / np.sqrt(inside.sum() / np.pi)
    return message("sight.covered", place=describe_location(offset), percent=round(100 * share))


def describe_location(offset: Float64Array) -> str:
    """Return a place on the board in words, from its offset from the middle (right, down) in radii.

    >>> describe_location(np.array([-0.5, -0.5]))
    'the upper left part'
    """
    x, y = (float(v) for v in offset)
    if np.hypot(x, y) < 0.2:
        return message("place.middle")
    sector = round(np.arctan2(y, x) / (np.pi / 4)) % 8
    names = ("right", "lower_right", "lower", "lower_left", "left", "upper_left", "upper", "upper_right")
    return message(f"place.{names[sector]}_part")


def edge_width_px(bgr: Image, once_px: float = 1.0, more_px: float | None = None) -> float:
    """Return the standard deviation of the blur of the picture's sharpest strong edges, px.

    An edge blurred by s has a slope in proportion to 1 / s. Blurred once more by b, it has 1 / sqrt(s^2 + b^2). The
    ratio of the two slopes at the strongest edges gives s, whatever their height. Noise, smoothed by ``once_px``, is
    small beside such edges. ``more_px`` is 0.6 % of the shorter side when omitted.
    """
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    more_px = max(2.0, 0.006 * min(bgr.shape[:2])) if more_px is None else more_px
    smooth = np.asarray(cv2.GaussianBlur(gray.astype(np.float32), (0, 0), once_px), np.float32)
    soft = np.asarray(cv2.GaussianBlur(smooth, (0, 0), more_px), np.float32)
    height, width = gray.shape
    least = percentile(_slopes_at(soft, *np.mgrid[0:height:3, 0:width:3]), 99)
    # Slopes are only measured where they may be strong: along the rim of the picture, and by their rough squares.
    likely = np.ones(gray.shape, np.bool_)
    rough = (soft[2:, 1:-1] - soft[:-2, 1:-1]) ** 2 + (soft[1:-1, 2:] - soft[1:-1, :-2]) ** 2
    likely[1:-1, 1:-1] = rough >= (0.999 * 2 * least) ** 2
    rows, columns = np.nonzero(likely)
    slopes = _slopes_at(soft, rows, columns)
    strong = slopes >= least
    sharper = _slopes_at(smooth, rows[strong], columns[strong])
    ratio = float(percentile(sharper / np.maximum(slopes[strong], 1e-3), 75))
    width_px = more_px / np.sqrt(max(ratio**2 - 1, 1e-4))
    return float(np.sqrt(max(width_px**2 - once_px**2, 0.0)))


def _slopes_at(plane: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Float32Array:
    """Return the slope of a plane at some pixels, by central differences; at its rim by one-sided ones."""
    height, width = plane.shape
    above, below = np.maximum(rows - 1, 0), np.minimum(rows + 1, height - 1)
    left, right = np.maximum(columns - 1, 0), np.minimum(columns + 1, width - 1)
    down = (plane[below, columns] - plane[above, columns]) / (below - above).astype(np.float32)
    across = (plane[rows, right] - plane[rows, left]) / (right - left).astype(np.float32)
    return np.asarray(np.hypot(down, across), np.float32)
