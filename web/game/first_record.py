"""The first record of a game: its source, its lesson, and what follows from them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from languages import message
from referee.game import Game
from referee.search.lessons import Lesson
from referee.turns import Turn
from referee.typed_json import read, write
from web.errors import MillchenError

DEMO = "demo"  # name of the source of the bundled clips; "demo:GAME" is that of a game
HAND = "hand"  # no pictures at all: the players place their stones on the page
LESSON_ENTRY = "lesson"  # entry of a first record that holds the lesson; a game has none


def is_demo_source(source: str) -> bool:
    """Return whether a game from this source was played in a bundled clip."""
    return source.partition(":")[0] == DEMO


def medium_of(kind: str) -> str:
    """Return what a kind of source shows, by which the page picks its sentences: "camera", "film" ...

    >>> [medium_of(kind) for kind in ("phone", "demo", "photographs", "hand")]
    ['camera', 'film', 'photographs', 'hand']
    """
    return {"phone": "camera", "address": "camera", "demo": "film", "file": "film"}.get(kind, kind)


@cache
def lesson_book() -> Mapping[str, Sequence[Lesson]]:
    """Return the lessons that ``tools/make_lessons.py`` has found, by the name of their game."""
    book: dict[str, list[dict[str, Any]]] = json.loads(files("referee.search").joinpath("lessons.json").read_bytes())
    return {
        game: tuple(read(Lesson, {**lesson, "game": game}) for lesson in lessons)
        for game, lessons in book.items()
        if lessons
    }


def find_lesson(game: str, n: int) -> Lesson:
    """Return the lesson of a game with a number, 1 first."""
    lessons = lesson_book().get(game, ())
    if not 0 < n <= len(lessons):
        raise MillchenError(message("lesson.none"))
    return lessons[n - 1]


def lesson_body(game: str, number: int) -> dict[str, Any]:
    """Return the entry of a first record that holds a lesson whole: later lessons do not change how it is judged."""
    lesson = find_lesson(game, number)
    return {LESSON_ENTRY: {**write(lesson), "number": number}}


def lesson_of_body(body: Mapping[str, Any]) -> tuple[Lesson | None, int]:
    """Return the lesson of a first record, and its number; None and 0 where it begins a game."""
    lesson = body.get(LESSON_ENTRY)
    if lesson is None:
        return None, 0
    return read(Lesson, lesson), int(lesson["number"])


def counts_as_club_game(body: Mapping[str, Any]) -> bool:
    """Return whether a first record begins a game that people play: neither a demo nor a lesson."""
    return LESSON_ENTRY not in body and not is_demo_source(str(body.get("source", "")))


def is_initial_lesson_position(game: Game) -> bool:
    """Return whether only turns have changed the stones of a lesson.

    Anything else (a position taken over, a foul that stands, a corrected stone) makes it another task, whose answer
    nobody has checked.
    """
    position = game.first_position
    for turn in game.turns:
        if not turn.moves and turn.after.stacks != position.stacks:
            return False
        position = turn.after
    return True


def first_played(turns: tuple[Turn, ...]) -> Turn | None:
    """Return the first turn that has moves."""
    return next((turn for turn in turns if turn.moves), None)
