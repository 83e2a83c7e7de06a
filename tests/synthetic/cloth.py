"""The board itself, flat and seen from above: cloth or discs, its rim, and the strokes that a hand drew on it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board, Circle, Segment, Stroke
from tests.synthetic.blemish import fade, push_askew
from tests.synthetic.manners import adorn, crumbled, fill_fields, leave_points_free, reach_of_frames, ways_of_stroke
from tests.synthetic.spec import Strokes, TableSpec
from tests.synthetic.surfaces import Float, clouds, paint_surface
from tests.synthetic.texels import MARGIN, PX_PER_SIDE, SIDE_PX, SUB, Array, texel

_SHAPE = (SIDE_PX, SIDE_PX)
DISC_GAP = 0.075  # from a ring of holes to the rim of its disc, sides


@dataclass(frozen=True, eq=False)
class Cloth:
    """A board as it was made.

    Attributes:
        bgra: uint8 array of shape (SIDE_PX, SIDE_PX, 4). Colours premultiplied with alpha; texel (row, column) shows
            board place ((column, row) / PX_PER_SIDE) - MARGIN.
        points_xy: float64 array of shape (n_points, 2). Where its points really lie, board space.
        outline_xy: float64 array of shape (n, 2). Its rim, board space.
    """

    bgra: NDArray[np.uint8]
    points_xy: Array
    outline_xy: Array


def make_points(spec: TableSpec, rng: np.random.Generator) -> Array:
    """Where the points of this hand-made board lie, board space, shape (n_points, 2)."""
    ideal = np.array(spec.board.xy, np.float64)
    most = spec.point_error / 2  # of the radius; the radius is half a side
    if spec.board.rings:
        radial = ideal - 0.5
        stretch = np.ones(len(ideal))
        for ring in spec.board.rings:
            stretch[list(ring)] += rng.uniform(-1, 1) * most / np.linalg.norm(radial[ring[0]])
        return 0.5 + radial * stretch[:, None]
    if spec.drawing in ("cells", "framed"):
        return ideal
    angle, length = rng.uniform(0, 2 * np.pi, len(ideal)), rng.uniform(0, most, len(ideal))
    return cast(Array, ideal + length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def _path(board: Board, points_xy: Array, stroke: Stroke, strokes: Strokes, rng: np.random.Generator) -> Array:
    """The line that the hand drew, board space, shape (n, 2): through the real points, wandering in between."""
    ideal, offset = np.array(board.xy, np.float64), points_xy - np.array(board.xy, np.float64)
    t = np.linspace(0, 1, 181)
    if isinstance(stroke, Segment):
        start, end = np.array(stroke.start), np.array(stroke.end)
        way, length = end - start, float(np.hypot(*(end - start)))
        line = start + t[:, None] * way
        along = (ideal - start) @ way / length**2
        on = np.linalg.norm(ideal - (start + along[:, None] * way), axis=1) < 1e-6
        on &= (along > -1e-6) & (along < 1 + 1e-6)
        sideways = np.array([-way[1], way[0]]) / length
    else:
        around = 2 * np.pi * t
        spoke = np.stack([np.sin(around), -np.cos(around)], axis=1)
        line, sideways = np.array(stroke.centre) + stroke.radius * spoke, spoke
        relative = ideal - np.array(stroke.centre)
        distance = np.linalg.norm(relative, axis=1)
        if distance.min() < 1e-6 and stroke.radius < 0.1:  # the rim of a hole goes where its point goes
            return cast(Array, line + offset[distance.argmin()])
        on = np.abs(distance - stroke.radius) < 1e-6
        along = (np.arctan2(relative[:, 0], -relative[:, 1]) / (2 * np.pi)) % 1
    wander = sum(rng.normal() / k * np.sin(np.pi * k * t * 2 + rng.uniform(0, 6)) for k in (1, 2, 3, 5))
    if on.any():
        knots = np.argsort(along[on])
        at, push = along[on][knots], offset[on][knots]
        period = 1.0 if isinstance(stroke, Circle) else None
        moved = [np.interp(t, at, push[:, axis], period=period) for axis in (0, 1)]
        line = line + np.stack(moved, axis=1)
        apart = np.abs(t[:, None] - at[None])
        if period:
            apart = np.minimum(apart, 1 - apart)
        wander = wander * np.clip(apart.min(axis=1) / 0.08, 0, 1)
    return cast(Array, line + strokes.wobble * np.reshape(wander, (-1, 1)) * sideways)


def _overshot(path: Array, strokes: Strokes, rng: np.random.Generator) -> Array:
    before, after = rng.uniform(0, strokes.overshoot, 2) if strokes.overshoot else (0.0, 0.0)
    way_in, way_out = path[0] - path[2], path[-1] - path[-3]
    head = path[0] + way_in / np.linalg.norm(way_in) * before
    tail = path[-1] + way_out / np.linalg.norm(way_out) * after
    return np.vstack([head, path, tail])


def _draw(
    mask: NDArray[np.uint8], path: Array, width: float, rng: np.random.Generator, unevenness: float = 0.5
) -> None:
    """A stroke of uneven width (sides) into ``mask``: 0 is a machine's, 0.5 a brush's."""
    places = np.round(texel(path) * SUB).astype(np.int32)
    uneven = np.convolve(rng.normal(0, 1, len(places) + 12), np.ones(13) / 13, "valid")
    for start, end, grow in zip(places, places[1:], uneven, strict=False):
        thick = max(1, round(width * PX_PER_SIDE * (1 + unevenness * float(grow))))
        cv2.line(mask, start.tolist(), end.tolist(), 255, thick, cv2.LINE_AA, 4)


def _resampled(path: Array, step: float) -> Array:
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = np.arange(0, length[-1], step)
    return np.stack([np.interp(at, length, path[:, axis]) for axis in (0, 1)], axis=1)


def _strokes_alpha(spec: TableSpec, points_xy: Array, rng: np.random.Generator) -> tuple[Float, Float]:
    """How opaque the strokes are, and how bright, each float32 (SIDE_PX, SIDE_PX)."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    ridge = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    drawing = next(d for d in spec.board.drawings if d.name == spec.drawing)
    style, width = spec.strokes.style, spec.strokes.width
    for stroke in drawing.strokes:
        path = _path(spec.board, points_xy, stroke, spec.strokes, rng)
        path = _overshot(path, spec.strokes, rng) if isinstance(stroke, Segment) else path
        if style == "wool":
            fine, dash = _resampled(path, width / 4), rng.uniform(1.8, 2.6)
            at = np.arange(0, len(fine), round(4 * (dash + 2.0)))
            for first in at:
                stitch = fine[first : first + round(4 * dash) + 1] + rng.normal(0, 0.1 * width, 2)
                if len(stitch) > 1:
                    _draw(mask, stitch, 1.15 * width, rng)
                    _draw(ridge, stitch, 0.45 * width, rng)
            continue
        hole = np.zeros_like(mask)
        for way in ways_of_stroke(path, spec.manner):
            _draw(hole, way, width, rng, 0.0 if style in ("print", "tape") else 0.5)
        if spec.strokes.gaps:
            lost = rng.uniform(size=8) < spec.strokes.gaps * 2
            for middle in rng.uniform(0.05, 0.95, 8)[lost]:
                row = path[int(middle * (len(path) - 1))]
                cv2.circle(hole, np.round(texel(row)).astype(int).tolist(), round(width * PX_PER_SIDE), 0, -1)
        mask |= hole
    if spec.manner is not None:
        leave_points_free(mask, spec, points_xy)
    alpha: Float = mask.astype(np.float32) / np.float32(255)
    shade: Float = np.ones_like(alpha)
    if style == "wool":
        shade += 0.25 * (ridge.astype(np.float32) / 255 - 0.5) + 0.08 * clouds(rng, _SHAPE, 3)
    elif style == "paint":
        dry = clouds(rng, _SHAPE, 5) + 0.7 * clouds(rng, _SHAPE, 40)
        alpha *= np.clip(1.12 - 0.12 * np.maximum(dry, 0) ** 2, 0.25, 1)
        shade += 0.04 * clouds(rng, _SHAPE, 20)
    elif style == "tape":
        shade += 0.02 * clouds(rng, _SHAPE, 30)
    elif style == "burnt":
        alpha = cast(Float, cv2.GaussianBlur(alpha, (0, 0), 0.12 * width * PX_PER_SIDE + 0.6))
        alpha *= np.clip(0.85 + 0.15 * clouds(rng, _SHAPE, 12), 0.3, 1)
    elif style == "chalk":
        alpha *= crumbled(rng)
    return alpha, shade


def _outline(spec: TableSpec, rng: np.random.Generator) -> Array:
    """The rim of the cloth or board, board space, shape (360, 2)."""
    angle = np.deg2rad(np.arange(360.0))
    reach = float(np.linalg.norm(np.array(spec.board.xy) - 0.5, axis=1).max())
    if spec.drawing == "cells":
        reach = 0.62
    if spec.drawing == "framed":
        reach = 0.72
    if spec.manner is not None:
        reach = max(reach, reach_of_frames(spec))
    if spec.board.rings:
        radius = np.full(360, reach + DISC_GAP)
    elif spec.shape == "round":
        radius = np.full(360, reach * 1.15 + 0.03)
    else:
        half, corner = 0.5 * 1.16 + 0.02, 12.0
        radius = half / (np.abs(np.cos(angle)) ** corner + np.abs(np.sin(angle)) ** corner) ** (1 / corner)
    cut = 0.001 if spec.cloth.pattern == "wood" else 0.012
    for k in (2, 3, 4, 7, 11, 29):
        radius = radius * (1 + cut / np.sqrt(k) * rng.normal() * np.sin(k * angle + rng.uniform(0, 7)))
    radius = np.minimum(radius, 0.5 + MARGIN - 0.01)
    return cast(Array, 0.5 + radius[:, None] * np.stack([np.sin(angle), -np.cos(angle)], axis=1))


def _filled(outline_xy: Array) -> Float:
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    cv2.fillPoly(mask, [np.round(texel(outline_xy) * SUB).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return cast(Float, mask.astype(np.float32) / 255)


def make_shape(spec: TableSpec, rng: np.random.Generator | None = None) -> tuple[Array, Array]:
    """Where points and rim of this hand-made board lie, board space, (n_points, 2) and (360, 2)."""
    rng = rng or np.random.default_rng([spec.seed, 1])
    points_xy, outline = make_points(spec, rng), _outline(spec, rng)
    return (push_askew(points_xy, spec.blemish) if spec.blemish is not None else points_xy), outline


@lru_cache(maxsize=1)
def _made(spec: TableSpec) -> tuple[Array, Array, tuple[tuple[Float, Float, Float], ...]]:
    """Points, rim and discs of a board: a film turns the same ones often.

    Each disc as it lies unturned, where it is, and what it leaves of those below it, in its shadow; float32.
    """
    rng = np.random.default_rng([spec.seed, 1])
    points_xy, outline = make_shape(spec, rng)
    n = len(spec.board.rings[0])
    around = np.deg2rad(np.arange(360.0))
    discs = []
    for ring in spec.board.rings:
        tint = rng.uniform(0.35 if spec.hole_line else 0.7, 1.1, 3).astype(np.float32)
        surface = paint_surface(rng, spec.cloth, SIDE_PX, PX_PER_SIDE) * tint
        radius = float(np.linalg.norm(points_xy[ring[0]] - 0.5))
        disc = 0.5 + (radius + DISC_GAP) * np.stack([np.sin(around), -np.cos(around)], axis=1)
        shade = np.ones((SIDE_PX, SIDE_PX), np.float32)
        smallest = float(np.linalg.norm(points_xy[spec.board.rings[-1][0]] - 0.5)) * np.sin(np.pi / n)
        for point in points_xy[list(ring)]:
            hollow = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
            size = min(0.05, 0.6 * smallest) * (1 + spec.uneven * (rng.uniform(0.9, 1.1) - 1)) * PX_PER_SIDE
            place = np.round((texel(point) + rng.normal(0, 0.004, 2) * spec.uneven * PX_PER_SIDE) * SUB).astype(int)
            if spec.hole_line:
                width = max(1, round(spec.hole_line * PX_PER_SIDE * (1 + spec.uneven * rng.uniform(-0.5, 0.5))))
                cv2.circle(surface, place.tolist(), round(size * SUB), spec.strokes.colour, width, cv2.LINE_AA, 4)
                continue
            cv2.circle(hollow, place.tolist(), round(size * SUB), 255, -1, cv2.LINE_AA, 4)
            depth = 0.425 + spec.uneven * (rng.uniform(0.35, 0.5) - 0.425)
            shade *= 1 - depth * cv2.GaussianBlur(hollow, (0, 0), 1.5).astype(np.float32) / 255
        if spec.mark:
            _stick_mark(surface, points_xy[list(ring)], spec.mark)
        inside = _filled(disc)[..., None]
        under = (1 - inside) * (1 - 0.3 * cv2.GaussianBlur(inside, (0, 0), 4)[..., None])
        discs.append((cast(Float, surface * shade[..., None]), inside, cast(Float, under)))
    return points_xy, outline, tuple(discs)


def _discs(spec: TableSpec, ring_steps: tuple[float, ...]) -> Float:
    """Discs with hollows, float32 (SIDE_PX, SIDE_PX, 3) BGR; the discs lie turned by ``ring_steps``."""
    picture = np.zeros((SIDE_PX, SIDE_PX, 3), np.float32)
    n = len(spec.board.rings[0])
    column, row = (float(c) for c in texel(np.array([0.5, 0.5])))
    for (disc, inside, under), steps in zip(_made(spec)[2], ring_steps, strict=True):
        turned = cv2.getRotationMatrix2D((column, row), -360 / n * steps, 1.0)
        whole = cv2.warpAffine(disc, turned, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR)
        picture = picture * under + whole * inside
    return picture


def _stick_mark(surface: Float, ring_xy: Array, radius: float) -> None:
    """A small round label halfway between two hollows: dark on a bright disc, bright on a dark one."""
    middle = np.array([0.5, 0.5])
    between = ring_xy[0] + ring_xy[1] - 2 * middle
    place = middle + between / np.linalg.norm(between) * np.linalg.norm(ring_xy[0] - middle)
    grey = 30.0 if surface.mean() > 110 else 225.0
    at = np.round(texel(place) * SUB).astype(int)
    cv2.circle(surface, at.tolist(), round(radius * PX_PER_SIDE * SUB), (grey, grey, grey), -1, cv2.LINE_AA, 4)


def _holes(spec: TableSpec, points_xy: Array) -> Float:
    """How bright drilled holes are: dark, with a soft rim; float32 (SIDE_PX, SIDE_PX)."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for place in np.round(texel(points_xy) * SUB).astype(int):
        cv2.circle(mask, place.tolist(), round(spec.holes * PX_PER_SIDE * SUB), 255, -1, cv2.LINE_AA, 4)
    return cast(Float, 1 - 0.55 * cv2.GaussianBlur(mask, (0, 0), 1.5).astype(np.float32) / 255)


def make_cloth(spec: TableSpec, ring_steps: tuple[float, ...] = ()) -> Cloth:
    """Draw the board.

    Args:
        ring_steps: How far each ring is turned, in holes, clockwise; whole numbers are rings at rest.

    Raises:
        ValueError: When ``ring_steps`` does not name every ring of the board.
    """
    if ring_steps and len(ring_steps) != len(spec.board.rings):
        raise ValueError(f"ring_steps must have {len(spec.board.rings)} entries, got {ring_steps!r}")
    if spec.board.rings:
        points_xy, outline, _ = _made(spec)
        colour = _discs(spec, ring_steps or (0.0,) * len(spec.board.rings))
    else:
        rng = np.random.default_rng([spec.seed, 1])
        points_xy, outline = make_shape(spec, rng)
        colour = paint_surface(rng, spec.cloth, SIDE_PX, PX_PER_SIDE)
        if spec.manner is not None:
            colour = fill_fields(colour, spec)
        alpha, shade = _strokes_alpha(spec, points_xy, rng)
        if spec.blemish is not None:
            alpha = fade(alpha, spec.blemish)
        alpha = alpha * np.float32(spec.strokes.opacity)
        ink = [np.float32(c) * shade * alpha for c in spec.strokes.colour]
        rest = 1 - alpha
        colour = cv2.merge([colour[..., k] * rest + ink[k] for k in range(3)])
        if spec.holes:
            colour = colour * _holes(spec, points_xy)[..., None]
        if spec.manner is not None:
            colour = adorn(colour, spec, points_xy, outline)
    inside = _filled(outline)
    edge = np.clip(cv2.GaussianBlur(inside, (0, 0), 0.006 * PX_PER_SIDE) * 1.15, 0, 1)  # a rim is worn and turned down
    worn = 0.6 + 0.4 * edge
    planes = [np.clip(colour[..., k] * worn * inside, 0, 255) for k in range(3)]
    bgra = cv2.merge([plane.round().astype(np.uint8) for plane in (*planes, 255 * inside)])
    return Cloth(bgra, points_xy, outline)
