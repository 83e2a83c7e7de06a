"""How long a command takes from its sending to the answer that it is written, by hand and beside a camera's eyes.

    python -m tests.benchmarks.bench_commands [commands]

Prints p50, p99 and the slowest in milliseconds: of commands at a table by hand and at the demo with its eyes, each over
HTTP with one page listening, and of one bare commit of SQLite with ``synchronous = FULL`` on the same disk in the same
run, which no acknowledged command can beat.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
PORT = 18500


def bare_commits(folder: Path, n: int) -> list[float]:
    """Milliseconds of single commits of a row of a turn's size."""
    database = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        database.execute(f"PRAGMA {pragma}").fetchall()
    database.execute("CREATE TABLE event (body TEXT)")
    took: list[float] = []
    for _ in range(n):
        began = time.perf_counter()
        database.execute("INSERT INTO event VALUES (?)", ("x" * 300,))
        took.append((time.perf_counter() - began) * 1000)
    database.close()
    return took


def ask(path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=10) as answer:
        return json.load(answer)


def commands(words: list[str], n: int) -> list[float]:
    """Milliseconds of commands that write: names, corrections of a point, and turns taken back."""
    with tempfile.TemporaryDirectory() as data:
        start = [sys.executable, str(ROOT / "millchen.py"), "--no-browser", "--port", str(PORT), "--data", data]
        process = subprocess.Popen([*start, *words], stderr=subprocess.DEVNULL)
        try:
            give_up = time.monotonic() + 60
            while True:
                try:
                    if ask("/health")["source"]["state"] == "live":
                        break
                except OSError:
                    pass
                if time.monotonic() > give_up:
                    raise SystemExit("the table did not start within a minute")
                time.sleep(0.2)
            time.sleep(2)
            listener = urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/events", timeout=60)
            connection = HTTPConnection("127.0.0.1", PORT, timeout=10)
            took: list[float] = []
            refused = 0
            for k in range(n):
                game = ask("/api/state")["game"]
                seen = {"game": game["id"], "seq": game["seq"]}
                point = game["points"][k // 2 % len(game["points"])]
                top = 0 if game["stacks"].get(point) else 1
                path, body = (
                    ("/api/names", {"names": [f"Anna {k}", "Ben"]})
                    if k % 3 == 0
                    else ("/api/correct", {"point": point, "top": top})
                )
                began = time.perf_counter()
                connection.request(
                    "POST", path, json.dumps({**body, "seen": seen}), {"Content-Type": "application/json"}
                )
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    took.append((time.perf_counter() - began) * 1000)
                else:
                    refused += 1
            listener.close()
            connection.close()
        finally:
            process.terminate()
            process.wait(20)
    print(f"  {len(took)} acknowledged, {refused} refused")
    return took


def told(label: str, took: list[float]) -> None:
    ordered = sorted(took)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"{label}: p50 {median(ordered):.1f} ms, p99 {p99:.1f} ms, slowest {ordered[-1]:.1f} ms")


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    with tempfile.TemporaryDirectory() as folder:
        told("a bare commit", bare_commits(Path(folder), n))
    told("a command by hand", commands(["--game", "nine_mens_morris", "--source", "hand"], n))
    told("a command beside the eyes", commands(["--demo", "millchen"], n))


if __name__ == "__main__":
    main()
