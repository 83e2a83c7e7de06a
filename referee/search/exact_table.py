"""Exact tables of small games: every reachable position with its winner by force and the turns to the end, or a draw.

The referee's own moves lead to all positions, each once for all ways to turn the board; then the ends are carried
backwards (retrograde analysis, Ströhlein 1970; for this family Gasser 1996).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from math import comb
from operator import itemgetter
from typing import Protocol

from referee.position import Position
from referee.search.thought import Value
from referee.turns import Turn, legal_turns
from referee.variant import Variant

Permutation = tuple[int, ...]


@lru_cache(maxsize=16)
def symmetries(variant: Variant) -> tuple[Permutation, ...]:
    """Every renaming of the points that keeps neighbours, lines, the middle and the first stones; the identity first.

    ``result[k][i]`` is the point that comes to lie on point ``i``. Boards of turning rings have only the identity
    here: which ring was turned would have to be renamed too.
    """
    board = variant.board
    n = len(board.points)
    identity = tuple(range(n))
    if board.rings:
        return (identity,)
    lines = {frozenset(line) for line in board.lines}
    near = [set(points) for points in board.neighbours]
    homes = [{board.index[name] for name in names} for names in variant.start]
    kinds = [(len(near[i]), len(board.lines_through[i]), i == variant.centre, tuple(i in home for home in homes))
             for i in range(n)]  # fmt: skip
    permutations: list[Permutation] = []

    def extend(images: list[int]) -> None:
        at = len(images)
        if at == n:
            if all(frozenset(images[i] for i in line) in lines for line in lines):
                permutations.append(tuple(images))
            return
        for image in range(n):
            if image in images or kinds[image] != kinds[at]:
                continue
            if all((k in near[at]) == (images[k] in near[image]) for k in range(at)):
                extend([*images, image])

    extend([])
    return tuple(sorted(permutations, key=lambda images: images != identity))


MAX_POSITIONS = 200_000  # bound of the number of positions up to which a game is solved when asked for, in seconds

Key = tuple[tuple[int, ...], tuple[int, ...], int]

DRAWN = 0


class SolvedGame(Protocol):
    """The solution of a game."""

    def value(self, position: Position) -> Value | None:
        """What a position between turns is worth; None where it cannot come about in a game."""


class ExactTable:
    """The solution of one game.

    ``distances`` has every position that can come about and is not over: with k > 0 the player to move wins in k turns
    of both together, with k < 0 he loses in -k, with 0 it is drawn.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self._turned = [itemgetter(*images) for images in symmetries(variant)]
        self.distances: dict[Key, int] = {}
        self._solve()

    def key(self, position: Position) -> Key:
        """The key that turned and mirrored positions share."""
        owners = position.owners
        return min([turned(owners) for turned in self._turned]), position.hands, position.to_move

    def distance(self, position: Position) -> int | None:
        """As in ``distances``: None for an unreachable position, -1 for a game that never ends."""
        return self.distances.get(self.key(position))

    def value(self, position: Position) -> Value | None:
        """The value of a position; None for an unreachable one."""
        if position.ended is not None:
            return Value.of(position.ended, 2)
        distance = self.distance(position)
        if distance is None:
            return None
        if distance == DRAWN:
            return Value.drawn(2)
        winner = position.to_move if distance > 0 else 1 - position.to_move
        return Value.won(2, winner, abs(distance))

    def _solve(self) -> None:
        start = Position.start(self.variant)
        first = self.key(start)
        before: dict[Key, list[tuple[Key, int]]] = {first: []}  # who leads here, and whether he stays the mover
        n_open: dict[Key, int] = {}
        decided: deque[Key] = deque()
        todo = [(first, start)]
        while todo:
            key, position = todo.pop()
            ends, ways = [], set()
            for after in {turn.after for turn in legal_turns(position)}:
                if after.ended is not None:
                    winner = after.ended.winner
                    ends.append(DRAWN if winner is None else 1 if winner == position.to_move else -1)
                    continue
                following = self.key(after)
                if following not in before:
                    before[following] = []
                    todo.append((following, after))
                ways.add((following, 1 if after.to_move == position.to_move else -1))
            if 1 in ends:
                self.distances[key] = 1
                decided.append(key)
            else:
                n_open[key] = len(ways) + sum(end == DRAWN for end in ends)
                for following, sign in ways:
                    before[following].append((key, sign))
                if not n_open[key]:
                    self.distances[key] = -1
                    decided.append(key)
        while decided:  # nearest ends first, so that each distance is found at its right value
            key = decided.popleft()
            distance = self.distances[key]
            for predecessor, sign in before[key]:
                if predecessor in self.distances:
                    continue
                if sign * distance > 0:
                    self.distances[predecessor] = abs(distance) + 1
                    decided.append(predecessor)
                else:
                    n_open[predecessor] -= 1
                    if not n_open[predecessor]:
                        self.distances[predecessor] = -(abs(distance) + 1)
                        decided.append(predecessor)
        for key in before:
            self.distances.setdefault(key, DRAWN)


def n_positions_at_most(variant: Variant) -> int:
    """A bound of the number of positions of a game without captures; of any other the number is not asked for."""
    n, (one, other) = len(variant.board.points), variant.stones
    return 2 * sum(
        comb(n, min(a, n)) * comb(max(n - a, 0), b)
        for a in range(one + 1)
        for b in range(other + 1)
        if 0 <= a - b <= 1 or (a, b) == (one, other)
    )


def can_be_solved(variant: Variant) -> bool:
    """Whether ``solved`` has an answer: a small game of two in which three in a row wins and no turns are counted."""
    is_plain = variant.players == 2 and variant.line_wins and variant.max_height == 1 and not variant.board.rings
    counts = variant.draw_plies or variant.endgame_plies or variant.max_turns
    remembers = variant.remembers or variant.no_remake
    return is_plain and not counts and not remembers and n_positions_at_most(variant) <= MAX_POSITIONS


@lru_cache(maxsize=4)
def solved(variant: Variant) -> ExactTable | None:
    """The exact table of a game, made at the first call; None where the game is too large."""
    return ExactTable(variant) if can_be_solved(variant) else None


def best_turns(table: SolvedGame, position: Position, turns: Iterable[Turn]) -> list[tuple[Turn, Value]]:
    """The turns with their values, best for the mover first: quick wins, draws, late losses."""
    valued = [(turn, table.value(turn.after)) for turn in turns]
    choices = [(turn, value.a_turn_earlier()) for turn, value in valued if value is not None]
    me = position.to_move
    return sorted(choices, key=lambda pair: rank(pair[1], me), reverse=True)


def rank(value: Value, player: int) -> tuple[float, int]:
    """By what values are compared from one player's side: larger is better; quick wins and late losses come first."""
    turns = value.turns or 0
    return value.shares[player], -turns if value.winner == player else turns
