"""The one codec: from a type it derives how JSON is read, written and described (as JSON Schema).

``Annotated`` adds to plain types: limits in words of JSON Schema, a `Form` of its own, or `In`, the place of an
attribute in the object of its dataclass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, partial
from inspect import Parameter, signature
from itertools import chain
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Schema = Mapping[str, Any]  # a JSON Schema
Limits = tuple[tuple[str, Any], ...]  # words of JSON Schema and their values
T = TypeVar("T")

INTEGER_LIMIT = 2**63  # the journal has no larger whole numbers


class UnfitError(ValueError):
    """A JSON value is of another kind than it must be; ``name`` leads to it, and is empty for the whole."""

    def __init__(self, name: str, schema: Schema, value: object = None, *, why: str = "") -> None:
        but = f", not {value[:40]!r}" if "enum" in schema and isinstance(value, str) else ""
        super().__init__(why or f"{name or 'the body'} must be {described(schema)}{but}")
        self.name = name


@dataclass(frozen=True, eq=False)
class Form:
    """How values of a type stand in JSON."""

    schema: Schema
    read: Callable[[Any, str, Any], Any]  # takes a JSON value, its name, and what it is about: a board, say
    write: Callable[[Any], Any] = lambda value: value


class In(NamedTuple):
    """How an attribute stands in the object of its dataclass: under ``key``, else under its own name."""

    key: str = ""
    is_omitted: bool = False  # where it is empty
    is_flat: bool = False  # its own entries stand in its place
    is_kept: bool = True


@dataclass(frozen=True)
class Words:
    """The entries of an object: the type of each, and which must be there."""

    hints: Mapping[str, Any]
    needed: Collection[str]


def limits(**words: Any) -> Limits:
    """Limit values of a type, in words of JSON Schema."""
    return tuple(words.items())


def line(most: int, least: int = 1) -> Limits:
    """Limit a printable line by its length; it is read without the spaces around it."""
    return limits(minLength=least, maxLength=most)


def one_of(*choices: str) -> Limits:
    """Limit a line to values that are known."""
    return (*line(40, 0 if "" in choices else 1), *limits(enum=choices))


def read(kind: type[T], value: Any, about: Any = None) -> T:
    """Return the value of a type that a JSON value says. Raises UnfitError, or what the type itself raises."""
    hint: Any = kind
    result: T = form_of(hint).read(value, "", about)
    return result


def write(value: Any) -> Any:
    """Return the JSON of a value."""
    kind: Any = type(value)
    return form_of(kind).write(value)


def words_of(function: Callable[..., Any], other_names: Collection[str] = ()) -> Words:
    """Return the parameters of a function as entries of an object, without those that are ``other_names``."""
    parameters = [one for name, one in signature(function, eval_str=True).parameters.items() if name not in other_names]
    needed = [one.name for one in parameters if one.default is Parameter.empty]
    return Words({one.name: one.annotation for one in parameters}, needed)


@cache
def form_of(hint: Hashable) -> Form:
    """Return how the values of a type stand in JSON."""
    kind, *annotations = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    own = next((one for one in annotations if isinstance(one, Form)), None)
    return own or _form(kind, dict(chain(*(one for one in annotations if type(one) is tuple))))


def _form(hint: Any, limited: Schema) -> Form:
    kind, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return Form(limited, lambda value, *_: value)
    if kind in (Union, UnionType):
        return _or_null(form_of(next(one for one in args if one is not NoneType)))
    if kind is Literal:
        return _form(str, dict(one_of(*args)))
    if kind in (tuple, Sequence):
        return _list(form_of(args[0]), 0 if kind is Sequence or args[-1] is Ellipsis else len(args), kind, limited)
    if kind is Mapping:
        return _mapping(form_of(args[1]), limited)
    if is_typeddict(hint):
        return object_form(Words(get_type_hints(hint, include_extras=True), hint.__required_keys__))
    if is_dataclass(hint):
        needed = [one.name for one in fields(hint) if one.init and one.default is one.default_factory is MISSING]
        return object_form(Words(get_type_hints(hint, include_extras=True), needed), hint)  # type: ignore[arg-type]
    if hasattr(hint, "_field_defaults"):
        needed = hint._fields[: len(hint._fields) - len(hint._field_defaults)]
        return object_form(Words(get_type_hints(hint, include_extras=True), needed), hint)
    schema = {**PLAIN[hint], **limited}
    return Form(schema, partial(_read_plain, schema), str if hint is str else lambda value: value)


def _or_null(own: Form) -> Form:
    enum = {"enum": [*own.schema["enum"], None]} if "enum" in own.schema else {}
    kind = {"type": [own.schema["type"], "null"]} if "type" in own.schema else {}
    schema = {**own.schema, **enum, **kind}

    def read(value: Any, name: str, about: Any) -> Any:
        try:
            return None if value is None else own.read(value, name, about)
        except UnfitError as why:
            if why.name != name or not kind:
                raise
            raise UnfitError(name, schema, value) from why

    return Form(schema, read, lambda value: None if value is None else own.write(value))


def _list(items: Form, n: int, kind: Any, limited: Schema) -> Form:
    schema = {"type": "array", "items": items.schema, **(limits_of_n(n) if n else {}), **limited}
    make = tuple if kind is tuple else list

    def read(value: Any, name: str, about: Any) -> Any:
        if isinstance(value, list) and schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
            try:
                return make(items.read(one, name, about) for one in value)
            except UnfitError:
                pass
        raise UnfitError(name, schema)

    return Form(schema, read, lambda values: [items.write(one) for one in values])


def limits_of_n(n: int) -> Schema:
    """Return the limits of a list of exactly so many items."""
    return {"minItems": n, "maxItems": n}


def _mapping(items: Form, limited: Schema) -> Form:
    schema = {"type": "object", **({"additionalProperties": items.schema} if items.schema else {}), **limited}

    def read(value: Any, name: str, about: Any) -> Any:
        if not isinstance(value, dict) or len(value) > schema.get("maxProperties", math.inf):
            raise UnfitError(name, schema)
        return {key: items.read(one, key, about) for key, one in value.items()}

    return Form(schema, read, lambda values: {key: items.write(one) for key, one in values.items()})


class _Entry(NamedTuple):
    name: str
    how: In
    form: Form
    is_needed: bool

    @property
    def key(self) -> str:
        return self.how.key or self.name


def object_form(words: Words, make: Callable[..., Any] | None = None) -> Form:
    """Return the form of an object; without ``make`` it is read as a dict, and has no other entries."""
    entries = list(_entries(words))
    own = [one for one in entries if not one.how.is_flat]
    schema: dict[str, Any] = {"type": "object", "properties": {one.key: one.form.schema for one in own}}
    schema |= {"required": [one.key for one in own if one.is_needed]}
    if make is None:
        schema["additionalProperties"] = False

    def read(value: Any, name: str, about: Any) -> Any:
        if not isinstance(value, dict):
            raise UnfitError(name, schema)
        if make is None and (others := value.keys() - schema["properties"].keys()):
            raise UnfitError(name, schema, why=f"there is nothing named {min(others)[:40]!r} here")
        attributes = dict(_read_entries(entries, value, name, about))
        try:
            return attributes if make is None else make(**attributes)
        except ValueError as why:
            raise UnfitError(name, schema, why=str(why)) from why

    def write(value: Any) -> dict[str, Any]:
        json_object: dict[str, Any] = {}
        for one in entries:
            part = getattr(value, one.name)
            if one.how.is_flat:
                json_object |= one.form.write(part)
            elif not (one.how.is_omitted and not part):
                json_object[one.key] = one.form.write(part)
        return json_object

    return Form(schema, read, write)


def words_form(hints: Mapping[str, Any]) -> Form:
    """Return the form of an object whose entries are all there, read as a dict beside others."""
    return object_form(Words(hints, hints), dict)


def _entries(words: Words) -> Iterator[_Entry]:
    for name, hint in words.hints.items():
        how = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, In)), In())
        if how.is_kept:
            yield _Entry(name, how, form_of(hint), name in words.needed)


def _read_entries(
    entries: Sequence[_Entry], value: Mapping[str, Any], name: str, about: Any
) -> Iterator[tuple[str, Any]]:
    for one in entries:
        path = f"{name}.{one.key}".lstrip(".")
        if one.how.is_flat:
            yield one.name, one.form.read(value, name, about)
        elif one.key in value:
            yield one.name, one.form.read(value[one.key], path, about)
        elif one.is_needed:
            raise UnfitError(path, one.form.schema)


# ---------------------------------------------------------------- plain values

PLAIN: Mapping[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "format": "int64"},
    float: {"type": "number"},
    str: {"type": "string"},
}


def _read_plain(schema: Schema, value: Any, name: str, _: Any) -> Any:
    result = READERS[schema["type"]](value, schema)
    if result is None:
        raise UnfitError(name, schema, value)
    return result


def _read_number(value: Any, schema: Schema) -> int | float | None:
    whole = schema["type"] == "integer"
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return None
    if whole and not -INTEGER_LIMIT <= value < INTEGER_LIMIT:
        return None
    is_inside = schema.get("minimum", value) <= value <= schema.get("maximum", value)  # what is no number is not
    return value if is_inside and (isinstance(value, int) or math.isfinite(value)) else None


def _read_text(value: Any, schema: Schema) -> str | None:
    if not isinstance(value, str) or "minLength" not in schema:  # of several lines, or not limited
        return value if isinstance(value, str) and len(value) <= schema.get("maxLength", math.inf) else None
    text = value.strip()
    is_fitting = value.isprintable() and schema["minLength"] <= len(text) <= schema["maxLength"]
    is_known = text in schema.get("enum", (text,)) and re.search(schema.get("pattern", ""), text)
    return text if is_fitting and is_known else None


READERS: Mapping[str, Callable[[Any, Schema], Any]] = {
    "boolean": lambda value, _: value if isinstance(value, bool) else None,
    "integer": _read_number,
    "number": _read_number,
    "string": _read_text,
}


def described(schema: Schema) -> str:
    """Say in English what a value must be."""
    kind = schema["type"]
    if not isinstance(kind, str):
        return f"{described({**schema, 'type': kind[0]})}, or null"
    plain = {"object": "an object", "boolean": "true or false", "integer": "a whole number", "number": "a number"}
    if kind == "array":
        items = {"string": "texts", "integer": "whole numbers", "number": "numbers", "array": "places"}
        n, inner = schema.get("maxItems"), schema["items"]["type"]
        inner = inner if isinstance(inner, str) else inner[0]  # of what may be null, too
        return f"a list of {'' if n is None else f'{n} '}{items.get(inner, 'objects')}"
    if "enum" in schema:
        return f"one of {', '.join(repr(one) for one in schema['enum'] if one is not None)}"
    if kind == "string":
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        return "a text" + ("" if most is None else f" of {least} to {most} characters")
    ends = [f"{which} {schema[key]:g}" for which, key in (("from", "minimum"), ("to", "maximum")) if key in schema]
    return " ".join((plain[kind], *ends))


# ---------------------------------------------------------------- common types


def rounded(digits: int, **limit_words: float) -> Form:
    """Write a number, with these limits, with so many digits after the point."""
    plain = _form(float, limit_words)
    return Form(plain.schema, plain.read, lambda value: round(value, digits))


Count = Annotated[int, limits(minimum=0)]
Text = Annotated[str, limits(contentMediaType="text/plain")]  # of several lines
Share = Annotated[float, rounded(4)]
# 0 first in the program, 1 first in JSON
Player = Annotated[
    int,
    Form(form_of(int).schema, lambda *given: form_of(int).read(*given) - 1, lambda player: player + 1),
]
Line = tuple[str, ...]  # names of points
