"""Words of the command line in, values out: the parser of every command, and the arguments that several have.

Mistakes are one sentence each; the usage comes with --help.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any, NoReturn

from languages import LANGUAGES
from referee.boards import BOARDS
from referee.nearest_word import did_you_mean, no_such, quoted
from referee.presets import PRESETS
from referee.record_files import decode_text
from vision.capture.addresses import has_password, without_secrets
from vision.commands.from_signature import Word
from vision.imaging.corners import corner_fault

MAX_ADDRESS_BYTES = 8000
"""Bytes of a file that are read for an address: as many as everybody should support. Source: RFC 9110, section 4.1."""

WRONG_WORDS = 2
"""Exit status of wrong words on the command line. Other programs rely on it. Source: cited, argparse of Python."""

LONGEST_UNBROKEN = 255
"""Characters after which a word that somebody typed is cut off in a sentence: no file has a longer name. Source: cited,
NAME_MAX of Linux."""

IN_PLAIN_WORDS = (
    (r"argument (.+): expected (?:one|at least one) argument", r"\1 needs a value"),
    (r"argument (.+): ignored explicit argument (.*)", r"\1 takes no value, got \2"),
    (r"argument (.+): not allowed with argument (.+)", r"\1 and \2 exclude each other: give one of them"),
    (r"argument (.+): invalid int value: (.*)", r"\1 is a whole number, got \2"),
    (r"argument .+?: (no .*)", r"\1"),
    (r"argument (.+?): (.*)", r"\1: \2"),
    (r"ambiguous option: (.+) could match (.*)", r"\1 may mean \2: write it in full"),
)
"""What argparse says, as patterns, and how it is said here. Source: argparse of Python 3.11 to 3.14."""

NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


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
    raise argparse.ArgumentTypeError(f"{rule}, got {quoted(text)}")


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
            address = (decode_text(file.read(MAX_ADDRESS_BYTES)).splitlines() or [""])[0].strip()
    except (OSError, ValueError) as why:
        reason = (why.strerror if isinstance(why, OSError) else None) or "it is no text"
        raise argparse.ArgumentTypeError(f"the file {text[1:]!r} gives no address: {reason}") from None
    if not address:
        raise argparse.ArgumentTypeError(f"the file {text[1:]!r} gives no address: its first line is empty")
    return address


GameName = Annotated[str, Word(f"one of {', '.join(PRESETS)}", "GAME", choices=list(PRESETS))]
Rules = Annotated[Sequence[tuple[str, str]], Word("a rule of the game, as fly=own", "NAME=VALUE", parse_option)]
FieldCorners = Annotated[
    list[tuple[float, float]] | None,
    Word("the field's four corners in the picture, clockwise from a7, in pixels", "X,Y,...", parse_corners),
]
BoardName = Annotated[str | None, Word("the kind of board (default: recognised)", choices=sorted(BOARDS))]
MeasuredTable = Annotated[str | None, Word("a table that was measured with 'millchen calibrate'", "NAME")]
Language = Annotated[str, Word("language of the sentences (default: en)", choices=LANGUAGES)]
Json = Annotated[bool, "one JSON object a line"]
Data = Annotated[Path | None, Word("where Millchen's data lies", "FOLDER")]


def make_writable(path: Path) -> None:
    """Make the missing folders of a file that is to be written; the file itself stays as it is.

    Raises ``ValueError`` when it cannot be written; one sentence.
    """
    is_new = not os.path.lexists(path)
    if not is_new and not path.is_file():
        raise ValueError(f"{str(path)!r} is a folder or a device and cannot be written: choose another place")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab"):
            pass  # only tried: a file that is there keeps its content
        if is_new:
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
    paths: list[Path] = [] if into_folder else [folder]
    for picture in pictures if into_folder else ():
        names = (f"{picture.stem}-{k}.png" if k > 1 else f"{picture.stem}.png" for k in count(1))
        paths.append(next(path for name in names if (path := folder / name) not in paths))
    for path in paths:
        with suppress(OSError):
            if any(path.exists() and picture.exists() and path.samefile(picture) for picture in pictures):
                raise ValueError(f"{str(path)!r} is one of the pictures: choose another place for the drawings")
        make_writable(path)
    return paths


class PlainParser(argparse.ArgumentParser):
    """A parser that answers a mistake with one sentence, the nearest right word and exit status 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end."""
        absent = re.fullmatch("the following arguments are required: (.*)", message, re.DOTALL)
        if absent:
            names = [re.sub("^(?=.* [|] )", "one of ", name).replace(" | ", ", ") for name in absent[1].split(", ")]
            names[-2:] = [" and ".join(names[-2:])]
            message = f"{', '.join(names)} {'are' if ', ' in absent[1] else 'is'} missing{self._see_help()}"
        for pattern, plain in IN_PLAIN_WORDS:
            message = re.sub(rf"\A{pattern}\Z", plain, message, flags=re.DOTALL)
        self.exit(WRONG_WORDS, f"millchen: {one_line(message)}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the words as argparse does; words that are left over are mistakes here, of this command."""
        words = sys.argv[1:] if args is None else list(args)
        self._check_options(words)
        values, rest = super().parse_known_args(words, namespace)
        if rest:
            self.error(f"{self.prog} takes no {quoted(rest[0])}{self._see_help()}")
        return values, rest

    def _check_options(self, words: Sequence[str]) -> None:
        """End with a sentence where there is no such option, or one has two values."""
        options: dict[str, argparse.Action] = self._option_string_actions
        commands = [
            name for act in self._actions if isinstance(act, argparse._SubParsersAction) for name in act.choices
        ]
        values: dict[str, str] = {}
        rest = iter(words)
        for word in rest:
            if word == "--" or word in commands:
                return
            if not word.startswith("-") or word == "-" or " " in word or NEGATIVE_NUMBER.fullmatch(word):
                continue
            name, equals, value = word.partition("=")
            names = [name] if name in options else [one for one in options if name[:2] == "--" and one.startswith(name)]
            if not names:
                near = did_you_mean(name, [one for one in options if one.startswith("--")])
                self.error(f"no option {quoted(name)}{near or self._see_help()}")
            action = options[names[0]]
            if len(names) > 1 or action.nargs is not None:
                continue
            if not equals:
                value = next(rest, "")
                if re.match(r"-[\d.]", value) and not NEGATIVE_NUMBER.fullmatch(value):
                    self.error(f"{name} needs a value; one that begins with a minus is written {name}={value}")
            if isinstance(action, argparse._StoreAction) and values.setdefault(action.dest, value) != value:
                self.error(f"{names[0]} is given twice: {quoted(values[action.dest])} and {quoted(value)}")

    def _see_help(self) -> str:
        return f"; see '{self.prog} --help'"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is not among the choices; argparse itself would print all of them as Python does."""
        if action.choices is None or value in action.choices:
            return
        option = str(next(iter(action.option_strings), action.metavar))
        kind = "command" if isinstance(action, argparse._SubParsersAction) else option.lstrip("-").lower()
        raise argparse.ArgumentError(None, no_such(kind, value, action.choices))


def one_line(text: str) -> str:
    """Return a text on one line that any terminal may show: endless words are cut off, passwords of addresses gone."""
    line = without_secrets("".join(one if one.isprintable() else "?" for one in " ".join(text.split())))
    return re.sub(rf"(\S{{{LONGEST_UNBROKEN}}})\S+?([\"'):;,]*)(?!\S)", r"\1…\2", line)
