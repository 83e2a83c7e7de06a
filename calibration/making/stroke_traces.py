"""The strokes of a board as they lie in a picture: each followed along its own crooked way, and how strong it is there.

The field says roughly where each stroke runs. In a flat view of the board every link (the part of a stroke between two
joints) is followed by dynamic programming, so that a hand's wobble costs nothing; from the ways that were followed the
joints are moved to where the strokes really meet; then the links are followed once more, closely, and their contrast
is measured. The same is done beside the strokes, where nothing is drawn: what is found there is the cloth's texture.

The colour of the strokes is learnt from where they lie: how samples on them typically differ from both sides, measured
against the variation of the ground, is the direction in Lab in which they stand out best (Fisher's linear
discriminant, 1936).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.templates import Template, TemplateKey, board_template
from vision.imaging import cv
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography
from vision.imaging.medians import median, percentile
from vision.imaging.patches import stone_unit

VIEW_PX_PER_SIDE = 160.0  # scale of the flat view, px a side: strokes of 1 to 5 % of a side are 2 to 8 px wide
VIEW_MARGIN_SIDES = 0.15  # ground around the unit square in the flat view, sides
VIEW_SIDE_PX = round(VIEW_PX_PER_SIDE * (1 + 2 * VIEW_MARGIN_SIDES))  # side of the flat view, px

_VIEW_FROM_BOARD = np.array(
    [
        [VIEW_PX_PER_SIDE, 0, VIEW_MARGIN_SIDES * VIEW_PX_PER_SIDE],
        [0, VIEW_PX_PER_SIDE, VIEW_MARGIN_SIDES * VIEW_PX_PER_SIDE],
        [0, 0, 1.0],
    ]
)
"""The homography from board space to the flat view."""

LIGHT_WINDOW_PX = 35  # side of the window whose median is the light on the ground, px: three strokes wide
DARKEST_GROUND = 16.0  # added to the brightness of the ground, levels of 255, so that noise in the dark is not blown up
STEP_PX = 2.0  # distance between places along a link, px of the flat view

# lines that are followed, a thread and a brush stroke: distance from the middle to the two sides, px of the flat view,
# and places along a stroke that are averaged
LINE_WIDTHS = ((2, 3), (4, 7))

COLOUR_GROUND_PX = 6.0  # distance from a stroke at which the ground's colour is learnt: beyond half a brush stroke, px
BARE_GROUND_PX = 9.0  # distance from a stroke at which nothing is drawn, px of the flat view

WIDE_REACH_UNITS = 0.42  # how far aside a stroke is looked for first, units: nearly half way to the next stroke
WOBBLE_REACH_PX = 5  # how far aside a stroke is looked for once its joints are known, px: 3 % of a side
BEND_COST = 0.3  # cost of a step aside by one pixel, in units of the ground's variation
CONTRAST_PERCENTILE = 80  # percentile of the contrasts along a link that counts: a dry brush and stitches have gaps

# contrast is measured at most this far from the middle of a link, shares of its length: stones lie at its ends
MIDDLE_OF_LINK = 0.3

# prior standard deviation of a joint from where the finder has it, sides: it follows a crooked corner only in part
JOINT_SIGMA_SIDES = 0.08

OFFSET_SIGMA_PX = 2.0  # standard deviation of a followed stroke from the straight link, px of the flat view

# prior standard deviation of the bows of a stroke between two joints, px of the flat view: 1.5 % of a side
BOW_SIGMA_PX = 2.5

# distance from another link up to which a followed stroke is that one's, px of the flat view
NEAR_OTHER_STROKE_PX = 4.0

N_ALIKE_PLACES = 8  # neighbouring places along a stroke that count for one: the hand that led the pen errs smoothly

# places at most this far from the middle of a link say where its joints are, shares of its length: at its ends other
# strokes cross it
MIDDLE_OF_JOINT_FIT = 0.4

LOG_CONTRAST_SIGMA = 0.2  # usual deviation of the logarithm of a link's contrast from that of the others
LOG_SLOPE_SIGMA = 0.5  # prior standard deviation of the change of the logarithm of the contrast across a board
N_JOINT_ROUNDS = 3  # times that strokes are followed and joints moved
BESIDE_SIDES = (-0.1, -0.075, 0.075, 0.1)  # where the texture beside a stroke is measured, sides

# distances of the ground from the middle of a stroke at which its contrast is measured, px of the flat view: beside a
# thread, a pen and a brush; the one that gives the board's strokes most contrast counts
GROUND_DISTANCES_PX = (3.0, 4.5, 6.5)

SMOOTHED_PLACES = 5  # places along a stroke whose contrasts are averaged: as long as a stitch
MIN_PLACES = 4  # least number of places in sight that say how strong a link is
STONE_REACH_UNITS = 0.6  # how far from its point a stone, or its shadow, hides a stroke, units
CLEAR_OF_STROKES_SIDES = 0.05  # how far from every stroke a place shows texture alone, sides


@dataclass(frozen=True, eq=False)
class StrokeTraces:
    """The links of a drawing as they lie in one picture."""

    template: Template
    ideal_joints: Float64Array  # shape (n_joints, 2); where the strokes of a perfect board meet, board space
    # shape (n_joints, 2); where those of this board meet, board space of the field's homography
    joints_board: Float64Array
    image_from_board: Float64Array  # shape (3, 3)
    # shape (n_links,); usual contrast along the middle of each link, in units of the ground's variation; NaN where it
    # is not in sight
    contrast: Float64Array
    texture: Float64Array  # shape (n_beside,); the same of ways on bare ground, followed in the same manner
    ways_px: tuple[Float64Array, ...]  # shape (n, 2) each; where each link runs, image space

    @property
    def usual_contrast(self) -> float:
        """Contrast of half of the links that are in sight; 0 where no link is, or nothing at all is drawn there."""
        known = self.contrast[np.isfinite(self.contrast)]
        return float(np.median(known)) if len(known) else 0.0

    @property
    def relative_contrast(self) -> Float64Array:
        """Contrast of each link as a share of what the others lead one to expect there, (n_links,).

        Lamp, lens and distance change the contrast smoothly from one side of a board to the other; what is expected is
        a plane through the logarithms, fitted so that single pale links do not count. ``usual_contrast`` must not be 0.
        """
        known, usual = np.isfinite(self.contrast), self.usual_contrast
        log = np.log(np.maximum(self.contrast[known], 0.02 * usual) / usual)
        middle = self.joints_board[self.template.links].mean(axis=1)[known] - 0.5
        design = np.column_stack([np.ones(len(log)), middle])
        prior = np.diag([0.0, *(LOG_CONTRAST_SIGMA / LOG_SLOPE_SIGMA,) * 2]) ** 2
        expected = np.zeros(len(log))
        for _ in range(8):
            weight = 1 / (1 + ((log - expected) / LOG_CONTRAST_SIGMA) ** 2)
            gram = design.T @ (weight[:, None] * design) + prior + 1e-9 * np.eye(3)
            expected = design @ np.linalg.solve(gram, design.T @ (weight * log))
        share = np.full(len(known), np.nan)
        share[known] = self.contrast[known] / (usual * np.exp(expected))
        return share


@dataclass(frozen=True, eq=False)
class _LinkPlaces:
    """Places along one link of the ideal drawing, board space, with shares of the way from its first joint."""

    xy: Float64Array
    fraction: Float64Array
    joints: tuple[int, int]

    def moved(self, shift: Float64Array) -> Float64Array:
        """Return the places when the joints have moved by ``shift`` (n_joints, 2)."""
        a, b = self.joints
        f = self.fraction[:, None]
        places: Float64Array = self.xy + (1 - f) * shift[a] + f * shift[b]
        return places


def trace_strokes(bgr: Image, field: Field, has_stone: NDArray[np.bool_]) -> StrokeTraces | None:
    """Follow every stroke of a field; None where its drawing has no strokes.

    What a stone hides of a stroke does not count; ``has_stone`` has shape (n_points,).
    """
    drawing = next((d for d in field.board.drawings if d.name == field.drawing), None)
    if drawing is None or drawing.name == "holes":
        return None
    template = board_template(TemplateKey(field.board, drawing))
    links = _link_places(template)
    ideal = apply_homography(np.linalg.inv(template.template_from_board).astype(np.float64), template.joints)
    shift = _joint_shift(field, ideal)
    image_from_view: Float64Array = field.image_from_board @ np.linalg.inv(_VIEW_FROM_BOARD)
    view = _evenly_lit(cv.warp_square(bgr, image_from_view, VIEW_SIDE_PX))
    stones = apply_homography(np.linalg.inv(image_from_view).astype(np.float64), field.points_px[has_stone])
    hidden_px = STONE_REACH_UNITS * stone_unit(field.board) * VIEW_PX_PER_SIDE
    reach = int(np.clip(round(WIDE_REACH_UNITS * stone_unit(field.board) * VIEW_PX_PER_SIDE), 6, 24))
    for k in range(N_JOINT_ROUNDS):
        ways = [apply_homography(_VIEW_FROM_BOARD, link.moved(shift)) for link in links]
        shown = [_is_clear(way, stones, hidden_px) for way in ways]
        planes = _smoothed(_stroke_plane(view, ways))
        shift = _moved_joints(planes, links, ways, shown, shift, max(6, reach >> k))
    ways = [apply_homography(_VIEW_FROM_BOARD, link.moved(shift)) for link in links]
    plane = _stroke_plane(view, ways)
    planes = _smoothed(plane)
    profiles, followed = [], []
    for link, way in zip(links, ways, strict=True):
        normal = normals(way)
        offset, _ = _follow(planes, way, normal, WOBBLE_REACH_PX)
        offset *= np.clip(4 * np.minimum(link.fraction, 1 - link.fraction), 0, 1)  # at a joint others lead astray
        seen = apply_homography(image_from_view, way + offset[:, None] * normal)
        followed.append(seen)
        counts = (np.abs(link.fraction - 0.5) < MIDDLE_OF_LINK) & in_picture(seen, size_of(bgr))
        counts &= _is_clear(way, stones, hidden_px)
        profiles.append(_contrasts(plane, way + offset[:, None] * normal, normal)[:, counts])
    texture = _texture_profiles(plane, planes, ways)
    level = [_usual(np.concatenate(column)) for column in zip(*([p for p in profiles if p.shape[1]]), strict=True)]
    side = int(np.argmax(level)) if level else 0
    return StrokeTraces(
        template,
        ideal,
        ideal + shift,
        field.image_from_board,
        np.array([_usual(p[side]) if p.shape[1] >= MIN_PLACES else np.nan for p in profiles]),
        np.array([_usual(p[side]) for p in texture]),
        tuple(followed),
    )


def _usual(contrasts: Float64Array) -> float:
    """Return the contrast of a stroke from those along it."""
    return float(np.percentile(contrasts, CONTRAST_PERCENTILE))


def _is_clear(way: Float64Array, stones: Float64Array, reach_px: float) -> NDArray[np.bool_]:
    """Return which places of a way no stone hides, (n,)."""
    if not len(stones):
        return np.ones(len(way), np.bool_)
    return np.asarray(np.linalg.norm(way[:, None] - stones[None], axis=2).min(axis=1) > reach_px)


def _evenly_lit(view: Image) -> Image:
    """Return the flat view as if the same light fell everywhere: shadows, with their edges, taken out, strokes kept."""
    brightness = view.max(axis=2)
    ground = cv2.medianBlur(brightness, LIGHT_WINDOW_PX).astype(np.float32) + DARKEST_GROUND
    even = view * (float(np.median(ground)) / ground)[..., None]
    return np.asarray(np.clip(even, 0, 255), np.uint8)


def _link_places(template: Template) -> list[_LinkPlaces]:
    """Return the links as dense places in board space."""
    board_from_template = np.linalg.inv(template.template_from_board).astype(np.float64)
    out = []
    for k, (a, b) in enumerate(template.links):
        on = template.sample_links == k
        xy = np.vstack([template.joints[a], template.sample_xy[on], template.joints[b]])
        at = np.concatenate([[0.0], template.sample_fractions[on], [1.0]])
        board_xy = apply_homography(board_from_template, xy)
        length = float(np.linalg.norm(np.diff(board_xy, axis=0), axis=1).sum())
        fraction = np.linspace(0, 1, max(9, round(length * VIEW_PX_PER_SIDE / STEP_PX)))
        places = np.column_stack([np.interp(fraction, at, board_xy[:, axis]) for axis in (0, 1)])
        out.append(_LinkPlaces(places, fraction, (int(a), int(b))))
    return out


def _joint_shift(field: Field, ideal: Float64Array) -> Float64Array:
    """Return how far the joints lie from the ideal ones, board space, as the points near them say, (n_joints, 2)."""
    xy = np.asarray(field.board.xy, np.float64)
    off = apply_homography(np.linalg.inv(field.image_from_board).astype(np.float64), field.points_px) - xy
    near = 1 / (1e-9 + np.linalg.norm(ideal[:, None] - xy[None], axis=2) ** 2)
    shift: Float64Array = (near / near.sum(axis=1, keepdims=True)) @ off
    return shift


def normals(way: Float64Array) -> Float64Array:
    """Return unit vectors across a way, (n, 2)."""
    along = np.gradient(way, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    return np.column_stack([-along[:, 1], along[:, 0]])


def sampled_aside(
    planes: Image | Float32Array, way: Float64Array, normal: Float64Array, asides_px: Sequence[float] | NDArray[np.int_]
) -> Float64Array:
    """Return what lies at some distances aside of each place of a way, bilinear, (n_asides, n) and channels, if any."""
    at = (way + np.asarray(asides_px, np.float64)[:, None, None] * normal).astype(np.float32)
    seen = cv2.remap(planes, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float64)


def _stroke_plane(view: Image, ways: list[Float64Array]) -> Float32Array:
    """Return how much each pixel has of the strokes' own colour, in units of the ground's variation, (H, W)."""
    xy, normal = np.vstack(ways), np.vstack([normals(way) for way in ways])
    colour = _stroke_colour(view, xy, normal)
    plane = cv2.cvtColor(view, cv2.COLOR_BGR2LAB).astype(np.float32) @ colour.astype(np.float32)
    return np.ascontiguousarray(plane)


def _stroke_colour(view: Image, xy: Float64Array, normal: Float64Array) -> Float64Array:
    """Return the direction in Lab, (3,), in which strokes are brighter than the ground, which varies by 1 along it."""
    lab = cv2.cvtColor(cv2.GaussianBlur(view, (0, 0), 0.8), cv2.COLOR_BGR2LAB).astype(np.float32)
    triples = [(at, at - COLOUR_GROUND_PX, at + COLOUR_GROUND_PX) for at in (0, -BARE_GROUND_PX, BARE_GROUND_PX)]
    seen = sampled_aside(lab, xy, normal, np.ravel(triples).tolist()).reshape(3, 3, len(xy), 3)
    differences, *bare = seen[:, 0] - seen[:, 1:].mean(axis=1)
    # A stroke must stand out from both of its sides; they differ where it is the rim of a filled field.
    unlike = 0.5 * (seen[0, 1] - seen[0, 2])
    covariance = _scatter(np.concatenate(bare)) + _scatter(unlike) + np.diag([2.0, 0.6, 0.6])
    typical = median(differences, axis=0)
    for _ in range(3):
        residual = np.linalg.norm(differences - typical, axis=1)
        typical = differences[residual <= percentile(residual, 70)].mean(0)
    direction = np.linalg.solve(covariance, typical)
    unit: Float64Array = direction / np.sqrt(max(float(direction @ covariance @ direction), 1e-9))
    return unit


def _scatter(differences: Float64Array) -> Float64Array:
    """Return the mean outer product of the differences without the largest ones, (3, 3)."""
    size = np.linalg.norm(differences, axis=1)
    usual = differences[size <= percentile(size, 85)]
    scatter: Float64Array = usual.T @ usual / len(usual)
    return scatter


def _smoothed(plane: Float32Array) -> list[Float32Array]:
    """Return the plane as it is looked at for each of ``LINE_WIDTHS``."""
    return [np.asarray(cv2.GaussianBlur(plane, (0, 0), 0.45 * side_px), np.float32) for side_px, _ in LINE_WIDTHS]


def _contrasts(plane: Float32Array, way: Float64Array, normal: Float64Array) -> Float64Array:
    """Return the contrast of a way with the ground beside it, for each of ``GROUND_DISTANCES_PX``, (n_distances, n).

    Unlike what is followed, where the nearer of both sides counts, this is proportional to the paint: the mean of both
    sides. But no more than twice the nearer one: a stroke stands out on both sides, the rim of a cloth on one.
    """
    smooth = np.asarray(cv2.GaussianBlur(plane, (0, 0), 0.8), np.float32)
    asides = [0.0, *(sign * away for away in GROUND_DISTANCES_PX for sign in (-1, 1))]
    middle, *sides = cv2.blur(sampled_aside(smooth, way, normal, asides), (SMOOTHED_PLACES, 1))
    apart = middle - np.array(sides).reshape(len(GROUND_DISTANCES_PX), 2, -1)
    contrast: Float64Array = np.minimum(apart.mean(axis=1), 2 * apart.min(axis=1))
    return contrast


def _follow(
    planes: list[Float32Array], way: Float64Array, normal: Float64Array, reach_px: int
) -> tuple[Float64Array, Float64Array]:
    """Return how far aside of a way a stroke runs (px), and its contrast there, each (n,).

    A line is a place where both sides differ from the middle in the same direction. A step edge (the rim of a shadow,
    a stone, a printed area) differs on one side only and has no contrast.
    """
    aside = np.arange(-reach_px, reach_px + 1)
    strength = np.full((len(way), len(aside)), -np.inf)
    for plane, (side, n_places) in zip(planes, LINE_WIDTHS, strict=True):
        wide = np.arange(-reach_px - side, reach_px + side + 1)
        strip = cv2.blur(sampled_aside(plane, way, normal, wide), (n_places, 1)).T
        contrast = strip[:, side:-side] - np.maximum(strip[:, : -2 * side], strip[:, 2 * side :])
        strength = np.maximum(strength, contrast)
    best, around = strength[0].copy(), np.full(len(aside) + 2, -1e9)
    came = np.zeros(strength.shape, np.int64)
    for i in range(1, len(way)):
        around[1:-1] = best
        steps = np.stack([around[:-2] - BEND_COST, best, around[2:] - BEND_COST])
        choice = steps.argmax(axis=0)
        came[i] = choice - 1
        best = steps[choice, np.arange(len(aside))] + strength[i]
    path = np.zeros(len(way), np.int64)
    path[-1] = int(best.argmax())
    for i in range(len(way) - 1, 0, -1):
        path[i - 1] = path[i] + came[i, path[i]]
    return aside[path].astype(np.float64), strength[np.arange(len(way)), path]


def _moved_joints(
    planes: list[Float32Array],
    links: list[_LinkPlaces],
    ways: list[Float64Array],
    shown: list[NDArray[np.bool_]],
    shift: Float64Array,
    reach_px: int,
) -> Float64Array:
    """Return where the joints lie so that the links run as the strokes do: least squares with weak priors.

    A hand draws bows. So each link may bend in half a wave and in a whole one between its joints, and what remains
    says where the joints are. Where a link is missing, what is followed may be another one's stroke: it says nothing.
    """
    n, m = 2 * len(shift), 2 * len(links)
    rows, goals, weights = [], [], []
    for k, (link, way, clear) in enumerate(zip(links, ways, shown, strict=True)):
        normal = normals(way)
        offset, strength = _follow(planes, way, normal, reach_px)
        others = np.vstack([other for j, other in enumerate(ways) if j != k])
        middle = (np.abs(link.fraction - 0.5) < MIDDLE_OF_JOINT_FIT) & clear
        middle &= _is_clear(way + offset[:, None] * normal, others, NEAR_OTHER_STROKE_PX)
        a, b = link.joints
        block = np.zeros((int(middle.sum()), n + m))
        f = link.fraction[middle]
        for axis in (0, 1):
            block[:, 2 * a + axis] += (1 - f) * normal[middle, axis]
            block[:, 2 * b + axis] += f * normal[middle, axis]
        block[:, n + 2 * k] = np.sin(np.pi * f)
        block[:, n + 2 * k + 1] = np.sin(2 * np.pi * f)
        rows.append(block)
        goals.append(offset[middle])
        weights.append(np.maximum(strength[middle], 0))
    design, goal, weight = np.vstack(rows), np.concatenate(goals), np.concatenate(weights)
    weight = np.minimum(weight / max(float(np.median(weight)), 1e-6), 1.5)
    sigma_px = np.repeat([JOINT_SIGMA_SIDES * VIEW_PX_PER_SIDE, BOW_SIGMA_PX], [n, m])
    prior = np.diag(N_ALIKE_PLACES * (OFFSET_SIGMA_PX / sigma_px) ** 2)
    moved = np.zeros(n + m)
    for _ in range(4):
        far = np.abs(design @ moved - goal)
        used = weight / np.maximum(1, far / OFFSET_SIGMA_PX)
        moved[:] = np.linalg.solve(design.T @ (used[:, None] * design) + prior, design.T @ (used * goal))
    result: Float64Array = shift + moved[:n].reshape(-1, 2) / VIEW_PX_PER_SIDE
    return result


def _texture_profiles(plane: Float32Array, planes: list[Float32Array], ways: list[Float64Array]) -> list[Float64Array]:
    """Return the contrasts of ways on bare ground beside the strokes, followed as strokes are."""
    strokes = np.vstack(ways)
    clear_px = CLEAR_OF_STROKES_SIDES * VIEW_PX_PER_SIDE
    found = []
    for way in ways:
        normal = normals(way)
        middle = slice(len(way) // 4, len(way) - len(way) // 4)
        for aside in BESIDE_SIDES:
            beside = (way + aside * VIEW_PX_PER_SIDE * normal)[middle]
            if np.linalg.norm(beside[:, None] - strokes[None], axis=2).min() < clear_px:
                continue
            offset, _ = _follow(planes, beside, normal[middle], WOBBLE_REACH_PX)
            found.append(_contrasts(plane, beside + offset[:, None] * normal[middle], normal[middle]))
    return found
