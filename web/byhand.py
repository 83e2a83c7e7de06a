"""What people set right by hand: a point that was misread, a turn that is taken back.

The eyes and the journal take a correction through the same function, so that both hold the same game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.announce import spoken_point
from referee.board import Board
from referee.game import Game
from web.errors import ShellError
from web.record import Record
from web.words import LANGUAGES, words

CORRECTED = "corrected"
"""Remark of a turn that nobody played: the position was set by hand."""


def corrected_before(game: Game) -> bool:
    """Whether the last that happened in a game was a correction; the next one then replaces it."""
    return bool(game.turns) and game.turns[-1].remarks == (CORRECTED,)


def corrected_tops(game: Game, point: str, top: int) -> tuple[int, ...]:
    """What lies on the table, by point, when ``point`` shows ``top``: 0 bare, k a stone painted for player k - 1."""
    tops = list(game.position.tops)
    tops[game.variant.board.index[point]] = top
    return tuple(tops)


def set_right(game: Game, point: str, top: int, height: int | None = None) -> Game:
    """The game after a correction; ``height`` is that of the tower on the point where it is known."""
    heights = list(game.position.heights)
    if height is not None:
        heights[game.variant.board.index[point]] = height
    return _as_set(game, corrected_tops(game, point, top), heights if height is not None else None)


def turn_ring(game: Game, ring: int, steps: int) -> Game:
    """The game after people have said that a ring was turned: clockwise by one hole, or back (``steps`` -1)."""
    points = game.variant.board.rings[ring]
    tops = list(game.position.tops)
    for k, point in enumerate(points):
        tops[points[(k + steps) % len(points)]] = game.position.tops[point]
    return _as_set(game, tuple(tops), None)


def _as_set(game: Game, tops: tuple[int, ...], heights: list[int] | None) -> Game:
    """Corrections that follow each other are one, so that a stone that only lay elsewhere costs its player no other.

    Towers are built stone by stone: what lies under the top is known only from one correction to the next.
    """
    if corrected_before(game) and game.variant.max_height == 1:
        game = game.take_back()
    if tops == game.position.tops and (heights is None or tuple(heights) == game.position.heights):
        return game
    return game.play_on(tops, heights, to_move=game.position.to_move, kinds=(CORRECTED,))


def check_point(game: Game, point: str, top: int) -> None:
    """Refuse a correction that is none.

    Raises
    ------
    ShellError
        When there is no such point or stone, or the game has that stone there already.
    """
    if point not in game.variant.board.index:
        raise ShellError(f"this board has no point {point!r}")
    if not 0 <= top <= game.variant.players:
        raise ShellError(f"there is no player {top} at this table")
    if corrected_tops(game, point, top) == game.position.tops:
        raise ShellError(f"that is what I have on {point} already")


def is_by_hand(record: Record) -> bool:
    """Whether a record is said in the words of this file; the referee has none for what people do to its game."""
    return record.kind in (CORRECTED, "turned", "redone", "resigned", "timed_out") or (
        record.kind == "amended" and record.by == "hand"
    )


def sentences(record: Record, colours: Sequence[str], board: Board) -> Mapping[str, Mapping[str, str]]:
    """What is said of a record that was made by hand, for the eye and for the ear, by language."""
    return {
        "texts": {language: _sentence(record, colours, language, lambda name, _: name) for language in LANGUAGES},
        "spoken": {language: _sentence(record, colours, language, spoken_point) for language in LANGUAGES},
    }


def _sentence(record: Record, colours: Sequence[str], language: str, name_of: Any) -> str:
    catalogue = words(language)
    if record.kind in ("amended", "redone"):
        return catalogue["by_hand.back" if record.kind == "amended" else "by_hand.again"].format(n=record.ply)
    if record.kind in ("resigned", "timed_out"):
        player = record.body["player"]
        named = colours[player - 1] if player <= len(colours) else ""
        who = catalogue.get(f"colour.{named}", named) if named else catalogue[f"player.{player}"]
        return catalogue["by_hand.resigned" if record.kind == "resigned" else "by_hand.time"].format(player=who)
    if record.kind == "turned":
        key = "by_hand.turned" if record.body["steps"] > 0 else "by_hand.turned_back"
        return catalogue[key].format(n=record.body["ring"] + 1)
    point, top = name_of(record.body["point"], language), record.body["top"]
    if top == 0:
        return catalogue["by_hand.bare"].format(point=point)
    colour = colours[top - 1] if top <= len(colours) else ""
    stone = catalogue[f"colour.{colour}"] if colour else catalogue[f"player.{top}"]
    is_tower = record.body.get("height", 1) > 1
    return catalogue["by_hand.on_top" if is_tower else "by_hand.stone"].format(point=point, stone=stone)
