"""The state of this process, which ``/health`` reports beside the counters of the table."""

from __future__ import annotations

import ctypes
import sqlite3
import sys
import threading
import time
import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

FIRST_SAFE_SQLITE = (3, 51, 3)
"""First version of SQLite in which two connections that write at once cannot corrupt a file; Millchen has one,
so older versions are only reported. Source: SQLite documentation, write-ahead log."""

_M_MMAP_THRESHOLD, _LARGE_BYTES = -3, 128 * 1024  # mallopt's number of that limit, and its value at the start

PROJECT_FILE = Path(__file__).parents[2] / "pyproject.toml"
"""The project file of a checkout; it is newer than what was once installed from it."""


def process_health(began_s: float) -> dict[str, Any]:
    """Return versions, memory, threads and open files of this process, which began at a monotonic time, as JSON."""
    return {
        "version": millchen_version(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "sqlite": sqlite3.sqlite_version,
        "uptime_s": round(time.monotonic() - began_s, 1),
        "memory_mb": memory_mb(),
        "threads": threading.active_count(),
        "files": n_open_files(),
    }


def millchen_version() -> str:
    """Return the version of the package; in a checkout, installed or not, the one that its project file says."""
    if PROJECT_FILE.is_file():
        project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8")).get("project", {})
        if project.get("name") == "millchen":
            return str(project["version"])
    try:
        return version("millchen")
    except PackageNotFoundError:
        return "unknown"


def memory_mb() -> float | None:
    """Return the resident memory of this process in MB; None where the system does not report it."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return round(int(status.partition("VmRSS:")[2].split()[0]) / 1024, 1)
    except (OSError, ValueError, IndexError):
        return None


def give_large_memory_back() -> None:
    """Have the C library give large pieces of memory back to the system when they are free, not keep them by thread.

    It learns otherwise from the first picture that somebody sends: 16 threads then keep 8 MB each. Source: mallopt(3).
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def n_open_files() -> int | None:
    """Return how many files and sockets this process has open; None where the system does not report it."""
    try:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:
        return None
