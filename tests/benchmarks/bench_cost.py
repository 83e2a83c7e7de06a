"""What refereeing costs a frame, as a ratio to the JPEG decode of the same frame on one thread.

    python -m tests.benchmarks.bench_cost [--games millchen moulin_rouge] [--fps 10 30] [--against CHECKOUT]

A synthetic game of 1280x720 is filmed into JPEGs; then every frame is decoded and stepped, each timed apart in
processor time. Last, the whole is timed as a camera that gives JPEGs has it, decoding included. With ``--against`` the
code of another checkout is measured as well, before this one. Ratios travel between machines, milliseconds do not.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from referee.boards import boards_for
from referee.events import BoardFound
from referee.game import Game
from referee.presets import find_variant
from tests.benchmarks.frame import ONE_THREAD, ROOT
from tests.synthetic import Scene, Script, film, random_spec
from vision.imaging.frame import Frame, Image, JpegPicture
from vision.pipeline import step
from vision.watching.state import State, TableSetup, start

SIZE_PX = (1280, 720)
JPEG_QUALITY = 90
WARM_UP = 5  # decodes that are not counted
ROUNDS = 2  # times that every film is measured
KINDS = ("idle", "moving", "settling", "settled look", "re-registered", "searching", "found")


def film_to_jpegs(name: str, fps: float, given: argparse.Namespace) -> list[tuple[bytes, float]]:
    """Return the JPEGs and times of a game with a nudge, a knock and a switched lamp."""
    rng, game = np.random.default_rng(given.seed), Game.start(find_variant(name))
    board, n_players = game.variant.board, game.variant.players
    spec = random_spec(rng, board, n_players=n_players, hardness=0.3, size_px=tuple(given.size))
    script = Script(given.turns, accidents={4: "nudge", 7: "bump", 10: "light"}, fps=fps)
    quality = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    shots = film(Scene(spec), game, script, rng)
    return [(cv2.imencode(".jpg", shot.frame.bgr, quality)[1].tobytes(), shot.frame.time_s) for shot in shots]


class Round(NamedTuple):
    """Processor time of every decode, of every step by its kind, and of the whole game, seconds; and turns refereed."""

    decode_s: list[float]
    step_s: dict[str, list[float]]
    whole_s: float
    ply: int


def measure(name: str, frames: list[tuple[bytes, float]]) -> Round:
    """Decode and step every frame; then once more as a camera that gives JPEGs, of which few are decoded."""
    cv2.setNumThreads(1)
    variant = find_variant(name)
    table = TableSetup(variant, boards_for(variant))
    state, decode_s, step_s = start(table), list[float](), defaultdict[str, list[float]](list)
    for jpeg, _ in frames[:WARM_UP]:
        _decoded(jpeg)
    for number, (jpeg, time_s) in enumerate(frames):
        began = time.thread_time()
        bgr = _decoded(jpeg)
        decoded = time.thread_time()
        after, events = step(state, Frame(bgr, time_s, number), table)
        step_s[_kind(state, after, any(isinstance(e, BoardFound) for e in events))].append(time.thread_time() - decoded)
        decode_s.append(decoded - began)
        state = after
    again, began = start(table), time.thread_time()
    for number, (jpeg, time_s) in enumerate(frames):
        again, _ = step(again, Frame(JpegPicture(jpeg), time_s, number), table)
    return Round(decode_s, step_s, time.thread_time() - began, state.game.ply)


def _decoded(jpeg: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def _kind(before: State, after: State, found: bool) -> str:
    """Return what the path had to do with a frame; one of `KINDS`."""
    if found:
        return "found" if getattr(before, "reference", None) is None else "re-registered"
    if getattr(before, "reference", None) is None:
        return "searching"
    if after.motion.moving_cells is not None:
        return "moving"
    if after.looked_s != before.looked_s:
        return "settled look"
    return "settling" if type(after.phase).__name__ == "Waiting" else "idle"


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=["millchen", "nine_mens_morris", "moulin_rouge"])
    parser.add_argument("--fps", nargs="+", type=float, default=[10.0, 30.0])
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", nargs=2, type=int, default=SIZE_PX, metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="measure the code of another checkout too")
    given, words = parser.parse_args(), sys.argv[1:]
    if given.against:
        at = words.index("--against")
        own = [sys.executable, str(Path(__file__).resolve()), *words[:at], *words[at + 2 :]]
        for code in (given.against.resolve(), ROOT):
            print(f"=== {code.name}", flush=True)
            subprocess.run(own, cwd=code, env=os.environ | ONE_THREAD | {"PYTHONPATH": str(code)}, check=True)
        return
    print(f"OpenCV {cv2.__version__}, {given.size[0]}x{given.size[1]}, quality {JPEG_QUALITY}, one thread")
    for name in given.games:
        for fps in given.fps:
            frames = film_to_jpegs(name, fps, given)
            print(f"\n{name} at {fps:g} a second: {len(frames)} frames; ", end="")
            _print([measure(name, frames) for _ in range(ROUNDS)])


def _print(rounds: list[Round]) -> None:
    ms = 1000 * statistics.median(s for one in rounds for s in one.decode_s)
    print(f"decode {ms:.2f} ms (median); turns refereed {rounds[0].ply}")
    print(f"{'the step, x decode':20}{'n':>9}{'mean':>9}{'median':>9}{'p95':>9}{'most':>9}")
    units = [statistics.median(one.decode_s) for one in rounds]
    pairs = list(zip(rounds, units, strict=True))
    ratios = {kind: [s / unit for one, unit in pairs for s in one.step_s.get(kind, ())] for kind in KINDS}
    for kind, own in (*ratios.items(), ("the game", [r for some in ratios.values() for r in some])):
        if own:
            figures = statistics.mean(own), np.median(own), np.percentile(own, 95), max(own)
            print(f"{kind:20}{len(own) // ROUNDS:9}" + "".join(f"{figure:9.3f}" for figure in figures))
    whole = statistics.mean(one.whole_s / sum(one.decode_s) for one in rounds)
    print(f"decoding included, x decoding all of it {whole:.2f}")


if __name__ == "__main__":
    main()
