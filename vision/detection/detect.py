"""Detect an unknown board in one picture: which board it is and where its points lie.

Boards are searched for in three ways: by their lines (``line_boards``) and by the rings of holes of turning discs
(``disc_detection``) in each playing area that stands out from the table (``playing_areas``), and by their holes
(``hole_boards``) in the whole picture. Each way ends in a posterior (``confidence``), and the most likely board wins.
Where none is likely, ``failure_reasons`` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from languages import message
from referee.board import Board
from referee.boards import COMMON_BOARDS
from vision.detection.board_hypotheses import AreaView, hypothesis_registration
from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE
from vision.detection.disc_detection import (
    DetectedDiscs,
    area_heatmap,
    disc_registration,
    search_area_for_discs,
    search_further_for_discs,
)
from vision.detection.failure_reasons import (
    MIN_POINTS_IN_SIGHT,
    cut_off_reason,
    failure_reasons,
    folded_reason,
    is_even,
    is_too_dark,
)
from vision.detection.hole_boards import HoleBoard, find_hole_boards, hole_confidence
from vision.detection.hole_layout import BlobPattern, detect_blobs
from vision.detection.line_boards import (
    LineBoards,
    boards_drawn_as,
    distinct_templates,
    repeat_search,
    search_area_for_lines,
    verify_partly_hidden,
)
from vision.detection.playing_areas import (
    Contours,
    PlayingArea,
    distinct_areas,
    find_contours,
    find_playing_areas,
    whole_picture_areas,
)
from vision.imaging import cv
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Float32Array, Image, in_picture, size_of

MIN_PICTURE_SIDE_PX = 64
"""Shorter side of the smallest picture that is searched, px: in a smaller one a board looks like a blot."""

MAX_PLAYING_AREAS = 4
"""Playing areas that are searched before the whole picture."""

MAX_COMPLETED_AREAS = 1
"""Playing areas that the picture cuts off, and that are searched as they go on beyond it."""

MAX_SMALL_AREAS = 2
"""Small things that are searched where no board is found."""

MAX_SEARCHED_SIDE_PX = 1600
"""Longest side of the picture that is searched, px; a larger one is reduced first: patches are 224 px wide."""


@dataclass(frozen=True, eq=False)
class SearchReport:
    """The evidence in one picture for every way in which a board may lie there."""

    lines: LineBoards = LineBoards()  # boards drawn with lines, one a drawing, the most likely first
    holes: tuple[HoleBoard, ...] = ()  # boards whose points are holes, balls or stones, the clearest first
    discs: DetectedDiscs | None = None  # the best three rings of holes
    disc_board: Board | None = None  # the board of turning discs that was searched for
    small: LineBoards = LineBoards()  # in small things; searched for only where there is no other board
    areas: tuple[PlayingArea, ...] = ()  # the most promising first

    @property
    def confidences(self) -> dict[str, float]:
        """Posterior of the most likely board of ``lines``, of ``holes`` and of ``discs``."""
        discs = 0.0 if self.discs is None else self.discs.confidence
        return {"lines": self.lines.confidence, "holes": hole_confidence(self.holes), "discs": discs}

    @property
    def confidence(self) -> float:
        """Posterior of the most likely board."""
        return max(self.confidences.values())

    @property
    def likeliest_way(self) -> str:
        """How the most likely board was found."""
        return max(self.confidences, key=self.confidences.__getitem__)

    @property
    def flat_confidence(self) -> float:
        """Posterior of the most likely board without discs."""
        return max(self.lines.confidence, hole_confidence(self.holes))


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
    """Return the evidence in one picture for some boards; areas are searched until one board is certain."""
    shared = shared or SharedSearch(bgr)
    templates = distinct_templates(chosen)
    disc_boards = [board for board in chosen if board.rings]
    report = SearchReport(disc_board=disc_boards[0] if disc_boards else None, areas=tuple(shared.areas))
    for k, area in enumerate(shared.to_search):
        report = replace(report, lines=search_area_for_lines(shared.view(area), templates, report.lines))
        if report.lines.confidence > CERTAIN_CONFIDENCE:
            break
        if k == 0 and templates:
            report = replace(report, holes=tuple(find_hole_boards(bgr, templates, shared.blobs)))
        if disc_boards and area.outline_quality > 0 and (k == 0 or report.flat_confidence < MIN_BOARD_CONFIDENCE):
            discs = search_area_for_discs(bgr, area, disc_boards, report.discs, heat=shared.heat(area))
            report = replace(report, discs=discs)
        if report.confidence > CERTAIN_CONFIDENCE:
            break
    report = replace(report, lines=repeat_search(bgr, report.lines))
    if disc_boards and report.flat_confidence < MIN_BOARD_CONFIDENCE:
        discs = search_further_for_discs(bgr, shared.areas, shared.whole, disc_boards, report.discs, shared.heat)
        report = replace(report, discs=discs)
    if report.confidence > MIN_BOARD_CONFIDENCE or not templates:
        return report
    small = LineBoards()
    for area in shared.small:
        small = search_area_for_lines(shared.view(area), templates, small)
    if small.confidence > MIN_BOARD_CONFIDENCE:
        return replace(report, lines=small)
    return replace(report, lines=verify_partly_hidden(bgr, report.lines), small=small)


def registration_from_report(bgr: Image, report: SearchReport) -> Registration | NotRegistered:
    """Return the most likely board of a report, or why no board can be played on."""
    lines = report.lines
    if report.confidence < MIN_BOARD_CONFIDENCE:
        small = report.small.verification
        reasons = failure_reasons(bgr, lines.hypotheses, lines.verification, small, lines.partly, report.areas)
        return NotRegistered(next(filter(None, reasons)))
    found = _likeliest_registration(report)
    if in_picture(found.field.points_px, size_of(bgr)).mean() < MIN_POINTS_IN_SIGHT:
        return NotRegistered(cut_off_reason(found.field.points_px, size_of(bgr)))
    if lines.verification is not None and report.likeliest_way == "lines":
        folded = folded_reason(bgr, lines.verification, report.areas)
        if folded:
            return NotRegistered(folded)
    return found


def _likeliest_registration(report: SearchReport) -> Registration:
    """Return the field of the most likely board of a report."""
    way, best = report.likeliest_way, report.confidence
    if way == "discs" and report.discs is not None and report.disc_board is not None:
        return disc_registration(report.discs, report.disc_board, best)
    if _holes_contain_lines(report) or (way == "holes" and not _lines_contain_holes(report)):
        return hypothesis_registration(report.holes[0], report.confidences["holes"])
    return hypothesis_registration(report.lines.hypotheses[0], best)


def ranked_boards(report: SearchReport) -> list[tuple[str, float]]:
    """Return the boards searched for, the likeliest first, with the seen share of lines, or their posterior."""
    posterior = report.confidences
    found = {
        "lines": [(board.template.board.name, board.coverage) for board in report.lines.hypotheses],
        "holes": [(board.template.board.name, posterior["holes"]) for board in report.holes[:1]],
        "discs": [(report.disc_board.name, posterior["discs"])] if report.discs and report.disc_board else [],
    }
    once: dict[str, float] = {}
    for way in sorted(found, key=lambda way: -posterior[way]):
        for name, share in found[way]:
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
    return (same or larger) and report.lines.confidence > least and lines.contains(holes)


def _holes_contain_lines(report: SearchReport) -> bool:
    """Return whether the best board of holes is believed, is larger, and holds every point of the best of lines."""
    if not report.lines.hypotheses or report.confidences["holes"] < MIN_BOARD_CONFIDENCE:
        return False
    lines, holes = report.lines.hypotheses[0], report.holes[0]
    return len(holes.points_px) > len(lines.points_px) and holes.contains(lines)


def check_picture(bgr: Image) -> None:
    """Refuse an array that is no picture; raises ``ValueError``."""
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"bgr must be uint8 of shape (H, W, 3), got {bgr.dtype} of {bgr.shape}")


def reduced_picture(bgr: Image) -> Image:
    """Return the picture that is searched: no side is longer than ``MAX_SEARCHED_SIDE_PX``."""
    return cv.shrink(bgr, MAX_SEARCHED_SIDE_PX / max(bgr.shape[:2]))


class SharedSearch:
    """One picture with what its searches share; each part is computed when it is first asked for."""

    def __init__(self, bgr: Image) -> None:
        self._bgr = bgr
        self.view: Callable[[PlayingArea], AreaView] = cache(lambda area: AreaView(bgr, area))
        self.heat: Callable[[PlayingArea], Float32Array] = cache(lambda area: area_heatmap(bgr, area))

    @cached_property
    def _contours(self) -> Contours:
        return find_contours(self._bgr)

    @cached_property
    def areas(self) -> list[PlayingArea]:
        """The playing areas, the most promising first."""
        return find_playing_areas(self._bgr, contours=self._contours)[:MAX_PLAYING_AREAS]

    @cached_property
    def whole(self) -> list[PlayingArea]:
        """The areas of the whole picture."""
        return whole_picture_areas(self._bgr)

    @cached_property
    def to_search(self) -> list[PlayingArea]:
        """The areas that are searched, in this order."""
        whole = [(area.whole_from_unit, area.outline_quality) for area in self.areas]
        completed = [PlayingArea(plane, quality) for plane, quality in whole if plane is not None]
        outlined = [*self.areas, *completed[:MAX_COMPLETED_AREAS]]
        return [*outlined, *distinct_areas(self.whole, outlined)]

    @cached_property
    def small(self) -> list[PlayingArea]:
        """Things that are too small for a playing area."""
        return find_playing_areas(self._bgr, MAX_SMALL_AREAS, small_things=True, contours=self._contours)

    @cached_property
    def blobs(self) -> BlobPattern:
        """The blobs of the picture."""
        return BlobPattern(detect_blobs(self._bgr))
