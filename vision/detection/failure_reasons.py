"""Failure reasons: why no board could be registered, as a sentence that a player can act on.

Wrong advice is worse than general advice. So a specific reason is only given where it was measured, and a reason about
a board only where most of its visible part is seen. ``tools/finder/advice.py`` measures how often the reasons are
right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from languages import message
from vision.detection.board_hypotheses import BoardHypothesis
from vision.detection.edge_width import edge_width_px
from vision.detection.folds import colours_at, find_flap
from vision.detection.occluders import Occluder
from vision.detection.playing_areas import PlayingArea
from vision.detection.things_on_board import find_things_on
from vision.detection.verification import Verification
from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography
from vision.imaging.medians import median, percentile

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

MIN_FLAP_SHARE = 0.1
"""Least share of that ellipse which lies beyond the fold."""

MISSING_SHARES = {
    "tenth": 0.1, "fifth": 0.2, "quarter": 0.25, "third": 1 / 3, "half": 0.5, "two_thirds": 2 / 3, "most": 0.75,
}  # fmt: skip
"""Names of the shares of a board that may be missing; the nearest one is said."""

MIN_LINKS_SEEN_IF_CUT = 0.72
"""Least share of the links in the picture that are seen, for a board to be called cut off."""

MIN_LINKS_SEEN_IF_SMALL = 0.5
"""Least share of the links in the picture that are seen, for a board to be called small."""

BOARD_RIM_RADII = 1.17
"""Distance of the rim of a cloth or board from its middle, radii of the drawing."""

MAX_TABLE_DISTANCE = 14.0
"""Largest difference of colours of the table in two places, Lab with brightness at half weight."""

MAX_SHARE_OF_OTHERS = 0.05
"""Share of the seen part of a board up to which a colour is rare there: stones may have it."""

MIN_SHARE_COVERED = 0.3
"""Least share of the hidden part that has colours which are rare in the part that is seen."""

MAX_TIDY_OVERRUN = 0.25
"""Largest ``Verification.overrun`` of a board about which a reason is given."""

MAX_TIDY_CLUTTER = 0.06
"""Largest ``Verification.inner_clutter`` of a board about which a reason is given."""

SMALL_BOARD_RADIUS_PX = 42.0
"""Half the width of a board below which it is called small, px of the picture: its strokes are hardly a pixel wide."""

BLUR_WIDTH_SHARE = 0.007
"""Blur of the sharpest edges from which a picture is called blurred, as a share of its shorter side: 2.5 px of a
picture 360 px high."""

STRONG_BLUR_WIDTH_SHARE = 0.009
"""The same, measured more coarsely, from which nothing else is the reason: lines run into their ground.

Source: measured, 60 drawn refusals (``tests/synthetic/refused.py``, seed 121000): 0.0091 to 0.030 of blurred pictures,
at most 0.0086 of the others."""

STRONG_BLUR_SCALES = (0.006, 0.02)
"""Standard deviations of the two smoothings by which strong blur is measured, shares of the shorter side."""

RIVAL_LENGTH_RATIO = 0.85
"""Share of the best hypothesis' net length from which that of another board is called equally likely."""

SKIN_YCRCB_RANGE = ((40, 136, 80), (255, 180, 132))
"""Lowest and highest colour of hands in ordinary light, 8-bit YCrCb. A table of that colour is told apart by where it
lies."""


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


def failure_reason(
    bgr: Image,
    hypotheses: Sequence[BoardHypothesis],
    verification: Verification | None,
    small: Verification | None = None,
    partly: Verification | None = None,
    areas: Sequence[PlayingArea] = (),
) -> str:
    """Return the reason why no board could be registered.

    Args:
        hypotheses: Best first.
        verification: Of the first hypothesis.
        small: Of the best hypothesis in something small.
        partly: Of a hypothesis of which something hides a part, and whose rest is likely.
        areas: Things with an outline, the most promising first.
    """
    if _brightness(bgr, 90) < DIM_LEVEL:
        return message("sight.dim")
    side_px = min(bgr.shape[:2])
    once_px, more_px = (share * side_px for share in STRONG_BLUR_SCALES)
    if edge_width_px(bgr, once_px, more_px) > STRONG_BLUR_WIDTH_SHARE * side_px:
        return message("sight.blurred")
    if verification is not None:
        about_board = (
            outside_picture_reason(verification, bgr)
            or _rival_reason(hypotheses, verification)
            or _small_reason(verification)
        )
        if about_board:
            return about_board
    if partly is not None:
        about_part = (
            folded_reason(bgr, partly, areas)
            or cut_off_reason(partly.hypothesis.points_px, size_of(bgr))
            or hidden_reason(bgr, partly)
        )
        if about_part:
            return about_part
    if small is not None and _small_reason(small):
        return _small_reason(small)
    if areas:
        about_area = (
            outline_cut_off_reason(areas[0], size_of(bgr))
            or covered_reason(bgr, areas[0])
            or outline_folded_reason(areas[0].rim_px, size_of(bgr))
        )
        if about_area:
            return about_area
    if edge_width_px(bgr) > BLUR_WIDTH_SHARE * side_px:
        return message("sight.blurred")
    if (
        verification is not None
        and (verification.overrun > 2 * MAX_TIDY_OVERRUN or verification.hypothesis.clutter > 0.06)
        and _seen_link_share(verification) > MIN_LINKS_SEEN_IF_CUT
    ):
        return message("sight.lines")
    return message("sight.show_whole")


def outside_picture_reason(verification: Verification, bgr: Image) -> str:
    """Return the reason that a board is cut off by the picture's edge; empty where it is not, or too little is seen."""
    if _seen_link_share(verification) < MIN_LINKS_SEEN_IF_CUT or not _is_tidy(verification):
        return ""
    return cut_off_reason(verification.hypothesis.points_px, size_of(bgr))


def cut_off_reason(points_px: Float64Array, size_px: tuple[int, int], least: float = 0.0) -> str:
    """Return on which sides of the picture a board is cut off, and how much of it; empty where it is whole.

    Args:
        points_px: (n_points, 2). Its points, or its rim.
        size_px: Width and height of the picture.
        least: Share of it up to which it counts as whole.
    """
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


def _is_tidy(verification: Verification) -> bool:
    """Return whether few lines are seen that the board does not have."""
    return verification.overrun <= MAX_TIDY_OVERRUN and verification.inner_clutter <= MAX_TIDY_CLUTTER


def _seen_link_share(verification: Verification) -> float:
    """Return the share of the links in the picture that are seen; 0 where fewer than four lie in the picture."""
    here = verification.link_in_picture
    return float((verification.link_coverage[here] >= 0.5).mean()) if here.sum() >= 4 else 0.0


def _rival_reason(hypotheses: Sequence[BoardHypothesis], verification: Verification) -> str:
    """Return the reason that two boards look equally likely; empty where one is clearly the best."""
    best = hypotheses[0]
    rivals = [
        other
        for other in hypotheses[1:]
        if other.net_length_px > RIVAL_LENGTH_RATIO * best.net_length_px
        and other.template.board.name != best.template.board.name
    ]
    if not rivals or best.net_length_px <= 0 or best.coverage < MIN_LINKS_SEEN_IF_CUT or not _is_tidy(verification):
        return ""
    return message("sight.two_boards", one=best.template.name, other=rivals[0].template.name)


def _small_reason(verification: Verification) -> str:
    """Return the reason that the board is small; empty where it is not, or too little of it is seen."""
    if (
        verification.radius_px > SMALL_BOARD_RADIUS_PX
        or _seen_link_share(verification) < MIN_LINKS_SEEN_IF_SMALL
        or not _is_tidy(verification)
    ):
        return ""
    return message("sight.small")


def hidden_reason(bgr: Image, verification: Verification) -> str:
    """Return the reason that something hides a part of a board, or that it is folded there; empty where nothing does.

    What hides a part looks different from the rest: a window has the same sky behind all of its panes.

    Args:
        verification: Of a hypothesis with an occluder.
    """
    hypothesis = verification.hypothesis
    if hypothesis.occluder is None:
        return ""
    under = hypothesis.occluder.covers(hypothesis.template.sample_xy)
    xy = hypothesis.samples_px
    offset = (xy[under].mean(axis=0) - xy.mean(axis=0)) / verification.radius_px
    place, share = describe_location(offset), round(100 * float(under.mean()))
    if _is_hand(bgr, xy[under], xy[~under]):
        return message("sight.hidden", what=message("sight.hand"), place=place, percent=share)
    if _is_folded(bgr, hypothesis):
        return message("sight.folded", place=place, percent=share)
    if not _looks_covered(bgr, hypothesis):
        return ""
    return message("sight.hidden", what=message("sight.something"), place=place, percent=share)


def _looks_covered(bgr: Image, hypothesis: BoardHypothesis) -> bool:
    """Return whether much of the hidden part of a board has colours that are rare in the part which is seen."""
    occluder = hypothesis.occluder
    if occluder is None:
        return False
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 41), np.linspace(-1, 1, 41)), axis=-1).reshape(-1, 2)
    grid = grid[np.linalg.norm(grid, axis=1) < 0.95]
    larger = replace(occluder, offset=occluder.offset - 0.15 * occluder.is_edge, radius=occluder.radius + 0.15)
    under, beside = (
        colours_at(bgr, apply_homography(hypothesis.image_from_template, xy))
        for xy in (grid[occluder.covers(grid)], grid[~larger.covers(grid)])
    )
    if min(len(under), len(beside)) < 12:
        return True
    alike = np.linalg.norm(under[:, None] - beside[None], axis=2) < MAX_TABLE_DISTANCE
    return float((alike.mean(axis=1) < MAX_SHARE_OF_OTHERS).mean()) > MIN_SHARE_COVERED


def folded_reason(bgr: Image, verification: Verification, areas: Sequence[PlayingArea]) -> str:
    """Return the reason that a board is folded over, as the outline of its cloth says; empty where it lies flat."""
    flap = find_flap(bgr, verification, areas)
    if flap is None:
        return ""
    return message("sight.folded", place=describe_location(flap.offset), percent=round(100 * flap.share))


def outline_cut_off_reason(area: PlayingArea, size_px: tuple[int, int]) -> str:
    """Return on which sides of the picture an outline is cut off, where much of it is; else empty."""
    if area.whole_from_unit is None:
        return ""
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    rim = apply_homography(area.whole_from_unit, np.column_stack([np.cos(angle), np.sin(angle)]))
    last = np.array(size_px) - 1
    if ((rim < 0).any(axis=0) & (rim > last).any(axis=0)).any():
        return ""  # what goes on beyond opposite sides is more often the table than a board
    return cut_off_reason(rim, size_px, MIN_OUTLINE_CUT_OFF)


def outline_folded_reason(rim_px: Float64Array, size_px: tuple[int, int]) -> str:
    """Return the reason that something round is folded: its outline has one straight side; empty where it is not.

    Args:
        rim_px: (n, 2). Places on the convex outline, in order, image space.
        size_px: Width and height of the picture.
    """
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
    turn = np.deg2rad(angle)
    turned = (bent - (x, y)) @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    unevenness = float(np.std(np.linalg.norm(turned / (np.array(axes) / 2), axis=1)))
    flap = 1 - cv2.contourArea(outline) / max(np.pi / 4 * axes[0] * axes[1], 1e-9)
    if unevenness > MAX_RIM_UNEVENNESS or not MIN_FLAP_SHARE < flap < 0.6:
        return ""
    offset = (start + sides[k] / 2 - (x, y)) / max(axes) * 2
    percent = min(95, round(200 * flap))  # the flap hides as much of the board as lies on its other side
    return message("sight.folded", place=describe_location(offset), percent=percent)


def covered_reason(bgr: Image, area: PlayingArea) -> str:
    """Return the reason that things lie on what may be a board; empty where too little of it is covered."""
    covered = find_things_on(bgr, area)
    if covered is None:
        return ""
    what = message("sight.hand" if _is_skin(bgr, covered.places_px) else "sight.something")
    place = describe_location(covered.offset)
    return message("sight.covered", what=what, place=place, percent=round(100 * covered.share))


def _is_skin(bgr: Image, xy: Float64Array) -> bool:
    """Return whether most places have the colour of hands, and the picture as a whole has not."""
    low, high = (np.array(colour) for colour in SKIN_YCRCB_RANGE)
    skin = cv2.inRange(cv2.cvtColor(bgr, cv2.COLOR_BGR2YCrCb), low, high) > 0
    at = np.round(xy[in_picture(xy, size_of(bgr))]).astype(int)
    return bool(skin[at[:, 1], at[:, 0]].mean() > 0.6 and skin.mean() < 0.5)


def _is_folded(bgr: Image, hypothesis: BoardHypothesis) -> bool:
    """Return whether the table is seen where the hidden part of a board should lie: then it is folded over the rest.

    The flap lies on the board as far before the fold as it lay behind it, so the fold is halfway between the edge of
    what is hidden and the rim of the board.
    """
    occluder = hypothesis.occluder
    if occluder is None or (not occluder.is_edge and occluder.offset == 0):
        return False
    if not occluder.is_edge:
        occluder = Occluder(occluder.direction, occluder.offset - occluder.radius)
    fold = (occluder.offset + BOARD_RIM_RADII) / 2
    grid = np.stack(np.meshgrid(np.linspace(-1.6, 1.6, 65), np.linspace(-1.6, 1.6, 65)), axis=-1).reshape(-1, 2)
    along, away = grid @ np.array(occluder.direction), np.linalg.norm(grid, axis=1)
    places = {
        "beyond": grid[(along > fold + 0.08) & (away < 0.95)],
        "table": grid[(along < 0) & (away > 1.4)],
        "board": grid[(along < occluder.offset - 0.08) & (away < 0.9)],
    }
    colours = {
        name: _median_lab(bgr, apply_homography(hypothesis.image_from_template, xy)) for name, xy in places.items()
    }
    if any(colour is None for colour in colours.values()):
        return False
    beyond, table, board = (np.array(colours[name]) for name in ("beyond", "table", "board"))
    to_table, to_board = float(np.linalg.norm(beyond - table)), float(np.linalg.norm(beyond - board))
    return to_table < MAX_TABLE_DISTANCE and to_table < 0.6 * to_board


def _median_lab(bgr: Image, xy: Float64Array) -> Float64Array | None:
    """Return the median colour at places of a picture, Lab with brightness at half weight; None where few lie in it."""
    at = np.round(xy[in_picture(xy, size_of(bgr))]).astype(int)
    if len(at) < 12:
        return None
    lab = cv2.cvtColor(bgr[at[:, 1], at[:, 0]][None], cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    return np.asarray(median(lab, axis=0) * (0.5, 1.0, 1.0), np.float64)


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


def _is_hand(bgr: Image, missing_px: Float64Array, seen_px: Float64Array) -> bool:
    """Return whether one skin-coloured thing covers what is missing and little of what is seen."""
    factor = min(1.0, 240 / max(bgr.shape[:2]))
    small = cv.shrink(bgr, factor)
    low, high = (np.array(colour) for colour in SKIN_YCRCB_RANGE)
    skin = cv2.inRange(cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb), low, high)
    skin = cv2.morphologyEx(skin, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    labels = np.asarray(cv2.connectedComponents(skin)[1], np.int32)
    missing, seen = (_labels_at(labels, xy * factor) for xy in (missing_px, seen_px))
    on_skin = missing[missing > 0]
    if not len(on_skin):
        return False
    thing = int(np.bincount(on_skin).argmax())
    missing_share = float((missing == thing).mean())
    seen_share = float((seen == thing).mean()) if len(seen) else 0.0
    return missing_share > 0.4 and seen_share < 0.15


def _labels_at(labels: NDArray[np.int32], xy: Float64Array) -> NDArray[np.int32]:
    """Return the label of the pixel nearest to each place, (n,)."""
    height, width = labels.shape
    at = np.round(xy).astype(int)
    return np.asarray(labels[np.clip(at[:, 1], 0, height - 1), np.clip(at[:, 0], 0, width - 1)])
