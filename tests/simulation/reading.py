"""Read one picture as ``millchen read`` does, and compare what was read with the truth."""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.commands.read import locate_with_report
from referee.board import Board
from referee.boards import board_family, few_holes_first
from tests.synthetic.texels import spacings
from vision.imaging.field import Registration
from vision.imaging.frame import Image
from vision.stones.photograph_reader import PhotographReading, read_photograph

NEAR = 0.5
"""Share of the distance to the next point within which a point that was found is taken for one of the truth."""


def places_of(points_px: Sequence[Sequence[float]] | NDArray[np.float64], truth_px: NDArray[np.float64]) -> list[int]:
    """For each point that was found the index of the true one there, or -1: a board has no printed "up"."""
    distance = np.linalg.norm(np.asarray(points_px, np.float64)[:, None] - truth_px[None], axis=2)
    nearest = distance.argmin(axis=1)
    near = distance.min(axis=1) < NEAR * spacings(truth_px)[nearest]
    return [int(i) if close else -1 for i, close in zip(nearest, near, strict=True)]


def read_cold(bgr: Image, board: Board, n_players: int, empty: Image | None = None) -> PhotographReading | None:
    """Read a picture as ``millchen read --board`` does, beside the empty table where one is given; None: no board."""
    for boards in few_holes_first(board_family(board.name)):
        seen, _ = locate_with_report(bgr if empty is None else empty, boards)
        if isinstance(seen, Registration):
            return read_photograph(bgr, seen, empty, n_players)
    return None


def reads_exactly(reading: PhotographReading | None, tops: Sequence[int], truth_px: NDArray[np.float64]) -> bool:
    """Whether every point was read right; which colour is whose is open, but one colour is never two players'."""
    if reading is None:
        return False
    places = places_of(reading.points_px, truth_px)
    if sorted(places) != list(range(len(tops))):
        return False
    names = sorted({stone for stone in reading.stones if stone})
    seen = [0] * len(tops)
    for place, stone in zip(places, reading.stones, strict=True):
        seen[place] = names.index(stone) + 1 if stone else 0
    pairs = {(0, 0), *zip(seen, tops, strict=True)}
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


def n_right(stones: Sequence[str | None], tops: Sequence[int]) -> int:
    """How many points were read right; which colour is whose is open."""
    groups = sorted({stone for stone in stones if stone})
    best = 0
    for named in itertools.permutations((1, 2, 3, 4), len(groups)):
        player_of: dict[str | None, int] = dict(zip(groups, named, strict=True)) | {None: 0}
        best = max(best, sum(player_of[stone] == top for stone, top in zip(stones, tops, strict=True)))
    return best
