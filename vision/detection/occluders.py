"""What may hide a part of a board: everything beyond a line (a fold, a sheet, an arm), or a round thing.

A board of which half is hidden explains the strokes no better than a smaller one that is wholly there, unless what is
missing is missing in one place. So the links of a hypothesis are also weighed with one part of them hidden: the part
that makes the rest explain most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.detection.templates import Template
from vision.imaging.frame import Float64Array

HIDDEN_COST = 0.35
"""Cost of a stroke that something hides, as a share of that of one which is missing without a reason."""

N_OCCLUDER_DIRECTIONS = 16
"""Directions of the lines beyond which everything may be hidden."""

EDGE_OFFSETS = (-0.35, -0.2, -0.05, 0.1, 0.25, 0.4, 0.55)
"""Distances of such lines from the middle, radii of the drawing; negative where more than half is hidden."""

DISC_RADII = (0.4, 0.55, 0.7)
"""Radii of round things, radii of the drawing."""

DISC_OFFSETS = (0.0, 0.35, 0.65)
"""Distances of round things from the middle, radii of the drawing."""


@dataclass(frozen=True, slots=True)
class Occluder:
    """A part of the plane of a drawing that is hidden.

    Attributes:
        direction: Unit vector from the middle of the drawing, template space.
        offset: Where the hidden part begins along it, or the middle of a round thing lies; radii of the drawing.
        radius: Of a round thing; infinite for everything beyond a line.
    """

    direction: tuple[float, float]
    offset: float
    radius: float = np.inf

    @property
    def is_edge(self) -> bool:
        """Whether everything beyond a line is hidden."""
        return bool(np.isinf(self.radius))

    def covers(self, template_xy: Float64Array) -> NDArray[np.bool_]:
        """Return which places, (..., 2) in template space, are hidden; shape (...)."""
        direction = np.array(self.direction)
        if self.is_edge:
            return np.asarray(template_xy @ direction > self.offset)
        return np.asarray(np.linalg.norm(template_xy - self.offset * direction, axis=-1) < self.radius)


@cache
def _occluders() -> tuple[Occluder, ...]:
    """Return all occluders that are tried."""
    angles = 2 * np.pi * np.arange(N_OCCLUDER_DIRECTIONS) / N_OCCLUDER_DIRECTIONS
    ways = [(float(np.cos(a)), float(np.sin(a))) for a in angles]
    edges = [Occluder(way, offset) for way in ways for offset in EDGE_OFFSETS]
    discs = [
        Occluder(way, offset, radius)
        for radius in DISC_RADII
        for offset in DISC_OFFSETS
        for way in (ways[::2] if offset else ways[:1])
    ]
    return (*edges, *discs)


@cache
def _covered_links(template: Template) -> Float64Array:
    """Return the share of each link that each occluder covers, (n_occluders, n_links)."""
    n = len(template.links)
    count = np.bincount(template.sample_links, minlength=n)
    shares = [
        np.bincount(template.sample_links, occluder.covers(template.sample_xy).astype(float), n) / count
        for occluder in _occluders()
    ]
    return np.asarray(np.stack(shares), np.float64)


def best_occluder(template: Template, net_lengths: Float64Array, lengths: Float64Array) -> tuple[Occluder, float]:
    """Return the occluder with which the rest of a drawing explains most, and how much more; 0 or less for none.

    Args:
        net_lengths: (n_links,). Length of each link that is seen less that which is missing.
        lengths: (n_links,). Of each link as far as it lies in the picture.
    """
    gains = _covered_links(template) @ (-net_lengths - HIDDEN_COST * lengths)
    best = int(gains.argmax())
    return _occluders()[best], float(gains[best])
