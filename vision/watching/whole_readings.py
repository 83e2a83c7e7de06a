"""Read a whole board: a picture in, what lies on every point out, the groups of stones given to the players.

A picture alone tells groups of like stones. Whose they are, their numbers say (``starting_reading``), the game that
goes on (``tops_most_like``) or the evidence of a look (``read_with_evidence``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from referee.game import Game
from referee.resumption import mover_by_counts
from vision.decoding.belief import PointTops
from vision.decoding.decision import QUESTION_COST
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Image
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading, read_photograph
from vision.watching.state import UndecidedLook, Watched, WholeReading

MIN_BEGUN_POSTERIOR = 0.95
"""Posterior of one stone, where none is expected, from which a game has begun: doubts of one board err together.
Source: measured, 228 rendered tables: of 114 bare ones 3 show such a stone, of 114 with stones 105."""


def read_alone(bgr: Image, field: Field, state: Watched, bare: Image | None = None) -> PhotographReading:
    """Return what one picture shows by itself; ``bare`` is the same board without stones."""
    return read_photograph(bgr, Registration(field, 1.0), bare, n_groups_max=len(state.belief.position.hands))


def reading_of(alone: PhotographReading, tops: PointTops, time_s: float) -> WholeReading:
    """Return a picture's reading, its groups of stones given to players as in ``tops``."""
    return WholeReading(tops, float(np.prod(alone.p)), tuple(map(is_sure, alone.p)), time_s)


def is_sure(posterior: float) -> bool:
    """Return whether a point that is read with a posterior is learnt from: a question would cost more than an error."""
    return bool(1 - posterior <= QUESTION_COST)


def starting_reading(state: Watched, bgr: Image, field: Field, time_s: float) -> WholeReading:
    """Return the reading of a picture in which a game may have begun; points that something hides are not read."""
    alone = read_alone(bgr, field, state)
    in_sight = [None if hidden else group for group, hidden in zip(alone.stones, state.hidden, strict=True)]
    alone = replace(alone, stones=tuple(in_sight), p=np.where(state.hidden, 0.5, alone.p))
    tops, is_begun = starting_tops(alone, state.game)
    return replace(reading_of(alone, tops, time_s), is_begun=is_begun)


def starting_tops(alone: PhotographReading, game: Game) -> tuple[PointTops, bool]:
    """Return the tops of a game that may have begun, read from one picture, and whether it surely has.

    Nobody knows which colour is whose: the player who lays first has the group with most stones, the next player the
    next; with equal numbers that is open. Stones are laid in turn: where they seem not to be, the likeliest reading of
    one stone in doubt by which they are is taken: it is the board's own, or of another group.
    """
    others = sorted(_readings_of_doubt(alone, game.variant.players), key=lambda one: -one[0])
    readings = [_in_order_of_number(stones, game) for stones in (alone.stones, *(stones for _, stones in others))]
    in_turn = (tops for tops in readings if mover_by_counts(game.position, tops) is not None)
    tops = next(in_turn, readings[0])
    return tops, bool((alone.p[np.array(tops) > 0] >= MIN_BEGUN_POSTERIOR).any())


def _readings_of_doubt(alone: PhotographReading, n_players: int) -> Iterator[tuple[float, Sequence[str | None]]]:
    """Yield the stones with one in doubt read otherwise, each with its likelihood ratio to the first reading."""
    stones = alone.stones
    for point, (group, p, p_stone) in enumerate(zip(stones, alone.p, alone.p_stone, strict=True)):
        if group is not None and not is_sure(p):
            other_groups = set(GROUP_NAMES[:n_players]) - {group}
            ratios = {None: (1 - p_stone) / p} | dict.fromkeys(other_groups, (p_stone - p) / p / len(other_groups))
            for other, ratio in ratios.items():
                yield ratio, [*stones[:point], other, *stones[point + 1 :]]


def _in_order_of_number(stones: Sequence[str | None], game: Game) -> PointTops:
    """Return the tops, the groups of stones given to the players in the order of their numbers."""
    groups = sorted({group for group in stones if group}, key=lambda name: (-stones.count(name), name))
    player_of = {name: (game.variant.first + k) % game.variant.players for k, name in enumerate(groups)}
    return tuple(0 if group is None else player_of[group] + 1 for group in stones)


def tops_most_like(alone: PhotographReading, expected: PointTops, earlier_colours: tuple[str, ...] = ()) -> PointTops:
    """Return what a picture shows by itself, its colours given to the players as they fit the game best.

    Where another game lies there, that tells nothing: then the colours decide that were seen before the break.
    """
    n_players = max(len(set(alone.stones) - {None}), *expected, 1)
    colour_of = dict(alone.groups)

    def n_alike(player_of: Mapping[str, int]) -> int:
        return sum(a == b for a, b in zip(tops_for(alone, player_of), expected, strict=True))

    def likeness(player_of: Mapping[str, int]) -> float:
        return -sum(_distance(colour_of[name], earlier_colours[player]) for name, player in player_of.items())

    best = tops_for(alone, best_players(alone, n_players, n_alike))
    if is_other_table(best, expected) and len(earlier_colours) >= n_players and all(earlier_colours):
        return tops_for(alone, best_players(alone, n_players, likeness))
    return best


def is_other_table(tops: PointTops, expected: PointTops) -> bool:
    """Return whether more points lie otherwise than stones lie as in the game, so that it says nothing of the table."""
    n_otherwise = sum(a != b for a, b in zip(tops, expected, strict=True))
    return n_otherwise > sum(a == b > 0 for a, b in zip(tops, expected, strict=True))


def _distance(one: str, other: str) -> float:
    """Return how far two ``#rrggbb`` are from each other, of 255 in each of three directions."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return float(np.sqrt(sum((a - b) ** 2 for a, b in pairs)))


def read_with_evidence(look: UndecidedLook, state: Watched) -> WholeReading:
    """Return the likeliest appearance of every point, from the evidence of a look and the picture read alone.

    Both see the same pixels, so they are pooled as one: the geometric mean of their posteriors. Where that is also what
    the look was taken for, the posterior of that counts. A row without evidence belongs to a point that is out of
    sight: the expected top stays.
    """
    rows = look.log_likelihood
    n_points, n_appearances = rows.shape
    alone = read_alone(look.frame.bgr, look.field, state)
    nats = {name: rows[[group == name for group in alone.stones], 1:].sum(axis=0) for name in GROUP_NAMES}
    players = best_players(alone, n_appearances - 1, lambda of: sum(nats[name][player] for name, player in of.items()))
    tops = np.array(tops_for(alone, players))
    single = np.repeat(np.log((1 - alone.p) / (n_appearances - 1) + 1e-9)[:, None], n_appearances, axis=1)
    single[np.arange(n_points), tops] = np.log(alone.p)
    pooled = 0.5 * (rows + single)
    pooled -= np.logaddexp.reduce(pooled, axis=1, keepdims=True)
    in_sight = rows.any(axis=1)
    best = tuple(int(top) for top in np.where(in_sight, pooled.argmax(axis=1), state.belief.expected_tops))
    confidence = float(np.exp(pooled.max(axis=1)[in_sight].sum()))
    if look.posterior is not None and look.posterior.best.tops == best:
        confidence = max(confidence, look.posterior.confidence)
    sure = tuple(map(is_sure, np.exp(pooled.max(axis=1)) * in_sight))
    return WholeReading(best, confidence, sure, look.frame.time_s, look.n_unexplained)


def tops_for(alone: PhotographReading, player_of: Mapping[str, int]) -> PointTops:
    """Return the top of every point, the groups of stones given to players."""
    return tuple(0 if group is None else player_of[group] + 1 for group in alone.stones)


def best_players(
    alone: PhotographReading, n_players: int, fit: Callable[[Mapping[str, int]], float]
) -> Mapping[str, int]:
    """Return the player of each group of stones so that they fit best; of equal ones the first."""
    groups = [name for name in GROUP_NAMES if name in alone.stones]
    return max(
        (dict(zip(groups, order, strict=True)) for order in permutations(range(n_players), len(groups))), key=fit
    )
