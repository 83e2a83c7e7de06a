"""Fit the confidences of ``vision/detection/confidence.py`` to drawn tables, and measure how well they hold.

python tools/finder/fit.py [--cases N N N N N N N N [--rendered FOLDER] [--without FOLDER]]
                           [--stills FOLDER] [--write [FOLDER]]

A lesson (training example) has the features of a best rated board and whether it is right; ``lessons.json`` beside this
file keeps them. ``--cases`` gathers them anew from so many drawn cases of each sort (``drawn_cases.py``), from rendered
stills, and from every second photograph of folders without a board (of go, say). Ridge-penalised logistic regressions
fit the lessons and give exactly the shipped coefficients. The tool prints reliability tables by tenfold
cross-validation, and with ``--stills`` on other pictures (folders of NAME.json with a picture and its truth).
``--write`` replaces ``vision/detection/confidence.json`` and ``docs/finder-confidence.png``, or writes to a folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE)]

from drawn_cases import (  # noqa: E402 - found beside this file
    case,
    dotted_case,
    drawing_case,
    drilled_case,
    grid_case,
    is_right,
    lookalike_case,
    round_case,
    sparse_case,
)
from figures import reliability_picture  # noqa: E402 - found beside this file

from referee.board import Board  # noqa: E402
from tools.readers.cut import read_scene  # noqa: E402
from vision.detection.confidence import MIN_BOARD_CONFIDENCE, LogisticModel  # noqa: E402
from vision.detection.detect import locate_with_report  # noqa: E402
from vision.imaging.frame import Image  # noqa: E402

RIDGE = {"lines": 1.0, "holes": 1.0, "discs": 1.0}
"""Penalty on the squared weights of standardised features, in cases."""

AGAINST = {"stray", "beyond"}
"""Features that speak against a board; the others speak for it."""

LIMITED = {"crossed"}
"""Features that have a limit in place of a weight: a clock on the board crosses some of its links, a grid all."""

FOLDS = 10

LESSONS = HERE / "lessons.json"

SORTS = (case, drawing_case, drilled_case, dotted_case, sparse_case, round_case, grid_case, lookalike_case)
"""How the cases of each sort are drawn."""

Float64Array = NDArray[np.float64]
Row = dict[str, float]


@dataclass(frozen=True)
class Lesson:
    """The features of a board of lines, holes or discs in one picture, and whether it is right."""

    what: str
    name: str
    features: Row
    right: bool


def lessons_of(name: str, bgr: Image, board: Board | None, points_px: Float64Array) -> list[Lesson]:
    """Search for a board: the best rated one and the best discs are lessons."""
    _, report = locate_with_report(bgr)
    if report is None:
        return []
    out = []
    found = (*report.boards, *([report.discs] if report.discs else []))
    for one in {board.cue: board for board in reversed(found)}.values():
        features = {key: round(value, 4) for key, value in one.features.items()}
        out.append(Lesson(one.cue, name, features, is_right(one.registration(1.0), board, points_px)))
    return out


def lessons_of_case(sort: int, number: int) -> list[Lesson]:
    """The lessons of a drawn case."""
    cv2.setNumThreads(1)
    drawn = SORTS[sort](number)
    return lessons_of(f"{drawn.number} {drawn.what}", drawn.bgr, drawn.board, drawn.points_px)


def lessons_of_still(path: Path) -> list[Lesson]:
    """The lessons of a rendered still."""
    still = read_scene(path)
    return lessons_of(f"{path.stem} {still.field.board.name}", still.bgr, still.field.board, still.field.points_px)


def lessons_without(path: Path) -> list[Lesson]:
    """The lessons of a photograph without a board."""
    return lessons_of(path.stem, read(path), None, np.empty((0, 2)))


def read(path: Path) -> Image:
    """The picture in a file."""
    return np.asarray(cv2.imread(str(path)), np.uint8)


def logistic(x: Float64Array, right: Float64Array, ridge: float) -> tuple[float, Float64Array]:
    """Bias and weights of a logistic regression by Newton's method; the bias is not penalised."""
    design = np.column_stack([np.ones(len(x)), x])
    penalty = ridge * np.diag([0.0] + [1.0] * x.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (p - right) + penalty @ weights
        bend = design.T @ (design * (p * (1 - p))[:, None]) + penalty + 1e-9 * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return float(weights[0]), weights[1:]


def fitted(rows: list[Row], right: list[bool], ridge: float) -> LogisticModel:
    """The regression with the means and spreads that it was fitted with.

    What speaks against a board never speaks for it, though a few lessons have it so by chance: it is left out then.
    """
    names = [name for name in rows[0] if name not in LIMITED]
    while True:
        x = np.array([[row[name] for name in names] for row in rows], np.float64)
        mean, spread = x.mean(0), np.maximum(x.std(0), 1e-3)
        bias, weights = logistic((x - mean) / spread, np.array(right, np.float64), ridge)
        columns = list(zip(names, mean, spread, weights, strict=True))
        sensible = [name for name, _, _, weight in columns if (weight < 0) == (name in AGAINST)]
        if sensible == names:
            terms = tuple((n, round(float(m), 4), round(float(s), 4), round(float(w), 3)) for n, m, s, w in columns)
            return LogisticModel(round(bias, 3), terms)
        names = sensible


def posteriors(model: LogisticModel, rows: list[dict[str, float]]) -> Float64Array:
    """Posterior of every row."""
    evidence = [model.bias + sum(w * (row[n] - m) / s for n, m, s, w in model.terms) for row in rows]
    return np.asarray(1 / (1 + np.exp(-np.clip(evidence, -30, 30))))


def crossed(rows: list[Row], right: list[bool], ridge: float) -> Float64Array:
    """Posterior of every row from a fit that has not seen it."""
    out = np.zeros(len(rows))
    fold = np.random.default_rng(1).permutation(len(rows)) % FOLDS
    for k in range(FOLDS):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        out[test] = posteriors(
            fitted([rows[i] for i in train], [right[i] for i in train], ridge), [rows[i] for i in test]
        )
    return out


def table_of(p: Float64Array, right: list[bool]) -> list[tuple[float, float, int]]:
    """Mean confidence, share that is right, and number, of each step of confidence that has cases."""
    truth, out = np.array(right, np.float64), []
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 0.99), (0.99, 2)):
        within = (p >= low) & (p < high)
        if within.any():
            out.append((float(p[within].mean()), float(truth[within].mean()), int(within.sum())))
    return out


def tell(title: str, p: Float64Array, right: list[bool]) -> None:
    """Print how well posteriors hold."""
    truth = np.array(right, np.float64)
    given = p >= MIN_BOARD_CONFIDENCE
    brier = float(((p - truth) ** 2).mean())
    print(f"{title}: {len(p)} cases, Brier score {brier:.4f}")
    print(f"  given: {int(given.sum())}, wrong: {int((given & (truth == 0)).sum())},", end=" ")
    print(f"right but withheld: {int((~given & (truth == 1)).sum())}")
    for mean, share, n in table_of(p, right):
        print(f"  said {mean:.3f}, right {share:.3f}, of {n}")
    for least in (0.5, 0.7, 0.9, 0.95):
        n = int((p >= least).sum())
        print(f"  given {least} or more: {int(truth[p >= least].sum())} of {n} right")


def read_lessons(path: Path = LESSONS) -> list[Lesson]:
    """Lessons that were gathered before."""
    return [Lesson(**entry) for entry in json.loads(path.read_text())]


def rows_of(lessons: list[Lesson], what: str) -> tuple[list[Row], list[bool]]:
    """Features and truths of one thing that is looked for."""
    matches = [x for x in lessons if x.what == what]
    return [x.features for x in matches], [x.right for x in matches]


def as_json(models: dict[str, LogisticModel]) -> str:
    """What ``vision/detection/confidence.json`` says: a line for each feature."""
    texts = []
    for what, model in models.items():
        terms = ",\n  ".join(json.dumps(term) for term in model.terms)
        texts.append(f'"{what}": {{"bias": {model.bias}, "terms": [\n  {terms}\n]}}')
    return "{\n" + ",\n".join(texts) + "\n}\n"


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--cases", nargs=len(SORTS), type=int, metavar=tuple(one.__name__.upper() for one in SORTS))
    ask.add_argument("--rendered", type=Path, action="append", default=[])
    ask.add_argument("--without", type=Path, action="append", default=[], help="folder of photographs without a board")
    ask.add_argument("--stills", type=Path, action="append", default=[])
    ask.add_argument("--write", type=Path, nargs="?", const=ROOT, metavar="FOLDER")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    if given.cases:
        numbers = [(sort, number) for sort, n in enumerate(given.cases) for number in range(n)]
        stills = [path for folder in given.rendered for path in sorted(folder.glob("*.json"))]
        without = [path for folder in given.without for path in sorted(folder.glob("*.jpg"))[::2]]
        with ProcessPoolExecutor() as pool:
            parts = [
                *pool.map(lessons_of_case, *zip(*numbers, strict=True), chunksize=8),
                *pool.map(lessons_of_still, stills, chunksize=8),
                *pool.map(lessons_without, without, chunksize=8),
            ]
        gathered = [one for part in parts for one in part]
        LESSONS.write_text("[\n" + ",\n".join(json.dumps(asdict(one)) for one in gathered) + "\n]\n")
    elsewhere = [
        one for folder in given.stills for path in sorted(folder.glob("*.json")) for one in lessons_of_still(path)
    ]
    models, curves = {}, {}
    for what in RIDGE:
        rows, right = rows_of(read_lessons(), what)
        models[what] = fitted(rows, right, RIDGE[what])
        print(f"{what}: bias {models[what].bias}", *(f"{n} {w:+.2f}" for n, _, _, w in models[what].terms))
        by_others = crossed(rows, right, RIDGE[what])
        tell(f"{what}, cross-validated", by_others, right)
        curves[f"{what}, cross-validated"] = table_of(by_others, right)
        rows, right = rows_of(elsewhere, what)
        if rows:
            p = posteriors(models[what], rows)
            tell(f"{what}, stills not fitted on", p, right)
            curves[f"{what}, stills of another program"] = table_of(p, right)
    if given.write:
        shipped = ROOT / "vision" / "detection" / "confidence.json"
        code, docs = (shipped.parent, ROOT / "docs") if given.write == ROOT else (given.write, given.write)
        (code / shipped.name).write_text(as_json(models))
        cv2.imwrite(str(docs / "finder-confidence.png"), reliability_picture(curves))


if __name__ == "__main__":
    main()
