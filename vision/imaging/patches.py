"""The atlas: one small upright patch per point, cut from a frame in a single warp.

Everything that reads stones works on these patches and never on the frame, so a look at 24 points costs the same
whether the picture is small or large. A patch is laid out along the board, so that a turned or tilted board gives
the same patch; its middle is not the drawn point but the place where the middle of a pebble standing there would
be seen, a little towards the side from which the camera looks at it (parallax).

Colours are stored as logarithms (`L`, `u`, `v`): light that becomes k times brighter, and a white balance that
moves, then add a constant to all patches, and a shadow adds to `L` only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from vision.imaging.field import Field
from vision.imaging.frame import Image
from vision.imaging.homography import spacings

Floats = NDArray[np.float32]

SIDE = 32
"""Samples along one side of a patch."""

REACH = 0.8
"""Half a patch, in units, where the next point is one unit away: a pebble of radius 0.35 that lies 0.35 off its
point is still wholly seen, with a rim of 0.1."""

REACH_PER_SPACING = 0.35
"""What half a patch grows by where the next point is one unit further away (people lay stones less exactly there)."""

LARGEST_UNIT = 1 / 3
"""Pebbles do not grow for ever with the spacing: on wide boards the unit stops here (board space)."""

STONE_MIDDLE = 0.14
"""Height of the middle of a lying pebble over the board, in units: half of a radius of about 0.3."""

FOCAL = 0.75
"""Focal length of an unknown camera, in picture widths (a webcam of 67 degrees). The direction in which stones
lean depends on it only weakly."""

_DARK = 16.0
"""Added to pixel values before the logarithm, so that sensor noise in the dark does not grow without bounds."""

_LOG = np.log(np.arange(256, dtype=np.float32) + np.float32(_DARK))


@dataclass(frozen=True, eq=False)
class Patches:
    """The points of one frame, cut out.

    Attributes
    ----------
    luv : float32 array of shape (n_points, SIDE, SIDE, 3)
        Log brightness, log red over green, log blue over green; rows run along board y, columns along board x.
    inside : bool array of shape (n_points,)
        Whether the middle of the patch lies inside the picture.
    px_per_sample : float
        Picture pixels under one sample, median over the points: below 1 the picture is coarser than the patch.
    """

    luv: Floats
    inside: NDArray[np.bool_]
    px_per_sample: float


def samples_per_unit() -> float:
    """Length of one unit in samples of a patch, where the next point is one unit away."""
    return SIDE / (2 * REACH)


def reaches(board: Board) -> NDArray[np.float64]:
    """Half a patch at every point, in board space, shape (n_points,)."""
    unit = unit_of(board)
    spacing = np.clip(spacings(np.asarray(board.xy, np.float64)) / unit, 1.0, 2.0)
    return unit * (REACH + REACH_PER_SPACING * (spacing - 1))


def unit_of(board: Board) -> float:
    """Length in board space in which stones and patches are measured: the smallest spacing, at most a third."""
    return min(float(spacings(np.asarray(board.xy, np.float64)).min()), LARGEST_UNIT)


def lean_px(field: Field, size_px: tuple[int, int]) -> NDArray[np.float64]:
    """How far the image of a thing moves when it is lifted off the board.

    Parameters
    ----------
    field : Field
    size_px : (int, int)
        Width and height of the picture; the camera is taken to look through its middle.

    Returns
    -------
    float64 array of shape (n_points, 2)
        Image displacement in px per board unit of height, at every point.
    """
    width, height = size_px
    camera = np.array([[FOCAL * width, 0, (width - 1) / 2], [0, FOCAL * width, (height - 1) / 2], [0, 0, 1]])
    pose = np.linalg.solve(camera, field.image_from_board)
    pose = pose / np.sqrt(np.linalg.norm(pose[:, 0]) * np.linalg.norm(pose[:, 1]))
    centre = pose @ np.array([0.5, 0.5, 1.0])
    if centre[2] < 0:
        pose, centre = -pose, -centre
    normal = np.cross(pose[:, 0], pose[:, 1])
    normal /= max(float(np.linalg.norm(normal)), 1e-12)
    if normal @ centre > 0:
        normal = -normal
    xy = np.column_stack([np.asarray(field.board.xy), np.ones(len(field.board.xy))])
    foot = xy @ pose.T
    step = 0.05
    low, high = foot @ camera.T, (foot + step * normal) @ camera.T
    shift: NDArray[np.float64] = (high[:, :2] / high[:, 2:] - low[:, :2] / low[:, 2:]) / step
    return shift


def tangents(field: Field) -> NDArray[np.float64]:
    """Image of a small step along the board at every point: shape (n_points, 2, 2), px per board unit, columns x, y."""
    h = field.image_from_board
    xy = np.column_stack([np.asarray(field.board.xy), np.ones(len(field.board.xy))])
    p = xy @ h.T
    w = p[:, 2:]
    columns = [(h[:2, k] - (p[:, :2] / w) * h[2, k]) / w for k in (0, 1)]
    return np.stack(columns, axis=2)


def sample(bgr: Image, field: Field) -> Patches:
    """Cut a patch around every point of the field.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
        The picture.
    field : Field
        Where the points lie in it.

    Returns
    -------
    Patches
    """
    height, width = bgr.shape[:2]
    way = way_to_cut(field, width, height)
    x0, y0, x1, y1 = way.window
    view = bgr[y0:y1, x0:x1]
    if way.shrink > 1:
        size = ((x1 - x0) // way.shrink, (y1 - y0) // way.shrink)
        view = np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_AREA), np.uint8)
    luv = log_colours(view, way.maps).reshape(-1, SIDE, SIDE, 3)
    return Patches(luv, way.inside, way.px_per_sample)


def carry(luv: Floats, came_from: NDArray[np.intp], field: Field, size_px: tuple[int, int]) -> Floats:
    """What patches look like after rings have carried their holes on.

    Stones lean away from the camera and patches are cut where they lean to, so that a hole lies elsewhere in the patch
    when it has been turned: that is made good.

    Parameters
    ----------
    luv : float32 array of shape (n_points, SIDE, SIDE, 3)
    came_from : int array of shape (n_points,)
        Where what is now at each point was before.
    field : Field
    size_px : (int, int)
        Width and height of the picture.

    Returns
    -------
    float32 array of shape (n_points, SIDE, SIDE, 3)
    """
    lean = lean_px(field, size_px) * (STONE_MIDDLE * unit_of(field.board))
    offset = np.linalg.solve(axes_of(field) * (2 / SIDE), lean[..., None])[..., 0]
    carried = luv[came_from]
    for k in np.flatnonzero(came_from != np.arange(len(came_from))):
        right, down = offset[came_from[k]] - offset[k]
        move = np.array([[1, 0, right], [0, 1, down]])
        carried[k] = cv2.warpAffine(carried[k], move, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    return carried


def _ring_axes(board: Board) -> NDArray[np.float64]:
    """Turn of the patch axes at every point, shape (n_points, 2, 2): on a ring they turn with it.

    So a ring that has turned by a step carries the patch of each hole, as it is, to the next one.
    """
    turns = np.tile(np.eye(2), (len(board.points), 1, 1))
    for ring in board.rings:
        x, y = (np.asarray(board.xy)[list(ring)] - 0.5).T
        angle = np.arctan2(y, x)
        cos, sin = np.cos(angle), np.sin(angle)
        turns[list(ring)] = np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1)
    return turns


def axes_of(field: Field) -> NDArray[np.float64]:
    """Half the sides of every patch in the picture, px, shape (n_points, 2, 2): columns along its rows and columns."""
    return tangents(field) @ _ring_axes(field.board) * reaches(field.board)[:, None, None]


@dataclass(frozen=True, eq=False)
class Way:
    """How to cut the patches of one field: the window of the picture, how far to shrink it, and where to look then."""

    window: tuple[int, int, int, int]
    shrink: int
    maps: Floats
    inside: NDArray[np.bool_]
    px_per_sample: float


@lru_cache(maxsize=4)
def way_to_cut(field: Field, width: int, height: int) -> Way:
    """The way to cut a field that lies still; a field is a value, so what was worked out once stays true."""
    axes = axes_of(field)
    middles = field.points_px + lean_px(field, (width, height)) * (STONE_MIDDLE * unit_of(field.board))
    grid = (np.arange(SIDE) + 0.5) * (2 / SIDE) - 1
    places = (
        middles[:, None, None]
        + axes[:, None, None, :, 0] * grid[None, None, :, None]
        + axes[:, None, None, :, 1] * grid[None, :, None, None]
    )
    step = float(np.median(np.sqrt(np.abs(np.linalg.det(axes))))) * 2 / SIDE
    # Coarse steps over a fine picture would pick single threads of the weave: average them away first.
    shrink = max(1, int(step / 1.2))
    x0, y0 = (max(0, int(c)) for c in places.reshape(-1, 2).min(axis=0) - 2)
    x1, y1 = (int(c) for c in places.reshape(-1, 2).max(axis=0) + 3)
    x1, y1 = min(width, x1), min(height, y1)
    if x1 - x0 < 2 * shrink or y1 - y0 < 2 * shrink:
        x0, y0, x1, y1 = 0, 0, width, height
    x1, y1 = x0 + (x1 - x0) // shrink * shrink, y0 + (y1 - y0) // shrink * shrink
    maps = ((places - (x0, y0) + 0.5) / shrink - 0.5).astype(np.float32).reshape(-1, SIDE, 2)
    inside = np.asarray(((middles >= 0) & (middles <= (width - 1, height - 1))).all(axis=1))
    inside.setflags(write=False)
    return Way((x0, y0, x1, y1), shrink, maps, inside, step)


def log_colours(bgr: Image, places_px: Floats) -> Floats:
    """Log brightness, log red over green and log blue over green of a picture at given places.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    places_px : float32 array of shape (rows, columns, 2)
        Image places, x and y; outside the picture its border is repeated.

    Returns
    -------
    float32 array of shape (rows, columns, 3)
    """
    atlas = cv2.remap(
        bgr, places_px[..., 0], places_px[..., 1], interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    logs = np.take(_LOG, np.asarray(atlas, np.uint8))
    blue, green, red = logs[..., 0], logs[..., 1], logs[..., 2]
    out = np.empty(logs.shape, np.float32)
    out[..., 0] = (blue + green + red) * np.float32(1 / 3)
    out[..., 1] = red - green
    out[..., 2] = blue - green
    return out


def luv_to_bgr(luv: NDArray[np.floating]) -> Image:
    """Log colours as a picture again, uint8 of the same shape."""
    green = luv[..., 0] - (luv[..., 1] + luv[..., 2]) / 3
    bgr = np.exp(np.stack([green + luv[..., 2], green, green + luv[..., 1]], axis=-1)) - _DARK
    return np.asarray(np.clip(np.rint(bgr), 0, 255), np.uint8)


def luv_to_hex(luv: NDArray[np.floating]) -> str:
    """The colour as the page writes it, ``#rrggbb``."""
    blue, green, red = (int(c) for c in luv_to_bgr(luv))
    return f"#{red:02x}{green:02x}{blue:02x}"
