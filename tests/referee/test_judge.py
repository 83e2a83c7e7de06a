"""``millchen judge``: a line of JSON in, a line of JSON out, whatever comes in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.fouls import Foul
from referee.judge import judge_line


def judge(**line: Any) -> tuple[dict[str, Any], bool]:
    answer, lawful = judge_line(json.dumps(line))
    json.dumps(answer)
    return answer, lawful


def test_the_start_and_every_action_have_a_state() -> None:
    answer, lawful = judge(game="millchen", moves=["d6", "d7", "b4"])
    assert lawful
    assert [state["after"] for state in answer["states"]] == [None, "d6", "d7", "b4"]
    start = answer["states"][0]
    assert len(start["legal"]) == 24
    assert start["hand"] == [9, 9]
    assert start["to_move"] == 1
    assert answer["states"][1]["points"]["d6"] == [1]
    assert answer["states"][-1] | {"legal": [], "points": {}} == {
        "after": "b4", "to_move": 2, "phase": "placing", "legal": [], "points": {}, "hand": [7, 8], "winner": None,
        "draw": False, "reason": None,
    }  # fmt: skip


def test_a_capture_is_an_action_of_its_own() -> None:
    answer, lawful = judge(game="millchen", moves=["a7", "g7", "a4", "g4", "a1", "xg7"])
    assert lawful
    assert answer["states"][5]["phase"] == "capture"
    assert answer["states"][5]["to_move"] == 1
    assert sorted(answer["states"][5]["legal"]) == ["xg4", "xg7"]
    assert answer["states"][6]["to_move"] == 2


def test_an_illegal_action_ends_the_line_with_its_reasons() -> None:
    answer, lawful = judge(game="millchen", moves=["d6", "d7", "d6-g1", "a1"])
    assert not lawful
    assert len(answer["states"]) == 3
    assert answer["error"]["at"] == 2
    assert answer["error"]["move"] == "d6-g1"
    assert answer["error"]["reasons"] == ["moved_while_placing", "not_adjacent"]


def test_the_end_of_a_game_is_told_and_nothing_comes_after() -> None:
    answer, lawful = judge(game="tic_tac_toe", moves=["a1", "b2", "a2", "b1", "a3", "c3"])
    assert not lawful
    last = answer["states"][-1]
    assert (last["phase"], last["winner"], last["reason"], last["legal"]) == ("over", 1, "three_in_a_row", [])
    assert answer["error"]["reasons"] == ["after_end"]
    drawn, _ = judge(game="tic_tac_toe", moves=["a1", "b2", "c3", "a3", "c1", "b1", "b3", "c2", "a2"])
    assert drawn["states"][-1]["draw"] is True
    assert drawn["states"][-1]["winner"] is None


def test_a_skipped_player_is_skipped_by_the_referee() -> None:
    answer, lawful = judge(game="roman_mill", options={"win_in_placing": False}, moves=["nw", "w", "n", "e", "ne", "c"])
    assert lawful
    assert answer["states"][-1]["to_move"] == 2


def test_owners_stand_bottom_to_top() -> None:
    answer, _ = judge(game="trialectic", moves=["a1", "a1", "a1"])
    assert answer["states"][-1]["points"]["a1"] == [1, 2, 3]
    assert answer["states"][-1]["hand"] == [8, 8, 8]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("3", "3"),
        ("null", "None"),
        ("{}", "None"),
        ('{"game": "go"}', "'go'"),
        ('{"game": ["millchen"]}', "millchen"),
        ('{"game": "millchen", "options": 3}', "3"),
        ('{"game": "millchen", "options": {"fly": "up"}}', "'up'"),
        ('{"game": "millchen", "options": {"name": "x"}}', "'name'"),
        ('{"game": "millchen", "moves": "d6"}', "'d6'"),
        ('{"game": "millchen", "moves": ["d9"]}', "'d9'"),
        ('{"game": "millchen", "moves": [["d6"]]}', "d6"),
        ('{"game": "millchen", "moves": [null]}', "None"),
        ('{"game": "moulin_rouge", "moves": ["q+"]}', "q+"),
    ],
)
def test_bad_input_is_one_sentence_that_names_the_word(line: str, word: str) -> None:
    answer, lawful = judge_line(line)
    assert not lawful
    assert word in answer["error"]["text"]
    assert "\n" not in answer["error"]["text"]


@pytest.mark.parametrize(
    "asked",
    [
        {"game": "x" * 99_999},
        {"game": "millchen", "moves": ["y" * 99_999]},
        {"game": "millchen", "options": {"z" * 99_999: 1}},
    ],
)
def test_a_sentence_about_a_mistake_stays_a_sentence_however_long_the_mistake(asked: dict[str, object]) -> None:
    answer, lawful = judge_line(json.dumps(asked))
    assert not lawful
    assert 0 < len(answer["error"]["text"]) <= 500


LAID = ["d2", "e5", "e4", "g1", "b2", "a7", "e3", "a4", "g7", "d1", "d6", "b6", "c4", "c3", "d5", "d3", "f6", "g4"]
"""Eighteen placings of nine men's morris that close no mill."""

FOULS = {
    "after_end": ("tic_tac_toe", {}, ["a1", "a2", "b1", "b2", "c1"], "c2"),
    "captured_own": ("millchen", {}, ["a7", "b6", "d7", "b4", "g7"], "xa7"),
    "moved_opponent": ("nine_mens_morris", {}, LAID, "a4-a1"),
    "moved_while_placing": ("millchen", {}, ["a7", "b6"], "a7-a4"),
    "placed_while_moving": ("nine_mens_morris", {}, LAID, "a1"),
    "passed": ("millchen", {}, ["a7"], "--"),
    "centre_forbidden": ("three_mens_morris", {"no_centre_first": True}, [], "b2"),
    "occupied": ("millchen", {}, ["a7"], "a7"),
    "stack_too_high": ("trialectic", {}, ["a1", "a1", "a1"], "a1"),
    "not_adjacent": ("nine_mens_morris", {}, LAID, "g7-a1"),
    "rotated_back": ("moulin_rouge", {}, ["o1", "m3", "o+"], "o-"),
    "rotated_without_stone": ("moulin_rouge", {}, ["o1"], "o+"),
    "capture_without_mill": ("millchen", {}, ["a7"], "xa7"),
    "captured_from_mill": (
        "millchen", {}, ["a7", "b6", "d7", "d6", "a1", "f6", "xa1", "a4", "d2", "g7"], "xb6"),
    "capture_missing": ("millchen", {}, ["a7", "b6", "d7", "b4", "g7"], "d5"),
    "captured_nothing": ("millchen", {}, ["a7", "b6", "d7", "b4", "g7"], "xd5"),
    "too_many_captures": (
        "moulin_rouge", {"players": 3}, ["o1", "o2", "m4", "m1", "m5", "o6", "i1", "xo2"], "xm5"),
}  # fmt: skip
"""From each kind to a game, its options, the actions before it, and the one that is judged so."""


@pytest.mark.parametrize("kind", FOULS)
def test_each_kind_of_foul_is_answered_by_its_name(kind: str) -> None:
    game, options, moves, wrong = FOULS[kind]
    answer, lawful = judge_line(json.dumps({"game": game, "options": options, "moves": [*moves, wrong]}))
    assert not lawful
    assert answer["error"]["at"] == len(moves), answer["error"]
    assert kind in answer["error"]["reasons"]


def test_where_the_stone_must_lie_is_said_as_the_table_chose_it() -> None:
    asked = {"game": "moulin_rouge", "moves": ["o1", "m1", "i+"]}
    ring = judge_line(json.dumps({**asked, "options": {"rotate_needs": "ring"}}))[0]["error"]
    assert ring["reasons"] == ["rotated_without_stone"]
    assert ring["text"] == "i+: a ring was turned on which no stone of that player lies"
    board = judge_line(json.dumps({**asked, "moves": ["o1", "i+"]}))[0]["error"]
    assert board["text"] == "i+: a ring was turned by a player who has no stone on the board"


def test_the_kinds_that_no_single_action_can_be_are_known_too() -> None:
    seen_only = {"wrong_player", "two_moves", "too_many_stones", "stone_vanished", "stone_appeared"}
    elsewhere = {"moved_blocked", "remade_mill"}  # in ``test_fouls.py``
    assert set(FOULS) | seen_only | elsewhere == {str(foul) for foul in Foul}
