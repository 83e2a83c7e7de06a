"""What is noted of a look at rest before it is weighed: which rings turned, what was touched, what is hidden.

A step of its own in ``pipeline.step``: values in, values out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.change.patch_change import surface_changed, touched
from vision.change.pixel_change import Altered, View, altered, view_of
from vision.change.tower_change import Piled, piled
from vision.decoding.belief import Belief
from vision.imaging.field import Field
from vision.imaging.frame import Frame
from vision.imaging.patches import SIDE, Patches, carry, sample, samples_per_unit
from vision.rotation.angle_at_rest import STEPS, turned, unroll
from vision.rotation.angle_in_motion import told_steps
from vision.rotation.disc_geometry import ride, ride_field
from vision.rotation.hole_alignment import seat
from vision.state import Ridden, State
from vision.stones.appearance import Appearance, change_maps, change_strength, light_of, stone_mask
from vision.stones.observation import CLIP, Observation, colour_nats

MOST_TOUCHED = 6
"""Points that hands may have touched between two looks: two turns with two captures each."""

MOST_TOUCHED_MOVED = 4
"""Points that hands may have touched while they pushed the board; the next one tells how far shadows deceive, which lie
elsewhere on it now."""

MOST_TOUCHED_RIDING = 2
"""Holes of a ring that hands may have touched besides turning it."""

OTHER_LIGHT, OTHER_LIGHT_WORTH = 0.4, 0.4
"""Log brightness by which bare points differ that lie in another light (two thirds as bright, as at the edge of a
shadow), and what colours are worth where a player's stones were seen in such a light only."""

SOME_STONES = 3
"""So many stones of a player are taken to lie in all lights, where it is not known what their points look like bare."""

SURELY_TOUCHED = 3.0
"""Nats of having been touched from which it is asked of a stone what its changed pixels show."""

CHANGE_CLIP, LEAST_CHANGED = 3.0, 0.15
"""Most nats that they may say, and the least share of a patch's middle that they must fill: half a pebble."""

FELLOW_SPREAD = np.array([0.12, 0.05, 0.05])
"""By how much the colours of one player's stones usually differ where few of them lie: log brightness, and log red and
blue over green."""

FELLOWS_SUPPOSED, FELLOW_TAILS = 4.0, 4.0
"""Stones that this counts for beside those that lie there, and degrees of freedom (some stones are like no other)."""

FEWEST_FELLOWS = 3
"""So many stones of every player must lie there: two unpainted pebbles do not tell how much a third may differ."""

FELLOWS_CLIP, HISTOGRAM_WORTH = 6.0, 0.5
"""Most nats that fellows may say, and what the colours of all stones ever seen are worth beside them. Of 212 stones
just laid in twelve filmed games, half of them with paints much alike, the histograms prefer the wrong player at 8,
fellows at 3, and both together at none by more than 2 nats."""

_ROWS, _COLUMNS = np.indices((SIDE, SIDE)) - (SIDE - 1) / 2
NEAR_POINT = np.hypot(_ROWS, _COLUMNS) <= 0.42 * samples_per_unit()
"""The samples of a patch that are this point's, shape (SIDE, SIDE)."""

SURELY_LEFT_ALONE = -3.0
"""Nats of having been touched, below which a point shows what it showed, whatever the eyes say of it."""

LEARNT_FROM = 2.0
"""Nats by which eyes must prefer a bare point to a stone, for the next looks to be compared with what it shows now."""

SAME_ANGLE = 0.01
"""Steps by which a ring at rest may seem to have turned."""

SAME_LIGHT = 20.0
"""Grey levels by which the median point may differ from the last settled look in the same light."""


def without_hidden(observation: Observation, hidden: NDArray[np.bool_]) -> Observation:
    """Drop what is said of points that something hides."""
    if not hidden.any():
        return observation
    rows = np.where(hidden[:, None], 0.0, observation.log_likelihood)
    return replace(observation, log_likelihood=rows)


def unsure_of_paint(
    observation: Observation, appearance: Appearance, shown: Sequence[int], n_players: int
) -> Observation:
    """Let colours count less in a light in which a player's stones have not been seen.

    A stone that lies in a deep shadow tells little of the others.

    Parameters
    ----------
    observation : Observation
    appearance : Appearance
        Its bare points tell how much light falls where.
    shown : sequence of int, by point
        What lies there before this look: 0 bare, k a stone of player k - 1 on top.
    n_players : int
    """
    worth = np.ones(len(shown))
    shade = appearance.bare[:, ::3, ::3, 0].mean(axis=(1, 2))
    tops, known = np.array(shown), appearance.looks > 0
    for player in range(n_players):
        theirs = tops == player + 1
        unlike = np.abs(shade[:, None] - shade[known & theirs]).min(axis=1, initial=np.inf) > OTHER_LIGHT
        if 0 < theirs.sum() < SOME_STONES or (known & theirs).any():
            worth[unlike & known] = np.minimum(worth[unlike & known], OTHER_LIGHT_WORTH)
    if (worth == 1.0).all():
        return observation
    rows = observation.log_likelihood.copy()
    most = rows[:, 1:].max(axis=1, keepdims=True)
    rows[:, 1:] = most + worth[:, None] * (rows[:, 1:] - most)
    return replace(observation, log_likelihood=rows)


def told_by_change(
    observation: Observation, patches: Patches, before: Patches | None, appearance: Appearance, belief: Belief
) -> Observation:
    """Ask of every stone whose pixels have changed what the changed pixels show.

    A stone laid on another hides only a part of it from a camera that looks from the side: the eyes still see the
    lower one, and the new one above is in what has changed. A stone put straight shows its own colour there.

    Parameters
    ----------
    observation : Observation
        Of ``patches``.
    patches, before : Patches
        At this look and at the last settled one, None where there was none.
    appearance : Appearance
    belief : Belief
        With what was touched, pixel by pixel.
    """
    on = np.flatnonzero((np.array(belief.expected) > 0) & (belief.touched > SURELY_TOUCHED) & (appearance.looks > 0))
    if before is None or not belief.closely or belief.position.variant.max_height > 1 or len(on) == 0:
        return observation
    difference = patches.luv - before.luv
    usual = np.median(difference[:, 1::3, 1::3].reshape(-1, 3), axis=0)
    light = light_of(patches, appearance)
    changed = change_strength(difference[on] - usual.astype(np.float32)) > 1.0
    foreign = change_strength(change_maps(patches, appearance, light)[on]) > 1.0
    mask = (changed & foreign & NEAR_POINT)[:, ::2, ::2]
    nats = np.maximum(colour_nats(patches.luv[on, ::2, ::2] - light, mask, appearance), -CHANGE_CLIP)
    enough = mask.sum(axis=(1, 2)) >= LEAST_CHANGED * NEAR_POINT[::2, ::2].sum()
    rows = observation.log_likelihood.copy()
    rows[on[enough], 1:] = rows[on[enough], 1:].max(axis=1, keepdims=True) + nats[enough]
    return replace(observation, log_likelihood=rows)


def told_by_fellows(
    observation: Observation,
    patches: Patches,
    before: Patches | None,
    appearance: Appearance,
    belief: Belief,
    hidden: NDArray[np.bool_],
) -> Observation:
    """Compare stones that hands have laid with the others that lie beside them, in the same picture and light.

    Two paints that differ by a tone only are one in a histogram of single samples, which is as broad as a stone is
    shaded; the mean of its bright half differs far less from stone to stone. Where a stone lay before, it is its own
    fellow.

    Parameters
    ----------
    observation : Observation
        Of ``patches``.
    patches, before : Patches
        At this look and at the last settled one, None where there was none.
    appearance : Appearance
    belief : Belief
        With what was touched.
    hidden : bool array of shape (n_points,)

    Returns
    -------
    Observation
        Student's t for each player's mean, with the spread within players that all of them share; unchanged where a
        player has few fellows, and on towers.
    """
    expected, n_players = np.array(belief.expected), observation.log_likelihood.shape[1] - 1
    known = patches.inside & (appearance.looks > 0) & ~hidden
    asked = np.flatnonzero(known & (belief.touched > 0))
    if belief.position.variant.max_height > 1 or len(asked) == 0:
        return observation
    fellows = np.flatnonzero(known & (belief.touched <= 0) & (expected > 0))
    colours = _bright_halves(patches, appearance)
    was = _bright_halves(before, appearance) if before is not None and belief.closely else None
    rows = observation.log_likelihood.copy()
    for i in asked:
        own = was is not None and expected[i] > 0
        owners = np.append(expected[fellows], expected[i]) if own else expected[fellows]
        theirs = np.vstack([colours[fellows], was[i]]) if own and was is not None else colours[fellows]
        n = np.bincount(owners, minlength=n_players + 1)[1:]
        if n.min() < FEWEST_FELLOWS:
            continue
        means = np.array([theirs[owners == player + 1].mean(axis=0) for player in range(n_players)])
        scatter = ((theirs - means[owners - 1]) ** 2).sum(axis=0) + FELLOWS_SUPPOSED * FELLOW_SPREAD**2
        spread = scatter / (len(theirs) - n_players + FELLOWS_SUPPOSED) * (1 + 1 / n[:, None])
        away = ((colours[i] - means) ** 2 / spread).sum(axis=1)
        nats = -0.5 * (FELLOW_TAILS + 3) * np.log1p(away / FELLOW_TAILS) - 0.5 * np.log(spread).sum(axis=1)
        usual = rows[i, 1:].max()
        told = HISTOGRAM_WORTH * (rows[i, 1:] - usual) + np.maximum(nats - nats.max(), -FELLOWS_CLIP)
        rows[i, 1:] = usual + told - told.max()
    return replace(observation, log_likelihood=np.maximum(rows, -CLIP))


def _bright_halves(patches: Patches, appearance: Appearance) -> NDArray[np.float64]:
    """Mean log colour of the brighter half of what may be a stone on each point, shape (n_points, 3)."""
    light = light_of(patches, appearance)
    masks = stone_mask(change_strength(change_maps(patches, appearance, light)))
    halves = []
    for luv, mask in zip(patches.luv, masks, strict=True):
        samples = luv[mask] - light
        halves.append(samples[samples[:, 0] >= np.median(samples[:, 0])].mean(axis=0))
    return np.array(halves, np.float64)


def may_teach(observation: Observation, nats: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points may teach what they look like when bare: what was doubtful once must not become the measure."""
    rows = observation.log_likelihood
    return np.asarray((rows[:, 0] - rows[:, 1:].max(axis=1) > LEARNT_FROM) | (nats < SURELY_LEFT_ALONE), np.bool_)


def note_turning(state: State, frame: Frame, field: Field) -> State:
    """Take note of how far the rings have turned since the last settled look; the looks of their holes ride along."""
    if state.strips is None or state.belief.n_looks > 0:
        return state
    now = unroll(frame.bgr, field, state.strips.discs)
    turning = turned(state.strips, now, None if state.underway is None else told_steps(state.underway))
    now = replace(now, off=state.strips.off + turning.off, noise=turning.noise)
    steps = tuple(STEPS[i] for i in turning.nats.argmax(axis=1))
    came_from = ride(field.board, steps)
    size_px = frame.size_px
    bare = carry(state.appearance.bare, came_from, field, size_px)
    appearance = replace(state.appearance, bare=bare, looks=state.appearance.looks[came_from])
    angles = np.array(steps) + np.where(np.abs(turning.off) > SAME_ANGLE, turning.off, 0.0)
    ridden = Ridden(ride_field(field, now.discs, angles.tolist()), appearance, now, came_from)
    if state.patches is not None and ridden.moved.any():
        carried = carry(state.patches.luv, came_from, field, size_px)
        bare_before = np.array(state.belief.expected)[came_from] == 0
        seen = sample(frame.bgr, ridden.field).luv
        ridden = replace(ridden, field=seat(ridden.field, carried, seen, bare_before, ridden.moved))
    habit = state.belief.habit
    habit = None if habit is None else habit[came_from]
    return replace(state, belief=replace(state.belief, turning=turning.nats, rode=steps, habit=habit), ridden=ridden)


def nobody_came(state: State) -> bool:
    """Whether nothing but the light has moved anywhere since the last settled look."""
    return state.scene.swept is None and not (state.belief.visited or state.displaced)


def note_touched(state: State, frame: Frame, patches: Patches, hidden: NDArray[np.bool_]) -> State:
    """Take note of which points were touched since the last settled look, once a rest."""
    belief, before, anchor = state.belief, state.patches, state.anchor
    if before is None or belief.n_looks > 0:
        return state
    assert anchor is not None  # it was set with the patches
    # Other holes lie at the points of a ring that has turned: they are compared with what they were before.
    came_from = np.arange(len(hidden)) if state.ridden is None else state.ridden.came_from
    still = came_from == np.arange(len(hidden))
    carried = carry(before.luv, came_from, anchor.field, frame.size_px)
    ridden = replace(before, luv=carried, inside=before.inside[came_from])
    # A stone that has ridden along is seen from another side: that says nothing.
    silent = hidden | (~still & (np.array(belief.expected)[came_from] > 0))
    nats = np.zeros(len(hidden))
    if not still.all():
        nats = np.where(silent, 0.0, surface_changed(ridden, patches))  # shadows do not ride
        for ring in belief.position.board.rings:
            holes = np.array(ring)
            if (nats[holes[~still[holes]]] > 0).sum() > MOST_TOUCHED_RIDING:
                silent[holes] = True  # light falls on them from another side
        nats = np.where(silent, 0.0, nats)
    if not state.displaced:
        view = state.look.view if state.look is not None else None
        seen = altered(anchor.view, view or view_of(frame.bgr, anchor.field))
        if seen.usual <= SAME_LIGHT and (seen.other & still).sum() <= MOST_TOUCHED:
            towers = belief.position.variant.max_height > 1
            pile = _pile(state, seen, view or view_of(frame.bgr, anchor.field), frame) if towers else None
            nats = np.where(still & ~hidden, seen.touched if pile is None else pile.nats, nats)
            belief = replace(belief, touched=nats, closely=bool(still.all()) and not towers)
            return replace(state, belief=belief, pile=pile)
    nats = np.where(silent, 0.0, touched(ridden, patches))
    # No hand touches so many, or none was there: a shadow has gone, or come.
    displaced = state.displaced or ((nats > 0) & still).sum() > MOST_TOUCHED or nobody_came(state)
    if displaced:
        nats = np.where(silent, 0.0, surface_changed(ridden, patches))
        nats -= max(0.0, float(np.sort(nats)[-1 - MOST_TOUCHED_MOVED])) if len(nats) > MOST_TOUCHED_MOVED else 0.0
    return replace(state, belief=replace(belief, touched=nats, closely=False), displaced=displaced, pile=None)


def _pile(state: State, seen: Altered, now: View, frame: Frame) -> Piled:
    """What has come to lie on towers since the last settled look, or gone from them."""
    belief, anchor = state.belief, state.anchor
    assert anchor is not None  # the caller looked
    shown = belief.shown
    twins = [len(tower) > 1 and tower[-1][1] == tower[-2][1] for tower in shown.stacks]
    return piled(seen, anchor.view, now, anchor.field, shown.heights, frame.size_px, twins)
