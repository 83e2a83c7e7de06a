"""API of Millchen as a partner: for whom it plays, whether hints are allowed, and what it is asked."""

from __future__ import annotations

from functools import partial

from flask import Response
from werkzeug.exceptions import BadRequest

from web.game.partner_commands import allow_hints, do_proposed, set_partner
from web.net.roles import REFEREE, Route
from web.views.table_api import carry_out, int_field, json_body, text_field


def play_for() -> Response:
    """Answer POST /api/partner: ``{"player": k, "strength": "medium", "explain": true}``, Millchen plays for a player.

    With ``"strength": null`` a person plays again. ``explain`` is false where it is missing, and so is
    ``laid_by_people``: whether people lay its stones also where no camera looks.
    """
    body = json_body()
    explain, by_people = body.get("explain", False), body.get("laid_by_people", False)
    if not isinstance(explain, bool) or not isinstance(by_people, bool):
        raise BadRequest("explain and laid_by_people must be true or false")
    strength = None if body.get("strength") is None else text_field(body, "strength", 20)
    player = int_field(body, "player")
    said = partial(set_partner, player=player, strength=strength, explain=explain, laid_by_people=by_people)
    return carry_out(lambda table: table.apply_command(said))


def rule_on_hints() -> Response:
    """Answer POST /api/hints: ``{"on": true}``, whether people may ask for hints in this game."""
    on = json_body().get("on")
    if not isinstance(on, bool):
        raise BadRequest("on must be true or false")
    return carry_out(lambda table: table.apply_command(partial(allow_hints, on=on)))


def hint() -> Response:
    """Answer POST /api/hint: Millchen thinks about the best turn, and announces it when it knows."""
    return carry_out(lambda table: table.ask_for_hint())


def do_it() -> Response:
    """Answer POST /api/do-it: the turn that Millchen has proposed is made on the page."""
    return carry_out(lambda table: table.apply_command(do_proposed))


PARTNER_ROUTES = (
    Route("/api/partner", "POST", REFEREE, play_for),
    Route("/api/hints", "POST", REFEREE, rule_on_hints),
    Route("/api/hint", "POST", REFEREE, hint),
    Route("/api/do-it", "POST", REFEREE, do_it),
)
