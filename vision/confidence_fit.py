"""Coefficients of ``confidence``; ``tools/finder/fit.py --write`` makes them from ``tools/finder/lessons.json``."""

from __future__ import annotations

from typing import NamedTuple


class Fitted(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]


STROKES = Fitted(
    -1.829,
    (
        ("links", 0.7537, 0.267, 1.61),
        ("clutter", 0.0874, 0.092, -1.345),
        ("overrun", 0.1909, 0.2811, -0.89),
        ("inside", 0.2244, 0.1722, -1.622),
        ("scattered", 0.1849, 0.2326, -0.914),
        ("lines_beyond", 1.0116, 1.5058, -0.323),
        ("crooked", 0.2581, 0.2291, 0.387),
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
    (
        ("nats", 1.1021, 1.8552, 1.611),
    ),
)
