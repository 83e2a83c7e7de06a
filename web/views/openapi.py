"""The JSON API described for programs: OpenAPI 3.1, made from the table of routes and the bodies below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from flask import Response, current_app, jsonify

from referee.presets import PRESETS
from web.club.evening import RESULTS, SYSTEMS
from web.net.health import millchen_version
from web.net.roles import Route
from web.views.phone_pages import KINDS as PICTURE_KINDS

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
NATURAL: Schema = {"type": "integer", "minimum": 0}
CORNER: Schema = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
NAMES: Schema = {"type": "array", "items": {"type": "string", "maxLength": 40}}
SOURCE: Schema = {"type": "string", "minLength": 1, "maxLength": 1000}


def _body(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": {**needed, **(optional or {})}, "required": list(needed)}


BODIES: Mapping[str, Schema] = {
    "/api/game": _body({"game": {"enum": list(PRESETS)}}, {"options": {"type": "object"}, "source": SOURCE}),
    "/api/source": _body({"source": SOURCE}),
    "/api/corners": _body({"corners": {"type": "array", "items": CORNER, "minItems": 4, "maxItems": 4}}),
    "/api/correct": _body({"point": {"type": "string", "minLength": 1, "maxLength": 10}, "top": NUMBER}),
    "/api/names": _body({"names": NAMES}),
    "/api/answer": _body({"option": NATURAL}),
    "/api/end": _body({"how": {"enum": ["resigned", "timed_out", "agreed"]}}, {"player": NUMBER}),
    "/api/clock": _body(
        {"act": {"enum": ["set", "start", "pause", "press"]}},
        {"kind": {"enum": ["off", "down", "up"]}, "minutes": {"type": "number"}, "increment": {"type": "number"}},
    ),
    "/api/photographs": _body({"on": {"type": "boolean"}}),
    "/api/games/<int:number>/names": _body({"names": NAMES}),
    "/api/games/<int:number>/remark": _body({"ply": NUMBER, "text": {"type": "string", "maxLength": 1000}}),
    "/api/club/tables": _body({"name": TEXT, "source": SOURCE, "game": {"enum": list(PRESETS)}}),
    "/api/club/evening": _body({"name": TEXT, "system": {"enum": list(SYSTEMS)}, "players": NAMES}, {"rounds": NUMBER}),
    "/api/club/results": _body({"round": NUMBER, "board": NUMBER, "result": {"enum": ["", *RESULTS]}}),
    "/api/club/change": _body(
        {"what": {"enum": ["joined", "left", "returned", "undrawn", "closed"]}}, {"name": TEXT, "player": NUMBER}
    ),
}
"""What a command says, by its rule; a command that is not here has an empty body."""

QUERIES: Mapping[str, tuple[Schema, ...]] = {
    "/frame.jpg": ({"name": "after", "in": "query", "schema": {"type": "integer"}},),
    "/api/events": (
        {"name": "after", "in": "query", "schema": {"type": "integer"}},
        {"name": "Last-Event-ID", "in": "header", "schema": {"type": "integer"}},
    ),
}

KINDS: Mapping[str, str] = {
    "/frame.jpg": "image/jpeg",
    "/api/events": "text/event-stream",
    "/api/club/events": "text/event-stream",
}
"""What an answer is where it is no JSON."""

REFUSALS: Mapping[str, tuple[int, ...]] = {
    "GET": (400, 401, 403, 404, 429),
    "POST": (400, 401, 403, 404, 413, 415, 422, 429),
}
ERROR: Schema = {
    "type": "object",
    "properties": {
        "error": {"type": "object", "properties": {"code": TEXT, "text": TEXT}, "required": ["code", "text"]}
    },
    "required": ["error"],
}


def describe(routes: Iterable[Route]) -> dict[str, Any]:
    """The description of those routes that programs use."""
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
            "schemas": {"Error": ERROR},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "only in the network (--lan)"}
            },
        },
    }


def openapi() -> Response:
    """Answer GET /api/openapi.json: this description."""
    return jsonify(current_app.extensions["millchen.openapi"])


def _operation(route: Route) -> dict[str, Any]:
    said = (route.view.__doc__ or "").strip().splitlines()[0]
    refused = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    operation: dict[str, Any] = {
        "summary": re.sub(r"^Answer \S+ \S+?[:\s]\s*|``", "", said),
        "description": f"For: {route.role}.",
        "responses": {
            str(status): {
                "description": HTTPStatus(status).phrase,
                "content": {"application/json": {"schema": refused}},
            }
            for status in REFUSALS[route.method]
        },
    }
    kind = KINDS.get(route.rule, "application/json")
    schema: Schema = {"type": "object"} if kind == "application/json" else TEXT
    operation["responses"]["200"] = {"description": "OK", "content": {kind: {"schema": schema}}}
    if route.rule == "/frame.jpg":
        operation["responses"]["204"] = {"description": "no picture that is newer"}
    names = re.findall(r"<(?:(\w+):)?(\w+)>", route.rule)
    parameters: list[Schema] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if k == "int" else TEXT,
        }
        for k, name in names
    ]
    parameters += QUERIES.get(route.rule, ())
    if parameters:
        operation["parameters"] = parameters
    if route.rule == "/api/camera":
        kinds = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in PICTURE_KINDS}
        operation["requestBody"] = {"required": True, "content": kinds}
    elif route.method == "POST":
        body = BODIES.get(route.rule, {"type": "object"})
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation
