"""Acknowledged means written: commands of every kind, while the process is killed and the disk fills (promise R22).

`pytest -m slow -s tests/web/test_every_command.py` prints the figures; ``MILLCHEN_FAULTS`` multiplies the kills.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.web.caller import Caller
from tests.web.ports import free_port
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
            f"{dict(self.statuses)}, {len(self._rows)} records, {self.n_taken_up} games taken up as they were; "
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
            if self._newest is not None:
                self._ledger.check_taken_up(*self._newest, state["game"]["id"])
            for command in [self._unanswered, *self._again(2)]:
                if command is not None:
                    self._send(page, command)
            while state is not None and self._unanswered is None:
                self._use_disk(pid)
                command = self._makes.command(state)
                life -= 1
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


def kill_and_check(nursery: Nursery, disk: Disk, source: str, n_kills: int, seed: int, life: int) -> Ledger:
    """Kill tables at random moments; the unanswered command is sent again to the next one, with the same key."""
    rng, port = random.Random(seed), free_port()
    ledger = Ledger(disk.data / "journal.sqlite")
    referee = Referee(ledger, RandomReferee(seed, by_hand=source == "hand"), disk, rng)
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
    return ledger


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_by_hand_what_was_acknowledged_is_written_once_and_in_order_through_kills_and_full_disks(
    nursery: Nursery, disk: Disk
) -> None:
    n_kills = many(50)
    ledger = kill_and_check(nursery, disk, "hand", n_kills, 21, 50)
    n_games = ledger.replay_all()
    how = "a small disk that fills and empties" if disk.is_real else "files that may not grow for a while"
    print(f"R22: {n_kills} kills by hand on {how}: {ledger.told()}, {n_games} games; 0 lost, doubled or changed")
    assert ledger.statuses[503] > 0 and len(ledger.kinds) >= 12


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_beside_eyes_what_was_acknowledged_is_written_once_and_in_order_through_kills_and_full_disks(
    nursery: Nursery, disk: Disk, tmp_path: Path
) -> None:
    film = write_film(tmp_path / "film.json", *LONG, pause_s=0.05)
    n_kills = many(20)
    ledger = kill_and_check(nursery, disk, str(film), n_kills, 22, 150)
    n_games = ledger.replay_all()
    print(
        f"R22: {n_kills} kills beside eyes that see a film: {ledger.told()}, {n_games} games; "
        "0 lost, doubled or changed"
    )
    assert len(ledger.kinds) >= 6
