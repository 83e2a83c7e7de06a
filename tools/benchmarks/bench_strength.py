"""How well Millchen plays: matches between its strengths, a random mover and a greedy one.

    python tools/benchmarks/bench_strength.py medium greedy --game nine_mens_morris --games 100

Each pair of games begins with the same random turn of each player and changes the colours. A win counts 1 and a draw
a half; with three players and more the second name plays all the others, and a win counts 1 if it is the first's. What
is not over after 200 turns is a draw. ``mcts`` is OpenSpiel's Monte Carlo player (``pip install open_spiel``), for nine
men's morris as it plays it (``--game nine_mens_morris:fly=own``).
"""

import argparse
import random
import time
from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any

from referee.advance import advance
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import Move, Place, Slide
from referee.presets import PRESETS, find_variant
from referee.search.think import STRENGTHS, choose_turn
from referee.turns import Turn, legal_turns
from referee.variant import Variant

MOST_TURNS = 200

Player = Callable[[Game, int], Turn]


def random_turn(game: Game, seed: int) -> Turn:
    """Any lawful turn: its action is drawn, then what it takes."""
    rng, position = random.Random(f"{seed}/{game.ply}"), game.position
    moves = [rng.choice(legal_moves(position))]
    after = advance(position, moves[0])
    while after.dues:
        moves.append(rng.choice(legal_moves(after)))
        after = advance(after, moves[-1])
    return Turn(tuple(moves), after, after.closed, position.to_move)


def greedy_turn(game: Game, seed: int) -> Turn:
    """Closes a mill if it can, else stops a mill of the next player, else anything."""
    turns = list(legal_turns(game.position))
    random.Random(f"{seed}/{game.ply}").shuffle(turns)
    closing = [turn for turn in turns if turn.mills]
    return closing[0] if closing else min(turns, key=_mills_left)


def _mills_left(turn: Turn) -> int:
    after = turn.after
    if after.ended is not None or after.to_move == turn.player:
        return 0
    return len({line for move in legal_moves(after) for line in advance(after, move).closed})


def monte_carlo_turn(game: Game, seed: int) -> Turn:
    """OpenSpiel's Monte Carlo player with 1,000 simulations; it follows the game by its own state."""
    import pyspiel  # noqa: PLC0415  # only where it is asked for

    state, index = pyspiel.load_game("nine_mens_morris").new_initial_state(), game.variant.board.index

    def number_of(move: Any) -> int:
        if isinstance(move, Slide):
            return 24 + index[move.start] * 24 + index[move.to]
        return index[move.to if isinstance(move, Place) else move.at]

    for move in (move for turn in game.turns for move in turn.moves):
        state.apply_action(number_of(move))
    chance, moves, after = seed * 1000 + game.ply, list[Move](), game.position
    evaluator = pyspiel.RandomRolloutEvaluator(1, chance)
    bot = pyspiel.MCTSBot(state.get_game(), evaluator, 2.0, 1_000, 1000, False, chance, False)
    while not moves or after.dues:
        action = bot.step(state)
        state.apply_action(action)
        moves.append(next(move for move in legal_moves(after) if number_of(move) == action))
        after = advance(after, moves[-1])
    return Turn(tuple(moves), after, after.closed, game.position.to_move)


def strength_turn(name: str, seconds: float, game: Game, seed: int) -> Turn:
    """What Millchen plays at a strength."""
    return choose_turn(game, name, time.perf_counter, seed=seed, seconds=seconds).turn


def play(variant: Variant, first: Player, others: Player, number: int) -> tuple[float, int, list[float]]:
    """One game: the score of the first player, the number of turns, and the times of his thoughts in seconds."""
    game, (seed, seat), times = Game.start(variant), divmod(number, variant.players), list[float]()
    while game.outcome is None and game.ply < MOST_TURNS:
        is_first, began = game.position.to_move == seat, time.perf_counter()
        if game.ply < variant.players:
            game = game.play_turn(random_turn(game, seed))
            continue
        game = game.play_turn((first if is_first else others)(game, number))
        times += [time.perf_counter() - began] * is_first
    winner = game.outcome.winner if game.outcome else None
    return 1 / variant.players if winner is None else float(winner == seat), game.ply, times


def main() -> None:
    """Play the matches of the command line and print a line for each: the score with its 95 % interval."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs=2, help="easy, medium, strong, random, greedy or mcts")
    parser.add_argument("--game", action="append", help="a game, as moulin_rouge:players=3; all where left out")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0, help="longest time for a turn")
    parser.add_argument("--seed", type=int, default=0, help="number of the first pair of games")
    given = parser.parse_args()
    known: dict[str, Player] = {"random": random_turn, "greedy": greedy_turn, "mcts": monte_carlo_turn}
    known |= {name: partial(strength_turn, name, given.seconds) for name in STRENGTHS}
    first, others = (known[name] for name in given.players)
    for word in given.game or list(PRESETS):
        game, _, option = word.partition(":")
        variant, n = find_variant(game, **dict([option.split("=")] if option else [])), given.games
        results = [play(variant, first, others, given.seed * variant.players + k) for k in range(n)]
        scores, times = [score for score, *_ in results], sorted(t for *_, own in results for t in own) or [0.0]
        mean = sum(scores) / n
        spread = sqrt(sum((score - mean) ** 2 for score in scores) / n / max(n - 1, 1))
        told = f"{word:20} {' - '.join(given.players)}: {mean:.1%} +- {1.96 * spread:.1%} of {n}"
        p50, p99 = (times[int(share * (len(times) - 1))] for share in (0.5, 0.99))
        print(f"{told} (even: {1 / variant.players:.0%}), a thought p50 {p50:.2f}, p99 {p99:.2f} s", flush=True)


if __name__ == "__main__":
    main()
