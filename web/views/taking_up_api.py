"""API of taking up: going on with an unfinished game of the journal, or with what the command asked for instead."""

from __future__ import annotations

from contextlib import nullcontext

from flask import Response
from werkzeug.exceptions import BadRequest

from web.net.roles import REFEREE, Route
from web.views.context import current_context
from web.views.table_api import carry_out, json_body
from web.views.table_protocol import TableProtocol


def go_on() -> Response:
    """Answer POST /api/go-on: ``{"game": N}``, go on with the unfinished game N at this table.

    ``{"game": null}`` answers the question of the start with no: what the command asked for is begun.
    """
    number = json_body().get("game", "")
    if isinstance(number, bool) or not isinstance(number, int | None):
        raise BadRequest("game must be the number of a game, or null")
    return carry_out(lambda table: table.decline_offer() if number is None else _go_on(table, number))


def _go_on(table: TableProtocol, number: int) -> None:
    host = current_context().host
    with nullcontext() if host is None else host.going_on(number, table):
        table.go_on(number)


TAKING_UP_ROUTES = (Route("/api/go-on", "POST", REFEREE, go_on),)
