"""A lost field and a frame in; the field where a search finds it, its points with their former names, out."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from languages import message
from vision.detection.detect import locate
from vision.detection.templates import board_rotations
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.imaging.medians import median
from vision.tracking.follow import ELSEWHERE_SPACINGS, MIN_AGREEMENT_GAIN, Anchor, TrackedField, agreement


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
