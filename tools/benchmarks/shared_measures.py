"""What benchmarks share: the processor's time of a command, one that serves a table, and one row of figures."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tests.web.caller import Caller

ROOT = Path(__file__).parents[2]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"), "1") | {
    "OPENCV_FFMPEG_THREADS": "1"
}
START_S = 60.0


def processor_s(words: Sequence[str], **env: str) -> tuple[float, str]:
    """Seconds of the processor that a command takes on one thread, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        words, cwd=ROOT, env=os.environ | ONE_THREAD | env, stdout=subprocess.PIPE, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


@contextmanager
def serving(words: Sequence[str], port: int) -> Iterator[Caller]:
    """Run ``millchen WORDS`` until its table is live, for a caller of it."""
    with tempfile.TemporaryDirectory() as data:
        start = [sys.executable, str(ROOT / "millchen.py"), "--no-browser", "--no-link", "--port", str(port)]
        process = subprocess.Popen([*start, "--data", data, *words], stderr=subprocess.DEVNULL)
        caller = Caller(port)
        try:
            wait_until_live(caller)
            yield caller
        finally:
            caller.close()
            process.terminate()
            process.wait(30)


def wait_until_live(caller: Caller) -> None:
    """Wait until the table sees."""
    give_up = time.monotonic() + START_S
    while (answer := caller.ask("/health")[1]) is None or answer["source"]["state"] != "live":
        if time.monotonic() > give_up:
            raise SystemExit(f"the table did not start within {START_S:.0f} s")
        time.sleep(0.2)


def figures(name: str, times_s: Sequence[float]) -> str:
    """How long something took, in milliseconds."""
    p50, p95, p99, most = 1000 * np.percentile(times_s, [50, 95, 99, 100])
    return f"{name}: n {len(times_s)}, p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms, most {most:.1f} ms"
