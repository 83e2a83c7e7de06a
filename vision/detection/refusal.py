"""A picture without a board that could be registered in; why, as a sentence that a player can act on, out.

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
from vision.detection.template_pose import FEW, LEAST_SEEN, MIN_ROUGH_POSTERIOR, RIVAL_RATING, SEEN, BoardCandidate
from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, rotation, spacings
from vision.imaging.medians import median, percentile
from vision.networks.heat_maps import HeatMaps, board_outline

DARK_LEVEL = 22.0
"""A picture is too dark when 98 % of it lies below this brightness, levels of 255."""

EVEN_LEVELS = 6
"""Levels of 255, in each channel, within which a picture is of one colour: what saving it as a JPEG adds."""

DIM_LEVEL = 60.0
"""A picture is dim when 99 % of it lies below this brightness, levels of 255: slate is not, its chalk is bright."""

MIN_POINTS_IN_SIGHT = 0.75
"""Least share of the points in the picture with which a board can be played on; else it is cut off."""

NEAR_RIM = 0.01
"""Distance from the rim of the picture up to which something ends there, shares of its longer side; and distance of a
fold from a straight line, shares of the length of the outline."""

MIN_FOLD_SHARE = 0.24
"""Least share of the outline of something round that is straight where it is folded."""

MAX_RIM_UNEVENNESS = 0.04
"""Largest standard deviation of the rest of the outline from an ellipse, radii of that."""

MISSING_SHARES = {
    "tenth": 0.1, "fifth": 0.2, "quarter": 0.25, "third": 1 / 3, "half": 0.5, "two_thirds": 2 / 3, "most": 0.75,
}  # fmt: skip
"""Names of the shares of a board that may be missing; the nearest one is said. Source: what the names mean."""

SMALL_SPACING_PX = 14.0
"""Median distance of neighbouring points below which a board is small in the picture, px."""

MIDDLE_RADII = 0.2
"""Distance from the middle of a board up to which a place is called its middle, radii."""

MAX_BLUR_SHARE = 0.0065
"""Blur of the sharpest edges from which a picture is blurred, share of its shorter side: lines run into their ground.

Source: measured, 60 drawn refusals (``tests/synthetic/refused.py``, seed 121000), 34 photographs of go boards, and
grainless drawings: 0.0084 to 0.027 of blurred pictures, at most 0.0050 of the others."""

BLURRED_SIDE_PX = 250
"""Shorter side of the picture in which blur is measured, px: larger ones are reduced to it."""

BLUR_SCALES = (0.006, 0.02)
"""Standard deviations of the two smoothings by which blur is measured, shares of the shorter side."""


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


def failure_reasons(bgr: Image, maps: HeatMaps, boards: Sequence[BoardCandidate]) -> Iterator[str]:
    """Yield what may be the reason why no board could be registered, the most certain first; empty where it is not.

    ``maps`` are those of the whole picture; ``boards`` are the likeliest ones, the best first.
    """
    size_px = size_of(bgr)
    yield message("sight.dim") if _brightness(bgr, 99) < DIM_LEVEL else ""
    yield message("sight.blurred") if blur_share(bgr) > MAX_BLUR_SHARE else ""
    likely = boards if boards and boards[0].confidence > MIN_ROUGH_POSTERIOR else ()
    for board in likely[:1]:
        yield cut_off_reason(board.points_px, size_px) if leaves_picture(board, size_px) else ""
        yield message("sight.small") if median(spacings(board.points_px)) < SMALL_SPACING_PX else ""
    outline = board_outline(maps)
    if outline is not None:
        rim_px = apply_homography(maps.image_from_map, outline.astype(np.float64))
        drawn = np.argwhere(np.maximum(maps["strokes"], maps["holes"]) > SEEN)[:, ::-1].astype(np.float64)
        yield outline_cut_off_reason(rim_px, size_px, apply_homography(maps.image_from_map, drawn))
        yield outline_folded_reason(rim_px, size_px)
        yield covered_reason(maps, outline)
    yield _rival_reason(likely) if likely else ""
    yield message("sight.lines") if likely else ""
    yield message("sight.show_whole")


def _rival_reason(boards: Sequence[BoardCandidate]) -> str:
    """Return the reason that two boards look equally likely; empty where one is clearly the best."""
    best, *others = boards
    others = [other for other in others if other.template.board.name != best.template.board.name]
    rivals = [other for other in others if other.rating > best.rating - RIVAL_RATING]
    return message("sight.two_boards", one=best.template.name, other=rivals[0].template.name) if rivals else ""


def leaves_picture(board: BoardCandidate, size_px: tuple[int, int]) -> bool:
    """Return whether strokes of a board are seen that go on beyond the rim of the picture."""
    links, here = board.template.sample_links, in_picture(board.samples_px, size_px)
    inside = np.bincount(links, here) / np.bincount(links)
    at_rim = here & ((inside > 0) & (inside < 1))[links]
    return bool(at_rim.any() and board.sample_seen[at_rim].mean() > LEAST_SEEN["lines"][1])


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


def outline_cut_off_reason(rim_px: Float64Array, size_px: tuple[int, int], drawn_px: Float64Array) -> str:
    """Return on which sides of the picture an outline is cut off, where much of it is; else empty.

    A table or a sheet may go on beyond the picture and the board on it end before: a side counts where something of a
    board is seen there, at places (n, 2).
    """
    if not len(drawn_px):
        return ""
    near = NEAR_RIM * max(size_px)
    far = np.array(size_px) - 1 - near
    low, high = rim_px.min(0), rim_px.max(0)
    before, after = (low < near) & (drawn_px.min(0) < 2 * near), (high > far) & (drawn_px.max(0) > far - near)
    sides = {"left": before[0], "right": after[0], "upper": before[1], "lower": after[1]}
    beyond = [side for side, is_cut in sides.items() if is_cut]
    if not beyond or {"left", "right"} <= set(beyond) or {"upper", "lower"} <= set(beyond):
        return ""  # what goes on beyond opposite sides is more often the table than a board
    wide, high_px = high - low
    missing = 1 - min(wide, high_px) / max(wide, high_px)
    return cut_off_message(beyond, missing) if missing > FEW else ""


def outline_folded_reason(rim_px: Float64Array, size_px: tuple[int, int]) -> str:
    """Return the reason that something round, given by its convex outline (n, 2), is folded: one side is straight."""
    if len(rim_px) < 24:
        return ""
    outline = rim_px.astype(np.float32).reshape(-1, 1, 2)
    perimeter = cv2.arcLength(outline, True)
    corners = cv2.approxPolyDP(outline, NEAR_RIM * perimeter, True).reshape(-1, 2).astype(np.float64)
    sides = np.roll(corners, -1, axis=0) - corners
    k = int(np.linalg.norm(sides, axis=1).argmax())
    length, start = float(np.linalg.norm(sides[k])), corners[k]
    away = np.abs((rim_px - start) @ np.array([-sides[k][1], sides[k][0]])) / max(length, 1e-9)
    bent = rim_px[away > 2 * NEAR_RIM * perimeter]
    if length < MIN_FOLD_SHARE * perimeter or len(bent) < 12:
        return ""
    if not in_picture(np.array([start, start + sides[k]]), size_px, margin_px=NEAR_RIM * max(size_px)).all():
        return ""  # the picture ends there
    (x, y), axes, angle = cv2.fitEllipseDirect(bent.astype(np.float32))
    turned = (bent - (x, y)) @ rotation(np.deg2rad(angle))
    unevenness = float(np.std(np.linalg.norm(turned / (np.array(axes) / 2), axis=1)))
    flap = 1 - cv2.contourArea(outline) / max(np.pi / 4 * axes[0] * axes[1], 1e-9)
    if unevenness > MAX_RIM_UNEVENNESS or flap < FEW:
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
    if share < FEW:
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
    if np.hypot(x, y) < MIDDLE_RADII:
        return message("place.middle")
    sector = round(np.arctan2(y, x) / (np.pi / 4)) % 8
    names = ("right", "lower_right", "lower", "lower_left", "left", "upper_left", "upper", "upper_right")
    return message(f"place.{names[sector]}_part")


def blur_share(bgr: Image) -> float:
    """Return the standard deviation of the blur of the picture's sharpest strong edges, share of its shorter side.

    An edge blurred by s has a slope in proportion to 1 / s. Blurred once more by b, it has 1 / sqrt(s^2 + b^2). The
    ratio of the two slopes at the strongest edges gives s, whatever their height. A line has two edges, and its blurred
    slope is steepest beside them: so the sharp slope is the greatest nearby. Noise, smoothed before, is small beside
    such edges.
    """
    gray = cv2.cvtColor(cv.shrink(bgr, BLURRED_SIDE_PX / min(bgr.shape[:2])), cv2.COLOR_BGR2GRAY)
    once_px, more_px = (share * min(gray.shape) for share in BLUR_SCALES)
    smooth = cv2.GaussianBlur(gray.astype(np.float32), (0, 0), once_px)
    soft = cv2.GaussianBlur(smooth, (0, 0), more_px)
    sharp, dull = (
        cv2.magnitude(*(cv2.Sobel(plane, cv2.CV_32F, *way, ksize=1) for way in ((1, 0), (0, 1))))
        for plane in (smooth, soft)
    )
    strong = dull >= max(float(percentile(dull, 99)), float(dull.max()) / 2, 1e-3)
    if not strong.any():
        return 0.0
    reach = np.ones((2 * round(more_px) + 1, 2 * round(more_px) + 1), np.uint8)
    ratio = float(percentile(cv2.dilate(sharp, reach)[strong] / dull[strong], 75))
    width_px = more_px / np.sqrt(max(ratio**2 - 1, 1e-4))
    return float(np.sqrt(max(width_px**2 - once_px**2, 0.0)) / min(gray.shape))
