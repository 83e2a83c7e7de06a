"""What a drawing of a board looks like: samples along its strokes, and the joints that hold the strokes together.

A template lives in template space: board space moved and scaled so that the smallest circle round everything drawn
has its middle at the origin and radius 1. Joints are the places where strokes meet or end. Between two joints that
follow each other on a stroke lies a link. A hand-made board differs from its template by a homography and by a small
move of each joint, so everything is expressed in joints: a sample lies between the two joints of its link, and a
point of the board is a fixed mixture of joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from referee.board import Board, Circle, Drawing, Segment, Xy
from vision.imaging.homography import Floats

SAMPLES = 320
"""Samples of a template; on a board of 200 px across they lie 3 to 5 px apart."""


@dataclass(frozen=True, eq=False)
class Template:
    """One drawing of one board as samples and joints.

    Attributes
    ----------
    board, drawing : Board, str
    joints : float64 array of shape (n_joints, 2)
        Template space.
    links : int array of shape (n_links, 2)
        Joints that a stroke connects.
    sample_xy : float64 array of shape (n_samples, 2)
    sample_along : float64 array of shape (n_samples, 2)
        Unit tangents.
    sample_link : int array of shape (n_samples,)
    sample_t : float64 array of shape (n_samples,)
        Place along the link, 0 at its first joint and 1 at its second.
    points_from_joints : float64 array of shape (n_points, n_joints)
        Rows add up to 1.
    turns : int
        Turns by 360 / ``turns`` degrees leave the drawing as it is.
    template_from_board : float64 array of shape (3, 3)
    """

    board: Board
    drawing: str
    joints: Floats
    links: NDArray[np.intp]
    sample_xy: Floats
    sample_along: Floats
    sample_link: NDArray[np.intp]
    sample_t: Floats
    points_from_joints: Floats
    turns: int
    template_from_board: Floats

    @property
    def name(self) -> str:
        """Board and drawing, for messages."""
        return self.board.name if self.drawing == "lines" else f"{self.board.name} ({self.drawing})"


@cache
def template(board_drawing: BoardDrawing) -> Template:
    """The template of one drawing."""
    board, drawing = board_drawing.board, board_drawing.drawing
    ends = np.array([p for s in drawing.strokes for p in _extremes(s)])
    low, high = ends.min(0), ends.max(0)
    xy = np.array(board.xy)
    round_board = any(isinstance(s, Circle) for s in drawing.strokes) or board.name == "trialectic"
    middle = np.array([0.5, 0.5]) if round_board else (low + high) / 2
    radius = float(np.linalg.norm(ends - middle, axis=1).max()) if not round_board else 0.5
    move = np.array([[1 / radius, 0, -middle[0] / radius], [0, 1 / radius, -middle[1] / radius], [0, 0, 1.0]])
    strokes = drawing.strokes
    joints_board = _joints(strokes, xy if drawing.name == "lines" else np.empty((0, 2)))
    links: list[tuple[int, int]] = []
    paths: list[tuple[Floats, Floats, int]] = []
    for stroke in strokes:
        for a, b, dense, along in _pieces(stroke, joints_board):
            links.append((a, b))
            paths.append((dense, along, len(links) - 1))
    lengths = np.array([np.linalg.norm(np.diff(p[0], axis=0), axis=1).sum() for p in paths])
    step = lengths.sum() / SAMPLES
    xs, ways, of, ts = [], [], [], []
    for (dense, along, link), length in zip(paths, lengths, strict=True):
        n = max(3, round(length / step))
        t = (np.arange(n) + 0.5) / n
        at = t * (len(dense) - 1)
        i = np.minimum(at.astype(int), len(dense) - 2)
        xs.append(dense[i] + (at - i)[:, None] * (dense[i + 1] - dense[i]))
        ways.append(along[i])
        of.append(np.full(n, link))
        ts.append(t)
    points_from_joints = _mixture(xy, joints_board)
    return Template(
        board,
        drawing.name,
        (joints_board - middle) / radius,
        np.array(links),
        (np.concatenate(xs) - middle) / radius,
        np.concatenate(ways),
        np.concatenate(of),
        np.concatenate(ts),
        points_from_joints,
        _turns(board, (joints_board - middle) / radius),
        move,
    )


@dataclass(frozen=True)
class BoardDrawing:
    """A board and one of its drawings; hashable, so that templates are made once."""

    board: Board
    drawing: Drawing


def drawings_of(board: Board) -> tuple[BoardDrawing, ...]:
    """The stroke drawings of a board (boards of holes have none)."""
    return tuple(BoardDrawing(board, d) for d in board.drawings if d.name != "holes")


def _extremes(stroke: Segment | Circle) -> tuple[Xy, ...]:
    if isinstance(stroke, Segment):
        return stroke.start, stroke.end
    (x, y), r = stroke.centre, stroke.radius
    return (x - r, y), (x + r, y), (x, y - r), (x, y + r)


def _joints(strokes: tuple[Segment | Circle, ...], points: Floats) -> Floats:
    """Ends and crossings of straight strokes, and the points of the board that lie on a stroke."""
    found = [tuple(p) for p in points]
    segments = [s for s in strokes if isinstance(s, Segment)]
    for s in segments:
        found += [s.start, s.end]
    for i, s in enumerate(segments):
        for other in segments[i + 1 :]:
            crossing = _crossing(s, other)
            if crossing is not None:
                found.append(crossing)
    distinct: list[Floats] = []
    for p in np.array(found):
        if all(np.linalg.norm(p - q) > 1e-6 for q in distinct):
            distinct.append(p)
    return np.array(distinct)


def _crossing(a: Segment, b: Segment) -> Xy | None:
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


def _pieces(stroke: Segment | Circle, joints: Floats) -> list[tuple[int, int, Floats, Floats]]:
    """A stroke cut at its joints: (first joint, second joint, dense path, tangents) each."""
    out = []
    if isinstance(stroke, Segment):
        a, b = np.array(stroke.start), np.array(stroke.end)
        length = float(np.linalg.norm(b - a))
        way = (b - a) / length
        t = (joints - a) @ way
        off = np.abs((joints - a) @ np.array([-way[1], way[0]]))
        on = [int(i) for i in np.argsort(t) if off[i] < 1e-6 and -1e-6 <= t[i] <= length + 1e-6]
        for i, j in zip(on, on[1:], strict=False):
            dense = np.linspace(joints[i], joints[j], 33)
            out.append((i, j, dense, np.tile(way, (33, 1))))
        return out
    centre = np.array(stroke.centre)
    relative = joints - centre
    on_circle = np.flatnonzero(np.abs(np.linalg.norm(relative, axis=1) - stroke.radius) < 1e-6)
    angles = np.arctan2(relative[on_circle, 1], relative[on_circle, 0])
    order = on_circle[np.argsort(angles)]
    angles = np.sort(angles)
    for k, i in enumerate(order):
        j = order[(k + 1) % len(order)]
        turn = (angles[(k + 1) % len(order)] - angles[k]) % (2 * np.pi)
        phi = angles[k] + np.linspace(0, turn, 33)
        dense = centre + stroke.radius * np.column_stack([np.cos(phi), np.sin(phi)])
        out.append((int(i), int(j), dense, np.column_stack([-np.sin(phi), np.cos(phi)])))
    return out


def _mixture(points: Floats, joints: Floats) -> Floats:
    """Each point as a mixture of joints: itself, or for a cell an affine mixture of its surroundings."""
    out = np.zeros((len(points), len(joints)))
    for i, p in enumerate(points):
        apart = np.linalg.norm(joints - p, axis=1)
        if apart.min() < 1e-6:
            out[i, int(apart.argmin())] = 1.0
            continue
        # Least-norm weights that reproduce every affine function and favour the joints nearby.
        near = 1 / (0.02 + apart**2)
        basis = np.column_stack([np.ones(len(joints)), joints - p])
        gram = basis.T @ (near[:, None] * basis)
        out[i] = near * (basis @ np.linalg.solve(gram, np.array([1.0, 0.0, 0.0])))
    return out


def _turns(board: Board, joints: Floats) -> int:
    for turns in (8, 6, 4, 3, 2):
        angle = 2 * np.pi / turns
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        moved = joints @ rotation.T
        if all(np.linalg.norm(joints - p, axis=1).min() < 1e-6 for p in moved):
            return turns
    return 1
