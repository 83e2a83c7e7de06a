"""Fit how the scores of bare points and of stones are distributed: ``vision/stones/board_mixture.json``.

    python tools/readers/fit_mixture.py fit OUT.json FOLDER ...   # stills with truth, in the format of the scenes
    python tools/readers/fit_mixture.py judge FOLDER ...          # boards read wholly, wrong points, loss in nats

Means and covariances are those of the boards themselves, nothing is searched. Boards that have taught a network have
clearer scores than others: none here taught that of the patches, all the map.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from cut import read_scene, shifted  # noqa: E402

from vision.stones.board_mixture import board_mixture  # noqa: E402
from vision.stones.photograph_reader import looks_at_sizes, point_scores  # noqa: E402

JITTER = 0.03
"""Standard deviation of the shift of every point, in spacings, as of boards that were found."""


def scores_of(path: Path, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray] | None:
    """The scores of the points in sight of a still, and if a stone lies there; None where stones are stacked."""
    table = read_scene(path)
    if table.field.board.stackable:
        return None
    field = shifted(table.field, JITTER, rng)
    looks = looks_at_sizes(table.bgr, field)
    here = looks[0][0].inside
    return point_scores(table.bgr, field, looks)[here], (table.tops > 0)[here]


def main() -> None:
    """Run the command."""
    what, *folders = sys.argv[1:]
    rng = np.random.default_rng(0)
    out = Path(folders.pop(0)) if what == "fit" else None
    paths = [path for folder in folders for path in sorted(Path(folder).glob("*.json"))]
    boards = [read for path in paths if (read := scores_of(path, rng))]
    if out is None:
        wrong, loss = [], []
        for scores, stone in boards:
            against = np.where(stone, -1, 1) * board_mixture().log_odds(scores)
            wrong.append(int((against > 0).sum()))
            loss.extend(np.logaddexp(0, against))
        whole = wrong.count(0)
        print(f"{len(boards)} boards, {whole} whole, {sum(wrong)} of {len(loss)} points, loss {np.mean(loss):.3f}")
        return
    both = [[scores[~stone], scores[stone]] for scores, stone in boards if min(stone.sum(), (~stone).sum()) > 1]
    means = np.array([np.hstack([of.mean(axis=0) for of in classes]) for classes in both])
    scatter = []
    for which in (0, 1):
        aside = np.vstack([classes[which] - classes[which].mean(axis=0) for classes in both])
        scatter.append(aside.T @ aside / (len(aside) - len(both)))
    found = {
        "means": means.mean(axis=0).reshape(2, -1),
        "covariance_of_means": np.cov(means.T),
        "scatter": np.array(scatter),
    }
    rounded = {name: np.round(value, 3).tolist() for name, value in found.items()}
    out.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    print(f"{len(both)} boards")


if __name__ == "__main__":
    main()
