"""From what was found to a field: which found point gets which name of the board.

A board looks the same after some turns, so no picture can say which corner is a7. The names are given so that the
board's "up" is most upward in the picture, never mirrored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.layouts import moulin_rouge
from vision.detection.board_hypotheses import BoardHypothesis
from vision.detection.disc_detection import DetectedDiscs
from vision.imaging.field import Field, Registration
from vision.imaging.homography import fit_homography


def disc_registration(wheel: DetectedDiscs, confidence: float) -> Registration:
    """The field of three rings of holes; the uppermost hole of the outer ring is the first."""
    n = wheel.n_holes
    board = moulin_rouge(n)
    start = int(wheel.holes_px[0, :, 1].argmin())
    first = wheel.phases_rad[0] + start * 2 * np.pi / n
    points = []
    for ring in range(3):
        turn = (first - wheel.phases_rad[ring]) / (2 * np.pi / n)
        points.append(np.roll(wheel.holes_px[ring], -round(turn), axis=0))
    xy = np.concatenate(points)
    ideal = np.array(board.xy)
    h = fit_homography(ideal, xy)
    return Registration(Field(board, "holes", xy, h), confidence)


def hypothesis_registration(guess: BoardHypothesis, confidence: float) -> Registration:
    """The field of a drawing; its points are named so that the board's up is up in the picture."""
    board = guess.template.board
    order = _upright_order(guess)
    points = guess.points_px[order]
    h = fit_homography(np.array(board.xy), points)
    return Registration(Field(board, guess.template.drawing, points, h), confidence)


def _upright_order(guess: BoardHypothesis) -> NDArray[np.intp]:
    """Which found point gets which place, so that the board's up is most upward in the picture."""
    t = guess.template
    xy = t.points_from_joints @ t.joints
    best: tuple[float, NDArray[np.intp]] | None = None
    for k in range(t.symmetry_order):
        angle = 2 * np.pi * k / t.symmetry_order
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        moved = xy @ rotation.T  # where each point goes when the board is turned
        order = np.linalg.norm(moved[:, None] - xy[None], axis=2).argmin(1)
        points = guess.points_px[order]
        design = np.column_stack([xy, np.ones(len(xy))])
        slope = np.linalg.lstsq(design, points, rcond=None)[0]
        up = -slope[1]  # image direction of template up
        upward = float(-up[1] / np.hypot(*up))
        if best is None or upward > best[0] + 1e-9:
            best = upward, order
    assert best is not None
    return best[1]
