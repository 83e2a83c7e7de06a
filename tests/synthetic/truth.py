"""What really is in a synthetic picture."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.synthetic.stones import Stone
from tests.synthetic.viewpoint import Array

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
