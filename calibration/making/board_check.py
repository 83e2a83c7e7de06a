"""Is this board good? What a photograph of a finished board says of its lines, its corners, its stones and its light.

The board is looked for as everywhere else. What the finder refuses, because a line is missing or too pale, is looked
at here all the same where people say which board it is meant to be: its best hypothesis says where it lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.making.stroke_faults import find_stroke_faults
from calibration.making.stroke_traces import StrokeTraces, trace_strokes
from calibration.placement import GLARE_LEVEL, METER_LIMITS, STONE_DIAMETER_UNITS
from calibration.stones_step import learn_appearance
from referee.board import Board
from referee.boards import few_holes_first
from referee.presets import find_variant, variants_on
from vision.detection.board_hypotheses import hypothesis_registration
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.detection.detect import SearchReport, locate_with_report
from vision.detection.shared_search import reduced_picture
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.patches import image_jacobians, stone_unit
from vision.stones.photograph_reader import GROUP_NAMES, read_photograph
from vision.stones.separability import FIELD, TOO_ALIKE_ERROR, pairwise_separability

FAULT_KINDS = (
    "missing_link", "pale_line", "crooked_corner", "alike_paints", "paint_like_cloth", "glare", "too_small", "cut_off",
)  # fmt: skip
"""Kinds of faults, in the order in which they are told: what the board lacks, then its stones, then the picture."""

MIN_ASKED_COVERAGE = 0.6
"""Share of the strokes that must be seen for a board that people have named to be looked at although the finder is not
sure of it. Source: chosen; of boards that lack one line at least 0.8 is seen."""

GLARE_REACH_UNITS = 0.5
"""Radius of the place of a stone, units. Source: chosen."""

GLARE_SHARE = 0.12
"""Area of a lamp's reflection nearest to a point, as a share of the place of a stone, from which it spoils the board.
Source: chosen."""

MOST_LIT_PLACES = 20000
"""Most pixels of a reflection that are counted one by one. Source: chosen."""

GLARE_OPENING_UNITS = 0.16
"""Width up to which something bright is a line of white paint or a glint, not a lamp, units. Source: chosen."""

MIN_STONES = 2
"""Least number of stones of a colour that are compared. Source: chosen."""

MIN_ONE_COLOUR = 5
"""Stones that lie on a board, all of one colour, from which on it is asked where the other player's are. Source: chosen."""

ONE_PAINT_ERROR = 0.5
"""Share of stones that are mistaken where all look the same: a guess. Source: probability."""

ONE_PAINT_D_PRIME = 4.0
"""Distance of two groups that the reader makes of stones of one paint, standard deviations of single stones.
Source: measured on 8 drawn boards whose players have one paint: 1.8 to 4.5."""


@dataclass(frozen=True, eq=False)
class BoardFault:
    """One thing that is not as it should be.

    Attributes
    ----------
    kind : str
        One of `FAULT_KINDS`.
    points : tuple of str
        Where: the two ends of a line, a corner, or every point concerned. Where stones stand in cells, the cells on
        one side of a line.
    beside : tuple of str
        Where stones stand in cells, those on the other side of the line, or along a line at the rim, which has no
        `points`; else empty.
    amount : float
        How bad. Lines: contrast as a share of that of the others. Corner: distance from its place as a share of the
        board's span. Paints: share of the stones that will be mistaken;
        0.5 where they all look the same. Glare: area of
        the lamp at the worst point, in places of a stone. Size: px across a stone where it is smallest. Cut off: share
        of the points.
    colours : tuple of str
        ``#rrggbb`` of what is hard to tell; else empty.
    places_px : float64 array of shape (n, 2)
        The way of a line, or the place of every point concerned, image space.
    """

    kind: str
    points: tuple[str, ...]
    amount: float
    places_px: Float64Array
    beside: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class BoardCheck:
    """What a photograph says of a board.

    Attributes
    ----------
    board, drawing : str or None
        Which board it is, and how it is drawn; None where none was found.
    points : tuple of (str, float, float)
        Name and place of every point of this board, image space (x right, y down, px of the picture).
    strokes_px : tuple of float64 arrays of shape (n, 2)
        The ways of its lines, image space; empty where it has none.
    faults : tuple of BoardFault
        The worst first, as `FAULT_KINDS` has them.
    stones : tuple of (str, str)
        Points on which stones lie, with the letter of their colour.
    confidence : float
        Posterior of the board, 0 to 1; low where only its name made it one.
    why_not : str
        Why no board was found, as one sentence (a ``Message``); empty where one was.
    """

    board: str | None
    drawing: str | None = None
    points: tuple[tuple[str, float, float], ...] = ()
    strokes_px: tuple[Float64Array, ...] = ()
    faults: tuple[BoardFault, ...] = ()
    stones: tuple[tuple[str, str], ...] = ()
    confidence: float = 0.0
    why_not: str = ""

    @property
    def is_found(self) -> bool:
        """Whether the board was found at all."""
        return self.board is not None

    @property
    def is_good(self) -> bool:
        """Whether the board was found and nothing is wrong with it."""
        return self.is_found and not self.faults


def check_board(bgr: Image, boards: Sequence[Board] | None = None) -> BoardCheck:
    """Look at a photograph of a finished board, with or without stones.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    boards : sequence of Board, optional
        What it is meant to be; of turning discs every number of holes that it may have. Without it, what the finder
        takes it for.

    Raises
    ------
    ValueError
        When ``bgr`` is no picture.
    """
    best: Registration | None = None
    why_not = ""
    for group in (None,) if boards is None else few_holes_first(boards):
        seen, report = locate_with_report(bgr, group)
        if isinstance(seen, NotRegistered):
            why_not = why_not or seen.reason
            likely = None if group is None or report is None else _asked_board(bgr, report)
            if likely is None:
                continue
            seen = likely
        if best is None or seen.confidence > best.confidence:
            best = seen
        if best.confidence > CERTAIN_CONFIDENCE:
            break
    return BoardCheck(None, why_not=why_not) if best is None else check_field(bgr, best)


def check_field(bgr: Image, seen: Registration) -> BoardCheck:
    """Look at a board whose place in the picture is known; parameters as ``check_board``."""
    field, size_px = seen.field, size_of(bgr)
    n_players = max((find_variant(name).players for name in variants_on(field.board)), default=2)
    lamp = lamp_shares(bgr, field)
    reading = read_photograph(bgr, seen, None, n_players)
    tops = np.array([0 if stone is None else GROUP_NAMES.index(stone) + 1 for stone in reading.stones])
    tops[lamp > GLARE_SHARE] = 0
    traces = trace_strokes(bgr, field, tops)
    spoilt = np.zeros(0, np.bool_) if traces is None else _links_in_glare(traces, field, lamp)
    strokes = () if traces is None else find_stroke_faults(traces, field.board, size_px, spoilt)
    faults = [BoardFault(f.kind, f.points, f.amount, f.places_px, f.beside) for f in strokes]
    faults += _paint_faults(bgr, field, tops, n_players)
    faults += _glare_fault(field, lamp) + _size_fault(field) + _cut_fault(field, size_px)
    return BoardCheck(
        field.board.name,
        field.drawing,
        _named_places(field, faults),
        () if traces is None else traces.ways_px,
        tuple(sorted(faults, key=lambda fault: FAULT_KINDS.index(fault.kind))),
        tuple((field.board.points[i], GROUP_NAMES[top - 1]) for i, top in enumerate(tops) if top),
        seen.confidence,
    )


def _named_places(field: Field, faults: list[BoardFault]) -> tuple[tuple[str, float, float], ...]:
    """Return every point with its place. The finder follows a crooked corner only in part, its strokes lead to it."""
    places = dict(zip(field.board.points, field.points_px, strict=True))
    for fault in faults:
        if fault.kind == "crooked_corner" and len(fault.points) == 1:
            places[fault.points[0]] = fault.places_px[0]
    return tuple((name, float(x), float(y)) for name, (x, y) in places.items())


def _asked_board(bgr: Image, report: SearchReport) -> Registration | None:
    """Return the best hypothesis of the board that was asked for, where enough of its strokes is seen."""
    found = report.lines.hypotheses[:1]
    if not found or found[0].coverage < MIN_ASKED_COVERAGE:
        return None
    seen = hypothesis_registration(found[0], report.lines.confidence)
    return seen.enlarged(size_of(reduced_picture(bgr)), size_of(bgr))


def lamp_shares(bgr: Image, field: Field) -> Float64Array:
    """Return how much of a lamp is reflected nearest to every point, in areas of the place of a stone, (n_points,)."""
    scale_px = np.sqrt(np.abs(np.linalg.det(image_jacobians(field)))) * stone_unit(field.board)
    hull = cv2.convexHull(field.points_px.astype(np.float32)).reshape(-1, 2)
    inside = np.zeros(bgr.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.rint(hull).astype(np.int32), 1)
    lit = ((bgr.min(axis=2) >= GLARE_LEVEL) & (inside > 0)).astype(np.uint8)
    side = max(1, round(GLARE_OPENING_UNITS * float(np.median(scale_px))))
    lit = np.asarray(cv2.morphologyEx(lit, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.uint8)
    row, column = np.nonzero(lit)
    if not len(row):
        return np.zeros(len(field.points_px))
    step = max(1, len(row) // MOST_LIT_PLACES)
    places = np.column_stack([column, row])[::step].astype(np.float64)
    nearest = np.linalg.norm(places[:, None] - field.points_px[None], axis=2).argmin(axis=1)
    area_px = np.bincount(nearest, minlength=len(field.points_px)) * step
    share: Float64Array = area_px / (np.pi * (GLARE_REACH_UNITS * scale_px) ** 2)
    return share


def _links_in_glare(traces: StrokeTraces, field: Field, lamp: Float64Array) -> NDArray[np.bool_]:
    """Return the links that run by a point at which a lamp is reflected: what is pale there is so because of it."""
    spoilt = field.points_px[lamp > GLARE_SHARE / 2]
    if not len(spoilt):
        return np.zeros(len(traces.ways_px), np.bool_)
    reach = 0.75 * float(np.median(field.spacing_px))
    return np.array([np.linalg.norm(way[:, None] - spoilt[None], axis=2).min() < reach for way in traces.ways_px])


def _glare_fault(field: Field, lamp: Float64Array) -> list[BoardFault]:
    where = np.flatnonzero(lamp > GLARE_SHARE)
    return _point_fault("glare", field, where, float(lamp.max())) if len(where) else []


def _size_fault(field: Field) -> list[BoardFault]:
    """Return the points at which a usual stone is narrower than the readers were measured for."""
    scale = np.sqrt(np.abs(np.linalg.det(image_jacobians(field))))
    across = scale * stone_unit(field.board) * STONE_DIAMETER_UNITS
    where = np.flatnonzero(across < METER_LIMITS["pebble"].fair)
    return _point_fault("too_small", field, where, float(across.min())) if len(where) else []


def _cut_fault(field: Field, size_px: tuple[int, int]) -> list[BoardFault]:
    """Return the points that the picture cuts off."""
    where = np.flatnonzero(~field.in_sight(size_px))
    return _point_fault("cut_off", field, where, len(where) / len(field.board.points)) if len(where) else []


def _point_fault(
    kind: str, field: Field, where: NDArray[np.intp], amount: float, colours: tuple[str, ...] = ()
) -> list[BoardFault]:
    names = tuple(field.board.points[i] for i in where)
    return [BoardFault(kind, names, amount, field.points_px[where], (), colours)]


def _paint_faults(bgr: Image, field: Field, tops: NDArray[np.int_], n_players: int) -> list[BoardFault]:
    """Return the colours of stones that are hard to tell from each other or from the cloth, and where."""
    counts = np.bincount(tops, minlength=n_players + 1)
    counts[0] = 0
    kept = np.where(counts[tops] >= MIN_STONES, tops, 0)
    colours = np.unique(kept[kept > 0])
    if not len(colours):
        return []
    found: list[BoardFault] = []
    if len(colours) == 1 and n_players > 1 and (kept > 0).sum() >= MIN_ONE_COLOUR:
        found += _point_fault("alike_paints", field, np.flatnonzero(kept), ONE_PAINT_ERROR)
    appearance = learn_appearance(bgr, field, tuple(int(top) for top in kept), None, n_players)
    for pair in pairwise_separability(appearance):
        is_cloth = pair.other == FIELD
        mistaken = pair.error if is_cloth else max(pair.error, _mistaken_share(pair.d_prime))
        if mistaken < TOO_ALIKE_ERROR:
            continue
        players = [int(name.split()[-1]) for name in (pair.one, pair.other) if name != FIELD]
        kind = "paint_like_cloth" if is_cloth else "alike_paints"
        found += _point_fault(kind, field, np.flatnonzero(np.isin(kept, players)), mistaken, pair.colours)
    return found


def _mistaken_share(d_prime: float) -> float:
    """Return the share of stones that are mistaken when the photograph alone says which stones belong together.

    Where nobody says whose they are, the reader makes two groups of one paint, too, as far apart as its stones differ.
    What counts is how much further apart they are.
    """
    further = math.sqrt(max(0.0, d_prime**2 - ONE_PAINT_D_PRIME**2))
    return math.erfc(further / 2 / math.sqrt(2)) / 2
