"""Notations that other programs use for the 24 points: PlayOK's numbers and the ring names of Morabaraba."""

from __future__ import annotations

import re

from referee.board import Board

GAR_RINGS = "EAR"
"""Outer, middle and inner ring in the Generally Accepted Rules of Morabaraba."""

_POINT = re.compile(r"[EAR]?\d+")


def playok_points(board: Board) -> dict[str, str]:
    """From PlayOK's number, row by row from the upper left, to the point.

    >>> from referee.layouts import NINE_MENS_MORRIS
    >>> names = playok_points(NINE_MENS_MORRIS)
    >>> names["1"], names["10"], names["24"]
    ('a7', 'a4', 'g1')
    """
    return {str(k + 1): name for k, name in enumerate(board.points)}


def gar_points(board: Board) -> dict[str, str]:
    """From ring name, clockwise from the upper left corner, to the point.

    >>> from referee.layouts import TWELVE_MENS_MORRIS
    >>> names = gar_points(TWELVE_MENS_MORRIS)
    >>> names["E1"], names["A2"], names["R8"]
    ('a7', 'd6', 'c4')
    """
    places: dict[str, str] = {}
    clockwise = ((-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0))
    for ring, letter in enumerate(GAR_RINGS):
        reach = 3 - ring
        for k, (x, y) in enumerate(clockwise):
            places[f"{letter}{k + 1}"] = "abcdefg"[3 + x * reach] + str(4 + y * reach)
    return places if all(name in board.index for name in places.values()) else {}


def translated(word: str, board: Board) -> str:
    """A turn in whichever notation it is written, in ours.

    >>> from referee.layouts import NINE_MENS_MORRIS
    >>> [translated(word, NINE_MENS_MORRIS) for word in ("1-2x24", "E1-E2", "a7")]
    ['a7-d7xg1', 'a7-d7', 'a7']
    """
    if not re.match(r"x?\d|x?[EAR]\d", word):
        return word
    names = playok_points(board) if re.match(r"x?\d", word) else gar_points(board)
    return _POINT.sub(lambda match: names.get(match.group(), match.group()), word)
