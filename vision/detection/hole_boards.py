"""Boards of holes: boards whose points are seen, while the strokes between them are faint or missing.

The blobs of the picture say where a board of holes may lie (``hole_layout``). In a patch that shows it from above, the
rims of holes and balls give their centres (``circle_centres``). Every link between them is looked at as a whole,
because the mean profile across it shows a hair-thin stroke that no single place shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.board_hypotheses import PlacedBoard, plausible_homographies
from vision.detection.circle_centres import find_circle_centres, radial_symmetry_votes
from vision.detection.confidence import confidence_models
from vision.detection.hole_layout import BlobPattern, HoleLayout, detect_blobs
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, FIT_RADIUS_PX, patch_from_disc
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image
from vision.imaging.homography import apply_homography, fit_homography, spacings
from vision.imaging.medians import median

MIN_LAYOUT_NATS = 5.0
"""Log likelihood ratio of a hole layout from which it is looked at more closely, nats."""

SMALL_BOARD_PENALTY_NATS = 12.0
"""Nats against a board of so few points: three rows of three are common, on dice, dotted cloth, packs of tablets."""

SMALL_BOARD_POINTS = 9
"""Points of a board of three rows of three."""

NATS_PER_LINK = 1.0
"""Nats for a link that shows a stroke, and against one that shows none."""

MAX_FULL_STROKE_NATS = 8.0
"""Nats of strokes beyond which each counts half as evidence of any board: crossings of strokes are blobs as well."""

P_NO_STROKES, NO_STROKES_NATS_PER_LINK = 0.05, 0.25
"""Probability that a board of holes has no strokes at all, and the nats against that for each link of its drawing."""

HOLE_BOARD_RADII_PX = (3.0, 4.0, 5.0, 6.0, 7.5, 9.0, 11.0)
"""Radii of holes that are tried, px of a patch in which the board's radius is ``FIT_RADIUS_PX``."""

STROKE_SIGMA_PX, HOLE_SIGMA_PX = 0.5, 1.5
"""Standard deviations of strokes, which lie flat, and of holes, out of which balls stand, px of that patch."""

HOLE_OFFSET_SIGMA_SPACINGS = 0.05
"""Standard deviation of a hole's distance from where the homography puts it, in spacings."""

N_LINK_SAMPLES = 24
"""Samples along a link."""

PROFILE_REACH_PX = 10
"""Reach of the profile across a link to each side, px: its outer parts show how bare ground varies."""

GROUND_OFFSET_PX = 3
"""Distance of the ground that a stroke is compared with, px."""

MIN_STROKE_RESPONSE = 3.0
"""Least response of a stroke, in standard deviations of the ground."""


@dataclass(frozen=True, eq=False)
class HoleBoard(PlacedBoard):
    """A board of holes, balls or stones in one place, with the log evidence for it."""

    nats: float


@dataclass(frozen=True, eq=False)
class LinkStrokes:
    """The strokes between the joints of a drawing."""

    presence: Float64Array  # (n_links,), -1 for no stroke to 1 for a stroke
    offset_px: Float64Array  # (n_links, 2), from the straight link along ``across`` in each half
    across: Float64Array  # (n_links, 2), unit normals of the links, patch space


def find_hole_boards(bgr: Image, templates: Sequence[Template], pattern: BlobPattern | None = None) -> list[HoleBoard]:
    """Return the boards whose points are seen as holes, balls or stones, the one with the most nats first."""
    layouts = (pattern or BlobPattern(detect_blobs(bgr))).layouts(templates)
    best = [
        layout
        for layout in layouts
        if layout.log_likelihood_ratio > MIN_LAYOUT_NATS
        and layout.log_likelihood_ratio > layouts[0].log_likelihood_ratio - 2 * SMALL_BOARD_PENALTY_NATS
    ]
    refined = [item for layout in best[:4] if (item := _refine_layout(bgr, layout)) is not None]
    refined.sort(key=lambda item: -item[0].nats)
    # Every stroke counts when boards are compared. As evidence that there is a board at all, strokes have a limit.
    excess = max(0.0, 0.5 * (refined[0][1] - MAX_FULL_STROKE_NATS)) if refined else 0.0
    return [replace(board, nats=board.nats - excess) for board, _ in refined]


def hole_confidence(found: Sequence[HoleBoard]) -> float:
    """Return the posterior that the first of some boards of holes is the board; 0 for none."""
    if not found:
        return 0.0
    rivals = [np.exp(-np.clip(found[0].nats - other.nats, 0, 30)) for other in found[1:]]
    return confidence_models()["holes"].posterior(hole_features(found[0].nats)) / (1 + float(sum(rivals)))


def hole_features(nats: float) -> dict[str, float]:
    """Return the feature for a board of holes, by name: its log evidence in tens of nats."""
    return {"hole_nats": min(nats, 60.0) / 10}


def _refine_layout(bgr: Image, layout: HoleLayout) -> tuple[HoleBoard, float] | None:
    """Return a hole layout fitted to rims and strokes in a patch seen from above, and the nats of its strokes."""
    t = layout.template
    patch_from_template = patch_from_disc(FIT_RADIUS_PX)
    image_from_template = layout.image_from_template
    joints_px = layout.joints_px
    for look in range(2):
        image_from_patch = image_from_template @ np.linalg.inv(patch_from_template)
        patch = cv.warp_square(bgr, image_from_patch, BOARD_PATCH_SIDE_PX)
        at = apply_homography(patch_from_template, t.joints)
        spacing = spacings(at)
        at_blobs = apply_homography(np.linalg.inv(image_from_patch).astype(np.float64), joints_px)
        start = at if look else np.where(layout.seen[:, None], (at + at_blobs) / 2, at)
        votes = radial_symmetry_votes(patch, HOLE_BOARD_RADII_PX)
        centres, strength = find_circle_centres(votes, start, 0.32 * spacing)
        size = int((strength.mean(1) * np.power(HOLE_BOARD_RADII_PX, 0.85)).argmax())
        holes = np.where(layout.seen[:, None], (centres[size] + at_blobs) / 2, centres[size])
        plane = _fit_plane_to_centres(t, holes, strength[size], HOLE_OFFSET_SIGMA_SPACINGS * spacing)
        image_from_template = image_from_patch @ plane
        flat = apply_homography(plane, t.joints)
        off = np.linalg.norm(holes - flat, axis=1) / (HOLE_OFFSET_SIGMA_SPACINGS * spacing)
        trust = strength[size] / (strength[size] + 0.5 * median(strength[size])) / (1 + (off / 2) ** 2)
        joints_px = apply_homography(image_from_patch, flat + trust[:, None] * (holes - flat))
    if not plausible_homographies(plane[None])[0]:
        return None
    for _ in range(2):
        strokes = measure_link_strokes(patch, t, flat, HOLE_BOARD_RADII_PX[size])
        plane = _fit_plane_to_strokes(t, plane, strokes, holes, trust)
        moved = apply_homography(plane, t.joints)
        residual, flat = holes - moved, moved
    trust *= 0.5 + 0.5 * (strokes.presence < 0).mean()  # where there are strokes, their crossings are more exact
    joints_px = apply_homography(image_from_patch, flat + trust[:, None] * residual)
    stroke_nats = NATS_PER_LINK * float(strokes.presence.sum())
    no_strokes_nats = np.log(P_NO_STROKES) - NO_STROKES_NATS_PER_LINK * len(t.links)
    nats = layout.log_likelihood_ratio + float(np.logaddexp(np.log(1 - P_NO_STROKES) + stroke_nats, no_strokes_nats))
    if len(t.points_from_joints) <= SMALL_BOARD_POINTS:
        nats -= SMALL_BOARD_PENALTY_NATS
    return HoleBoard(t, joints_px, nats), stroke_nats


def _fit_plane_to_strokes(
    t: Template, plane: Float64Array, strokes: LinkStrokes, holes: Float64Array, trust: Float64Array
) -> Float64Array:
    """Return patch_from_template after one robust step towards strokes; trusted holes count where these are missing."""

    def change(p: Float64Array) -> Float64Array:
        moved: Float64Array = plane @ np.array([[1 + p[0], p[1], p[2]], [p[3], 1 + p[4], p[5]], [p[6], p[7], 1.0]])
        return moved

    a, b = t.links.T
    fractions = (0.3, 0.7)
    on_links = np.concatenate([t.joints[a] * (1 - k) + t.joints[b] * k for k in fractions])
    normal = np.concatenate([strokes.across] * 2)
    stroke_residual = strokes.offset_px.T.ravel()
    weight = (
        np.concatenate([np.maximum(strokes.presence, 0)] * 2) / STROKE_SIGMA_PX**2 / (1 + (stroke_residual / 1.5) ** 2)
    )
    hole_residual = holes - apply_homography(plane, t.joints)
    hole_weight = trust / HOLE_SIGMA_PX**2 / (1 + (hole_residual**2).sum(1) / HOLE_SIGMA_PX**2)
    rows, each = [], 1e-4 * np.eye(8)
    for k in range(8):
        moved = change(each[k])
        link_shift = ((apply_homography(moved, on_links) - apply_homography(plane, on_links)) * normal).sum(1)
        joint_shift = apply_homography(moved, t.joints) - apply_homography(plane, t.joints)
        rows.append(np.concatenate([link_shift, joint_shift.ravel()]) / 1e-4)
    jacobian = np.stack(rows, axis=1)
    weights = np.concatenate([weight, np.repeat(hole_weight, 2)])
    gram = jacobian.T @ (weights[:, None] * jacobian) + 1e-3 * np.eye(8)
    residual = np.concatenate([stroke_residual, hole_residual.ravel()])
    step: Float64Array = np.linalg.solve(gram, jacobian.T @ (weights * residual))
    fitted = change(step)
    return np.asarray(fitted / fitted[2, 2], dtype=np.float64)


def _fit_plane_to_centres(
    t: Template, centres: Float64Array, strength: Float64Array, sigma_px: Float64Array
) -> Float64Array:
    """Return the homography ``patch_from_template`` that most centres agree on, by reweighted least squares."""
    weight = strength / strength.max()
    plane = fit_homography(t.joints, centres, weight)
    for _ in range(6):
        off = np.linalg.norm(apply_homography(plane, t.joints) - centres, axis=1) / sigma_px
        plane = fit_homography(t.joints, centres, weight / (1 + off**2) ** 2 + 1e-6)
    return plane


def measure_link_strokes(patch: Image, t: Template, joints_px: Float64Array, radius_px: float) -> LinkStrokes:
    """Return the strokes of a drawing whose joints are covered by holes or stones, in a patch seen from above."""
    lab = cv2.cvtColor(cv2.GaussianBlur(patch, (0, 0), 0.6), cv2.COLOR_BGR2LAB).astype(np.float32)
    a, b = joints_px[t.links[:, 0]], joints_px[t.links[:, 1]]
    length = np.linalg.norm(b - a, axis=1)
    along = (b - a) / length[:, None]
    across = np.column_stack([-along[:, 1], along[:, 0]])
    covered = np.minimum((radius_px + 2.0) / length, 0.35)
    fraction = covered[:, None] + np.linspace(0, 1, N_LINK_SAMPLES) * (1 - 2 * covered[:, None])
    on = a[:, None] + fraction[..., None] * (b - a)[:, None]
    steps = np.arange(-PROFILE_REACH_PX, PROFILE_REACH_PX + 1.0)
    at = (on[:, :, None] + steps[:, None] * across[:, None, None]).astype(np.float32)
    sampled = cv2.remap(lab, at[..., 0].reshape(len(a), -1), at[..., 1].reshape(len(a), -1), cv2.INTER_LINEAR)
    sampled = sampled.reshape(len(a), N_LINK_SAMPLES, len(steps), 3)
    profile = _minus_ground(median(sampled, axis=1))
    middle = profile.shape[1] // 2
    ground = np.concatenate([profile[:, : middle - 2], profile[:, middle + 3 :]], axis=1).reshape(-1, 3)
    covariance = ground.T @ ground / len(ground) + np.diag([0.5, 0.2, 0.2])
    typical = median(profile[:, middle - 1 : middle + 2].mean(1), axis=0)
    direction = np.linalg.solve(covariance, typical)
    direction /= np.sqrt(max(float(direction @ covariance @ direction), 1e-9))
    best = (profile @ direction)[:, middle - 1 : middle + 2].max(1)  # along it the ground has a variance of about 1
    usual = max(float(median(best)), MIN_STROKE_RESPONSE)
    # A stroke responds as most links do, bare ground as the ground beside it.
    presence = np.clip((best - 0.5 * usual) / (0.35 * usual), -1, 1)
    offsets = []
    near = np.abs(np.arange(profile.shape[1]) - middle) <= GROUND_OFFSET_PX
    for half in (sampled[:, : N_LINK_SAMPLES // 2], sampled[:, N_LINK_SAMPLES // 2 :]):
        response = np.maximum(_minus_ground(median(half, axis=1)) @ direction, 0) * near
        mass = np.maximum(response - 0.5 * response.max(1, keepdims=True), 0) + 1e-9 * near
        offsets.append((mass * (np.arange(mass.shape[1]) - middle)).sum(1) / mass.sum(1))
    return LinkStrokes(presence.astype(np.float64), np.stack(offsets, axis=1).astype(np.float64), across)


def _minus_ground(profiles: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Return the profiles across links, (n_links, n_steps, 3), less the mean of the ground on both sides."""
    ground = (profiles[:, : -2 * GROUND_OFFSET_PX] + profiles[:, 2 * GROUND_OFFSET_PX :]) / 2
    return profiles[:, GROUND_OFFSET_PX:-GROUND_OFFSET_PX] - ground
