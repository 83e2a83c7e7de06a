"""Two looks at resting discs in, log likelihoods of the steps by which each disc has turned out.

The holes of a ring look nearly the same. A rotation by a whole step therefore shows only in what differs from hole to
hole: each hole's own place, shape and depth, the grain, stains and marks of the disc, and the stones that move with it.
Each disc is sampled as a strip around its axle, and compared, part by part, with the strip of the last look shifted by
every number of steps. Light and shadows do not rotate. They multiply the colours of the picture by a factor, so
logarithms are compared, and only their fine detail. A part that fits no rotation (the edge of a shadow, a new stone, a
sleeve) counts little.

A disc that looks the same after a step gives no evidence (``ring_distinctness``) and needs a mark to stick on.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging import cv
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median, percentile
from vision.rotation.disc_geometry import DiscGeometry, fit_disc_geometry

ROTATION_STEPS = (-2, -1, 0, 1, 2)
"""Rotations that are distinguished, steps; +1 is clockwise in a picture that is not mirrored."""

DISC_STRIP_SAMPLES_PER_STEP = 24
"""Samples of a strip from one hole to the next."""

DISC_STRIP_ROWS = 14
"""Samples of a strip across its disc."""

N_RADIAL_PARTS = 3
"""Parts across the disc in which a strip is compared, half a step long."""

MAX_REST_OFFSET_STEPS = 0.3
"""Distance from a whole step from which a ring is still turning, steps: the holes of the rings do not line up."""

MAX_ROTATION_NATS = 8.0
"""Largest log likelihood ratio between two rotations of a ring, nats."""

MAX_MISFIT_RATIO = 30.0
"""Misfit of a part beyond which a worse fit does not count more, as a multiple of the noise."""

NATS_PER_FIT = 0.25
"""Nats for a unit of log fit of a strip; the coarser parts of a frame in motion count twice."""

BREAK_EVEN_GAIN = 0.3
"""Gain in log fit at which rest and rotation are equally likely, as a share of what the strip would gain over its own
rotated copy. Source: measured, 720 pairs of rendered strips: discs at rest gain at least 0.32 of it (median 1.0),
rotated discs at most 0.28 (median -0.3; below -1 except for shadows and rims, which do not rotate)."""

SURE_NATS = 4.0
"""Nats by which the frames in between must prefer one rotation for it to count as seen; so much, at most, two looks at
rest may say against it: shadows' edges deny some by 5. So much should a disc at rest say against a rotation by one
step; with less it is featureless."""

MAX_NOISE_GROWTH = 1.5
"""Largest noise of a look as a multiple of that of earlier looks."""


@dataclass(frozen=True, eq=False)
class DiscStrips:
    """The discs of a board in one picture, each sampled as a strip around its axle.

    A strip is (3, DISC_STRIP_ROWS, n_holes * DISC_STRIP_SAMPLES_PER_STEP): fine detail of log brightness and of two log
    colour ratios; the first row is the outermost.
    """

    rings: tuple[Float32Array, ...]
    discs: DiscGeometry  # the plane in which they were sampled
    offset_steps: Float64Array  # (n_rings,), from a whole step, -0.5 to 0.5; the first look defines these
    noise: Float64Array  # (n_rings,), misfit of a part at rest; infinite before a ring was seen twice


@dataclass(frozen=True, eq=False)
class RingRotation:
    """The rotation of each ring from one look to another."""

    log_likelihood: Float64Array  # (n_rings, n_steps), nats; 0 for the likeliest, at least ``-MAX_ROTATION_NATS``
    offset_steps: Float64Array  # (n_rings,), what remains beyond the likeliest steps, -0.5 to 0.5
    noise: Float64Array  # (n_rings,), misfit of a part in which nothing has changed


def unroll_discs(bgr: Image, field: Field, discs: DiscGeometry | None = None) -> DiscStrips:
    """Sample every disc of a field, in a plane that is fitted when omitted, as a strip on a whole step."""
    discs = fit_disc_geometry(field) if discs is None else discs
    n_samples = len(field.board.rings[0]) * DISC_STRIP_SAMPLES_PER_STEP
    angles_rad = 2 * np.pi * np.arange(n_samples) / n_samples
    strips = []
    for places in discs.strip_places(field, DISC_STRIP_ROWS, angles_rad):
        step_px = float(median(np.linalg.norm(np.diff(places, axis=1), axis=2)))
        smooth, (x, y) = _smoothed_around(bgr, places, step_px / 2) if step_px > cv.COARSE_STEP_PX else (bgr, (0, 0))
        strip = cv2.remap(
            smooth, places[..., 0] - x, places[..., 1] - y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        strips.append(fine_detail(np.asarray(strip, np.uint8), DISC_STRIP_SAMPLES_PER_STEP))
    return DiscStrips(tuple(strips), discs, np.zeros(len(strips)), np.full(len(strips), np.inf))


def _smoothed_around(bgr: Image, places_px: Float32Array, sigma_px: float) -> tuple[Image, tuple[int, int]]:
    """Return a part of a picture that holds some places, smoothed, and where its upper left corner lies."""
    margin = int(4 * sigma_px) + 2  # wider than the filter, so that cutting changes nothing
    size = np.array((bgr.shape[1], bgr.shape[0]))
    x0, y0 = np.clip(places_px.reshape(-1, 2).min(axis=0).astype(int) - margin, 0, size - 1).tolist()
    x1, y1 = np.clip(places_px.reshape(-1, 2).max(axis=0).astype(int) + margin + 1, 1, size).tolist()
    part = bgr[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
    return np.asarray(cv2.GaussianBlur(part, (0, 0), sigma_px), np.uint8), (x0, y0)


def fine_detail(strip: Image, samples_per_step: int) -> Float32Array:
    """Return brightness and colour of a strip less their local mean, which removes the light, (3, rows, n)."""
    log = np.log(strip.astype(np.float32) + 8)
    level = log.mean(axis=2)
    layers = np.stack([level, log[..., 0] - level, log[..., 2] - level])
    pad, size = samples_per_step, (2 * (samples_per_step // 2) + 1, strip.shape[0] | 1)
    around = np.concatenate([layers[..., -pad:], layers, layers[..., :pad]], axis=2)
    slow = np.stack([cv2.blur(np.ascontiguousarray(layer), size) for layer in around])
    return np.asarray(np.clip(layers - slow[..., pad:-pad], -0.5, 0.5), np.float32)


def measure_rotation(before: DiscStrips, now: DiscStrips, in_motion: Float64Array | None = None) -> RingRotation:
    """Return by how much each ring has turned between two looks at rest at one field.

    ``in_motion`` is ``angle_in_motion.rotation_log_posterior`` of the frames in between. Raises ``ValueError`` when the
    strips are not of one board.
    """
    if [s.shape for s in before.rings] != [s.shape for s in now.rings]:
        raise ValueError("strips must be of one board")
    reach, n_rings = DISC_STRIP_SAMPLES_PER_STEP // 2, len(now.rings)  # half a step
    nats, offset, noises = (np.zeros(shape) for shape in ((n_rings, len(ROTATION_STEPS)), n_rings, n_rings))
    zero = ROTATION_STEPS.index(0)
    for ring, (strip, after) in enumerate(zip(before.rings, now.rings, strict=True)):
        misfit = _misfits(strip, after, reach)
        # Parts of a ring at rest differ by noise alone; those of a rotated one by more than was known before.
        noise = noises[ring] = min(
            float(percentile(misfit[zero, reach], 25)) + 1e-3, MAX_NOISE_GROWTH * float(before.noise[ring])
        )
        fits = _log_fits(misfit, noise).max(axis=1)
        nats[ring] = NATS_PER_FIT * (fits - fits[zero] + BREAK_EVEN_GAIN * _gain_over_rotated(strip, noise))
        nats[ring, zero] = 0.0
        nats[ring] = np.maximum(nats[ring] - nats[ring].max(), -MAX_ROTATION_NATS)
        if in_motion is not None:
            certain = np.sort(in_motion[ring])[-2] < -SURE_NATS
            least = -SURE_NATS if certain else -np.inf
            nats[ring] = np.maximum(nats[ring] - nats[ring].max(), least) + in_motion[ring]
        nats[ring] = np.maximum(nats[ring] - nats[ring].max(), -MAX_ROTATION_NATS)
        best = int(nats[ring].argmax())
        rough = int(_log_fits(misfit[best], noise).argmax())
        fitting = misfit[best, rough] <= median(misfit[best, rough])
        samples = ROTATION_STEPS[best] * DISC_STRIP_SAMPLES_PER_STEP + rough - reach
        fine = _subsample_shift(strip, after, samples, fitting)
        offset[ring] = (rough - reach + fine) / DISC_STRIP_SAMPLES_PER_STEP
    return RingRotation(nats, offset, noises)


def ring_distinctness(strips: DiscStrips) -> Float64Array:
    """Return each resting ring's evidence against a rotation by one step, nats; inf while the noise is unknown."""
    nats = np.full(len(strips.rings), np.inf)
    for ring, (strip, noise) in enumerate(zip(strips.rings, strips.noise, strict=True)):
        if np.isfinite(noise):
            gain = _gain_over_rotated(strip, float(noise))[[ROTATION_STEPS.index(-1), ROTATION_STEPS.index(1)]].min()
            nats[ring] = NATS_PER_FIT * (1 - BREAK_EVEN_GAIN) * float(gain)
    return nats


def featureless_rings(strips: DiscStrips) -> tuple[int, ...]:
    """Return the rings, 0 outermost, that look too much the same all around for a rotation to show."""
    return tuple(int(ring) for ring in np.flatnonzero(ring_distinctness(strips) < SURE_NATS))


def mark_advice(strips: DiscStrips) -> str | None:
    """Return which discs need a mark to stick on, and why, as a sentence; None where every rotation can be seen."""
    rings = [name for ring, name in enumerate(("outer", "middle", "inner")) if ring in featureless_rings(strips)]
    if not rings:
        return None
    one = len(rings) == 1
    discs = f"{rings[0]} disc looks" if one else f"{', '.join(rings[:-1])} and {rings[-1]} discs look"
    where = f"on {'it' if one else 'each'}, between two holes"
    return f"the {discs} the same all around: stick a small mark {where}, or a turn that a hand hides may not be seen"


def _misfits(a: Float32Array, b: Float32Array, reach: int) -> Float32Array:
    """Return the squared differences of every part after every rotation, shape (n_steps, 2 * reach + 1, n_parts)."""
    n, turns = a.shape[2], np.array(ROTATION_STEPS)[:, None] * DISC_STRIP_SAMPLES_PER_STEP
    turned = turns + np.arange(-reach, reach + 1)
    columns = (np.arange(n) - turned.reshape(-1, 1)) % n
    inner = _by_radial_part(b[:, 1:-1])
    squares = _squares(_by_radial_part(a[:, 1:-1]), inner, columns)  # rims show the next disc
    return squares.reshape(*turned.shape, -1)


def _by_radial_part(strip: Float32Array) -> Float32Array:
    """Return a strip (3, rows, n) as what each radial part shows along the ring, (N_RADIAL_PARTS, m, n)."""
    parts = strip.reshape(len(strip), N_RADIAL_PARTS, -1, strip.shape[2])
    return parts.swapaxes(0, 1).reshape(N_RADIAL_PARTS, -1, strip.shape[2])


def _squares(a: Float32Array, b: Float32Array, columns: NDArray[np.intp]) -> Float32Array:
    """Return the squared differences of the parts of ``b`` from columns (n_turns, n) of ``a``, (n_turns, n_parts)."""
    n = b.shape[2]
    along_a, step = np.ascontiguousarray(-2 * a.swapaxes(1, 2)), DISC_STRIP_SAMPLES_PER_STEP
    # By steps: OpenBLAS shares larger products among threads (``stroke_fit.SAMPLES_AT_ONCE``).
    apart = np.concatenate([along_a[:, k : k + step] @ b for k in range(0, n, step)], axis=1)
    apart += (a**2).sum(1)[:, :, None]
    apart += (b**2).sum(1)[:, None]
    along = apart.reshape(len(a), -1).take(columns * n + np.arange(n), axis=1)
    width = DISC_STRIP_SAMPLES_PER_STEP // 2
    parts = along.reshape(len(a), len(columns), -1, width).sum(axis=3).swapaxes(0, 1)
    return np.asarray(np.maximum(parts, 0).reshape(len(columns), -1), np.float32)


def _log_fits(misfit: Float32Array, noise: float) -> Float64Array:
    """Return the log fit of all parts together for every rotation and offset, shape (..., n_offsets)."""
    return np.asarray(-0.5 * np.log1p(np.minimum(misfit / noise, MAX_MISFIT_RATIO)).sum(axis=-1), np.float64)


def _gain_over_rotated(strip: Float32Array, noise: float) -> Float64Array:
    """Return the gain in fit of a strip over its copy rotated by each number of steps; (len(ROTATION_STEPS),)."""
    fits = _log_fits(_misfits(strip, strip, 0) + noise, noise)[:, 0]
    return np.asarray(fits[ROTATION_STEPS.index(0)] - fits, np.float64)


def _subsample_shift(a: Float32Array, b: Float32Array, samples: int, fitting: NDArray[np.bool_]) -> float:
    """Return the part of a sample by which ``b`` is shifted beyond the whole samples, from the parts that fit."""
    width, thick = DISC_STRIP_SAMPLES_PER_STEP // 2, (DISC_STRIP_ROWS - 2) // N_RADIAL_PARTS
    mask = np.repeat(np.repeat(fitting.reshape(N_RADIAL_PARTS, -1), width, axis=1), thick, axis=0)
    rolled = np.roll(a, samples, axis=2)
    slope = ((np.roll(rolled, -1, axis=2) - np.roll(rolled, 1, axis=2)) / 2)[:, 1:-1]
    difference = (b - rolled)[:, 1:-1]
    steep = float((slope * slope * mask).sum())
    return float(np.clip(-(slope * difference * mask).sum() / max(steep, 1e-6), -1.0, 1.0))
