"""Files in, one record for each of their games out: the rules judge all games of a file, or refuse the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from languages import message, message_of
from referee.endings import Termination
from referee.presets import PRESETS, find_variant, usual_rules
from referee.record import GameRecord, to_json
from referee.record_files import decode_record, read_records
from referee.record_reader import whole_json
from referee.variant import Variant
from web.body_types import MAX_NAME_CHARACTERS
from web.errors import MillchenError
from web.game.game_state import GameState

IMPORTED = "imported"  # kind of the first record of a game that came from a file; it holds the whole game
MAX_CACHED_RECORDS = 256  # most games from files that are kept in memory: the list of games plays each of them through
ARBITER_TAG = "Arbiter"  # name of the tag that says which referee ended the game; the PGN standard has none
UNNAMED_ARBITER = "referee"  # what the tag says where nobody has given a name
DECIDED_ENDINGS = (Termination.ARBITER, Termination.ABANDONED)  # endings that a referee decides


class RefusedFileError(MillchenError):
    """A file is not opened: something in it cannot be read, or is not allowed by the rules."""


def bodies_of_file(
    name: str, content: bytes | str, game: str = "", options: Iterable[tuple[str, str]] = ()
) -> list[dict[str, Any]]:
    """Return what the journal keeps of each game of a file: PGN, JSON or FEN, one game or many.

    All are judged by the rules of ``game`` with its options; without one by those that the file names, or of nine men's
    morris with flying. `RefusedFileError` names line, column and reason.
    """
    try:
        text = decode_record(content) if isinstance(content, bytes) else content
        records = read_records(text, chosen_rules(game, options))
    except ValueError as why:
        raise RefusedFileError(message("record.refused", name=name, why=message_of(why))) from why
    return [import_record_body(record, name) for record in records]


def chosen_rules(game: str, options: Iterable[tuple[str, str]] = ()) -> Variant | None:
    """Return the rules that somebody chose for a file, as most programs play them; None for none. Raises ValueError."""
    if not game:
        return None
    if game not in PRESETS:
        raise ValueError(message("record.no_game", name=repr(game[:40])))
    return find_variant(game, **(dict(usual_rules(game).chosen) | dict(options)))


def import_record_body(record: GameRecord, file: str) -> dict[str, Any]:
    """Return the body of the record that holds a game from a file."""
    variant = record.game.variant
    return {
        "game": variant.name,
        "options": dict(variant.chosen),
        "source": f"file:{file}",
        "record": to_json(record),
    }


def read_record(body: Mapping[str, Any]) -> GameRecord:
    """Return the game from a file that a body of `import_record_body` holds."""
    return _read_record(json.dumps(body["record"]))


@lru_cache(MAX_CACHED_RECORDS)
def _read_record(text: str) -> GameRecord:
    return whole_json(json.loads(text))


def imported_state(record: GameRecord) -> GameState:
    """Return the state of a game that came from a file."""
    tags, game = dict(record.tags), record.game
    names = tuple(_name_in(tags.get(role, "")) for role in player_tags(game.variant.players))
    arbiter = tags.get(ARBITER_TAG)
    is_decided = game.outcome is not None and game.outcome.termination in DECIDED_ENDINGS
    decider = None if not is_decided else "" if arbiter in (None, UNNAMED_ARBITER) else _name_in(arbiter or "")
    return GameState(game, names=names if any(names) else (), decider=decider, file_record=record)


def _name_in(tag: str) -> str:
    """Return the name of a player in a tag, cut to what the page can show."""
    return "" if tag == "?" else "".join(filter(str.isprintable, tag)).strip()[:MAX_NAME_CHARACTERS]


def player_tags(n_players: int) -> tuple[str, ...]:
    """Return the names of the tags that name the players of a game."""
    return ("White", "Black") if n_players == 2 else tuple(f"Player{k}" for k in range(1, n_players + 1))
