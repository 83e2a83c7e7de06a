"""Parsing and checking of arguments: games, options, addresses, corners, frame rates, pictures, files to be written."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from referee.presets import PRESETS
from vision.capture.addresses import has_password
from vision.imaging.corners import corner_fault

MAX_ADDRESS_BYTES = 10_000
"""Bytes of a file that are read for an address."""

MOST_QUOTED = 40
"""Characters of a wrong number that are said."""


def parse_corners(text: str) -> list[tuple[float, float]]:
    """Return the four corners, clockwise in the image, px, from text with eight numbers."""
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 8 or not all(map(math.isfinite, numbers)):
        raise argparse.ArgumentTypeError(f"four corners are eight numbers, x,y,x,y,x,y,x,y, got {text!r}")
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    fault = corner_fault(corners)
    if fault is not None:
        raise argparse.ArgumentTypeError(f"{fault}, got {text!r}")
    return corners


def parse_number(rule: str, least: float, most: float, text: str) -> float:
    """Return the number from text; ``rule`` says in words what it must be."""
    with suppress(ValueError):
        if least <= (number := float(text.replace(",", "."))) <= most:
            return number
    raise argparse.ArgumentTypeError(f"{rule}, got {text[:MOST_QUOTED]!r}")


def unreadable_picture_reason(path: Path) -> str:
    """Return the reason why a file is no picture, as a sentence that a person can act on."""
    try:
        if not path.exists():
            return "there is no such file"
    except OSError as why:  # a name that no file can have
        return f"there is no such file ({why.strerror})"
    if path.is_dir():
        return "this is a folder: name the pictures in it"
    if not path.is_file():
        return "this is a pipe or a device, no picture: name a file"
    if not os.access(path, os.R_OK):
        return "this file may not be read: you lack the right to"
    return "this is no picture, or a damaged one: give a JPEG, PNG or WEBP file"


def parse_option(text: str) -> tuple[str, str]:
    """Return the name and value of an option of the game, from text NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"an option of the game is written NAME=VALUE, got {text!r}")
    return name, value


def parse_address(text: str) -> str:
    """Return what a word of the command line names: itself, or for ``@FILE`` the first line of that file.

    Raises ``ArgumentTypeError`` when the file cannot be read, or the word is an address with a password.
    """
    if not text.startswith("@"):
        if has_password(text):
            raise argparse.ArgumentTypeError(
                "every user of this computer can read a password on the command line: write the address into a file "
                "that only you can read, and give @FILE instead"
            )
        return text
    try:
        with Path(text[1:]).expanduser().open("rb") as file:
            lines = file.read(MAX_ADDRESS_BYTES).decode().split("\n")
    except (OSError, ValueError) as why:
        reason = (why.strerror if isinstance(why, OSError) else None) or "it is no text"
        raise argparse.ArgumentTypeError(f"the file {text[1:]!r} gives no address: {reason}") from None
    if not lines[0].strip():
        raise argparse.ArgumentTypeError(f"the file {text[1:]!r} gives no address: its first line is empty")
    return lines[0].strip()


def add_game_arguments(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Add the arguments for the game, its options and the corners of the field to a command."""
    parser.add_argument(
        "--game",
        required=default is None,
        default=default,
        choices=list(PRESETS),
        metavar="GAME",
        help=f"one of {', '.join(PRESETS)}",
    )
    parser.add_argument(
        "--option",
        type=parse_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a rule of the game, as fly=own",
    )
    parser.add_argument(
        "--corners",
        type=parse_corners,
        metavar="X,Y,...",
        help="the four corners of the field in the first frame, clockwise from the one that is to be a7, in pixels",
    )


def make_writable(path: Path) -> None:
    """Make the missing folders of a file that is to be written; the file itself stays as it is.

    Raises ``ValueError`` when it cannot be written; one sentence.
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
    """Return where the drawing of each picture goes, numbered where names would be the same, and make each writable.

    ``target`` is the file for one picture; a folder for several, where it is one already, or ends like one. Raises
    ``ValueError`` when one cannot be written, or would replace one of the pictures; one sentence.
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
