"""The map of stones in, log odds of a stone on each point out.

Patches show one point and its nearest surroundings. The map has seen the whole board from above, and knows men of the
board's own wood by their rims and shadows.
"""

from __future__ import annotations

import numpy as np

from vision.imaging.field import Field
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.homography import apply_homography
from vision.imaging.medians import median
from vision.imaging.patches import grid_places, image_jacobians, stone_centres_px, stone_unit
from vision.networks.heat_maps import look_from_above, value_at

REACH_UNITS = 0.28
"""Distance from where the middle of a lying stone would be seen within which the map is asked, units. Source: measured,
120 drawn and rendered pictures: of 0.1 to 0.5 the loss is least from 0.2 to 0.3."""

SURELY_BARE_SHARE = 0.35
"""Share of the points, those least like stones, that is taken as bare: so many are bare nearly always."""

BARE_NATS = -2.0
"""Log odds up to which the map says of a bare point what it should. What it says above is the board's own, a dot or a
hollow. Source: measured, 36 boards of hollows, 106 rendered and 80 drawn ones: of -4, -2 and 0 the loss is least."""

MAX_MAP_NATS = 3.0
"""Most nats of the map that count: it errs, surely, on tables unlike those that it was taught. Source: measured, on the
same pictures the loss is within 1 % from 3 to 9."""

_STEPS = np.linspace(-1, 1, 5)
_WITHIN = np.hypot(*np.meshgrid(_STEPS, _STEPS)) < 1.2


def stone_map_logits(bgr: Image, field: Field) -> Float64Array:
    """Return the log odds of a stone on every point as the map of stones has them, nats, (n_points,)."""
    xy = np.array(field.board.xy)
    maps = look_from_above(bgr, field.image_from_board, xy.min(0), xy.max(0))
    centres, _ = stone_centres_px(field, size_of(bgr))
    places = grid_places(centres, image_jacobians(field) * (REACH_UNITS * stone_unit(field.board)), _STEPS)
    warmth = value_at(maps["stones"], apply_homography(maps.map_from_image, places[:, _WITHIN]), reach=0).max(axis=1)
    p = np.clip(warmth, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(p / (1 - p)), np.float64)


def stone_map_log_odds(bgr: Image, field: Field, patch_nats: Float64Array) -> Float64Array:
    """Return the log odds of a stone on every point by the map of stones, nats, (n_points,).

    What most points show belongs to the board: what the map says of points that the patches, by their log odds of a
    stone (n_points,), hold for surely bare is taken off all.
    """
    nats = stone_map_logits(bgr, field)
    bare = np.argsort(patch_nats, kind="stable")[: max(2, round(SURELY_BARE_SHARE * len(nats)))]
    own = max(float(median(nats[bare])) - BARE_NATS, 0.0)
    return np.asarray(np.clip(nats - own, -MAX_MAP_NATS, MAX_MAP_NATS), np.float64)
