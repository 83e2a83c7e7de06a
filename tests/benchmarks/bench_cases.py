"""What an evening keeps of its difficulties: short drawn games, in each a foul, a knock and a turn taken back.

A knock of the camera ("bump") that is followed raises no doubt, and leaves no case. A foul that was read as a turn
taken back leaves one of that kind.

    python -m tests.benchmarks.bench_cases [--games 10] [--turns 6] [--seed 43000]

Every case is written as it is sent, read from that file and tried again. What is seen, and the keeping of cases, are
timed apart in processor time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

from referee.game import Game
from referee.presets import find_variant
from tests.simulation.play import table_of
from tests.synthetic import Scene, Script, film, random_spec
from tests.synthetic.film import ANY_FOUL
from vision.cases.case import members_of, read_given, read_told, tops_as_said
from vision.pipeline import step
from vision.watching.state import State, start
from web.history.case_view import case_to_send
from web.journal.data_folder import CaseFolder
from web.table.case_keeper import CaseKeeper

GAMES = ("tic_tac_toe", "six_mens_morris", "three_mens_morris")
KNOCKS = ("shuffle", "bump")
FOUL_PLY, KNOCK_PLY = 3, 5
SIZE_PX, HARDNESS, FPS = (640, 360), 0.3, 6.0


class Evening:
    """An evening whose cases are kept in one folder."""

    def __init__(self, data: Path) -> None:
        self.data, self.folder = data, CaseFolder(data)
        self.seeing_s, self.noting_s = list[float](), list[float]()

    def play(self, seed: int, n_turns: int) -> tuple[list[str], list[int]]:
        """Play a game; return what was planted in it and the numbers of the cases that were kept."""
        rng, variant = np.random.default_rng(seed), find_variant(GAMES[seed % len(GAMES)])
        scene = Scene(random_spec(rng, variant.board, hardness=HARDNESS, size_px=SIZE_PX))
        script = Script(n_turns, {FOUL_PLY: ANY_FOUL}, {KNOCK_PLY: KNOCKS[seed % 2]}, fps=FPS)
        table, keeper = table_of(variant), CaseKeeper(self.data, is_photographs=False)
        planted, before = set[str](), self.folder.numbers()
        state: State = start(table)
        for shot in film(scene, Game.start(variant), script, rng):
            began = time.thread_time()
            result = step(state, shot.frame, table)
            seen = time.thread_time()
            keeper.saw(state, shot.frame, table, result)
            self.noting_s.append(time.thread_time() - seen)
            self.seeing_s.append(seen - began)
            planted |= {f"foul {shot.foul}"} if shot.foul else {shot.accident} if shot.accident else set()
            state = result.state
        if state.game.turns:
            keeper.people_said("amended", state.game.take_back())
            planted.add("turn taken back")
        keeper.close()
        return sorted(planted), [number for number in sorted(self.folder.numbers()) if number not in before]


def main() -> None:
    """Play the evening and print what was kept of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--seed", type=int, default=43000, help="seed of the first game")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as data:
        evening, n_planted = Evening(Path(data)), 0
        kinds, n_same, n_settled, n_right, sizes = Counter[str](), 0, 0, 0, list[int]()
        for seed in range(given.seed, given.seed + given.games):
            planted, numbers = evening.play(seed, given.turns)
            n_planted += len(planted)
            kept = []
            for number in numbers:
                sent = case_to_send(evening.folder.load(number) or b"", "en")
                told, again = read_told(sent), json.loads(json.dumps(read_given(sent).try_again()))
                tops, first = tops_as_said(told), [one["tops"] for one in again["hypotheses"][:1]]
                n_same += again == told["thought"]
                n_settled += tops is not None
                n_right += tops is not None and first == [tops]
                sizes.append(len(sent))
                kinds[told["kind"]] += 1
                said = "+".join(one["kind"] for one in told["said"]) or "nothing"
                kept.append(f"{told['kind']} ({len(told['thought']['hypotheses'])} thought, said {said})")
            game = GAMES[seed % len(GAMES)]
            print(f"{seed} {game}: planted {', '.join(planted)}; kept {'; '.join(kept)}", flush=True)
    print(f"{n_planted} planted, {len(sizes)} cases kept: {dict(kinds)}; in each {', '.join(members_of(sent))}")
    print(f"{n_same} of {len(sizes)} to the digit as then; {n_right} of {n_settled} settled ones right")
    print(f"kB a case: mean {np.mean(sizes) / 1000:.0f}, largest {max(sizes) / 1000:.0f}, all {sum(sizes) / 1000:.0f}")
    for what, seconds in (("seeing", evening.seeing_s), ("noting", evening.noting_s)):
        middle, mean = 1e6 * np.median(seconds), 1e6 * np.mean(seconds)
        print(f"{what}: median {middle:.1f}, mean {mean:.1f} us in each of {len(seconds)} frames")


if __name__ == "__main__":
    main()
