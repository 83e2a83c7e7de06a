"""How likely it is that what was found is the board: a posterior fitted to drawn tables with known truth.

The coefficients are data (``confidence_coefficients``); ``tools/finder/fit.py`` makes them anew. A posterior means what it
says where tables are like those of the recipe; ``docs/FINDER.md`` shows how well it holds on others.
"""

from __future__ import annotations

import numpy as np

from vision.detection.confidence_coefficients import HOLES, STROKES, WHEELS, Fitted
from vision.detection.disc_detection import Wheel
from vision.detection.verification import Witness
from vision.imaging.homography import Floats

ENOUGH = 70.0
"""Nats of rings beyond which more say nothing more: drawn holes are clearer than those of wood."""

MOST_LINES = 4
"""Foreign lines beyond which more say nothing more."""

MANY_LINKS = 30
"""Links beyond which more say nothing more."""

LEAST_LINK = 0.5
"""Share of the middle of a link that must be seen for the link to be there."""


def stroke_features(witness: Witness) -> dict[str, float]:
    """What speaks for and against a guess that was looked at twice, by name."""
    there = witness.links_seen >= LEAST_LINK
    return {
        "links": float(there.mean()),
        "there": float(np.sqrt(min(there.sum(), MANY_LINKS))),
        "coverage": witness.guess.coverage,
        "clutter": min(witness.guess.clutter, 0.3),
        "overrun": witness.overrun,
        "inside": float(np.sqrt(witness.inside)),
        "scattered": _scattered(witness),
        "lines_beyond": min(witness.lines_beyond, MOST_LINES),
        "crooked": min(witness.crooked, 0.03) / 0.03,
    }


def _scattered(witness: Witness) -> float:
    """Share of the links that are missing, times how far apart they lie: what hides a board hides one part of it."""
    lost = (witness.links_seen < LEAST_LINK)[witness.guess.template.sample_link]
    if not lost.any():
        return 0.0
    xy = witness.guess.samples_px
    apart = np.linalg.norm(xy[lost].std(axis=0)) / np.linalg.norm(xy.std(axis=0))
    return float(lost.mean() * min(apart, 1.2))


def wheel_features(wheel: Wheel) -> dict[str, float]:
    """What speaks for three rings of holes, by name."""
    usual = float(np.median(wheel.rings.strength))
    return {
        "worth": min(wheel.worth, ENOUGH) / 10,
        "warm": min(wheel.warm, ENOUGH) / 10,
        "idle": min(float(wheel.rings.idle.mean()) / (usual + 1e-6), 1.0),
        "on": wheel.on,
        "between": wheel.between,
    }


def hole_features(nats: float) -> dict[str, float]:
    """What speaks for a board of holes: nats of evidence."""
    return {"nats": min(nats, 60.0) / 10}


def stroke_confidence(witness: Witness) -> float:
    """Posterior that a guess is the board and that its points are where it says."""
    return posterior(STROKES, stroke_features(witness))


def wheel_confidence(wheel: Wheel | None) -> float:
    """Posterior that three rings of holes are a board; 0 for none."""
    return 0.0 if wheel is None else posterior(WHEELS, wheel_features(wheel))


def hole_posterior(nats: float) -> float:
    """Posterior that what has so much evidence is a board of holes."""
    return posterior(HOLES, hole_features(nats))


def posterior(fitted: Fitted, features: dict[str, float]) -> float:
    """Logistic regression: the features, less their means and in units of their spread, weighed and added up."""
    evidence = fitted.bias
    for name, mean, spread, weight in fitted.terms:
        evidence += weight * (features[name] - mean) / spread
    return float(1 / (1 + np.exp(-np.clip(evidence, -30, 30))))


def as_row(features: dict[str, float]) -> Floats:
    """The features in their order, shape (n_features,)."""
    return np.array(list(features.values()), np.float64)
