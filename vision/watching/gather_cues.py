"""The evidence of one look: all cues, gathered under their conditions and fused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vision.change.tower_change import MIN_VISIBLE_SHARE, TowerChange
from vision.decoding.turn_hypotheses import DOUBT_NATS
from vision.evidence.cues import alike_cue, paint_cues, paint_fit_cue
from vision.evidence.fusion import Cues, Evidence, Habits, fuse, previous_bias_nats
from vision.imaging.frame import Float32Array
from vision.networks.points import compare_points, ground_of, look_at_points
from vision.stones.appearance import Appearance, colour_statistics, top_samples
from vision.stones.photograph_reader import glance_alone
from vision.stones.stone_map import stone_map_log_odds
from vision.watching.compare import MAX_AVERAGED_LOOKS
from vision.watching.looks import Look, PointChange, PointMeasures
from vision.watching.state import Watched
from vision.watching.towers_from_elsewhere import towers_from_elsewhere

AnyNumber = TypeVar("AnyNumber", bound=np.generic)


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
    tops = np.array(belief.expected_tops)[came_from]
    bare_known = appearance.bare_counts > 0
    moved = (came_from != np.arange(n_points)) | reference.displaced
    visible = patches.inside & ~np.array(state.hidden) & ~look.covered
    in_view, untouched = visible.copy(), visible & ~(change.log_odds > 0)
    if change.towers is not None:
        in_view &= ~(change.towers.explained_elsewhere & (change.log_odds < 0))  # the patch shows the other tower
    points = points_to_measure(state, change, visible, is_anew=bool(moved.any() or not bare_known.all()))
    measures = measure_points(look, points, appearance, tops, visible, untouched, reference.measures)
    compared, paint = compare_points(measures.features), measures.paint
    alike = alike_cue(compared.same_log_odds, tops, untouched, len(appearance.stones))
    everywhere, alone, on_map = np.ones(n_points, np.bool_), np.zeros(n_points), np.zeros(n_points)
    stackable = belief.position.variant.max_height > 1
    if not bare_known.all():
        alone = glance_alone(patches.log_colour, look.field.board)
        on_map = alone if stackable else stone_map_log_odds(look.frame.bgr, look.field, alone)
    tower, cover = towers_from_elsewhere(state, look) if moved.any() and stackable else (np.zeros(n_points), None)
    cues = Cues(
        stone={
            "look": compared.log_odds,
            "photograph": alone,
            "stone_map": on_map,
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
    return cues, measures


def measure_points(
    look: Look,
    points: NDArray[np.intp],
    appearance: Appearance,
    tops: NDArray[np.intp],
    visible: NDArray[np.bool_],
    untouched: NDArray[np.bool_],
    last: PointMeasures | None,
) -> PointMeasures:
    """Return the measures of all points: of these ``points`` as they are now, of others as they were ``last``."""
    log_colour, bare_known = look.patches.log_colour, appearance.bare_counts > 0
    ground = ground_of(log_colour, appearance.bare, bare_known & look.patches.inside)
    features, masks = look_at_points(log_colour[points], appearance.bare[points], bare_known[points], ground)
    samples = top_samples(log_colour[points] - ground.light, masks)
    if look.change.towers is not None:
        samples = samples_of_towers(samples, look.change.towers, ground.light, tops)
    colours = np.array([colour_statistics(own) for own in samples])
    if last is None or len(points) == len(tops):
        paint = paint_cues(points, colours, appearance, tops, untouched)
        return PointMeasures(np.zeros(len(tops), np.intp), visible, features, colours, paint)
    colours = _renewed(last.colours, points, colours)
    paint = paint_cues(points, colours, appearance, tops, untouched)
    return PointMeasures(
        _renewed(last.age + 1, points, np.zeros(len(points))),
        _renewed(last.visible, points, visible[points]),
        _renewed(last.features, points, features),
        colours,
        {cue: _renewed(last.paint[cue], points, nats) for cue, nats in paint.items()},
    )


def _renewed(last: NDArray[AnyNumber], points: NDArray[np.intp], values: NDArray[Any]) -> NDArray[AnyNumber]:
    """Return a measure of all points, with the values of now at some of them."""
    renewed = last.copy()
    renewed[points] = values
    return renewed


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
    understood = belief.rest.n_looks == 0 and state.whole_board.n_unexplained == 0 and belief.dispute is None
    if before is None or same is None or not understood or belief.pending is not None:
        return np.arange(len(visible))
    stays = same & visible & before.visible & (change.kind == "pixels")
    oldest = np.argsort(-before.age, kind="stable")[: -(-len(visible) // MAX_AVERAGED_LOOKS)]
    stays[oldest] = False
    stays &= not is_anew
    return np.flatnonzero(~stays)


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
