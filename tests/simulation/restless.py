"""Games filmed through restless cameras, watched by two states of the code in one run.

    python -m tests.simulation.restless --films 8 --seed 0 --keep FOLDER --against CHECKOUT

Every film is drawn once and taken at each level (``camera.restless_camera``; 0 is a good camera), kept as a file in
FOLDER, and watched as ``millchen watch`` does. Half of the tables are of grained wood in dim light. A second line of a
film says what another checkout makes of the same file.

    python -m tests.simulation.restless --walkers 10 --levels 2

watches an empty table for ten minutes while people walk by behind it, and prints what was said and how often the board
was looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import tee
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.events import Event
from referee.game import Game
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.simulation import play
from tests.simulation.camera import View, filmed, restless_camera
from tests.simulation.play import Result, judge, wilson
from tests.synthetic import Hand, Scene, Script, Shot, film, random_spec, stacks_of
from tests.synthetic.film import ANY_FOUL
from tests.synthetic.foul import KINDS_OF_DISCS, KINDS_OF_TOWERS
from vision.imaging.frame import Frame, Image
from vision.watching.state import Watched

ROOT = Path(__file__).resolve().parents[2]

GAMES = ("trialectic", "moulin_rouge", "millchen", "trialectic", "moulin_rouge", "nine_mens_morris")
"""By turns."""

CODECS = {0: ("avi", "MJPG"), 1: ("mp4", "mp4v"), 2: ("mp4", "mp4v")}
"""How the films of each level are written; MPEG-4 at OpenCV's default rate."""

RESTS_S = (0.8, 2.2)
N_TURNS = 12
SIZE_PX = (960, 540)
EMPTY = stacks_of((0,) * len(NINE_MENS_MORRIS.points))


def shots_of(seed: int) -> tuple[Game, Iterator[Shot]]:
    """A game on a table of its own; the same seed gives the same film."""
    name, rng = GAMES[seed % len(GAMES)], np.random.default_rng((seed, 9))
    variant = find_variant(name, players=2, fields=8) if name == "moulin_rouge" else find_variant(name)
    game = Game.start(variant)
    spec = random_spec(rng, variant.board, n_players=variant.players, hardness=0.35, size_px=SIZE_PX)
    if seed % 2 == 0:
        wood = replace(spec.table, pattern="wood", weave=float(rng.uniform(0.06, 0.12)))
        dim = replace(spec.light, gain=spec.light.gain * float(rng.uniform(0.5, 0.9)))
        spec = replace(spec, table=wood, light=dim)
    kinds = {"trialectic": KINDS_OF_TOWERS, "moulin_rouge": KINDS_OF_DISCS}.get(name, (ANY_FOUL,))
    fouls = {int(rng.integers(5, N_TURNS)): str(rng.choice(kinds))}
    camera = restless_camera(seed, 0)
    script = Script(N_TURNS, fouls, fps=camera.fps, rests_s=RESTS_S, turning=0.3, end_s=2.5)
    return game, film(Scene(spec), game, script, rng)


def draw(seed: int, levels: tuple[int, ...], folder: Path) -> None:
    """Film a game at several levels, each into a file, and its truth besides; what is there already stays."""
    truth = folder / f"{seed}.truth"
    if truth.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    game, shots = shots_of(seed)
    kept = list[Shot]()

    def views() -> Iterator[View]:
        before: tuple[int, ...] = ()
        for shot in shots:
            heights = shot.truth.heights
            kept.append(replace(shot, frame=Frame(shot.frame.bgr[:0].copy(), shot.frame.time_s, len(kept))))
            yield View(shot.frame.bgr, bool(before) and heights != before)
            before = heights

    writers = {level: _writer(file_of(seed, level, folder)) for level in levels}
    streams = zip(levels, tee(views(), len(levels)), strict=True)
    for taken in zip(*(filmed(own, restless_camera(seed, level)) for level, own in streams), strict=True):
        for level, frame in zip(levels, taken, strict=True):
            writers[level].write(frame.bgr)
    for writer in writers.values():
        writer.release()
    truth.write_bytes(pickle.dumps((game, kept)))


def file_of(seed: int, level: int, folder: Path) -> Path:
    return folder / f"{seed}.level{level}.{CODECS[level][0]}"


def _writer(path: Path) -> cv2.VideoWriter:
    codec = next(codec for suffix, codec in CODECS.values() if path.suffix == f".{suffix}")
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), restless_camera(0, 0).fps, SIZE_PX)
    if not writer.isOpened():
        raise RuntimeError(f"OpenCV cannot write {path}")
    return writer


def watched(seed: int, level: int, folder: Path) -> dict[str, Any]:
    """What the referee makes of a film, and how often it looks at the board while no hand is over it."""
    game, kept = pickle.loads((folder / f"{seed}.truth").read_bytes())
    source = cv2.VideoCapture(str(file_of(seed, level, folder)))
    looks, at_rest = 0, 0
    step, handed = play.step, False

    def counted(state: Any, frame: Frame, table: Any) -> Any:
        nonlocal looks, at_rest
        after, events = step(state, frame, table)
        if isinstance(after, Watched) and not handed:
            looks, at_rest = looks + (after.looked_s == frame.time_s), at_rest + 1
        return after, events

    def shots() -> Iterator[Shot]:
        nonlocal handed
        for shot in kept:
            bgr = source.read()[1]
            handed = shot.hand
            yield replace(shot, frame=Frame(np.asarray(bgr, np.uint8), shot.frame.time_s, shot.frame.sequence))

    play.step = counted  # type: ignore[assignment]
    try:
        result = judge(shots(), game, seed)
    finally:
        play.step = step
    return figures(result) | {"looks": looks, "rest_s": at_rest / restless_camera(0, 0).fps, "said": result.said}


def walked_by(seed: int, level: int, seconds: float) -> Iterator[Frame]:
    """An empty table behind which somebody in a dark jacket walks to and fro, after three seconds of nobody."""
    scene = _empty_table(seed)
    bare, _ = scene.render(EMPTY, rng=np.random.default_rng(seed))
    room_px = int(scene.points_px()[:, 1].min()) - 80
    assert room_px > 50, "there is no room behind this board"

    def picture(k: int) -> Image:
        bgr, x = bare.copy(), 9 * (k - 60) % (SIZE_PX[0] + 300) - 150
        if k > 60:
            cv2.rectangle(bgr, (x - 70, 0), (x + 70, room_px - 10 * (k // 5 % 2)), (60, 40, 50), cv2.FILLED)
        return bgr

    yield from _filmed(picture, seed, level, seconds)


def fiddled_at(seed: int, level: int, seconds: float) -> Iterator[Frame]:
    """An empty table over a corner of which a hand fiddles, after 1.2 seconds of nobody."""
    scene, rng = _empty_table(seed), np.random.default_rng(seed)

    def picture(k: int) -> Image:
        x, y = rng.normal((0.05, 0.95), 0.02)
        return scene.render(EMPTY, rng=rng, hand=Hand((float(x), float(y)), from_deg=-20) if k > 24 else None)[0]

    yield from _filmed(picture, seed, level, seconds)


def _empty_table(seed: int) -> Scene:
    return Scene(random_spec(np.random.default_rng(seed), NINE_MENS_MORRIS, hardness=0.2, size_px=SIZE_PX))


def _filmed(picture: Callable[[int], Image], seed: int, level: int, seconds: float) -> Iterator[Frame]:
    camera = restless_camera(seed, level)
    views = (View(picture(k)) for k in range(round(seconds * camera.fps)))
    for number, taken in enumerate(filmed(views, camera)):
        yield Frame(taken.bgr, taken.time_s, number)


def looks_at_empty_table(frames: Iterator[Frame]) -> tuple[list[Event], dict[float, bool]]:
    """All events, and by time whether the board was looked at, from the frame on in which it was found.

    A look is a reading of the board, and for a table that was understood also a frame that shows that nothing has
    touched it since: ``State.looked_s`` says both.
    """
    variant = find_variant("nine_mens_morris")
    table, events, looked = play.table_of(variant), list[Event](), dict[float, bool]()
    state = play.start(table)
    for frame in frames:
        state, said = play.step(state, frame, table)
        events += said
        if isinstance(state, Watched):
            looked[frame.time_s] = state.looked_s == frame.time_s
    return events, looked


def figures(result: Result) -> dict[str, Any]:
    counted = ("turns", "right", "announced", "exact", "fouls", "caught", "false_accusations", "questions", "found")
    return {name: getattr(result, name) for name in (*counted, "under_hand", "waits_s", "seconds", "missed")}


def line(name: str, of: list[dict[str, Any]]) -> str:
    """The figures of one film or of several."""
    total = {k: sum(one[k] for one in of) for k in of[0] if isinstance(of[0][k], int | float)}
    waits = sorted(wait for one in of for wait in one["waits_s"])
    p50, p95 = (waits[int(q * (len(waits) - 1))] if waits else float("nan") for q in (0.5, 0.95))
    turns = f"{total['right']}/{total['turns']}" if len(of) == 1 else wilson(total["right"], total["turns"])
    return (
        f"{name:34} turns {turns} said {total['announced']} without a touch {total['exact']}/{len(of)}"
        f" fouls {total['caught']}/{total['fouls']} false {total['false_accusations']} asked {total['questions']}"
        f" under a hand {total['under_hand']} p50 {p50:.2f} p95 {p95:.2f} s"
        f" looks/s {total['looks'] / max(total['rest_s'], 1e-9):.1f} cpu {total['seconds']:.0f} s"
    )


def watched_with(code: Path, seed: int, level: int, folder: Path) -> dict[str, Any]:
    """The same in a process of its own, with the ``vision`` of a checkout; films and counting are this one's."""
    own = [sys.executable, "-m", "tests.simulation.restless", "--watch", str(seed), str(level), "--keep", str(folder)]
    env = os.environ | {"PYTHONPATH": str(code), "OMP_NUM_THREADS": "1"}
    return dict(json.loads(subprocess.run(own, cwd=code, env=env, stdout=subprocess.PIPE, check=True).stdout))


def main() -> None:
    """Draw, watch and count what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--films", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0, help="of the first film")
    parser.add_argument("--levels", type=int, nargs="+", default=[0, 1, 2], choices=CODECS)
    parser.add_argument("--keep", type=Path, default=Path(), metavar="FOLDER", help="where the films are kept")
    parser.add_argument("--walkers", type=float, metavar="MINUTES", help="only watch an empty table and walkers")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout with this module in it")
    parser.add_argument("--words", action="store_true", help="print what was said where a film went wrong")
    parser.add_argument("--watch", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    folder = given.keep.resolve()
    if given.watch:
        print(json.dumps(watched(*given.watch, folder), default=str))
        return
    if given.walkers:
        for level in given.levels:
            events, looked = looks_at_empty_table(walked_by(given.seed, level, 60 * given.walkers))
            said = ", ".join(type(event).__name__ for event in events)
            looks_per_s = restless_camera(0, 0).fps * np.mean(list(looked.values()))
            print(f"level {level}: {said}; {looks_per_s:.1f} looks a second")
        return
    codes = {"": ROOT} | ({"before ": given.against.resolve()} if given.against else {})
    total: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    for seed in range(given.seed, given.seed + given.films):
        draw(seed, (0, 1, 2), folder)
        for level in given.levels:
            for when, code in codes.items():
                one = watched_with(code, seed, level, folder)
                total[level, when].append(one)
                name = f"{when}{seed} {GAMES[seed % len(GAMES)]}, level {level}"
                print(line(name, [one]) + ("" if one["found"] else "  NOT FOUND"), flush=True)
                if given.words and not one["exact"]:
                    print("   ", "\n    ".join([*one["said"], *one["missed"]]), flush=True)
    for (level, when), of in total.items():
        print(line(f"{when}level {level}", of))


if __name__ == "__main__":
    main()
