"""Fit of three rings to the holes in the image: plane, radii and angles together, then each hole by itself.

Thirty holes determine thirteen numbers (a plane, two radii, three angles) many times over. So a few stones that lie
beside the middle of their holes do not matter, nor do holes that a hand or a shadow hides.

Disc space is the plane of the discs with the middle of the outermost ring as its origin and that ring's radius as its
unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.circle_centres import find_circle_centres, radial_symmetry_votes
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, FIT_RADIUS_PX, patch_from_disc
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import apply_homography
from vision.imaging.medians import median

DISC_HOLE_RADII_PX = (4.0, 5.0, 6.5, 8.0, 10.0, 12.0, 14.5)
"""Radii of holes that are tried there, px: 5 to 17 % of the outermost ring."""

SEARCH_REACHES_STEPS = (0.5, 0.42, 0.34, 0.27, 0.22)
"""Largest distance from its expected place at which a hole is searched for in each iteration, neighbour distances."""

HOLE_OFFSET_SIGMA_PX = 1.2
"""Standard deviation of a hole's distance from where its ring puts it, px: hand-made discs are 1 to 2 % off."""

EVIDENCE_REACH_STEPS = 0.42
"""Largest distance from its place at which the strongest centre counts as evidence for rings, neighbour distances."""

EVIDENCE_SIGMA_PX = 2.0
"""Standard deviation of that centre's distance from its place if there are rings, px."""

BRIDGE_NATS = 3.0
"""Nats against rings for each place halfway between two holes that looks like a hole as well."""

P_HOLE_DISTURBED = 0.2
"""Probability that a hole shows something else: a stone beside its middle, a hand, a shadow."""

MIN_RIM_WEIGHT = 0.1
"""Weight of rims where the heatmap shows no hole at all; rims round a clear hole have a weight of about 0.6."""

TYPICAL_RADII, RADII_SIGMA = (0.69, 0.4), (0.04, 0.05)
"""Radii of the middle and the inner ring of the usual drawing, outer ring 1, and their standard deviations."""

STEP_SIGMAS = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.25, 0.25, 0.12, 0.12, 0.3, 0.3, 0.3, 0.12, 0.12, 0.12, 0.12)
"""Scale of each parameter in one step of least squares, before a common factor of 0.2. The parameters are six of the
affinity and two of the perspective, two relative radii, three angles in steps of a hole, and the centres of the two
inner rings (discs lie on each other, so the inner ones lie higher)."""


@dataclass(frozen=True, eq=False)
class FittedRings:
    """Three rings of holes in an image, outermost first."""

    image_from_discs: Float64Array
    radii: Float64Array  # (3,), disc space
    phases_rad: Float64Array  # (3,), of the first hole clockwise from the top
    holes_px: Float64Array  # (3, n, 2), each where it is, image space
    strength: Float64Array  # (3, n), votes for each hole, about 1 for a whole clear rim
    strength_between: Float64Array  # (3, n), votes halfway between the holes of a ring
    nats: float  # rings of holes against centres scattered at random


@dataclass(frozen=True, eq=False)
class RingGeometry:
    """Radii, centres and phases of three rings in disc space, outermost first; of one or of many hypotheses (...)."""

    radii: Float64Array  # (..., 3)
    centres: Float64Array  # (..., 3, 2)
    phases_rad: Float64Array  # (..., 3), of the first hole clockwise from the top

    def holes(self, n: int, shift_steps: float = 0.0) -> Float64Array:
        """Return the n holes of each ring in disc space, (..., 3, n, 2), moved on by a part of a step of their ring."""
        angle = self.phases_rad[..., None] + (np.arange(n) + shift_steps) * (2 * np.pi / n)
        round_origin = self.radii[..., None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1)
        out: Float64Array = round_origin + self.centres[..., None, :]
        return out


def fit_rings(
    bgr: Image,
    image_from_discs: Float64Array,
    radii: Float64Array,
    phases_rad: Float64Array,
    n: int,
    heatmap: tuple[Float32Array, Float64Array] | None = None,
) -> FittedRings:
    """Fit rings of n holes that are roughly known to the holes nearby; rims where ``heatmap`` shows none count less."""
    h = image_from_discs @ np.diag([radii[0], radii[0], 1.0])
    rings = RingGeometry(radii / radii[0], np.zeros((3, 2)), phases_rad)
    patch_from_discs = patch_from_disc(FIT_RADIUS_PX)
    found, strength, votes = np.zeros((3, n, 2)), np.zeros((3, n)), np.zeros((1, 1, 1), np.float32)
    image_from_patch, plane, size = h, patch_from_discs, 0
    for iteration, reach in enumerate(SEARCH_REACHES_STEPS):
        if iteration in (0, 2, 4):
            image_from_patch = h @ np.linalg.inv(patch_from_discs)
            plane = patch_from_discs
            radii_px = DISC_HOLE_RADII_PX if iteration == 0 else DISC_HOLE_RADII_PX[max(0, size - 1) : size + 2]
            patch = cv.warp_square(bgr, image_from_patch, BOARD_PATCH_SIDE_PX)
            votes = _remove_concentric_rims(radial_symmetry_votes(patch, radii_px))
            if heatmap is not None:
                here = np.linalg.inv(image_from_patch) @ heatmap[1]
                votes = votes * (
                    MIN_RIM_WEIGHT + cv2.warpPerspective(heatmap[0], here, (BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX))
                )
            if iteration == 0:
                at = apply_homography(plane, rings.holes(n))
                total = [_strongest_centres(layer[None], at, reach)[1].mean() for layer in votes]
                size = int((np.array(total) * np.power(DISC_HOLE_RADII_PX, 0.85)).argmax())  # larger ones are favoured
                votes = votes[max(0, size - 1) : size + 2]
        found, strength = _strongest_centres(votes, apply_homography(plane, rings.holes(n)), reach)
        sigma_px = HOLE_OFFSET_SIGMA_PX * (3 if iteration == 0 else 1.5)
        for _ in range(3):
            plane, rings = _least_squares_step(plane, rings, found, strength, n, sigma_px)
        h = image_from_patch @ plane
    at = apply_homography(plane, rings.holes(n))
    off = np.linalg.norm(found - at, axis=2) / HOLE_OFFSET_SIGMA_PX
    trust = strength / (strength + 0.4 * median(strength)) / (1 + (off / 2) ** 2)
    holes = at + trust[..., None] * (found - at)
    halfway = apply_homography(plane, rings.holes(n, 0.5))
    strength_between = _strongest_centres(votes, halfway, SEARCH_REACHES_STEPS[-1])[1]
    nats = float(_log_likelihood_ratio(votes, at)) - _bridge_penalty_nats(votes, at, strength)
    holes_px = apply_homography(image_from_patch, holes)
    return FittedRings(h / h[2, 2], rings.radii, rings.phases_rad, holes_px, strength, strength_between, nats)


def fit_rings_to_heatmap(
    votes: Float32Array, patch_from_discs: Float64Array, radii: Float64Array, phases_rad: Float64Array, n: int
) -> tuple[Float64Array, Float64Array, RingGeometry]:
    """Fit many hypotheses of rings of n holes, roughly known, to one heatmap of holes, (1, H, W), all at once.

    Returns their nats, (n_hypotheses,), as ``FittedRings.nats`` without what lies between holes, the planes, in which
    the outermost ring has radius 1, and the rings.
    """
    sizes = np.zeros_like(patch_from_discs)
    sizes[:, 0, 0] = sizes[:, 1, 1] = radii[:, 0]
    sizes[:, 2, 2] = 1
    plane = patch_from_discs @ sizes
    rings = RingGeometry(radii / radii[:, :1], np.zeros((len(radii), 3, 2)), phases_rad)
    for reach in SEARCH_REACHES_STEPS[::2]:
        found, strength = _strongest_centres(votes, _apply_homographies(plane, rings.holes(n)), reach)
        for _ in range(2):
            plane, rings = _least_squares_step(plane, rings, found, strength, n, 2 * HOLE_OFFSET_SIGMA_PX)
    return _log_likelihood_ratio(votes, _apply_homographies(plane, rings.holes(n))), plane, rings


def _apply_homographies(planes: Float64Array, xy: Float64Array) -> Float64Array:
    """Return the holes of many hypotheses, (..., 3, n, 2), each in its own plane, (..., 3, 3)."""
    h = planes[..., None, :, :]
    w = xy @ h[..., 2, :2, None] + h[..., 2:, 2:]
    moved: Float64Array = (xy @ np.swapaxes(h[..., :2, :2], -1, -2) + h[..., None, :2, 2]) / w
    return moved


def _log_likelihood_ratio(votes: Float32Array, at: Float64Array) -> Float64Array:
    """Return the nats for rings with holes ``at`` (..., 3, n, 2), by the strongest centre in a wide reach of each."""
    found, _ = _strongest_centres(votes, at, EVIDENCE_REACH_STEPS)
    step_px = np.linalg.norm(at - np.roll(at, 1, axis=-2), axis=-1)
    off = np.linalg.norm(found - at, axis=-1)
    ratio = (
        (EVIDENCE_REACH_STEPS * step_px / EVIDENCE_SIGMA_PX) ** 2 / 2 * np.exp(-0.5 * (off / EVIDENCE_SIGMA_PX) ** 2)
    )
    nats = np.log(P_HOLE_DISTURBED + (1 - P_HOLE_DISTURBED) * ratio)
    return np.asarray(nats.reshape(*at.shape[:-3], -1).sum(axis=-1))


def _bridge_penalty_nats(votes: Float32Array, at: Float64Array, strength: Float64Array) -> float:
    """Return the nats against rings between which there is as much as on them: spokes of a drawn wheel are no holes."""
    halfway = (at[1:] + at[:-1]) / 2
    n_bridges = 0.0
    for k in range(2):
        # Discs may be turned against each other: each hole is joined to the nearest one further in.
        nearest = np.linalg.norm(at[k][:, None] - at[k + 1][None], axis=2).argmin(1)
        halfway[k] = (at[k] + at[k + 1][nearest]) / 2
        between = _strongest_centres(votes, halfway[k][None], 0.15)[1][0]
        on = np.maximum(np.minimum(strength[k], strength[k + 1][nearest]), 0.7 * median(strength)) + 0.1
        n_bridges += float(np.clip((between / on - 0.4) / 0.4, 0, 1).sum())
    return BRIDGE_NATS * n_bridges


def _remove_concentric_rims(votes: Float32Array) -> Float32Array:
    """Return the votes less the median at the same distance from the patch's middle: rims of the discs are no holes."""
    middle, n = (BOARD_PATCH_SIDE_PX - 1) / 2, BOARD_PATCH_SIDE_PX // 2
    below, above, share = _distances_from_middle()
    polar_size = (n, 180)
    out = []
    for layer in votes:
        polar = cv2.warpPolar(layer, polar_size, (middle, middle), n, cv2.INTER_LINEAR)
        usual = median(np.ascontiguousarray(polar.T), axis=1)
        lower = usual.take(below)
        out.append(layer - (lower + share * (usual.take(above) - lower)))
    return np.asarray(np.maximum(np.stack(out), 0), dtype=np.float32)


@cache
def _distances_from_middle() -> tuple[NDArray[np.intp], NDArray[np.intp], Float32Array]:
    """Return the whole distances from the patch's middle around that of each pixel, and the share of the larger one."""
    row, column = np.mgrid[0:BOARD_PATCH_SIDE_PX, 0:BOARD_PATCH_SIDE_PX] - (BOARD_PATCH_SIDE_PX - 1) / 2
    distance = np.minimum(np.hypot(row, column), BOARD_PATCH_SIDE_PX // 2 - 1)
    below = distance.astype(np.intp)
    return below, np.minimum(below + 1, BOARD_PATCH_SIDE_PX // 2 - 1), (distance - below).astype(np.float32)


def _strongest_centres(votes: Float32Array, at: Float64Array, reach: float) -> tuple[Float64Array, Float64Array]:
    """Return the strongest centre of any radius within ``reach`` steps of each place, (..., n, 2), and its votes."""
    step_px = np.linalg.norm(at - np.roll(at, 1, axis=-2), axis=-1)
    reach_px = reach * np.minimum(step_px, np.roll(step_px, -1, axis=-1)).ravel()
    xy, strength = find_circle_centres(votes, at.reshape(-1, 2), reach_px)
    best = strength.argmax(0)
    k = np.arange(xy.shape[1])
    return xy[best, k].reshape(at.shape), strength[best, k].reshape(at.shape[:-1])


def _least_squares_step(
    plane: Float64Array, rings: RingGeometry, found: Float64Array, strength: Float64Array, n: int, sigma_px: float
) -> tuple[Float64Array, RingGeometry]:
    """Return the plane and rings after one step of robust least squares on all parameters (``STEP_SIGMAS``)."""
    here, jacobian = _holes_and_jacobian(plane, rings, n)
    residual = found - here
    distance = np.linalg.norm(residual, axis=-1)
    usual = np.median(strength, axis=(-2, -1), keepdims=True) + 1e-6
    trust = np.minimum(strength / usual, 1.5) / (1 + (distance / (2 * sigma_px)) ** 2)
    of_each = *plane.shape[:-2], 6 * n, 1
    weight, residual = np.repeat(trust, 2, axis=-1).reshape(of_each), residual.reshape(of_each)
    precision = 1 / np.square(0.2 * np.array(STEP_SIGMAS)) * np.ones((*plane.shape[:-2], 1))
    # The prior draws radii to the typical ones and centres to the common one in every step.
    pull = np.zeros_like(precision)
    pull[..., 13:17] = -rings.centres[..., 1:, :].reshape(*plane.shape[:-2], 4) * precision[..., 13:17]
    of_radii = (rings.radii[..., 1:] / RADII_SIGMA) ** 2
    pull[..., 8:10] = of_radii * (TYPICAL_RADII / rings.radii[..., 1:] - 1)
    precision[..., 8:10] += of_radii
    transposed = np.swapaxes(jacobian, -1, -2)
    gram = transposed @ (weight * jacobian) / sigma_px**2 + precision[..., None] * np.eye(len(STEP_SIGMAS))
    step = np.linalg.solve(gram, transposed @ (weight * residual) / sigma_px**2 + pull[..., None])[..., 0]
    h, changed = _apply_step(plane, rings, n, step)
    return h / h[..., 2:, 2:], changed


def _holes_and_jacobian(plane: Float64Array, rings: RingGeometry, n: int) -> tuple[Float64Array, Float64Array]:
    """Return the holes in the patch, (..., 3, n, 2), and their derivatives by the parameters, (..., 6 n, 17)."""
    source = rings.holes(n)
    x, y = source[..., 0], source[..., 1]
    h = plane[..., None, :, :]
    p = np.concatenate([source, np.ones((*x.shape, 1))], axis=-1) @ np.swapaxes(h, -1, -2)
    here = p[..., :2] / p[..., 2:]
    # d(here) / d(source), (..., 3, n, 2, 2): what moves a place in disc space moves it so in the patch.
    slope = (h[..., None, :2, :2] - here[..., None] * h[..., None, 2:, :2]) / p[..., 2:, None]
    outward = source - rings.centres[..., None, :]
    moved = np.zeros((*x.shape, 2, len(STEP_SIGMAS)))
    moved[..., 0, 0], moved[..., 0, 1], moved[..., 0, 2] = x, y, 1
    moved[..., 1, 3], moved[..., 1, 4], moved[..., 1, 5] = x, y, 1
    moved[..., 6], moved[..., 7] = -x[..., None] * source, -y[..., None] * source
    for ring in range(3):
        of_ring, away = moved[..., ring, :, :, :], outward[..., ring, :, :]
        of_ring[..., 10 + ring] = np.stack([-away[..., 1], away[..., 0]], -1) * (2 * np.pi / n)
        if ring:
            of_ring[..., 7 + ring] = away
            of_ring[..., 0, 11 + 2 * ring] = of_ring[..., 1, 12 + 2 * ring] = 1
    return here, (slope @ moved).reshape(*plane.shape[:-2], 6 * n, len(STEP_SIGMAS))


def _apply_step(
    plane: Float64Array, rings: RingGeometry, n: int, p: NDArray[np.floating[Any]]
) -> tuple[Float64Array, RingGeometry]:
    """Return the plane and rings with their parameters changed by ``p``, in the order of ``STEP_SIGMAS``."""
    change = np.eye(3).ravel() + np.concatenate([p[..., :8], np.zeros_like(p[..., :1])], axis=-1)
    radii, centres = rings.radii.copy(), rings.centres.copy()
    radii[..., 1:] *= 1 + p[..., 8:10]
    centres[..., 1:, :] += p[..., 13:17].reshape(*p.shape[:-1], 2, 2)
    phases_rad = rings.phases_rad + p[..., 10:13] * 2 * np.pi / n
    return plane @ change.reshape(*p.shape[:-1], 3, 3), RingGeometry(radii, centres, phases_rad)
