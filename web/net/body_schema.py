"""The JSON body of a request: described by the parameters of the function that takes it, and read after that."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import Parameter, signature
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from werkzeug.exceptions import BadRequest

from referee.presets import PRESETS

Schema = Mapping[str, Any]  # a JSON Schema

MAX_NAME_CHARACTERS = 40  # longest name of a player

INTEGER_LIMIT = 2**63  # the journal has no larger whole numbers

PLAIN: Mapping[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "format": "int64"},
    float: {"type": "number"},
    str: {"type": "string"},
}


Limits = tuple[tuple[str, Any], ...]  # words of JSON Schema and their values, as types take them beside them


def limits(**said: Any) -> Limits:
    """Limit values of a type, in words of JSON Schema."""
    return tuple(said.items())


def line(most: int, least: int = 1) -> Limits:
    """Limit a printable line by its length; it is read without the spaces around it."""
    return limits(minLength=least, maxLength=most)


def one_of(*known: str) -> Limits:
    """Limit a line to values that are known."""
    return (*line(40, 0 if "" in known else 1), *limits(enum=known))


Count = Annotated[int, limits(minimum=0)]
Text = Annotated[str, limits(contentMediaType="text/plain")]  # of several lines
Name = Annotated[str, line(MAX_NAME_CHARACTERS, 0)]
GameName = Annotated[str, one_of(*PRESETS)]
SourceName = Annotated[str, line(1000)]
Pixel = Annotated[float, limits(minimum=-1e5, maximum=1e5)]
Place = tuple[Pixel, Pixel]  # x and y in a picture
Corners = tuple[Place, Place, Place, Place]


def schema_of(function: Callable[..., Any], known: Collection[str] = ()) -> Schema:
    """Describe the object whose entries are the parameters of a function, without those that are ``known``."""
    asked = [one for name, one in signature(function, eval_str=True).parameters.items() if name not in known]
    needed = [one.name for one in asked if one.default is Parameter.empty]
    return _object({one.name: one.annotation for one in asked}, needed)


def _object(hints: Mapping[str, Any], needed: Collection[str]) -> Schema:
    properties = {name: described(hint) for name, hint in hints.items()}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


def described(hint: Any) -> Schema:
    """Describe the values of a type; ``Annotated`` has what JSON Schema says beside it."""
    kind, args = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return {**described(args[0]), **dict(chain(*args[1:]))}
    if kind in (Union, UnionType):
        own = described(next(one for one in args if one is not NoneType))
        known = {"enum": [*own["enum"], None]} if "enum" in own else {}
        return {**own, **known, "type": [own["type"], "null"]}
    if kind is Literal:
        return {"type": "string", **dict(one_of(*args))}
    if kind is tuple:
        return {"type": "array", "items": described(args[0]), "minItems": len(args), "maxItems": len(args)}
    if kind is Sequence:
        return {"type": "array", "items": described(args[0])}
    if kind is Mapping:
        return {"type": "object"} | ({} if args[1] is Any else {"additionalProperties": described(args[1])})
    if is_typeddict(hint):
        return _object(get_type_hints(hint, include_extras=True), hint.__required_keys__)
    return PLAIN[hint]


def read_value(value: Any, schema: Schema, name: str) -> Any:
    """Return a JSON value as its description has it; raises BadRequest where it is of another kind."""
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if value is None and "null" in kinds:
        return None
    if kinds[0] == "object" and isinstance(value, dict) and len(value) <= schema.get("maxProperties", math.inf):
        return _read_object(value, schema)
    if kinds[0] == "array" and isinstance(value, list):
        try:
            read = [read_value(one, schema["items"], name) for one in value]
        except BadRequest:
            read = None
        if read is not None and schema.get("minItems", 0) <= len(read) <= schema.get("maxItems", math.inf):
            return read
    elif kinds[0] in READERS and (plain := READERS[kinds[0]](value, schema)) is not None:
        return plain
    given = f", not {value[:40]!r}" if "enum" in schema and isinstance(value, str) else ""
    raise BadRequest(f"{name} must be {_described(schema)}{given}")


def _read_object(value: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise BadRequest(f"{name} must be {_described(known[name])}")
    if "properties" not in schema:
        items = schema.get("additionalProperties")
        return {name: one if items is None else read_value(one, items, name) for name, one in value.items()}
    for name in value.keys() - known.keys():
        raise BadRequest(f"there is nothing named {name[:40]!r} here")
    return {name: read_value(one, known[name], name) for name, one in value.items()}


def _read_number(value: Any, schema: Schema) -> int | float | None:
    whole = schema["type"] == "integer" or "integer" in schema["type"]
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return None
    if whole and not -INTEGER_LIMIT <= value < INTEGER_LIMIT:
        return None
    is_inside = schema.get("minimum", value) <= value <= schema.get("maximum", value)  # what is no number is not
    return value if is_inside and (isinstance(value, int) or math.isfinite(value)) else None


def _read_text(value: Any, schema: Schema) -> str | None:
    if not isinstance(value, str) or "contentMediaType" in schema:
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


def _described(schema: Schema) -> str:
    """Say in English what a value must be."""
    kind = schema["type"]
    if not isinstance(kind, str):
        return f"{_described({**schema, 'type': kind[0]})}, or null"
    plain = {"object": "an object", "boolean": "true or false", "integer": "a whole number", "number": "a number"}
    if kind == "array":
        items = {"string": "texts", "integer": "whole numbers", "number": "numbers", "array": "places"}
        n = schema.get("maxItems")
        return f"a list of {'' if n is None else f'{n} '}{items.get(schema['items']['type'], 'objects')}"
    if "enum" in schema:
        return f"one of {', '.join(repr(one) for one in schema['enum'] if one is not None)}"
    if kind == "string":
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        return "a text" + ("" if most is None else f" of {least} to {most} characters")
    limits = [f"{which} {schema[key]:g}" for which, key in (("from", "minimum"), ("to", "maximum")) if key in schema]
    return " ".join((plain[kind], *limits))
