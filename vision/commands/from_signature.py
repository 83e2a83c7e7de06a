"""A function's signature in, the words of its command out: a parameter is a word, a keyword-only one an option.

``Annotated[type, Word(...)]`` adds to the type. A ``Sequence`` may be given several times, a ``bool``
has no value, and a function's docstring is the line of help of its act. A dataclass as the type of a parameter is a
group: its fields are words of the command, and the function gets them together.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from inspect import Parameter, getdoc, signature
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin


class WrongWordsError(Exception):
    """Words that do not go together; the message is one sentence."""


class Word(NamedTuple):
    """The help, form and values of a word, besides its name, type and default."""

    help: str
    metavar: str | None = None
    convert: Callable[[str], Any] | None = None  # makes the value from the typed word; default: the type
    choices: Collection[Any] | None = None
    bare: Any = None  # the value of an option without one; None where it needs one


class Acts(NamedTuple):
    """What a command can do, by name, and what it does where nothing is said."""

    acts: Mapping[str, Callable[..., int | None]]
    usual: str = ""


def add_words(
    parser: argparse.ArgumentParser, do: Callable[..., int | None] | Acts, inherited: Collection[str] = ()
) -> None:
    """Have a parser read the parameters of a function, which is called with them as ``run``; or an act and its words.

    What is ``inherited`` may stand before the act, too.
    """
    if isinstance(do, Acts):
        if do.usual:
            add_words(parser, do.acts[do.usual])
            inherited = signature(do.acts[do.usual]).parameters
        subparsers = parser.add_subparsers(title="what to do", metavar=" | ".join(do.acts), required=not do.usual)
        for name, act in do.acts.items():
            add_words(subparsers.add_parser(name, help=(getdoc(act) or "").partition("\n")[0]), act, inherited)
        return
    for one in _parameters(do):
        _add_word(parser, one, is_inherited=one.name in inherited)

    def run(values: argparse.Namespace) -> int:
        try:
            return do(**_arguments(do, values)) or 0
        except WrongWordsError as why:
            parser.error(str(why))

    parser.set_defaults(run=run)


def words_set(group: Any) -> list[str]:
    """Return the words of a group, as they are typed, that have another value than their default."""
    return [_typed(one.name) for one in fields(group) if getattr(group, one.name) != one.default]


def _is_group(kind: Any) -> bool:
    return is_dataclass(kind)


def _parameters(make: Callable[..., Any]) -> Iterator[Parameter]:
    """Yield the parameters of a function; in the place of a group its fields."""
    for one in signature(make, eval_str=True).parameters.values():
        yield from _parameters(one.annotation) if _is_group(one.annotation) else (one,)


def _arguments(make: Callable[..., Any], values: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a function, its groups made of their own."""
    arguments = {}
    for name, one in signature(make, eval_str=True).parameters.items():
        kind = one.annotation
        arguments[name] = kind(**_arguments(kind, values)) if _is_group(kind) else getattr(values, name)
    return arguments


def _typed(name: str) -> str:
    return f"--{name.rstrip('_').replace('_', '-')}"


def _add_word(parser: argparse.ArgumentParser, one: Parameter, *, is_inherited: bool) -> None:
    kind, word = one.annotation, Word("")
    if get_origin(kind) is Annotated:
        kind, note = get_args(kind)
        word = note if isinstance(note, Word) else Word(note)
    kind = next((part for part in get_args(kind) if NoneType in get_args(kind) and part is not NoneType), kind)
    is_many = get_origin(kind) is Sequence
    kind = get_args(kind)[0] if is_many else kind
    is_needed, is_option = one.default is Parameter.empty, one.kind is Parameter.KEYWORD_ONLY
    name = _typed(one.name) if is_option else one.name
    settings: dict[str, Any] = {"help": word.help}
    if not is_needed:
        usual = list(one.default) if is_many else one.default
        settings["default"] = argparse.SUPPRESS if is_inherited else usual
    if is_option:
        settings |= {"dest": one.name, "required": is_needed}
    if kind is bool:
        settings["action"] = "store_true"
    else:
        settings |= {"metavar": word.metavar, "choices": word.choices, "type": word.convert or kind}
    if is_option and is_many:
        settings["action"] = "append"
    elif is_option and word.bare is not None:
        settings |= {"nargs": "?", "const": word.bare}
    elif not is_option and (is_many or not is_needed):
        settings["nargs"] = "?" if not is_many else "+" if is_needed else "*"
    parser.add_argument(name, **settings)
