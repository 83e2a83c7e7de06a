"""Moulin Rouge and Trialectic written a second time, plainly, straight from the rule sheets (003 and 004).

Nothing of the referee is used but the notation: points are found by their names, stones are letters in lists, and the
whole state is copied for every move. Both must allow the same moves and reach the same tables in random games.
"""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

import pytest

from referee.game import Game
from referee.moves import parse_move
from referee.presets import find_variant

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


def _agree(plain: Any, game: Game, rng: random.Random, n_moves: int) -> int:
    board = game.variant.board
    for k in range(n_moves):
        assert {str(move) for move in game.legal_moves} == plain.legal()
        assert list(game.position.hands) == plain.hand
        shown = {p: [stone.owner for stone in stack]
                 for p, stack in zip(board.points, game.position.stacks, strict=True)}  # fmt: skip
        assert shown == plain.stacks
        if plain.winner is not None:
            assert game.outcome is not None and game.outcome.winner == plain.winner
            return k
        assert game.position.to_move == plain.turn
        choices = sorted(plain.legal())
        move = rng.choice(choices)
        plain, game = plain.play(move), game.play(parse_move(move, board))
    return n_moves


@pytest.mark.parametrize("players", [2, 3, 4])
def test_moulin_rouge_agrees_with_a_second_implementation(players: int) -> None:
    rng = random.Random(players)
    for _ in range(4):
        _agree(PlainMoulin(players), Game.start(find_variant("moulin_rouge", players=players)), rng, 150)


def test_trialectic_agrees_with_a_second_implementation() -> None:
    rng = random.Random(3)
    for _ in range(5):
        _agree(PlainTrialectic(), Game.start(find_variant("trialectic")), rng, 400)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("game", ["moulin_rouge", "trialectic"])
def test_many_random_games_agree_with_the_second_implementation(game: str) -> None:
    rng = random.Random(17)
    moves = 0
    while moves < 20_000:
        plain = PlainTrialectic() if game == "trialectic" else PlainMoulin(rng.choice([2, 3]))
        options = {} if game == "trialectic" else {"players": plain.players}
        moves += _agree(plain, Game.start(find_variant(game, **options)), rng, 800)
