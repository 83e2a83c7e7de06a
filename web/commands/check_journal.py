"""``millchen games check``: whether everything in the data folder is as it was written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from web.errors import MillchenError
from web.history.journal_reader import JournalReader
from web.journal.data_folder import EVENINGS_FILE, DataFolder, FolderInUseError
from web.journal.journal import Journal
from web.journal.recovery import set_aside_folders
from web.journal.schema import DamagedFileError


def bring_up_to_date(path: Path) -> None:
    """Migrate the journal of an older Millchen, unless a running one holds it: that one has done so."""
    if not path.exists():
        return
    try:
        with DataFolder(path.parent):
            Journal(path).close()
    except (FolderInUseError, DamagedFileError):
        return  # what can be read of a damaged one is read


def check(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Print a sentence for everything that is damaged or missing; return the exit status: 1 when something is."""
    problems = [*reader.problems(), *_problems_beside(reader.path)]
    n_games = sum(1 for _ in reader.entries())
    if arguments.json:
        print(json.dumps({"journal": str(reader.path), "games": n_games, "problems": problems}))
    else:
        for problem in problems:
            print(problem)
        verdict = "everything is as it was written" if not problems else f"{len(problems)} problems"
        print(f"{reader.path}: {n_games} games, {verdict}")
    return 1 if problems else 0


def _problems_beside(path: Path) -> Iterator[str]:
    """Yield a sentence for what is wrong with the evenings, and for every journal that could not be used."""
    evenings = path.with_name(EVENINGS_FILE)
    try:
        bring_up_to_date(evenings)
        if evenings.exists():
            with JournalReader(evenings) as reader:
                yield from (problem.replace("of game", "of evening") for problem in reader.problems_of_records())
    except MillchenError as why:
        yield str(why)
    for journal in (path, evenings):
        for folder in set_aside_folders(journal):
            yield f"an unreadable {journal.name} lies in {folder}: delete that folder when nothing in it is needed"
