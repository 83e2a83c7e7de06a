"""Hours at the table, in minutes: what they leave behind (promise R14), and a program that tests start and end.

`pytest -m slow tests/web/test_faults.py -s` prints the figures. ``MILLCHEN_FAULTS`` multiplies how much is asked.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cv2
import pytest

from tests.web.caller import Caller
from tests.web.pace import GIVE_UP_S
from tests.web.scripted_eyes import look
from vision.imaging.frame import Frame
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

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(autouse=True)
def _spawned_eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here eyes start as they do at a real table, see `_forked_eyes`."""
    monkeypatch.setattr(child_process, "START_METHOD", "spawn")


def many(n: int) -> int:
    return max(1, round(n * TIMES))


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


def soak(journal: Journal, monkeypatch: pytest.MonkeyPatch, n_frames: int) -> float:
    """Tell a table of so many frames, each with a picture; how much memory it has grown from 10 % to 100 % [MB]."""
    monkeypatch.setattr(supervisor.VisionSupervisor, "start", lambda _: None)
    table = LiveTable(journal, look)
    table.open("0", "nine_mens_morris", {})
    generation, marks = table.camera.supervisor.generation, []
    for n in range(n_frames):
        spots = tuple((float(k + n % 7), float(k)) for k in range(24))
        sight = Sight("watching", "", spots, (n % 5 == 0,) * 24, (1280, 720), ("#a83a2c", "#8b8880"))
        table.camera.receive(vision_messages.FrameResult((), sight, 0, (), n, n / 10, 20.0), generation)
        table.camera.receive(vision_messages.EncodedPicture(b"\xff\xd8" + bytes(10_000)), generation)
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
