"""Fit the coefficients of the fusion to labelled looks.

    python -m tools.evidence.fit_fusion LOOKS.npz ... --folds 5 --write

Needs scipy beside the project's own libraries; nothing in the project needs this folder. The coefficients maximise the
posterior of what really lies on every visible point. Cross-validation leaves out whole tables, never single looks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from vision.cases import table_habits
from vision.cases.table_habits import PENALTY
from vision.evidence import fusion
from vision.evidence.fusion import Coefficient, Cues, Evidence, conditions, fuse, previous_bias_nats

START = {
    "stone/look": Coefficient(1.5, 0.0, 0.002),  # 0 wrong of 7,804 still points with 1.0 and 0.01: it knows its doubts
    "stone/photograph": Coefficient(1.0, 0.0, 0.01),  # the mixture of a board is calibrated
    "paint/remembered/paint_unknown": Coefficient(0.3, 0.0, 0.1),
    "change": Coefficient(0.8, 0.0, 0.01),
}
USUAL = Coefficient(0.5, 0.0, 0.01)


@dataclass(frozen=True, eq=False)
class Looks:
    """All points of many looks, one below the other.

    Attributes:
        truth: int array of shape (n,).
        table: int array of shape (n,). Number of the table.
        usable: bool array of shape (n,).
        previous: int array of shape (n,). Row of the same point in the last look; -1 where there is none.
    """

    cues: Cues
    truth: NDArray[np.intp]
    table: NDArray[np.intp]
    usable: NDArray[np.bool_]
    previous: NDArray[np.intp]

    def of_tables(self, tables: Sequence[int], *, without: bool = False) -> NDArray[np.bool_]:
        """Return the mask of usable rows that belong to some tables, or to none of them."""
        return self.usable & (np.isin(self.table, tables) ^ without)


def load(paths: Sequence[Path]) -> Looks:
    """Return the looks that ``collect`` has written."""
    parts = [dict(np.load(path, allow_pickle=False)) for path in paths]
    offset, rows = 0, []
    for number, part in enumerate(parts):
        part["table"] = part["table"] + number * 1_000_000  # every run of ``collect`` counts its tables by itself
        part["previous"] = np.where(part["previous"] >= 0, part["previous"] + offset, -1)
        offset += len(part["truth"])
        rows.append(part)
    joined = {key: np.concatenate([part[key] for part in rows]) for key in rows[0]}
    plain = {f.name: joined[f.name] for f in fields(Cues) if f.name not in ("stone", "paint", "cover")}
    stone, paint = (
        {key.split("/")[1]: values for key, values in joined.items() if key.startswith(family + "/")}
        for family in ("stone", "paint")
    )
    cues = Cues(stone=stone, paint=paint, **plain)
    # Which stone of its colour was laid on a tower shows in the change alone: such rows teach nothing about tops.
    usable = joined["visible"] & ~(joined["touched"] & (joined["truth"] == joined["tops"]))
    return Looks(cues, joined["truth"], joined["table"], usable, joined["previous"])


def log_posteriors(looks: Looks, coefficients: dict[str, Coefficient]) -> NDArray[np.float64]:
    """Return the log posterior of every top at every point, shape (n, n_appearances)."""
    cues, n = looks.cues, len(looks.truth)
    evidence = fuse(cues, coefficients)
    rows, change, here = evidence.log_likelihood, evidence.change_log_odds, np.arange(n)
    last = rows[looks.previous]
    preferred = np.where(np.isfinite(last), np.maximum(last - last[here, cues.tops][:, None], 0.0), 0.0)
    preferred[looks.previous < 0] = 0.0
    rows = rows - np.where(cues.in_view[:, None], previous_bias_nats(preferred, cues.moved, coefficients), 0.0)
    return table_habits.log_posteriors(Evidence(rows, change), cues.tops)


def names_of(looks: Looks) -> list[str]:
    """Return the names of all coefficients."""
    return [name for name, _ in conditions(looks.cues)] + ["habit/last_look/still", "habit/last_look/moved"]


def start_of(name: str, only: Sequence[str]) -> Coefficient:
    """Return the coefficient that the fit starts from: the shipped one where not all are fitted anew."""
    if only and name in fusion.fitted_coefficients():
        return fusion.fitted_coefficients()[name]
    return next((value for key, value in START.items() if name.startswith(key)), USUAL)


def unpacked(names: Sequence[str], x: NDArray[np.float64]) -> dict[str, Coefficient]:
    """Return coefficients from their logarithms (weight, lapse) and biases, shape (len(names), 3)."""
    weight, bias, lapse = x.reshape(-1, 3).T
    rows = zip(names, np.exp(weight), bias, 1 / (1 + np.exp(-lapse)), strict=True)
    return {name: Coefficient(float(w), float(b), float(e)) for name, w, b, e in rows}


def fit(looks: Looks, use: NDArray[np.bool_], only: Sequence[str] = ()) -> dict[str, Coefficient]:
    """Return the coefficients that make the truth likeliest on the rows of ``use``; of all, or ``only`` of some."""
    names = names_of(looks)
    first = [start_of(name, only) for name in names]
    x0 = np.array([[np.log(c.weight), c.bias, np.log(c.lapse / (1 - c.lapse))] for c in first]).reshape(-1)
    has_bias = np.array([name.startswith(("stone", "change")) for name in names])
    has_lapse = np.array([not name.startswith("habit") for name in names])
    asked = np.array([not only or name.startswith(tuple(only)) for name in names])
    free = (np.column_stack([np.ones(len(names), np.bool_), has_bias, has_lapse]) & asked[:, None]).reshape(-1)
    rows = np.flatnonzero(use)

    def loss(x: NDArray[np.float64]) -> float:
        full = x0.copy()
        full[free] = x
        log_p = log_posteriors(looks, unpacked(names, full))[rows, looks.truth[rows]]
        return float(-np.maximum(log_p, -50).sum() + PENALTY * ((full - x0) ** 2).sum())

    optimum = minimize(loss, x0[free], method="L-BFGS-B", options={"maxiter": 40, "maxfun": 20000})
    full = x0.copy()
    full[free] = optimum.x
    return unpacked(names, full)


def reliability(looks: Looks, log_p: NDArray[np.float64], use: NDArray[np.bool_]) -> dict[str, dict[str, float]]:
    """Return points, errors, mean loss and expected calibration error (15 bins of equal width) by condition."""
    cues, out = looks.cues, {}
    moved = cues.bare_known & cues.moved
    kinds = {
        "still": cues.bare_known & ~cues.moved & ~cues.stacked,
        "moved": moved & ~cues.stacked,
        "bare unknown": ~cues.bare_known & ~cues.stacked,
        "towers": cues.stacked,
    }
    for kind, where in kinds.items():
        rows = np.flatnonzero(use & where)
        if not len(rows):
            continue
        right = log_p[rows].argmax(axis=1) == looks.truth[rows]
        p = np.exp(log_p[rows].max(axis=1))
        bins = np.minimum((p * 15).astype(int), 14)
        gaps = [abs(p[bins == b].sum() - right[bins == b].sum()) for b in range(15)]
        out[kind] = {
            "points": len(rows),
            "wrong": int((~right).sum()),
            "loss_nats": round(float(-log_p[rows, looks.truth[rows]].mean()), 5),
            "ece": round(float(sum(gaps) / len(rows)), 5),
        }
    return out


def main() -> None:
    """Fit, cross-validate, print, and write the data file where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("looks", type=Path, nargs="+")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[], help="starts of names: the other coefficients stay as shipped")
    shipped = Path(fusion.__file__).parent
    parser.add_argument("--write", type=Path, nargs="?", const=shipped, help="write fusion.json there")
    given = parser.parse_args()
    looks = load(given.looks)
    tables = np.unique(looks.table)
    log_p = np.zeros((len(looks.truth), 7))
    for fold in range(given.folds):
        held_out = tables[fold :: given.folds]
        coefficients = fit(looks, looks.of_tables(held_out, without=True), given.only)
        rows = looks.of_tables(held_out)
        log_p[rows] = log_posteriors(looks, coefficients)[rows]
    validated = reliability(looks, log_p, looks.usable) if given.folds else {}
    print("left out:", json.dumps(validated, indent=1))
    coefficients = fit(looks, looks.usable, given.only)
    print("fitted:", json.dumps(reliability(looks, log_posteriors(looks, coefficients), looks.usable), indent=1))
    for name, value in coefficients.items():
        print(f"{name:32} weight {value.weight:6.3f} bias {value.bias:+6.2f} lapse {value.lapse:.4f}")
    if given.write:
        rounded = {
            name: {key: round(number, 4) for key, number in asdict(value).items()}
            for name, value in coefficients.items()
        }
        provenance = {
            "script": "tools/evidence/fit_fusion.py " + " ".join(path.name for path in given.looks),
            "date": date.today().isoformat(),
            "n_tables": len(tables),
            "n_points": int(looks.usable.sum()),
            "left_out_by_table": validated,
        }
        if given.only:  # the others keep where they come from
            shipped_file = json.loads((shipped / "fusion.json").read_text(encoding="utf-8"))
            provenance = shipped_file["provenance"] | {"then": {"only": given.only, **provenance}}
        target = given.write / "fusion.json"
        target.write_text(json.dumps({"provenance": provenance, "coefficients": rounded}, indent=1) + "\n")
        print(f"wrote {target.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
