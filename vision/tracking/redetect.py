"""A lost field and a frame in; the field where a search finds it, its points with their former names, out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np

from languages import message
from referee.board import Board
from vision.detection.detect import locate
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.imaging.homography import rotation
from vision.imaging.medians import median
from vision.tracking.follow import ELSEWHERE_SPACINGS, MIN_AGREEMENT_GAIN, Anchor, TrackedField, agreement


@cache
def board_rotations(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return every rotation of a board onto itself, as the point that each point maps to; the identity comes first.

    Mirror images are left out: no camera looks through a mirror.
    """
    xy = np.array(board.xy) - 0.5
    angles = np.arctan2(xy[:, 1], xy[:, 0])
    radii = np.linalg.norm(xy, axis=1)
    lead = int(np.argmax(radii))
    rotations = []
    for target in np.flatnonzero(np.isclose(radii, radii[lead], atol=1e-6)):
        turned = xy @ rotation(angles[target] - angles[lead]).T
        apart = np.linalg.norm(turned[:, None] - xy[None], axis=2)
        if (apart.min(axis=1) < 1e-6).all():
            rotations.append(tuple(int(i) for i in apart.argmin(axis=1)))
    return tuple(sorted(rotations, key=lambda onto: sum(a != b for a, b in enumerate(onto))))


def redetect(anchor: Anchor, frame: Frame, followed: TrackedField | NotRegistered) -> TrackedField | NotRegistered:
    """Return the field as it was ``followed``, or where a search of the whole picture finds it clearly elsewhere."""
    answer = _search_whole_picture(anchor, frame)
    if isinstance(followed, NotRegistered):
        return answer
    if isinstance(answer, NotRegistered):
        return followed
    apart = np.linalg.norm(answer.field.points_px - followed.field.points_px, axis=1) / followed.field.spacing_px
    return answer if float(median(apart)) > ELSEWHERE_SPACINGS else followed


def _search_whole_picture(anchor: Anchor, frame: Frame) -> TrackedField | NotRegistered:
    """Search the whole picture for the field of the last accepted frame; its points keep their names.

    Of the board's rotations, the one is taken under which lines and stones look most like before. Of several with about
    the same agreement, it is the one that moves the board least.
    """
    answer = locate(frame.bgr, [anchor.field.board])
    if isinstance(answer, NotRegistered):
        return answer
    gray = np.asarray(cv2.cvtColor(frame.bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    before = anchor.field.points_px
    places = [answer.field.points_px[list(onto)] for onto in board_rotations(anchor.field.board)]
    best, best_agreement = None, -1.0
    for points in sorted(places, key=lambda points: float(np.linalg.norm(points - before))):
        matrix, _ = cv2.findHomography(before, points, 0)
        if matrix is None:
            continue
        agreed = agreement(anchor, gray, np.asarray(matrix, np.float64))
        if agreed > best_agreement + (MIN_AGREEMENT_GAIN if best is not None else 0.0):
            best, best_agreement = (points, np.asarray(matrix, np.float64)), agreed
    if best is None:
        return NotRegistered(message("sight.strange"))
    points, matrix = best
    field = replace(
        anchor.field,
        drawing=answer.field.drawing,
        points_px=np.ascontiguousarray(points),
        image_from_board=matrix @ anchor.field.image_from_board,
    )
    return TrackedField(field, matrix, moved=True)
