"""How the suite runs: side by side on the cores there are, with one thread of arithmetic in each worker."""

import atexit
import gc
import getpass
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

for _library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_library, "1")  # read when numpy is loaded; programs that tests start inherit it
os.environ.setdefault("MILLCHEN_DRAWN", str(Path(tempfile.gettempdir(), f"millchen-drawn-{getpass.getuser()}")))

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # not beside the sources: for this run elsewhere, or each of the
    _folder = tempfile.mkdtemp(prefix="millchen-compiled-")  # programs that tests start would compile Millchen anew
    os.environ["PYTHONPYCACHEPREFIX"] = _folder
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)

import cv2  # noqa: E402
import pytest  # noqa: E402

_MEMORY, _ROOM_BYTES = Path("/dev/shm"), 4e9
_HAS_ROOM = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM_BYTES
if _HAS_ROOM and not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC:  # tests write programs, too
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))  # a disk lets every record of a journal wait

LONGEST = "test_the_page_plays_its_film_to_the_card_of_the_winner"
"""It begins first, as it takes the minute that its film has: at the end the other workers would wait for it."""

MOST_WORKERS = 4
"""Workers at most: beyond it promises in seconds of the page would be measured on a machine that we crowd ourselves."""

COUNTED = pytest.StashKey[subprocess.Popen[str]]()

cv2.setNumThreads(1)  # workers fill the cores already: threads within a picture would only wait for one another


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than there are cores, as half of a test's time is waiting for a page or a process.

    None with ``-s``, as nobody would see what the tests of a worker print.
    """
    if config.getoption("capture") == "no":
        return 0
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(n_cores + 1, MOST_WORKERS)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark whatever asks for a browser, or for a page in one; what is slow runs only for who says the word.

    `-m "not browser"` takes the place of the configuration's `-m "not slow"`, and would else bring the slow tests back.
    """
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
    if "slow" not in config.getoption("markexpr"):
        left_out = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    items.sort(key=lambda item: item.name != LONGEST)


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count what is found in real photographs, where `.ci/run` has seen some, beside the tests."""
    if (shared := os.environ.get("MILLCHEN_SHARED")) and not hasattr(config, "workerinput"):
        words = ["nice", sys.executable, "tools/finder/real_check.py", shared, "--only", "mills,lattice"]
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "cwd": Path(__file__).parents[1]}
        config.stash[COUNTED] = subprocess.Popen(words, text=True, **quiet)  # type: ignore[call-overload]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what was found in real photographs; no run fails by that."""
    if counting := config.stash.get(COUNTED, None):
        terminalreporter.section("real photographs")
        try:
            terminalreporter.write(counting.communicate(timeout=300)[0] or "they cannot be counted\n")
        except subprocess.TimeoutExpired:
            counting.kill()
            terminalreporter.write_line("not counted within five minutes")


def pytest_collection_finish() -> None:
    """What was loaded and collected stays until the end: the collector of garbage need not look through it again."""
    gc.collect()
    gc.freeze()
