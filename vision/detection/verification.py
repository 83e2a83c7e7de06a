"""A second look at the place where a board seems to lie: what speaks for it, what against, and what is missing.

The contest asks which drawing explains the strokes best. Here the winner is looked at once more by itself, with the
ground around it: are all its links there, do its strokes end where they should, are there strokes that it does not
have, and do they stand out from the ground at all. ``confidence`` turns the answers into a posterior.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.board_hypotheses import MIDDLE, STROKE_SEEN, Guess
from vision.detection.line_filter import N_WAYS
from vision.detection.stroke_colour import ink
from vision.detection.template_fit import strength_at, tall
from vision.detection.template_search import SIDE_PX
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.frame import Image
from vision.imaging.homography import Floats, apply_homography

RADIUS_PX = 66.0
"""Radius of the drawing in the patch of the second look; ground up to 1.65 radii is in it."""

NEAR_PX = 5.0
"""So far from a stroke evidence belongs to it: hand-made strokes wobble, and their joints are fitted to a pixel."""

STONE = 0.16
"""Radius of a stone with its rim, in radii of the drawing; 0.4 of the spacing where points lie closer."""

AHEAD = (0.13, 0.32)
"""Where it is asked whether a stroke goes on past its end, in radii: overshooting brushes stop before 0.1."""

N_ALONG, APART_PX = 48, 1.5
"""Places along a line beside the board, and how far apart such lines are asked for."""

WHOLE = 0.7
"""Share of such a line that must be seen."""

FAR = 0.6
"""How far beyond the drawing they are asked for, in its widths."""

RIM = 1.12
"""A stroke belongs to the drawing's own ground up to so many times its size."""


@dataclass(frozen=True, eq=False)
class Witness:
    """What a second look says of a guess.

    Attributes
    ----------
    guess : Guess
    seen : bool array of shape (n_samples,)
        Which samples of the drawing's strokes are seen.
    inside_picture : bool array of shape (n_samples,)
        Which of them lie in the picture.
    links_seen : float64 array of shape (n_links,)
        Share of the middle of each link that is seen.
    background : float
        Share of places without a stroke that look like one.
    overrun : float
        Share of the places past the ends of strokes that look like more of the stroke.
    inside, beyond : float
        Share of the ground within the drawing and around it that is covered by strokes which the drawing lacks.
    lines_beyond : int
        Lines beside the drawing that run as its strokes do and are as long as it is wide.
    crooked : float
        Typical distance of a joint from where the homography puts it, radii of the drawing.
    stretched : float
        Ratio of the long to the short axis of the circle round the drawing as seen in the picture.
    radius_px : float
        Half the height and width of the drawing in the picture, on average.
    """

    guess: Guess
    seen: NDArray[np.bool_]
    inside_picture: NDArray[np.bool_]
    links_seen: Floats
    background: float
    overrun: float
    inside: float
    beyond: float
    lines_beyond: int
    crooked: float
    stretched: float
    radius_px: float


def second_look(bgr: Image, guess: Guess) -> Witness:
    """Look once more at a guess, with the ground around it.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    guess : Guess
        Polished, so that its ink and its joints are this board's.
    """
    t = guess.template
    middle = (SIDE_PX - 1) / 2
    patch_from_template = np.array([[RADIUS_PX, 0, middle], [0, RADIUS_PX, middle], [0, 0, 1.0]])
    image_from_patch: Floats = (guess.image_from_template @ np.linalg.inv(patch_from_template)).astype(np.float64)
    patch_from_image: Floats = np.linalg.inv(image_from_patch).astype(np.float64)
    patch = cv.warp(bgr, image_from_patch, SIDE_PX)
    height, width = bgr.shape[:2]
    region = _in_picture(image_from_patch, width, height)
    samples = apply_homography(patch_from_image, guess.samples_px)
    joints = apply_homography(patch_from_image, guess.joints_px)
    evidence = tall(ink(patch, guess.ink, region, samples))
    along = apply_homography(patch_from_template, t.sample_xy + 1e-3 * t.sample_along)
    along -= apply_homography(patch_from_template, t.sample_xy)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    seen = strength_at(evidence, samples, normal) > STROKE_SEEN
    middles = np.abs(t.sample_t - 0.5) < MIDDLE
    count = np.bincount(t.sample_link[middles], minlength=len(t.links))
    links_seen = np.bincount(t.sample_link[middles], seen[middles].astype(float), len(t.links)) / np.maximum(count, 1)
    free = _free_ground(guess, samples, joints, region)
    strongest = evidence.reshape(N_WAYS, SIDE_PX, SIDE_PX).max(0)
    hull = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    larger = np.round(joints.mean(0) + RIM * (samples - joints.mean(0))).astype(np.int32)
    cv2.fillConvexPoly(hull, cv2.convexHull(larger), 255)
    axes = np.linalg.svd(_derivative(guess.image_from_template), compute_uv=False)
    ideal = apply_homography(patch_from_template, t.joints)
    lines_beyond = _lines_beyond(evidence, guess, joints, samples)
    inside_picture = np.all((guess.samples_px >= 0) & (guess.samples_px <= (width - 1, height - 1)), axis=1)
    return Witness(
        guess=guess,
        seen=seen,
        inside_picture=np.asarray(inside_picture),
        links_seen=links_seen,
        background=_background(evidence, free),
        overrun=_overrun(evidence, guess, joints, samples, region),
        inside=_covered(strongest, free & (hull > 0)),
        beyond=_covered(strongest, free & (hull == 0)),
        lines_beyond=lines_beyond,
        crooked=float(np.median(np.linalg.norm(joints - ideal, axis=1)) / RADIUS_PX),
        stretched=float(axes[0] / max(axes[1], 1e-9)),
        radius_px=float(np.sqrt(axes[0] * axes[1])),
    )


def _derivative(image_from_template: Floats) -> Floats:
    """Of the homography in the middle of the drawing, (2, 2)."""
    h = image_from_template
    p = h[:, 2]
    derivative: Floats = (h[:2, :2] * p[2] - np.outer(p[:2], h[2, :2])) / p[2] ** 2
    return derivative


def _in_picture(image_from_patch: Floats, width: int, height: int) -> NDArray[np.uint8]:
    """255 where the patch shows the picture and not its repeated rim."""
    x, y = np.meshgrid(np.arange(SIDE_PX, dtype=np.float64), np.arange(SIDE_PX, dtype=np.float64))
    at = apply_homography(image_from_patch, np.stack([x, y], -1))
    within = ((at >= 1) & (at <= (width - 2, height - 2))).all(-1)
    return np.asarray(within * 255, dtype=np.uint8)


def _free_ground(guess: Guess, samples: Floats, joints: Floats, region: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Ground that the drawing leaves bare: away from its strokes and from stones on its points."""
    taken = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for x, y in np.round(samples).astype(int):
        cv2.circle(taken, (int(x), int(y)), round(NEAR_PX), 255, -1)
    points = guess.template.points_from_joints @ joints
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + np.diag(np.full(len(points), np.inf))
    reach = min(STONE * RADIUS_PX, 0.4 * float(np.median(apart.min(1))))
    for x, y in np.round(points).astype(int):
        cv2.circle(taken, (int(x), int(y)), round(reach), 255, -1)
    return np.asarray((taken == 0) & (region > 0))


def _covered(strongest: NDArray[np.float32], ground: NDArray[np.bool_]) -> float:
    n = int(ground.sum())
    return float((strongest[ground] > STROKE_SEEN).mean()) if n > 200 else 0.0


def _background(evidence: NDArray[np.float32], free: NDArray[np.bool_]) -> float:
    rows, columns = np.nonzero(free)
    if len(rows) < 50:
        return 1.0
    rng = np.random.default_rng(7)
    pick = rng.integers(0, len(rows), 400)
    angle = rng.uniform(0, np.pi, 400)
    xy = np.column_stack([columns[pick], rows[pick]]).astype(np.float64)
    seen = strength_at(evidence, xy, np.column_stack([np.cos(angle), np.sin(angle)]))
    return float((seen > STROKE_SEEN).mean())


def _lines_beyond(evidence: NDArray[np.float32], guess: Guess, joints: Floats, samples: Floats) -> int:
    """Lines beside a drawing that run as its strokes do and are as long as it is wide.

    The hash of a sudoku is a game of three in a row, but for the frame round it.
    """
    t = guess.template
    a, b = (joints[k] for k in t.links.T)
    way = (b - a)[np.abs((_chords(t) * _first_ways(t)).sum(1)) > 0.999]
    middle = samples.mean(0)
    lines = 0
    for angle in _directions(np.arctan2(way[:, 1], way[:, 0]) % np.pi):
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        off, reach = (samples - middle) @ across, (samples - middle) @ along
        low, high = off.min(), off.max()
        far = FAR * (high - low)
        steps = np.linspace(reach.min(), reach.max(), N_ALONG)[:, None] * along
        last = -np.inf
        for offset in np.arange(low - far, high + far, APART_PX):
            if low - NEAR_PX - 2 < offset < high + NEAR_PX + 2:
                continue
            at = middle + offset * across + steps
            if ((at < 2) | (at > SIDE_PX - 3)).any():
                continue
            seen = strength_at(evidence, at, np.tile(across, (N_ALONG, 1))) > STROKE_SEEN
            if seen.mean() > WHOLE:
                lines += offset - last > 2 * APART_PX  # one line is seen at several offsets
                last = offset
    return int(lines)


def _chords(t: Template) -> Floats:
    """Unit vectors from the first to the second joint of each link, (n_links, 2)."""
    chord = t.joints[t.links[:, 1]] - t.joints[t.links[:, 0]]
    unit: Floats = chord / np.maximum(np.linalg.norm(chord, axis=1, keepdims=True), 1e-9)
    return unit


def _first_ways(t: Template) -> Floats:
    """Tangents with which links begin, (n_links, 2)."""
    first = np.searchsorted(t.sample_link, np.arange(len(t.links)))
    return t.sample_along[first]


def _directions(angles: Floats) -> list[float]:
    """Directions of lines, radians, those alike taken together."""
    out: list[float] = []
    for angle in angles:
        if all(abs((angle - other + np.pi / 2) % np.pi - np.pi / 2) > 0.15 for other in out):
            out.append(float(angle))
    return out


def _overrun(
    evidence: NDArray[np.float32], guess: Guess, joints: Floats, samples: Floats, region: NDArray[np.uint8]
) -> float:
    """Share of the places past the ends of strokes that look like more of the stroke.

    A grid, a tablecloth or a Go board goes on where a board ends; strokes of a board end at a joint.
    """
    places, normals = [], []
    for joint, way in _ends(guess, joints):
        for step in np.linspace(*AHEAD, 6):
            places.append(joint + step * RADIUS_PX * way)
            normals.append((-way[1], way[0]))
    if not places:
        return 0.0
    xy, normal = np.array(places), np.array(normals)
    clear = np.linalg.norm(xy[:, None] - samples[None], axis=2).min(1) > NEAR_PX + 2
    at = np.clip(np.round(xy).astype(int), 0, SIDE_PX - 1)
    clear &= ((xy >= 2) & (xy <= SIDE_PX - 3)).all(1) & (region[at[:, 1], at[:, 0]] > 0)
    if clear.sum() < 6:
        return 0.0
    return float((strength_at(evidence, xy[clear], normal[clear]) > STROKE_SEEN).mean())


def _ends(guess: Guess, joints: Floats) -> list[tuple[Floats, Floats]]:
    """Joints at which a straight link stops, with the direction in which it would go on, patch space."""
    t = guess.template
    around: dict[int, list[Floats]] = {}
    for link, (a, b) in enumerate(t.links):
        at = np.flatnonzero(t.sample_link == link)
        first, last = t.sample_along[at[0]], t.sample_along[at[-1]]
        here = -1.0 if (t.joints[b] - t.joints[a]) @ first < 0 else 1.0
        around.setdefault(int(a), []).append(-here * first)
        around.setdefault(int(b), []).append(here * last)
    out = []
    for joint, ways in around.items():
        for way in ways:
            if not any(float(way @ other) < -0.8 for other in ways):
                out.append((joints[joint], way))
    return out
