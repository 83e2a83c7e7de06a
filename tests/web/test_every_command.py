"""Acknowledged means written: commands of every kind, while the process is killed and the disk fills (promise R22).

`pytest -m slow -s tests/web/test_every_command.py` prints the figures; ``MILLCHEN_FAULTS`` multiplies the kills.
"""

import http.client
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.web.caller import Caller, free_port
from tests.web.random_referee import Command, RandomReferee
from tests.web.scripted_eyes import write_film
from tests.web.table_nursery import Nursery
from tests.web.test_faults import LONG, many
from web.game.replay import replay
from web.journal.journal import Journal

Row = tuple[Any, ...]
TOLD = (200, 409, 422, 503)
"""Answers that a command of a page may get."""


class Disk:
    """The folder of a table, on a small disk where that may be made, and that disk filled and emptied.

    Elsewhere no file may grow any more while it is full.
    """

    def __init__(self, folder: Path) -> None:
        self.data = folder / "disk"
        self.data.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(self.data)]
        self.is_real = subprocess.run(words, capture_output=True).returncode == 0
        self.is_full = False

    def fill(self, pid: int) -> None:
        self.is_full = True
        if self.is_real:
            with (self.data / "ballast").open("ab") as ballast:
                try:
                    while True:
                        os.write(ballast.fileno(), bytes(4096))
                except OSError:
                    return
        largest = max(path.stat().st_size for path in self.data.glob("journal.sqlite*"))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))

    def empty(self, pid: int | None) -> None:
        self.is_full = False
        (self.data / "ballast").unlink(missing_ok=True)
        if not self.is_real and pid is not None:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def close(self) -> None:
        if self.is_real:
            subprocess.run(["umount", "-l", str(self.data)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path)
    yield made
    made.close()


def listen(port: int, heard: dict[int, int]) -> None:
    """Take down what is announced, its game by its number in the journal, until the table is killed."""
    seq = None
    with (
        suppress(OSError, http.client.HTTPException, ValueError),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api/events", timeout=20) as answer,
    ):
        for said in answer:
            if said.startswith(b"id: "):
                seq = int(said[4:])
            elif said.startswith(b"data: ") and seq is not None:
                heard[seq], seq = json.loads(said[6:])["game"], None


class Ledger:
    """What was answered to every command, held against what the journal has."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._rows: list[Row] = []
        self.acknowledged: dict[str, tuple[int, int]] = {}  # game and number by key
        self.newest: deque[Command] = deque(maxlen=20)  # acknowledged ones
        self.refused: dict[str, int] = {}  # status by key
        self.kinds: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.took_s: list[float] = []
        self.heard: dict[int, int] = {}  # game of each announcement
        self.n_taken_up = 0

    def note(self, command: Command, status: int, answer: Any, took_s: float) -> None:
        """Take down an answer; one that never came is no answer."""
        self.statuses[status] += 1
        if status == 0:
            return
        assert status in TOLD, (command, status, answer)
        if status == 200:
            self.took_s.append(took_s)
            place = int(answer["game"]), int(answer["seq"])
            assert self.acknowledged.setdefault(command.key, place) == place, "the same key, another answer"
            self.refused.pop(command.key, None)
            if not command.is_kept:
                del self.acknowledged[command.key]
            elif command not in self.newest:
                self.newest.append(command)
                self.kinds[command.kind] += 1
        else:
            assert answer["error"]["text"], "a refusal says why"
            assert command.key not in self.acknowledged, "first acknowledged, then refused"
            self.refused[command.key] = status
            if status == 409:
                assert answer["state"]["game"]["id"] >= 1, "the state as it is now comes with it"

    def check(self) -> None:
        """Acknowledged is written: once, in order, and as it was; what was refused is not."""
        database = sqlite3.connect(self._journal)
        rows = database.execute("SELECT seq, game, kind, ply, body, wall_time, by FROM event ORDER BY seq").fetchall()
        database.close()
        assert [row[0] for row in rows] == list(range(1, len(rows) + 1)), "a number is missing"
        assert rows[: len(self._rows)] == self._rows, "what was written has changed"
        self._rows = rows
        assert all(rows[seq - 1][1] == game for seq, game in self.heard.items()), "announced and not written"
        keys = [(json.loads(row[4]).get("key"), row[1], row[0]) for row in rows]
        written: dict[str, list[tuple[int, int]]] = {}
        for key, game, seq in keys:
            if key:
                written.setdefault(key, []).append((game, seq))
        doubled = {key: places for key, places in written.items() if len(places) > 1}
        assert not doubled, "done twice"
        lost = set(self.acknowledged) - set(written)
        assert not lost, f"acknowledged and not written: {lost}"
        for key, (game, seq) in self.acknowledged.items():
            (game_there, seq_there) = written[key][0]
            assert game == game_there and seq_there <= seq <= len(rows), (key, game, seq, written[key])
        in_order = [written[key][0][1] for key in self.acknowledged]
        assert in_order == sorted(in_order), "not in the order in which it was acknowledged"
        assert not set(self.refused) & set(written), "refused and written all the same"

    def check_taken_up(self, newest: Command, shown: int, now: int) -> None:
        """The game that was on goes on, if it is not over: that of the newest command, or the one shown before it."""
        on = next((row[1] for row in self._rows if json.loads(row[4]).get("key") == newest.key), shown)
        with Journal(self._journal) as journal:
            game = replay(journal.records(on)).game
        if game.turns and game.outcome is None:
            assert now == on, "another game is taken up than the one that was on"
            self.n_taken_up += 1

    def replay_all(self) -> int:
        """Play every game again from the journal; how many there are."""
        with Journal(self._journal) as journal:
            numbers = range(1, (journal.last_game() or 0) + 1)
            for number in numbers:
                replay(journal.records(number))
            return len(numbers)

    def told(self) -> str:
        took = sorted(self.took_s)
        p99 = 1000 * took[int(0.99 * len(took))] if took else 0
        return (
            f"{len(self.acknowledged)} commands of {len(self.kinds)} kinds acknowledged, answers "
            f"{dict(self.statuses)}, {len(self._rows)} records {dict(Counter(row[6] for row in self._rows))}, "
            f"{len(self.heard)} announcements heard and all of them written, {self.n_taken_up} games taken up as they "
            "were; "
            f"p99 of an acknowledged command {p99:.0f} ms"
        )


class Referee:
    """Sends commands to tables that are killed, one after the other."""

    def __init__(self, ledger: Ledger, makes: RandomReferee, disk: Disk, rng: random.Random) -> None:
        self._ledger, self._makes, self._disk, self._rng = ledger, makes, disk, rng
        self._unanswered: Command | None = None
        self._newest: tuple[Command, int] | None = None  # with the game that it was sent about

    def lead(self, port: int, pid: int, life: int) -> None:
        """Send commands, and some of them twice; the process is killed while one after the ``life``th is under way."""
        page = Caller(port)
        try:
            state = page.wait_for_state()
            threading.Thread(target=listen, args=(port, self._ledger.heard), daemon=True).start()
            if self._newest is not None:
                self._ledger.check_taken_up(*self._newest, state["game"]["id"])
            for command in [self._unanswered, *self._again(2)]:
                if command is not None:
                    self._send(page, command)
            while state is not None and self._unanswered is None:
                self._use_disk(pid)
                command = self._makes.command(state)
                life -= 1
                if self._makes.with_partner:  # it needs a moment, and an end now and then
                    time.sleep(self._rng.random())
                if life == 0:
                    threading.Timer(self._rng.random() * 0.01, os.kill, (pid, signal.SIGKILL)).start()
                self._newest = command, int(state["game"]["id"])
                self._send(page, command)
                for known in self._again(1) if self._rng.random() < 0.03 else ():
                    self._send(page, known)
                _, state = page.ask("/api/state")
        finally:
            page.close()

    def _send(self, page: Caller, command: Command) -> None:
        began = time.monotonic()
        status, answer = page.ask(command.path, command.body)
        self._ledger.note(command, status, answer, time.monotonic() - began)
        self._unanswered = command if status == 0 else None

    def _again(self, n: int) -> list[Command]:
        return self._rng.sample(list(self._ledger.newest), min(n, len(self._ledger.newest)))

    def _use_disk(self, pid: int) -> None:
        if self._disk.is_full and self._rng.random() < 0.3:
            self._disk.empty(pid)
        elif not self._disk.is_full and self._rng.random() < 0.03:
            self._disk.fill(pid)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("who", "n", "life", "n_kinds"), [("by hand", 50, 50, 12), ("with a partner", 60, 10, 12), ("eyes", 20, 150, 6)]
)
def test_what_was_acknowledged_or_announced_is_written_once_and_in_order_through_kills_and_full_disks(
    who: str, n: int, life: int, n_kinds: int, nursery: Nursery, disk: Disk, tmp_path: Path
) -> None:
    """Tables are killed at random; the unanswered command is sent again to the next one, with the same key."""
    n_kills, rng, port = many(n), random.Random(who), free_port()
    source = str(write_film(tmp_path / "film.json", *LONG, pause_s=0.05)) if who == "eyes" else "hand"
    ledger = Ledger(disk.data / "journal.sqlite")
    makes = RandomReferee(n, by_hand=source == "hand", with_partner=who == "with a partner")
    referee = Referee(ledger, makes, disk, rng)
    for _ in range(n_kills):
        pid = nursery.start(source, "nine_mens_morris", port, disk.data)
        try:
            referee.lead(port, pid, rng.randint(1, life))
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        disk.empty(None)
        while Path(f"/proc/{pid}").exists():
            time.sleep(0.002)
        ledger.check()
    n_games, how = ledger.replay_all(), "a small disk" if disk.is_real else "files that may not grow for a while"
    print(f"R22: {n_kills} kills {who} on {how}: {ledger.told()}, {n_games} games; 0 lost, doubled or changed")
    assert len(ledger.kinds) >= n_kinds and ledger.heard and (source != "hand" or ledger.statuses[503])
