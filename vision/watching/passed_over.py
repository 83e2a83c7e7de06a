"""Overlooked stones: they have lain since first sight on points that were read as bare.

Such a point never changes. But once stones of both players lie beside it, it looks like these, and unlike the other
bare points. In come a decided state and its look; out comes the game told anew, with the stone, once two looks agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.events import Event, Resumed, TurnAmended
from referee.game import Game
from referee.game_events import consequences, game_ended, turn_played
from referee.resumption import RESUMED, begun_with
from vision.decoding.turn_hypotheses import DOUBT_NATS
from vision.imaging.patches import Patches, patch_disc_mask
from vision.stones.appearance import change_strength, colour_statistics, learn_points, sample_envelope
from vision.stones.colour_clustering import next_stone_log_density
from vision.watching.looks import Look
from vision.watching.player_actions import change_game
from vision.watching.state import StepResult, TableSetup, Watched, WholeBoard

MAX_CHANGED_SHARE, MIN_COVERED_SHARE = 0.5, 0.7
"""Shares of its middle by which a bare point may differ from what the others mostly are, as lines meet otherwise there,
and by which one does that a stone covers. Source: measured, seven real games 0.0 and 0.88, two drawn ones 0.4 and 1."""

MIDDLE_UNITS = 0.2
"""Radius in which the colour of a point is measured: stones that lie off their point show there, too."""


def with_overlooked_stones(state: Watched, look: Look, table: TableSetup) -> StepResult[Watched]:
    """Return the state with stones that have lain since the first look, where two looks show them; the turns stay.

    ``state`` is that after the decision.
    """
    lying = _overlooked_stones(state, look) if table.takes_over else {}
    before = state.whole_board.overlooked_stones
    state = replace(state, whole_board=replace(state.whole_board, overlooked_stones=lying))
    game_and_order = begun_with(state.game, lying) if lying and lying == before else None
    if game_and_order is None:
        return StepResult(state)
    game, order = game_and_order
    points, stones = np.isin(np.arange(len(game.position.tops)), list(lying)), state.appearance.stones
    counts = np.where(points, 0.0, state.appearance.bare_counts)
    in_order = tuple(stones[order.index(player)] for player in range(len(stones)))
    appearance = replace(state.appearance, bare_counts=counts, stones=in_order)
    appearance = learn_points(appearance, look.patches, np.array(game.position.tops), points)
    after = change_game(replace(state, appearance=appearance, whole_board=WholeBoard()), game, recheck=True)
    belief = replace(after.belief, turns_to_trust=state.belief.turns_to_trust)
    return StepResult(replace(after, belief=belief), _events_of_replay(state.game, game, look))


def _overlooked_stones(state: Watched, look: Look) -> Mapping[int, int]:
    """Return the tops, by point, that a look shows where the game says that nothing has lain since the first look."""
    game, tops, visible = state.game, np.array(state.game.position.tops), look.patches.inside & ~state.hidden
    is_open = state.belief.dispute is not None or state.belief.pending is not None or game.outcome is not None
    players = np.unique(tops[tops > 0])
    if is_open or state.belief.n_fixed_turns or game.variant.max_height > 1 or len(players) < game.variant.players:
        return {}
    ever = np.any([tops > 0, *(np.array(turn.tops) > 0 for turn in game.turns)], axis=0)
    bare, occupied = np.flatnonzero(~ever & visible), (tops > 0) & visible
    if not len(bare):
        return {}
    samples = look.patches.log_colour[:, patch_disc_mask(MIDDLE_UNITS)]
    colours = np.array([colour_statistics(middle) for middle in samples], np.float64)
    as_stones = np.array([next_stone_log_density(colours[occupied & (tops == one)], colours[bare]) for one in players])
    others = np.array([bare[bare != one] for one in bare])
    as_bare = next_stone_log_density(colours[others], colours[bare, None])[:, 0]
    lies = _stands_out(as_stones.max(axis=0) - as_bare)
    if not lies.any():
        return {}
    shares = _changed_shares_beside_others(look.patches.at(bare))
    if not (shares[lies] > MIN_COVERED_SHARE).all() or not (shares[~lies] < MAX_CHANGED_SHARE).all():
        return {}
    return {int(bare[k]): int(players[as_stones[:, k].argmax()]) for k in np.flatnonzero(lies)}


def _changed_shares_beside_others(patches: Patches) -> NDArray[np.float64]:
    """Return the share of each of some points that is not as the other points mostly look, were it bare; (n,)."""
    colour, n = patches.log_colour, len(patches.log_colour)
    others = np.array([np.median(np.delete(colour, point, axis=0), axis=0) for point in range(n)], np.float32)
    strength = change_strength(colour - np.clip(colour, *sample_envelope(others)))
    return np.asarray((strength > 1)[:, patch_disc_mask(MIDDLE_UNITS)].mean(axis=1), np.float64)


def _stands_out(nats: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points clearly show a stone, all others, which are more, being clearly less like one; (n,).

    Where bare points differ as much from each other, that tells nothing.
    """
    lies = nats >= DOUBT_NATS
    others = nats[~lies]
    clear = lies.any() and len(others) > lies.sum() and nats[lies].min() - others.max() >= DOUBT_NATS
    return np.asarray(lies & clear, np.bool_)


def _events_of_replay(before: Game, game: Game, look: Look) -> tuple[Event, ...]:
    """Return the events by which the turns of a game are withdrawn, and told of the one that has begun with stones."""
    at = look.frame.time_s, look.frame.sequence
    n_first = 1 + max(k for k, turn in enumerate(game.turns) if RESUMED in turn.remarks)
    games = [Game.replay(game.first_position, game.turns[:n]) for n in range(n_first, game.ply + 1)]
    n_withdrawn = game.ply - n_first
    lying = games[0].position
    points = tuple((name, top - 1 if top else None) for name, top in zip(lying.board.points, lying.tops, strict=True))
    events: list[Event] = [TurnAmended(before.ply - k, None, *at) for k in range(n_withdrawn)]
    events.append(Resumed(points, lying.to_move, *at, is_begun=True))
    for one, after in zip(games, games[1:], strict=False):
        events += [turn_played(after, 1.0, *at), *consequences(one, after, *at)]
    return tuple(events) if game.outcome is None else (*events, game_ended(game, *at))
