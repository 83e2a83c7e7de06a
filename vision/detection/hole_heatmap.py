"""Where the middles of a turning disc's holes are, with or without stones in them: a small network, seen from above.

A rim, a shadow in a hollow, a stone that hides the hole and casts a shadow of its own: what makes a hole is learnt
(``tools/finder/rings.py``), from drawn and rendered discs whose colours are turned, stretched and inverted, so that no
wood, paint or lamp is known to it. The net is shaped as Ronneberger, Fischer and Brox, "U-Net", 2015, on three sizes.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.imaging.frame import Float32Array, Image
from vision.networks.patch_networks import convolve, halved, linear

HEATMAP_SIDE = 112
"""Samples a side that the network sees: the outermost ring is some thirty of them wide."""

HEATMAP_LAB_SCALE = (25.0, 10.0, 10.0)
"""Differences from the table in L, a and b (8-bit Lab) that count as one."""

HEATMAP_CLIP = 3.0


def hole_heatmap(patch: Image, side: int = HEATMAP_SIDE) -> Float32Array:
    """How much each place looks like the middle of a hole.

    Parameters
    ----------
    patch : uint8 array of shape (H, H, 3), BGR
        A playing area seen roughly from above, filling about two thirds of it (``search.unit_from_patch``).
    side : int
        Samples a side that the network sees, a multiple of 4; more of them where the holes are small and many.

    Returns
    -------
    float32 array of shape (H, H)
        0 to 1; about a half on a clear hole, a tenth between two.
    """
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    small = cv2.resize(lab, (side, side), interpolation=cv2.INTER_AREA)
    relative = (small - np.median(small.reshape(-1, 3), axis=0)) / np.array(HEATMAP_LAB_SCALE, np.float32)
    fine = convolve(np.clip(relative, -HEATMAP_CLIP, HEATMAP_CLIP).astype(np.float32)[None], "ring1")
    middling = convolve(halved(fine), "ring2")
    coarse = convolve(halved(middling), "ring3")
    coarse = convolve(convolve(coarse, "ring4"), "ring5")
    middling = convolve(_upsample_and_join(coarse, middling), "ring6")
    fine = convolve(_upsample_and_join(middling, fine), "ring7")
    heat = 1 / (1 + np.exp(-np.clip(linear(fine, "ring8")[0, ..., 0], -30, 30)))
    return np.asarray(cv2.resize(heat, patch.shape[1::-1], interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _upsample_and_join(coarse: Float32Array, fine: Float32Array) -> Float32Array:
    """The channels of both at the finer resolution."""
    return np.concatenate([coarse.repeat(2, axis=1).repeat(2, axis=2), fine], axis=3)
