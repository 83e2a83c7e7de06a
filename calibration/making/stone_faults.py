"""Which stones on a board are hard to tell: from those of another player, or from the board itself."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from calibration.making.board_faults import BoardFault, point_fault
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import cut_patches, log_colour_of, log_colour_to_hex
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading
from vision.stones.separability import TOO_ALIKE_ERROR, colour_distance, overlooked_share

SURE_STONE = 0.9
"""Posterior from which a stone counts: what looks like the board may be a bare point of it. Source: chosen."""

WHITE_LEVEL = 225
"""Level of the darkest channel from which stones are so white that they look like a lamp, of 255. Source: chosen."""

MIN_STONES = 2
"""Least number of stones of a colour that are compared. Source: chosen."""

MIN_ONE_COLOUR = 4
"""Stones on a board, all of one colour, from which on it is asked where the other player's are. Source: chosen."""

ONE_PAINT_ERROR = 0.5
"""Share of stones that are mistaken where all look the same: a guess. Source: probability."""

ONE_PAINT_D_PRIME = 2.5
"""Usual distance of two groups that the reader makes of stones of one paint, standard deviations of single stones.
Source: measured on drawn boards (seeds 252100 to 252143 of `tests/calibration/faulty_boards.py`): 1.9 to 3.9, half of
them below 2.5, where the players' paints are alike; 4.4 and more where they are not."""


def sure_stones(reading: PhotographReading) -> NDArray[np.int_]:
    """Return the number of the colour of the stone on every point, from 1; 0 where none is sure, (n_points,)."""
    tops = [0 if stone is None else GROUP_NAMES.index(stone) + 1 for stone in reading.stones]
    return np.where(reading.p >= SURE_STONE, tops, 0)


def white_stones(reading: PhotographReading, is_lit: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which points bear stones so white that they look like a lamp, (n_points,).

    One alone may be a lamp's reflection. Where several stones of a white colour are as bright, they are stones.

    Args:
        is_lit: bool array of shape (n_points,). Points at which something is as bright as a lamp.
    """
    tops, is_white = sure_stones(reading), np.zeros(len(reading.stones), np.bool_)
    for name, colour in reading.groups:
        of_group = tops == GROUP_NAMES.index(name) + 1
        if (of_group & is_lit).sum() >= MIN_STONES and min(bytes.fromhex(colour[1:])) >= WHITE_LEVEL:
            is_white |= of_group
    return is_white


def find_stone_faults(
    bgr: Image, field: Field, reading: PhotographReading, tops: NDArray[np.int_], n_players: int
) -> list[BoardFault]:
    """Return the colours of stones that are hard to tell from each other or from the cloth, and where.

    Args:
        bgr: uint8 array of shape (H, W, 3).
        tops: int array of shape (n_points,). Number of the colour of the stone on every point that counts, from 1; else
            0.
    """
    where = {name: np.flatnonzero(tops == GROUP_NAMES.index(name) + 1) for name, _ in reading.groups}
    colours = {name: colour for name, colour in reading.groups if len(where[name]) >= MIN_STONES}
    found: list[BoardFault] = []
    if sum(len(points) > 0 for points in where.values()) == 1 and n_players > 1:
        (name,) = (name for name, points in where.items() if len(points))
        if len(where[name]) >= MIN_ONE_COLOUR:
            found += point_fault("alike_paints", field, where[name], ONE_PAINT_ERROR)
    for (one, its), (other, others) in itertools.combinations(colours.items(), 2):
        mistaken = _mistaken_share(colour_distance(_log_colour(its), _log_colour(others)))
        if mistaken >= TOO_ALIKE_ERROR:
            points = np.union1d(where[one], where[other])
            found += point_fault("alike_paints", field, points, mistaken, (its, others))
    cloth = _cloth_colour(bgr, field, reading)
    for name, its in colours.items() if cloth else ():
        overlooked = overlooked_share(colour_distance(_log_colour(its), _log_colour(cloth)))
        if overlooked >= TOO_ALIKE_ERROR:
            found += point_fault("paint_like_cloth", field, where[name], overlooked, (its, cloth))
    return found


def _cloth_colour(bgr: Image, field: Field, reading: PhotographReading) -> str:
    """Return the usual colour of the points without stones, ``#rrggbb``; empty where there are none."""
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
    return math.erfc(further / 2 / math.sqrt(2)) / 2
