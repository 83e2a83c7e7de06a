"""How sharp a picture is: the width of its sharpest edges."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array, Image
from vision.imaging.medians import percentile


def edge_width_px(bgr: Image, once_px: float = 1.0, more_px: float | None = None) -> float:
    """Return the standard deviation of the blur of the picture's sharpest strong edges, px.

    An edge blurred by s has a slope in proportion to 1 / s. Blurred once more by b, it has 1 / sqrt(s^2 + b^2). The
    ratio of the two slopes at the strongest edges gives s, whatever their height. Noise is small beside such edges.

    Args:
        once_px, more_px: Standard deviations of the smoothing against noise, and of one more; 0.6 % of the shorter side
            when omitted.
    """
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    more_px = max(2.0, 0.006 * min(bgr.shape[:2])) if more_px is None else more_px
    smooth = np.asarray(cv2.GaussianBlur(gray.astype(np.float32), (0, 0), once_px), np.float32)
    soft = np.asarray(cv2.GaussianBlur(smooth, (0, 0), more_px), np.float32)
    height, width = gray.shape
    least = percentile(_slopes_at(soft, *np.mgrid[0:height:3, 0:width:3]), 99)
    # Slopes are only measured where they may be strong: along the rim of the picture, and by their rough squares.
    likely = np.ones(gray.shape, np.bool_)
    rough = (soft[2:, 1:-1] - soft[:-2, 1:-1]) ** 2 + (soft[1:-1, 2:] - soft[1:-1, :-2]) ** 2
    likely[1:-1, 1:-1] = rough >= (0.999 * 2 * least) ** 2
    rows, columns = np.nonzero(likely)
    slopes = _slopes_at(soft, rows, columns)
    strong = slopes >= least
    sharper = _slopes_at(smooth, rows[strong], columns[strong])
    ratio = float(percentile(sharper / np.maximum(slopes[strong], 1e-3), 75))
    width_px = more_px / np.sqrt(max(ratio**2 - 1, 1e-4))
    return float(np.sqrt(max(width_px**2 - once_px**2, 0.0)))


def _slopes_at(plane: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Float32Array:
    """Return the slope of a plane at some pixels, by central differences; at its rim by one-sided ones."""
    height, width = plane.shape
    above, below = np.maximum(rows - 1, 0), np.minimum(rows + 1, height - 1)
    left, right = np.maximum(columns - 1, 0), np.minimum(columns + 1, width - 1)
    down = (plane[below, columns] - plane[above, columns]) / (below - above).astype(np.float32)
    across = (plane[rows, right] - plane[rows, left]) / (right - left).astype(np.float32)
    return np.asarray(np.hypot(down, across), np.float32)
