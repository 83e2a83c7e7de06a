"""A studio with known cameras: pictures of the printed target, and of a flat table, with the exact truth."""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.printed_target import MODULES_PER_SQUARE, SQUARE_MM, TARGET_COLUMNS, TARGET_ROWS, black_modules
from vision.imaging.frame import Image
from vision.imaging.lens import Lens

Float64Array = NDArray[np.float64]

SIZE = (1280, 720)
MARGIN_MODULES = 6  # white paper around the chessboard
TEXELS = 6  # to a module


def lens_of(focal: float, distortion: tuple[float, ...], middle: tuple[float, float] = (651.3, 352.6)) -> Lens:
    return Lens(SIZE, np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]]), np.array(distortion))


LENSES = {
    "weak": lens_of(1080.0, (-0.04, 0.02, 0.0004, -0.0003, 0.0)),
    "strong": lens_of(880.0, (-0.24, 0.11, 0.0008, -0.0006, -0.02), (633.8, 371.2)),
    "wide": lens_of(620.0, (-0.30, 0.125, 0.0, 0.0, -0.026), (645.1, 349.0)),
}


@dataclass(frozen=True)
class Shot:
    """Where the sheet is held: its middle in mm before the camera (x right, y down, z away) and how it is turned."""

    middle_mm: tuple[float, float, float]
    tilt_deg: tuple[float, float] = (0.0, 0.0)  # about the camera's x and y
    roll_deg: float = 0.0


@cache
def texture() -> NDArray[np.float32]:
    black = np.pad(black_modules(), MARGIN_MODULES)
    paper = np.where(black, 28.0, 225.0).astype(np.float32)
    return np.kron(paper, np.ones((TEXELS, TEXELS), np.float32))


_RAYS: dict[int, tuple[Lens, NDArray[np.float32]]] = {}


def rays_of(lens: Lens, oversampling: int) -> NDArray[np.float32]:
    """Rays of all the sub-pixels, (H * oversampling, W * oversampling, 2); each lens is worked out once."""
    if id(lens) not in _RAYS:
        width, height = lens.size_px
        step, rim = 4, 1  # pixels to a cell whose ray is worked out, and cells beyond the rim
        x = (np.arange(-rim, width // step + rim) + 0.5) * step - 0.5
        y = (np.arange(-rim, height // step + rim) + 0.5) * step - 0.5
        coarse = lens.rays(np.stack(np.meshgrid(x, y), axis=-1)).astype(np.float32)
        times = step * oversampling
        whole = cv2.resize(
            coarse, (len(x) * times, len(y) * times), interpolation=cv2.INTER_LINEAR
        )  # the only one that keeps straight lines
        fine = whole[rim * times : -rim * times, rim * times : -rim * times].copy()
        _RAYS[id(lens)] = lens, np.asarray(fine, np.float32)
    return _RAYS[id(lens)][1]


def rotation(tilt_deg: tuple[float, float], roll_deg: float) -> Float64Array:
    about = [np.deg2rad(tilt_deg[0]), np.deg2rad(tilt_deg[1]), np.deg2rad(roll_deg)]
    turns = [cv2.Rodrigues(np.eye(3)[k] * angle)[0] for k, angle in enumerate(about)]
    turned: Float64Array = np.asarray(turns[0] @ turns[1] @ turns[2], np.float64)
    return turned


def plane_of(shot: Shot) -> tuple[Float64Array, Float64Array]:
    """Rotation and translation that take the sheet's mm (corner of the chessboard first, z = 0) to the camera's."""
    turn = rotation(shot.tilt_deg, shot.roll_deg)
    middle = np.array([TARGET_COLUMNS * SQUARE_MM / 2, TARGET_ROWS * SQUARE_MM / 2, 0.0])
    return turn, np.array(shot.middle_mm) - turn @ middle


def picture(
    lens: Lens,
    shot: Shot,
    *,
    noise: float = 0.0,
    blur_px: float = 0.5,
    rng: np.random.Generator | None = None,
    paper: NDArray[np.float32] | None = None,
    mm_per_texel: float = SQUARE_MM / MODULES_PER_SQUARE / TEXELS,
    margin_mm: float = MARGIN_MODULES * SQUARE_MM / MODULES_PER_SQUARE,
    oversampling: int = 2,
) -> Image:
    """The sheet as a camera with this lens sees it, in front of a grey wall, uint8 (H, W, 3)."""
    turn, shift = plane_of(shot)
    camera_from_sheet = np.column_stack([turn[:, 0], turn[:, 1], shift])
    h = np.linalg.inv(camera_from_sheet).astype(np.float32)
    rays = rays_of(lens, oversampling)
    x, y = rays[..., 0], rays[..., 1]
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    column = ((h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w + margin_mm) / mm_per_texel - 0.5
    row = ((h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w + margin_mm) / mm_per_texel - 0.5
    drawn = texture() if paper is None else paper
    seen = cv2.remap(drawn, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=120.0)
    seen = cv2.resize(seen, lens.size_px, interpolation=cv2.INTER_AREA)
    if blur_px:
        seen = cv2.GaussianBlur(seen, (0, 0), blur_px)
    if noise:
        assert rng is not None
        seen = seen + rng.normal(0, noise, seen.shape).astype(np.float32)
    gray = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
    return np.repeat(gray[..., None], 3, axis=2)


def shots(lens: Lens, n: int, rng: np.random.Generator) -> list[Shot]:
    """Ways in which a person would hold the sheet: everywhere in the picture, near and far, tilted and turned."""
    width, height = lens.size_px
    out = []
    for k in range(n):
        share = (0.62, 0.8, 0.5)[k % 3]  # of the picture's width that the sheet fills
        away = TARGET_COLUMNS * SQUARE_MM * lens.focal_px[0] / (share * width)
        grid = [(0.5, 0.5), (0.33, 0.36), (0.67, 0.36), (0.33, 0.64), (0.67, 0.64), (0.5, 0.3), (0.5, 0.7)]
        at = np.array(grid[k % len(grid)]) * (width, height) + rng.uniform(-25, 25, 2)
        ray = lens.rays(at)
        tilt = rng.uniform(15, 38) * (-1 if k % 2 else 1)
        both = (tilt, rng.uniform(-10, 10)) if k % 4 < 2 else (rng.uniform(-10, 10), tilt)
        out.append(Shot((away * ray[0], away * ray[1], away), both, rng.uniform(-20, 20)))
    return out
