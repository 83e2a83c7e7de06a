"""The maps of a picture: how likely each place is a joint, a point, a hole, a stroke, a stone, the board or its cover.

One network (``map_network.py``) tells them all in one pass over the whole picture, evaluated with numpy alone.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from vision.imaging.frame import Float64Array, Image  # noqa: E402
from vision.imaging.homography import apply_homography  # noqa: E402
from vision.networks.patch_networks import (  # noqa: E402
    convolve_joined_relu,
    convolve_relu,
    linear_layer,
    network_weights,
)

Array = NDArray[np.float32]

SEEN_PX = (384, 224)
"""Width and height of what the network sees, the picture in it as large as it fits."""

STRIDE = 2
"""Pixels that the network sees to one of its maps."""

MAPS = ("joints", "points", "holes", "strokes", "stones", "board", "cover", "cosine", "sine")
"""The last two are the direction of strokes, of twice the angle, so that a line and its reverse are alike."""

N_SPOTS, N_MAPS = 3, 7
"""Maps of spots, and maps that are probabilities."""

SURE = 0.3
"""Probability from which a peak is one."""


def use_weights(path: Path) -> None:
    """Tell maps with these weights from now on."""
    with np.load(path) as stored:
        network_weights().update({name: stored[name].astype(np.float32) for name in stored.files})


def letterbox(size_px: tuple[int, int]) -> NDArray[np.float64]:
    """The homography (3, 3) from a picture of this width and height to what the network sees: whole, in the middle."""
    scale = min(SEEN_PX[0] / size_px[0], SEEN_PX[1] / size_px[1])
    shift = [(seen - scale * size) / 2 + (scale - 1) / 2 for seen, size in zip(SEEN_PX, size_px, strict=True)]
    return np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1.0]])


def boxed(
    bgr: Image, seen_from_image: NDArray[np.float64], seen_px: tuple[int, int] = SEEN_PX
) -> tuple[Image, NDArray[np.bool_]]:
    """What is seen of a picture, uint8 (h, w, 3), and where that is the picture."""
    scale = float(np.sqrt(abs(np.linalg.det(seen_from_image[:2, :2]))))
    if scale < 0.7:  # without this, lines would break up
        bgr = np.asarray(cv2.GaussianBlur(bgr, (0, 0), 0.35 / scale), np.uint8)
    seen = cv2.warpPerspective(bgr, seen_from_image, seen_px, flags=cv2.INTER_LINEAR)
    inside = cv2.warpPerspective(np.ones(bgr.shape[:2], np.uint8), seen_from_image, seen_px, flags=cv2.INTER_NEAREST)
    return np.asarray(seen, np.uint8), inside > 0


def relative(seen: Image, inside: NDArray[np.bool_]) -> Array:
    """Colours beside the mean and the spread of the picture, (3, h, w); 0 beside it."""
    means, spreads = cv2.meanStdDev(seen, mask=inside.astype(np.uint8))
    mean, spread = means.mean(), np.sqrt((spreads**2 + means**2).mean() - means.mean() ** 2)
    off = (seen.transpose(2, 0, 1) - np.float32(mean)) * np.float32(1 / max(spread, 8.0))
    return np.asarray(off * inside, np.float32)


@dataclass(frozen=True, eq=False)
class BoardMaps:
    """What one look at a picture tells.

    Attributes:
        told: float32 array of shape (9, 112, 192). By ``MAPS``; the first seven are probabilities.
        image_from_map: float64 array of shape (3, 3).
    """

    told: Array
    image_from_map: Float64Array

    def __getitem__(self, name: str) -> Array:
        """The map of that name."""
        return self.told[MAPS.index(name)]

    def peaks(self, name: str, least: float = SURE) -> tuple[Float64Array, Float64Array]:
        """Where a map has its maxima, image space (n, 2), and the probabilities there."""
        found = peaks(self[name], least)
        return apply_homography(self.image_from_map, found[:, :2]), found[:, 2]


def maps_of(bgr: Image, seen_from_image: Float64Array | None = None) -> BoardMaps:
    """The maps of a picture, or of the part of it that ``seen_from_image`` puts before the network."""
    h = letterbox((bgr.shape[1], bgr.shape[0])) if seen_from_image is None else seen_from_image
    seen = np.ascontiguousarray(relative(*boxed(bgr, h)).transpose(1, 2, 0))[None]
    layers = [convolve_relu(seen, "maps1", 2)]
    for number in range(2, 6):
        layers.append(convolve_relu(convolve_relu(layers[-1], f"maps{number}", 2), f"maps{number}b"))
    told = layers.pop()
    for number in range(6, 10):
        told = convolve_joined_relu(told, layers.pop(), f"maps{number}")
    told = np.ascontiguousarray(linear_layer(told, "maps")[0].transpose(2, 0, 1))
    told[:N_MAPS] = 1 / (1 + np.exp(-np.clip(told[:N_MAPS], -30, 30)))
    seen_from_map = np.array([[STRIDE, 0, 0.5 * STRIDE - 0.5], [0, STRIDE, 0.5 * STRIDE - 0.5], [0, 0, 1]])
    return BoardMaps(told, np.asarray(np.linalg.inv(h) @ seen_from_map, np.float64))


def peaks(heat: NDArray[np.float32], least: float = SURE) -> Float64Array:
    """Where a map has its maxima, to a part of a pixel: (n, 3), x, y and the value there."""
    wide = np.pad(heat, 1)
    rows, columns = np.nonzero((heat >= least) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8))))
    logs = np.log(np.maximum(wide, 1e-6))
    r, c = rows + 1, columns + 1
    parts = []
    for before, after in ((logs[r, c - 1], logs[r, c + 1]), (logs[r - 1, c], logs[r + 1, c])):
        bend = before - 2 * logs[r, c] + after  # the logarithm of a spot is a parabola
        parts.append(np.clip((before - after) / np.minimum(2 * bend, -1e-3), -0.5, 0.5))
    return np.column_stack([columns + parts[0], rows + parts[1], heat[rows, columns]]).astype(np.float64)
