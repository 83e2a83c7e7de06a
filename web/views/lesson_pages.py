"""Pages and API of the lessons: the list, a lesson to tap, ten on a sheet, and a lesson on the real board."""

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
from web.colour_names import colour_names, display_colours
from web.drawing.board_svg import draw_board
from web.drawing.position_svg import DEFAULT_STONE_COLOURS, render_position_svg
from web.errors import MillchenError
from web.game.first_record import find_lesson, lesson_book
from web.game.game_state import GameState
from web.game.page_state import Snapshot, game_view, restoring_steps
from web.game.player_commands import say_that_lesson_lies
from web.hosted_tables import current_context
from web.net.roles import VIEWER, Route
from web.table.live_table import LiveTable
from web.views.command_routes import Command
from web.views.games_pages import player_labels, running_game
from web.views.speech import available_voices, sound_response
from web.views.table_page import render_page, request_language

MAX_TURN_CHARACTERS = 60  # longest turn of a lesson in notation; a mill of six players takes five stones
YOUR_MOVE = "table.your_move"  # key of the sentence after which the task follows: all stones lie right

SPOKEN_TEXTS = ("take", "table.foul", YOUR_MOVE)
"""Keys of further spoken sentences, besides the task and the verdict on a trial."""

PAGE_TEXTS = ("no_answer", "done")  # texts of the lessons that the modules of the page need
LESSON = "/api/lessons/<game>/<int:number>"  # address of a lesson for programs
SOON = ("opening", "searching")  # what vision does before it has seen the board


class _Teacher:
    """Tells a lesson in one reader's language; the colours of their stones name the players."""

    def __init__(self, game: str, number: int, language: str = "") -> None:
        try:
            self.lesson = find_lesson(game, number)
        except MillchenError as why:
            raise NotFound(why.args[0]) from None
        self.language = language or request_language()
        self.variant = PRESETS[game].variant
        self.position = self.lesson.position(self.variant)
        self.colours, self.names = _stones(self.variant.players, self.language)
        self.task = task_text(self.lesson, self.variant, self.language, self.names)
        self.kind = self.text(f"kind.{kind_of(self.lesson, self.variant)}")

    def text(self, key: str, **values: object) -> str:
        """Return one sentence of the lessons."""
        return lesson_text(key, self.language, **values)

    def tried(self, turn: str) -> Trial:
        """Try a turn, or a part of one, in the lesson."""
        try:
            if len(turn) > MAX_TURN_CHARACTERS:
                raise InvalidMoveError(turn)
            return tried(self.lesson, self.variant, turn)
        except InvalidMoveError:
            raise MillchenError(message("lesson.not_lawful")) from None

    def speech(self, trial: Trial, *, is_shown: bool = False, on_table: bool = False) -> str:
        """Return what is said of a trial, points named for ears: before anything is played, the task."""
        if trial.verdict == "task":
            return self.task
        about = self.lesson, self.variant, trial, self.language, self.names
        return trial_text(*about, spoken=True, on_table=on_table, is_shown=is_shown)

    def spoken_text(self, key: str) -> str:
        """Return one of the `SPOKEN_TEXTS` as it is said in a lesson."""
        return f"{self.text(key)} {self.task}" if key == YOUR_MOVE else self.text(key)

    def worth(self, trial: Trial, sound: dict[str, Any], **how: bool) -> dict[str, str]:
        """Return what is read and said of a trial; ``sound`` is the query of `spoken_lesson`."""
        text = trial_text(self.lesson, self.variant, trial, self.language, self.names, **how)
        return {"text": text, "spoken": self.speech(trial, **how), "sound": urlencode(sound)}

    def state(self, turn: str, *, is_shown: bool = False) -> dict[str, Any]:
        """Return what the page shows and says after a turn, or a part of one."""
        trial = self.tried(turn)
        game = trial.game
        view = game_view(
            1,
            GameState(game.take_back() if game.pending else game),
            game,
            colour_names(self.colours),
            is_played_by_hand=not game.turns,
        )
        notation = turn_text(game.turns[0].moves if game.turns else game.pending)
        sound = {"show": 1} if is_shown else {"turn": turn} if turn else {}
        speech = self.worth(trial, sound, is_shown=is_shown)
        return {"verdict": trial.verdict, "turn": notation, "view": view} | speech

    def at_table(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the phase of the lesson that is laid, what is read and said aloud, and the steps that are left."""
        phase, game = _phase(snapshot), snapshot.game
        key = phase if phase == "take" else f"table.{phase}"
        if phase in ("right", "wrong") and game.lesson is not None:
            turn = game.lesson.turn
            speech = self.worth(tried(self.lesson, self.variant, turn), {"turn": turn, "table": "1"}, on_table=True)
        else:
            foul = None if phase == "take" else game.foul
            text = self.text(key) if foul is None else foul.texts[self.language]
            speech = {"text": text, "spoken": "", "sound": ""}
            if key in SPOKEN_TEXTS:
                speech |= {"spoken": self.spoken_text(key), "sound": urlencode({"told": key})}
        sight = snapshot.sight.seen if phase == "laying" else None
        steps = [] if sight is None else list(_steps(self.position, sight.tops, self.names, self.language))
        towers = list(_towers(self.position, self.names, self.language))
        about = {"task": self.task, "labels": self.names, "colours": display_colours(self.colours), "towers": towers}
        return about | speech | {"phase": phase, "steps": steps}


def _stones(n_players: int, language: str) -> tuple[tuple[str, ...], list[str]]:
    """Return the colours of the stones and what to call each player by them.

    They are those at this table where they are all known and differ, else the usual ones.
    """
    camera_colours = current_context().table.publisher.colours
    is_known = len(camera_colours) == n_players and all(colour_names(camera_colours))
    colours = tuple(camera_colours) if is_known else DEFAULT_STONE_COLOURS[:n_players]
    return colours, player_labels(colour_names(colours), language)


def lessons_page() -> ResponseReturnValue:
    """Answer GET /lessons: every game with its ten lessons."""
    games = [(game, _numbered(game)) for game in _games()]
    return render_page("lessons.html", told=catalogue(request_language(), "lessons"), games=games)


def lesson_page(game: str, number: int) -> ResponseReturnValue:
    """Answer GET /lessons/GAME/N: a position and its task."""
    teacher, games = _Teacher(game, number), _games()
    texts = catalogue(teacher.language, "lessons")
    return render_page(
        "lesson.html",
        told=texts,
        game=game,
        number=number,
        lessons=_numbered(game),
        next_game=games[(games.index(game) + 1) % len(games)],
        kind=teacher.kind,
        task=teacher.task,
        drawing=draw_board(teacher.variant.board),
        is_asked=running_game()["is_asked"],
        voices=available_voices(),
        lesson={
            "game": game,
            "number": number,
            "of": len(lesson_book()[game]),
            "colours": display_colours(teacher.colours),
            "labels": teacher.names,
            "start": teacher.state(""),
            "by_hand": current_context().table.publisher.snapshot.source.kind in ("demo", "file"),
            "texts": {name: texts[name] for name in PAGE_TEXTS},
        },
    )


def lessons_sheet(game: str) -> ResponseReturnValue:
    """Answer GET /lessons/GAME/sheet: all lessons of a game on one sheet, with their solutions upside down."""
    if game not in lesson_book():
        raise NotFound(message("lesson.none"))
    teachers = [_Teacher(game, number) for number, _ in enumerate(lesson_book()[game], start=1)]
    rows = [
        {"n": n, "kind": one.kind, "solution": one.lesson.solution, "task": one.task, "lays": any(one.position.hands),
         "hands": [f"{label} {n_in_hand}" for label, n_in_hand in zip(one.names, one.position.hands, strict=True)]}
        for n, one in enumerate(teachers, start=1)
    ]  # fmt: skip
    return render_page("lessons_sheet.html", told=catalogue(request_language(), "lessons"), game=game, rows=rows)


def lesson_drawing(game: str, number: int) -> Response:
    """Answer GET /lessons/GAME/N.svg: the position as a picture."""
    teacher, has_names = _Teacher(game, number), request.args.get("names") == "1"
    title = teacher.text("lesson", n=number)
    svg = render_position_svg(Game(teacher.position), teacher.colours, title, names=has_names)
    return Response(svg, mimetype="image/svg+xml")


def try_lesson(game: str, number: int) -> Response:
    """Answer GET /api/lessons/GAME/N: what a ``?turn=`` leads to, and whether it solves the lesson.

    The turn may lack its captures; with ``?show=1`` it is the solution.
    """
    teacher, is_shown = _Teacher(game, number), request.args.get("show") == "1"
    turn = teacher.lesson.solution if is_shown else request.args.get("turn", "")
    return jsonify(teacher.state(turn, is_shown=is_shown))


def spoken_lesson(language: str, game: str, number: int) -> Response:
    """Answer GET /say/LANGUAGE/lessons/GAME/N.wav: the task, or what is said of a ``?turn=``, spoken.

    With ``&table=1`` that turn was made on the real board; ``?show=1`` asks for the solution, ``?told=KEY`` for one of
    the `SPOKEN_TEXTS`.
    """
    key = request.args.get("told", "")
    if language not in LANGUAGES or key not in ("", *SPOKEN_TEXTS):
        raise NotFound("that cannot be said aloud here")
    teacher = _Teacher(game, number, language)
    if key:
        return sound_response(teacher.spoken_text(key), language)
    is_shown, on_table = (request.args.get(name) == "1" for name in ("show", "table"))
    trial = teacher.tried(teacher.lesson.solution if is_shown else request.args.get("turn", ""))
    return sound_response(teacher.speech(trial, is_shown=is_shown, on_table=on_table), language)


def _games() -> list[str]:
    """Return the games that have lessons, in the order of the menu."""
    return [game for game in PRESETS if game in lesson_book()]


def _numbered(game: str) -> list[dict[str, Any]]:
    """Return number and kind of each lesson of a game."""
    kinds = (kind_of(lesson, PRESETS[game].variant) for lesson in lesson_book()[game])
    return [{"n": n, "kind": lesson_text(f"kind.{kind}", request_language())} for n, kind in enumerate(kinds, start=1)]


def lay_lesson(table: LiveTable, game: str, number: int) -> None:
    """Lay a lesson. A demo shows its own game only: then nobody looks at the board until a camera is chosen."""
    _Teacher(game, number)  # there is one
    table.new_game(game, {}, "hand" if table.camera.source.kind == "demo" else None, lesson=number)


def lesson_lies(table: LiveTable, game: str, number: int) -> None:
    """Take the stones of a lesson as laid, though vision does not see it."""
    _Teacher(game, number)
    table.apply_command(say_that_lesson_lies)


def lesson_at_table(game: str, number: int) -> Response:
    """Answer GET /api/lessons/GAME/N/table: what is to be done on the real board now, as far as vision sees it."""
    teacher, snapshot = _Teacher(game, number), current_context().table.publisher.snapshot
    lesson = snapshot.game.lesson
    answer: dict[str, Any] = {"seen": {"game": snapshot.game.id, "seq": snapshot.game.seq}, "phase": "none"}
    answer["is_asked"] = running_game()["is_asked"]
    if lesson is not None and (snapshot.game.name, lesson.number) == (game, number):
        answer |= teacher.at_table(snapshot)
    elif snapshot.source.kind in ("hand", "demo"):
        answer["text"] = teacher.text("table.by_hand")
    return jsonify(answer)


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


def _steps(position: Position, tops: Sequence[int], names: Sequence[str], language: str) -> Iterator[str]:
    for step in restoring_steps(position.tops, tops, position.board.points):
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
