"""The map of stones in, log odds of a stone on each point out.

Patches show one point and its nearest surroundings. The map has seen the whole board from above, and knows men of the
board's own wood by their rims and shadows.
"""

from __future__ import annotations

import numpy as np

from vision.imaging.field import Field
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.homography import apply_homography
from vision.imaging.patches import grid_places, image_jacobians, stone_centres_px, stone_unit
from vision.networks.heat_maps import look_from_above, value_at

REACH_UNITS = 0.28
"""Distance from where the middle of a lying stone would be seen within which the map is asked, units. Source: measured,
120 drawn and rendered pictures: of 0.1 to 0.5 the loss is least from 0.2 to 0.3."""

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
