"""Copies of a journal beside it: made after each finished game and every day, thinned out, and taken back."""

from __future__ import annotations

import logging
import shutil
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from languages import message
from web.errors import MillchenError
from web.journal.data_folder import private_files
from web.journal.journal import Journal
from web.journal.journal_file import JournalFile, fsync

log = logging.getLogger("millchen.journal")

BACKUP_FOLDER = "backups"  # name of the folder of the copies, beside the journal

DAYS_KEPT = 7  # newest days of which the copy is kept; of each month before them the last one is
SHARE_OF_DISK = 0.02  # most of the disk that the copies of one journal take; the newest one is always kept

CHECK_INTERVAL_S = 3600.0  # seconds after which what was written meanwhile is copied, though no game has ended
_OF_A_DAY = len("2026-11-25")


class BackupError(MillchenError):
    """The journal could not be copied."""


class JournalCopies:
    """Copies journals in a thread of its own: at the start, after each finished game, and every hour."""

    def __init__(self, journals: Sequence[Journal]) -> None:
        self._journals, self._news, self._is_over = journals, threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="copies", daemon=True)
        self._thread.start()

    def copy_soon(self) -> None:
        """Copy what is new; a game has ended."""
        self._news.set()

    def close(self) -> None:
        """Copy no more; a copy that is being made is finished."""
        self._is_over = True
        self._news.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over:
            for journal in self._journals:
                try:
                    keep_copy(journal.path)
                except (MillchenError, OSError) as why:
                    log.warning("%s", why)
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
    kept = [copy for n, copy in enumerate(of_days) if n < DAYS_KEPT or copy in last_of_months]
    most = SHARE_OF_DISK * shutil.disk_usage(path.parent).total
    while len(kept) > 1 and sum(copy.stat().st_size for copy in kept) > most:
        kept.pop()
    for copy in of_days:
        if copy not in kept:
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
