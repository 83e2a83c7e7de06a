"""What a lawful move leads to: the fast, unchecked half of ``rules.py``, for those who look ahead."""

from __future__ import annotations

from dataclasses import replace

from referee.endings import Outcome, Termination
from referee.legal import can_act, dues_for, moved, prey_of
from referee.mills import lines_owned, mills_at
from referee.moves import Capture, Decline, Move, Place, Rotate, Slide
from referee.position import STONES, Bans, Due, Position, Stacks


def advance(position: Position, move: Move) -> Position:
    """The position after ``move``, which must come from ``legal_moves``; the fast way for those who look ahead."""
    if isinstance(move, Capture):
        return _capture(position, move)
    if isinstance(move, Decline):
        return _end_turn(replace(position, dues=(), prey=()))
    variant, me = position.variant, position.to_move
    index, stacks = variant.tables.index, position.stacks
    hands, counts = position.hands, position.counts
    lock: tuple[int, int] | None = None
    ban: tuple[int, int] | None = None
    mills: list[tuple[str, ...]]
    if isinstance(move, Place):
        to = index[move.to]
        old = stacks[to]
        stacks = (*stacks[:to], (*old, STONES[me][me]), *stacks[to + 1 :])
        hands = _with(hands, me, -1)
        counts = _with(counts, me, 1)
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
    else:
        raise TypeError(f"a pass is never chosen, the referee skips by itself: {move!r}")
    placing = isinstance(move, Place)
    ended: Outcome | None = None
    dues: tuple[Due, ...] = ()
    prey: tuple[Capture, ...] = ()
    if mills:
        if variant.line_wins:
            if variant.win_in_placing or not placing:
                ended = Outcome(me, Termination.THREE_IN_A_ROW)
        else:
            dues, prey = prey_of(stacks, variant, dues_for(position, len(mills), placing=placing))
    bans = _banned(position.bans, me, None, variant.players) if position.bans else ()  # this turn has obeyed it
    acted = Position(variant, stacks, hands, me, counts, position.out, dues, lock, bans, ban, ended, prey,
                     tuple(mills))  # fmt: skip
    return acted if dues or ended is not None else _end_turn(acted)


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
        if variant.leftover in ("convert", "remove"):
            stacks, hands, counts = _dissolve(stacks, hands, counts, victim, me, variant.leftover)
            out = _marked(out, victim)
        alive = [p for p in range(variant.players) if not out[p] and counts[p] + hands[p] >= least]
        if len(alive) == 1:
            out = tuple(p not in alive for p in range(variant.players))
            ended = Outcome(alive[0], Termination(variant.last_reason))
            return Position(variant, stacks, hands, me, counts, out, ended=ended, closed=position.closed)
    dues: list[Due] = []
    for due in position.dues:
        if due.victims >> victim & 1:
            due = Due(due.victims, due.n - 1, due.optional)
        if due.n:
            dues.append(due)
    left, prey = prey_of(stacks, variant, tuple(dues)) if dues else ((), ())
    taken = Position(variant, stacks, hands, me, counts, out, left, position.lock, position.bans,
                     position.pending_ban, None, prey, position.closed)  # fmt: skip
    return taken if left else _end_turn(taken)


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


def _end_turn(position: Position) -> Position:
    """Hand over to the next player who can act, or end the game."""
    variant, me = position.variant, position.to_move
    hands, counts, out = position.hands, position.counts, position.out
    if variant.players > 2:
        for player in range(variant.players):
            if not out[player] and counts[player] + hands[player] < variant.min_stones:
                out = _marked(out, player)
                hands = _with(hands, player, -hands[player])
    bans = position.bans
    if variant.no_remake:
        bans = _banned(bans, me, position.pending_ban, variant.players)
    if sum(counts) == len(position.stacks) * variant.max_height and variant.board_full != "stalemate":
        winner = None if variant.board_full == "draw" else (variant.first + 1) % variant.players
        return _closed_with(position, hands, out, Outcome(winner, Termination.BOARD_FULL))
    for step in range(1, variant.players + 1):
        player = (me + step) % variant.players
        if out[player]:
            continue
        after = Position(variant, position.stacks, hands, player, counts, out, (), position.lock, bans, None, None, (),
                         position.closed)  # fmt: skip
        if can_act(after):
            return after
        if variant.stalemate == "lose":
            return _stuck(after)
        if variant.stalemate == "draw":
            return _closed_with(after, hands, out, Outcome(None, Termination.NO_MOVES))
    return _closed_with(position, hands, out, Outcome(None, Termination.NOBODY_CAN_MOVE))


def _stuck(position: Position) -> Position:
    """The player to move cannot act and therefore loses: with others left, they play on around the stones."""
    out = _marked(position.out, position.to_move)
    left = [player for player in range(position.variant.players) if not out[player]]
    hands = _with(position.hands, position.to_move, -position.hands[position.to_move])
    if len(left) == 1:
        return _closed_with(position, position.hands, position.out, Outcome(left[0], Termination.NO_MOVES))
    return _end_turn(replace(position, out=out, hands=hands))


def _closed_with(position: Position, hands: tuple[int, ...], out: tuple[bool, ...], outcome: Outcome) -> Position:
    return replace(position, hands=hands, out=out, dues=(), prey=(), pending_ban=None, bans=(), ended=outcome)


def withdraw(position: Position, player: int, termination: Termination) -> Position:
    """The position after ``player`` gave up: the others play on around his stones, or the last one has won."""
    out = _marked(position.out, player)
    left = [other for other in range(position.variant.players) if not out[other]]
    if len(left) == 1:
        return _closed_with(position, position.hands, position.out, Outcome(left[0], termination))
    hands = _with(position.hands, player, -position.hands[player])
    gone = replace(position, out=out, hands=hands)
    if player != position.to_move:
        return gone
    return _end_turn(replace(gone, dues=(), prey=(), pending_ban=None, closed=()))


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
