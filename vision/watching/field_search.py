"""Search for a field that has not been seen yet, and adopt one that was found or is known from before."""

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
from vision.stones.photograph_reader import looks_at_sizes, stone_log_odds
from vision.tracking.motion import with_nothing_in_the_way
from vision.watching.looks import AcceptedLook, accept_look
from vision.watching.phases import Looking, Trigger, next_phase
from vision.watching.state import State, StepResult, TableSetup, Unseen, Watched

SEARCH_AFTER_S = 0.15
"""Rest before the field is searched for, seconds: a moving image is blurred."""

FIELD_SEARCH_INTERVAL_S = 1.0
"""Time between two searches for a field that was not found, seconds."""

SEARCH_INTERVAL_GROWTH = 0.25
"""Growth of that interval per second of the source. A search in an image without a board takes seconds and is less
useful each time."""

MAX_SEARCH_INTERVAL_S = 5.0
"""Upper bound of that interval, seconds."""

SEARCHES_BEFORE = (2, 5, 11)
"""Searches in vain for the chosen board after which those of all games are searched for. Such a search takes seconds,
and a hand may hide the board in any of them."""


def search(state: Unseen, frame: Frame, table: TableSetup) -> StepResult[State]:
    """Search for a field that has not been seen yet.

    Searches use by turns the newest frame and the median of the last ones, in which hands and noise are gone.
    """
    interval_s = FIELD_SEARCH_INTERVAL_S + SEARCH_INTERVAL_GROWTH * max(0.0, state.searched_s)
    waited_s = frame.time_s - state.searched_s
    if state.rest_s(frame) < SEARCH_AFTER_S or waited_s < min(interval_s, MAX_SEARCH_INTERVAL_S):
        return StepResult(state)
    median = merge_frames(state.frames) if state.n_searches % 2 else None
    find = partial(locate, boards=table.boards)
    registration = register_through_lens(table.lens, frame.bgr if median is None else median, find)
    if isinstance(registration, Registration):
        return take_field(state, frame, registration)
    lost = BoardLost(registration.reason, frame.time_s, frame.sequence)
    events: tuple[Event, ...] = () if state.n_searches else (lost,)
    n_searches = state.n_searches + 1
    state = replace(state, registration=registration, searched_s=frame.time_s, n_searches=n_searches)
    if n_searches in SEARCHES_BEFORE and not state.other_game_seen:
        other = find_other_game(frame, table)
        state, events = replace(state, other_game_seen=other is not None), (*events, *([other] if other else []))
    return StepResult(state, events)


def find_other_game(frame: Frame, table: TableSetup) -> OtherGameSeen | None:
    """Return what the board in sight is fit for, where the board of the chosen game was searched for in vain."""
    seen = register_through_lens(table.lens, frame.bgr, locate)
    if not isinstance(seen, Registration) or seen.confidence < CERTAIN_CONFIDENCE:
        return None
    games = variants_on(seen.field.board)
    if not games or seen.field.board.name in {board.name for board in table.boards}:
        return None
    return OtherGameSeen(table.variant.name, games, frame.time_s, frame.sequence)


def take_field(state: State, frame: Frame, registration: Registration) -> StepResult[Watched]:
    """Return the state with a field that was found or is known. The first field also teaches the look of its points."""
    field, late = registration.field, isinstance(state, Unseen) and state.n_searches > 0
    strips = unroll_discs(frame.bgr, field) if field.board.rings else None
    # On a field that was not found at first, or lay there through a break, stones may have been moved that nobody saw:
    # what its points show is not what the game says, and no reference.
    is_unwatched, patches = late or state.awaits_resume_check, cut_patches(frame.bgr, field)
    reference = accept_look(frame, field, None if is_unwatched else patches, strips)
    if isinstance(state, Unseen):
        seen = _first_look(state, frame.time_s, registration, reference, patches)
    else:
        data = {"occlusion": None} if isinstance(state.phase, Looking) else {}
        phase = next_phase(state.phase, Trigger.FOUND, **data)
        seen = replace(state, registration=registration, reference=reference, phase=phase)
    return StepResult(replace(seen, motion=with_nothing_in_the_way(state.motion)), (board_event(field, frame),))


def _first_look(
    state: Unseen, time_s: float, registration: Registration, reference: AcceptedLook, patches: Patches
) -> Watched:
    """Return the state with the first field, and the appearance of its points.

    Of a game that goes on after a break nothing is learnt before the table was compared with it (``first_sight.py``).
    """
    field, belief, appearance = registration.field, state.belief, state.appearance
    game = state.game.on_board(field.board)
    if game is not state.game:
        belief, appearance = initial_belief(game), unknown_appearance(len(field.board.points), game.variant.players)
    if not state.awaits_resume_check:
        bare = np.array(belief.expected_tops) == 0
        if np.isfinite(state.motion.last_motion_s):  # people may have laid stones already
            bgr = reference.anchor.bgr
            bare &= stone_log_odds(bgr, field, looks_at_sizes(bgr, field), patches.inside) < 0
        appearance = learn_bare(appearance, patches, bare)
    return Watched(
        belief=belief,
        registration=registration,
        appearance=appearance,
        reference=reference,
        disturbed_s=state.disturbed_s,
        touched_s=state.disturbed_s,
        searched_s=time_s,
        awaits_resume_check=state.awaits_resume_check,
        is_disputed=state.is_disputed,
        earlier_colours=state.earlier_colours,
    )


def board_event(field: Field, frame: Frame) -> BoardFound:
    """Return the event that a field was found, with the places of its points in image space."""
    places = zip(field.board.points, field.points_px, strict=True)
    points = tuple((name, float(x), float(y)) for name, (x, y) in places)
    return BoardFound(field.board.name, points, frame.time_s, frame.sequence)
