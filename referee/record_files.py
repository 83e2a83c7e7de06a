"""A file from outside in, its records out: PGN (ours, Sanmill's, PlayOK's), JSON or FEN, one game or many.

The rules play each game through. One word that cannot be understood, or is not allowed, refuses the whole file with its
line and column.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from functools import partial
from typing import Any

from languages import message
from referee.bounded_json import parse_json
from referee.fen import SIDE_SIGNS
from referee.record import RULE_TAGS, GameRecord
from referee.record_reader import GameText, RecordError, Word, games_in, whole_game, whole_json
from referee.variant import Variant

MAX_RECORD_BYTES = 256_000  # largest file: 100 turns have 1 kB as PGN and 30 kB as JSON with all times
MAX_RECORD_GAMES = 100  # most games of a file
MAX_RECORD_TURNS = 1000  # most turns of a game; long games have two hundred
MAX_FILE_TURNS = 5000  # most turns of all games of a file; they are judged in some two seconds
_FEN = re.compile(rf"\S+ [{SIDE_SIGNS}] [a-z?] [a-z?] \S")
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd\ud800-\udfff]")


def decode_record(data: bytes) -> str:
    """The text of a file: UTF-8, UTF-16, else Latin-1, in which PGN was written first.

    Raises ValueError when the file is too large, or no text; with a ``Message``.
    """
    if len(data) > MAX_RECORD_BYTES:
        raise ValueError(message("record.size", most=MAX_RECORD_BYTES // 1000))
    try:
        return decode_text(data)
    except UnicodeDecodeError:
        return data.decode("latin-1")


def decode_text(data: bytes) -> str:
    """The text of a file from any editor: UTF-8 or UTF-16, with or without a mark at its beginning.

    Raises UnicodeDecodeError.

    >>> {decode_text("é1".encode(code)) for code in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")}
    {'é1'}
    """
    code = "utf-8-sig"
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        code = "utf-16"
    elif 0 in data[:2]:  # one of the two bytes of the first letter
        code = "utf-16-le" if data[0] else "utf-16-be"
    return data.decode(code)


def read_records(text: str, variant: Variant | None = None) -> tuple[GameRecord, ...]:
    r"""Every game of a text: PGN, JSON (one record or a list) or FEN (a position on each line).

    ``variant`` are the rules that judge all of it, whatever it says itself; without them it is judged by the rules that
    it names (``referee.presets``), and by nine men's morris with flying where it names none. Raises ValueError with a
    ``Message`` that names line and column when any of it cannot be read or is not allowed.

    >>> [len(record.game.turns) for record in read_records("1. d6 f4 2. d7 * 1. a1 *")]
    [3, 1]
    >>> read_records("1. d6 f4\n2. d6 *")
    Traceback (most recent call last):
    ...
    ValueError: turn 3 (line 2, column 4), 'd6': the point is not free
    """
    if len(text.encode("utf-8", "replace")) > MAX_RECORD_BYTES:
        raise ValueError(message("record.size", most=MAX_RECORD_BYTES // 1000))
    text = re.sub("\r\n?", "\n", text.removeprefix("\ufeff"))
    if _NOT_TEXT.search(text):
        raise ValueError(message("record.no_text"))
    try:
        return tuple(_records(text, variant))
    except RecordError as why:
        raise ValueError(why.located(text)) from why


def _records(text: str, variant: Variant | None) -> Iterator[GameRecord]:
    start = text.lstrip()
    if not start:
        raise RecordError(message("record.empty"))
    if re.match(r"\{\s*[\"}]|\[\s*\{", start):
        yield from _json_records(text, variant)
        return
    games = games_in(text)
    if _FEN.match(start):  # a position on each line
        games = (GameText({"FEN": Word(line[0].rstrip(), line.start())}) for line in re.finditer(r"\S[^\n]*", text))
    size = _Size()
    for game in games:
        if not game.words and game.unclosed is None and not {"FEN", "Result"} & set(game.tags):
            raise RecordError(message("record.empty"), min((tag.at for tag in game.tags.values()), default=0))
        n_turns = sum(word.text[0] not in "{x" for word in game.words)  # Sanmill's captures may stand apart
        size.count(n_turns, game.words[0].at if game.words else 0)
        if variant is not None:
            tags = {name: word for name, word in game.tags.items() if name not in RULE_TAGS}
            game = GameText(tags, game.words, game.unclosed)
        yield whole_game(game, variant)


class _Size:
    """Counts games and turns, so that a file cannot keep the rules busy for long."""

    def __init__(self) -> None:
        self.n_games = self.n_turns = 0

    def count(self, n_turns: int, at: int) -> None:
        self.n_games += 1
        self.n_turns += n_turns
        if self.n_games > MAX_RECORD_GAMES:
            raise RecordError(message("record.games", most=MAX_RECORD_GAMES), at)
        if n_turns > MAX_RECORD_TURNS:
            raise RecordError(message("record.long", most=MAX_RECORD_TURNS), at)
        if self.n_turns > MAX_FILE_TURNS:
            raise RecordError(message("record.turns", most=MAX_FILE_TURNS), at)


# ---------------------------------------------------------------- JSON


def _json_records(text: str, variant: Variant | None) -> Iterator[GameRecord]:
    """One record or a list; also what Millchen exports, with the record as a part of it."""
    try:
        data = parse_json(text)
    except json.JSONDecodeError as why:
        raise RecordError(message("record.json"), why.pos) from why
    except ValueError as why:
        raise RecordError(message("record.json")) from why
    start = len(text) - len(text.lstrip())
    games = _elements(text, start) if isinstance(data, list) else iter([(start, data)])
    size = _Size()
    for at, one in games:
        is_part = isinstance(one, dict) and isinstance(one.get("record"), dict)
        record = one["record"] if is_part else one
        if not isinstance(record, dict) or "game" not in record:
            raise RecordError(message("record.empty"), at)
        turns = record.get("turns")
        size.count(len(turns) if isinstance(turns, list) else 0, at)
        if variant is not None:
            record = {**record, "game": variant.name, "options": dict(variant.chosen)}
        inside = text.find('"record"', at) if is_part else at
        try:
            yield whole_json(record, partial(_turn_place, text, inside))
        except RecordError as why:
            raise RecordError(why.why, at if why.at is None else why.at, why.word, why.game) from why


def _turn_place(text: str, start: int, n: int) -> int | None:
    """Where turn number ``n`` (0 first) of the record that begins at ``start`` stands."""
    turns = re.compile(r'"turns"\s*:\s*(?=\[)').search(text, start)
    places = [] if turns is None else [at for at, _ in _elements(text, turns.end())]
    return places[n] if n < len(places) else None


def _elements(text: str, start: int) -> Iterator[tuple[int, Any]]:
    """The elements of the JSON list that begins at ``start``, each with its place."""
    decoder = json.JSONDecoder()
    at = start + 1
    while (match := re.compile(r"[\s,]*(?=[^\s,\]])").match(text, at)) is not None:
        value, end = decoder.raw_decode(text, match.end())
        yield match.end(), value
        at = end
