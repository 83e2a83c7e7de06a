"""Fit of a drawing to its strokes at full size: first a homography, then each joint by itself.

The maps say where a board lies; its strokes in the picture say it more exactly. Each sample of the drawing searches
along its normal for the strongest line response in a patch that shows the board from above. Gauss-Newton steps on the
homography, and on the sizes of concentric figures, which differ from maker to maker, bring the samples there. The
residuals then move the joints: a link drags its two joints, and a weak prior keeps joints in place where nothing is
seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import N_DIRECTIONS, coloured_line_responses, line_responses, stroke_colour_direction
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography

PATCH_PX, RADIUS_PX = 224, 84.0
"""Side of the patch, and radius of the drawing in it, px."""

REACHES_PX = (5, 4, 4)
"""Reach to each side of a stroke in each step, px of the patch."""

JOINT_SIGMA_RADII = 0.02
"""Prior standard deviation of a joint from its place, radii of the drawing; hand-made boards are 1 to 4 % off."""

LINE_SIGMA_PX = 1.2
"""Standard deviation of a seen line from the straight link, px of the patch: wobble and stitches."""

SEEN_RESPONSE = 0.25
"""Line response from which a stroke is seen."""


@dataclass(frozen=True, eq=False)
class LineFit:
    """A drawing fitted to the strokes of a patch."""

    template: Template
    patch_from_template: Float64Array
    joints_px: Float64Array  # (n_joints, 2), patch space, hand-made irregularity included
    samples_px: Float64Array  # (n_samples, 2), patch space
    support: Float64Array  # (n_samples,), line response at each sample, 0 to 1


def joints_on_lines(bgr: Image, t: Template, image_from_template: Float64Array) -> tuple[Float64Array, float]:
    """Return the joints of a drawing near a pose, (n_joints, 2), fitted to strokes, and the share of these seen."""
    middle = (PATCH_PX - 1) / 2
    patch_from_template = np.array([[RADIUS_PX, 0, middle], [0, RADIUS_PX, middle], [0, 0, 1.0]])
    image_from_patch = np.asarray(image_from_template @ np.linalg.inv(patch_from_template), np.float64)
    patch = np.asarray(cv.warp_square(bgr, image_from_patch, PATCH_PX), np.uint8)
    along = np.arange(PATCH_PX, dtype=np.float64)
    places = apply_homography(image_from_patch, np.stack(np.meshgrid(along, along), axis=-1))
    region = np.asarray(in_picture(places, size_of(bgr), margin_px=1.0) * np.uint8(255))
    fit = fit_template(stack_fine(line_responses(patch, region)), t, patch_from_template, REACHES_PX)
    normals = _project_samples(t, fit.patch_from_template, t.sample_xy)[1]
    colour = stroke_colour_direction(patch, fit.samples_px, normals, fit.support)
    stacked = stack_fine(coloured_line_responses(patch, colour, region, fit.samples_px))
    fit = fit_template(stacked, t, fit.patch_from_template, REACHES_PX)
    return apply_homography(image_from_patch, fit.joints_px), float((fit.support > SEEN_RESPONSE).mean())


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
) -> LineFit:
    """Fit a template, and its joints, to strokes as from ``stack_fine`` near a pose, within each reach in turn."""
    h, joints = _fit_homography(stacked, template, patch_from_template, reaches_px)
    radius = float(_pose_radii((patch_from_template / patch_from_template[2, 2])[None])[0])
    move = np.zeros_like(joints)
    base = apply_homography(h, joints)
    base_xy, normal = _project_samples(template, h, _samples_of_joints(template, joints))
    weights = _joint_weights(template)
    for reach in (reaches_px[-1] + 1, reaches_px[-1], reaches_px[-1] - 1):
        xy = base_xy + weights @ move
        offset, response = _nearest_lines(stacked, xy, normal, max(2, reach))
        total = offset + ((weights @ move) * normal).sum(1)
        robust = response / (1 + (offset / 2.0) ** 2) / LINE_SIGMA_PX**2
        move = _solve_joints(template, weights, normal, total, robust, JOINT_SIGMA_RADII * radius)
    xy = base_xy + weights @ move
    offset, response = _nearest_lines(stacked, xy, normal, 3)
    return LineFit(template, h, base + move, xy, response)


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
