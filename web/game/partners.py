"""Millchen as a partner: who it plays for, the turn that it has proposed, and whether people have made that turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from referee.board import Board
from referee.game import Game
from referee.moves import Move
from referee.search.analysis import value_json
from referee.search.reasons import Chance, Reason
from referee.search.think import STRENGTHS
from referee.search.thought import Value
from web.game.event_records import MOVES, PLAYER, Field, read_fields, write_fields
from web.page_words import words

NOT_THE_PROPOSED_TURN = "not_the_proposed_turn"
"""Kind of the foul that a lawful turn is which Millchen did not mean: it can be put right, or let stand."""

MILLCHEN = "Millchen"  # what a partner is called where nobody has given another name

_RECORDED_NAME = re.compile(rf"({MILLCHEN}(?: \d)?) \(({'|'.join(STRENGTHS)})\)")


class Partner(NamedTuple):
    """How well Millchen plays for a player, whether it says why, and who lays its stones where no camera looks."""

    strength: str
    explain: bool = False
    laid_by_people: bool = False


def names_with_partners(
    names: Sequence[str], n_players: int, partners: Mapping[int, Partner], *, with_strength: bool = False
) -> tuple[str, ...]:
    """Return what each player is called: the name that people gave, else Millchen where that plays, else empty."""
    called = {}
    for player, partner in partners.items():
        one = f"{MILLCHEN} {player + 1}" if len(partners) > 1 else MILLCHEN
        called[player] = f"{one} ({partner.strength})" if with_strength else one
    given = (*names, *[""] * n_players)[:n_players]
    return tuple(name or called.get(player, "") for player, name in enumerate(given))


def name_in(language: str, name: str) -> str:
    """Return a name of a record for a page: that of Millchen with its strength in the language, any other as it is.

    >>> name_in("de", "Millchen (medium)")
    'Millchen (mittel)'
    """
    match = _RECORDED_NAME.fullmatch(name)
    return name if match is None else f"{match[1]} ({words(language)[f'partner.{match[2]}']})"


@dataclass(frozen=True)
class Proposal:
    """A turn that Millchen wants people to make, or advises them to make."""

    player: int
    moves: tuple[Move, ...]  # what is still to be done; empty where Millchen could not think, and people play for it
    reasons: tuple[Reason, ...] = ()
    begun: tuple[Move, ...] = ()  # the moves of the turn that were made by hand already when it was proposed
    own: tuple[Reason, ...] = ()  # of advice: what the player can close
    threats: tuple[Reason, ...] = ()  # of advice: what the others could close

    def left(self, made: Sequence[Move]) -> tuple[Move, ...]:
        """Return the moves that are still to be made, where ``made`` are those of the open turn."""
        done = Counter(made[len(self.begun) :])
        left = []
        for move in self.moves:
            if done[move]:
                done[move] -= 1
            else:
                left.append(move)
        return tuple(left)

    def allows(self, made: Sequence[Move]) -> bool:
        """Return whether the moves of the open turn, as far as they go, are moves of this proposal."""
        n = len(self.begun)
        return tuple(made[:n]) == self.begun and Counter(made[n:]) <= Counter(self.moves)

    def is_made_by(self, before: Game, moves: Sequence[Move]) -> bool:
        """Return whether a whole turn after the game ``before`` is the proposed one, or leaves the same stones."""
        if self.allows(moves) and not self.left(moves):
            return True
        try:
            meant = reduce(Game.play, (*self.begun, *self.moves), before)
            made = reduce(Game.play, moves, before)
        except ValueError:
            return False
        return meant.position.stacks == made.position.stacks


# ---------------------------------------------------------------- in the journal: players count from 1


def partner_body(player: int, partner: Partner | None) -> dict[str, Any]:
    """Return the body of the record that Millchen plays for a player (0 first), or does not any more."""
    settings = {"strength": None, "explain": False, "laid_by_people": False} if partner is None else partner._asdict()
    return {"player": player + 1, **settings}


def partner_of_body(body: Mapping[str, Any]) -> tuple[int, Partner | None]:
    """Return player (0 first) and partner of such a record."""
    partner = Partner(*(body[name] for name in Partner._fields))
    return body["player"] - 1, None if partner.strength is None else partner


def _read_reasons(kept: Sequence[Mapping[str, Any]], board: Board) -> tuple[Reason, ...]:
    return tuple(Reason(one["kind"], tuple(one["points"]), one["n"], PLAYER.read(one["player"], board)) for one in kept)


REASONS = Field(lambda said: [{**one._asdict(), "player": PLAYER.write(one.player)} for one in said], _read_reasons)
PROPOSAL = {
    "player": PLAYER,
    "moves": MOVES,
    "begun": MOVES,
    "reasons": REASONS,
    "own": REASONS,
    "threats": REASONS,
}


def proposal_body(proposal: Proposal, value: Value | None) -> dict[str, Any]:
    """Return the body of a record of a proposal or a hint."""
    return write_fields(proposal, PROPOSAL) | {"value": value and value_json(value)}


def proposal_of_body(body: Mapping[str, Any], board: Board) -> Proposal:
    """Return the proposal or hint that a record holds."""
    return Proposal(**read_fields(body, PROPOSAL, board))


def chance_reasons(chances: Sequence[Chance], kind: str) -> tuple[Reason, ...]:
    """Return what can be closed as reasons of a kind, one a player, with the points that have to be filled."""
    points: dict[int, dict[str, None]] = {}
    for chance in chances:
        points.setdefault(chance.player, {})[chance.goal] = None
    return tuple(Reason(kind, tuple(goals), len(goals), player) for player, goals in points.items())
