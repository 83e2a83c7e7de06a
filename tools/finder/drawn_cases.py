"""The pictures that the finder is measured and its confidence fitted on: tables and things that are no board.

Every picture follows from its number alone. Nothing here comes from a photograph or from another program's renders.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.layouts import moulin_rouge
from tests.simulation.drawings import drawn_picture, point_errors
from tests.synthetic import Hand, Scene, TableSpec, cut_off, random_light, random_spec, scattered
from tests.synthetic.boardless import KINDS, boardless
from tests.synthetic.film import SKINS
from tests.synthetic.spec import COMMON_BOARDS
from vision.imaging.field import Registration
from vision.imaging.frame import Image

SIZES = ((640, 480), (960, 540), (1280, 720))

BOARDLESS_SHARE = 0.5
"""Share of pictures without a board; of those with one, one in eight shows only a part of it."""


LINED = ("sudoku", "clock", "desk", "tiles", "calendar", "room")
"""Things without a board that have a hash, spokes or squares."""

SPOTTED = ("dot grid", "pebbles", "dial", "rings", "clock", "mugs", "go", "tiles", "keyboard")
"""Things without a board that have spots or rings of their own."""

CLOSED = ("sudoku", "crossword", "window", "table", "keypad", "go", "calendar", "tiles", "ludo", "room")
"""Things without a board that have nine fields in a frame, and more of them."""

FRAMED = ("framed", "filled frame", "frames", "double", "cells")
"""Drawings of nine cells."""


@dataclass(frozen=True, eq=False)
class Case:
    """One picture with its truth.

    Attributes:
        what: What is drawn, for people.
        bgr: uint8 array of shape (H, W, 3).
        board: None where there is none.
        points_px: float64 array of shape (n_points, 2). Image space; empty where there is no board.
    """

    number: int
    what: str
    bgr: Image
    board: Board | None
    points_px: NDArray[np.float64]


def case(number: int) -> Case:
    """The picture of a number."""
    rng = np.random.default_rng([number, 4040])
    size_px = SIZES[int(rng.integers(len(SIZES)))]
    if rng.random() < BOARDLESS_SHARE:
        return without(number, rng, list(KINDS)[int(rng.integers(len(KINDS)))], size_px)
    scene = Scene(table(rng, size_px))
    board = scene.spec.board
    bgr, points_px = picture(scene, rng, stones=float(rng.uniform(0, 0.6)), hand=rng.random() < 0.15)
    what = f"{board.name} ({scene.spec.drawing})"
    if rng.random() < 0.125:
        bgr, points_px, side = cut(bgr, points_px, rng)
        what += f" cut {side}"
    return Case(number, what, bgr, board, points_px)


def without(number: int, rng: np.random.Generator, kind: str, size_px: tuple[int, int]) -> Case:
    """Something that is no board."""
    return Case(number, kind, boardless(rng, kind, size_px=size_px), None, np.empty((0, 2)))


def laid(number: int, rng: np.random.Generator, spec: TableSpec) -> Case:
    """A table with some stones."""
    bgr, points_px = picture(Scene(spec), rng, stones=float(rng.uniform(0, 0.6)))
    return Case(number, f"{spec.board.name} ({spec.drawing})", bgr, spec.board, points_px)


def lookalike_case(number: int) -> Case:
    """Something without a board that has strokes like one, of each kind in turn."""
    rng = np.random.default_rng([number, 4043])
    return without(number, rng, LINED[number % len(LINED)], SIZES[int(rng.integers(len(SIZES)))])


def round_case(number: int) -> Case:
    """Three rings of holes, or something that is none, more often than not with spots or rings."""
    return _one_of(number, 4041, ("moulin_rouge",), SPOTTED, 0.0)


def drilled_case(number: int) -> Case:
    """A board of holes with or without lines, or something that is none, more often than not with spots."""
    names = tuple(name for name in COMMON_BOARDS if name not in ("moulin_rouge", "tic_tac_toe"))
    return _one_of(number, 4042, names, SPOTTED, 1.0)


def sparse_case(number: int) -> Case:
    """A board of few strokes."""
    rng = np.random.default_rng([number, 4045])
    names = ("tic_tac_toe", "tic_tac_toe", "three_mens_morris", "roman_mill")
    return laid(number, rng, table(rng, SIZES[int(rng.integers(len(SIZES)))], names, 0.0))


def dotted_case(number: int) -> Case:
    """A board whose points are holes and that has no lines."""
    rng = np.random.default_rng([number, 4044])
    names = tuple(name for name in COMMON_BOARDS if name not in ("moulin_rouge", "tic_tac_toe"))
    spec = table(rng, SIZES[int(rng.integers(len(SIZES)))], names, 1.0)
    drawn = laid(number, rng, replace(spec, strokes=replace(spec.strokes, opacity=0.0)))
    # Nothing tells the boards apart that have the same points: the finder names the simplest.
    board = COMMON_BOARDS["nine_mens_morris"] if spec.board.name == "twelve_mens_morris" else spec.board
    return replace(drawn, what=f"{spec.board.name} (dots)", board=board)


def drawing_case(number: int) -> Case:
    """A board in one of the drawings that people make; every fourth has cells, in a frame or beside one."""
    quarter, k = divmod(number, 4)
    if k < 3:
        drawn = drawn_picture(101001, 3 * quarter + k)
    else:
        drawn = drawn_picture(101000, quarter, boards=("tic_tac_toe",), drawings=FRAMED)
    what = f"drawing: {drawn.board.name} {drawn.drawing}"
    # Nine points with lines are three men's morris to the finder: no picture can tell them apart.
    named = "three_mens_morris" if (drawn.board.name, drawn.strokes) == ("tic_tac_toe", "lines") else drawn.board.name
    return Case(number, what, drawn.bgr, COMMON_BOARDS[named], drawn.points_px)


def grid_case(number: int) -> Case:
    """A grid that is closed all round or goes on, of each kind in turn."""
    kind = CLOSED[number % len(CLOSED)]
    drawn = without(number, np.random.default_rng([101501, number]), kind, SIZES[number % 2])
    return replace(drawn, what=f"grid: {kind}")


def _one_of(number: int, seed: int, names: tuple[str, ...], like: tuple[str, ...], drilled: float) -> Case:
    rng = np.random.default_rng([number, seed])
    size_px = SIZES[int(rng.integers(len(SIZES)))]
    if rng.random() < BOARDLESS_SHARE:
        kinds = like if rng.random() < 0.6 else tuple(KINDS)
        return without(number, rng, kinds[int(rng.integers(len(kinds)))], size_px)
    return laid(number, rng, table(rng, size_px, names, drilled))


def table(
    rng: np.random.Generator,
    size_px: tuple[int, int],
    names: tuple[str, ...] = tuple(COMMON_BOARDS),
    drilled: float = 0.15,
) -> TableSpec:
    """A table of any kind: harder and easier ones, small boards, faint lines, dim light, a share of drilled boards."""
    name = names[int(rng.integers(len(names)))]
    board = moulin_rouge(int(rng.choice([6, 7, 8, 9, 10, 12]))) if name == "moulin_rouge" else COMMON_BOARDS[name]
    # Three in a row on nine points is painted like three men's morris: no picture can tell them apart.
    drawing = "cells" if name == "tic_tac_toe" else None
    spec = random_spec(rng, board, drawing=drawing, hardness=float(rng.uniform(0, 1)), size_px=size_px)
    holes = 0.0
    opacity = 1.0 if rng.random() < 0.6 else float(rng.uniform(0.25, 1))
    if spec.drawing == "lines" and rng.random() < drilled:
        holes, opacity = float(rng.uniform(0.012, 0.022)), float(rng.choice([0.0, 0.25, 1.0]))
    fill = float(rng.uniform(0.3, 0.95))
    light = random_light(rng)
    if rng.random() < 0.15:
        light = replace(light, gain=float(rng.uniform(0.15, 0.6)))
    return replace(
        spec,
        holes=holes,
        strokes=replace(spec.strokes, opacity=opacity),
        placing=replace(spec.placing, fill=fill, roll_deg=float(rng.uniform(-180, 180))),
        light=light,
        distractors=int(rng.integers(0, 6)),
    )


def picture(
    scene: Scene, rng: np.random.Generator, *, stones: float = 0.3, hand: bool = False
) -> tuple[Image, NDArray[np.float64]]:
    """A picture of a table with its true points; a share of the points bears stones."""
    board = scene.spec.board
    stacks = scattered(rng, len(board.points), len(scene.spec.paints), stones)
    over = None
    if hand:
        skin = SKINS[int(rng.integers(len(SKINS)))]
        over = Hand(tuple(rng.uniform(0, 1, 2)), float(rng.choice([0.0, 180.0])) + float(rng.normal(0, 15)), skin=skin)
    steps = tuple(float(rng.integers(0, 5)) for _ in board.rings)
    bgr, truth = scene.render(stacks, rng=rng, hand=over, ring_steps=steps)
    return bgr, truth.points_px


def cut(bgr: Image, points_px: NDArray[np.float64], rng: np.random.Generator) -> tuple[Image, NDArray[np.float64], str]:
    """The picture without the strip beyond a tenth to a third of the board, and which side was cut off."""
    side = str(rng.choice(["left", "right", "upper", "lower"]))
    along = points_px[:, 0 if side in ("left", "right") else 1]
    share = float(rng.uniform(0.1, 0.33))
    at_px = along.min() + (share if side in ("left", "upper") else 1 - share) * np.ptp(along)
    return *cut_off(bgr, points_px, side, at_px), side


def covered(bgr: Image, points_px: NDArray[np.float64], share: float, rng: np.random.Generator) -> Image:
    """Sheets, cups and telephones over about a share of the board."""
    out = bgr.copy()
    hull = cv2.convexHull(points_px.astype(np.float32))
    board = np.zeros(bgr.shape[:2], np.uint8)
    cv2.fillConvexPoly(board, np.round(hull).astype(np.int32), 255)
    area, taken = float((board > 0).sum()), np.zeros_like(board)
    low, high = points_px.min(0), points_px.max(0)
    for _ in range(200):
        if float((taken & board > 0).sum()) >= share * area:
            break
        size = np.sqrt(area) * rng.uniform(0.06, 0.22)
        middle = np.round(rng.uniform(low, high)).astype(int).tolist()
        colour = tuple(float(c) for c in rng.integers(15, 240, 3))
        if rng.random() < 0.5:
            cv2.circle(out, middle, round(size / 2), colour, -1, cv2.LINE_AA)
            cv2.circle(taken, middle, round(size / 2), 255, -1)
        else:
            box = cv2.boxPoints((middle, (size, size * float(rng.uniform(0.4, 1))), float(rng.uniform(0, 90))))
            cv2.fillPoly(out, [np.round(box).astype(np.int32)], colour, cv2.LINE_AA)
            cv2.fillPoly(taken, [np.round(box).astype(np.int32)], 255)
    return out


def is_right(registration: Registration, board: Board | None, points_px: NDArray[np.float64]) -> bool:
    """Whether it is this kind of board and every point lies within half a spacing of its place."""
    field = registration.field
    if board is None or field.board.name != board.name or len(field.points_px) != len(points_px):
        return False
    return max(point_errors(registration, points_px)) < 0.5
