"""Drawn boards with one fault each, and good ones: what the check of a board must name, and what it must not blame.

Everything is drawn from a seed: the board, its drawing, the cloth, the strokes, the light, the stones and the fault.
Nothing of it is taken from the code that checks boards.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.making.board_check import BoardCheck
from calibration.making.stroke_faults import BoardFault
from referee.board import Board, Segment
from referee.boards import BOARDS
from tests.synthetic import Paint, Placing, Scene, Stone, TableSpec, random_spec
from tests.synthetic.blemish import Blemish, Glare, Xy
from tests.synthetic.scene import PEBBLE_ROOM
from tests.synthetic.spec import NATURAL, PAINTS, Bgr, LineStyle, lab_distance
from tests.synthetic.texels import spacings
from vision.imaging.frame import Image

FAULTS = ("pale_line", "crooked_corner", "missing_link", "alike_paints", "too_small", "glare")
"""The faults that are drawn, by the names of `calibration.making.board_check.FAULT_KINDS`."""

DRAWN_BOARDS = (
    "nine_mens_morris", "twelve_mens_morris", "six_mens_morris", "seven_mens_morris", "three_mens_morris", "picaria",
    "roman_mill", "tic_tac_toe",
)  # fmt: skip
SIZES_PX = ((640, 480), (960, 540), (1280, 720))
STYLES: tuple[LineStyle, ...] = ("paint", "wool", "burnt", "print", "tape", "chalk")
PALE_STRENGTHS = (0.25, 0.35)  # of the opacity of the other lines
ASKEW_SIDES = (0.07, 0.1)  # how far a crooked corner is off; careful hands are some 0.01 off
SMALL_SPACINGS_PX = (15.0, 19.0)  # a usual stone is 0.6 of it wide: 9 to 11.4 px, and 13 are needed
GLARE_SIDES = (0.05, 0.11)  # radius of a lamp's reflection
ALIKE_LAB = 6.0  # colour difference of two paints that nobody tells apart on a table
UNLIKE_LAB = 25.0  # colour difference from which on stones stand out from a cloth
STONES_EACH = (4, 7)
MOST_COMPARED = 0.9  # of the points, where it is the stones that are checked
MOST_COVERED = 0.34  # of the points: a board is not checked in the middle of a game


@dataclass(frozen=True, eq=False)
class DrawnBoard:
    """A picture of a board and the truth about it.

    Attributes:
        bgr: uint8 array of shape (H, W, 3).
        kind: What is wrong with it, one of `FAULTS`.
        names: Where it is: names of points, at least one of which must be told and beside which none may be; empty
            where the whole board is concerned.
        points_px: float64 array of shape (n_points, 2).
        style: Of the strokes.
    """

    bgr: Image
    board: Board
    drawing: str
    kind: str | None
    names: frozenset[str]
    points_px: NDArray[np.float64]
    style: str

    def is_named_by(self, fault: BoardFault) -> bool:
        """Whether this fault is the one that the board has: its kind, at its place."""
        told = {*fault.points, *fault.beside}
        if fault.kind != self.kind:
            return False
        if self.kind == "glare":
            return bool(told & self.names)
        return not self.names or (bool(told) and told <= self.names)

    def is_rightly_named(self, check: BoardCheck) -> bool:
        """Whether the check names the fault that the board has."""
        return any(self.is_named_by(fault) for fault in check.faults)


def draw_board(seed: int, kind: str | None, *, name: str = "", size_px: tuple[int, int] | None = None) -> DrawnBoard:
    """Draw one board.

    Args:
        kind: One of `FAULTS`; None for a good board.
        name: One of `DRAWN_BOARDS`; any of them when omitted.
        size_px: Width and height; any of `SIZES_PX` when omitted.
    """
    rng = np.random.default_rng([seed, 25])
    board = BOARDS[name or str(rng.choice(DRAWN_BOARDS))]
    drawings = [d.name for d in board.drawings if kind != "crooked_corner" or d.name == "lines"]
    drawing = str(rng.choice(drawings))
    size_px = size_px or SIZES_PX[int(rng.integers(len(SIZES_PX)))]
    spec = random_spec(rng, board, drawing=drawing, hardness=0.3, size_px=size_px)
    style = STYLES[int(rng.integers(len(STYLES)))]
    placing = replace(
        spec.placing, azimuth_deg=spec.placing.azimuth_deg / 2
    )  # boards that look alike eight times round
    spec = replace(spec, strokes=replace(spec.strokes, style=style), placing=placing)
    spec = replace(spec, paints=tuple(_standing_out(paint, spec) for paint in spec.paints))
    spec, names = _with_fault(spec, kind, rng)
    scene = Scene(spec)
    stacks: list[tuple[Stone, ...]] = [()] * len(board.points)
    if kind == "alike_paints" or rng.random() < 0.5:
        stacks = _lay_stones(board, names, MOST_COMPARED if kind == "alike_paints" else MOST_COVERED, rng)
    away = _moved_away(scene, float(rng.uniform(*SMALL_SPACINGS_PX))) if kind == "too_small" else None
    bgr, truth = scene.render(stacks, rng=rng, bump=away)
    return DrawnBoard(bgr, board, drawing, kind, names, truth.points_px, style)


def _standing_out(paint: Paint, spec: TableSpec) -> Paint:
    """Return the paint, or another one where pebbles are left as they were found on a cloth of their colour."""
    ground, taken = spec.cloth.colour, [other.colour for other in spec.paints if other.colour]
    if paint.colour or min(lab_distance(ground, pebble) for pebble in NATURAL) > UNLIKE_LAB:
        return paint
    return Paint(max(PAINTS, key=lambda colour: min(lab_distance(colour, other) for other in (ground, *taken))))


def _moved_away(scene: Scene, spacing_px: float) -> Placing:
    """Return where a camera sees the points of a table so many px apart, or further where pebbles are smaller."""
    spacing_px *= max(1.0, float(np.median(spacings(np.array(scene.spec.board.xy)))) / PEBBLE_ROOM[1])
    placing = replace(scene.spec.placing, aside=(0.0, 0.0))
    for _ in range(4):  # the share of the picture is only nearly proportional to their distance
        now_px = float(np.median(spacings(scene.points_px(bump=placing))))
        placing = replace(placing, fill=placing.fill * spacing_px / now_px)
    return placing


def _with_fault(spec: TableSpec, kind: str | None, rng: np.random.Generator) -> tuple[TableSpec, frozenset[str]]:
    """Return the table with the fault, and the names of the points where it is."""
    board = spec.board
    if kind in ("pale_line", "missing_link"):
        path, names = _any_line(spec, rng)
        strength = float(rng.uniform(*PALE_STRENGTHS)) if kind == "pale_line" else 0.0
        return replace(spec, blemish=Blemish(faded=(path,), strength=strength)), names
    if kind == "crooked_corner":
        point, angle = int(rng.choice(_corners(board))), float(rng.uniform(0, 2 * np.pi))
        off = float(rng.uniform(*ASKEW_SIDES)) * np.array([np.cos(angle), np.sin(angle)])
        blemish = Blemish(askew=((point, (float(off[0]), float(off[1]))),))
        return replace(spec, blemish=blemish), frozenset({board.points[point]})
    if kind == "glare":
        point, radius = int(rng.integers(len(board.points))), float(rng.uniform(*GLARE_SIDES))
        place = np.array(board.xy[point]) + rng.uniform(-0.03, 0.03, 2)
        blemish = Blemish(glare=(Glare((float(place[0]), float(place[1])), radius),))
        return replace(spec, blemish=blemish), frozenset({board.points[point]})
    if kind == "alike_paints":
        one = spec.paints[0]
        other = _nearly(one.colour or (125.0, 132.0, 138.0), rng)
        paint = replace(one, colour=one.colour or (125.0, 132.0, 138.0))
        return replace(spec, paints=(paint, replace(paint, colour=other))), frozenset()
    return spec, frozenset()


def _nearly(colour: Bgr, rng: np.random.Generator) -> Bgr:
    """Return a colour that nobody tells from another one across a table."""
    while True:
        b, g, r = np.clip(np.array(colour) + rng.uniform(-12, 12, 3), 0, 255)
        other = float(b), float(g), float(r)
        if lab_distance(colour, other) <= ALIKE_LAB:
            return other


def _any_line(spec: TableSpec, rng: np.random.Generator) -> tuple[tuple[Xy, ...], frozenset[str]]:
    """Return the way of one line of the drawing, ideal board space, and the points at it or on both sides of it."""
    board, xy = spec.board, np.array(spec.board.xy)
    if spec.drawing == "lines":
        straight = [edge for edge in board.edges if _is_straight(board, edge)]
        a, b = straight[int(rng.integers(len(straight)))]
        return (board.xy[a], board.xy[b]), frozenset({board.points[a], board.points[b]})
    strokes = next(d.strokes for d in board.drawings if d.name == spec.drawing)
    stroke = strokes[int(rng.integers(len(strokes)))]
    assert isinstance(stroke, Segment)
    start, end = np.array(stroke.start), np.array(stroke.end)
    third = int(rng.integers(3))  # a line between cells is crossed by two others
    one, other = start + (end - start) * third / 3, start + (end - start) * (third + 1) / 3
    beside = np.linalg.norm(xy - (one + other) / 2, axis=1) < 0.2
    path = ((float(one[0]), float(one[1])), (float(other[0]), float(other[1])))
    return path, frozenset(board.points[i] for i in np.flatnonzero(beside))


def _is_straight(board: Board, edge: tuple[int, int]) -> bool:
    """Whether a straight stroke leads along an edge: others follow a circle."""
    middle = (np.array(board.xy[edge[0]]) + np.array(board.xy[edge[1]])) / 2
    for stroke in next(d.strokes for d in board.drawings if d.name == "lines"):
        if isinstance(stroke, Segment):
            start, along = np.array(stroke.start), np.array(stroke.end) - np.array(stroke.start)
            share = np.clip((middle - start) @ along / (along @ along), 0, 1)
            if np.linalg.norm(start + share * along - middle) < 1e-6:
                return True
    return False


def _corners(board: Board) -> list[int]:
    """Return the points at which strokes end that do not lie on one line."""
    xy, found = np.array(board.xy), []
    for i in range(len(xy)):
        ends = [np.array(e) for e in board.edges if i in e]
        ways = [xy[e[e != i][0]] - xy[i] for e in ends]
        ways = [way / np.linalg.norm(way) for way in ways]
        if len(ways) > 1 and min(float(a @ b) for a in ways for b in ways) > -0.9:
            found.append(i)
    return found


def _lay_stones(
    board: Board, free: frozenset[str], most_covered: float, rng: np.random.Generator
) -> list[tuple[Stone, ...]]:
    """Return stacks with a few stones of each of two players, none where the fault is: it would hide it."""
    stacks: list[tuple[Stone, ...]] = [()] * len(board.points)
    places = [int(point) for point in rng.permutation(len(stacks)) if board.points[int(point)] not in free]
    most = min(int(rng.integers(*STONES_EACH)), int(most_covered * len(stacks)) // 2)
    for k, point in enumerate(places[: 2 * most]):
        stacks[point] = (Stone(k % 2, int(rng.integers(10000))),)
    return stacks
