"""Pairings of the next round, by `caissify_pairings`: Berger tables (round robin) or FIDE's Dutch system (Swiss)."""

from __future__ import annotations

import logging
from typing import Any

from caissify_pairings import generate_pairings  # type: ignore[import-untyped]

from languages import message
from web.club.evening import Evening, Pairing, pairing_points
from web.errors import MillchenError

log = logging.getLogger("millchen.club")


def next_round(evening: Evening) -> list[list[int | None]]:
    """Return the pairings of the next round: [player who begins, opponent or None] for each board.

    Raises:
        MillchenError: When a result is missing, every round has been played, or nobody can be paired.
    """
    if evening.is_over or len(evening.rounds) >= evening.n_rounds:
        raise MillchenError(message("club.all_played"))
    if evening.is_round_open:
        raise MillchenError(message("club.result_missing"))
    if evening.system == "swiss" and len(evening.players) - len(evening.absent) < 2:
        raise MillchenError(message("club.too_few"))
    players = [_player_entry(evening, player) for player in range(len(evening.players))]
    if evening.system == "swiss":
        players = [entry for entry in players if entry["id"] - 1 not in evening.absent]
    met = {(one.first + 1, one.second + 1) for r in evening.rounds for one in r if one.second is not None}
    try:
        paired = generate_pairings(
            system="round_robin" if evening.system == "round_robin" else "dutch",
            players=players,
            previous_pairings=met,
            round_number=len(evening.rounds) + 1,
            total_rounds=evening.n_rounds,
            **({"cycles": _cycles(evening)} if evening.system == "round_robin" else {}),
        )
    except (ValueError, RuntimeError) as why:
        log.info("round %d cannot be paired: %s", len(evening.rounds) + 1, why)
        raise MillchenError(message("club.unpaired")) from why
    boards = sorted(paired, key=lambda board: (board["black_id"] is None, board["table"]))
    pairs = [[_player_index(board["white_id"]), _player_index(board["black_id"])] for board in boards]
    if any(first is None for first, _ in pairs):
        raise MillchenError(message("club.unpaired"))
    return pairs


def _player_index(identity: int | None) -> int | None:
    return None if identity is None else identity - 1


def _cycles(evening: Evening) -> int:
    """Return how often each pair meets in a round robin."""
    once = len(evening.players) - 1 + len(evening.players) % 2
    return 2 if evening.n_rounds > once else 1


def _player_entry(evening: Evening, player: int) -> dict[str, Any]:
    """Return what the library needs to know of a player: points, colours, floats and byes of the rounds so far."""
    began: list[str] = []
    floats: list[str] = []
    byes = 0
    before = [0.0] * len(evening.players)
    for round_ in evening.rounds:
        own = next((one for one in round_ if player in (one.first, one.second)), None)
        if own is None or own.second is None:
            began.append("none")
            floats.append("down" if own is not None else "none")  # a bye counts as a float (C.04.3, A.4.b)
            byes += own is not None
        else:
            other = own.second if own.first == player else own.first
            began.append("white" if own.first == player else "black")
            gap = before[player] - before[other]
            floats.append("down" if gap > 0 else "up" if gap < 0 else "none")
        for one in round_:
            _add_points(evening, one, before)
    return {
        "id": player + 1,
        "name": evening.players[player],
        "score": before[player],
        "rating": 0,
        "starting_number": player + 1,
        "color_hist": began,
        "float_history": floats,
        "bye_count": byes,
    }


def _add_points(evening: Evening, one: Pairing, points: list[float]) -> None:
    """Add the points of one board to the players' sums."""
    first, second = pairing_points(evening, one)
    points[one.first] += first
    if one.second is not None:
        points[one.second] += second
