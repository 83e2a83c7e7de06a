"""What was once done to a Millchen from outside, over HTTP alone, does no harm any more (issue 23).

Each test does one thing of the list; the table runs in a process of its own, and is killed.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import sqlite3
import ssl
import stat
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.web.caller import Caller
from tests.web.pace import is_kept
from tests.web.ports import free_port
from tests.web.scripted_eyes import write_film
from tests.web.table_nursery import Nursery
from tests.web.test_every_command import Disk, disk
from tests.web.test_faults import children_of
from tests.web.test_upload import png
from web.game.replay import replay
from web.journal.journal import Journal

pytestmark = pytest.mark.film
__all__ = ["disk"]
ROOT = Path(__file__).parents[2]
DOOR = "127.0.0.2"  # of the loopback too, as the page itself has 127.0.0.1
NINE, TIC = "nine_mens_morris", "tic_tac_toe"


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


class Table:
    """A table in a process of its own, and its page."""

    def __init__(self, nursery: Nursery, data: Path, source: str = "hand", game: str = NINE) -> None:
        port = free_port()
        self.pid = nursery.start(source, game, port, data)
        self.page, self.data = Caller(port), data
        self.page.wait_for_state()

    def state(self) -> Any:
        return self.page.ask("/api/state")[1]

    def command(self, path: str, key: str = "", **words: Any) -> tuple[int, Any]:
        """Send a command about what the page shows now."""
        named = {"key": key} if key else {}
        return self.page.ask(path, seen_by(self.page) | named | words)

    def keys(self) -> list[str]:
        """Keys of the commands that the journal has, in order."""
        database = sqlite3.connect(self.data / "journal.sqlite")
        bodies = [json.loads(body) for (body,) in database.execute("SELECT body FROM event ORDER BY seq")]
        database.close()
        return [body["key"] for body in bodies if body.get("key")]

    def kill(self) -> None:
        self.page.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        while Path(f"/proc/{self.pid}").exists():
            time.sleep(0.01)


def seen_by(page: Caller) -> dict[str, Any]:
    """What a page shows now, as its commands say it."""
    game = page.wait_for_state()["game"]
    return {"seen": {"game": game["id"], "seq": game["seq"]}}


@pytest.fixture
def table(nursery: Nursery, tmp_path: Path) -> Iterator[Callable[..., Table]]:
    opened: list[Table] = []

    def open_it(*words: str, data: Path = tmp_path / "data") -> Table:
        opened.append(Table(nursery, data, *words))
        return opened[-1]

    yield open_it
    for one in opened:
        one.kill()


Open = Callable[..., Table]


def wait(is_so: Callable[[], Any], what: str) -> Any:
    give_up = time.monotonic() + 60
    while not (found := is_so()):
        assert time.monotonic() < give_up, f"waited a minute in vain: {what}"
        time.sleep(0.02)
    return found


# 1


def test_a_game_begun_on_the_page_is_taken_up_after_a_kill_whatever_the_command_says(table: Open) -> None:
    first = table("hand", NINE)
    assert first.command("/api/game", game=TIC)[0] == 200
    for act in ("b2", "a1"):
        assert first.command("/api/act", act=act)[0] == 200
    before = first.state()["game"]
    first.kill()
    after = table("hand", NINE).state()["game"]
    assert (after["id"], after["name"], after["ply"], after["stacks"]) == (before["id"], TIC, 2, before["stacks"])


# 2


def test_commands_are_written_while_the_eyes_hang_and_when_they_are_killed(table: Open, tmp_path: Path) -> None:
    film = write_film(tmp_path / "film.json", "d6", "d7", "b6", "g7", "freeze")
    seen = table(str(film), NINE)
    wait(lambda: seen.state()["game"]["ply"] == 4, "four turns")
    began = time.monotonic()
    answers = [
        seen.command("/api/correct", "one", point="a1", top=1)[0],
        seen.command("/api/correct", "two", point="a1", top=0)[0],
        seen.command("/api/take-back", "three")[0],
        seen.command("/api/end", "four", how="resigned", player=1)[0],
    ]
    assert is_kept(8.0, time.monotonic() - began)
    for pid in children_of(seen.pid):
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    seen.kill()
    assert answers == [200] * 4
    assert seen.keys() == ["one", "two", "three", "four"]


def test_a_command_that_was_meant_for_an_older_board_changes_nothing_and_is_told_so(table: Open) -> None:
    by_hand = table()
    old = by_hand.state()["game"]
    for act in ("d6", "f4"):
        assert by_hand.command("/api/act", act=act)[0] == 200
    game = by_hand.state()["game"]
    seen = {"seen": {"game": old["id"], "seq": old["seq"]}}
    for path, words in {
        "/api/take-back": {},
        "/api/correct": {"point": "a1", "top": 1},
        "/api/end": {"how": "agreed"},
    }.items():
        status, answer = by_hand.page.ask(path, {**seen, **words})
        assert (status, answer["error"]["code"], answer["state"]["game"]["seq"]) == (409, "conflict", game["seq"])
        assert by_hand.page.ask(path, words)[0] == 428
    assert by_hand.state()["game"] == game


def test_a_command_with_the_same_key_is_done_once_also_after_a_kill(table: Open) -> None:
    first = table()
    game = first.state()["game"]
    command = {"seen": {"game": game["id"], "seq": game["seq"]}, "key": "once", "act": "d6"}
    status, answer = first.page.ask("/api/act", command)
    assert (status, first.page.ask("/api/act", command)) == (200, (200, answer))
    first.kill()
    second = table()
    assert second.page.ask("/api/act", command) == (200, answer)
    assert second.keys() == ["once"] and second.state()["game"]["ply"] == 1


# 3


def test_on_a_full_disk_placings_are_refused_and_no_stone_of_the_wrong_player_is_saved(table: Open, disk: Disk) -> None:
    by_hand = table(data=disk.data)
    assert by_hand.command("/api/act", "before", act="d6")[0] == 200
    disk.fill(by_hand.pid)
    full = {key: by_hand.command("/api/act", key, act=key)[0] for key in ("f4", "b4", "d2", "a1", "g1", "a7")}
    disk.empty(by_hand.pid)
    assert by_hand.command("/api/act", "after", act="f2")[0] == 200
    shown = by_hand.state()["game"]
    by_hand.kill()
    assert set(full.values()) <= {200, 503} and 503 in full.values()
    assert by_hand.keys() == ["before", *(key for key, status in full.items() if status == 200), "after"]
    with Journal(disk.data / "journal.sqlite") as journal:
        game = replay(journal.records(1)).game
    players = [turn.player for turn in game.turns]
    assert players == [k % 2 for k in range(len(players))]
    assert game.ply == shown["ply"]


# 4


def change_record(data: Path, *statements: str) -> None:
    database = sqlite3.connect(data / "journal.sqlite")
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def checked(data: Path) -> tuple[int, str]:
    """What `millchen games check` says."""
    words = [sys.executable, "millchen.py", "games", "--data", str(data), "check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def two_games(table: Open) -> Path:
    first = table()
    for act in ("d6", "f4"):
        assert first.command("/api/act", act=act)[0] == 200
    assert first.command("/api/game", game=TIC)[0] == 200
    for act in ("b2", "a1", "c1"):
        assert first.command("/api/act", act=act)[0] == 200
    first.kill()
    return first.data


@pytest.mark.slow
def test_one_damaged_record_in_the_newest_game_costs_that_game_alone(table: Open) -> None:
    data = two_games(table)
    change_record(
        data, "UPDATE event SET body = replace(body, 'a1', 'a3') WHERE kind = 'turn' AND game = 2 AND ply = 2"
    )
    again = table()
    assert again.command("/api/act", act="d6")[0] == 200
    assert again.page.ask("/api/games/1")[0] == 200
    status, said = checked(data)
    assert status != 0 and "game 2" in said


@pytest.mark.slow
def test_two_records_that_have_changed_places_are_found(table: Open) -> None:
    data = two_games(table)
    assert checked(data)[0] == 0
    columns = 'game, kind, ply, body, wall_time, monotonic_s, "by", digest'
    change_record(
        data,
        f"CREATE TEMP TABLE kept AS SELECT seq, {columns} FROM event WHERE seq IN (2, 3)",
        *(
            f"UPDATE event SET ({columns}) = (SELECT {columns} FROM kept WHERE kept.seq = {5 - seq}) WHERE seq = {seq}"
            for seq in (2, 3)
        ),
    )
    assert checked(data)[0] != 0


# 5


def memory_peak_mb(pid: int) -> float:
    [line] = [one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(4000, 3000), (2000, 1990)])
def test_forty_five_hostile_pictures_at_once_cost_little_memory_and_hold_up_nobody(
    table: Open, width: int, height: int
) -> None:
    hostile = png(width, height, data=zlib.compress(bytes(height * (1 + 3 * width)), 9))
    by_hand = table()
    send = [sys.executable, "-c", SENDER, str(by_hand.page.port)]
    small = png(64, 64, data=zlib.compress(bytes(64 * (1 + 3 * 64))))
    assert subprocess.run([*send, "1"], input=small, capture_output=True).stdout == b"200\n"
    before = memory_peak_mb(by_hand.pid)
    sending = subprocess.Popen([*send, "45"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert sending.stdin is not None
    sending.stdin.write(hostile)
    sending.stdin.close()
    slowest = 0.0
    while sending.poll() is None:
        began = time.monotonic()
        assert by_hand.page.ask("/api/state")[0] == 200
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.02)
    assert sending.stdout is not None
    answers = sending.stdout.read().decode().split()
    sending.stdout.close()
    grown = memory_peak_mb(by_hand.pid) - before
    print(
        f"45 pictures of {len(hostile) / 1000:.0f} kB and {width * height / 1e6:.0f} million pixels: "
        f"+{grown:.0f} MB, /api/state within {1000 * slowest:.0f} ms; answers {dict(Counter(answers))}"
    )
    assert len(answers) == 45 and set(answers) <= {"200", "413", "422", "429", "503"}
    assert grown <= 150
    assert is_kept(0.5, slowest, exactly=True)


SENDER = """
import http.client, sys
from concurrent.futures import ThreadPoolExecutor
picture = sys.stdin.buffer.read()
def send(_):
    line = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=120)
    line.request("POST", "/api/camera", picture, {"Content-Type": "image/png"})
    return line.getresponse().status
with ThreadPoolExecutor(45) as all_at_once:
    for status in all_at_once.map(send, range(int(sys.argv[2]))): print(status)
"""


# 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "corners",
    [
        [[100, 100]] * 4,
        [[0, 0], [100, 100], [100, 0], [0, 100]],
        [[0, 0], [50, 0], [100, 0], [150, 0]],
        [[0, 0], [1e300, 0], [1e300, 1e300], [0, 1e300]],
        [[0, 0], [1, 0], [1, 1], [0, 1]],
    ],
    ids=["equal", "crossed", "in a row", "far out", "too small"],
)
def test_corners_that_can_be_no_field_are_refused_with_a_reason(table: Open, corners: list[list[float]]) -> None:
    by_hand = table()
    assert by_hand.page.ask("/api/corners", {"corners": [[100, 100], [500, 110], [510, 400], [90, 410]]})[0] == 200
    status, answer = by_hand.page.ask("/api/corners", {"corners": corners})
    assert status in (400, 422) and answer["error"]["text"]


# 7, 9, 10, 11: the whole program, with a door to the network


class Program:
    """Millchen as it is started by hand, with a door to the network on the loopback."""

    def __init__(self, data: Path, *words: str) -> None:
        self.data, port = data, free_port()
        start = [sys.executable, "millchen.py", "--source", "hand", "--game", NINE, "--no-browser", "--no-link"]
        self.process = subprocess.Popen(
            [*start, "--port", str(port), "--data", str(data), *words], cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        self.page = Caller(port)
        try:
            self.page.wait_for_state()
        except AssertionError:
            self.close()
            raise

    def link(self, role: str) -> tuple[int, str]:
        """Port and token of a link to the network."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            found = re.search(rf"{role} +https://{re.escape(DOOR)}:(\d+)/join/(\S+)", line)
            if found:
                return int(found[1]), found[2]
            if line.startswith("Fingerprint"):
                break
        raise AssertionError("no link was printed")

    def close(self) -> None:
        self.page.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=60)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    opened: list[Program] = []

    def open_it(*words: str, data: Path = tmp_path / "data") -> Program:
        opened.append(Program(data, *words))
        return opened[-1]

    yield open_it
    for one in opened:
        one.close()


Start = Callable[..., Program]


def call(port: int, path: str, token: str, **more: str) -> http.client.HTTPSConnection:
    """Ask something of the network's door; the connection, on which the answer waits."""
    line = http.client.HTTPSConnection(DOOR, port, timeout=60, context=ssl._create_unverified_context())
    line.request("GET", path, headers={"Authorization": f"Bearer {token}", **more} if token else more)
    return line


@pytest.mark.slow
def test_one_viewers_link_cannot_take_the_streams_of_the_referee(program: Start) -> None:
    running = program("--lan", DOOR)
    port, token = running.link("viewer")
    lines = [call(port, "/api/events", token) for _ in range(210)]
    answers = [line.getresponse() for line in lines]
    n_taken = sum(answer.status == 200 for answer in answers)
    line = http.client.HTTPConnection("127.0.0.1", running.page.port, timeout=10)
    line.request("GET", "/api/events")
    status = line.getresponse().status
    for one in [*lines, line]:
        one.close()
    print(f"one link has {n_taken} of 210 streams; the referee's own page: {status}")
    assert status == 200 and running.page.ask("/api/state")[0] == 200


def status_of(port: int, path: str, token: str = "", **more: str) -> int:
    line = call(port, path, token, **more)
    try:
        return line.getresponse().status
    finally:
        line.close()


@pytest.mark.slow
def test_refused_requests_without_a_cookie_lock_no_valid_link_out(program: Start) -> None:
    port, token = program("--lan", DOOR).link("viewer")
    refused = [status_of(port, "/api/state", **{"Sec-Fetch-Site": "cross-site"}) for _ in range(40)]
    refused += [status_of(port, "/api/state") for _ in range(40)]
    assert set(refused) <= {401, 403, 429}
    assert status_of(port, "/api/state", token) == 200


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="modes of files are another thing there")
def test_what_millchen_keeps_is_its_owners_alone(program: Start) -> None:
    running = program()
    assert running.page.ask("/api/again", {})[0] == 200
    open_to_others = [
        path for path in (running.data, *running.data.rglob("*")) if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert open_to_others == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["journal.sqlite", "evenings.sqlite"])
@pytest.mark.parametrize("damage", ["no bytes", "no database", "a hole"])
def test_a_damaged_file_keeps_nobody_from_playing_and_is_kept(
    table: Open, program: Start, name: str, damage: str
) -> None:
    data = two_games(table)
    program(data=data).close()
    for path in data.glob(f"{name}-*"):
        path.unlink()
    content = bytearray((data / name).read_bytes())
    if damage == "a hole":
        content[4096:12288] = b"\xa5" * 8192
    else:
        content = bytearray(b"" if damage == "no bytes" else b"a letter to grandmother " * 400)
    (data / name).write_bytes(content)
    again = program(data=data)
    lawful = again.page.wait_for_state()["game"]["acts"][0]["text"]
    assert again.page.ask("/api/act", {"act": lawful} | seen_by(again.page))[0] == 200
    again.close()
    kept = [path for path in data.rglob("*") if path.is_file() and path.stat().st_size == len(content)]
    assert any(path.read_bytes() == content for path in kept), "what was damaged is gone"


@pytest.mark.slow
def test_a_copy_for_which_there_is_no_room_is_one_sentence_and_no_file(table: Open, disk: Disk, tmp_path: Path) -> None:
    data = two_games(table)
    if not disk.is_real:
        pytest.skip("no small disk can be made here")
    target = disk.data / "copy.sqlite"
    disk.fill(0)
    words = [sys.executable, "millchen.py", "games", "--data", str(data), "backup", str(target)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "Traceback" not in done.stderr and done.stderr.count("\n") == 1
    assert not target.exists()


@pytest.mark.slow
@pytest.mark.parametrize("brackets", ["[" * 60_000, '{"a":' * 12_000, "[" * 30_000 + "]" * 30_000])
def test_brackets_without_an_end_are_a_bad_request(table: Open, brackets: str) -> None:
    by_hand = table()
    for path in ("/api/act", "/api/names", "/api/games/import"):
        line = http.client.HTTPConnection("127.0.0.1", by_hand.page.port, timeout=60)
        line.request("POST", path, brackets, {"Content-Type": "application/json"})
        answer = line.getresponse()
        assert answer.status == 400 and json.loads(answer.read())["error"]["text"]
        line.close()


@pytest.mark.slow
def test_a_second_millchen_is_refused_also_where_the_lock_was_deleted(program: Start) -> None:
    first = program()
    (first.data / "lock").unlink()
    words = [sys.executable, "millchen.py", "--source", "hand", "--game", NINE, "--no-browser", "--port", "0"]
    done = subprocess.run([*words, "--data", str(first.data)], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert first.page.ask("/api/again", {})[0] == 200


@pytest.mark.slow
def test_no_password_of_an_archive_stands_in_the_list_of_processes_or_in_what_is_said(
    program: Start, tmp_path: Path
) -> None:
    secret = tmp_path / "archive"
    secret.write_text("postgresql://club:open-sesame@127.0.0.1:9/club\n")
    secret.chmod(0o600)
    running = program("--archive", f"@{secret}")
    for pid in (str(running.process.pid), *children_of(running.process.pid)):
        assert b"open-sesame" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    running.process.terminate()
    _, said = running.process.communicate(timeout=60)
    assert "open-sesame" not in said
    for path in running.data.rglob("*"):
        assert not path.is_file() or b"open-sesame" not in path.read_bytes(), path
