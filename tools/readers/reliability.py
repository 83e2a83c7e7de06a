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
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from cut import Labelled, draw_synthetic, read_scene, shifted  # noqa: E402

from tools.finder.figures import reliability_picture  # noqa: E402
from vision.imaging.field import Registration  # noqa: E402
from vision.stones.photograph_reader import PhotographReading, read_photograph  # noqa: E402

FIRST_SEED, N_TABLES = 50_000, 30
OFF = 0.03
"""Standard deviation of the error of every point, in spacings.
Source: chosen."""
BORDERS, LEAST_POINTS = np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]), 5


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


class Bin(NamedTuple):
    """Points of which about the same is said: from what to what, the mean, the share that came true, how many."""

    low: float
    high: float
    said: float
    was: float
    n: int


def binned(p: NDArray[np.float64], came_true: NDArray[np.bool_]) -> list[Bin]:
    """The bins that have points."""
    parts = [(low, high, (p >= low) & ((p < high) | (high == 1))) for low, high in itertools.pairwise(BORDERS)]
    return [Bin(low, high, p[of].mean(), came_true[of].mean(), int(of.sum())) for low, high, of in parts if of.any()]


def expected_calibration_error(bins: list[Bin]) -> float:
    """Mean gap between what is promised and what comes true, over bins weighed by their points (Guo et al. 2017)."""
    return float(sum(abs(one.said - one.was) * one.n for one in bins) / sum(one.n for one in bins))


def table_of(bins: list[Bin]) -> list[str]:
    """A row of Markdown for every bin."""
    rows = ["| said | points | said, mean | came true |", "| --- | --- | --- | --- |"]
    for low, high, said, was, n in bins:
        rows.append(f"| {100 * low:.0f} to {100 * high:.0f} % | {n} | {100 * said:.1f} % | {100 * was:.1f} % |")
    return rows


def main() -> None:
    """Read, count, print and draw."""
    target, *folders = sys.argv[1:]
    sources = {"drawn tables": [draw_synthetic(FIRST_SEED + k)[0] for k in range(N_TABLES)]}
    for name, folder in zip(("rendered stills", "stills in other colours"), folders, strict=False):
        paths = [path for path in sorted(Path(folder).glob("*.json")) if int(path.stem[-3:]) % 4 == 3]
        sources[name] = [read_scene(path) for path in paths]
    curves = {}
    for name, tables in sources.items():
        for with_empty in (False, True):
            p, came_true = posteriors(tables, with_empty=with_empty)
            title = f"{name}, {'beside the empty table' if with_empty else 'from one picture'}"
            bins = binned(p, came_true)
            error = expected_calibration_error(bins)
            print(f"\n{title}: {came_true.sum()} of {len(p)} points right ({100 * came_true.mean():.2f} %), ", end="")
            print(f"said {100 * p.mean():.2f} %, expected calibration error {100 * error:.2f} %\n")
            print("\n".join(table_of(bins)))
            curves[f"{title}: {100 * error:.1f} % off"] = [one[2:] for one in bins if one.n >= LEAST_POINTS]
    cv2.imwrite(target, reliability_picture(curves, least=float(BORDERS[1])))


if __name__ == "__main__":
    main()
