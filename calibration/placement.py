"""Placement of camera, lamp and board: a picture in, the pose of the camera and graded meters out.

People watch the meters while they move things. ``grade_placement`` grades each meter in a word and says what to do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.step_texts import phrase, phrases
from vision.imaging.field import Field
from vision.imaging.frame import Float64Array, Image, in_picture, size_of
from vision.imaging.lens import Lens, usual_lens
from vision.imaging.patches import image_jacobians, stone_unit
from vision.tracking.follow import hull_mask


@dataclass(frozen=True, eq=False)
class Pose:
    """Pose of a camera over a board."""

    # shape (3, 4); rotation and translation from board space (z = 0 on the board, z down into the table) to camera
    # space; sides
    camera_from_board: Float64Array
    lens: Lens  # the lens with which the pose was estimated
    # whether the lens is a usual webcam's; tilt is then right within some degrees, height within a fifth
    is_guess: bool
    off_px: float  # root mean square distance of the points from those of an ideal board, px

    @property
    def tilt_deg(self) -> float:
        """Angle between the direction of view and straight down, degrees."""
        return float(np.rad2deg(np.arccos(min(1.0, abs(float(self.camera_from_board[2, 2]))))))

    @property
    def height(self) -> float:
        """Height of the camera above the plane of the board, sides of the board."""
        return abs(float(self.camera_from_board[:, 2] @ self.camera_from_board[:, 3]))

    def project(self, board_xyz: ArrayLike) -> Float64Array:
        """Return the image points, px, of points (n, 3) in board space."""
        places = np.asarray(board_xyz, np.float64)
        camera = places @ self.camera_from_board[:, :3].T + self.camera_from_board[:, 3]
        return self.lens.project(camera[:, :2] / camera[:, 2:])


def estimate_pose(field: Field, size_px: tuple[int, int], lens: Lens | None = None) -> Pose:
    """Return the pose of the camera, from the points of a field in a picture of this size.

    Perspective from a plane (Collins and Bartoli 2014, IPPE), then least squares over all points, so that crooked
    drawing averages out. Raises ValueError when the lens was measured for another size.
    """
    if lens is not None and lens.size_px != size_px:
        raise ValueError(f"the lens holds for {lens.size_px}, the picture has {size_px}")
    own_lens = lens or usual_lens(size_px)
    ideal = np.column_stack([np.asarray(field.board.xy, np.float64), np.zeros(len(field.board.xy))])
    rays = own_lens.rays(field.points_px).reshape(-1, 1, 2)
    plain = np.eye(3), np.zeros(5)
    _, turn, shift = cv2.solvePnP(ideal, rays, *plain, flags=cv2.SOLVEPNP_IPPE)
    turn, shift = cv2.solvePnPRefineLM(ideal, rays, *plain, turn, shift)
    rotation = np.asarray(cv2.Rodrigues(turn)[0], np.float64)
    pose = Pose(np.column_stack([rotation, np.asarray(shift, np.float64).reshape(3)]), own_lens, lens is None, 0.0)
    off = np.linalg.norm(pose.project(ideal) - field.points_px, axis=1)
    return replace(pose, off_px=float(np.sqrt((off**2).mean())))


GLARE_LEVEL = 250  # level of the darkest channel from which a pixel shows the lamp, not the cloth, of 255
STONE_DIAMETER_UNITS = 0.6  # usual diameter of a stone, units (``vision.imaging.patches.stone_unit``)

# side of the window in which the contrast of an edge is measured, px; an edge blurred by up to 3 px fits in
EDGE_WINDOW_PX = 13

# percentile of the widths of strong edges that counts: shadows and worn paint are soft in a sharp picture too
SHARPEST_PERCENTILE = 5

SMOOTHING_PX = 0.8  # smoothing before slopes are measured, px: noise has steep slopes of its own
STRONG_EDGES = 90, 30  # percentile of contrasts, and contrast (levels of 255), from which an edge is strong
MIN_EDGE_PX = 50  # least number of pixels of strong edges that say how sharp a picture is

MEASURING_WIDTH_PX = 1280  # width to which a larger picture is reduced for measuring light, px


GRADES = ("good", "fair", "poor")  # the words of a judgement, the best first


@dataclass(frozen=True, slots=True)
class Limits:
    """The values from which something is good, and fair; ``high`` says that more is better."""

    good: float
    fair: float
    high: bool
    span: float = 0.0  # value at the far end of the scale of a meter

    def grade(self, value: float) -> str:
        """Return the grade of a value, one of ``GRADES``."""
        sign = 1 if self.high else -1
        return GRADES[sum(sign * value < sign * limit for limit in (self.good, self.fair))]


METER_LIMITS = {
    "sharp": Limits(1.8, 2.5, False, 5.0),  # px of blur; the finder's strokes are two to four px wide
    "light": Limits(70, 40, True, 140),  # mean brightness of 255; below, noise is as large as differences of stones
    "glare": Limits(0.5, 3.0, False, 10.0),  # % of the board; a point is some 1 % of it
    "tilt": Limits(45, 58, False, 90),  # degrees; further on stones hide their neighbours
    "pebble": Limits(22, 13, True, 60),  # px across a pebble; the readers were measured down to 13
    "sight": Limits(100, 100, True, 100),  # % of the points in the picture
}
"""Limits of every meter, in the order in which they are shown; units stand beside them. Source: chosen."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The measurements of one picture; values that need a field are None without one."""

    sharp: float  # blur of the sharpest edges, standard deviation, px
    light: float  # mean brightness of the board (or of the picture), 0 to 255
    glare: float  # share of it that shows the lamp, %
    tilt: float | None = None  # degrees from straight down
    pebble: float | None = None  # pixels across a pebble, where the board is smallest in the picture
    sight: float | None = None  # share of the points in the picture, %


@dataclass(frozen=True, slots=True)
class Meter:
    """One measure, judged."""

    key: str  # a key of `METER_LIMITS`
    value: float

    @property
    def limits(self) -> Limits:
        """The values from which it is good, and fair."""
        return METER_LIMITS[self.key]

    @property
    def grade(self) -> str:
        """One of ``GRADES``."""
        return self.limits.grade(self.value)

    @property
    def parts(self) -> dict[str, tuple[str, str, str, str]]:
        """Name, value, judgement and advice (empty where it is good), by language."""
        value = self.value if self.limits.good < 5 else round(self.value)
        names, values = phrases(f"meter.{self.key}"), phrases(f"meter.{self.key}.value", value=value)
        kind = f"grade.{self.grade}.{'high' if self.limits.high else 'low'}"
        grades, advice = phrases(kind, limit=self.limits.good), phrases(f"meter.{self.key}.advice")
        return {k: (names[k], values[k], grades[k], "" if self.grade == "good" else advice[k]) for k in names}

    @property
    def texts(self) -> dict[str, str]:
        """The meter in one sentence, by language."""
        return {
            language: phrase("line", language, a=name, b=f"{value} – {grade}") + (f". {advice}" if advice else "")
            for language, (name, value, grade, advice) in self.parts.items()
        }

    def to_json(self) -> dict[str, object]:
        """Return the meter as a page shows it, with its value and the good one as shares of its scale."""
        value, good = (float(np.clip(one / self.limits.span, 0, 1)) for one in (self.value, self.limits.good))
        return {
            "key": self.key,
            "value": round(self.value, 1),
            "grade": self.grade,
            "share": round(value, 3),
            "good": round(good, 3),
            "high": self.limits.high,
            "parts": self.parts,
        }


def measure_placement(bgr: Image, field: Field | None = None, lens: Lens | None = None) -> Placement:
    """Measure a picture of the table; the lens is one for pictures of this size."""
    region = board_region(bgr, field)
    step = max(1, bgr.shape[1] // MEASURING_WIDTH_PX)
    part, inside = bgr[::step, ::step], region[::step, ::step] > 0
    light = float(part.max(axis=2)[inside].mean())
    glare = 100 * float((part.min(axis=2)[inside] >= GLARE_LEVEL).mean())
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    sharp = edge_blur_px(gray, region)
    if field is None:
        return Placement(sharp, light, glare)
    size_px = size_of(bgr)
    return Placement(
        sharp,
        light,
        glare,
        estimate_pose(field, size_px, lens).tilt_deg,
        float(np.percentile(side_px(field), 10)) * stone_unit(field.board) * STONE_DIAMETER_UNITS,
        100 * float(in_picture(field.points_px, size_px).mean()),
    )


def grade_placement(placement: Placement) -> tuple[Meter, ...]:
    """Return every meter that has a value, judged, in the order of `METER_LIMITS`."""
    values = ((key, getattr(placement, key)) for key in METER_LIMITS)
    return tuple(Meter(key, value) for key, value in values if value is not None)


def side_px(field: Field) -> Float64Array:
    """Return how long a side of the board would be at every point, px, (n_points,)."""
    return np.asarray(np.sqrt(np.abs(np.linalg.det(image_jacobians(field)))), np.float64)


def board_region(bgr: Image, field: Field | None) -> NDArray[np.uint8]:
    """Return the mask of the board, or of the whole picture."""
    mask = np.zeros(bgr.shape[:2], np.uint8) if field is None else hull_mask(field, bgr.shape, 1.0)
    return mask if mask.any() else np.full(bgr.shape[:2], 255, np.uint8)


def edge_blur_px(gray: NDArray[np.uint8], region: NDArray[np.uint8]) -> float:
    """Return the blur of the sharpest of the strong edges, standard deviation, px.

    An edge of contrast C, blurred with s, rises by C / (s sqrt(2 pi)) at its middle. The contrast is that of the
    window around it; the picture is smoothed a little first.
    """
    smooth = cv2.GaussianBlur(gray.astype(np.float32), (0, 0), SMOOTHING_PX)
    slope = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8)
    window = np.ones((EDGE_WINDOW_PX, EDGE_WINDOW_PX), np.uint8)
    contrast = cv2.dilate(smooth, window) - cv2.erode(smooth, window)
    percent, least = STRONG_EDGES
    strong = (region > 0) & (contrast > max(least, float(np.percentile(contrast[region > 0], percent))))
    if strong.sum() < MIN_EDGE_PX:
        return METER_LIMITS["sharp"].span  # no edge anywhere: a covered lens, or all blurred
    width = contrast[strong] / np.maximum(slope[strong], 1e-3)
    blur = float(np.percentile(width, SHARPEST_PERCENTILE)) / np.sqrt(2 * np.pi)
    return float(np.sqrt(max(blur**2 - SMOOTHING_PX**2, 0.0)))
