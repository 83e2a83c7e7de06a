"""First sight: looks at a board without any decision in, the game out from which following starts.

A game may have begun before: it goes on from the stones that lie there. Or it goes on after a break: then the whole
board is compared with it, because following cannot explain a cleared table or another game.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.events import Restored
from referee.resumption import are_sides_open, is_soon_after
from vision.decoding.belief import PointTops
from vision.imaging.frame import Frame, Image
from vision.imaging.patches import cut_patches
from vision.stones.appearance import learn_points
from vision.tracking.follow import STATIONARY_SPACINGS
from vision.tracking.occlusion import PATIENCE_S
from vision.watching.looks import AcceptedLook, Look
from vision.watching.phases import Looking
from vision.watching.state import Break, StepResult, TableSetup, Watched, WholeBoard, WholeReading
from vision.watching.whole_board import (
    MAX_MISSED_TURNS,
    accept_whole,
    adopt,
    are_alike,
    is_due,
    is_turn_seen,
    mover_of,
)
from vision.watching.whole_readings import (
    is_other_table,
    is_sure,
    read_alone,
    reading_of,
    starting_reading,
    tops_most_like,
)


def awaits_reading(state: Watched) -> bool:
    """Return whether a board without any decision was read, and is to be read again before anything else."""
    return _is_first_sight(state) and (state.after_break is not None or bool(state.whole_board.readings))


def awaits_time(state: Watched, frame: Frame) -> bool:
    """Return whether a board that is to be read again was read so shortly before that it shows the same."""
    return awaits_reading(state) and not is_due(state.whole_board.readings, frame.time_s, state.rest_s(frame))


def read_at_first_sight(state: Watched, look: Look, table: TableSetup) -> StepResult[Watched]:
    """Read a board that has never been decided on; the game is followed from here unless it ``awaits_reading``."""
    if not _is_first_sight(state):
        return StepResult(state)
    read = _read_unknown_game if state.after_break is None else _compare_with_game
    return read(state, look, table, state.rest_s(look.frame))


def _is_first_sight(state: Watched) -> bool:
    belief = state.belief
    has_begun = belief.game.turns or any(belief.position.tops) or belief.bias is not None or belief.rest.n_looks > 0
    return state.after_break is not None or not (has_begun or belief.game.outcome is not None)


def _read_unknown_game(state: Watched, look: Look, table: TableSetup, rest_s: float) -> StepResult[Watched]:
    """Read a board on which a game may have begun. The picture in which it was found counts as the first reading."""
    frame, first = look.frame, state.reference
    is_last, before = state.rest_s(frame) >= PATIENCE_S[-1], state.whole_board.readings
    reading = starting_reading(state, frame.bgr, look.field, frame.time_s)
    changed, sure = look.change.log_odds > 0, np.array(reading.sure)
    if not before and np.isfinite(rest_s) and (reading.is_begun or changed.any()):
        before = (starting_reading(state, first.anchor.bgr, first.anchor.field, 0.0),)
    whole_board = replace(state.whole_board, readings=(reading,), proposal=None)
    state = replace(state, looked_s=frame.time_s, whole_board=whole_board)
    was_bare = bool(before) and not before[-1].is_begun
    of_board = was_bare & ~sure & ~changed & ~state.hidden  # no stone, if the board was bare: in doubt before, too
    new_tops = tuple(np.where(of_board, 0, reading.tops).tolist())
    if was_bare and is_turn_seen(state.game, (0,) * len(new_tops), new_tops, look):
        return _followed_from(state, (np.array(new_tops) == 0) & (sure | of_board))
    is_turn = any(is_turn_seen(state.game, one.tops, reading.tops, look) for one in before)
    if is_turn and before[-1].is_begun:
        lying = replace(first, patches=cut_patches(first.anchor.bgr, first.anchor.field))
        return _take_up(state, look, table, before[-1], lying)
    is_agreed = bool(before) and are_alike(before[-1].tops, reading.tops) and not state.hidden.any()
    if reading.is_begun and (is_last or is_agreed):
        return _take_up(state, look, table, reading)
    if any(reading.tops) and not (is_last or is_turn):
        return StepResult(state)
    return _followed_from(state, sure & (np.array(reading.tops) == 0))


def _followed_from(state: Watched, bare: NDArray[np.bool_]) -> StepResult[Watched]:
    """Return the state that is followed; a point that was not read as bare may hold a stone."""
    appearance = replace(state.appearance, bare_counts=np.where(bare, state.appearance.bare_counts, 0.0))
    whole_board = replace(state.whole_board, readings=())
    return StepResult(replace(state, whole_board=whole_board, appearance=appearance))


def _take_up(
    state: Watched, look: Look, table: TableSetup, reading: WholeReading, reference: AcceptedLook | None = None
) -> StepResult[Watched]:
    to_move = None if are_sides_open(reading.tops) else mover_of(state, reading)
    return adopt(state, look, table, reading, to_move, reference=reference, is_begun=True)


def _compare_with_game(state: Watched, look: Look, table: TableSetup, rest_s: float) -> StepResult[Watched]:
    """Compare a board at which a game goes on, or is set up, with it, before anything is learnt from it."""
    last_seen, before = state.after_break or Break(), state.whole_board.readings
    game, is_last, is_laid_now = state.game, state.rest_s(look.frame) >= PATIENCE_S[-1], not state.game.turns
    is_whole = not state.hidden.any()
    if not (is_whole or is_laid_now or is_last):
        return StepResult(state)
    game_tops, frame = state.belief.expected_tops, look.frame
    alone = read_alone(frame.bgr, look.field, state, _bare_picture(state, look) if is_laid_now else None)
    likeliest = tops_most_like(alone, game_tops, last_seen.colours)
    # The game says what lies at a point in doubt.
    tops = tuple(top if is_sure(p) else e for top, e, p in zip(likeliest, game_tops, alone.p, strict=True))
    if is_laid_now:
        n_doubted = sum((top > 0) != (e > 0) for top, e in zip(likeliest, tops, strict=True))
        # With more in doubt a tower game was taken for laid when half of its stones lay.
        tops = tops if n_doubted <= MAX_MISSED_TURNS else likeliest
        if not is_whole and tops != game_tops and not is_last:
            return StepResult(state)
        state, is_whole = _with_nothing_hidden(state), True
    if not is_whole or tops == game_tops or is_soon_after(game, tops, MAX_MISSED_TURNS):
        is_settled = last_seen.is_disputed and is_whole and tops == game_tops
        state = replace(_learnt(state, look, tops), after_break=None, whole_board=WholeBoard())
        return StepResult(state, (Restored(frame.time_s, frame.sequence),) if is_settled else ())
    if is_laid_now or is_other_table(likeliest, game_tops):
        tops = likeliest  # the game says nothing of a point in doubt
    reading = reading_of(alone, tops, frame.time_s)
    proposal = state.proposed_position if is_laid_now else None  # who lays stones looks at it all the time
    board = WholeBoard(readings=(reading,), proposal=proposal)
    state = replace(state, looked_s=frame.time_s, whole_board=board)
    is_read_twice = bool(before) and before[-1].tops == reading.tops
    if np.isfinite(rest_s) and not is_read_twice:
        return StepResult(state)
    return adopt(state, look, table, reading, mover_of(state, reading))


def _with_nothing_hidden(state: Watched) -> Watched:
    """Return the state with every point in sight: many stones that come at once look like something in the way."""
    phase = state.phase
    if not isinstance(phase, Looking) or phase.occlusion is None:
        return state
    occlusion = replace(phase.occlusion, hidden=np.zeros_like(phase.occlusion.hidden))
    return replace(state, phase=replace(phase, occlusion=occlusion))


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
    return None if any(map(is_sure, stones)) else anchor.bgr


def _learnt(state: Watched, look: Look, tops: PointTops) -> Watched:
    """Return the state with points and stones learnt from this look, where it shows what the game says.

    There it is the reference, too: what was done elsewhere was done before it.
    """
    expected, patches = np.array(state.belief.expected_tops), look.patches
    same = (np.array(tops) == expected) & ~state.hidden
    appearance = learn_points(state.appearance, patches, expected, same)
    reference = accept_whole(state, replace(look, patches=replace(patches, inside=patches.inside & same)))
    return replace(state, appearance=appearance, reference=reference)
