"""Measure the calibration of the photograph reader on tables of known truth: prints a table, draws a diagram.

    python tools/readers/reliability.py DIAGRAM.png [SCENES/stills [OTHER_COLOURS/stills]]

A well calibrated reading of 90 % comes true nine times in ten. Read are tables drawn by tests/synthetic with seeds that
no network was trained on. Where folders of rendered stills are given, every fourth of them (numbers 3, 7, 11 ...) is
read, too; these were kept aside. Each table is read once from one picture and once with the picture of the empty table.
Every point lies a little off, as a registration leaves it.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from cut import Labelled, draw_synthetic, read_scene, shifted  # noqa: E402

from vision.imaging.field import Registration  # noqa: E402
from vision.stones.photograph_reader import PhotographReading, read_photograph  # noqa: E402

FIRST_SEED, N_TABLES = 50_000, 30
OFF = 0.03
"""Standard deviation of the error of every point, in spacings.
Source: chosen."""
BORDERS = np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])


def right(reading: PhotographReading, table: Labelled) -> NDArray[np.bool_]:
    """Which points are read as they are, with the groups given to the players in the best way."""
    groups = sorted({stone for stone in reading.stones if stone})
    n_players = max(len(groups), int(table.tops.max(initial=0)))
    answers = []
    for players in itertools.permutations(range(1, n_players + 1), len(groups)):
        names = dict(zip(groups, players, strict=True))
        answers.append(np.array([names[s] if s else 0 for s in reading.stones]) == table.tops)
    return max(answers, key=lambda answer: int(answer.sum()))


def posteriors(tables: list[Labelled], *, with_empty: bool) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Posteriors of all points of all tables, and whether they came true."""
    p, came_true = [], []
    for k, table in enumerate(tables):
        field = shifted(table.field, OFF, np.random.default_rng(k))
        groups = 3 if field.board.rings or field.board.stackable else 2
        reading = read_photograph(table.bgr, Registration(field, 1.0), table.empty if with_empty else None, groups)
        p.append(reading.p)
        came_true.append(right(reading, table))
    return np.concatenate(p), np.concatenate(came_true)


def expected_calibration_error(p: NDArray[np.float64], came_true: NDArray[np.bool_]) -> float:
    """Mean gap between what is promised and what comes true, over bins weighed by their points (Guo et al. 2017)."""
    places = np.clip(np.digitize(p, BORDERS) - 1, 0, len(BORDERS) - 2)
    parts = [places == b for b in range(len(BORDERS) - 1)]
    return float(sum(abs(p[part].mean() - came_true[part].mean()) * part.mean() for part in parts if part.any()))


def table_of(p: NDArray[np.float64], came_true: NDArray[np.bool_]) -> list[str]:
    """A row of Markdown for every bin."""
    rows = ["| said | points | said, mean | came true |", "| --- | --- | --- | --- |"]
    for low, high in itertools.pairwise(BORDERS):
        part = (p >= low) & ((p < high) | (high == 1))
        if part.any():
            said, was = 100 * p[part].mean(), 100 * came_true[part].mean()
            rows.append(f"| {100 * low:.0f} to {100 * high:.0f} % | {part.sum()} | {said:.1f} % | {was:.1f} % |")
    return rows


def drawn(curves: list[tuple[str, NDArray[np.float64], NDArray[np.bool_]]]) -> NDArray[np.uint8]:
    """The diagram: promised from left to right, come true from below to above; discs grow with their points."""
    side, rim = 480, 60
    canvas = np.full((side + 2 * rim, side + 2 * rim, 3), 255, np.uint8)

    def place(x: float, y: float) -> tuple[int, int]:
        return round(rim + (2 * x - 1) * side), round(rim + (2 - 2 * y) * side)

    for share in np.arange(0.5, 1.01, 0.1):
        cv2.line(canvas, place(share, 0.5), place(share, 1), (225, 225, 225), 1)
        cv2.line(canvas, place(0.5, share), place(1, share), (225, 225, 225), 1)
        label = f"{100 * share:.0f} %"
        cv2.putText(canvas, label, (place(share, 0.5)[0] - 16, side + rim + 22), 0, 0.42, (60, 60, 60), 1, cv2.LINE_AA)
        cv2.putText(canvas, label, (8, place(0.5, share)[1] + 5), 0, 0.42, (60, 60, 60), 1, cv2.LINE_AA)
    cv2.line(canvas, place(0.5, 0.5), place(1, 1), (150, 150, 150), 1, cv2.LINE_AA)
    for k, (name, p, came_true) in enumerate(curves):
        colour = ((200, 90, 20), (30, 110, 230), (60, 150, 60), (160, 60, 160), (40, 40, 160), (140, 140, 0))[k % 6]
        path = []
        for low, high in itertools.pairwise(BORDERS):
            part = (p >= low) & ((p < high) | (high == 1))
            if part.sum() >= 5:
                path.append(place(float(p[part].mean()), max(0.5, float(came_true[part].mean()))))
                cv2.circle(canvas, path[-1], 3 + int(np.log2(part.sum()) / 2), colour, -1, cv2.LINE_AA)
        cv2.polylines(canvas, [np.array(path, np.int32)], False, colour, 2, cv2.LINE_AA)
        cv2.putText(canvas, name, (rim + 14, rim + 22 + 20 * k), 0, 0.5, colour, 1, cv2.LINE_AA)
    cv2.putText(canvas, "said", (side + rim - 20, side + rim + 44), 0, 0.5, (60, 60, 60), 1, cv2.LINE_AA)
    cv2.putText(canvas, "came true", (8, 30), 0, 0.5, (60, 60, 60), 1, cv2.LINE_AA)
    return canvas


def main() -> None:
    """Read, count, print and draw."""
    target, *folders = sys.argv[1:]
    sources = {"drawn tables": [draw_synthetic(FIRST_SEED + k)[0] for k in range(N_TABLES)]}
    for name, folder in zip(("rendered stills", "stills in other colours"), folders, strict=False):
        paths = [path for path in sorted(Path(folder).glob("*.json")) if int(path.stem[-3:]) % 4 == 3]
        sources[name] = [read_scene(path) for path in paths]
    curves = []
    for name, tables in sources.items():
        for with_empty in (False, True):
            p, came_true = posteriors(tables, with_empty=with_empty)
            title = f"{name}, {'beside the empty table' if with_empty else 'from one picture'}"
            error = expected_calibration_error(p, came_true)
            print(f"\n{title}: {came_true.sum()} of {len(p)} points right ({100 * came_true.mean():.2f} %), ", end="")
            print(f"said {100 * p.mean():.2f} %, expected calibration error {100 * error:.2f} %\n")
            print("\n".join(table_of(p, came_true)))
            curves.append((f"{title} ({100 * error:.1f} %)", p, came_true))
    cv2.imwrite(target, drawn(curves))


if __name__ == "__main__":
    main()
