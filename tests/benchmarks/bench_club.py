"""One demo table and four in one process: pictures a second of each, and how long an announcement takes.

    python -m tests.benchmarks.bench_club [seconds]

Prints, for one table and for four at once, what ``/health`` of each says after so many seconds of the bundled clips:
how far the clip has come in pictures a second, milliseconds of one look, and how promptly turns were announced.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from datetime import datetime
from pathlib import Path
from statistics import mean
from typing import Any

from tests.benchmarks.frame import serving

DEMOS = ("demo", "demo:trialectic", "demo:moulin_rouge", "demo")
FIRST_PORT = 18400


def run(n_tables: int, seconds: float) -> list[dict[str, Any]]:
    """What each of so many tables says of itself after a while."""
    words = [word for k in range(n_tables) for word in ("--table", f"Table {k + 1}={DEMOS[k]}")]
    with serving(words, FIRST_PORT, n_tables) as (tables, data):
        before, began = [table.ask("/health")[1] for table in tables], time.monotonic()
        time.sleep(seconds)
        after, took = [table.ask("/health")[1] for table in tables], time.monotonic() - began
        delays = announced(data / "journal.sqlite", n_tables)
    for one, old, late in zip(after, before, delays, strict=True):
        one["rate"] = (one["frames"] - old["frames"]) / took
        one["late"] = late
    return after


def announced(journal: Path, n_tables: int) -> list[list[float]]:
    """For each table, by how many seconds each turn was written later than the promptest one, by the film's clock."""
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT game, body, wall_time FROM event WHERE kind = 'turn'").fetchall()
    database.close()
    found: list[list[float]] = []
    for game in range(1, n_tables + 1):
        lags = [datetime.fromisoformat(at).timestamp() - json.loads(body)["t"] for g, body, at in rows if g == game]
        found.append(sorted(lag - min(lags) for lag in lags))
    return found


def told(label: str, tables: list[dict[str, Any]]) -> None:
    for k, one in enumerate(tables, start=1):
        late = one["late"] or [0.0]
        print(
            f"{label}, table {k}: {one['rate']:.1f} pictures/s, one look {one['step_ms']:.1f} ms, "
            f"{len(one['late'])} turns, later than the promptest by {late[len(late) // 2]:.2f} s (median), "
            f"{late[-1]:.2f} s (most)"
        )


if __name__ == "__main__":
    length = float(sys.argv[1]) if len(sys.argv) > 1 else 40.0
    one, four = run(1, length), run(4, length)
    told("one table", one)
    told("four tables", four)
    print(f"pictures a second, four against one: {mean(t['rate'] for t in four) / one[0]['rate']:.2f}")
