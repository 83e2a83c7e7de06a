"""The traces of the strokes of a board in, their faults out: too pale, not there, or a corner that lies askew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from calibration.making.stroke_traces import StrokeTraces
from referee.board import Board
from referee.typed_json import In, Share
from vision.imaging.frame import Float64Array
from vision.imaging.homography import apply_homography, fit_homography

# sum of warmth and contrast below which a stroke is not there; source: chosen on drawn boards (seeds 252000 to 253125
# of ``tests/calibration/faulty_boards.py``): 38 of 39 strokes that were left out have up to 0.17, 38 of a third of the
# colour 0.31 and more
MISSING_SUM = 0.25

# share of the usual contrast below which a stroke is too pale; source: chosen on the same boards: the palest stroke of
# good ones has 0.56, and those of a third of the colour have up to 0.41
PALE_CONTRAST = 0.46

SEEN_WARMTH = 0.3  # warmth of a stroke from which it says where its joints are
SAME_WAY = 0.8  # least cosine of the angle between two links that are one line

NEAREST_CELLS = 1.2  # how much further than the nearest cell the others at a corner, and along a line, may be

# how far off a corner lies that is crooked, share of the board's span; source: chosen on the same boards: corners that
# hands draw 1 % off come up to 0.035, and those that are 7 % off to 0.063 and more
CROOKED_SHARE = 0.048

USUAL_OFFSET_SHARE = 0.012  # usual distance of the corners of a hand-made board from their places, share of its span
RADIAL_DISTORTIONS = np.linspace(-0.24, 0.12, 13)  # of lenses, that bend no board: at half a width
N_FITS = 10  # fits of a flat board, each with less trust in the corners that lay off in the one before
MIN_JOINTS = 7  # least number of corners that say where one of them ought to lie: four fix the view


@dataclass(frozen=True, eq=False)
class BoardFault:
    """One thing that is not as it should be."""

    kind: str  # one of `calibration.making.board_check.FAULT_KINDS`
    # where: the two ends of a line, a corner, or every point concerned; where stones stand in cells, the cells on one
    # side of a line
    points: tuple[str, ...]
    # how bad; lines: contrast as a share of that of the others; corner: distance from its place as a share of the
    # board's span; paints: share of the stones that will be mistaken; 0.5 where they all look the same; glare: area of
    # the lamp at the worst point, in places of a stone; 0 where it only pales lines; size: px across a stone where it
    # is smallest; cut off: share of the points
    amount: Share
    places_px: Annotated[
        Float64Array, In(is_kept=False)
    ]  # shape (n, 2); the way of a line, or the place of every point concerned, image space
    # where stones stand in cells, those on the other side of the line, or along a line at the rim, which has no
    # `points`; else empty
    beside: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()  # ``#rrggbb`` of what is hard to tell; else empty


def find_stroke_faults(
    traces: StrokeTraces, board: Board, size_px: tuple[int, int], unjudged: NDArray[np.bool_]
) -> list[BoardFault]:
    """Return the faults of the strokes of a board, missing ones first.

    It passes over links that are ``unjudged``, (n_links,), because something else spoils the picture there.
    """
    is_missing = ~unjudged & (traces.warmth + np.maximum(traces.contrast, 0) < MISSING_SUM)
    is_pale = ~unjudged & ~is_missing & (traces.contrast < PALE_CONTRAST)
    faults = [
        *line_faults(traces, board, "missing_link", is_missing),
        *line_faults(traces, board, "pale_line", is_pale),
    ]
    offsets = joint_offsets(traces, size_px)
    for joint in np.argsort(-offsets)[: (offsets > CROOKED_SHARE).sum()]:
        names = _names_at(board, traces.ideal_joints[joint])
        faults.append(BoardFault("crooked_corner", names, float(offsets[joint]), traces.joints_px[[joint]]))
    return faults


def joint_offsets(traces: StrokeTraces, size_px: tuple[int, int]) -> Float64Array:
    """Return how far each joint lies from where a flat drawing would have it, sides, (n_joints,); 0 if not fixed.

    The view of the flat board is a homography through a lens that may bend the picture, fitted so that single crooked
    corners do not count. Where two links are seen, they say where their joint is.
    """
    ends = traces.template.links[traces.warmth > SEEN_WARMTH]
    fixed = np.bincount(ends.ravel(), minlength=len(traces.joints_px)) > 1
    offsets = np.zeros(len(fixed))
    if fixed.sum() < MIN_JOINTS:
        return offsets
    middle, half_width = (np.array(size_px) - 1) / 2, size_px[0] / 2
    places, ideal = (traces.joints_px[fixed] - middle) / half_width, traces.ideal_joints[fixed]
    best = np.inf
    for bend in RADIAL_DISTORTIONS:
        straight, trust = places * (1 - bend * (places**2).sum(axis=1, keepdims=True)), np.ones(len(places))
        for _ in range(N_FITS):
            off = np.linalg.norm(apply_homography(fit_homography(straight, ideal, trust), straight) - ideal, axis=1)
            trust = 1 / (1 + (off / USUAL_OFFSET_SHARE) ** 2)
        cost = -float(np.log(trust).sum())
        if cost < best:
            best, offsets[fixed] = cost, off
    return offsets


def line_faults(traces: StrokeTraces, board: Board, kind: str, which: NDArray[np.bool_]) -> Iterator[BoardFault]:
    """Yield one fault for every run of links that follow each other along one stroke."""
    links = traces.template.links
    runs: list[list[int]] = []
    for k in np.flatnonzero(which).tolist():
        if runs and _goes_on(traces, runs[-1][-1], k):
            runs[-1].append(k)
        else:
            runs.append([k])
    for run in runs:
        ends = traces.ideal_joints[[links[run[0], 0], links[run[-1], 1]]]
        points = tuple(name for end in ends for name in _names_at(board, end, exactly=True))
        beside: tuple[str, ...] = ()
        if len(points) < 2:
            points, beside = _names_beside(traces, board, run)
        amount = float(np.clip(traces.contrast[run].mean(), 0, 1))
        yield BoardFault(kind, points, amount, np.vstack([traces.ways_px[k] for k in run]), beside)


def _goes_on(traces: StrokeTraces, one: int, other: int) -> bool:
    """Return whether a link begins where another ends, in the same direction."""
    t = traces.template
    last, first = np.flatnonzero(t.sample_links == one)[-1], np.flatnonzero(t.sample_links == other)[0]
    along = float(t.sample_tangents[last] @ t.sample_tangents[first])
    return bool(other == one + 1 and t.links[one, 1] == t.links[other, 0] and along > SAME_WAY)


def _names_at(board: Board, place: Float64Array, *, exactly: bool = False) -> tuple[str, ...]:
    """Return the name of the point at a joint; where stones stand in cells, those of the cells around it."""
    away = np.linalg.norm(np.asarray(board.xy) - place, axis=1)
    if away.min() < 1e-6:
        return (board.points[int(away.argmin())],)
    return () if exactly else tuple(board.points[i] for i in np.flatnonzero(away < NEAREST_CELLS * away.min()))


def _names_beside(traces: StrokeTraces, board: Board, run: list[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the points on the one and on the other side of a line of cells."""
    sides: tuple[dict[str, None], dict[str, None]] = {}, {}
    for a, b in traces.ideal_joints[traces.template.links[run]]:
        off, across = np.asarray(board.xy) - (a + b) / 2, np.array([-(b - a)[1], (b - a)[0]])
        away = np.linalg.norm(off, axis=1)
        for i in np.flatnonzero(away < NEAREST_CELLS * away.min()):
            sides[int(off[i] @ across > 0)][board.points[i]] = None
    one, other = map(tuple, sides)
    return (one, other) if one and other else ((), one or other)
