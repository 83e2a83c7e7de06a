"""How long a command takes from its sending to the answer that it is written, by hand and beside a camera's eyes.

    python -m tests.benchmarks.bench_commands [commands]

Prints p50, p99 and the slowest in milliseconds: of commands at a table by hand and at the demo with its eyes, each over
HTTP with one page listening, and of one bare commit of SQLite with ``synchronous = FULL`` on the same disk in the same
run, which no acknowledged command can beat.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from tests.benchmarks.frame import figures, serving

PORT = 18500


def bare_commits(folder: Path, n: int) -> list[float]:
    """Seconds of single commits of a row of a turn's size."""
    database = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        database.execute(f"PRAGMA {pragma}").fetchall()
    database.execute("CREATE TABLE event (body TEXT)")
    took: list[float] = []
    for _ in range(n):
        began = time.perf_counter()
        database.execute("INSERT INTO event VALUES (?)", ("x" * 300,))
        took.append(time.perf_counter() - began)
    database.close()
    return took


def commands(words: list[str], n: int) -> list[float]:
    """Seconds of commands that write: names, corrections of a point, and turns taken back."""
    took: list[float] = []
    with serving(words, PORT) as ((caller,), _):
        listener = urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/events", timeout=60)
        time.sleep(2)
        for k in range(n):
            game = caller.ask("/api/state")[1]["game"]
            seen = {"game": game["id"], "seq": game["seq"]}
            point = game["points"][k // 2 % len(game["points"])]
            path, body = "/api/correct", {"point": point, "top": 0 if game["stacks"].get(point) else 1}
            if k % 3 == 0:
                path, body = "/api/names", {"names": [f"Anna {k}", "Ben"]}
            began = time.perf_counter()
            status, _ = caller.ask(path, {**body, "seen": seen})
            took += [time.perf_counter() - began] * (status == 200)
        listener.close()
    print(f"  {len(took)} acknowledged, {n - len(took)} refused")
    return took


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    with tempfile.TemporaryDirectory() as folder:
        print(figures("a bare commit", bare_commits(Path(folder), n)))
    print(figures("a command by hand", commands(["--game", "nine_mens_morris", "--source", "hand"], n)))
    print(figures("a command beside the eyes", commands(["--demo", "millchen"], n)))


if __name__ == "__main__":
    main()
