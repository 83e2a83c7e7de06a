"""Is this board good? What a photograph of a finished board says of its lines, corners, stones and light."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.field_step import surest
from calibration.making.stroke_faults import SEEN_WARMTH, BoardFault, find_stroke_faults
from calibration.making.stroke_traces import StrokeTraces, trace_strokes
from calibration.placement import GLARE_LEVEL, METER_LIMITS, STONE_DIAMETER_UNITS, board_region
from languages import message
from referee.board import Board
from referee.boards import few_holes_first
from referee.presets import find_variant, variants_on
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.detection.detect import SearchReport, locate, locate_with_report
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image, size_of
from vision.imaging.medians import median
from vision.imaging.patches import cut_patches, image_jacobians, log_colour_of, log_colour_to_hex, stone_unit
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading, read_photograph
from vision.stones.separability import TOO_ALIKE_ERROR, colour_distance, mistaken_share, overlooked_share

FAULT_KINDS = (
    "missing_link", "pale_line", "crooked_corner", "alike_paints", "paint_like_cloth", "glare", "too_small", "cut_off",
)  # fmt: skip
"""Kinds of faults, in the order in which they are told: what the board lacks, then its stones, then the picture."""


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
    seen = find_made_board(bgr, boards)
    if boards is not None and not _is_certain(seen):
        among_all = locate(bgr)
        if _is_certain(among_all) and among_all.field.board.name not in {board.name for board in boards}:
            return BoardCheck(None, other=(among_all.field.board.name, boards[0].name))
    return BoardCheck(None, why_not=seen.reason) if isinstance(seen, NotRegistered) else check_field(bgr, seen)


def _is_certain(seen: Registration | NotRegistered) -> TypeGuard[Registration]:
    return isinstance(seen, Registration) and seen.confidence > CERTAIN_CONFIDENCE


def check_field(bgr: Image, seen: Registration) -> BoardCheck:
    """Look at a board whose place in the picture is known; parameters as ``check_board``."""
    field, size_px = seen.field, size_of(bgr)
    n_players = max((find_variant(name).players for name in variants_on(field.board)), default=2)
    reading = read_photograph(bgr, seen, None, n_players)
    lamp = _lamp_shares(bgr, field)
    lamp[_white_stones(reading, lamp > GLARE_SHARE / 2)] = 0
    tops = np.where(lamp > GLARE_SHARE, 0, _sure_stones(reading))
    traces = trace_strokes(bgr, field, np.array([stone is not None for stone in reading.stones]))
    small = _size_fault(field)
    is_small = bool(small) and len(small[0].points) > len(field.board.points) / 2  # too few pixels to judge the rest by
    if traces is not None and not is_small and not np.median(traces.warmth[traces.warmth >= 0]) > SEEN_WARMTH:
        return BoardCheck(None, why_not=message("sight.show_whole"))  # no line is where it was thought to be
    is_veiled = np.zeros(len(field.board.points), np.bool_)
    faults: list[BoardFault] = []
    if traces is not None and not is_small:
        links = _veiled_links(traces) & (traces.contrast < VEILED_CONTRAST)
        is_veiled = _points_at_links(field, traces, links)
        unjudged = links | _links_in_glare(traces, field, lamp)
        faults += find_stroke_faults(traces, field.board, size_px, unjudged)
    if not is_small:
        faults += _stone_faults(bgr, field, reading, tops, n_players)
    faults += _point_fault("glare", field, np.flatnonzero((lamp > GLARE_SHARE) | is_veiled), float(lamp.max())) + small
    cut_off = np.flatnonzero(~field.in_sight(size_px))
    faults += _point_fault("cut_off", field, cut_off, len(cut_off) / len(field.board.points))
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
    if boards is None:
        return locate(bgr)
    return surest((_asked_board(*locate_with_report(bgr, group)),) for group in few_holes_first(boards))[0]


def _asked_board(seen: Registration | NotRegistered, report: SearchReport | None) -> Registration | NotRegistered:
    """Return what was found; else the likeliest board that was asked for, where enough of its strokes is seen."""
    likeliest = next(iter(report.boards), None) if report is not None and isinstance(seen, NotRegistered) else None
    if likeliest is None or likeliest.features["lines"] < MIN_ASKED_COVERAGE:
        return seen
    return likeliest.registration(likeliest.confidence)


# ---------------------------------------------------------------- light and size


def _point_fault(
    kind: str, field: Field, where: NDArray[np.intp], amount: float, colours: tuple[str, ...] = ()
) -> list[BoardFault]:
    """Return one fault at some points of a board, by index; none where there are no points."""
    if not len(where):
        return []
    names = tuple(field.board.points[i] for i in where)
    return [BoardFault(kind, names, amount, field.points_px[where], (), colours)]


GLARE_REACH_UNITS = 0.5  # radius of the place of a stone, units
GLARE_SHARE = 0.04  # area of a lamp's reflection that spoils the board, places of a stone: a ninth of a usual stone
WIDEST_PLACE_SIDES = 0.24  # greatest place of a stone, sides: wider boards are played with the same pebbles
MOST_LIT_PLACES = 20000  # most pixels of a reflection that are counted one by one
GLARE_OPENING_UNITS = 0.16  # width up to which something bright is a line of white paint or a glint, not a lamp, units

# brightness of the ground beside a line from which, and colour up to which, a lamp is reflected there, shares of what
# is usual on the board; source: measured; 1.22 and 0.66 at a reflection on a real board, and colours of 0.91 and more
# beside pale lines of 24 drawn ones (seeds 252300 up of `tests/calibration/faulty_boards.py`)
VEIL_BRIGHTNESS, VEIL_SATURATION = 1.1, 0.8

VEILED_CONTRAST = 0.5  # share of the contrast of the other strokes below which a reflection spoils a line
MIN_SATURATION = 0.1  # saturation of the ground from which on it can become less colourful

WHITE_GROUND_LEVEL = 235  # level of the darkest channel, of 255, from which the ground is as white as a lamp


def _lamp_shares(bgr: Image, field: Field) -> Float64Array:
    """Return how much of a lamp is reflected nearest to every point, in areas of the place of a stone, (n_points,)."""
    place_sides = min(stone_unit(field.board), WIDEST_PLACE_SIDES)
    scale_px = np.sqrt(np.abs(np.linalg.det(image_jacobians(field)))) * place_sides
    lit = (bgr.min(axis=2) >= GLARE_LEVEL).astype(np.uint8)
    side = max(1, round(GLARE_OPENING_UNITS * float(np.median(scale_px))))
    lit = np.asarray(cv2.morphologyEx(lit, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.uint8)
    area = _playing_area(bgr, field, scale_px)
    if np.median(bgr.min(axis=2)[area]) >= WHITE_GROUND_LEVEL:
        return np.zeros(len(field.points_px))
    lit[~area] = 0
    row, column = np.nonzero(lit)
    if not len(row):
        return np.zeros(len(field.points_px))
    step = max(1, len(row) // MOST_LIT_PLACES)
    places = np.column_stack([column, row])[::step].astype(np.float64)
    nearest = np.linalg.norm(places[:, None] - field.points_px[None], axis=2).argmin(axis=1)
    area_px = np.bincount(nearest, minlength=len(field.points_px)) * step
    share: Float64Array = area_px / (np.pi * (GLARE_REACH_UNITS * scale_px) ** 2)
    return share


def _playing_area(bgr: Image, field: Field, scale_px: Float64Array) -> NDArray[np.bool_]:
    """Return which pixels lie between the points or where a stone stands on one, (H, W)."""
    area = board_region(bgr, field)
    for (x, y), reach in zip(field.points_px, GLARE_REACH_UNITS * scale_px, strict=True):
        cv2.circle(area, (round(x), round(y)), round(reach), 255, -1)
    return area > 0


def _veiled_links(traces: StrokeTraces) -> NDArray[np.bool_]:
    """Return the links by which a lamp is reflected too dimly to be white: it pales line and ground, (n_links,).

    The ground there is brighter than elsewhere on the board, as in a patch of sun, and less colourful, unlike there.
    """
    brightness = traces.ground_bgr.max(axis=1)
    saturation = 1 - traces.ground_bgr.min(axis=1) / np.maximum(brightness, 1)
    usual = float(np.median(saturation))
    if usual < MIN_SATURATION:
        return np.zeros(len(traces.ground_bgr), np.bool_)
    is_bright = brightness > VEIL_BRIGHTNESS * np.median(brightness)
    return np.asarray(is_bright & (saturation < VEIL_SATURATION * usual))


def _points_at_links(field: Field, traces: StrokeTraces, links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which points lie at the ends of some links, or on both sides of them, (n_points,)."""
    middles = traces.ideal_joints[traces.template.links[links]].mean(axis=1)
    away = np.linalg.norm(middles[:, None] - np.asarray(field.board.xy)[None], axis=2)
    return np.asarray((away < 1.05 * away.min(axis=1, keepdims=True)).any(axis=0))


def _size_fault(field: Field) -> list[BoardFault]:
    """Return the points at which a usual stone is narrower than the readers were measured for."""
    scale = np.sqrt(np.abs(np.linalg.det(image_jacobians(field))))
    across = scale * min(stone_unit(field.board), WIDEST_PLACE_SIDES) * STONE_DIAMETER_UNITS
    where = np.flatnonzero(across < METER_LIMITS["pebble"].fair)
    return _point_fault("too_small", field, where, float(across.min()))


SURE_STONE = 0.9  # posterior from which a stone counts: what looks like the board may be a bare point of it
WHITE_LEVEL = 225  # level of the darkest channel from which stones are so white that they look like a lamp, of 255
MIN_STONES = 2  # least number of stones of a colour that are compared
MIN_ONE_COLOUR = 4  # stones on a board, all of one colour, from which on it is asked where the other player's are
ONE_PAINT_ERROR = 0.5  # share of stones that are mistaken where all look the same: a guess; source: probability

# usual distance of two groups that the reader makes of stones of one paint, standard deviations of single stones;
# source: measured on drawn boards (seeds 252100 to 252143 of `tests/calibration/faulty_boards.py`): 1.9 to 3.9, half of
# them below 2.5, where the players' paints are alike; 4.4 and more where they are not
ONE_PAINT_D_PRIME = 2.5


def _sure_stones(reading: PhotographReading) -> NDArray[np.int_]:
    """Return the number of the colour of the stone on every point, from 1; 0 where none is sure, (n_points,).

    That it is a stone must be sure; whose it is cannot be where all look the same.
    """
    tops = [0 if stone is None else GROUP_NAMES.index(stone) + 1 for stone in reading.stones]
    return np.where(reading.p_stone >= SURE_STONE, tops, 0)


def _white_stones(reading: PhotographReading, is_lit: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which points bear stones so white that they look like a lamp, (n_points,).

    One alone may be a lamp's reflection. Where several stones of a white colour are as bright (``is_lit``), they are
    stones.
    """
    tops, is_white = _sure_stones(reading), np.zeros(len(reading.stones), np.bool_)
    for name, colour in reading.groups:
        of_group = tops == GROUP_NAMES.index(name) + 1
        if (of_group & is_lit).sum() >= MIN_STONES and min(bytes.fromhex(colour[1:])) >= WHITE_LEVEL:
            is_white |= of_group
    return is_white


def _stone_faults(
    bgr: Image, field: Field, reading: PhotographReading, tops: NDArray[np.int_], n_players: int
) -> list[BoardFault]:
    """Return the colours of stones that are hard to tell from each other or from the cloth, and where.

    ``tops`` has the number of the colour of each stone that counts, from 1, else 0, shape (n_points,).
    """
    where = {name: np.flatnonzero(tops == GROUP_NAMES.index(name) + 1) for name, _ in reading.groups}
    colours = {name: colour for name, colour in reading.groups if len(where[name]) >= MIN_STONES}
    found: list[BoardFault] = []
    if sum(len(points) > 0 for points in where.values()) == 1 and n_players > 1:
        (name,) = (name for name, points in where.items() if len(points))
        if len(where[name]) >= MIN_ONE_COLOUR:
            found += _point_fault("alike_paints", field, where[name], ONE_PAINT_ERROR)
    for (one, its), (other, others) in itertools.combinations(colours.items(), 2):
        mistaken = _mistaken_share(colour_distance(_log_colour(its), _log_colour(others)))
        if mistaken >= TOO_ALIKE_ERROR:
            points = np.union1d(where[one], where[other])
            found += _point_fault("alike_paints", field, points, mistaken, (its, others))
    cloth = _cloth_colour(bgr, field, reading)
    for name, its in colours.items() if cloth else ():
        overlooked = overlooked_share(colour_distance(_log_colour(its), _log_colour(cloth)))
        if overlooked >= TOO_ALIKE_ERROR:
            found += _point_fault("paint_like_cloth", field, where[name], overlooked, (its, cloth))
    return found


def _cloth_colour(bgr: Image, field: Field, reading: PhotographReading) -> str:
    """Return the usual colour of the points without stones, ``#rrggbb``; empty where stones lie on all."""
    patches = cut_patches(bgr, field)
    bare = patches.inside & np.array([stone is None for stone in reading.stones])
    return log_colour_to_hex(median(patches.log_colour[bare].reshape(-1, 3), axis=0)) if bare.any() else ""


def _log_colour(colour: str) -> Float32Array:
    """Return the log colour (3,) of ``#rrggbb``."""
    found: Float32Array = log_colour_of(np.array([[[*bytes.fromhex(colour[1:])][::-1]]], np.uint8))[0, 0]
    return found


def _mistaken_share(d_prime: float) -> float:
    """Return the share of stones that are mistaken when the photograph alone says which stones belong together.

    Where nobody says whose they are, the reader makes two groups of one paint, too, as far apart as its stones differ.
    What counts is how much further apart they are.
    """
    further = math.sqrt(max(0.0, d_prime**2 - ONE_PAINT_D_PRIME**2))
    return mistaken_share(further)
