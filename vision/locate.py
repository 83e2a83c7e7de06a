"""Find an unknown board in one picture and say which board it is and where its points lie.

The path: playing areas that stand out from the table (``candidates``) are looked at from above, strokes are made
visible whatever their colour (``evidence``), every drawing is turned, sized and tilted over them (``search``), the
best places are fitted to the very strokes (``refine``), and the kinds compete for the evidence (``_gain``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.layouts import BOARDS
from vision import cv
from vision.candidates import Candidate, candidates
from vision.evidence import strokes
from vision.field import Field, NotRegistered, Registration
from vision.frame import Image
from vision.refine import Fit, fit, tall
from vision.search import SIDE_PX, UNIT_PX, search, stack, unit_from_patch
from vision.spaces import Floats, apply_homography, fit_homography
from vision.templates import Template, drawings_of, template

DARK_LEVEL = 22.0
"""Brightness (of 255) under which 98 % of a picture must lie to be called too dark."""

STROKE_SEEN = 0.25
"""Evidence at which a sample counts as seen."""


@dataclass(frozen=True, eq=False)
class Guess:
    """One drawing in one place, with what speaks for it.

    Attributes
    ----------
    template : Template
    joints_px, points_px : float64 arrays of shape (n_joints, 2), (n_points, 2)
        Image space.
    image_from_template : float64 array of shape (3, 3)
    coverage : float
        Share of the strokes that are seen.
    gain : float
        Log-likelihood against an empty patch, nats.
    """

    template: Template
    joints_px: Floats
    points_px: Floats
    image_from_template: Floats
    coverage: float
    gain: float


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
    best: dict[Template, Guess] = {}
    areas = candidates(bgr)
    for area in areas[:3]:
        for guess in _in_area(bgr, area, templates):
            if guess.template not in best or guess.gain > best[guess.template].gain:
                best[guess.template] = guess
    return sorted(best.values(), key=lambda g: -g.gain)


def _in_area(bgr: Image, area: Candidate, templates: list[Template]) -> list[Guess]:
    image_from_patch = area.image_from_unit @ unit_from_patch()
    patch = cv.warp(bgr, image_from_patch, SIDE_PX)
    region = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    cv2.circle(region, (SIDE_PX // 2, SIDE_PX // 2), round(UNIT_PX * 1.14), 255, -1)
    evidence = strokes(patch, region)
    coarse, fine = stack(evidence), tall(evidence)
    common = _common(evidence, region)
    out = []
    patch_from_unit = np.linalg.inv(unit_from_patch())
    for t in templates:
        fits = []
        for pose in search(coarse, t):
            laid = fit(fine, t, patch_from_unit @ pose.unit_from_template)
            fits.append((_gain(laid, image_from_patch, common), laid))
        gain, laid = max(fits, key=lambda item: item[0])
        joints = apply_homography(image_from_patch, laid.joints_px)
        out.append(
            Guess(
                t,
                joints,
                t.points_from_joints @ joints,
                image_from_patch @ laid.patch_from_template,
                float((laid.support > STROKE_SEEN).mean()),
                gain,
            )
        )
    return out


def _common(evidence: NDArray[np.float32], region: NDArray[np.uint8]) -> float:
    """How often a place without a stroke looks like one: share of the region seen in some given direction."""
    wide = np.stack([cv2.dilate(e, np.ones((5, 5), np.uint8)) for e in evidence])
    share = float((wide[:, region > 0] > STROKE_SEEN).mean())
    return min(0.6, max(0.04, share))


def _gain(laid: Fit, image_from_patch: Floats, common: float) -> float:
    """Log-likelihood of the strokes against none, nats; a nat weighs the same in every patch of a picture."""
    t = laid.template
    seen = laid.support > STROKE_SEEN
    per_sample = np.where(seen, float(np.log(0.85 / common)), float(np.log(0.15 / (1 - common))))
    # Stones stand on points and hide the strokes there: what is missing near a joint says little.
    near = np.minimum(t.sample_t, 1 - t.sample_t) < 0.25
    per_sample = np.where(near & ~seen, 0.35 * per_sample, per_sample)
    joints = apply_homography(image_from_patch, laid.joints_px)
    lengths = np.linalg.norm(joints[t.links[:, 0]] - joints[t.links[:, 1]], axis=1)
    per_link = np.bincount(t.sample_link, minlength=len(t.links))
    return float((per_sample * (lengths / per_link)[t.sample_link]).sum())


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
