"""Processes: a Millchen of its own, with one package changed; and whether one has ended."""

import io
import multiprocessing
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from millchen import main

ROOT = Path(__file__).parents[1]


def copy_of(package: str, folder: Path) -> Path:
    """A copy of a package, in which a test lays its files; run in ``folder`` it stands before the real one."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(ROOT / package, folder / package, ignore=ignored))


def is_gone(pid: int) -> bool:
    """Whether a process has ended; leave is taken of those that were started here."""
    multiprocessing.active_children()
    stat = Path(f"/proc/{pid}/stat")
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    return True


def said_by_command(*words: object) -> tuple[int, str, str]:
    """The exit status of ``millchen``, and what was said on both ways."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:
            status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()


def printed(folder: Path, module: str, *words: str, given: str = "") -> str:
    """What ``python -m module`` prints with the packages of ``folder`` before the real ones."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words], cwd=folder, input=given, capture_output=True, text=True, timeout=240,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
