"""What a lawful move leads to: the fast, unchecked half of ``rules.py``, for those who look ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import add

from referee.endings import Outcome, Termination
from referee.legal import can_act, dues_for, moved, prey_of
from referee.mills import lines_owned, mills_at
from referee.moves import Capture, Decline, Move, Place, Rotate, Slide
from referee.position import STONES, Bans, Due, Mills, Position, Stacks


def advance(position: Position, move: Move) -> Position:
    """The position after ``move``, which must come from ``legal_moves``; the fast way for those who look ahead."""
    variant, me = position.variant, position.to_move
    index, stacks = variant.tables.index, position.stacks
    hands, counts = position.hands, position.counts
    lock: tuple[int, int] | None = None
    ban: tuple[int, int] | None = None
    placing = isinstance(move, Place)
    if isinstance(move, Place):
        to = index[move.to]
        old = stacks[to]
        stacks = (*stacks[:to], (*old, STONES[me][me]), *stacks[to + 1 :])
        hands = (*hands[:me], hands[me] - 1, *hands[me + 1 :])
        counts = (*counts[:me], counts[me] + 1, *counts[me + 1 :])
        mills = mills_at(stacks, variant, to, len(old), me)
    elif isinstance(move, Slide):
        start, to = index[move.start], index[move.to]
        stacks = moved(stacks, start, to)
        mills = mills_at(stacks, variant, to, len(stacks[to]) - 1, me)
        if variant.no_remake and mills:
            old = position.stacks[start]
            if mills_at(position.stacks, variant, start, len(old) - 1, me):
                ban = (to, start)
    elif isinstance(move, Rotate):
        stood = lines_owned(stacks, variant, move.ring, me)
        stacks = rotated(stacks, variant.tables.rings[move.ring], move.steps)
        mills = lines_owned(stacks, variant, move.ring, me)
        if not variant.rotate_same_line:
            mills = [line for line in mills if line not in stood]
        lock = (move.ring, -move.steps)
    elif isinstance(move, Capture):
        return _capture(position, move)
    elif isinstance(move, Decline):
        return _end_turn(position, stacks, hands, counts, position.out, position.lock, position.pending_ban,
                         position.closed)  # fmt: skip
    else:
        raise TypeError(f"a pass is never chosen, the referee skips by itself: {move!r}")
    ended: Outcome | None = None
    dues: tuple[Due, ...] = ()
    prey: tuple[Capture, ...] = ()
    if mills:
        if variant.line_wins:
            if variant.win_in_placing or not placing:
                ended = Outcome(me, Termination.THREE_IN_A_ROW)
        else:
            dues, prey = prey_of(stacks, variant, dues_for(position, len(mills), placing=placing))
    closed = tuple(mills)
    if not dues and ended is None:
        return _end_turn(position, stacks, hands, counts, position.out, lock, ban, closed)
    bans = _banned(position.bans, me, None, variant.players) if position.bans else ()  # this turn has obeyed it
    return Position(variant, stacks, hands, me, counts, position.out, dues, lock, bans, ban, ended, prey, closed)


def _capture(position: Position, move: Capture) -> Position:
    variant, me = position.variant, position.to_move
    point = variant.tables.index[move.at]
    stack = position.stacks[point]
    level = len(stack) - 1 if move.level is None else move.level - 1
    victim = stack[level].owner
    stacks: Stacks = (
        *position.stacks[:point],
        (*stack[:level], *stack[level + 1 :]),
        *position.stacks[point + 1 :],
    )
    counts = _with(position.counts, victim, -1)
    hands, out = position.hands, position.out
    least = variant.min_stones
    if counts[victim] + hands[victim] < least and not out[victim]:
        alive = [p for p in range(variant.players) if not out[p] and counts[p] + hands[p] >= least]
        if len(alive) == 1:  # the game ends at once: nothing changes hands or leaves the board any more
            out = tuple(p not in alive for p in range(variant.players))
            ended = Outcome(alive[0], Termination(variant.last_reason))
            return Position(variant, stacks, hands, me, counts, out, ended=ended, closed=position.closed)
        if variant.leftover in ("convert", "remove"):
            stacks, hands, counts = _dissolve(stacks, hands, counts, victim, me, variant.leftover)
            out = _marked(out, victim)
    dues: list[Due] = []
    for due in position.dues:
        if due.victims >> victim & 1:
            due = Due(due.victims, due.n - 1, due.optional)
        if due.n:
            dues.append(due)
    left, prey = prey_of(stacks, variant, tuple(dues)) if dues else ((), ())
    if not left:
        return _end_turn(position, stacks, hands, counts, out, position.lock, position.pending_ban, position.closed)
    return Position(variant, stacks, hands, me, counts, out, left, position.lock, position.bans,
                    position.pending_ban, None, prey, position.closed)  # fmt: skip


def _dissolve(
    stacks: Stacks, hands: tuple[int, ...], counts: tuple[int, ...], victim: int, captor: int, leftover: str
) -> tuple[Stacks, tuple[int, ...], tuple[int, ...]]:
    """What becomes of the last stones of ``victim``; stones still in his hand leave the game."""
    if leftover == "convert":
        kept: Stacks = tuple(
            tuple(STONES[captor][stone.paint] if stone.owner == victim else stone for stone in stack)
            for stack in stacks
        )
        counts = _with(counts, captor, counts[victim])
    else:
        kept = tuple(tuple(stone for stone in stack if stone.owner != victim) for stack in stacks)
    return kept, _with(hands, victim, -hands[victim]), _with(counts, victim, -counts[victim])


def _end_turn(
    before: Position,
    stacks: Stacks,
    hands: tuple[int, ...],
    counts: tuple[int, ...],
    out: tuple[bool, ...],
    lock: tuple[int, int] | None,
    ban: tuple[int, int] | None,
    closed: Mills,
) -> Position:
    """Hand over from the player who moved in ``before`` to the next one who can act, or end the game."""
    variant, me = before.variant, before.to_move
    n = len(out)
    if min(map(add, counts, hands)) < variant.min_stones:
        for player in range(n):
            if not out[player] and counts[player] + hands[player] < variant.min_stones:
                out = _marked(out, player)
                hands = _with(hands, player, -hands[player])
        if n - sum(out) < 2:  # a capture has ended the game before; so it was set up, or a foul that stood
            winner = out.index(False) if False in out else None
            ended = Outcome(winner, Termination(variant.last_reason))
            return Position(variant, stacks, hands, me, counts, out, lock=lock, ended=ended, closed=closed)
    bans = _banned(before.bans, me, ban, n) if ban or before.bans else ()
    if sum(counts) == len(stacks) * variant.max_height and variant.board_full != "stalemate":
        winner = None if variant.board_full == "draw" else (variant.first + 1) % n
        ended = Outcome(winner, Termination.BOARD_FULL)
        return Position(variant, stacks, hands, me, counts, out, lock=lock, ended=ended, closed=closed)
    for step in range(1, n + 1):
        player = (me + step) % n
        if out[player]:
            continue
        after = Position(variant, stacks, hands, player, counts, out, (), lock, bans, None, None, (), closed)
        if can_act(after):
            return after
        if variant.stalemate == "lose":
            return _stuck(after)
        if variant.stalemate == "draw":
            return replace(after, bans=(), ended=Outcome(None, Termination.NO_MOVES))
    ended = Outcome(None, Termination.NOBODY_CAN_MOVE)
    return Position(variant, stacks, hands, me, counts, out, lock=lock, ended=ended, closed=closed)


def judged(position: Position) -> Position:
    """The position as the rules judge it, however it came about: after a foul that stood, or set up by hand.

    Nothing changes where a lawful turn led to it, or where captures are due. Otherwise the game may end by a line that
    wins (of two such lines by that of the player who is not to move: it stood first), by too few stones, a full board,
    or a player to move who cannot act; or that player is skipped.
    """
    variant, n = position.variant, position.variant.players
    if position.ended is not None or position.dues:
        return position
    before = (position.to_move - 1) % n
    if variant.line_wins and variant.win_in_placing:  # else only a line that was closed by a move wins
        owners = set(_line_owners(position))
        for winner in (before, position.to_move):
            if winner in owners:
                return replace(position, bans=(), ended=Outcome(winner, Termination.THREE_IN_A_ROW))
    after = _end_turn(replace(position, to_move=before, bans=()), position.stacks, position.hands, position.counts,
                      position.out, position.lock, None, position.closed)  # fmt: skip
    return after if after.ended is not None else replace(after, bans=position.bans)


def _line_owners(position: Position) -> Iterator[int]:
    """The owner of each complete line."""
    for line, _ in position.variant.tables.lines:
        for level in zip(*(position.stacks[point] for point in line), strict=False):
            if len({stone.owner for stone in level}) == 1:
                yield level[0].owner


def _stuck(position: Position) -> Position:
    """The player to move cannot act and therefore loses: with others left, they play on around the stones."""
    gone = position.to_move
    out = _marked(position.out, gone)
    left = [player for player in range(position.variant.players) if not out[player]]
    if len(left) == 1:
        return replace(position, bans=(), ended=Outcome(left[0], Termination.NO_MOVES))
    hands = _with(position.hands, gone, -position.hands[gone])
    return _end_turn(position, position.stacks, hands, position.counts, out, position.lock, None, position.closed)


def withdraw(position: Position, player: int, termination: Termination) -> Position:
    """The position after ``player`` gave up: the others play on around his stones, or the last one has won."""
    out = _marked(position.out, player)
    left = [other for other in range(position.variant.players) if not out[other]]
    if len(left) == 1:
        return replace(position, dues=(), prey=(), pending_ban=None, bans=(), ended=Outcome(left[0], termination))
    hands = _with(position.hands, player, -position.hands[player])
    if player != position.to_move:
        return replace(position, out=out, hands=hands)
    return _end_turn(position, position.stacks, hands, position.counts, out, position.lock, None, ())


def rotated(stacks: Stacks, ring: tuple[int, ...], steps: int) -> Stacks:
    """The stacks after ``ring`` turned by ``steps`` fields, clockwise positive."""
    new = list(stacks)
    for k, point in enumerate(ring):
        new[ring[(k + steps) % len(ring)]] = stacks[point]
    return tuple(new)


def _banned(bans: Bans, player: int, ban: tuple[int, int] | None, n_players: int) -> Bans:
    """The bans with that of ``player`` replaced; none at all is the empty tuple."""
    new = tuple(ban if p == player else bans[p] if bans else None for p in range(n_players))
    return new if any(new) else ()


def _with(numbers: tuple[int, ...], at: int, change: int) -> tuple[int, ...]:
    return (*numbers[:at], numbers[at] + change, *numbers[at + 1 :])


def _marked(out: tuple[bool, ...], player: int) -> tuple[bool, ...]:
    return (*out[:player], True, *out[player + 1 :])
