"""The record of a game as text, and back: PGN and JSON.

A record keeps more than the game: who played, when, and what the arbiter remarked. A damaged record is read up to the
damage and says where it stopped; nothing before that is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.endings import Outcome, Termination
from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.moves import parse_turn, turn_text
from referee.notation import translated
from referee.position import Position
from referee.presets import PRESETS, find_variant
from referee.resumption import play_as_read
from referee.turns import Turn
from referee.variant import OPTIONS, Variant

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The seven tags that every record has, in their order."""

OUTSIDE = (
    Termination.RESIGNATION,
    Termination.AGREEMENT,
    Termination.ARBITER,
    Termination.TIME,
    Termination.ABANDONED,
)
"""Endings that no move shows, so the record has to say them."""

_OWN_TAGS = frozenset({"Result", "Variant", "PlyCount", "SetUp", "FEN", "Termination", "Winner"})
_TAG_OF = {name: "".join(part.capitalize() for part in name.split("_")) for name in OPTIONS}
_OPTION_OF = {tag: name for name, tag in _TAG_OF.items()}
_WIDTH = 79


@dataclass(frozen=True)
class Record:
    """A game with everything written beside it.

    Attributes
    ----------
    game : Game
        The game.
    tags : tuple of (name, value)
        Tags besides those that follow from the game: players, place, date.
    comments : tuple of (ply, text)
        The arbiter's remarks; ``ply`` is the number of turns before them.
    problem : str or None
        Where and why reading stopped, when the record was damaged.
    """

    game: Game
    tags: tuple[tuple[str, str], ...] = ()
    comments: tuple[tuple[int, str], ...] = field(default=())
    problem: str | None = None


# ---------------------------------------------------------------- writing


def to_pgn(record: Record) -> str:
    """Write a record.

    Examples
    --------
    >>> from referee.moves import parse_move
    >>> game = Game.start(find_variant("millchen", fly="both"))
    >>> for text in ("d6", "f4", "d7"):
    ...     game = game.play(parse_move(text, game.variant.board))
    >>> print(to_pgn(Record(game, (("White", "Anna"),))))
    [Event "?"]
    [Site "?"]
    [Date "????.??.??"]
    [Round "?"]
    [White "Anna"]
    [Black "?"]
    [Result "*"]
    [Variant "millchen"]
    [Fly "both"]
    [PlyCount "3"]
    <BLANKLINE>
    1. d6 f4 2. d7 *
    <BLANKLINE>
    """
    game = record.game
    given = dict(record.tags)
    result = _result(game)
    tags = [(name, result if name == "Result" else given.get(name, _unknown(name))) for name in ROSTER]
    tags.append(("Variant", game.variant.name))
    tags += [(_TAG_OF[name], str(value).lower()) for name, value in game.variant.chosen]
    if game.outcome is not None and game.variant.players > 2 and game.outcome.winner is not None:
        tags.append(("Winner", str(game.outcome.winner + 1)))
    if game.outcome is not None and game.outcome.termination in OUTSIDE:
        tags.append(("Termination", str(game.outcome.termination)))
    tags.append(("PlyCount", str(game.ply)))
    if game.first_position != Position.start(game.variant):
        tags += [("SetUp", "1"), ("FEN", to_fen(game.first_position))]
    tags += [(name, value) for name, value in record.tags if name not in ROSTER]
    head = "\n".join(f'[{name} "{_escaped(value)}"]' for name, value in tags)
    return f"{head}\n\n{_wrapped([*_movetext(record), result])}\n"


def _movetext(record: Record) -> Iterator[str]:
    game = record.game
    n = game.variant.players
    remarks: dict[int, list[str]] = {}
    for ply, text in record.comments:
        remarks.setdefault(ply, []).append(text)
    for ply, turn in enumerate(game.turns):
        yield from _comments(remarks.get(ply, ()))
        if ply % n == 0:
            yield f"{ply // n + 1}."
        if turn.remarks:
            stood = f"[%stood {','.join(turn.remarks)}] [%by {turn.player + 1}] [%fen {to_fen(turn.after)}]"
            yield f"-- {{{stood}}}"
        else:
            yield turn_text(turn.moves)
    yield from _comments(remarks.get(game.ply, ()))
    if game.pending:
        yield turn_text(game.pending)


def _comments(texts: list[str] | tuple[()]) -> Iterator[str]:
    for text in texts:
        yield "{" + text.replace("{", "(").replace("}", ")") + "}"


def _wrapped(words: list[str]) -> str:
    """Lines of at most 79 characters; a comment is never cut, its blanks could matter."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def _result(game: Game) -> str:
    if game.outcome is None:
        return "*"
    if game.outcome.is_draw:
        return "1/2-1/2"
    if game.outcome.winner is None or game.variant.players > 2:
        return "*"  # abandoned; or PGN knows two players, and the tag Winner says it
    return "1-0" if game.outcome.winner == 0 else "0-1"


def _unknown(tag: str) -> str:
    return "????.??.??" if tag == "Date" else "?"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")


# ---------------------------------------------------------------- reading


_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_TOKEN = re.compile(r"\{[^}]*\}?|;[^\n]*|\(|\)|\$\d+|\d+\.+(?!\d)|[^\s{}();]+")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_COMMAND = re.compile(r"\[%(\w+) ([^\]]*)\]")


def from_pgn(text: str, variant: Variant | None = None) -> Record:
    """Read a record: ours, Sanmill's, or one in PlayOK's numbers or the ring names of Morabaraba.

    Parameters
    ----------
    text : str
        The record.
    variant : Variant, optional
        The rules for a record that names none; nine men's morris with flying where that is missing too.

    Raises
    ------
    ValueError
        When the record names an unknown game or option, or an impossible position: then nothing can be read.
    """
    tags: dict[str, str] = {}
    at = 0
    while (tag := _TAG.match(text, at)) is not None:
        tags[tag.group(1)] = re.sub(r"\\(.)", r"\1", tag.group(2))
        at = tag.end()
    rules = _variant(tags, variant)
    first = parse_fen(tags["FEN"], rules) if "FEN" in tags else Position.start(rules)
    game = Game(first)
    comments: list[tuple[int, str]] = []
    problem: str | None = None
    try:
        game, result = _replayed(game, text[at:], comments)
        game = _outside(game, tags, result)
    except _DamageError as damage:
        game, problem = damage.game, str(damage)
    kept = tuple(
        (name, value)
        for name, value in tags.items()
        if name not in _OWN_TAGS and name not in _OPTION_OF and not (name in ROSTER and value == _unknown(name))
    )
    return Record(game, kept, tuple(comments), problem)


class _DamageError(ValueError):
    """The record cannot be read on from here."""

    def __init__(self, game: Game, word: str, why: object) -> None:
        self.game = game
        super().__init__(f"stopped at turn {game.ply + 1}, {word!r}: {why}")


def _variant(tags: Mapping[str, str], fallback: Variant | None) -> Variant:
    options = {_OPTION_OF[tag]: value for tag, value in tags.items() if tag in _OPTION_OF}
    name = tags.get("Variant")
    if name is None:
        return fallback or find_variant("nine_mens_morris", fly="own")
    if fallback is not None and fallback.name == name and name not in PRESETS:
        return fallback  # a game that only its own table knows
    return find_variant(name, **options)


def _replayed(game: Game, text: str, comments: list[tuple[int, str]]) -> tuple[Game, str]:
    """The game after all that the movetext says, and the result it ends with."""
    result = "*"
    depth = 0
    stood_open = False
    for token in _TOKEN.findall(text):
        if token in "()":
            depth = max(0, depth + (1 if token == "(" else -1))  # variations are not part of the game
            continue
        if depth or token.startswith(";") or re.fullmatch(r"\$\d+|\d+\.+", token):
            continue
        if token.startswith("{"):
            note = token.strip("{}")
            if stood_open:
                game = _stood(game, note)
                stood_open = False
            elif note.strip():
                comments.append((game.ply, note.strip()))
        elif token in _RESULTS:
            result = token
        elif token == "--":
            stood_open = True
        else:
            game = _turn(game, token)
    return game, result


def _turn(game: Game, word: str) -> Game:
    plain = translated(re.sub(r"^\d+\.+", "", word), game.variant.board).rstrip("!?")
    try:
        return play_as_read(game, parse_turn(plain, game.variant.board))
    except ValueError as why:
        raise _DamageError(game, word, why) from why


def _stood(game: Game, note: str) -> Game:
    """A foul that the players let stand: what stood on the table afterwards is written beside it."""
    said = dict(_COMMAND.findall(note))
    try:
        after = parse_fen(said["fen"], game.variant)
        return game.play_turn(Turn((), after, (), int(said["by"]) - 1, tuple(said["stood"].split(","))))
    except (KeyError, ValueError) as why:
        raise _DamageError(game, "--", why) from why


def _outside(game: Game, tags: Mapping[str, str], result: str) -> Game:
    """The ending that the moves do not show."""
    if game.outcome is not None:
        return game
    word = tags.get("Termination", "")
    result = tags.get("Result", result) if result == "*" else result
    winner = {"1-0": 0, "0-1": 1}.get(result)
    if tags.get("Winner", "").isdigit():
        winner = int(tags["Winner"]) - 1
    if word in [str(ending) for ending in OUTSIDE]:
        ending = Termination(word)
    elif winner is not None:
        ending = Termination.RESIGNATION  # nothing else is said about it: the usual reason
    elif result == "1/2-1/2":
        ending = Termination.AGREEMENT
    else:
        return game
    return replace(game, outcome=Outcome(winner, ending))


# ---------------------------------------------------------------- JSON


def to_json(record: Record) -> dict[str, Any]:
    """The record as plain data for other programs; turns in notation, players counted from 1."""
    game = record.game
    outcome = game.outcome
    fresh = game.first_position == Position.start(game.variant)
    return {
        "game": game.variant.name,
        "options": dict(game.variant.chosen),
        "tags": dict(record.tags),
        "fen": None if fresh else to_fen(game.first_position),
        "turns": [
            {"stood": list(turn.remarks), "player": turn.player + 1, "fen": to_fen(turn.after)}
            if turn.remarks
            else turn_text(turn.moves)
            for turn in game.turns
        ],
        "pending": turn_text(game.pending),
        "comments": [[ply, text] for ply, text in record.comments],
        "outcome": None
        if outcome is None
        else {
            "winner": None if outcome.winner is None else outcome.winner + 1,
            "reason": str(outcome.termination),
        },
    }


def from_json(data: Mapping[str, Any]) -> Record:
    """Read what ``to_json`` wrote; a damaged one up to the damage.

    Raises
    ------
    ValueError
        When the game, an option or the first position is unknown.
    """
    variant = find_variant(str(data.get("game")), **dict(data.get("options") or {}))
    fen = data.get("fen")
    game = Game(parse_fen(str(fen), variant) if fen else Position.start(variant))
    problem: str | None = None
    try:
        for turn in data.get("turns") or ():
            if isinstance(turn, str):
                game = _turn(game, turn)
            else:
                game = _stood(game, f"[%stood {','.join(turn['stood'])}] [%by {turn['player']}] [%fen {turn['fen']}]")
        if data.get("pending"):
            game = _turn(game, str(data["pending"]))
        ending = data.get("outcome")
        if ending is not None and game.outcome is None:
            winner = None if ending["winner"] is None else int(ending["winner"]) - 1
            game = replace(game, outcome=Outcome(winner, Termination(ending["reason"])))
    except _DamageError as damage:
        game, problem = damage.game, str(damage)
    except (KeyError, TypeError, ValueError) as why:
        problem = f"stopped after turn {game.ply}: {why!r} is not as it should be"
    comments = tuple((int(ply), str(text)) for ply, text in data.get("comments") or ())
    return Record(game, tuple((data.get("tags") or {}).items()), comments, problem)
