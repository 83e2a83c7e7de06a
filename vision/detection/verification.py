"""Verification of a board hypothesis: the evidence for it and against it, and what is missing.

``board_hypotheses`` decides which drawing explains the strokes best. Here that hypothesis is examined by itself, with
the ground around it. Are all its links there? Do its strokes end where they should? Are there strokes that it does not
have? Do its strokes stand out from the ground at all? ``confidence`` turns the answers into a posterior.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.added_lines import added_outlines, without_spots
from vision.detection.board_hypotheses import (
    LINE_SEEN_RESPONSE,
    LINK_MIDDLE,
    BoardHypothesis,
    picture_mask,
    shown_mask,
)
from vision.detection.line_filter import N_DIRECTIONS
from vision.detection.occluders import Occluder
from vision.detection.stroke_colour import coloured_line_responses
from vision.detection.template_fit import line_strength_at, stack_fine
from vision.detection.template_search import BOARD_PATCH_SIDE_PX
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, spacings
from vision.imaging.medians import median

VERIFICATION_RADIUS_PX = 66.0
"""Radius of the drawing in the patch of the verification, px; ground up to 1.65 radii is in the patch."""

LINE_MARGIN_PX = 5.0
"""A line response at most this far from a stroke belongs to it, px of the patch. Hand-made strokes wobble, and their
joints are fitted to a pixel."""

STONE_RADIUS = 0.16
"""Radius of a stone with its rim, radii of the drawing. Where points lie closer, 0.4 of the spacing is taken."""

OVERRUN_RANGE = (0.13, 0.32)
"""Distances past the end of a stroke at which it must not go on, radii of the drawing. An overshooting brush stops
before 0.1."""

N_OVERRUN_PLACES = 6
"""Number of places within this range at which each stroke is looked for."""

N_PARALLEL_LINE_SAMPLES = 48
"""Samples along each line that is sought beside the drawing."""

PARALLEL_LINE_STEP_PX = 1.5
"""Distance between the lines that are sought beside the drawing, px of the patch."""

MIN_PARALLEL_LINE_COVERAGE = 0.7
"""Share of the samples of such a line that must be seen."""

PARALLEL_LINE_RANGE = 0.6
"""Distance beyond the drawing within which such lines are sought, widths of the drawing."""

FAINT_LINE_RESPONSE = 0.02
"""Line response from which a place on a line that runs across the whole drawing counts: one of many may be faint."""

MIN_FINER_LINES = 2
"""Least number of lines of a finer grid in each of two directions: a fold or a seam is one."""

HULL_SCALE = 1.12
"""Ground within the drawing's hull, enlarged by this factor, counts as inside the drawing."""


@dataclass(frozen=True, eq=False)
class Verification:
    """The measurements that verify a hypothesis.

    Attributes:
        sample_seen: (n_samples,). Whether each sample of the drawing's strokes is seen.
        sample_in_picture: (n_samples,). Whether each sample lies in the picture.
        link_coverage: (n_links,). Share of the middle part of each link, as far as it lies in the picture, that is
            seen; 0 for a link outside.
        background_rate: Share of places without a stroke that look like one.
        overrun: Share of the places past the ends of strokes that look like more of the stroke; of cells, at one of
            four sides.
        inner_clutter: Share of the bare ground within the drawing that is covered by lines which the drawing lacks.
        n_parallel_lines: Number of lines beside the drawing that are parallel to its strokes and as long as it is wide.
        joint_deviation: Median distance of a joint from its place under the homography, radii of the drawing.
        radius_px: Half the height and width of the drawing in the picture, on average.
    """

    hypothesis: BoardHypothesis
    sample_seen: NDArray[np.bool_]
    sample_in_picture: NDArray[np.bool_]
    link_coverage: Float64Array
    background_rate: float
    overrun: float
    inner_clutter: float
    n_parallel_lines: int
    joint_deviation: float
    radius_px: float

    @property
    def link_in_picture(self) -> NDArray[np.bool_]:
        """Which links lie in the picture, at least half of them; shape (n_links,)."""
        t = self.hypothesis.template
        n_here = np.bincount(t.sample_links, self.sample_in_picture.astype(float), len(t.links))
        return np.asarray(n_here >= 0.5 * np.bincount(t.sample_links, minlength=len(t.links)))


def verify_hypothesis(bgr: Image, hypothesis: BoardHypothesis, occluder: Occluder | None = None) -> Verification:
    """Measure the evidence for and against a refined hypothesis, with the ground around it.

    What the occluder hides is treated as if it lay outside the picture.
    """
    t = hypothesis.template
    middle = (BOARD_PATCH_SIDE_PX - 1) / 2
    radius = VERIFICATION_RADIUS_PX
    patch_from_template = np.array([[radius, 0, middle], [0, radius, middle], [0, 0, 1.0]])
    image_from_patch: Float64Array = (hypothesis.image_from_template @ np.linalg.inv(patch_from_template)).astype(
        np.float64
    )
    patch_from_image: Float64Array = np.linalg.inv(image_from_patch).astype(np.float64)
    patch = cv.warp_square(bgr, image_from_patch, BOARD_PATCH_SIDE_PX)
    region = picture_mask(image_from_patch, size_of(bgr)) & shown_mask(patch_from_template, occluder)
    samples = apply_homography(patch_from_image, hypothesis.samples_px)
    joints = apply_homography(patch_from_image, hypothesis.joints_px)
    stacked = stack_fine(coloured_line_responses(patch, hypothesis.stroke_colour, region, samples))
    along = apply_homography(patch_from_template, t.sample_xy + 1e-3 * t.sample_tangents)
    along -= apply_homography(patch_from_template, t.sample_xy)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    seen = line_strength_at(stacked, samples, normal) > LINE_SEEN_RESPONSE
    here = in_picture(hypothesis.samples_px, size_of(bgr))
    if occluder is not None:
        here &= ~occluder.covers(t.sample_xy)
    in_middle = (np.abs(t.sample_fractions - 0.5) < LINK_MIDDLE) & here
    count = np.bincount(t.sample_links[in_middle], minlength=len(t.links))
    n_seen = np.bincount(t.sample_links[in_middle], seen[in_middle].astype(float), len(t.links))
    outlines = added_outlines(stacked, t, patch_from_template, LINE_SEEN_RESPONSE)
    strokes = _stroke_mask(np.vstack([samples, outlines]))
    points = t.points_from_joints @ joints
    free = _bare_ground(strokes, points, region)
    strongest = stacked.reshape(N_DIRECTIONS, BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX).max(0)
    hull = np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.uint8)
    larger = np.round(joints.mean(0) + HULL_SCALE * (samples - joints.mean(0))).astype(np.int32)
    cv2.fillConvexPoly(hull, cv2.convexHull(larger), 255)
    seen_lines = (hull > 0) & (strongest > LINE_SEEN_RESPONSE)
    lines = without_spots(seen_lines, strokes, points) | _finer_grid(stacked, hypothesis, joints, samples)
    axes = np.linalg.svd(_derivative(hypothesis.image_from_template), compute_uv=False)
    ideal = apply_homography(patch_from_template, t.joints)
    return Verification(
        hypothesis=hypothesis,
        sample_seen=seen,
        sample_in_picture=here,
        link_coverage=n_seen / np.maximum(count, 1),
        background_rate=_background_rate(stacked, free),
        overrun=_overrun_share(stacked, hypothesis, joints, samples, region),
        inner_clutter=_covered_share(lines, free & (hull > 0)),
        n_parallel_lines=_count_parallel_lines(stacked, hypothesis, joints, samples),
        joint_deviation=float(median(np.linalg.norm(joints - ideal, axis=1)) / VERIFICATION_RADIUS_PX),
        radius_px=float(np.sqrt(axes[0] * axes[1])),
    )


def _derivative(image_from_template: Float64Array) -> Float64Array:
    """Return the derivative of the homography in the middle of the drawing, (2, 2)."""
    h = image_from_template
    p = h[:, 2]
    derivative: Float64Array = (h[:2, :2] * p[2] - np.outer(p[:2], h[2, :2])) / p[2] ** 2
    return derivative


def _stroke_mask(samples: Float64Array) -> NDArray[np.bool_]:
    """Return the mask of the places that belong to strokes, given by samples along them."""
    mask = np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.uint8)
    for x, y in np.round(samples).astype(int):
        cv2.circle(mask, (int(x), int(y)), round(LINE_MARGIN_PX), 255, -1)
    return np.asarray(mask > 0)


def _bare_ground(strokes: NDArray[np.bool_], points: Float64Array, region: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the mask of the ground that the drawing leaves bare: away from its strokes and stones."""
    stones = np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.uint8)
    stone_px = min(STONE_RADIUS * VERIFICATION_RADIUS_PX, 0.4 * float(median(spacings(points))))
    for x, y in np.round(points).astype(int):
        cv2.circle(stones, (int(x), int(y)), round(stone_px), 255, -1)
    return np.asarray(~strokes & (stones == 0) & (region > 0))


def _covered_share(lines: NDArray[np.bool_], ground: NDArray[np.bool_]) -> float:
    """Return the share of the ground that looks like lines; 0 where there is too little ground to say."""
    return float(lines[ground].mean()) if ground.sum() > 200 else 0.0


def _background_rate(stacked: Float32Array, free: NDArray[np.bool_]) -> float:
    """Return the share of random places on bare ground that look like a stroke; 1 where there is no ground."""
    rows, columns = np.nonzero(free)
    if len(rows) < 50:
        return 1.0
    rng = np.random.default_rng(7)
    pick = rng.integers(0, len(rows), 400)
    angle = rng.uniform(0, np.pi, 400)
    xy = np.column_stack([columns[pick], rows[pick]]).astype(np.float64)
    seen = line_strength_at(stacked, xy, np.column_stack([np.cos(angle), np.sin(angle)]))
    return float((seen > LINE_SEEN_RESPONSE).mean())


def _count_parallel_lines(
    stacked: Float32Array, hypothesis: BoardHypothesis, joints: Float64Array, samples: Float64Array
) -> int:
    """Return the number of lines beside a drawing that are parallel to its strokes and as long as it is wide.

    A sudoku contains a hash grid, but has more lines and a frame around it.
    """
    t = hypothesis.template
    a, b = (joints[k] for k in t.links.T)
    straight = np.abs((_link_directions(t) * _first_tangents(t)).sum(1)) > 0.999
    direction = (b - a)[straight]
    middle = samples.mean(0)
    lines = 0
    for angle in _distinct_angles(np.arctan2(direction[:, 1], direction[:, 0]) % np.pi):
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        offsets, reach = (samples - middle) @ across, (samples - middle) @ along
        low, high = offsets.min(), offsets.max()
        far = PARALLEL_LINE_RANGE * (high - low)
        steps = np.linspace(reach.min(), reach.max(), N_PARALLEL_LINE_SAMPLES)[:, None] * along
        places = np.arange(low - far, high + far, PARALLEL_LINE_STEP_PX)
        places = places[(places <= low - LINE_MARGIN_PX - 2) | (places >= high + LINE_MARGIN_PX + 2)]
        at = middle + places[:, None, None] * across + steps
        inside = ((at >= 2) & (at <= BOARD_PATCH_SIDE_PX - 3)).all(axis=(1, 2))
        found = places[inside][_seen_lines(stacked, at[inside], across, LINE_SEEN_RESPONSE)]
        lines += len(_distinct_lines(found))
    return lines


def _seen_lines(
    stacked: Float32Array, at: Float64Array, across: Float64Array, least_response: float
) -> NDArray[np.bool_]:
    """Return which of some parallel lines are seen, each as a whole, (n,), from places on each, (n, n_places, 2)."""
    if not len(at):
        return np.zeros(0, np.bool_)
    xy = at.reshape(-1, 2)
    response = line_strength_at(stacked, xy, np.broadcast_to(across, xy.shape)).reshape(at.shape[:2])
    return np.asarray((response > least_response).mean(axis=1) > MIN_PARALLEL_LINE_COVERAGE)


def _distinct_lines(offsets: Float64Array) -> Float64Array:
    """Return the first offset of each line: one line is seen at several offsets."""
    return offsets[np.diff(offsets, prepend=-np.inf) > 2 * PARALLEL_LINE_STEP_PX]


def _finer_grid(
    stacked: Float32Array, hypothesis: BoardHypothesis, joints: Float64Array, samples: Float64Array
) -> NDArray[np.bool_]:
    """Return the mask of lines that continue a drawing of cells as a finer grid; empty without two directions of them.

    The lines within the nine fields of a sudoku are thin beside those around them. Each is looked at as a whole.
    """
    t = hypothesis.template
    if t.drawing not in ("cells", "framed"):
        return np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.bool_)
    a, b = (joints[k] for k in t.links.T)
    straight = np.abs((_link_directions(t) * _first_tangents(t)).sum(1)) > 0.999
    direction = (b - a)[straight]
    middle = samples.mean(0)
    mask = np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.uint8)
    n_directions = 0
    for angle in _distinct_angles(np.arctan2(direction[:, 1], direction[:, 0]) % np.pi):
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        parallel = np.abs(direction @ along) > 0.95 * np.linalg.norm(direction, axis=1)
        own = ((a[straight] + b[straight])[parallel] / 2 - middle) @ across
        offsets, reach = (samples - middle) @ across, (samples - middle) @ along
        steps = np.linspace(reach.min(), reach.max(), N_PARALLEL_LINE_SAMPLES)[:, None] * along
        places = np.arange(offsets.min(), offsets.max(), PARALLEL_LINE_STEP_PX)
        places = places[np.abs(own - places[:, None]).min(axis=1) >= LINE_MARGIN_PX + 2]
        at = np.clip(middle + places[:, None, None] * across + steps, 0, BOARD_PATCH_SIDE_PX - 1)
        seen = _seen_lines(stacked, at, across, FAINT_LINE_RESPONSE)
        found = at[seen][np.isin(places[seen], _distinct_lines(places[seen]))]
        if len(found) >= MIN_FINER_LINES:
            n_directions += 1
            cv2.polylines(mask, list(np.round(found).astype(np.int32)), False, 255, round(LINE_MARGIN_PX))
    return np.asarray(mask > 0) & (n_directions > 1)


def _link_directions(t: Template) -> Float64Array:
    """Return the unit vectors from the first to the second joint of each link, (n_links, 2)."""
    chord = t.joints[t.links[:, 1]] - t.joints[t.links[:, 0]]
    unit: Float64Array = chord / np.maximum(np.linalg.norm(chord, axis=1, keepdims=True), 1e-9)
    return unit


def _first_tangents(t: Template) -> Float64Array:
    """Return the tangent of each link at its first sample, (n_links, 2)."""
    first = np.searchsorted(t.sample_links, np.arange(len(t.links)))
    return t.sample_tangents[first]


def _distinct_angles(angles: Float64Array) -> list[float]:
    """Return the directions of lines, radians, without those that are close to one before them."""
    out: list[float] = []
    for angle in angles:
        if all(abs((angle - other + np.pi / 2) % np.pi - np.pi / 2) > 0.15 for other in out):
            out.append(float(angle))
    return out


def _overrun_share(
    stacked: Float32Array,
    hypothesis: BoardHypothesis,
    joints: Float64Array,
    samples: Float64Array,
    region: NDArray[np.uint8],
) -> float:
    """Return the share of the places past the ends of strokes that look like more of the stroke.

    The lines of a grid or of a tablecloth go on where a board would end. The strokes of a board end at a joint. Of a
    drawing of cells the side counts at which most run on: nine fields of a table may lie at three of its sides. A line
    of tiles may run on no further than the thing that they are on, so there the nearer half of the places counts too.
    """
    places, normals, sides = [], [], []
    for joint, direction in _stroke_ends(hypothesis, joints):
        for step in np.linspace(*OVERRUN_RANGE, N_OVERRUN_PLACES):
            places.append(joint + step * VERIFICATION_RADIUS_PX * direction)
            normals.append((-direction[1], direction[0]))
        sides.append(round(float(np.arctan2(direction[1], direction[0]) / (np.pi / 2))) % 4)
    if not places:
        return 0.0
    xy, normal = np.array(places), np.array(normals)
    clear = np.linalg.norm(xy[:, None] - samples[None], axis=2).min(1) > LINE_MARGIN_PX + 2
    at = np.clip(np.round(xy).astype(int), 0, BOARD_PATCH_SIDE_PX - 1)
    clear &= ((xy >= 2) & (xy <= BOARD_PATCH_SIDE_PX - 3)).all(1) & (region[at[:, 1], at[:, 0]] > 0)
    if clear.sum() < N_OVERRUN_PLACES:
        return 0.0
    seen = np.zeros(len(xy), np.bool_)
    seen[clear] = line_strength_at(stacked, xy[clear], normal[clear]) > LINE_SEEN_RESPONSE
    if hypothesis.template.drawing not in ("cells", "framed"):
        return float(seen[clear].mean())
    return largest_overrun_of_a_side(
        seen.reshape(-1, N_OVERRUN_PLACES), clear.reshape(-1, N_OVERRUN_PLACES), np.array(sides)
    )


def largest_overrun_of_a_side(seen: NDArray[np.bool_], clear: NDArray[np.bool_], sides: NDArray[np.int_]) -> float:
    """Return the seen share of the places past the ends of strokes, at that of four sides at which it is largest.

    ``seen`` and ``clear``, (n_ends, N_OVERRUN_PLACES), say whether a stroke is seen there, and whether that can be
    told, the nearest place first; ``sides``, (n_ends,), to which side each stroke ends.
    """
    half = N_OVERRUN_PLACES // 2
    n_clear = clear.sum(axis=1)
    share = seen.sum(axis=1) / np.maximum(n_clear, 1)
    nearer = seen[:, :half].mean(axis=1) * clear[:, :half].all(axis=1)
    n_run_on = n_clear * np.maximum(share, nearer)
    of_sides = [(n_run_on[sides == side].sum(), n_clear[sides == side].sum()) for side in range(4)]
    return max((float(run_on / clear) for run_on, clear in of_sides if clear >= N_OVERRUN_PLACES), default=0.0)


def _stroke_ends(hypothesis: BoardHypothesis, joints: Float64Array) -> list[tuple[Float64Array, Float64Array]]:
    """Return the joints at which a straight stroke ends, each with the direction of the stroke, patch space."""
    t = hypothesis.template
    outgoing: dict[int, list[Float64Array]] = {}
    for link, (a, b) in enumerate(t.links):
        at = np.flatnonzero(t.sample_links == link)
        first, last = t.sample_tangents[at[0]], t.sample_tangents[at[-1]]
        sign = -1.0 if (t.joints[b] - t.joints[a]) @ first < 0 else 1.0
        outgoing.setdefault(int(a), []).append(-sign * first)
        outgoing.setdefault(int(b), []).append(sign * last)
    out = []
    for joint, directions in outgoing.items():
        for direction in directions:
            if not any(float(direction @ other) < -0.8 for other in directions):
                out.append((joints[joint], direction))
    return out
