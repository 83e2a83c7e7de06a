"""Values of ``vision/`` and ``referee/`` as JSON and bytes, and back; reading runs nothing but their constructors.

A value becomes a list of objects, each after those that it refers to (``{"at": 3}``), and the bytes of its arrays. Only
dataclasses, named tuples and enumerations of the two packages are read, and only arrays of numbers and plain text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from languages import Message
from referee.presets import find_variant
from referee.variant import Variant
from vision.imaging.frame import Image, size_of

OWN_PACKAGES = ("referee.", "vision.")
KINDS_OF_ARRAYS = "biufU"  # numpy's letters for truth values, whole and real numbers, and text

Cut = Callable[[object, str, NDArray[Any]], "Cutting | None"]
"""Returns what is kept of an array of an object, by the name of its field; None where that is all of it."""


class Cutting(tuple[slice, slice]):
    """The rows and columns that are kept of a picture.

    What lies around them is filled with their rim when it is read: nothing has an edge there, and a hand that reaches
    the rim reaches the border.
    """


@dataclass(frozen=True, eq=False)
class KeptPicture:
    """A picture as it came from a camera, decoded: as ``vision.imaging.frame.Undecoded``."""

    bgr: Image
    reduced: Image

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return size_of(self.bgr)


class ValuePacker:
    """Makes one list of objects, and the bytes of their arrays, of several values."""

    def __init__(self, cut: Cut = lambda *_: None) -> None:
        self.objects: list[Any] = []
        self.blob = bytearray()
        self._cut = cut
        self._places: dict[int, int] = {}
        self._packed: list[object] = []  # they live for as long as they are told apart by their identity

    def pack(self, value: object, owner: object = None, name: str = "") -> Any:
        """Return a value as JSON. Raises ``TypeError`` where it, or a part of it, is of no kind that is read back."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.generic):
            return value.item()
        place = self._places.get(id(value))
        if place is None:
            written = self._write(value, owner, name)
            self.objects.append(written)
            self._packed.append(value)
            place = self._places[id(value)] = len(self.objects) - 1
        return {"at": place}

    def _write(self, value: Any, owner: object, name: str) -> Any:
        if isinstance(value, np.ndarray):
            return self._write_array(value, self._cut(owner, name, value))
        if hasattr(value, "reduced") and not is_dataclass(value):  # a picture that is decoded when it is asked for
            value = KeptPicture(value.bgr, value.reduced)
        if isinstance(value, Variant):
            return {"variant": value.name, "options": dict(value.chosen)}
        if isinstance(value, Message):
            return {"message": value.key, "values": self.pack(value.values)}
        if isinstance(value, Mapping):
            return {"pairs": [[self.pack(key), self.pack(one)] for key, one in value.items()]}
        kind = f"{type(value).__module__}:{type(value).__qualname__}"
        if isinstance(value, Enum):
            return {"type": kind, "name": value.name}
        if is_dataclass(value) or hasattr(value, "_fields"):
            parts = {part: self.pack(getattr(value, part), value, part) for part in _field_names(type(value))}
            return {"type": kind, "fields": parts}
        if isinstance(value, tuple | list):
            return {"tuple": [self.pack(one) for one in value]}
        raise TypeError(f"a case cannot keep {kind}")

    def _write_array(self, array: NDArray[Any], cutting: Cutting | None) -> Any:
        written: dict[str, Any] = {"array": len(self.blob)}
        if cutting is not None:
            written |= {"whole": list(array.shape[:2]), "top": cutting[0].start, "left": cutting[1].start}
            array = array[cutting]
        written |= {"dtype": array.dtype.str, "shape": list(array.shape)}
        if array.dtype == np.uint8 and array.ndim == 3:  # differences of neighbours take half the room
            array = np.diff(array, axis=1, prepend=np.uint8(0))
        self.blob += np.ascontiguousarray(array).tobytes()
        return written


def unpack(objects: list[Any], blob: bytes) -> Callable[[Any], Any]:
    """Return the function that reads values back from their JSON.

    Raises ``ValueError``, ``TypeError``, ``LookupError`` or ``AttributeError`` where an object is not known.
    """
    read: list[Any] = []

    def value_of(packed: Any) -> Any:
        return read[packed["at"]] if isinstance(packed, dict) else packed

    for written in objects:
        read.append(_read(written, value_of, blob))
    return value_of


def _read(written: dict[str, Any], value_of: Callable[[Any], Any], blob: bytes) -> Any:
    match written:
        case {"array": int(start)}:
            return _read_array(written, start, blob)
        case {"variant": str(name), "options": dict(options)}:
            return find_variant(name, **options)
        case {"message": str(key), "values": values}:
            return Message(key, value_of(values))
        case {"pairs": list(pairs)}:
            return {value_of(key): value_of(one) for key, one in pairs}
        case {"tuple": list(parts)}:
            return tuple(value_of(part) for part in parts)
        case {"type": str(kind), "name": str(name)}:
            return _type_of(kind)[name]
        case {"type": str(kind), "fields": dict(parts)}:
            known = _type_of(kind)
            return known(**{part: value_of(parts[part]) for part in _field_names(known) if part in parts})
    raise ValueError("an object of a kind that no case has")


def _read_array(written: Mapping[str, Any], start: int, blob: bytes) -> NDArray[Any]:
    dtype, shape = np.dtype(str(written["dtype"])), tuple(map(int, written["shape"]))
    if dtype.kind not in KINDS_OF_ARRAYS or min(shape, default=0) < 0 or start < 0:
        raise ValueError(f"no array of a case: {dtype}, {shape}")
    array = np.frombuffer(blob, dtype, int(np.prod(shape)), start).reshape(shape)
    array = np.cumsum(array, axis=1, dtype=np.uint8) if dtype == np.uint8 and array.ndim == 3 else array.copy()
    if "whole" not in written:
        return array
    places = zip(written["whole"], (written["top"], written["left"]), shape[:2], strict=True)
    around = [(int(before), int(whole) - int(before) - kept) for whole, before, kept in places]
    if max(map(int, written["whole"])) > 1 << 14:
        raise ValueError("a picture larger than any camera's")
    return np.pad(array, [*around, *[(0, 0)] * (array.ndim - 2)], mode="edge")


def _type_of(kind: str) -> Any:
    module, _, name = kind.partition(":")
    found = getattr(sys.modules[module], name) if module.startswith(OWN_PACKAGES) and module in sys.modules else None
    is_value = isinstance(found, type) and (is_dataclass(found) or issubclass(found, tuple | Enum))
    if not is_value:
        raise ValueError(f"{kind!r} is no kind of value that a case has")
    return found


def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else tuple(getattr(kind, "_fields", ()))
