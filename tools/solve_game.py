#!/usr/bin/env python3
"""Solve a small mill game from its ends, and write the table that ships.

    python tools/solve_game.py six_mens_morris --write referee/search/tables/six_mens_morris.table
    python tools/solve_game.py six_mens_morris fly=own --check 2000    # only its moves against the referee's
    python tools/solve_game.py picaria                                 # solved when it is asked for: only figures

Every position has a place in the table (`referee/search/shipped_solution.py`). Slices of equal stones are solved one
after the other: those from which nothing but captures leads away first, the empty board last. In the moving phase two
slices lead into one another; their values are computed again and again from those of the positions that they lead to,
until nothing changes. The rules are written anew here for numpy, a slice at once, and held against the referee's.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import fields
from hashlib import sha256
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from referee.endings import Termination
from referee.position import Position
from referee.presets import find_variant
from referee.search.exact_table import ExactTable, can_be_solved
from referee.search.shipped_solution import FORMAT, LOW_BITS, Slice, StoredTable, TableLayout, rules_of
from referee.turns import legal_turns
from referee.variant import Variant

LOW = (1 << LOW_BITS) - 1
LOST_NOW = 1
"""The code of a position in which the mover has just lost: as ``StoredTable.codes``, the distance 0 and one more."""

Numbers = NDArray[np.int32]


MAY_DIFFER = ("name", "board", "stones", "first", "fly", "fly_at", "min_stones", "chosen")
"""Fields of ``Variant`` that the rules written here read, or that change nothing; all others must be the usual ones."""


def refuse_other_rules(variant: Variant) -> None:
    """Raise where the rules written here are not those of the game.

    Raises:
        ValueError: One sentence that names what they do not know.
    """
    unknown = [
        item.name
        for item in fields(variant)
        if item.name not in MAY_DIFFER and getattr(variant, item.name) != item.default
    ]
    if variant.fly not in ("off", "own"):
        unknown.append("fly")
    if len(variant.stones) != 2 or len(set(variant.stones)) > 1 or sum(variant.stones) >= len(variant.board.points):
        unknown.append("stones")
    if variant.board.rings:
        unknown.append("board")
    if unknown:
        raise ValueError(f"{variant.name} cannot be solved here, for its {', '.join(unknown)}")


class Solver:
    """The table of one game, as it is filled.

    Attributes:
        codes: uint8 array of shape (layout.size + 1,). As ``StoredTable.codes``; the last one stands for every position
            in which the mover has just lost.
    """

    def __init__(self, variant: Variant) -> None:
        refuse_other_rules(variant)
        self.variant = variant
        self.layout = layout = TableLayout(variant, variant.stones[0])
        self.n = layout.n
        self.codes = np.zeros(layout.size + 1, np.uint8)
        self.codes[-1] = LOST_NOW
        self.lines = [(i, sum(1 << p for p in line)) for line in variant.board.lines for i in line]
        self.near = variant.board.neighbours
        self._low = np.array([low for low, _ in layout.turned], np.int32)
        self._high = np.array([high for _, high in layout.turned], np.int32)
        self._way, self._number = np.array(layout.way, np.int32), np.array(layout.number, np.int32)
        self._ranks = _ranks(self.n)
        self._taken = [np.array(arrangements, np.int32) for arrangements in layout.arrangements]
        self._squeezed = [_squeezed(arrangements, self.n) for arrangements in layout.arrangements]

    # ------------------------------------------------------------ positions

    def places(self, part: Slice, mine: Numbers, others: Numbers) -> Numbers:
        """Where positions of one slice lie; as ``TableLayout.index``, many at once."""
        way, number = self._way[mine], self._number[mine]
        turned = self._low[way, others & LOW] | self._high[way, others >> LOW_BITS]
        low, high = self._squeezed[part.mine]
        rank = self._ranks[low[number, turned & LOW] + high[number, turned >> LOW_BITS]]
        return self.layout.offsets[part] + number * comb(self.n - part.mine, part.others) + rank

    def positions(self, part: Slice) -> tuple[Numbers, Numbers]:
        """The mover's and the other's points of each position of a slice, in the order of the table."""
        free = self.n - part.mine
        chosen = sorted(sum(1 << i for i in points) for points in combinations(range(free), part.others))
        ranks = np.array(chosen, np.int32)
        mine, others = [], []
        for arrangement in self.layout.arrangements[part.mine]:
            points = [point for point in range(self.n) if not arrangement >> point & 1]
            spread = np.zeros(len(ranks), np.int32)
            for k, point in enumerate(points):
                spread |= (ranks >> k & 1) << point
            others.append(spread)
            mine.append(np.full(len(ranks), arrangement, np.int32))
        return np.concatenate(mine), np.concatenate(others)

    # ------------------------------------------------------------ turns

    def turns(self, part: Slice, mine: Numbers, others: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Every turn from the given positions of a slice, many at once.

        Yields:
            which : int array of shape (n,). Which of the positions, each at most once.
            places : int array of shape (n,). Where the position lies to which the turn leads; ``layout.size`` where the
            game is over and won.
        """
        in_mills = self._in_mills(others)
        prey = np.where(in_mills == others, others, others & ~in_mills)
        for start, to in self._actions(part):
            is_free = ((mine | others) >> to & 1) == 0
            if start is not None:
                is_free &= (mine >> start & 1) == 1
            which = np.flatnonzero(is_free).astype(np.int32)
            after = mine[which] | 1 << to
            if start is not None:
                after &= ~(1 << start)
            other, takes = others[which], prey[which] * self._closes(after, to)
            quiet = np.flatnonzero(takes == 0)
            yield which[quiet], self._reached(part, after[quiet], other[quiet], 0)
            for point in range(self.n) if takes.any() else ():
                taken = np.flatnonzero(takes >> point & 1)
                yield which[taken], self._reached(part, after[taken], other[taken] & ~(1 << point), 1)

    def _actions(self, part: Slice) -> list[tuple[int | None, int]]:
        """From where and to where a stone may go in a slice, as far as the points are free; None is the hand."""
        if part.my_hand:
            return [(None, to) for to in range(self.n)]
        if self.variant.fly == "own" and part.mine <= self.variant.fly_at:
            return [(start, to) for start in range(self.n) for to in range(self.n) if start != to]
        return [(start, to) for start in range(self.n) for to in self.near[start]]

    def _in_mills(self, stones: Numbers) -> Numbers:
        """Those of the ``stones`` that stand in a mill."""
        mills = np.zeros_like(stones)
        for _, line in self.lines:
            mills |= np.where((stones & line) == line, line, 0).astype(np.int32)
        return mills

    def _closes(self, stones: Numbers, to: int) -> NDArray[np.bool_]:
        """Whether the stone that came to ``to`` stands in a mill."""
        is_mill = np.zeros(len(stones), bool)
        for point, line in self.lines:
            if point == to:
                is_mill |= (stones & line) == line
        return is_mill

    def _reached(self, part: Slice, mine: Numbers, others: Numbers, n_taken: int) -> Numbers:
        """Where positions lie after the mover's turn: the other moves, so that his stones come first."""
        left = part.others - n_taken
        if left + part.other_hand < self.layout.least:
            return np.full(len(mine), self.layout.size, np.int32)
        n_mine = part.mine + (1 if part.my_hand else 0)
        following = Slice(part.other_hand, max(0, part.my_hand - 1), left, n_mine)
        return self.places(following, others, mine)

    # ------------------------------------------------------------ values

    def solve(self) -> None:
        """Fill the table."""
        done: set[Slice] = set()
        for part in sorted(self.layout.offsets, key=lambda p: (p.my_hand + p.other_hand, p.mine + p.others, p)):
            if part in done:
                continue
            if part.my_hand:
                self._solve_placing(part)
            else:
                pair = {part, Slice(0, 0, part.others, part.mine)}
                self._solve_moving(sorted(pair))
                done |= pair

    def _solve_placing(self, part: Slice) -> None:
        """Fill a slice that leads only into others."""
        mine, others = self.positions(part)
        best = np.full(len(mine), NO_TURN, np.int32)
        for which, places in self.turns(part, mine, others):
            best[which] = np.maximum(best[which], _worth(self.codes[places]))
        at = self.layout.offsets[part]
        self.codes[at : at + len(mine)] = _codes(best)

    def _solve_moving(self, parts: list[Slice]) -> None:
        """Fill slices that lead into one another, and into others that are filled."""
        edges, at = [], 0
        for part in parts:
            mine, others = self.positions(part)
            edges += [(which + at, places) for which, places in self.turns(part, mine, others)]
            at += len(mine)
        sources = np.concatenate([which for which, _ in edges])
        order = np.argsort(sources, kind="stable")
        sources, places = sources[order], np.concatenate([places for _, places in edges])[order]
        del edges, order
        movers, firsts = np.unique(sources, return_index=True)
        del sources
        counts = [self._count(part) for part in parts]
        best = np.full(at, NO_TURN, np.int32)
        while True:
            best[movers] = np.maximum.reduceat(_worth(self.codes[places]), firsts)
            new, changed, done = _codes(best), False, 0
            for part, count in zip(parts, counts, strict=True):
                old = self.codes[self.layout.offsets[part] : self.layout.offsets[part] + count]
                changed |= bool((old != new[done : done + count]).any())
                old[:] = new[done : done + count]
                done += count
            if not changed:
                return

    # ------------------------------------------------------------ what can come about

    def reached(self) -> NDArray[np.bool_]:
        """For each place whether its position can come about in a game; bool array of shape (layout.size + 1,)."""
        reachable = np.zeros(self.layout.size + 1, bool)
        reachable[0] = True  # the start is the first position of all
        for parts in self._forward():
            is_new = True
            gone_on = {part: np.zeros(self._count(part), bool) for part in parts}
            while is_new:
                is_new = False
                for part, done in gone_on.items():
                    at = self.layout.offsets[part]
                    fresh = np.flatnonzero(reachable[at : at + len(done)] & ~done)
                    if len(fresh):
                        is_new = True
                        mine, others = (points[fresh] for points in self.positions(part))
                        self._see_alike(reachable, part, mine, others)
                        done[fresh] = True
                        for _, places in self.turns(part, mine, others):
                            reachable[places] = True
        return reachable

    def _forward(self) -> Iterator[list[Slice]]:
        """The slices in the order of the game, those together that lead into one another."""
        yield from ([part] for part in self.layout.offsets if part.my_hand)
        moving = [part for part in self.layout.offsets if not part.my_hand and part.mine >= part.others]
        for part in sorted(moving, key=lambda p: -p.mine - p.others):
            yield sorted({part, Slice(0, 0, part.others, part.mine)})

    def _see_alike(self, reachable: NDArray[np.bool_], part: Slice, mine: Numbers, others: Numbers) -> None:
        """Mark the other places of positions whose arrangement of the mover has a symmetry of its own."""
        for low, high in zip(self._low, self._high, strict=True):
            one, other = (low[points & LOW] | high[points >> LOW_BITS] for points in (mine, others))
            reachable[self.places(part, one, other)] = True

    def weights(self) -> Numbers:
        """How many positions stand at each place, all ways to turn and mirror them counted; of shape (layout.size,)."""
        sizes = np.array([points.bit_count() for points in range(1 << self.n)])
        alike = [np.bincount(self._number[sizes == size]) for size in range(self.layout.men + 1)]
        parts = self.layout.offsets
        return np.concatenate([np.repeat(alike[p.mine], comb(self.n - p.mine, p.others)) for p in parts]).astype(
            np.int32
        )

    def _count(self, part: Slice) -> int:
        return len(self.layout.arrangements[part.mine]) * comb(self.n - part.mine, part.others)


NO_TURN = -(1 << 20)
"""The worth of a position in which the mover is blocked, before it is known: less than any loss."""

NEVER = 1 << 10
"""More than the longest distance: a win in ``k`` turns is worth ``NEVER - k``, a loss ``k - NEVER``."""


def _worth(codes: NDArray[np.uint8]) -> Numbers:
    """What it is worth to the mover to hand over positions with these codes: quick wins first, late losses last."""
    codes = codes.astype(np.int32)  # the distance from here: that from there is one less than the code
    is_won = (codes & 1) == 1
    return np.where(is_won, NEVER - codes, np.where(codes > 0, codes - NEVER, 0)).astype(np.int32)


def _codes(worth: Numbers) -> NDArray[np.uint8]:
    """The codes of positions that are worth so much to their mover."""
    distance = NEVER - np.abs(worth)
    codes = np.where(worth == NO_TURN, LOST_NOW, np.where(worth == 0, 0, distance + 1))
    if codes.max() > np.iinfo(np.uint8).max:
        raise OverflowError("a win takes more turns than a byte can count")
    return codes.astype(np.uint8)


def _ranks(n: int) -> Numbers:
    """For each set of ``n`` points how many smaller sets have as many points."""
    sizes = np.array([number.bit_count() for number in range(1 << n)])
    ranks = np.zeros(1 << n, np.int32)
    for size in range(n + 1):
        alike = np.flatnonzero(sizes == size)
        ranks[alike] = np.arange(len(alike))
    return ranks


def _squeezed(arrangements: list[int], n: int) -> tuple[Numbers, Numbers]:
    """For each arrangement what sets of the first points, and of the others, become among the points left free."""
    tables = []
    for first, n_bits in ((0, LOW_BITS), (LOW_BITS, n - LOW_BITS)):
        table = np.zeros((len(arrangements), 1 << n_bits), np.int32)
        sets = np.arange(1 << n_bits)
        for row, taken in zip(table, arrangements, strict=True):
            for point in range(first, first + n_bits):
                if not taken >> point & 1:
                    free = sum(not taken >> lower & 1 for lower in range(point))
                    row |= ((sets >> (point - first) & 1) << free).astype(np.int32)
        tables.append(table)
    return tables[0], tables[1]


# ---------------------------------------------------------------- against the referee


def disagreements(solver: Solver, n_positions: int, seed: int = 0) -> Iterator[Position]:
    """Positions of random games in which the turns here lead elsewhere than the referee's, of so many."""
    random = Random(seed)
    table = StoredTable(solver.layout, bytes(solver.codes[:-1]))
    position = Position.start(solver.variant)
    for _ in range(n_positions):
        turns = legal_turns(position)
        if leads_to(solver, position) != {_place(table, turn.after) for turn in turns}:
            yield position
        position = random.choice(turns).after
        if position.ended is not None or random.random() < RESTART:
            position = Position.start(solver.variant)


RESTART = 0.01
"""How often a random game is broken off after a turn, so that none goes on for ever."""


def leads_to(solver: Solver, position: Position) -> set[int]:
    """The places that lie one turn from a position, by the rules written here."""
    me = position.to_move
    mine, others = (sum(1 << i for i, owner in enumerate(position.owners) if owner == player + 1)
                    for player in (me, 1 - me))  # fmt: skip
    part = Slice(position.hands[me], position.hands[1 - me], position.counts[me], position.counts[1 - me])
    one = (np.array([points], np.int32) for points in (mine, others))
    return {int(place) for _, places in solver.turns(part, *one) for place in places}


def _place(table: StoredTable, after: Position) -> int | None:
    """As ``Solver.turns`` names it: who is blocked stands in the table, who has too few stones has lost."""
    if after.ended is not None and after.ended.termination is not Termination.NO_MOVES:
        return table.layout.size
    return table.place(after)


# ---------------------------------------------------------------- the command


def pack(variant: Variant, codes: bytes) -> bytes:
    """The file of the table of a game."""
    header = {
        "format": FORMAT,
        "game": variant.name,
        "men": variant.stones[0],
        "rules": rules_of(variant),
        "codes": sha256(codes).hexdigest(),
    }
    return json.dumps(header).encode() + b"\n" + zlib.compress(codes, 9)


def main() -> None:
    """Solve a game, say what came out and write its table; or only compare the rules."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("game")
    ask.add_argument("options", nargs="*", metavar="OPTION=VALUE", help="what the table chose")
    ask.add_argument("--write", type=Path, metavar="FILE", help="where the table is written")
    ask.add_argument("--check", type=int, metavar="N", help="only compare N positions of random games with the referee")
    given = ask.parse_args()
    began = time.monotonic()
    try:
        variant = find_variant(given.game, **dict(option.partition("=")[::2] for option in given.options))
        solver = None if can_be_solved(variant) else Solver(variant)
    except ValueError as error:
        ask.error(str(error))
    if solver is None:
        print(report_of_small_game(variant), f"solved in {time.monotonic() - began:.1f} s", sep="\n")
        return
    if given.check:
        n_wrong = sum(1 for _ in disagreements(solver, given.check))
        print(f"{given.check} positions, {n_wrong} in which the turns are not the referee's")
        sys.exit(min(n_wrong, 1))
    solver.solve()
    print(f"solved in {time.monotonic() - began:.0f} s")
    print(report(solver))
    if given.write:
        data = pack(solver.variant, bytes(solver.codes[:-1]))
        given.write.write_bytes(data)
        print(f"{given.write.name}: {len(data)} bytes")


def report(solver: Solver) -> str:
    """What came out: of all positions, and of those that can come about in a game."""
    codes, weights, reached = solver.codes[:-1], solver.weights(), solver.reached()[:-1]
    chosen = "".join(f", {name} {value}" for name, value in solver.variant.chosen)
    rows = [f"{solver.variant.name}{chosen}: {len(codes)} places; the start is {_verdict(int(codes[0]))}"]
    for what, chosen in (("all", np.ones_like(reached)), ("that can come about", reached & (codes != LOST_NOW))):
        of_these = codes[chosen]
        won, lost, drawn = (
            int(weights[chosen][these].sum(dtype=np.int64))
            for these in ((of_these > 0) & (of_these % 2 == 0), of_these % 2 == 1, of_these == 0)
        )
        rows.append(
            f"positions {what}: {won + lost + drawn}, for the mover {won} won, {lost} lost, {drawn} drawn; "
            f"the longest takes {int(of_these.max()) - 1} turns"
        )
    rows += [f"after a first stone on {', '.join(points)}: {verdict}" for verdict, points in _openings(solver).items()]
    return "\n".join(rows)


def _openings(solver: Solver) -> dict[str, list[str]]:
    """What the first stone makes of the game for the player who then moves, and where it lies."""
    men, by_verdict = solver.layout.men, dict[str, list[str]]()
    for point, name in enumerate(solver.variant.board.points):
        place = solver.layout.index(Slice(men, men - 1, 0, 1), 0, 1 << point)
        by_verdict.setdefault(_verdict(int(solver.codes[place])), []).append(name)
    return by_verdict


def report_of_small_game(variant: Variant) -> str:
    """The same of a game whose table is made when it is asked for; positions that are alike count as one."""
    table = ExactTable(variant)
    distances = list(table.distances.values())
    won, lost = sum(d > 0 for d in distances), sum(d < 0 for d in distances)
    start = table.distance(Position.start(variant)) or 0
    code = 0 if start == 0 else abs(start) + 1
    return (
        f"{variant.name}: {len(distances)} positions, alike counted once; the start is {_verdict(code)}\n"
        f"for the mover {won} won, {lost} lost, {len(distances) - won - lost} drawn; "
        f"the longest takes {max(map(abs, distances))} turns"
    )


def _verdict(code: int) -> str:
    """What a code says, for the player to move."""
    return "drawn" if code == 0 else f"{'won' if code % 2 == 0 else 'lost'} in {code - 1} turns"


if __name__ == "__main__":
    main()
