"""First sight: a board without any decision yet. A game may have begun before, or goes on after a break.

The game goes on from the stones that lie there at first sight. After a break the whole board is compared with the game,
because following cannot explain a cleared table or another game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.events import Restored
from referee.resumption import are_sides_open, is_soon_after
from vision.decoding.belief import PointTops
from vision.imaging.frame import Frame, Image
from vision.imaging.patches import cut_patches
from vision.stones.appearance import learn_points
from vision.stones.photograph_reader import PhotographReading
from vision.tracking.follow import STATIONARY_SPACINGS
from vision.tracking.occlusion import PATIENCE_S
from vision.watching.looks import AcceptedLook, Look
from vision.watching.phases import Looking
from vision.watching.state import StepResult, TableSetup, Watched, WholeReading
from vision.watching.whole_board import (
    MIN_SURE_POSTERIOR,
    accept_whole,
    adopt,
    agree,
    are_alike,
    best_players,
    is_due,
    is_turn_seen,
    mover_of,
    read_alone,
    reading_of,
    starting_reading,
    tops_for,
)

MAX_DOUBTED_POINTS = 2
"""Points of a position that is laid that are in doubt and seem bare where it has a stone, or the other way. With more a
tower game was taken for laid when half of its stones lay."""

MAX_MISSED_TURNS = 2
"""Turns that may have been played in the break, and are found by following: more are not understood by it.
Source: measured, tests/vision/test_first_sight.py: one and two stones more are announced as turns, three are not."""


def is_first_sight(state: Watched) -> bool:
    """Return whether the board has never been decided on."""
    belief = state.belief
    has_begun = belief.game.turns or any(belief.position.tops) or belief.bias is not None or belief.rest.n_looks > 0
    return state.awaits_resume_check or not (has_begun or belief.game.outcome is not None)


def awaits_reading(state: Watched) -> bool:
    """Return whether a board that was read at first sight is to be read again before anything else."""
    return state.awaits_resume_check or bool(state.whole_readings)


def awaits_time(state: Watched, frame: Frame) -> bool:
    """Return whether a board that is to be read again was read so shortly before that it shows the same."""
    waits = is_first_sight(state) and awaits_reading(state)
    return waits and not is_due(state.whole_readings, frame.time_s, state.rest_s(frame))


def read_at_first_sight(state: Watched, look: Look, table: TableSetup) -> StepResult[Watched]:
    """Read a board that has never been decided on; the game is followed from here unless it ``awaits_reading``."""
    read = _compare_with_game if state.awaits_resume_check else _read_unknown_game
    return read(state, look, table, state.rest_s(look.frame))


def _read_unknown_game(state: Watched, look: Look, table: TableSetup, rest_s: float) -> StepResult[Watched]:
    """Read a board on which a game may have begun. The picture in which it was found counts as the first reading."""
    frame, found = look.frame, state.reference
    is_last, before = rest_s >= PATIENCE_S[-1], state.whole_readings
    reading = starting_reading(state, frame.bgr, look.field, frame.time_s)
    changed, sure = look.change.log_odds > 0, np.array(reading.sure)
    if not before and np.isfinite(rest_s) and (reading.is_begun or changed.any()):
        before = (starting_reading(state, found.anchor.bgr, found.anchor.field, 0.0),)
    state = replace(state, proposed_position=None, looked_s=frame.time_s, whole_readings=(reading,))
    was_bare = bool(before) and not before[-1].is_begun
    of_board = was_bare & ~sure & ~changed  # no stone, if the board was bare: it was in doubt before, too
    came = tuple(np.where(of_board, 0, reading.tops).tolist())
    if was_bare and is_turn_seen(state.game, (0,) * len(came), came, look):
        return _followed_from(state, (np.array(came) == 0) & (sure | of_board))
    turn_seen = any(is_turn_seen(state.game, one.tops, reading.tops, look) for one in before)
    if turn_seen and before[-1].is_begun:
        lying = replace(found, patches=cut_patches(found.anchor.bgr, found.anchor.field))
        return _take_up(state, look, table, before[-1], lying)
    is_agreed = bool(before) and are_alike(before[-1].tops, reading.tops) and not any(state.hidden)
    if reading.is_begun and (is_last or is_agreed):
        return _take_up(state, look, table, reading, accept_whole(state, look))
    if any(reading.tops) and not (is_last or turn_seen):
        return StepResult(state)
    return _followed_from(state, sure & (np.array(reading.tops) == 0))


def _followed_from(state: Watched, bare: NDArray[np.bool_]) -> StepResult[Watched]:
    """Return the state that is followed; a point that was not seen bare has not been seen."""
    appearance = replace(state.appearance, bare_counts=np.where(bare, state.appearance.bare_counts, 0.0))
    return StepResult(replace(state, whole_readings=(), appearance=appearance))


def _take_up(
    state: Watched, look: Look, table: TableSetup, reading: WholeReading, seen_in: AcceptedLook
) -> StepResult[Watched]:
    """Return the state with a game that has begun; one or two stones that tell whose turn it is need no word of people.

    ``seen_in`` is what was read.
    """
    to_move = None if are_sides_open(reading.tops) else mover_of(state, reading)
    few = to_move is not None and sum(map(bool, reading.tops)) <= MAX_MISSED_TURNS
    table = replace(table, takes_over=table.takes_over or few)
    return adopt(state, look, table, reading, to_move, seen_in=seen_in, is_begun=True)


def _compare_with_game(state: Watched, look: Look, table: TableSetup, rest_s: float) -> StepResult[Watched]:
    """Compare a board at which a game goes on, or is set up, with it, before anything is learnt from it."""
    game, is_last, is_laid_now = state.game, rest_s >= PATIENCE_S[-1], not state.game.turns
    is_whole = not any(state.hidden)
    if not (is_whole or is_laid_now or is_last):
        return StepResult(state)
    expected, frame = state.belief.expected_tops, look.frame
    alone = read_alone(frame.bgr, look.field, state, _bare_picture(state, look) if is_laid_now else None)
    shown = tops_most_like(alone, expected, state.earlier_colours)
    tops = tuple(top if p >= MIN_SURE_POSTERIOR else e for top, e, p in zip(shown, expected, alone.p, strict=True))
    if is_laid_now:
        n_doubted = sum((top > 0) != (e > 0) for top, e in zip(shown, tops, strict=True))
        tops = tops if n_doubted <= MAX_DOUBTED_POINTS else shown
        if not is_whole and tops != expected and not is_last:
            return StepResult(state)
        state, is_whole = _with_nothing_hidden(state), True
    if not is_whole or tops == expected or is_soon_after(game, tops, MAX_MISSED_TURNS):
        known = _learnt(state, look, tops)
        is_settled = state.is_disputed and is_whole and tops == expected
        known = replace(known, awaits_resume_check=False, is_disputed=False, whole_readings=(), proposed_position=None)
        return StepResult(known, (Restored(frame.time_s, frame.sequence),) if is_settled else ())
    if is_laid_now or _is_other_table(shown, expected):
        tops = shown  # the game says nothing of a point in doubt
    reading, before = reading_of(alone, tops, frame.time_s), state.whole_readings
    proposed = state.proposed_position if is_laid_now else None  # who lays stones looks at it all the time
    state = replace(state, whole_readings=(reading,), looked_s=frame.time_s, proposed_position=proposed)
    if np.isfinite(rest_s) and not agree(before, reading):
        return StepResult(state)
    return adopt(state, look, table, reading, mover_of(state, reading))


def _with_nothing_hidden(state: Watched) -> Watched:
    """Return the state with every point in sight: many stones that come at once look like something in the way."""
    phase = state.phase
    if not isinstance(phase, Looking) or phase.occlusion is None:
        return state
    cleared = replace(phase.occlusion, hidden=np.zeros_like(phase.occlusion.hidden))
    return replace(state, phase=replace(phase, occlusion=cleared))


def _bare_picture(state: Watched, look: Look) -> Image | None:
    """Return the first picture of the table, where no stone was seen in it and board and camera have not moved since.

    Before stones are laid on it the board is mostly bare, and what has come is read better by the difference.
    """
    anchor, field = state.reference.anchor, look.field
    moved_px = np.linalg.norm(anchor.field.points_px - field.points_px, axis=1)
    if len(moved_px) != len(field.spacing_px) or (moved_px > STATIONARY_SPACINGS * field.spacing_px).any():
        return None
    first = read_alone(anchor.bgr, anchor.field, state)
    stones = (p for stone, p in zip(first.stones, first.p, strict=True) if stone is not None)
    return None if any(p >= MIN_SURE_POSTERIOR for p in stones) else anchor.bgr


def tops_most_like(alone: PhotographReading, expected: PointTops, earlier_colours: tuple[str, ...] = ()) -> PointTops:
    """Return what a picture shows by itself, its colours given to the players as they fit the game best.

    Where another game lies there, that tells nothing: then the colours decide that were seen before the break.
    """
    n_players = max(len(set(alone.stones) - {None}), *expected, 1)
    colour_of = dict(alone.groups)

    def n_alike(player_of: Mapping[str, int]) -> int:
        return sum(a == b for a, b in zip(tops_for(alone, player_of), expected, strict=True))

    def likeness(player_of: Mapping[str, int]) -> float:
        return -sum(_distance(colour_of[name], earlier_colours[player]) for name, player in player_of.items())

    best = tops_for(alone, best_players(alone, n_players, n_alike))
    if _is_other_table(best, expected) and len(earlier_colours) >= n_players and all(earlier_colours):
        return tops_for(alone, best_players(alone, n_players, likeness))
    return best


def _is_other_table(shown: PointTops, expected: PointTops) -> bool:
    """Return whether more points lie otherwise than stones lie as in the game, so that it says nothing of the table."""
    n_otherwise = sum(a != b for a, b in zip(shown, expected, strict=True))
    return n_otherwise > sum(a == b > 0 for a, b in zip(shown, expected, strict=True))


def _distance(one: str, other: str) -> float:
    """Return how far two ``#rrggbb`` are from each other, of 255 in each of three directions."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return float(np.sqrt(sum((a - b) ** 2 for a, b in pairs)))


def _learnt(state: Watched, look: Look, tops: PointTops) -> Watched:
    """Return the state with points and stones learnt from this look, where it shows what the game says.

    There it is the reference, too: what was done elsewhere was done before it.
    """
    expected, patches = np.array(state.belief.expected_tops), look.patches
    same = (np.array(tops) == expected) & ~np.array(state.hidden)
    appearance = learn_points(state.appearance, patches, expected, same)
    reference = accept_whole(state, replace(look, patches=replace(patches, inside=patches.inside & same)))
    return replace(state, appearance=appearance, reference=reference)
