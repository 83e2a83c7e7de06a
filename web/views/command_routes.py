"""Routes with a body: its words become the arguments of the view. A command of people to a table is one row."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import wraps
from inspect import getdoc, signature
from json import detect_encoding
from typing import Annotated, Any, NamedTuple, TypedDict

from flask import Response, g, jsonify, request
from flask.json.provider import DefaultJSONProvider
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, PreconditionRequired

from languages import LANGUAGES, message
from referee.bounded_json import NestedTooDeepError, parse_json
from referee.typed_json import Count, Form, UnfitError, Words, line, object_form, words_of
from web.hosted_tables import current_context
from web.journal.journal_record import UnwrittenRecord
from web.net.picture_decoder import MAX_UPLOAD_BYTES
from web.net.roles import REFEREE, Route
from web.page_words import Texts, in_languages
from web.table.sent_commands import CommandResult, Sent

RECORD = "Return the record by which "  # how the docstrings begin of those that say what a command is

MAX_KEY_CHARACTERS = 64  # longest key of a command; a UUID has 36

PICTURE_MIME_TYPES = ("image/jpeg", "image/png", "image/webp")  # kinds of pictures that may be sent


class _Seen(TypedDict):
    """What the sender of a command had seen: a game, and the journal's number of its newest record."""

    game: Count
    seq: Count


SENDER = {"seen": _Seen, "key": Annotated[str, line(MAX_KEY_CHARACTERS)]}
"""What the body of every command may say beside its words."""


class BoundedJson(DefaultJSONProvider):
    """Reads JSON that is not nested without end; writes sentences in ``g.languages``, else in all languages."""

    @staticmethod
    def default(value: Any) -> Any:
        """Return what is no JSON yet as JSON."""
        if isinstance(value, Texts) or is_dataclass(value):
            return in_languages(g.get("languages", tuple(LANGUAGES)))(value)
        return DefaultJSONProvider.default(value)

    def loads(self, s: str | bytes, **_: Any) -> Any:
        """Return the value of a JSON text; a ValueError becomes status 400."""
        try:
            return parse_json(s if isinstance(s, str) else s.decode(detect_encoding(s)))
        except NestedTooDeepError as why:
            raise BadRequest(message("page.nested")) from why


def picture_route(rule: str, role: str, view: Callable[..., ResponseReturnValue]) -> Route:
    """Return a route whose body is a picture."""
    return Route(rule, "POST", role, view, PICTURE_MIME_TYPES, MAX_UPLOAD_BYTES)


def body_words(function: Callable[..., Any], rule: str, *other_names: str) -> Words:
    """Return what a function is given by the body of a request; the rest stands in the path, or is ``other_names``."""
    return words_of(function, (*other_names, *re.findall(r"<(?:\w+:)?(\w+)>", rule)))


def body_of(route: Route) -> Form | tuple[str, ...]:
    """Return what a route takes: the form of its JSON, or other kinds of bodies."""
    words = body_words(route.view, route.rule) if route.body is None else route.body
    return object_form(Words({**words.hints, **SENDER}, words.needed)) if isinstance(words, Words) else words


def view_of(route: Route) -> Callable[..., ResponseReturnValue]:
    """Return the view of a route. That of a command is given the words of its body; ``g.sent`` is what else it says."""
    form = body_of(route)
    if route.method != "POST" or isinstance(form, tuple):
        return route.view
    is_about_board = "seen" in form.schema["required"]

    @wraps(route.view)
    def view(**place: Any) -> ResponseReturnValue:
        body = request.get_json()
        if is_about_board and isinstance(body, dict) and body.get("seen") is None:
            raise PreconditionRequired(message("page.seen_missing"))
        try:
            words = form.read(body, "", None)
        except UnfitError as why:
            raise BadRequest(str(why)) from why
        sight = words.pop("seen", {})
        g.sent = Sent(sight.get("game"), sight.get("seq") if is_about_board else None, words.pop("key", ""))
        return route.view(**place, **words)

    return view


class Command(NamedTuple):
    """A command: ``do`` is given the table, what stands in the path, and the words of the body, as it names them."""

    path: str
    do: Callable[..., CommandResult | None]
    is_about_board: bool = True  # it is void after any turn since its sender looked
    role: str = REFEREE

    @property
    def route(self) -> Route:
        """Its route. It answers with the newest record when what was changed is written.

        Else it is 409 and the state where the game has gone on, or 503 where it was not written and will not be.
        """

        def view(**words: Any) -> Response:
            table = current_context().table
            result = table.carry_out(g.sent, self.do, table, **words)
            return jsonify(ok=True, game=result.game, seq=result.seq)

        view.__doc__ = (getdoc(self.do) or "").removeprefix(RECORD)
        words = body_words(self.do, self.path, next(iter(signature(self.do).parameters)))
        needed = [*words.needed, *(["seen"] if self.is_about_board else [])]
        return Route(self.path, "POST", self.role, view, replace(words, needed=needed))


def recorded(make: Callable[..., UnwrittenRecord]) -> Callable[..., None]:
    """Return the command that writes the record which ``make`` makes of the state and the words of the body."""

    @wraps(make)
    def do(table: Any, **words: Any) -> None:
        table.apply_command(make, **words)

    return do
