"""Laws of a club evening: who meets whom, who leads, and what cannot be written down."""

import random
from typing import Any

import pytest

from web.club.evening import (
    EVENING_KIND,
    Evening,
    apply_evening_record,
    cross_table,
    evening_from_record,
    next_round,
    standings,
)
from web.errors import MillchenError
from web.journal.journal_record import JournalRecord
from web.views.club_pages import evening_csv

NAMES = ("Anna", "Ben", "Clara", "Dan", "Elsa", "Finn", "Greta", "Hugo", "Ida")


def record(kind: str, body: dict[str, Any]) -> JournalRecord:
    return JournalRecord(1, 1, kind, None, body, "", "hand")


def start(system: str, n: int, rounds: int | None = None) -> Evening:
    body = {"name": "Sunday", "system": system, "players": list(NAMES[:n])}
    return evening_from_record(record(EVENING_KIND, body | ({} if rounds is None else {"rounds": rounds})))


def play(evening: Evening, seed: int) -> Evening:
    """Draw a round and fill in results at random."""
    random_ = random.Random(seed)
    evening = apply_evening_record(evening, record("round", {"pairings": next_round(evening)}))
    for board, one in enumerate(evening.rounds[-1], start=1):
        if one.second is not None:
            result = random_.choice(["1-0", "0-1", "1/2-1/2"])
            evening = apply_evening_record(
                evening, record("result", {"round": len(evening.rounds), "board": board, "result": result})
            )
    return evening


def whole(system: str, n: int, seed: int = 0) -> Evening:
    evening = start(system, n)
    for k in range(evening.n_rounds):
        evening = play(evening, seed + k)
    return evening


@pytest.mark.parametrize("n", range(2, 10))
def test_in_a_round_robin_everybody_meets_everybody_once_and_begins_about_half_of_the_time(n: int) -> None:
    evening = whole("round_robin", n)
    met = [frozenset({one.first, one.second}) for round_ in evening.rounds for one in round_ if one.second is not None]
    assert len(met) == len(set(met)) == n * (n - 1) // 2
    for player in range(n):
        began = sum(one.first == player and one.second is not None for round_ in evening.rounds for one in round_)
        assert abs(began - (n - 1) / 2) <= 1


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 9])
@pytest.mark.parametrize("seed", range(3))
def test_in_a_swiss_evening_nobody_meets_the_same_opponent_twice_or_is_free_twice(n: int, seed: int) -> None:
    evening = whole("swiss", n, seed)
    met = [frozenset({one.first, one.second}) for round_ in evening.rounds for one in round_ if one.second is not None]
    free = [one.first for round_ in evening.rounds for one in round_ if one.second is None]
    assert len(met) == len(set(met))
    assert len(free) == len(set(free)) == (evening.n_rounds if n % 2 else 0)
    assert all(len({p for one in r for p in (one.first, one.second)} - {None}) == n for r in evening.rounds)


def test_who_has_left_is_not_paired_and_who_returns_is() -> None:
    evening = play(start("swiss", 6, rounds=3), 1)
    evening = apply_evening_record(evening, record("left", {"player": 2}))
    assert 2 not in {player for pair in next_round(evening) for player in pair}
    evening = apply_evening_record(evening, record("returned", {"player": 2}))
    assert 2 in {player for pair in next_round(evening) for player in pair}


def test_who_comes_before_the_first_round_makes_a_round_robin_longer() -> None:
    evening = apply_evening_record(start("round_robin", 4), record("joined", {"name": "  Late   Lena "}))
    assert (evening.players[-1], evening.n_rounds) == ("Late Lena", 5)


def test_points_are_shared_out_whole_and_the_cross_table_adds_up_to_them() -> None:
    evening = whole("round_robin", 7)
    places = standings(evening)
    assert sum(place.points for place in places) == 21
    value = {"": 0.0, "0": 0.0, "½": 0.5, "1": 1.0}
    for place, row in zip(places, cross_table(evening), strict=True):
        assert sum(value[cell] for cell in row) == place.points
    assert [place.points for place in places] == sorted((place.points for place in places), reverse=True)
    assert [place.rank for place in places][0] == 1


@pytest.mark.parametrize(
    ("kind", "body", "sentence"),
    [
        ("result", {"round": 1, "board": 9, "result": "1-0"}, "no such pairing"),
        ("result", {"round": 1, "board": 1, "result": "2-0"}, "a result is one of"),
        ("round", {"pairings": [[0, 1]]}, "a result of the last round is missing"),
        ("joined", {"name": "anna"}, "two players are called"),
        ("joined", {"name": ""}, "1 to 40 letters"),
        ("left", {"player": 40}, "no player"),
        ("dance", {}, "nothing called"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(kind: str, body: dict[str, Any], sentence: str) -> None:
    evening = start("swiss", 4)
    evening = apply_evening_record(evening, record("round", {"pairings": next_round(evening)}))
    with pytest.raises(MillchenError, match=sentence):
        apply_evening_record(evening, record(kind, body))


@pytest.mark.parametrize(
    ("system", "players", "sentence"),
    [("knockout", "ab", "an evening is one of"), ("swiss", "a", "2 to 64 players"), ("swiss", "aA", "two players are")],
)
def test_an_evening_that_cannot_be_played_is_not_begun(system: str, players: str, sentence: str) -> None:
    with pytest.raises(MillchenError, match=sentence):
        evening_from_record(record(EVENING_KIND, {"system": system, "players": list(players)}))


def test_a_round_can_be_drawn_again_until_its_first_result() -> None:
    evening = start("round_robin", 4)
    evening = apply_evening_record(evening, record("round", {"pairings": next_round(evening)}))
    assert apply_evening_record(evening, record("undrawn", {})).rounds == ()
    evening = apply_evening_record(evening, record("result", {"round": 1, "board": 1, "result": "1-0"}))
    with pytest.raises(MillchenError, match="without results"):
        apply_evening_record(evening, record("undrawn", {}))
    assert apply_evening_record(evening, record("result", {"round": 1, "board": 1, "result": ""})).is_round_open


def test_the_table_for_a_spreadsheet_has_every_player_and_no_formula() -> None:
    evening = evening_from_record(
        record(EVENING_KIND, {"system": "round_robin", "players": ["=cmd()", "Ben", "Clara"]})
    )
    evening = play(evening, 3)
    text = evening_csv(evening)
    assert "'=cmd()" in text and "\n=" not in text and ",=" not in text
    assert text.count("Clara") >= 2
