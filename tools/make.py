#!/usr/bin/env python3
"""Make a shipped file of weights, coefficients or values anew: its data first, then the file itself.

    python tools/make.py tall_patches.onnx MADE --stills SCENES/stills --clips SCENES/clips
    python tools/make.py board_maps.onnx MADE --share 0.01        # the same in small, to see that it runs

MADE is a folder for the data and for what is made; nothing shipped is replaced. README.md beside this file says what
there is to make, from which data, and how long it takes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

MAPS = """
tools/finder/map_lessons.py {made}/drawn --tables 0 {2000}
tools/finder/map_lessons.py {made}/discs --tables 0 {300} --boards moulin_rouge
tools/finder/map_lessons.py {made}/rendered --stills {stills}
tools/finder/map_network.py train {made} {made}/drawn {made}/drawn {made}/drawn {made}/rendered {made}/rendered
    {made}/discs --steps {17000}
tools/finder/map_network.py export {made}/first.onnx {made}
tools/finder/map_network.py train {made}/again {made}/drawn {made}/drawn {made}/drawn {made}/rendered {made}/rendered
    {made}/discs --from {made}/first.onnx --again 0 6e-4 --steps {6500}
tools/finder/map_network.py export {made}/board_maps.onnx {made}/again
"""

POINTS = """
tools/readers/point_lessons.py stills {made}/stills.pkl {stills}
tools/readers/point_lessons.py laid {made}/laid.pkl 0 {500} {stills}
tools/readers/point_lessons.py drawn {made}/drawn.pkl 1000 {500}
tools/readers/point_network.py train {made} {made}/stills.pkl:0.4 {made}/laid.pkl:0.2 {made}/drawn.pkl:0.2
    --steps {9000}
tools/readers/point_network.py export {made}/point_looks.onnx {made}
tools/readers/point_network.py export {made}/points_compared.onnx {made}
"""

TALL = """
tools/readers/lay.py tall 0 {3600} {made}/tall.npz {stills}
tools/readers/lay.py towers {made}/towers.npz {stills}
tools/readers/tall_network.py train {made}/tall {made}/tall.npz {made}/towers.npz --steps {23300}
tools/readers/tall_network.py export {made}/tall_patches.onnx {made}/tall
"""

STRIPS = """
tools/readers/strips.py lay 0 {1500} {made}/laid.pkl {stills}
tools/readers/strips.py cut {made}/cut.pkl {stills}
tools/readers/strips.py train {made}/strips {made}/laid.pkl {made}/cut.pkl --steps {47500}
tools/readers/strips.py export {made}/strips.onnx {made}/strips
"""

MIXTURE = "tools/readers/fit_mixture.py fit {made}/board_mixture.json {stills}"

CONFIDENCE = "tools/finder/fit.py --write {made}"

FUSION = """
-m tools.evidence.collect {made}/drawn.npz --drawn {40} --seed 61000
-m tools.evidence.collect {made}/held.npz --drawn-series {40} --seed 63000
-m tools.evidence.collect {made}/films.npz --folders {clips} --seed 62000
-m tools.evidence.fit_fusion {made}/drawn.npz {made}/held.npz {made}/films.npz --folds 5 --write {made}
"""

SIX = "tools/solve_game.py six_mens_morris --write {made}/six_mens_morris.table"

SIX_FLYING = "tools/solve_game.py six_mens_morris fly=own --write {made}/six_mens_morris_flying.table"

RECIPES = {
    "board_maps.onnx": MAPS,
    "point_looks.onnx": POINTS,
    "points_compared.onnx": POINTS,
    "tall_patches.onnx": TALL,
    "strips.onnx": STRIPS,
    "board_mixture.json": MIXTURE,
    "confidence.json": CONFIDENCE,
    "fusion.json": FUSION,
    "six_mens_morris.table": SIX,
    "six_mens_morris_flying.table": SIX_FLYING,
}
"""Commands by the file that they make; numbers in braces count lessons and steps, and become fewer with ``--share``."""


def commands(recipe: str, made: str, stills: list[str], clips: list[str], share: float) -> list[list[str]]:
    """The arguments of Python for every command of a recipe, one after the other."""
    out = []
    for line in re.sub(r"\n +", " ", recipe).strip().splitlines():
        words = []
        for word in line.split():
            folders = {"{stills}": stills, "{clips}": clips}.get(word)
            count = re.fullmatch(r"\{(\d+)\}", word)
            if folders is not None:
                words += folders
            else:
                words.append(str(max(2, round(share * int(count[1])))) if count else word.replace("{made}", made))
        out.append(words)
    return out


def main() -> None:
    """Run the commands of one recipe."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("file", choices=sorted(RECIPES))
    ask.add_argument("made", type=Path, help="folder for the data and for what is made")
    ask.add_argument("--stills", nargs="*", default=[], help="folders of rendered stills with their truth")
    ask.add_argument("--clips", nargs="*", default=[], help="folders of rendered clips with their truth")
    ask.add_argument("--share", type=float, default=1.0, help="of all lessons and steps; the steps stay in proportion")
    ask.add_argument("--from", type=int, default=1, dest="first", metavar="N", help="begin with the Nth command")
    given = ask.parse_args()
    given.made.mkdir(parents=True, exist_ok=True)
    place = {**os.environ, "PYTHONPATH": str(ROOT)}
    stills, clips = ([str(Path(folder).resolve()) for folder in some] for some in (given.stills, given.clips))
    todo = commands(RECIPES[given.file], str(given.made.resolve()), stills, clips, given.share)
    for n, words in list(enumerate(todo, 1))[given.first - 1 :]:
        print(f"{n} of {len(todo)}: python", *words, flush=True)
        if subprocess.run([sys.executable, *words], cwd=ROOT, env=place, check=False).returncode:
            sys.exit(f"command {n} failed; --from {n} goes on with it")


if __name__ == "__main__":
    main()
