"""Millchen as a partner: who it plays for, the turn that it has proposed, and whether people have made that turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from referee.board import Board
from referee.game import Game
from referee.moves import Move, parse_move
from referee.search.reasons import Chance, Reason
from referee.search.think import STRENGTHS
from referee.search.thought import Value
from web.page_words import words

NOT_THE_PROPOSED_TURN = "not_the_proposed_turn"
"""Kind of the foul that a lawful turn is which Millchen did not mean: it can be put right, or let stand."""

MILLCHEN = "Millchen"
"""What a partner is called where nobody has given another name."""

_RECORDED_NAME = re.compile(rf"({MILLCHEN}(?: \d)?) \(({'|'.join(STRENGTHS)})\)")


class Partner(NamedTuple):
    """How Millchen plays for a player.

    Attributes:
        strength: A name of ``referee.search.think``.
        explain: Whether it says its reasons.
        laid_by_people: Whether people lay its stones also where no camera looks; else it lays them itself there.
    """

    strength: str
    explain: bool = False
    laid_by_people: bool = False


def names_with_partners(
    names: Sequence[str], n_players: int, partners: Mapping[int, Partner], *, with_strength: bool = False
) -> tuple[str, ...]:
    """Return what each player is called: the name that people gave, else Millchen where that plays, else empty.

    Args:
        names: Those that people gave; it may be shorter than there are players.
        with_strength: Whether Millchen is called by its strength too, as records name it: ``Millchen (medium)``.
    """
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
    told = _RECORDED_NAME.fullmatch(name)
    return name if told is None else f"{told[1]} ({words(language)[f'partner.{told[2]}']})"


@dataclass(frozen=True)
class Proposal:
    """A turn that Millchen wants people to make, or advises them to make.

    Attributes:
        player: Whose turn it is, 0 first.
        moves: What is still to be done; empty where Millchen could not think, and people play for it.
        reasons: What speaks for it, where that is to be said.
        begun: The moves of the turn, in notation, that were made by hand already when it was proposed.
        own, threats: Of advice: what the player can close, and what the others could.
    """

    player: int
    moves: tuple[Move, ...]
    reasons: tuple[Reason, ...] = ()
    begun: tuple[str, ...] = ()
    own: tuple[Reason, ...] = ()
    threats: tuple[Reason, ...] = ()

    def left(self, made: Sequence[Move]) -> tuple[Move, ...]:
        """Return the moves that are still to be made, where ``made`` are those of the open turn."""
        done = Counter(map(str, made[len(self.begun) :]))
        left = []
        for move in self.moves:
            if done[str(move)]:
                done[str(move)] -= 1
            else:
                left.append(move)
        return tuple(left)

    def allows(self, made: Sequence[Move]) -> bool:
        """Return whether the moves of the open turn, as far as they go, are moves of this proposal."""
        said = Counter(map(str, made[len(self.begun) :]))
        is_later = len(made) < len(self.begun) or [str(move) for move in made[: len(self.begun)]] != list(self.begun)
        return not is_later and said <= Counter(map(str, self.moves))

    def is_made_by(self, before: Game, moves: Sequence[Move]) -> bool:
        """Return whether a whole turn is the proposed one, or leaves the same stones as that.

        Args:
            before: The game before the turn.
            moves: All moves of the turn.
        """
        if self.allows(moves) and not self.left(moves):
            return True
        board = before.variant.board
        meant = [*(parse_move(text, board) for text in self.begun), *self.moves]
        try:
            return stones_after(before, meant) == stones_after(before, moves)
        except ValueError:
            return False


def stones_after(game: Game, moves: Sequence[Move]) -> object:
    """Return what lies on the board after moves. Raises ValueError where they are not allowed."""
    for move in moves:
        game = game.play(move)
    return game.position.stacks


# ---------------------------------------------------------------- in the journal: players count from 1


def partner_body(player: int, partner: Partner | None) -> dict[str, Any]:
    """Return the body of the record that Millchen plays for a player (0 first), or does not any more."""
    settings = {"strength": None, "explain": False, "laid_by_people": False} if partner is None else partner._asdict()
    return {"player": player + 1, **settings}


def partner_of_body(body: Mapping[str, Any]) -> tuple[int, Partner | None]:
    """Return player (0 first) and partner of such a record."""
    strength, explain, by_people = body["strength"], bool(body["explain"]), bool(body.get("laid_by_people"))
    return body["player"] - 1, None if strength is None else Partner(str(strength), explain, by_people)


def proposal_body(proposal: Proposal, value: Value | None) -> dict[str, Any]:
    """Return the body of a record of a proposal or a hint."""
    return {
        "player": proposal.player + 1,
        "moves": [str(move) for move in proposal.moves],
        "begun": list(proposal.begun),
        "reasons": reasons_to_json(proposal.reasons),
        "own": reasons_to_json(proposal.own),
        "threats": reasons_to_json(proposal.threats),
        "value": None if value is None else _value_to_json(value),
    }


def proposal_of_body(body: Mapping[str, Any], board: Board) -> Proposal:
    """Return the proposal or hint that a record holds."""
    return Proposal(
        body["player"] - 1,
        tuple(parse_move(text, board) for text in body["moves"]),
        reasons_of_json(body["reasons"]),
        tuple(map(str, body["begun"])),
        reasons_of_json(body["own"]),
        reasons_of_json(body["threats"]),
    )


def _value_to_json(value: Value) -> dict[str, Any]:
    return {
        "shares": [round(share, 4) for share in value.shares],
        "winner": None if value.winner is None else value.winner + 1,
        "turns": value.turns,
        "proved": value.is_proved,
    }


def reasons_to_json(reasons: Sequence[Reason]) -> list[dict[str, Any]]:
    """Return reasons as a record keeps them."""
    return [{**reason._asdict(), "player": None if reason.player is None else reason.player + 1} for reason in reasons]


def reasons_of_json(kept: Sequence[Mapping[str, Any]]) -> tuple[Reason, ...]:
    """Return the reasons that a record keeps."""
    return tuple(
        Reason(str(one["kind"]), tuple(one["points"]), one["n"], None if one["player"] is None else one["player"] - 1)
        for one in kept
    )


def chance_reasons(chances: Sequence[Chance], kind: str) -> tuple[Reason, ...]:
    """Return what can be closed as reasons of a kind, one a player, with the points that have to be filled."""
    points: dict[int, dict[str, None]] = {}
    for chance in chances:
        points.setdefault(chance.player, {})[chance.goal] = None
    return tuple(Reason(kind, tuple(goals), len(goals), player) for player, goals in points.items())
