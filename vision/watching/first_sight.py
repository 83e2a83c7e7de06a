"""A table that is first seen with stones on it: the game has begun before, and is followed from there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.events import Event
from referee.game import Game
from referee.resumption import mover_told
from vision.decoding.belief import PointTops
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches
from vision.stones.photograph_reader import PhotographReading, read_photograph
from vision.watching.adopt_seen_position import MIN_REREADING_S, adopt_or_propose, this_look
from vision.watching.resume_check import check_resumed_game
from vision.watching.state import SeenBoard, State, Table, rest_of
from vision.watching.table_reading import MIN_SURE_POSTERIOR, TableReading

MIN_STONES_OF_A_GAME = 3
"""Stones from which a table that is first seen belongs to a game that has begun: one or two are explained by one or two
turns."""

MAX_FIRST_SIGHT_S = 2.0
"""Rest, in seconds, after which a table that is not read alike twice is taken for empty, as games begin."""


def at_first_sight(
    state: State, frame: Frame, table: Table, patches: Patches
) -> tuple[State, tuple[Event, ...] | None]:
    """Read a table that has never been decided on: a game may have begun before it was seen.

    Return the events that end the step of this frame; None where games begin as usual.
    """
    if state.awaits_resume_check:
        return check_resumed_game(state, frame, table, patches)
    belief, before = state.belief, state.whole_readings[-1] if state.whole_readings else None
    has_begun = belief.game.turns or any(belief.position.tops) or belief.bias is not None or belief.rest.n_looks > 0
    if has_begun or belief.game.outcome is not None:
        return state, None
    if before is not None and frame.time_s - before.time_s < MIN_REREADING_S:
        return state, ()
    n_players = belief.rest.log_likelihood.shape[1] - 1
    alone = read_photograph(frame.bgr, Registration(state.field, 1.0), n_groups_max=n_players)
    tops = starting_tops(alone, belief.game)
    if tops is None:
        return replace(state, whole_readings=(), proposed_position=None), None
    sure = tuple(bool(p >= MIN_SURE_POSTERIOR) for p in alone.p)
    reading = TableReading(tops, float(np.prod(alone.p)), sure, 0, frame.time_s)
    state = replace(state, whole_readings=(reading,), looked_s=frame.time_s, proposed_position=None)
    alike = before is not None and before.tops == tops
    if (table.photographs or alike) and not any(state.hidden):
        to_move = None if _is_colour_open(tops) or not all(sure) else mover_told(belief.position, tops)
        seen = SeenBoard(tops, to_move, this_look(state, frame, patches), sure)
        return adopt_or_propose(state, seen, frame, table)
    if rest_of(state, frame, table) >= MAX_FIRST_SIGHT_S:
        return replace(state, whole_readings=()), None
    return state, ()


def starting_tops(alone: PhotographReading, game: Game) -> PointTops | None:
    """Return the tops of a game that has begun, read from one picture; None where a game may begin.

    Nobody knows which colour is whose: the player who lays first has the group with most stones, the next player the
    next. With equal numbers the groups are taken as they come, and it is open who is next.
    """
    variant = game.variant
    sure = [group for group, p in zip(alone.stones, alone.p, strict=True) if group and p >= MIN_SURE_POSTERIOR]
    if len(sure) < MIN_STONES_OF_A_GAME or len(set(sure)) < 2:
        return None
    stones = [group if p >= 0.5 else None for group, p in zip(alone.stones, alone.p, strict=True)]
    groups = sorted(set(filter(None, stones)), key=lambda name: (-stones.count(name), name))
    player_of = {name: (variant.first + k) % variant.players for k, name in enumerate(groups)}
    return tuple(0 if group is None else player_of[group] + 1 for group in stones)


def _is_colour_open(tops: PointTops) -> bool:
    """Return whether two players show as many stones: then it is open which colour is whose."""
    counts = [tops.count(top) for top in set(tops) - {0}]
    return len(set(counts)) < len(counts)
