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
from referee.layouts import BOARDS, MOULIN_ROUGE, moulin_rouge
from vision import cv
from vision.candidates import Candidate, candidates, whole_picture
from vision.contest import (
    STROKE_SEEN,
    Guess,
    alternatives,
    dots_in,
    drilled,
    drilled_guesses,
    guesses_in,
    one_each,
    polish,
)
from vision.evidence import strokes
from vision.field import Field, NotRegistered, Registration
from vision.frame import Image
from vision.refine import fit, tall
from vision.search import SIDE_PX, unit_from_patch
from vision.spaces import Floats, apply_homography, fit_homography
from vision.templates import Template, drawings_of, template
from vision.wheel import Wheel, wheels_in

DARK_LEVEL = 22.0
"""Brightness (of 255) under which 98 % of a picture must lie to be called too dark."""

N_AREAS = 4
"""Playing areas that are looked into before giving up."""

PLAUSIBLE = 0.75
"""Share of strokes seen in the best area at which the picture as a whole is not searched."""

SURE = 0.85
"""Confidence in strokes at which nobody looks for rings of holes."""

DIM_LEVEL = 60.0
"""Brightness under which 90 % of a picture must lie to be called dim."""

PARTLY = 0.75
"""Share of strokes seen at which a board is worth naming in the reason for a refusal."""

LEAST_CONFIDENCE = 0.5
"""Confidence under which nothing is said to be a board."""

N_FINE = 5
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
    areas = candidates(bgr)[:N_AREAS]
    lined = ranked(bgr, chosen, areas)
    sure = stroke_confidence(lined)
    if sure < SURE and any(board.name == MOULIN_ROUGE.name for board in chosen):
        wheels = sorted((w for area in areas for w in wheels_in(bgr, area)), key=lambda w: -w.worth)
        if wheels and wheel_confidence(wheels[0]) > max(sure, LEAST_CONFIDENCE):
            return _wheel_registration(wheels[0])
    if not lined or sure < LEAST_CONFIDENCE:
        return NotRegistered(_reason(bgr, lined))
    return _registration(lined[0], sure)


def _reason(bgr: Image, lined: Sequence[Guess]) -> str:
    """Why no board can be named, as a sentence that a player can act on."""
    if float(np.percentile(bgr[::4, ::4].max(axis=2), 90)) < DIM_LEVEL:
        return "no playing field in sight: the picture is dim, more light would help"
    if not lined or lined[0].coverage < PARTLY or lined[0].gain <= 0:
        return "no playing field in sight: show the whole board, from further above if possible"
    best = lined[0]
    if best.clutter > 0.06:
        return "no playing field in sight: there are many lines, but no board that would explain them"
    rivals = [g for g in lined[1:] if g.gain > 0.85 * best.gain]
    if rivals:
        return f"two boards look equally likely: {best.template.name} and {rivals[0].template.name}; say which it is"
    height, width = bgr.shape[:2]
    for beyond, side in (
        (best.points_px[:, 0].max() > width - 1, "right"),
        (best.points_px[:, 0].min() < 0, "left"),
        (best.points_px[:, 1].min() < 0, "upper"),
        (best.points_px[:, 1].max() > height - 1, "lower"),
    ):
        if beyond:
            return f"the {side} edge of the board is outside the picture"
    share = round(100 * best.coverage)
    return f"only {share} % of the lines of a board ({best.template.name}) can be seen: take away what hides them"


def stroke_confidence(lined: Sequence[Guess]) -> float:
    """Posterior that the best of the guesses is the board, from what is seen of it and of its best rival."""
    if not lined:
        return 0.0
    best = lined[0]
    rival = max((g.gain for g in lined[1:]), default=0.0)
    lead = 1.0 - max(0.0, rival) / best.gain if best.gain > 0 else 0.0
    evidence = 14 * (best.coverage - 0.78) + 4 * (min(lead, 0.4) - 0.15) - 45 * max(0.0, best.clutter - 0.03)
    return float(1 / (1 + np.exp(-evidence)))


def wheel_confidence(wheel: Wheel) -> float:
    """Posterior that three rings of holes are a board."""
    return float(1 / (1 + np.exp(-1.0 * (wheel.worth - 16))))


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


def ranked(bgr: Image, boards: Sequence[Board], areas: Sequence[Candidate]) -> list[Guess]:
    """Guesses for the field, one a drawing, the most likely first."""
    templates = _distinct(boards)
    if not templates:
        return []
    final: list[Guess] = []
    for group in (areas, whole_picture(bgr)):
        for area in group:
            rough = guesses_in(bgr, area, templates)[:N_FINE]
            rough = [g for g in rough if g.gain > 0.4 * rough[0].gain]
            holes = dots_in(bgr, area)
            fine = [drilled(polish(bgr, g), holes) for g in rough]
            if fine:
                best = max(fine, key=lambda g: g.gain)
                fine += [drilled(polish(bgr, g), holes) for g in alternatives(best, templates)]
            if area.fit > 0 and stroke_confidence(sorted(fine, key=lambda g: -g.gain)) < SURE:
                fine += drilled_guesses(bgr, holes, templates)
            final = sorted(final + fine, key=lambda g: -g.gain)
            if stroke_confidence(one_each(final)) > SURE:
                return one_each(final)
        if final and final[0].coverage > PLAUSIBLE:
            break
    return one_each(final)


def _distinct(boards: Sequence[Board]) -> list[Template]:
    """The drawings of the boards; of two boards that are painted alike the one that is mainly painted so."""
    drawings = [(d.drawing != board.drawings[0], template(d)) for board in boards for d in drawings_of(board)]
    out: list[Template] = []
    for _, t in sorted(drawings, key=lambda item: item[0]):
        if not any(t.sample_xy.shape == o.sample_xy.shape and np.allclose(t.sample_xy, o.sample_xy) for o in out):
            out.append(t)
    return out


def _wheel_registration(wheel: Wheel) -> Registration:
    n = wheel.n_holes
    board = moulin_rouge(n)
    start = int(wheel.holes_px[0, :, 1].argmin())  # the uppermost hole of the outer ring is the first
    first = wheel.phases_rad[0] + start * 2 * np.pi / n
    points = []
    for ring in range(3):
        turn = (first - wheel.phases_rad[ring]) / (2 * np.pi / n)
        points.append(np.roll(wheel.holes_px[ring], -round(turn), axis=0))
    xy = np.concatenate(points)
    ideal = np.array(board.xy)
    h = fit_homography(ideal, xy)
    return Registration(Field(board, "holes", xy, h), wheel_confidence(wheel))


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
