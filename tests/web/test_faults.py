"""The long forms of the promises: kills, crashes, faults of cameras, soak (R1, R11, R13, R14, R19, R20).

`pytest -m slow tests/web/test_faults.py -s` prints the figures that stand in docs/PROMISES.md. The short forms are in
the tests of the parts. ``MILLCHEN_FAULTS`` multiplies how often each thing goes wrong (1 is some minutes on two cores).
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import pytest

from tests.web.broken_camera import FAULTS, BrokenCamera
from tests.web.caller import Caller, free_port
from tests.web.pace import GIVE_UP_S, children_s, slowness
from tests.web.scripted_eyes import look, write_film
from vision.imaging.frame import Frame, Image
from web import child_process
from web.game.page_state import Sight
from web.game.replay import start_record_body
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord
from web.net.health import memory_mb, n_open_files
from web.table import supervisor, vision_messages, vision_process
from web.table.live_table import LiveTable
from web.table.source_names import find_demo

ROOT = Path(__file__).parents[2]
TIMES = float(os.environ.get("MILLCHEN_FAULTS", "1"))
LONG = (
    *("d6", "d7", "b6", "g7", "mill:f6xd7", "a7", "b4", "f4", "d3", "a4", "e5", "e4", "d5", "c5", "b2", "f2", "a1"),
    *("g1",),
)  # fmt: skip

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(autouse=True)
def _spawned_eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here eyes start as they do at a real table, see `_forked_eyes`."""
    monkeypatch.setattr(child_process, "START_METHOD", "spawn")


def many(n: int) -> int:
    return max(1, round(n * TIMES))


def wait_until(is_so: Callable[[], bool], at_most_s: float, what: str) -> float:
    """Wait; how long it took."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < at_most_s, f"waited {at_most_s} s in vain: {what}"
        time.sleep(0.01)
    return time.monotonic() - began


class Program:
    """A Millchen in a process of its own, and what its page was told."""

    def __init__(self, film: Path, data: Path, port: int) -> None:
        words = [sys.executable, "-m", "tests.web.table_process", str(film), "nine_mens_morris", str(port), str(data)]
        self.process = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        self._page = Caller(port)

    def ask(self, path: str, body: Any = None) -> Any:
        """What is answered; None where it is refused or nobody answers."""
        status, told = self._page.ask(path, body)
        return told if status == 200 else None

    def end(self, number: int) -> tuple[int, str, float]:
        """Ask it to end: its status, what it said, and how long it took."""
        began = time.monotonic()
        self._page.close()
        self.process.send_signal(number)
        try:
            _, said = self.process.communicate(timeout=1.5 * GIVE_UP_S)  # loading eyes keep the terminal open
        except subprocess.TimeoutExpired:
            raise AssertionError(f"signal {number} did not end it") from None
        return self.process.returncode, said, time.monotonic() - began


def processor_s(pid: str) -> float:
    """Seconds of processor that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children_of(pid: int) -> list[str]:
    """Its children; the system keeps them with the thread that has started them."""
    return [child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]


def filmed(n: int) -> list[Image]:
    """The first pictures of the demo: an empty board, lying still."""
    film = cv2.VideoCapture(str(find_demo().video))
    pictures = [film.read()[1] for _ in range(n)]
    film.release()
    return pictures  # type: ignore[return-value]


def test_r11_every_fault_of_a_camera_is_noticed_and_mended(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "RESTART_DELAYS_S", (0.1, 0.2, 0.3))
    pictures = filmed(10)
    camera = BrokenCamera(lambda n: pictures[n % len(pictures)], fps=10)
    table = LiveTable(journal)
    table.open(camera.address, "millchen", {})
    state = lambda: table.publisher.snapshot  # noqa: E731
    slowest_lost = slowest_back = 0.0
    n_faults = 0
    try:
        wait_until(lambda: state().source.state == "live", 30, "the first picture")
        for k in range(many(2 * len(FAULTS))):
            fault = FAULTS[k % len(FAULTS)]
            n_losses = table.health()["losses"]
            camera.fault = fault
            if fault in ("size", "black"):
                time.sleep(3)
            else:
                taken = wait_until(
                    lambda n=n_losses: state().source.state != "live" or table.health()["losses"] > n, 30, fault
                )
                slowest_lost = max(slowest_lost, taken)
            camera.fault = ""
            back = wait_until(lambda: state().source.state == "live", 30, f"back after {fault}")
            slowest_back = max(slowest_back, back)
            n_faults += 1
        assert [record.kind for record in journal.records(1)] == ["start"]
        print(f"R11: {n_faults} faults, noticed in {slowest_lost:.1f} s, back in {slowest_back:.1f} s, 0 phantom moves")
    finally:
        table.close()
        camera.close()


def test_r13_eyes_that_are_killed_cost_seconds_and_no_move(tmp_path: Path, journal: Journal) -> None:
    rng = random.Random(6)
    film = write_film(tmp_path / "film.json", *LONG, pause_s=0.3)
    table = LiveTable(journal, look)
    table.open(str(film), "nine_mens_morris", {})
    slowest = 0.0
    n_kills = many(20)
    try:
        for _ in range(n_kills):
            wait_until(lambda: table.publisher.snapshot.source.state == "live", 30, "eyes")
            time.sleep(rng.random() * 2)
            starts = table.health()["starts"]
            for child in multiprocessing.active_children():
                os.kill(child.pid or 0, signal.SIGSEGV)
            wait_until(lambda n=starts: table.health()["starts"] > n, 30, "a new process")
            waited = wait_until(lambda: table.publisher.snapshot.source.state == "live", 30, "new eyes")
            slowest = max(slowest, waited)
        plies = [r.ply for r in journal.records(1) if r.kind == "turn"]
        assert plies == list(range(1, len(plies) + 1)) and len(plies) >= min(len(LONG), n_kills) // 2
        print(f"R13: {n_kills} crashes, {len(plies)} turns, they see again {slowest:.1f} s after their start at most")
    finally:
        table.close()


def soak(journal: Journal, monkeypatch: pytest.MonkeyPatch, n_frames: int) -> float:
    """Tell a table of so many frames, each with a picture; how much memory it has grown from 10 % to 100 % [MB]."""
    monkeypatch.setattr(supervisor.VisionSupervisor, "start", lambda _: None)
    table = LiveTable(journal, look)
    table.open("0", "nine_mens_morris", {})
    generation, marks = table._supervisor.generation, []
    for n in range(n_frames):
        spots = tuple((float(k + n % 7), float(k)) for k in range(24))
        sight = Sight("watching", "", spots, (n % 5 == 0,) * 24, (1280, 720), ("#a83a2c", "#8b8880"))
        table.receive(vision_messages.FrameResult((), sight, 0, (), n, n / 10, 20.0), generation)
        table.receive(vision_messages.EncodedPicture(b"\xff\xd8" + bytes(10_000)), generation)
        if n % (n_frames // 10) == n_frames // 10 - 1:
            gc.collect()
            marks.append((memory_mb() or 0.0, n_open_files(), threading.active_count()))
    table.close()
    # What is left open grows from tenth to tenth; a thread of a test before this one may come or go once.
    grown = sum(files > f or threads > t for (_, f, t), (_, files, threads) in pairwise(marks))
    assert grown <= 1, f"files or threads were left open: {marks}"
    print(f"R14: {n_frames} frames through the table, memory {marks[-1][0] - marks[0][0]:+.1f} MB from 10 % to 100 %")
    return marks[-1][0] - marks[0][0]


@pytest.mark.parametrize("n", [2000, many(50_000)])
def test_r14_hours_of_frames_leave_nothing_behind(journal: Journal, monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    assert soak(journal, monkeypatch, n) <= 5


class Endless:
    """The demo without an end, as fast as it is looked at; the clock is its own. Says what the process holds.

    The film begins again where it is over: stones vanish, fouls are called, the game is put back and played on.
    """

    fps, n_frames, is_photo_series = 10.0, None, False

    def __init__(self, pipe: Connection, n: int) -> None:
        self._pipe, self._n = pipe, n

    def __enter__(self) -> Endless:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        pass

    def __iter__(self) -> Iterator[Frame]:
        film = cv2.VideoCapture(str(find_demo().video))
        for k in range(self._n):
            is_there, bgr = film.read()
            if not is_there:
                film.set(cv2.CAP_PROP_POS_FRAMES, 0)
                _, bgr = film.read()
            if k % (self._n // 10) == self._n // 10 - 1:
                gc.collect()
                self._pipe.send((memory_mb(), n_open_files(), threading.active_count()))
            yield Frame(bgr, k / self.fps, k)  # type: ignore[arg-type]


def see_endlessly(pipe: Connection, job: vision_messages.VisionJob, n: int) -> None:
    """The eyes in their process, with an endless source."""
    cv2.setNumThreads(1)
    vision_process.open_source = lambda *_, **__: Endless(pipe, n)  # type: ignore[attr-defined, assignment]
    vision_process.run_vision(pipe, job)


def test_r14_hours_of_frames_leave_nothing_behind_in_the_eyes() -> None:
    n = many(12_000)  # a tenth of it is once through the film: until then everything happens for the first time
    start = JournalRecord(1, 1, "start", None, start_record_body("millchen", {}, "demo"), "", "hand")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    seeing = context.Process(
        target=see_endlessly, args=(theirs, vision_messages.VisionJob("", (start,)), n), daemon=True
    )
    seeing.start()
    theirs.close()
    marks: list[tuple[float, int, int]] = []
    n_events = 0
    try:
        while len(marks) < 10:
            assert ours.poll(120), "the eyes say nothing"
            message = ours.recv()
            assert not isinstance(message, vision_messages.VisionFailed), message.trace
            if isinstance(message, tuple):
                marks.append(message)
            elif isinstance(message, vision_messages.FrameResult):
                n_events += len(message.events)
    finally:
        seeing.kill()
        seeing.join()
        ours.close()
    grown = marks[-1][0] - marks[0][0]
    print(
        f"R14: {n} frames through the eyes, {n_events} events, memory {marks[0][0]:.0f} MB after 10 %, {grown:+.1f} MB "
        f"until 100 %; marks {[round(mark[0]) for mark in marks]}"
    )
    assert len({mark[1:] for mark in marks}) == 1, "files or threads were left open"
    assert grown <= 5


def test_r19_a_slow_machine_answers_and_invents_nothing(tmp_path: Path) -> None:
    pictures = filmed(10)
    camera = BrokenCamera(lambda n: pictures[n % len(pictures)], fps=25)
    port = free_port()
    words = [sys.executable, "millchen.py", "--game", "millchen", "--source", camera.address, "--port", str(port)]
    words += ["--no-browser", "--no-link", "--data", str(tmp_path)]
    running = subprocess.Popen(["taskset", "-c", "0", "nice", "-n", "5", *words], cwd=ROOT, stderr=subprocess.DEVNULL)
    slow: list[float] = []

    def ask(path: str) -> Any:
        began = time.monotonic()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                told = json.loads(answer.read())
        except OSError:
            return None
        slow.append(time.monotonic() - began)
        return told

    try:
        wait_until(lambda: (ask("/health") or {"frames": 0})["frames"] > 20, 90, "frames")
        slow.clear()
        until = time.monotonic() + 15 * TIMES
        while time.monotonic() < until:
            state = ask("/api/state")
            assert state["game"]["ply"] == 0
            time.sleep(0.2)
        slow.sort()
        print(f"R19: one core: {len(slow)} requests, p95 {1000 * slow[int(0.95 * len(slow))]:.0f} ms, 0 invented moves")
        assert slow[int(0.95 * len(slow))] < 0.5
    finally:
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=10) == 0
        camera.close()


def test_r20_it_ends_cleanly_whenever_it_is_asked_to(tmp_path: Path) -> None:
    rng = random.Random(7)
    film = write_film(tmp_path / "film.json", *LONG, pause_s=0.1)
    n_ends, port = many(20), free_port()
    walls, spent, paces, starts = [], [], [], []
    for k in range(n_ends):
        before = slowness()
        used, began = children_s(), time.monotonic()
        program = Program(film, tmp_path / f"data{k}", port)
        wait_until(lambda p=program: p.ask("/health") is not None, 90, "the page")
        starts.append(time.monotonic() - began)
        time.sleep(rng.random() * 2)
        children = children_of(program.process.pid)
        assert children
        until_now = sum(processor_s(pid) for pid in (str(program.process.pid), *children))
        number = rng.choice((signal.SIGTERM, signal.SIGINT))
        status, said, seconds = program.end(number)
        assert status == (0 if number == signal.SIGTERM else 130)
        assert "Traceback" not in said
        walls.append(seconds)
        spent.append(children_s() - used - until_now)
        wait_until(lambda c=children: not any(Path(f"/proc/{pid}").exists() for pid in c), 10, "no child is left")
        socket.create_server(("127.0.0.1", port)).close()
        paces.append(max(before, slowness()))
    late = [wall for wall, pace in zip(walls, paces, strict=True) if wall > 2.0 * pace]
    print(
        f"R20: {n_ends} ends, no child left, port free: {median(walls):.2f} s, at most {max(walls):.2f} s on a machine "
        f"{median(paces):.1f} (at most {max(paces):.1f}) times slower than quiet; processor {median(spent):.2f} s, "
        f"at most {max(spent):.2f} s; the page was there after {median(starts):.1f} s"
    )
    assert max(spent) <= 1.0
    assert late == []
