"""Copies a journal beside it after each game and each run, thins the copies out, and takes records back from them.

It makes a damaged journal anew from what is whole in it and in its copies.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from languages import message
from web.errors import MillchenError
from web.journal.data_folder import TurnPhotographs, private_files
from web.journal.journal import DamagedFileError, Journal, JournalFile, fsync, has_log, set_aside
from web.journal.journal_record import DIGESTED_COLUMNS, FORGOTTEN_GAME, games_not_whole, record_digest
from web.journal.salvage import salvaged_from

log = logging.getLogger("millchen.journal")

BACKUP_FOLDER = "backups"  # name of the folder of the copies, beside the journal

MADE_ANEW = "anew-"  # how the folder begins in which a journal or a copy is made anew

DAYS_KEPT = 7  # newest days whose copies are kept; of each earlier month the last copy
SHARE_OF_DISK = 0.02  # most of the disk that the copies of one journal take; the newest one is always kept

CHECK_INTERVAL_S = 3600.0  # seconds after which what was written meanwhile is copied, though no game has ended
_OF_A_DAY = len("2026-11-25")

Row = Mapping[str, Any]  # the columns of an event


class BackupError(MillchenError):
    """The journal could not be copied."""


class JournalCopies:
    """Copies journals in a thread of its own: at the start, after each finished game, every hour, and at the end."""

    def __init__(self, journals: Sequence[Journal]) -> None:
        self._journals, self._news, self._is_over = journals, threading.Event(), False
        for journal in journals:
            journal.when_forgotten = self.copy_soon
        self._thread = threading.Thread(target=self._run, name="copies", daemon=True)
        self._thread.start()

    def copy_soon(self) -> None:
        """Copy what is new; a game has ended, or was deleted."""
        self._news.set()

    def close(self) -> None:
        """Copy what is new a last time."""
        self._is_over = True
        self._news.set()
        self._thread.join()

    def _run(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._is_over
            for journal in self._journals:
                try:
                    wipe_forgotten(journal)
                    keep_copy(journal.path)
                except (MillchenError, OSError) as why:
                    log.warning("%s", why)
            if not is_last:
                self._news.wait(CHECK_INTERVAL_S)
                self._news.clear()


def copies_of(path: Path) -> list[Path]:
    """Return the copies of a journal, newest first: one a day, and those that people asked for."""
    return sorted((path.parent / BACKUP_FOLDER).glob(f"{path.stem}_*{path.suffix}"), reverse=True)


def keep_copy(path: Path) -> None:
    """Make today's copy anew where something is not in the newest one. Raises `BackupError` or OSError."""
    newest, new = copies_of(path)[:1], _digests(path)
    if not new or (newest and _digests(newest[0]) == new):
        return
    target = _copy_with_name(path, f"{datetime.now(UTC):%Y-%m-%d}")
    unnamed = target.with_name(f"{target.name}.new")
    unnamed.unlink(missing_ok=True)
    back_up(path, unnamed)
    if target.exists() and not _digests(target) <= new:  # it has what the journal has lost: it stays, and for good
        target.rename(_copy_with_name(path, _stamp()))
    unnamed.replace(target)
    fsync(target.parent)
    _thin_out(path)


def _thin_out(path: Path) -> None:
    """Delete the copies of old days; those that people asked for stay."""
    of_days = [copy for copy in copies_of(path) if len(copy.stem) == len(path.stem) + 1 + _OF_A_DAY]
    last_of_months = {copy.stem[: -len("-25")]: copy for copy in reversed(of_days)}.values()
    keepers = [copy for n, copy in enumerate(of_days) if n < DAYS_KEPT or copy in last_of_months]
    most = SHARE_OF_DISK * shutil.disk_usage(path.parent).total
    while len(keepers) > 1 and sum(copy.stat().st_size for copy in keepers) > most:
        keepers.pop()
    for copy in of_days:
        if copy not in keepers:
            copy.unlink()


def _digests(path: Path) -> set[str]:
    """Return the digests of all records in a file; of one that cannot be read, its name."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            return {digest for (digest,) in database.execute("SELECT digest FROM event")}
    except sqlite3.Error as why:
        log.info("%s cannot be read: %s", path, why)
        return {path.name}


def _copy_with_name(path: Path, name: str) -> Path:
    return path.parent / BACKUP_FOLDER / f"{path.stem}_{name}{path.suffix}"


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S_%f")


def back_up(path: Path, target: Path | None = None) -> Path:
    """Copy a journal, in a consistent state, while it may be written; the copy is on the disk when this returns.

    Without a target its name has the time. Raises `BackupError` where it cannot be written; nothing is left then.
    """
    target = target or _copy_with_name(path, _stamp())
    unfinished = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if target.exists():
            raise BackupError(f"{target} exists already: name another file for the copy")
        unfinished.unlink(missing_ok=True)  # of a copy that was cut off
        with JournalFile(path, read_only=True) as journal, private_files():
            journal.copy_into(unfinished)
        fsync(unfinished)
        unfinished.rename(target)  # a copy that is seen is whole
        fsync(target.parent)
    except (OSError, sqlite3.Error, sa.exc.DBAPIError) as why:
        with suppress(OSError):  # where not even that can be done, its name says that it is unfinished
            unfinished.unlink(missing_ok=True)
        log.info("no copy at %s: %s", target, why)
        reason = why.strerror if isinstance(why, OSError) and why.strerror else str(why)
        raise BackupError(message("journal.no_copy", why=reason)) from why
    return target


# ---------------------------------------------------------------- what people have deleted


def wipe_forgotten(journal: Journal) -> None:
    """Wipe deleted games: no byte in the file, nothing in its copies, no photograph.

    All of it was done where every copy knows of it. Raises `MillchenError` and OSError; the next call goes on then.
    """
    path, deletions = journal.path, journal.rows_of_game(FORGOTTEN_GAME)
    if not deletions:
        return
    copies = [(copy, *_said_in(copy)) for copy in copies_of(path)]
    own = [(copy, digests) for copy, origin, digests in copies if origin in ("", journal.origin)]
    unaware = [copy for copy, digests in own if not {row.digest for row in deletions} <= digests]
    if own and not unaware:
        return
    forgotten = journal.forgotten()
    TurnPhotographs(path).delete(forgotten.numbers)
    journal.wipe()
    for unfinished in (path.parent / BACKUP_FOLDER).glob(f"{path.stem}_*.part"):  # what was cut off
        unfinished.unlink(missing_ok=True)
    for unfinished in path.parent.glob(f"{MADE_ANEW}*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    for copy in unaware:
        salvage = salvaged_from(copy)
        now = [*deletions, *(row for row in journal.rows_numbered(forgotten.anew) if row.seq in salvage.events)]
        salvage.forget(forgotten)
        rows = salvage.events | {row.seq: dict(row._mapping) for row in now}
        with TemporaryDirectory(dir=path.parent, prefix=MADE_ANEW) as folder:
            with Journal(Path(folder) / path.name) as new_journal:
                new_journal.take_over(rows.values(), salvage.identity or dict(journal.identity_row()._mapping))
                new_journal.copy_into(Path(folder) / copy.name)
            fsync(Path(folder) / copy.name)
            (Path(folder) / copy.name).replace(copy)
        fsync(copy.parent)


def _said_in(copy: Path) -> tuple[str, set[str]]:
    """Return the origin of a copy, and the digests of its records that say what was deleted."""
    try:
        with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as database:
            [(origin,)] = database.execute("SELECT origin FROM journal")
            rows = database.execute("SELECT digest FROM event WHERE game = ?", (FORGOTTEN_GAME,))
            return origin, {digest for (digest,) in rows}
    except (sqlite3.Error, ValueError) as why:
        log.info("%s cannot be read: %s", copy, why)
        return "", set()


# ---------------------------------------------------------------- a journal that is damaged, a copy that is taken back


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
        newest = max(copies, key=lambda copy: len(_digests(copy)))  # clocks step back: their dates do not say it
        shutil.copyfile(newest, anew)
        fsync(anew)
        anew.rename(path)
        journal = open_journal(path, about)
        what = message(f"journal.{about}")
        journal.findings.append(message("journal.from_copy", what=what, name=newest.name))
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
    salvage = salvaged_from(path)
    n_in_file = len(salvage.events)
    for copy in copies:
        salvage.fill_in(salvaged_from(copy))
    salvage.forget()
    unread = {game for seq, game in salvage.games.items() if seq not in salvage.events}
    games = ", ".join(map(str, sorted(unread.union(games_not_whole(salvage.events)))))
    loss = message("journal.lost", games=games) if games else message("journal.nothing_lost")
    if not n_in_file:
        loss = message("journal.unknown_lost")
    with TemporaryDirectory(dir=path.parent, prefix=MADE_ANEW) as folder:
        with Journal(Path(folder) / path.name, about) as new_journal:
            new_journal.take_over(salvage.events.values(), salvage.identity, max(salvage.games, default=0))
        fsync(new_journal.path)
        new_journal.path.rename(anew)
    place = _exchange(path, anew)
    journal = Journal(path, about)
    journal.findings.append(
        message(
            "journal.made_anew",
            what=message(f"journal.{about}"),
            why=why,
            n=len(salvage.events),
            copied=len(salvage.events) - n_in_file,
            lost=loss,
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


class RestoredRecords(NamedTuple):
    """The records that a journal got back from a copy."""

    games: int  # games that got records back
    records: int
    left: tuple[int, ...]  # games of the copy that are otherwise here, and were left as they are


def take_back(journal: Journal, copy: Path) -> RestoredRecords:
    """Add to a journal the records that only its copy has; change nothing that is there.

    A game is the same where a record of it says the same; one whose numbers others have gets the next free ones.
    Raises OSError, and `NotWrittenError`.
    """
    here = {row.seq: dict(row._mapping) for row in journal.rows_after(0, -1)}
    salvage = salvaged_from(copy)
    salvage.forget()
    if salvage.identity is None or salvage.identity["origin"] == journal.origin:
        salvage.forget(journal.forgotten())
    of_copy, of_here = _by_game(salvage.events.values()), _by_game(here.values())
    counterparts = {_written(row): row for row in here.values()}
    deletions = of_copy.pop(FORGOTTEN_GAME, [])
    additions, conflicts, games = list[Row]() if here else deletions, list[int](), 0
    free = max([journal.last_game() or 0, *of_here, *of_copy]) + 1
    free_seq = max([0, *here, *(rows[-1]["seq"] for rows in of_copy.values())]) + 1
    for number, rows in of_copy.items():
        new_rows = [row for row in rows if _written(row) not in counterparts]
        if not new_rows:
            continue
        game = next((counterparts[_written(row)]["game"] for row in rows if _written(row) in counterparts), None)
        is_new = game is None
        if game is None:
            game = free if number in of_here else number
            free += game == free
        is_taken = is_new and any(row["seq"] in here for row in rows)
        new_rows = _renumbered(new_rows, game, free_seq if is_taken else None)
        free_seq += is_taken * len(rows)
        whole = sorted([*new_rows, *(() if is_new else of_here[game])], key=lambda row: row["seq"])
        if [row["follows"] for row in whole] == [0, *(row["seq"] for row in whole[:-1])]:
            additions += new_rows
            games += 1
        else:
            conflicts.append(number)
    journal.take_over(additions)
    return RestoredRecords(games, len(additions), tuple(conflicts))


def _written(row: Row) -> tuple[Any, ...]:
    """Return the columns of a record that do not depend on its numbers."""
    return tuple(row[name] for name in ("kind", "ply", "body", "wall_time", "by"))


def _by_game(rows: Iterable[Row]) -> dict[int, list[Row]]:
    games: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["seq"]):
        games[row["game"]].append(row)
    return games


def _renumbered(rows: Sequence[Row], game: int, first: int | None) -> list[Row]:
    """Return records as those of another game, under the numbers from ``first`` on, or their own."""
    new = {} if first is None else {row["seq"]: seq for seq, row in enumerate(rows, start=first)}
    new_rows = [{**row, "game": game, **{k: new.get(row[k], row[k]) for k in ("seq", "follows")}} for row in rows]
    return [{**row, "digest": record_digest(*(row[name] for name in DIGESTED_COLUMNS))} for row in new_rows]
