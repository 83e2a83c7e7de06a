"""Where the camera stands over the field: tilt, height, and millimetres on the plane of the board."""

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
    """A camera over a board.

    Attributes
    ----------
    camera_from_board : float64 array of shape (3, 4)
        Rotation and translation from board space (z = 0 on the board, z down into the table) to the camera's; sides.
    lens : Lens
        What it was worked out with.
    is_guess : bool
        The lens is that of a usual webcam: tilt is right within some degrees, height within a fifth.
    off_px : float
        How far the points lie from where an ideal board has them, root mean square, px.
    """

    camera_from_board: Float64Array
    lens: Lens
    is_guess: bool
    off_px: float

    @property
    def tilt_deg(self) -> float:
        """Angle between the camera's view and straight down; 0 looks straight down."""
        return float(np.rad2deg(np.arccos(min(1.0, abs(float(self.camera_from_board[2, 2]))))))

    @property
    def height(self) -> float:
        """Height of the camera over the plane of the board, sides of the board."""
        return abs(float(self.camera_from_board[:, 2] @ self.camera_from_board[:, 3]))

    def board_from_image(self, image_px: ArrayLike) -> Float64Array:
        """Places on the plane of the board, board space (sides), of image places, px; last axis x, y.

        Times the length of a side in mm these are millimetres on the table.
        """
        rays = self.lens.rays(image_px)
        h = np.linalg.inv(self.camera_from_board[:, [0, 1, 3]])
        flat = np.concatenate([rays, np.ones((*rays.shape[:-1], 1))], axis=-1) @ h.T
        places: Float64Array = flat[..., :2] / flat[..., 2:]
        return places

    def project(self, board_xyz: ArrayLike) -> Float64Array:
        """Image places, px, of places (n, 3) in board space."""
        places = np.asarray(board_xyz, np.float64)
        camera = places @ self.camera_from_board[:, :3].T + self.camera_from_board[:, 3]
        return self.lens.project(camera[:, :2] / camera[:, 2:])


def default_lens(size_px: tuple[int, int]) -> Lens:
    """The lens of a webcam that nobody has measured."""
    width, height = size_px
    focal = DEFAULT_FOCAL_WIDTHS * width
    return Lens(size_px, np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]]), np.zeros(5))


def estimate_pose(field: Field, size_px: tuple[int, int], lens: Lens | None = None) -> Pose:
    """Work out where the camera stands, from the points of a field.

    Parameters
    ----------
    field : Field
        As measured in a picture.
    size_px : (int, int)
        Width and height of that picture.
    lens : Lens, optional
        For pictures of that size; a usual webcam's where there is none.

    Notes
    -----
    Perspective from a plane (Collins and Bartoli 2014, IPPE), then least squares over all points: what a hand has
    drawn beside the line averages out.

    Raises
    ------
    ValueError
        When the lens was measured for another size.
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
