"""How slow the machine is just now: promises in seconds are made for a quiet one, tests run also on busy ones.

A test asks for the program's own seconds of processor, which no neighbour changes, and for seconds on the wall times
what the same machine makes, at the same moment, of a task whose seconds of processor are known.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

QUIET = 1.3
"""Up to here a machine counts as quiet: wall over processor of the task below, 1.0 to 1.2 where nothing else runs."""


def slowness() -> float:
    """Seconds on the wall for one second of processor: of a bare interpreter that loads Flask; at least 1."""
    spent, began = children_s(), time.monotonic()
    subprocess.run([sys.executable, "-c", "import flask"], check=True)
    wall = time.monotonic() - began
    found = wall / max(children_s() - spent, 1e-3)
    return found if found > QUIET else 1.0


def is_kept(promise_s: float, took_s: float) -> bool:
    """Whether a promise in seconds was kept: outright, or by what this machine makes of a second just now.

    The pace is only asked for where it matters; a way that hangs takes longer than any of them.
    """
    return took_s < promise_s or took_s < promise_s * slowness()


def children_s() -> float:
    """Seconds of processor of all processes that were started here and have ended, theirs included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
