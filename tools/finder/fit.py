"""Fit the confidences of ``vision/detection/confidence.py`` to drawn tables, and measure how well they hold.

python tools/finder/fit.py [--cases LINES LOOKALIKES DISCS HOLES DRAWINGS GRIDS] [--rendered FOLDER]
    [--stills FOLDER] [--write [FOLDER]]

Drawn cases (``drawn_cases.py``) are searched for boards of lines, for turning discs and for boards of holes. The
features of the best hypothesis, and whether it is right, are the lessons (training examples), kept in
``lessons.json`` beside this file. ``--cases`` gathers them anew from so many cases each (0 keeps those of a sort),
with the best rings of pictures without a board; ``--rendered`` gathers those of rendered tables in many colours, whose
holes are less clear than drawn ones (a folder as for ``--stills``). Three ridge-penalised logistic regressions are
fitted to the lessons. The kept lessons give exactly the shipped coefficients. Printed are the reliability tables by
tenfold cross-validation, and with ``--stills`` those on pictures that were not fitted on (folders of NAME.json with
"image", "board" and "points"). ``--write`` replaces ``vision/detection/confidence.json`` and
``docs/finder-confidence.png``, or writes both to a folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE)]

from drawn_cases import case, drawing_case, drilled_case, grid_case, is_right, lookalike_case, round_case  # noqa: E402
from figures import reliability_picture  # noqa: E402 - found beside this file

from referee.board import Board  # noqa: E402
from referee.boards import COMMON_BOARDS  # noqa: E402
from referee.layouts import MOULIN_ROUGE, TIC_TAC_TOE, moulin_rouge  # noqa: E402
from tests.synthetic.boardless import KINDS, boardless  # noqa: E402
from vision.detection.board_hypotheses import hypothesis_registration  # noqa: E402
from vision.detection.confidence import MIN_BOARD_CONFIDENCE, LogisticModel  # noqa: E402
from vision.detection.detect import MAX_PLAYING_AREAS, search_for  # noqa: E402
from vision.detection.disc_detection import detect_discs, disc_features, disc_registration  # noqa: E402
from vision.detection.hole_boards import find_hole_boards, hole_features  # noqa: E402
from vision.detection.playing_areas import find_playing_areas  # noqa: E402
from vision.detection.templates import board_template, line_drawings  # noqa: E402
from vision.detection.verification import line_features  # noqa: E402
from vision.imaging.frame import Image  # noqa: E402

RIDGE = {"lines": 1.0, "discs": 3.0, "holes": 1.0}
"""Penalty on the squared weights of standardised features, in cases; discs of one picture are alike and count less."""

AGAINST = {
    "clutter",
    "overrun",
    "root_inner_clutter",
    "scattered_loss",
    "strength_between",
    "heat_between_holes",
}
"""Features that speak against a board; the others speak for it."""

FOLDS = 10

LESSONS = HERE / "lessons.json"

RENDERED = "rendered"
"""How the names of lessons from rendered tables begin."""

BOARDLESS_SEED, N_BOARDLESS = 12, 50
"""Pictures without a board from which lessons come; the tests count on others."""

BOARDS_OF_LINES = tuple(board for board in COMMON_BOARDS.values() if not board.rings)

Float64Array = NDArray[np.float64]
Row = dict[str, float]


@dataclass(frozen=True)
class Lesson:
    """The features of the best hypothesis of lines, discs or holes in one picture, and whether it is right."""

    what: str
    name: str
    features: Row
    right: bool


Look = Callable[[str, Image, Board | None, Float64Array], list[Lesson]]


def line_lesson(
    name: str,
    bgr: Image,
    board: Board | None,
    points_px: Float64Array,
    boards: tuple[Board, ...] = BOARDS_OF_LINES,
) -> list[Lesson]:
    """Search for a board of lines; no lesson where nothing was found."""
    verification = search_for(bgr, boards).lines.verification
    if verification is None:
        return []
    right = is_right(hypothesis_registration(verification.hypothesis, 1.0), board, points_px)
    return [Lesson("lines", name, line_features(verification), right)]


def cell_lesson(name: str, bgr: Image, board: Board | None, points_px: Float64Array) -> list[Lesson]:
    """Search for the grids of three in a row alone; no lesson where nothing was found."""
    return line_lesson(name, bgr, board, points_px, (TIC_TAC_TOE,))


def disc_lesson(name: str, bgr: Image, board: Board | None, points_px: Float64Array) -> list[Lesson]:
    """Search every playing area for three rings of holes; each that is found is a lesson, most are wrong."""
    found = [discs for area in find_playing_areas(bgr)[:MAX_PLAYING_AREAS] for discs in detect_discs(bgr, area)]
    return [
        Lesson(
            "discs",
            name,
            disc_features(discs),
            is_right(disc_registration(discs, MOULIN_ROUGE, 1.0), board, points_px),
        )
        for discs in found
    ]


def hole_lesson(name: str, bgr: Image, board: Board | None, points_px: Float64Array) -> list[Lesson]:
    """Search for a board of holes."""
    drawings = [d for board in BOARDS_OF_LINES for d in line_drawings(board) if d.drawing.name == "lines"]
    found = find_hole_boards(bgr, [board_template(d) for d in drawings])
    if not found:
        return []
    right = is_right(hypothesis_registration(found[0], 1.0), board, points_px)
    return [Lesson("holes", name, hole_features(found[0].nats), right)]


LOOKS = (
    ("lines", line_lesson, case),
    ("lookalikes", line_lesson, lookalike_case),
    ("discs", disc_lesson, round_case),
    ("holes", hole_lesson, drilled_case),
    ("drawings", line_lesson, drawing_case),
    ("grids", cell_lesson, grid_case),
)
"""What the cases of a lesson are called, how they are looked into and how they are drawn."""


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
    names = list(rows[0])
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


def stills(folder: Path, looks: Sequence[Look] = (line_lesson, disc_lesson, hole_lesson)) -> list[Lesson]:
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
        board = moulin_rouge(len(points) // 3) if truth["board"] == "moulin_rouge" else COMMON_BOARDS[truth["board"]]
        for look in looks:
            if look is line_lesson and truth.get("variant") == "points":
                continue  # the nine points of tic-tac-toe are the drawing of three men's morris
            out += look(path.stem, np.asarray(bgr, np.uint8), board, points)
    return out


def gathered(counts: Sequence[int]) -> list[Lesson]:
    """Lessons of the first cases of each sort."""
    out = []
    for (_, look, drawn_case), count in zip(LOOKS, counts, strict=True):
        for number in range(count):
            drawn = drawn_case(number)
            out += look(f"{number} {drawn.what}", drawn.bgr, drawn.board, drawn.points_px)
    return out


def boardless_lessons(look: Look) -> list[Lesson]:
    """The best of each picture without a board; none of them is right."""
    out = []
    for number, kind in enumerate((*KINDS, *KINDS)[:N_BOARDLESS]):
        size = ((640, 480), (960, 540), (1280, 720))[number % 3]
        bgr = boardless(np.random.default_rng([BOARDLESS_SEED, number]), kind, size_px=size)
        found = look(f"boardless {kind}{BOARDLESS_SEED}.{number}", bgr, None, np.empty((0, 2)))
        out += sorted(found, key=evidence)[-1:]
    return out


def evidence(lesson: Lesson) -> float:
    """As ``DetectedDiscs.total_nats``, for a lesson of discs; of lines and holes there is one a picture."""
    features = lesson.features
    return features["rim_nats"] + features["heatmap_nats"] if lesson.what == "discs" else 0.0


def rendered(folder: Path) -> list[Lesson]:
    """The best board of lines and the best discs in each rendered table."""
    best: dict[tuple[str, str], Lesson] = {}
    for x in stills(folder, (line_lesson, disc_lesson)):
        key = x.name, x.what
        if key not in best or evidence(x) > evidence(best[key]):
            best[key] = x
    return [replace(x, name=f"{RENDERED} {x.name}") for x in best.values()]


def kept(path: Path = LESSONS) -> list[Lesson]:
    """Lessons that were gathered before."""
    return [Lesson(**entry) for entry in json.loads(path.read_text())]


def sort_of(lesson: Lesson) -> str:
    """The sort of cases, as in ``LOOKS``, that a lesson comes from; that of lookalikes is "lines"."""
    return next((sort for sort in ("drawings", "grids") if f" {sort[:-1]}: " in lesson.name), lesson.what)


def rows_of(lessons: list[Lesson], what: str) -> tuple[list[Row], list[bool]]:
    """Features and truths of one thing that is looked for."""
    found = [x for x in lessons if x.what == what]
    return [x.features for x in found], [x.right for x in found]


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
    ask.add_argument("--cases", nargs=len(LOOKS), type=int, metavar=tuple(name for name, _, _ in LOOKS))
    ask.add_argument("--rendered", type=Path, action="append", default=[])
    ask.add_argument("--stills", type=Path, action="append", default=[])
    ask.add_argument("--write", type=Path, nargs="?", const=ROOT, metavar="FOLDER")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    if given.cases or given.rendered:
        before = kept()
        drawn = [x for x in before if not x.name.startswith(RENDERED)]
        if given.cases:
            lines, lookalikes, discs, holes, drawings, grids = given.cases
            anew = {"lines": lines + lookalikes, "discs": discs, "holes": holes, "drawings": drawings, "grids": grids}
            drawn = [x for x in drawn if not anew[sort_of(x)]] + gathered(given.cases)
            for what, look in (("lines", line_lesson), ("discs", disc_lesson)):
                drawn += boardless_lessons(look) if anew[what] else []
        more = [x for folder in given.rendered for x in rendered(folder)]
        lessons = drawn + (more or [x for x in before if x.name.startswith(RENDERED)])
        LESSONS.write_text("[\n" + ",\n".join(json.dumps(asdict(x)) for x in lessons) + "\n]\n")
    lessons = kept()
    elsewhere = [x for folder in given.stills for x in stills(folder)]
    models, curves = {}, {}
    for what in RIDGE:
        rows, right = rows_of(lessons, what)
        models[what] = fitted(rows, right, RIDGE[what])
        print(f"{what}: bias {models[what].bias}", *(f"{n} {w:+.2f}" for n, _, _, w in models[what].terms))
        by_others = crossed(rows, right, RIDGE[what])
        tell(f"{what}, cross-validated", by_others, right)
        curves[f"{what} of drawn tables, cross-validated"] = table_of(by_others, right)
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
