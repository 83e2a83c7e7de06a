"""Files that a command is asked to write: whether they can be written is found out before the work begins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def make_writable(path: Path) -> None:
    """Make the missing folders of a file that is to be written; the file itself stays as it is.

    Raises
    ------
    ValueError
        When it cannot be written; one sentence.
    """
    try:
        is_there = os.path.lexists(path)
        if is_there and not path.is_file():
            raise ValueError(f"{str(path)!r} is a folder or a device and cannot be written: choose another place")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab"):
            pass  # only tried: a file that is there keeps its content
        if not is_there:
            path.unlink()
    except OSError as why:
        raise ValueError(f"{str(path)!r} cannot be written ({why.strerror}): choose another place") from None


def drawing_paths(target: str, pictures: Sequence[Path]) -> list[Path]:
    """Return where the drawing of each picture goes, and make sure that each can be written.

    Parameters
    ----------
    target : str
        The file for one picture; a folder for several, where it is one already, or ends like one.
    pictures : sequence of Path

    Returns
    -------
    list of Path
        In the order of the pictures; names that would be the same get a number.

    Raises
    ------
    ValueError
        When one cannot be written, or would replace one of the pictures; one sentence.
    """
    into_folder = len(pictures) > 1 or target.endswith(("/", os.sep)) or Path(target).is_dir()
    folder = Path(target)
    if into_folder and folder.exists() and not folder.is_dir():
        raise ValueError(f"{target!r} is a file: the drawings of several pictures need a folder")
    paths: list[Path] = []
    for picture in pictures:
        stem, n_same = picture.stem, 1
        path = folder / f"{stem}.png" if into_folder else folder
        while path in paths:
            n_same += 1
            path = folder / f"{stem}-{n_same}.png"
        paths.append(path)
    for path in paths:
        with suppress(OSError):
            if any(path.exists() and picture.exists() and path.samefile(picture) for picture in pictures):
                raise ValueError(f"{str(path)!r} is one of the pictures: choose another place for the drawings")
        make_writable(path)
    return paths
