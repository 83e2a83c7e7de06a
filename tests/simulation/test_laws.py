"""The counters of the three laws, on logs made by hand; and one short film through all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.events import TurnPlayed
from referee.moves import parse_move
from referee.presets import find_variant
from tests.simulation.laws import (
    Look,
    at_rest,
    drawn_series,
    law_1,
    law_2,
    law_3,
    line,
    rests_of,
    total,
    watch,
)
from tests.simulation.play import Spoken

BARE, ONE, TWO = (0, 0, 0), (1, 0, 0), (1, 2, 0)


def log(*parts: tuple[float, Look]) -> list[Look]:
    """Looks twice a second: each for so many seconds; what is said is said with the first."""
    looks = list[Look]()
    for seconds, look in parts:
        for number in range(round(2 * seconds)):
            said = look.said if number == 0 else ()
            looks.append(replace(look, time_s=len(looks) / 2, said=said))
    return looks


def test_law_1_asks_only_of_looks_that_were_read_exactly():
    looks = log(
        (1, Look(0, ONE, ONE, read=True)), (1, Look(0, ONE, BARE, read=False)), (1, Look(0, TWO, ONE, read=True))
    )
    tally = law_1(looks)
    assert (tally.kept, tally.asked) == (2, 4)
    assert [one.time_s for one in tally.broken] == [2.0, 2.5]
    assert "1:2/0" in tally.broken[0].what
    whole = total([law_1(looks[:1]), law_1(looks[-1:])])
    assert (whole.kept, whole.asked) == (1, 2) and "(1/2)" in line("1 never worse than reading", whole)


@pytest.mark.parametrize(
    ("look", "kept"),
    [
        (Look(0, TWO, ONE, called=TWO), 1),  # a foul was called for what lies there
        (Look(0, TWO, ONE, called=ONE), 0),
        (Look(0, TWO, ONE, hidden=(False, True, False)), 1),  # under a hand
        (Look(0, TWO, (2, 1, 0), from_start=False), 1),  # whose stones they are was not seen
        (Look(0, TWO, (2, 1, 0)), 0),
    ],
)
def test_law_1_is_kept_by_what_the_follower_can_know(look: Look, kept: int):
    assert law_1([replace(look, read=True)]).kept == kept


def test_what_is_right_at_rest_is_counted_whatever_is_read():
    looks = log((1, Look(0, ONE, ONE)), (2, Look(0, ONE, ONE, moving=True)), (1, Look(0, TWO, ONE)))
    tally = at_rest(looks, min_rest_s=0.5)
    assert (tally.kept, tally.asked) == (1, 2)


DIFFERS, MOVING = Look(0, ONE, BARE), Look(0, ONE, BARE, moving=True)
HIDDEN = replace(MOVING, hidden=(True, False, False))


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        (((2, Look(0, BARE, BARE)), (1, MOVING), (5, DIFFERS)), 0),
        *(
            (((1, MOVING), (1, DIFFERS), (4, replace(DIFFERS, said=(word,)))), 2)
            for word in ("TurnPlayed", "FoulSeen", "QuestionAsked")
        ),
        (
            ((1, Look(0, ONE, ONE, said=("TurnPlayed",))), (1, Look(0, TWO, ONE, moving=True)), (5, Look(0, TWO, ONE))),
            0,
        ),
        (((5, replace(DIFFERS, said=("BoardFound",))),), 0),
        (((1, replace(DIFFERS, said=("QuestionAsked",))), (1, HIDDEN), (5, DIFFERS)), 2),  # a hand takes no word back
    ],
)
def test_law_2_counts_the_seconds_after_three_of_rest_and_a_word_since_it_became_so(parts: tuple, kept: float):
    tally = law_2(log(*parts))
    assert (tally.kept, tally.asked) == (kept, 2)
    assert len(tally.broken) == (kept == 0)


def test_law_2_counts_a_photograph_as_one_second():
    looks = [Look(0, ONE, ONE), Look(1, TWO, ONE), Look(2, TWO, ONE, said=("QuestionAsked",))]
    tally = law_2(looks, photographs=True)
    assert (tally.kept, tally.asked) == (1, 2)


def test_rests_end_where_something_moves_or_lies_otherwise():
    looks = log(
        (1, Look(0, ONE, ONE)), (1, Look(0, ONE, ONE, moving=True)), (1, Look(0, ONE, ONE)), (1, Look(0, TWO, ONE))
    )
    assert list(rests_of(looks, False)) == [[0, 1], [4, 5], [6, 7]]


FIRST, UPSET = Look(0, ONE, ONE, n_turns=3), Look(1, TWO, ONE, n_turns=3, upset=True)
TAKEN_OVER = Look(2, BARE, ONE, n_turns=4, said=("Resumed",))


@pytest.mark.parametrize(
    ("looks", "kept", "asked", "told"),
    [
        ([FIRST, UPSET, TAKEN_OVER, Look(3, TWO, TWO, n_turns=5), Look(4, BARE, ONE, n_turns=6)], 1, 1, ""),
        ([FIRST, UPSET, TAKEN_OVER, Look(3, TWO, ONE, n_turns=5)], 0, 1, "way out at 2.0 s"),
        ([FIRST, UPSET, Look(2, TWO, ONE, n_turns=4)], 0, 1, "no way out"),
        ([FIRST], 0, 0, ""),
    ],
)
def test_law_3_is_kept_where_the_position_is_right_one_turn_after_it_was_taken_over(
    looks: list[Look], kept: int, asked: int, told: str
):
    tally = law_3(looks)
    assert (tally.kept, tally.asked) == (kept, asked)
    assert told in "".join(broken.what for broken in tally.broken)


def test_turns_said_before_the_board_was_taken_over_stand():
    class Resumed:
        """Stands for the event."""

    spoken, name_of = Spoken(), {"a1": "a1", "b1": "b1"}
    board = find_variant("tic_tac_toe").board
    for text in ("a1", "b1"):
        spoken.hear(TurnPlayed(1, 0, (parse_move(text, board),), (), 1.0, 0.0, 0), name_of)
        spoken.hear(Resumed(), name_of)  # type: ignore[arg-type]
    assert [acts for _, acts, _ in spoken.turns] == [frozenset({("place", "a1")}), frozenset({("place", "b1")})]
    assert spoken.resumed == 2


@pytest.mark.film
def test_a_drawn_series_is_watched_and_read():
    looks = watch(drawn_series(51000, n_turns=1))
    assert [look.n_turns for look in looks] == [0, 1]
    assert law_1(looks).kept == law_1(looks).asked > 0
