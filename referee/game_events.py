"""A game in, the events that follow out: its end, players who are out, stones that change hands, near draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from referee.endings import WITHDRAWN, Termination
from referee.events import DrawNear, Event, GameEnded, OwnerChanged, PlayerOut, TurnPlayed
from referee.game import Game, quiet_limit
from referee.moves import Capture


def turn_played(game: Game, confidence: float, time_s: float, frame: int) -> TurnPlayed:
    """The last turn of a game."""
    turn = game.turns[-1]
    mills, at = turn.counted_mills, (time_s, frame)
    return TurnPlayed(game.ply, turn.player, turn.moves, mills, confidence, *at, skipped=turn.skipped)


def game_ended(game: Game, time_s: float = 0.0, frame: int = 0) -> GameEnded:
    """The event of the end of a game that is over.

    >>> from referee.presets import find_variant
    >>> game_ended(Game.start(find_variant("millchen")).withdrawn(0, Termination.RESIGNATION)).loser
    0
    """
    assert game.outcome is not None
    winner, reason = game.outcome.winner, game.outcome.termination
    position, variant = game.position, game.variant
    loser, n = None, None
    if winner is not None and variant.players == 2:
        loser = 1 - winner
    elif reason is Termination.NO_MOVES and winner is None:
        loser = position.to_move
    if reason is Termination.FEWER_THAN_THREE and loser is not None:
        n = position.counts[loser] + position.hands[loser]
    elif reason is Termination.NO_MILL:
        n = game.quiet
    elif reason is Termination.REPETITION:
        n = variant.repetition
    return GameEnded(winner, str(reason), time_s, frame, loser=loser, n=n)


WARNED_TURNS = 5  # a draw by counting is announced so many turns before it comes; source: RULES, section 10


def consequences(before: Game, after: Game, time_s: float = 0.0, frame: int = 0) -> tuple[Event, ...]:
    """The events of one more turn, besides the turn itself and the end of the game.

    ``PlayerOut`` where others play on or three began, ``OwnerChanged``, ``DrawNear``.

    >>> from referee.moves import parse_turn
    >>> from referee.presets import find_variant
    >>> variant = find_variant("nine_mens_morris", draw_plies=6, draw_count="all")
    >>> one = Game.start(variant)
    >>> two = one.play(*parse_turn("d6", variant.board))
    >>> consequences(one, two)
    (DrawNear(kind='draw_near', left=5, time_s=0.0, frame=0),)
    """
    at = (time_s, frame)
    return (*_eliminated(before, after, at), *_changed_hands(before, after, at), *_near_draws(before, after, at))


def _eliminated(before: Game, after: Game, at: tuple[float, int]) -> Iterator[Event]:
    if after.variant.players < 3:  # who wins says who has lost
        return
    was, now = before.position.out, after.position.out
    turn = after.turns[-1] if after.turns else None
    for player in (p for p in range(after.variant.players) if now[p] and not was[p]):
        if turn is not None and turn.player == player and (remarks := WITHDRAWN.keys() & set(turn.remarks)):
            reason = WITHDRAWN[remarks.pop()]
        elif after.position.counts[player] < after.variant.min_stones:
            reason = Termination.FEWER_THAN_THREE
        else:
            reason = Termination.NO_MOVES
        yield PlayerOut(player, str(reason), *at, removed=tuple(_removed(before, after, player)))


def _removed(before: Game, after: Game, player: int) -> Iterator[str]:
    """The points from which the last stones of ``player`` leave the board without having been taken."""
    if after.variant.leftover != "remove":
        return
    moves = after.turns[-1].moves if after.turns else ()
    n_captured = Counter(move.at for move in moves if isinstance(move, Capture))
    stacks = zip(after.variant.board.points, before.position.stacks, after.position.stacks, strict=True)
    for name, was, now in stacks:
        gone = sum(stone.owner == player for stone in was) - sum(stone.paint == player for stone in now)
        if gone > n_captured[name]:
            yield name


def _changed_hands(before: Game, after: Game, at: tuple[float, int]) -> Iterator[Event]:
    points_by_owners: dict[tuple[int, int], list[str]] = {}
    stacks = zip(after.variant.board.points, before.position.stacks, after.position.stacks, strict=True)
    for name, was, now in stacks:
        if was == now:
            continue
        for stone in Counter(now) - Counter(was):
            if stone.owner != stone.paint and any(old.paint == stone.paint for old in was):
                old_owner = next(old.owner for old in was if old.paint == stone.paint)
                points_by_owners.setdefault((old_owner, stone.owner), []).append(name)
    for (old_owner, owner), points in points_by_owners.items():
        yield OwnerChanged(tuple(points), old_owner, owner, *at)


def _near_draws(before: Game, after: Game, at: tuple[float, int]) -> Iterator[Event]:
    if after.outcome is not None:
        return
    turns_left, limit = after.quiet_turns_left, min(WARNED_TURNS, quiet_limit(after.position) - 1)
    if turns_left is not None and turns_left <= limit and (before.quiet_turns_left or 0) > limit:
        yield DrawNear("draw_near", turns_left, *at)
    last = after.variant.repetition - 1
    if last > 1 and after.occurrences == last and before.occurrences != last:
        yield DrawNear("repetition_near", 1, *at)
