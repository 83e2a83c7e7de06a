"""Random plies of every set of options that the laws are held against, and how their games end.

    python -m tests.referee.random_plies --plies 100000

Every move is checked as it is played. Prints one line a set as soon as it is done.
"""

from __future__ import annotations

import argparse
import time

from tests.referee.test_laws import GAMES, walk


def main() -> None:
    """Walk through all sets, or those of one game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plies", type=int, default=100_000)
    parser.add_argument("--game", help="only the sets of this game")
    parser.add_argument("--seed", type=int, default=5)
    words = parser.parse_args()
    n_sets = 0
    for game, options in GAMES:
        if words.game in (None, game):
            began = time.monotonic()
            ends = walk(game, options, words.plies, words.seed)
            counts = ", ".join(f"{n} {reason}" for reason, n in sorted(ends.items()))
            print(f"{game} {options}: {words.plies} plies, {counts}; {time.monotonic() - began:.0f} s", flush=True)
            n_sets += 1
    print(f"{n_sets} sets of options, {n_sets * words.plies} plies without an error")


if __name__ == "__main__":
    main()
