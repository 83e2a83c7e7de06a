"""A lesson at the table is a game whose first record holds the lesson: a newer Millchen may have other ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.game import Game
from referee.moves import turn_text
from referee.search.lessons import Lesson
from referee.turns import Turn
from web.game.demo_source import is_demo_source
from web.game.lesson_book import find_lesson

LESSON_FIELD = "lesson"
"""Field of a first record that holds the lesson; a game has none."""


def lesson_body(game: str, number: int) -> dict[str, Any]:
    """Return what the first record says of a lesson, so that it can be judged whatever lessons come later.

    Raises:
        MillchenError: When there is none of that number.
    """
    lesson = find_lesson(game, number)
    return {LESSON_FIELD: {**lesson._asdict(), "line": list(lesson.line), "number": number}}


def lesson_of_body(body: Mapping[str, Any]) -> tuple[Lesson | None, int]:
    """Return the lesson of a first record, and its number; None and 0 where it begins a game.

    Raises:
        TypeError, KeyError, AttributeError: When it is damaged.
    """
    told = body.get(LESSON_FIELD)
    if told is None:
        return None, 0
    fields = {name: told[name] for name in Lesson._fields}
    return Lesson(**{**fields, "line": tuple(fields["line"])}), int(told["number"])


def counts_as_club_game(body: Mapping[str, Any]) -> bool:
    """Return whether a first record begins a game that was played: neither a demo nor a lesson."""
    return LESSON_FIELD not in body and not is_demo_source(str(body.get("source", "")))


def is_initial_lesson_position(game: Game) -> bool:
    """Return whether nothing but turns has changed the stones of a lesson since it was laid.

    A position that was taken over, a foul that stands and a stone that people set right make it another task, whose
    answer nobody has checked.
    """
    position = game.first_position
    for turn in game.turns:
        if not turn.moves and turn.after.stacks != position.stacks:
            return False
        position = turn.after
    return True


def lesson_to_json(lesson: Lesson | None, number: int, turns: tuple[Turn, ...]) -> dict[str, Any] | None:
    """Return a lesson and what the first turn was worth for the page; None for a game."""
    if lesson is None:
        return None
    played = first_played(turns)
    if played is None:
        return {"number": number, "verdict": "", "turn": ""}
    verdict = "right" if lesson.is_solved_by(played) else "wrong"
    return {"number": number, "verdict": verdict, "turn": turn_text(played.moves)}


def first_played(turns: tuple[Turn, ...]) -> Turn | None:
    """Return the first turn that has moves; that people say how the stones lie is none."""
    return next((turn for turn in turns if turn.moves), None)
