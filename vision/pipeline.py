"""The path from a frame to what is said: follow, look, observe, weigh, decide.

A newcomer starts here. ``step`` is the whole of it; what happened is a value (``State``), and so is what is played
(``Table``). Nothing here reads a clock or a camera: time is the frame's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from referee.events import BoardFound, BoardLost, Event, QuestionAsked, TurnAmended
from referee.game import Game
from vision.change.tower_change import told_by_pile
from vision.compare import (
    may_teach,
    nobody_came,
    note_touched,
    note_turning,
    told_by_change,
    told_by_fellows,
    unsure_of_paint,
    without_hidden,
)
from vision.decoding.belief import believe, forget_looks, update
from vision.decoding.decision import Decision, Moment, decide, undisturbed
from vision.decoding.posterior import weigh
from vision.detection.detect import field_from_corners, locate
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import through
from vision.imaging.median_frame import keep, together
from vision.imaging.patches import Patches, sample
from vision.networks.patch_networks import stones_on_unknown_field
from vision.rotation.angle_at_rest import unroll
from vision.rotation.angle_in_motion import follow_rings, set_out
from vision.state import State, Table, on_board
from vision.stones.appearance import bare_from_patches, forget_paint, paint_in_other_light, stones_from_patches, unknown
from vision.stones.observation import Observation, observe_patches, second_opinion
from vision.tracking.follow import anchor_at, follow
from vision.tracking.motion import cleared, moves_over, reduce, watch_motion
from vision.tracking.occlusion import stage_of, take_look
from vision.tracking.redetect import doubt, recover

SETTLE_S = 0.4
"""Rest before the table is looked at and anything decided: hands pause for a moment over what they have done."""

LOOK_EVERY_S = 0.09
"""Time between two looks at a resting table that leaves doubts; looks closer together say the same twice."""

HALF_TURNED_S = 3.0
"""Rest for which a ring is waited for that stands halfway between two steps; after that it is taken to the nearer."""

LIKE_A_STONE = 1.0
"""Log odds by which a point of a board found late must look like a stone, not to be learnt as a bare one."""

OLD_LIGHT_WORTH = 0.1
"""Looks that what was seen in another light is worth beside one look in this light."""

SEARCH_AFTER_S = 0.15
"""Rest before the field is searched for: a moving picture is blurred."""

SEARCH_EVERY_S = 1.0
SEARCH_PATIENCE = 0.25
"""Time between two searches for a field that was not found, and more of it the longer it stays away: a search of a
picture without a board takes seconds, and is worth less each time."""

SEARCH_AT_LEAST_S = 5.0
"""However long it stays away, it is searched for this often."""

MOST_PUZZLES = 2
"""Rests in a row that make no sense, after which the field is searched for anew, for it may have been followed wrongly;
where it lies where it was thought to lie, and the next rest makes no sense either, the table is taken as it is."""

LOST_AFTER_S = 3.0
"""Rest for which the field may be out of sight before it is called lost."""


Step = tuple[State, tuple[Event, ...]]


def step(state: State, frame: Frame, table: Table) -> Step:
    """Take in one frame.

    Parameters
    ----------
    state : State
    frame : Frame
        Newer than every one before.
    table : Table

    Returns
    -------
    State
    tuple of Event
        What is to be said now, in order.
    """
    state = _watch(state, frame, table)
    rest_s = float("inf") if table.pictures else state.scene.quiet_s(frame.time_s)
    if state.anchor is None:
        return _search(state, frame, table, rest_s)
    if state.settled or rest_s < SETTLE_S - 1e-6 or frame.time_s - state.looked_s < LOOK_EVERY_S:
        return state, ()
    state, events = _see(state, frame, rest_s)
    if state.look is None or state.look.blocked or isinstance(state.registration, NotRegistered):
        return state, events
    field, n_players = state.registration.field, state.belief.evidence.shape[1] - 1
    hidden = state.look.hidden
    state = note_turning(state, frame, field)
    appearance, ridden = state.appearance, state.ridden
    if ridden is not None:
        if ridden.half_turned and rest_s < HALF_TURNED_S:
            return replace(state, looked_s=frame.time_s), events
        field, appearance = ridden.field, ridden.appearance
    patches = sample(frame.bgr, field)
    alone = nobody_came(state)
    state = note_touched(state, frame, patches, hidden)
    observation = observe_patches(patches, appearance, n_players, frame.time_s)
    if state.displaced:
        observation = second_opinion(observation, patches, appearance)
    elif ridden is not None and ridden.moved.any():
        observation = second_opinion(observation, patches, appearance, ridden.moved)
    observation = told_by_change(observation, patches, state.patches, appearance, state.belief)
    if state.pile is not None:
        observation = told_by_pile(observation, state.pile, patches, appearance, state.belief.expected)
    observation = told_by_fellows(observation, patches, state.patches, appearance, state.belief, hidden)
    shown = state.belief.position.tops
    observation = without_hidden(unsure_of_paint(observation, appearance, shown, n_players), hidden)
    belief = update(state.belief, observation)
    state = replace(state, belief=belief, looked_s=frame.time_s)
    moment = Moment(
        frame.time_s, frame.sequence, rest_s, state.displaced, belief.habit is not None, state.puzzles >= MOST_PUZZLES
    )
    verdict = weigh(belief)
    state = replace(state, verdict=verdict)
    if alone and state.displaced:  # a lamp was switched, and nobody came near
        state = replace(state, appearance=paint_in_other_light(state.appearance, np.array(belief.expected)))
        return _learn(state, frame, patches, observation, undisturbed(belief)), events
    decision = decide(belief, verdict, moment, asked=state.asked)
    return _learn(state, frame, patches, observation, decision), events + decision.events


def place_field(state: State, frame: Frame, table: Table, corners_px: NDArray[np.float64]) -> Step:
    """Take four corners that a person has pointed at.

    Parameters
    ----------
    state : State
    frame : Frame
        The frame that the corners were pointed at in.
    table : Table
    corners_px : float64 array of shape (4, 2)
        Corners of the outermost square, clockwise from the one that is to be a7 (a3, n ...), image space.

    Returns
    -------
    State
    tuple of Event
    """
    lens = table.lens if table.lens is not None and table.lens.size_px == frame.size_px else None
    corners = corners_px if lens is None else lens.undistorted_points(corners_px)
    seen = through(lens, frame.bgr, partial(field_from_corners, board=table.boards[0], corners_px=corners))
    return take_field(state, frame, seen) if isinstance(seen, Registration) else (state, ())


def take_field(state: State, frame: Frame, registration: Registration) -> Step:
    """Take a field that is known from before to lie in this frame, under the names that it had."""
    return _found(state, frame, registration)


def play_on(state: State) -> Step:
    """Let the foul in dispute stand; the game goes on from what the table shows."""
    if state.belief.disputed is None:
        return state, ()
    stood = state.belief.game.play_on(state.belief.disputed)
    return replace(state, belief=believe(stood), settled=False, look=None), ()


def correct(state: State, tops: Sequence[int], to_move: int | None = None) -> Step:
    """Take the players' word for what lies on the table.

    Parameters
    ----------
    state : State
    tops : sequence of int, by point
        What is there: 0 bare, k a stone of player k - 1 on top.
    to_move : int, optional
        Whose turn it is; the same player's as before when omitted.

    Returns
    -------
    State
    tuple of Event
        None: who corrects needs no telling. The record keeps it as a position that was set by hand.
    """
    to_move = state.game.position.to_move if to_move is None else to_move
    return set_right(state, state.game.play_on(tops, to_move=to_move, kinds=("corrected",))), ()


def set_right(state: State, game: Game) -> State:
    """Go on from a game that the players have set right, and learn what its points look like now.

    What was misread is what these places look like: without learning it the same ghost comes back at the next look.
    """
    tops, shown = game.position.tops, state.belief.expected
    state = replace(state, belief=believe(game), settled=False, look=None)
    if state.patches is None:
        return state
    wrong = np.array(tops) != np.array(shown)
    bare = wrong & (np.array(tops) == 0)
    forgotten = replace(state.appearance, looks=np.where(bare, 0.0, state.appearance.looks))
    appearance = bare_from_patches(forgotten, state.patches, bare)
    appearance = stones_from_patches(appearance, state.patches, np.where(wrong, np.array(tops), 0))
    return replace(state, appearance=appearance)


def take_back(state: State, frame: Frame) -> Step:
    """Take back the last turn, as the players wish; the table is expected to follow."""
    game = state.game
    if not game.turns:
        return state, ()
    event = TurnAmended(game.ply, None, frame.time_s, frame.sequence)
    return replace(state, belief=believe(game.take_back()), settled=False, look=None), (event,)


def _watch(state: State, frame: Frame, table: Table) -> State:
    """Note movement; what was seen in the rest before it is over."""
    before_s, scene = state.scene.seen_s, watch_motion(state.scene, frame)
    if state.underway is not None and not table.pictures and scene.quiet_s(frame.time_s) < SETTLE_S:
        state = replace(state, underway=follow_rings(state.underway, frame.bgr, frame.time_s - before_s))
    if table.pictures:
        state = replace(state, underway=None)  # nobody has seen what was done
        scene = replace(scene, swept=np.ones((1, 1), np.bool_))  # anything may have come in between two of them
    if not table.pictures and scene.moved_s != frame.time_s:
        return replace(state, scene=scene)
    unexplained = state.belief.n_looks > 0 and not state.settled
    belief = forget_looks(state.belief)
    if isinstance(state.registration, Registration) and (table.pictures or moves_over(scene, state.registration.field)):
        belief = replace(belief, visited=True)
    deceived = state.displaced and belief.position.variant.max_height == 1
    if unexplained and state.verdict is not None and belief.disputed is None and belief.pending is None:
        # What shadows said that lie elsewhere now they will say again: it must not count twice.
        leaning = {} if deceived else state.verdict.leaning
        then = state.belief
        belief = replace(belief, leaning=leaning, rings_then=then.turning, touched_then=then.touched)
    puzzles = state.puzzles + unexplained
    state = replace(state, scene=scene, belief=belief, look=None, ridden=None, puzzles=puzzles)
    return replace(state, settled=False, asked=False)


def _search(state: State, frame: Frame, table: Table, rest_s: float) -> Step:
    """Look for a field that has not been seen yet."""
    if not table.pictures:
        state = replace(state, waiting=keep(state.waiting, frame))
    every_s = SEARCH_EVERY_S + SEARCH_PATIENCE * max(0.0, state.searched_s)
    if rest_s < SEARCH_AFTER_S or frame.time_s - state.searched_s < min(every_s, SEARCH_AT_LEAST_S):
        return state, ()
    state = replace(state, searched_s=frame.time_s)
    # In turn the newest frame, and what the last ones have in common: hands and noise are gone from that.
    common = together(state.waiting) if state.searches % 2 else None
    bgr = frame.bgr if common is None else common
    state = replace(state, searches=state.searches + 1)
    registration = through(table.lens, bgr, partial(locate, boards=table.boards))
    if isinstance(registration, Registration):
        return _found(state, frame, registration)
    state = replace(state, registration=registration)
    if state.told_lost:
        return state, ()
    return replace(state, told_lost=True), (BoardLost(registration.reason, frame.time_s, frame.sequence),)


def _found(state: State, frame: Frame, registration: Registration) -> Step:
    """Take up a field that was found; a first one also teaches what the bare points look like."""
    field, late = registration.field, state.anchor is None and state.told_lost
    if state.anchor is None:
        game = on_board(state.game, field.board)
        if game is not state.game:
            n_points, n_players = len(field.board.points), game.variant.players
            state = replace(state, belief=believe(game), appearance=unknown(n_points, n_players))
        tops = np.array(state.belief.expected)
        patches = sample(frame.bgr, field)
        bare = tops == 0
        if np.isfinite(state.scene.moved_s):  # people have not waited: what looks like a stone may be one
            bare &= stones_on_unknown_field(patches.luv).log_odds < LIKE_A_STONE
        appearance = bare_from_patches(state.appearance, patches, bare)
        if tops.any():
            appearance = stones_from_patches(appearance, patches, tops)
        state = replace(state, appearance=appearance)
    strips = unroll(frame.bgr, field) if field.board.rings else None
    state = replace(
        state,
        registration=registration,
        scene=cleared(state.scene, reduce(frame.bgr)),
        anchor=anchor_at(frame, field),
        strips=strips,
        underway=None if strips is None else set_out(frame.bgr, field, strips.discs),
        # Where it was searched for in vain at first, somebody may have played by now: nothing is known to be as before.
        patches=None if late else sample(frame.bgr, field),
        told_lost=False,
        look=None,
        settled=False,
        waiting=(),
    )
    return state, (_board_event(field, frame),)


def _board_event(field: Field, frame: Frame) -> BoardFound:
    places = zip(field.board.points, field.points_px, strict=True)
    points = tuple((name, float(x), float(y)) for name, (x, y) in places)
    return BoardFound(field.board.name, points, frame.time_s, frame.sequence)


def _see(state: State, frame: Frame, rest_s: float) -> Step:
    """Take a look, or a more patient one; move the field where it went."""
    anchor = state.anchor
    assert anchor is not None  # a registered field has one
    stage = stage_of(rest_s)
    if state.look is not None and not _look_again(state, frame, stage):
        return state, ()
    followed = follow(anchor, frame)
    if isinstance(followed, NotRegistered) and stage > 0 and frame.time_s - state.searched_s >= SEARCH_EVERY_S:
        followed = recover(anchor, frame)
        state = replace(state, searched_s=frame.time_s)
    elif state.puzzles >= MOST_PUZZLES and state.look is None:
        followed = doubt(followed, anchor, frame)
        state = replace(state, searched_s=frame.time_s)
    look = take_look(anchor.field, state.scene, followed, frame, stage)
    state = replace(state, look=look, looked_s=frame.time_s)
    if isinstance(look.place, NotRegistered):
        if rest_s < LOST_AFTER_S or state.told_lost:
            return state, ()
        lost = BoardLost(look.place.reason, frame.time_s, frame.sequence)
        return replace(state, registration=look.place, told_lost=True), (lost,)
    was_lost = isinstance(state.registration, NotRegistered)
    if look.blocked or not (look.moved or was_lost):
        return state, ()
    # From now on it is followed from here, whatever the stones turn out to say. Hands that came have pushed it.
    scene = cleared(state.scene, look.small)
    state = replace(
        state,
        belief=replace(state.belief, visited=False),
        registration=Registration(look.place, 1.0),
        anchor=anchor_at(frame, look.place),
        scene=scene,
        underway=None,
        displaced=True,
        told_lost=False,
    )
    return state, (_board_event(look.place, frame),)


def _look_again(state: State, frame: Frame, stage: int) -> bool:
    """Whether a look that ended blocked should be taken anew."""
    assert state.look is not None
    if isinstance(state.look.place, NotRegistered):
        return frame.time_s - state.searched_s >= SEARCH_EVERY_S and stage > 0
    return state.look.blocked and state.look.stage != stage


def _learn(state: State, frame: Frame, patches: Patches, observation: Observation, decision: Decision) -> State:
    """Keep what a decision teaches: the looks of points and stones, and the look to follow from."""
    asked = state.asked or any(isinstance(event, QuestionAsked) for event in decision.events)
    touched_before = state.belief.touched
    belief = replace(decision.belief, visited=decision.belief.visited and not decision.settled)
    state = replace(state, belief=belief, settled=decision.settled, asked=asked)
    assert isinstance(state.registration, Registration) and state.look is not None
    if not decision.settled or state.look.hidden.any() or decision.belief.leaning:
        return state  # what is borne in mind is told by a comparison with the look before it
    field, appearance, strips = state.registration.field, state.appearance, state.strips
    if state.ridden is not None:
        field, appearance, strips = state.ridden.field, state.ridden.appearance, state.ridden.strips
    tops = np.array(decision.belief.expected)
    if state.displaced:  # what the points looked like in another light, or under other shadows, is of no use now
        looks = np.where(tops == 0, np.minimum(appearance.looks, OLD_LIGHT_WORTH), appearance.looks)
        appearance = replace(appearance, looks=looks)
    appearance = bare_from_patches(appearance, patches, (tops == 0) & may_teach(observation, touched_before))
    if any(isinstance(event, TurnAmended) for event in decision.events):
        game = decision.belief.game  # what a turn has taught that did not happen was another's paint
        idle = [hand == own for hand, own in zip(game.position.hands, game.variant.stones, strict=True)]
        appearance = forget_paint(appearance, idle)
    if decision.belief.disputed is None:
        appearance = stones_from_patches(appearance, patches, tops)
    scene = cleared(state.scene, state.look.small)
    return replace(
        state,
        registration=replace(state.registration, field=field),
        appearance=appearance,
        puzzles=0,
        anchor=anchor_at(frame, field),
        strips=strips,
        underway=None if strips is None else set_out(frame.bgr, field, strips.discs),
        patches=patches,
        ridden=None,
        scene=scene,
        displaced=False,
    )
