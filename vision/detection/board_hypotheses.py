"""The contest of the drawings: which one explains the strokes of a playing area best, and where it lies.

Two rounds in each area. The first takes any thin line for a stroke; from its best places the colour of the strokes
is learnt (``ink``). The second sees little but the strokes, so all drawings are searched again and compared there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import N_WAYS, strokes
from vision.detection.playing_areas import Candidate
from vision.detection.stroke_colour import direction, ink
from vision.detection.template_fit import Fit, fit, normals, quick_fits, square_sizes, strength_at, tall
from vision.detection.template_search import SIDE_PX, UNIT_PX, search, stack, unit_from_patch
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.frame import Image
from vision.imaging.homography import Floats, apply_homography, spacings

STROKE_SEEN = 0.25
"""Evidence at which a sample counts as seen."""

MIDDLE = 0.28
"""Only this far from the middle of a link (of 1) is it asked whether it is there: stones stand at its ends."""

BOARD_UNIT_PX = 84.0
"""Radius of a drawing in the patch in which the last fit is made."""

AROUND = 0.8
"""Size of a guess, in units of the patch, in which its drawing is searched for once more: the board may be larger."""

LEAST_ROOM = 0.3
"""Of the drawing's own spacing: points that lie closer are no points for stones."""

N_FIRST, N_SECOND = 8, 20
"""Places of a drawing that are fitted in the first and in the second round."""

LIKELY = 0.7
"""Share of the best drawing's support in the first round that one must have for the second."""

N_INKS = 2
"""Colours of strokes that are tried in one playing area."""


@dataclass(frozen=True, eq=False)
class Guess:
    """One drawing in one place, with what speaks for it.

    Attributes
    ----------
    template : Template
    joints_px, points_px : float64 arrays of shape (n_joints, 2), (n_points, 2)
        Image space.
    image_from_template : float64 array of shape (3, 3)
    samples_px : float64 array of shape (n_samples, 2)
        Image space.
    coverage : float
        Share of the strokes that are seen.
    gain : float
        Length of strokes explained less length of strokes missed, px of the image.
    ink : float64 array of shape (3,)
        Direction in Lab in which the strokes were seen.
    clutter : float
        Share of what looks like strokes within the drawing and a little around it that the drawing does not have.
    holes : float
        Nats of evidence that the points are holes, balls or stones of this board and nothing else is; 0 where that
        was not asked.
    """

    template: Template
    joints_px: Floats
    points_px: Floats
    image_from_template: Floats
    samples_px: Floats
    coverage: float
    gain: float
    ink: Floats
    clutter: float = 0.0
    holes: float = 0.0


def guesses_in(bgr: Image, area: Candidate, templates: list[Template]) -> Iterator[list[Guess]]:
    """The best guess of each drawing in one playing area, best first, for one colour of strokes after the other."""
    image_from_patch = area.image_from_unit @ unit_from_patch()
    patch = cv.warp(bgr, image_from_patch, SIDE_PX)
    region = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    cv2.circle(region, (SIDE_PX // 2, SIDE_PX // 2), round(UNIT_PX * 1.14), 255, -1)
    evidence = strokes(patch, region)
    coarse, fine = stack(evidence), tall(evidence)
    first = [(support, pose, t) for t in templates for support, pose in best_poses(coarse, fine, t, N_FIRST)[:1]]
    first.sort(key=lambda item: -item[0])
    ways: list[Floats] = []
    for _, pose, t in first[: N_INKS + 1]:
        laid = fit(fine, t, pose, (4,), joints_too=False)
        way = direction(patch, laid.samples_px, normals(laid), laid.support)
        if any(abs(float(way @ other)) > 0.9 * float(np.linalg.norm(way) * np.linalg.norm(other)) for other in ways):
            continue
        ways.append(way)
        likely = [other for support, _, other in first if support > LIKELY * first[0][0]]
        yield sorted(_second_round(patch, region, image_from_patch, laid, way, likely), key=lambda g: -g.gain)
        if len(ways) == N_INKS:
            break


def one_each(guesses: Sequence[Guess]) -> list[Guess]:
    """The first guess of each drawing, in the order given."""
    distinct: dict[str, Guess] = {}
    for guess in guesses:
        distinct.setdefault(guess.template.name, guess)
    return list(distinct.values())


def _second_round(
    patch: Image,
    region: NDArray[np.uint8],
    image_from_patch: Floats,
    laid: Fit,
    way: Floats,
    templates: list[Template],
) -> list[Guess]:
    evidence = ink(patch, way, region, laid.samples_px)
    coarse, fine = stack(evidence), tall(evidence)
    background = chance(fine, region, laid)
    scale = px_per_patch_px(image_from_patch)
    out = []
    for t in templates:
        for _, pose in best_poses(coarse, fine, t, N_SECOND)[:1]:
            fitted = fit(fine, t, pose, (5, 4, 4))
            if sound(fitted.patch_from_template[None])[0]:
                out.append(_guess(fitted, image_from_patch, background, scale, way))
    return out


def best_poses(
    coarse: NDArray[np.uint8], fine: NDArray[np.float32], t: Template, most: int
) -> list[tuple[float, Floats]]:
    """Places of a drawing with their support, patch_from_template, best first."""
    patch_from_unit = np.linalg.inv(unit_from_patch())
    found = search(coarse, t, most)
    poses, support = quick_fits(fine, t, np.array([patch_from_unit @ p.unit_from_template for p in found]))
    order = np.argsort(-support, kind="stable")
    good = sound(poses)
    return [(float(support[i]), poses[i]) for i in order if good[i]]


def alternatives(guess: Guess, templates: list[Template]) -> list[Guess]:
    """The other drawings that would share strokes with a guess: the same squares, or one more around them."""
    out = []
    for t in templates:
        if t is guess.template or t.turns != guess.template.turns or t.drawing != guess.template.drawing:
            continue
        ours, theirs = square_sizes(guess.template), square_sizes(t)
        for grow in sorted({1.0, float(theirs[0] / theirs[1]) if len(theirs) > len(ours) else 1.0}):
            h = guess.image_from_template @ np.diag([grow, grow, 1.0])
            joints = apply_homography(h, t.joints)
            points = t.points_from_joints @ joints
            samples = apply_homography(h, t.sample_xy)
            out.append(Guess(t, joints, points, h, samples, 0.0, 0.0, guess.ink))
    return out


def polish(bgr: Image, guess: Guess) -> Guess:
    """Fit a guess once more in a patch made for it: every drawing at the same size, seen squarely from above."""
    grow = BOARD_UNIT_PX / UNIT_PX
    patch_from_template: Floats = (np.linalg.inv(unit_from_patch()) @ np.diag([grow, grow, 1])).astype(np.float64)
    image_from_patch: Floats = guess.image_from_template @ np.linalg.inv(patch_from_template)
    patch = cv.warp(bgr, image_from_patch, SIDE_PX)
    region = np.full((SIDE_PX, SIDE_PX), 255, np.uint8)
    t = guess.template
    start = apply_homography(np.linalg.inv(image_from_patch).astype(np.float64), guess.samples_px)
    fine = tall(ink(patch, guess.ink, region, start))
    fitted = fit(fine, t, patch_from_template, (5, 4, 4))
    way = direction(patch, fitted.samples_px, normals(fitted), fitted.support)
    fine = tall(ink(patch, way, region, fitted.samples_px))
    fitted = fit(fine, t, fitted.patch_from_template, (4, 4, 4))
    if not sound(fitted.patch_from_template[None])[0] or not _roomy(fitted):
        return replace(guess, gain=-1e9)
    disc = np.zeros_like(region)
    cv2.circle(disc, (SIDE_PX // 2, SIDE_PX // 2), round(BOARD_UNIT_PX * 1.1), 255, -1)
    found = _guess(fitted, image_from_patch, chance(fine, disc, fitted), px_per_patch_px(image_from_patch), way)
    clutter = _clutter(fine, fitted)
    return replace(found, clutter=clutter, gain=found.gain * (1 - clutter))


def sought_around(bgr: Image, guess: Guess) -> Guess | None:
    """The best place of the same drawing where a guess lies, searched for in a patch made for it; None without one.

    An outline that is seen aslant and a little beside the board tilts the plane in which it is searched for, and the
    side of one figure is taken for that of the next one in. What the guess covers is a better outline.
    """
    image_from_patch: Floats = _outline(guess) @ np.diag([1 / AROUND, 1 / AROUND, 1.0]) @ unit_from_patch()
    patch = cv.warp(bgr, image_from_patch, SIDE_PX)
    region = np.full((SIDE_PX, SIDE_PX), 255, np.uint8)
    start = apply_homography(np.linalg.inv(image_from_patch).astype(np.float64), guess.samples_px)
    evidence = ink(patch, guess.ink, region, start)
    fine = tall(evidence)
    for _, pose in best_poses(stack(evidence), fine, guess.template, N_SECOND)[:1]:
        laid = fit(fine, guess.template, pose, (5, 4, 4))
        if sound(laid.patch_from_template[None])[0]:
            scale = px_per_patch_px(image_from_patch)
            return polish(bgr, _guess(laid, image_from_patch, chance(fine, region, laid), scale, guess.ink))
    return None


def _outline(guess: Guess) -> Floats:
    """From the unit circle to the ellipse round a guess, its short axis down: how it would lie, seen from afar."""
    t = guess.template
    ones = np.ones((len(t.sample_xy), 1))
    move = np.linalg.lstsq(np.hstack([t.sample_xy, ones]), guess.samples_px, rcond=None)[0]
    axes, sizes, _ = np.linalg.svd(move[:2].T)
    down = axes[:, 1] if axes[1, 1] >= 0 else -axes[:, 1]
    h = np.eye(3)
    h[:2, 0], h[:2, 1], h[:2, 2] = sizes[0] * np.array([down[1], -down[0]]), sizes[1] * down, move[2]
    return h


def _roomy(laid: Fit) -> bool:
    """Whether stones could stand on all points at once, as they could not where two figures share one stroke."""
    t = laid.template
    as_fitted = spacings(t.points_from_joints @ laid.joints_px)
    as_drawn = spacings(apply_homography(laid.patch_from_template, t.points_from_joints @ t.joints))
    return bool((as_fitted > LEAST_ROOM * as_drawn).all())


def _clutter(fine: NDArray[np.float32], laid: Fit) -> float:
    """Share of the evidence in the hull of a drawing, a tenth larger, that lies away from its strokes."""
    strongest = fine.reshape(N_WAYS, SIDE_PX, SIDE_PX).max(0)
    t = laid.template
    points = np.round(np.concatenate([laid.joints_px, t.points_from_joints @ laid.joints_px])).astype(np.int32)
    hull = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    middle = laid.joints_px.mean(0)
    larger = np.round(middle + 1.12 * (laid.samples_px - middle)).astype(np.int32)
    cv2.fillConvexPoly(hull, cv2.convexHull(larger), 255)
    strokes_of = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for x, y in np.round(laid.samples_px).astype(int):
        cv2.circle(strokes_of, (int(x), int(y)), 6, 255, -1)
    for x, y in points:
        cv2.circle(strokes_of, (int(x), int(y)), 13, 255, -1)  # a stone and its rim
    seen = np.where(hull > 0, np.where(strongest > STROKE_SEEN, strongest, 0), 0)
    return float(seen[strokes_of == 0].sum() / max(float(seen.sum()), 1.0))


def px_per_patch_px(image_from_patch: Floats) -> float:
    """Pixels of the image under one pixel in the middle of the patch, along one side."""
    middle = (SIDE_PX - 1) / 2
    a, b, c = apply_homography(
        image_from_patch, np.array([[middle, middle], [middle + 1, middle], [middle, middle + 1]])
    )
    across, down = b - a, c - a
    return float(np.sqrt(abs(across[0] * down[1] - across[1] * down[0])))


def _guess(laid: Fit, image_from_patch: Floats, background: float, scale: float, way: Floats) -> Guess:
    t = laid.template
    joints = apply_homography(image_from_patch, laid.joints_px)
    coverage = float((laid.support[np.abs(t.sample_t - 0.5) < MIDDLE] > STROKE_SEEN).mean())
    h = image_from_patch @ laid.patch_from_template
    return Guess(
        t,
        joints,
        t.points_from_joints @ joints,
        h / h[2, 2],
        apply_homography(image_from_patch, laid.samples_px),
        coverage,
        _gain(laid, background, scale),
        way,
    )


def chance(evidence: NDArray[np.float32], region: NDArray[np.uint8], laid: Fit) -> float:
    """How often a place without a stroke looks like one.

    Places and ways are taken at random in the region; those on a stroke of ``laid`` along its way do not count.
    """
    rng = np.random.default_rng(7)
    rows, columns = np.nonzero(region)
    pick = rng.integers(0, len(rows), 600)
    xy = np.column_stack([columns[pick], rows[pick]]).astype(np.float64)
    angle = rng.uniform(0, np.pi, len(xy))
    normal = np.column_stack([np.cos(angle), np.sin(angle)])
    apart = np.linalg.norm(xy[:, None] - laid.samples_px[None], axis=2)
    nearest = apart.argmin(1)
    across = np.abs((normal * normals(laid)[nearest]).sum(1)) < 0.85
    free = (apart.min(1) > 5) | across
    seen = strength_at(evidence, xy[free], normal[free])
    return float((seen > STROKE_SEEN).mean())


def _gain(laid: Fit, background: float, scale: float) -> float:
    """How much more stroke than bare ground a drawing explains, px of the image.

    Every link that is there counts with its length for, every link that is not counts against: a small drawing
    inside a large one gains less than the large one, and a drawing with links that nobody drew loses. Only the
    middle part of a link speaks, since stones and other strokes meet it at its ends. ``scale`` is the size of a pixel
    of the patch in the image.
    """
    t = laid.template
    middle = np.abs(t.sample_t - 0.5) < MIDDLE
    n = len(t.links)
    count = np.bincount(t.sample_link[middle], minlength=n)
    seen = np.bincount(t.sample_link[middle], (laid.support[middle] > STROKE_SEEN).astype(float), minlength=n)
    share = seen / np.maximum(count, 1)
    even = 0.5 + 0.4 * background
    vote = np.clip((share - even) / (1 - even), -1, 1)
    lengths = np.linalg.norm(laid.joints_px[t.links[:, 0]] - laid.joints_px[t.links[:, 1]], axis=1)
    return float((vote * lengths).sum() * scale)


def sound(poses: Floats) -> NDArray[np.bool_]:
    """Which ``patch_from_template`` could be a board before a camera: no mirror, no horizon across it, no splinter.

    Parameters
    ----------
    poses : float64 array of shape (n, 3, 3)
    """
    angle = np.arange(9) * (np.pi / 4)
    rim = np.column_stack([np.cos(angle), np.sin(angle)]) * (angle < 2 * np.pi)[:, None]  # the last one is the middle
    w = poses[:, 2:, 0] * rim[:, 0] + poses[:, 2:, 1] * rim[:, 1] + poses[:, 2:, 2]
    no_horizon = (w.min(1) > 0.3 * w.max(1)) & (w.min(1) > 0)
    w = np.where(no_horizon[:, None], w, 1.0)
    xy = np.einsum("nij,mj->nmi", poses[:, :2, :2], rim) + poses[:, None, :2, 2]
    jacobian = (poses[:, None, :2, :2] - np.einsum("nmi,nj->nmij", xy / w[..., None], poses[:, 2, :2])) / w[
        ..., None, None
    ]
    det = jacobian[..., 0, 0] * jacobian[..., 1, 1] - jacobian[..., 0, 1] * jacobian[..., 1, 0]
    size = (jacobian**2).sum((-1, -2))  # sum of the squared singular values; det is their product
    root = np.sqrt(np.maximum(size**2 - 4 * det**2, 0))
    most = np.sqrt((size + root) / 2).max(1)
    least = np.sqrt(np.maximum((size - root) / 2, 0)).min(1)
    fine: NDArray[np.bool_] = no_horizon & (det.min(1) > 0) & (least > 0.2 * most) & (least > 0.12 * UNIT_PX)
    return fine
