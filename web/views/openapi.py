"""The description of the JSON API in OpenAPI 3.1, made from the table of routes and the request bodies below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from flask import Response, current_app, jsonify

from referee.presets import PRESETS
from referee.search.think import STRENGTHS
from web.club.evening import PAIRING_SYSTEMS, POINTS_BY_RESULT
from web.game.player_commands import HAND_ENDINGS
from web.net.health import millchen_version
from web.net.roles import Route
from web.views.film_uploads import PIECE_MIME_TYPE
from web.views.phone_pages import PICTURE_MIME_TYPES as PICTURE_KINDS
from web.views.table_api import ABOUT_BOARD, MAX_KEY_CHARACTERS

Schema = Mapping[str, Any]

TEXT_SCHEMA: Schema = {"type": "string"}
INTEGER_SCHEMA: Schema = {"type": "integer"}
COUNT_SCHEMA: Schema = {"type": "integer", "minimum": 0}
POINT_SCHEMA: Schema = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
NAMES_SCHEMA: Schema = {"type": "array", "items": {"type": "string", "maxLength": 40}}
SOURCE_SCHEMA: Schema = {"type": "string", "minLength": 1, "maxLength": 1000}


def _object_schema(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": {**needed, **(optional or {})}, "required": list(needed)}


SENDER_SCHEMAS: Mapping[str, Schema] = {
    "seen": _object_schema({"game": COUNT_SCHEMA, "seq": COUNT_SCHEMA}),
    "key": {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARACTERS},
}
"""What every command about a game may carry: what its sender saw, and the key that is the same for every retry."""

REQUEST_SCHEMAS: Mapping[str, Schema] = {
    "/api/game": _object_schema(
        {"game": {"enum": list(PRESETS)}},
        {
            "options": {"type": "object"},
            "source": SOURCE_SCHEMA,
            "laid": _object_schema({"fen": TEXT_SCHEMA, "colours": {"type": "array", "items": TEXT_SCHEMA}}),
        },
    ),
    "/api/again": _object_schema({}, {"game": INTEGER_SCHEMA, "swap": {"type": "boolean"}}),
    "/api/go-on": _object_schema({"game": {"type": ["integer", "null"]}}),
    "/api/source": _object_schema({"source": SOURCE_SCHEMA}),
    "/api/corners": _object_schema({"corners": {"type": "array", "items": POINT_SCHEMA, "minItems": 4, "maxItems": 4}}),
    "/api/correct": _object_schema(
        {"point": {"type": "string", "minLength": 1, "maxLength": 10}, "top": INTEGER_SCHEMA}
    ),
    "/api/resume": _object_schema({"tops": {"type": "array", "items": COUNT_SCHEMA}}, {"to_move": INTEGER_SCHEMA}),
    "/api/mover": _object_schema({"player": INTEGER_SCHEMA}),
    "/api/names": _object_schema({"names": NAMES_SCHEMA}),
    "/api/answer": _object_schema({"option": COUNT_SCHEMA}),
    "/api/end": _object_schema(
        {"how": {"enum": list(HAND_ENDINGS)}},
        {"player": INTEGER_SCHEMA, "decider": {"type": "string", "maxLength": 40}},
    ),
    "/api/clock": _object_schema(
        {"act": {"enum": ["set", "start", "pause", "press"]}},
        {"kind": {"enum": ["off", "down", "up"]}, "minutes": {"type": "number"}, "increment": {"type": "number"}},
    ),
    "/api/partner": _object_schema(
        {"player": INTEGER_SCHEMA, "strength": {"enum": [*STRENGTHS, None]}},
        {"explain": {"type": "boolean"}, "laid_by_people": {"type": "boolean"}},
    ),
    "/api/hints": _object_schema({"on": {"type": "boolean"}}),
    "/api/photographs": _object_schema({"on": {"type": "boolean"}}),
    "/api/positions/<int:number>": _object_schema(
        {
            "game": {"enum": list(PRESETS)},
            "stones": {"type": "object", "additionalProperties": {"type": "array", "items": INTEGER_SCHEMA}},
        },
        {"hands": {"type": "array", "items": COUNT_SCHEMA}, "to_move": INTEGER_SCHEMA},
    ),
    "/api/uploads": _object_schema(
        {
            "files": {
                "type": "array",
                "items": _object_schema({"name": TEXT_SCHEMA, "bytes": {"type": "integer", "minimum": 1}}),
            }
        }
    ),
    "/api/network": _object_schema({"open": {"type": "boolean"}}),
    "/api/games/import": _object_schema(
        {"name": {"type": "string", "minLength": 1, "maxLength": 200}, "text": TEXT_SCHEMA},
        {"game": {"enum": ["", *PRESETS]}},
    ),
    "/api/games/<int:number>/names": _object_schema({"names": NAMES_SCHEMA}),
    "/api/games/<int:number>/remark": _object_schema(
        {"ply": INTEGER_SCHEMA, "text": {"type": "string", "maxLength": 1000}}
    ),
    "/api/games/<int:number>/analyse": _object_schema({}, {"positions": COUNT_SCHEMA}),
    "/api/club/tables": _object_schema({"name": TEXT_SCHEMA, "source": SOURCE_SCHEMA, "game": {"enum": list(PRESETS)}}),
    "/api/club/evening": _object_schema(
        {"name": TEXT_SCHEMA, "system": {"enum": list(PAIRING_SYSTEMS)}, "players": NAMES_SCHEMA},
        {"rounds": INTEGER_SCHEMA},
    ),
    "/api/club/results": _object_schema(
        {"round": INTEGER_SCHEMA, "board": INTEGER_SCHEMA, "result": {"enum": ["", *POINTS_BY_RESULT]}}
    ),
    "/api/club/change": _object_schema(
        {"what": {"enum": ["joined", "left", "returned", "undrawn", "closed"]}},
        {"name": TEXT_SCHEMA, "player": INTEGER_SCHEMA},
    ),
}
"""The body of each command, by the route's rule; a command that is not here has an empty body."""

RAW_BODY_KINDS: Mapping[str, tuple[str, ...]] = {
    "/api/camera": PICTURE_KINDS,
    "/api/make/check": PICTURE_KINDS,
    "/api/make/colours": PICTURE_KINDS,
    "/api/positions": PICTURE_KINDS,
    "/api/uploads/<upload>/<int:number>": (PIECE_MIME_TYPE,),
}
"""The kinds of bodies of the commands that take no JSON."""

QUERY_PARAMETERS: Mapping[str, tuple[Schema, ...]] = {
    "/api/uploads/<upload>/<int:number>": ({"name": "at", "in": "query", "schema": COUNT_SCHEMA, "required": True},),
    **{
        f"/api/{what}": ({"name": "game", "in": "query", "schema": {"enum": list(PRESETS)}, "required": True},)
        for what in ("make/template", "make/sizes", "make/check", "make/colours", "positions")
    },
    "/frame.jpg": ({"name": "after", "in": "query", "schema": {"type": "integer"}},),
    "/api/events": (
        {"name": "after", "in": "query", "schema": {"type": "integer"}},
        {"name": "Last-Event-ID", "in": "header", "schema": {"type": "integer"}},
    ),
}
"""Parameters of a route beside those of its path."""

RESPONSE_MIME_TYPES: Mapping[str, str] = {
    "/frame.jpg": "image/jpeg",
    "/api/events": "text/event-stream",
    "/api/club/events": "text/event-stream",
}
"""The kind of each answer that is not JSON."""

ERROR_STATUSES: Mapping[str, tuple[int, ...]] = {
    "GET": (400, 401, 403, 404, 422, 429),
    "POST": (400, 401, 403, 404, 409, 413, 415, 422, 428, 429, 503),
}
"""Statuses with which a route may refuse, by its method."""

ERROR_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"code": TEXT_SCHEMA, "text": TEXT_SCHEMA},
            "required": ["code", "text"],
        }
    },
    "required": ["error"],
}


def describe_routes(routes: Iterable[Route]) -> dict[str, Any]:
    """Return the description of the routes that programs use."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if route.rule.startswith("/api/") or route.rule in ("/health", "/frame.jpg"):
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.rule)
            paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Millchen",
            "version": millchen_version(),
            "description": "The referee's table. Every failure has one shape: an error with a code and a sentence.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Error": ERROR_SCHEMA},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "only in the network (--lan)"}
            },
        },
    }


def _with_sender(rule: str, body: Schema) -> Schema:
    """Return the schema of a command's body with what it says of its sender."""
    needed = [*body["required"], "seen"] if rule in ABOUT_BOARD else body["required"]
    return {**body, "properties": {**body["properties"], **SENDER_SCHEMAS}, "required": needed}


def openapi_document() -> Response:
    """Answer GET /api/openapi.json: this description."""
    return jsonify(current_app.extensions["millchen.openapi"])


def _operation(route: Route) -> dict[str, Any]:
    summary = (route.view.__doc__ or "").strip().splitlines()[0]
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    operation: dict[str, Any] = {
        "summary": re.sub(r"^Answer \S+ \S+?[:\s]\s*|``", "", summary),
        "description": f"For: {route.role}.",
        "responses": {
            str(status): {
                "description": HTTPStatus(status).phrase,
                "content": {"application/json": {"schema": error}},
            }
            for status in ERROR_STATUSES[route.method]
        },
    }
    kind = RESPONSE_MIME_TYPES.get(route.rule, "application/json")
    schema: Schema = {"type": "object"} if kind == "application/json" else TEXT_SCHEMA
    operation["responses"]["200"] = {"description": "OK", "content": {kind: {"schema": schema}}}
    if route.rule == "/frame.jpg":
        operation["responses"]["204"] = {"description": "no picture that is newer"}
    names = re.findall(r"<(?:(\w+):)?(\w+)>", route.rule)
    parameters: list[Schema] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if k == "int" else TEXT_SCHEMA,
        }
        for k, name in names
    ]
    parameters += QUERY_PARAMETERS.get(route.rule, ())
    if parameters:
        operation["parameters"] = parameters
    if route.rule in RAW_BODY_KINDS:
        kinds = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in RAW_BODY_KINDS[route.rule]}
        operation["requestBody"] = {"required": True, "content": kinds}
    elif route.method == "POST":
        body = _with_sender(route.rule, REQUEST_SCHEMAS.get(route.rule, _object_schema({})))
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation
