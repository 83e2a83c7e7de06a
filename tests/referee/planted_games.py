"""Games with one planted blunder, and games without any, for the analysis to find it or to tell of none.

Both sides play well, but for one turn that is replaced by another which loses by force where the best one held. Of
solved games the exact table says what loses and what holds; of the others a search of five times as many positions as
the analysis has.
"""

from random import Random

from referee.game import Game
from referee.legal import protected
from referee.position import STONES, Position, Stone
from referee.presets import find_variant
from referee.search.think import table_of, think
from referee.search.thought import Limits
from referee.turns import Turn, legal_turns

SOLVED = ("tic_tac_toe", "three_mens_morris", "roman_mill", "picaria", "achi", "nine_holes", "tapatan")
UNSOLVED = ("nine_mens_morris", "millchen", "morabaraba")
TIMES_AS_LONG = 5  # the search that checks a planted blunder
FREE_TURNS = 4  # turns at the beginning that are drawn by lot
ENDINGS = ((4, 4), (5, 4), (4, 5), (5, 5), (3, 4), (4, 3), (3, 3))
"""Stones of both in endings of games that are not solved: with more, hardly any turn is proved to lose."""
BALANCED = 0.25  # most by which the shares differ from one half where an ending begins
MOST_WAIT, MOST_TURNS = 24, 100  # turns after which none is planted any more, and the game is thrown away
CANDIDATES = 2  # of the worst turns are tried in a game that is not solved,
LOOKS_BAD_SHARE = 0.4  # unless they are worth more to a short search: those seldom lose by force
HOLDS_SHARE = 0.4  # a best turn that is worth less may hold only as far as was seen


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
        stacks: list[tuple[Stone, ...]] = [()] * n_points
        for k, point in enumerate(rng.sample(range(n_points), sum(counts))):
            player = int(k >= counts[0])
            stacks[point] = (STONES[player][player],)
        begun = {"stacks": tuple(stacks), "hands": (0, 0), "counts": counts, "to_move": rng.randrange(2)}
        start = Position.start(variant)._replace(**begun)
        game = Game(start)
        if game.outcome is None and not protected(start.stacks, start.variant):
            value = think(game, Limits(positions=positions)).value
            if not value.is_proved and abs(value.shares[0] - 0.5) < BALANCED:
                return game


def losing_turn(game: Game, rng: Random, positions: int, least_turns: int) -> Turn | None:
    """A turn that loses by force where another one holds, in so many turns or more; None where there is none."""
    me, check = game.position.to_move, Limits(positions=TIMES_AS_LONG * positions)
    if table_of(game.variant) is not None:
        ranked = think(game, check).ranked
        losing = [one.turn for one in ranked if one.value.winner == 1 - me and one.turn.after.ended is None]
        return rng.choice(losing) if losing and ranked[0].value.winner != 1 - me else None
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


def planted_game(name: str, seed: int, positions: int, least_turns: int = 1) -> tuple[Game, int] | None:
    """A finished game and the number of the planted turn that lost it; None where this seed gives none."""
    rng = Random(f"{name}/{seed}")
    is_solved = table_of(find_variant(name)) is not None
    game = opening(name, rng) if is_solved else ending(name, rng, positions)
    wait, planted = rng.randrange(8), 0
    while game.outcome is None and game.ply < MOST_TURNS:
        turn = None
        if not planted and wait <= 0:
            turn = losing_turn(game, rng, positions, least_turns)
            planted = game.ply + 1 if turn is not None else 0
        wait -= 1
        if turn is None:
            limits = Limits(positions=positions * TIMES_AS_LONG if planted else positions // 4)
            turn = think(game, limits, seed=seed).turn
        game = game.play_turn(turn)
        if not planted and game.ply > MOST_WAIT:
            return None
    winner = game.outcome.winner if game.outcome else None
    return (game, planted) if planted and winner not in (None, game.turns[planted - 1].player) else None


def perfect_game(name: str, seed: int) -> Game:
    """A game of a solved game in which nobody ever gives anything away: by lot one of the turns that hold the best."""
    rng, game = Random(f"perfect/{name}/{seed}"), Game.start(find_variant(name))
    while game.outcome is None and game.ply < 40:
        thought = think(game, Limits(positions=1), seed=seed)
        game = game.play_turn(rng.choice([one.turn for one in thought.ranked if one.value == thought.value]))
    return game
