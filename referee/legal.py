"""A position in, its lawful moves and its mills out."""

from __future__ import annotations

from collections.abc import Iterator

from referee.moves import Capture, Decline, Move, Place, Rotate, RotateUnseen, Slide
from referee.position import Due, Mills, Position, Stacks, Stone
from referee.variant import Variant


def mills_at(stacks: Stacks, variant: Variant, point: int, level: int, owner: int) -> list[tuple[str, ...]]:
    """The mills of ``owner`` that the stone on ``level`` (0 lowest) of ``point`` stands in."""
    mills: list[tuple[str, ...]] = []
    for a, b, names in variant.lookup.lines_at[point]:
        at_a = stacks[a]
        if len(at_a) > level and at_a[level][0] == owner:
            at_b = stacks[b]
            if len(at_b) > level and at_b[level][0] == owner:
                mills.append(names)
    if variant.towers:
        stack = stacks[point]
        if len(stack) == variant.max_height and all(stone[0] == owner for stone in stack):
            mills.append(variant.lookup.tower[point])
    return mills


def protected(stacks: Stacks, variant: Variant) -> frozenset[tuple[int, int]]:
    """The stones, as (point, level), of all complete mills of ``stacks``."""
    safe: set[tuple[int, int]] = set()
    for (a, b, c), _ in variant.lookup.lines:
        if not stacks[a] or not stacks[b]:
            continue
        for level, (x, y, z) in enumerate(zip(stacks[a], stacks[b], stacks[c], strict=False)):
            if x[0] == y[0] == z[0]:
                safe |= {(a, level), (b, level), (c, level)}
    if variant.towers:
        for point, stack in enumerate(stacks):
            if len(stack) == variant.max_height and len({stone[0] for stone in stack}) == 1:
                safe |= {(point, level) for level in range(len(stack))}
    return frozenset(safe)


def lines_owned(stacks: Stacks, variant: Variant, ring: int, owner: int) -> list[tuple[str, ...]]:
    """The complete lines of ``owner`` that have a point on ``ring``."""
    return [
        names
        for (a, b, c), names in variant.lookup.lines_on[ring]
        if stacks[a] and stacks[b]
        for x, y, z in zip(stacks[a], stacks[b], stacks[c], strict=False)
        if x[0] == y[0] == z[0] == owner
    ]


DECLINE = Decline()


def legal_moves(position: Position) -> tuple[Move, ...]:
    """Every move that may be made now; none when the game is over."""
    if position.ended is not None:
        return ()
    if position.dues:
        if all(due.optional for due in position.dues):
            return (*position.prey, DECLINE)
        return position.prey
    if position.prey:  # the player to move takes a stone instead of acting
        return position.prey
    variant, hand = position.variant, position.hands[position.to_move]
    actions: list[Move] = []
    if hand:
        actions += _placements(position)
    if variant.slides and (not hand or variant.slide_while_placing):
        actions += _slides(position)
    if variant.rotates:
        actions += _rotations(position)
    return tuple(actions)


def is_legal(position: Position, move: Move) -> bool:
    """Whether the move may be made now, or may have been made unseen."""
    if isinstance(move, RotateUnseen):
        rings = {legal.ring for legal in legal_moves(position) if isinstance(legal, Rotate)}
        return any(not any(position.stacks[i] for i in position.variant.lookup.rings[ring]) for ring in rings)
    return move in legal_moves(position)


def _placements(position: Position) -> list[Place]:
    variant = position.variant
    height = variant.max_height
    places = [place for place, stack in zip(variant.lookup.place, position.stacks, strict=True) if len(stack) < height]
    if (middle := forbidden_centre(position)) is not None:
        centre = variant.lookup.place[middle]
        return [place for place in places if place is not centre]
    return places


def forbidden_centre(position: Position) -> int | None:
    """The index of the point in the middle while no stone may be laid there (``Variant.no_centre_first``)."""
    variant = position.variant
    is_barred = variant.no_centre_placing or variant.no_centre_first and not any(position.counts)
    return variant.centre if is_barred else None


def _slides(position: Position) -> Iterator[Slide]:
    variant, me, stacks = position.variant, position.to_move, position.stacks
    height, lookup = variant.max_height, variant.lookup
    ban = position.bans[me] if position.bans else None
    ways = lookup.jumps_from if position.may_fly(me) else lookup.slides_from
    for start, stack in enumerate(stacks):
        if stack and stack[-1][0] == me:
            for to, move in ways[start]:
                if len(stacks[to]) < height and not (ban == (start, to) and closes(position, start, to)):
                    yield move


def closes(position: Position, start: int, to: int) -> bool:
    """Whether sliding from ``start`` to ``to`` closes a mill of the mover."""
    stacks = moved(position.stacks, start, to)
    return bool(mills_at(stacks, position.variant, to, len(stacks[to]) - 1, position.to_move))


def is_quiet(position: Position, move: Move) -> bool:
    """Whether a lawful action surely closes no mill; False where only making it would tell."""
    variant, stacks, me = position.variant, position.stacks, position.to_move
    if variant.max_height > 1 or not isinstance(move, Place | Slide):
        return False
    mills = mills_at(stacks, variant, variant.lookup.index[move.to], 0, me)
    return not mills or isinstance(move, Slide) and all(move.start in line for line in mills)


def _rotations(position: Position) -> Iterator[Rotate]:
    variant, me = position.variant, position.to_move
    if not position.counts[me]:
        return
    for move in variant.lookup.rotations:
        if variant.lock != "off" and position.lock == (move.ring, move.steps):
            continue
        if variant.rotate_needs == "ring" and not stands_on(position, move.ring, me):
            continue
        yield move


def stands_on(position: Position, ring: int, player: int) -> bool:
    """Whether ``player`` has a stone on ``ring``."""
    points = position.variant.lookup.rings[ring]
    return any(stone.owner == player for point in points for stone in position.stacks[point])


def can_act(position: Position) -> bool:
    """Whether the player to move has any lawful action, captures aside."""
    variant, hand = position.variant, position.hands[position.to_move]
    if hand:
        room = len(position.stacks) * variant.max_height - sum(position.counts)
        if room > 1 or _placements(position):  # 1 could be a forbidden middle
            return True
    may_slide = variant.slides and (not hand or variant.slide_while_placing)
    if may_slide and next(_slides(position), None) is not None:
        return True
    return variant.rotates and next(_rotations(position), None) is not None


def with_stack(stacks: Stacks, point: int, stack: tuple[Stone, ...]) -> Stacks:
    """The stacks with that of one point replaced."""
    new = list(stacks)
    new[point] = stack
    return tuple(new)


def moved(stacks: Stacks, start: int, to: int) -> Stacks:
    """The stacks after the top stone of ``start`` went to ``to``."""
    new = list(stacks)
    new[to] += new[start][-1:]
    new[start] = new[start][:-1]
    return tuple(new)


# ---------------------------------------------------------------- captures


def prey_of(stacks: Stacks, variant: Variant, dues: tuple[Due, ...]) -> tuple[tuple[Due, ...], tuple[Capture, ...]]:
    """The dues that can take a stone, each with these stones."""
    if not dues:
        return (), ()
    safe = protected(stacks, variant) if variant.protect != "never" else frozenset()
    from_any = variant.take_from == "any"
    alive: list[Due] = []
    prey: list[Capture] = []
    for due in dues:
        free: list[Capture] = []
        in_mills: list[tuple[int, Capture]] = []
        loose: set[int] = set()  # owners with a stone outside mills, be it within reach or not
        victims = due.victims
        for point, stack in enumerate(stacks):
            for level, stone in enumerate(stack):
                owner = stone[0]
                if not victims >> owner & 1:
                    continue
                is_safe = (point, level) in safe
                if not is_safe:
                    loose.add(owner)
                if from_any or level == len(stack) - 1:
                    take = variant.lookup.take_level[point][level] if from_any else variant.lookup.take[point]
                    if is_safe:
                        in_mills.append((owner, take))
                    else:
                        free.append(take)
        if variant.protect == "unless_all" and in_mills:
            free += [take for owner, take in in_mills if owner not in loose]
        if free:
            alive.append(due)
            prey += free
    return tuple(alive), tuple(prey)


def counted(position: Position, mills: Mills, player: int) -> Mills:
    """The ``mills`` closed by ``player`` that count; ``position`` is the one before the act."""
    variant = position.variant
    if variant.counts_every_mill:
        return mills
    if not variant.home_wins:
        home = set(variant.start[player])
        mills = tuple(line for line in mills if set(line) != home)
    if variant.one_time and position.memory.spent:
        spent = position.memory.spent[player]
        mills = tuple(line for line in mills if not variant.lookup.line_bit.get(line, 0) & spent)
    if not variant.mill_while_blocked and mills:
        others = (other for other in range(variant.players) if other != player and not position.out[other])
        if not any(can_act(position._replace(to_move=other, dues=())) for other in others):
            return ()
    return mills


def removable(position: Position) -> tuple[Capture, ...]:
    """The stones that the player to move may take without a mill (``Position.removing``).

    As for a mill, or any stone where a mill could take none. Who is blocked takes a stone next to one of his own.
    """
    variant, me, stacks = position.variant, position.to_move, position.stacks
    lookup = variant.lookup
    others = sum(1 << player for player in range(variant.players) if player != me and not position.out[player])
    allowed = prey_of(stacks, variant, (Due(others, 1, False),))[1]
    if position.memory.queue == (me,) and sum(position.counts) < len(stacks):  # the board has room, so he is blocked
        mine = {point for point, stack in enumerate(stacks) if stack and stack[-1].owner == me}
        near = {lookup.take[point] for point in range(lookup.n) if not mine.isdisjoint(lookup.near[point])}
        allowed = tuple(take for take in allowed if take in near)
        others_near = (lookup.take[i] for i, stack in enumerate(stacks) if stack and stack[-1].owner != me)
        return allowed or tuple(take for take in others_near if take in near)
    return allowed or tuple(lookup.take[i] for i, stack in enumerate(stacks) if stack and stack[-1].owner != me)


def dues_for(position: Position, n_mills: int, *, placing: bool) -> tuple[Due, ...]:
    """The captures that ``n_mills`` mills of the mover earn."""
    variant, me = position.variant, position.to_move
    if placing and variant.placing_mill != "capture":
        return ()
    count = n_mills if (variant.multi_placing if placing else variant.multi_moving) == "each" else 1
    optional = variant.capture == "may"
    others = [player for player in range(variant.players) if player != me and not position.out[player]]
    if not variant.each_opponent:
        return (Due(sum(1 << player for player in others), count, optional),)
    dues = [Due(1 << player, count, optional) for player in others]
    if variant.leftover in ("must", "may"):
        gone = [player for player in range(variant.players) if position.out[player]]
        dues += [Due(1 << player, count, optional or variant.leftover == "may") for player in gone]
    return tuple(dues)
