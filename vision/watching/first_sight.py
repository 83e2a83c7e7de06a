"""A table that is first seen with stones on it: the game has begun before, and is followed from there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.game import Game
from referee.resumption import mover_told
from vision.decoding.belief import PointTops
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches
from vision.stones.photograph_reader import PhotographReading, read_photograph
from vision.watching.phases import Looking
from vision.watching.state import SeenBoard, State, Step, Table, rest_of
from vision.watching.table_reading import MIN_SURE_POSTERIOR, TableReading
from vision.watching.taken_up import at_sight_of_a_taken_up_game
from vision.watching.takeover import MIN_REREADING_S, field_now, offered, this_look

MIN_STONES_OF_A_GAME = 3
"""Stones from which a table that is first seen belongs to a game that has begun: one or two are explained by one or two
turns. Source: chosen."""

MAX_FIRST_SIGHT_S = 2.0
"""Rest, in seconds, after which a table that is not read alike twice is taken for empty, as games begin. Source:
chosen."""


def at_first_sight(state: State, frame: Frame, table: Table, patches: Patches) -> tuple[State, Step | None]:
    """Read a table that has never been decided on: a game may have begun before it was seen.

    Returns:
        What becomes of this frame; None where games begin as usual.
    """
    if state.is_taken_up:
        return at_sight_of_a_taken_up_game(state, frame, table, patches)
    phase, belief, before = state.phase, state.belief, state.readings[-1] if state.readings else None
    assert isinstance(phase, Looking) and phase.look is not None
    begun = belief.game.turns or any(belief.position.tops) or belief.bias is not None or belief.rest.n_looks > 0
    if begun or belief.game.outcome is not None:
        return state, None
    if before is not None and frame.time_s - before.time_s < MIN_REREADING_S:
        return replace(state, looked_s=frame.time_s), (state, ())
    n_players = belief.rest.log_likelihood.shape[1] - 1
    alone = read_photograph(frame.bgr, Registration(field_now(state), 1.0), n_groups_max=n_players)
    tops = starting_tops(alone, belief.game)
    if tops is None:
        return replace(state, readings=(), seen=None), None
    sure = tuple(bool(p >= MIN_SURE_POSTERIOR) for p in alone.p)
    reading = TableReading(tops, float(np.prod(alone.p)), sure, 0, frame.time_s)
    state = replace(state, readings=(reading,), looked_s=frame.time_s, seen=None)
    alike = before is not None and before.tops == tops
    if (table.photographs or alike) and not phase.look.hidden.any():
        to_move = None if _is_colour_open(tops) or not all(sure) else mover_told(belief.position, tops)
        seen = SeenBoard(tops, to_move, this_look(state, frame, patches), sure)
        return state, offered(replace(state, seen=seen), seen, frame, table)
    if rest_of(state, frame, table) >= MAX_FIRST_SIGHT_S:
        return replace(state, readings=()), None
    return state, (state, ())


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
