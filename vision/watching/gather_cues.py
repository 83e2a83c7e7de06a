"""A look in, its evidence out: all cues are gathered with their conditions, and fused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.change.cover_change import cover_log_odds
from vision.change.tower_change import MIN_VISIBLE_SHARE, TowerChange
from vision.decoding.turn_hypotheses import DOUBT_NATS
from vision.evidence.cues import alike_cue, paint_cues, paint_fit_cue
from vision.evidence.fusion import Cues, Evidence, Habits, fuse, previous_bias_nats
from vision.imaging.frame import Float32Array
from vision.networks.points import compare_points, ground_of, look_at_points
from vision.stones.appearance import Appearance, colour_statistics, top_samples
from vision.stones.photograph_reader import known_tower_heights, looks_at_sizes, stone_log_odds
from vision.stones.tower_heights import MOST_STONES, TallPatches, TowerPrediction, cut_tall_patches, predict_towers
from vision.watching.looks import Look, look_at_tops
from vision.watching.state import Watched


def gather_evidence(state: Watched, look: Look, habits: Habits | None) -> tuple[Evidence, Evidence, Float32Array]:
    """Return the evidence of a look, the same without what the last decided look preferred, and the colours."""
    cues, colours = gather_cues(state, look)
    alone, habit = fuse(cues, habits=habits), state.belief.bias
    if habit is None:
        return alone, alone, colours
    news = alone.log_likelihood - np.where(cues.in_view[:, None], previous_bias_nats(habit, cues.moved), 0.0)
    return alone, replace(alone, log_likelihood=news), colours


def gather_cues(state: Watched, look: Look) -> tuple[Cues, Float32Array]:
    """Return the cues of every point in a look with their conditions, and its colours as of ``colour_statistics``."""
    belief, patches, change = state.belief, look.patches, look.change
    appearance, n_points, came_from = appearance_now(state.appearance, look), len(patches.inside), look.came_from
    tops = np.array(belief.expected_tops)[came_from]
    bare_known = appearance.bare_counts > 0
    moved = (came_from != np.arange(n_points)) | state.reference.displaced
    visible = patches.inside & ~state.hidden & ~look.covered
    in_view, untouched = visible.copy(), visible & ~(change.log_odds > 0)
    ground = ground_of(patches.log_colour, appearance.bare, bare_known & patches.inside)
    features, masks = look_at_points(patches.log_colour, appearance.bare, bare_known, ground)
    samples = top_samples(patches.log_colour - ground.light, masks)
    if change.towers is not None:
        in_view &= ~(change.towers.explained_elsewhere & (change.log_odds < 0))  # the patch shows the other tower
        samples = samples_of_towers(samples, change.towers, ground.light, tops)
    colours = np.array([colour_statistics(own) for own in samples])
    compared, paint = compare_points(features), paint_cues(colours, appearance, tops, untouched)
    alike = alike_cue(compared.same_log_odds, tops, untouched, len(appearance.stones))
    everywhere, alone = np.ones(n_points, np.bool_), np.zeros(n_points)
    stackable = belief.position.variant.max_height > 1
    if (~bare_known & visible & (change.log_odds >= 0)).any():
        alone = stone_log_odds(look.frame.bgr, look.field, looks_at_sizes(look.frame.bgr, look.field), visible)
    tower, cover = towers_from_elsewhere(state, look) if moved.any() and stackable else (np.zeros(n_points), None)
    cues = Cues(
        stone={
            "look": compared.log_odds,
            "photograph": alone,
            "tower": tower,
            "paint_fit": paint_fit_cue(paint["remembered"]),
            "beside_fit": paint_fit_cue(paint["beside"]),
        },
        paint={**paint, "alike": alike},
        change=change.log_odds,
        change_kind=change.kind,
        tops=tops,
        visible=visible,
        in_view=in_view,
        bare_known=bare_known,
        moved=moved,
        stacked=everywhere & stackable,
        paints_seen=everywhere & all(appearance.stones),
        cover=cover,
    )
    return cues, colours


def samples_of_towers(
    samples: list[Float32Array], towers: TowerChange, light: Float32Array, tops: NDArray[np.integer]
) -> list[Float32Array]:
    """Return the samples of the points; a tower's are those of its top, as its patch shows its lower stones as well.

    The top is what has changed, where enough has, and else what stands where it stood before.
    """
    use = (towers.change_log_odds > DOUBT_NATS) & (towers.changed.mean(axis=1) > MIN_VISIBLE_SHARE)
    tall = zip(samples, towers.log_colour, towers.changed, towers.standing, use, tops > 0, strict=True)
    return [
        (new[changed] if is_new else standing) - light if is_tower else own
        for own, new, changed, standing, is_new, is_tower in tall
    ]


def towers_from_elsewhere(state: Watched, look: Look) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by point the log odds of a tower, and of a stone laid on its like, seen from elsewhere.

    Where board or camera has moved no pixel can be compared.
    """
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


def appearance_now(appearance: Appearance, look: Look) -> Appearance:
    """Return the appearance of the points as they lie now: holes move along with their rings."""
    return appearance if look.rings is None else look.rings.appearance
