"""Who starts: by coin or lot, or the youngest. Chance is an argument, so that a game can be told again exactly."""

from __future__ import annotations

from collections.abc import Sequence


def by_lot(n_players: int, draw: float) -> int:
    """The player drawn; with two players this is the toss of a coin.

    Parameters
    ----------
    n_players : int
        How many take part.
    draw : float
        A random number from 0 up to, but not including, 1; ``random.random()`` makes one.

    Examples
    --------
    >>> by_lot(2, 0.7), by_lot(3, 0.1)
    (1, 0)
    """
    if not 0 <= draw < 1:
        raise ValueError(f"draw must lie between 0 and 1, 1 excluded, got {draw!r}")
    return int(draw * n_players)


def youngest(ages: Sequence[float]) -> int:
    """The youngest player, as the Roman mill wants it (001); of equals the one named first.

    Examples
    --------
    >>> youngest([41, 9, 12])
    1
    """
    if not ages:
        raise ValueError("nobody is playing")
    return min(range(len(ages)), key=lambda player: ages[player])
