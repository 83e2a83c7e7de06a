"""``millchen judge``: a line of JSON in, a line of JSON out, whatever comes in; and how deep JSON is nested."""

import json
from typing import Any

import pytest

from referee.bounded_json import MOST_NESTING, NestedTooDeepError, parse_json
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


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("", "not JSON"), ("{", "not JSON"), ("[" * 100_000, "not JSON"), ("3", "3"), ("null", "None"), ("{}", "None"),
        ('{"game": "go"}', "'go'"), ('{"game": ["millchen"]}', "millchen"), ('{"game": "millchen", "options": 3}', "3"),
        ('{"game": "millchen", "options": {"fly": "up"}}', "'up'"),
        ('{"game": "millchen", "options": {"name": "x"}}', "'name'"), ('{"game": "millchen", "moves": "d6"}', "'d6'"),
        ('{"game": "millchen", "moves": ["d9"]}', "'d9'"), ('{"game": "millchen", "moves": [["d6"]]}', "d6"),
        ('{"game": "millchen", "moves": [null]}', "None"), ('{"game": "moulin_rouge", "moves": ["q+"]}', "q+"),
    ],
)  # fmt: skip
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


def test_where_the_stone_must_lie_is_said_as_the_table_chose_it() -> None:
    asked = {"game": "moulin_rouge", "moves": ["o1", "m1", "i+"]}
    ring = judge_line(json.dumps({**asked, "options": {"rotate_needs": "ring"}}))[0]["error"]
    assert ring["reasons"] == ["rotated_without_stone"]
    assert ring["text"] == "i+: a ring was turned on which no stone of that player lies"
    board = judge_line(json.dumps({**asked, "moves": ["o1", "i+"]}))[0]["error"]
    assert board["text"] == "i+: a ring was turned by a player who has no stone on the board"


DEEP = ("[" * 60_000, '{"a":' * 40_000, '{"game": "millchen", "options": ' + "[" * 900 + "]" * 900 + "}")


@pytest.mark.parametrize("text", DEEP)
def test_what_is_nested_without_end_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(NestedTooDeepError, match="64 brackets"):
        parse_json(text)
    answer, was_lawful = judge_line(text)
    assert not was_lawful and "brackets in one another" in answer["error"]["text"]


def test_brackets_beside_one_another_and_in_texts_are_no_nesting() -> None:
    for value in ([[1]] * 1000, ["[[[[" * 100, '"[{\\"' * 100], "[" * 1000):
        assert parse_json(json.dumps(value)) == value
    assert parse_json("[" * MOST_NESTING + "]" * MOST_NESTING)
    with pytest.raises(NestedTooDeepError):
        parse_json("[" * (MOST_NESTING + 1) + "]" * (MOST_NESTING + 1))
