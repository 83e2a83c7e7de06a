"""The rules for other programs: one game as a line of JSON in, its positions out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from referee.announce import foul_words
from referee.bounded_json import parse_json
from referee.fouls import Foul, IllegalMoveError, rule_behind
from referee.game import Game
from referee.moves import InvalidMoveError, parse_move
from referee.presets import find_variant

MAX_TEXT_CHARS = 500  # what somebody sent is quoted in it, and may be of any length


def judge_line(line: str) -> tuple[dict[str, Any], bool]:
    """Judge one game, ``{"game": ..., "options": {...}, "moves": [...]}``; and whether every move was lawful.

    The answer has ``game``, ``states`` (the start and one after every action) and, where something was wrong,
    ``error``.

    >>> answer, lawful = judge_line('{"game": "tic_tac_toe", "moves": ["a1", "a1"]}')
    >>> lawful, answer["error"]["at"], answer["error"]["reasons"]
    (False, 1, ['occupied'])
    """
    try:
        request = parse_json(line.removeprefix("\ufeff"))
    except ValueError as why:
        return _stopped(None, [], f"not JSON: {why}")
    if not isinstance(request, dict):
        return _stopped(None, [], f"a game is an object with 'game' and 'moves', got {_short_repr(request)}")
    name = request.get("game")
    if not isinstance(name, str):
        return _stopped(None, [], f"'game' must be the name of a game, got {_short_repr(name)}")
    options = request.get("options")
    options = {} if options is None else options
    if not isinstance(options, dict):
        return _stopped(name, [], f"'options' must be an object, got {_short_repr(options)}")
    moves = request.get("moves")
    moves = [] if moves is None else moves
    if not isinstance(moves, list):
        return _stopped(name, [], f"'moves' must be a list, got {_short_repr(moves)}")
    try:
        game = Game.start(find_variant(name, **options))
    except (ValueError, TypeError) as why:
        return _stopped(name, [], str(why))
    return _play_through(name, game, moves)


def _play_through(name: str, game: Game, moves: list[object]) -> tuple[dict[str, Any], bool]:
    states = [state_of(game, None)]
    for at, word in enumerate(moves):
        text = word if isinstance(word, str) else _short_repr(word)
        try:
            if not isinstance(word, str):
                raise InvalidMoveError(f"a move is a text, got {text}")
            game = game.play(parse_move(word, game.variant.board))
        except IllegalMoveError as why:
            sentences = [foul_words(reason, rule=rule_behind(reason, game.variant)) for reason in why.reasons]
            return _stopped(name, states, f"{text}: {', '.join(sentences)}", at, text, why.reasons)
        except InvalidMoveError as why:
            return _stopped(name, states, str(why), at, text)
        states.append(state_of(game, text))
    return {"game": name, "states": states}, True


def state_of(game: Game, after: str | None) -> dict[str, Any]:
    """The position and its lawful moves as JSON, players counted from 1."""
    position, outcome = game.position, game.outcome
    return {
        "after": after,
        "to_move": position.to_move + 1,
        "phase": game.phase,
        "legal": [str(move) for move in game.legal_moves],
        "points": {
            name: [stone.owner + 1 for stone in stack]
            for name, stack in zip(position.board.points, position.stacks, strict=True)
        },
        "hand": list(position.hands),
        "winner": None if outcome is None or outcome.winner is None else outcome.winner + 1,
        "draw": outcome is not None and outcome.is_draw,
        "reason": None if outcome is None else str(outcome.termination),
    }


def _stopped(
    name: str | None,
    states: list[dict[str, Any]],
    text: str,
    at: int | None = None,
    move: str | None = None,
    reasons: Iterable[Foul] = (),
) -> tuple[dict[str, Any], bool]:
    error = {
        "at": at,
        "move": move,
        "reasons": [str(reason) for reason in reasons],
        "text": _cut(text, MAX_TEXT_CHARS),
    }
    return {"game": name, "states": states, "error": error}, False


def _short_repr(value: object) -> str:
    """A value in an error sentence, cut short."""
    return _cut(repr(value), 60)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
