"""Many whole games on every two-player board, one after the other, kept as they go.

    python -m tests.simulation.many_games --games 300 --seed 20000 --keep games.jsonl
    python -m tests.simulation.many_games --keep games.jsonl --sum
    python -m tests.simulation.many_games --games 8 --camera --quick --unrest

Every game has a table of its own, a push of the board, a knock of the camera, a lamp, and before each turn a foul in
one of twenty cases, of any kind that the position allows. What ``play`` judges is added up here over all games, with
Wilson's 95 % intervals, and what was silently wrong apart from what the players were asked about.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np

from tests.simulation.camera import random_camera
from tests.simulation.play import Result, simulate, wilson

GAMES = (
    "millchen",
    "tic_tac_toe",
    "nine_mens_morris",
    "three_mens_morris",
    "six_mens_morris",
    "twelve_mens_morris",
    "roman_mill",
    "morabaraba",
)
"""By turns; every preset of two players that needs neither turning rings nor towers."""

ACCIDENTS = {5: "nudge", 9: "bump", 13: "light"}
UNREST = {3: "point", 7: "rest", 11: "hide", 15: "cup"}
"""What people do besides, with ``--unrest``; captured stones are laid right beside the board then, too."""

QUICK_S = (0.5, 3.0)
"""Shortest and longest rest between two turns of quick players."""

FOUL_RATE = 0.05
N_TURNS, HARDNESS = 20, 0.4
BINS = (0.0, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Borders of the bins of the reliability diagram."""


@dataclass(frozen=True)
class Count:
    """How one game went.

    Attributes:
        turns, right, announced: Lawful turns played, those of them that were announced in order, and how many were
            announced in all.
        wrong: Turns missing or too many at the end of the game.
        accused, asked, under_hand: False accusations, questions, and what was said under a hand.
        exact: Every word was right.
        sure: Of every turn announced.
    """

    seed: int
    game: str
    found: bool
    turns: int
    right: int
    announced: int
    wrong: int
    fouls: list[tuple[str, str, bool]]
    accused: int
    asked: int
    under_hand: int
    exact: bool
    sure: list[tuple[float, bool]]
    waits_s: list[float]
    missed: list[str]

    @property
    def silent(self) -> int:
        """Turns wrong at the end of a game in which nobody was asked or accused."""
        return 0 if self.asked or self.accused else self.wrong


def game_of(seed: int) -> str:
    """The game that is played with a seed."""
    return GAMES[seed % len(GAMES)]


def play(seed: int, *, camera: bool = False, quick: bool = False, unrest: bool = False) -> Count:
    """One game; the same seed gives the same film.

    Args:
        camera: Whether it is filmed through ``random_camera(seed)``.
        quick: Whether the table rests for ``QUICK_S`` between two turns.
        unrest: Whether hands rest and point, an arm hides half of the board, and a cup is put down.
    """
    n_fouls = int(np.random.default_rng((seed, 1)).binomial(N_TURNS, FOUL_RATE))
    result = simulate(
        seed,
        game_of(seed),
        n_turns=N_TURNS,
        hardness=HARDNESS,
        n_fouls=n_fouls,
        any_foul=True,
        accidents=ACCIDENTS | (UNREST if unrest else {}),
        camera=random_camera(seed) if camera else None,
        rests_s=QUICK_S if quick else None,
        beside=unrest,
    )
    return count(result, game_of(seed))


def count(result: Result, game: str) -> Count:
    """The figures of one game."""
    return Count(
        seed=result.seed,
        game=game,
        found=result.found,
        turns=result.turns,
        right=result.right,
        announced=result.announced,
        wrong=result.turns + result.announced - 2 * result.right,
        fouls=[(offence.kind, offence.called, offence.called in offence.alike) for offence in result.offences],
        accused=result.false_accusations,
        asked=result.questions,
        under_hand=result.under_hand,
        exact=result.exact,
        sure=result.sure,
        waits_s=[round(wait, 2) for wait in result.waits_s],
        missed=result.missed,
    )


def table(counts: Sequence[Count]) -> str:
    """The figures of many games, with Wilson's 95 % intervals."""
    turns, right = sum(c.turns for c in counts), sum(c.right for c in counts)
    fouls = [foul for c in counts for foul in c.fouls]
    caught = [foul for foul in fouls if foul[1]]
    waits = sorted(wait for c in counts for wait in c.waits_s)
    lines = [
        f"games                {len(counts)}, fields found {wilson(sum(c.found for c in counts), len(counts))}",
        f"turns right          {wilson(right, turns)}",
        f"said too much        {sum(c.announced for c in counts) - right} turns",
        f"silently wrong       {wilson(sum(c.silent for c in counts), turns)}",
        f"games untouched      {wilson(sum(c.exact for c in counts), len(counts))}",
        f"silently wrong games {wilson(sum(c.silent > 0 for c in counts), len(counts))}",
        f"fouls caught         {wilson(len(caught), len(fouls))}",
        f"the right kind       {wilson(sum(kind == called for kind, called, _ in caught), len(caught))}",
        f"or one shown alike   {wilson(sum(alike for *_, alike in caught), len(caught))}",
        f"false accusations    {wilson(sum(c.accused for c in counts), turns)}",
        f"questions            {sum(c.asked for c in counts)} in {sum(c.asked > 0 for c in counts)} games",
        f"said under a hand    {sum(c.under_hand for c in counts)}",
    ]
    if waits:
        p50, p95 = waits[len(waits) // 2], waits[int(0.95 * (len(waits) - 1))]
        lines.append(f"announced after      p50 {p50:.2f} s, p95 {p95:.2f} s from the first frame without the hand")
    return "\n".join([*lines, *_by_kind(fouls), *_by_game(counts), *_reliability(counts)])


def _by_kind(fouls: Sequence[tuple[str, str, bool]]) -> list[str]:
    lines = []
    for kind in sorted({kind for kind, *_ in fouls}):
        of_kind = [called for played, called, _ in fouls if played == kind]
        called = ", ".join(f"{name or 'nothing'} {of_kind.count(name)}" for name in sorted(set(of_kind)))
        lines.append(f"  {kind:20} caught {wilson(sum(map(bool, of_kind)), len(of_kind))}; called {called}")
    return lines


def _by_game(counts: Sequence[Count]) -> list[str]:
    lines = []
    for game in GAMES:
        played = [c for c in counts if c.game == game]
        if played:
            right = wilson(sum(c.right for c in played), sum(c.turns for c in played))
            lines.append(f"  {game:20} turns {right}; untouched {sum(c.exact for c in played)} of {len(played)}")
    return lines


def _reliability(counts: Sequence[Count]) -> list[str]:
    """How often turns were right that were said to be so sure, and the expected calibration error."""
    sure = np.array([pair for c in counts for pair in c.sure], np.float64).reshape(-1, 2)
    lines, error = [], 0.0
    for low, high in zip(BINS[:-1], BINS[1:], strict=True):
        within = sure[(sure[:, 0] >= low) & ((sure[:, 0] < high) | (high == BINS[-1]))]
        if len(within):
            (said, was), n_right = within.mean(axis=0), int(within[:, 1].sum())
            error += len(within) / len(sure) * abs(said - was)
            lines.append(f"  said {low:.2f} to {high:.2f}    mean {said:.4f}, right {wilson(n_right, len(within))}")
    return [*lines, f"calibration error    {error:.2%} over {len(sure)} turns announced"]


def main() -> None:
    """Play the games asked for on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game")
    parser.add_argument("--keep", type=Path, help="file to append each game's figures to, a line of JSON a game")
    parser.add_argument("--camera", action="store_true", help="through a cheap camera in a room with windows and lamps")
    parser.add_argument("--quick", action="store_true", help="rests of 0.5 to 3 s between turns")
    parser.add_argument("--unrest", action="store_true", help="hands that rest and hide, a cup, stones laid beside")
    parser.add_argument("--sum", action="store_true", help="only add up what --keep holds")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    if given.sum:
        if given.keep is None:
            parser.error("--sum needs --keep")
        sys.exit(print(table([Count(**json.loads(line)) for line in given.keep.read_text().splitlines()])))
    counts = []
    for seed in range(given.seed, given.seed + given.games):
        counts.append(play(seed, camera=given.camera, quick=given.quick, unrest=given.unrest))
        print(line_of(counts[-1]), flush=True)
        if given.keep:
            with given.keep.open("a") as file:
                file.write(json.dumps(asdict(counts[-1])) + "\n")
    print("\n" + table(counts))


def line_of(c: Count) -> str:
    """One game on one line."""
    caught = sum(bool(called) for _, called, _ in c.fouls)
    return (
        f"{c.seed} {c.game:18} {'' if c.found else 'NOT FOUND '}turns {c.right}/{c.turns} (said {c.announced})"
        f" fouls {caught}/{len(c.fouls)} {[kind for kind, called, _ in c.fouls if not called]} false {c.accused}"
        f" asked {c.asked} hand {c.under_hand} {'EXACT' if c.exact else '; '.join(c.missed)[:60]}"
    )


if __name__ == "__main__":
    main()
