"""A game that goes on after a break: the first table that is seen is compared with it as a whole.

Following explains small changes since the last decision, and what it takes for unchanged it learns from. After a break
the table may have been cleared or another game laid on it, which is no change to explain: it is shown as it is seen.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np

from referee.events import Event, Restored
from referee.resumption import is_soon_after, mover_told
from vision.decoding.belief import PointTops
from vision.imaging.field import Registration
from vision.imaging.frame import Frame, Image
from vision.imaging.patches import Patches
from vision.stones.appearance import learn_bare, learn_stones
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading, read_photograph
from vision.tracking.follow import STATIONARY_SPACINGS
from vision.watching.adopt_seen_position import MIN_REREADING_S, adopt_or_propose, this_look
from vision.watching.state import SeenBoard, State, Table, rest_of
from vision.watching.table_reading import MIN_SURE_POSTERIOR, TableReading

MAX_WAIT_S = 2.0
"""Rest, in seconds, after which a table of which something is hidden is followed as it is, as at first sight."""

MAX_DOUBTED_POINTS = 2
"""Points of a position that is laid that are in doubt and seem bare where it has a stone, or the other way. With more a
tower game was taken for laid when half of its stones lay."""

MAX_MISSED_TURNS = 2
"""Turns that may have been played in the break and are found by following: more are not understood by it.
Source: measured, tests/vision/test_resume_check.py: one and two stones more are announced as turns, three are not."""


def check_resumed_game(
    state: State, frame: Frame, table: Table, patches: Patches
) -> tuple[State, tuple[Event, ...] | None]:
    """Read a table at which a game goes on, or is set up, before anything is learnt from it.

    Return the events that end the step of this frame; None where the game is followed as usual.
    """
    game, before = state.game, state.whole_readings[-1] if state.whole_readings else None
    if before is not None and frame.time_s - before.time_s < MIN_REREADING_S:
        return state, ()
    is_whole, is_laid_now = not any(state.hidden), not game.turns
    if not (is_whole or is_laid_now) and rest_of(state, frame, table) < MAX_WAIT_S:
        return state, ()
    expected = state.belief.expected_tops
    n_players = state.belief.rest.log_likelihood.shape[1] - 1
    bare = _bare_picture(state, n_players) if is_laid_now else None
    alone = read_photograph(frame.bgr, Registration(state.field, 1.0), bare, n_groups_max=n_players)
    sure = tuple(bool(p >= MIN_SURE_POSTERIOR) for p in alone.p)
    shown = tops_most_like(alone, expected, state.earlier_colours)
    tops = tuple(top if is_sure else e for top, e, is_sure in zip(shown, expected, sure, strict=True))
    if is_laid_now:
        n_doubted = sum((top > 0) != (e > 0) for top, e in zip(shown, tops, strict=True))
        tops = tops if n_doubted <= MAX_DOUBTED_POINTS else shown
        if not is_whole and tops != expected and rest_of(state, frame, table) < MAX_WAIT_S:
            return state, ()
        state, is_whole = _with_nothing_hidden(state), True
    if not is_whole or tops == expected or is_soon_after(game, tops, MAX_MISSED_TURNS):
        known = _learnt(state, frame, patches, tops)
        is_settled = state.is_disputed and is_whole and tops == expected
        known = replace(known, awaits_resume_check=False, is_disputed=False, whole_readings=(), proposed_position=None)
        return known, (Restored(frame.time_s, frame.sequence),) if is_settled else None
    if is_laid_now or _is_other_table(shown, expected):
        tops = shown  # the game says nothing of a point in doubt
    reading = TableReading(tops, float(np.prod(alone.p)), sure, 0, frame.time_s)
    proposed = state.proposed_position if is_laid_now else None  # who lays stones looks at it all the time
    state = replace(state, whole_readings=(reading,), looked_s=frame.time_s, proposed_position=proposed)
    if not table.photographs and (before is None or before.tops != tops):
        return state, ()
    to_move = mover_told(game.position, tops) if all(sure) else None
    seen = SeenBoard(tops, to_move, this_look(state, frame, patches), sure)
    return adopt_or_propose(state, seen, frame, table)


def _with_nothing_hidden(state: State) -> State:
    """Return the state with every point in sight: many stones that come at once look like something in the way."""
    occlusion = state.occlusion
    cleared = None if occlusion is None else replace(occlusion, hidden=np.zeros_like(occlusion.hidden))
    return replace(state, phase=replace(state.looking, occlusion=cleared))


def _bare_picture(state: State, n_players: int) -> Image | None:
    """Return the first picture of the table, where no stone was seen in it and board and camera have not moved since.

    Before stones are laid on it the board is mostly bare, and what has come is read better by the difference.
    """
    if state.reference is None:
        return None
    anchor, field = state.reference.anchor, state.field
    moved_px = np.linalg.norm(anchor.field.points_px - field.points_px, axis=1)
    if len(moved_px) != len(field.spacing_px) or (moved_px > STATIONARY_SPACINGS * field.spacing_px).any():
        return None
    first = read_photograph(anchor.bgr, Registration(anchor.field, 1.0), n_groups_max=n_players)
    stones = (p for stone, p in zip(first.stones, first.p, strict=True) if stone is not None)
    return None if any(p >= MIN_SURE_POSTERIOR for p in stones) else anchor.bgr


def tops_most_like(alone: PhotographReading, expected: PointTops, earlier_colours: tuple[str, ...] = ()) -> PointTops:
    """Return what a picture shows by itself, its colours given to the players as they fit the game best.

    Where another game lies there, that tells nothing: then the colours decide that were seen before the break.
    """
    groups = [name for name in GROUP_NAMES if name in alone.stones]
    n_players = max(len(groups), *expected, 1)
    colour_of = dict(alone.groups)

    def tops_for(players: tuple[int, ...]) -> PointTops:
        top_of = dict(zip(groups, players, strict=True))
        return tuple(0 if group is None else top_of[group] + 1 for group in alone.stones)

    def n_alike(players: tuple[int, ...]) -> int:
        return sum(a == b for a, b in zip(tops_for(players), expected, strict=True))

    def unlikeness(players: tuple[int, ...]) -> float:
        pairs = zip(groups, players, strict=True)
        return sum(_distance(colour_of[group], earlier_colours[player]) for group, player in pairs)

    options = list(permutations(range(n_players), len(groups)))
    best = max(options, key=n_alike)
    if _is_other_table(tops_for(best), expected) and len(earlier_colours) >= n_players and all(earlier_colours):
        best = min(options, key=unlikeness)
    return tops_for(best)


def _is_other_table(shown: PointTops, expected: PointTops) -> bool:
    """Return whether more points lie otherwise than stones lie as in the game, so that it says nothing of the table."""
    n_otherwise = sum(a != b for a, b in zip(shown, expected, strict=True))
    return n_otherwise > sum(a == b > 0 for a, b in zip(shown, expected, strict=True))


def _distance(one: str, other: str) -> float:
    """Return how far two ``#rrggbb`` are from each other, of 255 in each of three directions."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return float(np.sqrt(sum((a - b) ** 2 for a, b in pairs)))


def _learnt(state: State, frame: Frame, patches: Patches, tops: PointTops) -> State:
    """Return the state with points and stones learnt from this look, where it shows what the game says.

    There it is the reference, too: what was done elsewhere was done before it.
    """
    expected = np.array(state.belief.expected_tops)
    same = (np.array(tops) == expected) & ~np.array(state.hidden)
    appearance = learn_bare(state.appearance, patches, same & (expected == 0))
    appearance = learn_stones(appearance, patches, np.where(same, expected, 0))
    reference = this_look(state, frame, replace(patches, inside=patches.inside & same))
    return replace(state, appearance=appearance, reference=reference)
