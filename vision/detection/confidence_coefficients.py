"""Coefficients of ``confidence``; ``tools/finder/fit.py --write`` makes them from ``tools/finder/lessons.json``."""

from __future__ import annotations

from typing import NamedTuple


class LogisticModel(NamedTuple):
    """A logistic regression: ``bias``, and name, mean, spread and weight of every feature."""

    bias: float
    terms: tuple[tuple[str, float, float, float], ...]


LINE_BOARD_MODEL = LogisticModel(
    0.138,
    (
        ("link_share", 0.8812, 0.2045, 1.11),
        ("root_link_count", 4.3093, 0.9857, 0.749),
        ("coverage", 0.8702, 0.2024, 1.298),
        ("clutter", 0.0524, 0.0827, -1.464),
        ("overrun", 0.2029, 0.3113, -1.985),
        ("root_inner_clutter", 0.1913, 0.1808, -2.584),
        ("scattered_loss", 0.0898, 0.179, -0.985),
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
