"""Boards of holes: where the points themselves are seen and the strokes between them hardly.

The points of a drawing are turned, sized and tilted over the evidence of dots, as ``search`` does with strokes. A
place counts for a pose where the points fall on dots and the middles of the links between them do not.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.search import COARSE, SHIFTS_PX, SIDE_PX, SIZES, TURN_STEP_DEG, UNIT_PX, lean, unit_from_patch
from vision.spaces import Floats, apply_homography, fit_homography
from vision.templates import Template

SHRINKS = (-0.3, -0.15, 0.0, 0.15, 0.3)
"""Leans that are tried, as in ``search``."""

N_BEST = 6
"""Poses that are fitted to the dots."""

GOOD = 0.45
"""Least mean evidence of dots at the points of a drilled board."""


def drilled_poses(evidence: NDArray[np.float32], template: Template) -> list[tuple[float, Floats, Floats]]:
    """The best place of a drawing's points on dots.

    Parameters
    ----------
    evidence : float32 array of shape (SIDE_PX, SIDE_PX)
        Dots, blurred little.
    template : Template
        Of a drawing whose points are its joints.

    Returns
    -------
    list of (score, patch_from_template, joints_px)
        At most one; joints where the dots are, patch space.
    """
    maps, poses = _maps(template)
    n, m = len(poses), len(template.joints)
    soft = cv2.dilate(evidence, np.ones((5, 5), np.uint8))
    small = cv2.resize(cv2.GaussianBlur(soft, (0, 0), 1.5), None, fx=1 / COARSE, fy=1 / COARSE)
    border = max(SHIFTS_PX)
    side = small.shape[0]
    padded = cv2.copyMakeBorder(small, border, border, border, border, cv2.BORDER_CONSTANT)
    shifts = [(dx, dy) for dy in SHIFTS_PX for dx in SHIFTS_PX]
    scores = np.empty((len(shifts), n), np.float32)
    empty = np.empty((0,), np.float32)
    for k, (dx, dy) in enumerate(shifts):
        view = padded[border + dy : border + dy + side, border + dx : border + dx + side]
        seen = cv2.remap(np.ascontiguousarray(view), maps, empty, cv2.INTER_NEAREST)
        scores[k] = seen[:, :m].mean(1) - 0.7 * seen[:, m:].mean(1)
    patch_from_unit = np.linalg.inv(unit_from_patch())
    out: list[tuple[float, Floats, Floats]] = []
    order = np.argsort(-scores.ravel(), kind="stable")[:N_BEST]
    for index in order:
        shift, pose = divmod(int(index), n)
        dx, dy = shifts[shift]
        move = np.array([[1, 0, dx * COARSE / UNIT_PX], [0, 1, dy * COARSE / UNIT_PX], [0, 0, 1]])
        out.append(_settle(evidence, template, patch_from_unit @ move @ poses[pose]))
    out.sort(key=lambda item: -item[0])
    return out[:1] if out and out[0][0] > GOOD else []


def _settle(evidence: NDArray[np.float32], template: Template, h: Floats) -> tuple[float, Floats, Floats]:
    """Pull a pose onto the dots nearby."""
    k = np.arange(-6, 7)
    steps = np.stack(np.meshgrid(k, k), -1).reshape(-1, 2).astype(np.float64)
    joints = apply_homography(h, template.joints)
    strength = np.zeros(len(joints))
    for reach in (6.0, 5.0, 4.0, 3.0):
        at = apply_homography(h, template.joints)
        near = steps[np.hypot(*steps.T) <= reach]
        xy = (at[:, None] + near).astype(np.float32)
        seen = cv2.remap(evidence, xy[..., 0], xy[..., 1], cv2.INTER_LINEAR).astype(np.float64)
        weight = np.maximum(seen - 0.75 * seen.max(1, keepdims=True), 0) + 1e-9
        joints = (weight[..., None] * xy).sum(1) / weight.sum(1, keepdims=True)
        strength = seen.max(1)
        off = np.linalg.norm(joints - at, axis=1)
        h = fit_homography(template.joints, joints, strength / (1 + (off / 2.0) ** 2) + 1e-4)
    at = apply_homography(h, template.joints)
    off = np.linalg.norm(joints - at, axis=1)
    joints = np.where((off < 2.5)[:, None], joints, at)
    a, b = joints[template.links[:, 0]], joints[template.links[:, 1]]
    middles = ((a + b) / 2).astype(np.float32)
    idle = cv2.remap(evidence, middles[:, :1], middles[:, 1:], cv2.INTER_LINEAR)
    return float((strength * (off < 3.0)).mean() - 0.5 * idle.mean()), h / h[2, 2], joints


@cache
def _maps(template: Template) -> tuple[NDArray[np.int16], Floats]:
    """Look-up maps (n_poses, n_joints + n_links, 2) into coarse evidence, and unit_from_template (n_poses, 3, 3)."""
    a, b = template.links.T
    xy = np.concatenate([template.joints, (template.joints[a] + template.joints[b]) / 2])
    n_turns = max(1, round(360 / template.turns / TURN_STEP_DEG))
    poses = []
    for shrink in SHRINKS:
        for k in range(n_turns):
            angle = 2 * np.pi / template.turns * k / n_turns
            c, s = np.cos(angle), np.sin(angle)
            poses += [lean(shrink) @ np.array([[c * z, -s * z, 0], [s * z, c * z, 0], [0, 0, 1]]) for z in SIZES]
    side = SIDE_PX // COARSE
    at = np.stack([apply_homography(h, xy) for h in poses]) * (UNIT_PX / COARSE) + (side - 1) / 2
    return np.clip(np.round(at), 0, side - 1).astype(np.int16), np.array(poses)
