"""Whether an analysis finds the turn that lost a game, and tells of no blunder where there was none.

Games are made in which both sides play well, but for one turn that is replaced by another which loses by force where
the best one held; afterwards both play on as well as they can. Of solved games the exact table says what loses and
what holds; of the others a search of five times as many positions as the analysis has. Run with
``python -m tests.benchmarks.bench_analysis [--seeds FROM TO] [--positions N]``; the figures are in docs/ANALYSIS.md.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from referee.game import Game
from referee.legal import protected
from referee.position import STONES, Position, Stone
from referee.presets import find_variant
from referee.search.analysis import BLUNDER, USUAL_LIMITS
from referee.search.think import table_of, think
from referee.search.thought import Limits, Thought
from referee.turns import Turn, legal_turns
from tests.referee.whole_games import Analysis, analyse

SOLVED = ("tic_tac_toe", "three_mens_morris", "roman_mill", "picaria", "achi", "nine_holes", "tapatan")
"""Games in which the table plants and judges the blunder."""

UNSOLVED = ("nine_mens_morris", "millchen", "morabaraba")
"""Games in which a search does."""

TIMES_AS_LONG = 5
"""The search that checks a planted blunder looks at so many times the positions.

Source: the promise.
"""

FREE_TURNS = 4
"""Turns at the beginning that are drawn by lot, so that no two games are the same."""

ENDINGS = ((4, 4), (5, 4), (4, 5), (5, 5), (3, 4), (4, 3), (3, 3))
"""Stones of both sides in the endings of games that are not solved: with more of them hardly any turn is proved to lose
by a search of this length.
"""

BALANCED = 0.25
"""Most by which the shares differ from one half where an ending begins."""

MOST_WAIT = 24
"""Turns after which no blunder is planted any more."""

MOST_TURNS = 100
"""A game that is not over by then is thrown away."""


CANDIDATES = 2
"""So many of the worst turns are tried in a game that is not solved."""

LOOKS_BAD_SHARE = 0.4
"""A turn that is worth more to a short search is not tried: it seldom loses by force, and the search takes long."""

HOLDS_SHARE = 0.4
"""A best turn that is worth less may hold only as far as was seen."""


class Planted(NamedTuple):
    """A finished game and the number of the turn that lost it."""

    game: Game
    ply: int


def strong(game: Game, seed: int, positions: int) -> Thought:
    """The best turn, looked up or searched."""
    return think(game, Limits(positions=positions), seed=seed)


def opening(name: str, rng: Random) -> Game:
    """A solved game after some turns by lot."""
    while True:
        game = Game.start(find_variant(name))
        for _ in range(rng.randrange(FREE_TURNS)):
            game = game.play_turn(rng.choice(legal_turns(game.position)))
        if game.outcome is None:
            return game


def ending(name: str, rng: Random, positions: int) -> Game:
    """A game that begins with few stones by lot on the board, in which a search sees nobody ahead by much."""
    variant = find_variant(name)
    n_points = len(variant.board.points)
    while True:
        counts = rng.choice(ENDINGS)
        points = rng.sample(range(n_points), sum(counts))
        stacks: list[tuple[Stone, ...]] = [()] * n_points
        for k, point in enumerate(points):
            player = int(k >= counts[0])
            stacks[point] = (STONES[player][player],)
        start = Position.start(variant)._replace(
            stacks=tuple(stacks), hands=(0, 0), counts=counts, to_move=rng.randrange(2)
        )
        game = Game(start)
        if game.outcome is None and not protected(start.stacks, start.variant):
            value = think(game, Limits(positions=positions)).value
            if not value.is_proved and abs(value.shares[0] - 0.5) < BALANCED:
                return game


def losing_turn(game: Game, rng: Random, positions: int, least_turns: int) -> Turn | None:
    """A turn that loses by force where another one holds, in so many turns or more; None where there is none."""
    me, check = game.position.to_move, Limits(positions=TIMES_AS_LONG * positions)
    if table_of(game.variant) is not None:
        ranked = [(one.turn, one.value) for one in think(game, check).ranked]
        losing = [turn for turn, value in ranked if value.winner == 1 - me]
        holds = ranked[0][1].winner != 1 - me
        open_ones = [turn for turn in losing if turn.after.ended is None]
        return rng.choice(open_ones) if holds and open_ones else None
    for one in reversed(think(game, Limits(positions=positions // 2), all_turns=True).ranked[-CANDIDATES:]):
        if one.value.shares[me] > LOOKS_BAD_SHARE:
            break
        after = game.play_turn(one.turn)
        if after.outcome is not None:
            continue
        value = think(after, check).value
        if value.winner == 1 - me and value.turns is not None and value.turns >= least_turns:
            best = think(game, check).value
            return one.turn if best.winner == me or (not best.is_proved and best.shares[me] >= HOLDS_SHARE) else None
    return None


def planted_game(name: str, seed: int, positions: int, least_turns: int = 1) -> Planted | None:
    """A game with one planted blunder; None where this seed gives none."""
    rng = Random(f"{name}/{seed}")
    is_solved = table_of(find_variant(name)) is not None
    game = opening(name, rng) if is_solved else ending(name, rng, positions)
    wait = rng.randrange(8)
    planted = 0
    while game.outcome is None and game.ply < MOST_TURNS:
        turn = None
        if not planted and wait <= 0:
            turn = losing_turn(game, rng, positions, least_turns)
            planted = game.ply + 1 if turn is not None else 0
        wait -= 1
        if turn is None:
            turn = strong(game, seed, positions * TIMES_AS_LONG if planted else positions // 4).turn
        game = game.play_turn(turn)
        if not planted and game.ply > MOST_WAIT:
            return None
    if not planted or game.outcome is None or game.outcome.winner is None:
        return None
    if game.outcome.winner == game.turns[planted - 1].player:
        return None  # the other side did not win what was won
    return Planted(game, planted)


def planted_games(
    names: tuple[str, ...], seeds: range, positions: int, least_turns: int
) -> Iterator[tuple[str, int, Planted]]:
    """Games with a planted blunder, those of each seed by turns."""
    for seed in seeds:
        name = names[seed % len(names)]
        made = planted_game(name, seed, positions, least_turns)
        if made is not None:
            yield name, seed, made


def perfect_game(name: str, seed: int) -> Game:
    """A game of a solved game in which nobody ever gives anything away: by lot one of the turns that hold the best."""
    rng = Random(f"perfect/{name}/{seed}")
    game = Game.start(find_variant(name))
    while game.outcome is None and game.ply < 40:
        thought = strong(game, seed, 1)
        held = [one.turn for one in thought.ranked if one.value == thought.value]
        game = game.play_turn(rng.choice(held))
    return game


def blunders(found: Analysis) -> list[int]:
    """The numbers of the turns that are told of as blunders."""
    return [one.ply for one in found.turns if BLUNDER in one.tags]


def main(argv: list[str] | None = None) -> int:
    """Print how often the planted turn was found; 1 where a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs=2, default=(1000, 1400), metavar=("FROM", "TO"))
    parser.add_argument("--solved", type=int, default=25, help="planted games of solved games")
    parser.add_argument("--unsolved", type=int, default=25, help="planted games of the others")
    parser.add_argument("--perfect", type=int, default=20, help="perfect games")
    parser.add_argument("--positions", type=int, default=USUAL_LIMITS.positions)
    parser.add_argument(
        "--least-turns",
        type=int,
        default=3,
        help="turns to the end after a planted blunder, in games that are not solved (1: also at once)",
    )
    asked = parser.parse_args(argv)
    seeds, limits = range(*asked.seeds), Limits(positions=asked.positions)
    n = n_found = n_turns = 0
    seconds = 0.0
    for names, wanted in ((SOLVED, asked.solved), (UNSOLVED, asked.unsolved)):
        n_here = found_here = 0
        for name, seed, planted in planted_games(names, seeds, asked.positions, asked.least_turns) if wanted else ():
            begun = time.perf_counter()
            found = analyse(planted.game, limits)
            took = time.perf_counter() - begun
            is_found = found.turning_point == planted.ply
            n_here, found_here = n_here + 1, found_here + is_found
            n_turns, seconds = n_turns + planted.game.ply, seconds + took
            print(f"{name:18} seed {seed}: planted {planted.ply:3} of {planted.game.ply:3}, told "
                  f"{found.turning_point}, blunders {blunders(found)}, {took:.1f} s"
                  f"{'' if is_found else '  <- MISSED'}", flush=True)  # fmt: skip
            if n_here == wanted:
                break
        print(f"found {found_here} of {n_here} in {', '.join(names)}", flush=True)
        n, n_found = n + n_here, n_found + found_here
    if n:
        print(f"turning points found: {n_found} of {n}; {seconds / n_turns:.2f} s a turn", flush=True)
    n_false = 0
    for k in range(asked.perfect):
        name = SOLVED[k % len(SOLVED)]
        game = perfect_game(name, k)
        found = analyse(game, limits)
        told = [one for one in found.turns if one.tags] or found.turning_point is not None
        n_false += bool(told)
        print(f"perfect {name:18} {game.ply:3} turns: {'NONE' if not told else 'TOLD ' + str(blunders(found))}")
    print(f"perfect games with a blunder told: {n_false} of {asked.perfect}")
    return int(n_false > 0 or (n > 0 and n_found < 0.9 * n))


if __name__ == "__main__":
    sys.exit(main())
