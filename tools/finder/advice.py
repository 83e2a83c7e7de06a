"""Is the reason for a refusal right? Tables are cut, covered, dimmed, blurred and shrunk until they are refused.

python tools/finder/advice.py [--tables 16] [--only cut,hand]

Prints, for each thing that was done, how many boards were found all the same, and of the refusals how many named
what was done, how many gave the general advice, and how many named something else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from drawn_cases import covered, cut, picture  # noqa: E402
from sweep import mild  # noqa: E402 - found beside this file

from tests.synthetic import Scene  # noqa: E402
from tests.synthetic.boardless import KINDS, boardless  # noqa: E402
from vision.detection.detect import locate  # noqa: E402
from vision.imaging.field import Registration  # noqa: E402
from vision.imaging.frame import Image  # noqa: E402

GENERAL = "show the whole board"

Made = tuple[Image, tuple[str, ...]]
"""A picture, and words one of which a right reason has."""


def _seen(number: int, rng: np.random.Generator, *, hand: bool = False) -> tuple[Image, NDArray[np.float64]]:
    return picture(Scene(mild(number)), rng, hand=hand)


def _cut(number: int, rng: np.random.Generator) -> Made:
    bgr, _, side = cut(*_seen(number, rng), rng)
    return bgr, (f"{side} ",)


def _hand(number: int, rng: np.random.Generator) -> Made:
    return _seen(number, rng, hand=True)[0], ("a hand",)


def _sheets(number: int, rng: np.random.Generator) -> Made:
    bgr, points_px = _seen(number, rng)
    return covered(bgr, points_px, 0.4, rng), ("hides",)


def _dim(number: int, rng: np.random.Generator) -> Made:
    return np.round(_seen(number, rng)[0] * 0.1).astype(np.uint8), ("dim", "dark")


def _blurred(number: int, rng: np.random.Generator) -> Made:
    return np.asarray(cv2.GaussianBlur(_seen(number, rng)[0], (0, 0), 7.0), np.uint8), ("blurred",)


def _small(number: int, rng: np.random.Generator) -> Made:
    spec = mild(number)
    return picture(Scene(replace(spec, placing=replace(spec.placing, fill=0.12))), rng)[0], ("small",)


def _boardless(number: int, rng: np.random.Generator) -> Made:
    return boardless(rng, list(KINDS)[number % len(KINDS)]), (GENERAL, "many lines")


DONE: dict[str, Callable[[int, np.random.Generator], Made]] = {
    "cut": _cut, "hand": _hand, "sheets": _sheets, "dim": _dim, "blurred": _blurred, "small": _small,
    "boardless": _boardless,
}  # fmt: skip


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--tables", type=int, default=16)
    ask.add_argument("--only", default=",".join(DONE))
    given = ask.parse_args()
    cv2.setNumThreads(1)
    for name in given.only.split(","):
        found, right, general, wrong = 0, 0, 0, []
        for number in range(given.tables):
            rng = np.random.default_rng([number, 80])
            bgr, words = DONE[name](number, rng)
            noisy = np.clip(bgr + rng.normal(0, 2, bgr.shape), 0, 255).astype(np.uint8)
            answer = locate(noisy)
            if isinstance(answer, Registration):
                found += 1
            elif any(word in answer.reason for word in words):
                right += 1
            elif GENERAL in answer.reason:
                general += 1
            else:
                wrong.append(f"{number}: {answer.reason}")
        print(f"{name}: found {found}, reason right {right}, general {general}, wrong {len(wrong)}", flush=True)
        for line in wrong:
            print("   ", line)


if __name__ == "__main__":
    main()
