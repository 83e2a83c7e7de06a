"""The parser of every command: what is wrong with the words is said in one sentence; the usage comes with --help."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from referee.nearest_word import did_you_mean, no_such, shown
from vision.capture.addresses import without_secrets

WRONG_WORDS = 2
"""Exit status of wrong words on the command line. Other programs rely on it. Source: cited, argparse of Python."""

LONGEST_UNBROKEN = 200
"""Characters without a space after which what somebody typed is cut off in a sentence."""

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


class PlainParser(argparse.ArgumentParser):
    """A parser that answers a mistake with one sentence, the nearest right word and exit status 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end."""
        missing = re.fullmatch("the following arguments are required: (.*)", message, re.DOTALL)
        if missing:
            names = [re.sub("^(?=.* [|] )", "one of ", name) for name in missing[1].split(", ")]
            names = [name.replace(" | ", ", ") for name in names]
            listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
            message = f"{listed} {'are' if len(names) > 1 else 'is'} missing{self._see_help()}"
        for pattern, plain in IN_PLAIN_WORDS:
            if re.fullmatch(pattern, message, re.DOTALL):
                message = re.sub(pattern, plain, message, flags=re.DOTALL)
                break
        self.exit(WRONG_WORDS, f"millchen: {one_line(message)}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the words as argparse does; words that are left over are mistakes here, of this command."""
        words = sys.argv[1:] if args is None else list(args)
        self._check_options(words)
        found, left = super().parse_known_args(words, namespace)
        if left:
            self.error(f"{self.prog} takes no {shown(left[0])}{self._see_help()}")
        return found, left

    def _check_options(self, words: Sequence[str]) -> None:
        """End with a sentence where an option is not known, or is given twice with two values."""
        known: dict[str, argparse.Action] = self._option_string_actions
        commands = [
            name for act in self._actions if isinstance(act, argparse._SubParsersAction) for name in act.choices
        ]
        given: dict[str, str] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "--" or word in commands:
                return
            if not word.startswith("-") or word == "-" or " " in word or NEGATIVE_NUMBER.fullmatch(word):
                continue
            name, equals, value = word.partition("=")
            meant = [name] if name in known else [one for one in known if name[:2] == "--" and one.startswith(name)]
            if not meant:
                near = did_you_mean(name, [one for one in known if one.startswith("--")])
                self.error(f"no option {shown(name)}{near or self._see_help()}")
            action = known[meant[0]]
            if len(meant) > 1 or action.nargs is not None:
                continue
            if not equals and rest:
                value = rest.pop(0)
                if re.match(r"-[\d.]", value) and not NEGATIVE_NUMBER.fullmatch(value):
                    self.error(f"{name} needs a value; one that begins with a minus is written {name}={value}")
            if isinstance(action, argparse._StoreAction) and given.setdefault(action.dest, value) != value:
                self.error(f"{meant[0]} is given twice: {shown(given[action.dest])} and {shown(value)}")

    def _see_help(self) -> str:
        return f"; see '{self.prog} --help'"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is not among the choices; argparse itself would print all of them as Python does."""
        if action.choices is None or value in action.choices:
            return
        option = str(next(iter(action.option_strings), action.metavar))
        if isinstance(action.choices, range):
            raise argparse.ArgumentError(None, f"{option} is one of {', '.join(map(str, action.choices))}, got {value}")
        kind = "command" if isinstance(action, argparse._SubParsersAction) else option.lstrip("-").lower()
        raise argparse.ArgumentError(None, no_such(kind, value, action.choices))


def one_line(text: str) -> str:
    """Return a text on one line, with endless words cut off, and without the passwords of addresses."""
    shown_text = without_secrets(" ".join(text.split()))
    return re.sub(rf"(\S{{{LONGEST_UNBROKEN}}})\S+?([\"'):;,]*)(?!\S)", r"\1…\2", shown_text)
