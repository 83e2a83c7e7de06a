"""Where does the finder begin to fail? One property of a table at a time is made harder; everything else stays mild.

python tools/finder/sweep.py [--tables 24] [--only tilt,noise] [--keep CELLS.json] [--write] [--strokes FOLDER]

Prints one table an axis: share of boards found (right kind, every point within half a spacing) and the 95th
percentile of the error of the points of those found, in spacings. ``--write`` draws ``docs/finder-sweep.png``.
``--keep`` stores the cells, and does not measure those again that are there already. ``--strokes`` instead draws plain
boards with strokes of every width at every margin from the picture's rim, on grounds with less and more grain, and
writes ``strokes.png`` to a folder: the share of boards found in each cell.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE)]

from drawn_cases import covered, is_right, picture  # noqa: E402
from figures import cells_picture, grid_of, sweep_picture  # noqa: E402 - found beside this file

from referee.board import Board, Segment  # noqa: E402
from referee.boards import BOARDS  # noqa: E402
from referee.layouts import moulin_rouge  # noqa: E402
from tests.simulation.drawings import point_errors  # noqa: E402
from tests.synthetic import Scene, TableSpec, random_spec  # noqa: E402
from tests.synthetic.spec import COMMON_BOARDS, lab_distance  # noqa: E402
from tests.synthetic.surfaces import clouds  # noqa: E402
from vision.detection.detect import locate  # noqa: E402
from vision.imaging.field import Registration  # noqa: E402
from vision.imaging.frame import Image  # noqa: E402

SIZE_PX = (960, 540)

Float64Array = NDArray[np.float64]
Change = Callable[[TableSpec, float], TableSpec]
Spoil = Callable[[Image, Float64Array, float, np.random.Generator], Image]


@dataclass(frozen=True)
class Axis:
    """One property of a table.

    Attributes:
        values: From mild to hard.
        change: Makes another table of one.
        spoil: Makes another picture of one.
    """

    name: str
    unit: str
    values: tuple[float, ...]
    change: Change | None = None
    spoil: Spoil | None = None


def mild(number: int) -> TableSpec:
    """An ordinary table: 30 degrees, seven tenths of the picture's height, lines that a hand drew with some care."""
    rng = np.random.default_rng([number, 77])
    name = list(COMMON_BOARDS)[number % len(COMMON_BOARDS)]
    board = moulin_rouge(int(rng.choice([6, 8, 10]))) if name == "moulin_rouge" else COMMON_BOARDS[name]
    drawing = "cells" if name == "tic_tac_toe" else None
    spec = random_spec(rng, board, drawing=drawing, hardness=0.3, size_px=SIZE_PX)
    return replace(
        spec,
        strokes=replace(spec.strokes, wobble=0.004, gaps=0.02),
        placing=replace(
            spec.placing, tilt_deg=30.0, fill=0.7, k1=0.0, aside=(0.0, 0.0), roll_deg=float(rng.uniform(-180, 180))
        ),
        light=replace(spec.light, gain=1.0, bars=0),
        point_error=0.01,
        wrinkles=0.0,
        noise=0.0,
        blur_px=0.0,
        jpeg_quality=None,
    )


def _tilted(spec: TableSpec, degrees: float) -> TableSpec:
    return replace(spec, placing=replace(spec.placing, tilt_deg=degrees))


def _sized(spec: TableSpec, percent: float) -> TableSpec:
    return replace(spec, placing=replace(spec.placing, fill=percent / 100))


def _faint(spec: TableSpec, distance: float) -> TableSpec:
    full = lab_distance(spec.strokes.colour, spec.cloth.colour)
    return replace(spec, strokes=replace(spec.strokes, opacity=min(1.0, distance / full)))


def _crooked(spec: TableSpec, percent: float) -> TableSpec:
    return replace(spec, strokes=replace(spec.strokes, wobble=percent / 100), point_error=2 * percent / 100)


def _bent(spec: TableSpec, k1: float) -> TableSpec:
    return replace(spec, placing=replace(spec.placing, k1=k1))


def _hidden(bgr: Image, points_px: Float64Array, percent: float, rng: np.random.Generator) -> Image:
    return covered(bgr, points_px, percent / 100, rng) if percent else bgr


def _noisy(bgr: Image, points_px: Float64Array, sigma: float, rng: np.random.Generator) -> Image:
    return np.clip(bgr + rng.normal(0, sigma, bgr.shape), 0, 255).astype(np.uint8)


def _blurred(bgr: Image, points_px: Float64Array, sigma_px: float, rng: np.random.Generator) -> Image:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), sigma_px), np.uint8)


def _dim(bgr: Image, points_px: Float64Array, percent: float, rng: np.random.Generator) -> Image:
    return np.asarray(np.round(bgr * (percent / 100)), np.uint8)


AXES = (
    Axis("tilt", "degrees off vertical", (0, 20, 40, 50, 60, 70), change=_tilted),
    Axis("size", "% of the picture's height", (95, 60, 35, 25, 20, 15), change=_sized),
    Axis("contrast", "distance of line and ground in Lab", (30, 16, 10, 7, 5), change=_faint),
    Axis("wobble", "% of the side (points: twice)", (0, 0.5, 1, 2, 3), change=_crooked),
    Axis("occlusion", "% of the board covered", (0, 15, 30, 45, 60), spoil=_hidden),
    Axis("noise", "grey levels", (0, 10, 20, 30, 45), spoil=_noisy),
    Axis("blur", "px, of a board 380 px high", (0.5, 1.5, 2.5, 4, 6), spoil=_blurred),
    Axis("distortion", "k1, barrel", (0, -0.08, -0.16, -0.25), change=_bent),
    Axis("dimness", "% of the light", (50, 25, 14, 8), spoil=_dim),
)


@dataclass(frozen=True)
class Cell:
    """What was measured at one value: how many were tried and found, their errors' percentiles, and time."""

    value: float
    n: int
    found: int
    wrong: int
    median_error: float
    p95_error: float
    median_s: float


def measure(axis: Axis, value: float, n_tables: int) -> Cell:
    """Search ``n_tables`` pictures of one cell."""
    n_found = wrong = 0
    offs: list[Float64Array] = []
    times = []
    for number in range(n_tables):
        rng = np.random.default_rng([number, 78])
        spec = mild(number)
        if axis.change is not None:
            spec = axis.change(spec, value)
        scene = Scene(spec)
        bgr, points_px = picture(scene, rng)
        if axis.spoil is not None:
            bgr = axis.spoil(bgr, points_px, value, rng)
        # Every camera adds a little blur and noise of its own.
        bgr = np.asarray(cv2.GaussianBlur(bgr, (0, 0), 0.5), np.uint8)
        bgr = _noisy(bgr, points_px, 2.0, rng)
        began = time.process_time()
        answer = locate(bgr)
        times.append(time.process_time() - began)
        if isinstance(answer, Registration):
            if is_right(answer, spec.board, points_px):
                n_found += 1
                offs.append(np.array(point_errors(answer, points_px)))
            else:
                wrong += 1
    off = np.concatenate(offs) if offs else np.array([np.nan])
    median, p95 = np.percentile(off, (50, 95))
    return Cell(value, n_tables, n_found, wrong, float(median), float(p95), float(np.median(times)))


WIDTHS, MARGINS, GRAINS = (0.3, 0.7, 1.5, 3, 6, 10, 14), (-2, 0, 2, 10, 30), (0.0, 0.3, 1.0)
"""Widths of strokes, and margins between the outermost and the picture's rim, % of the side; grain, of the usual."""

WIDEST = 0.45
"""Widest stroke, shares of the least distance of two points: with wider ones the fields close."""

INKS = (((240, 242, 245), (40, 38, 36)), ((60, 52, 48), (225, 230, 232)), ((110, 150, 185), (45, 40, 40)))
"""Ground and line: paper, slate and wood."""


def plain_board(number: int, width: float, margin: float, grain: float) -> tuple[Image, Board, Float64Array]:
    """A board straight in a picture as high as itself and its margins, both in per cent of its side; and its points."""
    rng = np.random.default_rng([number, 79])
    names = [b.name for b in BOARDS.values() if not b.rings and width / 100 <= WIDEST * b.least_gap]
    board = BOARDS[names[number % len(names)]]
    ground, ink = INKS[int(rng.integers(len(INKS)))]
    ends = np.array([end for stroke in board.drawings[0].strokes for end in stroke.ends])
    side_px = 720 / (np.ptp(ends, axis=0)[1] * (1 + 2 * margin / 100))
    shift = np.array([480.0, 360.0]) - side_px * (ends.min(0) + ends.max(0)) / 2
    bgr = np.full((720, 960, 3), ground, np.float32)
    thick = max(1, round(width / 100 * side_px))
    for stroke in board.drawings[0].strokes:
        if isinstance(stroke, Segment):
            start, end = (
                np.round(16 * (side_px * np.array(xy) + shift)).astype(int).tolist() for xy in stroke.ends[:2]
            )
            cv2.line(bgr, start, end, ink, thick, cv2.LINE_AA, 4)
        else:
            middle = np.round(16 * (side_px * np.array(stroke.centre) + shift)).astype(int).tolist()
            cv2.circle(bgr, middle, round(16 * side_px * stroke.radius), ink, thick, cv2.LINE_AA, 4)
    bgr = cv2.GaussianBlur(bgr, (0, 0), 0.7) + grain * 6 * clouds(rng, (720, 960), 14)[..., None]
    noisy = bgr + grain * rng.normal(0, 3, bgr.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), board, side_px * np.array(board.xy) + shift


def sweep_strokes(folder: Path, n_boards: int) -> None:
    """Print and draw the share of plain boards that is found, a cell a width, a margin and a grain."""
    panels = []
    for grain in GRAINS:
        shares = [[0.0] * len(WIDTHS) for _ in MARGINS]
        for row, margin in enumerate(MARGINS):
            for column, width in enumerate(WIDTHS):
                missed = []
                for number in range(n_boards):
                    bgr, board, points_px = plain_board(number, width, margin, grain)
                    answer = locate(bgr)
                    if not (isinstance(answer, Registration) and is_right(answer, board, points_px)):
                        said = answer.field.board.name if isinstance(answer, Registration) else str(answer.reason)
                        missed.append(f"{number} {board.name}: {said}")
                shares[row][column] = 1 - len(missed) / n_boards
                print(
                    f"grain {grain}, margin {margin} %, width {width} %: {shares[row][column]:.0%}", *missed, flush=True
                )
        names = [f"margin {margin} %" for margin in MARGINS], [f"{width} %" for width in WIDTHS]
        panels.append(cells_picture(f"boards found; grain {grain:g} of the usual; columns: stroke", *names, shares))
    cv2.imwrite(str(folder / "strokes.png"), grid_of(panels, across=1))


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--tables", type=int, default=24)
    ask.add_argument("--only", default="")
    ask.add_argument("--keep", type=Path)
    ask.add_argument("--write", action="store_true")
    ask.add_argument("--strokes", type=Path, metavar="FOLDER")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    if given.strokes is not None:
        sweep_strokes(given.strokes, given.tables)
        return
    chosen = [axis for axis in AXES if not given.only or axis.name in given.only.split(",")]
    cells: dict[str, Cell] = {}
    if given.keep is not None and given.keep.exists():
        cells = {name: Cell(**cell) for name, cell in json.loads(given.keep.read_text()).items()}
    for axis in chosen:
        print(f"\n| {axis.name}, {axis.unit} | found | wrong | median error | p95 error | time s |")
        print("|---|---|---|---|---|---|")
        for value in axis.values:
            name = f"{axis.name} {value:g}"
            if name not in cells:
                cells[name] = measure(axis, value, given.tables)
                if given.keep is not None:
                    given.keep.write_text(json.dumps({k: vars(cell) for k, cell in cells.items()}))
            c = cells[name]
            print(f"| {value:g} | {c.found} of {c.n} | {c.wrong} |", end=" ")
            print(f"{c.median_error:.3f} | {c.p95_error:.3f} | {c.median_s:.2f} |", flush=True)
    if given.write:
        panels = {
            f"{axis.name}: {axis.unit}": [
                (c.value, c.found / c.n, c.p95_error) for c in (cells[f"{axis.name} {v:g}"] for v in axis.values)
            ]
            for axis in AXES
            if all(f"{axis.name} {v:g}" in cells for v in axis.values)
        }
        cv2.imwrite(str(ROOT / "docs" / "finder-sweep.png"), sweep_picture(panels))


if __name__ == "__main__":
    main()
