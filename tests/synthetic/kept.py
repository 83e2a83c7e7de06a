"""Bare tables that were drawn once are kept on disk, outside the tree, by their spec and by the code that draws."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vision.imaging.frame import Image

MOST_KEPT = 1500  # pictures, of about a megabyte each


@cache
def folder_and_code() -> tuple[Path, str] | None:
    """The folder that tests name (``conftest``), and a digest of the code that draws; scripts keep nothing.

    When it is first asked for, the pictures that were drawn longest ago are deleted.
    """
    if not (named := os.environ.get("MILLCHEN_DRAWN")):
        return None
    folder = Path(named)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for old in sorted(folder.glob("*.png"), key=os.path.getmtime)[:-MOST_KEPT]:
        old.unlink(missing_ok=True)
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return folder, hashlib.sha256(sources + f"{cv2.__version__} {np.__version__}".encode()).hexdigest()


def kept(what: object, make: Callable[[], Image]) -> Image:
    """The picture of ``what``, whose ``repr`` must tell all of it: from the disk, or made and kept there."""
    with suppress(OSError):  # where nothing can be kept, everything is drawn
        if (place := folder_and_code()) is not None:
            folder, code = place
            path = folder / f"{hashlib.sha256(f'{code} {what!r}'.encode()).hexdigest()[:32]}.png"
            if path.exists() and (found := cv2.imread(str(path), cv2.IMREAD_COLOR)) is not None:
                return np.asarray(found, np.uint8)
            packed = cv2.imencode(".png", made := make(), [cv2.IMWRITE_PNG_COMPRESSION, 1])[1]
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as half:
                half.write(packed.tobytes())
            Path(half.name).replace(path)  # others may be reading it
            return made
    return make()
