"""The tip of a journal: which record was written last, in a small file beside it.

Records that were cut off at the end leave nothing behind by which the journal itself could miss them. The tip is
written after every commit and not synced: the commit is on the disk by then, so a power cut may leave an older tip,
which means nothing, and never one that is ahead. A tip that is damaged or missing means nothing either.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import NamedTuple

_LINE = re.compile(rb"(( *[0-9]+) ( *[0-9]+) ([0-9a-f]{64})) ([0-9a-f]{16})\n")


class JournalTip(NamedTuple):
    """The record that was written last."""

    seq: int = 0
    game: int = 0  # 0: the tip says only which numbers have been used
    link: str = ""  # see `web.journal.digest_chain`


def tip_file(journal: Path) -> Path:
    """Return the file of the tip beside a journal."""
    return journal.with_name(f"{journal.name}-tip")


def read_tip(journal: Path) -> JournalTip | None:
    """Return the tip beside a journal; None where no tip can be read."""
    try:
        with tip_file(journal).open("rb") as file:
            found = _LINE.match(file.read(200))
    except OSError:
        return None
    if found is None or found[5] != _check_digits(found[1]):
        return None
    return JournalTip(int(found[2]), int(found[3]), found[4].decode())


def write_tip(journal: Path, tip: JournalTip) -> None:
    """Replace the tip, in place: one write of equal length. Where it fails (OSError), an older tip is no harm."""
    line = f"{tip.seq:20} {tip.game:20} {tip.link:0<64}".encode()
    handle = os.open(tip_file(journal), os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.write(handle, line + b" " + _check_digits(line) + b"\n")
    finally:
        os.close(handle)


def _check_digits(line: bytes) -> bytes:
    return hashlib.sha256(line).hexdigest()[:16].encode()
