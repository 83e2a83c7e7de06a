"""From a game to the events that tell of it."""

from __future__ import annotations

from referee.endings import Termination
from referee.events import GameEnded
from referee.game import Game


def game_ended(game: Game, time_s: float = 0.0, frame: int = 0) -> GameEnded:
    """The end of a game that is over, with what a sentence about it needs.

    Args:
        game: Its ``outcome`` must be set.
        time_s, frame: When it ended, in the source of the pictures.

    >>> from referee.presets import find_variant
    >>> game_ended(Game.start(find_variant("millchen")).resign(0)).loser
    0
    """
    assert game.outcome is not None
    winner, reason = game.outcome.winner, game.outcome.termination
    position, variant = game.position, game.variant
    loser, n = None, None
    if winner is not None and variant.players == 2:
        loser = 1 - winner
    elif reason is Termination.NO_MOVES and winner is None:
        loser = position.to_move
    if reason is Termination.FEWER_THAN_THREE and loser is not None:
        n = position.counts[loser] + position.hands[loser]
    elif reason is Termination.NO_MILL:
        n = game.quiet
    elif reason is Termination.REPETITION:
        n = variant.repetition
    return GameEnded(winner, str(reason), time_s, frame, loser=loser, n=n)
