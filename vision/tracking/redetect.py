"""Find a field again that was lost from sight, and give its points the names they had."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np

from referee.board import Board
from vision.detection.detect import locate
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Frame
from vision.tracking.follow import Anchor, TrackedField, agreement


@cache
def board_rotations(board: Board) -> tuple[tuple[int, ...], ...]:
    """Every turn of a board onto itself, as the point that each point comes to lie on; the first changes nothing.

    Mirror images are left out: no camera looks through a mirror.
    """
    xy = np.array(board.xy) - 0.5
    angles = np.arctan2(xy[:, 1], xy[:, 0])
    radii = np.linalg.norm(xy, axis=1)
    lead = int(np.argmax(radii))
    turns = []
    for target in np.flatnonzero(np.isclose(radii, radii[lead], atol=1e-6)):
        angle = angles[target] - angles[lead]
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        apart = np.linalg.norm((xy @ turn.T)[:, None] - xy[None], axis=2)
        if (apart.min(axis=1) < 1e-6).all():
            turns.append(tuple(int(i) for i in apart.argmin(axis=1)))
    return tuple(sorted(turns, key=lambda onto: sum(a != b for a, b in enumerate(onto))))


MIN_ROTATION_GAIN = 0.05
"""By so much more of the board must look as before for it to have been turned around rather than pushed."""

MIN_RELOCATION_SPACINGS = 0.15
"""Share of the spacing from which a field found anew lies elsewhere than the one that was followed."""


def recheck(followed: TrackedField | NotRegistered, anchor: Anchor, frame: Frame) -> TrackedField | NotRegistered:
    """Search anew for a field that shows nothing sensible where it was followed to.

    Parameters
    ----------
    followed : Followed or NotRegistered
        Where it should be.
    anchor : Anchor
    frame : Frame

    Returns
    -------
    Followed or NotRegistered
        ``followed``, unless the board is found clearly elsewhere.
    """
    found = redetect(anchor, frame)
    if isinstance(found, NotRegistered) or isinstance(followed, NotRegistered):
        return followed if isinstance(found, NotRegistered) else found
    apart = np.linalg.norm(found.field.points_px - followed.field.points_px, axis=1) / followed.field.spacing_px
    return found if float(np.median(apart)) > MIN_RELOCATION_SPACINGS else followed


def redetect(anchor: Anchor, frame: Frame) -> TrackedField | NotRegistered:
    """Search the whole picture for the field of the last settled look.

    Parameters
    ----------
    anchor : Anchor
    frame : Frame

    Returns
    -------
    Followed or NotRegistered
        The points keep their names: of the board's own turns the one is taken under which lines and stones look most
        like before, and the one that moves it least where others look hardly more so.
    """
    found = locate(frame.bgr, [anchor.field.board])
    if isinstance(found, NotRegistered):
        return found
    gray = np.asarray(cv2.cvtColor(frame.bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    before = anchor.field.points_px
    placed = [found.field.points_px[list(onto)] for onto in board_rotations(anchor.field.board)]
    best, likeness = None, -1.0
    for points in sorted(placed, key=lambda points: float(np.linalg.norm(points - before))):
        matrix, _ = cv2.findHomography(before, points, 0)
        if matrix is None:
            continue
        alike = agreement(anchor, gray, np.asarray(matrix, np.float64))
        if alike > likeness + (MIN_ROTATION_GAIN if best is not None else 0.0):
            best, likeness = (points, np.asarray(matrix, np.float64)), alike
    if best is None:
        return NotRegistered("the board cannot be recognised: bring it into the picture as it lay before")
    points, matrix = best
    field: Field = replace(
        anchor.field,
        drawing=found.field.drawing,
        points_px=np.ascontiguousarray(points),
        image_from_board=matrix @ anchor.field.image_from_board,
    )
    return TrackedField(field, matrix, moved=True)
