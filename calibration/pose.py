"""Camera pose over a board: tilt, height, and positions on the plane of the board."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.imaging.field import Field
from vision.imaging.frame import Float64Array
from vision.imaging.lens import Lens
from vision.imaging.patches import DEFAULT_FOCAL_WIDTHS


@dataclass(frozen=True, eq=False)
class Pose:
    """Pose of a camera over a board.

    Attributes:
        camera_from_board: float64 array of shape (3, 4). Rotation and translation from board space (z = 0 on the board,
            z down into the table) to camera space; sides.
        lens: The lens with which the pose was estimated.
        is_guess: Whether the lens is only that of a usual webcam; tilt is then right within some degrees, height within
            a fifth.
        off_px: Root mean square distance of the points from those of an ideal board, px.
    """

    camera_from_board: Float64Array
    lens: Lens
    is_guess: bool
    off_px: float

    @property
    def tilt_deg(self) -> float:
        """Angle between the direction of view and straight down, degrees."""
        return float(np.rad2deg(np.arccos(min(1.0, abs(float(self.camera_from_board[2, 2]))))))

    @property
    def height(self) -> float:
        """Height of the camera above the plane of the board, sides of the board."""
        return abs(float(self.camera_from_board[:, 2] @ self.camera_from_board[:, 3]))

    def board_from_image(self, image_px: ArrayLike) -> Float64Array:
        """Return the points on the plane of the board, board space (sides), from image points, px; last axis x, y.

        Multiplied by the length of a side in mm they are millimetres on the table.
        """
        rays = self.lens.rays(image_px)
        h = np.linalg.inv(self.camera_from_board[:, [0, 1, 3]])
        flat = np.concatenate([rays, np.ones((*rays.shape[:-1], 1))], axis=-1) @ h.T
        places: Float64Array = flat[..., :2] / flat[..., 2:]
        return places

    def project(self, board_xyz: ArrayLike) -> Float64Array:
        """Return the image points, px, of points (n, 3) in board space."""
        places = np.asarray(board_xyz, np.float64)
        camera = places @ self.camera_from_board[:, :3].T + self.camera_from_board[:, 3]
        return self.lens.project(camera[:, :2] / camera[:, 2:])


def default_lens(size_px: tuple[int, int]) -> Lens:
    """Return the lens that is assumed for a camera that was not measured: a usual webcam without distortion."""
    width, height = size_px
    focal = DEFAULT_FOCAL_WIDTHS * width
    return Lens(size_px, np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]]), np.zeros(5))


def estimate_pose(field: Field, size_px: tuple[int, int], lens: Lens | None = None) -> Pose:
    """Return the pose of the camera, from the points of a field.

    Args:
        field: As measured in a picture.
        size_px: Width and height of that picture.
        lens: Lens for pictures of that size; ``default_lens`` when omitted.

    Perspective from a plane (Collins and Bartoli 2014, IPPE), then least squares over all points, so that crooked
    drawing averages out.

    Raises:
        ValueError: When the lens was measured for another size.
    """
    if lens is not None and lens.size_px != size_px:
        raise ValueError(f"the lens holds for {lens.size_px}, the picture has {size_px}")
    used = lens or default_lens(size_px)
    ideal = np.column_stack([np.asarray(field.board.xy, np.float64), np.zeros(len(field.board.xy))])
    rays = used.rays(field.points_px).reshape(-1, 1, 2)
    plain = np.eye(3), np.zeros(5)
    _, turn, shift = cv2.solvePnP(ideal, rays, *plain, flags=cv2.SOLVEPNP_IPPE)
    turn, shift = cv2.solvePnPRefineLM(ideal, rays, *plain, turn, shift)
    rotation = np.asarray(cv2.Rodrigues(turn)[0], np.float64)
    pose = Pose(np.column_stack([rotation, np.asarray(shift, np.float64).reshape(3)]), used, lens is None, 0.0)
    off = np.linalg.norm(pose.project(ideal) - field.points_px, axis=1)
    return Pose(pose.camera_from_board, used, lens is None, float(np.sqrt((off**2).mean())))
