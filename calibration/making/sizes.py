"""Size of a board and angle of view in, size of pebbles and height of the camera out, in sentences.

The camera hangs over the middle of the board and looks straight down, the long side of its picture along the longer
side of the board. Then one length decides everything: a thing of ``a`` cm, ``h`` cm below a camera whose focal length
is ``f`` px, is ``f a / h`` px wide. At its lowest place the whole board fits; at its highest a pebble is as
wide as `calibration.placement.METER_LIMITS` asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, radians, tan

from calibration.making.board_template import extent
from calibration.placement import METER_LIMITS, STONE_DIAMETER_UNITS
from calibration.step_texts import phrase, refuse_outside
from languages import LANGUAGES
from referee.board import Board
from vision.imaging.patches import stone_unit
from vision.stones.photograph_reader import STONE_SIZES

VIEW_PRESETS_DEG = (60, 70, 78, 90)  # DIAGONAL angles of view of usual webcams, as their boxes give them, degrees
VIEW_LIMITS_DEG = (20.0, 140.0)  # least and greatest diagonal angle: a telephoto lens, the widest that is no fisheye
SIZE_LIMITS_CM = (8.0, 300.0)  # least and greatest size of a board, cm: a pocket, and chalk in a school yard
RIM_SHARE = 0.08  # cloth in sight beyond the drawing, share of its size: ground for the finder, and half a pebble
OFF_POINT_SHARE = 0.1  # how far a pebble lies off its point, smallest distances of points; neighbours must not touch
LEAST_FINGER_MM = 7.0  # diameter below which fingers do not get hold of a pebble, mm
SEEN_LINE_PX = 2.5  # width of a line in the picture with which it is seen well, px
PEBBLE_LIMITS = METER_LIMITS["pebble"]
CAMERA_LIMITS_CM = (8.0, 250.0)  # height of a camera, cm: webcams are blurred below, the ceiling is above


@dataclass(frozen=True, slots=True)
class SizeAdvice:
    """How large pebbles may be, and where the camera may hang; heights are over the board."""

    smallest_pebble_mm: float  # diameter of the least that a camera looks for
    best_pebble_mm: float  # ... of those that it sees best
    largest_pebble_mm: float  # ... of the largest with which neighbours never touch
    focal_px: float  # of the camera
    lowest_camera_cm: float  # height from which all of the board, with its rim, is in sight
    has_lines: bool  # turning discs have none

    def height_cm(self, pebble_px: float) -> float:
        """Return the height up to which the best pebble is so wide in the picture."""
        return self.focal_px * self.best_pebble_mm / 10 / pebble_px

    @property
    def best_camera_cm(self) -> float:
        """The height to choose: the lowest at which the camera is sharp."""
        return max(self.lowest_camera_cm, CAMERA_LIMITS_CM[0])

    @property
    def pebble_px(self) -> float:
        """Width of the best pebble in the picture, from the best height."""
        return self.focal_px * self.best_pebble_mm / 10 / self.best_camera_cm

    @property
    def verdict(self) -> str:
        """How well a pebble is seen from the best height, "good" or "fair"; or the first hindrance.

        "fingers": pebbles are too small to pick up; "too_high": the camera would have to hang above the ceiling;
        "few_pixels": its picture has too few; "too_low": it would have to hang too close.
        """
        if self.best_pebble_mm < LEAST_FINGER_MM:
            return "fingers"
        if self.lowest_camera_cm > CAMERA_LIMITS_CM[1]:
            return "too_high"
        grade = PEBBLE_LIMITS.grade(self.pebble_px)
        if grade == "poor":
            return "few_pixels" if self.lowest_camera_cm > self.height_cm(PEBBLE_LIMITS.fair) else "too_low"
        return grade

    @property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """The advice in sentences, by language."""
        line_mm = 10 * self.best_camera_cm * SEEN_LINE_PX / self.focal_px  # seen well from the best height
        numbers = {
            "smallest": round(self.smallest_pebble_mm),
            "best": round(self.best_pebble_mm),
            "largest": round(self.largest_pebble_mm),
            "lowest": round(self.best_camera_cm),
            "highest": round(min(self.height_cm(PEBBLE_LIMITS.good), CAMERA_LIMITS_CM[1])),
            "pebble": round(self.pebble_px),
            "good": PEBBLE_LIMITS.good,
            "mm": line_mm,
        }
        keys = [f"size.{self.verdict}"]
        if self.verdict in ("good", "fair"):
            keys = ["size.pebble", *keys, *(["size.line"] if self.has_lines else [])]
        return {language: tuple(phrase(key, language, **numbers) for key in keys) for language in LANGUAGES}


def advise_sizes(
    board: Board, size_cm: float, view_degrees: float, width_px: int, height_px: int, drawing: str = ""
) -> SizeAdvice:
    """Return how large the pebbles of a board may be and where a camera may hang above it.

    ``size_cm`` is measured as for a template; ``view_degrees`` is the angle across the diagonal of the picture, as the
    box of the camera gives it. Raises Refused when a number is out of the limits.
    """
    refuse_outside("make.size", size_cm, SIZE_LIMITS_CM)
    refuse_outside("make.view", view_degrees, VIEW_LIMITS_DEG)
    refuse_outside("make.pixels", min(width_px, height_px), (16, 20000))
    longer, shorter = sorted(extent(board, drawing or board.drawings[0].name), reverse=True)
    side_mm = 10 * size_cm / longer
    largest_mm = side_mm * board.least_gap * (1 - 2 * OFF_POINT_SHARE)
    best_mm = min(side_mm * stone_unit(board) * STONE_DIAMETER_UNITS, largest_mm)
    focal_px = hypot(width_px, height_px) / 2 / tan(radians(view_degrees) / 2)
    fits = (1.0, max(width_px, height_px)), (shorter / longer, min(width_px, height_px))
    lowest_cm = max(focal_px * size_cm * (share + 2 * RIM_SHARE) / room_px for share, room_px in fits)
    smallest_mm = best_mm * min(STONE_SIZES)
    return SizeAdvice(smallest_mm, best_mm, largest_mm, focal_px, lowest_cm, not board.rings)
