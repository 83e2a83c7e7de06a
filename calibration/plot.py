"""The quality of a lens calibration as an SVG picture: residuals of the corners, and the error of each view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.target_views import COVERAGE_GRID

RESIDUAL_MAGNIFICATION = 20
"""Factor by which residuals are drawn longer than they are, at a width of 1280 px. Source: chosen."""

KEPT_COLOUR = "#41603c"
"""Colour of views that were kept: green. Source: chosen."""

DROPPED_COLOUR = "#a13a24"
"""Colour of views that were dropped: red. Source: chosen."""


def plot_residuals(
    size_px: tuple[int, int],
    errors_px: Sequence[float],
    residuals: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]] = (),
) -> str:
    """Return the picture, as SVG.

    Args:
        size_px: Of the pictures.
        errors_px: Root mean square of each view, px; NaN for one that was dropped.
        residuals: sequence of (float64 array (n, 2), float64 array (n, 2)). For each view, where its corners are and
            how far the fit misses them, px; only the bars are drawn without.
    """
    width, height = size_px
    unit, step = width / 1280, width / max(len(errors_px), 1)
    most = max((e for e in errors_px if e == e), default=1.0)
    drawn = []
    top = 0.0
    if residuals:
        times = RESIDUAL_MAGNIFICATION * unit
        arrows = "".join(
            f"M{x:.1f} {y:.1f}l{dx * times:.1f} {dy * times:.1f}"
            for places, misses in residuals
            for (x, y), (dx, dy) in zip(places, misses, strict=True)
        )
        dots = "".join(f"M{x:.1f} {y:.1f}h0" for places, _ in residuals for x, y in places)
        grid = "".join(f"M{width * k / COVERAGE_GRID[0]:.0f} 0v{height}" for k in range(1, COVERAGE_GRID[0]))
        grid += "".join(f"M0 {height * k / COVERAGE_GRID[1]:.0f}h{width}" for k in range(1, COVERAGE_GRID[1]))
        drawn.append(f'<rect width="{width}" height="{height}" rx="{12 * unit:.0f}" fill="#8882"/>')
        drawn.append(f'<path d="{grid}" stroke="#8886" fill="none"/>')
        drawn.append(f'<path d="{dots}" stroke="{KEPT_COLOUR}" stroke-width="{11 * unit:.0f}"/>')
        drawn.append(f'<path d="{arrows}" stroke="{DROPPED_COLOUR}" stroke-width="{4 * unit:.0f}" fill="none"/>')
        top = float(height)
    for k, error in enumerate(errors_px):
        is_dropped = error != error
        high = 2 * unit if is_dropped else max(2 * unit, 120 * unit * error / max(most, 1e-9))
        drawn.append(
            f'<rect x="{(k + 0.15) * step:.1f}" y="{top + 190 * unit - high:.1f}" width="{0.7 * step:.1f}" '
            f'height="{high:.1f}" rx="{4 * unit:.1f}" fill="{DROPPED_COLOUR if is_dropped else KEPT_COLOUR}"/>'
        )
        text = "–" if is_dropped else f"{error:.2f}"
        drawn.append(f'<text x="{(k + 0.5) * step:.1f}" y="{top + 222 * unit:.1f}" fill="currentColor">{text}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + 240 * unit:.0f}" '
        f'font-family="sans-serif" font-size="{32 * unit:.0f}" text-anchor="middle" stroke-linecap="round">'
        + "".join(drawn)
        + "</svg>"
    )
