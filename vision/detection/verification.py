"""Verification of a board hypothesis: the evidence for it and against it, and what is missing.

``board_hypotheses`` decides which drawing explains the strokes best. Here that hypothesis is examined by itself, with
the ground around it. Are all its links there? Do its strokes end where they should? Are there strokes that it does not
have? Do its strokes stand out from the ground at all? The answers give its confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.board_hypotheses import (
    LINE_SEEN_RESPONSE,
    BoardHypothesis,
    Occluder,
    discs_mask,
    hull_mask,
    link_shares,
    patch_around,
)
from vision.detection.confidence import confidence_models
from vision.detection.line_filter import N_DIRECTIONS
from vision.detection.template_fit import added_outlines, line_strength_at, stack_fine, without_spots
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, patch_from_disc
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, spacings
from vision.imaging.medians import median

VERIFICATION_RADIUS_PX = 66.0
"""Radius of the drawing in the patch of the verification, px; ground up to 1.65 radii is in the patch."""

LINE_MARGIN_PX = 5.0
"""Most that a line of a hand-made stroke is off, px of the patch; its joints are fitted to a pixel."""

STONE_RADIUS = 0.16
"""Radius of a stone with its rim, radii of the drawing. Where points lie closer, 0.4 of the spacing is taken."""

OVERRUN_RANGE = (0.13, 0.32)
"""Distances past a stroke's end at which it must not go on, radii; an overshooting brush stops before 0.1."""

N_OVERRUN_PLACES = 6
"""Number of places within this range at which each stroke is looked for."""

N_GRID_LINE_SAMPLES = 48
"""Samples along each line of a finer grid that is sought."""

GRID_LINE_STEP_PX = 1.5
"""Distance between the lines that are sought, px of the patch."""

MIN_GRID_LINE_COVERAGE = 0.7
"""Share of the samples of such a line that must be seen."""

FAINT_LINE_RESPONSE = 0.02
"""Line response from which a place on a line that runs across the whole drawing counts: one of many may be faint."""

MIN_FINER_LINES = 2
"""Least number of lines of a finer grid in each of two directions: a fold or a seam is one."""

MAX_FRAME_OVERRUN = 0.5
"""``Verification.overrun`` of a framed drawing from which it is a piece of a larger grid."""

MAX_COUNTED_LINKS = 30
"""Number of seen links at which the feature is clipped."""

MIN_LINK_COVERAGE = 0.5
"""Share of the middle part of a link that must be seen for the link to count as seen."""


@dataclass(frozen=True, eq=False)
class Verification:
    """The measurements that verify a hypothesis."""

    hypothesis: BoardHypothesis
    sample_seen: NDArray[np.bool_]  # (n_samples,), whether each sample of the drawing's strokes is seen
    sample_in_picture: NDArray[np.bool_]  # (n_samples,)
    link_coverage: Float64Array  # (n_links,), seen share of the middle part of each in the picture; 0 outside
    background_rate: float  # share of places without a stroke that look like one
    overrun: float  # share of the places past strokes' ends that look like more of them; of cells, at one side
    inner_clutter: float  # share of the bare ground within the drawing that is covered by lines which it lacks
    radius_px: float  # half the height and width of the drawing in the picture, on average

    @property
    def link_in_picture(self) -> NDArray[np.bool_]:
        """Which links lie in the picture, at least half of them; shape (n_links,)."""
        t = self.hypothesis.template
        n_here = np.bincount(t.sample_links, self.sample_in_picture.astype(float), len(t.links))
        return np.asarray(n_here >= 0.5 * np.bincount(t.sample_links, minlength=len(t.links)))

    @cached_property
    def confidence(self) -> float:
        """Posterior that the hypothesis is the board and that its points are where it says.

        A frame closes a drawing: where most strokes run on beyond one of its sides, it is a piece of a larger grid.
        """
        if self.hypothesis.template.drawing == "framed" and self.overrun > MAX_FRAME_OVERRUN:
            return 0.0
        return confidence_models()["lines"].posterior(line_features(self))


def line_features(verification: Verification) -> dict[str, float]:
    """Return the features for and against a hypothesis of a board drawn with lines, by name."""
    here = verification.link_in_picture
    seen = (verification.link_coverage >= MIN_LINK_COVERAGE) & here
    return {
        "link_share": float(seen.sum() / max(int(here.sum()), 1)),
        "root_link_count": float(np.sqrt(min(seen.sum(), MAX_COUNTED_LINKS))),
        "coverage": verification.hypothesis.coverage,
        "clutter": min(verification.hypothesis.clutter, 0.3),
        "overrun": verification.overrun,
        "root_inner_clutter": float(np.sqrt(verification.inner_clutter)),
        "scattered_loss": _scattered_loss(verification.hypothesis, here & ~seen, here),
    }


def _scattered_loss(hypothesis: BoardHypothesis, lost: NDArray[np.bool_], here: NDArray[np.bool_]) -> float:
    """Return the share of lost links of those here times their spread: an occluder hides one part of a board."""
    of_lost, of_here = lost[hypothesis.template.sample_links], here[hypothesis.template.sample_links]
    if not of_lost.any():
        return 0.0
    xy = hypothesis.samples_px
    spread = np.linalg.norm(xy[of_lost].std(axis=0)) / np.linalg.norm(xy[of_here].std(axis=0))
    return float(of_lost.sum() / of_here.sum() * min(spread, 1.2))


def verify_hypothesis(bgr: Image, hypothesis: BoardHypothesis, occluder: Occluder | None = None) -> Verification:
    """Measure the evidence for and against a refined hypothesis, with the ground around it, where nothing hides it."""
    t = hypothesis.template
    patch_from_template = patch_from_disc(VERIFICATION_RADIUS_PX)
    view = patch_around(bgr, hypothesis, patch_from_template, occluder)
    samples, joints = view.places_of(hypothesis.samples_px), view.places_of(hypothesis.joints_px)
    stacked = stack_fine(view.lines_of(hypothesis.stroke_colour, samples))
    along = apply_homography(patch_from_template, t.sample_xy + 1e-3 * t.sample_tangents)
    along -= apply_homography(patch_from_template, t.sample_xy)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    seen = line_strength_at(stacked, samples, normal) > LINE_SEEN_RESPONSE
    here = in_picture(hypothesis.samples_px, size_of(bgr))
    if occluder is not None:
        here &= ~occluder.covers(t.sample_xy)
    outlines = added_outlines(stacked, t, patch_from_template, LINE_SEEN_RESPONSE)
    strokes = discs_mask(np.vstack([samples, outlines]), round(LINE_MARGIN_PX))
    points = t.points_from_joints @ joints
    stone_px = min(STONE_RADIUS * VERIFICATION_RADIUS_PX, 0.4 * float(median(spacings(points))))
    free = ~strokes & ~discs_mask(points, round(stone_px)) & (view.region > 0)
    strongest = stacked.reshape(N_DIRECTIONS, BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX).max(0)
    hull = hull_mask(joints, samples)
    lines = without_spots(hull & (strongest > LINE_SEEN_RESPONSE), strokes, points)
    ground = (lines | _finer_grid(stacked, hypothesis, joints, samples))[free & hull]
    return Verification(
        hypothesis=hypothesis,
        sample_seen=seen,
        sample_in_picture=here,
        link_coverage=link_shares(t, seen, here)[0],
        background_rate=_background_rate(stacked, free),
        overrun=_overrun_share(stacked, hypothesis, joints, samples, view.region),
        inner_clutter=float(ground.mean()) if len(ground) > 200 else 0.0,
        radius_px=_radius_px(hypothesis.image_from_template),
    )


def _radius_px(image_from_template: Float64Array) -> float:
    """Return the radius of the drawing in the picture, by the derivative of the homography in its middle."""
    h = image_from_template
    p = h[:, 2]
    axes = np.linalg.svd((h[:2, :2] * p[2] - np.outer(p[:2], h[2, :2])) / p[2] ** 2, compute_uv=False)
    return float(np.sqrt(axes[0] * axes[1]))


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


def _finer_grid(
    stacked: Float32Array, hypothesis: BoardHypothesis, joints: Float64Array, samples: Float64Array
) -> NDArray[np.bool_]:
    """Return the mask of lines that continue a drawing of cells as a finer grid; empty without two directions of them.

    The lines within the nine fields of a sudoku are thin beside those around them. Each is looked at as a whole.
    """
    mask = np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.uint8)
    t = hypothesis.template
    if t.drawing not in ("cells", "framed"):
        return mask > 0
    a, b = (joints[k] for k in t.links.T)
    direction = b - a
    middle = samples.mean(0)
    n_directions = 0
    for angle in _distinct_angles(np.arctan2(direction[:, 1], direction[:, 0]) % np.pi):
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        parallel = np.abs(direction @ along) > 0.95 * np.linalg.norm(direction, axis=1)
        own = ((a + b)[parallel] / 2 - middle) @ across
        offsets, reach = (samples - middle) @ across, (samples - middle) @ along
        steps = np.linspace(reach.min(), reach.max(), N_GRID_LINE_SAMPLES)[:, None] * along
        places = np.arange(offsets.min(), offsets.max(), GRID_LINE_STEP_PX)
        places = places[np.abs(own - places[:, None]).min(axis=1) >= LINE_MARGIN_PX + 2]
        if not len(places):
            continue
        at = np.clip(middle + places[:, None, None] * across + steps, 0, BOARD_PATCH_SIDE_PX - 1)
        response = line_strength_at(stacked, at.reshape(-1, 2), np.broadcast_to(across, (at.size // 2, 2)))
        seen = (response.reshape(at.shape[:2]) > FAINT_LINE_RESPONSE).mean(axis=1) > MIN_GRID_LINE_COVERAGE
        # One line is seen at several offsets: the first of them counts.
        found = at[seen][np.diff(places[seen], prepend=-np.inf) > 2 * GRID_LINE_STEP_PX]
        if len(found) >= MIN_FINER_LINES:
            n_directions += 1
            cv2.polylines(mask, list(np.round(found).astype(np.int32)), False, 255, round(LINE_MARGIN_PX))
    return np.asarray(mask > 0) & (n_directions > 1)


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
    ends = _stroke_ends(hypothesis, joints)
    if not ends:
        return 0.0
    start, direction = (np.array(part) for part in zip(*ends, strict=True))
    steps = np.linspace(*OVERRUN_RANGE, N_OVERRUN_PLACES)
    xy = (start[:, None] + steps[:, None] * VERIFICATION_RADIUS_PX * direction[:, None]).reshape(-1, 2)
    normal = np.repeat(np.column_stack([-direction[:, 1], direction[:, 0]]), N_OVERRUN_PLACES, axis=0)
    clear = np.linalg.norm(xy[:, None] - samples[None], axis=2).min(1) > LINE_MARGIN_PX + 2
    at = np.clip(np.round(xy).astype(int), 0, BOARD_PATCH_SIDE_PX - 1)
    clear &= ((xy >= 2) & (xy <= BOARD_PATCH_SIDE_PX - 3)).all(1) & (region[at[:, 1], at[:, 0]] > 0)
    if clear.sum() < N_OVERRUN_PLACES:
        return 0.0
    seen = np.zeros(len(xy), np.bool_)
    seen[clear] = line_strength_at(stacked, xy[clear], normal[clear]) > LINE_SEEN_RESPONSE
    if hypothesis.template.drawing not in ("cells", "framed"):
        return float(seen[clear].mean())
    sides = np.round(np.arctan2(direction[:, 1], direction[:, 0]) / (np.pi / 2)).astype(int) % 4
    return largest_overrun_of_a_side(seen.reshape(-1, N_OVERRUN_PLACES), clear.reshape(-1, N_OVERRUN_PLACES), sides)


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
    for link, (a, b) in enumerate(t.links.tolist()):
        first, *_, last = t.sample_tangents[t.sample_links == link]
        sign = -1.0 if (t.joints[b] - t.joints[a]) @ first < 0 else 1.0
        outgoing.setdefault(a, []).append(-sign * first)
        outgoing.setdefault(b, []).append(sign * last)
    return [
        (joints[joint], direction)
        for joint, directions in outgoing.items()
        for direction in directions
        if not any(float(direction @ other) < -0.8 for other in directions)
    ]
