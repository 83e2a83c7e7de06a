"""All benchmarks of what looking costs, one after the other, in one run.

    python -m tests.benchmarks [--against FOLDER] [--film FILE --game GAME]

With ``--against`` the benchmarks of another checkout are run as well, each before this one's. ``--film`` adds the
watching of a film.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCHMARKS = (
    ("bench_cost.py",),
    ("bench_find.py", "--tables", "3"),
    ("bench_start.py",),
    ("bench_perft.py",),
    ("bench_tables.py", "30"),
    ("bench_viewers.py",),
    ("bench_memory.py", "5"),
)
"""Files and words, those that need a quiet machine last."""


def main() -> None:
    """Run them; print what each prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout of Millchen")
    parser.add_argument("--film", type=Path, metavar="FILE")
    parser.add_argument("--game", default="nine_mens_morris")
    given = parser.parse_args()
    films = [("bench_watch.py", str(given.film.resolve()), "--game", given.game)] if given.film else []
    for words in (*BENCHMARKS, *films):
        if given.against:
            _run(words, given.against.resolve())
        _run(words, ROOT)


def _run(words: tuple[str, ...], code: Path) -> None:
    print(f"\n=== {' '.join(words)}, code of {code.name}", flush=True)
    script = code / "tests" / "benchmarks" / words[0]
    if not script.is_file():
        print("this code has no such benchmark", flush=True)
        return
    env = os.environ | {"PYTHONPATH": str(code)}
    done = subprocess.run([sys.executable, str(script), *words[1:]], cwd=code, env=env, check=False)
    if done.returncode:
        print(f"it ended with status {done.returncode}", flush=True)


if __name__ == "__main__":
    main()
