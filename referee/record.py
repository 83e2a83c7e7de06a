"""A game's record in, PGN or JSON out. ``record_reader.py`` reads both again.

A record keeps more than the game: players, date, and the arbiter's remarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from referee.endings import Termination
from referee.fen import to_fen
from referee.game import Game
from referee.moves import turn_text
from referee.position import Position
from referee.variant import OPTIONS

# the seven tags that every record has, in their order
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")

# endings that no move shows, so the record has to say them
OUTSIDE = tuple(map(Termination, ("resignation", "agreement", "arbiter", "time", "abandoned")))

# the tags that follow from the game itself
OWN_TAGS = frozenset({"Result", "Variant", "PlyCount", "SetUp", "FEN", "Termination", "Winner"})

TAG_OF = {name: "".join(part.capitalize() for part in name.split("_")) for name in OPTIONS}  # from an option to its tag
OPTION_OF = {tag: name for name, tag in TAG_OF.items()}  # from a tag to its option
_WIDTH = 79

RULE_TAGS = frozenset({"Variant", *OPTION_OF})  # the tags that say by which rules a game was played


@dataclass(frozen=True)
class GameRecord:
    """A game with everything written beside it."""

    game: Game  # the game
    tags: tuple[tuple[str, str], ...] = ()  # tags besides those that follow from the game: players, place, date
    comments: tuple[tuple[int, str], ...] = field(default=())  # the arbiter's; ``ply`` turns stand before them


# ---------------------------------------------------------------- writing


def to_pgn(record: GameRecord) -> str:
    """Write a record.

    >>> from referee.moves import parse_move
    >>> from referee.presets import find_variant
    >>> game = Game.start(find_variant("millchen", fly="both"))
    >>> for text in ("d6", "f4", "d7"):
    ...     game = game.play(parse_move(text, game.variant.board))
    >>> to_pgn(GameRecord(game, (("White", "Anna"),))).splitlines()[-4:]
    ['[Fly "both"]', '[PlyCount "3"]', '', '1. d6 f4 2. d7 *']
    """
    game = record.game
    values = dict(record.tags)
    result = result_of(game)
    tags = [(name, result if name == "Result" else values.get(name, unknown(name))) for name in ROSTER]
    tags.append(("Variant", game.variant.name))
    tags += [(TAG_OF[name], str(value).lower()) for name, value in game.variant.chosen]
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


def _movetext(record: GameRecord) -> Iterator[str]:
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


def result_of(game: Game) -> str:
    """The result as PGN writes it."""
    if game.outcome is None:
        return "*"
    if game.outcome.is_draw:
        return "1/2-1/2"
    if game.outcome.winner is None or game.variant.players > 2:
        return "*"  # abandoned; or PGN knows two players, and the tag Winner says it
    return "1-0" if game.outcome.winner == 0 else "0-1"


def unknown(tag: str) -> str:
    """The text of an unknown tag of the roster."""
    return "????.??.??" if tag == "Date" else "?"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")


# ---------------------------------------------------------------- JSON


def to_json(record: GameRecord) -> dict[str, Any]:
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
