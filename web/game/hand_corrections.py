"""A game and a correction by people in, the corrected game out.

A correction that shows what a turn would leave is that turn. Vision process and journal apply it alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from referee.game import Game
from referee.moves import Move
from referee.turns import Turn, iter_turns, turns_showing
from web.game.game_state import CORRECTED, ends_in_correction, with_turn_begun_by_hand

MAX_AMENDED_TURNS = 8  # turns back within which a misread one is searched: longer mistakes are noticed


def correct_point(game: Game, point: str, top: int, height: int | None = None) -> Game:
    """Return the game after a point was corrected: ``top`` is the player of the stone on top, 1 first, or 0."""
    tops, heights = list(game.position.tops), list(game.position.heights)
    tops[game.variant.board.index[point]] = top
    if height is not None:
        heights[game.variant.board.index[point]] = height
    return _play_correction(game, tuple(tops), heights if height is not None else None)


@dataclass(frozen=True, slots=True)
class InferredTurns:
    """The turns that explain a corrected position, in the place of the newest ``n_replaced`` ones."""

    n_replaced: int
    turns: tuple[Turn, ...]
    amended_ply: int = 0  # the turn that had been misread; 0 where the correction is the next turn, made by hand


def infer_turns(game: Game, tops: Sequence[int], heights: Sequence[int] | None = None) -> InferredTurns | None:
    """Return the turns that explain corrected tops (and heights), None where no turn or more than one does.

    The function tries in this order: the next turn, made stone by stone since the last one; one of the last turns,
    which was misread; the next turn from a position that was corrected before.
    """
    n_set = 1 if ends_in_correction(game) and game.variant.max_height == 1 else 0
    newest = game.take_back() if n_set else game
    position, goal = newest.position, tuple(tops)
    if position.tops == goal and (heights is None or position.heights == tuple(heights)):
        return None  # the correction is undone
    if turn := _infer_next_turn(newest, goal, heights):
        return InferredTurns(n_set, (turn,))
    if heights is None and not game.variant.rotates and (amended := _infer_amended_turns(newest, goal)):
        return InferredTurns(n_set + len(amended), amended, newest.ply - len(amended) + 1)
    if n_set and (turn := _infer_next_turn(game, goal, heights)):
        return InferredTurns(0, (turn,))
    return None


def _infer_next_turn(game: Game, tops: tuple[int, ...], heights: Sequence[int] | None) -> Turn | None:
    if game.outcome is not None:
        return None
    turns = turns_showing(game.position, tops, heights)
    return turns[0] if len(turns) == 1 else None


def _infer_amended_turns(game: Game, tops: tuple[int, ...]) -> tuple[Turn, ...]:
    """Return the last turns with one of them changed so that they lead to ``tops``; empty where that is not unique."""
    touched: set[str] = set()
    for n in range(1, min(MAX_AMENDED_TURNS, game.ply) + 1):
        if not game.turns[-n].moves:
            return ()  # a corrected position or a resignation: what came before it is settled
        start, later = Game.replay(game.first_position, game.turns[:-n]), game.turns[game.ply - n + 1 :]
        amendments = []
        for turn in iter_turns(start.position):
            tops_by_point = zip(game.variant.board.points, turn.tops, tops, strict=True)
            if any(a != b for name, a, b in tops_by_point if name not in touched):
                continue
            ended = _replay_later_turns(start, turn, later)
            if ended is not None and ended.position.tops == tops:
                amendments.append(ended.turns[-n:])
        if amendments:
            return amendments[0] if len(amendments) == 1 else ()
        tops_before_after = zip(game.variant.board.points, start.position.tops, game.turns[-n].after.tops, strict=True)
        touched |= {name for name, a, b in tops_before_after if a != b}
    return ()


def _replay_later_turns(start: Game, turn: Turn, later: Sequence[Turn]) -> Game | None:
    """Return the game with ``turn`` and the moves of the later turns, None where those are no longer legal."""
    try:
        game = start.play_turn(turn)
        for after in later:
            for move in after.moves:
                game = game.play(move)
    except ValueError:
        return None
    return game if game.ply == start.ply + 1 + len(later) else None


def replace_turns(game: Game, moves: Sequence[Move], n_replaced: int) -> Game:
    """Return the game with its last ``n_replaced`` turns taken back and ``moves`` played instead."""
    for _ in range(n_replaced):
        game = game.take_back()
    return reduce(Game.play, moves, game)


def rotate_ring(game: Game, ring: int, steps: int) -> Game:
    """Return the game after people said that a ring was turned: by one hole clockwise, or back (``steps`` -1)."""
    points = game.variant.board.rings[ring]
    tops = list(game.position.tops)
    for k, point in enumerate(points):
        tops[points[(k + steps) % len(points)]] = game.position.tops[point]
    return _play_correction(game, tuple(tops), None)


def _play_correction(game: Game, tops: tuple[int, ...], heights: list[int] | None) -> Game:
    """Return the game with the position set; the rules judge it unless a stone was lifted or a capture is due.

    Consecutive corrections are merged into one, so that moving a stone in two steps costs its player no other stone;
    not with towers: what lies under the top is known only from one correction to the next.
    """
    if ends_in_correction(game) and game.variant.max_height == 1:
        game = game.take_back()
    if tops == game.position.tops and (heights is None or tuple(heights) == game.position.heights):
        return game
    to_move = game.position.to_move
    corrected = game.play_on(tops, heights, to_move, (CORRECTED,), is_judged=False)
    before, after = game.position, corrected.position
    # A stone that is neither on the board nor in a hand any more may be put down somewhere else.
    is_lifted = sum(before.counts) + sum(before.hands) > sum(after.counts) + sum(after.hands)
    if is_lifted or with_turn_begun_by_hand(corrected) is not corrected:
        return corrected
    return game.play_on(tops, heights, to_move, (CORRECTED,))
