"""Frames of a table whose field nobody has seen in, a watched table out; also for a field known from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from referee.events import BoardFound, BoardLost, Event, OtherGameSeen
from referee.presets import variants_on
from vision.decoding.belief import initial_belief
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.detection.detect import locate
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import register_through_lens
from vision.imaging.median_frame import merge_frames
from vision.imaging.patches import Patches, cut_patches
from vision.rotation.angle_at_rest import unroll_discs
from vision.stones.appearance import learn_bare, unknown_appearance
from vision.tracking.motion import MOTION_INTERVAL_S, with_nothing_in_the_way
from vision.watching.looks import AcceptedLook, accept_look
from vision.watching.phases import Looking, Trigger, next_phase
from vision.watching.state import SETTLE_S, USUAL_PAUSE_S, Hands, State, StepResult, TableSetup, Unseen, Watched

FIELD_SEARCH_INTERVAL_S = USUAL_PAUSE_S + SETTLE_S
"""Time between two searches for a field that was not found, seconds: a hand over it has paused and gone. As much more
each time the number of searches doubles."""


def search(state: Unseen, frame: Frame, table: TableSetup) -> StepResult[State]:
    """Search for a field that has not been seen yet.

    Searches use by turns the newest frame and the median of the last ones, in which hands and noise are gone. When
    their number has doubled the boards of all games are searched for, too: it takes seconds, and a hand may hide one.
    """
    interval_s = state.n_searches.bit_length() * FIELD_SEARCH_INTERVAL_S
    rest_s = state.rest_s(frame)
    # In a picture that moves the board is blurred. What a photograph shows will not come again.
    if rest_s < MOTION_INTERVAL_S or (np.isfinite(rest_s) and frame.time_s - state.searched_s < interval_s):
        return StepResult(state)
    median = merge_frames(state.frames) if state.n_searches % 2 else None
    find = partial(locate, boards=table.boards)
    registration = register_through_lens(table.lens, frame.bgr if median is None else median, find)
    if isinstance(registration, Registration):
        return take_field(state, frame, registration)
    board_lost = BoardLost(registration.reason, frame.time_s, frame.sequence)
    events: tuple[Event, ...] = () if state.n_searches else (board_lost,)
    n, is_told = state.n_searches + 1, state.is_other_told
    if n > 1 and n.bit_count() == 1 and not is_told and (other := find_other_game(frame, table)) is not None:
        is_told, events = True, (*events, other)
    state = replace(state, registration=registration, searched_s=frame.time_s, n_searches=n, is_other_told=is_told)
    return StepResult(state, events)


def find_other_game(frame: Frame, table: TableSetup) -> OtherGameSeen | None:
    """Return what the board in sight is fit for, where the board of the chosen game was searched for in vain."""
    registration = register_through_lens(table.lens, frame.bgr, locate)
    if not isinstance(registration, Registration) or registration.confidence < CERTAIN_CONFIDENCE:
        return None
    games = variants_on(registration.field.board)
    if not games or registration.field.board.name in {board.name for board in table.boards}:
        return None
    return OtherGameSeen(table.variant.name, games, frame.time_s, frame.sequence)


def take_field(state: State, frame: Frame, registration: Registration) -> StepResult[Watched]:
    """Return the state with a field that was found or is known. The first field also teaches the look of its points."""
    field, late = registration.field, isinstance(state, Unseen) and state.n_searches > 0
    strips = unroll_discs(frame.bgr, field) if field.board.rings else None
    # On a field that was not found at first, or lay there through a break, stones may have been moved that nobody saw:
    # what its points show is not what the game says, and no reference.
    is_unwatched, patches = late or state.after_break is not None, cut_patches(frame.bgr, field)
    reference = accept_look(frame, field, None if is_unwatched else patches, strips)
    if isinstance(state, Unseen):
        watched = _first_look(state, frame.time_s, reference, patches)
    else:
        data = {"occlusion": None} if isinstance(state.phase, Looking) else {}
        phase = next_phase(state.phase, Trigger.FOUND, **data)
        watched = replace(state, lost=None, reference=reference, phase=phase)
    return StepResult(replace(watched, motion=with_nothing_in_the_way(state.motion)), (board_event(field, frame),))


def _first_look(state: Unseen, time_s: float, reference: AcceptedLook, patches: Patches) -> Watched:
    """Return the state with the first field, and the appearance of its points.

    Of a game that goes on nothing is learnt before the table was compared with it (``first_sight.py``).
    """
    field, belief, appearance = reference.anchor.field, state.belief, state.appearance
    game = state.game.on_board(field.board)
    if game is not state.game:
        belief, appearance = initial_belief(game), unknown_appearance(len(field.board.points), game.variant.players)
    if state.after_break is None and not (belief.game.turns or any(belief.expected_tops)):
        appearance = learn_bare(appearance, patches, np.ones(len(patches.inside), np.bool_))
    return Watched(
        belief=belief,
        appearance=appearance,
        reference=reference,
        disturbed_s=state.disturbed_s,
        hands=Hands(touched_s=state.disturbed_s),
        searched_s=time_s,
        after_break=state.after_break,
    )


def board_event(field: Field, frame: Frame) -> BoardFound:
    """Return the event that a field was found, with the places of its points in image space."""
    places = zip(field.board.points, field.points_px, strict=True)
    points = tuple((name, float(x), float(y)) for name, (x, y) in places)
    return BoardFound(field.board.name, points, frame.time_s, frame.sequence)
