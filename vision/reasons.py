"""Why no board can be named, as a sentence that a player can act on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.contest import Guess
from vision.frame import Image
from vision.witness import Witness

DARK_LEVEL = 22.0
"""Brightness (of 255) under which 98 % of a picture must lie to be called too dark."""

DIM_LEVEL = 60.0
"""Brightness under which 90 % of a picture must lie to be called dim."""

PARTLY = 0.75
"""Share of strokes seen at which a board is worth naming in the reason for a refusal."""


def too_dark(bgr: Image) -> bool:
    """Whether nothing can be seen at all."""
    return float(np.percentile(bgr[::4, ::4].max(axis=2), 98)) < DARK_LEVEL


def reason(bgr: Image, lined: Sequence[Guess], witness: Witness | None) -> str:
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
        return "no playing field in sight: the picture is dim, more light would help"
    if not lined or lined[0].coverage < PARTLY or lined[0].gain <= 0:
        return "no playing field in sight: show the whole board, from further above if possible"
    best = lined[0]
    if best.clutter > 0.06:
        return "no playing field in sight: there are many lines, but no board that would explain them"
    rivals = [g for g in lined[1:] if g.gain > 0.85 * best.gain]
    if rivals:
        return f"two boards look equally likely: {best.template.name} and {rivals[0].template.name}; say which it is"
    height, width = bgr.shape[:2]
    for beyond, side in (
        (best.points_px[:, 0].max() > width - 1, "right"),
        (best.points_px[:, 0].min() < 0, "left"),
        (best.points_px[:, 1].min() < 0, "upper"),
        (best.points_px[:, 1].max() > height - 1, "lower"),
    ):
        if beyond:
            return f"the {side} edge of the board is outside the picture"
    share = round(100 * best.coverage)
    return f"only {share} % of the lines of a board ({best.template.name}) can be seen: take away what hides them"
