"""PGN or JSON in, a game's record out; a damaged record is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from languages import Message, message, message_of
from referee.board import Board
from referee.endings import Outcome, Termination
from referee.fen import parse_fen
from referee.fouls import Foul, IllegalMoveError
from referee.game import Game
from referee.moves import parse_turn
from referee.presets import find_variant, variant_called
from referee.record import OPTION_OF, OUTSIDE, OWN_TAGS, ROSTER, GameRecord, result_of, unknown
from referee.resumption import play_as_read
from referee.turns import Turn
from referee.variant import Variant

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")  # the words that end a game
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_WORD = re.compile(r"\{[^}]*\}?|;[^\n]*|(?m:^)%[^\n]*|\(|\)|\$\d+|\d+\.+(?!\d)|[^\s{}();]+")
_BESIDE_THE_GAME = re.compile(r"\$\d+|\d+\.+|[;%].*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, and the character at which it begins (0 first)."""

    text: str
    at: int


@dataclass(slots=True)
class GameText:
    """One game of a text."""

    tags: dict[str, Word] = field(default_factory=dict)  # the value of each tag
    words: list[Word] = field(default_factory=list)  # moves, comments in their braces and the result, nothing else
    unclosed: Word | None = None  # a brace or bracket that never closes


def games_in(text: str) -> Iterator[GameText]:
    """The games of a text, one after the other; at least one, which may be empty.

    A game ends with its result, or where the tags of the next one begin.

    >>> [[word.text for word in game.words] for game in games_in("1. a7 (1. d7 d6) g7 1-0 {good} 1. d6 *")]
    [['a7', 'g7', '1-0', '{good}'], ['d6', '*']]
    """
    game = GameText()
    open_brackets: list[Word] = []
    at = is_over = 0
    while (ink := re.compile(r"\S").search(text, at)) is not None:
        at = ink.start()
        tag = None if open_brackets else _TAG.match(text, at)
        if tag is not None:
            name, value = tag.group(1), re.sub(r"\\(.)", r"\1", tag.group(2))
            if game.words or (name == "Event" and name in game.tags):
                yield game
                game, is_over = GameText(), 0
            game.tags[name] = Word(value, tag.start(2))
            at = tag.end()
            continue
        match = _WORD.match(text, at)
        word = Word(match.group() if match else text[at], at)  # a stray brace is a word of its own
        at += len(word.text)
        if word.text == "(":
            open_brackets.append(word)
        elif word.text == ")":
            open_brackets[-1:] = []
        elif not open_brackets and not _BESIDE_THE_GAME.fullmatch(word.text):
            is_comment = word.text[0] == "{"
            if is_over and not is_comment:
                yield game
                game, is_over = GameText(), 0
            game.words.append(word)
            is_over = is_over or word.text in RESULTS
            if is_comment and word.text[-1] != "}":
                game.unclosed = word
    if open_brackets:
        game.unclosed = open_brackets[0]
    yield game


def place(text: str, at: int) -> tuple[int, int]:
    r"""The line and the column of a character, 1 first.

    >>> place("1. a7\n2. d7", 9)
    (2, 4)
    """
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


_COMMAND = re.compile(r"\[%(\w+) ([^\]]*)\]")
_KIND = re.compile(r"[a-z_]{1,40}")
_WORDS_OF_PGN = {
    "time forfeit": Termination.TIME,
    "adjudication": Termination.ARBITER,
    "rules infraction": Termination.ARBITER,
    "abandoned": Termination.ABANDONED,
}
"""Words of the tag Termination in records of other programs. Source: PGN standard, 9.8.1."""


class RecordError(ValueError):
    """A record cannot be read, or not from here on.

    ``at`` is the character of the text, 0 first, at which ``word`` stands; ``game`` is what was read before.
    """

    def __init__(self, why: str, at: int | None = None, word: str = "", game: Game | None = None) -> None:
        super().__init__(why)
        self.why, self.at, self.word, self.game = why, at, word, game

    def located(self, text: str) -> Message:
        """The reason with its line and column in ``text``, and the turn that cannot be read."""
        line, column = place(text, self.at or 0)
        excerpt = repr(self.word if len(self.word) <= _MOST_SHOWN else self.word[:_MOST_SHOWN] + "...")
        if self.game is None:
            return message("record.at", line=line, column=column, why=self.why)
        return message("record.at_turn", line=line, column=column, ply=self.game.ply + 1, word=excerpt, why=self.why)


_MOST_SHOWN = 30


def whole_game(source: GameText, variant: Variant | None = None) -> GameRecord:
    """Parse one game strictly: every word of its record counts.

    Raises RecordError when any of it is damaged, not allowed, or contradicts itself.
    """
    game, comments = _first_game(source, variant), list[tuple[int, str]]()
    game, result = _replayed(game, source.words, comments)
    if source.unclosed is not None:
        is_comment = source.unclosed.text[0] == "{"
        open_part = message("record.open_comment") if is_comment else message("record.open_variation")
        raise RecordError(open_part, source.unclosed.at)
    ended = _outside(game, source.tags, result)
    if result not in ("*", result_of(ended)) and ended.variant.players == 2:
        at = next(word.at for word in source.words if word.text == result)
        raise RecordError(message("record.result", played=result_of(ended), told=result), at)
    return GameRecord(ended, _kept_tags(source), tuple(comments))


def _first_game(source: GameText, variant: Variant | None = None) -> Game:
    """The game that the tags describe, before its first turn.

    Raises RecordError when they name an unknown game or option, or an impossible position.
    """
    rules = _variant(source.tags, variant)
    if "FEN" not in source.tags:
        return Game.start(rules)
    fen = source.tags["FEN"]
    try:
        return Game(parse_fen(fen.text, rules))
    except ValueError as why:
        raise RecordError(message_of(why), fen.at, fen.text) from why


def _kept_tags(source: GameText) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, value.text)
        for name, value in source.tags.items()
        if name not in OWN_TAGS and name not in OPTION_OF and not (name in ROSTER and value.text == unknown(name))
    )


def _variant(tags: Mapping[str, Word], fallback: Variant | None) -> Variant:
    name = tags.get("Variant")
    if name is None:
        rules = fallback or variant_called("nine men's morris")
    else:
        try:
            rules = variant_called(name.text)
        except ValueError as why:
            if fallback is not None and fallback.name == name.text:
                return fallback  # a game that only its own table knows
            raise RecordError(message_of(why), name.at, name.text) from why
    return _with_options(rules, [(tag, OPTION_OF[tag], value) for tag, value in tags.items() if tag in OPTION_OF])


def _with_options(rules: Variant, options: Iterable[tuple[str, str, Word]]) -> Variant:
    """The rules with the options of a record: what it calls each, its name and its value."""
    for tag, name, value in options:
        try:
            rules = find_variant(rules.name, **(dict(rules.chosen) | {name: value.text}))
        except ValueError as why:
            text = message("record.option", tag=tag, value=value.text[:_MOST_SHOWN])
            raise RecordError(text, value.at, value.text) from why
    return rules


def _replayed(game: Game, words: Iterable[Word], comments: list[tuple[int, str]]) -> tuple[Game, str]:
    """The game after the movetext, and the result at its end."""
    result = "*"
    stood: Word | None = None
    for word in words:
        if word.text[0] == "{":
            note = word.text.strip("{}")
            if stood is not None:
                game, stood = _stood(game, note, stood.at), None
            elif note.strip():
                comments.append((game.ply, note.strip()))
        elif word.text in RESULTS:
            result = word.text
        elif word.text == "--":
            stood = word
        else:
            game = _turn(game, word.text, word.at)
    return game, result


def _turn(game: Game, word: str, at: int | None = None) -> Game:
    plain = translated(re.sub(r"^\d+\.+", "", word), game.variant.board).rstrip("!?")
    try:
        return play_as_read(game, parse_turn(plain, game.variant.board))
    except IllegalMoveError as why:
        needless = Foul.CAPTURE_WITHOUT_MILL in why.reasons  # whose stone it was does not matter then
        kinds = (Foul.CAPTURE_WITHOUT_MILL,) if needless else why.reasons
        reasons: list[Message] = [message(f"referee/fouls/{kind}") for kind in kinds]
        text = reduce(lambda one, other: message("record.both", one=one, other=other), reasons)
        raise RecordError(text, at, word, game) from why
    except ValueError as why:
        raise RecordError(message("record.no_move"), at, word, game) from why


def _stood(game: Game, note: str, at: int | None = None) -> Game:
    """The game after a foul that stood; the position after it is written beside it."""
    commands = dict(_COMMAND.findall(note))
    try:
        player, kinds = int(commands["by"]) - 1, tuple(commands["stood"].split(","))
        if not 0 <= player < game.variant.players or not all(_KIND.fullmatch(kind) for kind in kinds):
            raise ValueError(f"no such player or foul: {note!r}")
        return game.play_turn(Turn((), parse_fen(commands["fen"], game.variant), (), player, kinds))
    except (KeyError, ValueError) as why:
        raise RecordError(message("record.stood"), at, "--", game) from why


def _outside(game: Game, tags: Mapping[str, Word], result: str) -> Game:
    """The ending that the moves do not show."""
    if game.outcome is not None:
        return game
    word = tags["Termination"].text.lower() if "Termination" in tags else ""
    stated = tags["Result"].text if "Result" in tags and result == "*" else result
    winner = {"1-0": 0, "0-1": 1}.get(stated)
    if "Winner" in tags:
        number = tags["Winner"].text
        winner = int(number) - 1 if number in map(str, range(1, game.variant.players + 1)) else None
    ending = _WORDS_OF_PGN.get(word) or next((ending for ending in OUTSIDE if ending == word), None)
    if winner is not None and ending is Termination.ABANDONED:
        ending = None  # elsewhere it means that somebody went away and has lost
    elif winner is None and stated == "*" and ending is not Termination.ABANDONED:
        return game  # a word without a result ends nothing
    if ending is None and winner is not None:
        ending = Termination.RESIGNATION  # nothing else is said about it: the usual reason
    elif ending is None and stated == "1/2-1/2":
        ending = Termination.AGREEMENT
    if ending is None:
        return game
    return replace(game, outcome=Outcome(winner, ending))


# ---------------------------------------------------------------- JSON


def whole_json(data: Mapping[str, Any], turn_at: Callable[[int], int | None] = lambda _: None) -> GameRecord:
    """The record of a game as ``to_json`` wrote it, every part of it as it should be, else RecordError.

    ``turn_at`` leads from the number of a turn, 0 first, to the character of the text at which it stands.
    """
    for part, is_right in _PARTS.items():
        if part in data and not is_right(data[part]):
            raise RecordError(message("record.json_part", part=part))
    try:
        game = _first_game_of_json(data)
    except RecordError as why:
        raise RecordError(why.why) from why
    except ValueError as why:
        raise RecordError(message_of(why)) from why
    game = _played_in_json(game, data, turn_at)
    comments = tuple((ply, text) for ply, text in data.get("comments") or ())
    if not all(0 <= ply <= game.ply for ply, _ in comments):
        raise RecordError(message("record.json_part", part="comments"))
    ending = data.get("outcome")
    stated = None if ending is None else (ending.get("winner"), ending.get("reason"))
    outcome = game.outcome
    result = None if outcome is None else (None if outcome.winner is None else outcome.winner + 1, outcome.termination)
    if stated not in (None, result):
        raise RecordError(message("record.json_part", part="outcome"))
    return GameRecord(game, tuple((data.get("tags") or {}).items()), comments)


_PARTS: Mapping[str, Callable[[Any], bool]] = {
    "game": lambda value: isinstance(value, str),
    "options": lambda value: value is None or isinstance(value, dict),
    "tags": lambda value: value is None or isinstance(value, dict) and all(isinstance(v, str) for v in value.values()),
    "fen": lambda value: value is None or isinstance(value, str),
    "turns": lambda value: value is None or isinstance(value, list),
    "pending": lambda value: value is None or isinstance(value, str),
    "comments": lambda value: value is None or (isinstance(value, list) and all(map(_is_comment, value))),
    "outcome": lambda value: value is None or isinstance(value, dict),
}
"""The type of each part of a record."""


def _is_comment(value: Any) -> bool:
    return isinstance(value, list) and [type(part) for part in value] == [int, str]


def _first_game_of_json(data: Mapping[str, Any]) -> Game:
    options = dict(data.get("options") or {}).items()
    rules = variant_called(str(data.get("game")))
    variant = _with_options(rules, [(str(name), str(name), Word(str(value), 0)) for name, value in options])
    fen = data.get("fen")
    return Game(parse_fen(str(fen), variant)) if fen else Game.start(variant)


def _played_in_json(game: Game, data: Mapping[str, Any], turn_at: Callable[[int], int | None]) -> Game:
    turns = data.get("turns") or ()
    for k, turn in enumerate(turns):
        if isinstance(turn, str):
            game = _turn(game, turn, turn_at(k))
            continue
        try:
            note = f"[%stood {','.join(turn['stood'])}] [%by {turn['player']}] [%fen {turn['fen']}]"
        except (KeyError, TypeError) as why:
            raise RecordError(message("record.no_move"), turn_at(k), str(turn), game) from why
        game = _stood(game, note, turn_at(k))
    if data.get("pending"):
        game = _turn(game, str(data["pending"]), turn_at(len(turns)))
    ending = data.get("outcome")
    if ending is None or game.outcome is not None:
        return game
    try:
        winner = None if ending["winner"] is None else int(ending["winner"]) - 1
        outcome = Outcome(winner, Termination(ending["reason"]))
    except (KeyError, TypeError, ValueError) as why:
        raise RecordError(message("record.json_part", part="outcome"), None, str(ending), game) from why
    if outcome.termination not in OUTSIDE or winner not in (None, *range(game.variant.players)):
        raise RecordError(message("record.json_part", part="outcome"), None, str(ending), game)
    return replace(game, outcome=outcome)


GAR_RINGS = "EAR"  # outer, middle and inner ring in the Generally Accepted Rules of Morabaraba
_POINT = re.compile(r"[EAR]?\d+")


def gar_points(board: Board) -> dict[str, str]:
    """From ring name, clockwise from the upper left corner, to the point.

    >>> from referee.layouts import TWELVE_MENS_MORRIS
    >>> names = gar_points(TWELVE_MENS_MORRIS)
    >>> names["E1"], names["A2"], names["R8"]
    ('a7', 'd6', 'c4')
    """
    places: dict[str, str] = {}
    clockwise = ((-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0))
    for ring, letter in enumerate(GAR_RINGS):
        reach = 3 - ring
        for k, (x, y) in enumerate(clockwise):
            places[f"{letter}{k + 1}"] = "abcdefg"[3 + x * reach] + str(4 + y * reach)
    return places if all(name in board.index for name in places.values()) else {}


def translated(word: str, board: Board) -> str:
    """A turn in whichever notation it is written, in ours; PlayOK numbers the points from the upper left, row by row.

    >>> from referee.layouts import NINE_MENS_MORRIS
    >>> [translated(word, NINE_MENS_MORRIS) for word in ("1-2x24", "E1-E2", "a7")]
    ['a7-d7xg1', 'a7-d7', 'a7']
    """
    if not re.match(r"x?\d|x?[EAR]\d", word):
        return word
    numbers = {str(k): name for k, name in enumerate(board.points, 1)}
    names = numbers if re.match(r"x?\d", word) else gar_points(board)
    return _POINT.sub(lambda match: names.get(match.group(), match.group()), word)
