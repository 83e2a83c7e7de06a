"""Coefficients of ``confidence``. Written by tools/finder/fit.py; do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fitted(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]


STROKES = Fitted(
    0.274,
    (
        ("gain", 1.0, 0.1, 1.0),
        ("coverage", 0.8054, 0.244, 0.686),
        ("links", 0.8113, 0.2439, 1.014),
        ("clutter", 0.0685, 0.0958, -0.976),
        ("background", 0.2028, 0.1627, -0.156),
        ("overrun", 0.1241, 0.1977, -0.81),
        ("inside", 0.1784, 0.1677, -1.654),
        ("beyond", 0.19, 0.1556, 0.217),
        ("crooked", 0.2972, 0.2179, -0.534),
        ("stretched", 0.2096, 0.2234, -0.923),
        ("size", 4.8922, 0.4588, -0.631),
        ("links_of_drawing", 3.061, 0.3812, 0.066),
    ),
)
WHEELS = Fitted(0.0, (("worth", 4.0, 0.3, 1.0),))
