"""Makes acts, lawful or not: position in, position out. A referee has to imagine a foul to call it."""

from __future__ import annotations

from referee.advance import rotated
from referee.legal import counted, dues_for, lines_owned, mills_at, prey_of
from referee.moves import Capture, Move, Place, Rotate, Slide
from referee.position import STONES, Position


def forced(position: Position, move: Move, player: int) -> Position:
    """The position after ``move`` of ``player``, lawful or not, with the captures it would earn.

    A capture takes the top stone, or the one on its level; of a bare point it takes nothing.

    >>> from referee.moves import parse_move
    >>> from referee.presets import find_variant
    >>> start = Position.start(find_variant("tic_tac_toe"))
    >>> forced(start, parse_move("b2", start.board), 1).tops  # not his turn
    (0, 0, 0, 0, 2, 0, 0, 0, 0)
    """
    variant = position.variant
    if isinstance(move, Capture):
        point = variant.lookup.index[move.at]
        return without_stone(position, point, level=move.level) if position.stacks[point] else position
    index, stacks = variant.lookup.index, position.stacks
    counts, hands = list(position.counts), list(position.hands)
    mills: list[tuple[str, ...]] = []
    if isinstance(move, Rotate):
        stacks = rotated(stacks, variant.lookup.rings[move.ring], move.steps)
        mills = lines_owned(stacks, variant, move.ring, player)
    elif isinstance(move, Place | Slide):
        to = index[move.to]
        new = list(stacks)
        if isinstance(move, Place):
            stone = STONES[player][player]
            counts[player] += 1
            hands[player] = max(0, hands[player] - 1)
        else:
            stone = new[index[move.start]][-1]
            new[index[move.start]] = new[index[move.start]][:-1]
        # on a full point the stone can only have taken the place of the one that lay there
        lower = new[to][:-1] if len(new[to]) >= variant.max_height else new[to]
        new[to] = (*lower, stone)
        stacks = tuple(new)
        mills = mills_at(stacks, variant, to, len(stacks[to]) - 1, player) if stone.owner == player else []
    closed = counted(position, tuple(mills), player)
    acted = position._replace(stacks=stacks, counts=tuple(counts), hands=tuple(hands), to_move=player, dues=(),
                    prey=(), closed=closed, ended=None)  # fmt: skip
    if not closed or variant.line_wins:
        return acted
    dues, prey = prey_of(stacks, variant, dues_for(acted, len(closed), placing=isinstance(move, Place)))
    return acted._replace(dues=dues, prey=prey)


def without_stone(here: Position, point: int, *, lawful: bool = True, level: int | None = None) -> Position:
    """``here`` without a stone of ``point``; an earned capture (``lawful``) pays what was due.

    ``level`` counts from 1, the lowest; without it, or above the top, the top stone is taken.
    """
    stack = here.stacks[point]
    at = len(stack) - 1 if level is None else min(level, len(stack)) - 1
    victim = stack[at].owner
    stacks = (*here.stacks[:point], (*stack[:at], *stack[at + 1 :]), *here.stacks[point + 1 :])
    counts = tuple(count - (player == victim) for player, count in enumerate(here.counts))
    dues = list(here.dues)
    if lawful and dues:
        at = next((k for k, due in enumerate(dues) if due.victims >> victim & 1), 0)
        dues[at] = dues[at]._replace(n=dues[at].n - 1)
    open_dues, prey = prey_of(stacks, here.variant, tuple(due for due in dues if due.n > 0))
    return here._replace(stacks=stacks, counts=counts, dues=open_dues, prey=prey)
