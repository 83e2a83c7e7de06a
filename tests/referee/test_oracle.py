"""An oracle: the games written a second time, plainly, straight from their rule sheets.

Nothing of the referee is used but the notation: points are found by their names, stones are kept in lists and
dictionaries, and the whole state is copied for every move. Both must allow the same moves and reach the same tables in
random games.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.moves import parse_move
from tests.referee.positions import rules_of

# ---------------------------------------------------------------- Moulin Rouge and Trialectic

Lines = list[list[str]]


class Plain:
    """One state of either game. ``stacks`` holds [owner, ...] lists by point name."""

    def __init__(self, points: list[str], lines: Lines, players: int, stones: int) -> None:
        self.stacks: dict[str, list[int]] = {p: [] for p in points}
        self.lines = lines
        self.players = players
        self.hand = [stones] * players
        self.turn = 0
        self.gone: set[int] = set()
        self.owed: dict[frozenset[int], int] = {}
        self.barred = ""
        self.winner: int | None = None

    def on_board(self, player: int) -> int:
        return sum(stack.count(player) for stack in self.stacks.values())

    def total(self, player: int) -> int:
        return self.on_board(player) + self.hand[player]

    def mills(self, player: int) -> list[tuple[tuple[str, int], ...]]:
        """Each mill as its (point, level) places."""
        found: list[tuple[tuple[str, int], ...]] = []
        for line in self.lines:
            for level in range(3):
                if all(len(self.stacks[p]) > level and self.stacks[p][level] == player for p in line):
                    found.append(tuple((p, level) for p in line))
        for p, stack in self.stacks.items():
            if stack == [player] * 3:
                found.append(tuple((p, level) for level in range(3)))
        return found

    def takeable(self) -> set[str]:
        safe = {place for player in range(self.players) for mill in self.mills(player) for place in mill}
        return {
            "x" + p
            for p, stack in self.stacks.items()
            if stack and (p, len(stack) - 1) not in safe and any(stack[-1] in victims for victims in self.owed)
        }


class PlainMoulin(Plain):
    def __init__(self, players: int = 2) -> None:
        holes = 4 * players
        self.holes = holes
        rings = [[f"{letter}{k}" for k in range(1, holes + 1)] for letter in "omi"]
        super().__init__(sum(rings, []), [[r[k] for r in rings] for k in range(holes)], players, 10)

    def next_to(self, p: str, q: str) -> bool:
        a, b = int(p[1:]), int(q[1:])
        if p[0] == q[0]:
            return (a - b) % self.holes in (1, self.holes - 1)
        return a == b and "m" in (p[0], q[0])

    def legal(self) -> set[str]:
        if self.winner is not None:
            return set()
        if self.owed:
            return self.takeable()
        me = self.turn
        free = [p for p, stack in self.stacks.items() if not stack]
        moves: set[str] = set()
        if self.hand[me]:
            moves |= set(free)
        else:
            mine = [p for p, stack in self.stacks.items() if stack == [me]]
            jump = len(mine) == 3
            moves |= {f"{p}-{q}" for p in mine for q in free if jump or self.next_to(p, q)}
        if self.on_board(me):
            moves |= {ring + way for ring in "omi" for way in "+-"} - {self.barred}
        return moves

    def play(self, move: str) -> PlainMoulin:
        new = deepcopy(self)
        me = self.turn
        if move[0] == "x":
            victim = new.stacks[move[1:]].pop()
            new.owed[frozenset({victim})] -= 1
            alive = [p for p in range(self.players) if p not in self.gone and new.total(p) >= 3]
            if alive == [me]:
                new.winner = me
                return new
        else:
            new.barred = ""
            touched: set[str] = set()
            if move[-1] in "+-":
                step = 1 if move[-1] == "+" else -1
                ring = [f"{move[0]}{k}" for k in range(1, self.holes + 1)]
                for k, p in enumerate(ring):
                    new.stacks[ring[(k + step) % self.holes]] = list(self.stacks[p])
                touched = set(ring)
                new.barred = move[0] + ("-" if step > 0 else "+")
            elif "-" in move:
                start, to = move.split("-")
                new.stacks[to].append(new.stacks[start].pop())
                touched = {to}
            else:
                new.stacks[move].append(me)
                new.hand[me] -= 1
                touched = {move}
            closed = sum(any(p in touched for p, _ in mill) for mill in new.mills(me))
            if closed:
                new.owed = {frozenset({p}): closed for p in range(self.players) if p != me}
        new.owed = {v: n for v, n in new.owed.items() if n and self._any(new, v)}
        if not new.owed:
            new.end_turn()
        return new

    @staticmethod
    def _any(state: Plain, victims: frozenset[int]) -> bool:
        probe = deepcopy(state)
        probe.owed = {victims: 1}
        return bool(probe.takeable())

    def end_turn(self) -> None:
        for p in range(self.players):
            if self.total(p) < 3:
                self.gone.add(p)
                self.hand[p] = 0
        while True:
            self.turn = (self.turn + 1) % self.players
            if self.turn not in self.gone and self.legal():
                return


class PlainTrialectic(Plain):
    def __init__(self) -> None:
        points = [t + str(k) for t in "abc" for k in range(1, 7)]
        sides = [[t + a, t + b, t + c] for t in "abc" for a, b, c in ("123", "345", "561")]
        super().__init__(points, sides + [[t + k for t in "abc"] for k in "246"], 3, 9)

    def next_to(self, p: str, q: str) -> bool:
        if p[0] == q[0]:
            return (int(p[1]) - int(q[1])) % 6 in (1, 5)
        return p[1] == q[1] and p[1] in "246" and "b" in (p[0], q[0])

    def legal(self) -> set[str]:
        if self.winner is not None:
            return set()
        if self.owed:
            return self.takeable()
        me = self.turn
        room = [p for p, stack in self.stacks.items() if len(stack) < 3]
        if self.hand[me]:
            return set(room)
        jump = self.on_board(me) == 3
        mine = [p for p, stack in self.stacks.items() if stack and stack[-1] == me]
        return {f"{p}-{q}" for p in mine for q in room if p != q and (jump or self.next_to(p, q))}

    def play(self, move: str) -> PlainTrialectic:
        new = deepcopy(self)
        me = self.turn
        if move[0] == "x":
            victim = new.stacks[move[1:]].pop()
            new.owed = {}
            if new.total(victim) == 2:
                new.gone.add(victim)
                if len(new.gone) == 2:  # over at once: nothing is converted any more
                    new.winner = me
                    return new
                new.hand[victim] = 0
                for stack in new.stacks.values():
                    stack[:] = [me if owner == victim else owner for owner in stack]
        else:
            if "-" in move:
                start, to = move.split("-")
                new.stacks[to].append(new.stacks[start].pop())
            else:
                to = move
                new.stacks[to].append(me)
                new.hand[me] -= 1
            place = (to, len(new.stacks[to]) - 1)
            if any(place in mill for mill in new.mills(me)):
                new.owed = {frozenset(set(range(3)) - {me} - new.gone): 1}
                if not new.takeable():
                    new.owed = {}
        if not new.owed:
            while True:
                new.turn = (new.turn + 1) % 3
                if new.turn not in new.gone and new.legal():
                    break
        return new


# ---------------------------------------------------------------- boards of strokes


def square_lines(n_squares: int, *, diagonals: bool) -> list[list[str]]:
    """The strokes of a board of squares, by the names of their points."""

    def name(x: int, y: int) -> str:
        return "abcdefg"[x + n_squares] + str(y + n_squares + 1)

    rings = range(1, n_squares + 1)
    ways = [(0, 1), (1, 0), (0, -1), (-1, 0)] + ([(1, 1), (1, -1), (-1, -1), (-1, 1)] if diagonals else [])
    strokes = [[name(x * r, y * r) for r in rings] for x, y in ways]
    for r in rings:
        for side in (-r, r):
            strokes.append([name(x, side) for x in (-r, 0, r)])
            strokes.append([name(side, y) for y in (-r, 0, r)])
    return strokes


NINE = [*(f"a{k} b{k} c{k}" for k in "123"), *(f"{letter}1 {letter}2 {letter}3" for letter in "abc")]
SLANTED = ["a1 b2 c3", "a3 b2 c1"]
ROMAN = ["n c s", "ne c sw", "e c w", "se c nw", *(["n ne", "ne e", "e se", "se s", "s sw", "sw w", "w nw", "nw n"])]
DIAMOND = ["a3 c5", "c5 e3", "e3 c1", "c1 a3"]
PICARIA = ["a5 c5 e5", "a3 c3 e3", "a1 c1 e1", "a5 a3 a1", "c5 c3 c1", "e5 e3 e1", "a5 b4 c3 d2 e1", "e5 d4 c3 b2 a1",
           "c5 d4 e3", "e3 d2 c1", "c1 b2 a3", "a3 b4 c5"]  # fmt: skip
SEVEN = [
    *(" ".join(stroke) for stroke in square_lines(2, diagonals=False) if not {"c5", "a3", "c1", "e3"} & set(stroke)),
    *(" ".join(stroke) for stroke in square_lines(2, diagonals=False) if len(stroke) == 3 and
      {"c5", "a3", "c1", "e3"} & set(stroke)), "c5 c4 c3 c2 c1", "a3 b3 c3 d3 e3",
]  # fmt: skip


@dataclass
class PlainMill:
    """One state of a game of two on a board of strokes; what differs between the games are plain words."""

    men: int
    board: list[str]
    line_wins: bool = False
    barred: str = ""
    home: bool = False
    fly: bool = False
    jump: bool = False
    shielded: bool = False
    mill_while_placing: str = "board"
    stop_at_two: bool = False
    second_moves: bool = False
    once: bool = False
    full: str = ""
    blocked: str = "loses"
    idle_mills: bool = True
    stones: dict[str, int] = field(default_factory=dict)
    hand: list[int] = field(default_factory=list)
    turn: int = 0
    owed: bool = False
    plan: list[tuple[str, int]] = field(default_factory=list)
    used: set[tuple[int, str]] = field(default_factory=set)
    pioneer: int | None = None
    winner: int | None = None

    def __post_init__(self) -> None:
        strokes = [stroke.split() for stroke in self.board]
        self.hand = [self.men, self.men]
        self.lines = [s[k : k + 3] for s in strokes for k in range(len(s) - 2)]
        self.points = sorted({p for s in strokes for p in s})
        steps = [step for s in strokes for step in (*pairwise(s), *pairwise(s[::-1]))]
        self.next_to = {p: {q for a, q in steps if a == p} for p in self.points}
        if self.home:
            self.hand = [0, 0]
            self.stones = {f"{letter}{row}": player for letter in "abc" for player, row in enumerate("13")}

    @property
    def stacks(self) -> dict[str, list[int]]:
        return {p: [self.stones[p]] if p in self.stones else [] for p in self.points}

    def mills(self, player: int) -> list[list[str]]:
        return [line for line in self.lines if all(self.stones.get(p) == player for p in line)]

    def can_step(self, player: int) -> set[str]:
        mine = [p for p, owner in self.stones.items() if owner == player]
        jump = self.jump or self.fly and len(mine) <= 3
        return {
            f"{p}-{q}"
            for p in mine
            for q in self.points
            if q not in self.stones and p != q and (jump or q in self.next_to[p])
        }

    def actions(self, player: int) -> set[str]:
        if self.hand[player]:
            return {p for p in self.points if p not in self.stones and p != self.barred}
        return self.can_step(player)

    def takeable(self) -> set[str]:
        theirs = {p for p, owner in self.stones.items() if owner != self.turn}
        safe = {p for line in self.mills(1 - self.turn) for p in line} if self.shielded else set()
        return {"x" + p for p in theirs - safe or theirs}

    def legal(self) -> set[str]:
        if self.winner is not None:
            return set()
        if self.owed or self.plan and self.plan[0][0] == "take":
            return self.takeable()
        if self.plan and self.plan[0][0] == "free":
            beside = {"x" + q for p, owner in self.stones.items() if owner == self.turn for q in self.next_to[p]}
            theirs = {"x" + p for p, owner in self.stones.items() if owner != self.turn}
            return self.takeable() & beside or theirs & beside
        return self.actions(self.turn)

    def play(self, move: str) -> PlainMill:
        new = copy(self)
        new.stones, new.hand, new.plan, new.used = dict(self.stones), list(self.hand), list(self.plan), set(self.used)
        new.make(move)
        return new

    def make(self, move: str) -> None:
        me, other = self.turn, 1 - self.turn
        if move[0] == "x":
            del self.stones[move[1:]]
            if list(self.stones.values()).count(other) + self.hand[other] < 3:
                self.winner = me
                return
            was_owed, self.owed = self.owed, False
            if not was_owed:
                self.plan.pop(0)
                if self.plan and self.plan[0][0] == "take":
                    self.turn = self.plan[0][1]
                    return
            self.next_turn()
            return
        idle = not self.hand[other] and not self.can_step(other)
        placing = "-" not in move
        if placing:
            to = move
            self.hand[me] -= 1
        else:
            start, to = move.split("-")
            del self.stones[start]
        self.stones[to] = me
        closed = [line for line in self.mills(me) if to in line]
        if self.once:
            closed = [line for line in closed if (me, " ".join(line)) not in self.used]
            self.used |= {(me, " ".join(line)) for line in closed}
        if idle and not self.idle_mills:
            closed = []
        if closed and self.line_wins and not (self.home and {p[1] for p in closed[0]} == {"13"[me]}):
            self.winner = me
            return
        if self.line_wins:
            closed = []
        if closed and placing and self.pioneer is None:
            self.pioneer = me
        again = False
        if closed and (not placing or self.mill_while_placing == "board"):
            self.owed = True
        elif closed and self.mill_while_placing == "hand":
            self.hand[other] = max(0, self.hand[other] - 1)
        elif closed and self.mill_while_placing == "again":
            again = True
        if placing and self.stop_at_two and not self.owed and len(self.points) - len(self.stones) == 2:
            self.hand = [0, 0]
        if placing and not any(self.hand):
            again = False
            if self.second_moves:
                self.plan = [("go", 1)]
        if again:
            self.plan = [("go", me)]
        if not self.owed:
            self.next_turn()

    def next_turn(self) -> None:
        if len(self.stones) == len(self.points) and self.full:
            first = self.pioneer if self.full == "pioneer" and self.pioneer is not None else 1
            order = {"first": [0], "both": [0, 1], "pioneer": [first, 1 - first]}[self.full]
            goes = first if self.full == "pioneer" else 0
            self.plan = [*(("take", p) for p in order), ("go", goes)]
            self.turn = order[0]
            return
        self.turn = self.plan.pop(0)[1] if self.plan else 1 - self.turn
        if self.actions(self.turn):
            return
        if self.blocked == "loses":
            self.winner = 1 - self.turn
        elif self.blocked == "waits":
            self.turn = 1 - self.turn
        else:
            self.plan = [("free", self.turn), ("go", self.turn)]


NO_DRAWS = "repetition=off draw_plies=off"
SIX, SIX_SLANTED, SQUARE, SQUARE_SLANTED = (
    [" ".join(stroke) for stroke in square_lines(n, diagonals=slanted)] for n in (2, 3) for slanted in (False, True)
)
rows = partial(PlainMill, line_wins=True)
squares = partial(PlainMill, board=SQUARE)
slanted = partial(PlainMill, board=SQUARE_SLANTED)

GAMES: dict[str, Callable[[], Any]] = {
    f"three_mens_morris {NO_DRAWS}": partial(rows, 3, NINE + SLANTED),
    f"tapatan {NO_DRAWS}": partial(rows, 3, NINE + SLANTED),
    f"nine_holes {NO_DRAWS}": partial(rows, 3, NINE, jump=True),
    f"nine_holes fly=off {NO_DRAWS}": partial(rows, 3, NINE),
    f"achi {NO_DRAWS}": partial(rows, 4, NINE + SLANTED),
    f"roman_mill {NO_DRAWS}": partial(rows, 3, ROMAN, blocked="waits"),
    f"tant_fant {NO_DRAWS}": partial(rows, 3, NINE + SLANTED, home=True),
    f"picaria points=9 no_centre_placing=yes {NO_DRAWS}": partial(
        rows, 3, [*PICARIA[:6], "a5 c3 e1", "e5 c3 a1", *DIAMOND], barred="c3"
    ),
    f"picaria {NO_DRAWS}": partial(rows, 3, PICARIA),
    f"picaria no_centre_placing=yes {NO_DRAWS}": partial(rows, 3, PICARIA, barred="c3"),
    "nine_mens_morris fly=own": partial(squares, 9, fly=True, shielded=True),
    "nine_mens_morris": partial(squares, 9, shielded=True),
    f"millchen {NO_DRAWS}": partial(squares, 9, fly=True, shielded=True),
    f"morabaraba no_remake=no {NO_DRAWS}": partial(slanted, 12, fly=True, shielded=True),
    "five_mens_morris": partial(PlainMill, 5, SIX, shielded=True),
    "six_mens_morris": partial(PlainMill, 6, SIX, shielded=True),
    "six_mens_morris diagonals=yes": partial(PlainMill, 6, SIX_SLANTED, shielded=True),
    "six_mens_morris men=7 stalemate=remove_one": partial(PlainMill, 7, SIX, shielded=True, blocked="takes"),
    "seven_mens_morris": partial(PlainMill, 7, SEVEN, shielded=True),
    "eleven_mens_morris": partial(slanted, 11, shielded=True),
    "twelve_mens_morris": partial(slanted, 12, fly=True, shielded=True),
    "twelve_mens_morris placing_mill=nothing board_full=both_remove stalemate=remove_one": partial(
        slanted, 12, fly=True, shielded=True, mill_while_placing="", full="both", blocked="takes"
    ),
    "one_time_mill": partial(squares, 9, fly=True, once=True),
    "dooz": partial(slanted, 12, fly=True, mill_while_placing="hand", full="first"),
    "nerenchi": partial(slanted, 12, fly=True, mill_while_placing="again", stop_at_two=True, second_moves=True),
    "nerenchi placing_mill=capture": partial(slanted, 12, fly=True, stop_at_two=True, second_moves=True),
    "shax": partial(squares, 12, mill_while_placing="", full="pioneer", blocked="waits", idle_mills=False),
    **{f"moulin_rouge players={players}": partial(PlainMoulin, players) for players in (2, 3, 4)},
    "trialectic": PlainTrialectic,
}


def agree(game_name: str, rng: random.Random, n_moves: int) -> int:
    """Play both with the same moves; the number of moves until the game is over."""
    plain, game = GAMES[game_name](), Game.start(rules_of(game_name))
    for k in range(n_moves):
        position = game.position
        stacks = zip(position.board.points, position.stacks, strict=True)
        assert {name: [stone.owner for stone in stack] for name, stack in stacks} == plain.stacks
        assert {str(move) for move in game.legal_moves} == plain.legal(), game.outcome
        if plain.winner is not None:
            assert game.outcome is not None and game.outcome.winner == plain.winner
            return k
        if game.outcome is not None:
            assert game.outcome.winner is None and not plain.legal(), "a full board"
            return k
        assert list(position.hands) == plain.hand
        assert position.to_move == plain.turn
        assert parse_fen(to_fen(position), game.variant) == position
        move = rng.choice(sorted(plain.legal()))
        plain, game = plain.play(move), game.play(parse_move(move, position.board))
    return n_moves


@pytest.mark.parametrize("game", GAMES)
def test_the_oracle_allows_the_same_moves_and_sees_the_same_tables(game: str) -> None:
    rng = random.Random(21)
    for _ in range(6):
        agree(game, rng, 150)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("game", GAMES)
def test_the_oracle_agrees_over_ten_thousand_moves(game: str) -> None:
    rng, moves = random.Random(22), 0
    while moves < 10_000:
        moves += agree(game, rng, 800)
