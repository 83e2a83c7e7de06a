"""Features of a candidate in, the posterior that it is right out: fitted to drawn tables with known truth.

The coefficients, ``confidence.json``, are made by ``tools/finder/fit.py --write`` from ``tools/finder/lessons.json``. A
posterior is calibrated for tables like those it was fitted to. ``docs/FINDING.md`` shows how well it holds on others.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

MIN_BOARD_CONFIDENCE = 0.5
"""Posterior under which nothing is said to be a board."""

CERTAIN_CONFIDENCE = 0.95
"""Posterior over which a board is certain: no closer look, and no other kind of board, is tried."""


class LogisticModel(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]

    def posterior(self, features: dict[str, float]) -> float:
        """Return the posterior; each feature is standardised by its mean and spread."""
        log_odds = self.bias
        for name, mean, spread, weight in self.terms:
            log_odds += weight * (features[name] - mean) / spread
        return float(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))


@cache
def confidence_models() -> dict[str, LogisticModel]:
    """Return the models of ``confidence.json`` for boards of ``lines``, of ``holes`` and of ``discs``; read once."""
    stored = json.loads((files("vision.detection") / "confidence.json").read_text(encoding="utf-8"))
    return {what: LogisticModel(model["bias"], tuple(map(tuple, model["terms"]))) for what, model in stored.items()}
