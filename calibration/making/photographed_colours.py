"""The colours of a photograph of a cloth and pebbles: what somebody owns, without a colour being picked by hand.

The cloth is the usual colour of the middle of the picture, followed as its light changes from place to place. Pebbles
and drawn lines are where the maps of stones and strokes have them. Colours are given as the picture shows them: the
camera has balanced its white, and nothing in the picture says how well.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.step_texts import Refused
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Image, size_of
from vision.imaging.medians import median
from vision.imaging.patches import log_colour_of, log_colour_to_hex
from vision.networks.heat_maps import look
from vision.stones.appearance import StoneColours, change_strength, normalised_histogram
from vision.stones.colour_clustering import cluster_stones

Mask = NDArray[np.bool_]

WORKING_SIDE_PX = 960  # longest side of the picture that is looked at, px
MIN_SIDE_PX = 200  # least width of a picture, px: twenty pebbles side by side would have ten each
MIDDLE_SHARE = 0.4  # share of width and height that the middle of the picture has, where the cloth is looked for

# strengths of change within which the usual colour is sought, one after the other: a mean shift to where most are
MODE_STRENGTHS = (2.0, 1.5, 1.0, 1.0)

MIN_CLOTH_SHARE = 0.3  # least share of the middle that shows the cloth: the rest is pebbles, lines and shadows
LIGHT_SCALE = 0.125  # scale at which the light is averaged, as it changes slowly
LIGHT_REACH = 0.1  # sigma of the neighbourhood in which the cloth has one light, share of the longest side
CHANGED = 1.0  # strength of a change from which on it is no cloth; source: ``vision.stones.appearance.stone_mask``
LIKELY, POSSIBLE = 0.5, 0.2  # probability from which a place shows a pebble or a line, and from which it may show one
SIZE_RATIO = 2.0  # most that the diameter of a pebble differs from that of the usual one, as a factor
MOST_PEBBLES = 100  # most pebbles whose colours are compared, the largest
CORE_SHARE = 0.5  # least depth within a pebble, as a share of its greatest, at which it shows its own colour
LEAST_OF_A_PAINT = 2  # pebbles of each paint that are asked for: a single one may show paint or shine
MIN_LINE_SHARE = 0.002  # least share of the picture that a drawn line covers; a line through it of 2 px of 960
LINE_SHARE = (
    0.15  # share of the pixels of the lines that counts, the most different: the map shows them wider than they are
)


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
    small = np.asarray(cv2.medianBlur(cv.shrink(bgr, WORKING_SIDE_PX / max(bgr.shape[:2])), 3), np.uint8)
    seen, maps = log_colour_of(small), look(small)
    stones, strokes = (
        cv2.warpPerspective(maps[name], maps.image_from_map, size_of(small)) for name in ("stones", "strokes")
    )
    change, cloth = _cloth(seen)
    samples = [seen[pebble] for pebble in _pebbles(stones > LIKELY)]
    if len(samples) < LEAST_OF_A_PAINT * n_players:
        raise Refused("make.photo_pebbles", n=len(samples), least=LEAST_OF_A_PAINT)
    labels, _ = cluster_stones(samples, {n_players: 1.0})
    n_colours = int((np.bincount(labels) >= LEAST_OF_A_PAINT).sum())
    if n_colours < n_players:
        raise Refused("make.photo_few_colours", n=len(samples), seen=n_colours, players=n_players)
    usual = np.array([median(sample, axis=0) for sample in samples])
    line, colour = (strokes > LIKELY) & (stones < POSSIBLE), None
    if line.mean() >= MIN_LINE_SHARE:
        strength = np.linalg.norm(change[line], axis=1)
        colour = log_colour_to_hex(median(seen[line][strength >= np.quantile(strength, 1 - LINE_SHARE)], axis=0))
    return PhotographedColours(
        cloth,
        colour,
        tuple(log_colour_to_hex(median(usual[np.array(labels) == k], axis=0)) for k in range(n_players)),
    )


def _cloth(seen: Float32Array) -> tuple[Float32Array, str]:
    """Return how each pixel differs from bare cloth in the light that falls there, log colours, and its colour.

    Raises Refused when most of the middle of the picture is not of one colour.
    """
    height, width = seen.shape[:2]
    margin = (1 - MIDDLE_SHARE) / 2
    middle = np.s_[round(height * margin) : -round(height * margin), round(width * margin) : -round(width * margin)]
    colours = seen[middle].reshape(-1, 3)
    usual = StoneColours(normalised_histogram(colours), 1.0).mean_log_colour
    for within in MODE_STRENGTHS:
        near = colours[change_strength(colours - usual) < within]
        usual = usual if not len(near) else np.asarray(median(near, axis=0), np.float32)
    reach, least = LIGHT_REACH * max(height, width), np.float32(1e-3)
    change = seen - usual
    for _ in range(2):
        bare = (change_strength(change) < CHANGED).astype(np.float32)
        if bare[middle].mean() < MIN_CLOTH_SHARE:
            raise Refused("make.photo_no_cloth")
        weighted = np.dstack([seen * bare[..., None], bare])
        small = cv2.resize(weighted, None, fx=LIGHT_SCALE, fy=LIGHT_SCALE, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), reach * LIGHT_SCALE)
        light = ((small[..., :3] + least * usual) / (small[..., 3:] + least)).astype(np.float32)
        change = seen - np.asarray(cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    return change, log_colour_to_hex(median(seen[middle][bare[middle] > 0], axis=0))


def _pebbles(stones: Mask) -> list[Mask]:
    """Return the inner parts of the pebbles, as masks of the picture, from the left to the right."""
    n, labels, stats, middles = cv2.connectedComponentsWithStats(stones.astype(np.uint8))
    area = stats[1:, cv2.CC_STAT_AREA].astype(np.float64)
    if n < 2:
        return []
    usual = (area**1.5).sum() / area.sum()  # the mean width, where wide ones count more than crumbs
    fits = np.abs(np.log(np.sqrt(area) / usual)) < np.log(SIZE_RATIO)
    largest = sorted(np.flatnonzero(fits), key=lambda k: -area[k])[:MOST_PEBBLES]
    depth = cv2.distanceTransform(stones.astype(np.uint8), cv2.DIST_L2, 3)
    found = []
    for k in sorted(largest, key=lambda k: middles[k + 1][0]):
        pebble = labels == k + 1
        found.append(pebble & (depth >= CORE_SHARE * depth[pebble].max()))
    return found
