"""The description of the JSON API in OpenAPI 3.1, made from the table of routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Annotated, Any

from flask import Response, current_app, jsonify

from languages import LANGUAGES
from referee.typed_json import Count, Schema, form_of, one_of
from web.body_types import GameName
from web.net.health import millchen_version
from web.net.roles import Route
from web.views.command_routes import body_of

LANGUAGE: Schema = {"name": "lang", "in": "query", "schema": form_of(Annotated[str, one_of(*LANGUAGES)]).schema}
"""The language of all sentences; without it they come in each."""

QUERY_PARAMETERS: Mapping[str, tuple[Schema, ...]] = {
    "/api/uploads/<upload>/<int:number>": (
        {"name": "at", "in": "query", "schema": form_of(Count).schema, "required": True},
    ),
    **{
        f"/api/{what}": ({"name": "game", "in": "query", "schema": form_of(GameName).schema, "required": True},)
        for what in ("make/template", "make/sizes", "make/check", "make/colours", "positions")
    },
    "/frame.jpg": ({"name": "after", "in": "query", "schema": {"type": "integer"}},),
    "/api/state": (LANGUAGE,),
    "/api/events": (
        LANGUAGE,
        {"name": "after", "in": "query", "schema": {"type": "integer"}},
        {"name": "Last-Event-ID", "in": "header", "schema": {"type": "integer"}},
    ),
}
"""Parameters of a route beside those of its path."""

RESPONSE_MIME_TYPES: Mapping[str, str] = {
    "/frame.jpg": "image/jpeg",
    "/api/events": "text/event-stream",
    "/api/club/events": "text/event-stream",
    "/api/games/<int:number>/film": "text/event-stream",
}
"""The kind of each answer that is not JSON."""

ERROR_STATUSES: Mapping[str, tuple[int, ...]] = {
    "GET": (400, 401, 403, 404, 422),
    "POST": (400, 401, 403, 404, 409, 413, 415, 422, 428, 503),
}
"""Statuses with which a route may refuse, by its method."""

ERROR_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"code": {"type": "string"}, "text": {"type": "string"}},
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
    schema: Schema = {"type": "object"} if kind == "application/json" else {"type": "string"}
    operation["responses"]["200"] = {"description": "OK", "content": {kind: {"schema": schema}}}
    if route.rule == "/frame.jpg":
        operation["responses"]["204"] = {"description": "no picture that is newer"}
    names = re.findall(r"<(?:(\w+):)?(\w+)>", route.rule)
    parameters: list[Schema] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if k == "int" else {"type": "string"},
        }
        for k, name in names
    ]
    parameters += QUERY_PARAMETERS.get(route.rule, ())
    if parameters:
        operation["parameters"] = parameters
    if route.method == "POST":
        kinds = body if isinstance(body := body_of(route), tuple) else ("application/json",)
        schema = {"type": "string", "format": "binary"} if isinstance(body, tuple) else body.schema
        operation["requestBody"] = {"required": True, "content": {kind: {"schema": schema} for kind in kinds}}
    return operation
