"""Coefficients of ``confidence``. Written by tools/finder/fit.py; do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fitted(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]


STROKES = Fitted(
    0.5,
    (
        ("coverage", 0.85, 0.1, 1.5),
        ("links", 0.8, 0.2, 0.8),
        ("lead", 0.15, 0.1, 0.4),
        ("overrun", 0.1, 0.2, -1.2),
        ("inside", 0.2, 0.1, -1.2),
    ),
)
WHEELS = Fitted(0.0, (("worth", 4.0, 0.3, 1.0),))
