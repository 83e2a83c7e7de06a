"""Deletes games with everything that is kept about them, and replaces the names of players for good."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from referee.game import Game
from web.errors import MillchenError
from web.game.imported_games import IMPORTED, player_tags
from web.history.journal_reader import JournalReader
from web.history.kept_analyses import KeptAnalyses
from web.journal.data_folder import CaseFolder
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord, case_mark


def delete_games(journal: Journal, numbers: Collection[int], stop: Callable[[Game], None] = lambda _: None) -> None:
    """Delete games, all or none, with their cases and analyses; photographs and copies follow by `wipe_forgotten`.

    ``stop`` breaks an analysis off. Raises `MillchenError` where there was never one of them, and `NotWrittenError`.
    """
    analyses, cases = KeptAnalyses.beside(journal.path), CaseFolder(journal.path.parent)
    marks = set[str]()
    with JournalReader(journal.path) as reader:
        for number in set(numbers) - journal.deleted:
            with suppress(MillchenError):  # a damaged game has neither
                history = reader.history(number)
                marks.add(case_mark(history.plies[0].record))
                stop(history.game)
                analyses.delete(history.game)
    journal.forget(numbers)
    cases.delete(number for number, mark in _marks_of(cases) if mark in marks)


def _marks_of(cases: CaseFolder) -> Iterator[tuple[int, str]]:
    """Yield every case and the mark of its game, which those of an earlier Millchen have not."""
    for number in cases.numbers():
        with suppress(OSError, zipfile.BadZipFile, KeyError, ValueError):
            with zipfile.ZipFile(cases.path_of(number)) as case:
                contents = json.loads(case.read("case.json"))
            yield number, str(contents.get("of", ""))


def rename_players(journal: Journal, number: int, names: Sequence[str]) -> None:
    """Replace every name that the players of a game ever had; the caller writes a record with the new ones.

    Names in remarks are replaced too, where they are words of their own.
    """
    records = journal.records(number)
    before = [(old, new or "…") for one in records for old, new in zip(_names_in(one, len(names)), names, strict=False)]
    new_of = {old: new for old, new in before if len(old) > 1}
    bodies = {record.seq: _renamed(record, names, new_of) for record in records}
    new_bodies = {record.seq: bodies[record.seq] for record in records if bodies[record.seq] != record.body}
    if new_bodies:
        journal.write_anew(number, new_bodies)


def _names_in(record: JournalRecord, n_players: int) -> Sequence[str]:
    if record.kind == IMPORTED:
        return [record.body["record"]["tags"].get(tag, "").strip("?") for tag in player_tags(n_players)]
    return record.body["names"] if record.kind == "named" else ()


def _renamed(record: JournalRecord, names: Sequence[str], new_of: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the body of a record with other names."""
    body = record.body
    if record.kind == "named":
        return {**body, "names": list(names)}
    if record.kind == "remark":
        return {**body, "text": _replaced(body["text"], new_of)}
    if record.kind != IMPORTED:
        return body
    game_record = body["record"]
    names_by_tag = zip(player_tags(len(names)), names, strict=True)
    tags = {tag: name or "?" for tag, name in names_by_tag if tag in game_record["tags"]}
    remarks = [[ply, _replaced(text, new_of)] for ply, text in game_record.get("comments", ())]
    changes = {"tags": {**game_record["tags"], **tags}} | ({"comments": remarks} if remarks else {})
    return {**body, "record": {**game_record, **changes}}


def _replaced(text: str, new_of: Mapping[str, str]) -> str:
    """Return a text with other words in the place of some."""
    old = "|".join(map(re.escape, sorted(new_of, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{old})(?!\w)", lambda match: new_of[match[0]], text) if old else text
