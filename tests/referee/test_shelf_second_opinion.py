"""The games of the shelf written a second time, plainly, as their sources tell them.

Nothing of the referee is used but the notation. The small boards are counted completely over tuples of cells; the
boards of squares are played at random beside a referee that keeps its stones in a dictionary by the names of points.
"""

from __future__ import annotations

import random
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.moves import parse_move
from referee.presets import find_variant
from tests.referee.test_small_games import explore

# ---------------------------------------------------------------- small boards

ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)]
SLANTED = [(0, 4, 8), (2, 4, 6)]
DIAMOND = [(1, 5), (5, 7), (7, 3), (3, 1)]
# the points of picaria row by row: 0 1 2, 3 4, 5 6 7, 8 9, 10 11 12
PICARIA = [(0, 1, 2), (5, 6, 7), (10, 11, 12), (0, 5, 10), (1, 6, 11), (2, 7, 12), (0, 3, 6, 9, 12), (2, 4, 6, 8, 10),
           (1, 4, 7), (7, 9, 11), (11, 8, 5), (5, 3, 1)]  # fmt: skip


def n_positions(
    paths: list[Any], men: int, *, jump: bool = False, centre: int | None = None, home: bool = False
) -> tuple[int, int]:
    """Positions that can come about, and how many of them are lost by being blocked."""
    n = 1 + max(point for path in paths for point in path)
    lines = [path[k : k + 3] for path in paths for k in range(len(path) - 2)]
    near = {a: {q for path in paths for p, q in [*pairwise(path), *pairwise(path[::-1])] if p == a} for a in range(n)}
    start = tuple(2 if i < 3 else 1 if i >= n - 3 else 0 for i in range(n)) if home else (0,) * n
    own = {1: set(range(n - 3, n)), 2: {0, 1, 2}} if home else {1: set(), 2: set()}
    laid = (men, men) if home else (0, 0)
    seen: set[Any] = set()
    n_blocked = 0
    todo = [(start, laid, 1)]
    while todo:
        cells, laid, player = state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        if any(
            len({cells[i] for i in line}) == 1 and cells[line[0]] and set(line) != own[cells[line[0]]] for line in lines
        ):
            continue
        free = [i for i in range(n) if not cells[i]]
        if laid[player - 1] < men:
            steps = [(None, to) for to in free if to != centre]
            then = tuple(k + (i == player - 1) for i, k in enumerate(laid))
        else:
            steps = [(a, b) for a in range(n) if cells[a] == player for b in free if jump or b in near[a]]
            then = laid
        n_blocked += not steps
        for a, b in steps:
            new = list(cells)
            if a is not None:
                new[a] = 0
            new[b] = player
            todo.append((tuple(new), then, 3 - player))
    return len(seen), n_blocked


SMALL: list[tuple[str, dict[str, Any], dict[str, Any], int, int]] = [
    ("tapatan", {}, {"paths": ROWS + SLANTED, "men": 3}, 5390, 0),
    ("nine_holes", {}, {"paths": ROWS, "men": 3, "jump": True}, 5470, 0),
    ("nine_holes", {"fly": "off"}, {"paths": ROWS, "men": 3}, 5466, 8),
    ("achi", {}, {"paths": ROWS + SLANTED, "men": 4}, 5716, 12),
    ("achi", {"men": 3}, {"paths": ROWS + SLANTED, "men": 3}, 5390, 0),
    ("tant_fant", {}, {"paths": ROWS + SLANTED, "men": 3, "home": True}, 3080, 0),
    ("picaria", {"points": 9}, {"paths": ROWS + SLANTED + DIAMOND, "men": 3}, 5390, 0),
    ("picaria", {"points": 9, "no_centre_placing": True},
     {"paths": ROWS + SLANTED + DIAMOND, "men": 3, "centre": 4}, 4253, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("game", "options", "told", "n_known", "n_lost"),
    [*SMALL[2:4], SMALL[-1], *(pytest.param(*case, marks=pytest.mark.slow) for case in (*SMALL[:2], *SMALL[4:-1]))],
)
def test_a_small_game_has_as_many_positions_as_counted_plainly(
    game: str, options: dict[str, Any], told: dict[str, Any], n_known: int, n_lost: int
) -> None:
    found, skips = explore(game, **options)
    blocked = [p for p in found if p.ended is not None and p.ended.termination == "no_moves"]
    assert (len(found), len(blocked)) == n_positions(**told) == (n_known, n_lost)
    assert not skips


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("barred", [False, True])
def test_picaria_has_as_many_positions_as_counted_plainly(barred: bool) -> None:
    found, _ = explore("picaria", no_centre_placing=barred)
    n, n_blocked = n_positions(PICARIA, 3, centre=6 if barred else None)
    assert (len(found), n_blocked) == (n, 0)


# ---------------------------------------------------------------- boards of squares


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


@dataclass
class PlainMill:
    """One state of a mill game of two on squares; what differs between the games are plain words."""

    men: int
    squares: int = 3
    diagonals: bool = False
    centre: bool = False
    fly: bool = False
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
        self.hand = [self.men, self.men]
        self.strokes = square_lines(self.squares, diagonals=self.diagonals)
        if self.centre:
            self.strokes = [s for s in self.strokes if not {"c5", "a3", "c1", "e3"} & set(s) or len(s) == 3]
            self.strokes += [["c5", "c4", "c3", "c2", "c1"], ["a3", "b3", "c3", "d3", "e3"]]
        self.lines = [s[k : k + 3] for s in self.strokes for k in range(len(s) - 2)]
        self.points = sorted({p for s in self.strokes for p in s})
        steps = [step for s in self.strokes for step in (*pairwise(s), *pairwise(s[::-1]))]
        self.next_to = {p: {q for a, q in steps if a == p} for p in self.points}

    def mills(self, player: int) -> list[list[str]]:
        return [line for line in self.lines if all(self.stones.get(p) == player for p in line)]

    def near(self, p: str) -> set[str]:
        return self.next_to[p]

    def can_step(self, player: int) -> set[str]:
        mine = [p for p, owner in self.stones.items() if owner == player]
        jump = self.fly and len(mine) <= 3
        return {
            f"{p}-{q}"
            for p in mine
            for q in self.points
            if q not in self.stones and p != q and (jump or q in self.near(p))
        }

    def actions(self, player: int) -> set[str]:
        if self.hand[player]:
            return {p for p in self.points if p not in self.stones}
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
            beside = {"x" + q for p, owner in self.stones.items() if owner == self.turn for q in self.near(p)}
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


SQUARES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("five_mens_morris", {}, {"men": 5, "squares": 2, "shielded": True}),
    ("six_mens_morris", {"diagonals": True}, {"men": 6, "squares": 2, "diagonals": True, "shielded": True}),
    ("seven_mens_morris", {}, {"men": 7, "squares": 2, "centre": True, "shielded": True}),
    ("eleven_mens_morris", {}, {"men": 11, "diagonals": True, "shielded": True}),
    ("one_time_mill", {}, {"men": 9, "fly": True, "once": True}),
    ("dooz", {}, {"men": 12, "diagonals": True, "fly": True, "mill_while_placing": "hand", "full": "first"}),
    ("nerenchi", {}, {"men": 12, "diagonals": True, "fly": True, "mill_while_placing": "again", "stop_at_two": True,
                      "second_moves": True}),
    ("nerenchi", {"placing_mill": "capture"},
     {"men": 12, "diagonals": True, "fly": True, "stop_at_two": True, "second_moves": True}),
    ("shax", {}, {"men": 12, "mill_while_placing": "", "full": "pioneer", "blocked": "waits", "idle_mills": False}),
    ("twelve_mens_morris", {"placing_mill": "nothing", "board_full": "both_remove", "stalemate": "remove_one"},
     {"men": 12, "diagonals": True, "fly": True, "shielded": True, "mill_while_placing": "", "full": "both",
      "blocked": "takes"}),
    ("six_mens_morris", {"men": 7, "stalemate": "remove_one"},
     {"men": 7, "squares": 2, "shielded": True, "blocked": "takes"}),
]  # fmt: skip


def agree(plain: PlainMill, game: Game, rng: random.Random, n_moves: int) -> int:
    """Play both with the same moves; the number of moves until the game is over."""
    for k in range(n_moves):
        position = game.position
        assert {str(move) for move in game.legal_moves} == plain.legal()
        assert list(position.hands) == plain.hand
        shown = {p: owner - 1 for p, owner in zip(position.board.points, position.owners, strict=True) if owner}
        assert shown == plain.stones
        if plain.winner is not None:
            assert game.outcome is not None and game.outcome.winner == plain.winner
            return k
        assert position.to_move == plain.turn
        assert parse_fen(to_fen(position), game.variant) == position
        move = rng.choice(sorted(plain.legal()))
        plain, game = plain.play(move), game.play(parse_move(move, game.variant.board))
    return n_moves


@pytest.mark.parametrize(("game", "options", "told"), SQUARES)
def test_a_game_on_squares_agrees_with_a_second_implementation(
    game: str, options: dict[str, Any], told: dict[str, Any]
) -> None:
    rng = random.Random(21)
    for _ in range(3):
        agree(PlainMill(**told), Game.start(find_variant(game, **options)), rng, 120)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("game", "options", "told"), SQUARES)
def test_many_games_on_squares_agree_with_the_second_implementation(
    game: str, options: dict[str, Any], told: dict[str, Any]
) -> None:
    rng = random.Random(22)
    moves = 0
    while moves < 10_000:
        moves += agree(PlainMill(**told), Game.start(find_variant(game, **options)), rng, 400)
