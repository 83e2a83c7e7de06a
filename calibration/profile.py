"""The profile of a table: what calibration has measured, as a value and as the text of a file.

The text is JSON with a version. It keeps the pictures of the empty board and of the stones, not what is derived from
them, so that a later version of Millchen can learn more from them.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens_calibration import LensMeasurement
from calibration.placement import Placement
from calibration.step_texts import Refused
from referee.board import Board
from referee.boards import BOARDS, board_family
from referee.bounded_json import parse_json
from vision.capture.addresses import without_secrets
from vision.cases.table_habits import Fitted
from vision.evidence.fusion import Habits
from vision.imaging.field import Field
from vision.imaging.frame import Image, JpegPicture
from vision.imaging.homography import fit_homography
from vision.imaging.lens import Lens

# version of the file format; higher ones are refused; a change of the format raises it and keeps reading older ones
PROFILE_VERSION = 1

# largest size of a profile, bytes: two pictures of a 4K camera and some numbers have a third of it
MAX_PROFILE_BYTES = 24_000_000

MAX_PICTURE_SIDE_PX = 8192  # largest width or height of a picture in a profile, px
PROFILE_JPEG_QUALITY = 93  # quality of the pictures in a profile, of 100
_NAME = re.compile(r"[^\W_](?:[\w -]{0,38}[^\W_])?")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # names that Windows keeps for devices


@dataclass(frozen=True, slots=True)
class CameraPart:
    """The camera of a profile, and what its driver really delivers."""

    source: str  # what a person types: a number, an address with its password, a file
    name: str  # its name in the system; empty where unknown
    size_px: tuple[int, int]
    fps: float  # measured frames per second; 0 where pictures have no times of their own
    # locked values of "focus", "exposure" and "white_balance", as read back; what is missing is automatic
    settings: Mapping[str, float]

    @property
    def shown_source(self) -> str:
        """The source without the password of an address."""
        return without_secrets(self.source)


@dataclass(frozen=True, eq=False)
class FieldPart:
    """The points of this board in the picture of this camera."""

    field: Field
    size_px: tuple[int, int]
    off_px: float  # root mean square distance of the points from those of an ideal board, px: how crooked the board is
    side_mm: float | None  # side of the unit square of the board, mm; None where it was not measured
    jpeg: bytes  # picture of the empty board


@dataclass(frozen=True, slots=True)
class StonesPart:
    """A picture with stones of every player on the board."""

    tops: tuple[int, ...]  # for each point, 0 or the player whose stone lies there
    n_players: int
    jpeg: bytes  # the picture, from the same camera in the same place as that of the field


@dataclass(frozen=True, eq=False)
class Profile:
    """Everything that is kept about a table; a part is None until its step was done."""

    name: str
    saved: str = ""
    camera: CameraPart | None = None
    placement: Placement | None = None
    lens: LensMeasurement | None = None
    field: FieldPart | None = None
    stones: StonesPart | None = None
    habits: Fitted | None = None


def refuse_other_size(name: str, known: tuple[int, int] | None, now: tuple[int, int]) -> None:
    """Raise Refused for a picture of another size than those of table ``name``: no measurement would hold in it."""
    if known is not None and known != now:
        raise Refused("profile.size", name=name, width=known[0], height=known[1], now_w=now[0], now_h=now[1])


def check_picture_size(profile: Profile, size_px: tuple[int, int]) -> None:
    """Raise Refused for a picture of another size than those of the profile: no measurement would hold in it."""
    known = profile.field.size_px if profile.field is not None else None
    known = profile.lens.lens.size_px if known is None and profile.lens is not None else known
    refuse_other_size(profile.name, known, size_px)


def encode_jpeg(bgr: Image) -> bytes:
    """Return a picture as JPEG."""
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, PROFILE_JPEG_QUALITY])
    return np.asarray(data, np.uint8).tobytes()


def decode_jpeg(jpeg: bytes) -> Image:
    """Return the picture of a JPEG that ``profile_from_text`` has checked."""
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


# ---------------------------------------------------------------------------- text


def profile_to_text(profile: Profile) -> str:
    """Return the profile as the text of its file."""
    parts: dict[str, Any] = {"millchen_table": PROFILE_VERSION, "name": profile.name, "saved": profile.saved}
    if profile.camera is not None:
        parts["camera"] = _values(profile.camera) | {"fps": round(profile.camera.fps, 2)}
    if profile.placement is not None:
        parts["placement"] = _values(profile.placement)
    if profile.lens is not None:
        part = profile.lens
        parts["lens"] = {
            "size_px": list(part.lens.size_px),
            "matrix": part.lens.matrix.tolist(),
            "distortion": part.lens.distortion.tolist(),
            "rms_px": part.rms_px,
            "errors_px": [None if e != e else round(e, 4) for e in part.errors_px],
            "n_dropped": part.n_dropped,
            "unsure": part.focal_uncertainty,
            "cover": part.coverage,
        }
    if profile.field is not None:
        f = profile.field
        parts["field"] = {
            "board": f.field.board.name,
            "drawing": f.field.drawing,
            "points_px": np.round(f.field.points_px, 2).tolist(),
            "size_px": list(f.size_px),
            "off_px": f.off_px,
            "side_mm": f.side_mm,
            "picture": base64.b64encode(f.jpeg).decode("ascii"),
        }
    if profile.stones is not None:
        s = profile.stones
        parts["stones"] = {
            "tops": list(s.tops),
            "n_players": s.n_players,
            "picture": base64.b64encode(s.jpeg).decode("ascii"),
        }
    if profile.habits is not None:
        parts["habits"] = asdict(profile.habits)
    return json.dumps(parts, indent=1, allow_nan=False) + "\n"


def _values(part: CameraPart | Placement) -> dict[str, Any]:
    return {f.name: getattr(part, f.name) for f in fields(part)}


def profile_from_text(text: str, where: str) -> Profile:
    """Return the profile in the text of a file; Refused when it is not a profile, of a newer version, or damaged."""
    try:
        top = parse_json(text, parse_constant=_no_number)
    except ValueError:
        raise Refused("profile.no_json" if "millchen_table" in text else "profile.none", where=where) from None
    if not isinstance(top, dict) or "millchen_table" not in top:
        raise Refused("profile.none", where=where)
    read = JsonReader(top, where, "")
    version = read.whole("millchen_table", 1, 10**9)
    if version > PROFILE_VERSION:
        raise Refused("profile.newer", where=where, version=version, known=PROFILE_VERSION)
    name = read.text("name", 40)
    if not is_table_name(name):
        raise read.damaged("name")
    field = _field(read.part("field"))
    return Profile(
        name,
        read.text("saved", 40),
        _camera(read.part("camera")),
        _placement(read.part("placement")),
        _lens(read.part("lens")),
        field,
        _stones(read.part("stones"), field),
        _habits(read.part("habits")),
    )


def _no_number(text: str) -> float:
    raise ValueError(f"no number: {text}")


def _camera(read: JsonReader | None) -> CameraPart | None:
    if read is None:
        return None
    given = read.part("settings")
    settings = {} if given is None else {k: given.number(k, -1e9, 1e9) for k in list(given.values)[:20]}
    source, name = read.text("source", 1000), read.text("name", 200)
    return CameraPart(source, name, read.size("size_px", MAX_PICTURE_SIDE_PX), read.number("fps", 0, 1e4), settings)


def _placement(read: JsonReader | None) -> Placement | None:
    if read is None:
        return None
    known = {f.name: read.number_or_none(f.name, -1e6, 1e6) for f in fields(Placement) if f.name != "is_guess"}
    if None in (known["sharp"], known["light"], known["glare"]):
        raise read.damaged("sharp")
    return Placement(**known, is_guess=read.flag("is_guess"))  # type: ignore[arg-type]


def _lens(read: JsonReader | None) -> LensMeasurement | None:
    if read is None:
        return None
    try:
        lens = Lens(
            read.size("size_px", MAX_PICTURE_SIDE_PX), read.array("matrix", (3, 3)), read.array("distortion", (5,))
        )
    except ValueError as why:
        if isinstance(why, Refused):
            raise
        raise read.damaged("matrix") from None
    errors = tuple(float("nan") if e is None else e for e in read.numbers_or_none("errors_px", 0, 1e4))
    rms, unsure, cover = (read.number(k, 0, 1e4) for k in ("rms_px", "unsure", "cover"))
    return LensMeasurement(lens, rms, errors, read.whole("n_dropped", 0, 10**7), unsure, cover)


def _field(read: JsonReader | None) -> FieldPart | None:
    if read is None:
        return None
    size_px = read.size("size_px", MAX_PICTURE_SIDE_PX)
    name = read.text("board", 40)
    points = read.array("points_px", (-1, 2))
    board = board_named(name, len(points))
    if board is None or len(points) != len(board.points) or np.abs(points).max() > 4 * MAX_PICTURE_SIDE_PX:
        raise read.damaged("points_px")
    if np.linalg.norm(points - points.mean(axis=0), axis=1).min(initial=np.inf) == np.inf or np.ptp(points) < 10:
        raise read.damaged("points_px")
    drawing = read.text("drawing", 40)
    if drawing not in {d.name for d in board.drawings}:
        raise read.damaged("drawing")
    field = Field(board, drawing, points, fit_homography(np.asarray(board.xy), points))
    side_mm = read.number_or_none("side_mm", 1, 1e5)
    return FieldPart(field, size_px, read.number("off_px", 0, 1e4), side_mm, _jpeg(read, size_px))


def _stones(read: JsonReader | None, field: FieldPart | None) -> StonesPart | None:
    if read is None:
        return None
    n_players = read.whole("n_players", 1, 6)
    tops = tuple(int(t) for t in read.numbers_or_none("tops", 0, n_players) if t is not None and t == int(t))
    if field is None or len(tops) != len(field.field.board.points):
        raise read.damaged("tops")
    return StonesPart(tops, n_players, _jpeg(read, field.size_px))


def _habits(read: JsonReader | None) -> Fitted | None:
    if read is None:
        return None
    own = read.part("habits")
    if own is None:
        raise read.damaged("habits")
    weights = {name: own.number(name, 0.01, 100) for name in ("stone_weight", "paint_weight")}
    counts = {name: read.whole(name, 0, 10**6) for name in ("n_cases", "wrong_before", "wrong_after")}
    losses = {name: read.number(name, 0, 1e6) for name in ("loss_before", "loss_after")}
    bias = own.number("stone_bias", -100, 100)
    return Fitted(Habits(stone_bias=bias, **weights), is_better=True, **counts, **losses)  # type: ignore[arg-type]


def board_named(name: str, n_points: int) -> Board | None:
    """Return the board of a name; boards of turning discs are chosen by their number of points."""
    family = board_family(name) if name in BOARDS else ()
    return next((board for board in family if not board.rings or len(board.points) == n_points), None)


def _jpeg(read: JsonReader, size_px: tuple[int, int]) -> bytes:
    """Return the checked bytes of a picture: a JPEG of exactly the expected size."""
    try:
        data = base64.b64decode(read.text("picture", MAX_PROFILE_BYTES), validate=True)
        if JpegPicture(data).size_px != size_px:  # before it is decoded: a header may claim any size
            raise ValueError("of another size")
        bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    except (ValueError, cv2.error):
        raise read.damaged("picture") from None
    if bgr is None or (bgr.shape[1], bgr.shape[0]) != size_px:
        raise read.damaged("picture")
    return data


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


class JsonReader:
    """An object of JSON whose values are fetched by name and type; ``path`` leads to it in the file ``where``."""

    def __init__(self, values: Mapping[str, Any], where: str, path: str) -> None:
        self.values, self._where, self._path = values, where, path

    def damaged(self, name: str) -> Refused:
        """Return the refusal of a damaged value, by its name."""
        return Refused("profile.damaged", where=self._where, what=f"{self._path}{name}")

    def part(self, name: str) -> JsonReader | None:
        """Return an object within this one; None where it is missing."""
        value = self._checked(name, lambda value: value is None or isinstance(value, dict))
        return None if value is None else JsonReader(value, self._where, f"{self._path}{name}.")

    def text(self, name: str, most: int) -> str:
        """Return a text of at most so many characters."""
        return str(self._checked(name, lambda v: isinstance(v, str) and len(v) <= most and v.isprintable()))

    def number(self, name: str, least: float, most: float) -> float:
        """Return a finite number in a range."""
        return self._number(name, self.values.get(name), least, most)

    def number_or_none(self, name: str, least: float, most: float) -> float | None:
        """Return a finite number in a range; None where it is missing."""
        return None if self.values.get(name) is None else self.number(name, least, most)

    def whole(self, name: str, least: int, most: int) -> int:
        """Return a whole number in a range."""
        return int(self._checked(name, lambda v: type(v) is int and least <= v <= most))

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        return bool(self._checked(name, lambda value: isinstance(value, bool)))

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
        found: list[Any] = self._checked(name, lambda v: isinstance(v, list) and len(v) <= 1000 and n in (None, len(v)))
        return found

    def _checked(self, name: str, is_right: Callable[[Any], bool]) -> Any:
        value = self.values.get(name)
        if not is_right(value):
            raise self.damaged(name)
        return value

    def _number(self, name: str, value: Any, least: float, most: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:  # nan neither
            raise self.damaged(name)
        return float(value)
