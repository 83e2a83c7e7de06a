"""Rings of holes on turning discs: maps of a look in, a template with the holes that are seen, and its pose, out.

Turning discs have no fixed drawing: a ring has any number of holes, any radius and any angle.

1. The outline of the board says roughly in which plane the discs lie. In some planes near it, three circles round the
   middle are fitted to the holes.
2. On a circle the angles of n holes, times n, are alike: as waves they add up. So they tell n and the angle of a ring.
3. The likeliest numbers become templates, which ``template_pose`` fits to the holes as it fits other drawings, but with
   radii and angles free. The picture is looked at again through the best of them, as from above.

Disc space has the middle of the discs as origin and the radius of the outermost ring as unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.boards import BOARDS, FEW_HOLES, HOLE_COUNTS, with_holes
from vision.detection.template_pose import (
    MAX_LOOKS_ABOVE,
    MIN_PEAK,
    BoardCandidate,
    candidate_at,
    fit_homographies,
    inverses,
)
from vision.detection.templates import Template, ring_template
from vision.imaging.frame import Float64Array, Image
from vision.networks.heat_maps import RIM_MARGIN, HeatMaps, board_outline, look_from_above, peaks_of

DEFAULT_HOLE_COUNTS = range(HOLE_COUNTS.start - 1, FEW_HOLES + 1)
"""Numbers of holes a ring that are looked for where nobody has said how many there may be. One hole fewer than a board
may have is looked for as well, as when the confidences were fitted (``tools/finder/fit.py``)."""

TILTS, SHIFTS = (-0.24, -0.08, 0.08), (-0.2, 0.0, 0.2)
"""Planes near that of the outline from which circles are fitted: how far the middle of a disc is seen from the middle
of its rim, which says how aslant it lies, and how far the discs lie aside of the outline, radii of the outline."""

RADII = np.linspace(0.2, 1.4, 49)
"""Radii of rings with which the fit begins, radii of the outline."""

RADIUS_SIGMA = 0.08
"""Standard deviation of the radius of a ring from that of the usual drawing, outermost ring 1, where a nat counts as a
hole."""

CIRCLE_SIGMAS = np.geomspace(0.1, 0.04, 8)
"""Standard deviation of the distance of a hole from its circle in each step of the fit, radii of the outline."""

MIN_SEEN_SHARE = 0.5
"""Share of its holes that must be seen for a ring to speak for itself."""

MIN_RING_GAP = 0.1
"""Least distance from a ring to the next one, outermost ring 1. Source: measured, 28 drawn boards: of 18 with a ring
painted away or cut off 14 are refused, 5 without this; ten whole ones are found with it and without."""

N_COUNTS = 4
"""Numbers of holes that are candidates, the likeliest ones."""


def find_discs(bgr: Image, maps: HeatMaps, boards: Sequence[Board]) -> BoardCandidate | None:
    """Return the likeliest three rings of holes of one of some boards; None without any."""
    outline = board_outline(maps)
    if outline is None:
        return None
    further = np.full(2, 1 / usual_radii(boards[0])[1])  # where the outermost ring lies if this is the middle one
    best = max(_candidates(maps, _circle_round(outline), boards), key=lambda one: one.rating, default=None)
    for _ in range(MAX_LOOKS_ABOVE):
        if best is None:
            return None
        above = look_from_above(bgr, best.image_from_template, -further, further, RIM_MARGIN)
        h = above.map_from_image @ best.image_from_template
        again = candidate_at(above, best.template, h, "discs")
        best = max([again, *_candidates(above, h, boards)], key=lambda one: one.rating)
        if best is again:
            break
    return best if best is not None and _are_rings_apart(best.template) else None


def _are_rings_apart(t: Template) -> bool:
    """Return whether no two rings lie on the same holes, as where one ring of a board is out of sight."""
    rings = (t.joints @ (1, 1j)).reshape(len(t.board.rings), -1)
    radii = np.abs(rings - rings.mean(1, keepdims=True)).mean(1)
    return bool((np.diff(radii, append=0) < -MIN_RING_GAP * radii[0]).all())


def _candidates(maps: HeatMaps, map_from_circle: Float64Array, boards: Sequence[Board]) -> list[BoardCandidate]:
    """Return the likeliest rings near a plane in which the outline of the board is a circle, as the maps show them."""
    return [candidate_at(maps, t, h, "discs") for t, h in _ring_poses(maps, map_from_circle, boards)]


def _ring_poses(
    maps: HeatMaps, map_from_circle: Float64Array, boards: Sequence[Board]
) -> list[tuple[Template, Float64Array]]:
    """Return the likeliest rings, each with its pose, ``map_from_template``."""
    counts = np.array(_hole_counts(boards))
    xy, value = peaks_of(maps["holes"], MIN_PEAK)
    if len(xy) < 3 * MIN_SEEN_SHARE * counts.min():
        return []
    clear = np.minimum(value / 0.5, 1)
    usual = usual_radii(boards[0])
    planes, radii, weight = _fit_circles(map_from_circle @ _planes(), xy, clear, usual)
    # (n_counts, n_planes, 3): how many holes of a ring lie where rings of so many have them
    waves = np.einsum("npk,pkr->npr", np.exp(1j * counts[:, None, None] * np.angle(_on_planes(planes, xy))), weight)
    support = np.abs(waves) - MIN_SEEN_SHARE * counts[:, None, None]
    is_sound = (np.diff(radii, axis=1, append=0) < 0).all(1)  # each ring within the one before
    outermost = np.maximum(radii[:, 0], 1e-9)
    unusual = _unusual(radii / outermost[:, None], usual).sum(1)
    score = np.where(is_sound, np.nan_to_num(support).sum(2) - unusual, -np.inf)
    plane, out = score.argmax(1), []
    for k in np.argsort(-score.max(1), kind="stable")[:N_COUNTS]:
        sizes, n = radii[plane[k]], int(counts[k])
        if np.isfinite(score[k, plane[k]]):
            first = np.angle(waves[k, plane[k]]) / n + np.pi / 2  # from the top, where a ring begins
            t = ring_template(with_holes(boards[0], n), sizes * np.exp(1j * first))
            out.append((t, planes[plane[k]] @ np.diag([sizes[0], sizes[0], 1.0])))
    return out


def _fit_circles(
    planes: Float64Array, xy: Float64Array, clear: Float64Array, usual: Float64Array
) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Return planes, (n, 3, 3), in which holes lie on circles, their radii, (n, 3), and weights of holes, (n, m, 3).

    At first radii like the usual ones count where most holes are.
    """
    away = np.abs(_on_planes(planes, xy))[:, None] - RADII[:, None]
    here = (clear * np.exp(-0.5 * (away / CIRCLE_SIGMAS[0]) ** 2)).sum(2)  # (n, len(RADII))
    of_rings = here[:, None, None] - _unusual(RADII[:, None] / RADII, usual[:, None, None]).swapaxes(1, 2)
    outermost = of_rings.max(3).sum(1).argmax(1)
    radii = RADII[of_rings[np.arange(len(planes)), :, outermost].argmax(2)]
    for sigma in CIRCLE_SIGMAS:
        at = _on_planes(planes, xy)
        off = np.abs(np.abs(at)[..., None] - radii[:, None])
        ring = off.argmin(2)
        weight = (clear * np.exp(-0.5 * (off.min(2) / sigma) ** 2))[..., None] * (off == off.min(2, keepdims=True))
        radii = (weight * np.abs(at)[..., None]).sum(1) / np.maximum(weight.sum(1), 1e-9)
        onto = at / np.maximum(np.abs(at), 1e-9) * np.take_along_axis(radii, ring, 1)
        on_circles = np.stack([onto.real, onto.imag], 2)
        planes = fit_homographies(on_circles, np.broadcast_to(xy, on_circles.shape), weight.sum(2) + 1e-6)
    return planes, radii, weight


def _on_planes(planes: Float64Array, xy: Float64Array) -> NDArray[np.complex128]:
    """Return places, (m, 2), on each of some planes, (n, 3, 3), as complex numbers x + iy, (n, m)."""
    x, y, w = np.moveaxis(inverses(planes) @ np.vstack([xy.T, np.ones(len(xy))]), 1, 0)
    return np.asarray((x + 1j * y) / np.where(np.abs(w) < 1e-12, 1e-12, w))


def usual_radii(board: Board) -> Float64Array:
    """Return the radii of the rings in the usual drawing of a board, outermost ring 1."""
    away = np.linalg.norm(np.array(board.xy) - 0.5, axis=1)
    return np.asarray([away[ring[0]] / away[board.rings[0][0]] for ring in board.rings])


def _unusual(radii: Float64Array, usual: Float64Array) -> Float64Array:
    """Return how unlike the usual drawing radii of rings are, outermost ring 1, in holes."""
    return np.asarray(0.5 * ((radii - usual) / RADIUS_SIGMA) ** 2)


def _circle_round(outline: NDArray[np.int32]) -> Float64Array:
    """Return the homography that puts the unit circle on an outline, as the ellipse with the same moments."""
    m = cv2.moments(cv2.convexHull(outline))
    spread = np.array([[m["mu20"], m["mu11"]], [m["mu11"], m["mu02"]]]) / m["m00"]
    values, vectors = np.linalg.eigh(spread)
    short, long = 2 * np.sqrt(np.maximum(values, 1e-9))
    down = vectors[:, 0] if vectors[1, 0] >= 0 else -vectors[:, 0]
    h = np.eye(3)
    h[:2, 0], h[:2, 1] = np.array([down[1], -down[0]]) * long, down * short  # no mirror image
    h[:2, 2] = m["m10"] / m["m00"], m["m01"] / m["m00"]
    return h


def _planes() -> Float64Array:
    """Return homographies from a disc to its outline, one a plane: the unit circle goes to itself, shifted."""
    out = [
        np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]) @ np.array([[np.sqrt(1 - s * s), 0, 0], [0, 1, s], [0, s, 1.0]])
        for s, x, y in product(TILTS, SHIFTS, SHIFTS)
    ]
    return np.array(out)


def _hole_counts(boards: Sequence[Board]) -> Sequence[int]:
    """Return the numbers of holes that a ring may have: any number for a board as it stands in ``BOARDS``."""
    if all(board == BOARDS.get(board.name) for board in boards):
        return DEFAULT_HOLE_COUNTS
    return sorted({len(board.rings[0]) for board in boards})
