"""Checked values from JSON that anybody may have edited; a wrong value is refused by its name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.step_texts import Refused


class JsonReader:
    """An object of JSON whose values are fetched by name and type.

    Args:
        where: Name of the file in messages.
        path: Path of names that leads to this object, for messages.
    """

    def __init__(self, values: Mapping[str, Any], where: str, path: str) -> None:
        self.values, self._where, self._path = values, where, path

    def damaged(self, name: str) -> Refused:
        """Return the refusal of a damaged value, by its name."""
        return Refused("profile.damaged", where=self._where, what=f"{self._path}{name}")

    def part(self, name: str) -> JsonReader | None:
        """Return an object within this one; None where it is missing."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.damaged(name)
        return JsonReader(value, self._where, f"{self._path}{name}.")

    def text(self, name: str, most: int) -> str:
        """Return a text of at most so many characters."""
        value = self.values.get(name)
        if not isinstance(value, str) or len(value) > most or not value.isprintable():
            raise self.damaged(name)
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """Return a finite number in a range."""
        return self._number(name, self.values.get(name), least, most)

    def number_or_none(self, name: str, least: float, most: float) -> float | None:
        """Return a finite number in a range; None where it is missing."""
        value = self.values.get(name)
        return None if value is None else self._number(name, value, least, most)

    def whole(self, name: str, least: int, most: int) -> int:
        """Return a whole number in a range."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.damaged(name)
        return value

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value = self.values.get(name)
        if not isinstance(value, bool):
            raise self.damaged(name)
        return value

    def size(self, name: str, most: int) -> tuple[int, int]:
        """Return the width and height."""
        width, height = (self._number(name, v, 16, most) for v in self._list(name, 2))
        if width != int(width) or height != int(height):
            raise self.damaged(name)
        return int(width), int(height)

    def numbers_or_none(self, name: str, least: float, most: float) -> list[float | None]:
        """Return a list of numbers, some of which may be missing."""
        return [None if v is None else self._number(name, v, least, most) for v in self._list(name, None)]

    def array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the numbers as an array of a shape; -1 is any length."""
        try:
            found = np.array(self.values.get(name), np.float64)
        except (TypeError, ValueError, OverflowError):
            raise self.damaged(name) from None
        fits = len(found.shape) == len(shape) and all(w in (-1, n) for n, w in zip(found.shape, shape, strict=True))
        if not fits or not np.isfinite(found).all():
            raise self.damaged(name)
        return found

    def _list(self, name: str, n: int | None) -> list[Any]:
        value = self.values.get(name)
        if not isinstance(value, list) or len(value) > 1000 or (n is not None and len(value) != n):
            raise self.damaged(name)
        return value

    def _number(self, name: str, value: Any, least: float, most: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.damaged(name)
        if not least <= value <= most:
            raise self.damaged(name)
        return float(value)
