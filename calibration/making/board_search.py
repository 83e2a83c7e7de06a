"""Finds the board that somebody has made in a photograph, even where a line of it is missing."""

from __future__ import annotations

from collections.abc import Sequence

from referee.board import Board
from referee.boards import few_holes_first
from vision.detection.board_hypotheses import hypothesis_registration
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.detection.detect import SearchReport, locate_with_report, reduced_picture
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image, size_of

MIN_ASKED_COVERAGE = 0.75
"""Share of the strokes that must be seen for a board that people have named to be looked at although the finder is not
sure of it. Source: chosen; of boards that lack one line at least 0.8 is seen."""


def find_made_board(bgr: Image, boards: Sequence[Board] | None = None) -> Registration | NotRegistered:
    """Return where a finished board lies.

    The board is looked for as everywhere else. What the finder refuses, because a line is missing or too pale, is taken
    all the same where people say which board it is meant to be: its best hypothesis says where it lies.

    Args:
        bgr: uint8 array of shape (H, W, 3).
        boards: What it is meant to be; of turning discs every number of holes that it may have. Without it, what the
            finder takes it for.

    Raises:
        ValueError: When ``bgr`` is no picture.
    """
    best: Registration | None = None
    refused: NotRegistered | None = None
    for group in (None,) if boards is None else few_holes_first(boards):
        seen, report = locate_with_report(bgr, group)
        if isinstance(seen, NotRegistered):
            refused = refused or seen
            likely = None if group is None or report is None else _asked_board(bgr, report)
            if likely is None:
                continue
            seen = likely
        if best is None or seen.confidence > best.confidence:
            best = seen
        if best.confidence > CERTAIN_CONFIDENCE:
            break
    if best is not None:
        return best
    if refused is None:
        raise ValueError("boards must name at least one board")
    return refused


def _asked_board(bgr: Image, report: SearchReport) -> Registration | None:
    """Return the best hypothesis of the board that was asked for, where enough of its strokes is seen."""
    found = report.lines.hypotheses[:1]
    if not found or found[0].coverage < MIN_ASKED_COVERAGE:
        return None
    seen = hypothesis_registration(found[0], report.lines.confidence)
    return seen.enlarged(size_of(reduced_picture(bgr)), size_of(bgr))
