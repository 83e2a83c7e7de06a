"""Strokes between two known points each, hair-thin ones too.

Every link is looked at as a whole: the mean profile across it shows a stroke that no single place shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.templates import Template
from vision.imaging.frame import Image
from vision.imaging.homography import Floats

SAMPLES = 24
"""Places along a link."""

ACROSS_PX = 10
"""How far to each side the profile goes: its outer parts tell what bare ground does."""

BESIDE_PX = 3
"""Distance of the ground that a stroke is compared with."""

LEAST = 3.0
"""Least answer of a stroke, in what the ground varies by."""


@dataclass(frozen=True, eq=False)
class StrokesBetween:
    """What lies between the joints of a drawing.

    Attributes
    ----------
    votes : float64 array of shape (n_links,)
        -1 for nothing to 1 for a stroke.
    offset_px : float64 array of shape (n_links, 2)
        How far the stroke lies beside the straight link, along ``across``, in its first and its second half.
    across : float64 array of shape (n_links, 2)
        Unit normals of the links, patch space.
    way : float64 array of shape (3,)
        Direction in Lab in which strokes are bright.
    """

    votes: Floats
    offset_px: Floats
    across: Floats
    way: Floats


def strokes_between(patch: Image, t: Template, joints_px: Floats, radius_px: float) -> StrokesBetween:
    """Look for the strokes of a drawing whose joints are covered by holes or stones of ``radius_px``."""
    lab = cv2.cvtColor(cv2.GaussianBlur(patch, (0, 0), 0.6), cv2.COLOR_BGR2LAB).astype(np.float32)
    a, b = joints_px[t.links[:, 0]], joints_px[t.links[:, 1]]
    long = np.linalg.norm(b - a, axis=1)
    along = (b - a) / long[:, None]
    across = np.column_stack([-along[:, 1], along[:, 0]])
    clear = np.minimum((radius_px + 2.0) / long, 0.35)
    part = clear[:, None] + np.linspace(0, 1, SAMPLES) * (1 - 2 * clear[:, None])
    on = a[:, None] + part[..., None] * (b - a)[:, None]
    steps = np.arange(-ACROSS_PX, ACROSS_PX + 1.0)
    at = (on[:, :, None] + steps[:, None] * across[:, None, None]).astype(np.float32)
    seen = cv2.remap(lab, at[..., 0].reshape(len(a), -1), at[..., 1].reshape(len(a), -1), cv2.INTER_LINEAR)
    seen = seen.reshape(len(a), SAMPLES, len(steps), 3)
    differs = _against_ground(np.median(seen, axis=1))
    middle = differs.shape[1] // 2
    ground = np.concatenate([differs[:, : middle - 2], differs[:, middle + 3 :]], axis=1).reshape(-1, 3)
    spread = ground.T @ ground / len(ground) + np.diag([0.5, 0.2, 0.2])
    typical = np.median(differs[:, middle - 1 : middle + 2].mean(1), axis=0)
    way = np.linalg.solve(spread, typical)
    way /= np.sqrt(max(float(way @ spread @ way), 1e-9))
    best = (differs @ way)[:, middle - 1 : middle + 2].max(1)  # the ground varies by about 1 in it
    usual = max(float(np.median(best)), LEAST)
    # A stroke answers like the others do, bare ground like the ground beside it.
    votes = np.clip((best - 0.5 * usual) / (0.35 * usual), -1, 1)
    offsets = []
    near = np.abs(np.arange(differs.shape[1]) - middle) <= BESIDE_PX
    for half in (seen[:, : SAMPLES // 2], seen[:, SAMPLES // 2 :]):
        answer = np.maximum(_against_ground(np.median(half, axis=1)) @ way, 0) * near
        mass = np.maximum(answer - 0.5 * answer.max(1, keepdims=True), 0) + 1e-9 * near
        offsets.append((mass * (np.arange(mass.shape[1]) - middle)).sum(1) / mass.sum(1))
    return StrokesBetween(
        votes.astype(np.float64), np.stack(offsets, axis=1).astype(np.float64), across, way.astype(np.float64)
    )


def _against_ground(profile: Floats) -> Floats:
    """Profiles (n_links, n_steps, 3) less the ground to both sides."""
    beside: Floats = (profile[:, : -2 * BESIDE_PX] + profile[:, 2 * BESIDE_PX :]) / 2
    return profile[:, BESIDE_PX:-BESIDE_PX] - beside
