"""The fusion of all cues into one table of log likelihoods a look.

A log-linear opinion pool (Genest and Zidek 1986) in which every cue may be wrong outright (a lapse: Kuss, Jaekel and
Wichmann 2005): a cue that says ``x`` nats counts ``log(((1 - e) p + e / k) / ((1 - e) q + e / k))`` with ``p =
softmax(w x + b)``, so no cue can outvote all others however sure it is. Weight ``w``, bias ``b`` and lapse rate ``e``
of every cue, under the conditions in which it speaks, are fitted together to labelled looks by
``tools/evidence/fit_fusion.py``; they lie in ``fusion.json`` with their provenance.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from referee.typed_json import limits
from vision.evidence.cues import NatsByPoint

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """How far one cue is believed under one condition."""

    weight: float  # factor on the nats of the cue
    bias: float  # nats added to it; 0 for cues over more than two alternatives
    lapse: float  # probability that the cue is wrong outright


Coefficients = Mapping[str, Coefficient]


@dataclass(frozen=True, eq=False)
class Cues:
    """What the cues say of the points of a look, and the conditions under which they say it."""

    stone: Mapping[str, NatsByPoint]  # log odds of a stone, (n_points,), by cue
    paint: Mapping[str, NatsByPoint]  # log likelihood by player, (n_points, n_players), by cue; -inf: takes no part
    change: NatsByPoint  # log odds that the point was touched since the reference; 0 where that is unknown
    change_kind: NDArray[np.str_]  # how it was measured: ``pixels``, ``surface`` or ``towers``
    tops: NDArray[np.intp]  # in the reference: 0 bare, k a stone of player k - 1
    visible: Mask  # nothing hides the point
    in_view: Mask  # and no nearer tower covers its stones
    bare_known: Mask  # the bare patch is
    moved: Mask  # it lies elsewhere than in the reference
    stacked: Mask  # stones may lie on stones
    paints_seen: Mask  # every player has shown a stone
    cover: NatsByPoint | None = None  # log odds of a stone laid on its like; None: like any change


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of one look; raises ``ValueError`` when the shapes do not fit.

    ``log_likelihood`` is ``log p(pixels at point i | appearance a)``, nats, up to a constant a point: appearance 0 is
    the bare field, k a stone of player k - 1 on top. A hidden point has an all-zero row, and no change.
    ``cover_log_odds`` are those of a stone laid on one of its colour, which leaves the top as it was; without them
    they are those of any change.
    """

    log_likelihood: NDArray[np.float64]  # (n_points, n_appearances)
    change_log_odds: NDArray[np.float64] | None = None
    cover_log_odds: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        rows, change = self.log_likelihood, self.change_log_odds
        if rows.ndim != 2 or rows.shape[1] < 2:
            raise ValueError(f"log_likelihood must have shape (n_points, n_appearances), got {rows.shape}")
        if change is not None and change.shape != rows.shape[:1]:
            raise ValueError(f"change_log_odds must have shape {rows.shape[:1]}, got {change.shape}")


Weight = Annotated[float, limits(minimum=0.01, maximum=100)]  # of what is one table's own


@dataclass(frozen=True, slots=True)
class Habits:
    """What is one table's own: how far its stones stand out from its board, and its paints from each other."""

    stone_weight: Weight = 1.0  # factor on the fused log odds of a stone
    stone_bias: float = 0.0  # nats added to them
    paint_weight: Weight = 1.0  # factor on the fused log likelihoods of the players

    def applied_to(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return fused log likelihoods, shape (n_points, n_appearances), as they are to be read at this table."""
        stones = rows[:, 1:].max(axis=1, keepdims=True)
        stone_nats = self.stone_weight * (stones - rows[:, :1]) + self.stone_bias
        return np.column_stack([np.zeros(len(rows)), stone_nats + self.paint_weight * (rows[:, 1:] - stones)])


def fuse(cues: Cues, coefficients: Coefficients | None = None, habits: Habits | None = None) -> Evidence:
    """Return the evidence of one look from all its cues, by the coefficients of ``fusion.json`` when omitted."""
    by_name = fitted_coefficients() if coefficients is None else coefficients
    stone = np.zeros(len(cues.tops))
    paint = np.zeros(next(iter(cues.paint.values())).shape)
    paint[~np.isfinite(next(iter(cues.paint.values())))] = -np.inf
    change = np.zeros(len(cues.tops))
    for name, where in conditions(cues):
        family, cue, _ = name.split("/")
        if not where.any():
            continue
        if family == "stone":
            stone[where] += binary_nats(cues.stone[cue][where], by_name[name])
        elif family == "paint":
            paint[where] += paint_nats(cues.paint[cue][where], by_name[name])
        else:
            change[where] = np.where(cues.change[where] == 0, 0.0, binary_nats(cues.change[where], by_name[name]))
    rows = np.column_stack([np.zeros(len(stone)), stone[:, None] + paint - paint.max(axis=1, keepdims=True)])
    if habits is not None:
        rows = habits.applied_to(rows)
    rows[~cues.in_view] = np.where(np.isfinite(rows[~cues.in_view]), 0.0, -np.inf)
    cover = None if cues.cover is None else np.where(cues.visible, cues.cover, 0.0)
    return Evidence(rows - rows.max(axis=1, keepdims=True), np.where(cues.visible, change, 0.0), cover)


def conditions(cues: Cues) -> Iterator[tuple[str, Mask]]:
    """Yield the name of every coefficient ("family/cue/condition") and the points at which it is used."""
    still, moved = cues.bare_known & ~cues.moved, cues.bare_known & cues.moved
    flat = ~cues.stacked
    yield "stone/look/still", still & flat
    yield "stone/look/still_stacked", still & cues.stacked
    yield "stone/look/moved", moved & flat
    yield "stone/look/moved_stacked", moved & cues.stacked
    for cue in ("look", "photograph"):
        yield f"stone/{cue}/bare_unknown", ~cues.bare_known
    yield "stone/tower/moved_stacked", moved & cues.stacked
    for cue in ("paint_fit", "beside_fit"):
        yield f"stone/{cue}/flat", flat & cues.paints_seen
        yield f"stone/{cue}/stacked", cues.stacked & cues.paints_seen & ~moved
        yield f"stone/{cue}/moved_stacked", cues.stacked & cues.paints_seen & moved
    yield "paint/alike/flat", flat & cues.paints_seen  # the patch of a tower shows its lower stones
    for cue in ("remembered", "beside"):
        yield f"paint/{cue}/flat", flat & cues.paints_seen
        yield f"paint/{cue}/stacked", cues.stacked & cues.paints_seen
    # Where a player has shown no stone yet, one cue of colours: both would rest on the same one or two stones.
    yield "paint/remembered/paint_unknown", ~cues.paints_seen
    yield "paint/alike/paint_unknown", ~cues.paints_seen & flat
    for kind in ("pixels", "surface", "towers"):
        yield f"change/{kind}/bare", (cues.change_kind == kind) & (cues.tops == 0)
        yield f"change/{kind}/stone", (cues.change_kind == kind) & (cues.tops > 0)


def binary_nats(nats: NatsByPoint, coefficient: Coefficient) -> NatsByPoint:
    """Return the log odds that a cue over two alternatives is worth, from the log odds that it states."""
    p, half = 1 / (1 + np.exp(-np.clip(coefficient.weight * nats + coefficient.bias, -60, 60))), coefficient.lapse / 2
    sure = 1 - coefficient.lapse
    return np.asarray(np.log(sure * p + half) - np.log(sure * (1 - p) + half), np.float64)


def paint_nats(nats: NatsByPoint, coefficient: Coefficient) -> NatsByPoint:
    """Return the log likelihoods that a cue over the players is worth; shape (n_points, n_players), the best 0."""
    scaled = coefficient.weight * nats
    p = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    n_players = np.isfinite(nats).sum(axis=1, keepdims=True)
    worth = np.where(np.isfinite(nats), np.log((1 - coefficient.lapse) * p + coefficient.lapse / n_players), -np.inf)
    return np.asarray(worth - worth.max(axis=1, keepdims=True), np.float64)


def previous_bias_nats(habit: NatsByPoint, moved: Mask, coefficients: Coefficients | None = None) -> NatsByPoint:
    """Return the part of a look's evidence that the last look, by ``Belief.bias``, already gave."""
    by_name = fitted_coefficients() if coefficients is None else coefficients
    weight = np.where(moved, by_name["habit/last_look/moved"].weight, by_name["habit/last_look/still"].weight)
    return np.asarray(weight[:, None] * habit, np.float64)


@cache
def fitted_coefficients() -> Coefficients:
    """Return the coefficients of ``fusion.json``; read once."""
    stored = json.loads((files("vision.evidence") / "fusion.json").read_text(encoding="utf-8"))
    return {name: Coefficient(**values) for name, values in stored["coefficients"].items()}
