"""Fit the confidences of ``vision/confidence.py`` on drawn tables, and say how well they hold.

python tools/finder/fit.py --cases 0 600 [--keep ROWS.json] [--stills FOLDER] [--write]

Every drawn case (``tables.py``) is searched for a board; what the best guess and the best wheel look like, and
whether they are right, are the lessons. Two ridge-penalised logistic regressions are fitted to them. Told are the
tables of reliability by tenfold cross-validation, and with ``--stills`` those on pictures that were not fitted on
(folders of NAME.json with "image", "board" and "points"). ``--write`` replaces ``vision/confidence_fit.py`` and
``docs/finder-confidence.png``. ``--keep`` stores the rows, and reads those that are there already.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE)]

from figures import reliability_picture  # noqa: E402 - found beside this file
from tables import case, is_right  # noqa: E402

from referee.board import Board  # noqa: E402
from referee.layouts import BOARDS, moulin_rouge  # noqa: E402
from vision.confidence import stroke_features, wheel_features  # noqa: E402
from vision.confidence_fit import Fitted  # noqa: E402
from vision.frame import Image  # noqa: E402
from vision.locate import LEAST_CONFIDENCE, survey  # noqa: E402
from vision.naming import stroke_registration, wheel_registration  # noqa: E402

RIDGE = 1.0
"""Penalty on the squared weights of standardised features, in cases: a few hundred lessons outweigh it."""

FOLDS = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Lesson:
    """What was found in one picture, strokes and rings of holes, and whether it is right."""

    name: str
    strokes: dict[str, float] | None
    strokes_right: bool
    wheel: dict[str, float] | None
    wheel_right: bool


def lesson(name: str, bgr: Image, board: Board | None, points_px: Floats) -> Lesson:
    """Search one picture."""
    seen = survey(bgr)
    strokes, strokes_right = None, False
    if seen.witness is not None:
        strokes = stroke_features(seen.witness)
        strokes_right = is_right(stroke_registration(seen.witness.guess, 1.0), board, points_px)
    wheel, wheel_right = None, False
    if seen.wheel is not None:
        wheel = wheel_features(seen.wheel)
        wheel_right = is_right(wheel_registration(seen.wheel, 1.0), board, points_px)
    return Lesson(name, strokes, strokes_right, wheel, wheel_right)


def logistic(x: Floats, right: Floats, ridge: float = RIDGE) -> tuple[float, Floats]:
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


def fitted(rows: list[dict[str, float]], right: list[bool]) -> Fitted:
    """The regression with the means and spreads that it was fitted with."""
    x = np.array([list(row.values()) for row in rows], np.float64)
    mean, spread = x.mean(0), np.maximum(x.std(0), 1e-3)
    bias, weights = logistic((x - mean) / spread, np.array(right, np.float64))
    columns = zip(rows[0], mean, spread, weights, strict=True)
    return Fitted(round(bias, 3), tuple((n, round(m, 4), round(s, 4), round(w, 3)) for n, m, s, w in columns))


def posteriors(model: Fitted, rows: list[dict[str, float]]) -> Floats:
    """Posterior of every row."""
    evidence = [model.bias + sum(w * (row[n] - m) / s for n, m, s, w in model.terms) for row in rows]
    return np.asarray(1 / (1 + np.exp(-np.clip(evidence, -30, 30))))


def crossed(rows: list[dict[str, float]], right: list[bool]) -> Floats:
    """Posterior of every row from a fit that has not seen it."""
    out = np.zeros(len(rows))
    fold = np.random.default_rng(1).permutation(len(rows)) % FOLDS
    for k in range(FOLDS):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        out[test] = posteriors(fitted([rows[i] for i in train], [right[i] for i in train]), [rows[i] for i in test])
    return out


def table_of(p: Floats, right: list[bool]) -> list[tuple[float, float, int]]:
    """Mean confidence, share that is right, and number, of each step of confidence that has cases."""
    truth, out = np.array(right, np.float64), []
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 0.99), (0.99, 2)):
        within = (p >= low) & (p < high)
        if within.any():
            out.append((float(p[within].mean()), float(truth[within].mean()), int(within.sum())))
    return out


def tell(title: str, p: Floats, right: list[bool]) -> None:
    """Print how well posteriors hold."""
    truth = np.array(right, np.float64)
    given = p >= LEAST_CONFIDENCE
    brier = float(((p - truth) ** 2).mean())
    print(f"{title}: {len(p)} cases, Brier score {brier:.4f}")
    print(f"  given: {int(given.sum())}, wrong: {int((given & (truth == 0)).sum())},", end=" ")
    print(f"right but withheld: {int((~given & (truth == 1)).sum())}")
    for mean, share, n in table_of(p, right):
        print(f"  said {mean:.3f}, right {share:.3f}, of {n}")


def stills(folder: Path) -> list[Lesson]:
    """Lessons from pictures that other programs rendered."""
    out = []
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        if "points" not in truth or not truth.get("image"):
            continue
        bgr = cv2.imread(str(folder / truth["image"]))
        if bgr is None:
            raise SystemExit(f"{folder / truth['image']} cannot be read")
        points = np.array([p["px"] for p in truth["points"]], np.float64)
        board = moulin_rouge(len(points) // 3) if truth["board"] == "moulin_rouge" else BOARDS[truth["board"]]
        out.append(lesson(path.stem, np.asarray(bgr, np.uint8), board, points))
    return out


def gathered(first: int, last: int, keep: Path | None) -> list[Lesson]:
    """Lessons of the cases with these numbers; those that are kept already are not searched again."""
    known: dict[str, Lesson] = {}
    if keep is not None and keep.exists():
        known = {entry["name"]: Lesson(**entry) for entry in json.loads(keep.read_text())}
    for number in range(first, last):
        drawn_name = f"case {number}"
        if any(name.startswith(drawn_name + " ") for name in known):
            continue
        drawn = case(number)
        found = lesson(f"{drawn_name} {drawn.what}", drawn.bgr, drawn.board, drawn.points_px)
        known[found.name] = found
        if keep is not None and number % 20 == 19:
            keep.write_text(json.dumps([asdict(entry) for entry in known.values()]))
    if keep is not None:
        keep.write_text(json.dumps([asdict(entry) for entry in known.values()]))
    return list(known.values())


def as_source(name: str, model: Fitted) -> str:
    """A model as a line of Python."""
    terms = "".join(f'        ("{n}", {m}, {s}, {w}),\n' for n, m, s, w in model.terms)
    return f"{name} = Fitted(\n    {model.bias},\n    (\n{terms}    ),\n)\n"


def split(lessons: list[Lesson]) -> tuple[list[dict[str, float]], list[bool], list[dict[str, float]], list[bool]]:
    """Rows and truths of strokes and of wheels."""
    s = [(x.strokes, x.strokes_right) for x in lessons if x.strokes is not None]
    w = [(x.wheel, x.wheel_right) for x in lessons if x.wheel is not None]
    return [row for row, _ in s], [right for _, right in s], [row for row, _ in w], [right for _, right in w]


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--cases", nargs=2, type=int, default=(0, 600), metavar=("FIRST", "AFTER_LAST"))
    ask.add_argument("--keep", type=Path)
    ask.add_argument("--stills", type=Path, action="append", default=[])
    ask.add_argument("--write", action="store_true")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    lessons = gathered(given.cases[0], given.cases[1], given.keep)
    rows, right, wheel_rows, wheel_right = split(lessons)
    strokes, wheels = fitted(rows, right), fitted(wheel_rows, wheel_right)
    for model in (strokes, wheels):
        print(f"bias {model.bias}", *(f"{n} {w:+.2f}" for n, _, _, w in model.terms))
    by_strokes, by_wheel = crossed(rows, right), crossed(wheel_rows, wheel_right)
    tell("strokes, cross-validated", by_strokes, right)
    tell("rings of holes, cross-validated", by_wheel, wheel_right)
    curves = {"drawn tables, cross-validated": table_of(by_strokes, right)}
    elsewhere = [x for folder in given.stills for x in stills(folder)]
    if elsewhere:
        rows, right, wheel_rows, wheel_right = split(elsewhere)
        p = posteriors(strokes, rows)
        tell("strokes, stills not fitted on", p, right)
        if wheel_rows:
            tell("rings of holes, stills not fitted on", posteriors(wheels, wheel_rows), wheel_right)
        curves["stills of another program"] = table_of(p, right)
    if given.write:
        target = ROOT / "vision" / "confidence_fit.py"
        head = target.read_text().split("STROKES = ")[0]
        target.write_text(head + as_source("STROKES", strokes) + as_source("WHEELS", wheels))
        cv2.imwrite(str(ROOT / "docs" / "finder-confidence.png"), reliability_picture(curves))


if __name__ == "__main__":
    main()
