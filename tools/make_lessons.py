"""Makes the lessons of every game, or of those that are named, and prints how many there are of each kind.

Run ``python -m tools.make_lessons [GAME ...] [--positions N] [--seed N] [--write]``; with ``--write`` they are kept in
``referee/search/lessons.json``, in the place of those of the same games.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from referee.presets import PRESETS
from referee.search import lessons
from referee.search.lessons import KINDS, Lesson, find_lessons

KEPT = Path(lessons.__file__).with_name("lessons.json")


def as_json(lesson: Lesson) -> dict[str, object]:
    """What is kept of a lesson: all but the name of its game, and what is not as usual."""
    usual = Lesson("", "", "", "", ())._asdict()
    said = lesson._asdict() | {"game": ""}
    return {name: value for name, value in said.items() if value != usual[name]}


def main() -> None:
    """Find the lessons, print their numbers, and keep them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--positions", type=int, default=4000, help="positions of games that are looked at")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="keep them")
    asked = parser.parse_args()
    unknown = [game for game in asked.games if game not in PRESETS]
    if unknown:
        parser.error(f"no game {unknown[0]!r}")
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    print(f"{'game':20}{''.join(f'{kind:>13}' for kind in KINDS)}{'stones':>9}{'seconds':>9}")
    for game in asked.games or PRESETS:
        variant, began = PRESETS[game].variant, time.perf_counter()
        found = find_lessons(variant, asked.seed, asked.positions)
        n_of = Counter(lesson.kind for lesson in found)
        stones = [lesson.n_stones(variant) for lesson in found]
        numbers = "".join(f"{n_of[kind]:13}" for kind in KINDS)
        most = f"{min(stones)}-{max(stones)}" if stones else ""
        print(f"{game:20}{numbers}{most:>9}{time.perf_counter() - began:9.1f}", flush=True)
        kept[game] = [as_json(lesson) for lesson in found]
        if asked.write:
            ordered = {name: kept[name] for name in PRESETS if name in kept}
            lines = ",\n".join(
                f' "{name}": [\n' + ",\n".join(f"  {json.dumps(one)}" for one in ordered[name]) + "\n ]"
                for name in ordered
            )
            KEPT.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
