"""What a look says of towers when the board lies elsewhere than in the reference, so that no pixel can be compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.change.cover_change import cover_log_odds
from vision.networks.patch_networks import predict_towers_averaged
from vision.stones.photograph_reader import known_tower_heights
from vision.stones.tower_heights import MOST_STONES, cut_tall_patches
from vision.watching.looks import Look, look_at_tops
from vision.watching.state import Watched


def towers_from_elsewhere(state: Watched, look: Look) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by point the log odds of a tower, and of a stone laid on its like, where the board lies elsewhere now."""
    bgr, field, shown = look.frame.bgr, look.field, state.belief.shown_position
    tall = cut_tall_patches(bgr, field)
    prediction = predict_towers_averaged(tall.log_colour, tall.height_scale)
    tops, heights, before = np.array(shown.tops), np.array(shown.heights), state.reference.tops
    growing = np.flatnonzero((heights > 0) & (heights < MOST_STONES))
    if before is None or not len(growing):
        return prediction.log_odds, np.zeros(len(tops))
    taller = np.zeros(len(tops))
    log_p = known_tower_heights(bgr, field, growing, tops[growing], tall, prediction)
    rows = np.arange(len(growing))
    taller[growing] = log_p[rows, heights[growing]] - log_p[rows, heights[growing] - 1]
    now = look_at_tops(look, heights, state.appearance)
    return prediction.log_odds, cover_log_odds(before, now, tops, state.appearance, taller)
