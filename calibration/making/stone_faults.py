"""Which stones on a board are hard to tell: from those of another player, or from the board itself."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.making.board_faults import BoardFault, point_fault
from calibration.stones_step import learn_appearance
from vision.imaging.field import Field
from vision.imaging.frame import Image
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading
from vision.stones.separability import FIELD, TOO_ALIKE_ERROR, pairwise_separability

SURE_STONE = 0.9
"""Posterior from which a stone counts: what looks like the board may be a bare point of it. Source: chosen."""

WHITE_LEVEL = 225
"""Level of the darkest channel from which stones are so white that they look like a lamp, of 255. Source: chosen."""

MIN_STONES = 2
"""Least number of stones of a colour that are compared. Source: chosen."""

MIN_ONE_COLOUR = 5
"""Stones on a board, all of one colour, from which on it is asked where the other player's are. Source: chosen."""

ONE_PAINT_ERROR = 0.5
"""Share of stones that are mistaken where all look the same: a guess. Source: probability."""

ONE_PAINT_D_PRIME = 4.0
"""Distance of two groups that the reader makes of stones of one paint, standard deviations of single stones.
Source: measured on 8 drawn boards whose players have one paint: 1.8 to 4.5."""


def sure_stones(reading: PhotographReading) -> NDArray[np.int_]:
    """Return the number of the colour of the stone on every point, from 1; 0 where none is sure, (n_points,)."""
    tops = [0 if stone is None else GROUP_NAMES.index(stone) + 1 for stone in reading.stones]
    return np.where(reading.p >= SURE_STONE, tops, 0)


def white_stones(reading: PhotographReading) -> NDArray[np.bool_]:
    """Return which points bear white stones, (n_points,): one alone may be a lamp's reflection, several are stones."""
    tops, is_white = sure_stones(reading), np.zeros(len(reading.stones), np.bool_)
    for name, colour in reading.groups:
        of_group = tops == GROUP_NAMES.index(name) + 1
        if of_group.sum() >= MIN_STONES and min(bytes.fromhex(colour[1:])) >= WHITE_LEVEL:
            is_white |= of_group
    return is_white


def find_stone_faults(bgr: Image, field: Field, tops: NDArray[np.int_], n_players: int) -> list[BoardFault]:
    """Return the colours of stones that are hard to tell from each other or from the cloth, and where."""
    counts = np.bincount(tops, minlength=n_players + 1)
    counts[0] = 0
    kept = np.where(counts[tops] >= MIN_STONES, tops, 0)
    colours = np.unique(kept[kept > 0])
    if not len(colours):
        return []
    found: list[BoardFault] = []
    if len(colours) == 1 and n_players > 1 and (kept > 0).sum() >= MIN_ONE_COLOUR:
        found += point_fault("alike_paints", field, np.flatnonzero(kept), ONE_PAINT_ERROR)
    appearance = learn_appearance(bgr, field, tuple(int(top) for top in kept), None, n_players)
    for pair in pairwise_separability(appearance):
        is_cloth = pair.other == FIELD
        mistaken = pair.error if is_cloth else max(pair.error, _mistaken_share(pair.d_prime))
        if mistaken < TOO_ALIKE_ERROR:
            continue
        players = [int(name.split()[-1]) for name in (pair.one, pair.other) if name != FIELD]
        kind = "paint_like_cloth" if is_cloth else "alike_paints"
        found += point_fault(kind, field, np.flatnonzero(np.isin(kept, players)), mistaken, pair.colours)
    return found


def _mistaken_share(d_prime: float) -> float:
    """Return the share of stones that are mistaken when the photograph alone says which stones belong together.

    Where nobody says whose they are, the reader makes two groups of one paint, too, as far apart as its stones differ.
    What counts is how much further apart they are.
    """
    further = math.sqrt(max(0.0, d_prime**2 - ONE_PAINT_D_PRIME**2))
    return math.erfc(further / 2 / math.sqrt(2)) / 2
