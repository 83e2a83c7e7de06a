"""What a request brings: its body, which the view gets as arguments, and its query."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, TypedDict

from flask import g, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound, PreconditionRequired

from languages import message
from referee.presets import PRESETS
from web.net.body_schema import Count, described, line, read_value, schema_of
from web.net.image_upload import MAX_UPLOAD_BYTES
from web.net.roles import Route, Schema
from web.table.sent_commands import Sent

MAX_KEY_CHARACTERS = 64  # longest key of a command; a UUID has 36

PICTURE_MIME_TYPES = ("image/jpeg", "image/png", "image/webp")  # kinds of pictures that may be sent


class _Seen(TypedDict):
    """What the sender of a command had seen: a game, and the journal's number of its newest record."""

    game: Count
    seq: Count


SENDER = {"seen": described(_Seen), "key": described(Annotated[str, line(MAX_KEY_CHARACTERS)])}
"""What the body of every command may say beside its words."""


def picture_route(rule: str, role: str, view: Callable[..., ResponseReturnValue]) -> Route:
    """Return a route whose body is a picture."""
    return Route(rule, "POST", role, view, PICTURE_MIME_TYPES, MAX_UPLOAD_BYTES)


def words_of(function: Callable[..., Any], rule: str, *known: str) -> Schema:
    """Describe what a function is given by the body of a request; the rest stands in the path, or is ``known``."""
    return schema_of(function, (*known, *re.findall(r"<(?:\w+:)?(\w+)>", rule)))


def body_of(route: Route) -> Schema | tuple[str, ...]:
    """Return what a route takes: the description of its JSON, or other kinds of bodies."""
    if isinstance(route.body, tuple):
        return route.body
    words = words_of(route.view, route.rule) if route.body is None else route.body
    return {**words, "properties": {**words["properties"], **SENDER}}


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
        g.sent = Sent(seen.get("game"), seen.get("seq") if is_about_board else None, words.pop("key", ""))
        return route.view(**place, **words)

    return view


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
