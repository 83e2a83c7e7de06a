"""Opens a journal, makes a damaged one anew from what is whole in it and in its copies, and takes copies back."""

from __future__ import annotations

import logging
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from languages import message
from web.journal.copies import copies_of
from web.journal.digest_chain import DIGESTED_COLUMNS, games_not_whole, record_digest
from web.journal.journal import Journal
from web.journal.journal_file import DamagedFileError, fsync, has_log, set_aside
from web.journal.raw_pages import Salvaged, salvaged_from

log = logging.getLogger("millchen.journal")

Row = Mapping[str, Any]  # the columns of an event


def open_journal(path: Path, about: Literal["games", "evenings"] = "games") -> Journal:
    """Open a journal; a damaged one is laid aside untouched and made anew, which is said in its `findings`.

    Where the file is not there any more, its newest copy takes its place.
    """
    anew = path.with_name(f"{path.name}-anew")
    if anew.exists():  # a crash came between the two renames
        _exchange(path, anew)
    copies = copies_of(path)
    journal: Journal | None = None
    if copies and not path.exists() and not has_log(path):
        shutil.copyfile(copies[0], anew)
        fsync(anew)
        anew.rename(path)
        journal = open_journal(path, about)
        what = message(f"journal.{about}")
        journal.findings.append(message("journal.from_copy", what=what, name=copies[0].name))
        return journal
    try:
        journal = Journal(path, about)
        why = journal.damage()
        if why is None:
            return journal
    except DamagedFileError as error:
        why = error.what
    if journal is not None:
        journal.close()
    log.info("the journal %s is made anew: %s", path, why)
    found = salvaged_from(path)
    n_in_file = len(found.events)
    for copy in copies:
        _fill_in(found, salvaged_from(copy))
    unread = {game for seq, game in found.games.items() if seq not in found.events}
    lost = sorted(unread.union(games_not_whole(found.events)))
    with TemporaryDirectory(dir=path.parent, prefix="anew-") as folder:
        with Journal(Path(folder) / path.name, about) as made:
            made.take_over(found.events.values(), found.identity, max(found.games, default=0))
        fsync(made.path)
        made.path.rename(anew)
    place = _exchange(path, anew)
    journal = Journal(path, about)
    journal.findings.append(
        message(
            "journal.made_anew",
            what=message(f"journal.{about}"),
            why=why,
            n=len(found.events),
            copied=len(found.events) - n_in_file,
            lost=message("journal.lost", games=", ".join(map(str, lost))) if lost else message("journal.nothing_lost"),
            place=place,
        )
    )
    return journal


def _exchange(path: Path, anew: Path) -> str:
    """Lay a damaged file aside, and put the new one in its place; return where the old one lies."""
    place = set_aside(path)
    anew.rename(path)
    fsync(path.parent)
    return place


def _fill_in(found: Salvaged, copy: Salvaged) -> None:
    """Add what a copy of the same journal has, and the file has not."""
    found.identity = found.identity or copy.identity
    if copy.identity is not None and found.identity == copy.identity:
        found.events = {**copy.events, **found.events}
        found.games = {**copy.games, **found.games}


class TakenBack(NamedTuple):
    """What came of taking a copy back."""

    games: int  # of which something was taken back
    records: int
    left: tuple[int, ...]  # games of the copy that are otherwise here, and were left as they are


def take_back(journal: Journal, copy: Path) -> TakenBack:
    """Add to a journal what a copy has and the journal has not; nothing that is there is changed.

    A game is the same where a record of it says the same; one whose numbers others have gets the next free ones.
    Raises OSError, and `NotWrittenError`.
    """
    here = {row.seq: dict(row._mapping) for row in journal.rows_after(0, -1)}
    of_copy, of_here = _by_game(salvaged_from(copy).events.values()), _by_game(here.values())
    known = {_written(row): row for row in here.values()}
    added, left, games = list[Row](), list[int](), 0
    free = max([0, *of_here, *of_copy]) + 1
    free_seq = max([0, *here, *(rows[-1]["seq"] for rows in of_copy.values())]) + 1
    for number, rows in of_copy.items():
        missing = [row for row in rows if _written(row) not in known]
        if not missing:
            continue
        game = next((known[_written(row)]["game"] for row in rows if _written(row) in known), None)
        is_new = game is None
        if game is None:
            game = free if number in of_here else number
            free += game == free
        if is_new and any(row["seq"] in here for row in rows):
            missing = _renumbered(rows, free_seq)
            free_seq += len(rows)
        missing = [_of_game(row, game) for row in missing]
        whole = sorted([*missing, *(() if is_new else of_here[game])], key=lambda row: row["seq"])
        if [row["follows"] for row in whole] == [0, *(row["seq"] for row in whole[:-1])]:
            added += missing
            games += 1
        else:
            left.append(number)
    journal.take_over(added)
    return TakenBack(games, len(added), tuple(left))


def _written(row: Row) -> tuple[Any, ...]:
    """Return what was written, whichever numbers it has."""
    return tuple(row[name] for name in ("kind", "ply", "body", "wall_time", "by"))


def _by_game(rows: Iterable[Row]) -> dict[int, list[Row]]:
    games: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["seq"]):
        games[row["game"]].append(row)
    return games


def _renumbered(rows: Sequence[Row], first: int) -> list[Row]:
    """Return the records of a game under the numbers from ``first`` on."""
    numbers = {0: 0} | {row["seq"]: seq for seq, row in enumerate(rows, start=first)}
    return [{**row, "seq": numbers[row["seq"]], "follows": numbers.get(row["follows"])} for row in rows]


def _of_game(row: Row, game: int) -> Row:
    """Return a record as one of another game."""
    row = {**row, "game": game}
    return {**row, "digest": record_digest(*(row[name] for name in DIGESTED_COLUMNS))}
