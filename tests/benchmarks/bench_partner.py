"""How long Millchen takes for a turn at a table, and what its thinking costs the page.

    python -m tests.benchmarks.bench_partner [TURNS] [--only eyes]

Turns: games in which Millchen of medium strength plays for everybody; told is the time from a turn to the next proposal
in the page's state. Page: turns by hand over HTTP while a listener reads the event stream; told is the time from the
sending of a turn to its announcement at the listener, while nothing and while something is thought about without end.
Eyes: the bundled demos as pictures of a camera; told is the time from the moment at which a picture is due until the
process of the eyes asks for the next one, in both cases.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from referee.game import Game
from referee.presets import find_variant
from tests.benchmarks.bench_tables import FPS, TABLES, Measured, job, pictures
from tests.web.caller import Caller
from tests.web.ports import free_port
from vision.imaging.frame import Frame, JpegPicture
from web.app import create_app
from web.game.event_sentences import sentences_in_all_languages
from web.game.player_commands import do_proposed, set_partner
from web.journal.journal import Journal
from web.net.server import make_server
from web.table import vision_process
from web.table.live_table import LiveTable
from web.thinking import Thinker, propose
from web.views.context import AppContext

GAMES = ("nine_mens_morris", "trialectic")
PAUSE_S = 0.03
BLOCK = 40
PICTURES = 200
ROUNDS = 3


@contextmanager
def table_of(game: str) -> Iterator[LiveTable]:
    """A table at which people play by hand."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = LiveTable(journal, sentences_in_all_languages)
        table.open("hand", game, {})
        yield table
        table.close()


def figures(name: str, times_s: list[float]) -> str:
    p50, p95, p99 = np.percentile(times_s, [50, 95, 99])
    return (
        f"{name}: n {len(times_s)}, p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms,"
        f" most {max(times_s) * 1000:.1f} ms"
    )


def proposals(game: str, n: int) -> list[float]:
    """Seconds from a turn to the next proposal."""
    times: list[float] = []
    with table_of(game) as table:
        while len(times) < n:
            table.restart_game()
            for player in range(1, table.publisher.snapshot.game["players"] + 1):
                table.apply_command(
                    partial(set_partner, player=player, strength="medium", explain=True, laid_by_people=True)
                )
            wait_for(lambda: table.publisher.snapshot.proposal is not None)  # noqa: B023 - waited for here
            while table.publisher.snapshot.game["outcome"] is None and len(times) < n:
                table.apply_command(do_proposed)
                began = time.perf_counter()
                if table.publisher.snapshot.game["outcome"] is None:
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
                thinker.stop()
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
    seen = {"game": now["id"], "seq": now["seq"]}
    began = time.perf_counter()
    body = {"seen": seen} if k % 2 else {"act": "d6", "seen": seen}
    _, answer = caller.ask("/api/take-back" if k % 2 else "/api/act", body)
    wait_for(lambda: answer["seq"] in listener.heard)
    return listener.heard[answer["seq"]] - began


class Due(Measured):
    """A source whose next picture is due a pause after the last one is done with, and the seconds that each took."""

    def __iter__(self) -> Iterator[Frame]:
        for k, data in enumerate(self._data):
            due = time.perf_counter() + PAUSE_S
            time.sleep(PAUSE_S)
            yield Frame(JpegPicture(data), k / FPS, k)
            self.spent_ms.append(1000 * (time.perf_counter() - due))


def see(pipe: Connection, game: str) -> None:
    """Run the eyes as they are over a demo; at the end they say how long each picture took."""
    source = Due(pictures(game, PICTURES))
    vision_process.open_source = lambda *_, **__: source  # type: ignore[attr-defined, assignment]
    vision_process.run_vision(pipe, job(game, ""))
    pipe.send(source.spent_ms)


def seen(game: str) -> list[float]:
    """Seconds that the eyes, in a process of their own, took for each picture of a demo."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    eyes = context.Process(target=see, args=(theirs, game))
    eyes.start()
    while not isinstance(message := ours.recv(), list):
        pass
    eyes.join()
    return [ms / 1000 for ms in message]


def looks() -> tuple[list[float], list[float]]:
    """Seconds that the eyes took for each picture: while nothing, and while something is thought about.

    Both see the same pictures, one after the other.
    """
    times: tuple[list[float], list[float]] = [], []
    thinker = Thinker()
    for game in TABLES * ROUNDS:
        for is_thinking in (False, True):
            if is_thinking:
                think_without_end(thinker)
            times[is_thinking].extend(seen(game))
            thinker.stop()
    thinker.close()
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("turns", type=int, nargs="?", default=120)
    parser.add_argument("--only", choices=("turns", "page", "eyes"))
    given = parser.parse_args()
    if given.only in (None, "turns"):
        for game in GAMES:
            print(figures(f"turn to proposal, {game}, medium", proposals(game, given.turns)), flush=True)
    for name, unit, measure in (("page", "turn to page", partial(events, 8 * given.turns)), ("eyes", "picture", looks)):
        if given.only in (None, name):
            quiet, thinking = measure()
            print(figures(f"{unit}, nothing is thought about", quiet))
            print(figures(f"{unit}, Millchen thinks without end", thinking), flush=True)


if __name__ == "__main__":
    main()
