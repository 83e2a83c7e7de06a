"""The lessons that come with Millchen: those of each game, in their order. ``tools/make_lessons.py`` has found them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from languages import message
from referee.search.lessons import Lesson
from web.errors import MillchenError


@cache
def lesson_book() -> Mapping[str, Sequence[Lesson]]:
    """Return the lessons by the name of their game; a game that somebody has added has none."""
    kept: dict[str, list[dict[str, Any]]] = json.loads(files("referee.search").joinpath("lessons.json").read_bytes())
    return {
        game: tuple(Lesson(**{**told, "game": game, "line": tuple(told["line"])}) for told in lessons)
        for game, lessons in kept.items()
        if lessons
    }


def find_lesson(game: str, n: int) -> Lesson:
    """Return the lesson of a game with a number, 1 first.

    Raises:
        MillchenError: When there is none.
    """
    lessons = lesson_book().get(game, ())
    if not 0 < n <= len(lessons):
        raise MillchenError(message("lesson.none"))
    return lessons[n - 1]
