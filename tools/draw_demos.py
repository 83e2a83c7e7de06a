#!/usr/bin/env python3
"""Draw the bundled demos that are no rendered scenes: whole games, played as written, on tables of `tests.synthetic`.

    python tools/draw_demos.py web/demo [GAME ...]

Every game has a winner, a mill and a foul that is put right, and the first stone falls soon. Nothing is left to chance:
the seeds choose the tables. Afterwards ``millchen watch`` must follow each to its end without a question
(``tests/web/test_front_door.py``).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the tables that tests draw

from referee.game import Game
from referee.presets import find_variant
from tests.synthetic import Scene, Script, film, random_spec

SIZE_PX = (800, 450)
FPS = 6
END_S = 3.0
"""How long the last position rests, so that the end is announced before the film is over."""


@dataclass(frozen=True)
class WrittenGame:
    """A game that is to be drawn.

    Attributes:
        seed: Of the table and its hands.
        turns: The turns in their notation, with spaces between them.
        fouls: Before which turn (1 first) which foul is committed and put right.
        rest_s: How long the table rests after a turn.
        tilt_deg: How far the camera looks aslant.
    """

    seed: int
    turns: str
    fouls: Mapping[int, str]
    rest_s: float = 1.1
    tilt_deg: float = 22.0


GAMES = {
    "tic_tac_toe": WrittenGame(2, "b2 a3 c3 a1 a2 b1 c2", {6: "two_moves"}),
    "roman_mill": WrittenGame(3, "n s ne w se e n-c s-sw ne-n w-nw se-s", {9: "not_adjacent"}),
    "moulin_rouge": WrittenGame(
        3, "i1 i7 o1 o8 m1xo8 o+ o1xi7 o7 o-xo6 i5 o+xi5 i7 o-xi7 m2 o+xm2 i6 o-xi6 i6 o+xi6", {8: "two_moves"}
    ),
    "trialectic": WrittenGame(
        5,
        "a2 c1 b5 a3 c3 b5 a1xb5 a6 b6 a6 c4 c6 b2 a5 c3 c2xc4 a6 b5 b1 b4 c6 b3xc6 b5 c5 a5 a5 b4 a2-a1xb6 c1-c2 b4-b3"
        " a1-a2xa6 a5-a4 c6-b6 a2-a1xa4 b5-b6 c5-c4 a1-a2xc3 b6-b1 b6-b1 a2-a1xb5 c2-b2 b5-b4 a1-a2xc4 b2-c2 b1-b2 "
        "a2-a1xb3 c3-c2 a1-a2xc2 c2-c1 c2-b2xc1 b1-b6 a2-a1xb6 a6-a1xa6",
        {8: "two_moves"},
        rest_s=0.8,
    ),
}


def draw(name: str, target: Path) -> str:
    """Draw the film of a game; return a line about it.

    Raises:
        RuntimeError: When the video cannot be written, or the game does not end as it should.
    """
    written = GAMES[name]
    rng = np.random.default_rng(written.seed)
    variant = find_variant(name)
    spec = random_spec(rng, variant.board, n_players=variant.players, hardness=0.05, size_px=SIZE_PX, discs="marked")
    # Without noise a picture at rest is the one before it, and the film stays small.
    placing = replace(spec.placing, tilt_deg=written.tilt_deg, fill=0.92, aside=(0.0, 0.0))
    light = replace(spec.light, gain=1.0, warmth=0.15)
    table = replace(spec.table, pattern="plain", weave=0.01)
    cloth = replace(spec.cloth, weave=0.015)
    spec = replace(spec, noise=0.0, jpeg_quality=None, placing=placing, light=light, table=table, cloth=cloth)
    turns = tuple(written.turns.split())
    script = Script(len(turns), written.fouls, fps=FPS, rest_s=written.rest_s, foul_s=3.5, end_s=END_S, turns=turns)
    path = target / f"{name}.mp4"
    out = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*"mp4v"), FPS, SIZE_PX)
    if not out.isOpened():
        raise RuntimeError("this OpenCV cannot write MPEG-4")
    n_frames = 0
    for shot in film(Scene(spec), Game.start(variant), script, rng):
        out.write(shot.frame.bgr)
        n_frames += 1
    out.release()
    if shot.game.outcome is None or shot.game.outcome.winner is None:
        raise RuntimeError(f"nobody wins {name}")
    return f"{path.name}: {n_frames / FPS:.0f} s, {path.stat().st_size / 1e6:.1f} MB"


def main() -> int:
    """Draw the demos; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, help="folder for the films")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which (default: all of {', '.join(GAMES)})")
    given = parser.parse_args()
    given.target.mkdir(parents=True, exist_ok=True)
    for name in given.games or GAMES:
        print(draw(name, given.target), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
