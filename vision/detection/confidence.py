"""Confidence: the posterior that what was found is the board, fitted to drawn tables with known truth.

The coefficients are data (``confidence_coefficients``) and are made by ``tools/finder/fit.py``. A posterior is
calibrated for tables like those it was fitted to. ``docs/FINDING.md`` shows how well it holds on others.
"""

from __future__ import annotations

import numpy as np

from vision.detection.confidence_coefficients import DISC_BOARD_MODEL, HOLE_BOARD_MODEL, LINE_BOARD_MODEL, LogisticModel
from vision.detection.disc_detection import DetectedDiscs
from vision.detection.verification import Verification
from vision.imaging.medians import median

MIN_BOARD_CONFIDENCE = 0.5
"""Posterior under which nothing is said to be a board.

Source: chosen.
"""

CERTAIN_CONFIDENCE = 0.95
"""Posterior over which the search stops: no other area, stroke colour, drawing or kind of board is tried.

Source: chosen.
"""

MAX_RING_NATS = 70.0
"""Nats for rings of holes at which the feature is clipped. Drawn holes are clearer than those of wood.

Source: chosen.
"""

MAX_PARALLEL_LINES = 4
"""Number of parallel lines beside the drawing at which the feature is clipped.

Source: chosen.
"""

MAX_FRAME_OVERRUN = 0.5
"""``Verification.overrun`` of a framed drawing from which it is a piece of a larger grid.

Source: chosen.
"""

MAX_COUNTED_LINKS = 30
"""Number of seen links at which the feature is clipped.

Source: chosen.
"""

MIN_LINK_COVERAGE = 0.5
"""Share of the middle part of a link that must be seen for the link to count as seen.

Source: chosen.
"""


def line_features(verification: Verification) -> dict[str, float]:
    """Return the features for and against a hypothesis of a board drawn with lines, by name."""
    here = verification.link_in_picture
    seen = (verification.link_coverage >= MIN_LINK_COVERAGE) & here
    return {
        "link_share": float(seen.sum() / max(int(here.sum()), 1)),
        "root_link_count": float(np.sqrt(min(seen.sum(), MAX_COUNTED_LINKS))),
        "coverage": verification.hypothesis.coverage,
        "clutter": min(verification.hypothesis.clutter, 0.3),
        "overrun": verification.overrun,
        "root_inner_clutter": float(np.sqrt(verification.inner_clutter)),
        "scattered_loss": _scattered_loss(verification),
        "parallel_lines": min(verification.n_parallel_lines, MAX_PARALLEL_LINES),
        "joint_deviation": min(verification.joint_deviation, 0.03) / 0.03,
    }


def _scattered_loss(verification: Verification) -> float:
    """Return the share of missing strokes times their spread: an occluder hides one part of a board.

    Strokes outside the picture are neither there nor missing.
    """
    here = verification.link_in_picture
    lost = ((verification.link_coverage < MIN_LINK_COVERAGE) & here)[verification.hypothesis.template.sample_links]
    if not lost.any():
        return 0.0
    known = here[verification.hypothesis.template.sample_links]
    xy = verification.hypothesis.samples_px
    spread = np.linalg.norm(xy[lost].std(axis=0)) / np.linalg.norm(xy[known].std(axis=0))
    return float(lost.sum() / known.sum() * min(spread, 1.2))


def disc_features(discs: DetectedDiscs) -> dict[str, float]:
    """Return the features for and against three rings of holes, by name."""
    usual = float(median(discs.rings.strength))
    return {
        "rim_nats": min(discs.rim_nats, MAX_RING_NATS) / 10,
        "heatmap_nats": min(discs.heatmap_nats, MAX_RING_NATS) / 10,
        "strength_between": min(float(discs.rings.strength_between.mean()) / (usual + 1e-6), 1.0),
        "heat_on_holes": discs.heat_on_holes,
        "heat_between_holes": discs.heat_between_holes,
    }


def hole_features(nats: float) -> dict[str, float]:
    """Return the feature for a board of holes, by name: its log evidence in tens of nats."""
    return {"hole_nats": min(nats, 60.0) / 10}


def line_confidence(verification: Verification) -> float:
    """Return the posterior that a hypothesis is the board and that its points are where it says.

    A frame closes a drawing: where most strokes run on beyond one of its sides, it is a piece of a larger grid.
    """
    if verification.hypothesis.template.drawing == "framed" and verification.overrun > MAX_FRAME_OVERRUN:
        return 0.0
    return logistic_posterior(LINE_BOARD_MODEL, line_features(verification))


def disc_confidence(discs: DetectedDiscs | None) -> float:
    """Return the posterior that three rings of holes are a board; 0 for None."""
    return 0.0 if discs is None else logistic_posterior(DISC_BOARD_MODEL, disc_features(discs))


def hole_posterior(nats: float) -> float:
    """Return the posterior that a hypothesis with this log evidence, nats, is a board of holes."""
    return logistic_posterior(HOLE_BOARD_MODEL, hole_features(nats))


def logistic_posterior(model: LogisticModel, features: dict[str, float]) -> float:
    """Return the posterior of a logistic regression; each feature is standardised by its mean and spread."""
    log_odds = model.bias
    for name, mean, spread, weight in model.terms:
        log_odds += weight * (features[name] - mean) / spread
    return float(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))
