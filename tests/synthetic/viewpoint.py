"""A pinhole camera above a table, with exact projection both ways.

World space: unit is one side of the board's unit square; the table top is the plane z = 0, x to the right and y
towards the first player as in board space, z DOWN into the table (so the axes are right-handed and a camera never
sees a mirror image). A stone's top therefore has a negative z.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

HORIZON_DEPTH = 1e-3  # sides; a ray flatter than this never reaches the table in the picture


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """Where a camera stands and what lens it has.

    Attributes:
        size_px: Width and height of the picture.
        focal_px: Focal length; the principal point is the middle of the picture.
        k1: First radial coefficient, as in OpenCV's model; negative is a barrel.
        camera_from_world: float64 array of shape (3, 3). Rotation; rows are the camera's right, down and forward in
            world space.
        centre: float64 array of shape (3,). The camera's place, world space.
    """

    size_px: tuple[int, int]
    focal_px: float
    k1: float
    camera_from_world: Array
    centre: Array

    def project(self, world: Array) -> Array:
        """Image places (n, 2), px, of world places (n, 3)."""
        camera = (np.asarray(world, np.float64).reshape(-1, 3) - self.centre) @ self.camera_from_world.T
        flat = camera[:, :2] / camera[:, 2:]
        stretch = 1 + self.k1 * (flat**2).sum(axis=1, keepdims=True)
        projected: Array = flat * stretch * self.focal_px + (np.array(self.size_px) - 1) / 2
        return projected

    def is_imaged(self, world: Array) -> NDArray[np.bool_]:
        """Which world places (n, 3) the lens shows where they are: a barrel folds what lies far out back in."""
        camera = (np.asarray(world, np.float64).reshape(-1, 3) - self.centre) @ self.camera_from_world.T
        outwards = 1 + 3 * self.k1 * ((camera[:, :2] / camera[:, 2:]) ** 2).sum(axis=1)
        return np.asarray((camera[:, 2] > 0) & (outwards > 0))

    def on_table(self, image_px: Array) -> Array:
        """Places (n, 2) on the table top, world space, of image places (n, 2), px."""
        places = np.asarray(image_px, np.float64).reshape(-1, 2)
        x, y = self._rays(places[:, 0], places[:, 1])
        return np.stack(self._meet_table(x, y), axis=1)

    def table_maps(self, oversampling: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Place on the table of every pixel: x and y, each float32 (H * oversampling, W * oversampling)."""
        width, height = self.size_px
        along = [((np.arange(n * oversampling) + 0.5) / oversampling - 0.5).astype(np.float32) for n in (width, height)]
        px, py = np.meshgrid(along[0], along[1])
        x, y = self._rays(px, py)
        table_x, table_y = self._meet_table(x, y)
        return table_x.astype(np.float32), table_y.astype(np.float32)

    def image_from_world_derivative(self, world: Array) -> Array:
        """Derivative (2, 3) of the projection at one world place, px per side."""
        step = 1e-4
        around = world + step * np.concatenate([np.eye(3), -np.eye(3)])
        ends = self.project(around)
        derivative: Array = (ends[:3] - ends[3:]).T / (2 * step)
        return derivative

    def _rays(self, px: NDArray[np.floating], py: NDArray[np.floating]) -> tuple[NDArray[np.floating], ...]:
        middle_x, middle_y = (self.size_px[0] - 1) / 2, (self.size_px[1] - 1) / 2
        x, y = (px - middle_x) / self.focal_px, (py - middle_y) / self.focal_px
        if self.k1 == 0:
            return x, y
        bent = np.sqrt(x * x + y * y)
        straight = bent.copy()
        for _ in range(6):  # Newton on r (1 + k1 r^2) = bent; |k1| < 0.3 and r < 1 converge in 4
            straight -= (straight * (1 + self.k1 * straight**2) - bent) / (1 + 3 * self.k1 * straight**2)
        ratio = 1 / (1 + self.k1 * straight**2)
        return x * ratio, y * ratio

    def _meet_table(self, x: NDArray[np.floating], y: NDArray[np.floating]) -> tuple[NDArray[np.floating], ...]:
        right, down, forward = (row.astype(x.dtype) for row in self.camera_from_world)
        depth = np.maximum(x * right[2] + y * down[2] + forward[2], HORIZON_DEPTH)
        reach = -self.centre[2].astype(x.dtype) / depth
        table_x = self.centre[0].astype(x.dtype) + reach * (x * right[0] + y * down[0] + forward[0])
        table_y = self.centre[1].astype(x.dtype) + reach * (x * right[1] + y * down[1] + forward[1])
        return table_x, table_y


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a camera stands.

    Attributes:
        tilt_deg: 0 looks straight down, 90 along the table.
        azimuth_deg: 0 at the first player's side, growing anticlockwise seen from above.
        roll_deg: The camera's turn about its own middle ray.
        fill: How much of the picture the board takes.
        field_of_view_deg: Across the picture's width.
        k1: First radial coefficient of the lens.
        aside: How far the middle of the board lies from the middle ray, world space.
    """

    tilt_deg: float = 30.0
    azimuth_deg: float = 0.0
    roll_deg: float = 0.0
    fill: float = 0.8
    field_of_view_deg: float = 60.0
    k1: float = 0.0
    aside: tuple[float, float] = (0.0, 0.0)


def look_at(distance: float, size_px: tuple[int, int], placing: Placing) -> Viewpoint:
    """A camera ``distance`` (sides) from the place on the table that its middle ray meets."""
    tilt, azimuth, roll = np.deg2rad([placing.tilt_deg, placing.azimuth_deg, placing.roll_deg])
    aim = np.array([-placing.aside[0], -placing.aside[1], 0.0])
    away = np.array([np.sin(tilt) * np.sin(azimuth), np.sin(tilt) * np.cos(azimuth), -np.cos(tilt)])
    forward = -away
    right = np.array([np.cos(azimuth), -np.sin(azimuth), 0.0])
    down = np.cross(forward, right)
    turned_right = np.cos(roll) * right + np.sin(roll) * down
    turned_down = np.cross(forward, turned_right)
    focal_px = size_px[0] / 2 / np.tan(np.deg2rad(placing.field_of_view_deg) / 2)
    rows = np.stack([turned_right, turned_down, forward])
    return Viewpoint(size_px, float(focal_px), placing.k1, rows, aim + distance * away)


@dataclass(frozen=True, slots=True)
class Bump:
    """How the camera has been knocked: turned about its own axes, and moved, from where it stood.

    Attributes:
        yaw_deg, pitch_deg, roll_deg: To the right, up, and clockwise.
        shift: World space, sides.
    """

    yaw_deg: float = 0.0
    pitch_deg: float = 0.0
    roll_deg: float = 0.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)


def bumped(view: Viewpoint, bump: Bump) -> Viewpoint:
    """The camera after a knock."""
    turned, _ = cv2.Rodrigues(np.deg2rad([-bump.pitch_deg, bump.yaw_deg, bump.roll_deg]))
    rotation = np.asarray(turned, np.float64).T @ view.camera_from_world
    return replace(view, camera_from_world=rotation, centre=view.centre + np.array(bump.shift))
