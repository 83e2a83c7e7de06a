"""The profile of a table in, the text of its file out, and back: it holds all measurements of calibration.

The text is JSON with a version. It keeps the pictures of the empty board and of the stones and nothing derived from
them, so a later version of Millchen can learn more from them.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

import cv2
import numpy as np

from calibration.lens_calibration import LensMeasurement
from calibration.placement import Placement
from calibration.step_texts import Refused
from referee.board import Board
from referee.boards import BOARDS, board_family
from referee.bounded_json import parse_json
from referee.typed_json import (
    Count,
    Form,
    In,
    UnfitError,
    form_of,
    limits,
    line,
    read,
    rounded,
    words_form,
    write,
)
from vision.capture.addresses import without_secrets
from vision.capture.pictures import jpeg_of
from vision.cases.table_habits import HabitFit
from vision.imaging.cv import encoded
from vision.imaging.field import Field
from vision.imaging.frame import Image, Numbers, PictureSize
from vision.imaging.lens import Lens

# version of the file format; higher ones are refused; a change of the format raises it and keeps reading older ones
PROFILE_VERSION = 1

# largest size of a profile, bytes: two pictures of a 4K camera and some numbers have a third of it
MAX_PROFILE_BYTES = 24_000_000

PROFILE_JPEG_QUALITY = 93  # quality of the pictures in a profile, of 100
_NAME = re.compile(r"[^\W_](?:[\w -]{0,38}[^\W_])?")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # names that Windows keeps for devices


@dataclass(frozen=True, slots=True)
class CameraPart:
    """The camera of a profile, with the settings that its driver really delivers."""

    source: Annotated[str, line(1000, 0)]  # what a person types: a number, an address with its password, a file
    name: Annotated[str, line(200, 0)]  # its name in the system; empty where unknown
    size_px: PictureSize
    # measured frames per second; 0 where pictures have no times of their own
    fps: Annotated[float, rounded(2, minimum=0, maximum=1e4)]
    # locked values of "focus", "exposure" and "white_balance", as read back; missing ones are automatic
    settings: Mapping[str, float]

    @property
    def public_source(self) -> str:
        """The source without the password of an address."""
        return without_secrets(self.source)


def _field(value: Any, name: str, _: object) -> Field:
    words = _FIELD.read(value, name, None)
    points = words["points_px"]
    board = board_named(words["board"], len(points)) if points.ndim == 2 else None
    if board is None or points.shape != (len(board.points), 2) or np.ptp(points) < 10:
        raise UnfitError(f"{name}.points_px", _FIELD.schema)
    if words["drawing"] not in {one.name for one in board.drawings}:
        raise UnfitError(f"{name}.drawing", _FIELD.schema)
    return Field.fitted(board, words["drawing"], points)


def _field_words(field: Field) -> dict[str, Any]:
    points = np.round(field.points_px, 2).tolist()
    return {"board": field.board.name, "drawing": field.drawing, "points_px": points}


def _jpeg(value: Any, name: str, _: object) -> bytes:
    try:
        return base64.b64decode(form_of(str).read(value, name, None), validate=True)
    except ValueError as why:
        raise UnfitError(name, {"type": "string"}) from why


_FIELD = words_form({"board": str, "drawing": str, "points_px": Numbers})
FieldInFile = Annotated[Field, Form({"type": "object"}, _field, _field_words), In(is_flat=True)]
JpegInFile = Annotated[
    bytes, Form({"type": "string"}, _jpeg, lambda data: base64.b64encode(data).decode("ascii")), In("picture")
]


@dataclass(frozen=True, eq=False)
class FieldPart:
    """The points of this board in the picture of this camera."""

    field: FieldInFile
    size_px: PictureSize
    # root mean square distance of the points from those of an ideal board, px: how crooked the board is
    off_px: Annotated[float, limits(minimum=0, maximum=1e4)]
    # side of the unit square of the board, mm; None where it was not measured
    side_mm: Annotated[float, limits(minimum=1, maximum=1e5)] | None
    jpeg: JpegInFile  # picture of the empty board


@dataclass(frozen=True, slots=True)
class StonesPart:
    """A picture with stones of every player on the board."""

    # for each point, 0 or the player whose stone lies there
    tops: tuple[Annotated[int, limits(minimum=0, maximum=6)], ...]
    jpeg: JpegInFile  # the picture, from the same camera in the same place as that of the field


@dataclass(frozen=True, eq=False)
class Profile:
    """Everything that is kept about a table; a part is None until its step was done."""

    name: Annotated[str, line(40, 0)]
    saved: Annotated[str, line(40, 0)] = ""
    camera: Annotated[CameraPart | None, In(is_omitted=True)] = None
    placement: Annotated[Placement | None, In(is_omitted=True)] = None
    lens: Annotated[LensMeasurement | None, In(is_omitted=True)] = None
    field: Annotated[FieldPart | None, In(is_omitted=True)] = None
    stones: Annotated[StonesPart | None, In(is_omitted=True)] = None
    habits: Annotated[HabitFit | None, In(is_omitted=True)] = None

    @property
    def known_lens(self) -> Lens | None:
        """The lens of its camera; None where it was not measured."""
        return self.lens.lens if self.lens is not None else None

    @property
    def size_px(self) -> tuple[int, int] | None:
        """The size of the pictures in which it was measured; None where nothing was."""
        parts = (self.field, self.known_lens, self.camera)
        return next((part.size_px for part in parts if part is not None), None)


def check_picture_size(profile: Profile, size_px: tuple[int, int]) -> None:
    """Raise Refused for a picture of another size than those of the profile: no measurement would hold in it."""
    width, height = profile.size_px or size_px
    if (width, height) != size_px:
        raise Refused("profile.size", width=width, height=height, now_w=size_px[0], now_h=size_px[1])


def encode_jpeg(bgr: Image) -> bytes:
    """Return a picture as JPEG."""
    return encoded(bgr, quality=PROFILE_JPEG_QUALITY)


# ---------------------------------------------------------------------------- text


def profile_to_text(profile: Profile) -> str:
    """Return the text of the profile's file."""
    return json.dumps({"millchen_table": PROFILE_VERSION, **write(profile)}, indent=1, allow_nan=False) + "\n"


def profile_from_text(text: str, where: str) -> Profile:
    """Return the profile in the text of a file; Refused when it is not a profile, of a newer version, or damaged."""
    try:
        top = parse_json(text)
    except ValueError:
        raise Refused("profile.no_json" if "millchen_table" in text else "profile.none", where=where) from None
    if not isinstance(top, dict) or "millchen_table" not in top:
        raise Refused("profile.none", where=where)
    try:
        version = form_of(Count).read(top["millchen_table"], "millchen_table", None)
        if version > PROFILE_VERSION:
            raise Refused("profile.newer", where=where, version=version, known=PROFILE_VERSION)
        profile = read(Profile, top)
        _check(profile)
    except UnfitError as why:
        raise Refused("profile.damaged", where=where, what=why.name) from None
    return profile


def _check(profile: Profile) -> None:
    """Raise UnfitError where parts do not fit together."""
    field, stones = profile.field, profile.stones
    if not is_table_name(profile.name):
        raise UnfitError("name", {"type": "string"})
    if field is not None:
        _check_jpeg("field.picture", field.jpeg, field.size_px)
    if stones is not None:
        if field is None or len(stones.tops) != len(field.field.board.points):
            raise UnfitError("stones.tops", form_of(tuple[Count, ...]).schema)
        _check_jpeg("stones.picture", stones.jpeg, field.size_px)


def _check_jpeg(name: str, data: bytes, size_px: tuple[int, int]) -> None:
    """Raise UnfitError where it is no JPEG of exactly the expected size."""
    bgr = None
    with suppress(ValueError, cv2.error):
        if (jpeg := jpeg_of(data)) and jpeg.size_px == size_px:  # before it is decoded: a header may claim any size
            bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    if bgr is None or (bgr.shape[1], bgr.shape[0]) != size_px:
        raise UnfitError(name, {"type": "string"})


def board_named(name: str, n_points: int) -> Board | None:
    """Return the board of a name; boards of turning discs are chosen by their number of points."""
    family = board_family(name) if name in BOARDS else ()
    return next((board for board in family if not board.rings or len(board.points) == n_points), None)


def checked_table_name(name: str) -> str:
    """Return the name of a table in its normal form.

    Raises Refused when it could not be the name of a file on every system.
    """
    tidy = unicodedata.normalize("NFC", name).strip()
    if not is_table_name(tidy):
        raise Refused("profile.name", name=name)
    return tidy


def is_table_name(name: str) -> bool:
    """Return whether a table may have this name."""
    return _NAME.fullmatch(name) is not None and _RESERVED.fullmatch(name) is None
