"""Hours of frames leave nothing behind (promise R14; the long form is in test_faults.py)."""

from __future__ import annotations

import gc
import threading
from itertools import pairwise

import pytest

from tests.web.scripted_eyes import look
from web.game.page_state import Sight
from web.journal.journal import Journal
from web.net.health import memory_mb, n_open_files
from web.table import supervisor, vision_messages
from web.table.live_table import LiveTable


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


@pytest.mark.slow
@pytest.mark.film
def test_frames_leave_nothing_behind(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert soak(journal, monkeypatch, 2000) <= 5
