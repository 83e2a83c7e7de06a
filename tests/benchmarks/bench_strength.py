"""How well Millchen plays: matches between its strengths, a random mover, a greedy one and another program.

    python tests/benchmarks/bench_strength.py medium greedy --game nine_mens_morris --games 100

Each pair of games begins with the same random turn of each player and changes the colours. A win counts 1 and a draw
a half; with three players and more the second name plays all the others, and a win counts 1 if it is the first's. What
is not over after 200 turns is a draw. ``mcts`` is the Monte Carlo player of OpenSpiel (``pip install open_spiel``) with
1,000 simulations, for nine men's morris as it plays it (``fly=own``, a draw after 200 turns).
"""

import argparse
import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from typing import Any

from referee.advance import advance
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import Capture, Move, Place
from referee.presets import PRESETS, find_variant
from referee.search.think import STRENGTHS, choose_turn
from referee.turns import Turn, legal_turns

MOST_TURNS = 200
SIMULATIONS = 1_000

Player = Callable[[Game, int], Turn]


def random_turn(game: Game, seed: int) -> Turn:
    """Any lawful turn: its action is drawn, then what it takes."""
    rng, position = random.Random(f"{seed}/{game.ply}"), game.position
    moves: list[Move] = []
    after = position
    while True:
        moves.append(rng.choice(legal_moves(after)))
        after = advance(after, moves[-1])
        if not after.dues:
            return Turn(tuple(moves), after, after.closed, position.to_move)


def greedy_turn(game: Game, seed: int) -> Turn:
    """Closes a mill if it can, else stops a mill of the next player, else anything."""
    rng, me = random.Random(f"{seed}/{game.ply}"), game.position.to_move
    turns = list(legal_turns(game.position))
    rng.shuffle(turns)
    if closing := [turn for turn in turns if turn.mills]:
        return closing[0]
    return min(turns, key=lambda turn: _mills_left(turn, me))


def _mills_left(turn: Turn, me: int) -> int:
    after = turn.after
    if after.ended is not None or after.to_move == me:
        return 0
    return len({line for move in legal_moves(after) for line in advance(after, move).closed})


def strength_turn(name: str, seconds: float, game: Game, seed: int) -> Turn:
    """What Millchen plays at a strength."""
    return choose_turn(game, name, time.perf_counter, seed=seed, seconds=seconds).turn


class MonteCarlo:
    """OpenSpiel's player; it follows the game by its own state."""

    def __init__(self) -> None:
        import pyspiel  # noqa: PLC0415  # only where it is asked for

        self._open_spiel = pyspiel
        self._game = pyspiel.load_game("nine_mens_morris")

    def __call__(self, game: Game, seed: int) -> Turn:
        state, index = self._game.new_initial_state(), game.variant.board.index
        for turn in game.turns:
            for move in turn.moves:
                state.apply_action(_action(move, index))
        chance = seed * 1000 + game.ply
        evaluator = self._open_spiel.RandomRolloutEvaluator(1, chance)
        bot = self._open_spiel.MCTSBot(self._game, evaluator, 2.0, SIMULATIONS, 1000, False, chance, False)
        moves: list[Move] = []
        after = game.position
        while True:
            action = bot.step(state)
            move = next(m for m in legal_moves(after) if _action(m, index) == action)
            state.apply_action(action)
            moves.append(move)
            after = advance(after, move)
            if not after.dues:
                return Turn(tuple(moves), after, after.closed, game.position.to_move)


def _action(move: Move, index: Any) -> int:
    if isinstance(move, Place):
        return index[move.to]
    if isinstance(move, Capture):
        return index[move.at]
    return 24 + index[move.start] * 24 + index[move.to]


def player_of(name: str, seconds: float) -> Player:
    """The player of a name."""
    if name == "mcts":
        return MonteCarlo()
    if name in STRENGTHS:
        return partial(strength_turn, name, seconds)
    return {"random": random_turn, "greedy": greedy_turn}[name]


def play(job: tuple[str, str, str, dict[str, object], float, int]) -> tuple[float, int, list[float]]:
    """One game: the score of the first player, the number of turns, and the times of his thoughts in seconds."""
    first, second, game_name, options, seconds, number = job
    variant = find_variant(game_name, **options)
    game, seed = Game.start(variant), number // variant.players
    seat = number % variant.players
    players = {name: player_of(name, seconds) for name in {first, second}}
    times: list[float] = []
    while game.outcome is None and game.ply < MOST_TURNS:
        if game.ply < variant.players:
            game = game.play_turn(random_turn(game, seed))
            continue
        name = first if game.position.to_move == seat else second
        began = time.perf_counter()
        turn = players[name](game, number)
        if name == first:
            times.append(time.perf_counter() - began)
        game = game.play_turn(turn)
    winner = game.outcome.winner if game.outcome else None
    if winner is None:
        return 1 / variant.players, game.ply, times
    return float(winner == seat), game.ply, times


def report(first: str, second: str, game: str, results: list[tuple[float, int, list[float]]], n_players: int) -> str:
    """One line: the score with its 95 % interval, wins, draws, losses, length, and the times of a thought."""
    scores = [score for score, _, _ in results]
    n, mean = len(scores), sum(scores) / len(scores)
    spread = sqrt(sum((score - mean) ** 2 for score in scores) / n / max(n - 1, 1))
    wins, losses = sum(s == 1 for s in scores), sum(s == 0 for s in scores)
    times = sorted(t for _, _, thought in results for t in thought) or [0.0]
    p99 = times[int(0.99 * (len(times) - 1))]
    return (
        f"{game:20} {first} - {second}: {mean:.1%} +- {1.96 * spread:.1%}  won {wins} drawn {n - wins - losses} "
        f"lost {losses} of {n} (even: {1 / n_players:.0%});  {sum(p for _, p, _ in results) / n:.0f} turns;  "
        f"thought median {times[len(times) // 2]:.2f} p99 {p99:.2f} most {times[-1]:.2f} s"
    )


def main() -> None:
    """Play the matches of the command line and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", help="easy, medium, strong, random, greedy or mcts")
    parser.add_argument("second")
    parser.add_argument("--game", action="append", help="a game, as moulin_rouge:players=3; all where left out")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0, help="longest time for a turn")
    parser.add_argument("--seed", type=int, default=0, help="number of the first pair of games")
    parser.add_argument("--jobs", type=int, default=1, help="processes; times are only right with a core for each")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        for word in given.game or list(PRESETS):
            game, _, option = word.partition(":")
            options: dict[str, object] = dict([option.split("=")]) if option else {}
            if "mcts" in (given.first, given.second):
                options = {"fly": "own", "max_turns": MOST_TURNS}
            n = find_variant(game, **options).players
            numbers = range(given.seed * n, given.seed * n + given.games)
            jobs = [(given.first, given.second, game, options, given.seconds, number) for number in numbers]
            print(report(given.first, given.second, word, list(pool.map(play, jobs)), n), flush=True)


if __name__ == "__main__":
    main()
