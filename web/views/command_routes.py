"""Commands of people to a table: from one row come route, reading, the check for staleness, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from flask import Response, g, jsonify

from web.journal.journal_record import UnwrittenRecord
from web.net.roles import REFEREE, Route, Schema
from web.table.sent_commands import CommittedCommand
from web.views.context import current_context
from web.views.request_bodies import command


class Command(NamedTuple):
    """A command: ``do`` is given the table, what stands in the path, and the words of the body."""

    path: str
    do: Callable[..., CommittedCommand | None]
    summary: str
    needed: Mapping[str, Schema] = {}
    optional: Mapping[str, Schema] = {}
    is_about_board: bool = True  # it is void after any turn since its sender looked
    role: str = REFEREE

    @property
    def route(self) -> Route:
        """Its route. It answers with the newest record when what was changed is written.

        Else it is 409 and the state where the game has gone on, or 503 where it was not written and will not be.
        """

        def view(**words: Any) -> Response:
            table = current_context().table
            committed = table.carry_out(g.sent, lambda: self.do(table, **words))
            return jsonify(ok=True, game=committed.game, seq=committed.seq)

        view.__doc__ = self.summary
        body = command(self.needed, self.optional, is_about_board=self.is_about_board)
        return Route(self.path, "POST", self.role, view, body)


def recorded(make: Callable[..., UnwrittenRecord]) -> Callable[..., None]:
    """Return the command that writes the record which ``make`` makes of the state and the words of the body."""
    return lambda table, **words: table.apply_command(partial(make, **words))


def recorded_in_game(make: Callable[..., UnwrittenRecord]) -> Callable[..., CommittedCommand]:
    """Return the command that writes the record which ``make`` makes for any game, also one that is over."""
    return lambda table, number, **words: table.add_record(number, *make(number, **words))
