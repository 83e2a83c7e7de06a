"""Mills: which ones a stone stands in, and which stones they protect."""

from __future__ import annotations

from referee.position import Position, Stacks
from referee.variant import Variant


def mills_at(stacks: Stacks, variant: Variant, point: int, level: int, owner: int) -> list[tuple[str, ...]]:
    """The mills of ``owner`` that the stone on ``level`` (0 lowest) of ``point`` stands in."""
    found: list[tuple[str, ...]] = []
    for a, b, names in variant.lookup.lines_at[point]:
        at_a = stacks[a]
        if len(at_a) > level and at_a[level][0] == owner:
            at_b = stacks[b]
            if len(at_b) > level and at_b[level][0] == owner:
                found.append(names)
    if variant.towers:
        stack = stacks[point]
        if len(stack) == variant.max_height and all(stone[0] == owner for stone in stack):
            found.append(variant.lookup.tower[point])
    return found


def protected(position: Position) -> frozenset[tuple[int, int]]:
    """The stones, as (point, level), that stand in a mill of their owner now."""
    return protected_in(position.stacks, position.variant)


def protected_in(stacks: Stacks, variant: Variant) -> frozenset[tuple[int, int]]:
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
