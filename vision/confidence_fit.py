"""Coefficients of ``confidence``; tools/finder/fit.py writes them anew.

These: strokes from cases 0 to 119 of tools/finder/tables.py and, at two fifths of the weight, from 116 pictures of
tools/finder/sweep.py. Wheels by hand: of 27 true ones in rendered pictures the least has 46.5 nats, of 36 false ones
in pictures without rings the best 45.9; a regression on these few finds nothing in the other features.
"""

from __future__ import annotations

from typing import NamedTuple


class Fitted(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]


STROKES = Fitted(
    1.669,
    (
        ("links", 0.8484, 0.2231, 1.381),
        ("clutter", 0.0527, 0.0878, -1.405),
        ("overrun", 0.0955, 0.1768, -1.103),
        ("inside", 0.1566, 0.1591, -1.053),
        ("beyond", 0.1644, 0.1496, 0.229),
        ("crooked", 0.2755, 0.2005, -0.579),
        ("stretched", 0.2047, 0.2107, -0.651),
    ),
)
WHEELS = Fitted(0.0, (("worth", 4.62, 0.4, 1.0),))
HOLES = Fitted(0.0, (("nats", 1.8, 0.25, 1.0),))
