"""Size of a board and angle of view in, size of pebbles and height of the camera out.

The camera hangs over the middle of the board and looks straight down, the long side of its picture along the longer
side of the board. Then one length decides everything: a thing of ``a`` cm, ``h`` cm below a camera whose focal length
is ``f`` px, is ``f a / h`` px wide. At its lowest place the whole board fits; at its highest a pebble is as
wide as `calibration.placement.METER_LIMITS` asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, degrees, hypot, radians, tan

from calibration.making.board_template import extent
from calibration.placement import METER_LIMITS, STONE_DIAMETER_UNITS
from calibration.step_texts import number_text, phrase, refuse_outside
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
CAMERA_LIMITS_CM = (8.0, 250.0)  # height of a camera, cm: webcams are blurred below, the ceiling is above


@dataclass(frozen=True, slots=True)
class SizeAdvice:
    """How large pebbles may be, and where the camera may hang."""

    board: str  # its name
    size_cm: float  # how large it is: across what is drawn, in the longer direction
    # smallest_pebble_mm, best_pebble_mm, largest_pebble_mm: diameters: the least that a camera looks for, what it sees
    # best, and the most with which neighbours never touch
    smallest_pebble_mm: float
    best_pebble_mm: float
    largest_pebble_mm: float
    horizontal_degrees: float  # angle of view across the width of the picture
    lowest_camera_cm: float  # height above the board from which all of it, with its rim, is in sight
    highest_camera_cm: float  # height up to which the best pebble is wide enough to be read well
    farthest_camera_cm: float  # height up to which it is wide enough to be read at all
    pebble_px: float  # width of the best pebble in the picture, from the best height
    thinnest_line_mm: float  # width that a line needs to be seen well from the best height; 0 for boards without lines
    # "good", "fair" or why it cannot be done: "few_pixels", "too_high" (the camera would have to hang above the
    # ceiling), "too_low" (it would have to hang too close), "fingers" (pebbles too small to pick up)
    verdict: str

    @property
    def possible(self) -> bool:
        """Whether board, pebbles and camera go together at all."""
        return self.verdict in ("good", "fair")

    @property
    def best_camera_cm(self) -> float:
        """The height to choose, cm: the lowest at which the camera is sharp."""
        return max(self.lowest_camera_cm, CAMERA_LIMITS_CM[0])

    @property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """The advice in sentences, by language."""
        numbers = {
            "smallest": f"{self.smallest_pebble_mm:.0f}",
            "best": f"{self.best_pebble_mm:.0f}",
            "largest": f"{self.largest_pebble_mm:.0f}",
            "lowest": f"{self.best_camera_cm:.0f}",
            "highest": f"{min(self.highest_camera_cm, CAMERA_LIMITS_CM[1]):.0f}",
            "pebble": f"{self.pebble_px:.0f}",
            "good": f"{METER_LIMITS['pebble'].good:g}",
        }
        keys = [f"size.{self.verdict}"]
        if self.possible:
            keys = ["size.pebble", *keys, *(["size.line"] if self.thinnest_line_mm else [])]
        return {
            language: tuple(
                phrase(key, language, **numbers, mm=number_text(self.thinnest_line_mm, language)) for key in keys
            )
            for language in LANGUAGES
        }


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
    side_mm, unit = 10 * size_cm / longer, stone_unit(board)
    largest_mm = side_mm * board.least_gap * (1 - 2 * OFF_POINT_SHARE)
    best_mm = min(side_mm * unit * STONE_DIAMETER_UNITS, largest_mm)
    focal_px = hypot(width_px, height_px) / 2 / tan(radians(view_degrees) / 2)
    fits = (1.0, max(width_px, height_px)), (shorter / longer, min(width_px, height_px))
    lowest_cm = max(focal_px * size_cm * (share + 2 * RIM_SHARE) / room_px for share, room_px in fits)
    limit = METER_LIMITS["pebble"]
    highest_cm, farthest_cm = (focal_px * best_mm / 10 / least_px for least_px in (limit.good, limit.fair))
    best_cm = max(lowest_cm, CAMERA_LIMITS_CM[0])
    return SizeAdvice(
        board=board.name,
        size_cm=size_cm,
        smallest_pebble_mm=best_mm * min(STONE_SIZES),
        best_pebble_mm=best_mm,
        largest_pebble_mm=largest_mm,
        horizontal_degrees=2 * degrees(atan(width_px / 2 / focal_px)),
        lowest_camera_cm=lowest_cm,
        highest_camera_cm=highest_cm,
        farthest_camera_cm=farthest_cm,
        pebble_px=focal_px * best_mm / 10 / best_cm,
        thinnest_line_mm=0.0 if board.rings else 10 * best_cm * METER_LIMITS["line"].good / focal_px,
        verdict=_verdict(best_mm, lowest_cm, highest_cm, farthest_cm),
    )


def _verdict(best_mm: float, lowest_cm: float, highest_cm: float, farthest_cm: float) -> str:
    """Return the first hindrance, or how well a pebble is seen from the best height."""
    nearest_cm, ceiling_cm = CAMERA_LIMITS_CM
    best_cm = max(lowest_cm, nearest_cm)
    hindrances = {
        "fingers": best_mm < LEAST_FINGER_MM,
        "too_high": lowest_cm > ceiling_cm,
        "few_pixels": lowest_cm > farthest_cm,
        "too_low": nearest_cm > farthest_cm,
        "fair": best_cm > highest_cm,
    }
    return next((name for name, holds in hindrances.items() if holds), "good")
