"""A board and its drawing in; a template, samples along its strokes and the joints that they connect, out.

Template space is board space with the middle of the board as origin and the farthest place that is drawn at radius 1.
Joints are the places where strokes meet or end, a link is the part of a stroke between two neighbouring joints. A
hand-made board differs from its template by a homography and by a small move of each joint. So a sample lies between
the two joints of its link, and each point of the board is a fixed affine combination of joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board, Drawing, Segment, Stroke, Xy
from vision.imaging.frame import Float64Array
from vision.imaging.homography import rotations_onto_itself, spacings
from vision.imaging.medians import median

N_TEMPLATE_SAMPLES = 320
"""Number of samples of a template, about. On a board of 200 px across they lie 3 to 5 px apart."""

RING_INERTIA = 0.5
"""Weight of what a ring was, in holes that are seen, when it becomes as wide and so turned as these are."""


@dataclass(frozen=True)
class TemplateKey:
    """A board and one of its drawings; hashable, so that each template is made once."""

    board: Board
    drawing: Drawing


@dataclass(frozen=True, eq=False)
class Template:
    """One drawing of one board as samples and joints."""

    board: Board
    drawing: str
    joints: Float64Array  # (n_joints, 2), template space
    links: NDArray[np.intp]  # (n_links, 2), the two joints of each
    sample_xy: Float64Array  # (n_samples, 2), places on the strokes, template space
    sample_links: NDArray[np.intp]  # (n_samples,), the link on which each lies
    sample_fractions: Float64Array  # (n_samples,), place along it: 0 at its first joint, 1 at its second
    points_from_joints: Float64Array  # (n_points, n_joints), affine: rows add up to 1
    template_from_board: Float64Array

    @cached_property
    def sample_weights(self) -> Float64Array:
        """The share by which each joint moves each sample, (n_samples, n_joints)."""
        out = np.zeros((len(self.sample_xy), len(self.joints)))
        for end, share in enumerate((1 - self.sample_fractions, self.sample_fractions)):
            out[np.arange(len(out)), self.links[self.sample_links, end]] += share
        return out

    @cached_property
    def is_in_middle(self) -> NDArray[np.bool_]:
        """Which samples lie in the middle two thirds of their link, away from what lies on its joints."""
        return np.asarray(np.abs(self.sample_fractions - 0.5) < 1 / 3)

    @cached_property
    def paths(self) -> tuple[NDArray[np.intp], ...]:
        """Along each link the indices of its places, from joint to joint; joints come first, samples after them."""
        n, links = len(self.joints), enumerate(self.links)
        return tuple(np.array([a, *(n + np.flatnonzero(self.sample_links == link)), b]) for link, (a, b) in links)

    @cached_property
    def sample_tangents(self) -> Float64Array:
        """The unit vectors along the strokes at the samples, from the place before each to the one after, (n, 2)."""
        places = np.vstack([self.joints, self.sample_xy])
        along = np.concatenate([places[path[2:]] - places[path[:-2]] for path in self.paths])
        return np.asarray(along / np.linalg.norm(along, axis=1, keepdims=True))

    @cached_property
    def outgoing_links(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The links that leave the drawing where they go on: their inner and their outer joint, (n,) each."""
        hull, reach = cv2.convexHull(self.joints.astype(np.float32)), float(median(spacings(self.joints)))
        pairs = np.vstack([self.links, self.links[:, ::-1]])
        along = self.joints[pairs[:, 1]] - self.joints[pairs[:, 0]]
        ahead = self.joints[pairs[:, 1]] + reach * along / np.maximum(
            np.linalg.norm(along, axis=1, keepdims=True), 1e-9
        )
        outside = np.array([cv2.pointPolygonTest(hull, xy, True) for xy in ahead.tolist()]) < -0.5 * reach
        return pairs[outside, 0], pairs[outside, 1]

    @property
    def name(self) -> str:
        """Board and drawing, for messages."""
        return self.board.name if self.drawing == "lines" else f"{self.board.name} ({self.drawing})"

    def with_rings_at(self, places: Float64Array, weights: Float64Array) -> Template:
        """Return the template of turning discs as its joints lie at places, by their weights, (n,)."""
        n = len(self.board.rings[0])
        at, drawn = ((xy @ (1, 1j)).reshape(-1, n) for xy in (places, self.joints))
        directions, weight = _directions(self.board).reshape(-1, n), weights.reshape(-1, n)
        middles, total = drawn.mean(1), weight.sum(1) + RING_INERTIA
        rings = ((drawn - middles[:, None]) / directions).mean(1)
        aside = (weight * (at - rings[:, None] * directions)).sum(1) / total
        turned = (weight * (at - aside[:, None]) / directions).sum(1) + RING_INERTIA * rings
        return ring_template(self.board, turned / total, aside)


def ring_template(
    board: Board, rings: NDArray[np.complex128], middles: NDArray[np.complex128] | float = 0.0
) -> Template:
    """Return the template of turning discs, from radii and angles r e^(i angle) of its rings, and their middles x + iy.

    The outermost ring has radius 1 in template space. A link leads from each hole to the next; nothing is drawn there.
    """
    n, turn = len(board.rings[0]), 2 * np.pi / len(board.rings[0])
    size, further = np.abs(rings[0]), np.rint(np.angle(rings / rings[0]) / turn)
    rings = rings * np.exp(-1j * turn * further) / size  # turned by half a step at most from the outermost ring
    places, centres = _directions(board) * np.repeat(rings, n), np.repeat(middles + 0 * rings, n) / size
    between = places * np.exp(0.5j * turn)
    holes = np.arange(len(places))
    return Template(
        board=board,
        drawing=board.drawings[0].name,
        joints=_as_xy(centres + places),
        links=np.array([pair for ring in board.rings for pair in zip(ring, (*ring[1:], ring[0]), strict=True)]),
        sample_xy=_as_xy(centres + between),
        sample_links=holes,
        sample_fractions=np.full(len(holes), 0.5),
        points_from_joints=np.eye(len(holes)),
        template_from_board=np.array([[2.0, 0, -1], [0, 2, -1], [0, 0, 1]]),
    )


@cache
def board_rotations(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return every rotation of a board onto itself, as the point that each point maps to; the identity comes first."""
    return rotations_onto_itself(np.array(board.xy) - 0.5)


def line_drawings(board: Board) -> tuple[TemplateKey, ...]:
    """Return the drawings of a board that consist of lines, not of holes."""
    return tuple(TemplateKey(board, d) for d in board.drawings if d.name != "holes")


def distinct_templates(boards: Sequence[Board]) -> list[Template]:
    """Return the templates of the boards. Of boards with the same drawing, the one whose usual drawing it is counts."""
    drawings = [(d.drawing != board.drawings[0], board_template(d)) for board in boards for d in line_drawings(board)]
    out: list[Template] = []
    for _, t in sorted(drawings, key=lambda item: item[0]):
        if not any(t.sample_xy.shape == o.sample_xy.shape and np.allclose(t.sample_xy, o.sample_xy) for o in out):
            out.append(t)
    return out


@cache
def board_template(board_drawing: TemplateKey) -> Template:
    """Return the template of one drawing."""
    board, drawing = board_drawing.board, board_drawing.drawing
    ends = np.array([p for s in drawing.strokes for p in s.ends])
    xy = np.array(board.xy)
    middle = np.array([0.5, 0.5])
    radius = float(np.linalg.norm(ends - middle, axis=1).max())
    move = np.array([[1 / radius, 0, -middle[0] / radius], [0, 1 / radius, -middle[1] / radius], [0, 0, 1.0]])
    joints_board = _find_joints(drawing.strokes, xy if drawing.name == "lines" else np.empty((0, 2)))
    pieces = [piece for stroke in drawing.strokes for piece in _split_at_joints(stroke, joints_board)]
    lengths = np.array([np.linalg.norm(np.diff(path, axis=0), axis=1).sum() for _, _, path in pieces])
    step = lengths.sum() / N_TEMPLATE_SAMPLES
    places, links, fractions = [], [], []
    for link, ((_, _, path), length) in enumerate(zip(pieces, lengths, strict=True)):
        n = max(3, round(length / step))
        fraction = (np.arange(n) + 0.5) / n
        at = fraction * (len(path) - 1)
        i = np.minimum(at.astype(int), len(path) - 2)
        places.append(path[i] + (at - i)[:, None] * (path[i + 1] - path[i]))
        links.append(np.full(n, link))
        fractions.append(fraction)
    joints = (joints_board - middle) / radius
    return Template(
        board=board,
        drawing=drawing.name,
        joints=joints,
        links=np.array([(a, b) for a, b, _ in pieces]),
        sample_xy=(np.concatenate(places) - middle) / radius,
        sample_links=np.concatenate(links),
        sample_fractions=np.concatenate(fractions),
        points_from_joints=_point_weights(xy, joints_board),
        template_from_board=move,
    )


@cache
def _directions(board: Board) -> NDArray[np.complex128]:
    """Return the directions from the middle to the points of a board, ring after ring, as complex numbers x + iy."""
    out = (np.array(board.xy) - 0.5) @ (1, 1j)
    return np.asarray(out / np.abs(out))


def _as_xy(places: NDArray[np.complex128]) -> Float64Array:
    return np.column_stack([places.real, places.imag])


def _find_joints(strokes: tuple[Stroke, ...], points: Float64Array) -> Float64Array:
    """Return the given points of the board, and the ends and crossings of straight strokes, without duplicates."""
    segments = [s for s in strokes if isinstance(s, Segment)]
    places = [*map(tuple, points), *(end for s in segments for end in (s.start, s.end))]
    for i, s in enumerate(segments):
        for other in segments[i + 1 :]:
            crossing = _segment_crossing(s, other)
            if crossing is not None:
                places.append(crossing)
    distinct: list[Float64Array] = []
    for p in np.array(places):
        if all(np.linalg.norm(p - q) > 1e-6 for q in distinct):
            distinct.append(p)
    return np.array(distinct)


def _segment_crossing(a: Segment, b: Segment) -> Xy | None:
    """Return the crossing of two straight strokes; None where they do not touch, or are parallel."""
    p, r = np.array(a.start), np.array(a.end) - np.array(a.start)
    q, s = np.array(b.start), np.array(b.end) - np.array(b.start)
    cross = r[0] * s[1] - r[1] * s[0]
    if abs(cross) < 1e-12:
        return None
    d = q - p
    t, u = (d[0] * s[1] - d[1] * s[0]) / cross, (d[0] * r[1] - d[1] * r[0]) / cross
    if -1e-9 <= t <= 1 + 1e-9 and -1e-9 <= u <= 1 + 1e-9:
        at = p + t * r
        return float(at[0]), float(at[1])
    return None


def _split_at_joints(stroke: Stroke, joints: Float64Array) -> list[tuple[int, int, Float64Array]]:
    """Return the links of a stroke, cut at its joints: first joint, second joint, 33 places."""
    out = []
    if isinstance(stroke, Segment):
        a, b = np.array(stroke.start), np.array(stroke.end)
        length = float(np.linalg.norm(b - a))
        tangent = (b - a) / length
        t = (joints - a) @ tangent
        distance = np.abs((joints - a) @ np.array([-tangent[1], tangent[0]]))
        on = [int(i) for i in np.argsort(t) if distance[i] < 1e-6 and -1e-6 <= t[i] <= length + 1e-6]
        for i, j in zip(on, on[1:], strict=False):
            out.append((i, j, np.linspace(joints[i], joints[j], 33)))
        return out
    centre = np.array(stroke.centre)
    relative = joints - centre
    on_circle = np.flatnonzero(np.abs(np.linalg.norm(relative, axis=1) - stroke.radius) < 1e-6)
    angles = np.arctan2(relative[on_circle, 1], relative[on_circle, 0])
    order = on_circle[np.argsort(angles)]
    angles = np.sort(angles)
    for k, i in enumerate(order):
        j = order[(k + 1) % len(order)]
        arc = (angles[(k + 1) % len(order)] - angles[k]) % (2 * np.pi)
        phi = angles[k] + np.linspace(0, arc, 33)
        out.append((int(i), int(j), centre + stroke.radius * np.column_stack([np.cos(phi), np.sin(phi)])))
    return out


def _point_weights(points: Float64Array, joints: Float64Array) -> Float64Array:
    """Return each point as an affine combination of joints: the joint at its place, or those around its cell."""
    out = np.zeros((len(points), len(joints)))
    for i, p in enumerate(points):
        distance = np.linalg.norm(joints - p, axis=1)
        if distance.min() < 1e-6:
            out[i, int(distance.argmin())] = 1.0
            continue
        # Least-norm weights that reproduce every affine function and favour the joints nearby.
        near = 1 / distance**2
        basis = np.column_stack([np.ones(len(joints)), joints - p])
        gram = basis.T @ (near[:, None] * basis)
        out[i] = near * (basis @ np.linalg.solve(gram, np.array([1.0, 0.0, 0.0])))
    return out
