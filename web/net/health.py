"""How the program itself is: what `/health` adds to the counters of the table."""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

FIRST_SAFE_SQLITE = (3, 51, 3)
"""Older ones may corrupt a file that two connections write or checkpoint at once; here one connection writes."""


def process_health(began_s: float) -> dict[str, Any]:
    """Versions, memory and threads of this process.

    Parameters
    ----------
    began_s : float
        When it was started, by the monotonic clock.
    """
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
    """The version that is installed; "source" when it runs out of a folder."""
    try:
        return version("millchen")
    except PackageNotFoundError:
        return "source"


def memory_mb() -> float | None:
    """Memory that this process holds, in MB; None where the system does not say."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return round(int(line.split()[1]) / 1024, 1)
    except (OSError, ValueError):
        return None
    return None


def n_open_files() -> int | None:
    """Files and sockets that this process has open; None where the system does not say."""
    try:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:
        return None
