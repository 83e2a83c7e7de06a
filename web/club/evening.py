"""A club evening: the players, the pairings of each round, the results, and the tables made of them. Pure values.

An evening is written like a game: it has a number in a journal, a first record of kind `EVENING_KIND`, and one record
for everything that happens. The present state is a replay of these records (`apply_evening_record`). Rounds are paired
by `caissify_pairings`: Berger tables (round robin) or FIDE's Dutch system (Swiss).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from caissify_pairings import generate_pairings  # type: ignore[import-untyped]

from languages import message
from web.errors import MillchenError
from web.journal.journal_record import JournalRecord

log = logging.getLogger("millchen.club")

EVENING_KIND = "evening"  # kind of the record that begins an evening

PAIRING_SYSTEMS = {"round_robin": "round_robin", "swiss": "dutch"}
"""Everybody meets everybody, or Swiss rounds; and what `caissify_pairings` calls them."""

POINTS_BY_RESULT: Mapping[str, tuple[float, float]] = {
    "1-0": (1.0, 0.0),
    "0-1": (0.0, 1.0),
    "1/2-1/2": (0.5, 0.5),
    "0-0": (0.0, 0.0),
}
"""Points of the first and the second player, by result; "0-0" where neither came."""

BYE_POINTS = 1.0  # points for a bye in a Swiss evening; a round robin gives none. Source: FIDE Handbook, C.04.1.
MAX_PLAYERS, MAX_ROUNDS = 64, 32  # most players and rounds of an evening
MAX_NAME_LETTERS = 40  # most letters of a player's name; the form on the page has the same limit


@dataclass(frozen=True, slots=True)
class Pairing:
    """One board of a round; players are indices in the list of players."""

    first: int  # who begins
    second: int | None  # None is a bye
    result: str = ""  # a key of `POINTS_BY_RESULT`; empty while the game is open
    by: str = ""  # "hand", or "camera" where the referee of a table reported the result

    @property
    def is_open(self) -> bool:
        """Whether its result is missing."""
        return self.second is not None and not self.result


@dataclass(frozen=True, slots=True)
class Evening:
    """A club evening."""

    number: int  # in the journal
    name: str
    system: str  # one of `PAIRING_SYSTEMS`
    n_rounds: int  # that are planned
    players: tuple[str, ...]
    absent: frozenset[int] = frozenset()  # players who have left; they are not paired
    rounds: tuple[tuple[Pairing, ...], ...] = ()  # that were paired so far
    is_over: bool = False

    @property
    def is_round_open(self) -> bool:
        """Whether a result of the last round is missing."""
        return bool(self.rounds) and any(one.is_open for one in self.rounds[-1])

    @property
    def is_finished(self) -> bool:
        """Whether it was ended, or every round has been played."""
        return self.is_over or (len(self.rounds) == self.n_rounds and not self.is_round_open)


def evening_from_record(record: JournalRecord) -> Evening:
    """Return the evening that a record begins. Raises `MillchenError` when it is not possible."""
    body = record.body
    name, system = str(body.get("name", "")).strip(), body.get("system")
    players = tuple(" ".join(str(player).split()) for player in body.get("players", ()))
    if system not in PAIRING_SYSTEMS:
        raise MillchenError(f"an evening is one of {', '.join(PAIRING_SYSTEMS)}, got {system!r}")
    _check_players(players)
    n_rounds = body.get("rounds")
    if n_rounds is None:
        n_rounds = default_n_rounds(system, len(players))
    if not 1 <= n_rounds <= MAX_ROUNDS:
        raise MillchenError(message("club.n_rounds", most=MAX_ROUNDS))
    return Evening(record.game, name[:80], system, n_rounds, players)


def default_n_rounds(system: str, n_players: int) -> int:
    """Return the number of rounds where none is named: all meet all, or as many as a knock-out needs (Swiss).

    >>> [default_n_rounds(*case) for case in (("round_robin", 5), ("swiss", 16), ("swiss", 17))]
    [5, 4, 5]
    """
    if system == "round_robin":
        return n_players - 1 + n_players % 2
    return max(1, (n_players - 1).bit_length())


def apply_evening_record(evening: Evening, record: JournalRecord) -> Evening:
    """Return the evening after one more record. Raises `MillchenError` when that is not possible now."""
    body = record.body
    match record.kind:
        case "round":
            return _with_round(evening, body["pairings"])
        case "result":
            return _with_result(evening, body["round"], body["board"], body["result"], record.by)
        case "joined":
            if evening.system == "round_robin" and evening.rounds:
                raise MillchenError(message("club.nobody_joins"))
            players = (*evening.players, " ".join(str(body["name"]).split()))
            _check_players(players)
            n_rounds = evening.n_rounds
            if evening.system == "round_robin" and n_rounds == default_n_rounds(evening.system, len(evening.players)):
                n_rounds = default_n_rounds(evening.system, len(players))
            return replace(evening, players=players, n_rounds=n_rounds)
        case "left" | "returned":
            player = _checked_player(evening, body["player"])
            away = evening.absent | {player} if record.kind == "left" else evening.absent - {player}
            return replace(evening, absent=away)
        case "undrawn":
            if not evening.rounds or any(one.result for one in evening.rounds[-1] if one.second is not None):
                raise MillchenError(message("club.has_results"))
            return replace(evening, rounds=evening.rounds[:-1])
        case "closed":
            return replace(evening, is_over=True)
    raise MillchenError(f"nothing called {record.kind!r} happens on an evening")


def _check_players(players: Sequence[str]) -> None:
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise MillchenError(message("club.n_players", most=MAX_PLAYERS, n=len(players)))
    folded = [player.casefold() for player in players]
    if any(not 1 <= len(player) <= MAX_NAME_LETTERS for player in players):
        raise MillchenError(message("club.name_length", most=MAX_NAME_LETTERS))
    for name in folded:
        if folded.count(name) > 1:
            raise MillchenError(message("club.same_name", name=players[folded.index(name)]))


def _checked_player(evening: Evening, player: int | None) -> int:
    if player is None or not 0 <= player < len(evening.players):
        raise MillchenError(f"there is no player {player!r}")
    return player


def _with_round(evening: Evening, pairings: Iterable[Sequence[int | None]]) -> Evening:
    _check_that_a_round_is_due(evening)
    pairs: list[Pairing] = []
    playing: list[int] = []
    for pair in pairings:
        players = [_checked_player(evening, player) for player in pair[: 1 if pair[1] is None else 2]]
        pairs.append(Pairing(players[0], players[1] if len(players) == 2 else None))
        for player in players:
            if player in playing:
                raise MillchenError(f"{evening.players[player]} would play twice in one round")
            playing.append(player)
    return replace(evening, rounds=(*evening.rounds, tuple(pairs)))


def _check_that_a_round_is_due(evening: Evening) -> None:
    if evening.is_over or len(evening.rounds) >= evening.n_rounds:
        raise MillchenError(message("club.all_played"))
    if evening.is_round_open:
        raise MillchenError(message("club.result_missing"))


def _with_result(evening: Evening, round_: int, board: int, result: str, by: str) -> Evening:
    if not 1 <= round_ <= len(evening.rounds) or not 1 <= board <= len(evening.rounds[round_ - 1]):
        raise MillchenError("there is no such pairing")
    if result not in ("", *POINTS_BY_RESULT):
        raise MillchenError(f"a result is one of {', '.join(POINTS_BY_RESULT)}, or empty; got {result!r}")
    pairing = evening.rounds[round_ - 1][board - 1]
    if pairing.second is None:
        raise MillchenError(message("club.free"))
    boards = list(evening.rounds[round_ - 1])
    boards[board - 1] = replace(pairing, result=result, by=by if result else "")
    rounds = list(evening.rounds)
    rounds[round_ - 1] = tuple(boards)
    return replace(evening, rounds=tuple(rounds))


# ---------------------------------------------------------------- standings


class StandingsRow(NamedTuple):
    """One row of the standings."""

    player: int
    rank: int  # from 1; players who are equal in everything share a rank
    points: float
    wins: int
    buchholz: float  # the sum of the opponents' points
    sonneborn: float  # Sonneborn-Berger: the points of beaten opponents and half of those of drawn ones


def pairing_points(evening: Evening, pairing: Pairing) -> tuple[float, float]:
    """Return the points of the first and the second player of a board."""
    if pairing.second is None:
        return (BYE_POINTS if evening.system == "swiss" else 0.0, 0.0)
    return POINTS_BY_RESULT.get(pairing.result, (0.0, 0.0))


def standings(evening: Evening) -> tuple[StandingsRow, ...]:
    """Return all players by points, then by the tie-breaks of the system, then by wins and name."""
    n = len(evening.players)
    points, wins = [0.0] * n, [0] * n
    met: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for round_ in evening.rounds:
        for one in round_:
            first, second = pairing_points(evening, one)
            points[one.first] += first
            if one.second is None or one.is_open:
                continue
            points[one.second] += second
            for player, other, won in ((one.first, one.second, first), (one.second, one.first, second)):
                wins[player] += won == 1.0
                met[player].append((other, won))
    buchholz = [sum(points[other] for other, _ in met[player]) for player in range(n)]
    sonneborn = [sum(won * points[other] for other, won in met[player]) for player in range(n)]

    def order(player: int) -> tuple[float, ...]:
        tie_breaks = (buchholz, sonneborn) if evening.system == "swiss" else (sonneborn, buchholz)
        return (-points[player], *(-score[player] for score in tie_breaks), -wins[player])

    ranked = sorted(range(n), key=lambda player: (order(player), evening.players[player].casefold()))
    ranks = {player: 1 + sum(order(other) < order(player) for other in range(n)) for player in range(n)}
    return tuple(
        StandingsRow(player, ranks[player], points[player], wins[player], buchholz[player], sonneborn[player])
        for player in ranked
    )


def cross_table(evening: Evening) -> list[list[str]]:
    """Return the points of the player of the row against that of the column, both in the order of `standings`.

    Several games of one pair are separated by a space; an open game is "·", and a pair that never met has "".
    """
    order = [place.player for place in standings(evening)]
    cells: dict[tuple[int, int], list[str]] = {}
    for round_ in evening.rounds:
        for one in round_:
            if one.second is None:
                continue
            both = pairing_points(evening, one) if one.result else None
            for player, other, at in ((one.first, one.second, 0), (one.second, one.first, 1)):
                cells.setdefault((player, other), []).append("·" if both is None else format_points(both[at]))
    return [[" ".join(cells.get((row, column), [])) for column in order] for row in order]


def format_points(points: float) -> str:
    """Return points as people write them.

    >>> [format_points(p) for p in (0, 0.5, 1, 2.5)]
    ['0', '½', '1', '2½']
    """
    whole, half = int(points), points % 1 >= 0.5
    return f"{whole or ('' if half else 0)}{'½' if half else ''}"


def evening_json(evening: Evening) -> dict[str, Any]:
    """Return the evening for pages and programs; players by name."""
    names: dict[int | None, str | None] = {None: None, **dict(enumerate(evening.players))}
    return {
        "id": evening.number,
        "name": evening.name,
        "system": evening.system,
        "n_rounds": evening.n_rounds,
        "players": [{"name": name, "away": k in evening.absent} for k, name in enumerate(evening.players)],
        "rounds": [
            [{**asdict(one), "first": names[one.first], "second": names[one.second]} for one in round_]
            for round_ in evening.rounds
        ],
        "is_round_open": evening.is_round_open,
        "over": evening.is_finished,
        "standings": [
            {
                "name": names[place.player],
                "rank": place.rank,
                "points": format_points(place.points),
                "wins": place.wins,
                "buchholz": format_points(place.buchholz),
                "sonneborn": f"{place.sonneborn:g}",
            }
            for place in standings(evening)
        ],
        "cross": cross_table(evening),
    }


# ---------------------------------------------------------------- pairing


def next_round(evening: Evening) -> list[list[int | None]]:
    """Return [who begins, opponent or None] for each board of the next round. Raises `MillchenError` for no round."""
    _check_that_a_round_is_due(evening)
    is_swiss, n = evening.system == "swiss", len(evening.players)
    players = [player for player in range(n) if not is_swiss or player not in evening.absent]
    if is_swiss and len(players) < 2:
        raise MillchenError(message("club.too_few"))
    cycles = 2 if evening.n_rounds > default_n_rounds("round_robin", n) else 1  # how often each pair meets
    met = {(one.first + 1, one.second + 1) for r in evening.rounds for one in r if one.second is not None}
    try:
        paired = generate_pairings(
            system=PAIRING_SYSTEMS[evening.system],
            players=[_player_entry(evening, player) for player in players],
            previous_pairings=met,
            round_number=len(evening.rounds) + 1,
            total_rounds=evening.n_rounds,
            **({} if is_swiss else {"cycles": cycles}),
        )
    except (ValueError, RuntimeError) as why:
        log.info("round %d cannot be paired: %s", len(evening.rounds) + 1, why)
        raise MillchenError(message("club.unpaired")) from why
    boards = sorted(paired, key=lambda board: (board["black_id"] is None, board["table"]))
    ids = [(board["white_id"], board["black_id"]) for board in boards]
    if any(first is None for first, _ in ids):
        raise MillchenError(message("club.unpaired"))
    return [[first - 1, None if second is None else second - 1] for first, second in ids]


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
            first, second = pairing_points(evening, one)
            before[one.first] += first
            if one.second is not None:
                before[one.second] += second
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
