"""A photograph of a finished board in, its faults out: of lines, corners, stones, light and size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.field_step import is_certain, max_stone_groups, surest
from calibration.making.stroke_faults import SEEN_WARMTH, BoardFault, find_stroke_faults, line_faults
from calibration.making.stroke_traces import StrokeTraces, trace_strokes
from calibration.placement import GLARE_LEVEL, METER_LIMITS, STONE_DIAMETER_UNITS, board_region, side_px
from languages import message
from referee.board import Board
from referee.boards import few_holes_first
from vision.detection.detect import SearchReport, locate, locate_with_report
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.medians import median
from vision.imaging.patches import cut_patches, log_colour_of, log_colour_to_hex, stone_unit
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading, read_photograph
from vision.stones.separability import TOO_ALIKE_ERROR, colour_distance, mistaken_share, overlooked_share

FAULT_KINDS = (
    "missing_link", "pale_line", "crooked_corner", "alike_paints", "paint_like_cloth", "glare", "too_small", "cut_off",
)  # fmt: skip
"""Kinds of faults in their order: what the board lacks, then its stones, then the picture."""

# least share of the strokes in sight with which a board that people name is checked although the finder is not sure
# of it; boards that lack one line show at least 0.8
MIN_ASKED_COVERAGE = 0.75

GLARE_REACH_UNITS = 0.5  # radius of the place of a stone, units
GLARE_SHARE = 0.04  # area of a lamp's reflection that spoils the board, places of a stone: a ninth of a usual stone
WIDEST_PLACE_SIDES = 0.24  # greatest place of a stone, sides: wider boards are played with the same pebbles
GLARE_OPENING_UNITS = 0.16  # width up to which something bright is a line of white paint or a glint, not a lamp, units
WHITE_GROUND_LEVEL = 235  # level of the darkest channel, of 255, from which the ground is as white as a lamp

# brightness of the ground beside a line from which, and colour up to which, a lamp is reflected there, shares of what
# is usual on the board; source: measured; 1.22 and 0.66 at a reflection on a real board, and colours of 0.91 and more
# beside pale lines of 24 drawn ones (seeds 252300 up of `tests/calibration/faulty_boards.py`)
VEIL_BRIGHTNESS, VEIL_SATURATION = 1.1, 0.8

VEILED_CONTRAST = 0.5  # share of the contrast of the other strokes below which a reflection spoils a line
MIN_SATURATION = 0.1  # saturation of the ground from which on it can become less colourful

WHITE_LEVEL = 225  # level of the darkest channel from which stones are so white that they look like a lamp, of 255
MIN_STONES = 2  # least number of stones of a colour that are compared
MIN_ONE_COLOUR = 4  # stones on a board, all of one colour, from which on it is asked where the other player's are
ONE_PAINT_ERROR = 0.5  # share of stones that are mistaken where all look the same: a guess; source: probability

# usual distance of two groups that the reader makes of stones of one paint, standard deviations of single stones;
# source: measured on drawn boards (seeds 252100 to 252143 of `tests/calibration/faulty_boards.py`): 1.9 to 3.9, half of
# them below 2.5, where the players' paints are alike; 4.4 and more where they are not
ONE_PAINT_D_PRIME = 2.5


@dataclass(frozen=True, eq=False)
class BoardCheck:
    """What a photograph says of a board."""

    board: str | None  # None where none was found
    drawing: str | None = None
    points: tuple[tuple[str, float, float], ...] = ()  # name and place of every point, image space
    strokes_px: tuple[Float64Array, ...] = ()  # the ways of its lines, (n, 2) each, image space
    faults: tuple[BoardFault, ...] = ()  # the worst first, as `FAULT_KINDS` has them
    stones: tuple[tuple[str, str], ...] = ()  # points on which stones lie, with the letter of their colour
    confidence: float = 0.0  # posterior of the board, 0 to 1; low where only its name made it one
    why_not: str = ""  # why no board was found, as one sentence (a ``Message``); empty where one was
    other: tuple[str, str] | None = None  # names of a board that was found, and of the one that it was said to be

    @property
    def is_found(self) -> bool:
        """Whether the board was found at all."""
        return self.board is not None

    @property
    def is_good(self) -> bool:
        """Whether the board was found and nothing is wrong with it."""
        return self.is_found and not self.faults


def check_board(bgr: Image, boards: Sequence[Board] | None = None) -> BoardCheck:
    """Look at a photograph of a finished board, with or without stones; parameters as ``find_made_board``."""
    board = find_made_board(bgr, boards)
    if boards is not None and not is_certain(board):
        among_all = locate(bgr)
        if is_certain(among_all) and among_all.field.board.name not in {board.name for board in boards}:
            return BoardCheck(None, other=(among_all.field.board.name, boards[0].name))
    return BoardCheck(None, why_not=board.reason) if isinstance(board, NotRegistered) else _check_field(bgr, board)


def find_made_board(bgr: Image, boards: Sequence[Board] | None = None) -> Registration | NotRegistered:
    """Return where a finished board lies; ValueError when ``bgr`` is no picture.

    The board is looked for as everywhere else. What the finder refuses, because a line is missing or too pale, is taken
    all the same where people say which board it is meant to be: its best hypothesis says where it lies. Of turning
    discs ``boards`` has every number of holes that it may have.
    """
    if boards is None:
        return locate(bgr)
    return surest((_asked_board(*locate_with_report(bgr, group)),) for group in few_holes_first(boards))[0]


def _asked_board(answer: Registration | NotRegistered, report: SearchReport | None) -> Registration | NotRegistered:
    """Return the answer of the finder; else the likeliest board, where enough of its strokes is seen."""
    likeliest = next(iter(report.boards), None) if report is not None and isinstance(answer, NotRegistered) else None
    if likeliest is None or likeliest.features["lines"] < MIN_ASKED_COVERAGE:
        return answer
    return likeliest.registration(likeliest.confidence)


def _check_field(bgr: Image, board: Registration) -> BoardCheck:
    field, size_px = board.field, size_of(bgr)
    n_players = max_stone_groups(field.board)
    reading = read_photograph(bgr, board, None, n_players)
    lamp = _lamp_shares(bgr, field)
    tops = np.array([0 if stone is None else GROUP_NAMES.index(stone) + 1 for stone in reading.stones])
    lamp[_white_stones(reading, tops, lamp > GLARE_SHARE / 2)] = 0
    tops[lamp > GLARE_SHARE] = 0
    traces = trace_strokes(bgr, field, np.array([stone is not None for stone in reading.stones]))
    pebbles_px = side_px(field) * min(stone_unit(field.board), WIDEST_PLACE_SIDES) * STONE_DIAMETER_UNITS
    is_small = pebbles_px < METER_LIMITS["pebble"].fair
    is_judged = is_small.mean() <= 1 / 2  # else there are too few pixels to judge the rest by
    is_glaring = lamp > GLARE_SHARE
    faults: list[BoardFault] = []
    if traces is not None and is_judged:
        if not np.median(traces.warmth[traces.warmth >= 0]) > SEEN_WARMTH:
            return BoardCheck(None, why_not=message("sight.show_whole"))  # no line is where it was thought to be
        veiled = _veiled_links(traces)
        for line in line_faults(traces, field.board, "glare", veiled):
            is_glaring |= np.isin(field.board.points, line.points + line.beside)
        faults += find_stroke_faults(traces, field.board, size_px, veiled)
    if is_judged:
        faults += _stone_faults(bgr, field, reading, tops, n_players)
    cut_off = ~field.in_sight(size_px)
    for kind, points, amount in (
        ("glare", is_glaring, lamp.max()),
        ("too_small", is_small, pebbles_px.min()),
        ("cut_off", cut_off, cut_off.mean()),
    ):
        faults += _point_fault(kind, field, np.flatnonzero(points), float(amount))
    return BoardCheck(
        field.board.name,
        field.drawing,
        _named_places(field, faults),
        () if traces is None else traces.ways_px,
        tuple(sorted(faults, key=lambda fault: FAULT_KINDS.index(fault.kind))),
        tuple((field.board.points[i], GROUP_NAMES[top - 1]) for i, top in enumerate(tops) if top),
        board.confidence,
    )


def _named_places(field: Field, faults: list[BoardFault]) -> tuple[tuple[str, float, float], ...]:
    """Return every point with its place. The finder follows a crooked corner only in part, its strokes lead to it."""
    places = dict(zip(field.board.points, field.points_px, strict=True))
    for fault in faults:
        if fault.kind == "crooked_corner" and len(fault.points) == 1:
            places[fault.points[0]] = fault.places_px[0]
    return tuple((name, float(x), float(y)) for name, (x, y) in places.items())


def _point_fault(
    kind: str, field: Field, points: NDArray[np.intp], amount: float, colours: tuple[str, ...] = ()
) -> list[BoardFault]:
    """Return one fault at some points of a board, by index; none where there are no points."""
    names = tuple(field.board.points[i] for i in points)
    return [BoardFault(kind, names, amount, field.points_px[points], (), colours)] if names else []


# ---------------------------------------------------------------- light


def _lamp_shares(bgr: Image, field: Field) -> Float64Array:
    """Return how much of a lamp is reflected nearest to every point, in areas of the place of a stone, (n_points,)."""
    scale_px = side_px(field) * min(stone_unit(field.board), WIDEST_PLACE_SIDES)
    area = board_region(bgr, field)
    for (x, y), reach in zip(field.points_px, GLARE_REACH_UNITS * scale_px, strict=True):
        cv2.circle(area, (round(x), round(y)), round(reach), 255, -1)
    darkest = bgr.min(axis=2)
    if np.median(darkest[area > 0]) >= WHITE_GROUND_LEVEL:
        return np.zeros(len(field.points_px))
    side = max(1, round(GLARE_OPENING_UNITS * float(np.median(scale_px))))
    bright = (darkest >= GLARE_LEVEL).astype(np.uint8)
    bright = np.asarray(cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.uint8)
    row, column = np.nonzero((bright > 0) & (area > 0))
    least, nearest = np.full(len(row), np.inf), np.zeros(len(row), np.intp)
    for k, (x, y) in enumerate(field.points_px):
        away = np.hypot(column - x, row - y)
        nearest[away < least] = k
        least = np.minimum(away, least)
    area_px = np.bincount(nearest, minlength=len(field.points_px))
    share: Float64Array = area_px / (np.pi * (GLARE_REACH_UNITS * scale_px) ** 2)
    return share


def _veiled_links(traces: StrokeTraces) -> NDArray[np.bool_]:
    """Return the pale links by which a lamp is reflected too dimly to be white: it pales line and ground, (n_links,).

    The ground there is brighter than elsewhere on the board, as in a patch of sun, and less colourful, unlike there.
    """
    brightness = traces.ground_bgr.max(axis=1)
    saturation = 1 - traces.ground_bgr.min(axis=1) / np.maximum(brightness, 1)
    usual = float(np.median(saturation))
    is_bright = (brightness > VEIL_BRIGHTNESS * np.median(brightness)) & (usual >= MIN_SATURATION)
    return np.asarray(is_bright & (saturation < VEIL_SATURATION * usual) & (traces.contrast < VEILED_CONTRAST))


# ---------------------------------------------------------------- stones


def _groups(reading: PhotographReading, tops: NDArray[np.int_]) -> list[tuple[NDArray[np.intp], str]]:
    """Return the points of each colour, and the colour; ``tops`` has its number, from 1, else 0, (n_points,)."""
    groups = [(np.flatnonzero(tops == GROUP_NAMES.index(name) + 1), colour) for name, colour in reading.groups]
    return [group for group in groups if len(group[0])]


def _white_stones(reading: PhotographReading, tops: NDArray[np.int_], is_lit: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the points that bear stones so white that they look like a lamp.

    One alone may be a lamp's reflection. Where several stones of a white colour are as bright (``is_lit``), they are
    stones.
    """
    white = [
        points
        for points, colour in _groups(reading, tops)
        if is_lit[points].sum() >= MIN_STONES and min(bytes.fromhex(colour[1:])) >= WHITE_LEVEL
    ]
    return np.concatenate([np.empty(0, np.intp), *white])


def _stone_faults(
    bgr: Image, field: Field, reading: PhotographReading, tops: NDArray[np.int_], n_players: int
) -> list[BoardFault]:
    """Return the colours of stones that are hard to tell from each other or from the cloth, and where."""
    groups, faults = _groups(reading, tops), list[BoardFault]()
    if len(groups) == 1 and n_players > 1 and len(groups[0][0]) >= MIN_ONE_COLOUR:
        faults += _point_fault("alike_paints", field, groups[0][0], ONE_PAINT_ERROR)
    groups = [group for group in groups if len(group[0]) >= MIN_STONES]
    for (points, colour), (others, other) in itertools.combinations(groups, 2):
        # Where nobody says whose they are, the reader makes two groups of one paint, too, as far apart as its stones
        # differ. What counts is how much further apart they are.
        further = math.sqrt(max(0.0, _distance(colour, other) ** 2 - ONE_PAINT_D_PRIME**2))
        if (mistaken := mistaken_share(further)) >= TOO_ALIKE_ERROR:
            faults += _point_fault("alike_paints", field, np.union1d(points, others), mistaken, (colour, other))
    cloth = _cloth_colour(bgr, field, reading)
    for points, colour in groups if cloth else ():
        if (overlooked := overlooked_share(_distance(colour, cloth))) >= TOO_ALIKE_ERROR:
            faults += _point_fault("paint_like_cloth", field, points, overlooked, (colour, cloth))
    return faults


def _cloth_colour(bgr: Image, field: Field, reading: PhotographReading) -> str:
    """Return the usual colour of the points without stones, ``#rrggbb``; empty where stones lie on all."""
    patches = cut_patches(bgr, field)
    bare = patches.inside & np.array([stone is None for stone in reading.stones])
    return log_colour_to_hex(median(patches.log_colour[bare].reshape(-1, 3), axis=0)) if bare.any() else ""


def _distance(colour: str, other: str) -> float:
    """Return how far two colours ``#rrggbb`` are apart, in standard deviations of the colours of single stones."""
    one, two = log_colour_of(np.array([[[*bytes.fromhex(c[1:])][::-1] for c in (colour, other)]], np.uint8))[0]
    return colour_distance(one, two)
