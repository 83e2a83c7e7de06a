"""How long Millchen takes for a turn at a table.

    python -m tools.benchmarks.bench_partner [TURNS]

In games in which Millchen of medium strength plays for everybody: the time from a turn to the next proposal in the
page's state.
"""

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tools.benchmarks.shared_measures import figures
from web.game.player_commands import do_proposed, set_partner
from web.journal.journal import Journal
from web.table.live_table import LiveTable

GAMES = ("nine_mens_morris", "trialectic")


def wait_for_proposal(table: LiveTable) -> None:
    """Wait until Millchen says its turn, or the game is over."""
    while table.publisher.snapshot.proposal is None and table.publisher.snapshot.game.outcome is None:
        time.sleep(0.002)


def proposals(game: str, n: int) -> list[float]:
    """Seconds from a turn to the next proposal."""
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = LiveTable(journal)
        table.open("hand", game, {})
        while len(times) < n:
            table.restart_game()
            for player in range(1, table.publisher.snapshot.game.players + 1):
                seat = {"player": player, "strength": "medium", "explain": True, "laid_by_people": True}
                table.apply_command(partial(set_partner, **seat))
            wait_for_proposal(table)
            while table.publisher.snapshot.game.outcome is None and len(times) < n:
                table.apply_command(do_proposed)
                began = time.perf_counter()
                wait_for_proposal(table)
                times.append(time.perf_counter() - began)
        table.close()
    return times


if __name__ == "__main__":
    for game in GAMES:
        told = proposals(game, int(sys.argv[1]) if len(sys.argv) > 1 else 120)
        print(figures(f"turn to proposal, {game}, medium", told), flush=True)
