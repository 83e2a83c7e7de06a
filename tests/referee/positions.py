"""Games and positions in one line of text, for the tests of the rules.

A game with its options is written as on the command line: ``millchen fly=any``. Of a position the stones of each player
stand between bars: ``a7 d7 +5 | * b6/212 !`` has two stones of the first player and five in the hand; the second one is
to move (``*``), is out (``!``) and owns none but those that lie in the tower on b6 (players from 1, bottom first).
"""

from typing import Any

from referee.game import Game
from referee.legal import legal_moves
from referee.moves import parse_turn
from referee.position import Position
from referee.presets import find_variant
from referee.variant import Variant


def rules_of(game: str) -> Variant:
    name, *options = game.split()
    return find_variant(name, **dict(option.split("=") for option in options))


def setup(game: str, stones: str) -> Position:
    """The position that ``stones`` tells; the start of the game where it is empty."""
    variant = rules_of(game)
    if not stones:
        return Position.start(variant)
    points: dict[str, list[int]] = {}
    hands, out, to_move = [0] * variant.players, [False] * variant.players, variant.first
    for player, words in enumerate(stones.split("|")):
        for word in words.split():
            match word[0]:
                case "*":
                    to_move = player
                case "!":
                    out[player] = True
                case "+":
                    hands[player] = int(word)
                case _:
                    name, _, tower = word.partition("/")
                    points[name] = [int(owner) - 1 for owner in tower] if tower else [player]
    return Position.set_up(variant, points, hands, to_move, out)


def legal(position: Position) -> set[str]:
    return {str(move) for move in legal_moves(position)}


def play_words(game: Game, words: str) -> Game:
    """Go on with turns or single moves, one a word."""
    for word in words.split():
        for move in parse_turn(word, game.variant.board):
            game = game.play(move)
    return game


def after(position: Position, words: str) -> Position:
    return play_words(Game(position), words).position


def played(game: str, words: str, **options: Any) -> Game:
    return play_words(Game.start(find_variant(game, **options)), words)
