"""What really is in a synthetic picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.synthetic.stones import Stone
from tests.synthetic.viewpoint import Array
from vision.imaging.frame import Image

Stacks = Sequence[Sequence[int | Stone]]


@dataclass(frozen=True, eq=False)
class Truth:
    """What really is in a picture.

    Attributes:
        points_px: float64 array of shape (n_points, 2). Where each point of the hand-made board lies, image space, in
            the order of ``board.points``.
        tops: 0 bare, k a stone painted as player k - 1 on top; also where a hand hides it.
        heights: Stones on each point.
        hidden: A hand covers the point.
    """

    points_px: Array
    tops: tuple[int, ...]
    heights: tuple[int, ...]
    hidden: tuple[bool, ...]


def stacks_of(tops: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Stacks of at most one stone from tops (0 bare, k player k - 1)."""
    return tuple((top - 1,) if top else () for top in tops)


def scattered(rng: np.random.Generator, n_points: int, n_players: int, share: float) -> list[list[int]]:
    """Stacks of one stone each, of any player, on about a share of the points."""
    return [[int(rng.integers(n_players))] if rng.random() < share else [] for _ in range(n_points)]


def cut_off(bgr: Image, points_px: Array, side: str, at_px: float, least_px: int = 1) -> tuple[Image, Array]:
    """The picture without what lies beyond a line at one of its sides, ``least_px`` wide at least, and its points."""
    axis, first, last = 0 if side in ("left", "right") else 1, [0, 0], [bgr.shape[1], bgr.shape[0]]
    if side in ("left", "upper"):
        first[axis] = min(max(0, round(at_px)), last[axis] - least_px)
    else:
        last[axis] = min(last[axis], max(round(at_px), least_px))
    return np.ascontiguousarray(bgr[first[1] : last[1], first[0] : last[0]]), points_px - np.array(first)
