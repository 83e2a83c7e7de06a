"""Is this board good? What a photograph of a finished board says of its lines, corners, stones and light."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.making.board_faults import (
    FAULT_KINDS,
    GLARE_SHARE,
    VEILED_CONTRAST,
    BoardCheck,
    BoardFault,
    find_stone_faults,
    lamp_shares,
    point_fault,
    points_at_links,
    size_fault,
    sure_stones,
    veiled_links,
    white_stones,
)
from calibration.making.stroke_faults import find_stroke_faults
from calibration.making.stroke_traces import StrokeTraces, trace_strokes
from referee.board import Board
from referee.boards import few_holes_first
from referee.presets import find_variant, variants_on
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.detection.detect import SearchReport, locate_with_report
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, size_of
from vision.stones.photograph_reader import GROUP_NAMES, read_photograph


def check_board(bgr: Image, boards: Sequence[Board] | None = None) -> BoardCheck:
    """Look at a photograph of a finished board, with or without stones; parameters as ``find_made_board``."""
    seen = find_made_board(bgr, boards)
    return BoardCheck(None, why_not=seen.reason) if isinstance(seen, NotRegistered) else check_field(bgr, seen)


def check_field(bgr: Image, seen: Registration) -> BoardCheck:
    """Look at a board whose place in the picture is known; parameters as ``check_board``."""
    field, size_px = seen.field, size_of(bgr)
    n_players = max((find_variant(name).players for name in variants_on(field.board)), default=2)
    reading = read_photograph(bgr, seen, None, n_players)
    lamp = lamp_shares(bgr, field)
    lamp[white_stones(reading, lamp > GLARE_SHARE / 2)] = 0
    tops = np.where(lamp > GLARE_SHARE, 0, sure_stones(reading))
    traces = trace_strokes(bgr, field, np.array([stone is not None for stone in reading.stones]))
    small = size_fault(field)
    is_small = bool(small) and len(small[0].points) > len(field.board.points) / 2  # too few pixels to judge the rest by
    is_veiled = np.zeros(len(field.board.points), np.bool_)
    faults: list[BoardFault] = []
    if traces is not None and not is_small:
        links = veiled_links(bgr, field, traces) & (traces.relative_contrast < VEILED_CONTRAST)
        is_veiled = points_at_links(field, traces, links)
        unjudged = links | _links_in_glare(traces, field, lamp)
        faults += find_stroke_faults(traces, field.board, size_px, unjudged)
    if not is_small:
        faults += find_stone_faults(bgr, field, reading, tops, n_players)
    faults += point_fault("glare", field, np.flatnonzero((lamp > GLARE_SHARE) | is_veiled), float(lamp.max())) + small
    cut_off = np.flatnonzero(~field.in_sight(size_px))
    faults += point_fault("cut_off", field, cut_off, len(cut_off) / len(field.board.points))
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


def _links_in_glare(traces: StrokeTraces, field: Field, lamp: Float64Array) -> NDArray[np.bool_]:
    """Return the links that run by a point at which a lamp is reflected: what is pale there is so because of it."""
    spoilt = field.points_px[lamp > GLARE_SHARE / 2]
    if not len(spoilt):
        return np.zeros(len(traces.ways_px), np.bool_)
    reach = 0.75 * float(np.median(field.spacing_px))
    return np.array([np.linalg.norm(way[:, None] - spoilt[None], axis=2).min() < reach for way in traces.ways_px])


# share of the strokes that must be seen for a board that people have named to be looked at although the finder is not
# sure of it; of boards that lack one line at least 0.8 is seen
MIN_ASKED_COVERAGE = 0.75


def find_made_board(bgr: Image, boards: Sequence[Board] | None = None) -> Registration | NotRegistered:
    """Return where a finished board lies; ValueError when ``bgr`` is no picture.

    The board is looked for as everywhere else. What the finder refuses, because a line is missing or too pale, is taken
    all the same where people say which board it is meant to be: its best hypothesis says where it lies. Of turning
    discs ``boards`` has every number of holes that it may have.
    """
    best: Registration | None = None
    refused: NotRegistered | None = None
    for group in (None,) if boards is None else few_holes_first(boards):
        seen, report = locate_with_report(bgr, group)
        if isinstance(seen, NotRegistered):
            refused = refused or seen
            likely = None if group is None or report is None else _asked_board(report)
            if likely is None:
                continue
            seen = likely
        if best is None or seen.confidence > best.confidence:
            best = seen
        if best.confidence > CERTAIN_CONFIDENCE:
            break
    if best is not None:
        return best
    if refused is None:
        raise ValueError("boards must name at least one board")
    return refused


def _asked_board(report: SearchReport) -> Registration | None:
    """Return the likeliest board that was asked for, where enough of its strokes is seen."""
    likeliest = next(iter(report.boards), None)
    if likeliest is None or likeliest.features["lines"] < MIN_ASKED_COVERAGE:
        return None
    return likeliest.registration(likeliest.confidence)
