"""Drawings that people make of a board beside the plain one, by name: ``drawn_spec`` draws a table with one of them.

``random_spec`` alone never draws them, so that tables of earlier tests stay as they are.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from referee.board import Board
from tests.synthetic.spec import PAINTS, WOODS, Bgr, Manner, Strokes, Surface, TableSpec, lab_distance, random_spec

Draw = Callable[[np.random.Generator, TableSpec], TableSpec]


def drawn_spec(
    rng: np.random.Generator, board: Board, name: str, *, hardness: float = 0.5, size_px: tuple[int, int] = (1280, 720)
) -> TableSpec:
    """Draw a table with a board in one of ``DRAWINGS``.

    Raises:
        ValueError: When the board has no drawing of that name.
    """
    if name not in drawings_of(board):
        raise ValueError(f"{board.name} is drawn as one of {drawings_of(board)}, got {name!r}")
    lines = "holes" if board.rings else "lines"
    drawing = {"cells": "cells", "filled cells": "cells", "framed": "framed", "filled frame": "framed"}.get(name, lines)
    if name in ANY_STROKES and board.drawings[0].name == "cells":
        drawing = ("cells", "framed", "lines")[int(rng.integers(3))]
    spec = random_spec(rng, board, drawing=drawing, hardness=hardness, size_px=size_px)
    return DRAWINGS[name](rng, spec)


def drawings_of(board: Board) -> list[str]:
    """The names of the drawings that a board has."""
    if board.rings:
        return ["plain"]
    if board.drawings[0].name == "cells":
        return list(DRAWINGS)
    return [name for name in DRAWINGS if name not in OF_CELLS]


def _in(**manner: Any) -> Draw:
    return lambda _, spec: replace(spec, manner=Manner(**manner))


def _double(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    width = float(rng.uniform(0.004, 0.009))
    style = "print" if spec.strokes.style == "wool" else spec.strokes.style
    strokes = replace(spec.strokes, width=width, style=style, wobble=0.3 * spec.strokes.wobble)
    return replace(spec, strokes=strokes, manner=Manner(double=width * float(rng.uniform(1.8, 3.0))))


def _dashed(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    style = "paint" if spec.strokes.style == "wool" else spec.strokes.style
    manner = Manner(dash=float(rng.uniform(0.012, 0.03)))
    return replace(spec, strokes=replace(spec.strokes, style=style), manner=manner)


def _short(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    mark = "circle" if rng.random() < 0.3 else "dot" if rng.random() < 0.5 else None
    short = float(rng.uniform(0.12, 0.28))
    return replace(spec, manner=Manner(short=short, mark=mark, mark_size=short * float(rng.uniform(0.5, 0.8))))


def _dots(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    mark = ("dot", "dot", "square", "triangle")[int(rng.integers(4))]
    return replace(spec, manner=Manner(mark=mark, mark_size=float(rng.uniform(0.1, 0.24))))  # type: ignore[arg-type]


def _circles(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    size = float(rng.uniform(0.16, 0.34))
    short = size if rng.random() < 0.6 else 0.0  # a circle is empty, or the lines cross in it
    thin = replace(spec.strokes, width=min(spec.strokes.width, 0.016))
    return replace(spec, strokes=thin, manner=Manner(mark="circle", mark_size=size, short=short))


def _holes(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    return replace(_wooden(rng, spec), manner=Manner(mark="hole", mark_size=float(rng.uniform(0.08, 0.16))))


def _cups(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    return replace(_wooden(rng, spec), manner=Manner(mark="cup", mark_size=float(rng.uniform(0.2, 0.34))))


def _filled(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    ground, fills = spec.cloth.colour, [PAINTS[i] for i in rng.permutation(len(PAINTS))]
    fill = next(c for c in fills if lab_distance(c, ground) > 20 and lab_distance(c, spec.strokes.colour) > 30)
    return replace(spec, manner=Manner(fill=fill, fill_opacity=float(rng.uniform(0.3, 1.0))))


def _frames(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    first = float(rng.uniform(0.025, 0.07))
    frames = (first,) if rng.random() < 0.6 else (first, first + float(rng.uniform(0.02, 0.035)))
    return replace(spec, manner=Manner(frames=frames))


def _chalk(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    grey = float(rng.uniform(45, 85))
    stone = Surface((grey, grey * 1.02, grey * 0.97), (1.4 * grey, 1.4 * grey, 1.4 * grey), "speckle", 0.1, 0.06)
    strokes = Strokes("chalk", (225.0, 228.0, 232.0), float(rng.uniform(0.01, 0.02)), 0.005, 0.015, 0.04)
    return replace(spec, cloth=stone, strokes=strokes, wrinkles=0.0, manner=Manner())


def _paper(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    paper = Surface((238.0, 241.0, 243.0), (238.0, 241.0, 243.0), "plain", 0.1, 0.005)
    ink: Bgr = (30.0, 28.0, 26.0) if rng.random() < 0.7 else (150.0, 60.0, 30.0)
    strokes = Strokes("print", ink, float(rng.uniform(0.004, 0.011)), 0.0, 0.0, 0.0)
    manner = Manner(frames=(0.05,) if rng.random() < 0.3 else (), crease="fold" if rng.random() < 0.3 else None)
    return replace(spec, cloth=paper, strokes=strokes, shape="square", point_error=0.0, manner=manner)


def _leather(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    hide: Bgr = ((45.0, 75.0, 125.0), (35.0, 50.0, 80.0), (70.0, 115.0, 165.0))[int(rng.integers(3))]
    skin = Surface(hide, (0.75 * hide[0], 0.75 * hide[1], 0.75 * hide[2]), "speckle", 0.1, 0.07)
    ink: Bgr = (25.0, 30.0, 40.0) if hide[2] > 100 else (170.0, 200.0, 215.0)
    strokes = replace(spec.strokes, style="burnt", colour=ink)
    return replace(spec, cloth=skin, strokes=strokes, manner=Manner(stitched=True))


def _inlaid(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    wooden = _wooden(rng, spec)
    other = next(c for i in rng.permutation(len(WOODS)) if lab_distance(c := WOODS[i], wooden.cloth.colour) > 18)
    strokes = Strokes("tape", other, float(rng.uniform(0.012, 0.03)), 0.0, 0.0, 0.0)
    return replace(wooden, strokes=strokes, point_error=0.0, manner=Manner())


def _hinge(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    return replace(_wooden(rng, spec), shape="square", manner=Manner(crease="hinge"))


def _wooden(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    wood = WOODS[int(rng.integers(len(WOODS)))]
    ink: Bgr = (30.0, 40.0, 55.0) if wood[2] > 100 else (205.0, 220.0, 228.0)
    grown = Surface(wood, (0.84 * wood[0], 0.84 * wood[1], 0.84 * wood[2]), "wood", 0.1, spec.cloth.weave)
    strokes = replace(spec.strokes, style="burnt", colour=ink, width=min(spec.strokes.width, 0.016))
    return replace(spec, cloth=grown, strokes=strokes, wrinkles=0.0)


DRAWINGS: dict[str, Draw] = dict.fromkeys(("plain", "cells", "framed"), lambda _, spec: spec) | {
    "filled cells": _filled, "filled frame": _filled, "filled": _filled, "double": _double, "dashed": _dashed,
    "short": _short, "dots": _dots, "circles": _circles, "holes": _holes, "cups": _cups, "frames": _frames,
    "rosette": _in(ornament="rosette"), "letters": _in(ornament="letters"), "rim letters": _in(rim_letters=True),
    "fold": _in(crease="fold"), "seam": _in(crease="seam"), "chalk": _chalk, "paper": _paper, "leather": _leather,
    "inlaid": _inlaid, "hinge": _hinge,
}  # fmt: skip
"""What can be drawn, by name."""

OF_CELLS = frozenset({"cells", "framed", "filled cells", "filled frame"})
"""Drawings whose stones stand in cells."""

ANY_STROKES = frozenset(
    {"double", "dashed", "frames", "letters", "fold", "seam", "chalk", "paper", "leather", "inlaid", "hinge"}
)
"""Drawings that have cells, cells in a frame or lines, where the board has them."""
