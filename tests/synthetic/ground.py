"""The table without stones, as the camera sees it: table top, things on it, the wrinkled cloth, and the light."""

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.cloth import Cloth
from tests.synthetic.spec import Light, TableSpec
from tests.synthetic.stones import lamp
from tests.synthetic.surfaces import Float, paint_surface
from tests.synthetic.texels import MARGIN, PX_PER_SIDE, SIDE_PX, texel
from tests.synthetic.viewpoint import Array, Viewpoint

TABLE_PX_PER_SIDE = 320  # coarser than the cloth: nothing is read from the table
TABLE_SIDE_PX = 1536
TABLE_REACH = TABLE_SIDE_PX / TABLE_PX_PER_SIDE / 2  # sides that the picture of the table reaches from its middle
STEEPEST = 0.5  # limit of a wrinkle's slope; below 1 no place of the cloth is seen twice
_OVERSAMPLING = 2


@dataclass(frozen=True, slots=True)
class Nudge:
    """How the board was pushed on the table: to the right and towards the first player (sides), turned clockwise."""

    right: float = 0.0
    down: float = 0.0
    turn_deg: float = 0.0

    def world(self, board_xy: Array) -> Array:
        """World places (n, 2) of board places (n, 2)."""
        c, s = np.cos(np.deg2rad(self.turn_deg)), np.sin(np.deg2rad(self.turn_deg))
        placed: Array = (np.asarray(board_xy, np.float64) - 0.5) @ np.array([[c, s], [-s, c]])
        placed += np.array([self.right, self.down])
        return placed

    def board_maps(self, x: Float, y: Float) -> tuple[Float, Float]:
        """Board places of world places, both as two arrays."""
        c, s = (np.float32(f(np.deg2rad(self.turn_deg))) for f in (np.cos, np.sin))
        from_x, from_y = x - np.float32(self.right), y - np.float32(self.down)
        half = np.float32(0.5)
        return c * from_x + s * from_y + half, c * from_y - s * from_x + half


class Wrinkles:
    """A smooth push of the cloth's places, and the heights that go with it."""

    def __init__(self, spec: TableSpec) -> None:
        rng = np.random.default_rng([spec.seed, 2])
        n = int(rng.integers(2, 5)) if spec.wrinkles else 0
        angle = rng.uniform(0, np.pi, n)
        self._way = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self._middle = rng.uniform(0.1, 0.9, (n, 2))
        self._width, self._length = rng.uniform(0.09, 0.16, n), rng.uniform(0.3, 0.8, n)
        # x exp(-x^2 / 2) has its greatest value 0.607 at 1.
        self._push = rng.uniform(0.4, 1, n) * spec.wrinkles / 0.607
        axis = np.linspace(-MARGIN, 1 + MARGIN, 161)
        moved = self.push(np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)).reshape(161, 161, 2)
        slope = max((float(np.abs(np.gradient(moved, axis[1] - axis[0], axis=k)).max()) for k in (0, 1)), default=0)
        self._push = self._push * min(1.0, STEEPEST / max(slope, 1e-9))

    def push(self, board_xy: Array) -> Array:
        """How far the cloth at these board places (n, 2) comes from elsewhere on the flat cloth, sides (n, 2)."""
        pushed = np.zeros_like(board_xy)
        for way, middle, width, length, push in self._ridges():
            across, along = (board_xy - middle) @ way / width, (board_xy - middle) @ [-way[1], way[0]] / length
            pushed += (push * across * np.exp(-(across**2 + along**2) / 2))[:, None] * way
        return pushed

    def slope(self, board_xy: Array) -> Array:
        """Rise of the cloth per side, towards x and y, (n, 2); a push of 0.02 is a fold about as high."""
        risen = np.zeros_like(board_xy)
        for way, middle, width, length, push in self._ridges():
            across, along = (board_xy - middle) @ way / width, (board_xy - middle) @ [-way[1], way[0]] / length
            risen -= (push / width * across * np.exp(-(across**2 + along**2) / 2))[:, None] * way
        return risen

    def seen_at(self, flat_xy: Array) -> Array:
        """Board places (n, 2) where places of the flat cloth (n, 2) have come to lie."""
        at = flat_xy.copy()
        for _ in range(60):  # a contraction by STEEPEST each time: 2^-60 is below a float's grain
            before, at = at, flat_xy + self.push(at)
            if np.array_equal(at, before):
                break
        return at

    def _ridges(self) -> list[tuple[Array, Array, float, float, float]]:
        return list(zip(self._way, self._middle, self._width, self._length, self._push, strict=True))


def wrinkle(cloth: Cloth, wrinkles: Wrinkles, light: Light) -> NDArray[np.uint8]:
    """The cloth's picture with its wrinkles and their shading; same shape as ``cloth.bgra``."""
    coarse = np.linspace(0.5, SIDE_PX - 0.5, 160) / PX_PER_SIDE - MARGIN
    places = np.stack(np.meshgrid(coarse, coarse), axis=-1).reshape(-1, 2)
    pushed, slope = wrinkles.push(places), wrinkles.slope(places)
    if not np.any(pushed):
        return cloth.bgra
    shade = np.clip(1 + 0.9 * slope @ lamp(light)[:2] * -1, 0.5, 1.4)
    # cv2 draws texel i's centre at i, so that board place b is column (b + MARGIN) * PX_PER_SIDE, as texel() says.
    axis = np.arange(SIDE_PX) / PX_PER_SIDE - MARGIN
    maps = [np.zeros((SIDE_PX, SIDE_PX), np.float32) for _ in range(2)]
    for rows in np.array_split(np.arange(SIDE_PX), 8):
        block = np.stack(np.meshgrid(axis, axis[rows]), axis=-1).reshape(-1, 2)
        source = texel(block - wrinkles.push(block)).astype(np.float32)
        for k in (0, 1):
            maps[k][rows] = source[:, k].reshape(len(rows), SIDE_PX)
    laid = cv2.remap(cloth.bgra, maps[0], maps[1], cv2.INTER_LINEAR).astype(np.float32)
    fine = cv2.resize(shade.reshape(160, 160).astype(np.float32), (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_CUBIC)
    for k in range(3):
        laid[..., k] = np.minimum(laid[..., k] * fine, laid[..., 3])
    return cast(NDArray[np.uint8], laid.round().astype(np.uint8))


def make_table(spec: TableSpec) -> NDArray[np.uint8]:
    """The table top with the things that lie on it, seen from above, uint8 (TABLE_SIDE_PX, TABLE_SIDE_PX, 3)."""
    rng = np.random.default_rng([spec.seed, 6])
    table = paint_surface(rng, spec.table, TABLE_SIDE_PX, TABLE_PX_PER_SIDE)
    for _ in range(spec.distractors):
        angle, away = rng.uniform(0, 2 * np.pi), rng.uniform(1.0, 1.5)
        place = (np.array([np.sin(angle), np.cos(angle)]) * away + TABLE_REACH) * TABLE_PX_PER_SIDE
        kind, turn = int(rng.integers(4)), float(rng.uniform(0, 180))
        length, width = ((0.7, 0.5), (0.45, 0.22), (0.5, 0.025), (0.22, 0.22))[kind]
        colour = ((225, 228, 230), (38, 36, 35), (40, 150, 210), tuple(rng.uniform(30, 200, 3)))[kind]
        size = length * TABLE_PX_PER_SIDE, width * TABLE_PX_PER_SIDE
        if kind == 3:
            cv2.circle(table, np.round(place).astype(int).tolist(), round(size[0] / 2), colour, -1, cv2.LINE_AA)
            continue
        box = cv2.boxPoints(((float(place[0]), float(place[1])), size, turn))
        cv2.fillPoly(table, [np.round(box).astype(np.int32)], colour, cv2.LINE_AA)
        for line in range(7 if kind == 0 else 0):  # a printed sheet: a trap for those who look for lines
            t = 0.15 + 0.1 * line
            start, end = box[0] + (box[1] - box[0]) * t, box[3] + (box[2] - box[3]) * t
            ends = [np.round(start + (end - start) * share).astype(int).tolist() for share in (0.12, 0.88)]
            cv2.line(table, ends[0], ends[1], (120, 118, 115), 2, cv2.LINE_AA)
    return cast(NDArray[np.uint8], np.clip(table, 0, 255).astype(np.uint8))


def see_ground(
    view: Viewpoint, table: NDArray[np.uint8], laid: NDArray[np.uint8], nudge: Nudge, light: Light, thickness: float
) -> Float:
    """Table and board in even light, float32 (H, W, 3) BGR.

    Args:
        table, laid: uint8 arrays. As ``make_table`` and ``wrinkle`` give them.
        light: Only the direction matters: the board throws a narrow shadow on the table.
        thickness: Of the board, sides.
    """
    x, y = _table_maps(view)
    scale, reach = np.float32(TABLE_PX_PER_SIDE), np.float32(TABLE_REACH)
    fine = cv2.remap(
        table, (x + reach) * scale, (y + reach) * scale, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
    )
    ground = cv2.resize(fine, view.size_px, interpolation=cv2.INTER_AREA).astype(np.float32)
    u, v = nudge.board_maps(x, y)
    u, v = (u + np.float32(MARGIN)) * np.float32(PX_PER_SIDE), (v + np.float32(MARGIN)) * np.float32(PX_PER_SIDE)
    board = cv2.resize(cv2.remap(laid, u, v, cv2.INTER_LINEAR), view.size_px, interpolation=cv2.INTER_AREA)
    towards = lamp(light)
    cast_px = towards[:2] / -towards[2] * thickness * PX_PER_SIDE
    solid = cv2.GaussianBlur(laid[..., 3], (0, 0), max(1.0, 0.4 * thickness * PX_PER_SIDE))
    half = u[::2, ::2] + np.float32(cast_px[0]), v[::2, ::2] + np.float32(cast_px[1])
    shadow = cv2.remap(solid, half[0], half[1], cv2.INTER_LINEAR).astype(np.float32) / 255
    alpha = board[..., 3:].astype(np.float32) / 255
    ground *= (1 - 0.5 * shadow[..., None]) * (1 - alpha)
    ground += board[..., :3]
    return cast(Float, ground)


@lru_cache(maxsize=1)
def _table_maps(view: Viewpoint) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A film looks through one camera for long."""
    return view.table_maps(_OVERSAMPLING)


def light_map(view: Viewpoint, spec: TableSpec, light: Light) -> Float:
    """What the light makes of every pixel, float32 (H, W, 3), as a factor."""
    width, height = view.size_px
    coarse = (max(2, width // 8), max(2, height // 8))
    columns, rows = np.meshgrid(np.linspace(0, width - 1, coarse[0]), np.linspace(0, height - 1, coarse[1]))
    across, down = columns / (width - 1) - 0.5, rows / (height - 1) - 0.5
    level = light.gain * (1 + light.gradient[0] * across + light.gradient[1] * down)
    level = level * (1 - spec.vignette * 2 * (across**2 + down**2))
    rng = np.random.default_rng([spec.seed, 7])
    for _ in range(light.bars):
        angle, offset, half = rng.uniform(0, np.pi), rng.uniform(-0.6, 0.6), rng.uniform(0.05, 0.25)
        place = view.on_table(np.stack([columns.ravel(), rows.ravel()], axis=1)).reshape(*columns.shape, 2)
        distance = np.abs(place @ [np.cos(angle), np.sin(angle)] - offset)
        level = level * (1 - light.shadow * np.clip((half - distance) / max(light.softness, 0.02) + 0.5, 0, 1))
    tint = np.array([1 - 0.25 * light.warmth, 1.0, 1 + 0.18 * light.warmth])
    small = (level[..., None] * tint).astype(np.float32)
    fine = cast(Float, cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR))
    return fine * _band_shadows(view, light) if light.bands else fine


def _band_shadows(view: Viewpoint, light: Light) -> Float:
    """What hard shadows leave of the light, float32 (H, W, 3); of the blue of the sky they take a tenth less."""
    width, height = view.size_px
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    place = view.on_table(np.stack([columns.ravel(), rows.ravel()], axis=1).astype(np.float64))
    shadow = np.zeros(len(place))
    for band in light.bands:
        angle = np.deg2rad(band.angle_deg)
        along = place @ [np.cos(angle), np.sin(angle)]
        inside = np.minimum(along - band.low, band.high - along)
        shadow = np.maximum(shadow, np.clip(inside / max(light.softness, 1e-3) + 0.5, 0, 1))
    taken = light.shadow * np.array([0.9, 1.0, 1.03])
    return cast(Float, (1 - shadow[:, None] * taken).astype(np.float32).reshape(height, width, 3))
