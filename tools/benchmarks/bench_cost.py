"""What refereeing costs a frame, as a ratio to the JPEG decode of the same frame on one thread.

    python -m tools.benchmarks.bench_cost [--games millchen moulin_rouge] [--fps 10 30] [--against CHECKOUT]

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
from types import FrameType
from typing import Any

import cv2
import numpy as np

from referee.boards import boards_for
from referee.events import BoardFound
from referee.game import Game
from referee.presets import find_variant
from tests.synthetic import Scene, Script, film, random_spec
from tools.benchmarks.shared_measures import ONE_THREAD, ROOT
from vision.capture.pictures import jpeg_of
from vision.imaging.frame import Frame, Image
from vision.pipeline import step
from vision.watching.phases import Understood, Waiting
from vision.watching.state import State, TableSetup, start

SIZE_PX = (1280, 720)
JPEG_QUALITY = 90
WARM_UP = 5
"""Decodes that are not counted."""

ROUNDS = 2
"""Times that every film is measured."""

HOUSE = str(ROOT)
"""What files of the program begin with."""

KINDS = ("idle", "moving", "settling", "settled look", "re-registered", "searching", "found")


def film_to_jpegs(game_name: str, fps: float, seed: int, n_turns: int, size_px: tuple[int, int]) -> dict[str, Any]:
    """Return the JPEGs and times of a game with a nudge, a knock and a switched lamp."""
    rng = np.random.default_rng(seed)
    game = Game.start(find_variant(game_name))
    board, n_players = game.variant.board, game.variant.players
    spec = random_spec(rng, board, n_players=n_players, hardness=0.3, size_px=size_px)
    script = Script(n_turns, accidents={4: "nudge", 7: "bump", 10: "light"}, fps=fps)
    packed = []
    for shot in film(Scene(spec), game, script, rng):
        jpeg = cv2.imencode(".jpg", shot.frame.bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
        packed.append((jpeg.tobytes(), shot.frame.time_s))
    return {"game": game_name, "fps": fps, "turns": n_turns, "frames": packed}


def measure(made: dict[str, Any]) -> dict[str, Any]:
    """Return the processor time of every decode and of every step by its kind, seconds, and the turns refereed."""
    cv2.setNumThreads(1)
    variant = find_variant(made["game"])
    table = TableSetup(variant, boards_for(variant))
    state = start(table)
    decode_s, step_s, looks = [], defaultdict(list), []
    for jpeg, _ in made["frames"][:WARM_UP]:
        _decoded(jpeg)
    for number, (jpeg, time_s) in enumerate(made["frames"]):
        began = time.thread_time()
        bgr = _decoded(jpeg)
        decoded = time.thread_time()
        frame = Frame(bgr, time_s, number)
        after, events = step(state, frame, table)
        spent_s = time.thread_time() - decoded
        kind = _kind(state, after, any(isinstance(event, BoardFound) for event in events))
        step_s[kind].append(spent_s)
        decode_s.append(decoded - began)
        looks = [(state, frame)] if kind == "settled look" else looks
        state = after
    rooms = [rooms_and_returns(*look, table) for look in looks]
    return {
        "decode_s": decode_s, "step_s": dict(step_s), "whole_s": _whole_s(made, table), "ply": state.game.ply,
        "rooms": rooms,
    }  # fmt: skip


def rooms_and_returns(state: State, frame: Frame, table: TableSetup) -> tuple[int, int]:
    """Return how many files a step passes, and how many more ways from one of them to another it takes."""
    ways = set()

    def follow(inner: FrameType, event: str, _: object) -> None:
        outer, room = inner.f_back, inner.f_code.co_filename
        while event == "call" and outer is not None and _is_own(room):
            if _is_own(outer.f_code.co_filename):
                ways.add((outer.f_code.co_filename, room))
                return
            outer = outer.f_back

    sys.setprofile(follow)
    step(state, frame, table)
    sys.setprofile(None)
    between = {(one, other) for one, other in ways if one != other}
    rooms = {room for way in between for room in way} - {__file__}
    return len(rooms), len(between) - len(rooms)


def _is_own(path: str) -> bool:
    return path.startswith(HOUSE) and "site-packages" not in path  # the environment lies in the project's folder


def _decoded(jpeg: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def _whole_s(made: dict[str, Any], table: TableSetup) -> float:
    """Return the processor time of a game from JPEGs of which only what is asked for is decoded, seconds."""
    state, began = start(table), time.thread_time()
    for number, (jpeg, time_s) in enumerate(made["frames"]):
        state, _ = step(state, Frame(jpeg_of(jpeg), time_s, number), table)
    return time.thread_time() - began


def _kind(before: State, after: State, found: bool) -> str:
    """Return what the path had to do with a frame; one of `KINDS`."""
    if found:
        return "found" if getattr(before, "reference", None) is None else "re-registered"
    if getattr(before, "reference", None) is None:
        return "searching"
    if after.motion.moving_cells is not None:
        return "moving"
    if isinstance(before.phase, Understood) and isinstance(after.phase, Understood):
        return "idle"
    return "settling" if isinstance(after.phase, Waiting) else "settled look"


def ratios_of(rounds: list[dict[str, Any]]) -> dict[str, list[float]]:
    """The steps of all rounds by kind, each as a ratio to the median decode of its round."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    for one in rounds:
        unit = statistics.median(one["decode_s"])
        for kind, times in one["step_s"].items():
            by_kind[kind] += [s / unit for s in times]
    return {kind: by_kind[kind] for kind in KINDS if by_kind[kind]}


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
            film = film_to_jpegs(name, fps, given.seed, given.turns, tuple(given.size))
            _print(film, [measure(film) for _ in range(ROUNDS)])


def _print(film: dict[str, Any], rounds: list[dict[str, Any]]) -> None:
    ms = 1000 * statistics.median(s for one in rounds for s in one["decode_s"])
    print(
        f"\n{film['game']} at {film['fps']:g} a second: {len(film['frames'])} frames, decode {ms:.2f} ms (median); ",
        end="",
    )
    print(f"turns refereed {rounds[0]['ply']} of {film['turns']}")
    print(f"{'the step, x decode':20}{'n':>9}{'mean':>9}{'median':>9}{'p95':>9}{'most':>9}")
    by_kind = ratios_of(rounds)
    for kind, ratios in (*by_kind.items(), ("the game", [r for own in by_kind.values() for r in own])):
        figures = statistics.mean(ratios), np.median(ratios), np.percentile(ratios, 95), max(ratios)
        print(f"{kind:20}{len(ratios) // ROUNDS:9}" + "".join(f"{figure:9.3f}" for figure in figures))
    for rooms, returns in rounds[0]["rooms"]:
        print(f"a settled look passes {rooms} files, with {returns} returns")
    whole = statistics.mean(one["whole_s"] / sum(one["decode_s"]) for one in rounds)
    print(f"decoding included, x decoding all of it {whole:.2f}")


if __name__ == "__main__":
    main()
