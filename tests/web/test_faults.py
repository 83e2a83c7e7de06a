"""Hours at the table, in minutes: what they leave behind (promise R14), and a program that tests start and end.

`pytest -m slow tests/web/test_faults.py -s` prints the figures. ``MILLCHEN_FAULTS`` multiplies how much is asked.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.boards import boards_for
from referee.presets import find_variant
from tests.web.caller import Caller
from tests.web.pace import GIVE_UP_S
from tests.web.scripted_eyes import look
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import TableSetup, start
from web import child_process
from web.game.page_state import Sight
from web.journal.journal import Journal
from web.net.health import memory_mb, n_open_files
from web.table import supervisor, vision_messages
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


@pytest.mark.parametrize("n_frames", [2000, many(50_000)])
def test_r14_hours_of_frames_leave_nothing_behind(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, n_frames: int
) -> None:
    """Each frame comes with a picture."""
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
    assert marks[-1][0] - marks[0][0] <= 5


def test_hours_of_frames_leave_nothing_behind_in_the_eyes() -> None:
    """The demo again and again: stones vanish, fouls are called, the game is put back and played on."""
    clip, n, marks = find_demo(), many(12_000), []
    variant = find_variant(clip.game)
    table = TableSetup(variant, boards_for(variant))
    state, film = start(table), cv2.VideoCapture(str(clip.video))
    for k in range(n):  # a tenth of it is once through the film: until then everything happens for the first time
        is_there, bgr = film.read()
        if not is_there:
            film.set(cv2.CAP_PROP_POS_FRAMES, 0)
            _, bgr = film.read()
        state, _ = step(state, Frame(np.asarray(bgr, np.uint8), k / 10, k), table)
        if k % (n // 10) == n // 10 - 1:
            gc.collect()
            marks.append(memory_mb() or 0.0)
    print(f"R14: {n} frames through vision, memory {marks[-1] - marks[0]:+.1f} MB from 10 % to 100 %")
    assert marks[-1] - marks[0] <= 5
