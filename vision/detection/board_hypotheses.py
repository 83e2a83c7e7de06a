"""Board hypotheses: which drawing explains the strokes of a playing area best, and where it lies.

Each playing area is searched in two rounds. The first round takes any thin line for a stroke. From its best poses the
colour of the strokes is learnt (``line_filter``). The second round sees little but strokes of that colour, so all
drawings are searched again and compared there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import N_DIRECTIONS, coloured_line_responses, line_responses, stroke_colour_direction
from vision.detection.playing_areas import PlayingArea
from vision.detection.template_fit import (
    TemplateFit,
    added_outlines,
    figure_sizes,
    fit_poses,
    fit_template,
    line_strength_at,
    sample_normals,
    stack_fine,
    without_spots,
)
from vision.detection.template_search import (
    BOARD_PATCH_SIDE_PX,
    BOARD_PATCH_UNIT_PX,
    FIT_RADIUS_PX,
    CoarseLines,
    patch_from_disc,
    search_template,
    stack_coarse,
    unit_from_patch,
)
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, fit_homography, rotation, spacings

LINE_SEEN_RESPONSE = 0.25
"""Line response from which a sample counts as seen, 0 to 1."""

LINK_MIDDLE = 0.28
"""Only samples at most this far from the middle of a link count, shares of its length: stones stand at its ends."""

HULL_SCALE = 1.12
"""Ground within the drawing's hull, enlarged by this factor, counts as inside the drawing."""

REPEATED_SEARCH_RADIUS = 0.8
"""Radius of a hypothesis in the patch of its repeated search, units: the board may be larger than it."""

OUT_OF_SIGHT_COST = 0.25
"""Cost of a stroke outside the picture, as a share of a missing one's: people mostly show the whole board."""

MIN_SPACING_RATIO = 0.3
"""Least distance between fitted points, as a share of the distance in the drawing: closer points cannot hold stones."""

N_FIRST_ROUND_POSES = 8
"""Poses of a drawing that are fitted in the first round."""

N_SECOND_ROUND_POSES = 20
"""Poses of a drawing that are fitted in the second round."""

SECOND_ROUND_SUPPORT_RATIO = 0.7
"""Least support in the first round for a place in the second, as a share of the best drawing's support."""

MIN_LINE_SHARE = 0.02
"""Least share of a playing area that looks like lines, for drawings to be searched for there.

Source: measured, 60 drawn boards that are found: 0.15 and more of their areas."""

MIN_SUPPORT = 0.4
"""Least support of the best drawing in the first round, 0 to 1, for a second round: else no strokes are there.

Source: measured, the playing areas in which some 25 drawn boards of lines are found: 0.45 and more; 127 playing areas
of things without a board: 64 % have less."""

N_STROKE_COLOURS = 2
"""Colours of strokes that are tried in one playing area."""

HIDDEN_COST = 0.35
"""Cost of a stroke that something hides, as a share of that of one which is missing without a reason."""

N_OCCLUDER_DIRECTIONS = 16
"""Directions of the lines beyond which everything may be hidden."""

EDGE_OFFSETS = (-0.35, -0.2, -0.05, 0.1, 0.25, 0.4, 0.55)
"""Distances of such lines from the middle, radii of the drawing; negative where more than half is hidden."""

DISC_RADII = (0.4, 0.55, 0.7)
"""Radii of round things, radii of the drawing."""

DISC_OFFSETS = (0.0, 0.35, 0.65)
"""Distances of round things from the middle, radii of the drawing."""


@dataclass(frozen=True, eq=False)
class PlacedBoard:
    """A drawing in one place of a picture."""

    template: Template
    joints_px: Float64Array  # (n_joints, 2), image space

    @cached_property
    def points_px(self) -> Float64Array:
        """The points of the board, (n_points, 2), image space."""
        return self.template.points_from_joints @ self.joints_px

    def contains(self, smaller: PlacedBoard) -> bool:
        """Return whether every point of the smaller board lies on a point of this one."""
        distance = np.linalg.norm(smaller.points_px[:, None] - self.points_px[None], axis=2).min(1)
        return bool((distance < 0.35 * spacings(smaller.points_px)).all())


@dataclass(frozen=True, eq=False)
class BoardHypothesis(PlacedBoard):
    """A drawing of lines in one place, with the evidence for it."""

    image_from_template: Float64Array
    samples_px: Float64Array  # (n_samples, 2), image space
    stroke_colour: Float64Array  # (3,), direction in Lab in which the strokes are brighter than the ground
    coverage: float = 0.0  # share of the strokes in the picture that are seen
    net_length_px: float = 0.0  # of the strokes seen less those missing, px of the image; -inf: no plausible fit
    clutter: float = 0.0  # share of the line responses in and closely around the drawing that it does not have
    partial_length_px: float = 0.0  # as ``net_length_px`` where the strokes under ``occluder`` are hidden, not missing
    occluder: Occluder | None = None  # what would have to hide a part of the board for that


class BoardPatch:
    """What a picture shows in a square patch around a board; ``region`` is 255 where it shows what nothing hides."""

    def __init__(self, bgr: Image, image_from_patch: Float64Array) -> None:
        self.bgr, self.image_from_patch = bgr, image_from_patch
        self.patch: Image = cv.warp_square(bgr, image_from_patch, BOARD_PATCH_SIDE_PX)
        self.region = picture_mask(image_from_patch, size_of(bgr))

    def places_of(self, xy_px: Float64Array) -> Float64Array:
        """Return where places of the picture lie in the patch."""
        return apply_homography(np.linalg.inv(self.image_from_patch).astype(np.float64), xy_px)

    def lines_of(self, stroke_colour: Float64Array, samples_px: Float64Array) -> Float32Array:
        """Return the ``coloured_line_responses`` of the patch."""
        return coloured_line_responses(self.patch, stroke_colour, self.region, samples_px)


class AreaView(BoardPatch):
    """A playing area seen roughly from above, with the poses of drawings on its lines; several searches share it."""

    def __init__(self, bgr: Image, area: PlayingArea) -> None:
        super().__init__(bgr, area.image_from_unit @ unit_from_patch())
        self.unseen = None if self.region.all() else np.asarray(self.region == 0)
        self.region &= _middle_disc(BOARD_PATCH_UNIT_PX * 1.14)
        self._poses: dict[Template, list[tuple[float, Float64Array]]] = {}

    @cached_property
    def _stacked(self) -> tuple[CoarseLines, Float32Array] | None:
        """The responses of lines of any colour, coarse and fine; None where there are hardly any."""
        responses = line_responses(self.patch, self.region)
        n_seen = np.count_nonzero(responses.max(0) > LINE_SEEN_RESPONSE)
        if n_seen < MIN_LINE_SHARE * np.count_nonzero(self.region):
            return None
        return stack_coarse(responses, self.unseen), stack_fine(responses)

    @property
    def fine(self) -> Float32Array:
        """The responses of lines of any colour, as from ``stack_fine``; only where a drawing has poses."""
        assert self._stacked is not None
        return self._stacked[1]

    def poses(self, template: Template) -> list[tuple[float, Float64Array]]:
        """Return the best poses of a drawing with their support, best first; empty where there are hardly any lines."""
        if self._stacked is None:
            return []
        if template not in self._poses:
            self._poses[template] = _best_poses(*self._stacked, template, N_FIRST_ROUND_POSES, self.unseen)
        return self._poses[template]


def hypotheses_in_area(view: AreaView, templates: list[Template]) -> Iterator[list[BoardHypothesis]]:
    """Yield, for each stroke colour, the best hypothesis of each drawing that lies on lines, best first."""
    n_each = -(-(N_STROKE_COLOURS + 1) // max(1, len(templates)))  # few drawings must not mean few colours
    first = [(support, pose, t) for t in templates for support, pose in view.poses(t)[:n_each]]
    first.sort(key=lambda item: -item[0])
    if not first or first[0][0] < MIN_SUPPORT:
        return
    colours: list[Float64Array] = []
    for _, pose, t in first[: N_STROKE_COLOURS + 1]:
        fit = fit_template(view.fine, t, pose, (4,), joints_too=False)
        colour = stroke_colour_direction(view.patch, fit.samples_px, sample_normals(fit), fit.support)
        sizes = [float(np.linalg.norm(colour) * np.linalg.norm(other)) for other in colours]
        if any(abs(float(colour @ other)) > 0.9 * size for other, size in zip(colours, sizes, strict=True)):
            continue  # nearly the same direction, apart from the sign
        colours.append(colour)
        likely = dict.fromkeys(
            other for support, _, other in first if support > SECOND_ROUND_SUPPORT_RATIO * first[0][0]
        )
        found = _second_round(view, fit, colour, likely)
        yield sorted(found, key=lambda hypothesis: -hypothesis.net_length_px)
        if len(colours) == N_STROKE_COLOURS:
            break


def best_of_each_drawing(hypotheses: Sequence[BoardHypothesis]) -> list[BoardHypothesis]:
    """Return the first hypothesis of each drawing, in the order given."""
    distinct: dict[str, BoardHypothesis] = {}
    for hypothesis in hypotheses:
        distinct.setdefault(hypothesis.template.name, hypothesis)
    return list(distinct.values())


def _second_round(
    view: AreaView, first_fit: TemplateFit, colour: Float64Array, templates: Iterable[Template]
) -> list[BoardHypothesis]:
    """Return the best hypothesis of each drawing by strokes of one colour."""
    responses = view.lines_of(colour, first_fit.samples_px)
    coarse, fine = stack_coarse(responses, view.unseen), stack_fine(responses)
    background = _line_false_positive_rate(fine, view.region, first_fit)
    fits = (_best_fit(coarse, fine, t, view.unseen) for t in templates)
    return [_hypothesis(fit, view.image_from_patch, background, colour, size_of(view.bgr)) for fit in fits if fit]


def _best_fit(
    coarse: CoarseLines, fine: Float32Array, template: Template, unseen: NDArray[np.bool_] | None
) -> TemplateFit | None:
    """Return a drawing fitted to strokes of one colour from its best pose; None without a plausible one."""
    for _, pose in _best_poses(coarse, fine, template, N_SECOND_ROUND_POSES, unseen)[:1]:
        fit = fit_template(fine, template, pose, (5, 4, 4))
        if plausible_homographies(fit.patch_from_template[None])[0]:
            return fit
    return None


def _best_poses(
    coarse: CoarseLines,
    fine: Float32Array,
    template: Template,
    most: int,
    unseen: NDArray[np.bool_] | None = None,
) -> list[tuple[float, Float64Array]]:
    """Return the best plausible poses of a drawing, best first: (support, patch_from_template) each."""
    found = search_template(coarse, template, most)
    rough = np.array([patch_from_disc() @ unit_from_template for unit_from_template in found])
    poses, support = fit_poses(fine, template, rough, unseen=unseen)
    order = np.argsort(-support, kind="stable")
    plausible = plausible_homographies(poses)
    return [(float(support[i]), poses[i]) for i in order if plausible[i]]


def related_hypotheses(hypothesis: BoardHypothesis, templates: list[Template]) -> list[BoardHypothesis]:
    """Return the other drawings that share strokes with a hypothesis: the same, or one more figure around them."""
    out = []
    best = hypothesis.template
    for t in templates:
        if t is best or t.symmetry_order != best.symmetry_order or t.drawing != best.drawing:
            continue
        ours, theirs = figure_sizes(best), figure_sizes(t)
        for scale in sorted({1.0, float(theirs[0] / theirs[1]) if len(theirs) > len(ours) else 1.0}):
            h = hypothesis.image_from_template @ np.diag([scale, scale, 1.0])
            samples = apply_homography(h, t.sample_xy)
            out.append(BoardHypothesis(t, apply_homography(h, t.joints), h, samples, hypothesis.stroke_colour))
    return out


def refine_hypothesis(bgr: Image, rough: BoardHypothesis, occluder: Occluder | None = None) -> BoardHypothesis:
    """Fit a hypothesis again, in a patch where all drawings have one size; implausible fits have a length of -inf."""
    patch_from_template = patch_from_disc(FIT_RADIUS_PX)
    view = patch_around(bgr, rough, patch_from_template, occluder)
    stacked = stack_fine(view.lines_of(rough.stroke_colour, view.places_of(rough.samples_px)))
    fit = fit_template(stacked, rough.template, patch_from_template, (5, 4, 4))
    colour = stroke_colour_direction(view.patch, fit.samples_px, sample_normals(fit), fit.support)
    stacked = stack_fine(view.lines_of(colour, fit.samples_px))
    fit = fit_template(stacked, rough.template, fit.patch_from_template, (4, 4, 4))
    if not plausible_homographies(fit.patch_from_template[None])[0] or not _has_room_for_stones(fit):
        return replace(rough, net_length_px=-np.inf)
    disc = _middle_disc(FIT_RADIUS_PX * 1.1)
    background = _line_false_positive_rate(stacked, np.minimum(disc, view.region), fit)
    refined = _hypothesis(fit, view.image_from_patch, background, colour, size_of(bgr), occluder)
    clutter = _clutter_share(stacked, fit)
    return replace(refined, clutter=clutter, net_length_px=refined.net_length_px * (1 - clutter))


def search_around(bgr: Image, hypothesis: BoardHypothesis) -> BoardHypothesis | None:
    """Return the best pose of the same drawing near a hypothesis, searched for in a patch of its own; None without one.

    An outline of the playing area that is seen aslant and lies a little beside the board tilts the plane of the search.
    Then the side of one figure may be taken for that of the next one in. The hypothesis itself gives a better outline.
    """
    radius = REPEATED_SEARCH_RADIUS
    image_from_patch = _ellipse_around(hypothesis) @ np.diag([1 / radius, 1 / radius, 1.0]) @ unit_from_patch()
    view = BoardPatch(bgr, image_from_patch)
    responses = view.lines_of(hypothesis.stroke_colour, view.places_of(hypothesis.samples_px))
    fine, unseen = stack_fine(responses), np.asarray(view.region == 0)
    fit = _best_fit(stack_coarse(responses, unseen), fine, hypothesis.template, unseen)
    if fit is None:
        return None
    background = _line_false_positive_rate(fine, view.region, fit)
    found = _hypothesis(fit, image_from_patch, background, hypothesis.stroke_colour, size_of(bgr))
    return refine_hypothesis(bgr, found)


def fit_near_pose(bgr: Image, template: Template, image_from_template: Float64Array) -> tuple[Float64Array, float]:
    """Fit a drawing to strokes of any colour near a rough pose; return its points, px, and the share seen."""
    patch_from_template = patch_from_disc(0.9 * BOARD_PATCH_UNIT_PX)
    image_from_patch = image_from_template @ np.linalg.inv(patch_from_template)
    patch = cv.warp_square(bgr, image_from_patch, BOARD_PATCH_SIDE_PX)
    region = np.full((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), 255, np.uint8)
    fit = fit_template(stack_fine(line_responses(patch, region)), template, patch_from_template, (6, 5, 4, 4))
    coverage = float((fit.support > LINE_SEEN_RESPONSE).mean())
    return template.points_from_joints @ apply_homography(image_from_patch, fit.joints_px), coverage


def _ellipse_around(hypothesis: BoardHypothesis) -> Float64Array:
    """Return the homography from the unit circle to the ellipse round a hypothesis, the short axis as y."""
    t = hypothesis.template
    ones = np.ones((len(t.sample_xy), 1))
    move = np.linalg.lstsq(np.hstack([t.sample_xy, ones]), hypothesis.samples_px, rcond=None)[0]
    axes, sizes, _ = np.linalg.svd(move[:2].T)
    down = axes[:, 1] if axes[1, 1] >= 0 else -axes[:, 1]
    h = np.eye(3)
    h[:2, 0], h[:2, 1], h[:2, 2] = sizes[0] * np.array([down[1], -down[0]]), sizes[1] * down, move[2]
    return h


def _has_room_for_stones(fit: TemplateFit) -> bool:
    """Return whether stones can stand on all points at once: not where two figures were fitted to one stroke."""
    t = fit.template
    as_fitted = spacings(t.points_from_joints @ fit.joints_px)
    as_drawn = spacings(apply_homography(fit.patch_from_template, t.points_from_joints @ t.joints))
    return bool((as_fitted > MIN_SPACING_RATIO * as_drawn).all())


def _clutter_share(stacked: Float32Array, fit: TemplateFit) -> float:
    """Return the share of the lines in and closely around a drawing that are not its strokes."""
    strongest = stacked.reshape(N_DIRECTIONS, BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX).max(0)
    on_points = fit.template.points_from_joints @ fit.joints_px
    outlines = added_outlines(stacked, fit.template, fit.patch_from_template, LINE_SEEN_RESPONSE)
    strokes = discs_mask(np.vstack([fit.samples_px, outlines]), 6)
    seen = hull_mask(fit.joints_px, fit.samples_px) & (strongest > LINE_SEEN_RESPONSE)
    lines = without_spots(seen, strokes, on_points)
    drawing = strokes | discs_mask(np.concatenate([fit.joints_px, on_points]), 13)  # a stone and its rim
    return float(strongest[lines & ~drawing].sum() / max(float(strongest[lines].sum()), 1.0))


def _image_px_per_patch_px(image_from_patch: Float64Array) -> float:
    """Return the pixels of the image under one pixel in the middle of the patch, along one side."""
    middle = (BOARD_PATCH_SIDE_PX - 1) / 2
    a, b, c = apply_homography(
        image_from_patch, np.array([[middle, middle], [middle + 1, middle], [middle, middle + 1]])
    )
    across, down = b - a, c - a
    return float(np.sqrt(abs(across[0] * down[1] - across[1] * down[0])))


def _hypothesis(
    fit: TemplateFit,
    image_from_patch: Float64Array,
    background: float,
    colour: Float64Array,
    size_px: tuple[int, int],
    occluder: Occluder | None = None,
) -> BoardHypothesis:
    """Return the hypothesis of a fit; ``background`` is the false positive rate of lines around it."""
    t = fit.template
    samples = apply_homography(image_from_patch, fit.samples_px)
    here = in_picture(samples, size_px)
    if occluder is not None:
        here &= ~occluder.covers(t.sample_xy)
    middle = (np.abs(t.sample_fractions - 0.5) < LINK_MIDDLE) & here
    h = image_from_patch @ fit.patch_from_template
    scale = _image_px_per_patch_px(image_from_patch)
    net_lengths, lengths = _net_lengths(fit, background, here)
    hidden_by, gain = best_occluder(t, net_lengths, lengths)
    return BoardHypothesis(
        t,
        apply_homography(image_from_patch, fit.joints_px),
        h / h[2, 2],
        samples,
        colour,
        coverage=float((fit.support[middle] > LINE_SEEN_RESPONSE).mean()) if middle.any() else 0.0,
        net_length_px=float(net_lengths.sum()) * scale,
        partial_length_px=float(net_lengths.sum() + max(gain, 0.0)) * scale,
        occluder=occluder or (hidden_by if gain > 0 else None),
    )


def _line_false_positive_rate(stacked: Float32Array, region: NDArray[np.uint8], fit: TemplateFit) -> float:
    """Return the share of places without a stroke, and of directions drawn at random, that look like one."""
    rng = np.random.default_rng(7)
    places = np.flatnonzero(region)
    rows, columns = np.divmod(places[rng.integers(0, len(places), 600)], region.shape[1])
    xy = np.column_stack([columns, rows]).astype(np.float64)
    angle = rng.uniform(0, np.pi, len(xy))
    normal = np.column_stack([np.cos(angle), np.sin(angle)])
    (x, y), (sample_x, sample_y) = xy.T.astype(np.float32), fit.samples_px.T.astype(np.float32)
    square = (x[:, None] - sample_x) ** 2 + (y[:, None] - sample_y) ** 2
    nearest = square.argmin(1)
    across = np.abs((normal * sample_normals(fit)[nearest]).sum(1)) < 0.85
    free = (square[np.arange(len(xy)), nearest] > 5**2) | across
    seen = line_strength_at(stacked, xy[free], normal[free])
    return float((seen > LINE_SEEN_RESPONSE).mean())


def _net_lengths(fit: TemplateFit, background: float, here: NDArray[np.bool_]) -> tuple[Float64Array, Float64Array]:
    """Return the seen less the missing length of each link, and the length that is in sight; px of the patch.

    So a small drawing inside a large one gets less than the large one, and a drawing with links that nobody drew loses.
    Only the middle part of each link counts, because stones and other strokes meet it at its ends. ``background`` is
    the share of bare ground that looks like a stroke, ``here`` says which samples lie in the picture.
    """
    t = fit.template
    share, known = link_shares(t, fit.support > LINE_SEEN_RESPONSE, here)
    undecided = 0.5 + 0.4 * background
    vote = np.clip((share - undecided) / (1 - undecided), -1, 1)
    lengths = np.linalg.norm(fit.joints_px[t.links[:, 0]] - fit.joints_px[t.links[:, 1]], axis=1)
    net: Float64Array = (vote * known - OUT_OF_SIGHT_COST * (1 - known)) * lengths
    return net, known * lengths


def link_shares(
    template: Template, seen: NDArray[np.bool_], here: NDArray[np.bool_]
) -> tuple[Float64Array, Float64Array]:
    """Return the seen share of each link's middle part as far as it is in sight, and the share of it in sight."""
    middle = np.abs(template.sample_fractions - 0.5) < LINK_MIDDLE
    whole, count, n_seen = (
        np.bincount(template.sample_links[chosen], minlength=len(template.links))
        for chosen in (middle, middle & here, middle & here & seen)
    )
    return n_seen / np.maximum(count, 1), count / np.maximum(whole, 1)


def patch_around(
    bgr: Image, hypothesis: BoardHypothesis, patch_from_template: Float64Array, occluder: Occluder | None
) -> BoardPatch:
    """Return the patch in which a hypothesis is seen from above, less what the occluder hides."""
    image_from_patch = hypothesis.image_from_template @ np.linalg.inv(patch_from_template)
    view = BoardPatch(bgr, np.asarray(image_from_patch, np.float64))
    if occluder is not None:
        at = apply_homography(np.linalg.inv(patch_from_template).astype(np.float64), _patch_places())
        view.region[occluder.covers(at)] = 0
    return view


def picture_mask(image_from_patch: Float64Array, size_px: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a mask that is 255 where the patch shows the picture and not its repeated rim."""
    last = BOARD_PATCH_SIDE_PX - 1.0
    corners = np.array([[0.0, 0.0], [last, 0.0], [last, last], [0.0, last]])
    depth = corners @ image_from_patch[2, :2] + image_from_patch[2, 2]
    whole = depth.min() > 0 and in_picture(apply_homography(image_from_patch, corners), size_px, margin_px=1.0).all()
    if whole:  # then all between them lies in the picture, too
        return np.full((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), 255, np.uint8)
    within = in_picture(apply_homography(image_from_patch, _patch_places()), size_px, margin_px=1.0)
    return np.asarray(within * np.uint8(255))


@cache
def _patch_places() -> Float64Array:
    """Return the places of all pixels of a patch, (BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX, 2)."""
    along = np.arange(BOARD_PATCH_SIDE_PX, dtype=np.float64)
    places = np.stack(np.meshgrid(along, along), axis=-1)
    places.setflags(write=False)
    return places


def discs_mask(places: Float64Array, radius_px: int) -> NDArray[np.bool_]:
    """Return the mask of the pixels of a patch near some places, (n, 2)."""
    mask = np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.uint8)
    for x, y in np.round(places).astype(int).tolist():
        cv2.circle(mask, (x, y), radius_px, 255, -1)
    return np.asarray(mask > 0)


def _middle_disc(radius_px: float) -> NDArray[np.uint8]:
    """Return a mask that is 255 in a disc in the middle of a patch."""
    middle = np.full((1, 2), BOARD_PATCH_SIDE_PX // 2)
    return discs_mask(middle, round(radius_px)) * np.uint8(255)


def hull_mask(joints: Float64Array, samples: Float64Array) -> NDArray[np.bool_]:
    """Return the mask of what counts as inside a drawing: its hull, enlarged by ``HULL_SCALE``."""
    mask = np.zeros((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.uint8)
    middle = joints.mean(0)
    larger = np.round(middle + HULL_SCALE * (samples - middle)).astype(np.int32)
    cv2.fillConvexPoly(mask, cv2.convexHull(larger), 255)
    return np.asarray(mask > 0)


def plausible_homographies(poses: Float64Array) -> NDArray[np.bool_]:
    """Return which patch_from_template, (n, 3, 3), a camera could see: no mirroring, no horizon, not too slanted."""
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
    plausible: NDArray[np.bool_] = (
        no_horizon & (det.min(1) > 0) & (least > 0.2 * most) & (least > 0.12 * BOARD_PATCH_UNIT_PX)
    )
    return plausible


def hypothesis_registration(hypothesis: PlacedBoard, confidence: float) -> Registration:
    """Return the field of a hypothesis.

    A board looks the same after some rotations, so no picture can say which corner is which point. The points are named
    so that the board's up is as upward in the picture as its symmetry allows, never mirrored.
    """
    board = hypothesis.template.board
    points = hypothesis.points_px[_upright_order(hypothesis)]
    h = fit_homography(np.array(board.xy), points)
    return Registration(Field(board, hypothesis.template.drawing, points, h), confidence)


def _upright_order(hypothesis: PlacedBoard) -> NDArray[np.intp]:
    """Return the fitted point of each board point under the most upright rotation in the picture, (n_points,)."""
    t = hypothesis.template
    xy = t.points_from_joints @ t.joints
    design = np.column_stack([xy, np.ones(len(xy))])
    best, most = np.arange(len(xy)), -np.inf
    for k in range(t.symmetry_order):
        moved = xy @ rotation(2 * np.pi * k / t.symmetry_order).T  # where each point goes when the board is turned
        order = np.linalg.norm(moved[:, None] - xy[None], axis=2).argmin(1)
        up = -np.linalg.lstsq(design, hypothesis.points_px[order], rcond=None)[0][1]  # image direction of template up
        upward = float(-up[1] / np.hypot(*up))
        if upward > most + 1e-9:
            best, most = order, upward
    return best


@dataclass(frozen=True, slots=True)
class Occluder:
    """A part of the plane of a drawing that is hidden: beyond a line, or a disc."""

    direction: tuple[float, float]  # unit vector from the middle of the drawing, template space
    offset: float  # where the hidden part begins along it, or the middle of a disc lies; radii of the drawing
    radius: float = np.inf

    @property
    def is_edge(self) -> bool:
        """Whether everything beyond a line is hidden."""
        return bool(np.isinf(self.radius))

    def covers(self, template_xy: Float64Array) -> NDArray[np.bool_]:
        """Return which places, (..., 2) in template space, are hidden; shape (...)."""
        direction = np.array(self.direction)
        if self.is_edge:
            return np.asarray(template_xy @ direction > self.offset)
        return np.asarray(np.linalg.norm(template_xy - self.offset * direction, axis=-1) < self.radius)


@cache
def _occluders() -> tuple[Occluder, ...]:
    """Return all occluders that are tried."""
    angles = 2 * np.pi * np.arange(N_OCCLUDER_DIRECTIONS) / N_OCCLUDER_DIRECTIONS
    ways = [(float(np.cos(a)), float(np.sin(a))) for a in angles]
    edges = [Occluder(way, offset) for way in ways for offset in EDGE_OFFSETS]
    discs = [
        Occluder(way, offset, radius)
        for radius in DISC_RADII
        for offset in DISC_OFFSETS
        for way in (ways[::2] if offset else ways[:1])
    ]
    return (*edges, *discs)


@cache
def _covered_links(template: Template) -> Float64Array:
    """Return the share of each link that each occluder covers, (n_occluders, n_links)."""
    n = len(template.links)
    count = np.bincount(template.sample_links, minlength=n)
    shares = [
        np.bincount(template.sample_links, occluder.covers(template.sample_xy).astype(float), n) / count
        for occluder in _occluders()
    ]
    return np.asarray(np.stack(shares), np.float64)


def best_occluder(template: Template, net_lengths: Float64Array, lengths: Float64Array) -> tuple[Occluder, float]:
    """Return the occluder with which the rest of a drawing explains most, and how much more; 0 or less for none."""
    gains = _covered_links(template) @ (-net_lengths - HIDDEN_COST * lengths)
    best = int(gains.argmax())
    return _occluders()[best], float(gains[best])
