"""One picture in; which board lies there and where its points are, or a sentence that says why none is found, out.

The network of maps looks at the whole picture, and once more at what may be a board (``heat_maps``). Templates of
boards (``template_pose``), those of rings among them (``rings``), become candidates on these maps, each with its
posterior (``confidence``). Where none is likely, ``refusal`` says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from languages import message
from referee.board import Board
from referee.boards import BOARDS
from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE
from vision.detection.refusal import MIN_POINTS_IN_SIGHT, cut_off_reason, failure_reasons, is_even, is_too_dark
from vision.detection.rings import find_discs
from vision.detection.template_pose import (
    LEAST_SEEN,
    MAYBE_SEEN_BEYOND,
    SEEN,
    BoardCandidate,
    candidate_from_above,
    drawing_from_above,
    find_drawings,
    larger_than_best,
)
from vision.detection.templates import board_template, distinct_templates, line_drawings
from vision.imaging import cv
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, enlargement, fit_homography
from vision.imaging.medians import median
from vision.networks.heat_maps import HeatMaps, letterbox, look, looking_at

MIN_PICTURE_SIDE_PX = 64
"""Shorter side of the smallest picture that is searched, px: in a smaller one a board looks like a blot."""

LOW_SCORE, MIN_SCORES = 0.1, 5.0
"""Score from which a place may show something of a board, and the sum of them from which one is seen, px of the map."""

MAX_SCORES = 3000.0
"""Sum of all these scores from which a picture shows a finer grid, and is searched no further. Source: measured, 34
boards that were found further had 6 to 2,483, and 24 photographs of go boards 3,717 to 5,807."""

BOX_MARGIN = 0.05
"""Margin round what is most like a board in a closer look at it, shares of its longer side. Source: measured, 67
photographs of go boards: 64 grids are found with it, 63 with 0.03."""

HAZE_PX = 25
"""Side of what may score all over and shows a board nevertheless, px of the map: one far away."""

N_PARTS = 3
"""Parts of a picture that are looked at once more, enlarged, where no board is likely. Source: measured, in photographs
of a lattice of bars beside the arm of a robot the third part is that of the board."""

MAX_ENLARGED = 3.0
"""How far a picture is enlarged at most."""

SEARCHED_SIDE_PX = 1920
"""Longer side to which a larger picture is reduced before it is searched, px. Source: measured, 24 drawn tables of
2,560 px, six with a board of an eighth of the height: 18 are found so and at their size, 17 at 1,280."""

GROUND_MARGIN, RIM_PX = 0.5, 3
"""How far the ground is continued round a picture in which no board is found, shares of its longer side, and the width
of the rim that tells its colour, px: boards that fill the picture, or have broad strokes, then look like the lessons.
Source: measured, 85 drawn ones: 44 are found in the picture itself, 68 when all have a margin of 0.15, 72 with 0.5."""


@dataclass(frozen=True, eq=False)
class SearchReport:
    """The evidence in one picture for the boards that may lie there."""

    maps: HeatMaps  # of the whole picture
    boards: tuple[BoardCandidate, ...] = ()  # one a drawing, the best rated first
    discs: BoardCandidate | None = None  # the best three rings of holes

    @property
    def confidence(self) -> float:
        """Posterior of the most likely board: its lines and its holes each speak for it."""
        cues = [board.confidence for board in self.boards if board.template is self.boards[0].template]
        return max([0.0, *cues, *([self.discs.confidence] if self.discs else [])])

    def enlarged(self, enlarge: Float64Array) -> SearchReport:
        """Return the evidence in pixels of a picture to which that homography leads."""
        maps = replace(self.maps, image_from_map=enlarge @ self.maps.image_from_map)
        boards = tuple(board.enlarged(enlarge) for board in self.boards)
        return SearchReport(maps, boards, self.discs and self.discs.enlarged(enlarge))


def locate(bgr: Image, boards: Sequence[Board] | None = None) -> Registration | NotRegistered:
    """Find the playing field in one picture: its points in image space, or a sentence that says what to change.

    The points are never mirrored, the board's "up" as upward in the picture as its symmetry allows. ``boards`` may lie
    there, the standard ones when omitted. Raises ``ValueError`` when ``bgr`` is no picture.
    """
    return locate_with_report(bgr, boards)[0]


def locate_with_report(
    bgr: Image, boards: Sequence[Board] | None = None
) -> tuple[Registration | NotRegistered, SearchReport | None]:
    """Return the field or the reason as ``locate``, with its evidence; None for a picture not worth a search."""
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"bgr must be uint8 of shape (H, W, 3), got {bgr.dtype} of {bgr.shape}")
    if min(bgr.shape[:2]) < MIN_PICTURE_SIDE_PX:
        size = f"{bgr.shape[1]} x {bgr.shape[0]}"
        return NotRegistered(message("sight.few_pixels", size=size)), None
    if is_too_dark(bgr):
        return NotRegistered(message("sight.dark")), None
    if is_even(bgr):
        return NotRegistered(message("sight.even")), None
    picture = cv.shrink(bgr, SEARCHED_SIDE_PX / max(bgr.shape[:2]))
    answer, report = _answer(picture, boards)
    if picture is bgr:
        return answer, report
    report = report.enlarged(enlargement(size_of(picture), size_of(bgr)))
    return answer.enlarged(size_of(picture), size_of(bgr)) if isinstance(answer, Registration) else answer, report


def _answer(bgr: Image, boards: Sequence[Board] | None) -> tuple[Registration | NotRegistered, SearchReport]:
    """Return the field or the reason as ``locate``, in a picture worth a search that is not too large."""
    common = tuple(BOARDS.values())
    wanted = common if boards is None else boards
    report = search_picture(bgr, wanted)
    if boards is not None and MIN_BOARD_CONFIDENCE <= report.confidence < CERTAIN_CONFIDENCE:
        others = search_picture(bgr, [board for board in common if board not in boards])
        if others.confidence > CERTAIN_CONFIDENCE:  # what may be the board is another one
            one, other = (ranked_boards(each)[0][0] for each in (report, others))
            return NotRegistered(message("sight.two_boards", one=one, other=other)), report
    scores = _board_scores(report.maps)
    if report.confidence < MIN_BOARD_CONFIDENCE and scores[scores > LOW_SCORE].sum() < MAX_SCORES:
        parts = (look(bgr, looking_at(part, MAX_ENLARGED)) for part in _likely_parts(report.maps, size_of(bgr)))
        report = replace(report, boards=find_drawings(bgr, parts, distinct_templates(wanted), report.boards))
        if report.confidence < MIN_BOARD_CONFIDENCE and (registration := _on_continued_ground(bgr, wanted)):
            return registration, report
    return registration_from_report(bgr, report), report


def _on_continued_ground(bgr: Image, boards: Sequence[Board]) -> Registration | None:
    """Return a board that is certain once the ground goes on round the picture; None without one."""
    rows = [bgr[edge].reshape(-1, 3) for edge in (slice(RIM_PX), slice(-RIM_PX, None))]
    columns = [bgr[:, edge].reshape(-1, 3) for edge in (slice(RIM_PX), slice(-RIM_PX, None))]
    ground = median(np.concatenate(rows + columns), axis=0).tolist()
    margin = round(GROUND_MARGIN * max(bgr.shape[:2]))
    margins = margin, margin, margin, margin
    wide = np.asarray(cv2.copyMakeBorder(bgr, *margins, cv2.BORDER_CONSTANT, value=ground), np.uint8)
    report = search_picture(wide, boards)
    registration = registration_from_report(wide, report) if report.confidence >= CERTAIN_CONFIDENCE else None
    if not isinstance(registration, Registration):
        return None
    back = np.array([[1.0, 0, -margin], [0, 1, -margin], [0, 0, 1]])
    points = registration.field.points_px - margin
    field = replace(registration.field, points_px=points, image_from_board=back @ registration.field.image_from_board)
    is_here = in_picture(points, size_of(bgr)).mean() >= MIN_POINTS_IN_SIGHT
    return replace(registration, field=field) if is_here else None


def search_picture(bgr: Image, boards: Sequence[Board]) -> SearchReport:
    """Search one picture for some boards, and once more what is most like one, closer."""
    maps = look(bgr)
    box = board_box(maps)
    if box is None:
        return SearchReport(maps)
    looks, templates = [maps], distinct_templates(boards)
    drawings = find_drawings(bgr, _closer_looks(bgr, box, looks), templates)
    report = SearchReport(maps, drawings)
    disc_boards = [board for board in boards if board.rings]
    if disc_boards and report.confidence <= CERTAIN_CONFIDENCE:
        report = SearchReport(maps, drawings, find_discs(bgr, looks[-1], disc_boards))
    return report


def _closer_looks(bgr: Image, box: Float64Array, looks: list[HeatMaps]) -> Iterator[HeatMaps]:
    """Yield the look at the whole picture and then a closer one at a box, which ``looks`` has in the end."""
    yield looks[0]
    closer = looking_at(box, MAX_ENLARGED)
    if closer[0, 0] > letterbox(size_of(bgr))[0, 0]:
        looks.append(look(bgr, closer))
        yield looks[-1]


def _board_scores(maps: HeatMaps) -> Float32Array:
    """Return how much more a place shows something of a board than its neighbourhood: all over it shows nothing."""
    scores = np.max([maps[name] for name in ("strokes", "joints", "points", "holes")], axis=0)
    haze = cv2.morphologyEx(scores, cv2.MORPH_OPEN, np.ones((HAZE_PX, HAZE_PX), np.uint8))
    return np.asarray(scores - haze, np.float32)


def _likely_parts(maps: HeatMaps, size_px: tuple[int, int]) -> Iterator[Float64Array]:
    """Yield boxes of half the sides of a picture, each round where most of a board is seen outside those before."""
    scores, half = _board_scores(maps), np.array(size_px) / 4
    half_on_map = half / maps.image_from_map[0, 0]
    for _ in range(N_PARTS):
        near = cv2.GaussianBlur(scores, (0, 0), float(half_on_map[0]) / 3, borderType=cv2.BORDER_CONSTANT)
        row, column = np.unravel_index(int(near.argmax()), near.shape)
        low, high = (np.rint((column, row) + sign * half_on_map).astype(int) for sign in (-1, 1))
        within = scores[max(low[1], 0) : high[1], max(low[0], 0) : high[0]]
        if within.sum() < MIN_SCORES:
            return
        within[:] = 0
        at = apply_homography(maps.image_from_map, np.array([column, row], np.float64))
        yield np.array([at - half, at + half])


def board_box(maps: HeatMaps) -> Float64Array | None:
    """Return the least and greatest x and y of what is most like a board, image space; None where nothing is."""
    scores = _board_scores(maps)
    clear = scores * (scores > LOW_SCORE)
    spread = (cv2.dilate((scores > least).astype(np.uint8), np.ones((13, 13), np.uint8)) for least in (SEEN, LOW_SCORE))
    for mask in ((maps["board"] > 0.5).astype(np.uint8), *spread):
        n, labels = cv2.connectedComponents(mask)
        of_things = np.bincount(np.asarray(labels).ravel(), clear.ravel(), n)
        of_things[0] = 0
        if of_things.max() > MIN_SCORES:
            rows, columns = np.nonzero(np.asarray(labels) == int(of_things.argmax()))
            rim = [(x, y) for x in (columns.min(), columns.max()) for y in (rows.min(), rows.max())]
            at = apply_homography(maps.image_from_map, np.array(rim, np.float64))
            margin = BOX_MARGIN * float(np.ptp(at, axis=0).max())
            return np.array([at.min(0) - margin, at.max(0) + margin])
    return None


def registration_from_report(bgr: Image, report: SearchReport) -> Registration | NotRegistered:
    """Return the most likely board of a report, or why no board can be played on."""
    why_not: Iterator[str] = filter(None, failure_reasons(bgr, report.maps, report.boards))
    if report.confidence < MIN_BOARD_CONFIDENCE:
        return NotRegistered(next(why_not))
    if report.discs is not None and report.discs.confidence == report.confidence:
        registration = report.discs.registration(report.confidence)
        why_not = iter([cut_off_reason(registration.field.points_px, size_of(bgr))])
    else:
        registration = report.boards[0].registration(report.confidence)
        larger = larger_than_best(report.boards, MAYBE_SEEN_BEYOND)
        if larger is not None and larger.template.board is not registration.field.board:
            one, other = report.boards[0].template.name, larger.template.name
            return NotRegistered(message("sight.two_boards", one=one, other=other))
    in_sight = in_picture(registration.field.points_px, size_of(bgr)).mean()
    return registration if in_sight >= MIN_POINTS_IN_SIGHT else NotRegistered(next(why_not))


def ranked_boards(report: SearchReport) -> list[tuple[str, float]]:
    """Return the boards searched for with their posteriors, the one to be believed first."""
    ranking = [(board.template.board.name, board.confidence) for board in report.boards]
    if report.discs is not None:
        is_first = report.discs.confidence == report.confidence
        ranking.insert(0 if is_first else len(ranking), (report.discs.template.board.name, report.discs.confidence))
    once: dict[str, float] = {}
    for name, confidence in ranking:
        once.setdefault(name, round(confidence, 3))
    return list(once.items())


def field_from_corners(bgr: Image, board: Board, corners_px: Float64Array) -> Registration:
    """Return the field at corners that a person has pointed at, fitted to what is drawn nearby.

    The corners, (4, 2), are those of the unit square of board space, image space, from the upper left one (a7)
    clockwise; of a square board those of its outermost square. They decide the names of the points, and at worst their
    places. The confidence is the share of strokes that are seen. Raises ``ValueError`` when ``corners_px`` has another
    shape.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    if corners.shape != (4, 2):
        raise ValueError(f"corners_px must have shape (4, 2), got {corners.shape}")
    image_from_board = fit_homography(np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), corners)
    fits = []
    for drawing in line_drawings(board):
        template = board_template(drawing)
        image_from_template = image_from_board @ np.linalg.inv(template.template_from_board)
        maps = drawing_from_above(bgr, template, image_from_template)
        fits.append(candidate_from_above(maps, template, image_from_template))
    best, least = max(fits, key=lambda fit: fit.features["lines"], default=None), LEAST_SEEN["lines"][1]
    if best is None or best.features["lines"] < least:
        at_corners = apply_homography(image_from_board, np.array(board.xy))
        return Registration(Field(board, board.drawings[0].name, at_corners, image_from_board), least)
    return Registration(Field.fitted(board, best.template.drawing, best.points_px), best.features["lines"])
