"""Detect an unknown board in one picture: which board it is and where its points lie.

Boards are searched for in three ways: by their lines (``line_boards``) and by the rings of holes of turning discs
(``disc_boards``) in each playing area that stands out from the table (``playing_areas``), and by their holes
(``hole_boards``) in the whole picture. Each way ends in a posterior (``confidence``), and the most likely board wins.
Where none is likely, ``failure_reasons`` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from languages import message
from referee.board import Board
from referee.boards import COMMON_BOARDS
from vision.detection.board_hypotheses import BoardHypothesis, contains_points, hypothesis_registration
from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE, disc_confidence
from vision.detection.disc_boards import disc_registration, search_area_for_discs, search_further_for_discs
from vision.detection.disc_detection import DetectedDiscs
from vision.detection.failure_reasons import (
    MIN_POINTS_IN_SIGHT,
    cut_off_reason,
    failure_reason,
    folded_reason,
    is_even,
    is_too_dark,
)
from vision.detection.hole_boards import find_hole_boards, hole_confidence
from vision.detection.line_boards import (
    LineBoards,
    boards_drawn_as,
    distinct_templates,
    repeat_search,
    search_area_for_lines,
    verify_partly_hidden,
)
from vision.detection.playing_areas import PlayingArea
from vision.detection.shared_search import SharedSearch, reduced_picture
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image, in_picture, size_of

MIN_PICTURE_SIDE_PX = 64
"""Shorter side of the smallest picture that is searched, px: in a smaller one a board looks like a blot."""


@dataclass(frozen=True, eq=False)
class SearchReport:
    """The evidence in one picture for every way in which a board may lie there.

    Attributes:
        lines: Hypotheses of boards drawn with lines, one a drawing, the most likely first.
        holes: Hypotheses of boards whose points are holes, balls or stones, the clearest first; empty where not
            searched for.
        discs: The best three rings of holes; None where none were found or searched for.
        disc_board: The board of turning discs that was searched for.
        small: Hypotheses in small things; searched for only where there is no other board.
        areas: The playing areas, the most promising first.
    """

    lines: LineBoards
    holes: tuple[BoardHypothesis, ...]
    discs: DetectedDiscs | None
    disc_board: Board | None
    small: LineBoards = LineBoards()
    areas: tuple[PlayingArea, ...] = ()

    @property
    def hole_confidence(self) -> float:
        """Posterior of the first board of holes."""
        return hole_confidence(self.holes)

    @property
    def disc_confidence(self) -> float:
        """Posterior of the rings of holes."""
        return disc_confidence(self.discs)

    @property
    def confidence(self) -> float:
        """Posterior of the most likely board."""
        return max(self.lines.confidence, self.hole_confidence, self.disc_confidence)


def locate(bgr: Image, boards: Sequence[Board] | None = None, *, thorough: bool = True) -> Registration | NotRegistered:
    """Find the playing field in one picture: its points in image space, or a sentence that says what to change.

    The points are never mirrored, the board's "up" as upward in the picture as its symmetry allows. ``boards`` may lie
    there, the standard ones when omitted. Unless the search is ``thorough``, only those that are named are searched
    for, see ``search_picture``: a refusal takes a third of the time then. Raises ``ValueError`` when ``bgr`` is no
    picture.
    """
    return locate_with_report(bgr, boards, thorough=thorough)[0]


def locate_with_report(
    bgr: Image, boards: Sequence[Board] | None = None, *, thorough: bool = True
) -> tuple[Registration | NotRegistered, SearchReport | None]:
    """Return the field or the reason as ``locate``, with its evidence; None for a picture not worth a search."""
    check_picture(bgr)
    if min(bgr.shape[:2]) < MIN_PICTURE_SIDE_PX:
        size = f"{bgr.shape[1]} x {bgr.shape[0]}"
        return NotRegistered(message("sight.few_pixels", size=size)), None
    if is_too_dark(bgr):
        return NotRegistered(message("sight.dark")), None
    if is_even(bgr):
        return NotRegistered(message("sight.even")), None
    reduced = reduced_picture(bgr)
    report = search_picture(reduced, boards, thorough=thorough)
    answer = registration_from_report(reduced, report)
    return answer if isinstance(answer, NotRegistered) else answer.enlarged(size_of(reduced), size_of(bgr)), report


def search_picture(bgr: Image, boards: Sequence[Board] | None = None, *, thorough: bool = True) -> SearchReport:
    """Search one picture for boards; parameters as ``locate``.

    The boards that were named are searched for alone. Where none of them is certain, every board is searched for, and
    what is found of those named counts: other drawings show where a board lies and what colour its strokes have. So
    naming the board that lies there loses nothing.
    """
    check_picture(bgr)
    shared = SharedSearch(bgr)
    report = search_for(bgr, tuple(COMMON_BOARDS.values()) if boards is None else tuple(boards), shared)
    if boards is None or not thorough or report.confidence > CERTAIN_CONFIDENCE:
        return report
    templates = distinct_templates(boards)
    everything = tuple(dict.fromkeys((*boards, *COMMON_BOARDS.values())))
    if not 0 < len(templates) < len(distinct_templates(everything)):
        return report
    of_all = boards_drawn_as(search_for(bgr, everything, shared).lines, templates)
    is_better = of_all.confidence > max(report.confidence, MIN_BOARD_CONFIDENCE)
    return replace(report, lines=of_all) if is_better else report


def search_for(bgr: Image, chosen: tuple[Board, ...], shared: SharedSearch | None = None) -> SearchReport:
    """Return the evidence in one picture for some boards.

    The playing areas and then the whole picture are searched for lines and rings, and the picture once for holes, until
    one board is certain. ``shared`` keeps what further searches of the same picture need as well.
    """
    shared = shared or SharedSearch(bgr)
    templates = distinct_templates(chosen)
    disc_boards = [board for board in chosen if board.rings]
    lines = LineBoards()
    holes: list[BoardHypothesis] | None = None if templates else []
    discs: DetectedDiscs | None = None
    for k, area in enumerate(shared.to_search):
        lines = search_area_for_lines(shared.view(area), templates, lines)
        if lines.confidence > CERTAIN_CONFIDENCE:
            break
        if holes is None:
            holes = find_hole_boards(bgr, templates, shared.blobs)
        unlikely = max(lines.confidence, hole_confidence(holes)) < MIN_BOARD_CONFIDENCE
        if disc_boards and area.outline_quality > 0 and (k == 0 or unlikely):
            discs = search_area_for_discs(bgr, area, disc_boards, discs, heat=shared.heat(area))
        if max(lines.confidence, hole_confidence(holes), disc_confidence(discs)) > CERTAIN_CONFIDENCE:
            break
    lines = repeat_search(bgr, lines)
    holes = holes or []
    if disc_boards and max(lines.confidence, hole_confidence(holes)) < MIN_BOARD_CONFIDENCE:
        discs = search_further_for_discs(bgr, shared.areas, shared.whole, disc_boards, discs, shared.heat)
    disc_board = disc_boards[0] if disc_boards else None
    if max(lines.confidence, hole_confidence(holes), disc_confidence(discs)) > MIN_BOARD_CONFIDENCE or not templates:
        return SearchReport(lines, tuple(holes), discs, disc_board, areas=tuple(shared.areas))
    small = LineBoards()
    for area in shared.small:
        small = search_area_for_lines(shared.view(area), templates, small)
    if small.confidence > MIN_BOARD_CONFIDENCE:
        return SearchReport(small, tuple(holes), discs, disc_board, areas=tuple(shared.areas))
    return SearchReport(verify_partly_hidden(bgr, lines), tuple(holes), discs, disc_board, small, tuple(shared.areas))


def registration_from_report(bgr: Image, report: SearchReport) -> Registration | NotRegistered:
    """Return the most likely board of a report, or why there is none that can be played on."""
    lines = report.lines
    if max(lines.confidence, report.hole_confidence, report.disc_confidence) < MIN_BOARD_CONFIDENCE:
        small = report.small.verification
        return NotRegistered(
            failure_reason(bgr, lines.hypotheses, lines.verification, small, lines.partly, report.areas)
        )
    found = _likeliest_registration(report)
    if in_picture(found.field.points_px, size_of(bgr)).mean() < MIN_POINTS_IN_SIGHT:
        return NotRegistered(cut_off_reason(found.field.points_px, size_of(bgr)))
    if lines.verification is not None and lines.confidence == report.confidence:
        folded = folded_reason(bgr, lines.verification, report.areas)
        if folded:
            return NotRegistered(folded)
    return found


def _likeliest_registration(report: SearchReport) -> Registration:
    """Return the field of the most likely board of a report."""
    lines, discs = report.lines, report.discs
    best = report.confidence
    if discs is not None and report.disc_board is not None and report.disc_confidence == best:
        return disc_registration(discs, report.disc_board, best)
    if _holes_contain_lines(report) or (report.hole_confidence == best and not _lines_contain_holes(report)):
        return hypothesis_registration(report.holes[0], report.hole_confidence)
    return hypothesis_registration(lines.hypotheses[0], best)


def ranked_boards(report: SearchReport) -> list[tuple[str, float]]:
    """Return the boards searched for, the likeliest first, with the seen share of lines, or their posterior."""
    lines = [(found.template.board.name, found.coverage) for found in report.lines.hypotheses]
    holes = [(found.template.board.name, report.hole_confidence) for found in report.holes[:1]]
    discs = []
    if report.discs is not None and report.disc_board is not None:
        discs = [(report.disc_board.name, report.disc_confidence)]
    posteriors = report.lines.confidence, report.hole_confidence, report.disc_confidence
    groups = sorted(zip(posteriors, (lines, holes, discs), strict=True), key=lambda group: -group[0])
    once: dict[str, float] = {}
    for name, share in (found for _, group in groups for found in group):
        once.setdefault(name, round(share, 3))
    return list(once.items())


def _lines_contain_holes(report: SearchReport) -> bool:
    """Return whether the best board of lines is believed and holds every point of the best board of holes.

    The same board in the same place is located more exactly by its lines. A larger board that is believed explains the
    smaller one, whose points are some of its crossings; the smaller one does not explain the remaining lines.
    """
    if not report.lines.hypotheses or not report.holes:
        return False
    lines, holes = report.lines.hypotheses[0], report.holes[0]
    same = lines.template is holes.template
    least = CERTAIN_CONFIDENCE if same else MIN_BOARD_CONFIDENCE
    larger = len(lines.points_px) > len(holes.points_px)
    return (same or larger) and report.lines.confidence > least and contains_points(lines, holes)


def _holes_contain_lines(report: SearchReport) -> bool:
    """Return whether the best board of holes is believed, is larger, and holds every point of the best of lines."""
    if not report.lines.hypotheses or not report.holes or report.hole_confidence < MIN_BOARD_CONFIDENCE:
        return False
    lines, holes = report.lines.hypotheses[0], report.holes[0]
    return len(holes.points_px) > len(lines.points_px) and contains_points(holes, lines)


def check_picture(bgr: Image) -> None:
    """Refuse an array that is no picture; raises ``ValueError``."""
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"bgr must be uint8 of shape (H, W, 3), got {bgr.dtype} of {bgr.shape}")
