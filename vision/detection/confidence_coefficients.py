"""Coefficients of ``confidence``; ``tools/finder/fit.py --write`` makes them from ``tools/finder/lessons.json``."""

from __future__ import annotations

from typing import NamedTuple


class Fitted(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]


STROKES = Fitted(
    0.061,
    (
        ("links", 0.8561, 0.2209, 1.333),
        ("there", 4.2571, 1.0666, 0.623),
        ("coverage", 0.8458, 0.2167, 1.199),
        ("clutter", 0.0646, 0.089, -2.06),
        ("overrun", 0.1626, 0.2515, -0.973),
        ("inside", 0.202, 0.1681, -2.045),
        ("scattered", 0.1066, 0.1917, -0.624),
    ),
)
WHEELS = Fitted(
    3.578,
    (
        ("worth", 6.3483, 1.1129, 0.609),
        ("warm", 6.5706, 0.9145, 0.882),
        ("idle", 0.0402, 0.1232, -0.326),
        ("on", 0.6131, 0.105, 0.384),
        ("between", 0.0479, 0.0339, -0.145),
    ),
)
HOLES = Fitted(
    -1.216,
    (("nats", 1.1021, 1.8552, 1.611),),
)
