"""Fouls to film: acts that no lawful turn explains."""

from collections.abc import Iterator, Sequence

import numpy as np

from referee.fouls import Foul, violations
from referee.legal import forbidden_centre
from referee.moves import Capture, Move, Place, Rotate, Slide
from referee.position import Position
from referee.turns import Turn, partial_turns

Acts = Sequence[tuple[int, Move]]
"""What is done, each with the player whose stone it is."""

KINDS = (
    "two_moves", "wrong_player", "not_adjacent", "moved_while_placing", "placed_while_moving", "moved_opponent",
    "capture_without_mill", "stone_vanished",
)  # fmt: skip

EVERY_KIND = (
    *KINDS, "occupied", "too_many_stones", "capture_missing", "captured_own", "captured_from_mill", "too_many_captures",
)  # fmt: skip
"""The same and those that few positions allow. What only rings and towers know is left out, and what nobody can see
(``stone_appeared`` has a better name wherever a move explains it; ``after_end`` is how players clear the table)."""


KINDS_OF_DISCS = ("rotated_back", "rotated_without_stone")
KINDS_OF_TOWERS = ("moved_blocked", "stack_too_high")
"""Kinds of the games with discs and with towers alone."""

KINDS_BY_OPTION = ("centre_forbidden", "remade_mill")
"""Kinds that only some tables know: where ``no_centre_first`` or ``no_remake`` was chosen."""


def _ways(kind: str, position: Position) -> Iterator[Acts]:
    """Everything that would be a foul of this kind, or at least looks like one."""
    board, me = position.board, position.to_move
    other = (me + 1) % len(position.hands)
    names, tops = board.points, position.tops
    bare = [i for i, top in enumerate(tops) if top == 0]
    mine = [i for i, top in enumerate(tops) if top == me + 1]
    theirs = [i for i, top in enumerate(tops) if top == other + 1]
    near = [(i, j) for i in range(len(tops)) for j in board.neighbours[i] if tops[j] == 0]
    if kind == "two_moves" and position.phase == "placing":
        yield from ([(me, Place(names[i])), (me, Place(names[j]))] for i in bare for j in bare if i < j)
    elif kind == "wrong_player" and position.phase == "placing":
        yield from ([(other, Place(names[i]))] for i in bare)
    elif kind == "not_adjacent" and position.phase == "moving":
        far = ((i, j) for i in mine for j in bare if j not in board.neighbours[i])
        yield from ([(me, Slide(names[i], names[j]))] for i, j in far)
    elif kind == "moved_while_placing" and position.phase == "placing":
        yield from ([(me, Slide(names[i], names[j]))] for i, j in near if i in mine)
    elif kind == "placed_while_moving" and position.phase == "moving":
        yield from ([(me, Place(names[i]))] for i in bare)
    elif kind == "moved_opponent" and position.phase == "moving":
        yield from ([(other, Slide(names[i], names[j]))] for i, j in near if i in theirs)
    elif kind == "capture_without_mill" and position.phase == "placing":
        for i in bare:
            placed: tuple[int, Move] = (me, Place(names[i]))
            yield from ([placed, (me, Capture(names[j]))] for j in theirs)
    elif kind == "stone_vanished":
        yield from ([(me, Capture(names[i]))] for i in mine + theirs)
    elif kind == "occupied" and position.phase == "placing":
        yield from ([(me, Place(names[i]))] for i in theirs)
    elif kind == "too_many_stones" and position.phase == "moving":
        full = position.counts[me] >= position.variant.hands[me]
        yield from ([(me, Place(names[i]))] for i in bare if full)
    elif kind in ("capture_missing", "captured_own", "captured_from_mill", "too_many_captures"):
        for turn in partial_turns(position):
            yield from _after_a_mill(kind, position, turn)
    elif kind in (*KINDS_OF_DISCS, *KINDS_OF_TOWERS):
        yield from _with_discs_or_towers(kind, position)
    elif kind in KINDS_BY_OPTION:
        yield from _by_option(kind, position)
    elif kind not in EVERY_KIND:
        raise ValueError(f"kind must be one of {EVERY_KIND}, got {kind!r}")


def _after_a_mill(kind: str, position: Position, turn: Turn) -> Iterator[Acts]:
    """What may go wrong once a mill is closed."""
    me, tops, names = position.to_move, turn.after.tops, position.board.points
    other = (me + 1) % len(position.hands)
    closed: list[tuple[int, Move]] = [(me, move) for move in turn.moves]
    prey = [move.at for move in turn.after.prey if isinstance(move, Capture)]
    theirs = [names[i] for i, top in enumerate(tops) if top == other + 1]
    if kind == "capture_missing" and position.hands[other] > 0:
        yield from ([*closed, (other, Place(names[i]))] for i, top in enumerate(tops) if top == 0)
    elif kind == "captured_own":
        mine = [names[i] for i, top in enumerate(tops) if top == me + 1 and position.tops[i] == top]
        yield from ([*closed, (me, Capture(name))] for name in mine)
    elif kind == "captured_from_mill":
        yield from ([*closed, (me, Capture(name))] for name in theirs if name not in prey)
    elif kind == "too_many_captures" and sum(due.n for due in turn.after.dues) == 1:
        pairs = ((a, b) for a in prey for b in theirs if a != b)
        yield from ([*closed, (me, Capture(a)), (me, Capture(b))] for a, b in pairs)


def _after(position: Position, acts: Acts) -> tuple[int, ...]:
    """Tops after the acts."""
    index, stacks = position.board.index, [[stone.paint for stone in stack] for stack in position.stacks]
    for player, move in acts:
        if isinstance(move, Place):
            stacks[index[move.to]].append(player)
        elif isinstance(move, Slide):
            stacks[index[move.to]].append(stacks[index[move.start]].pop())
        elif isinstance(move, Capture):
            stacks[index[move.at]].pop(-1 if move.level is None else move.level - 1)
        elif isinstance(move, Rotate):
            ring = position.board.rings[move.ring]
            before = [stacks[i] for i in ring]
            for k, i in enumerate(ring):
                stacks[i] = before[(k - move.steps) % len(ring)]
    return tuple(stack[-1] + 1 if stack else 0 for stack in stacks)


def kinds_showing(position: Position, tops: tuple[int, ...]) -> tuple[str, ...]:
    """Every kind of ``EVERY_KIND`` that may leave this table: what was done to it, no eye could tell."""
    return tuple(kind for kind in EVERY_KIND if any(_after(position, acts) == tops for acts in _ways(kind, position)))


def _by_option(kind: str, position: Position) -> Iterator[Acts]:
    """The ways of ``KINDS_BY_OPTION``."""
    me, names = position.to_move, position.board.points
    middle, ban = forbidden_centre(position), position.bans[me] if position.bans else None
    if kind == "centre_forbidden" and middle is not None:
        yield [(me, Place(names[middle]))]
    elif kind == "remade_mill" and ban is not None:
        back = Slide(names[ban[0]], names[ban[1]])
        if str(Foul.REMADE_MILL) in violations(position, back):
            yield [(me, back)]


def _with_discs_or_towers(kind: str, position: Position) -> Iterator[Acts]:
    """The ways of ``KINDS_OF_DISCS`` and ``KINDS_OF_TOWERS``."""
    board, me, names = position.board, position.to_move, position.board.points
    if kind == "rotated_back" and position.lock is not None:
        yield [(me, Rotate(*position.lock))]
    elif kind == "rotated_without_stone" and position.counts[me] == 0:
        yield from ([(me, Rotate(ring, step))] for ring in range(len(board.rings)) for step in (-1, 1))
    elif kind == "stack_too_high":
        full = [i for i, tall in enumerate(position.heights) if tall == position.variant.max_height]
        yield from ([(me, Place(names[i]))] for i in full if position.tops[i] != me + 1)
    elif kind == "moved_blocked":  # pulled out from under another's stone
        for i, stack in enumerate(position.stacks):
            for level, stone in enumerate(stack[:-1], start=1):
                pulled: tuple[int, Move] = (me, Capture(names[i], level))
                near = (j for j in board.neighbours[i] if stone.owner == me and position.tops[j] != me + 1)
                yield from ([pulled, (me, Place(names[j]))] for j in near)


def tables_of(kind: str, position: Position, lawful: set[tuple[int, ...]]) -> list[tuple[Acts, tuple[int, ...]]]:
    """All acts of this kind that no lawful turn explains, each with the tops that it leaves."""
    made = ((acts, _after(position, acts)) for acts in _ways(kind, position))
    return [(acts, tops) for acts, tops in made if tops not in (*lawful, position.tops)]


def make_foul(kind: str, position: Position, lawful: set[tuple[int, ...]], rng: np.random.Generator) -> Acts | None:
    """Acts of this kind that no lawful turn explains, or None where the position has none.

    Args:
        kind: One of ``EVERY_KIND``, ``KINDS_OF_DISCS``, ``KINDS_OF_TOWERS`` or ``KINDS_BY_OPTION``.
        position: Before the foul.
        lawful: The tops that a lawful turn, complete or not, can leave.
    """
    ways = tables_of(kind, position, lawful)
    return ways[int(rng.integers(len(ways)))][0] if ways else None
