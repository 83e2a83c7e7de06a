"""Deleting games with all that is kept about them, and giving the players of a game other names for good."""

from __future__ import annotations

import json
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
                told = json.loads(case.read("case.json"))
            yield number, str(told.get("of", ""))


def rename_players(journal: Journal, number: int, names: Sequence[str]) -> None:
    """Put these names in the place of all that the players of a game ever had; a record that names them follows."""
    bodies = {record.seq: _renamed(record, names) for record in journal.records(number)}
    changed = {seq: body for seq, body in bodies.items() if body is not None}
    if changed:
        journal.write_anew(number, changed)


def _renamed(record: JournalRecord, names: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the body of a record with other names; None where it has none, or these."""
    body = record.body
    if record.kind == "named":
        return None if list(body["names"]) == list(names) else {**body, "names": list(names)}
    if record.kind != IMPORTED:
        return None
    tags = body["record"]["tags"]
    known = {tag: name or "?" for tag, name in zip(player_tags(len(names)), names, strict=True) if tag in tags}
    return None if known.items() <= tags.items() else {**body, "record": {**body["record"], "tags": {**tags, **known}}}
