"""What the whole path costs a frame, as a ratio to the JPEG decode of the same frame on one thread.

    python -m tests.benchmarks.bench_pipeline [--turns 12] [--seed 0]

A synthetic game of 1280x720 is filmed into JPEGs first; then every frame is decoded and stepped, each timed apart.
Ratios travel between machines, milliseconds do not.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict

import cv2
import numpy as np

from referee.boards import boards_for
from referee.events import BoardFound
from referee.game import Game
from referee.presets import find_variant
from tests.synthetic import Scene, Script, film, random_spec
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import State, Table, start

SIZE_PX = (1280, 720)
JPEG_QUALITY = 90
WARM_UP = 5  # decodes that are not counted


def film_to_jpegs(seed: int, n_turns: int) -> list[tuple[bytes, float]]:
    """JPEG and time of every frame of a game with a nudge, a knock and a switched lamp."""
    rng = np.random.default_rng(seed)
    game = Game.start(find_variant("millchen"))
    spec = random_spec(rng, game.variant.board, hardness=0.3, size_px=SIZE_PX)
    script = Script(n_turns, accidents={4: "nudge", 7: "bump", 10: "light"})
    packed = []
    for shot in film(Scene(spec), game, script, rng):
        jpeg = cv2.imencode(".jpg", shot.frame.bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
        packed.append((jpeg.tobytes(), shot.frame.time_s))
    return packed


def kind_of(before: State, after: State, found: bool) -> str:
    """What the path had to do with a frame."""
    if found:
        return "found" if before.anchor is None else "re-registered"
    if after.scene.last_motion_s != before.scene.last_motion_s:
        return "moving"
    if after.looked_s != before.looked_s:
        return "settled, looked at"
    return "idle" if before.settled else "waiting"


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    packed = film_to_jpegs(given.seed, given.turns)
    variant = find_variant("millchen")
    table = Table(variant, boards_for(variant))
    state = start(table)
    decode_s, step_s = [], defaultdict(list)
    for jpeg, _ in packed[:WARM_UP]:
        cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    for number, (jpeg, time_s) in enumerate(packed):
        began = time.thread_time()
        bgr = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        decoded = time.thread_time()
        after, events = step(state, Frame(bgr, time_s, number), table)
        ended = time.thread_time()
        decode_s.append(decoded - began)
        step_s[kind_of(state, after, any(isinstance(e, BoardFound) for e in events))].append(ended - decoded)
        state = after
    unit = statistics.median(decode_s)
    everything = [s for times in step_s.values() for s in times]
    print(f"OpenCV {cv2.__version__}, {SIZE_PX[0]}x{SIZE_PX[1]}, quality {JPEG_QUALITY}, one thread")
    print(
        f"JPEG decode {1000 * unit:.2f} ms (median of {len(decode_s)}); turns refereed {state.game.ply}/{given.turns}\n"
    )
    print(f"{'the whole path, x decode':28} {'n':>5} {'median':>8} {'p95':>8} {'most':>8}")
    for name, times in sorted(step_s.items(), key=lambda pair: statistics.median(pair[1])):
        ratios = np.array(times) / unit
        print(f"{name:28} {len(times):5} {np.median(ratios):8.3f} {np.percentile(ratios, 95):8.3f} {ratios.max():8.3f}")
    print(f"{'mean over the game':28} {len(everything):5} {statistics.mean(everything) / unit:8.3f}")


if __name__ == "__main__":
    main()
