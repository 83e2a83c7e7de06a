"""A board and the wishes of a person in, the pieces of its template out: marks in mm, to be printed at 1:1.

The pieces are the board itself, or each turning disc, which is cut out on its own. They are made of the geometry that
referee and eyes use. ``choose_template`` checks the wishes and fills in the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist

from calibration.sheets import DIGIT_WIDTH, PAPERS_MM, Line, Mark, Rectangle, Ring, TextLine, bounds, centred_number
from calibration.step_texts import Refused, phrase, refuse_outside
from languages import number_text
from referee.board import Board, Circle, Segment, Xy
from referee.boards import BOARDS, BOARDS_WITH_HOLES, HOLE_COUNTS, with_holes
from referee.presets import PRESETS

SIZES_CM = (8, 100)  # least and largest size of a template, cm: a board for the pocket, and one for the floor
LINES_MM = (0.3, 20.0)  # least and largest width of a line, mm: what every printer prints, and a broad brush
MARKS_MM = (0.0, 40.0)  # least and largest diameter of the dots on the points, mm; 0 draws none
WIDEST_LINE = 1 / 4  # widest line, fraction of the least distance between two points: beyond it small fields close
WIDEST_MARK = 1 / 2  # largest dot, fraction of the least distance between two points

# distance between neighbouring points of a template of usual size, mm: pebbles of 2 cm lie apart, and nine men's morris
# takes two sheets of A4 or one of A3
USUAL_GAP_MM = 45.0

LEAST_USUAL_CM = 18  # least size that is proposed, cm: the largest that fits on one sheet of A4 or Letter
LARGEST_USUAL_CM = 40  # largest size that is proposed, cm: what lies on a small table with room for the hands
LINE_SHARE = 0.016  # width of a line that is proposed, fraction of the size
MARK_SHARE = 2.5  # diameter of a dot that is proposed, widths of a line
CORD_BEYOND_MM = 12.0  # distance from the outermost line to the cord of a cloth, mm
RIM_BEYOND_MM = 20.0  # distance from the cord to the rim of a cloth, mm: a hem that two rows of stitches hold
AXLE_MM = 5.0  # diameter of the hole for the axle of discs, mm: a split pin or a small dowel
CUT_WIDTH_MM, CUT_INK = 0.3, 0.45  # mm and grey of lines to cut, sew or drill along: people see them, cameras do not
CORD_DASH_MM = (4.0, 2.5)  # dashes of the line of the cord, mm on and mm off
TEXT_MM = 3.2  # height of the font on a piece, mm
LINE_HEIGHT = 1.6  # distance of baselines, heights of the font
LETTER_WIDTH = 0.5  # width of a letter, height of its font; source: font metrics of Helvetica, rounded
CROSS_SHARE = 0.3  # reach of the cross in the middle of a hole, diameters of the hole

# keys of the names of discs, the outermost first
DISC_KEYS = ("template.disc_outer", "template.disc_middle", "template.disc_inner")


@dataclass(frozen=True)
class TemplateChoice:
    """A choice of a template; ``choose_template`` makes and checks one."""

    board: Board
    drawing: str  # name of one of its drawings
    # how large the board is: from the middle of the outermost line to the middle of the one opposite, in the longer
    # direction; of discs it is the diameter of the largest one
    size_cm: float
    paper: str  # one of ``PAPERS_MM``
    line_mm: float  # width of the lines
    mark_mm: float  # diameter of the dots on the points; 0 for none
    is_mirrored: bool = False  # whether it is printed as a mirror image, to be ironed on
    has_cloth: bool = False  # whether the round cloth is drawn around the board, with the line of its cord

    @property
    def unit_mm(self) -> float:
        """Length of one side of board space, mm."""
        return 10 * self.size_cm / span(self.board, self.drawing)


@dataclass(frozen=True, slots=True)
class Disc:
    """A turning disc as it is cut and drilled."""

    radius_mm: float  # of the disc, which ends halfway between its holes and those of the next larger one
    ring_mm: float  # distance of the holes' middles from the axle
    hole_mm: float  # diameter of a hole
    angles_deg: tuple[float, ...]  # where the holes are, clockwise from the top


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a template that is printed on its own: the board, or one disc."""

    marks: tuple[Mark, ...]  # mm from the middle of the board
    box: Rectangle  # round its marks, the same
    points_mm: tuple[Xy, ...]  # where the points lie, in the order of the board; of a disc those of its ring


def board_to_make(name: str, n_holes: int | None = None) -> Board:
    """Return the board of a name, or of a game; Refused when it is unknown, or cannot have so many holes."""
    board = BOARDS.get(name) or (PRESETS[name].variant.board if name in PRESETS else None)
    if board is None:
        raise Refused("make.no_board", name=repr(name[:40]), known=", ".join(BOARDS))
    if n_holes is None:
        return board
    if board.name not in BOARDS_WITH_HOLES:
        raise Refused("make.no_holes")
    refuse_outside("make.holes", n_holes, (HOLE_COUNTS[0], HOLE_COUNTS[-1]))
    return with_holes(board, n_holes)


def choose_template(
    board: Board,
    drawing: str = "",
    *,
    size_cm: float | None = None,
    paper: str = "a4",
    line_mm: float | None = None,
    mark_mm: float | None = None,
    is_mirrored: bool = False,
    has_cloth: bool = False,
) -> TemplateChoice:
    """Return a choice that can be printed; missing values are those that suit the board.

    Raises Refused when a number is out of its limits, or there is no such drawing or paper.
    """
    names = [each.name for each in board.drawings]
    drawing = drawing or names[0]
    if drawing not in names:
        raise Refused("make.no_drawing", name=repr(drawing[:40]), known=", ".join(names))
    if paper not in PAPERS_MM:
        raise Refused("make.no_paper", name=repr(paper[:40]), known=", ".join(PAPERS_MM))
    if has_cloth and board.rings:
        raise Refused("make.no_cloth")
    size = usual_size_cm(board, drawing) if size_cm is None else size_cm
    refuse_outside("make.size", size, SIZES_CM)
    widest = WIDEST_LINE / 2 * _gap_mm(board, drawing, size)
    usual_line = round(max(LINES_MM[0], min(LINE_SHARE * 10 * size, widest)), 1)
    line = usual_line if line_mm is None else line_mm
    refuse_outside("make.line", line, line_limits_mm(board, drawing, size))
    marks = mark_limits_mm(board, drawing, size)
    usual_mark = min(round(MARK_SHARE * line, 1), marks[1]) if drawing == "lines" else 0.0  # cells and holes need none
    mark = usual_mark if mark_mm is None else mark_mm
    refuse_outside("make.mark", mark, marks)
    return TemplateChoice(board, drawing, size, paper, line, mark, is_mirrored, has_cloth)


def usual_size_cm(board: Board, drawing: str) -> int:
    """Return the size that suits a board, cm: its points lie ``USUAL_GAP_MM`` apart.

    >>> [usual_size_cm(BOARDS[name], "lines") for name in ("nine_mens_morris", "six_mens_morris", "trialectic")]
    [27, 18, 40]
    """
    wanted_cm = USUAL_GAP_MM / 10 * span(board, drawing) / board.least_gap
    return min(max(round(wanted_cm), LEAST_USUAL_CM), LARGEST_USUAL_CM)


def line_limits_mm(board: Board, drawing: str, size_cm: float) -> tuple[float, float]:
    """Return the least and largest width of a line on a board of this size, mm."""
    return LINES_MM[0], round(min(LINES_MM[1], WIDEST_LINE * _gap_mm(board, drawing, size_cm)), 1)


def mark_limits_mm(board: Board, drawing: str, size_cm: float) -> tuple[float, float]:
    """Return the least and largest diameter of the dots on the points of a board of this size, mm."""
    return MARKS_MM[0], round(min(MARKS_MM[1], WIDEST_MARK * _gap_mm(board, drawing, size_cm)), 1)


def _gap_mm(board: Board, drawing: str, size_cm: float) -> float:
    return 10 * size_cm * board.least_gap / span(board, drawing)


def extent(board: Board, drawing: str) -> tuple[float, float]:
    """Return width and height of a drawing, board space; of turning discs those of the largest."""
    if board.rings:
        return 2 * disc_radii(board)[0], 2 * disc_radii(board)[0]
    xs, ys = zip(*(end for stroke in board.drawing(drawing).strokes for end in stroke.ends), strict=True)
    return max(xs) - min(xs), max(ys) - min(ys)


def span(board: Board, drawing: str) -> float:
    """Return the size of a drawing, board space, as ``TemplateChoice.size_cm`` measures it."""
    return max(extent(board, drawing))


def discs(choice: TemplateChoice) -> tuple[Disc, ...]:
    """Return the discs of a board, the outermost first; none where nothing turns."""
    board, unit = choice.board, choice.unit_mm
    holes = [stroke.radius for stroke in board.drawing(choice.drawing).strokes if isinstance(stroke, Circle)]
    return tuple(
        Disc(
            radius * unit,
            dist(board.xy[ring[0]], (0.5, 0.5)) * unit,
            2 * holes[ring[0]] * unit,
            tuple(round(360 * k / len(ring), 2) for k in range(len(ring))),
        )
        for ring, radius in zip(board.rings, disc_radii(board), strict=True)
    )


def disc_radii(board: Board) -> tuple[float, ...]:
    """Return the radii of the discs, board space, the outermost first; none where nothing turns.

    Each reaches halfway to the next larger ring of holes, the largest as far beyond its own.
    """
    rings = [dist(board.xy[ring[0]], (0.5, 0.5)) for ring in board.rings]
    gaps = [(a - b) / 2 for a, b in zip(rings, rings[1:], strict=False)]
    return tuple(ring + gap for ring, gap in zip(rings, (*gaps[:1], *gaps), strict=False))


def board_pieces(choice: TemplateChoice, language: str = "en") -> tuple[Piece, ...]:
    """Return the pieces of a template, true to scale."""
    board = choice.board
    if not board.rings:
        return (_piece(choice, _board_marks(choice, language), range(len(board.xy))),)
    parts = zip(DISC_KEYS, discs(choice), board.rings, strict=True)
    return tuple(_piece(choice, _disc_marks(choice, disc, ring, key, language), ring) for key, disc, ring in parts)


def _piece(choice: TemplateChoice, marks: list[Mark], points: Sequence[int]) -> Piece:
    if choice.is_mirrored:  # words would stand the wrong way round on the cloth
        marks = [mark for mark in marks if not isinstance(mark, TextLine)]
    return Piece(tuple(marks), bounds(marks), tuple(_place(choice, choice.board.xy[k]) for k in points))


def _place(choice: TemplateChoice, xy: Xy) -> Xy:
    """Return a place of board space, mm from the middle of the board."""
    x, y = (xy[0] - 0.5) * choice.unit_mm, (xy[1] - 0.5) * choice.unit_mm
    return (-x if choice.is_mirrored else x), y


def _board_marks(choice: TemplateChoice, language: str) -> list[Mark]:
    marks: list[Mark] = [
        Line((_place(choice, stroke.start), _place(choice, stroke.end)), choice.line_mm)
        if isinstance(stroke, Segment)
        else Ring(_place(choice, stroke.centre), stroke.radius * choice.unit_mm, choice.line_mm)
        for stroke in choice.board.drawing(choice.drawing).strokes
    ]
    if choice.mark_mm:
        marks += [Ring(_place(choice, xy), choice.mark_mm / 2) for xy in choice.board.xy]
    if choice.has_cloth:
        for key, radius, dash in zip(("cord", "cut"), cloth_radii_mm(choice), (CORD_DASH_MM, ()), strict=True):
            marks.append(Ring((0.0, 0.0), radius, CUT_WIDTH_MM, CUT_INK, dash))
            marks.append(_centred(LINE_HEIGHT * TEXT_MM - radius, phrase(f"template.{key}", language)))
    return marks


def cloth_radii_mm(choice: TemplateChoice) -> tuple[float, float]:
    """Return the radii of the cord and of the rim of a round cloth for a board, mm."""
    ends = [end for stroke in choice.board.drawing(choice.drawing).strokes for end in stroke.ends]
    reach = max(dist(end, (0.5, 0.5)) for end in ends) * choice.unit_mm + choice.line_mm / 2
    cord = reach + CORD_BEYOND_MM
    return cord, cord + RIM_BEYOND_MM


def _disc_marks(choice: TemplateChoice, disc: Disc, ring: Sequence[int], key: str, language: str) -> list[Mark]:
    marks: list[Mark] = [Ring((0.0, 0.0), radius, CUT_WIDTH_MM, CUT_INK) for radius in (disc.radius_mm, AXLE_MM / 2)]
    marks += _cross((0.0, 0.0), AXLE_MM)
    beyond = disc.radius_mm - disc.ring_mm - (disc.hole_mm + choice.line_mm) / 2
    out = (disc.radius_mm - beyond / 2) / disc.ring_mm
    angles = [f"{number_text(angle, language)}°" for angle in disc.angles_deg]
    number_mm = min(TEXT_MM, beyond / (DIGIT_WIDTH * (1 + max(map(len, angles)))))
    for point, angle in zip(ring, angles, strict=True):
        x, y = _place(choice, choice.board.xy[point])
        marks += [Ring((x, y), disc.hole_mm / 2, choice.line_mm), *_cross((x, y), CROSS_SHARE * disc.hole_mm)]
        if choice.mark_mm:
            marks.append(Ring((x, y), choice.mark_mm / 2))
        marks.append(centred_number((x * out, y * out), number_mm, angle, CUT_INK))
    values = {
        "n": str(len(ring)),
        "step": 360 / len(ring),
        "hole": disc.hole_mm,
        "ring": disc.ring_mm,
        "disc": 2 * disc.radius_mm,
    }
    texts = [phrase(key, language, **values) for key in (key, "template.holes", "template.ring")]
    room = 2 * (disc.ring_mm - disc.hole_mm)
    size = min(TEXT_MM, room / (LETTER_WIDTH * max(map(len, texts))))
    return marks + [_centred(AXLE_MM + LINE_HEIGHT * size * (k + 1), text, size) for k, text in enumerate(texts)]


def _cross(place: Xy, reach: float) -> list[Mark]:
    x, y = place
    return [
        Line(((x - reach, y), (x + reach, y)), CUT_WIDTH_MM, CUT_INK),
        Line(((x, y - reach), (x, y + reach)), CUT_WIDTH_MM, CUT_INK),
    ]


def _centred(y: float, text: str, size: float = TEXT_MM) -> TextLine:
    """Return a text about whose middle the piece lies."""
    return TextLine(-LETTER_WIDTH / 2 * size * len(text), y, size, text, CUT_INK)
