"""Read a whole board from one look, whatever was accepted before, and adopt what two looks agree on.

Following explains what changed since the last decision. All points are read at once where there is nothing to follow
from: at first sight and after a break (``first_sight``), and where nothing explains the board (``unexplained_board``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np

from referee.events import Resumed
from referee.resumption import mover_told
from vision.decoding.belief import PointTops
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Image
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading, read_photograph
from vision.watching.looks import AcceptedLook, Look, accept_look
from vision.watching.player_actions import resume_from
from vision.watching.state import SeenBoard, StepResult, Table, UndecidedLook, Watched, WholeReading
from vision.watching.table_tracking import SETTLE_S

MIN_SURE_POSTERIOR = 0.9
"""Posterior from which a point of a reading is learnt from, and a stone shows that a game has begun."""


def read_alone(bgr: Image, field: Field, n_players: int, bare: Image | None = None) -> PhotographReading:
    """Return what one picture shows by itself; ``bare`` is the same board without stones."""
    return read_photograph(bgr, Registration(field, 1.0), bare, n_groups_max=n_players)


def reading_of(alone: PhotographReading, tops: PointTops, time_s: float) -> WholeReading:
    """Return a picture's reading, its groups of stones given to players as in ``tops``."""
    sure = tuple(bool(p >= MIN_SURE_POSTERIOR) for p in alone.p)
    return WholeReading(tops, float(np.prod(alone.p)), sure, time_s)


def tops_for(alone: PhotographReading, player_of: Mapping[str, int]) -> PointTops:
    """Return the top of every point, the groups of stones given to players."""
    return tuple(0 if group is None else player_of[group] + 1 for group in alone.stones)


def best_players(
    alone: PhotographReading, n_players: int, fit: Callable[[Mapping[str, int]], float]
) -> Mapping[str, int]:
    """Return the player of each group of stones so that they fit best; of equal ones the first."""
    groups = [name for name in GROUP_NAMES if name in alone.stones]
    return max(
        (dict(zip(groups, order, strict=True)) for order in permutations(range(n_players), len(groups))), key=fit
    )


def read_with_evidence(look: UndecidedLook, expected: PointTops) -> WholeReading:
    """Return the likeliest appearance of every point, from the evidence of a look and the picture read alone.

    Both see the same pixels, so they are pooled as one: the geometric mean of their posteriors. Where that is also what
    the look was taken for, the posterior of that counts. A row without evidence belongs to a point that is out of
    sight: the expected top stays.
    """
    rows = look.log_likelihood
    n_points, n_appearances = rows.shape
    alone = read_alone(look.frame.bgr, look.field, n_appearances - 1)
    nats = {name: rows[[group == name for group in alone.stones], 1:].sum(axis=0) for name in GROUP_NAMES}
    players = best_players(alone, n_appearances - 1, lambda of: sum(nats[name][player] for name, player in of.items()))
    tops = np.array(tops_for(alone, players))
    single = np.repeat(np.log((1 - alone.p) / (n_appearances - 1) + 1e-9)[:, None], n_appearances, axis=1)
    single[np.arange(n_points), tops] = np.log(alone.p)
    pooled = 0.5 * (rows + single)
    pooled -= np.logaddexp.reduce(pooled, axis=1, keepdims=True)
    in_sight = rows.any(axis=1)
    best = tuple(int(top) for top in np.where(in_sight, pooled.argmax(axis=1), np.array(expected)))
    confidence = float(np.exp(pooled.max(axis=1)[in_sight].sum()))
    if look.posterior is not None and look.posterior.best.tops == best:
        confidence = max(confidence, look.posterior.confidence)
    sure = in_sight & (pooled.max(axis=1) >= np.log(MIN_SURE_POSTERIOR))
    return WholeReading(best, confidence, tuple(map(bool, sure)), look.frame.time_s, look.n_unexplained)


def is_due(before: WholeReading | None, time_s: float, rest_s: float, n_unexplained: int = 0) -> bool:
    """Return whether another reading could tell more than the one before it: it costs more than a look."""
    same_rest = before is not None and before.n_unexplained == n_unexplained and np.isfinite(rest_s)
    return before is None or not same_rest or time_s - before.time_s >= SETTLE_S


def are_alike(before: WholeReading | None, reading: WholeReading) -> bool:
    """Return whether two readings show the same on every point."""
    return before is not None and before.tops == reading.tops


def mover_of(state: Watched, reading: WholeReading) -> int | None:
    """Return whose turn it is where the numbers of stones tell, and no point is in doubt."""
    return mover_told(state.game.position, reading.tops) if all(reading.sure) else None


def adopt(state: Watched, look: Look, table: Table, reading: WholeReading, to_move: int | None) -> StepResult[Watched]:
    """Return the state with a board taken over as it was read, where the table says so; else people are shown it."""
    tops, seen = reading.tops, SeenBoard(reading.tops, to_move, accept_whole(state, look), reading.sure)
    state = replace(state, proposed_position=seen)
    if not table.takes_over:
        return StepResult(state)
    names = state.game.variant.board.points
    points = tuple((name, top - 1 if top else None) for name, top in zip(names, tops, strict=True))
    resumed = Resumed(points, to_move, look.frame.time_s, look.frame.sequence)
    return StepResult(resume_from(state, tops, to_move), (resumed,))


def accept_whole(state: Watched, look: Look) -> AcceptedLook:
    """Return a look as the reference of the next ones, without its points where something hides any of them."""
    strips = None if look.rings is None else look.rings.strips
    return accept_look(look.frame, look.field, None if any(state.hidden) else look.patches, strips)
