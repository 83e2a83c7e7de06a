"""Whole games of Moulin Rouge and Trialectic on synthetic tables: turning discs of wood and of plain sheets, towers.

    python -m tests.simulation.discs_and_towers moulin_rouge --games 30 --seed 0

What discs are made of, how many players there are and how many holes a ring has go round with the seed. Beside what
``play`` counts this counts steps of rings, stones laid on their like, and what was wrong and nobody was asked about.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from referee.game import Game
from referee.presets import find_variant
from tests.simulation.play import Acts, Result, judge, wilson
from tests.synthetic import Scene, Script, film, random_spec
from tests.synthetic.foul import KINDS_OF_DISCS, KINDS_OF_TOWERS

TABLES = ((2, 8), (3, 12), (2, 8), (4, 16), (2, 12), (3, 16))
"""Players and holes of a ring, by turns; of more players, four holes for each."""

DISCS = ("grainy", "marked", "plain")
"""What discs are made of, by turns."""


@dataclass(frozen=True)
class Count:
    """How one game went.

    ``wrong`` turns were said that were not played, at the end of the game, and nobody had been asked or accused;
    ``like`` are stones laid on a tower whose top has their colour, ``like_found`` those that were announced.
    """

    seed: int
    made: str
    players: int
    fields: int
    hardness: float
    turns: int
    right: int
    announced: int
    rotations: int
    rotations_right: int
    like: int
    like_found: int
    questions: int
    accused: int
    fouls: int
    caught: int
    wrong: int
    found: bool
    named: list[list[str]] = field(default_factory=list)
    """Of each foul its kind, what it was called (empty when it was missed), and "right" where that names what was
    seen: two kinds may leave the same table."""


def play(
    game_name: str,
    seed: int,
    *,
    n_turns: int = 14,
    n_fouls: int = 0,
    n_players: int | None = None,
    hardness: float | None = None,
    jump: bool = False,
) -> Count:
    """One game on one random table; the same seed gives the same film."""
    rng = np.random.default_rng(seed)
    hard = float(rng.uniform(0.1, 0.5)) if hardness is None else hardness
    discs = game_name == "moulin_rouge"
    players, fields = TABLES[seed % len(TABLES)] if discs else (3, 18)
    players, fields = (n_players, 4 * n_players) if n_players else (players, fields)
    made = DISCS[seed % len(DISCS)] if discs else "towers"
    variant = find_variant(game_name, players=players, fields=fields) if discs else find_variant(game_name)
    game = Game.start(variant)
    spec = random_spec(
        rng,
        variant.board,
        n_players=players,
        hardness=hard,
        size_px=(960, 540),
        discs="plain" if made == "plain" else "marked" if made == "marked" else "grainy",
    )
    kinds = ("two_moves", "wrong_player", *(KINDS_OF_DISCS if discs else KINDS_OF_TOWERS))
    # Whose stone it is can be told only once all have shown one.
    plies = rng.choice(np.arange(players + 1, n_turns), size=n_fouls, replace=False)
    fouls = {int(ply): str(rng.choice(kinds)) for ply in plies}
    script = Script(n_turns, fouls, off_step=0.12, turning=0.35, rest_s=0.8, end_s=2.5)
    script = replace(script, step_s=(0.0, 0.0)) if jump else script
    return count(judge(film(Scene(spec), game, script, rng), game, seed), made, players, fields, hard)


def count(result: Result, made: str, players: int, fields: int, hardness: float) -> Count:
    """The figures of one game."""
    truth, said = result.played, result.answers
    turning = [turn for turn in truth if _turns_a_ring(turn[1])]
    wrong = sum(turn not in truth for turn in said)
    return Count(
        result.seed, made, players, fields, round(hardness, 2), result.turns, result.right, result.announced,
        len(turning), sum(turn in said for turn in turning), len(result.like), sum(k in said for k in result.like),
        result.questions, result.false_accusations, result.fouls, result.caught,
        0 if result.questions or result.false_accusations else wrong, result.found,
        [[o.kind, o.called, "right" if o.called in (o.kind, *o.alike) else ""] for o in result.offences],
    )  # fmt: skip


def _turns_a_ring(acts: Acts) -> bool:
    return any(act[0] == "rotate" for act in acts)


def table(counts: Sequence[Count]) -> str:
    """The figures of many games, with Wilson's 95 % intervals."""

    def total(name: str) -> int:
        return sum(int(getattr(c, name)) for c in counts)

    found = [c for c in counts if c.found]
    lines = [
        f"games                {len(counts)}, fields found {wilson(len(found), len(counts))}",
        f"turns right          {wilson(total('right'), total('turns'))}",
        f"steps of rings right {wilson(total('rotations_right'), total('rotations'))}",
        f"same colour found    {wilson(total('like_found'), total('like'))}",
        f"silently wrong       {wilson(total('wrong'), total('turns'))}",
        f"fouls caught         {wilson(total('caught'), total('fouls'))}",
        f"false accusations    {total('accused')}; questions {total('questions')}",
    ]
    named = [foul for c in counts for foul in c.named]
    for kind in sorted({kind for kind, *_ in named}):
        called = [(name, right) for of_kind, name, right in named if of_kind == kind]
        names = ", ".join(f"{name or 'nothing'} {sum(name == n for n, _ in called)}" for name in sorted(dict(called)))
        right = sum(bool(right) for _, right in called)
        lines.append(
            f"  {kind:21} caught {sum(bool(n) for n, _ in called)}/{len(called)}, rightly named {right}: {names}"
        )
    return "\n".join(lines)


def main() -> None:
    """Play the games asked for on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=("moulin_rouge", "trialectic"))
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game")
    parser.add_argument("--turns", type=int, default=14)
    parser.add_argument("--fouls", type=int, default=0, help="fouls a game")
    parser.add_argument("--players", type=int, help="of Moulin Rouge, in all games (default: 2 to 4 by turns)")
    parser.add_argument("--jump", action="store_true", help="rings turn in two frames: no camera sees which way")
    parser.add_argument("--keep", type=Path, help="file to append each game's figures to, a line of JSON a game")
    parser.add_argument("--sum", action="store_true", help="only add up what --keep holds")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    counts = []
    if given.sum:
        counts = [Count(**json.loads(line)) for line in given.keep.read_text().splitlines()]
        sys.exit(print(table(counts)))
    for seed in range(given.seed, given.seed + given.games):
        game = partial(play, n_turns=given.turns, n_fouls=given.fouls, n_players=given.players, jump=given.jump)
        counts.append(game(given.game, seed))
        print(counts[-1], flush=True)
        if given.keep:
            with given.keep.open("a") as file:
                file.write(json.dumps(vars(counts[-1])) + "\n")
    print("\n" + table(counts))


if __name__ == "__main__":
    main()
