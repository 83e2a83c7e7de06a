"""Towers seen from elsewhere: a look in, log odds out, where board or camera has moved and no pixel can be compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.change.cover_change import cover_log_odds
from vision.imaging.frame import Float32Array
from vision.stones.appearance import Appearance
from vision.stones.photograph_reader import known_tower_heights
from vision.stones.tower_heights import MOST_STONES, TallPatches, TowerPrediction, cut_tall_patches, predict_towers
from vision.watching.looks import Look, look_at_tops
from vision.watching.state import Watched


def towers_from_elsewhere(state: Watched, look: Look) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by point the log odds of a tower, and of a stone laid on its like, where the board lies elsewhere now."""
    tall = cut_tall_patches(look.frame.bgr, look.field)
    prediction = predict_towers(tall)
    comparison = compared_tops(state, look, tall, prediction)
    return prediction.log_odds, np.zeros(len(look.covered)) if comparison is None else cover_log_odds(*comparison)


def compared_tops(
    state: Watched, look: Look, tall: TallPatches, prediction: TowerPrediction
) -> tuple[Float32Array, Float32Array, NDArray[np.intp], Appearance, NDArray[np.float64]] | None:
    """Return what ``cover_log_odds`` is asked with; None where no tower can grow or no look came before."""
    position, before = state.belief.shown_position, state.reference.tops
    tops, heights = np.array(position.tops), np.array(position.heights)
    growing = np.flatnonzero((heights > 0) & (heights < MOST_STONES))
    if before is None or not len(growing):
        return None
    taller = np.zeros(len(tops))
    log_p = known_tower_heights(look.frame.bgr, look.field, growing, tops[growing], tall, prediction)
    rows = np.arange(len(growing))
    taller[growing] = log_p[rows, heights[growing]] - log_p[rows, heights[growing] - 1]
    return before, look_at_tops(look, heights, state.appearance), tops, state.appearance, taller
