"""Read a whole board from one look without the game before; wait for agreement; adopt.

All points are read at once where there is nothing to follow from (``first_sight``), and where rests in a row are not
explained (``read_unexplained``). A reading counts when two agree: two of one rest, or of two rests that differ by a
turn at most; a photograph is believed alone. What is agreed on is taken over, or shown to people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from referee.events import Resumed
from referee.game import Game
from referee.resumption import (
    mover_by_counts,
    possible_games,
    resume,
    with_sides_changed,
)
from referee.turns import legal_turns
from vision.decoding.belief import AcceptedEvidence, PointTops, forget_rest
from vision.evidence.fusion import Evidence
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Image
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading, read_photograph
from vision.watching.looks import AcceptedLook, Look, accept_look
from vision.watching.phases import Looking
from vision.watching.player_actions import resume_from
from vision.watching.state import SeenBoard, StepResult, TableSetup, UndecidedLook, Watched, WholeReading
from vision.watching.table_tracking import SETTLE_S

MIN_SURE_POSTERIOR = 0.9
"""Posterior from which a point of a reading is learnt from."""

MIN_BEGUN_POSTERIOR = 0.95
"""Posterior of one stone, where none is expected, from which a game has begun: doubts of one board err together.
Source: measured, 228 rendered tables: of 114 bare ones 3 show such a stone, of 114 with stones 105."""

WRONG_TAKEOVER_COST = 5.0
"""Cost of taking a wrong position over, in rests for which the game waits."""


def read_unexplained(state: Watched, look: Look, table: TableSetup, evidence: Evidence) -> StepResult[Watched]:
    """Return the state with the board as it is seen, where nothing explains it; taken over where the table says so.

    In the first rest that is not decided on the look is only kept. In the second one both are read. ``state`` is that
    after the decision.
    """
    phase = state.phase
    if look.past_hands:
        return StepResult(state)
    if not isinstance(phase, Looking):
        return StepResult(replace(state, proposed_position=None, whole_readings=(), pending_look=None))
    frame, rows = look.frame, evidence.log_likelihood
    undecided = UndecidedLook(frame, look.field, rows, phase.posterior, state.n_unexplained)
    if state.n_unexplained == 0:
        return StepResult(replace(state, pending_look=undecided))
    before, expected, rest_s = state.whole_readings, state.belief.expected_tops, state.rest_s(frame)
    if state.pending_look is not None:
        before = (_read_with_evidence(state.pending_look, expected, state),)
    elif not is_due(before, frame.time_s, rest_s, state.n_unexplained):
        return StepResult(state)
    reading = _read_with_evidence(undecided, expected, state)
    of_earlier_rest = tuple(one for one in before if one.n_unexplained < reading.n_unexplained)[-1:]
    state = replace(state, whole_readings=(*of_earlier_rest, reading), pending_look=None, proposed_position=None)
    if reading.tops == expected or _is_explained(undecided, reading):
        return StepResult(state)
    movers = {mover for one in before for mover in _movers(state, one, reading, rest_s)}
    if not movers:
        return StepResult(state)
    return adopt(state, look, table, reading, movers.pop() if len(movers) == 1 else None)


def _is_explained(look: UndecidedLook, reading: WholeReading) -> bool:
    """Return whether the best explanation is lawful and shows what was read: the decision then waits or asks.

    After a second such rest it is the order of turns that is not known, and no more of it ever will be.
    """
    if look.posterior is None or look.n_unexplained > 1:
        return False
    best = look.posterior.best
    return best.ruling is None and best.tops == reading.tops


def _movers(state: Watched, before: WholeReading, reading: WholeReading, rest_s: float) -> Iterator[int | None]:
    """Yield who may be next where two readings agree: they are alike, or one turn leads from one to the other.

    Two readings of one rest are no surer than one.
    """
    one_rest = before.n_unexplained == reading.n_unexplained
    wrong = (1 - reading.confidence) * (1.0 if one_rest else 1 - before.confidence)
    if wrong * WRONG_TAKEOVER_COST >= 1:
        return
    if before.tops == reading.tops:
        if rest_s >= 2 * SETTLE_S:
            yield mover_of(state, reading)
    elif not one_rest:
        for start in possible_games(resume(state.game, before.tops, None)):
            for turn in legal_turns(start.position):
                if turn.tops == reading.tops:
                    ended = turn.after.ended is not None
                    yield (turn.player + 1) % start.variant.players if ended else turn.after.to_move


# ---------------------------------------------------------------- reading


def read_alone(bgr: Image, field: Field, state: Watched, bare: Image | None = None) -> PhotographReading:
    """Return what one picture shows by itself; ``bare`` is the same board without stones."""
    return read_photograph(bgr, Registration(field, 1.0), bare, n_groups_max=len(state.belief.position.hands))


def reading_of(alone: PhotographReading, tops: PointTops, time_s: float) -> WholeReading:
    """Return a picture's reading, its groups of stones given to players as in ``tops``."""
    sure = tuple(bool(p >= MIN_SURE_POSTERIOR) for p in alone.p)
    return WholeReading(tops, float(np.prod(alone.p)), sure, time_s)


def starting_reading(state: Watched, bgr: Image, field: Field, time_s: float) -> WholeReading:
    """Return the reading of a picture in which a game may have begun; points that something hides are not read."""
    alone = read_alone(bgr, field, state)
    in_sight = [None if hidden else group for group, hidden in zip(alone.stones, state.hidden, strict=True)]
    alone = replace(alone, stones=tuple(in_sight), p=np.where(state.hidden, 0.5, alone.p))
    tops, is_begun = starting_tops(alone, state.game)
    return replace(reading_of(alone, tops, time_s), is_begun=is_begun)


def starting_tops(alone: PhotographReading, game: Game) -> tuple[PointTops, bool]:
    """Return the tops of a game that may have begun, read from one picture, and whether it surely has.

    Nobody knows which colour is whose: the player who lays first has the group with most stones, the next player the
    next; with equal numbers that is open. Stones are laid in turn: where they seem not to be, the likeliest reading of
    one stone in doubt by which they are is taken: it is the board's own, or of another group.
    """
    others = sorted(_readings_of_doubted(alone, game.variant.players), key=lambda one: -one[0])
    readings = [_in_order_of_number(stones, game) for stones in (alone.stones, *(stones for _, stones in others))]
    in_turn = (tops for tops in readings if mover_by_counts(game.position, tops) is not None)
    tops = next(in_turn, readings[0])
    return tops, bool((alone.p[np.array(tops) > 0] >= MIN_BEGUN_POSTERIOR).any())


def _readings_of_doubted(alone: PhotographReading, n_players: int) -> Iterator[tuple[float, Sequence[str | None]]]:
    """Yield the stones with one that is in doubt read otherwise, each with its likelihood ratio to what was read."""
    stones = alone.stones
    for point, (group, p, p_stone) in enumerate(zip(stones, alone.p, alone.p_stone, strict=True)):
        if group is not None and p < MIN_SURE_POSTERIOR:
            other_groups = set(GROUP_NAMES[:n_players]) - {group}
            ratios = {None: (1 - p_stone) / p} | dict.fromkeys(other_groups, (p_stone - p) / p / len(other_groups))
            for other, ratio in ratios.items():
                yield ratio, [*stones[:point], other, *stones[point + 1 :]]


def _in_order_of_number(stones: Sequence[str | None], game: Game) -> PointTops:
    """Return the tops, the groups of stones given to the players in the order of their numbers."""
    groups = sorted({group for group in stones if group}, key=lambda name: (-stones.count(name), name))
    player_of = {name: (game.variant.first + k) % game.variant.players for k, name in enumerate(groups)}
    return tuple(0 if group is None else player_of[group] + 1 for group in stones)


def _read_with_evidence(look: UndecidedLook, expected: PointTops, state: Watched) -> WholeReading:
    """Return the likeliest appearance of every point, from the evidence of a look and the picture read alone.

    Both see the same pixels, so they are pooled as one: the geometric mean of their posteriors. Where that is also what
    the look was taken for, the posterior of that counts. A row without evidence belongs to a point that is out of
    sight: the expected top stays.
    """
    rows = look.log_likelihood
    n_points, n_appearances = rows.shape
    alone = read_alone(look.frame.bgr, look.field, state)
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


# ---------------------------------------------------------------- agreeing, adopting


def is_due(before: tuple[WholeReading, ...], time_s: float, rest_s: float, n_unexplained: int = 0) -> bool:
    """Return whether another reading could tell more than the one before it: it costs more than a look."""
    same_rest = bool(before) and before[-1].n_unexplained == n_unexplained and np.isfinite(rest_s)
    return not same_rest or time_s - before[-1].time_s >= SETTLE_S


def are_alike(one: PointTops, other: PointTops) -> bool:
    """Return whether two tables show the same stones, whichever player has which colour."""
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other)) and all((a == 0) == (b == 0) for a, b in pairs)


def is_turn_seen(game: Game, tops: PointTops, now: PointTops, look: Look) -> bool:
    """Return whether a lawful turn was seen to lead from one table to another, whichever player has which colour."""
    changed = np.array([(one > 0) != (other > 0) for one, other in zip(tops, now, strict=True)])
    if not changed.any() or not (look.change.log_odds[changed] > 0).all():
        return False
    starts = possible_games(resume(game, tops, None)) if any(tops) else (game,)
    return any(are_alike(turn.tops, now) for start in starts for turn in legal_turns(start.position))


def agree(before: tuple[WholeReading, ...], reading: WholeReading) -> bool:
    """Return whether the reading before shows the same on every point."""
    return bool(before) and before[-1].tops == reading.tops


def mover_of(state: Watched, reading: WholeReading) -> int | None:
    """Return whose turn it is where the numbers of stones tell, and no point is in doubt."""
    return mover_by_counts(state.game.position, reading.tops) if all(reading.sure) else None


def adopt(
    state: Watched,
    look: Look,
    table: TableSetup,
    reading: WholeReading,
    to_move: int | None,
    *,
    seen_in: AcceptedLook | None = None,
    is_begun: bool = False,
) -> StepResult[Watched]:
    """Return the state with a board taken over as it was read, where the table says so; else people are shown it."""
    seen = SeenBoard(reading.tops, to_move, seen_in or accept_whole(state, look), reading.sure)
    state = replace(state, proposed_position=seen)
    if not table.takes_over:
        return StepResult(state)
    state = resume_from(state, reading.tops, to_move)
    return StepResult(state, (_resumed(state.game, to_move, look, is_begun=is_begun),))


def accept_whole(state: Watched, look: Look) -> AcceptedLook:
    """Return a look as the reference of the next ones, without its points where something hides any of them."""
    strips = None if look.rings is None else look.rings.strips
    return accept_look(look.frame, look.field, None if any(state.hidden) else look.patches, strips)


def with_sides_told(state: Watched, look: Look, played: Game) -> StepResult[Watched]:
    """Return the state with the players' stones changed over, where the turns ``played`` by now show that they are."""
    game = with_sides_changed(state.game, played)
    if game is None:
        return StepResult(state)
    belief, stones = state.belief, state.appearance.stones
    bias = None if belief.bias is None else belief.bias[:, [0, *range(len(stones), 0, -1)]]
    changed = replace(
        state,
        belief=replace(forget_rest(belief), game=game, bias=bias, accepted=AcceptedEvidence()),
        appearance=replace(state.appearance, stones=stones[::-1]),
        reference=replace(state.reference, measures=None),
    )
    return StepResult(changed, (_resumed(game, game.position.to_move, look, is_begun=True),))


def _resumed(game: Game, to_move: int | None, look: Look, *, is_begun: bool) -> Resumed:
    """Return the event that a game was taken over as it lies."""
    points = zip(game.variant.board.points, game.position.tops, strict=True)
    stones = tuple((name, top - 1 if top else None) for name, top in points)
    return Resumed(stones, to_move, look.frame.time_s, look.frame.sequence, is_begun)
