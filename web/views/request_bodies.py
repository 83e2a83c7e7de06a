"""What a request brings: its JSON body, described once for reading and for the published API, and its query."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from flask import g, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound, PreconditionRequired

from languages import message
from referee.presets import PRESETS
from web.game.replay import MAX_NAME_CHARACTERS
from web.net.picture_decoder import MAX_UPLOAD_BYTES
from web.net.roles import Route, Schema
from web.table.sent_commands import SentCommand

MAX_KEY_CHARACTERS = 64  # longest key of a command; a UUID has 36

INTEGER_LIMIT = 2**63  # the journal has no larger whole numbers

FLAG: Schema = {"type": "boolean"}
INTEGER: Schema = {"type": "integer", "format": "int64"}
COUNT: Schema = {**INTEGER, "minimum": 0}
NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string", "contentMediaType": "text/plain"}
"""A text of several lines; any other text is one printable line, read without the spaces around it."""

PICTURE_MIME_TYPES = ("image/jpeg", "image/png", "image/webp")  # kinds of pictures that may be sent


def line(most: int, least: int = 1) -> Schema:
    """Describe one line of text by its length."""
    return {"type": "string", "minLength": least, "maxLength": most}


def one_of(*known: object) -> Schema:
    """Describe a line whose values are known."""
    return {**line(40, 0 if "" in known else 1), "enum": list(known)}


def list_of(items: Schema, **limits: int) -> Schema:
    """Describe a list; ``limits`` are minItems and maxItems."""
    return {"type": "array", "items": items, **limits}


def nullable(schema: Schema) -> Schema:
    """Describe a value that may be null."""
    known = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **known, "type": [schema["type"], "null"]}


def fields(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Describe an object that has these entries and no others."""
    entries = {**needed, **(optional or {})}
    return {"type": "object", "properties": entries, "required": list(needed), "additionalProperties": False}


NAME: Schema = line(MAX_NAME_CHARACTERS, 0)
NAMES: Schema = list_of(NAME)
GAME: Schema = one_of(*PRESETS)
SOURCE: Schema = line(1000)
PLACE: Schema = list_of({**NUMBER, "minimum": -1e5, "maximum": 1e5}, minItems=2, maxItems=2)
"""x and y in pixels of a picture."""
CORNERS: Schema = list_of(PLACE, minItems=4, maxItems=4)
SEEN: Schema = fields({"game": COUNT, "seq": COUNT})
KEY: Schema = line(MAX_KEY_CHARACTERS)


def command(
    needed: Mapping[str, Schema] | None = None,
    optional: Mapping[str, Schema] | None = None,
    *,
    is_about_board: bool = False,
) -> Schema:
    """Describe the body of a command; one that ``is_about_board`` is void after any turn since its sender looked."""
    seen = {"seen": SEEN} if is_about_board else {}
    return fields({**(needed or {}), **seen}, {"seen": SEEN, "key": KEY, **(optional or {})})


def picture_route(rule: str, role: str, view: Callable[..., ResponseReturnValue]) -> Route:
    """Return a route whose body is a picture."""
    return Route(rule, "POST", role, view, PICTURE_MIME_TYPES, MAX_UPLOAD_BYTES)


def body_of(route: Route) -> Schema | tuple[str, ...]:
    """Return what a route takes: the description of its JSON, or other kinds of bodies."""
    return command() if route.body is None else route.body


def view_of(route: Route) -> Callable[..., ResponseReturnValue]:
    """Return the view of a route. That of a command is given the words of its body; ``g.sent`` is what else it says."""
    schema = body_of(route)
    if route.method != "POST" or isinstance(schema, tuple):
        return route.view
    is_about_board = "seen" in schema["required"]

    @wraps(route.view)
    def view(**place: Any) -> ResponseReturnValue:
        body = request.get_json()
        if is_about_board and isinstance(body, dict) and body.get("seen") is None:
            raise PreconditionRequired(message("page.seen_missing"))
        words = read_value(body, schema, "the body")
        seen = words.pop("seen", {})
        g.sent = SentCommand(seen.get("game"), seen.get("seq") if is_about_board else None, words.pop("key", ""))
        return route.view(**place, **words)

    return view


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


# ---------------------------------------------------------------- queries


def known_game(name: str) -> str:
    """Return the name of a game; raises NotFound where there is no such game."""
    if name not in PRESETS:
        raise NotFound("there is no such game")
    return name


def number_asked(query: Mapping[str, str], name: str) -> float | None:
    """Return a number of a query, None where it is missing; raises BadRequest where it is something else."""
    if name not in query:
        return None
    try:
        return float(query[name])
    except ValueError:
        raise BadRequest(f"{name} must be a number") from None


def whole_number_asked(query: Mapping[str, str], name: str) -> int | None:
    """Return a whole number of a query, None where it is missing; raises BadRequest where it is something else."""
    number = number_asked(query, name)
    if number is not None and not number.is_integer():
        raise BadRequest(f"{name} must be a whole number")
    return None if number is None else int(number)
