"""Promises in seconds: the default tests fail only for what hangs, the second itself is held where it is measured.

A test that runs with every `pytest` must not depend on how busy the machine is: `is_kept` gives it ten times the
promise, and never less than `LEAST_S`. What it defends against has to hang for longer, so such a test sets time-outs of
the code under it to a minute. Tests that are marked slow say ``exactly``; `MILLCHEN_EXACTLY=1 pytest ...` holds all
tests to the second. Exactly is outright, or times what the same machine makes, at the same moment, of a task whose
seconds of processor are known.
"""

import os
import resource
import subprocess
import sys
import time

EXACTLY = bool(os.environ.get("MILLCHEN_EXACTLY"))
"""Whether all promises are held to the second."""

PATIENCE = 10
"""How many times its promise may take what is not measured but only must not hang."""

LEAST_S = 10.0
"""So long may it take in any case: a busy machine stops a process for seconds, whatever was promised."""

GIVE_UP_S = float(os.environ.get("MILLCHEN_PATIENCE_S", "60"))
"""So long is waited for what must come; `test_mutations` takes defences away, and waits for less."""

QUIET = 1.3
"""Up to here a machine counts as quiet: wall over processor of the task below, 1.0 to 1.2 where nothing else runs."""


def slowness() -> float:
    """Seconds on the wall for one second of processor: of a bare interpreter that loads Flask; at least 1."""
    spent, began = children_s(), time.monotonic()
    subprocess.run([sys.executable, "-c", "import flask"], check=True)
    wall = time.monotonic() - began
    found = wall / max(children_s() - spent, 1e-3)
    return found if found > QUIET else 1.0


def is_kept(promise_s: float, took_s: float, exactly: bool = False) -> bool:
    """Whether a promise in seconds was kept: not hung, or, where it is measured, to the second.

    The machine's pace is only asked for where it matters.
    """
    if not (exactly or EXACTLY):
        return took_s < max(PATIENCE * promise_s, LEAST_S)
    return took_s < promise_s or took_s < promise_s * slowness()


def children_s() -> float:
    """Seconds of processor of all processes that were started here and have ended, theirs included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
