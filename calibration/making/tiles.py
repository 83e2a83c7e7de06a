"""A template in, its sheets of paper out: tiled with an overlap, with glue marks, names, a map and a ruler.

Neighbouring sheets show the same strip. A grey line runs through its middle, the seam: one sheet is cut along it and
laid over the other so that the circles on the seam close. The strip under a tile (ruler, map and words) is cut off or
covered. The preview is the whole template in one drawing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from calibration.making.board_template import CUT_WIDTH_MM, Piece, TemplateChoice, board_pieces
from calibration.sheets import (
    PAPERS_MM,
    RULER_MM,
    Boxes,
    Line,
    Mark,
    Rectangle,
    Ring,
    Sheet,
    TextLine,
    Window,
    centred_number,
    outline,
    ruler,
    sheet_svg,
)
from calibration.step_texts import phrase
from referee.board import Xy
from referee.presets import game_name

MARGIN_MM = 8.0  # edge of a sheet that stays white, mm: nearly every printer can print the rest
FOOT_MM = 17.0  # height of the strip with ruler, words and map under a tile, mm
FOOT_BASELINES_MM = (4.5, 8.2, 13.3, 16.5)  # of title, glue, scale and printer, mm below the tile; the ruler ends last
TITLE_MM, NOTE_MM = 3.4, 2.5  # height of the fonts there, mm
RULER_GAP_MM = 3.0  # distance of the words from the ruler, mm
MAP_MM, MAP_GAP_MM = 26.0, 1.0  # greatest width of the map of sheets, distance between its pieces, mm
MAP_LINE_MM, MAP_INK = 0.15, 0.5  # width (mm) and grey of its lines
OVERLAP_MM = 12.0  # width of the strip that neighbouring sheets both show, mm: room for glue on half of it
GLUE_RADIUS_MM = 3.0  # radius of a glue mark, mm; half of it lies on each sheet
GLUE_PLACES = (0.2, 0.8)  # where the glue marks of a sheet lie along a seam, shares of its side
GLUE_CROSS_RADII = 1.4  # reach of the stroke across the seam in a glue mark, radii
GLUE_NUMBER_MM, GLUE_NUMBER_AT_MM = 2.2, (4.2, 1.4)  # font of its numbers; how far aside of the mark, and along, mm

# width (mm) and grey of seams and glue marks: they stay on the board and must not be lines of it
SEAM_WIDTH_MM, SEAM_INK = 0.2, 0.6

N_PLACES_TRIED = 25  # how many places of the seams are tried, to keep them off the points
PREVIEW_GAP_MM = 10.0  # distance between the pieces of a preview, mm
PREVIEW_INK, PREVIEW_DASH_MM = 0.65, (4.0, 4.0)  # grey and dashes (mm) of the borders of sheets in a preview
PREVIEW_NAMES = 25  # how many names of sheets, one below the other, would fill the longer side of a sheet
PREVIEW_LINES = 400  # how many of the thinnest lines of a preview would fill it: what is to be cut is seen there, too


@dataclass(frozen=True, slots=True)
class _Grid:
    """The tiles of a piece: size of the paper and of a window, and where each column and row begins, mm."""

    piece: Piece
    paper_mm: Xy
    window_mm: Xy
    lefts: tuple[float, ...]
    tops: tuple[float, ...]
    n_rows_before: int  # rows of the pieces before: names of rows are counted on

    @property
    def windows(self) -> dict[str, Rectangle]:
        """Window of each tile by its name, in reading order."""
        return {
            f"{chr(ord('A') + row)}{column}": (left, top, *self.window_mm)
            for row, top in enumerate(self.tops, start=self.n_rows_before)
            for column, left in enumerate(self.lefts, start=1)
        }

    @property
    def box(self) -> Rectangle:
        """The rectangle of all windows."""
        left, top = self.lefts[0], self.tops[0]
        return left, top, self.lefts[-1] + self.window_mm[0] - left, self.tops[-1] + self.window_mm[1] - top


def template_sheets(choice: TemplateChoice, language: str = "en") -> dict[str, Sheet]:
    """Return the sheets of a template in reading order, each with a part of one piece.

    A name is its row as a letter and its column as a number; the rows of all pieces are counted on.
    """
    grids = _grids(choice, language)
    count = sum(len(grid.windows) for grid in grids)
    sheets: dict[str, Sheet] = {}
    n_glue_marks = 0
    for grid in grids:
        seams = _seam_marks(grid, n_glue_marks)
        n_glue_marks += sum(isinstance(mark, Ring) for mark in seams)
        for name, window in grid.windows.items():
            part = Window(window, (MARGIN_MM, MARGIN_MM), (*grid.piece.marks, *seams))
            map_marks = _map(grids, name, grid.paper_mm) if count > 1 else []
            sheets[name] = Sheet(grid.paper_mm, (part, *_foot(choice, language, grid, name, count), *map_marks))
    return sheets


def preview_svg(choice: TemplateChoice, language: str = "en") -> str:
    """Return the whole template in one drawing with the borders of the sheets."""
    grids = _grids(choice, language)
    width = sum(grid.box[2] + PREVIEW_GAP_MM for grid in grids) + PREVIEW_GAP_MM
    height = max(grid.box[3] for grid in grids) + 2 * PREVIEW_GAP_MM
    thinnest = max(width, height) / PREVIEW_LINES
    pieces: list[Mark] = []
    x = 0.0
    for grid in grids:
        marks: list[Mark] = list(grid.piece.marks)
        letter = max(grid.window_mm) / PREVIEW_NAMES
        for name, window in grid.windows.items():
            marks.append(outline(window, CUT_WIDTH_MM, PREVIEW_INK, PREVIEW_DASH_MM))
            if len(grids) > 1 or len(grid.windows) > 1:
                at = window[0] + OVERLAP_MM + 2, window[1] + OVERLAP_MM + 2 + letter
                marks.append(TextLine(*at, letter, name, PREVIEW_INK))
        thick = (
            replace(mark, width=max(mark.width, thinnest)) if isinstance(mark, Line | Ring) and mark.width else mark
            for mark in marks
        )
        left, top, w, h = grid.box
        with_gap = left - PREVIEW_GAP_MM, top - PREVIEW_GAP_MM, w + 2 * PREVIEW_GAP_MM, h + 2 * PREVIEW_GAP_MM
        pieces.append(Window(with_gap, (x, 0.0), tuple(thick)))
        x += w + PREVIEW_GAP_MM
    return sheet_svg(Sheet((width, height), tuple(pieces)), _title(choice, language))


def _title(choice: TemplateChoice, language: str) -> str:
    size = phrase("template.size", language, size=choice.size_cm)
    return f"{game_name(choice.board.name, language)}, {size}"


# ------------------------------------------------------------------ how a piece is cut


def _grids(choice: TemplateChoice, language: str) -> list[_Grid]:
    grids: list[_Grid] = []
    for piece in board_pieces(choice, language):
        grids.append(_grid(piece, choice.paper, sum(len(grid.tops) for grid in grids)))
    return grids


def _grid(piece: Piece, paper: str, n_rows_before: int) -> _Grid:
    """Return the tiles of a piece with the paper upright or lying, whichever needs fewer sheets."""
    upright = PAPERS_MM[paper]
    grids = []
    for size in (upright, upright[::-1]):
        window = size[0] - 2 * MARGIN_MM, size[1] - 2 * MARGIN_MM - FOOT_MM
        lefts, tops = (
            _starts(piece.box[axis], piece.box[axis + 2], window[axis], [p[axis] for p in piece.points_mm])
            for axis in (0, 1)
        )
        grids.append(_Grid(piece, size, window, lefts, tops, n_rows_before))
    return min(grids, key=lambda grid: len(grid.lefts) * len(grid.tops))


def _starts(begin: float, length: float, window: float, points: list[float]) -> tuple[float, ...]:
    """Return where the tiles along one axis begin, mm of the piece; seams keep away from the points."""
    step = window - OVERLAP_MM
    n = 1 if length <= window else ceil((length - OVERLAP_MM) / step)
    spare = window + (n - 1) * step - length
    if n == 1:
        return (begin - spare / 2,)

    def room(first: float) -> float:
        seams = [first + k * step + OVERLAP_MM / 2 for k in range(1, n)]
        return min(abs(seam - point) for seam in seams for point in points)

    firsts = [begin - spare * k / (N_PLACES_TRIED - 1) for k in range(N_PLACES_TRIED)]
    best = max(firsts, key=lambda first: round(room(first), 6))
    return tuple(best + k * step for k in range(n))


def _seam_marks(grid: _Grid, n_before: int) -> list[Mark]:
    """Return the seams and the glue marks on them, mm of the piece; each mark has a number on both sides.

    Numbers are counted on after ``n_before``, so that each is there once in a template.
    """
    left, top, width, height = grid.box
    places: list[tuple[Xy, Xy]] = []  # of the glue marks, with the direction across the seam
    marks: list[Mark] = []
    for x in (start + OVERLAP_MM / 2 for start in grid.lefts[1:]):
        marks.append(Line(((x, top), (x, top + height)), SEAM_WIDTH_MM, SEAM_INK))
        places += [((x, start + grid.window_mm[1] * share), (1, 0)) for start in grid.tops for share in GLUE_PLACES]
    for y in (start + OVERLAP_MM / 2 for start in grid.tops[1:]):
        marks.append(Line(((left, y), (left + width, y)), SEAM_WIDTH_MM, SEAM_INK))
        places += [((start + grid.window_mm[0] * share, y), (0, 1)) for start in grid.lefts for share in GLUE_PLACES]
    reach, (aside, along) = GLUE_CROSS_RADII * GLUE_RADIUS_MM, GLUE_NUMBER_AT_MM
    for number, ((x, y), (across, down)) in enumerate(places, start=n_before + 1):
        marks.append(Ring((x, y), GLUE_RADIUS_MM, SEAM_WIDTH_MM, SEAM_INK))
        ends = tuple((x + side * reach * across, y + side * reach * down) for side in (-1, 1))
        marks.append(Line(ends, SEAM_WIDTH_MM, SEAM_INK))
        for side in (-1, 1):
            place = x + side * aside * across + along * down, y + side * aside * down - along * across
            marks.append(centred_number(place, GLUE_NUMBER_MM, str(number), SEAM_INK))
    return marks


# ------------------------------------------------------------------ what stands under a tile


def _foot(choice: TemplateChoice, language: str, grid: _Grid, name: str, count: int) -> Iterator[Mark]:
    left, top = MARGIN_MM, grid.paper_mm[1] - MARGIN_MM - FOOT_MM
    title, glue, scale, printer = (top + down for down in FOOT_BASELINES_MM)
    words = [_title(choice, language)]
    if count > 1:
        words.append(phrase("template.sheet", language, name=name, count=count))
    if choice.is_mirrored:
        words.append(phrase("template.mirrored", language))
    yield TextLine(left, title, TITLE_MM, " · ".join(words))
    if len(grid.windows) > 1:
        yield TextLine(left, glue, NOTE_MM, phrase("template.glue", language))
    yield ruler(left, printer)
    beside = left + RULER_MM + RULER_GAP_MM
    yield TextLine(beside, scale, NOTE_MM, phrase("pattern.ruler", language, mm=round(RULER_MM)))
    yield TextLine(beside, printer, NOTE_MM, phrase("template.print", language))


def _map(grids: list[_Grid], here: str, paper_mm: Xy) -> list[Mark]:
    """Return a small map of all sheets at the lower right, with this sheet filled."""
    total_width = sum(len(grid.lefts) * grid.paper_mm[0] for grid in grids)
    total_height = max(len(grid.tops) * grid.paper_mm[1] for grid in grids)
    gaps = MAP_GAP_MM * (len(grids) - 1)
    scale = min((FOOT_MM - 2) / total_height, (MAP_MM - gaps) / total_width)
    x, bottom = paper_mm[0] - MARGIN_MM - gaps - scale * total_width, paper_mm[1] - MARGIN_MM
    marks: list[Mark] = []
    for grid in grids:
        w, h = (scale * side for side in grid.paper_mm)
        for number, name in enumerate(grid.windows):
            row, column = divmod(number, len(grid.lefts))
            box = x + w * column, bottom - h * (len(grid.tops) - row), w, h
            if name == here:
                marks.append(Boxes((box,), MAP_INK))
            marks.append(outline(box, MAP_LINE_MM, MAP_INK))
        x += w * len(grid.lefts) + MAP_GAP_MM
    return marks
