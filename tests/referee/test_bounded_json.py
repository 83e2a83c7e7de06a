"""JSON from outside may be nested as deep as anything that is meant, and no deeper."""

from __future__ import annotations

import json
import time

import pytest

from referee.bounded_json import MOST_NESTING, NestedTooDeepError, parse_json
from referee.judge import judge_line
from referee.record_files import read_records
from tests.web.pace import is_kept

DEEP = ("[" * 60_000, '{"a":' * 40_000, '{"game": "millchen", "options": ' + "[" * 900 + "]" * 900 + "}")


@pytest.mark.parametrize("text", DEEP)
def test_what_is_nested_without_end_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(NestedTooDeepError, match="64 brackets"):
        parse_json(text)
    answer, was_lawful = judge_line(text)
    assert not was_lawful and "brackets in one another" in answer["error"]["text"]
    with pytest.raises(ValueError, match="this is not JSON|moves|notation|turn 1"):
        read_records(text)


def test_brackets_beside_one_another_and_in_texts_are_no_nesting() -> None:
    for value in ([[1]] * 1000, ["[[[[" * 100, '"[{\\"' * 100], "[" * 1000):
        assert parse_json(json.dumps(value)) == value
    assert parse_json("[" * MOST_NESTING + "]" * MOST_NESTING)
    with pytest.raises(NestedTooDeepError):
        parse_json("[" * (MOST_NESTING + 1) + "]" * (MOST_NESTING + 1))


@pytest.mark.parametrize("text", ['"\\"' * 40_000 + "[" * 100, '"' + '\\"' * 120_000 + "[" * 100, "[]" * 50_000])
def test_counting_takes_one_pass(text: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError):
        parse_json(text)
    assert is_kept(0.2, time.process_time() - began)


@pytest.mark.parametrize("text", ["1. d6 " + "(" * 20_000, "1. d6 " + "(1. d7 " * 9_000, "(" * 20_000 + ")" * 20_000])
def test_brackets_of_a_record_without_end_are_read_or_refused(text: str) -> None:
    try:
        read_records(text)
    except ValueError as why:
        assert len(str(why)) < 500
