"""Opens the journal; a file that cannot be read is moved away and replaced.

Nothing is deleted, changed or merged: what is laid aside is a data folder of its own, so that
``millchen games --data`` looks into it.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from languages import message
from web.errors import MillchenError
from web.journal.journal import Journal
from web.journal.journal_file import DamagedFileError, fsync, newest_copy, wal_file
from web.journal.journal_tip import JournalTip, read_tip, write_tip

log = logging.getLogger("millchen.journal")

ASIDE_FOLDER = "set-aside"
"""Name of the folder of what could not be read, beside the journal."""


def open_journal(path: Path, about: Literal["games", "evenings"] = "games") -> Journal:
    """Open a journal; what is wrong with it is in its `findings`.

    Raises:
        MillchenError: When the file is another program's or of another version, or nothing can be written there.
    """
    try:
        return Journal(path, about)
    except DamagedFileError as why:
        log.info("%s", why)
        place, tip = _set_aside(path), read_tip(path)
        if tip is not None:  # its numbers are not used again, photographs are called by them; but none is missing here
            write_tip(path, JournalTip(tip.seq))
        journal = Journal(path, about)
        copy = newest_copy(path)
        copy_text = message("journal.newest_copy", name=copy.name) if copy else message("journal.not_copied")
        what = message(f"journal.{about}")
        journal.findings.append(message("journal.set_aside", what=what, why=why.what, place=place, copy=copy_text))
        return journal


def set_aside_folders(path: Path) -> list[str]:
    """Return the folders in which unreadable journals of that name lie, in the data folder, oldest first."""
    aside = (path.parent / ASIDE_FOLDER).glob(f"*/{path.name}*")
    return sorted({f"{ASIDE_FOLDER}/{place.parent.name}" for place in aside})


def _set_aside(path: Path) -> str:
    """Move the file with its log to a folder of its own; return that folder's name in the data folder."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S_%f")
    folder = path.parent / ASIDE_FOLDER / f"{path.stem}_{stamp}"
    try:
        folder.mkdir(parents=True, mode=0o700)
        index = path.with_name(f"{path.name}-shm")  # of the log; SQLite makes it anew
        for file in (path, wal_file(path)):  # a log that is left alone for a moment is laid aside too
            if file.exists() and (file == path or file.stat().st_size > 0):
                file.rename(folder / file.name)
        for file in (wal_file(path), index):
            file.unlink(missing_ok=True)
        for place in (folder, folder.parent, path.parent):
            fsync(place)
    except OSError as why:
        raise MillchenError(f"the journal {path} is damaged and cannot be laid aside: {why.strerror or why}") from why
    return f"{ASIDE_FOLDER}/{folder.name}"
