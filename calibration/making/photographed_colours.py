"""A photograph of cloth and pebbles in, the colours out of what somebody owns: cloth, line and paints.

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
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import log_colour_of, log_colour_to_hex
from vision.stones.appearance import STRENGTH_PER_NAT, change_strength
from vision.stones.colour_clustering import cluster_stones

Mask = NDArray[np.bool_]

WORKING_SIDE_PX = 960  # longest side of the picture in which pebbles are looked for, px
MIN_SIDE_PX = 200  # least width of a picture, px: twenty pebbles side by side would have ten each
MIDDLE_SHARE = 0.4  # share of width and height that the middle of the picture has, where the cloth is looked for

MIN_CLOTH_SHARE = 0.3  # least share of the middle that shows the cloth: the rest is pebbles, lines and shadows
CLOTH_GAP = 0.008  # width of a bridge that does not connect cloths, share of the longest side: threads join no table
LINE_BRIDGE = 0.035  # width of a line or a shadow that does not part the cloth, share of the longest side
LIGHT_SCALE = 0.125  # scale at which the light is averaged, as it changes slowly
LIGHT_REACH = 0.1  # sigma of the neighbourhood in which the cloth has one light, share of the longest side
CHANGED = 1.0  # strength of a change from which on it is no cloth; source: ``vision.stones.appearance``
SHADOW_LOG_BRIGHTNESS = (-0.9, 0.0)  # of a shadow on the cloth: no less than 40 % of its light is left
SHADOW_LOG_RATIO = 0.1  # most that a shadow differs from the cloth in both log ratios: the sky is a little bluer

MIN_RADIUS = 0.0065  # least radius of a pebble, share of the longest side
RING_RADII = 1.6  # radius of the ring round a pebble on which lies cloth, radii of the largest disc in it
N_DIRECTIONS = 48  # number of places on that ring
MIN_CLOTH_AROUND = 0.55  # least share of that ring with cloth: lines and a shadow take the rest
MOST_ATTACHED = 0.64  # half width of a line that runs over the ring at most, radii; where lines cross it is 0.71
SIZE_RATIO = 1.6  # most that the diameter of a pebble differs from that of the usual one, as a factor
MOST_PEBBLES = 100  # most pebbles whose colours are compared, the largest: a dotted cloth has thousands
CORE_RADII = 0.65  # radius of the part of a pebble that shows its own colour, radii of the largest disc in it
LEAST_OF_A_PAINT = 2  # pebbles of each paint that are asked for: a single one may show paint or shine
MIN_LINE_SHARE = 0.002  # least share of the picture that a drawn line covers; a line through it of 2 px of 960
RIM_SHARE = 0.03  # width of the rim of the cloth without lines, share of the longest side: the table shows there
MIN_LINE_EXTENT = 0.1  # least extent of a connected line, share of the longest side: crumbs and rims have less
LINE_SHARE = 0.4  # share of the pixels of the lines that counts, the most different: thin lines mix with the cloth


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


def colours_of_photograph(bgr: Image, n_players: int) -> PhotographedColours:
    """Return the colours of the cloth, of the line that is drawn on it, and of each player's pebbles.

    The picture shows a piece of the cloth with pebbles of every player that lie apart from each other, about from
    above. Raises Refused when it is too small, shows no cloth, too few pebbles, or pebbles of too few colours.
    """
    if min(bgr.shape[:2]) < MIN_SIDE_PX:
        raise Refused("make.photo_small", least=MIN_SIDE_PX)
    picture = log_colour_of(
        np.asarray(cv2.medianBlur(cv.shrink(bgr, WORKING_SIDE_PX / max(bgr.shape[:2])), 3), np.uint8)
    )
    change = picture - _cloth(picture)
    differs = change_strength(change) > CHANGED
    area = _spread_cloth(~differs)
    differs &= area
    things = differs & ~_is_shadow(change)
    pebbles = _pebbles(differs, things)
    if len(pebbles) < LEAST_OF_A_PAINT * n_players:
        raise Refused("make.photo_pebbles", n=len(pebbles), least=LEAST_OF_A_PAINT)
    samples = [picture[_core(pebble, picture.shape)] for pebble in pebbles]
    labels, _ = cluster_stones(samples, {n_players: 1.0})
    n_colours = int((np.bincount(labels) >= LEAST_OF_A_PAINT).sum())
    if n_colours < n_players:
        raise Refused("make.photo_few_colours", n=len(pebbles), seen=n_colours, players=n_players)
    usual = np.array([median(sample, axis=0) for sample in samples])
    inside = cv2.erode(area.astype(np.uint8), _disc(round(RIM_SHARE * max(area.shape)))) > 0
    line = _line(things & inside, pebbles, change)
    return PhotographedColours(
        log_colour_to_hex(median(picture[area & ~differs], axis=0)),
        log_colour_to_hex(median(picture[line], axis=0)) if line.any() else None,
        tuple(log_colour_to_hex(median(usual[np.array(labels) == k], axis=0)) for k in range(n_players)),
    )


def _cloth(picture: Float32Array) -> Float32Array:
    """Return the log colours that bare cloth has at every pixel, in the light that falls there.

    Raises Refused when most of the middle of the picture is not of one colour.
    """
    height, width = picture.shape[:2]
    margin = (1 - MIDDLE_SHARE) / 2
    middle = np.s_[round(height * margin) : -round(height * margin), round(width * margin) : -round(width * margin)]
    colours = picture[middle].reshape(-1, 3)
    bins = np.floor(colours * STRENGTH_PER_NAT[[0, 1, 1]])  # one strength wide
    _, bin_of, counts = np.unique(bins, axis=0, return_inverse=True, return_counts=True)
    usual = np.asarray(median(colours[bin_of.reshape(-1) == counts.argmax()], axis=0), np.float32)
    cloth, least = np.broadcast_to(usual, picture.shape), np.float32(1e-3)
    for _ in range(2):
        bare = (change_strength(picture - cloth) < CHANGED).astype(np.float32)
        if bare[middle].mean() < MIN_CLOTH_SHARE:
            raise Refused("make.photo_no_cloth")
        weighted = np.dstack([picture * bare[..., None], bare])
        small = cv2.resize(weighted, None, fx=LIGHT_SCALE, fy=LIGHT_SCALE, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), LIGHT_REACH * max(height, width) * LIGHT_SCALE)
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
    hull = np.zeros(bare.shape, np.uint8)
    if hulls:
        cv2.fillConvexPoly(hull, max(hulls, key=cv2.contourArea), 1)
    return np.asarray(hull > 0, np.bool_)


def _is_shadow(change: Float32Array) -> Mask:
    """Return the pixels that show the cloth with less light."""
    low, high = SHADOW_LOG_BRIGHTNESS
    is_darker = (change[..., 0] > low) & (change[..., 0] < high)
    return np.asarray(is_darker & (np.abs(change[..., 1:]) < SHADOW_LOG_RATIO).all(axis=-1), np.bool_)


def _pebbles(differs: Mask, things: Mask) -> Float64Array:
    """Return the pebbles from the left to the right: x, y and radius of the largest disc in each, px, (n, 3).

    First of what is surely no shadow; then of the rest, as a pebble may be as dark and as grey as a shadow of its
    cloth.
    """
    pebbles = np.empty((0, 3))
    for pebble in itertools.chain(_round_things(things), _round_things(differs)):
        away = np.linalg.norm(pebbles[:, :2] - pebble[:2], axis=1)
        if (away > RING_RADII * np.maximum(pebbles[:, 2], pebble[2])).all():
            pebbles = np.vstack([pebbles, pebble])
    radii = pebbles[:, 2]
    usual = float((radii**5).sum() / max((radii**4).sum(), 1e-9))  # the mean, where wide ones count more than crumbs
    pebbles = pebbles[(usual / SIZE_RATIO < radii) & (radii < usual * SIZE_RATIO)]
    largest = pebbles[np.argsort(-pebbles[:, 2], kind="stable")[:MOST_PEBBLES]]
    return np.asarray(largest[np.argsort(largest[:, 0], kind="stable")], np.float64)


def _core(pebble: Float64Array, shape: tuple[int, ...]) -> Mask:
    """Return the part of a picture of this shape in which a pebble shows its own colour."""
    mask = np.zeros(shape[:2], np.uint8)
    cv2.circle(mask, (int(pebble[0]), int(pebble[1])), max(1, round(CORE_RADII * pebble[2])), 1, -1)
    return np.asarray(mask > 0, np.bool_)


def _round_things(mask: Mask) -> Float64Array:
    """Return the round things of a mask as `_pebbles`, large ones first: around them lie lines and rims at most."""
    height, width = mask.shape
    depth = cv2.distanceTransform(mask.astype(np.uint8), cv2.DIST_L2, 5)
    is_peak = (depth == cv2.dilate(depth, np.ones((3, 3), np.uint8))) & (depth > MIN_RADIUS * max(mask.shape))
    y, x = np.nonzero(is_peak)
    radius = depth[y, x]
    turn = np.linspace(0, 2 * np.pi, N_DIRECTIONS, endpoint=False)
    column = np.rint(x[:, None] + RING_RADII * radius[:, None] * np.cos(turn)).astype(np.intp)
    row = np.rint(y[:, None] + RING_RADII * radius[:, None] * np.sin(turn)).astype(np.intp)
    is_whole = ((column >= 0) & (column < width) & (row >= 0) & (row < height)).all(axis=1)
    around = depth[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
    is_bare = ((around == 0).mean(axis=1) >= MIN_CLOTH_AROUND) & (around.max(axis=1) < MOST_ATTACHED * radius)
    discs = np.column_stack([x, y, radius])[is_whole & is_bare]
    return np.asarray(discs[np.argsort(-discs[:, 2])], np.float64)


def _line(things: Mask, pebbles: Float64Array, change: Float32Array) -> Mask:
    """Return the pixels of drawn lines that show their colour; none where nothing is drawn."""
    thin = things.astype(np.uint8)
    radius = max(2, round(float(np.median(pebbles[:, 2])) / 2))
    disc = _disc(radius)
    thin[cv2.dilate(cv2.morphologyEx(thin, cv2.MORPH_OPEN, disc), disc) > 0] = 0  # what is as wide as a pebble
    strips = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, _disc(2 * radius))  # dashes of wool are one line
    _, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(strips, np.uint8))
    extent = np.hypot(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    is_long = extent >= MIN_LINE_EXTENT * max(things.shape)
    line: Mask = is_long[labels] & (thin > 0)
    if line.mean() < MIN_LINE_SHARE:
        return np.zeros_like(things)
    strength = np.linalg.norm(change, axis=2)
    return np.asarray(line & (strength >= np.quantile(strength[line], 1 - LINE_SHARE)), np.bool_)


def _disc(radius_px: int) -> NDArray[np.uint8]:
    side = 2 * radius_px + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
