"""Find an unknown board in one picture and say which board it is and where its points lie.

The path: playing areas that stand out from the table (``candidates``) are looked at from above, strokes are made
visible whatever their colour (``evidence``), every drawing is turned, sized and tilted over them (``search``), the
best places are fitted to the very strokes (``refine``), and the kinds compete for the evidence (``_gain``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.layouts import BOARDS
from vision import cv
from vision.candidates import candidates, whole_picture
from vision.contest import STROKE_SEEN, Guess, guesses_in, polish
from vision.evidence import strokes
from vision.field import Field, NotRegistered, Registration
from vision.frame import Image
from vision.refine import fit, tall
from vision.search import SIDE_PX, unit_from_patch
from vision.spaces import Floats, apply_homography, fit_homography
from vision.templates import drawings_of, template

DARK_LEVEL = 22.0
"""Brightness (of 255) under which 98 % of a picture must lie to be called too dark."""

N_AREAS = 3
"""Playing areas that are looked into before giving up."""

CLEAR = 0.93
"""Share of strokes seen at which no further area is looked into."""

PLAUSIBLE = 0.75
"""Share of strokes seen in the best area at which the picture as a whole is not searched."""

N_FINE = 4
"""Drawings that are fitted again for the final."""


def locate(bgr: Image, boards: Sequence[Board] | None = None) -> Registration | NotRegistered:
    """Find the playing field in one picture.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    boards : sequence of Board, optional
        The boards that may lie there; None for every board that is known.

    Returns
    -------
    Registration
        With the points in image space, never mirrored, the board's "up" as upward in the picture as its symmetry
        allows.
    NotRegistered
        With a sentence that says what to change.
    """
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"bgr must be uint8 of shape (H, W, 3), got {bgr.dtype} of {bgr.shape}")
    if float(np.percentile(bgr[::4, ::4].max(axis=2), 98)) < DARK_LEVEL:
        return NotRegistered("the picture is too dark to see a board: switch on a lamp or open the camera's cover")
    chosen = tuple(BOARDS.values()) if boards is None else tuple(boards)
    guesses = ranked(bgr, chosen)
    if not guesses or guesses[0].coverage < 0.5:
        return NotRegistered("no playing field in sight: show the whole board, from further above if possible")
    best = guesses[0]
    return _registration(best, 0.9)


def field_from_corners(bgr: Image, board: Board, corners_px: Floats) -> Registration:
    """A field that a person has pointed at, fitted to the strokes nearby.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    board : Board
    corners_px : float array of shape (4, 2)
        Where the corners of the unit square of board space lie (for square boards those of the outermost square),
        from the upper left one (a7) clockwise, image space. They decide the names of the points.

    Returns
    -------
    Registration
        Confidence is the share of strokes that are seen; at worst the points are where the corners put them.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    if corners.shape != (4, 2):
        raise ValueError(f"corners_px must have shape (4, 2), got {corners.shape}")
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    image_from_board = fit_homography(square, corners)
    best: tuple[float, Field] | None = None
    for drawing in drawings_of(board):
        t = template(drawing)
        image_from_template = image_from_board @ np.linalg.inv(t.template_from_board)
        patch_from_template: Floats = (np.linalg.inv(unit_from_patch()) @ np.diag([0.9, 0.9, 1.0])).astype(np.float64)
        image_from_patch = image_from_template @ np.linalg.inv(patch_from_template)
        patch = cv.warp(bgr, image_from_patch, SIDE_PX)
        region = np.full((SIDE_PX, SIDE_PX), 255, np.uint8)
        laid = fit(tall(strokes(patch, region)), t, patch_from_template, (6, 5, 4, 4))
        seen = float((laid.support > STROKE_SEEN).mean())
        points = t.points_from_joints @ apply_homography(image_from_patch, laid.joints_px)
        if best is None or seen > best[0]:
            best = seen, Field(board, t.drawing, points, fit_homography(np.array(board.xy), points))
    if best is None or best[0] < 0.35:
        drawing_name = board.drawings[0].name if best is None else best[1].drawing
        points = apply_homography(image_from_board, np.array(board.xy))
        return Registration(Field(board, drawing_name, points, image_from_board), 0.35)
    return Registration(best[1], best[0])


def ranked(bgr: Image, boards: Sequence[Board]) -> list[Guess]:
    """Guesses for the field, one a drawing, the most likely first."""
    templates = [template(d) for board in boards for d in drawings_of(board)]
    rough: list[Guess] = []
    final: list[Guess] = []
    for areas in (candidates(bgr)[:N_AREAS], whole_picture(bgr)):
        for area in areas:
            rough += guesses_in(bgr, area, templates)[:N_FINE]
            if rough and max(rough, key=lambda g: g.gain).coverage > CLEAR:
                break
        rough.sort(key=lambda g: -g.gain)
        final = sorted((polish(bgr, g) for g in rough[:N_FINE]), key=lambda g: -g.gain)
        if final and final[0].coverage > PLAUSIBLE:
            break
    distinct: dict[str, Guess] = {}
    for guess in final:
        distinct.setdefault(guess.template.name, guess)
    return list(distinct.values())


def _registration(guess: Guess, confidence: float) -> Registration:
    board = guess.template.board
    order = _upright(guess)
    points = guess.points_px[order]
    h = fit_homography(np.array(board.xy), points)
    return Registration(Field(board, guess.template.drawing, points, h), confidence)


def _upright(guess: Guess) -> NDArray[np.intp]:
    """Which found point gets which place, so that the board's up is most upward in the picture."""
    t = guess.template
    xy = t.points_from_joints @ t.joints
    best: tuple[float, NDArray[np.intp]] | None = None
    for k in range(t.turns):
        angle = 2 * np.pi * k / t.turns
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
