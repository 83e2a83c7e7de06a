"""Turning rings: how far each disc has turned since the last settled look.

The holes of a ring look nearly alike, so a turn by a whole step shows in what is not the same from hole to hole: each
hole's own place, shape and depth, the grain, stains and marks of the disc, and the stones that ride on it. Each disc is
unrolled into a strip about its axle, and the strip of this look is compared, part by part, with that of the last one
turned by every number of steps. Light and shadows do not turn: they differ from disc to picture by a factor, so logs
are compared, finely, and a part that fits nowhere (a shadow's edge, a stone laid, a sleeve) says little.

How much a strip can say is measured on itself: a disc that looks the same after a step says nothing, and is given a
mark to stick on (``tells_itself``).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Image
from vision.imaging.homography import Floats, apply_homography
from vision.rotation.disc_geometry import Discs, fit_discs

Strip = NDArray[np.float32]

STEPS = (-2, -1, 0, 1, 2)
"""Turns that are told apart, in steps, +1 clockwise as seen in the picture (where nothing is mirrored)."""

SAMPLES_PER_STEP = 24
"""Samples of a strip from one hole to the next."""

ROWS = 14
"""Samples of a strip across its disc."""

REACH = 0.42
"""How far a strip reaches to both sides of its holes, in distances to the next ring: short of the next disc's rim."""

ZONES, PARTS_PER_STEP = 3, 2
"""A strip is judged in so many parts across, and along one step."""

OFF_STEP = 0.3
"""Steps off a step from which a ring is taken to be on its way: the holes of the three rings do not line up."""

PART_OFF = 1
"""Samples by which a part may lie elsewhere than the whole: planes are fitted to a pixel or two."""

MOST_OFF = 0.5
"""Steps by which a ring may have stopped off a step."""

STOPS_OFF = 0.15
"""Steps by which it usually has (standard deviation): what is believed where no part of the disc fits anywhere."""

CLIP = 8.0
"""Most nats by which one turn of a ring may be preferred to another."""

MISFIT = 30.0
"""Multiples of the noise from which a part that fits worse does not speak against a turn any more."""

WORTH, EVEN = 0.25, 0.3
"""Nats for a unit of log-fit, and the share of what a resting disc gains over a turned one at which both are equally
likely: of 720 pairs of rendered strips, resting discs gain at least 0.32 of it (1.0 in the median), turned ones at
most 0.28 (-0.3 in the median; below -1 but for shadows and rims, which stay where they were)."""

MARK_NATS, MARK_ALIKE = 10.0, 0.6
"""Nats for a turn by which a mark has gone from one gap between holes and come to another, and how alike both must be:
of 344 drawn pairs of looks at resting rings, half of them with marks, none shows that, of 25 at turned ones with marks
15 do, all with the right number of steps."""

GAP, MARK_ASIDE = 3, 4
"""Samples to both sides of the middle between two holes that count as their gap, and by which a ring may have stopped
elsewhere."""

GONE, LEAST_GONE = 20.0, 0.1
"""Multiple of the median gap's change, and sum of squares, from which something has gone from a gap, or come."""

SEEN, DECEIVED = 5.0, 3.0
"""Nats by which a ring must have been seen to turn, or to rest, on its way, and most nats that two looks at rest may
say then: the edges of shadows made them deny two of 33 turns of plain rings, by 5 nats."""

MORE_NOISE = 1.5
"""Times the noise of earlier looks that a later one may have."""

TELLS = 4.0
"""Nats by which a resting disc should tell that it has not turned by a step; else it is too plain to be followed."""


@dataclass(frozen=True, eq=False)
class Strips:
    """The discs of a board unrolled.

    Attributes
    ----------
    rings : tuple of float32 arrays of shape (3, ROWS, n_holes * SAMPLES_PER_STEP)
        Fine detail of log brightness and of two log colours; the first row is the outermost.
    discs : Discs
        Where they were unrolled.
    off : float64 array of shape (n_rings,)
        How far each ring lay off a step then, -0.5 to 0.5, the first look being taken for on it.
    noise : float64 array of shape (n_rings,)
        Misfit of a part between two looks at each ring at rest; infinite before it was seen twice.
    """

    rings: tuple[Strip, ...]
    discs: Discs
    off: Floats
    noise: Floats


@dataclass(frozen=True, eq=False)
class Turning:
    """How far rings have turned from one look to another.

    Attributes
    ----------
    nats : float64 array of shape (n_rings, len(STEPS))
        Log-likelihood of every number of steps; 0 for the likeliest, at least -CLIP.
    off : float64 array of shape (n_rings,)
        Part of a step by which each ring lies elsewhere than the likeliest number of steps says, -0.5 to 0.5.
    noise : float64 array of shape (n_rings,)
        Misfit of a part that is noise alone.
    """

    nats: Floats
    off: Floats
    noise: Floats


def unroll(bgr: Image, field: Field, discs: Discs | None = None) -> Strips:
    """Cut every disc of a field out of a picture.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    field : Field
        Of a board with rings, image space.
    discs : Discs, optional
        The plane in which they turn; fitted to the field when omitted.

    Returns
    -------
    Strips
        Nothing is known of noise yet, and the rings are taken for on a step.
    """
    discs = fit_discs(field) if discs is None else discs
    n_samples = len(field.board.rings[0]) * SAMPLES_PER_STEP
    angle = 2 * np.pi * np.arange(n_samples) / n_samples
    spoke = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    matrix, radii = discs.image_from_disc(field), discs.radii
    strips = []
    for k, radius in enumerate(radii):
        gap = float(np.abs(np.delete(radii, k) - radius).min())
        across = radius + REACH * gap * np.linspace(1, -1, ROWS)
        places = apply_homography(matrix, across[:, None, None] * spoke).astype(np.float32)
        step_px = float(np.median(np.linalg.norm(np.diff(places, axis=1), axis=2)))
        # Coarse steps over a fine picture would pick single threads and grains of noise: average them away first.
        smooth = cv2.GaussianBlur(bgr, (0, 0), 0.45 * step_px) if step_px > 1.2 else bgr
        seen = cv2.remap(smooth, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        strips.append(_detail(np.log(seen.astype(np.float32) + 8)))
    return Strips(tuple(strips), discs, np.zeros(len(radii)), np.full(len(radii), np.inf))


def _detail(log: NDArray[np.float32]) -> Strip:
    """What changes from hole to hole, of brightness and of colour, without the light on it; strong edges held down."""
    level = log.mean(axis=2)
    layers = np.stack([level, log[..., 0] - level, log[..., 2] - level])
    pad = SAMPLES_PER_STEP
    around = np.concatenate([layers[..., -pad:], layers, layers[..., :pad]], axis=2)
    size = (2 * (SAMPLES_PER_STEP // 2) + 1, ROWS | 1)
    slow = np.stack([cv2.blur(np.ascontiguousarray(layer), size) for layer in around])
    return np.asarray(np.clip(layers - slow[..., pad:-pad], -0.5, 0.5), np.float32)


def turned(before: Strips, now: Strips, on_the_way: Floats | None = None) -> Turning:
    """Say how far each ring has turned.

    Parameters
    ----------
    before, now : Strips
        Of the same field.
    on_the_way : float64 array of shape (n_rings, len(STEPS)), optional
        What was seen of it in between, nats (``underway.told_steps``).

    Returns
    -------
    Turning

    Raises
    ------
    ValueError
        When the strips are not of one board.
    """
    if [s.shape for s in before.rings] != [s.shape for s in now.rings]:
        raise ValueError("strips must be of one board")
    reach = round(MOST_OFF * SAMPLES_PER_STEP)
    nats, off, noises = (np.zeros(shape) for shape in ((len(now.rings), len(STEPS)), len(now.rings), len(now.rings)))
    zero = STEPS.index(0)
    for ring, (strip, after) in enumerate(zip(before.rings, now.rings, strict=True)):
        misfit = _misfits(strip, after, reach)
        # Parts of a resting ring differ by noise alone; those of one that has turned by more than was known before.
        noise = noises[ring] = min(_quiet(misfit[zero, reach]), MORE_NOISE * float(before.noise[ring]))
        fits = _fits(misfit, noise).max(axis=1)
        nats[ring] = WORTH * (fits - fits[zero] + EVEN * _own_gain(strip, noise))
        nats[ring, zero] = 0.0
        nats[ring] = np.maximum(nats[ring] - nats[ring].max(), -CLIP)
        nats[ring] += MARK_NATS * (_mark_moved(strip, after) > MARK_ALIKE)
        if on_the_way is not None:
            surely = np.sort(on_the_way[ring])[-2] < -SEEN
            least = -DECEIVED if surely else -np.inf
            nats[ring] = np.maximum(nats[ring] - nats[ring].max(), least) + on_the_way[ring]
        nats[ring] = np.maximum(nats[ring] - nats[ring].max(), -CLIP)
        best = int(nats[ring].argmax())
        usual = -0.5 * (np.arange(-reach, reach + 1) / (STOPS_OFF * SAMPLES_PER_STEP)) ** 2
        rough = int((_fits(misfit[best][None], noise, part_off=0)[0] + usual).argmax())
        fitting = misfit[best, rough] <= np.median(misfit[best, rough])
        samples = STEPS[best] * SAMPLES_PER_STEP + rough - reach
        off[ring] = (rough - reach + _rest_of_turn(strip, after, samples, fitting)) / SAMPLES_PER_STEP
    return Turning(nats, off, noises)


def _mark_moved(before: Strip, now: Strip) -> Floats:
    """How like what has come between two holes is to what has gone between those so many steps away, 0 to 1.

    Shadows stay where they are and are gone from the difference of two looks, which leaves a mark twice: where it was
    and where it is. Stones lie in holes, hardly between them. Shape (len(STEPS),).
    """
    difference = now - before
    gaps = [np.arange(k, k + 2 * GAP + 1) + SAMPLES_PER_STEP // 2 - GAP
            for k in range(0, before.shape[2], SAMPLES_PER_STEP)]  # fmt: skip
    changed = np.array([(difference[:, 1:-1, gap] ** 2).sum() for gap in gaps])
    strong = changed > np.maximum(GONE * np.median(changed), LEAST_GONE)
    rougher = np.array([_rough(before[..., gap]) / (_rough(now[..., gap]) + 1e-6) for gap in gaps])
    alike = np.zeros(len(STEPS))
    for gone in np.flatnonzero(strong & (rougher > 2)):
        blob = difference[:, 1:-1, gaps[gone]]
        for i, step in enumerate(STEPS):
            come = (gone + step) % len(gaps)
            if strong[come] and rougher[come] < 0.5:
                alike[i] = max(alike[i], -_least_product(blob, difference, gaps[come]))
    return alike


def _rough(window: Strip) -> float:
    """Detail that is finer than a shadow's edge."""
    return float((np.diff(window, 2, axis=2) ** 2).sum() + (np.diff(window, 2, axis=1) ** 2).sum())


def _least_product(blob: Strip, difference: Strip, gap: NDArray[np.intp]) -> float:
    """The most negative cosine of a blob and what lies in a gap, a few samples and a row aside."""
    least, size = 0.0, float(np.linalg.norm(blob))
    for aside in range(-MARK_ASIDE, MARK_ASIDE + 1):
        columns = difference[..., (gap + aside) % difference.shape[2]]
        for row in range(3):
            other = columns[:, row : row + ROWS - 2]
            least = min(least, float((blob * other).sum()) / (size * float(np.linalg.norm(other)) + 1e-9))
    return least


def tells_itself(strips: Strips) -> Floats:
    """Say how surely each ring will tell that it has not turned by a step.

    Parameters
    ----------
    strips : Strips
        With ``noise`` known; without stones, best of all.

    Returns
    -------
    float64 array of shape (n_rings,)
        Nats; a ring below ``TELLS`` is too plain and needs a mark. Infinite while the noise is not known.
    """
    told = np.full(len(strips.rings), np.inf)
    for ring, (strip, noise) in enumerate(zip(strips.rings, strips.noise, strict=True)):
        if np.isfinite(noise):
            gain = _own_gain(strip, float(noise))[[STEPS.index(-1), STEPS.index(1)]].min()
            told[ring] = WORTH * (1 - EVEN) * float(gain)
    return told


def plain_rings(strips: Strips) -> tuple[int, ...]:
    """The rings, 0 outermost, that look too much the same all around to be seen turning: they need a mark."""
    return tuple(int(ring) for ring in np.flatnonzero(tells_itself(strips) < TELLS))


def mark_needed(strips: Strips) -> str | None:
    """Which discs need a mark to stick on, and why, as a sentence; None where each can be seen turning."""
    rings = [name for ring, name in enumerate(("outer", "middle", "inner")) if ring in plain_rings(strips)]
    if not rings:
        return None
    one = len(rings) == 1
    discs = f"{rings[0]} disc looks" if one else f"{', '.join(rings[:-1])} and {rings[-1]} discs look"
    where = f"on {'it' if one else 'each'}, between two holes"
    return f"the {discs} the same all around: stick a small mark {where}, or a turn that a hand hides may not be seen"


def _quiet(misfit: NDArray[np.float32]) -> float:
    """Misfit of parts in which nothing has changed: a quarter of them at least."""
    return float(np.quantile(misfit, 0.25)) + 1e-3


def _misfits(a: Strip, b: Strip, reach: int, steps: tuple[int, ...] = STEPS) -> NDArray[np.float32]:
    """Squared differences of every part after every turn, shape (n_steps, 2 * reach + 1, n_parts)."""
    n = a.shape[2]
    around = np.concatenate([a, a, a], axis=2)
    inner = b[:, 1:-1]
    out = np.empty((len(steps), 2 * reach + 1, ZONES * PARTS_PER_STEP * n // SAMPLES_PER_STEP), np.float32)
    for i, step in enumerate(steps):
        for j in range(2 * reach + 1):
            first = n - step * SAMPLES_PER_STEP - (j - reach)
            turned_by = around[..., first : first + n]
            # Discs lie on each other and planes are fitted: a row further out or in may fit better.
            sums = [_of_parts(inner - turned_by[:, row : row + ROWS - 2]) for row in range(3)]
            out[i, j] = np.minimum(np.minimum(sums[0], sums[1]), sums[2])
    return out


def _of_parts(difference: Strip) -> NDArray[np.float32]:
    """Sum of squares of each part, shape (n_parts,)."""
    squares = np.einsum("cra,cra->ra", difference, difference)
    width = SAMPLES_PER_STEP // PARTS_PER_STEP
    return np.asarray(squares.reshape(ZONES, -1, squares.shape[1] // width, width).sum(axis=(1, 3)).reshape(-1))


def _fits(misfit: NDArray[np.float32], noise: float, part_off: int = PART_OFF) -> Floats:
    """Log-fit of all parts together for every turn and offset, shape (n_steps, n_offsets)."""
    best = misfit.copy()
    for away in range(1, part_off + 1):
        best[:, away:] = np.minimum(best[:, away:], misfit[:, :-away])
        best[:, :-away] = np.minimum(best[:, :-away], misfit[:, away:])
    return np.asarray(-0.5 * np.log1p(np.minimum(best / noise, MISFIT)).sum(axis=2), np.float64)


def _own_gain(strip: Strip, noise: float) -> Floats:
    """How much better a strip fits itself as it is than turned by each number of steps, shape (len(STEPS),)."""
    misfit = _misfits(strip, strip, PART_OFF)
    fits = _fits(misfit + noise, noise)[:, PART_OFF]
    return np.asarray(fits[STEPS.index(0)] - fits, np.float64)


def _rest_of_turn(a: Strip, b: Strip, samples: int, fitting: NDArray[np.bool_]) -> float:
    """Part of a sample by which ``b`` is turned further than ``a`` turned by whole samples, by the parts that fit."""
    width, thick = SAMPLES_PER_STEP // PARTS_PER_STEP, (ROWS - 2) // ZONES
    mask = np.repeat(np.repeat(fitting.reshape(ZONES, -1), width, axis=1), thick, axis=0)
    rolled = np.roll(a, samples, axis=2)
    slope = ((np.roll(rolled, -1, axis=2) - np.roll(rolled, 1, axis=2)) / 2)[:, 1:-1]
    difference = (b - rolled)[:, 1:-1]
    steep = float((slope * slope * mask).sum())
    return float(np.clip(-(slope * difference * mask).sum() / max(steep, 1e-6), -1.0, 1.0))
