"""Keeps what Millchen writes for its owner's eyes alone: folders 0700, files 0600.

A folder that people have named with ``--data`` keeps the mode that they gave it, as they may share it for other ends;
what Millchen has written into it is its owner's all the same. Windows knows no such modes: there a user's own folder is
closed to the other users.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

log = logging.getLogger("millchen")

PRIVATE_UMASK = 0o077
"""Rights that others do not get."""

WRITTEN_BY_US = (
    *(
        "lock",
        "log.jsonl*",
        "*.sqlite",
        "*.sqlite-*",
        "backups",
        "set-aside",
        "photographs",
        "analyses",
        "uploads",
        "network",
        "owner",
        "tables",
    ),
)
"""What Millchen writes in the data folder, as patterns; with all that is in it where it is a folder."""


@contextmanager
def private_files() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Have this process create files for their owner alone.

    What is given makes blocks without that, for the start of another program, whose files are none of our business.
    """
    before = os.umask(PRIVATE_UMASK)

    @contextmanager
    def usual_files() -> Iterator[None]:
        os.umask(before)
        try:
            yield
        finally:
            os.umask(PRIVATE_UMASK)

    try:
        yield usual_files
    finally:
        os.umask(before)


def open_to_others(folder: Path, *, is_ours: bool) -> Iterator[Path]:
    """Yield what others could read or change: what Millchen has written in the data folder, and the folder itself.

    Args:
        folder: The data folder.
        is_ours: Whether it is Millchen's own folder, with all that is in it, or one that people have named.
    """
    if os.name == "nt":
        return
    if is_ours and _is_open(folder):
        yield folder
    for pattern in ("*",) if is_ours else WRITTEN_BY_US:
        for path in folder.glob(pattern):
            yield from _open_in(path)


def _open_in(path: Path) -> Iterator[Path]:
    if path.is_symlink():
        return  # whoever has laid it has chosen the place behind it
    if _is_open(path):
        yield path
    if path.is_dir():
        for inner in path.iterdir():
            yield from _open_in(inner)


def _is_open(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & PRIVATE_UMASK)


def close_to_others(folder: Path, *, is_ours: bool) -> int:
    """Take others' rights from what `open_to_others` finds, as an older Millchen has left it; return how much it was.

    What cannot be changed, because somebody else owns it, is said in the log.
    """
    n_closed = 0
    try:
        if can_others_write(folder):
            log.warning("other users may write into %s: take this right from them (chmod go-w)", folder)
        for path in open_to_others(folder, is_ours=is_ours):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~PRIVATE_UMASK)
            n_closed += 1
    except OSError as why:
        log.warning("others can read what is kept in %s, and this cannot be changed: %s", folder, why)
    if n_closed:
        log.info("closed to other users: %d files and folders in %s", n_closed, folder)
    return n_closed


def can_others_write(folder: Path) -> bool:
    """Return whether other users may put files into a folder, or take them away."""
    mode = folder.stat().st_mode
    return os.name != "nt" and bool(mode & (stat.S_IWGRP | stat.S_IWOTH)) and not mode & stat.S_ISVTX
