"""What the query of a request says of a board that is to be made."""

from __future__ import annotations

from collections.abc import Mapping

from werkzeug.exceptions import BadRequest, NotFound

from referee.presets import PRESETS


def known_game(name: str) -> str:
    """Return the name of a game; raises NotFound where there is no such game."""
    if name not in PRESETS:
        raise NotFound("there is no such game")
    return name


def number_asked(asked: Mapping[str, str], name: str) -> float | None:
    """Return a number of a query, None where it is not there; raises BadRequest where it is none."""
    if name not in asked:
        return None
    try:
        return float(asked[name])
    except ValueError:
        raise BadRequest(f"{name} must be a number") from None


def whole_number_asked(asked: Mapping[str, str], name: str) -> int | None:
    """Return a whole number of a query, None where it is not there; raises BadRequest where it is none."""
    number = number_asked(asked, name)
    if number is not None and not number.is_integer():
        raise BadRequest(f"{name} must be a whole number")
    return None if number is None else int(number)
