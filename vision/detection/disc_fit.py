"""Three rings of holes fitted to the very holes: plane, widths and turns together, then each hole for itself.

Thirty holes fix thirteen numbers (a plane, two widths, three turns) many times over, so that a few stones that lie
beside the middle of their holes, and holes that a hand or a shadow hides, do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.circle_centres import middles, votes
from vision.detection.line_filter import Floats as Floats32
from vision.detection.template_search import SIDE_PX
from vision.imaging import cv
from vision.imaging.frame import Image
from vision.imaging.homography import Floats, apply_homography

OUTER_PX = 84.0
"""Radius of the outermost ring in the patch in which rings are fitted."""

HOLE_RADII_PX = (4.0, 5.0, 6.5, 8.0, 10.0, 12.0, 14.5)
"""Radii of holes that are tried there: 5 to 17 % of the outermost ring."""

REACHES = (0.5, 0.42, 0.34, 0.27, 0.22)
"""How far a hole is sought from its place, in distances of neighbours on its ring."""

CROOKED_PX = 1.2
"""Typical distance of a hole from where its ring puts it: hand-made discs are 1 to 2 % off."""

WIDE = 0.42
"""How far from its place the strongest middle is sought when it is asked whether there are rings at all."""

SPOT_PX = 2.0
"""Typical distance of that middle from its place if there are."""

BRIDGE_NATS = 3.0
"""Nats against holes for each place halfway between two that looks like a hole, too."""

STONE_BESIDE = 0.2
"""How many holes show something else: a stone that lies beside its middle, a hand, a shadow."""

COLD_RIM = 0.1
"""How much rims count round what does not look like a hole at all; those round a clear one count about 0.6."""

USUAL_RADII, RADII_SIGMA = (0.69, 0.4), (0.04, 0.05)
"""Radii of the middle and the inner ring of the usual drawing, outer ring 1, and how much they differ."""

STIFF = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.25, 0.25, 0.12, 0.12, 0.3, 0.3, 0.3, 0.12, 0.12, 0.12, 0.12)
"""How far the numbers may stray in one step: six of the affinity and two of the perspective, two widths, three turns in
steps of a hole, and the middles of the two inner rings: discs lie on each other, so the inner ones lie higher."""


@dataclass(frozen=True, eq=False)
class Rings:
    """Three rings of holes.

    Attributes
    ----------
    image_from_wheel : float64 array of shape (3, 3)
        From the wheel's plane, in which the outermost ring has radius 1.
    radii, phases_rad : float64 arrays of shape (3,)
        Outermost first; the angle of the first hole clockwise from the top.
    holes_px : float64 array of shape (3, n, 2)
        Each where it is, image space.
    strength : float64 array of shape (3, n)
        Votes for each hole, about 1 for a whole clear rim.
    idle : float64 array of shape (3, n)
        Votes halfway between the holes of a ring.
    nats : float
        How much likelier the middles nearby are if these are rings of holes than if they were strewn.
    """

    image_from_wheel: Floats
    radii: Floats
    phases_rad: Floats
    holes_px: Floats
    strength: Floats
    idle: Floats
    nats: float


@dataclass(frozen=True, eq=False)
class Wheel3:
    """What fixes the holes of three rings but for the plane: widths, middles and turns, outermost first."""

    radii: Floats
    middles: Floats
    phases_rad: Floats

    def places(self, n: int, later: float = 0.0) -> Floats:
        """Holes in the wheel's plane, (3, n, 2); those ``later`` by a part of a step are no holes."""
        angle = self.phases_rad[:, None] + (np.arange(n) + later) * (2 * np.pi / n)
        round_middle = self.radii[:, None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1)
        out: Floats = round_middle + self.middles[:, None]
        return out


def fit_rings(
    bgr: Image,
    image_from_wheel: Floats,
    radii: Floats,
    phases_rad: Floats,
    n: int,
    warm: tuple[Floats32, Floats] | None = None,
) -> Rings:
    """Fit rings that are roughly known to the holes and stones nearby.

    ``warm`` is how much each place of another patch looks like a hole, 0 to 1, with its image_from_patch: rims that are
    round nothing of the kind then count less.
    """
    h = image_from_wheel @ np.diag([radii[0], radii[0], 1.0])
    rings = Wheel3(radii / radii[0], np.zeros((3, 2)), phases_rad)
    middle = (SIDE_PX - 1) / 2
    patch_from_wheel = np.array([[OUTER_PX, 0, middle], [0, OUTER_PX, middle], [0, 0, 1.0]])
    found, strength, cast = np.zeros((3, n, 2)), np.zeros((3, n)), np.zeros((1, 1, 1), np.float32)
    image_from_patch, plane, size = h, patch_from_wheel, 0
    for look, reach in enumerate(REACHES):
        if look in (0, 2, 4):
            image_from_patch = h @ np.linalg.inv(patch_from_wheel)
            plane = patch_from_wheel
            radii_px = HOLE_RADII_PX if look == 0 else HOLE_RADII_PX[max(0, size - 1) : size + 2]
            cast = without_rims(votes(cv.warp(bgr, image_from_patch, SIDE_PX), radii_px))
            if warm is not None:
                here = np.linalg.inv(image_from_patch) @ warm[1]
                cast = cast * (COLD_RIM + cv2.warpPerspective(warm[0], here, (SIDE_PX, SIDE_PX)))
            if look == 0:
                size = _hole_size(cast, apply_homography(plane, rings.places(n)))
                cast = cast[max(0, size - 1) : size + 2]
        found, strength = _nearby(cast, apply_homography(plane, rings.places(n)), reach)
        for _ in range(3):
            plane, rings = _step(plane, rings, found, strength, n, CROOKED_PX * (3 if look == 0 else 1.5))
        h = image_from_patch @ plane
    at = apply_homography(plane, rings.places(n))
    off = np.linalg.norm(found - at, axis=2) / CROOKED_PX
    trust = strength / (strength + 0.4 * np.median(strength)) / (1 + (off / 2) ** 2)
    holes = at + trust[..., None] * (found - at)
    idle = _nearby(cast, apply_homography(plane, rings.places(n, 0.5)), REACHES[-1])[1]
    nats = _evidence(cast, at) - _bridged(cast, at, strength)
    holes_px = apply_homography(image_from_patch, holes)
    return Rings(h / h[2, 2], rings.radii, rings.phases_rad, holes_px, strength, idle, nats)


def first_nats(
    cast: Floats32, patch_from_wheel: Floats, radii: Floats, phases_rad: Floats, n: int
) -> tuple[float, Floats, Wheel3]:
    """Nats for rings near rough ones in votes that were cast for something else, their plane, and the rings.

    The plane is ``patch_from_wheel`` made better, with radius 1 for the outermost ring.
    """
    plane, rings = (
        patch_from_wheel @ np.diag([radii[0], radii[0], 1.0]),
        Wheel3(radii / radii[0], np.zeros((3, 2)), phases_rad),
    )
    for reach in REACHES[::2]:
        found, strength = _nearby(cast, apply_homography(plane, rings.places(n)), reach)
        for _ in range(2):
            plane, rings = _step(plane, rings, found, strength, n, 2 * CROOKED_PX)
    return _evidence(cast, apply_homography(plane, rings.places(n))), plane, rings


def _evidence(cast: Floats32, at: Floats) -> float:
    """Nats for rings against strewn middles: sought within a wide reach, the strongest one lies where it should."""
    found, _ = _nearby(cast, at, WIDE)
    apart = np.linalg.norm(at - np.roll(at, 1, axis=1), axis=2)
    off = np.linalg.norm(found - at, axis=2)
    odds = (WIDE * apart / SPOT_PX) ** 2 / 2 * np.exp(-0.5 * (off / SPOT_PX) ** 2)
    return float(np.log(STONE_BESIDE + (1 - STONE_BESIDE) * odds).sum())


def _bridged(cast: Floats32, at: Floats, strength: Floats) -> float:
    """Nats against rings between which there is as much as on them: spokes of a wheel that is drawn, no holes."""
    halfway = (at[1:] + at[:-1]) / 2
    against = 0.0
    for k in range(2):
        # Discs may be turned against each other: each hole is bridged to the nearest one further in.
        nearest = np.linalg.norm(at[k][:, None] - at[k + 1][None], axis=2).argmin(1)
        halfway[k] = (at[k] + at[k + 1][nearest]) / 2
        between = _nearby(cast, halfway[k][None], 0.15)[1][0]
        on = np.maximum(np.minimum(strength[k], strength[k + 1][nearest]), 0.7 * np.median(strength)) + 0.1
        against += float(np.clip((between / on - 0.4) / 0.4, 0, 1).sum())
    return BRIDGE_NATS * against


def without_rims(cast: Floats32) -> Floats32:
    """Votes less what the same distance from the middle has all around: rims of the discs are no holes."""
    middle = (SIDE_PX - 1) / 2
    row, column = np.mgrid[0:SIDE_PX, 0:SIDE_PX]
    distance = np.hypot(row - middle, column - middle)
    n = SIDE_PX // 2
    polar_size = (n, 180)
    out = []
    for layer in cast:
        unrolled = cv2.warpPolar(layer, polar_size, (middle, middle), n, cv2.INTER_LINEAR)
        usual = np.median(unrolled, axis=0)
        out.append(layer - np.interp(distance, np.arange(n), usual))
    return np.asarray(np.maximum(np.stack(out), 0), dtype=np.float32)


def _hole_size(cast: Floats32, at: Floats) -> int:
    total = [_nearby(layer[None], at, REACHES[0])[1].mean() for layer in cast]
    return int((np.array(total) * np.power(HOLE_RADII_PX, 0.85)).argmax())


def _nearby(cast: Floats32, at: Floats, reach: float) -> tuple[Floats, Floats]:
    """The strongest middle near each place, (3, n, 2), and its votes."""
    apart = np.linalg.norm(at - np.roll(at, 1, axis=1), axis=2)
    near = reach * np.minimum(apart, np.roll(apart, -1, axis=1)).ravel()
    xy, strength = middles(cast, at.reshape(-1, 2), near)
    best = strength.argmax(0)
    k = np.arange(xy.shape[1])
    return xy[best, k].reshape(at.shape), strength[best, k].reshape(at.shape[:2])


def _step(
    plane: Floats, rings: Wheel3, found: Floats, strength: Floats, n: int, sigma_px: float
) -> tuple[Floats, Wheel3]:
    """One step of robust least squares on plane, widths, middles and turns."""
    here, jacobian = _places_and_slopes(plane, rings, n)
    off = found.ravel() - here
    distance = np.repeat(np.linalg.norm(off.reshape(-1, 2), axis=1), 2)
    usual = np.median(strength) + 1e-6
    weight = np.repeat(np.minimum(strength.ravel() / usual, 1.5), 2) / (1 + (distance / (2 * sigma_px)) ** 2)
    prior = np.diag(1 / np.square(0.2 * np.array(STIFF)))
    # Widths are drawn to the usual ones and middles to the common one, whatever earlier steps did.
    pull = np.zeros(len(STIFF))
    for ring, (usual_radius, sigma) in enumerate(zip(USUAL_RADII, RADII_SIGMA, strict=True), start=1):
        firm = (rings.radii[ring] / sigma) ** 2
        prior[7 + ring, 7 + ring] += firm
        pull[7 + ring] = firm * (usual_radius / rings.radii[ring] - 1)
    pull[13:17] = -rings.middles[1:].ravel() * np.diag(prior)[13:17]
    gram = jacobian.T @ (weight[:, None] * jacobian) / sigma_px**2 + prior
    step = np.linalg.solve(gram, jacobian.T @ (weight * off) / sigma_px**2 + pull)
    h, changed = _moved(plane, rings, n, step)
    return h / h[2, 2], changed


def _places_and_slopes(plane: Floats, rings: Wheel3, n: int) -> tuple[Floats, Floats]:
    """Holes in the patch, (6 n,), and how they move with each of the numbers of ``STIFF``, (6 n, 17)."""
    source = rings.places(n)
    x, y = source[..., 0], source[..., 1]
    p = np.concatenate([source, np.ones((3, n, 1))], axis=-1) @ plane.T
    here = p[..., :2] / p[..., 2:]
    # d(here) / d(source), (3, n, 2, 2): what moves a place in the wheel's plane moves it so in the patch.
    slope = (plane[:2, :2] - here[..., None] * plane[2, :2]) / p[..., 2:, None]
    outward = source - rings.middles[:, None]
    moved = np.zeros((3, n, 2, len(STIFF)))
    moved[..., 0, 0], moved[..., 0, 1], moved[..., 0, 2] = x, y, 1
    moved[..., 1, 3], moved[..., 1, 4], moved[..., 1, 5] = x, y, 1
    moved[..., 6], moved[..., 7] = -x[..., None] * source, -y[..., None] * source
    for ring in range(3):
        moved[ring, ..., 10 + ring] = np.stack([-outward[ring, :, 1], outward[ring, :, 0]], -1) * (2 * np.pi / n)
        if ring:
            moved[ring, ..., 7 + ring] = outward[ring]
            moved[ring, :, 0, 11 + 2 * ring] = moved[ring, :, 1, 12 + 2 * ring] = 1
    return here.ravel(), (slope @ moved).reshape(-1, len(STIFF))


def _moved(plane: Floats, rings: Wheel3, n: int, p: NDArray[np.floating[Any]]) -> tuple[Floats, Wheel3]:
    """Plane and rings with their numbers changed by ``p``, in the order of ``STIFF``."""
    change = np.array([[1 + p[0], p[1], p[2]], [p[3], 1 + p[4], p[5]], [p[6], p[7], 1.0]])
    widths = rings.radii * np.array([1.0, 1 + p[8], 1 + p[9]])
    apart = rings.middles + np.concatenate([np.zeros((1, 2)), p[13:17].reshape(2, 2)])
    return plane @ change, Wheel3(widths, apart, rings.phases_rad + p[10:13] * 2 * np.pi / n)
