"""What covers a board, or lies where a part of it should be: things on it, a hand, a fold.

Where much of a board is covered, no drawing explains the strokes that are left. What covers it is seen all the same: a
sheet, a book, a bowl or a sleeve is larger than any stone and of one colour, and strokes and stripes are thin.

The strokes of a board that lies flat are drawn on its cloth, so they lie within its outline, whatever its shape. Where
a flap is folded over, they are expected beyond the straight side of the outline: no stroke is seen there, and what is
seen has the colours of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.board_hypotheses import Occluder
from vision.detection.playing_areas import OUTLINE_IMAGE_SIDE_PX, PlayingArea
from vision.detection.verification import Verification
from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography
from vision.imaging.medians import median

N_COLOURS = 6
"""Colours into which the pixels of a playing area are sorted."""

MIN_THING_SHARE, MIN_COVERED_SHARE = 0.06, 0.2
"""Least share of the playing area that one thing covers, and that all of them cover together."""

MAX_THINGS = 4
"""Most things that lie on a board; more patches of one size are a pattern."""

MIN_SOLIDITY, MIN_BREADTH = 0.84, 0.3
"""Least share of its convex hull that a thing fills, and its least breadth over its length: a stripe has less."""

BEYOND_MARGIN = 0.06
"""Distance beyond the outline from which a stroke counts as beyond it, radii of the drawing: outlines are rough."""

BEYOND_RANGE = (0.04, 0.45)
"""Least and largest share of the strokes beyond the outline of a folded board; the flap hides as much again."""

MAX_SEEN_BEYOND = 0.35
"""Largest share of these strokes that look as if they were there: a table may have a grain."""

MIN_SEEN_OF_REST = 0.65
"""Least share of the strokes that are neither beyond the outline nor under the flap, as many again, that is seen."""

MIN_DRAWING_SHARE = 0.2
"""Least share of the outline that the part of the drawing within it takes, for the outline to be that of its cloth."""

MIN_HELD_SHARE = 0.3
"""Least share of an outline that a drawing in it takes, for the cloth to lie flat: a larger one may be the table's."""

MIN_ONE_SIDE = 0.45
"""Least distance of the middle of what lies beyond the outline from that of the drawing, radii: it is one side."""

TABLE_RANGE = (1.1, 1.6)
"""Where the table is looked at, beside the outline: its distance from the middle, as a multiple of the outline's."""

MAX_COLOUR_DISTANCE = 12.0
"""Largest difference of colours of the table beside an outline, Lab with brightness at half weight."""

MIN_TABLE_SHARE = 0.7
"""Least share of the places beyond the outline that have a colour of the table."""

MIN_PLACES = 12
"""Least number of places whose colours are compared."""

BOARD_RIM_RADII = 1.17
"""Distance of the rim of a cloth or board from its middle, radii of the drawing."""

ALIKE_DISTANCE = 14.0
"""Difference up to which two colours may be of one surface, Lab with brightness at half weight."""

MAX_SHARE_OF_OTHERS = 0.05
"""Share of the seen part of a board up to which a colour is rare there: stones may have it."""

MIN_SHARE_COVERED = 0.3
"""Least share of the hidden part that has colours which are rare in the part that is seen."""

SKIN_YCRCB_RANGE = ((40, 136, 80), (255, 180, 132))
"""Colours of hands in ordinary light, 8-bit YCrCb; a table of that colour is told apart by where it lies."""


@dataclass(frozen=True, eq=False)
class HiddenPart:
    """A part of a board or playing area that is folded over or covered."""

    share: float  # of the playing area; of the strokes, those of a flap and those that it hides
    offset: Float64Array  # (2,), from the middle of the board to where it is or was, radii (right, down)
    places_px: Float64Array  # (n, 2), under it or in it, image space


def find_things_on(bgr: Image, area: PlayingArea) -> HiddenPart | None:
    """Return what covers a playing area; None where too little of it is covered, or by a pattern."""
    factor = min(1.0, OUTLINE_IMAGE_SIDE_PX / max(bgr.shape[:2]))
    small = np.asarray(cv2.medianBlur(cv.shrink(bgr, factor), 5), np.uint8)
    rows, columns = np.indices(small.shape[:2])
    xy = (np.stack([columns, rows], axis=-1) + 0.5) / factor - 0.5
    axes = area.image_from_unit[:2, :2]
    unit = (xy - area.image_from_unit[:2, 2]) @ np.linalg.inv(axes).T
    away = np.linalg.norm(unit, axis=-1)
    inside, rim = away < 0.95, (away > 0.75) & (away < 0.95)
    if inside.sum() < 200:
        return None
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32) * np.array([0.5, 1, 1], np.float32)
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.3)
    _, found, centres = cv2.kmeans(lab[inside], N_COLOURS, None, stop, 2, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    labels = np.full(inside.shape, -1)
    labels[inside] = found.ravel()
    ground = int(np.bincount(labels[rim], minlength=N_COLOURS).argmax())
    others = [k for k in range(N_COLOURS) if not np.linalg.norm(centres[k] - centres[ground]) < ALIKE_DISTANCE]
    things = [part for k in others for part in _even_parts(labels == k, MIN_THING_SHARE * float(inside.sum()))]
    covered = np.any([np.zeros(inside.shape, np.bool_), *things], axis=0)
    share = float(covered.sum() / inside.sum())
    if not 0 < len(things) <= MAX_THINGS or share < MIN_COVERED_SHARE:
        return None
    turn = axes / np.linalg.norm(axes, axis=0)
    return HiddenPart(share, np.asarray(unit[covered].mean(axis=0) @ turn.T), xy[covered])


def _even_parts(mask: NDArray[np.bool_], least_px: float) -> list[NDArray[np.bool_]]:
    """Return the connected parts of a mask that are as large, as solid and as broad as a thing."""
    whole = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    n, parts = cv2.connectedComponents(whole)
    out = []
    for i in range(1, n):
        part = np.asarray(parts == i)
        if part.sum() < least_px:
            continue
        contour = max(cv.outer_contours(np.asarray(part, np.uint8)), key=len)
        hull_area = cv2.contourArea(cv2.convexHull(contour))
        breadth = sorted(cv2.minAreaRect(contour)[1])
        if part.sum() > MIN_SOLIDITY * hull_area and breadth[0] > MIN_BREADTH * breadth[1]:
            out.append(part)
    return out


def find_flap(bgr: Image, verification: Verification, areas: Sequence[PlayingArea]) -> HiddenPart | None:
    """Return the part of a board that is folded over, from the outline of its cloth; None where it lies flat.

    The board was verified as if it lay flat. It does where one of the outlines holds the whole drawing: a hard shadow
    gives a cloth a second one.
    """
    samples = verification.hypothesis.samples_px
    flaps = []
    for area in areas:
        if len(area.rim_px) < 3:
            continue
        rim = area.rim_px.astype(np.float32).reshape(-1, 1, 2)
        distance = np.array([-cv2.pointPolygonTest(rim, (x, y), True) for x, y in samples.tolist()])
        beyond = distance > BEYOND_MARGIN * verification.radius_px
        within = cv2.contourArea(cv2.convexHull(samples[~beyond].astype(np.float32))) if not beyond.all() else 0.0
        share = within / max(cv2.contourArea(rim), 1e-9)
        if not beyond.any() and share > MIN_HELD_SHARE:
            return None
        if share >= MIN_DRAWING_SHARE:
            flaps.append(_flap_beyond(bgr, verification, area, beyond))
    return next(filter(None, flaps), None)


def _flap_beyond(
    bgr: Image, verification: Verification, area: PlayingArea, beyond: NDArray[np.bool_]
) -> HiddenPart | None:
    """Return the flap whose strokes are expected beyond an outline; None where they show, or the table does not."""
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
    return HiddenPart(min(0.95, 2 * float(beyond.mean())), offset, samples[beyond])


def _is_table(bgr: Image, area: PlayingArea, places_px: Float64Array, offset: Float64Array) -> bool:
    """Return whether places have the colours of the table beside an outline; not on their side, where an arm may be."""
    middle = area.rim_px.mean(axis=0)
    other = area.rim_px[(area.rim_px - middle) @ offset < 0]
    ring = np.vstack([middle + scale * (other - middle) for scale in np.linspace(*TABLE_RANGE, 6)])
    soft = np.asarray(cv2.blur(bgr, (3, 3)), np.uint8)
    table, here = _colours_at(soft, ring), _colours_at(soft, places_px)
    if min(len(table), len(here)) < MIN_PLACES:
        return False
    apart = np.linalg.norm(here[:, None] - table[None], axis=2).min(axis=1)
    return float((apart < MAX_COLOUR_DISTANCE).mean()) >= MIN_TABLE_SHARE


def is_folded_away(bgr: Image, image_from_template: Float64Array, occluder: Occluder) -> bool:
    """Return whether the table shows beyond the fold, which lies halfway from the edge of what is hidden to the rim."""
    if not occluder.is_edge and occluder.offset == 0:
        return False
    edge = occluder.offset if occluder.is_edge else occluder.offset - occluder.radius
    fold = (edge + BOARD_RIM_RADII) / 2
    grid = _square_grid(1.6, 65)
    along, away = grid @ np.array(occluder.direction), np.linalg.norm(grid, axis=1)
    colours = [
        _colours_at(bgr, apply_homography(image_from_template, grid[places]))
        for places in (
            (along > fold + 0.08) & (away < 0.95),
            (along < 0) & (away > 1.4),
            (along < edge - 0.08) & (away < 0.9),
        )
    ]
    if min(map(len, colours)) < MIN_PLACES:
        return False
    beyond, table, board = (median(colour, axis=0) for colour in colours)
    to_table, to_board = float(np.linalg.norm(beyond - table)), float(np.linalg.norm(beyond - board))
    return to_table < ALIKE_DISTANCE and to_table < 0.6 * to_board


def looks_covered(bgr: Image, image_from_template: Float64Array, occluder: Occluder) -> bool:
    """Return whether much of the hidden part of a board has colours that are rare in the part which is seen."""
    grid = _square_grid(1.0, 41)
    grid = grid[np.linalg.norm(grid, axis=1) < 0.95]
    larger = replace(occluder, offset=occluder.offset - 0.15 * occluder.is_edge, radius=occluder.radius + 0.15)
    soft = np.asarray(cv2.blur(bgr, (3, 3)), np.uint8)
    under, beside = (
        _colours_at(soft, apply_homography(image_from_template, xy))
        for xy in (grid[occluder.covers(grid)], grid[~larger.covers(grid)])
    )
    if min(len(under), len(beside)) < MIN_PLACES:
        return True
    alike = np.linalg.norm(under[:, None] - beside[None], axis=2) < ALIKE_DISTANCE
    return float((alike.mean(axis=1) < MAX_SHARE_OF_OTHERS).mean()) > MIN_SHARE_COVERED


def _square_grid(reach: float, n: int) -> Float64Array:
    """Return the places of an n by n grid about the origin, (n * n, 2)."""
    line = np.linspace(-reach, reach, n)
    return np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)


def _colours_at(bgr: Image, xy: Float64Array) -> Float64Array:
    """Return the colours at those places that lie in the picture, Lab with brightness at half weight, (n, 3)."""
    at = np.round(xy[in_picture(xy, size_of(bgr))]).astype(int)
    if not len(at):
        return np.empty((0, 3))
    lab = cv2.cvtColor(bgr[at[:, 1], at[:, 0]][None], cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    return np.asarray(lab * (0.5, 1.0, 1.0), np.float64)


def is_skin(bgr: Image, xy: Float64Array) -> bool:
    """Return whether most places have the colour of hands, and the picture as a whole has not."""
    skin = _skin_mask(bgr) > 0
    at = np.round(xy[in_picture(xy, size_of(bgr))]).astype(int)
    return bool(skin[at[:, 1], at[:, 0]].mean() > 0.6 and skin.mean() < 0.5)


def is_hand(bgr: Image, missing_px: Float64Array, seen_px: Float64Array) -> bool:
    """Return whether one skin-coloured thing covers what is missing and little of what is seen."""
    factor = min(1.0, 240 / max(bgr.shape[:2]))
    skin = cv2.morphologyEx(_skin_mask(cv.shrink(bgr, factor)), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    labels = np.asarray(cv2.connectedComponents(skin)[1], np.int32)
    last = np.array(labels.shape) - 1
    missing, seen = (
        labels[tuple(np.clip(np.round(xy[:, ::-1] * factor).astype(int), 0, last).T)] for xy in (missing_px, seen_px)
    )
    on_skin = missing[missing > 0]
    if not len(on_skin):
        return False
    thing = int(np.bincount(on_skin).argmax())
    seen_share = float((seen == thing).mean()) if len(seen) else 0.0
    return float((missing == thing).mean()) > 0.4 and seen_share < 0.15


def _skin_mask(bgr: Image) -> NDArray[np.uint8]:
    """Return a mask that is 255 where a picture has the colour of hands."""
    low, high = (np.array(colour) for colour in SKIN_YCRCB_RANGE)
    return np.asarray(cv2.inRange(cv2.cvtColor(bgr, cv2.COLOR_BGR2YCrCb), low, high), np.uint8)
