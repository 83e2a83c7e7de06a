"""Commands of people to a table: from one row come route, reading, the check for staleness, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import getdoc, signature
from typing import Any, NamedTuple

from flask import Response, g, jsonify

from web.journal.journal_record import UnwrittenRecord
from web.net.roles import REFEREE, Route
from web.table.sent_commands import CommittedCommand
from web.views.context import current_context
from web.views.request_bodies import words_of

RECORD = "Return the record by which "


class Command(NamedTuple):
    """A command: ``do`` is given the table, what stands in the path, and the words of the body, as it names them."""

    path: str
    do: Callable[..., CommittedCommand | None]
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

        view.__doc__ = (getdoc(self.do) or "").removeprefix(RECORD)
        body = words_of(self.do, self.path, next(iter(signature(self.do).parameters)))
        needed = [*body["required"], *(["seen"] if self.is_about_board else [])]
        return Route(self.path, "POST", self.role, view, {**body, "required": needed})


def recorded(make: Callable[..., UnwrittenRecord]) -> Callable[..., None]:
    """Return the command that writes the record which ``make`` makes of the state and the words of the body."""

    @wraps(make)
    def do(table: Any, **words: Any) -> None:
        table.apply_command(partial(make, **words))

    return do


def recorded_in_game(make: Callable[..., UnwrittenRecord]) -> Callable[..., CommittedCommand]:
    """Return the command that writes the record which ``make`` makes for any game, also one that is over."""

    @wraps(make)
    def do(table: Any, number: int, **words: Any) -> CommittedCommand:
        committed: CommittedCommand = table.add_record(number, *make(number, **words))
        return committed

    return do
