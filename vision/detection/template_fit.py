"""From a rough pose to the strokes of THIS board: homography first, then every joint for itself.

All work happens in a patch. Samples of the template look along their normals for evidence; Gauss-Newton steps on the
homography (and on the sizes of nested figures, which differ from maker to maker) bring them there. What is left over
moves the joints: a link between two joints drags both, a weak prior keeps joints where nothing is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import N_WAYS
from vision.detection.templates import Template
from vision.imaging.homography import Floats, apply_homography

REACHES_PX = (9, 8, 7, 5, 5, 4, 4)
"""How far to each side of a stroke evidence is sought, step by step; the coarse search is off by 6 px or less."""

QUICK_REACHES_PX = (9, 8, 7, 5)
"""The same for many poses at once."""

N_QUICK = 120
"""Samples of a template when many poses are tried."""

FEWEST, CLOSE_PX = 4, 2.0
"""Poses that are fitted to the end at least, and how near the evidence is by then to the strokes of a good one."""

JOINT_SIGMA = 0.02
"""Typical move of a joint against the homography, in radii of the drawing: hand-made boards are 1 to 4 % off."""

STROKE_SIGMA_PX = 1.2
"""Typical distance between the evidence of a stroke and the straight link: wobble and stitches."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A template laid on the strokes of a patch.

    Attributes
    ----------
    template : Template
    patch_from_template : float64 array of shape (3, 3)
    joints_px : float64 array of shape (n_joints, 2)
        Patch space, hand-made irregularity included.
    samples_px : float64 array of shape (n_samples, 2)
        Patch space.
    support : float64 array of shape (n_samples,)
        Evidence at each sample, 0 to 1.
    """

    template: Template
    patch_from_template: Floats
    joints_px: Floats
    samples_px: Floats
    support: Floats


def tall(evidence: NDArray[np.float32]) -> NDArray[np.float32]:
    """Fine evidence with all directions in one picture, for ``fit``."""
    layers = []
    for k in range(N_WAYS):
        way = np.maximum(evidence[k], 0.7 * np.maximum(evidence[k - 1], evidence[(k + 1) % N_WAYS]))
        layers.append(cv2.GaussianBlur(way, (0, 0), 0.8))
    return np.concatenate(layers)


def fit(
    evidence: NDArray[np.float32],
    template: Template,
    patch_from_template: Floats,
    reaches_px: tuple[int, ...] = REACHES_PX,
    *,
    joints_too: bool = True,
) -> Fit:
    """Lay a template on the strokes near a rough pose.

    Parameters
    ----------
    evidence : float32 array of shape (N_WAYS * side, side)
        From ``tall``.
    template : Template
    patch_from_template : float64 array of shape (3, 3)
    reaches_px : tuple of int
        See ``REACHES_PX``.
    joints_too : bool
        Whether joints may leave the homography.
    """
    h = patch_from_template / patch_from_template[2, 2]
    levels, n_levels = _levels(template)
    sizes = np.ones(n_levels)
    radius = float(_radii(h[None])[0])
    for reach in reaches_px:
        joints = template.joints * _scales(levels, sizes)[:, None]
        ideal = _samples(template, joints)
        xy, normal = _lay(template, h, ideal)
        offset, weight = _look(evidence, xy, normal, reach)
        jacobian = _homography_jacobian(h, ideal, normal)
        grown = _size_jacobian(template, levels, n_levels, h, ideal, normal)
        design = np.hstack([jacobian, grown])
        robust = weight / (1 + (offset / (0.5 * reach)) ** 2)
        prior = np.concatenate([np.full(8, 1e-3), np.full(n_levels, 0.02 * len(xy) / 100 * radius**2 / 9)])
        scale = np.concatenate([np.array([1, 1, radius, 1, 1, radius, 1 / radius, 1 / radius]), np.ones(n_levels)])
        normalised = design * scale
        pull = np.concatenate([np.zeros(8), prior[8:] * (1 - sizes)])
        gram = normalised.T @ (robust[:, None] * normalised) + np.diag(prior)
        step = scale * np.linalg.solve(gram, normalised.T @ (robust * offset) + pull)
        h = h + np.append(step[:8], 0).reshape(3, 3)
        sizes = np.clip(sizes + step[8:], 0.75, 1.25)
    joints = template.joints * _scales(levels, sizes)[:, None]
    move = np.zeros_like(joints)
    base = apply_homography(h, joints)
    ideal = _samples(template, joints)
    base_xy, normal = _lay(template, h, ideal)
    mix = _mixing(template)
    for reach in (reaches_px[-1] + 1, reaches_px[-1], reaches_px[-1] - 1) if joints_too else ():
        xy = base_xy + mix @ move
        offset, weight = _look(evidence, xy, normal, max(2, reach))
        total = offset + ((mix @ move) * normal).sum(1)
        robust = weight / (1 + (offset / 2.0) ** 2) / STROKE_SIGMA_PX**2
        move = _solve_joints(template, mix, normal, total, robust, JOINT_SIGMA * radius)
    xy = base_xy + mix @ move
    offset, weight = _look(evidence, xy, normal, 3)
    return Fit(template, h, base + move, xy, weight)


def normals(laid: Fit) -> Floats:
    """Unit normals of the strokes at the samples, patch space, (n_samples, 2)."""
    return _lay(laid.template, laid.patch_from_template, laid.template.sample_xy)[1]


def _radii(h: Floats) -> Floats:
    """Half the size of the drawing in the patch for each of some poses, (n,)."""
    ends = np.array([[-1.0, 0, 1], [1, 0, 1], [0, -1, 1], [0, 1, 1]]) @ h.transpose(0, 2, 1)
    xy = ends[..., :2] / ends[..., 2:]
    radii: Floats = np.sqrt(np.hypot(*(xy[:, 0] - xy[:, 1]).T) * np.hypot(*(xy[:, 2] - xy[:, 3]).T)) / 2
    return radii


def square_sizes(template: Template) -> Floats:
    """Sizes of the nested figures of a template, largest first."""
    k = np.arange(template.turns)
    angle = 2 * np.pi * k / template.turns + (np.pi / 2 if template.turns == 3 else 0.0)
    outward = np.column_stack([np.cos(angle), np.sin(angle)])
    distinct: Floats = np.unique(np.round((template.joints @ outward.T).max(1), 4))[::-1]
    return distinct[distinct > 1e-3]


def _levels(template: Template) -> tuple[NDArray[np.intp], int]:
    """Which nested figure each joint belongs to: 0 the outermost, which cannot change its size; then 1, 2 ..."""
    if template.turns not in (3, 4) or template.drawing != "lines":
        return np.zeros(len(template.joints), np.intp), 0
    k = np.arange(template.turns)
    angle = 2 * np.pi * k / template.turns + (np.pi / 2 if template.turns == 3 else 0.0)
    outward = np.column_stack([np.cos(angle), np.sin(angle)])
    size = (template.joints @ outward.T).max(1)
    distinct = square_sizes(template)
    level = np.argmin(np.abs(size[:, None] - distinct[None]), axis=1)
    return level, len(distinct) - 1


def _scales(levels: NDArray[np.intp], sizes: Floats) -> Floats:
    return np.concatenate([[1.0], sizes])[levels]


def _mixing(template: Template) -> Floats:
    """(n_samples, n_joints): how much each joint drags each sample."""
    n = len(template.sample_t)
    mix = np.zeros((n, len(template.joints)))
    a, b = template.links[template.sample_link].T
    mix[np.arange(n), a] += 1 - template.sample_t
    mix[np.arange(n), b] += template.sample_t
    return mix


def _samples(template: Template, joints: Floats) -> Floats:
    """Samples in template space when the joints are elsewhere than in the template."""
    return template.sample_xy + _mixing(template) @ (joints - template.joints)


def _lay(template: Template, h: Floats, ideal: Floats) -> tuple[Floats, Floats]:
    """Samples in the patch and their unit normals."""
    xy = apply_homography(h, ideal)
    ahead = apply_homography(h, ideal + 1e-3 * template.sample_along) - xy
    along = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
    return xy, np.column_stack([-along[:, 1], along[:, 0]])


def _look(evidence: NDArray[np.float32], xy: Floats, normal: Floats, reach: int) -> tuple[Floats, Floats]:
    """Offset of the evidence along the normal, px, and how strong it is, for each sample."""
    side = evidence.shape[1]
    steps = np.arange(-reach, reach + 1, dtype=np.float32)
    way = np.arctan2(-normal[:, 0], normal[:, 1])
    channel = np.round(way / np.pi * N_WAYS).astype(int) % N_WAYS
    n, fine = normal.astype(np.float32), xy.astype(np.float32)
    column = fine[:, :1] + n[:, :1] * steps
    row = fine[:, 1:] + n[:, 1:] * steps
    outside = (row < 0) | (row > side - 1) | (column < 0) | (column > side - 1)
    row += (channel * side).astype(np.float32)[:, None]
    row[outside] = -9.0  # beyond the rim, where remap finds nothing
    seen = cv2.remap(evidence, column, row, cv2.INTER_LINEAR)
    peak = (seen * np.exp(-0.5 * (steps / (0.6 * reach)) ** 2)).argmax(1)
    around = peak[:, None] + np.arange(-2, 3)
    within = (around >= 0) & (around <= 2 * reach)
    mass = np.take_along_axis(seen, np.clip(around, 0, 2 * reach), 1) * within
    offset = (mass * (around - reach)).sum(1) / np.maximum(mass.sum(1), 1e-6)
    strength = mass[:, 2]
    there = strength > 0.02
    return np.where(there, offset, 0.0), np.where(there, strength, 0.0).astype(np.float64)


def strength_at(evidence: NDArray[np.float32], xy: Floats, normal: Floats) -> Floats:
    """Evidence of strokes that cross ``normal`` within 3 px of each place, as the support of a fit is measured."""
    return _look(evidence, xy, normal, 3)[1]


def _homography_jacobian(h: Floats, ideal: Floats, normal: Floats) -> Floats:
    """d(normal . position) / d(first eight entries of h), (n_samples, 8)."""
    x, y = ideal.T
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    u, v = (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w, (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w
    nx, ny = normal.T
    along = nx * u + ny * v
    rows: Floats = np.column_stack([nx * x, nx * y, nx, ny * x, ny * y, ny, -along * x, -along * y]) / w[:, None]
    return rows


def _size_jacobian(
    template: Template, levels: NDArray[np.intp], n_levels: int, h: Floats, ideal: Floats, normal: Floats
) -> Floats:
    """d(normal . position) / d(size of each inner figure), (n_samples, n_levels)."""
    out = np.zeros((len(ideal), n_levels))
    mix = _mixing(template)
    here = apply_homography(h, ideal)
    for k in range(n_levels):
        way = mix @ (template.joints * (levels == k + 1)[:, None])
        moved = apply_homography(h, ideal + 1e-3 * way)
        out[:, k] = ((moved - here) * normal).sum(1) / 1e-3
    return out


def _solve_joints(
    template: Template, mix: Floats, normal: Floats, offset: Floats, weight: Floats, sigma_px: float
) -> Floats:
    """Moves of the joints that bring the links onto the evidence, (n_joints, 2)."""
    n = len(template.joints)
    design = np.hstack([mix * normal[:, :1], mix * normal[:, 1:]])
    prior = np.eye(n) * 0.4
    for a, b in template.links:
        prior[a, a] += 0.35
        prior[b, b] += 0.35
        prior[a, b] -= 0.35
        prior[b, a] -= 0.35
    block = np.zeros((2 * n, 2 * n))
    block[:n, :n] = prior
    block[n:, n:] = prior
    gram = design.T @ (weight[:, None] * design) + block / sigma_px**2
    solved = np.linalg.solve(gram, design.T @ (weight * offset))
    return np.column_stack([solved[:n], solved[n:]])


def quick_fits(
    evidence: NDArray[np.float32], template: Template, poses: Floats, reaches_px: tuple[int, ...] = QUICK_REACHES_PX
) -> tuple[Floats, Floats]:
    """Many rough poses at once, homography only, with few samples; the worse half is left out step by step.

    Parameters
    ----------
    evidence : float32 array of shape (N_WAYS * side, side)
    template : Template
    poses : float64 array of shape (n_poses, 3, 3)
        patch_from_template.
    reaches_px : tuple of int

    Returns
    -------
    poses : float64 array of shape (n_left, 3, 3)
    support : float64 array of shape (n_left,)
        Mean evidence under the samples.
    """
    pick = np.linspace(0, len(template.sample_xy) - 1, N_QUICK).round().astype(int)
    ideal, along = template.sample_xy[pick], template.sample_along[pick]
    x, y = ideal.T
    h = poses / poses[:, 2:, 2:]
    radius = _radii(h)
    scale = np.ones((len(h), 8))
    scale[:, [2, 5]] = radius[:, None]
    scale[:, [6, 7]] = 1 / radius[:, None]
    support = np.zeros(len(h))
    for step, reach in enumerate((*reaches_px, 2)):
        w = h[:, 2, :1] * x + h[:, 2, 1:2] * y + h[:, 2, 2:]
        w = np.where(np.abs(w) < 1e-6, 1e-6, w)
        u = (h[:, 0, :1] * x + h[:, 0, 1:2] * y + h[:, 0, 2:]) / w
        v = (h[:, 1, :1] * x + h[:, 1, 1:2] * y + h[:, 1, 2:]) / w
        dx, dy = along.T
        du = ((h[:, 0, :1] - u * h[:, 2, :1]) * dx + (h[:, 0, 1:2] - u * h[:, 2, 1:2]) * dy) / w
        dv = ((h[:, 1, :1] - v * h[:, 2, :1]) * dx + (h[:, 1, 1:2] - v * h[:, 2, 1:2]) * dy) / w
        length = np.maximum(np.hypot(du, dv), 1e-9)
        nx, ny = -dv / length, du / length
        xy = np.stack([u, v], -1).reshape(-1, 2)
        normal = np.stack([nx, ny], -1).reshape(-1, 2)
        offset, weight = _look(evidence, xy, normal, reach)
        offset, weight = offset.reshape(u.shape), weight.reshape(u.shape)
        if reach == 2:
            support = weight.mean(1)
            break
        if step and len(h) > FEWEST:
            near = (weight / (1 + (offset / CLOSE_PX) ** 2)).mean(1)
            better = np.sort(np.argsort(-near, kind="stable")[: max(FEWEST, len(h) // 2)])
            h, scale, w, u, v, nx, ny, offset, weight = (k[better] for k in (h, scale, w, u, v, nx, ny, offset, weight))
        across = nx * u + ny * v
        design = np.stack([nx * x, nx * y, nx, ny * x, ny * y, ny, -across * x, -across * y], -1) / w[..., None]
        design *= scale[:, None]
        robust = weight / (1 + (offset / (0.5 * reach)) ** 2)
        gram = design.transpose(0, 2, 1) @ (robust[..., None] * design) + np.diag([1e-3] * 8)
        pull = (design * (robust * offset)[..., None]).sum(1)
        change = scale * np.linalg.solve(gram, pull[..., None])[..., 0]
        h = h + np.concatenate([change, np.zeros((len(h), 1))], axis=1).reshape(-1, 3, 3)
    return h, support
