"""Games that come in as files: read, judged by the rules, and made ready for the journal; all of a file or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from languages import message, message_of
from referee.presets import PRESETS, find_variant, usual_rules
from referee.record_files import decode_record, read_records
from referee.variant import Variant
from web.errors import MillchenError
from web.game.replay import import_record_body


class RefusedFileError(MillchenError):
    """A file is not opened: something in it cannot be read, or is not allowed by the rules."""


def bodies_of_file(
    name: str, content: bytes | str, game: str = "", options: Iterable[tuple[str, str]] = ()
) -> list[dict[str, Any]]:
    """Return what the journal keeps of each game of a file: PGN, JSON or FEN, one game or many.

    All are judged by the rules of ``game`` with its options; without one by those that the file names, or of nine men's
    morris with flying. `RefusedFileError` names line, column and reason of what cannot be read or is not allowed.
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
