"""A camera that fails is noticed within seconds, holds nobody up, and leaves nothing behind (promises R11, R19)."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.broken_camera import BrokenCamera
from tests.web.pace import is_kept
from vision.capture.sources import CAMERA_TIMEOUT_MS, CameraCare, LiveCamera, SourceError
from vision.imaging.frame import Frame
from web.net.health import n_open_files

pytestmark = pytest.mark.film

ROOT = Path(__file__).parents[2]


@pytest.fixture
def camera() -> Iterator[BrokenCamera]:
    broken = BrokenCamera()
    yield broken
    broken.close()


def n_open() -> int:
    return n_open_files() or 0


@pytest.mark.parametrize("fault", ["close", "stall", "garbage", "half", "gone"])
def test_a_camera_that_fails_is_lost_within_three_seconds_and_can_be_opened_again(
    camera: BrokenCamera, fault: str
) -> None:
    n_files, n_threads = n_open(), threading.active_count()
    stale: list[float] = []
    with LiveCamera(camera.address, CameraCare(on_stale=stale.append)) as live:
        frames = iter(live)
        assert next(frames).size_px == (160, 120)
        camera.fault = fault
        failed = time.monotonic()
        for _ in frames:
            pass
        assert is_kept(3.0, time.monotonic() - failed) and CAMERA_TIMEOUT_MS < 3000
    assert bool(stale) == (fault == "stall")
    camera.fault = ""
    came_back = time.monotonic()
    while True:
        try:
            with LiveCamera(camera.address) as live:
                assert next(iter(live)).size_px == (160, 120)
            break
        except SourceError:
            assert is_kept(5.0, time.monotonic() - came_back)
    deadline = time.monotonic() + 30
    while (n_open() > n_files + 2 or threading.active_count() > n_threads + 1) and time.monotonic() < deadline:
        time.sleep(0.05)  # the camera's own side of the last call
    assert n_open() <= n_files + 2
    assert threading.active_count() <= n_threads + 1


def test_a_slow_eye_sees_the_newest_frame_and_the_others_are_dropped(camera: BrokenCamera) -> None:
    with LiveCamera(camera.address) as live:
        seen: list[Frame] = []
        behind = []
        frames = iter(live)
        while len(seen) < 6:
            n_before = live.n_pictures
            seen.append(next(frames))
            behind.append(n_before - 1 - seen[-1].sequence)
            while live.n_pictures < n_before + 6:
                time.sleep(0.01)  # vision on a slow machine: six frames come while it looks at one
    assert max(behind) <= 1  # of what had come when it asked
    assert seen[-1].sequence >= 15


def test_ctrl_c_ends_at_once_while_an_address_hangs() -> None:
    camera = BrokenCamera()
    camera.fault = "stall"
    try:
        running = subprocess.Popen(
            [sys.executable, "millchen.py", "watch", camera.address, "--game", "millchen"],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background inherit deafness
        )
        deadline = time.monotonic() + 60
        while not camera.n_callers and time.monotonic() < deadline:
            time.sleep(0.02)  # until it has called
        time.sleep(0.3)
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert is_kept(4, time.monotonic() - began)  # most of it is Python going home on two busy cores
        assert running.returncode == 130
        assert "Traceback" not in said
    finally:
        camera.close()
