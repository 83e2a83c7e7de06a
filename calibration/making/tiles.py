"""A template on sheets of paper: tiled with an overlap, with glue marks, names, a map and a ruler; and its preview.

Neighbouring sheets show the same strip. A grey line runs through its middle, the seam: one sheet is cut along it and
laid over the other so that the circles on the seam close. The strip under a tile (ruler, map and words) is cut off or
covered.
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
    Clip,
    Line,
    Mark,
    Rectangle,
    Ring,
    Sheet,
    TextLine,
    centred_number,
    moved,
    outline,
    ruler_boxes,
    sheet_svg,
    sheets_pdf,
    touches,
)
from calibration.step_texts import number_text, phrase
from referee.board import Xy
from referee.presets import game_name

MARGIN_MM = 8.0  # edge of a sheet that stays white, mm: nearly every printer can print the rest
FOOT_MM = 17.0  # height of the strip with ruler, words and map under a tile, mm
OVERLAP_MM = 12.0  # width of the strip that neighbouring sheets both show, mm: room for glue on half of it
GLUE_RADIUS_MM = 3.0  # radius of a glue mark, mm; half of it lies on each sheet

# width (mm) and grey of seams and glue marks: they stay on the board and must not be lines of it
SEAM_WIDTH_MM, SEAM_INK = 0.2, 0.6

MAP_INK = 0.5  # grey of the map of sheets
N_PLACES_TRIED = 25  # how many places of the seams are tried, to keep them off the points
PREVIEW_GAP_MM = 10.0  # distance between the pieces of a preview, mm
PREVIEW_INK = 0.65  # grey of the borders of sheets in a preview
PREVIEW_LINES = 400  # how many of the thinnest lines of a preview would fill it: what is to be cut is seen there, too


@dataclass(frozen=True, slots=True)
class Tile:
    """A sheet with its part of a piece."""

    name: str  # row as a letter and column as a number; the rows of all pieces are counted on
    piece: int  # which piece of the template
    window: Rectangle  # the part of the piece that it shows, mm of the piece
    origin_mm: Xy  # where the upper left corner of the window lies on the sheet
    sheet: Sheet


@dataclass(frozen=True, slots=True)
class _Grid:
    """How a piece is cut into tiles: size of the paper and of a window, first corner of each row and column, mm."""

    paper_mm: Xy
    window_mm: Xy
    lefts: tuple[float, ...]
    tops: tuple[float, ...]

    @property
    def n(self) -> int:
        return len(self.lefts) * len(self.tops)


def template_tiles(choice: TemplateChoice, language: str = "en") -> tuple[Tile, ...]:
    """Return the sheets of a template, in reading order."""
    pieces = board_pieces(choice, language)
    grids = [_grid(piece, choice.paper) for piece in pieces]
    count = sum(grid.n for grid in grids)
    found: list[Tile] = []
    n_glue_marks = 0
    for k, (piece, grid) in enumerate(zip(pieces, grids, strict=True)):
        seams = _seam_marks(grid, n_glue_marks)
        n_glue_marks += sum(isinstance(mark, Ring) for mark in seams)
        drawn = (*piece.marks, *seams)
        for name, window in _windows(grids, k):
            corner = MARGIN_MM, MARGIN_MM
            right, down = corner[0] - window[0], corner[1] - window[1]
            inside = tuple(moved(mark, right, down) for mark in drawn if touches(mark, window))
            tile = Clip((*corner, *grid.window_mm), inside)
            foot = _foot(choice, language, grid, name, count)
            map_marks = _map(grids, name, grid.paper_mm) if count > 1 else []
            found.append(Tile(name, k, window, corner, Sheet(grid.paper_mm, (tile, *foot, *map_marks))))
    return tuple(found)


def template_pdf(choice: TemplateChoice, language: str = "en") -> bytes:
    """Return all sheets of a template as PDF."""
    return sheets_pdf([tile.sheet for tile in template_tiles(choice, language)])


def template_svgs(choice: TemplateChoice, language: str = "en") -> dict[str, str]:
    """Return each sheet of a template as SVG, by its name."""
    return {tile.name: sheet_svg(tile.sheet) for tile in template_tiles(choice, language)}


def preview_svg(choice: TemplateChoice, language: str = "en") -> str:
    """Return the whole template in one drawing in the colour of the text around it, with the borders of the sheets."""
    pieces = board_pieces(choice, language)
    grids = [_grid(piece, choice.paper) for piece in pieces]
    marks: list[Mark] = []
    right, bottom = 0.0, 0.0
    for k, (piece, grid) in enumerate(zip(pieces, grids, strict=True)):
        left, top = min(grid.lefts), min(grid.tops)
        letter = max(grid.window_mm) / 25
        drawn: list[Mark] = list(piece.marks)
        for name, (x, y, w, h) in _windows(grids, k):
            drawn.append(outline((x, y, w, h), CUT_WIDTH_MM, PREVIEW_INK, (4.0, 4.0)))
            if sum(each.n for each in grids) > 1:
                drawn.append(TextLine(x + OVERLAP_MM + 2, y + OVERLAP_MM + 2 + letter, letter, name, PREVIEW_INK))
        marks += [moved(mark, right + PREVIEW_GAP_MM - left, PREVIEW_GAP_MM - top) for mark in drawn]
        right += PREVIEW_GAP_MM + grid.lefts[-1] + grid.window_mm[0] - left
        bottom = max(bottom, 2 * PREVIEW_GAP_MM + grid.tops[-1] + grid.window_mm[1] - top)
    size = right + PREVIEW_GAP_MM, bottom
    thinnest = max(size) / PREVIEW_LINES
    shown = [
        replace(mark, width=max(mark.width, thinnest)) if isinstance(mark, Line | Ring) and mark.width else mark
        for mark in marks
    ]
    return sheet_svg(Sheet(size, tuple(shown)), _title(choice, language), is_themed=True)


def _title(choice: TemplateChoice, language: str) -> str:
    size = phrase("template.size", language, size=number_text(choice.size_cm, language))
    return f"{game_name(choice.board.name, language)}, {size}"


# ------------------------------------------------------------------ how a piece is cut


def _grid(piece: Piece, paper: str) -> _Grid:
    """Return the tiles of a piece with the paper upright or lying, whichever needs fewer sheets."""
    upright = PAPERS_MM[paper]
    grids = []
    for size in (upright, upright[::-1]):
        window = size[0] - 2 * MARGIN_MM, size[1] - 2 * MARGIN_MM - FOOT_MM
        lefts, tops = (
            _starts(piece.size_mm[axis], window[axis], [p[axis] for p in piece.points_mm]) for axis in (0, 1)
        )
        grids.append(_Grid(size, window, lefts, tops))
    return min(grids, key=lambda grid: grid.n)


def _starts(length: float, window: float, points: list[float]) -> tuple[float, ...]:
    """Return where the tiles along one axis begin, mm of the piece; seams keep away from the points."""
    step = window - OVERLAP_MM
    n = 1 if length <= window else ceil((length - OVERLAP_MM) / step)
    spare = window + (n - 1) * step - length
    if n == 1:
        return (-spare / 2,)

    def room(first: float) -> float:
        seams = [first + k * step + OVERLAP_MM / 2 for k in range(1, n)]
        return min(abs(seam - point) for seam in seams for point in points)

    tried = [-spare * k / (N_PLACES_TRIED - 1) for k in range(N_PLACES_TRIED)]
    best = max(tried, key=lambda first: round(room(first), 6))
    return tuple(best + k * step for k in range(n))


def _windows(grids: list[_Grid], k: int) -> Iterator[tuple[str, Rectangle]]:
    """Yield name and window of each tile of piece ``k``; its rows are counted after those of the pieces before."""
    first_row = sum(len(grid.tops) for grid in grids[:k])
    for row, top in enumerate(grids[k].tops):
        for column, left in enumerate(grids[k].lefts):
            yield f"{chr(ord('A') + first_row + row)}{column + 1}", (left, top, *grids[k].window_mm)


def _seam_marks(grid: _Grid, n_before: int) -> list[Mark]:
    """Return the seams and the glue marks on them, mm of the piece; each mark has a number on both sides.

    Numbers are counted on after ``n_before``, so that each is there once in a template.
    """
    upright, level = ([start + OVERLAP_MM / 2 for start in starts[1:]] for starts in (grid.lefts, grid.tops))
    width, height = grid.window_mm
    ends = grid.lefts[-1] + width, grid.tops[-1] + height
    marks: list[Mark] = [Line(((x, grid.tops[0]), (x, ends[1])), SEAM_WIDTH_MM, SEAM_INK) for x in upright]
    marks += [Line(((grid.lefts[0], y), (ends[0], y)), SEAM_WIDTH_MM, SEAM_INK) for y in level]
    places = [((x, top + height * part), (1, 0)) for x in upright for top in grid.tops for part in (0.2, 0.8)]
    places += [((left + width * part, y), (0, 1)) for y in level for left in grid.lefts for part in (0.2, 0.8)]
    for number, ((x, y), (across, along)) in enumerate(places, start=n_before + 1):
        marks.append(Ring((x, y), GLUE_RADIUS_MM, SEAM_WIDTH_MM, SEAM_INK))
        right, down = 1.4 * GLUE_RADIUS_MM * across, 1.4 * GLUE_RADIUS_MM * along
        marks.append(Line(((x - right, y - down), (x + right, y + down)), SEAM_WIDTH_MM, SEAM_INK))
        for side in (-1, 1):
            place = x + side * 4.2 * across + 1.2 * along, y + side * 4.2 * along - 1.4 * across
            marks.append(centred_number(place, 2.2, str(number), SEAM_INK))
    return marks


# ------------------------------------------------------------------ what stands under a tile


def _foot(choice: TemplateChoice, language: str, grid: _Grid, name: str, count: int) -> list[Mark]:
    left, top = MARGIN_MM, grid.paper_mm[1] - MARGIN_MM - FOOT_MM
    title = _title(choice, language)
    if count > 1:
        title += " · " + phrase("template.sheet", language, name=name, count=count)
    if choice.is_mirrored:
        title += " · " + phrase("template.mirrored", language)
    marks: list[Mark] = [TextLine(left, top + 4.5, 3.4, title)]
    if grid.n > 1:
        marks.append(TextLine(left, top + 8.2, 2.5, phrase("template.glue", language)))
    y = top + FOOT_MM - 0.5
    beside = left + RULER_MM + 3
    ruler = TextLine(beside, y - 3.2, 2.5, phrase("pattern.ruler", language, mm=round(RULER_MM)))
    return [*marks, Boxes(ruler_boxes(left, y)), ruler, TextLine(beside, y, 2.5, phrase("template.print", language))]


def _map(grids: list[_Grid], here: str, paper_mm: Xy) -> list[Mark]:
    """Return a small map of all sheets at the lower right, with this sheet filled."""
    total_width = sum(len(grid.lefts) * grid.paper_mm[0] for grid in grids)
    total_height = max(len(grid.tops) * grid.paper_mm[1] for grid in grids)
    gaps = 1.0 * (len(grids) - 1)
    scale = min((FOOT_MM - 2) / total_height, (26.0 - gaps) / total_width)
    x, bottom = paper_mm[0] - MARGIN_MM - gaps - scale * total_width, paper_mm[1] - MARGIN_MM
    marks: list[Mark] = []
    for k, grid in enumerate(grids):
        w, h = (scale * side for side in grid.paper_mm)
        n_columns, n_rows = len(grid.lefts), len(grid.tops)
        for number, (name, _) in enumerate(_windows(grids, k)):
            left, top = x + w * (number % n_columns), bottom - h * (n_rows - number // n_columns)
            if name == here:
                marks.append(Boxes(((left, top, w, h),), MAP_INK))
            marks.append(outline((left, top, w, h), 0.15, MAP_INK))
        x += w * n_columns + 1.0
    return marks
