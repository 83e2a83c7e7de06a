"""Rows of three spots with the middle one halfway, and pairs of rows that share an end or their middles.

Every board of holes is full of them, and two rows that meet fix a plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.detection.blobs import Blobs
from vision.detection.templates import Template
from vision.imaging.homography import Floats

ALIKE = 1.9
"""Largest ratio of the sizes of two spots of a row: a bright ball's glint in a hole is half as wide as the hole."""

MOST_SPACING, LEAST_SPACING = 14.0, 1.9
"""Distance of neighbours in a row in radii of their spots."""

HALFWAY_ALONG, HALFWAY_ACROSS = 0.2, 0.1
"""How far the middle spot of a row may be from halfway, of half a row: perspective along it, a crooked hand across."""

MOST_ROWS, MOST_PAIRS = 700, 3000
"""Rows and pairs of rows that are looked into, the best ones."""


def rows_of(spots: Blobs) -> NDArray[np.intp]:
    """Rows of three spots (end, middle, end), each way round, the evenest first; shape (n, 3)."""
    xy, radius = spots.xy_px, spots.radius_px
    n = len(xy)
    first, last = np.triu_indices(n, 1)
    length = np.linalg.norm(xy[last] - xy[first], axis=1) / 2
    mean = np.sqrt(radius[first] * radius[last])
    ratio = np.maximum(radius[first], radius[last]) / np.minimum(radius[first], radius[last])
    fit = (ratio < ALIKE) & (length > LEAST_SPACING * mean) & (length < MOST_SPACING * mean)
    first, last, length, mean = first[fit], last[fit], length[fit], mean[fit]
    if len(first) == 0:
        return np.empty((0, 3), np.intp)
    away = (xy[last] - xy[first]) / (2 * length[:, None])
    off = xy[None] - ((xy[first] + xy[last]) / 2)[:, None]
    along = np.abs((off * away[:, None]).sum(2)) / length[:, None]
    across = np.abs(off[..., 0] * away[:, None, 1] - off[..., 1] * away[:, None, 0]) / length[:, None]
    size = np.abs(np.log(radius[None] / mean[:, None])) / np.log(ALIKE)
    crooked = (along / HALFWAY_ALONG) ** 2 + (across / HALFWAY_ACROSS) ** 2
    row, middle = np.nonzero((crooked < 1) & (size < 1))
    order = np.argsort(crooked[row, middle] + 0.5 * size[row, middle] ** 2, kind="stable")[:MOST_ROWS]
    row, middle = row[order], middle[order]
    return np.concatenate(
        [np.column_stack([first[row], middle, last[row]]), np.column_stack([last[row], middle, first[row]])]
    )


@cache
def kinds_of(template: Template) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of rows of a board, of those that differ by a turn one each.

    Returns
    -------
    corners : int array of shape (n, 5)
        Joints of rows that share an end: that end, the middle and the end of the one, those of the other clockwise.
    crosses : int array of shape (m, 5)
        Joints of rows that share their middle: that middle, the two ends of the one, those of the other.
    """
    joints = template.joints
    n = len(joints)
    rows = []
    for a in range(n):
        for b in range(n):
            if a != b:
                near = np.linalg.norm(joints - (joints[a] + joints[b]) / 2, axis=1)
                middle = int(near.argmin())
                if near[middle] < 1e-6 and _linked(template, a, middle) and _linked(template, middle, b):
                    rows.append((a, middle, b))
    corners = [
        (a, m, b, k, c)
        for a, m, b in rows
        for a2, k, c in rows
        if a2 == a and _turns_right(joints[b] - joints[a], joints[c] - joints[a])
    ]
    crosses = [
        (m, a, b, c, d)
        for a, m, b in rows
        for c, k, d in rows
        if k == m and _turns_right(joints[b] - joints[a], joints[d] - joints[c])
    ]
    return _up_to_turns(template, corners), _up_to_turns(template, crosses)


def _linked(template: Template, a: int, b: int) -> bool:
    return bool(((template.links == (a, b)) | (template.links == (b, a))).all(1).any())


def _turns_right(one: Floats, two: Floats) -> bool:
    """Whether the second way lies clockwise of the first (y down), by 20 to 160 degrees."""
    cross = one[0] * two[1] - one[1] * two[0]
    return bool(cross > 0.34 * np.linalg.norm(one) * np.linalg.norm(two))


def _up_to_turns(template: Template, pairs: Sequence[tuple[int, ...]]) -> NDArray[np.intp]:
    kept: list[tuple[int, ...]] = []
    known: set[tuple[int, ...]] = set()
    for pair in pairs:
        if pair in known:
            continue
        kept.append(pair)
        for k in range(template.turns):
            angle = 2 * np.pi * k / template.turns
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            moved = template.joints[list(pair)] @ turn.T
            known.add(tuple(int(np.linalg.norm(template.joints - p, axis=1).argmin()) for p in moved))
    return np.array(kept, np.intp).reshape(-1, 5)


def pairs_of(spots: Blobs, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of rows that share an end, or their middles, as spots in the order of ``kinds_of``."""
    xy = spots.xy_px
    out = []
    for shared in (0, 1):
        found, worse = [], []
        for spot in np.unique(rows[:, shared]):
            place = np.flatnonzero(rows[:, shared] == spot)
            here = rows[place]
            place = place % (len(rows) // 2)  # rows come evenest first, once each way round
            a, b = np.divmod(np.arange(len(here) ** 2), len(here))
            way = xy[here[:, 2]] - xy[here[:, 0]]
            size = np.linalg.norm(way, axis=1)
            cross = way[a, 0] * way[b, 1] - way[a, 1] * way[b, 0]
            ratio = size[a] / size[b]
            good = (cross > 0.3 * size[a] * size[b]) & (ratio > 0.4) & (ratio < 2.5)
            a, b = a[good], b[good]
            worse.append(np.maximum(place[a], place[b]))
            if shared == 0:
                found.append(np.column_stack([here[a], here[b, 1:]]))
            else:
                found.append(np.column_stack([here[a, 1], here[a, 0], here[a, 2], here[b, 0], here[b, 2]]))
        pairs = np.concatenate(found) if found else np.empty((0, 5), np.intp)
        evenness = np.concatenate(worse) if worse else np.empty(0)
        out.append(pairs[np.argsort(evenness, kind="stable")[:MOST_PAIRS]])
    return out[0], out[1]
