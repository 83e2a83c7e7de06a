"""What the pages and the API of the lessons share: the lesson that is asked for, and its stones as people see them."""

from __future__ import annotations

from werkzeug.exceptions import NotFound

from referee.search.lessons import Lesson
from web.drawing.colour_names import colour_names, display_colours
from web.drawing.position_svg import DEFAULT_STONE_COLOURS
from web.errors import MillchenError
from web.game.lesson_book import find_lesson
from web.views.context import current_context
from web.views.games_pages import player_labels


def asked_lesson(game: str, number: int) -> Lesson:
    """Return a lesson of a game, 1 first.

    Raises
    ------
    NotFound
        When there is none.
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
