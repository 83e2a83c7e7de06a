"""Rulings: the last lawful position and the tops of the table in, the likeliest unlawful act out.

Every act that could have led there is tried, lawful or not: any player placed, moved or turned along a stone, twice in
one turn, or took stones. An explanation costs minus the log of how often people do that (a forgotten capture is more
frequent than a vanished stone). The cheapest explanation is the ruling, and its cost is the prior of the table when
``vision`` decides. Fouls get a price, never a ban: a referee that cannot imagine a foul cannot call it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

from referee.forced_moves import forced, without_stone
from referee.fouls import Foul, sort_fouls, violations
from referee.legal import protected
from referee.moves import Capture, Move, Place, Rotate, Slide
from referee.position import Position, Stacks, Stone

FOULS_PER_TURN = 0.03  # how often a turn goes wrong; experienced players make fewer fouls, children more

OFTEN = {
    Foul.CAPTURE_MISSING: 18,  # the commonest slip of all
    Foul.MOVED_WHILE_PLACING: 11,
    Foul.NOT_ADJACENT: 11,
    Foul.MOVED_OPPONENT: 6,  # moving the other's stone by mistake is commoner than moving one's own out of turn
    Foul.WRONG_PLAYER: 4,
    Foul.TWO_MOVES: 4,
    Foul.STONE_VANISHED: 3,  # no act explains it
    Foul.STONE_APPEARED: 1,
    Foul.PASSED: 1,  # these two leave no trace on the table
    Foul.CAPTURED_NOTHING: 1,
}
"""Relative frequency of each kind of foul; 5 for kinds that are not listed. Source: chosen."""

# minus the log of how often a foul is of each kind, nats
NATS = {foul: -log(OFTEN.get(foul, 5) / sum(OFTEN.get(kind, 5) for kind in Foul)) for foul in Foul}

FURTHER_NATS = 1.0  # cost of each further reason against the same act, nats: who forgets one rule forgets another
UNEXPLAINED_NATS = 8.0  # cost of points that no act explains, nats: more than any foul
SECOND_OPINION_NATS = 1.0  # explanations at most this much dearer than the best one add their kinds to the ruling
MANY_POINTS = 8  # with more changed points than this no single act is looked for: the board was upset
FEW_POINTS = 6  # up to this many changed points, two acts are tried together


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was wrong."""

    kinds: tuple[str, ...]  # of foul, the most fitting first; empty only where nothing has changed
    player: int | None  # who did it (0 first); ``None`` where nobody can be blamed
    points: tuple[str, ...]  # the points that look different, in the order of the board
    moves: tuple[Move, ...] = ()  # what seems to have been done
    nats: float = 0.0  # minus the log of how often people do this in a turn
    is_explained: bool = True  # whether acts explain all that is seen; else nobody is to blame


@dataclass(frozen=True, slots=True)
class _Story:
    """An explanation: a player's act, its fouls and its cost."""

    nats: float
    fouls: tuple[Foul, ...]
    player: int | None
    moves: tuple[Move, ...]


def rule_on(position: Position, tops: Sequence[int]) -> Ruling:
    """Rule on the change from ``position``, the last lawful one, to what the table shows now.

    >>> from referee.presets import find_variant
    >>> start = Position.start(find_variant("millchen"))
    >>> seen = [0] * 24
    >>> seen[0] = seen[5] = 1
    >>> ruling = rule_on(start, seen)
    >>> ruling.kinds, ruling.player, ruling.points
    (('two_moves',), 0, ('a7', 'f6'))
    """
    differences = _differences(position.stacks, tops)
    if not differences:
        if position.dues or position.removing:
            return Ruling((str(Foul.CAPTURE_MISSING),), position.to_move, ())
        return Ruling((), None, ())
    stories = sorted(_stories(position, tops, differences), key=lambda story: story.nats)
    best = stories[0]
    kinds = list(best.fouls)
    for other in stories[1:]:
        if other.nats > best.nats + SECOND_OPINION_NATS:
            break
        kinds += [foul for foul in other.fouls if foul not in kinds]
    if position.ended is not None:
        kinds = [Foul.AFTER_END] + [kind for kind in kinds if kind not in (Foul.AFTER_END, Foul.WRONG_PLAYER)]
    points = tuple(position.board.points[i] for i in differences)
    nats = best.nats - log(FOULS_PER_TURN)
    explained = bool(best.moves) and Foul.STONE_APPEARED not in best.fouls
    return Ruling(tuple(str(kind) for kind in kinds), best.player, points, best.moves, nats, explained)


def rule_on_turned_ring(position: Position, ring: int, steps: int) -> Ruling:
    """Rule on a ring that was seen to turn although its holes show the same as before: the act itself is judged."""
    move = Rotate(ring, steps)
    fouls = violations(position, move) or {Foul.TWO_MOVES}
    nats = _nats_of(fouls) + _share(position, (move,)) - log(FOULS_PER_TURN)
    points = position.board.rings[ring]
    names = tuple(position.board.points[point] for point in points)
    return Ruling(tuple(str(foul) for foul in sort_fouls(fouls)), position.to_move, names, (move,), nats)


def _nats_of(fouls: Iterable[Foul]) -> float:
    """The cost of the reasons against one act: the likeliest one, and little more for the others."""
    nats = sorted(NATS[foul] for foul in fouls)
    return nats[0] + FURTHER_NATS * (len(nats) - 1) if nats else 0.0


def _share(position: Position, moves: Iterable[Move]) -> float:
    """The cost of choosing just these acts among all of their kind, nats.

    It is half the log of their number, as for lawful turns: some acts are likelier than others.
    """
    lookup, n_points, nats = position.variant.lookup, len(position.stacks), 0.0
    for move in moves:
        far = isinstance(move, Slide) and lookup.index[move.to] not in lookup.near[lookup.index[move.start]]
        n_choices = 2 * len(lookup.rings) if isinstance(move, Rotate) else n_points**2 if far else n_points
        nats += 0.5 * log(n_choices)
    return nats


def _top(stack: tuple[Stone, ...]) -> int:
    return stack[-1][1] + 1 if stack else 0


def _differences(stacks: Stacks, tops: Sequence[int]) -> tuple[int, ...]:
    """The points where the table shows other tops than these stones."""
    by_point = enumerate(zip(stacks, tops, strict=True))
    return tuple([point for point, (stack, top) in by_point if top != _top(stack)])


def _stories(position: Position, tops: Sequence[int], differences: tuple[int, ...]) -> Iterator[_Story]:
    """All explanations of the table; at least one."""
    yield _nothing_done(position, tops, differences)
    if len(differences) > MANY_POINTS and not position.variant.rotates:
        return
    yield from _pulled_out(position, tops, differences)
    players = [position.to_move, *(p for p in range(position.variant.players) if p != position.to_move)]
    for player in players:
        for move in _acts(position.stacks, tops, differences, player, position):
            after = forced(position, move, player)
            yield _removal_story(position, tops, after, player, (move,), _against(position, move, player))
            if len(differences) <= FEW_POINTS:
                other_points = _differences(after.stacks, tops)
                for second in _acts(after.stacks, tops, other_points, player, position) if other_points else ():
                    twice = forced(after._replace(dues=(), prey=()), second, player)
                    fouls = {Foul.TWO_MOVES}
                    if player != position.to_move:
                        fouls.add(Foul.WRONG_PLAYER)
                    again = violations(after._replace(dues=(), prey=(), to_move=player), second) - {Foul.AFTER_END}
                    fouls |= again - {Foul.PLACED_WHILE_MOVING} if isinstance(move, Place) else again
                    twice = twice._replace(closed=after.closed + twice.closed)
                    yield _removal_story(position, tops, twice, player, (move, second), fouls)
                yield from _two_turns(position, tops, after, player, move, other_points)


def _against(position: Position, move: Move, player: int) -> frozenset[Foul]:
    """The reasons against a seen act: the owner of its stone is known, whatever lies under it."""
    reasons = violations(position, move, player)
    if isinstance(move, Slide) and Foul.MOVED_BLOCKED in reasons:
        stack = position.stacks[position.variant.lookup.index[move.start]]
        if stack and stack[-1].owner != player:
            return reasons - {Foul.MOVED_BLOCKED} | {Foul.MOVED_OPPONENT}
    return reasons


def _pulled_out(position: Position, tops: Sequence[int], differences: tuple[int, ...]) -> Iterator[_Story]:
    """The explanation that a lower stone was moved and the upper ones were put back."""
    player, near = position.to_move, position.variant.lookup.near
    if position.variant.max_height == 1 or position.hands[player]:  # then it may as well have come from the hand
        return
    for to in differences:
        for start, stack in enumerate(position.stacks):
            level = next((k for k, stone in enumerate(stack[:-1]) if stone.owner == player), None)
            if level is None or start == to or stack[level].paint + 1 != tops[to]:
                continue
            lower, new = (*stack[:level], *stack[level + 1 :]), (*position.stacks[to], stack[level])
            stacks = tuple(lower if i == start else new if i == to else old for i, old in enumerate(position.stacks))
            fouls = {Foul.MOVED_BLOCKED} | (set() if to in near[start] else {Foul.NOT_ADJACENT})
            move = position.variant.lookup.slide[start][to]
            yield _removal_story(position, tops, position._replace(stacks=stacks, closed=()), player, (move,), fouls)


def _two_turns(
    position: Position, tops: Sequence[int], after: Position, player: int, move: Move, other_points: tuple[int, ...]
) -> Iterator[_Story]:
    """The explanation by one lawful act each of two players; only a capture due between them is to blame."""
    if player != position.to_move or not other_points or violations(position, move, player):
        return
    n = position.variant.players
    follower = next(p for k in range(1, n + 1) if not position.out[p := (player + k) % n])
    if follower == player:
        return
    without_dues = after._replace(dues=(), prey=())
    for answer in _acts(after.stacks, tops, other_points, follower, position):
        if not violations(without_dues._replace(to_move=follower), answer):
            both = forced(without_dues, answer, follower)
            if not _differences(both.stacks, tops):
                due = any(not due.optional for due in after.dues)
                foul, culprit = (Foul.CAPTURE_MISSING, player) if due else (Foul.TWO_MOVES, None)
                yield _Story(NATS[foul] + _share(position, (move, answer)), (foul,), culprit, (move, answer))


def _nothing_done(position: Position, tops: Sequence[int], differences: tuple[int, ...]) -> _Story:
    """The explanation that stones came and went, or that due captures were made wrongly."""
    story = _removal_story(position, tops, position, position.to_move, (), frozenset())
    if story.fouls and Foul.STONE_APPEARED not in story.fouls:
        return story
    fouls: set[Foul] = set()
    for point in differences:
        fouls.add(Foul.STONE_APPEARED if tops[point] else Foul.STONE_VANISHED)
    return _Story(_nats_of_unexplained(position, len(differences)), sort_fouls(fouls), None, ())


def _acts(
    stacks: Stacks, tops: Sequence[int], differences: Sequence[int], player: int, position: Position
) -> Iterator[Place | Slide | Rotate]:
    """Acts of ``player`` that make at least one of the points look as on the table, of all ``differences``."""
    lookup = position.variant.lookup
    for to in differences:
        if tops[to] == player + 1:
            yield lookup.place[to]
        for start in differences:
            if start != to and stacks[start] and stacks[start][-1].paint + 1 == tops[to]:
                yield lookup.slide[start][to]
    for ring, points in enumerate(lookup.rings):
        n_wrong = sum(point in differences for point in points)
        for steps in (1, -1, 2, -2) if n_wrong else ():
            goals = (*points[steps:], *points[:steps])
            if sum(_top(stacks[a]) != tops[b] for a, b in zip(points, goals, strict=True)) < n_wrong:
                yield Rotate(ring, steps)


def _removal_story(
    before: Position,
    tops: Sequence[int],
    after: Position,
    player: int,
    moves: tuple[Move, ...],
    fouls: frozenset[Foul] | set[Foul],
) -> _Story:
    """The story from ``after`` on: stones are taken away until the table looks as it does."""
    reasons = set(fouls)
    if before.dues and player != before.to_move:
        reasons -= {Foul.WRONG_PLAYER}  # the game went on although the capture was still due: not the follower's foul
    nats = _nats_of(reasons)
    if moves and isinstance(moves[0], Rotate) and abs(moves[0].steps) > 1:
        reasons = (reasons - {Foul.MOVED_BLOCKED}) | {Foul.TWO_MOVES}
    painted = sum(stone.paint == player for stack in after.stacks for stone in stack)
    if any(isinstance(move, Place) for move in moves) and painted > before.variant.hands[player]:
        reasons.add(Foul.TOO_MANY_STONES)  # a nuance of its foul, not a second one
    gone: list[int] = []
    n_unexplained = 0
    for point in _differences(after.stacks, tops):
        stack = after.stacks[point]
        if stack and _top(stack[:-1]) == tops[point]:
            gone.append(point)
        else:
            n_unexplained += 1
            reasons.add(Foul.STONE_APPEARED)
    here = after
    takes: list[Capture] = []
    earned = bool(after.closed) if moves else bool(before.dues) or before.removing
    culprit: int | None = player
    for point in sorted(gone, key=lambda i: after.variant.lookup.take[i] not in after.prey):
        foul = _against_capture(here, point, player, earned=earned, acted=bool(moves))
        if foul is not None:
            nats += NATS[foul]
            reasons.add(foul)
        takes.append(after.variant.lookup.take[point])
        here = without_stone(here, point, lawful=foul in (None, Foul.CAPTURED_FROM_MILL, Foul.CAPTURED_OWN))
    earns = Foul.REMADE_MILL not in reasons  # a mill that must not be closed again earns nothing
    if earns and here.dues and not all(due.optional for due in here.dues):
        reasons.add(Foul.CAPTURE_MISSING)
        nats += NATS[Foul.CAPTURE_MISSING]
    nats += _share(before, (*moves, *takes)) + _nats_of_unexplained(before, n_unexplained)
    if before.dues and Foul.CAPTURE_MISSING in reasons:
        culprit = before.to_move
    if reasons == {Foul.STONE_VANISHED}:
        culprit = None
        nats += FURTHER_NATS * bool(moves)  # a stone that goes astray just while somebody plays is a coincidence
        is_second = not moves and len(gone) == 1 and before.closed and not before.dues  # on top of the last capture
        if is_second and before.stacks[gone[0]][-1].owner == before.to_move:
            n = before.variant.players
            culprit = next(p for k in range(1, n + 1) if not before.out[p := (before.to_move - k) % n])
            nats += NATS[Foul.TOO_MANY_CAPTURES] - NATS[Foul.STONE_VANISHED]
            return _Story(nats, (Foul.TOO_MANY_CAPTURES, Foul.STONE_VANISHED), culprit, tuple(takes))
    return _Story(nats, sort_fouls(reasons), culprit, (*moves, *takes))


def _against_capture(here: Position, point: int, player: int, *, earned: bool, acted: bool) -> Foul | None:
    """The foul of taking the top stone of ``point``, if it is one."""
    variant = here.variant
    take = variant.lookup.take[point]
    stack = here.stacks[point]
    levelled = variant.lookup.take_level[point][len(stack) - 1]
    if (here.dues or here.removing) and (take in here.prey or levelled in here.prey):
        return None
    if not earned:
        own = stack[-1].owner == player
        return Foul.CAPTURE_WITHOUT_MILL if acted and not own else Foul.STONE_VANISHED
    if stack[-1].owner == player:
        return Foul.CAPTURED_OWN
    if (point, len(stack) - 1) in protected(here.stacks, variant) and variant.protect != "never":
        return Foul.CAPTURED_FROM_MILL
    return Foul.TOO_MANY_CAPTURES


def _nats_of_unexplained(position: Position, n_points: int) -> float:
    """The cost of points that show any stones or none: half the log of their number, as for acts."""
    n_choices = len(position.stacks) * position.variant.players
    return UNEXPLAINED_NATS + 0.5 * log(n_choices) * n_points if n_points else 0.0
