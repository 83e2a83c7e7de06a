"""Exact tables of small games with captures, which ship because making one takes too long.

``tools/solve_game.py`` makes them. A file in ``tables/``, named after its board, has one line of JSON that says for
which rules it is right, and then one byte a position, compressed. It holds for every game on its board that differs
from the solved one only in having fewer stones (each of its positions is one of the larger game too), in its name, and
in who begins.
"""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from itertools import combinations
from math import comb
from typing import NamedTuple

from referee.position import Position
from referee.search.exact_table import best_turns, symmetries
from referee.search.thought import Value
from referee.turns import legal_turns
from referee.variant import Variant

LOW_BITS = 8  # bits of a set of points that are turned in one step


class Slice(NamedTuple):
    """All positions with as many stones in the hands and on the board, the mover's before the other's."""

    my_hand: int
    other_hand: int
    mine: int
    others: int


class TableLayout:
    """The numbering of all positions of a game with ``men`` stones for each and hands that are emptied in turn.

    Sets of points are numbers with bit ``1 << i`` for point ``i``. For each of them ``way`` is the symmetry that turns
    the set into the arrangement that stands for it, and ``number`` that of the arrangement among those of as many
    points.
    """

    def __init__(self, variant: Variant, men: int) -> None:
        self.n = len(variant.board.points)
        self.men, self.least = men, variant.min_stones
        permutations = symmetries(variant)
        self.turned = [_turned_sets(images) for images in permutations]
        self.way, self.number = array("B", bytes(1 << self.n)), array("H", bytes(2 << self.n))
        self.arrangements: list[list[int]] = []
        back = [permutations.index(tuple(map(images.index, range(self.n)))) for images in permutations]
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
        arrangement = self.arrangements[part.mine][number]
        rank, stones, free = 0, 0, 0
        for point in range(self.n):
            if others >> point & 1:
                stones += 1
                rank += comb(free, stones)
            free += not arrangement >> point & 1
        return self.offsets[part] + number * comb(self.n - part.mine, part.others) + rank

    def _arranged(self, n_stones: int, back: list[int]) -> list[int]:
        """The arrangements of ``n_stones`` points that stand for all others, and the way of each of those to them."""
        arrangements: list[int] = []
        all_images: set[int] = set()
        mask = (1 << LOW_BITS) - 1
        for points in combinations(range(self.n), n_stones):
            arrangement = sum(1 << point for point in points)
            if arrangement in all_images:
                continue
            for symmetry, (low, high) in enumerate(self.turned):
                image = low[arrangement & mask] | high[arrangement >> LOW_BITS]
                if image not in all_images:
                    all_images.add(image)
                    self.way[image], self.number[image] = back[symmetry], len(arrangements)
            arrangements.append(arrangement)
        return arrangements

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


FORMAT = 1  # number of the format of the files; another one is not read

# fields of ``Variant`` that do not go into ``rules_of`` as they are
FREE = ("name", "board", "stones", "first", "chosen")


class StoredTable:
    """The solution of one game, as it was read.

    A code of 0 is drawn; k is decided in k - 1 turns of both together, which the mover wins where that is odd and loses
    where it is even, as nobody ever passes; 1: he is blocked and has lost.
    """

    def __init__(self, layout: TableLayout, codes: bytes) -> None:
        self.layout = layout
        self.codes = codes

    def place(self, position: Position) -> int | None:
        """Where a position between turns lies; None where stones and hands are as they can never be in a game."""
        me = position.to_move
        part = Slice(position.hands[me], position.hands[1 - me], position.counts[me], position.counts[1 - me])
        if part not in self.layout.offsets:
            return None
        mine = others = 0
        for point, owner in enumerate(position.owners):
            if owner == me + 1:
                mine |= 1 << point
            elif owner:
                others |= 1 << point
        return self.layout.index(part, mine, others)

    def value(self, position: Position) -> Value | None:
        """What a position is worth; None where it cannot come about.

        While a capture is due, what the best one leads to, its turn being counted as still to be made.
        """
        if position.ended is not None:
            return Value.of(position.ended, 2)
        if position.dues:
            best = best_turns(self, position, legal_turns(position))
            return best[0][1] if best else None
        place = self.place(position)
        if place is None:
            return None
        code = self.codes[place]
        if code == 0:
            return Value.drawn(2)
        return Value.won(2, position.to_move if code % 2 == 0 else 1 - position.to_move, code - 1)


def rules_of(variant: Variant) -> str:
    """A fingerprint of a board and of all unusual rules, except for names, stones and who begins."""
    board = variant.board
    rules = {
        item.name: getattr(variant, item.name)
        for item in fields(variant)
        if item.name not in FREE and getattr(variant, item.name) != item.default
    }
    text = json.dumps([board.points, board.edges, board.lines, board.rings, rules], sort_keys=True)
    return sha256(text.encode()).hexdigest()


def unpack(data: bytes, variant: Variant) -> StoredTable | None:
    """The table in a file; None where it was solved for other rules than those of ``variant``.

    Raises ValueError when the file is damaged.
    """
    line, _, packed = data.partition(b"\n")
    try:
        header = json.loads(line)
        kind, men, rules, digest = (header[word] for word in ("format", "men", "rules", "codes"))
    except (ValueError, KeyError, TypeError):
        raise ValueError("the table is damaged: its first line cannot be read") from None
    stones = variant.stones
    if kind != FORMAT or rules != rules_of(variant) or len(stones) != 2 or not stones[0] == stones[1] <= men:
        return None
    try:
        codes = zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"the table is damaged: {error}") from None
    layout = TableLayout(variant, men)
    if len(codes) != layout.size or sha256(codes).hexdigest() != digest:
        raise ValueError("the table is damaged: it is not what was written")
    return StoredTable(layout, codes)


@lru_cache(maxsize=8)
def stored(variant: Variant) -> StoredTable | None:
    """The table that ships for a game; None where no table has exactly these rules.

    None also where its file is missing or damaged: at a real table the game goes on, and the search, which needs no
    file, takes the place of the table. A value that is not certain is never shown.
    """
    with suppress(OSError):
        for file in files("referee.search").joinpath("tables").iterdir():
            if file.name.startswith(variant.board.name):
                with suppress(ValueError):
                    if (table := unpack(file.read_bytes(), variant)) is not None:
                        return table
    return None
