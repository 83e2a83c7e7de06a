"""The ways in which a board can be turned and mirrored so that nothing changes for the rules."""

from __future__ import annotations

from functools import lru_cache

from referee.variant import Variant

Permutation = tuple[int, ...]


@lru_cache(maxsize=16)
def symmetries(variant: Variant) -> tuple[Permutation, ...]:
    """Every renaming of the points that keeps neighbours, lines, the middle and the first stones; the identity first.

    ``result[k][i]`` is the point that comes to lie on point ``i``. Boards of turning rings have only the identity
    here: which ring was turned would have to be renamed too.
    """
    board = variant.board
    n = len(board.points)
    identity = tuple(range(n))
    if board.rings:
        return (identity,)
    lines = {frozenset(line) for line in board.lines}
    near = [set(points) for points in board.neighbours]
    homes = [{board.index[name] for name in names} for names in variant.start]
    kinds = [(len(near[i]), len(board.lines_through[i]), i == variant.centre, tuple(i in home for home in homes))
             for i in range(n)]  # fmt: skip
    found: list[Permutation] = []

    def extend(images: list[int]) -> None:
        at = len(images)
        if at == n:
            if all(frozenset(images[i] for i in line) in lines for line in lines):
                found.append(tuple(images))
            return
        for image in range(n):
            if image in images or kinds[image] != kinds[at]:
                continue
            if all((k in near[at]) == (images[k] in near[image]) for k in range(at)):
                extend([*images, image])

    extend([])
    return tuple(sorted(found, key=lambda images: images != identity))
