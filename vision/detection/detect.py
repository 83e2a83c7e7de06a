"""Detect an unknown board in one picture: which board it is and where its points lie.

The network of maps looks at the whole picture, and once more at what may be a board (``heat_maps``). Drawings of boards
(``template_pose``) and rings of holes (``rings``) are placed on these maps, and each ends in a posterior
(``confidence``). Where none is likely, ``refusal`` says why.
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
from vision.detection.rings import DetectedDiscs, disc_registration, find_discs
from vision.detection.template_pose import (
    MAYBE_SEEN_BEYOND,
    PlacedBoard,
    drawing_from_above,
    larger_than_best,
    place_drawings,
    placed_from_above,
)
from vision.detection.templates import board_template, distinct_templates, line_drawings
from vision.imaging import cv
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, fit_homography
from vision.imaging.medians import median
from vision.networks.heat_maps import HeatMaps, letterbox, look, looking_at

MIN_PICTURE_SIDE_PX = 64
"""Shorter side of the smallest picture that is searched, px: in a smaller one a board looks like a blot."""

WARM = (0.3, 0.1)
"""Heat from which a map shows something of a board, and what may be one."""

MIN_WARMTH = 5.0
"""Sum of the heat from which something of a board is seen, px of the map."""

HAZE_PX = 25
"""Side of what may be warm all over and shows a board nevertheless, px of the map: one far away."""

N_PARTS = 3
"""Parts of a picture that are looked at once more, enlarged, where no board is likely. Source: measured, in photographs
of a lattice of bars beside the arm of a robot the third part is that of the board."""

MAX_ENLARGED, MIN_CLOSER = 3.0, 1.15
"""How far a picture is enlarged at most, and by how much a second look is closer than the first at least."""

GROUND_MARGIN, RIM_PX = 0.5, 3
"""How far the ground is continued round a picture in which no board is found, shares of its longer side, and the width
of the rim that tells its colour, px: boards that fill the picture, or have broad strokes, then look like the lessons.
Source: measured, 85 drawn ones: 44 are found in the picture itself, 68 when all have a margin of 0.15, 72 with 0.5."""

GROUND_SIDE_PX = 2560
"""Longer side to which a larger picture is reduced for that, px: a picture with its ground is four times as large."""

MIN_CORNER_COVERAGE = 0.35
"""Share of strokes that must be seen for a fit to count; else the corners do, and this is their confidence."""


@dataclass(frozen=True, eq=False)
class SearchReport:
    """The evidence in one picture for the boards that may lie there."""

    maps: HeatMaps  # of the whole picture
    boards: tuple[PlacedBoard, ...] = ()  # one a drawing, the best rated first
    discs: DetectedDiscs | None = None  # the best three rings of holes
    disc_board: Board | None = None  # the board of turning discs that was searched for

    @property
    def confidence(self) -> float:
        """Posterior of the most likely board: its lines and its holes each speak for it."""
        ways = [board.confidence for board in self.boards if board.template is self.boards[0].template]
        return max([0.0, *ways, *([self.discs.confidence] if self.discs else [])])


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
    common = tuple(BOARDS.values())
    report = search_picture(bgr, common if boards is None else boards)
    if boards is not None and MIN_BOARD_CONFIDENCE <= report.confidence < CERTAIN_CONFIDENCE:
        others = search_picture(bgr, [board for board in common if board not in boards])
        if others.confidence > CERTAIN_CONFIDENCE:  # what may be the board is another one
            one, other = (ranked_boards(found)[0][0] for found in (report, others))
            return NotRegistered(message("sight.two_boards", one=one, other=other)), report
    found = _on_continued_ground(bgr, boards or common) if report.confidence < MIN_BOARD_CONFIDENCE else None
    return found or registration_from_report(bgr, report), report


def _on_continued_ground(bgr: Image, boards: Sequence[Board]) -> Registration | None:
    """Return a board that is certain once the ground goes on round the picture; None without one."""
    rows = [bgr[edge].reshape(-1, 3) for edge in (slice(RIM_PX), slice(-RIM_PX, None))]
    columns = [bgr[:, edge].reshape(-1, 3) for edge in (slice(RIM_PX), slice(-RIM_PX, None))]
    ground = median(np.concatenate(rows + columns), axis=0).tolist()
    picture = cv.shrink(bgr, GROUND_SIDE_PX / max(bgr.shape[:2]))
    margin = round(GROUND_MARGIN * max(picture.shape[:2]))
    wide = cv2.copyMakeBorder(picture, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=ground)
    found = registration_from_report(np.asarray(wide), search_picture(np.asarray(wide), boards))
    if isinstance(found, NotRegistered) or found.confidence < CERTAIN_CONFIDENCE:
        return None
    back = np.array([[1.0, 0, -margin], [0, 1, -margin], [0, 0, 1]])
    points = found.field.points_px - margin
    field = replace(found.field, points_px=points, image_from_board=back @ found.field.image_from_board)
    if in_picture(points, size_of(picture)).mean() < MIN_POINTS_IN_SIGHT:
        return None
    return replace(found, field=field).enlarged(size_of(picture), size_of(bgr))


def search_picture(bgr: Image, boards: Sequence[Board]) -> SearchReport:
    """Search one picture for some boards; where none is likely, once more in parts of it, enlarged."""
    maps = look(bgr)
    box = board_box(maps)
    if box is None:
        return SearchReport(maps)
    looks, templates = [maps], distinct_templates(boards)
    placed = place_drawings(bgr, _closer_looks(bgr, box, looks), templates)
    report = SearchReport(maps, placed)
    disc_boards = [board for board in boards if board.rings]
    if disc_boards and report.confidence <= CERTAIN_CONFIDENCE:
        report = SearchReport(maps, placed, find_discs(bgr, looks[-1], disc_boards), disc_boards[0])
    if report.confidence >= MIN_BOARD_CONFIDENCE:
        return report
    parts = (look(bgr, looking_at(part, MAX_ENLARGED)) for part in _likely_parts(maps, size_of(bgr)))
    return replace(report, boards=place_drawings(bgr, parts, templates, placed))


def _closer_looks(bgr: Image, box: Float64Array, looks: list[HeatMaps]) -> Iterator[HeatMaps]:
    """Yield the look at the whole picture and then a closer one at a box, which ``looks`` has in the end."""
    yield looks[0]
    closer = looking_at(box, MAX_ENLARGED)
    if closer[0, 0] > MIN_CLOSER * letterbox(size_of(bgr))[0, 0]:
        looks.append(look(bgr, closer))
        yield looks[-1]


def _heat_of_boards(maps: HeatMaps) -> Float32Array:
    """Return how much more a place shows something of a board than its neighbourhood: warm all over shows nothing."""
    heat = np.max([maps[name] for name in ("strokes", "joints", "points", "holes")], axis=0)
    return np.asarray(heat - cv2.morphologyEx(heat, cv2.MORPH_OPEN, np.ones((HAZE_PX, HAZE_PX), np.uint8)), np.float32)


def _likely_parts(maps: HeatMaps, size_px: tuple[int, int]) -> Iterator[Float64Array]:
    """Yield boxes of half the sides of a picture, each round where most of a board is seen outside those before."""
    heat, half = _heat_of_boards(maps), np.array(size_px) / 4
    half_on_map = half / maps.image_from_map[0, 0]
    for _ in range(N_PARTS):
        near = cv2.GaussianBlur(heat, (0, 0), float(half_on_map[0]) / 3, borderType=cv2.BORDER_CONSTANT)
        row, column = np.unravel_index(int(near.argmax()), near.shape)
        low, high = (np.rint((column, row) + sign * half_on_map).astype(int) for sign in (-1, 1))
        within = heat[max(low[1], 0) : high[1], max(low[0], 0) : high[0]]
        if within.sum() < MIN_WARMTH:
            return
        within[:] = 0
        at = apply_homography(maps.image_from_map, np.array([column, row], np.float64))
        yield np.array([at - half, at + half])


def board_box(maps: HeatMaps) -> Float64Array | None:
    """Return the least and greatest x and y of what is most like a board, image space; None where nothing is."""
    heat = _heat_of_boards(maps)
    spread = (cv2.dilate((heat > warm).astype(np.uint8), np.ones((13, 13), np.uint8)) for warm in WARM)
    for mask in ((maps["board"] > 0.5).astype(np.uint8), *spread):
        n, labels = cv2.connectedComponents(mask)
        warmth = np.bincount(np.asarray(labels).ravel(), (heat * (heat > WARM[-1])).ravel(), n)
        warmth[0] = 0
        if warmth.max() > MIN_WARMTH:
            rows, columns = np.nonzero(np.asarray(labels) == int(warmth.argmax()))
            rim = np.array(
                [(x, y) for x in (columns.min(), columns.max()) for y in (rows.min(), rows.max())], np.float64
            )
            at = apply_homography(maps.image_from_map, rim)
            margin = 0.05 * float(np.ptp(at, axis=0).max())
            return np.array([at.min(0) - margin, at.max(0) + margin])
    return None


def registration_from_report(bgr: Image, report: SearchReport) -> Registration | NotRegistered:
    """Return the most likely board of a report, or why no board can be played on."""
    why_not: Iterator[str] = filter(None, failure_reasons(bgr, report.maps, report.boards))
    if report.confidence < MIN_BOARD_CONFIDENCE:
        return NotRegistered(next(why_not))
    if report.discs is not None and report.disc_board is not None and report.discs.confidence == report.confidence:
        found = disc_registration(report.discs, report.disc_board, report.confidence)
        why_not = iter([cut_off_reason(found.field.points_px, size_of(bgr))])
    else:
        found = report.boards[0].registration(report.confidence)
        larger = larger_than_best(report.boards, MAYBE_SEEN_BEYOND)
        if larger is not None and larger.template.board is not found.field.board:
            one, other = report.boards[0].template.name, larger.template.name
            return NotRegistered(message("sight.two_boards", one=one, other=other))
    in_sight = in_picture(found.field.points_px, size_of(bgr)).mean()
    return found if in_sight >= MIN_POINTS_IN_SIGHT else NotRegistered(next(why_not))


def ranked_boards(report: SearchReport) -> list[tuple[str, float]]:
    """Return the boards searched for with their posteriors, the one to be believed first."""
    found = [(board.template.board.name, board.confidence) for board in report.boards]
    if report.discs is not None and report.disc_board is not None:
        is_first = report.discs.confidence == report.confidence
        found.insert(0 if is_first else len(found), (report.disc_board.name, report.discs.confidence))
    once: dict[str, float] = {}
    for name, confidence in found:
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
        placed = placed_from_above(maps, template, image_from_template)
        fits.append((template.drawing, placed.points_px, placed.features["lines"]))
    at_corners = apply_homography(image_from_board, np.array(board.xy))
    name, points, coverage = max(fits, key=lambda fit: fit[2], default=(board.drawings[0].name, at_corners, 0.0))
    if coverage < MIN_CORNER_COVERAGE:
        return Registration(Field(board, name, at_corners, image_from_board), MIN_CORNER_COVERAGE)
    return Registration(Field(board, name, points, fit_homography(np.array(board.xy), points)), coverage)
