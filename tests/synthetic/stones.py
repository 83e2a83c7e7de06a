"""Pebbles: lumpy ellipsoids with height, seen along the true rays, and the shadows that they throw."""

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.spec import MOTLEY, NATURAL, Light, TableSpec
from tests.synthetic.viewpoint import Array, Viewpoint

_FINE = 2  # subpixels along each axis of a sprite
DISC_HEIGHT = 0.22  # half the height of a plastic disc, fraction of its radius
LUMPS = 0.10  # how far a pebble's outline leaves the ellipse, fraction of its radius


@dataclass(frozen=True, slots=True)
class Stone:
    """One pebble.

    Attributes:
        player: Whose paint it wears, 0 first.
        look: Which pebble it is: the same number keeps its shape wherever it lies. None takes another one on every
            point.
        offset: How far it lies off its point, board space, fraction of the distance to the nearest other point; None
            lets the spec's ``placing_error`` decide.
    """

    player: int
    look: int | None = None
    offset: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Pebble:
    """A stone as it lies in the world.

    Attributes:
        centre: float64 array of shape (3,). World space; its third entry is minus the height of its middle.
        axes: Half lengths, sides; the last one is the vertical one.
        turn_rad: About the vertical.
    """

    player: int
    look: int
    centre: Array
    axes: tuple[float, float, float]
    turn_rad: float


def shape_of(spec: TableSpec, player: int, look: int, spacing: float) -> tuple[tuple[float, float, float], float]:
    """Half lengths (sides of the board) and turn (radians) of one pebble; ``spacing`` in sides."""
    rng = np.random.default_rng([spec.seed, 3, player, look])
    if spec.pieces == "discs":
        radius = spec.stone_size * spacing
        return (radius, radius, DISC_HEIGHT * radius), float(rng.uniform(0, np.pi))
    radius = spec.stone_size * spacing * rng.uniform(0.85, 1.15)
    flat = radius * rng.uniform(0.45, 0.7)
    return (radius * rng.uniform(1.0, 1.15), radius * rng.uniform(0.85, 1.0), flat), float(rng.uniform(0, np.pi))


def lamp(light: Light) -> Array:
    """Unit vector from the table to the lamp, world space."""
    azimuth, elevation = np.deg2rad([light.azimuth_deg, light.elevation_deg])
    flat = np.cos(elevation)
    return np.array([flat * np.sin(azimuth), flat * np.cos(azimuth), -np.sin(elevation)])


def _axes_matrix(pebble: Pebble) -> Array:
    """World from the pebble's own axes, columns scaled to its half lengths."""
    c, s = np.cos(pebble.turn_rad), np.sin(pebble.turn_rad)
    matrix: Array = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) * np.array(pebble.axes)
    return matrix


@dataclass(frozen=True, eq=False)
class Sprite:
    """A pebble's picture: premultiplied BGR and alpha, uint8 (h, w, 4), and its upper left pixel (column, row)."""

    bgra: NDArray[np.uint8]
    corner: tuple[int, int]


def draw_pebble(spec: TableSpec, pebble: Pebble, view: Viewpoint, light: Light) -> Sprite:
    """What the camera sees of a pebble in even light (gain 1, no warmth); exact up to perspective within the pebble."""
    middle = view.project(pebble.centre)[0]
    derivative = view.image_from_world_derivative(pebble.centre)
    shape = _axes_matrix(pebble)
    reach = np.sqrt(((derivative @ shape) ** 2).sum(axis=1)) * (1 + LUMPS) + 1.5
    low, high = np.floor(middle - reach).astype(int), np.ceil(middle + reach).astype(int) + 1
    columns, rows = (low[k] + (np.arange((high[k] - low[k]) * _FINE) + 0.5) / _FINE - 0.5 for k in (0, 1))
    aside = np.stack(np.meshgrid(columns, rows), axis=-1) - middle
    # Every subpixel's ray in the pebble's own axes, where the pebble is the unit sphere: p + s d, |p + s d| = 1.
    own = np.linalg.inv(shape)
    origin = aside @ (own @ np.linalg.pinv(derivative)).T
    ray = own @ np.cross(derivative[0], derivative[1])
    ray /= np.linalg.norm(ray)
    if float((shape @ ray)[2]) < 0:
        ray = -ray  # world z points down and so does the look of a camera above the table
    along = origin @ ray
    closest = origin - along[..., None] * ray
    lumps = np.random.default_rng([spec.seed, 4, pebble.player, pebble.look])
    waves, phases = lumps.normal(0, 1.7, (5, 3)), lumps.uniform(0, 6.28, 5)
    uneven = 0.0 if spec.pieces == "discs" else 1.0
    bulge = 1 + uneven * LUMPS * np.sin(closest @ waves[:3].T + phases[:3]).mean(axis=-1)
    room = bulge**2 - (closest**2).sum(axis=-1)
    normal = closest - np.sqrt(np.maximum(room, 0))[..., None] * ray
    rough = uneven * np.sin(normal @ (2.4 * waves).T + phases).mean(axis=-1)
    world_normal = normal @ np.linalg.inv(shape)
    world_normal /= np.linalg.norm(world_normal, axis=-1, keepdims=True) + 1e-9
    towards = lamp(light)
    lit = np.clip(world_normal @ towards, 0, None)
    sky = 0.5 - 0.5 * world_normal[..., 2]
    look = np.cross(derivative[0], derivative[1])
    look *= np.sign(look[2]) / np.linalg.norm(look)
    half = towards - look
    gloss = np.clip(world_normal @ (half / np.linalg.norm(half)), 0, 1) ** 24
    colour = _colours(spec, pebble, normal, rough, lumps)
    bright = 0.42 + 0.28 * sky + (0.2 + light.shadow * 0.5) * lit
    picture = np.clip(colour * bright[..., None] + 45 * light.shadow * gloss[..., None], 0, 255)
    alpha = (room > 0)[..., None].astype(np.float32)
    fine = np.concatenate([picture * alpha, 255 * alpha], axis=-1).astype(np.float32)
    size = int(high[0] - low[0]), int(high[1] - low[1])
    bgra = cv2.resize(fine, size, interpolation=cv2.INTER_AREA).round().astype(np.uint8)
    return Sprite(cast(NDArray[np.uint8], bgra), (int(low[0]), int(low[1])))


def _colours(spec: TableSpec, pebble: Pebble, normal: Array, rough: Array, rng: np.random.Generator) -> Array:
    """BGR of the pebble's skin at every subpixel, shape (h, w, 3)."""
    paint = spec.paints[pebble.player]
    base = np.array(NATURAL[int(np.random.default_rng([spec.seed, 5]).integers(len(NATURAL)))])
    if paint.motley:
        base = np.array(MOTLEY[int(np.random.default_rng([spec.seed, 11, pebble.look]).integers(len(MOTLEY)))])
    stone = base * rng.uniform(0.85, 1.15)
    grain = rng.normal(0, 1, normal.shape[:2])
    if paint.colour is None:
        bare = np.ones(normal.shape[:2])
    else:
        # The brush goes over the pebble from one side; below 1 the far side stays bare.
        side = rng.normal(0, 1, 3) * (0.6, 0.6, 1)
        side[2] = -abs(side[2])
        edge = np.cos(np.pi * min(paint.coverage, 1.0)) if paint.coverage < 1 else -9.0
        bare = np.clip((edge - normal @ (side / np.linalg.norm(side)) - 0.12 * rough) * 8 + 0.5, 0, 1)
    cover = np.array(paint.colour or base) * rng.uniform(0.93, 1.07)
    share = bare[..., None]
    mixed = stone * share + cover * (1 - share)
    coloured: Array = mixed * (1 + paint.speckle * (0.6 * rough + 0.7 * grain))[..., None]
    return coloured


def shadow_outline(pebble: Pebble, light: Light) -> Array:
    """Where a pebble's shadow falls on the table, world space (32, 3)."""
    down = -lamp(light)
    rim = _rim(pebble, down)
    fallen: Array = rim - (rim[:, 2] / down[2])[:, None] * down
    return fallen


def outline_px(pebble: Pebble, view: Viewpoint) -> Array:
    """The outline of a pebble in the picture, image space (32, 2)."""
    return view.project(_rim(pebble, pebble.centre - view.centre))


def _rim(pebble: Pebble, way: Array) -> Array:
    """Where rays in one direction only just touch a pebble, world space (32, 3)."""
    shape = _axes_matrix(pebble)
    ray = np.linalg.inv(shape) @ way
    ray /= np.linalg.norm(ray)
    first = np.cross(ray, [0.3, 0.5, 0.8])
    first /= np.linalg.norm(first)
    second = np.cross(ray, first)
    around = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    rim: Array = pebble.centre + (np.outer(np.cos(around), first) + np.outer(np.sin(around), second)) @ shape.T
    return rim


def paste(picture: NDArray[np.uint8], sprite: Sprite, light_at: NDArray[np.float32]) -> None:
    """Lay a sprite into ``picture`` (which is changed); ``light_at`` is the light of its place, float32 (3,)."""
    height, width = picture.shape[:2]
    left, top = sprite.corner
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + sprite.bgra.shape[1], width), min(top + sprite.bgra.shape[0], height)
    if x0 >= x1 or y0 >= y1:
        return
    part = sprite.bgra[y0 - top : y1 - top, x0 - left : x1 - left].astype(np.float32)
    under = picture[y0:y1, x0:x1].astype(np.float32)
    mixed = under * (1 - part[..., 3:] / 255) + part[..., :3] * light_at
    picture[y0:y1, x0:x1] = np.clip(mixed, 0, 255).astype(np.uint8)
