"""The evidence of one look: all cues, gathered under their conditions and fused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.change.tower_change import MIN_VISIBLE_SHARE, TowerChange
from vision.decoding.turn_hypotheses import DOUBT_NATS
from vision.evidence.cues import alike_cue, paint_cues, paint_fit_cue
from vision.evidence.fusion import Cues, Evidence, Habits, fuse, previous_bias_nats
from vision.imaging.frame import Float32Array
from vision.networks.points import compare_points, ground_of, look_at_points
from vision.stones.appearance import Appearance, colour_statistics, top_samples
from vision.stones.photograph_reader import looks_at_sizes, stone_log_odds
from vision.watching.compare import MAX_AVERAGED_LOOKS
from vision.watching.looks import Look, PointChange, PointMeasures
from vision.watching.state import Watched
from vision.watching.towers_from_elsewhere import towers_from_elsewhere


def gather_evidence(state: Watched, look: Look, habits: Habits | None) -> tuple[Evidence, Evidence, PointMeasures]:
    """Return the evidence of a look, the same without what the last decided look already preferred, and measures."""
    cues, measures = gather_cues(state, look)
    alone, habit = fuse(cues, habits=habits), state.belief.bias
    if habit is None:
        return alone, alone, measures
    news = alone.log_likelihood - np.where(cues.in_view[:, None], previous_bias_nats(habit, cues.moved), 0.0)
    return alone, replace(alone, log_likelihood=news), measures


def gather_cues(state: Watched, look: Look) -> tuple[Cues, PointMeasures]:
    """Return the cues of every point in a look with their conditions, and the measures behind them."""
    belief, reference, patches, change = state.belief, state.reference, look.patches, look.change
    appearance, n_points, came_from = appearance_now(state.appearance, look), len(patches.inside), look.came_from
    towers, touched = change.towers, change.log_odds > 0
    tops = np.array(belief.expected_tops)[came_from]
    known = appearance.bare_counts > 0
    moved = (came_from != np.arange(n_points)) | state.displaced
    visible = patches.inside & ~np.array(state.hidden) & ~look.covered
    in_view = visible.copy()
    if towers is not None:
        in_view &= ~(towers.explained_elsewhere & (change.log_odds < 0))  # the patch shows the other tower
    points = points_to_measure(state, change, visible, is_anew=bool(moved.any() or not known.all()))
    ground = ground_of(patches.log_colour, appearance.bare, known & patches.inside)
    light, part = ground.light, patches.log_colour[points]
    features, masks = look_at_points(part, appearance.bare[points], known[points], ground)
    measured: dict[str, NDArray[Any]] = {"age": np.zeros(len(points), np.intp), "visible": visible[points]}
    measured["features"] = features
    samples = top_samples(part - light, masks)
    if towers is not None:
        samples = samples_of_towers(samples, towers, light, tops)
    measured["statistics"] = np.array([colour_statistics(shown) for shown in samples])
    before = None if len(points) == n_points else reference.measures
    statistics = _merged("statistics", measured, points, before)
    measured |= paint_cues(points, statistics, appearance, tops, visible & ~touched)
    measures = {name: _merged(name, measured, points, before) for name in measured}
    compared = compare_points(measures["features"])
    paint = {name: measures[name] for name in ("remembered", "beside")}
    paint["alike"] = alike_cue(compared.same_log_odds, tops, visible & ~touched, paint["beside"].shape[1])
    everywhere, alone = np.ones(n_points, np.bool_), np.zeros(n_points)
    stackable = belief.position.variant.max_height > 1
    if not known.all():
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
        paint=paint,
        change=change.log_odds,
        change_kind=change.kind,
        tops=tops,
        visible=visible,
        in_view=in_view,
        bare_known=known,
        moved=moved,
        stacked=everywhere & stackable,
        paints_seen=everywhere & all(appearance.stones),
        cover=cover,
    )
    return cues, measures


def points_to_measure(
    state: Watched, change: PointChange, visible: NDArray[np.bool_], *, is_anew: bool
) -> NDArray[np.intp]:
    """Return the points to measure in a look, in order.

    These are all points, unless the table lies still, is understood, and most of its pixels are unchanged: then the
    measures of the other points hold, and a few of them are measured again in turn. A look that is not decided on
    is followed by one that measures all.
    """
    belief, same = state.belief, change.same_pixels
    before = state.reference.measures
    understood = belief.rest.n_looks == 0 and state.n_unexplained == 0 and belief.dispute is None
    if before is None or same is None or not understood or belief.pending is not None:
        return np.arange(len(visible))
    stays = same & visible & before["visible"] & (change.kind == "pixels")
    oldest = np.argsort(-before["age"], kind="stable")[: -(-len(visible) // MAX_AVERAGED_LOOKS)]
    stays[oldest] = False
    stays &= not is_anew
    return np.flatnonzero(~stays)


def _merged(name: str, measured: PointMeasures, points: NDArray[np.intp], before: PointMeasures | None) -> NDArray[Any]:
    """Return a measure of all points: that of now at ``points``, and what the others showed before."""
    if before is None:
        return measured[name]
    merged = before[name] + 1 if name == "age" else before[name].copy()
    merged[points] = measured[name]
    return merged


def samples_of_towers(
    samples: list[Float32Array], towers: TowerChange, light: Float32Array, tops: NDArray[np.integer]
) -> list[Float32Array]:
    """Return the samples, of towers those of their tops: the patch of a point shows its lower stones.

    These are what has changed, where enough has, and else what is seen where the top stood before.
    """
    use = (towers.change_log_odds > DOUBT_NATS) & (towers.changed.mean(axis=1) > MIN_VISIBLE_SHARE)
    tall = zip(samples, towers.log_colour, towers.changed, towers.standing, use, tops > 0, strict=True)
    return [
        (new[changed] if is_new else standing) - light if is_tower else own
        for own, new, changed, standing, is_new, is_tower in tall
    ]


def appearance_now(appearance: Appearance, look: Look) -> Appearance:
    """Return the appearance of the points as they lie now: holes move along with their rings."""
    return appearance if look.rings is None else look.rings.appearance
