"""Failure reasons: why no board could be registered, as a sentence that a player can act on.

Wrong advice is worse than general advice. So a specific reason is only given where it was measured, and a reason about
a board only where most of its visible part is seen. ``tools/finder/advice.py`` measures how often the reasons are
right.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from languages import message
from vision.detection.board_hypotheses import BoardHypothesis
from vision.detection.verification import Verification
from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image, in_picture, size_of

DARK_LEVEL = 22.0
"""A picture is too dark when 98 % of it lies below this brightness, levels of 255.

Source: chosen.
"""

DIM_LEVEL = 60.0
"""A picture is dim when 90 % of it lies below this brightness, levels of 255.

Source: chosen.
"""

MIN_POINTS_IN_SIGHT = 0.75
"""Least share of the points in the picture with which a board can be played on; else it is cut off.

Source: chosen.
"""

MISSING_SHARES = {
    "tenth": 0.1, "fifth": 0.2, "quarter": 0.25, "third": 1 / 3, "half": 0.5, "two_thirds": 2 / 3, "most": 0.75,
}  # fmt: skip
"""Names of the shares of a board that may be missing; the nearest one is said.

Source: chosen.
"""

MIN_LINKS_SEEN_IF_CUT = 0.72
"""Least share of the links in the picture that are seen, for a board to be called cut off.

Source: chosen.
"""

MIN_LINKS_SEEN_IF_HIDDEN = 0.5
"""Least share of the links in the picture that are seen, for a board to be called partly hidden or small.

Source: chosen.
"""

MIN_HIDDEN_SHARE = 0.15
"""Least share of the strokes that must be hidden for this to be the reason.

Source: chosen.
"""

MAX_TIDY_OVERRUN = 0.25
"""Largest ``Verification.overrun`` of a board about which a reason is given.

Source: chosen.
"""

MAX_TIDY_CLUTTER = 0.06
"""Largest ``Verification.inner_clutter`` of a board about which a reason is given.

Source: chosen.
"""

SMALL_BOARD_RADIUS_PX = 42.0
"""Half the width of a board below which it is called small, px of the picture: its strokes are hardly a pixel wide.

Source: chosen.
"""

BLUR_WIDTH_SHARE = 0.007
"""Blur of the sharpest edges from which a picture is called blurred, as a share of its shorter side: 2.5 px of a
picture 360 px high.

Source: chosen.
"""

STRONG_BLUR_WIDTH_SHARE = 0.009
"""The same, measured more coarsely, from which nothing else is the reason: lines run into their ground.

Source: measured, 60 drawn refusals (``tests/synthetic/refused.py``, seed 121000): 0.0091 to 0.030 of blurred pictures,
at most 0.0086 of the others.
"""

STRONG_BLUR_SCALES = (0.006, 0.02)
"""Standard deviations of the two smoothings by which strong blur is measured, shares of the shorter side.

Source: chosen.
"""

RIVAL_LENGTH_RATIO = 0.85
"""Share of the best hypothesis' net length from which that of another board is called equally likely.

Source: chosen.
"""

SKIN_YCRCB_RANGE = ((40, 136, 80), (255, 180, 132))
"""Lowest and highest colour of hands in ordinary light, 8-bit YCrCb. A table of that colour is told apart by where it
lies.

Source: chosen.
"""


def is_too_dark(bgr: Image) -> bool:
    """Return whether nothing can be seen at all."""
    return float(np.percentile(bgr[::4, ::4].max(axis=2), 98)) < DARK_LEVEL


def failure_reason(bgr: Image, hypotheses: Sequence[BoardHypothesis], verification: Verification | None) -> str:
    """Return the reason why no board could be registered.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    hypotheses : sequence of BoardHypothesis
        Best first.
    verification : Verification or None
        Of the first hypothesis.
    """
    if float(np.percentile(bgr[::4, ::4].max(axis=2), 90)) < DIM_LEVEL:
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
            or _occlusion_reason(bgr, verification)
        )
        if about_board:
            return about_board
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


def cut_off_reason(points_px: Float64Array, size_px: tuple[int, int]) -> str:
    """Return on which sides of the picture a board is cut off, and how much of it; empty where it is whole.

    Parameters
    ----------
    points_px : float64 array of shape (n_points, 2)
    size_px : (int, int)
        Width and height of the picture.
    """
    if in_picture(points_px, size_px).all():
        return ""
    hull = cv2.convexHull(points_px.astype(np.float32))
    width, height = size_px
    frame = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32).reshape(-1, 1, 2) - 0.5
    here = cv2.intersectConvexConvex(hull, frame)[0] / max(cv2.contourArea(hull), 1e-9)
    x, y = points_px.T
    beyond = {"left": x < 0, "right": x > width - 1, "upper": y < 0, "lower": y > height - 1}
    return cut_off_message([side for side, points in beyond.items() if points.any()], 1 - float(here))


def cut_off_message(sides: Sequence[str], missing: float) -> str:
    """Return the sentence that a board is cut off at one or two sides of the picture by a share of it."""
    if len(sides) > 2:
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
        or _seen_link_share(verification) < MIN_LINKS_SEEN_IF_HIDDEN
        or not _is_tidy(verification)
    ):
        return ""
    return message("sight.small")


def _occlusion_reason(bgr: Image, verification: Verification) -> str:
    """Return the reason that something hides a part of a board; empty where parts are missing all over it."""
    t, coverage = verification.hypothesis.template, verification.link_coverage
    lost = coverage < 0.5
    decided = float(np.abs(2 * coverage - 1).mean())
    if (
        _seen_link_share(verification) < MIN_LINKS_SEEN_IF_HIDDEN
        or decided < 0.7
        or not lost.any()
        or not _is_tidy(verification)
    ):
        return ""
    missing = lost[t.sample_links]
    if missing.mean() < MIN_HIDDEN_SHARE:
        return ""  # so little would not have kept a board from being believed
    xy = verification.hypothesis.samples_px
    middle = xy.mean(axis=0)
    offset = (xy[missing].mean(axis=0) - middle) / verification.radius_px
    spread = float(np.linalg.norm(xy[missing].std(axis=0)) / np.linalg.norm(xy.std(axis=0)))
    if spread > 0.8:
        return ""  # lines that are missing everywhere are faint, not hidden
    what = message("sight.hand" if _is_hand(bgr, xy[missing], xy[~missing]) else "sight.something")
    share = round(100 * float(missing.mean()))
    return message("sight.hidden", what=what, place=describe_location(offset), percent=share)


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


def edge_width_px(bgr: Image, once_px: float = 1.0, more_px: float | None = None) -> float:
    """Return the standard deviation of the blur of the picture's sharpest strong edges, px.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    once_px, more_px : float
        Standard deviations of the smoothing against noise, and of one more; 0.6 % of the shorter side when omitted.

    Notes
    -----
    An edge blurred by s has a slope in proportion to 1 / s. Blurred once more by b, it has 1 / sqrt(s^2 + b^2). The
    ratio of the two slopes at the strongest edges gives s, whatever their height. Noise is small beside such edges.
    """
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    more_px = max(2.0, 0.006 * min(bgr.shape[:2])) if more_px is None else more_px
    smooth = cv2.GaussianBlur(gray.astype(np.float32), (0, 0), once_px)
    soft = cv2.GaussianBlur(smooth, (0, 0), more_px)
    slopes = [np.hypot(*np.gradient(plane)) for plane in (smooth, soft)]
    strong = slopes[1] >= np.percentile(slopes[1][::3, ::3], 99)
    ratio = float(np.percentile(slopes[0][strong] / np.maximum(slopes[1][strong], 1e-3), 75))
    width_px = more_px / np.sqrt(max(ratio**2 - 1, 1e-4))
    return float(np.sqrt(max(width_px**2 - once_px**2, 0.0)))
