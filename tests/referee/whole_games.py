"""Whole games as tests read and analyse them at once; the program reads files and analyses turn by turn."""

from typing import NamedTuple

from referee.game import Game
from referee.record import GameRecord
from referee.record_reader import games_in, whole_game
from referee.search.analysis import USUAL_LIMITS, TurnAnalysis, analyse_turn, games_of, standing, turning_point
from referee.search.thought import Limits, Value
from referee.variant import Variant


def from_pgn(text: str, variant: Variant | None = None) -> GameRecord:
    """The first game of a text."""
    return whole_game(next(games_in(text)), variant)


class Analysis(NamedTuple):
    turns: tuple[TurnAnalysis, ...]
    end: Value
    turning_point: int | None


def analyse(game: Game, limits: Limits = USUAL_LIMITS) -> Analysis:
    games = games_of(game)
    end = standing(games[-1], limits)
    after: Value | None = end
    found: list[TurnAnalysis] = []
    for before, turn in zip(reversed(games[:-1]), reversed(games[-1].turns), strict=True):
        found.insert(0, analyse_turn(before, turn, limits, after))
        after = found[0].before
    return Analysis(tuple(found), end, turning_point(found, game.outcome, end))
