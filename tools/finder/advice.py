"""Is the reason for a refusal right? Boards are cut off, covered, folded, darkened, blurred and shrunk.

python tools/finder/advice.py [--pictures 60] [--first 0] [--seed 121000] [--only cut,folded] [--boardless]

Prints what was said of each picture, and for each cause how many boards were found all the same, right or wrong, and
of the refusals how many named what was wrong, how many gave the general advice, and how many named something else. A
board that is cut off must be refused with the right side. With ``--boardless`` the pictures show things that are no
board, of all kinds in turn: printed is how many are called one, with what is said of the others (nothing special
should be said but that they have many lines, or are dim), by kind, and the seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import cv2
import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from drawn_cases import SIZES, is_right  # noqa: E402 - found beside this file

from languages import Message, message  # noqa: E402
from tests.simulation.play import wilson  # noqa: E402
from tests.synthetic.boardless import COUNTED, boardless  # noqa: E402
from tests.synthetic.refused import CAUSES, Refused, refused  # noqa: E402
from vision.detection.detect import locate  # noqa: E402
from vision.imaging.field import NotRegistered, Registration  # noqa: E402

CAUSE_OF = {
    "sight.outside": "cut", "sight.too_close": "cut", "sight.hidden": "covered", "sight.covered": "covered",
    "sight.folded": "folded", "sight.dim": "dark", "sight.dark": "dark", "sight.blurred": "blurred",
    "sight.small": "small",
}  # fmt: skip
"""The cause that a sentence names, by its key; all others are general."""


def verdict(drawn: Refused, answer: Registration | NotRegistered) -> str:
    """Return "found", "wrong board", "right", "general" or "wrong"."""
    if isinstance(answer, Registration):
        return "found" if is_right(answer, drawn.board, drawn.points_px) else "wrong board"
    assert isinstance(answer.reason, Message)
    named = CAUSE_OF.get(answer.reason.key)
    if named is None:
        return "general"
    side = not drawn.side or str(message(f"cut.side.{drawn.side}")) in answer.reason
    return "right" if named == drawn.cause and side else "wrong"


def count_boardless(seed: int, first: int, n_pictures: int) -> None:
    """Print what is said of pictures without a board, and how many are called one."""
    said: dict[str, Counter[str]] = defaultdict(Counter)
    seconds = []
    for number in range(first, first + n_pictures):
        kind = COUNTED[number % len(COUNTED)]
        bgr = boardless(np.random.default_rng([seed, number]), kind, size_px=SIZES[number // len(COUNTED) % len(SIZES)])
        start = time.process_time()
        answer = locate(bgr)
        seconds.append(time.process_time() - start)
        if isinstance(answer, Registration):
            key, words = "called a board", f"{answer.field.board.name} {answer.confidence:.3f}  <-"
        else:
            assert isinstance(answer.reason, Message)
            key, words = CAUSE_OF.get(answer.reason.key, "general"), answer.reason
        said[kind][key] += 1
        print(f"{number:4d} {kind:18} {seconds[-1]:5.2f} s  {words}", flush=True)
    for kind, counts in said.items():
        print(f"{kind:18}", ", ".join(f"{key} {n}" for key, n in counts.most_common()))
    of_all = sum(said.values(), Counter[str]())
    print(f"called a board: {wilson(of_all['called a board'], of_all.total())}")
    print("said of the others:", ", ".join(f"{key} {n}" for key, n in of_all.most_common() if key != "called a board"))
    print(f"processor time: p50 {np.percentile(seconds, 50):.2f} s, p95 {np.percentile(seconds, 95):.2f} s")


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--pictures", type=int, default=60)
    ask.add_argument("--first", type=int, default=0)
    ask.add_argument("--seed", type=int, default=121000)
    ask.add_argument("--only", default=",".join(CAUSES))
    ask.add_argument("--boardless", action="store_true")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    if given.boardless:
        count_boardless(given.seed, given.first, given.pictures)
        return
    table: dict[str, Counter[str]] = {cause: Counter() for cause in given.only.split(",")}
    for number in range(given.first, given.first + given.pictures):
        cause = list(CAUSES)[number % len(CAUSES)]
        if cause not in table:
            continue
        drawn = refused(given.seed, number)
        answer = locate(drawn.bgr)
        table[cause][verdict(drawn, answer)] += 1
        words = answer.reason if isinstance(answer, NotRegistered) else f"found at {answer.confidence:.2f}"
        print(f"{number} {drawn.what}: {verdict(drawn, answer)}: {words}", flush=True)
    print(f"{'cause':10}{'found':>8}{'wrong board':>13}{'right':>8}{'general':>9}{'wrong':>7}")
    for cause, counts in table.items():
        row = [counts[name] for name in ("found", "wrong board", "right", "general", "wrong")]
        print(f"{cause:10}{row[0]:8}{row[1]:13}{row[2]:8}{row[3]:9}{row[4]:7}")
    n_right = sum(counts["right"] for counts in table.values())
    n_refused = sum(sum(counts.values()) - counts["found"] for counts in table.values())
    print(f"right cause named in {n_right} of {n_refused} that were not found right")


if __name__ == "__main__":
    main()
