"""API of a lesson that lies on the real board: it is laid, the eyes say what is missing, and judge the turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify

from referee.position import Position
from referee.presets import PRESETS
from referee.search.lesson_texts import lesson_text, task_text, trial_text, tried
from referee.search.lessons import Lesson
from web.game.game_json import restoring_steps
from web.game.player_commands import say_that_lesson_lies
from web.game.snapshot import Snapshot
from web.net.roles import REFEREE, VIEWER, Route
from web.views.context import current_context
from web.views.lesson_pages import SPOKEN_TEXTS, asked_lesson, shown_colours, stone_names, text_speech, trial_speech
from web.views.table_api import carry_out
from web.views.table_page import request_language

SOON = ("opening", "searching")
"""What eyes do that have not seen the board yet."""


def lay_lesson(game: str, number: int) -> Response:
    """Answer POST /api/lessons/GAME/N/lay: this lesson takes the place of the game at the table.

    A demo shows its own game only: then nobody looks at the board until a camera is chosen.
    """
    asked_lesson(game, number)
    is_demo = current_context().table.publisher.snapshot.source.kind == "demo"
    return carry_out(lambda table: table.new_game(game, {}, "hand" if is_demo else None, lesson=number))


def lesson_lies(game: str, number: int) -> Response:
    """Answer POST /api/lessons/GAME/N/lies: its stones do lie on the board, though the eyes do not see it."""
    asked_lesson(game, number)
    return carry_out(lambda table: table.apply_command(say_that_lesson_lies))


def lesson_at_table(game: str, number: int) -> Response:
    """Answer GET /api/lessons/GAME/N/table: what is to be done on the real board now, as far as the eyes see it."""
    lesson = asked_lesson(game, number)
    snapshot = current_context().table.publisher.snapshot
    told = snapshot.game["lesson"]
    is_laid = told is not None and (snapshot.game["name"], told["number"]) == (game, number)
    seen = {"game": snapshot.game["id"], "seq": snapshot.game["seq"]}
    return jsonify({"seen": seen, "phase": "none"} | (_shown(lesson, snapshot) if is_laid else {}))


def _shown(lesson: Lesson, snapshot: Snapshot) -> dict[str, Any]:
    """Return the phase of a lesson that is laid, its sentence, what is said aloud, and the steps that are left."""
    language, position = request_language(), lesson.position(PRESETS[lesson.game].variant)
    spoken, sound = "", {}
    n_players = position.variant.players
    names = stone_names(n_players, language)
    phase, steps = _phase(snapshot), []
    if phase in ("right", "wrong"):
        sound = {"turn": snapshot.game["lesson"]["turn"], "table": "1"}
        trial = tried(lesson, position.variant, sound["turn"])
        text = trial_text(lesson, position.variant, trial, language, names, on_table=True)
        spoken = trial_speech(lesson, trial, language, on_table=True)
    elif phase == "take":
        text = lesson_text("take", language)
    elif phase == "foul":
        text = snapshot.game["foul"]["texts"][language]
    else:
        text = lesson_text(f"table.{phase}", language)
    if (key := phase if phase == "take" else f"table.{phase}") in SPOKEN_TEXTS:
        spoken, sound = text_speech(lesson, key, language), {"told": key}
    if phase == "laying":
        steps = list(_steps(position, snapshot.vision.seen_tops, names, language))
    about = {"task": task_text(lesson, position.variant, language, names), "labels": names}
    about |= {"colours": shown_colours(n_players), "towers": list(_towers(position, names, language))}
    about |= {"spoken": spoken, "sound": urlencode(sound)}
    return about | {"phase": phase, "text": text, "steps": steps}


def _phase(snapshot: Snapshot) -> str:
    """Return what comes next at the table."""
    game, vision = snapshot.game, snapshot.vision
    if game["lesson"]["verdict"]:
        return str(game["lesson"]["verdict"])
    if game["foul"] is not None:
        return "foul"
    if game["question"] is not None:
        return "question"
    if game["owed"]:
        return "take"
    if snapshot.source.kind == "hand":
        return "by_hand"
    if snapshot.source.state != "live" or vision.phase == "lost":
        return "lost" if vision.phase == "lost" else "looking"
    if vision.phase in SOON:
        return "looking"
    if vision.phase == "disputed":
        return "put_back"
    if vision.seen_tops:
        return "laying"
    if not vision.is_compared:
        return "hand" if vision.phase == "hand" else "looking"
    return "your_move"


def _steps(position: Position, seen: Sequence[int], names: Sequence[str], language: str) -> Iterator[str]:
    for step in restoring_steps(position.tops, seen, position.board.points):
        stone, start, point = names[step["paint"] - 1], step["from"], step["to"]
        if point is None:
            yield lesson_text("table.take_away", language, point=start)
        elif start is None:
            yield lesson_text("table.put", language, stone=stone, point=point)
        else:
            yield lesson_text("table.move", language, stone=stone, start=start, point=point)


def _towers(position: Position, names: Sequence[str], language: str) -> Iterator[str]:
    """Yield the towers, of which a look from above shows the top only."""
    for point, stack in zip(position.board.points, position.stacks, strict=True):
        if len(stack) > 1:
            stones = ", ".join(names[stone.paint] for stone in stack)
            yield lesson_text("table.tower", language, point=point, stones=stones)


LESSON_TABLE_ROUTES = (
    Route("/api/lessons/<game>/<int:number>/lay", "POST", REFEREE, lay_lesson),
    Route("/api/lessons/<game>/<int:number>/lies", "POST", REFEREE, lesson_lies),
    Route("/api/lessons/<game>/<int:number>/table", "GET", VIEWER, lesson_at_table),
)
