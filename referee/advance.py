"""Makes a lawful move: position in, position out, unchecked for speed (``referee.fouls.play`` checks).

A *move* is one act; a *turn* is all moves until somebody else is to move. A turn is one action (place, slide, jump,
turn a ring) and the captures that it earns.

When an action closes mills, a line that wins ends the game. Otherwise captures fall due: from one opponent of choice,
or from each (``Variant.each_opponent``); a capture that can take no stone lapses at once. When a capture leaves only
one player with enough stones, the game ends there. When no capture is due any more, the turn ends: a player with too
few stones is out; a full board is judged; the next player is to move. A player who cannot act loses, is skipped, or
draws (``Variant.stalemate``). Repetition and counted draws come last, in ``game.py``, so a win on the last quiet turn
is a win.
"""

from __future__ import annotations

from operator import add

from referee.endings import Outcome, Termination
from referee.legal import can_act, counted, dues_for, lines_owned, mills_at, moved, prey_of, removable, with_stack
from referee.moves import Capture, Decline, Move, Place, Rotate, RotateUnseen, Slide
from referee.position import STONES, Bans, Due, Memory, Mills, Position, Stacks

_new = tuple.__new__  # of the many positions that a turn ends in: half the time of calling the class


def advance(position: Position, move: Move) -> Position:
    """The position after ``move``, which must come from ``legal_moves``."""
    variant, stacks, hands, me, counts, out = position[:6]
    index = variant.lookup.index
    lock: tuple[int, int] | None = None
    ban: tuple[int, int] | None = None
    placing = isinstance(move, Place)
    if isinstance(move, Place):
        to = index[move.to]
        old = stacks[to]
        stacks = with_stack(stacks, to, (*old, STONES[me][me]))
        hands, counts = _with(hands, me, -1), _with(counts, me, 1)
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
        stacks = rotated(stacks, variant.lookup.rings[move.ring], move.steps)
        mills = lines_owned(stacks, variant, move.ring, me)
        if mills and not variant.rotate_same_line:
            stood = lines_owned(position.stacks, variant, move.ring, me)
            mills = [line for line in mills if line not in stood]
        lock = (move.ring, -move.steps)
    elif isinstance(move, Capture):
        return _capture(position, move)
    elif isinstance(move, Decline | RotateUnseen):
        return _end_turn(position if isinstance(move, Decline) else _unlocked(position))
    else:
        raise TypeError(f"a pass is never chosen, the referee skips by itself: {move!r}")
    ended: Outcome | None = None
    dues: tuple[Due, ...] = ()
    prey: tuple[Capture, ...] = ()
    closed, memory = tuple(mills), position.memory
    if mills:
        closed = counted(position, closed, me)
        if closed and variant.line_wins:
            if variant.win_in_placing or not placing:
                ended = Outcome(me, Termination.THREE_IN_A_ROW)
        elif closed:
            dues, prey = prey_of(stacks, variant, dues_for(position, len(closed), placing=placing))
    if variant.remembers:
        memory = _remembered(position, closed)
        hands, memory = _placed(position, hands, counts, closed, memory, is_due=bool(dues))
    if not dues and ended is None:
        return _end_turn(_new(Position, (variant, stacks, hands, me, counts, out, (), lock, position.bans, ban, None,
                                         (), closed, memory)))  # fmt: skip
    bans = _banned(position.bans, me, None, variant.players) if position.bans else ()  # this turn has obeyed it
    return Position(variant, stacks, hands, me, counts, out, dues, lock, bans, ban, ended, prey, closed, memory)


def _unlocked(position: Position) -> Position:
    """The position after a ring turned unseen: no ring is barred from turning back."""
    return position._replace(lock=None, closed=(), pending_ban=None)


def _remembered(position: Position, closed: Mills) -> Memory:
    """The memory of the mills that the turn from ``position`` closes."""
    variant, me, memory = position.variant, position.to_move, position.memory
    if not closed:
        return memory
    if variant.one_time:
        spent = list(memory.spent or (0,) * variant.players)
        for line in closed:
            spent[me] |= variant.lookup.line_bit.get(line, 0)
        memory = memory._replace(spent=tuple(spent))
    if variant.board_full == "first_mill_removes" and memory.first_mill is None and any(position.hands):
        memory = memory._replace(first_mill=me)
    return memory


def _placed(
    before: Position, hands: tuple[int, ...], counts: tuple[int, ...], closed: Mills, memory: Memory, *, is_due: bool
) -> tuple[tuple[int, ...], Memory]:
    """The hands and the memory of who is next after an act; only a placed stone changes them."""
    variant, me, n, n_mills = before.variant, before.to_move, before.variant.players, len(closed)
    if hands == before.hands:
        return hands, memory
    if n_mills and variant.placing_mill == "hand":
        n_taken = n_mills if variant.multi_placing == "each" else 1
        hands = tuple(hand if player == me else max(0, hand - n_taken) for player, hand in enumerate(hands))
    if variant.stop_placing == "two_empty" and not is_due and len(before.stacks) - sum(counts) <= 2:
        hands = (0,) * n
    queue: tuple[int, ...] = ()
    if not any(hands):
        queue = ((variant.first + 1) % n,) if variant.moves_first == "second" else ()
    elif n_mills and variant.placing_mill == "extra_turn":
        queue = (me,)
    return hands, memory._replace(queue=queue)


def _capture(position: Position, move: Capture) -> Position:
    variant, me = position.variant, position.to_move
    point = variant.lookup.index[move.at]
    stack = position.stacks[point]
    level = len(stack) - 1 if move.level is None else move.level - 1
    victim = stack[level].owner
    stacks = with_stack(position.stacks, point, (*stack[:level], *stack[level + 1 :]))
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
    if not position.dues:
        return _removed(position, stacks, counts)
    dues: list[Due] = []
    for due in position.dues:
        if due.victims >> victim & 1:
            due = Due(due.victims, due.n - 1, due.optional)
        if due.n:
            dues.append(due)
    open_dues, prey = prey_of(stacks, variant, tuple(dues)) if dues else ((), ())
    after = position._replace(stacks=stacks, hands=hands, counts=counts, out=out, dues=open_dues, prey=prey)
    return after if open_dues else _end_turn(after)


def _removed(position: Position, stacks: Stacks, counts: tuple[int, ...]) -> Position:
    """The position after a capture without a mill: the next player takes a stone, or moves."""
    queue = position.memory.queue
    if len(queue) > 1:
        before = position._replace(stacks=stacks, counts=counts)
        return _removing(before, queue[0], queue[1:], ())
    return _end_turn(position._replace(stacks=stacks, counts=counts, closed=()))


def _removing(position: Position, player: int, queue: tuple[int, ...], closed: Mills) -> Position:
    """``position`` with ``player`` to take a stone without a mill, and after him the players in ``queue``."""
    memory = position.memory._replace(queue=queue)
    after = position._replace(to_move=player, dues=(), pending_ban=None, closed=closed, memory=memory)
    return after._replace(prey=removable(after))


def _after_full_board(position: Position) -> tuple[int, ...]:
    """The players who each take a stone from a full board, then the one who moves; empty where nobody does."""
    variant, memory = position.variant, position.memory
    first = variant.first
    second = (first + 1) % variant.players
    mover = second if variant.moves_first == "second" else first
    if variant.board_full == "first_mill_removes":
        begins = second if memory.first_mill is None else memory.first_mill
        return begins, first if begins == second else second, begins
    takers = {"first_removes": (first,), "second_removes": (second,), "both_remove": (first, second)}
    return (*takers[variant.board_full], mover) if variant.board_full in takers else ()


def _dissolve(
    stacks: Stacks, hands: tuple[int, ...], counts: tuple[int, ...], victim: int, captor: int, leftover: str
) -> tuple[Stacks, tuple[int, ...], tuple[int, ...]]:
    """Give the last stones of ``victim`` away or remove them; stones in his hand leave the game."""
    if leftover == "convert":
        new_stacks: Stacks = tuple(
            tuple(STONES[captor][stone.paint] if stone.owner == victim else stone for stone in stack)
            for stack in stacks
        )
        counts = _with(counts, captor, counts[victim])
    else:
        new_stacks = tuple(tuple(stone for stone in stack if stone.owner != victim) for stack in stacks)
    return new_stacks, _with(hands, victim, -hands[victim]), _with(counts, victim, -counts[victim])


def _end_turn(last: Position) -> Position:
    """Let the next player move, or end the game; ``last`` still has the player who moved."""
    variant, stacks, hands, me, counts, out = last[:6]
    lock, ban, closed, memory, n = last.lock, last.pending_ban, last.closed, last.memory, len(out)
    if min(hands) < variant.min_stones and min(map(add, counts, hands)) < variant.min_stones:
        for player in range(n):
            if not out[player] and counts[player] + hands[player] < variant.min_stones:
                out = _marked(out, player)
                hands = _with(hands, player, -hands[player])
        if n - sum(out) < 2:  # a capture would have ended the game before: it was set up, or a foul stood
            winner = out.index(False) if False in out else None
            ended = Outcome(winner, Termination(variant.last_reason))
            return Position(variant, stacks, hands, me, counts, out, lock=lock, ended=ended, closed=closed)
    bans = _banned(last.bans, me, ban, n) if ban or last.bans else ()
    begins = (me + 1) % n
    if memory.queue:
        begins = memory.queue[0]
        memory = memory._replace(queue=())
    room = len(stacks) * variant.max_height - sum(counts)
    if not room and variant.board_full != "stalemate":
        full = Position(variant, stacks, hands, me, counts, out, (), lock, bans, None, None, (), closed, memory)
        if takers := _after_full_board(full):
            return _removing(full, takers[0], takers[1:], closed)
        winner = None if variant.board_full == "draw" else (variant.first + 1) % n
        ended = Outcome(winner, Termination.BOARD_FULL)
        return full._replace(bans=(), ended=ended)
    for player in variant.rounds[begins]:
        if out[player]:
            continue
        after = _new(Position, (variant, stacks, hands, player, counts, out, (), lock, bans, None, None, (), closed,
                                memory))  # fmt: skip
        if hands[player] and room > 1 or can_act(after):  # room 1 could be a forbidden middle
            return after
        if variant.stalemate == "remove_one":
            taking = _removing(after, player, (player,), closed)
            return taking if taking.prey else _stuck(after)
        if variant.stalemate == "lose":
            return _stuck(after)
        if variant.stalemate == "draw":
            return after._replace(bans=(), ended=Outcome(None, Termination.NO_MOVES))
    ended = Outcome(None, Termination.NOBODY_CAN_MOVE)
    return Position(variant, stacks, hands, me, counts, out, lock=lock, ended=ended, closed=closed, memory=memory)


def judged(position: Position) -> Position:
    """The position as the rules judge it, however it came about: after a foul that stood, or set up by hand.

    Nothing changes where a lawful turn led to it, or where captures are due. Otherwise a winning line may end the game
    (of two such lines that of the player who is not to move: it stood first), or too few stones, a full board, or a
    player to move who cannot act; or that player is skipped.
    """
    variant, n = position.variant, position.variant.players
    if position.ended is not None or position.dues or position.removing:
        return position
    before = (position.to_move - 1) % n
    if variant.line_wins and variant.win_in_placing:  # else only a line that was closed by a move wins
        owners = {
            level[0].owner
            for line, names in variant.lookup.lines
            for level in zip(*(position.stacks[point] for point in line), strict=False)
            if len({stone.owner for stone in level}) == 1 and counted(position, (names,), level[0].owner)
        }
        for winner in (before, position.to_move):
            if winner in owners:
                return position._replace(bans=(), ended=Outcome(winner, Termination.THREE_IN_A_ROW))
    after = _end_turn(position._replace(to_move=before, bans=()))
    return after if after.ended is not None else after._replace(bans=position.bans)


def _stuck(position: Position) -> Position:
    """Let the player to move, who cannot act, lose; several others play on around his stones."""
    gone = position.to_move
    out = _marked(position.out, gone)
    players = [player for player in range(position.variant.players) if not out[player]]
    if len(players) == 1:
        return position._replace(bans=(), ended=Outcome(players[0], Termination.NO_MOVES))
    hands = _with(position.hands, gone, -position.hands[gone])
    return _end_turn(position._replace(hands=hands, out=out))


def withdraw(position: Position, player: int, termination: Termination) -> Position:
    """The position after ``player`` gave up: the others play on around his stones, or the last one has won."""
    out = _marked(position.out, player)
    players = [other for other in range(position.variant.players) if not out[other]]
    if len(players) == 1:
        return position._replace(dues=(), prey=(), pending_ban=None, bans=(), ended=Outcome(players[0], termination))
    hands = _with(position.hands, player, -position.hands[player])
    if player != position.to_move:
        return position._replace(out=out, hands=hands)
    memory = position.memory._replace(queue=())
    return _end_turn(position._replace(hands=hands, out=out, pending_ban=None, closed=(), memory=memory))


def rotated(stacks: Stacks, ring: tuple[int, ...], steps: int) -> Stacks:
    """The stacks after ``ring`` turned by ``steps`` fields, clockwise positive."""
    new, n = list(stacks), len(ring)
    for k, point in enumerate(ring):
        new[ring[(k + steps) % n]] = stacks[point]
    return tuple(new)


def _banned(bans: Bans, player: int, ban: tuple[int, int] | None, n_players: int) -> Bans:
    """The bans with the one of ``player`` replaced; an empty tuple when nobody has one."""
    new = tuple(ban if p == player else bans[p] if bans else None for p in range(n_players))
    return new if any(new) else ()


def _with(numbers: tuple[int, ...], at: int, change: int) -> tuple[int, ...]:
    new = list(numbers)
    new[at] += change
    return tuple(new)


def _marked(out: tuple[bool, ...], player: int) -> tuple[bool, ...]:
    return (*out[:player], True, *out[player + 1 :])
