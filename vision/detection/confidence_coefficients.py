"""Coefficients of ``confidence``; ``tools/finder/fit.py --write`` makes them from ``tools/finder/lessons.json``."""

from __future__ import annotations

from typing import NamedTuple


class LogisticModel(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]


LINE_BOARD_MODEL = LogisticModel(
    0.061,
    (
        ("link_share", 0.8561, 0.2209, 1.333),
        ("root_link_count", 4.2571, 1.0666, 0.623),
        ("coverage", 0.8458, 0.2167, 1.199),
        ("clutter", 0.0646, 0.089, -2.06),
        ("overrun", 0.1626, 0.2515, -0.973),
        ("root_inner_clutter", 0.202, 0.1681, -2.045),
        ("scattered_loss", 0.1066, 0.1917, -0.624),
    ),
)
DISC_BOARD_MODEL = LogisticModel(
    3.578,
    (
        ("rim_nats", 6.3483, 1.1129, 0.609),
        ("heatmap_nats", 6.5706, 0.9145, 0.882),
        ("strength_between", 0.0402, 0.1232, -0.326),
        ("heat_on_holes", 0.6131, 0.105, 0.384),
        ("heat_between_holes", 0.0479, 0.0339, -0.145),
    ),
)
HOLE_BOARD_MODEL = LogisticModel(
    -1.216,
    (("hole_nats", 1.1021, 1.8552, 1.611),),
)
