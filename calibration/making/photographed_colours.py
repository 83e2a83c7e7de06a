"""The colours of a photograph of a cloth and pebbles: what somebody owns, without a colour being picked by hand.

The cloth is the usual colour of the middle of the picture, followed as its light changes from place to place. Pebbles
are what differs from it, is round, and has cloth all around; what differs and is thin is a drawn line. Colours are
given as the picture shows them: the camera has balanced its white, and nothing in the picture says how well.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.step_texts import Refused
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import log_colour_of, log_colour_to_hex
from vision.stones.appearance import STRENGTH_PER_NAT, change_strength
from vision.stones.colour_clustering import cluster_stones

Mask = NDArray[np.bool_]

WORKING_SIDE_PX = 960  # longest side of the picture in which pebbles are looked for, px
MIN_SIDE_PX = 200  # least width of a picture, px: twenty pebbles side by side would have ten each
MIDDLE_SHARE = 0.4  # share of width and height that the middle of the picture has, where the cloth is looked for

# strengths of change within which the usual colour is sought, one after the other: a mean shift to where most are
MODE_STRENGTHS = (2.0, 1.5, 1.0, 1.0)

MIN_CLOTH_SHARE = 0.3  # least share of the middle that shows the cloth: the rest is pebbles, lines and shadows
CLOTH_GAP = 0.008  # width of a bridge that does not connect cloths, share of the longest side: threads join no table
LINE_BRIDGE = 0.035  # width of a line or a shadow that does not part the cloth, share of the longest side
LIGHT_SCALE = 0.125  # scale at which the light is averaged, as it changes slowly
LIGHT_REACH = 0.1  # sigma of the neighbourhood in which the cloth has one light, share of the longest side
CHANGED = 1.0  # strength of a change from which on it is no cloth; source: ``vision.stones.appearance``
SHADOW_LOG_BRIGHTNESS = (-0.9, 0.0)  # of a shadow on the cloth: no less than 40 % of its light is left
SHADOW_LOG_RATIO = 0.1  # most that a shadow differs from the cloth in both log ratios: the sky is a little bluer

# radii of the discs with which things are opened, share of the longest side, largest first: a pebble is the round thing
# that is left where all lines have gone; each 0.76 of the one before
OPENINGS = (0.055, 0.042, 0.032, 0.024, 0.018, 0.013, 0.01, 0.0075)

MAX_ATTACHED = 1.7  # most that opening with the next smaller disc leaves of a pebble, areas: pieces of lines go on
MIN_ROUNDNESS = 0.55  # least area of a pebble, share of the circle around it: that of an oval 1.8 times as long as wide
MIN_CLOTH_AROUND = 0.55  # least share of the rim of a pebble beyond which lies cloth; lines and a shadow take the rest
SIZE_RATIO = 1.6  # most that the diameter of a pebble differs from that of the usual one, as a factor
MOST_PEBBLES = 100  # most pebbles whose colours are compared, the largest: a dotted cloth has thousands
CORE_SHARE = 0.35  # least depth within a pebble, as a share of its greatest, at which it shows its own colour
LEAST_OF_A_PAINT = 2  # pebbles of each paint that are asked for: a single one may show paint or shine
MIN_LINE_SHARE = 0.002  # least share of the picture that a drawn line covers; a line through it of 2 px of 960
RIM_SHARE = 0.03  # width of the rim of the cloth without lines, share of the longest side: the table shows there
MIN_LINE_EXTENT = 0.1  # least extent of a connected line, share of the longest side: crumbs and rims have less
LINE_SHARE = 0.4  # share of the pixels of the lines that counts, the most different: thin lines mix with the cloth
GROWN_SHARE = 0.5  # reach of the rim of a pebble, its shadow with it, as a share of its radius


@dataclass(frozen=True, slots=True)
class PhotographedColours:
    """Colours of a photograph, each ``#rrggbb``."""

    cloth: str
    line: str | None  # none where nothing is drawn on the cloth
    paints: tuple[str, ...]  # one for each player: that of the pebble furthest to the left first

    def to_json(self) -> dict[str, str]:
        """Return the colours by the names of the pots of the page."""
        line = {} if self.line is None else {"line": self.line}
        return {"cloth": self.cloth, **line} | {f"paint{k}": paint for k, paint in enumerate(self.paints, 1)}


@dataclass(frozen=True, eq=False)
class _Pebble:
    """A round thing: the rows and columns of the picture around it, and its mask in them."""

    window: tuple[slice, slice]
    mask: Mask

    @property
    def radius(self) -> float:
        """Of a disc as large, px."""
        return float(np.sqrt(self.mask.sum() / np.pi))

    @property
    def middle_x(self) -> float:
        """Where it lies, px from the left."""
        return float(self.window[1].start + np.nonzero(self.mask)[1].mean())

    @property
    def roundness(self) -> float:
        """Area as a share of that of the circle around it."""
        (contour,) = cv.outer_contours(self.mask.astype(np.uint8))
        return float(self.mask.sum() / (np.pi * (cv2.minEnclosingCircle(contour)[1] + 0.5) ** 2))

    @property
    def core(self) -> Mask:
        """The inner part, away from the rim."""
        depth = cv2.distanceTransform(self.mask.astype(np.uint8), cv2.DIST_L2, 3)
        return np.asarray(depth >= CORE_SHARE * depth.max(), np.bool_)

    def grown(self, by_px: int) -> Mask:
        """Return the mask with what lies at most so far away."""
        return np.asarray(cv2.dilate(self.mask.astype(np.uint8), _disc(by_px)) > 0, np.bool_)


def colours_of_photograph(bgr: Image, n_players: int) -> PhotographedColours:
    """Return the colours of the cloth, of the line that is drawn on it, and of each player's pebbles.

    The picture shows a piece of the cloth with pebbles of every player that lie apart from each other, about from
    above. Raises Refused when it is too small, shows no cloth, too few pebbles, or pebbles of too few colours.
    """
    if min(bgr.shape[:2]) < MIN_SIDE_PX:
        raise Refused("make.photo_small", least=MIN_SIDE_PX)
    seen = log_colour_of(np.asarray(cv2.medianBlur(cv.shrink(bgr, WORKING_SIDE_PX / max(bgr.shape[:2])), 3), np.uint8))
    change = seen - _cloth(seen)
    differs = change_strength(change) > CHANGED
    spread = _spread_cloth(~differs)
    differs &= spread
    things = differs & ~_is_shadow(change)
    pebbles = _pebbles(differs, things)
    if len(pebbles) < LEAST_OF_A_PAINT * n_players:
        raise Refused("make.photo_pebbles", n=len(pebbles), least=LEAST_OF_A_PAINT)
    samples = [seen[pebble.window][pebble.core] for pebble in pebbles]
    labels, _ = cluster_stones(samples, {n_players: 1.0})
    n_colours = int((np.bincount(labels) >= LEAST_OF_A_PAINT).sum())
    if n_colours < n_players:
        raise Refused("make.photo_few_colours", n=len(pebbles), seen=n_colours, players=n_players)
    usual = np.array([median(sample, axis=0) for sample in samples])
    inside = cv2.erode(spread.astype(np.uint8), _disc(round(RIM_SHARE * max(spread.shape)))) > 0
    line = _line(things & inside, pebbles, change)
    return PhotographedColours(
        log_colour_to_hex(median(seen[spread & ~differs], axis=0)),
        log_colour_to_hex(median(seen[line], axis=0)) if line.any() else None,
        tuple(log_colour_to_hex(median(usual[np.array(labels) == k], axis=0)) for k in range(n_players)),
    )


def _cloth(seen: Float32Array) -> Float32Array:
    """Return the log colours that bare cloth has at every pixel, in the light that falls there.

    Raises Refused when most of the middle of the picture is not of one colour.
    """
    height, width = seen.shape[:2]
    margin = (1 - MIDDLE_SHARE) / 2
    middle = np.s_[round(height * margin) : -round(height * margin), round(width * margin) : -round(width * margin)]
    colours = seen[middle].reshape(-1, 3)
    bins = np.floor(colours * STRENGTH_PER_NAT[[0, 1, 1]])  # one strength wide
    _, bin_of, counts = np.unique(bins, axis=0, return_inverse=True, return_counts=True)
    usual = np.asarray(median(colours[bin_of.reshape(-1) == counts.argmax()], axis=0), np.float32)
    for within in MODE_STRENGTHS:
        near = colours[change_strength(colours - usual) < within]
        usual = usual if not len(near) else np.asarray(median(near, axis=0), np.float32)
    reach, least = LIGHT_REACH * max(height, width), np.float32(1e-3)
    cloth = np.broadcast_to(usual, seen.shape)
    for _ in range(2):
        bare = (change_strength(seen - cloth) < CHANGED).astype(np.float32)
        if bare[middle].mean() < MIN_CLOTH_SHARE:
            raise Refused("make.photo_no_cloth")
        weighted = np.dstack([seen * bare[..., None], bare])
        small = cv2.resize(weighted, None, fx=LIGHT_SCALE, fy=LIGHT_SCALE, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), reach * LIGHT_SCALE)
        light = ((small[..., :3] + least * usual) / (small[..., 3:] + least)).astype(np.float32)
        cloth = np.asarray(cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    return cloth


def _spread_cloth(bare: Mask) -> Mask:
    """Return the place of the cloth with all that lies on it: the convex hull of its largest connected part."""
    parts = bare.astype(np.uint8)
    for share, step in ((CLOTH_GAP, cv2.MORPH_OPEN), (LINE_BRIDGE, cv2.MORPH_CLOSE)):
        side = max(2, round(share * max(bare.shape)))
        parts = np.asarray(cv2.morphologyEx(parts, step, np.ones((side, side), np.uint8)), np.uint8)
    hulls = [cv2.convexHull(part) for part in cv.outer_contours(parts)]
    found = np.zeros(bare.shape, np.uint8)
    if hulls:
        cv2.fillConvexPoly(found, max(hulls, key=cv2.contourArea), 1)
    return np.asarray(found > 0, np.bool_)


def _is_shadow(change: Float32Array) -> Mask:
    """Return the pixels that show the cloth with less light."""
    low, high = SHADOW_LOG_BRIGHTNESS
    is_darker = (change[..., 0] > low) & (change[..., 0] < high)
    return np.asarray(is_darker & (np.abs(change[..., 1:]) < SHADOW_LOG_RATIO).all(axis=-1), np.bool_)


def _pebbles(differs: Mask, things: Mask) -> list[_Pebble]:
    """Return the pebbles from the left to the right.

    First of what is surely no shadow; then of the rest, as a pebble may be as dark and as grey as a shadow of its
    cloth.
    """
    free = np.ones_like(differs)
    found = _round_things(things, ~things, free)
    found += _round_things(differs, ~differs, free)
    if not found:
        return []
    areas = np.array([pebble.mask.sum() for pebble in found], np.float64)
    usual = float((areas**1.5).sum() / areas.sum())  # the mean width, where wide ones count more than crumbs
    near = (usual / SIZE_RATIO < np.sqrt(areas)) & (np.sqrt(areas) < usual * SIZE_RATIO)
    pebbles = sorted((one for one, fits in zip(found, near, strict=True) if fits), key=lambda one: -one.radius)
    return sorted(pebbles[:MOST_PEBBLES], key=lambda one: one.middle_x)


def _round_things(things: Mask, cloth: Mask, free: Mask) -> list[_Pebble]:
    """Return the round things that have cloth around them, large ones first, and take their places from ``free``.

    Opening with a disc takes away what is narrower, lines and the rims of shadows, and leaves what is wider.
    """
    found: list[_Pebble] = []
    seen = (things & free).astype(np.uint8)
    parts = []
    for share in OPENINGS:
        disc = _disc(max(2, round(share * max(things.shape))))
        opened = cv2.morphologyEx(seen, cv2.MORPH_OPEN, disc, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        parts.append(cv2.connectedComponentsWithStats(np.asarray(opened, np.uint8)))
    for (n, labels, stats, _), (_, wider, wider_stats, _) in itertools.pairwise(parts):
        for k in range(1, n):
            left, top, width, height, area = (int(value) for value in stats[k])
            around = round(GROWN_SHARE * np.sqrt(area / np.pi)) + 1
            if min(left, top, things.shape[1] - left - width, things.shape[0] - top - height) <= around:
                continue  # the picture cuts it off
            window = np.s_[top - around : top + height + around, left - around : left + width + around]
            pebble = _Pebble(window, labels[window] == k)
            grown = pebble.grown(around)
            whole = wider_stats[wider[window][pebble.mask].max(), cv2.CC_STAT_AREA]
            if whole > MAX_ATTACHED * area or not free[window][pebble.mask].all():
                continue  # a piece of a line, which goes on nearly as wide; or a part of what has been found
            if pebble.roundness >= MIN_ROUNDNESS and cloth[window][grown & ~pebble.mask].mean() >= MIN_CLOTH_AROUND:
                found.append(pebble)
                free[window] &= ~grown
    return found


def _line(things: Mask, pebbles: list[_Pebble], change: Float32Array) -> Mask:
    """Return the pixels of drawn lines that show their colour; none where nothing is drawn."""
    thin = things.astype(np.uint8)
    for pebble in pebbles:
        thin[pebble.window][pebble.grown(round(GROWN_SHARE * pebble.radius) + 1)] = 0
    radius = max(2, round(0.5 * float(np.median([pebble.radius for pebble in pebbles]))))
    disc = _disc(radius)
    thin[cv2.dilate(cv2.morphologyEx(thin, cv2.MORPH_OPEN, disc), disc) > 0] = 0  # what is as wide as a pebble
    joined = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, _disc(2 * radius))  # dashes of wool are one line
    _, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(joined, np.uint8))
    extent = np.hypot(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    is_long = extent >= MIN_LINE_EXTENT * max(things.shape)
    drawn: Mask = is_long[labels] & (thin > 0)
    if drawn.mean() < MIN_LINE_SHARE:
        return np.zeros_like(things)
    strength = np.linalg.norm(change, axis=2)
    return np.asarray(drawn & (strength >= np.quantile(strength[drawn], 1 - LINE_SHARE)), np.bool_)


def _disc(radius_px: int) -> NDArray[np.uint8]:
    side = 2 * radius_px + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
