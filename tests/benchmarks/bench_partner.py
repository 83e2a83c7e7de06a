"""How long Millchen takes for a turn at a table.

    python -m tests.benchmarks.bench_partner [TURNS]

In games in which Millchen of medium strength plays for everybody: the time from a turn to the next proposal in the
page's state.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.benchmarks.frame import figures
from web.game.player_commands import do_proposed, set_partner
from web.journal.journal import Journal
from web.table.live_table import LiveTable

GAMES = ("nine_mens_morris", "trialectic")


@contextmanager
def table_of(game: str) -> Iterator[LiveTable]:
    """A table at which people play by hand."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = LiveTable(journal)
        table.open("hand", game, {})
        yield table
        table.close()


def proposals(game: str, n: int) -> list[float]:
    """Seconds from a turn to the next proposal."""
    times: list[float] = []
    with table_of(game) as table:
        while len(times) < n:
            table.restart_game()
            for player in range(1, table.publisher.snapshot.game.players + 1):
                table.apply_command(
                    partial(set_partner, player=player, strength="medium", explain=True, laid_by_people=True)
                )
            wait_for(lambda: table.publisher.snapshot.proposal is not None)  # noqa: B023 - waited for here
            while table.publisher.snapshot.game.outcome is None and len(times) < n:
                table.apply_command(do_proposed)
                began = time.perf_counter()
                if table.publisher.snapshot.game.outcome is None:
                    wait_for(lambda: table.publisher.snapshot.proposal is not None)  # noqa: B023
                    times.append(time.perf_counter() - began)
    return times


def wait_for(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    while not is_so():
        time.sleep(0.002)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("turns", type=int, nargs="?", default=120)
    given = parser.parse_args()
    for game in GAMES:
        print(figures(f"turn to proposal, {game}, medium", proposals(game, given.turns)), flush=True)


if __name__ == "__main__":
    main()
