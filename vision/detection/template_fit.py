"""Least-squares fit of a template to the strokes of one board: first a homography, then each joint by itself.

Each sample of the template searches along its normal for the strongest line response in the patch. Gauss-Newton steps
on the homography, and on the sizes of concentric figures, which differ from maker to maker, bring the samples there.
The residuals then move the joints: a link drags its two joints, and a weak prior keeps joints in place where nothing is
seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import N_DIRECTIONS
from vision.detection.templates import Template
from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.homography import apply_homography, spacings
from vision.imaging.medians import median

FIT_REACHES_PX = (9, 8, 7, 5)
"""Reach to each side of a stroke in each step, px of the patch; the coarse search is off by 6 px or less."""

N_BATCH_FIT_SAMPLES = 120
"""Samples of a template when many poses are fitted at once."""

MIN_BATCH_POSES = 4
"""Poses that are always fitted to the end when many are fitted at once."""

BATCH_RESIDUAL_SCALE_PX = 2.0
"""Residual at which a sample counts half when the worse poses of many are dropped, px of the patch."""

UNSEEN_SHARE = 0.6
"""Line response of samples outside the picture, as a share of the mean of the others: hardly against a pose."""

JOINT_SIGMA_RADII = 0.02
"""Prior standard deviation of a joint from its place, radii of the drawing; hand-made boards are 1 to 4 % off."""

LINE_SIGMA_PX = 1.2
"""Standard deviation of a seen line from the straight link, px of the patch: wobble and stitches."""

MAX_OUTLINE_SCALE = 1.4
"""Size of the largest outline that is sought, sizes of the drawing's own."""

N_OUTLINE_SAMPLES = 96
"""Samples along an outline."""

N_OUTLINE_PARTS = 4
"""Parts of an outline each of which must be seen."""

MIN_OUTLINE_PART_SEEN = 0.6
"""Least share of each part that must be seen."""

MIN_OUTLINE_DISTANCE_PX = 5.0
"""Least distance of an outline from the drawing, px of the patch: nearer lines belong to its strokes."""

MAX_SPOT_SPACINGS = 0.66
"""Largest extent of a spot, spacings: a stone of the largest size in which neighbours do not touch."""


@dataclass(frozen=True, eq=False)
class TemplateFit:
    """A template fitted to the strokes of a patch."""

    template: Template
    patch_from_template: Float64Array
    joints_px: Float64Array  # (n_joints, 2), patch space, hand-made irregularity included
    samples_px: Float64Array  # (n_samples, 2), patch space
    support: Float64Array  # (n_samples,), line response at each sample, 0 to 1


def stack_fine(responses: Float32Array) -> Float32Array:
    """Return the responses, (N_DIRECTIONS, H, W), for ``fit_template``: soft, the directions below each other."""
    out = np.empty_like(responses)
    for k in range(N_DIRECTIONS):
        response = np.maximum(responses[k - 1], responses[(k + 1) % N_DIRECTIONS])
        response *= np.float32(0.7)
        np.maximum(responses[k], response, out=response)
        cv2.GaussianBlur(response, (0, 0), 0.8, dst=out[k])
    return out.reshape(-1, responses.shape[2])


def fit_template(
    stacked: Float32Array,
    template: Template,
    patch_from_template: Float64Array,
    reaches_px: tuple[int, ...],
    *,
    joints_too: bool = True,
) -> TemplateFit:
    """Fit a template, and its joints, to strokes as from ``stack_fine`` near a pose, within each reach in turn."""
    h, joints = _fit_homography(stacked, template, patch_from_template, reaches_px)
    radius = float(_pose_radii((patch_from_template / patch_from_template[2, 2])[None])[0])
    move = np.zeros_like(joints)
    base = apply_homography(h, joints)
    base_xy, normal = _project_samples(template, h, _samples_of_joints(template, joints))
    weights = _joint_weights(template)
    for reach in (reaches_px[-1] + 1, reaches_px[-1], reaches_px[-1] - 1) if joints_too else ():
        xy = base_xy + weights @ move
        offset, response = _nearest_lines(stacked, xy, normal, max(2, reach))
        total = offset + ((weights @ move) * normal).sum(1)
        robust = response / (1 + (offset / 2.0) ** 2) / LINE_SIGMA_PX**2
        move = _solve_joints(template, weights, normal, total, robust, JOINT_SIGMA_RADII * radius)
    xy = base_xy + weights @ move
    offset, response = _nearest_lines(stacked, xy, normal, 3)
    return TemplateFit(template, h, base + move, xy, response)


def _fit_homography(
    stacked: Float32Array, template: Template, patch_from_template: Float64Array, reaches_px: tuple[int, ...]
) -> tuple[Float64Array, Float64Array]:
    """Return the homography that fits best, and the joints in template space with the best sizes of inner figures."""
    h = patch_from_template / patch_from_template[2, 2]
    figures, n_inner = _figure_indices(template)
    sizes = np.ones(n_inner)
    radius = float(_pose_radii(h[None])[0])
    for reach in reaches_px:
        joints = template.joints * _joint_scales(figures, sizes)[:, None]
        ideal = _samples_of_joints(template, joints)
        xy, normal = _project_samples(template, h, ideal)
        offset, response = _nearest_lines(stacked, xy, normal, reach)
        jacobian = _homography_jacobian(h, ideal, normal)
        size_jacobian = _size_jacobian(template, figures, n_inner, h, ideal, normal)
        design = np.hstack([jacobian, size_jacobian])
        robust = response / (1 + (offset / (0.5 * reach)) ** 2)
        prior = np.concatenate([np.full(8, 1e-3), np.full(n_inner, 0.02 * len(xy) / 100 * radius**2 / 9)])
        scale = np.concatenate([np.array([1, 1, radius, 1, 1, radius, 1 / radius, 1 / radius]), np.ones(n_inner)])
        normalised = design * scale
        pull = np.concatenate([np.zeros(8), prior[8:] * (1 - sizes)])
        gram = normalised.T @ (robust[:, None] * normalised) + np.diag(prior)
        step = scale * np.linalg.solve(gram, normalised.T @ (robust * offset) + pull)
        h = h + np.append(step[:8], 0).reshape(3, 3)
        sizes = np.clip(sizes + step[8:], 0.75, 1.25)
    return h, template.joints * _joint_scales(figures, sizes)[:, None]


def sample_normals(fit: TemplateFit) -> Float64Array:
    """Return the unit normals of the strokes at the samples, patch space, (n_samples, 2)."""
    return _project_samples(fit.template, fit.patch_from_template, fit.template.sample_xy)[1]


def _pose_radii(h: Float64Array) -> Float64Array:
    """Return half the size of the drawing in the patch for each of some poses, (n,)."""
    ends = np.array([[-1.0, 0, 1], [1, 0, 1], [0, -1, 1], [0, 1, 1]]) @ h.transpose(0, 2, 1)
    xy = ends[..., :2] / ends[..., 2:]
    radii: Float64Array = np.sqrt(np.hypot(*(xy[:, 0] - xy[:, 1]).T) * np.hypot(*(xy[:, 2] - xy[:, 3]).T)) / 2
    return radii


@cache
def _joint_sizes(template: Template) -> Float64Array:
    """Return the size of the concentric figure (square or triangle) on which each joint lies, template space."""
    turn = np.pi / 2 if template.symmetry_order == 3 else 0.0
    angle = 2 * np.pi * np.arange(template.symmetry_order) / template.symmetry_order + turn
    sizes: Float64Array = (template.joints @ np.column_stack([np.cos(angle), np.sin(angle)]).T).max(1)
    return sizes


@cache
def figure_sizes(template: Template) -> Float64Array:
    """Return the sizes of the concentric figures, largest first, template space."""
    distinct: Float64Array = np.unique(np.round(_joint_sizes(template), 4))[::-1]
    return distinct[distinct > 1e-3]


@cache
def _figure_indices(template: Template) -> tuple[NDArray[np.intp], int]:
    """Return the concentric figure of each joint, 0 being outermost and fixed, and the number of inner figures."""
    if template.symmetry_order not in (3, 4) or template.drawing != "lines":
        return np.zeros(len(template.joints), np.intp), 0
    distinct = figure_sizes(template)
    return np.argmin(np.abs(_joint_sizes(template)[:, None] - distinct), axis=1), len(distinct) - 1


def _joint_scales(figures: NDArray[np.intp], sizes: Float64Array) -> Float64Array:
    """Return the factor by which each joint is moved from the origin, (n_joints,); 1 for the outermost figure."""
    return np.concatenate([[1.0], sizes])[figures]


@cache
def _joint_weights(template: Template) -> Float64Array:
    """Return the weight by which each joint moves each sample, (n_samples, n_joints)."""
    n = len(template.sample_fractions)
    weights = np.zeros((n, len(template.joints)))
    a, b = template.links[template.sample_links].T
    weights[np.arange(n), a] += 1 - template.sample_fractions
    weights[np.arange(n), b] += template.sample_fractions
    return weights


def _samples_of_joints(template: Template, joints: Float64Array) -> Float64Array:
    """Return the samples in template space for joints that are not where the template has them."""
    return template.sample_xy + _joint_weights(template) @ (joints - template.joints)


def _project_samples(template: Template, h: Float64Array, ideal: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the samples in the patch and their unit normals."""
    xy = apply_homography(h, ideal)
    ahead = apply_homography(h, ideal + 1e-3 * template.sample_tangents) - xy
    along = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
    return xy, np.column_stack([-along[:, 1], along[:, 0]])


def _nearest_lines(
    stacked: Float32Array, xy: Float64Array, normal: Float64Array, reach: int
) -> tuple[Float64Array, Float64Array]:
    """Return the line near each sample: offset along the normal, px, and response; both 0 without one."""
    side = stacked.shape[1]
    steps = np.arange(-reach, reach + 1, dtype=np.float32)
    angle = np.arctan2(-normal[:, 0], normal[:, 1])
    channel = np.round(angle / np.pi * N_DIRECTIONS).astype(int) % N_DIRECTIONS
    n, fine = normal.astype(np.float32), xy.astype(np.float32)
    column = fine[:, :1] + n[:, :1] * steps
    row = fine[:, 1:] + n[:, 1:] * steps
    outside = (row < 0) | (row > side - 1) | (column < 0) | (column > side - 1)
    row += (channel * side).astype(np.float32)[:, None]
    row[outside] = -9.0  # beyond the rim, where remap finds nothing
    seen = cv2.remap(stacked, column, row, cv2.INTER_LINEAR)
    peak = (seen * np.exp(-0.5 * (steps / (0.6 * reach)) ** 2)).argmax(1)
    widened = cv2.copyMakeBorder(seen, 0, 0, 2, 2, cv2.BORDER_CONSTANT)
    first = peak + np.arange(0, widened.size, widened.shape[1])
    mass = widened.ravel()[first[:, None] + np.arange(5)]
    with np.errstate(invalid="ignore"):  # BLAS may set the flag for lanes that it pads, seen once in many runs
        weighted = mass @ np.arange(-2, 3, dtype=np.float32)
    offset = peak - reach + weighted / np.maximum(mass.sum(1), np.float32(1e-6))
    response = mass[:, 2]
    there = response > 0.02
    return np.where(there, offset, 0.0), np.where(there, response, 0.0).astype(np.float64)


def _mean_in_sight(values: Float64Array, known: Float64Array) -> Float64Array:
    """Return the mean of each row, (n,); unknown values count ``UNSEEN_SHARE`` of the mean of the known ones."""
    share = known.mean(axis=1)
    out: Float64Array = (values * known).mean(axis=1) / np.maximum(share, 0.1) * (share + UNSEEN_SHARE * (1 - share))
    return out


def _pixels_at(mask: NDArray[np.bool_], xy: Float64Array) -> NDArray[np.bool_]:
    """Return the pixel of a mask of shape (side, side) at each place, (n,); the rim's beyond it."""
    last = mask.shape[0] - 1
    column, row = np.clip(np.rint(np.nan_to_num(xy)), 0, last).astype(int).T
    return np.asarray(mask[row, column])


def line_strength_at(stacked: Float32Array, xy: Float64Array, normal: Float64Array) -> Float64Array:
    """Return the response of lines across ``normal`` within 3 px of each place, as in the support of a fit."""
    return _nearest_lines(stacked, xy, normal, 3)[1]


def _homography_jacobian(h: Float64Array, ideal: Float64Array, normal: Float64Array) -> Float64Array:
    """Return d(normal . position) / d(first eight entries of h), (n_samples, 8)."""
    x, y = ideal.T
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    u, v = (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w, (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w
    nx, ny = normal.T
    along = nx * u + ny * v
    rows: Float64Array = np.column_stack([nx * x, nx * y, nx, ny * x, ny * y, ny, -along * x, -along * y]) / w[:, None]
    return rows


def _size_jacobian(
    template: Template,
    figures: NDArray[np.intp],
    n_inner: int,
    h: Float64Array,
    ideal: Float64Array,
    normal: Float64Array,
) -> Float64Array:
    """Return d(normal . position) / d(size of each inner figure), (n_samples, n_inner)."""
    out = np.zeros((len(ideal), n_inner))
    weights = _joint_weights(template)
    here = apply_homography(h, ideal)
    for k in range(n_inner):
        growth = weights @ (template.joints * (figures == k + 1)[:, None])
        moved = apply_homography(h, ideal + 1e-3 * growth)
        out[:, k] = ((moved - here) * normal).sum(1) / 1e-3
    return out


def _solve_joints(
    template: Template,
    weights: Float64Array,
    normal: Float64Array,
    offset: Float64Array,
    precision: Float64Array,
    sigma_px: float,
) -> Float64Array:
    """Return the moves that bring links onto lines, (n_joints, 2): ridge regression with joints of one link alike."""
    n = len(template.joints)
    design = np.hstack([weights * normal[:, :1], weights * normal[:, 1:]])
    prior = np.eye(n) * 0.4
    for a, b in template.links:
        prior[a, a] += 0.35
        prior[b, b] += 0.35
        prior[a, b] -= 0.35
        prior[b, a] -= 0.35
    block = np.zeros((2 * n, 2 * n))
    block[:n, :n] = prior
    block[n:, n:] = prior
    gram = design.T @ (precision[:, None] * design) + block / sigma_px**2
    solved = np.linalg.solve(gram, design.T @ (precision * offset))
    return np.column_stack([solved[:n], solved[n:]])


def fit_poses(
    stacked: Float32Array,
    template: Template,
    poses: Float64Array,
    unseen: NDArray[np.bool_] | None = None,
) -> tuple[Float64Array, Float64Array]:
    """Fit many rough poses at once, homography only, with few samples; after each step the worse half is dropped.

    Poses are patch_from_template, (n_poses, 3, 3). Returns those that are left, and the mean line response under the
    samples of each; pixels that are ``unseen``, outside the picture, have ``UNSEEN_SHARE`` of it.
    """
    pick = np.linspace(0, len(template.sample_xy) - 1, N_BATCH_FIT_SAMPLES).round().astype(int)
    ideal, along = template.sample_xy[pick], template.sample_tangents[pick]
    x, y = ideal.T
    h = poses / poses[:, 2:, 2:]
    radius = _pose_radii(h)
    scale = np.ones((len(h), 8))
    scale[:, [2, 5]] = radius[:, None]
    scale[:, [6, 7]] = 1 / radius[:, None]
    support = np.zeros(len(h))
    for step, reach in enumerate((*FIT_REACHES_PX, 2)):
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
        offset, weight = _nearest_lines(stacked, xy, normal, reach)
        offset, weight = offset.reshape(u.shape), weight.reshape(u.shape)
        known = np.ones(u.shape) if unseen is None else 1.0 - _pixels_at(unseen, xy).reshape(u.shape)
        if reach == 2:
            support = _mean_in_sight(weight, known)
            break
        if step and len(h) > MIN_BATCH_POSES:
            closeness = _mean_in_sight(weight / (1 + (offset / BATCH_RESIDUAL_SCALE_PX) ** 2), known)
            better = np.sort(np.argsort(-closeness, kind="stable")[: max(MIN_BATCH_POSES, len(h) // 2)])
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


def without_spots(seen: NDArray[np.bool_], strokes: NDArray[np.bool_], points_px: Float64Array) -> NDArray[np.bool_]:
    """Return the places ``seen`` as lines, (H, W), less spots: no larger than a stone, and away from ``strokes``.

    A letter, an ornament or the rim of a stone is such a spot; the lines of another grid run further, or meet strokes.
    """
    largest_px = MAX_SPOT_SPACINGS * float(median(spacings(points_px)))
    n, labels, stats, _ = cv2.connectedComponentsWithStats(seen.astype(np.uint8))
    is_line = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]) > largest_px
    is_line |= np.bincount(labels[strokes], minlength=n) > 0
    is_line[0] = False
    return np.asarray(is_line[labels])


def added_outlines(
    stacked: Float32Array, template: Template, patch_from_template: Float64Array, seen_response: float
) -> Float64Array:
    """Return places on closed lines, seen with ``seen_response``, around a drawing at one distance, px of the patch.

    A border belongs to the board as little as the rim of the cloth, but it is no evidence against it either. Strokes of
    a grid that goes on beyond the drawing run on to such a line (``verification``).
    """
    side = stacked.shape[1]
    places, tangents = template.outline(N_OUTLINE_SAMPLES)
    radius_px = np.linalg.norm(apply_homography(patch_from_template, places).std(0))
    inner = float(np.linalg.norm(places, axis=1).min()) * radius_px
    steps = np.arange(MIN_OUTLINE_DISTANCE_PX, (MAX_OUTLINE_SCALE - 1) * inner, 1.0)
    part = np.arange(N_OUTLINE_SAMPLES) * N_OUTLINE_PARTS // N_OUTLINE_SAMPLES
    if not len(steps):
        return np.empty((0, 2))
    scaled = places * (1 + steps / inner)[:, None, None]
    xy = apply_homography(patch_from_template, scaled)
    along = apply_homography(patch_from_template, scaled + 1e-3 * tangents) - xy
    along /= np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    response = line_strength_at(stacked, xy.reshape(-1, 2), normals.reshape(-1, 2)).reshape(xy.shape[:2])
    seen = ((xy >= 2) & (xy <= side - 3)).all(-1) & (response > seen_response)
    shares = np.stack([seen[:, part == k].mean(axis=1) for k in range(N_OUTLINE_PARTS)])
    found: Float64Array = xy[shares.min(axis=0) > MIN_OUTLINE_PART_SEEN].reshape(-1, 2)
    return found
