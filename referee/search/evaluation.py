"""The value of a position without looking ahead, in hundredths of a stone for each player.

Stones count most; then stones that stand two on a line whose third point is bare (more if it can be filled at once),
closed mills, and how many bare points lie next to one's stones. The terms are those of nearly every program for the
game since Gasser (Solving Nine Men's Morris, 1996) and Petcu and Holban (2008); the weights are chosen
(docs/STRENGTH.md).
"""

from __future__ import annotations

from typing import NamedTuple

from referee.position import Position


class Weights(NamedTuple):
    """The weights of the evaluation, in hundredths of a stone."""

    # stone, mill, open_two, two, mobility: of a stone on the board or in the hand; a mill; two on a line that can be
    # filled at once; two on a line with a bare third point; a bare point next to a stone
    stone: int = 100
    mill: int = 25
    open_two: int = 30
    two: int = 8
    mobility: int = 4


CAPTURING = Weights()
# where three in a row wins the game, all depends on who is nearer to it
LINE_WINS = Weights(stone=0, mill=0, open_two=60, two=20, mobility=6)


def evaluate(position: Position) -> list[int]:
    """For each player the points that a position is worth, in hundredths of a stone; of one that is not over."""
    variant = position.variant
    weights = LINE_WINS if variant.line_wins else CAPTURING
    n = variant.players
    points = [weights.stone * (count + hand) for count, hand in zip(position.counts, position.hands, strict=True)]
    levels = [position.owners]
    if variant.max_height > 1:  # 0 where no stone lies so high
        heights, stacks = range(variant.max_height), position.stacks
        levels = [tuple([stack[k].owner + 1 if len(stack) > k else 0 for stack in stacks]) for k in heights]
    for level, owners in enumerate(levels):
        _add_lines(points, position, owners, level, weights)
    if variant.towers:
        _add_towers(points, position, weights)
    owners, mobility = position.owners, weights.mobility
    for a, b in variant.board.edges:
        if owners[a]:
            if not owners[b]:
                points[owners[a] - 1] += mobility
        elif owners[b]:
            points[owners[b] - 1] += mobility
    for player in range(n):
        if position.out[player]:
            points[player] = 0
    return points


def _add_lines(points: list[int], position: Position, owners: tuple[int, ...], level: int, weights: Weights) -> None:
    stacks, near_to = position.stacks, position.variant.lookup.near
    for line in position.variant.board.lines:
        a, b, c = line
        x, y, z = owners[a], owners[b], owners[c]
        if x == y:
            if not x:
                continue
            if x == z:
                points[x - 1] += weights.mill
                continue
            third, other, owner = c, z, x
        elif x == z:
            if not x:
                continue
            third, other, owner = b, y, x
        elif y == z and y:
            third, other, owner = a, x, y
        else:
            continue
        if other or len(stacks[third]) != level:
            continue
        player = owner - 1
        if position.hands[player] or position.may_fly(player):
            points[player] += weights.open_two
            continue
        for near in near_to[third]:
            if near not in line and position.owners[near] == owner:
                points[player] += weights.open_two
                break
        else:
            points[player] += weights.two


def _add_towers(points: list[int], position: Position, weights: Weights) -> None:
    """Towers of one owner are mills; one stone less is a tower that can be made."""
    height, owners = position.variant.max_height, position.owners
    near = position.variant.lookup.near
    for point, stack in enumerate(position.stacks):
        if len(stack) < height - 1:
            continue
        owner = stack[-1].owner
        if any(stone.owner != owner for stone in stack):
            continue
        if len(stack) == height:
            points[owner] += weights.mill
        elif (position.hands[owner] or position.may_fly(owner)
                or any(owners[other] == owner + 1 for other in near[point])):  # fmt: skip
            points[owner] += weights.open_two
        else:
            points[owner] += weights.two


def may_close(position: Position) -> bool:
    """Whether the player to move has two stones on a line whose third point is bare: only then a mill can follow."""
    me, owners = position.to_move + 1, position.owners
    for a, b, c in position.variant.board.lines:
        x, y, z = owners[a], owners[b], owners[c]
        if (x == me) + (y == me) + (z == me) == 2 and not (x and y and z):
            return True
    return False
