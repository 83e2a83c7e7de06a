"""Finds the lessons of every game, or of those that are named, and prints how many there are of each kind.

Run ``python -m tools.make_lessons [GAME ...] [--positions N] [--seed N] [--write]``; with ``--write`` they are kept in
``referee/search/lessons.json``, in the place of those of the same games.

They lie in games that are played with a seed. What is asked for depends on the kind (``KINDS``). Whether a turn does it
is never estimated: every turn of a position, and where the kind says so every answer to it, is played by the rules.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from referee.fen import to_fen
from referee.game import Game
from referee.legal import is_quiet, legal_moves
from referee.moves import Rotate, parse_turn, turn_text
from referee.position import NO_MEMORY, Memory, Position
from referee.presets import PRESETS
from referee.search import lessons
from referee.search.exact_table import Permutation, symmetries
from referee.search.lessons import KINDS, Lesson, does_close, may_close_one
from referee.search.think import think
from referee.search.thought import Limits
from referee.turns import Turn, iter_turns, legal_turns
from referee.variant import Variant

KEPT = Path(lessons.__file__).with_name("lessons.json")

# lessons of each kind in a game that has them all
WANTED: Mapping[str, int] = {"mill_in_one": 3, "block": 3, "double_mill": 2, "trap": 2}

N_LESSONS = 10  # lessons a game
MOST_WAYS = 40_000  # positions that are looked at to prove a trap; who needs more is no lesson
CHECKED_BY = Limits(positions=6_000, depth=4)  # the search that must choose the same turn where no table does


def _does_block(turn: Turn) -> bool:
    after = turn.after
    return turn.wins if after.ended is not None else after.to_move == turn.player or not may_close_one(after)


def _does_open_two(turn: Turn) -> bool:
    """Whether the mover can close a mill with his next turn, whatever is played in between; not where it is over."""
    return turn.after.ended is None and not turn.after.removing and _always(turn.after, turn.player, may_close_one)


def _always(position: Position, player: int, holds: Callable[[Position], bool], n_others: int = 0) -> bool:
    """Whether ``holds`` is true when ``player`` is to move again, whatever the others do till then.

    Not where he has to wait because he cannot move: ``n_others`` turns of others come one after another at most.
    """
    if position.ended is not None or position.removing:
        return False
    if position.to_move == player:
        return holds(position)
    if n_others == position.variant.players - 1:
        return False
    return all(_always(turn.after, player, holds, n_others + 1) for turn in iter_turns(position))


class _TooLargeError(Exception):
    """A proof needs more positions than a lesson may."""


class _Proof:
    """Whether a player wins by force within a number of his turns, by playing everything through."""

    def __init__(self, player: int) -> None:
        self._player = player
        self._known: dict[tuple[Position, int, int], bool] = {}
        self.n_positions = 0

    def wins(self, position: Position, n_turns: int, n_others: int = 0) -> bool:
        """Whether he wins from here with at most so many turns of his own, with none left out.

        Raises _TooLargeError when that takes too many positions.
        """
        if position.ended is not None:
            return position.ended.winner == self._player
        is_mine = position.to_move == self._player
        if is_mine and n_turns == 0 or position.removing or n_others == position.variant.players:
            return False
        key = position, n_turns, n_others
        if key not in self._known:
            self.n_positions += 1
            if self.n_positions > MOST_WAYS:
                raise _TooLargeError
            left = n_turns - is_mine
            if is_mine and left == 0:
                self._known[key] = any(turn.wins for turn in iter_turns(position))
            else:
                some = any if is_mine else all
                n_others = 0 if is_mine else n_others + 1
                self._known[key] = some(self.wins(turn.after, left, n_others) for turn in _loud_first(position))
        return self._known[key]


def _loud_first(position: Position) -> list[Turn]:
    """All turns, those that close a mill first: they decide most."""
    return sorted(iter_turns(position), key=lambda turn: not turn.mills)


def solving_turns(position: Position, kind: str, n_turns: int = 1) -> tuple[Turn, ...]:
    """Every turn of ``position`` that does what the kind asks for; ValueError when there is no such kind.

    A trap wins within ``n_turns`` own turns. The position is one between turns.
    """
    turns = legal_turns(position)
    if kind == "mill_in_one":
        return tuple(filter(does_close, turns))
    if kind == "block":
        return () if any(map(does_close, turns)) else tuple(filter(_does_block, turns))
    if kind == "double_mill":
        if position.variant.line_wins:
            return _winning(position, turns, 2)
        return tuple(filter(_does_open_two, turns))
    if kind == "trap":
        if n_turns == 1:
            return tuple(turn for turn in turns if turn.wins and not turn.mills)
        return _winning(position, turns, n_turns)
    raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")


def _winning(position: Position, turns: Sequence[Turn], n_turns: int) -> tuple[Turn, ...]:
    """The turns that win by force within ``n_turns`` own turns; none where a shorter way to win is there."""
    proof = _Proof(position.to_move)
    try:
        if n_turns > 1 and proof.wins(position, n_turns - 1):
            return ()
        return tuple(turn for turn in turns if proof.wins(turn.after, n_turns - 1))
    except _TooLargeError:
        return ()


def only_solution(position: Position, kind: str, n_turns: int = 1) -> tuple[Turn, bool] | None:
    """The one turn that solves a position, and whether any of its captures does; None where several actions do.

    Where a capture matters, it must be one alone; and somebody must be able to go wrong.
    """
    solving = solving_turns(position, kind, n_turns)
    if not solving or len({turn.moves[0] for turn in solving}) > 1:
        return None
    turns = legal_turns(position)
    same = [turn for turn in turns if turn.moves[0] == solving[0].moves[0]]
    if len({turn.moves[0] for turn in turns}) < 2 or len(solving) not in (1, len(same)):
        return None
    return solving[0], len(solving) > 1


def is_plain(position: Position) -> bool:
    """Whether a look at the board and at the hands tells all that the rules need to know."""
    memory = position.memory  # who closed the first mill matters only while stones are laid
    forgets = memory == NO_MEMORY or not any(position.hands) and memory == Memory(first_mill=memory.first_mill)
    bare = not position.dues and position.lock is None and not any(position.bans) and forgets
    own = all(stone.owner == stone.paint for stack in position.stacks for stone in stack)
    return bare and own and position.ended is None and not position.removing and not any(position.out)


def seeded_games(variant: Variant, seed: int) -> Iterator[Game]:
    """The positions of one game after another, without end: chance plays, and now and then takes a mill that is there.

    Half of the games are played by somebody who closes and opens mills on purpose, so that few stones are left.
    """
    rng = Random(f"{variant.name}/{seed}")  # noqa: S311  # nothing secret is drawn
    while True:
        game, greed = Game.start(variant), rng.choice((0.2, 0.9))
        while game.outcome is None and game.ply < MOST_PLIES:
            yield game
            moves = list(legal_moves(game.position))
            loud = [move for move in moves if not is_quiet(game.position, move)] if rng.random() < greed else []
            game = game.play(rng.choice(loud or moves))
            while game.pending:
                game = game.play(rng.choice(game.legal_moves))


MOST_PLIES = 160  # turns after which a game that is played at random is left


@lru_cache(maxsize=8)
def _turned(variant: Variant) -> tuple[Permutation, ...]:
    """The ways to turn and mirror a board; one of rings is turned as a whole."""
    rings = variant.board.rings
    if not rings:
        return symmetries(variant)
    permutations: list[Permutation] = []
    lines = {frozenset(line) for line in variant.board.lines}
    n = len(rings[0])
    for sign in (1, -1):
        for shift in range(n):
            images = [0] * len(variant.board.points)
            for ring in rings:
                for k, point in enumerate(ring):
                    images[point] = ring[(sign * k + shift) % n]
            if {frozenset(images[i] for i in line) for line in lines} == lines:
                permutations.append(tuple(images))
    return tuple(permutations)


def pattern(position: Position) -> tuple[object, ...]:
    """What is the same for positions that are turned, mirrored, or have their colours exchanged."""
    n, me = position.variant.players, position.to_move
    stacks = [tuple((stone.owner - me) % n for stone in stack) for stack in position.stacks]
    hands = tuple(position.hands[(me + k) % n] for k in range(n))
    return min(tuple(stacks[i] for i in images) for images in _turned(position.variant)), hands


class Found(NamedTuple):
    """A lesson that may be taken, and how easy it is."""

    lesson: Lesson
    ease: tuple[int, ...]
    phase: str


def find_lessons(variant: Variant, seed: int = 0, n_positions: int = 4_000) -> tuple[Lesson, ...]:
    """The lessons of a game, kind by kind, each kind from easy to hard; the same seed gives the same lessons."""
    by_kind: dict[str, dict[object, Found]] = {kind: {} for kind in KINDS}
    games = seeded_games(variant, seed)
    patterns: set[object] = set()
    for _ in range(n_positions):
        position = next(games).position
        if not is_plain(position) or not any(position.counts) or (key := pattern(position)) in patterns:
            continue
        position = position._replace(memory=NO_MEMORY, closed=())
        patterns.add(key)
        for one in _lessons_in(position):
            by_kind[one.lesson.kind][key] = one
    return _chosen(variant, {kind: list(by_key.values()) for kind, by_key in by_kind.items()})


def _lessons_in(position: Position) -> Iterator[Found]:
    """The first kind of lesson that a position is, if it is one."""
    for kind in KINDS:
        for n_turns in _lengths(position, kind):
            solution = only_solution(position, kind, n_turns)
            if solution is not None:
                yield _found(position, kind, n_turns, *solution)
                return


def _lengths(position: Position, kind: str) -> Iterable[int]:
    """The numbers of own turns that are tried; a win by captures or by enclosing is far while stones are laid."""
    variant = position.variant
    if kind != "trap":
        return (2 if kind == "double_mill" else 1,)
    if variant.line_wins:
        return (3,)
    return () if max(position.hands) > 1 else (1, 2)


def _found(position: Position, kind: str, n_turns: int, turn: Turn, any_capture: bool) -> Found:
    solution = turn_text(turn.moves)
    lesson = Lesson(position.variant.name, kind, to_fen(position), solution, (solution,), n_turns, any_capture)
    phase = "turning" if isinstance(turn.moves[0], Rotate) else position.phase
    return Found(lesson, (n_turns, sum(position.counts), len(legal_moves(position))), phase)


def _chosen(variant: Variant, candidates: Mapping[str, Sequence[Found]]) -> tuple[Lesson, ...]:
    """The ten that are kept: of each kind as many as wanted, the rest from the kinds that have more."""
    ready = {kind: list(_agreed(variant, _mixed(candidates[kind]))) for kind in KINDS}
    n_taken = {kind: min(WANTED[kind], len(ready[kind])) for kind in KINDS}
    while sum(n_taken.values()) < N_LESSONS:
        more = [kind for kind in KINDS if len(ready[kind]) > n_taken[kind]]
        if not more:
            break
        n_taken[min(more, key=lambda kind: n_taken[kind])] += 1
    return tuple(one.lesson for kind in KINDS for one in sorted(ready[kind][: n_taken[kind]], key=lambda one: one.ease))


def _mixed(candidates: Sequence[Found]) -> Iterator[Found]:
    """The easiest first, in turn from each phase of the game: a lesson with flying stones, say, after one of laying."""
    waiting: dict[str, list[Found]] = {}
    for one in sorted(candidates, key=lambda one: (one.ease, one.lesson)):
        waiting.setdefault(one.phase, []).append(one)
    while any(waiting.values()):
        for rest in waiting.values():
            if rest:
                yield rest.pop(0)


def _agreed(variant: Variant, candidates: Iterable[Found]) -> Iterator[Found]:
    """Those that a search chooses which does not know what is asked for, with how they go on; as many as needed."""
    n_left = N_LESSONS
    for one in candidates:
        position = one.lesson.position(variant)
        thought = think(Game(position), CHECKED_BY, seed=0)
        if one.lesson.is_solved_by(thought.turn):
            n_left -= 1
            yield one._replace(lesson=with_line(one.lesson, variant))
        if not n_left:
            return


def with_line(lesson: Lesson, variant: Variant) -> Lesson:
    """The lesson with how it goes on after the solution: as the others hold out longest, till what was aimed at."""
    position = lesson.position(variant)
    solution = next(turn for turn in legal_turns(position) if turn_text(turn.moves) == lesson.solution)
    line, n_left = [solution], lesson.n_turns - 1
    proof = _Proof(position.to_move)
    while n_left and line[-1].after.ended is None:
        here = line[-1].after
        if here.to_move != position.to_move:
            answer = think(Game(here), CHECKED_BY, seed=0).turn
            line.append(answer)
            continue
        n_left -= 1
        does = _aim(lesson.kind, variant, proof, n_left)
        best = think(Game(here), CHECKED_BY, seed=0).turn
        line.append(next(turn for turn in (best, *legal_turns(here)) if does(turn)))
    return lesson._replace(line=tuple(turn_text(turn.moves) for turn in line))


def _aim(kind: str, variant: Variant, proof: _Proof, n_left: int) -> Callable[[Turn], bool]:
    """What the mover's later turns are for."""
    if kind == "double_mill" and not variant.line_wins:
        return does_close
    return lambda turn: proof.wins(turn.after, n_left)


def played_line(lesson: Lesson, variant: Variant) -> Game:
    """The game that goes from a lesson's position along its line; ValueError when a turn of it is not allowed."""
    game = Game(lesson.position(variant))
    for notation in lesson.line:
        for move in parse_turn(notation, variant.board):
            game = game.play(move)
    return game


def as_json(lesson: Lesson) -> dict[str, object]:
    """What is kept of a lesson: all but the name of its game, and what is not as usual."""
    usual = Lesson("", "", "", "", ())._asdict()
    said = lesson._asdict() | {"game": ""}
    return {name: value for name, value in said.items() if value != usual[name]}


def main() -> None:
    """Find the lessons, print their numbers, and keep them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--positions", type=int, default=4000, help="positions of games that are looked at")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="keep them")
    asked = parser.parse_args()
    unknown = [game for game in asked.games if game not in PRESETS]
    if unknown:
        parser.error(f"no game {unknown[0]!r}")
    shipped = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    print(f"{'game':20}{''.join(f'{kind:>13}' for kind in KINDS)}{'stones':>9}{'seconds':>9}")
    for game in asked.games or PRESETS:
        variant, began = PRESETS[game].variant, time.perf_counter()
        lessons = find_lessons(variant, asked.seed, asked.positions)
        n_of = Counter(lesson.kind for lesson in lessons)
        stones = [lesson.n_stones(variant) for lesson in lessons]
        numbers = "".join(f"{n_of[kind]:13}" for kind in KINDS)
        most = f"{min(stones)}-{max(stones)}" if stones else ""
        print(f"{game:20}{numbers}{most:>9}{time.perf_counter() - began:9.1f}", flush=True)
        shipped[game] = [as_json(lesson) for lesson in lessons]
        if asked.write:
            ordered = {name: shipped[name] for name in PRESETS if name in shipped}
            lines = ",\n".join(
                f' "{name}": [\n' + ",\n".join(f"  {json.dumps(one)}" for one in ordered[name]) + "\n ]"
                for name in ordered
            )
            KEPT.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
