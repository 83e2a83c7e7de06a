"""How long Millchen takes for a turn at a table, and what its thinking costs the page.

    python -m tests.benchmarks.bench_partner [TURNS] [--only page]

Turns: games in which Millchen of medium strength plays for everybody; told is the time from a turn to the next proposal
in the page's state. Page: turns by hand over HTTP while a listener reads the event stream; told is the time from the
sending of a turn to its announcement at the listener, while nothing and while something is thought about without end.
"""

import argparse
import http.client
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from referee.game import Game
from referee.presets import find_variant
from tests.benchmarks.frame import figures
from tests.web.caller import Caller, free_port
from web.app import create_app
from web.game.player_commands import do_proposed, set_partner
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.net.server import make_server
from web.table.live_table import LiveTable
from web.thinking import Thinker, propose

GAMES = ("nine_mens_morris", "trialectic")
PAUSE_S = 0.03
BLOCK = 40


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


class Listener(threading.Thread):
    """A page that listens: when each announcement came, by its number."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.heard: dict[int, float] = {}
        self._line = http.client.HTTPConnection("127.0.0.1", port)
        self._line.request("GET", "/api/events")
        self._answer = self._line.getresponse()

    def run(self) -> None:
        """Read the stream until it ends."""
        kind = ""
        while line := self._answer.readline():
            if line.startswith(b"event: "):
                kind = line[7:].strip().decode()
            elif line.startswith(b"data: ") and kind == "said":
                self.heard[json.loads(line[6:])["seq"]] = time.perf_counter()


def events(n: int) -> tuple[list[float], list[float]]:
    """Seconds from the sending of a turn to its announcement at a page: while nothing, and while something is thought.

    The two take turns, block by block, as other work on the machine comes and goes.
    """
    times: tuple[list[float], list[float]] = [], []
    with table_of("nine_mens_morris") as table:
        server = make_server(create_app(AppContext(table)), free_port())
        threading.Thread(target=server.serve, daemon=True).start()
        port = server.bind_addr[1]
        listener, caller = Listener(port), Caller(port)
        listener.start()
        thinker = Thinker()
        for k in range(n):
            is_thinking = k // BLOCK % 2 == 1
            if k % BLOCK == 0:
                thinker.close()
                thinker = Thinker()
            if k % BLOCK == 0 and is_thinking:
                think_without_end(thinker)
            times[is_thinking].append(one_event(table, caller, listener, k))
            time.sleep(PAUSE_S)
        thinker.close()
        table.publisher.close()
        server.stop()
    return times


def think_without_end(thinker: Thinker) -> None:
    """Have something thought about for minutes; return once the first thought is there."""
    game = Game.start(find_variant("nine_mens_morris"))
    thinker.ask(propose, game, "easy", 0).result()  # the process has started
    for k in range(200):
        thinker.ask(propose, game, "strong", k)


def one_event(table: LiveTable, caller: Caller, listener: Listener, k: int) -> float:
    """Make a turn, or take it back; return after how many seconds a page has heard of it."""
    now = table.publisher.snapshot.game
    seen = {"game": now.id, "seq": now.seq}
    began = time.perf_counter()
    body = {"seen": seen} if k % 2 else {"act": "d6", "seen": seen}
    _, answer = caller.ask("/api/take-back" if k % 2 else "/api/act", body)
    wait_for(lambda: answer["seq"] in listener.heard)
    return listener.heard[answer["seq"]] - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("turns", type=int, nargs="?", default=120)
    parser.add_argument("--only", choices=("turns", "page"))
    given = parser.parse_args()
    if given.only in (None, "turns"):
        for game in GAMES:
            print(figures(f"turn to proposal, {game}, medium", proposals(game, given.turns)), flush=True)
    if given.only in (None, "page"):
        quiet, thinking = events(8 * given.turns)
        print(figures("turn to page, nothing is thought about", quiet))
        print(figures("turn to page, Millchen thinks without end", thinking), flush=True)


if __name__ == "__main__":
    main()
