"""Why no board can be named, as a sentence that a player can act on.

Advice that is wrong is worse than advice that is general: something special is only said where it was measured, and
of a board only where most of what can be seen of it is there. ``tools/finder/advice.py`` measures how often it is
right.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.board_hypotheses import BoardHypothesis
from vision.detection.verification import Verification
from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image

NOT_FOUND = "no playing field in sight: "

DARK_LEVEL = 22.0
"""Brightness (of 255) under which 98 % of a picture must lie to be called too dark."""

DIM_LEVEL = 60.0
"""Brightness under which 90 % of a picture must lie to be called dim."""

MIN_OUTSIDE_RADII = 0.04
"""How far a point of the board lies outside the picture at least for it to be called cut, radii of the drawing."""

MIN_LINKS_SEEN_IF_CUT = 0.72
"""Share of those links that lie in the picture which must be seen for a cut board to be spoken of."""

MIN_LINKS_SEEN_IF_HIDDEN = 0.5
"""The same for a board of which something is hidden; what is not there must be in one place."""

MIN_HIDDEN_SHARE = 0.15
"""Share of the strokes that something must hide to be the reason."""

MAX_TIDY_OVERRUN, TIDY = 0.25, 0.06
"""Share of the places past its strokes, and of the ground within it, that may look like strokes, in a board that is
spoken of."""

SMALL_BOARD_RADIUS_PX = 42.0
"""Half the width of a board under which its strokes are hardly a pixel wide."""

BLUR_WIDTH_SHARE = 0.007
"""Width of the sharpest edges, as a share of the picture's shorter side, from which a picture is called blurred:
2.5 px of a picture 360 px high."""

RIVAL_LENGTH_RATIO = 0.85
"""Share of the best drawing's gain at which another one is as likely."""

SKIN_YCRCB_RANGE = ((40, 136, 80), (255, 180, 132))
"""Colours of hands in ordinary light (8 bits); a table of that colour is told apart by where it lies."""


def is_too_dark(bgr: Image) -> bool:
    """Whether nothing can be seen at all."""
    return float(np.percentile(bgr[::4, ::4].max(axis=2), 98)) < DARK_LEVEL


def failure_reason(bgr: Image, lined: Sequence[BoardHypothesis], witness: Verification | None) -> str:
    """Why no board can be named.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    lined : sequence of Guess
        Best first.
    witness : Witness or None
        Of the first guess.
    """
    if float(np.percentile(bgr[::4, ::4].max(axis=2), 90)) < DIM_LEVEL:
        return NOT_FOUND + "the picture is dim, more light would help"
    if witness is not None:
        about_board = outside_picture_reason(witness, bgr) or _rival_reason(lined, witness) or _small_reason(witness) or _occlusion_reason(bgr, witness)
        if about_board:
            return about_board
    if edge_width_px(bgr) > BLUR_WIDTH_SHARE * min(bgr.shape[:2]):
        return NOT_FOUND + "the picture is blurred, wipe the lens, let the camera focus or hold it still"
    if (
        witness is not None
        and (witness.overrun > 2 * MAX_TIDY_OVERRUN or witness.hypothesis.clutter > 0.06)
        and _seen_link_share(witness) > MIN_LINKS_SEEN_IF_CUT
    ):
        return NOT_FOUND + "there are many lines, but no board that would explain them"
    return NOT_FOUND + "show the whole board, from further above if possible"


def outside_picture_reason(witness: Verification, bgr: Image) -> str:
    """Which part of a board lies outside the picture; empty where none does, or too little of a board is seen."""
    height, width = bgr.shape[:2]
    xy = witness.hypothesis.points_px
    far = MIN_OUTSIDE_RADII * witness.radius_px
    beyond = {
        "left": float((-far - xy[:, 0]).max()),
        "right": float((xy[:, 0] - (width - 1) - far).max()),
        "upper": float((-far - xy[:, 1]).max()),
        "lower": float((xy[:, 1] - (height - 1) - far).max()),
    }
    sides = [side for side in ("upper", "lower", "left", "right") if beyond[side] > 0]
    if not sides or _seen_link_share(witness) < MIN_LINKS_SEEN_IF_CUT or not _is_tidy(witness):
        return ""
    lost = [p for p in xy if not (-far <= p[0] <= width - 1 + far and -far <= p[1] <= height - 1 + far)]
    what = "corner" if len(lost) == 1 or len(sides) == 2 else "side"
    return f"the {' '.join(sides)} {what} of the board is outside the picture: move the camera or the board"


def _is_tidy(witness: Verification) -> bool:
    """Whether little looks like strokes that a board would not have."""
    return witness.overrun <= MAX_TIDY_OVERRUN and witness.inner_clutter <= TIDY


def _seen_link_share(witness: Verification) -> float:
    """Share of the links in the picture that are seen."""
    here = _links_in_picture(witness)
    return float((witness.link_coverage[here] >= 0.5).mean()) if here.sum() >= 4 else 0.0


def _links_in_picture(witness: Verification) -> NDArray[np.bool_]:
    t = witness.hypothesis.template
    n = len(t.links)
    inside = np.bincount(t.sample_links, witness.sample_in_picture.astype(float), n) / np.bincount(
        t.sample_links, minlength=n
    )
    return np.asarray(inside > 0.9)


def _rival_reason(lined: Sequence[BoardHypothesis], witness: Verification) -> str:
    best = lined[0]
    rivals = [g for g in lined[1:] if g.net_length_px > RIVAL_LENGTH_RATIO * best.net_length_px and g.template.board.name != best.template.board.name]
    if not rivals or best.net_length_px <= 0 or best.coverage < MIN_LINKS_SEEN_IF_CUT or not _is_tidy(witness):
        return ""
    return f"two boards look equally likely: {best.template.name} and {rivals[0].template.name}; say which it is"


def _small_reason(witness: Verification) -> str:
    if witness.radius_px > SMALL_BOARD_RADIUS_PX or _seen_link_share(witness) < MIN_LINKS_SEEN_IF_HIDDEN or not _is_tidy(witness):
        return ""
    return NOT_FOUND + "what might be a board is small in the picture, bring the camera closer"


def _occlusion_reason(bgr: Image, witness: Verification) -> str:
    """What hides the part of a board that is missing, and where; empty where it is missing here and there."""
    t, seen = witness.hypothesis.template, witness.link_coverage
    lost = seen < 0.5
    decided = float(np.abs(2 * seen - 1).mean())
    if _seen_link_share(witness) < MIN_LINKS_SEEN_IF_HIDDEN or decided < 0.7 or not lost.any() or not _is_tidy(witness):
        return ""
    missing = lost[t.sample_links]
    if missing.mean() < MIN_HIDDEN_SHARE:
        return ""  # so little would not have kept a board from being believed
    xy = witness.hypothesis.samples_px
    middle = xy.mean(axis=0)
    apart = (xy[missing].mean(axis=0) - middle) / witness.radius_px
    spread = float(np.linalg.norm(xy[missing].std(axis=0)) / np.linalg.norm(xy.std(axis=0)))
    if spread > 0.8:
        return ""  # lines that are missing everywhere are faint, not hidden
    what = "a hand or an arm" if _is_hand(bgr, xy[missing], xy[~missing]) else "something"
    share = round(100 * float(missing.mean()))
    return f"{what} hides {describe_location(apart)} of the board, {share} % of its lines: take it away"


def describe_location(apart: Float64Array) -> str:
    """A place on the board as seen in the picture, from its distance from the middle (right, down) in radii."""
    x, y = (float(v) for v in apart)
    if np.hypot(x, y) < 0.2:
        return "the middle"
    way = round(np.arctan2(y, x) / (np.pi / 4)) % 8
    names = ("right", "lower right", "lower", "lower left", "left", "upper left", "upper", "upper right")
    return f"the {names[way]} part"


def _is_hand(bgr: Image, missing_px: Float64Array, seen_px: Float64Array) -> bool:
    """Whether what is missing lies under one skin-coloured thing that reaches in from the rim of the picture."""
    factor = min(1.0, 240 / max(bgr.shape[:2]))
    small = cv.shrink(bgr, factor)
    skin = cv2.inRange(cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb), np.array(SKIN_YCRCB_RANGE[0]), np.array(SKIN_YCRCB_RANGE[1]))
    skin = cv2.morphologyEx(skin, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    labels = np.asarray(cv2.connectedComponents(skin)[1], np.int32)
    here, elsewhere = (_labels_at(labels, xy * factor) for xy in (missing_px, seen_px))
    parts = here[here > 0]
    if not len(parts):
        return False
    part = int(np.bincount(parts).argmax())
    within, stray = float((here == part).mean()), float((elsewhere == part).mean()) if len(elsewhere) else 0.0
    return within > 0.4 and stray < 0.15


def _labels_at(labels: NDArray[np.int32], xy: Float64Array) -> NDArray[np.int32]:
    height, width = labels.shape
    at = np.round(xy).astype(int)
    return np.asarray(labels[np.clip(at[:, 1], 0, height - 1), np.clip(at[:, 0], 0, width - 1)])


def edge_width_px(bgr: Image) -> float:
    """Standard deviation of the blur of the picture's sharpest strong edges, px.

    Notes
    -----
    An edge blurred by s has a slope in proportion to 1 / s; blurred once more by b, 1 / sqrt(s^2 + b^2). The ratio
    of the two slopes at the strongest edges gives s, whatever their height. Noise is small beside such edges.
    """
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    once_px, more_px = 1.0, max(2.0, 0.006 * min(bgr.shape[:2]))
    calm = cv2.GaussianBlur(gray, (0, 0), once_px).astype(np.float32)
    soft = cv2.GaussianBlur(calm, (0, 0), more_px)
    slopes = [np.hypot(*np.gradient(plane)) for plane in (calm, soft)]
    strong = slopes[1] >= np.percentile(slopes[1][::3, ::3], 99)
    ratio = float(np.percentile(slopes[0][strong] / np.maximum(slopes[1][strong], 1e-3), 75))
    width_px = more_px / np.sqrt(max(ratio**2 - 1, 1e-4))
    return float(np.sqrt(max(width_px**2 - once_px**2, 0.0)))
