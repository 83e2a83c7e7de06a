"""The lessons: a list by game, each with its board to be tapped, ten on one sheet, and one on the real board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import LANGUAGES, catalogue, message
from referee.game import Game
from referee.moves import InvalidMoveError, turn_text
from referee.position import Position
from referee.presets import PRESETS
from referee.search.lesson_texts import Trial, kind_of, lesson_text, task_text, trial_text, tried
from referee.search.lessons import Lesson
from web.colour_names import colour_names, display_colours
from web.drawing.board_svg import draw_board
from web.drawing.position_svg import DEFAULT_STONE_COLOURS
from web.errors import MillchenError
from web.game.first_record import find_lesson, lesson_book
from web.game.game_state import GameState
from web.game.page_state import Snapshot, game_view, restoring_steps
from web.game.player_commands import say_that_lesson_lies
from web.history.exports import render_position_svg
from web.hosted_tables import current_context
from web.net.roles import VIEWER, Route
from web.table.live_table import LiveTable
from web.views.command_routes import Command
from web.views.games_pages import player_labels, running_game
from web.views.speech import available_voices, sound_response
from web.views.table_page import render_page, request_language

MAX_TURN_CHARACTERS = 60  # longest turn of a lesson in notation; a mill of six players takes five stones
YOUR_MOVE = "table.your_move"  # key of the sentence that everything lies as it should; the task follows it

SPOKEN_TEXTS = ("take", "table.foul", YOUR_MOVE)
"""Keys of the sentences that are spoken besides the task and what a trial is worth."""

PAGE_TEXTS = ("no_answer", "done")  # texts of the lessons that the modules of the page need
LESSON = "/api/lessons/<game>/<int:number>"  # address of a lesson for programs
SOON = ("opening", "searching")  # what vision does before it has seen the board


def asked_lesson(game: str, number: int) -> Lesson:
    """Return a lesson of a game, 1 first."""
    try:
        return find_lesson(game, number)
    except MillchenError as why:
        raise NotFound(why.args[0]) from None


def stone_colours(n_players: int) -> tuple[str, ...]:
    """Return the colours of the stones at this table where they are all known and differ, else the usual ones."""
    seen = current_context().table.publisher.colours
    return seen if len(seen) == n_players and all(colour_names(seen)) else DEFAULT_STONE_COLOURS[:n_players]


def stone_names(n_players: int, language: str) -> list[str]:
    """Return what to call each player: by the colour of the stones."""
    return player_labels(colour_names(stone_colours(n_players)), language)


def tried_turn(lesson: Lesson, turn: str) -> Trial:
    """Return what a turn, or a part of one, does in a lesson."""
    if len(turn) > MAX_TURN_CHARACTERS:
        raise MillchenError(message("lesson.not_lawful"))
    try:
        return tried(lesson, PRESETS[lesson.game].variant, turn)
    except InvalidMoveError:
        raise MillchenError(message("lesson.not_lawful")) from None


def trial_speech(lesson: Lesson, trial: Trial, language: str, *, is_shown: bool = False, on_table: bool = False) -> str:
    """Return what is said of a trial, points named for ears: before anything is played, the task."""
    variant = PRESETS[lesson.game].variant
    names = stone_names(variant.players, language)
    if trial.verdict == "task":
        return task_text(lesson, variant, language, names)
    return trial_text(lesson, variant, trial, language, names, spoken=True, on_table=on_table, is_shown=is_shown)


def text_speech(lesson: Lesson, key: str, language: str) -> str:
    """Return one of the `SPOKEN_TEXTS` as it is said in a lesson."""
    text = lesson_text(key, language)
    return f"{text} {trial_speech(lesson, tried_turn(lesson, ''), language)}" if key == YOUR_MOVE else text


def lessons_page() -> ResponseReturnValue:
    """Answer GET /lessons: every game with its ten lessons."""
    language = request_language()
    return render_page(
        "lessons.html",
        told=catalogue(language, "lessons"),
        games=[(game, _numbered(game, language)) for game in _games()],
    )


def lesson_page(game: str, number: int) -> ResponseReturnValue:
    """Answer GET /lessons/GAME/N: a position and its task."""
    lesson, language = asked_lesson(game, number), request_language()
    variant, games = PRESETS[game].variant, _games()
    return render_page(
        "lesson.html",
        told=catalogue(language, "lessons"),
        game=game,
        number=number,
        lessons=_numbered(game, language),
        next_game=games[(games.index(game) + 1) % len(games)],
        kind=lesson_text(f"kind.{kind_of(lesson, variant)}", language),
        task=task_text(lesson, variant, language, stone_names(variant.players, language)),
        drawing=draw_board(variant.board),
        is_asked=running_game()["is_asked"],
        voices=available_voices(),
        lesson={
            "game": game,
            "number": number,
            "of": len(lesson_book()[game]),
            "colours": display_colours(stone_colours(variant.players)),
            "labels": stone_names(variant.players, language),
            "start": lesson_state(lesson, "", language),
            "by_hand": current_context().table.publisher.snapshot.source.kind in ("demo", "file"),
            "texts": {name: catalogue(language, "lessons")[name] for name in PAGE_TEXTS},
        },
    )


def lessons_sheet(game: str) -> ResponseReturnValue:
    """Answer GET /lessons/GAME/sheet: all lessons of a game on one sheet, with their solutions upside down."""
    if game not in lesson_book():
        raise NotFound(message("lesson.none"))
    language, variant = request_language(), PRESETS[game].variant
    labels = stone_names(variant.players, language)
    rows = [
        {"n": number, "kind": lesson_text(f"kind.{kind_of(lesson, variant)}", language), "solution": lesson.solution,
         "task": task_text(lesson, variant, language, labels),
         "lays": any(lesson.position(variant).hands),
         "hands": [f"{label} {left}" for label, left in zip(labels, lesson.position(variant).hands, strict=True)]}
        for number, lesson in enumerate(lesson_book()[game], start=1)
    ]  # fmt: skip
    return render_page("lessons_sheet.html", told=catalogue(language, "lessons"), game=game, rows=rows)


def lesson_drawing(game: str, number: int) -> Response:
    """Answer GET /lessons/GAME/N.svg: the position as a picture."""
    lesson, variant = asked_lesson(game, number), PRESETS[game].variant
    colours = stone_colours(variant.players)
    title = lesson_text("lesson", request_language(), n=number)
    drawn = render_position_svg(Game(lesson.position(variant)), colours, title, names=request.args.get("names") == "1")
    return Response(drawn, mimetype="image/svg+xml")


def try_lesson(game: str, number: int) -> Response:
    """Answer GET /api/lessons/GAME/N: what a ``?turn=`` leads to, and whether it solves the lesson.

    The turn may lack its captures; with ``?show=1`` it is the solution.
    """
    lesson = asked_lesson(game, number)
    is_shown = request.args.get("show") == "1"
    turn = lesson.solution if is_shown else request.args.get("turn", "")
    return jsonify(lesson_state(lesson, turn, request_language(), is_shown=is_shown))


def spoken_lesson(language: str, game: str, number: int) -> Response:
    """Answer GET /say/LANGUAGE/lessons/GAME/N.wav: the task, or what is said of a ``?turn=``, spoken.

    With ``&table=1`` that turn was made on the real board; ``?show=1`` asks for the solution, ``?told=KEY`` for one of
    the `SPOKEN_TEXTS`.
    """
    lesson, key = asked_lesson(game, number), request.args.get("told", "")
    if language not in LANGUAGES or key not in ("", *SPOKEN_TEXTS):
        raise NotFound("that cannot be said aloud here")
    if key:
        return sound_response(text_speech(lesson, key, language), language)
    is_shown, on_table = (request.args.get(name) == "1" for name in ("show", "table"))
    trial = tried_turn(lesson, lesson.solution if is_shown else request.args.get("turn", ""))
    return sound_response(trial_speech(lesson, trial, language, is_shown=is_shown, on_table=on_table), language)


def lesson_state(lesson: Lesson, turn: str, language: str, *, is_shown: bool = False) -> dict[str, Any]:
    """Return what the page shows and says after a turn, or a part of one; ``sound`` is the query of `spoken_lesson`."""
    variant = PRESETS[lesson.game].variant
    trial = tried_turn(lesson, turn)
    colours = stone_colours(variant.players)
    text = trial_text(lesson, variant, trial, language, stone_names(variant.players, language), is_shown=is_shown)
    game = trial.game
    shown = game_view(
        1,
        GameState(game.take_back() if game.pending else game),
        game,
        colour_names(colours),
        is_played_by_hand=not game.turns,
    )
    moves = game.turns[0].moves if game.turns else game.pending
    notation = turn_text(moves)
    sound = {"show": 1} if is_shown else {"turn": turn} if turn else {}
    speech = {"spoken": trial_speech(lesson, trial, language, is_shown=is_shown), "sound": urlencode(sound)}
    return {"verdict": trial.verdict, "text": text, "turn": notation, "view": shown} | speech


def _games() -> list[str]:
    """Return the games that have lessons, in the order of the menu."""
    return [game for game in PRESETS if game in lesson_book()]


def _numbered(game: str, language: str) -> list[dict[str, Any]]:
    """Return number and kind of each lesson of a game."""
    variant = PRESETS[game].variant
    return [
        {"n": n, "kind": lesson_text(f"kind.{kind_of(lesson, variant)}", language)}
        for n, lesson in enumerate(lesson_book()[game], start=1)
    ]


def lay_lesson(table: LiveTable, game: str, number: int) -> None:
    """Lay a lesson. A demo shows its own game only: then nobody looks at the board until a camera is chosen."""
    asked_lesson(game, number)
    table.new_game(game, {}, "hand" if table.source.kind == "demo" else None, lesson=number)


def lesson_lies(table: LiveTable, game: str, number: int) -> None:
    """Take the stones of a lesson as laid, though vision does not see it."""
    asked_lesson(game, number)
    table.apply_command(say_that_lesson_lies)


def lesson_at_table(game: str, number: int) -> Response:
    """Answer GET /api/lessons/GAME/N/table: what is to be done on the real board now, as far as vision sees it."""
    lesson = asked_lesson(game, number)
    snapshot = current_context().table.publisher.snapshot
    laid = snapshot.game.lesson
    is_laid = laid is not None and (snapshot.game.name, laid.number) == (game, number)
    told: dict[str, Any] = {"seen": {"game": snapshot.game.id, "seq": snapshot.game.seq}, "phase": "none"}
    told["is_asked"] = running_game()["is_asked"]
    if is_laid:
        told |= _shown(lesson, snapshot)
    elif snapshot.source.kind in ("hand", "demo"):
        told["text"] = lesson_text("table.by_hand", request_language())
    return jsonify(told)


def _shown(lesson: Lesson, snapshot: Snapshot) -> dict[str, Any]:
    """Return the phase of a lesson that is laid, its sentence, what is said aloud, and the steps that are left."""
    language, position = request_language(), lesson.position(PRESETS[lesson.game].variant)
    spoken, sound, game = "", {}, snapshot.game
    n_players = position.variant.players
    names = stone_names(n_players, language)
    phase, steps = _phase(snapshot), []
    if phase in ("right", "wrong") and game.lesson is not None:
        sound = {"turn": game.lesson.turn, "table": "1"}
        trial = tried(lesson, position.variant, sound["turn"])
        text = trial_text(lesson, position.variant, trial, language, names, on_table=True)
        spoken = trial_speech(lesson, trial, language, on_table=True)
    elif phase == "take":
        text = lesson_text("take", language)
    elif game.foul is not None:
        text = game.foul.texts[language]
    else:
        text = lesson_text(f"table.{phase}", language)
    if (key := phase if phase == "take" else f"table.{phase}") in SPOKEN_TEXTS:
        spoken, sound = text_speech(lesson, key, language), {"told": key}
    if snapshot.sight.seen is not None and phase == "laying":
        steps = list(_steps(position, snapshot.sight.seen.tops, names, language))
    about = {"task": task_text(lesson, position.variant, language, names), "labels": names}
    about |= {"colours": display_colours(stone_colours(n_players)), "towers": list(_towers(position, names, language))}
    about |= {"spoken": spoken, "sound": urlencode(sound)}
    return about | {"phase": phase, "text": text, "steps": steps}


def _phase(snapshot: Snapshot) -> str:
    """Return what comes next at the table."""
    game, sight = snapshot.game, snapshot.sight
    if game.lesson is not None and game.lesson.verdict:
        return game.lesson.verdict
    if game.foul is not None:
        return "foul"
    if game.question is not None:
        return "question"
    if game.owed:
        return "take"
    if snapshot.source.kind == "hand":
        return "by_hand"
    if snapshot.source.state != "live" or sight.sight == "lost":
        return "lost" if sight.sight == "lost" else "looking"
    if sight.sight in SOON:
        return "looking"
    if sight.sight == "disputed":
        return "put_back"
    if sight.seen is not None:
        return "laying"
    if not sight.compared:
        return "hand" if sight.sight == "hand" else "looking"
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
    """Yield the towers: a look from above shows only their tops."""
    for point, stack in zip(position.board.points, position.stacks, strict=True):
        if len(stack) > 1:
            stones = ", ".join(names[stone.paint] for stone in stack)
            yield lesson_text("table.tower", language, point=point, stones=stones)


LESSON_ROUTES = (
    Route("/lessons", "GET", VIEWER, lessons_page),
    Route("/lessons/<game>/<int:number>", "GET", VIEWER, lesson_page),
    Route("/lessons/<game>/<int:number>.svg", "GET", VIEWER, lesson_drawing),
    Route("/lessons/<game>/sheet", "GET", VIEWER, lessons_sheet),
    Route(LESSON, "GET", VIEWER, try_lesson),
    Route("/say/<language>/lessons/<game>/<int:number>.wav", "GET", VIEWER, spoken_lesson),
    Command(f"{LESSON}/lay", lay_lesson, is_about_board=False).route,
    Command(f"{LESSON}/lies", lesson_lies, is_about_board=False).route,
    Route(f"{LESSON}/table", "GET", VIEWER, lesson_at_table),
)
