"""Fit of a drawing to its strokes at full size: first a homography, then each joint by itself.

The maps say where a board lies; its strokes in the picture say it more exactly. Each sample of the drawing searches
along its normal for the strongest line response in a patch that shows the board from above. Gauss-Newton steps on the
homography bring the samples there. The residuals then move the joints: a link drags its two joints, and a weak prior
keeps joints in place where nothing is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from vision.detection.line_filter import N_DIRECTIONS, coloured_line_responses, line_responses, stroke_colour_direction
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography

PATCH_PX, RADIUS_PX = 224, 84.0
"""Side of the patch, and radius of the drawing in it, px."""

REACHES_PX, JOINT_REACHES_PX = (5, 4, 4), (5, 4, 3)
"""Reach to each side of a stroke in each step, of the homography and of the joints, px of the patch."""

JOINT_SIGMA_RADII = 0.02
"""Prior standard deviation of a joint from its place, radii of the drawing; hand-made boards are 1 to 4 % off."""

LINE_SIGMA_PX = 1.2
"""Standard deviation of a seen line from the straight link, px of the patch: wobble and stitches."""

SEEN_RESPONSE = 0.25
"""Line response from which a stroke is seen."""


@dataclass(frozen=True, eq=False)
class LineFit:
    """A drawing fitted to the strokes of a patch."""

    patch_from_template: Float64Array
    joints_px: Float64Array  # (n_joints, 2), patch space, hand-made irregularity included
    samples_px: Float64Array  # (n_samples, 2), patch space
    normals: Float64Array  # (n_samples, 2), unit vectors across the strokes
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
    fit = fit_template(stack_fine(line_responses(patch, region)), t, patch_from_template)
    colour = stroke_colour_direction(patch, fit.samples_px, fit.normals, fit.support)
    stacked = stack_fine(coloured_line_responses(patch, colour, region, fit.samples_px))
    fit = fit_template(stacked, t, fit.patch_from_template)
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


def fit_template(stacked: Float32Array, template: Template, patch_from_template: Float64Array) -> LineFit:
    """Fit a template, and its joints, to strokes as from ``stack_fine`` near a pose."""
    h = _fit_homography(stacked, template, patch_from_template)
    base_xy, normal = _project_samples(template, h)
    weights, move = _joint_weights(template), np.zeros_like(template.joints)
    for reach in JOINT_REACHES_PX:
        xy = base_xy + weights @ move
        offset, response = _nearest_lines(stacked, xy, normal, reach)
        total = offset + ((weights @ move) * normal).sum(1)
        robust = response / (1 + (offset / 2.0) ** 2) / LINE_SIGMA_PX**2
        move = _solve_joints(template, weights, normal, total, robust, JOINT_SIGMA_RADII * RADIUS_PX)
    xy = base_xy + weights @ move
    offset, response = _nearest_lines(stacked, xy, normal, 3)
    return LineFit(h, apply_homography(h, template.joints) + move, xy, normal, response)


def _fit_homography(stacked: Float32Array, template: Template, patch_from_template: Float64Array) -> Float64Array:
    """Return the homography near a pose that fits best."""
    h: Float64Array = patch_from_template / patch_from_template[2, 2]
    scale = np.array([1, 1, RADIUS_PX, 1, 1, RADIUS_PX, 1 / RADIUS_PX, 1 / RADIUS_PX])
    for reach in REACHES_PX:
        xy, normal = _project_samples(template, h)
        offset, response = _nearest_lines(stacked, xy, normal, reach)
        normalised = _homography_jacobian(h, template.sample_xy, normal) * scale
        robust = response / (1 + (offset / (0.5 * reach)) ** 2)
        gram = normalised.T @ (robust[:, None] * normalised) + np.diag(np.full(8, 1e-3))
        h = h + np.append(scale * np.linalg.solve(gram, normalised.T @ (robust * offset)), 0).reshape(3, 3)
    return h


@cache
def _joint_weights(template: Template) -> Float64Array:
    """Return the weight by which each joint moves each sample, (n_samples, n_joints)."""
    n = len(template.sample_fractions)
    weights = np.zeros((n, len(template.joints)))
    a, b = template.links[template.sample_links].T
    weights[np.arange(n), a] += 1 - template.sample_fractions
    weights[np.arange(n), b] += template.sample_fractions
    return weights


def _project_samples(template: Template, h: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the samples in the patch and their unit normals."""
    xy = apply_homography(h, template.sample_xy)
    ahead = apply_homography(h, template.sample_xy + 1e-3 * template.sample_tangents) - xy
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
