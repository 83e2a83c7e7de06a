"""Are the templates that ``millchen make`` prints found? Every board and drawing, small to large, square and turned.

python tools/finder/printed.py [--every 1] [--first 0] [--keep FOLDER]

Each template lies flat in a picture (``flat_templates``): on a scan (white all over, no grain), a table of wood and a
noisy dark cloth. Printed are the failures, and tables of what was found and of the right kind, or was said to be one of
two boards of which one is right. ``--every`` takes every so manieth picture; ``--keep`` writes those that failed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import cv2

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.simulation.printed_boards import flat_templates, verdict  # noqa: E402
from vision.detection.detect import locate  # noqa: E402
from vision.imaging.field import NotRegistered  # noqa: E402


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--every", type=int, default=1)
    ask.add_argument("--first", type=int, default=0)
    ask.add_argument("--keep", type=Path)
    given = ask.parse_args()
    cv2.setNumThreads(1)
    counts: dict[str, Counter[str]] = {}
    for flat in flat_templates(given.every, given.first):
        picture, answer = flat.picture, locate(flat.picture.bgr)
        said, board = verdict(picture, answer), picture.board
        name = f"{board.name} ({picture.drawing}, {len(board.points)} points)"
        size = f"{flat.share:.0%} of the width"
        for what in ("all", size, flat.ground, flat.turn, name, f"{size}, {flat.ground}, {flat.turn}"):
            counts.setdefault(what, Counter())[said] += 1
        if said in ("refused", "wrong"):
            words = answer.reason if isinstance(answer, NotRegistered) else f"{answer.field.board.name}"
            print(f"{flat.number:4d} {name}, {size}, {flat.ground}, {flat.turn}: {said}: {words}", flush=True)
            if given.keep:
                cv2.imwrite(str(given.keep / f"{flat.number:04d}_{board.name}_{picture.drawing}.png"), picture.bgr)
    for what, tally in counts.items():
        counts_text = ", ".join(f"{said} {n}" for said, n in tally.most_common())
        good = tally["found"] + tally["one of two"]
        print(f"{what:46}{good:4d} of {tally.total():4d} {good / tally.total():6.1%}   {counts_text}")


if __name__ == "__main__":
    main()
