"""Where each position of a small mill game lies in a stored table.

A position between turns is what the mover and the other hold in their hands and on the board. The mover's stones are
turned into one arrangement for all that are alike, the other's are numbered among the points left free. Nothing is
left out and nothing but arrangements with a symmetry of their own stands twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

from referee.search.symmetries import symmetries
from referee.variant import Variant

LOW_BITS = 8
"""Bits of a set of points that are turned in one step."""


class Slice(NamedTuple):
    """All positions with as many stones in the hands and on the board, the mover's before the other's."""

    my_hand: int
    other_hand: int
    mine: int
    others: int


class TableLayout:
    """The numbering of all positions of a game with ``men`` stones for each and hands that are emptied in turn.

    Sets of points are numbers with bit ``1 << i`` for point ``i``.

    Attributes:
        n: Points of the board.
        men, least: Most stones of each player, and with how many he still plays.
        turned: For each symmetry what it makes of a set of the first points and of one of the others.
        way: array of int, by set of points. The symmetry that turns the set into the arrangement that stands for it.
        number: array of int, by set of points. The number of that arrangement among those of as many points.
        arrangements: For each number of points the arrangements.
        offsets: Where the positions of a slice begin.
        size: Number of all positions.
    """

    def __init__(self, variant: Variant, men: int) -> None:
        self.n = len(variant.board.points)
        self.men, self.least = men, variant.min_stones
        permutations = symmetries(variant)
        self.turned = [_turned_sets(images) for images in permutations]
        self.way, self.number = array("B", bytes(1 << self.n)), array("H", bytes(2 << self.n))
        self.arrangements: list[list[int]] = []
        back = [permutations.index(_inverse(images)) for images in permutations]
        for n_stones in range(self.men + 1):
            self.arrangements.append(self._arranged(n_stones, back))
        self.offsets: dict[Slice, int] = {}
        self.size = 0
        for part in self._slices():
            self.offsets[part] = self.size
            self.size += len(self.arrangements[part.mine]) * comb(self.n - part.mine, part.others)

    def index(self, part: Slice, mine: int, others: int) -> int:
        """Where the position lies in which the mover has the points ``mine`` and the other has ``others``."""
        low, high = self.turned[self.way[mine]]
        mask = (1 << LOW_BITS) - 1
        others = low[others & mask] | high[others >> LOW_BITS]
        number = self.number[mine]
        taken = self.arrangements[part.mine][number]
        rank, stones, free = 0, 0, 0
        for point in range(self.n):
            if others >> point & 1:
                stones += 1
                rank += comb(free, stones)
            free += not taken >> point & 1
        return self.offsets[part] + number * comb(self.n - part.mine, part.others) + rank

    def _arranged(self, n_stones: int, back: list[int]) -> list[int]:
        """The arrangements of ``n_stones`` points that stand for all others, and the way of each of those to them."""
        found: list[int] = []
        seen: set[int] = set()
        mask = (1 << LOW_BITS) - 1
        for points in combinations(range(self.n), n_stones):
            arrangement = sum(1 << point for point in points)
            if arrangement in seen:
                continue
            for symmetry, (low, high) in enumerate(self.turned):
                image = low[arrangement & mask] | high[arrangement >> LOW_BITS]
                if image not in seen:
                    seen.add(image)
                    self.way[image], self.number[image] = back[symmetry], len(found)
            found.append(arrangement)
        return found

    def _slices(self) -> Iterator[Slice]:
        """Every slice, the start first: who is to lay the last stones has as many in his hand, or one more."""
        for hand in range(self.men, -1, -1):
            for other_hand in (hand, hand - 1) if hand else (0,):
                for mine in range(self.men - hand + 1):
                    for others in range(self.men - other_hand + 1):
                        if min(hand + mine, other_hand + others) >= self.least:
                            yield Slice(hand, other_hand, mine, others)


def _turned_sets(images: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """What a symmetry makes of each set of the first points, and of each set of the others."""
    comes_to = {image: 1 << i for i, image in enumerate(images)}
    low = [comes_to[point] for point in range(LOW_BITS)]
    high = [comes_to[point] for point in range(LOW_BITS, len(images))]
    return _unions(low), _unions(high)


def _unions(bits: list[int]) -> list[int]:
    """For each set of the ``bits`` their union."""
    sets = [0]
    for bit in bits:
        sets += [one | bit for one in sets]
    return sets


def _inverse(images: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(images.index(point) for point in range(len(images)))
