"""Boards whose points are hollows in wood, with balls in some of them: the picture and where its points lie.

A hollow is dark, most on the side towards the light; a ball rises above its rim, has a highlight towards the light and
throws a shadow away from it.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from tests.synthetic.spec import WOODS, Bgr, Surface
from tests.synthetic.surfaces import paint_surface
from tests.synthetic.texels import spacings
from vision.imaging.field import Field
from vision.imaging.frame import Image
from vision.imaging.homography import apply_homography

SIDE_PX = 900
"""Side of the flat picture in which the board is drawn."""


@dataclass(frozen=True, eq=False)
class Hollows:
    """A picture of a board of hollows.

    Attributes:
        bgr: uint8 array of shape (H, W, 3).
        tops: By point: 0 for an empty hollow, k for a ball of player k - 1.
    """

    bgr: Image
    field: Field
    tops: tuple[int, ...]


def hollows(rng: np.random.Generator, board: Board, *, share: float = 0.4, n_colours: int = 2) -> Hollows:
    """Draw a board of hollows with balls in about a share of them.

    Args:
        rng: The only source of chance.
        share: Of the hollows with a ball.
        n_colours: 1 for balls of wood like the board's, 2 for a second kind of another wood.
    """
    xy = 150 + 600 * np.array(board.xy)
    radius = float(np.clip(0.26 * spacings(xy).min(), 12, 45))
    ground = WOODS[int(rng.integers(len(WOODS)))]
    surface = Surface(ground, tuple(0.8 * c for c in ground), "wood", 0.1, 0.05)
    flat = paint_surface(rng, surface, SIDE_PX, 600.0)
    lamp = float(rng.uniform(0, 2 * np.pi))
    light = np.array([np.cos(lamp), np.sin(lamp)])
    own = np.clip(np.array(ground) * rng.uniform(0.95, 1.3), 20, 250)
    other = np.clip(np.array(WOODS[int(rng.integers(len(WOODS)))]) * rng.uniform(0.8, 1.1), 20, 250)
    colours: tuple[Bgr, ...] = tuple((float(b), float(g), float(r)) for b, g, r in (own, other)[:n_colours])
    depth = float(rng.uniform(0.55, 0.8))
    tops = tuple(int(rng.integers(1, n_colours + 1)) if rng.random() < share else 0 for _ in board.points)
    for place, top in zip(xy, tops, strict=True):
        _hollow(flat, place, radius, light, depth)
        if top:
            _ball(flat, place, radius * float(rng.uniform(0.95, 1.1)), light, colours[top - 1], rng)
    height, width = 480, 640
    corners = np.array([(0.0, 0.0), (SIDE_PX, 0), (SIDE_PX, SIDE_PX), (0, SIDE_PX)])
    lean = float(rng.uniform(10, 60))
    seen = np.array([(110.0 + lean, 20.0), (530 - lean, 20), (540, 460), (100, 460)]) + rng.normal(0, 6, (4, 2))
    image_from_flat = np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), seen.astype(np.float32)))
    flat_bgr = np.clip(flat, 0, 255).astype(np.uint8)
    bgr = cv2.warpPerspective(
        flat_bgr, image_from_flat, (width, height), flags=cv2.INTER_AREA, borderValue=(90, 95, 100)
    )
    bgr = np.clip(cv2.GaussianBlur(bgr, (0, 0), 0.7) + rng.normal(0, 2, bgr.shape), 0, 255).astype(np.uint8)
    points_px = apply_homography(image_from_flat.astype(np.float64), xy)
    image_from_board = image_from_flat @ np.array([[600.0, 0, 150], [0, 600, 150], [0, 0, 1]])
    return Hollows(bgr, Field(board, board.drawings[0].name, points_px, image_from_board), tops)


def _window(picture: NDArray[np.float32], place: NDArray[np.float64], reach: float) -> tuple[slice, slice]:
    low = np.maximum(np.floor(place - reach), 0).astype(int)
    high = np.minimum(np.ceil(place + reach) + 1, SIDE_PX).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _offsets(window: tuple[slice, slice], place: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
    rows, columns = np.mgrid[window[0], window[1]].astype(np.float32)
    return columns - place[0], rows - place[1]


def _hollow(
    picture: NDArray[np.float32], place: NDArray[np.float64], radius: float, light: NDArray[np.float64], depth: float
) -> None:
    """Darken a round hollow, more on the side towards the light, whose wall lies in the shade."""
    window = _window(picture, place, 1.3 * radius)
    x, y = _offsets(window, place)
    away = np.hypot(x, y) / radius
    inside = np.clip((1 - away) * radius / 2 + 0.5, 0, 1)
    towards = (x * light[0] + y * light[1]) / radius
    shade = 1 - inside * depth * np.clip(0.75 + 0.35 * towards - 0.2 * away**2, 0, 1)
    picture[window] *= shade[..., None]


def _ball(
    picture: NDArray[np.float32],
    place: NDArray[np.float64],
    radius: float,
    light: NDArray[np.float64],
    colour: Bgr,
    rng: np.random.Generator,
) -> None:
    """Paint a ball with its shading, its highlight and the shadow that it throws."""
    window = _window(picture, place, 2.2 * radius)
    x, y = _offsets(window, place)
    shadow = np.hypot(x + 0.6 * radius * light[0], y + 0.6 * radius * light[1]) < radius
    soft = cv2.GaussianBlur(shadow.astype(np.float32), (0, 0), 0.12 * radius)
    picture[window] *= 1 - 0.35 * soft[..., None]
    away = np.hypot(x, y) / radius
    inside = np.clip((1 - away) * radius / 2 + 0.5, 0, 1)[..., None]
    up = np.sqrt(np.clip(1 - away**2, 0, 1))
    lit = np.clip(0.35 + 0.55 * up + 0.3 * (x * light[0] + y * light[1]) / radius, 0.1, 1.2)
    gleam = np.exp(-((np.hypot(x - 0.4 * radius * light[0], y - 0.4 * radius * light[1]) / (0.18 * radius)) ** 2))
    grain = 1 + 0.04 * rng.standard_normal(x.shape).astype(np.float32)
    shown = np.array(colour) * (lit * grain)[..., None] + 120 * gleam[..., None]
    picture[window] = picture[window] * (1 - inside) + shown * inside
