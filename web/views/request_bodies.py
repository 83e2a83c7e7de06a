"""What a request brings: its JSON body, described once for reading and for the published API, and its query."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import current_app, request
from werkzeug.exceptions import BadRequest, NotFound, PreconditionRequired

from languages import message
from referee.presets import PRESETS
from web.game.replay import MAX_NAME_CHARACTERS
from web.net.image_upload import MAX_UPLOAD_BYTES
from web.net.roles import Route, Schema

MAX_KEY_CHARACTERS = 64  # longest key of a command; a UUID has 36

FLAG: Schema = {"type": "boolean"}
INTEGER: Schema = {"type": "integer", "minimum": -(2**53), "maximum": 2**53}  # what a browser can say exactly
COUNT: Schema = {**INTEGER, "minimum": 0}
NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string", "contentMediaType": "text/plain"}
"""A text of several lines; any other text is one printable line, read without the spaces around it."""

PICTURE_MIME_TYPES = ("image/jpeg", "image/png", "image/webp")  # kinds of pictures that may be sent


def line(most: int, least: int = 1) -> Schema:
    """Describe one line of text by its length."""
    return {"type": "string", "minLength": least, "maxLength": most}


def one_of(*known: object) -> Schema:
    """Describe a line whose values are known; the command refuses others, in a sentence for people."""
    return {**line(40, 0 if "" in known else 1), "enum": list(known)}


def list_of(items: Schema, **limits: int) -> Schema:
    """Describe a list; ``limits`` are minItems and maxItems."""
    return {"type": "array", "items": items, **limits}


def nullable(schema: Schema) -> Schema:
    """Describe a value that may be null."""
    return {**schema, "type": [schema["type"], "null"]}


def fields(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Describe an object."""
    return {"type": "object", "properties": {**needed, **(optional or {})}, "required": list(needed)}


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


def body_of(route: Route) -> Schema | tuple[str, ...]:
    """Return what a route takes: the description of its JSON, or other kinds of bodies."""
    return command() if route.body is None else route.body


def current_body_schema() -> Schema:
    """Return the description of the body of the present request."""
    schema: Schema = current_app.extensions["millchen.bodies"][request.endpoint]
    return schema


def json_body() -> dict[str, Any]:
    """Return the body of the request, read as its route describes it."""
    schema, body = current_body_schema(), request.get_json()
    if "seen" in schema["required"] and isinstance(body, dict) and body.get("seen") is None:
        raise PreconditionRequired(message("page.seen_missing"))
    read: dict[str, Any] = read_value(body, schema, "the body")
    return read


def own_words() -> dict[str, Any]:
    """Return what the body says beside its sender."""
    return {name: value for name, value in json_body().items() if name not in ("seen", "key")}


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
    raise BadRequest(f"{name} must be {_described(schema)}")


def _read_object(value: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise BadRequest(f"{name} must be {_described(known[name])}")
    if "properties" not in schema:
        items = schema.get("additionalProperties")
        return {name: one if items is None else read_value(one, items, name) for name, one in value.items()}
    return {name: read_value(value[name], one, name) for name, one in known.items() if name in value}


def _read_number(value: Any, schema: Schema) -> int | float | None:
    whole = schema["type"] == "integer" or "integer" in schema["type"]
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return None
    is_inside = schema.get("minimum", value) <= value <= schema.get("maximum", value)  # what is no number is not
    return value if is_inside and (isinstance(value, int) or math.isfinite(value)) else None


def _read_text(value: Any, schema: Schema) -> str | None:
    if not isinstance(value, str) or "contentMediaType" in schema:
        return value if isinstance(value, str) and len(value) <= schema.get("maxLength", math.inf) else None
    text = value.strip()
    is_fitting = value.isprintable() and schema["minLength"] <= len(text) <= schema["maxLength"]
    return text if is_fitting and re.search(schema.get("pattern", ""), text) else None


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
    if kind == "string":
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        return "a text" + ("" if most is None else f" of {least} to {most} characters")
    limits = [f"{which} {schema[key]:g}" for which, key in (("from", "minimum"), ("to", "maximum")) if key in schema]
    return " ".join((plain[kind], *limits))


# ---------------------------------------------------------------- bodies that are pictures, and queries


def sent_picture() -> bytes:
    """Return the body of a request, a picture; one that is larger than pictures are is refused."""
    request.max_content_length = MAX_UPLOAD_BYTES
    return request.get_data(cache=False)


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
