"""What the pages and the API of the lessons share: the lesson that is asked for, its stones, and what is said of it."""

from __future__ import annotations

from werkzeug.exceptions import NotFound

from languages import message
from referee.moves import InvalidMoveError
from referee.presets import PRESETS
from referee.search.lesson_texts import Trial, lesson_text, spoken_turn, task_text, trial_text, tried
from referee.search.lessons import Lesson
from web.drawing.colour_names import colour_names, display_colours
from web.drawing.position_svg import DEFAULT_STONE_COLOURS
from web.errors import MillchenError
from web.game.lesson_book import find_lesson
from web.views.context import current_context
from web.views.games_pages import player_labels

MAX_TURN_CHARACTERS = 60
"""Longest turn of a lesson in notation. Source: chosen; a mill of six players takes five stones."""

YOUR_MOVE = "table.your_move"
"""Key of the sentence that everything lies as it should; the task follows it."""

SPOKEN_TEXTS = ("take", "table.foul", YOUR_MOVE)
"""Keys of the sentences that are spoken besides the task and what a trial is worth."""


def asked_lesson(game: str, number: int) -> Lesson:
    """Return a lesson of a game, 1 first.

    Raises:
        NotFound: When there is none.
    """
    try:
        return find_lesson(game, number)
    except MillchenError as why:
        raise NotFound(why.args[0]) from None


def stone_colours(n_players: int) -> tuple[str, ...]:
    """Return the colours of the stones at this table where they are all known and differ, else the usual ones."""
    seen = current_context().table.publisher.snapshot.vision.colours
    return tuple(seen) if len(seen) == n_players and all(colour_names(seen)) else DEFAULT_STONE_COLOURS[:n_players]


def shown_colours(n_players: int) -> tuple[str, ...]:
    """Return these colours as the page shows them."""
    return display_colours(stone_colours(n_players))


def stone_names(n_players: int, language: str) -> list[str]:
    """Return what to call each player: by the colour of the stones."""
    return player_labels(colour_names(stone_colours(n_players)), language)


def tried_turn(lesson: Lesson, turn: str) -> Trial:
    """Return what a turn, or a part of one, does in a lesson.

    Raises:
        MillchenError: When it is no turn at all.
    """
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
    text = trial_text(lesson, variant, trial, language, names, spoken=True, on_table=on_table)
    if not is_shown:
        return text
    solution = lesson_text("shown", language, turn=spoken_turn(lesson.solution, variant.board, language))
    return f"{solution}. {text}"


def text_speech(lesson: Lesson, key: str, language: str) -> str:
    """Return one of the `SPOKEN_TEXTS` as it is said in a lesson."""
    text = lesson_text(key, language)
    return f"{text} {trial_speech(lesson, tried_turn(lesson, ''), language)}" if key == YOUR_MOVE else text
