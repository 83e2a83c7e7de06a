"""Folds: the part of a drawing that lies beyond the outline of its cloth, on the table, has been folded over the rest.

The strokes of a board that lies flat are drawn on its cloth, so they lie within its outline, whatever its shape. Where
a flap is folded over, they are expected beyond the straight side of the outline: no stroke is seen there, and what is
seen has the colours of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.playing_areas import PlayingArea
from vision.detection.verification import Verification
from vision.imaging.frame import Float64Array, Image, in_picture, size_of

BEYOND_MARGIN = 0.06
"""Distance beyond the outline from which a stroke counts as beyond it, radii of the drawing: outlines are rough."""

BEYOND_RANGE = (0.04, 0.45)
"""Least and largest share of the strokes that lie beyond the outline of a folded board. The flap hides as much
again."""

MAX_SEEN_BEYOND = 0.35
"""Largest share of these strokes that look as if they were there: a table may have a grain."""

MIN_SEEN_OF_REST = 0.65
"""Least share of the strokes that are neither beyond the outline nor under the flap, as many again, that is seen."""

MIN_DRAWING_SHARE = 0.2
"""Least share of the outline that the part of the drawing within it takes, for the outline to be that of its cloth."""

MIN_HELD_SHARE = 0.3
"""Least share of an outline that a drawing within it takes, for the cloth to lie flat: a larger one may be the
table's."""

MIN_ONE_SIDE = 0.45
"""Least distance of the middle of what lies beyond the outline from the middle of the drawing, radii: it is one
side."""

TABLE_RANGE = (1.1, 1.6)
"""Where the table is looked at, beside the outline: its distance from the middle, as a multiple of the outline's."""

MAX_COLOUR_DISTANCE = 12.0
"""Largest difference of colours of the table in two places, Lab with brightness at half weight."""

MIN_TABLE_SHARE = 0.7
"""Least share of the places beyond the outline that have a colour of the table."""

MIN_PLACES = 12
"""Least number of places whose colours are compared."""


@dataclass(frozen=True, eq=False)
class Flap:
    """The part of a board that is folded over.

    Attributes:
        offset: (2,). From the middle of the board to where it was, radii of the board (right, down).
        share: Of the strokes: those of the flap and those that it hides.
    """

    offset: Float64Array
    share: float


def find_flap(bgr: Image, verification: Verification, areas: Sequence[PlayingArea]) -> Flap | None:
    """Return the part of a board that is folded over, from the outline of its cloth; None where it lies flat.

    It lies flat where one of the outlines holds the whole drawing: a hard shadow gives a cloth a second one.

    Args:
        verification: Of the board as if it lay flat.
        areas: With the outlines of what may be its cloth.
    """
    samples = verification.hypothesis.samples_px
    flaps = []
    for area in areas:
        if len(area.rim_px) < 3:
            continue
        rim = area.rim_px.astype(np.float32).reshape(-1, 1, 2)
        beyond = _distance_beyond(rim, samples) > BEYOND_MARGIN * verification.radius_px
        within = cv2.contourArea(cv2.convexHull(samples[~beyond].astype(np.float32))) if not beyond.all() else 0.0
        share = within / max(cv2.contourArea(rim), 1e-9)
        if not beyond.any() and share > MIN_HELD_SHARE:
            return None
        if share < MIN_DRAWING_SHARE:
            continue
        flap = _flap_beyond(bgr, verification, area, beyond)
        if flap is not None:
            flaps.append(flap)
    return flaps[0] if flaps else None


def _flap_beyond(bgr: Image, verification: Verification, area: PlayingArea, beyond: NDArray[np.bool_]) -> Flap | None:
    """Return the flap whose strokes are expected beyond an outline, shape (n_samples,); None where it is none."""
    samples, seen = verification.hypothesis.samples_px, verification.sample_seen
    low, high = BEYOND_RANGE
    if not low <= beyond.mean() <= high or seen[beyond].mean() > MAX_SEEN_BEYOND:
        return None
    if not in_picture(samples[beyond], size_of(bgr)).all():
        return None
    if (seen & ~beyond).mean() < MIN_SEEN_OF_REST * (1 - 2 * beyond.mean()):
        return None
    offset = (samples[beyond].mean(axis=0) - samples.mean(axis=0)) / verification.radius_px
    if np.linalg.norm(offset) < MIN_ONE_SIDE or not _is_table(bgr, area, samples[beyond], offset):
        return None
    return Flap(offset, min(0.95, 2 * float(beyond.mean())))


def _distance_beyond(rim: NDArray[np.float32], xy: Float64Array) -> Float64Array:
    """Return how far places lie outside a convex outline, px; negative inside."""
    return np.array([-cv2.pointPolygonTest(rim, (float(x), float(y)), True) for x, y in xy])


def _is_table(bgr: Image, area: PlayingArea, places_px: Float64Array, offset: Float64Array) -> bool:
    """Return whether places have the colours of the table on the other sides of an outline.

    On the same side an arm may reach in.
    """
    middle = area.rim_px.mean(axis=0)
    other = area.rim_px[(area.rim_px - middle) @ offset < 0]
    ring = np.vstack([middle + scale * (other - middle) for scale in np.linspace(*TABLE_RANGE, 6)])
    table, here = colours_at(bgr, ring), colours_at(bgr, places_px)
    if min(len(table), len(here)) < MIN_PLACES:
        return False
    apart = np.linalg.norm(here[:, None] - table[None], axis=2).min(axis=1)
    return float((apart < MAX_COLOUR_DISTANCE).mean()) >= MIN_TABLE_SHARE


def colours_at(bgr: Image, xy: Float64Array) -> Float64Array:
    """Return the colours at those places that lie in the picture, Lab with brightness at half weight, (n, 3)."""
    at = np.round(xy[in_picture(xy, size_of(bgr))]).astype(int)
    if not len(at):
        return np.empty((0, 3))
    soft = cv2.blur(bgr, (3, 3))
    lab = cv2.cvtColor(soft[at[:, 1], at[:, 0]][None], cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    return np.asarray(lab * (0.5, 1.0, 1.0), np.float64)
