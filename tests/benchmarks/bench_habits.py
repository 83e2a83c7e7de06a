"""What a table's own habits change: learnt from the settled cases of drawn evenings, tried on other evenings there.

    python -m tests.benchmarks.bench_habits [--tables like_board side_lamp dots] [--cases 20] [--turns 60]

Somebody at the table puts the referee right at the end of each rest in which it is wrong. Questions, accusations of
nobody and what had to be put right are counted on the turns left out, with the coefficients of every table and with
the table's own, whether they would be adopted or not.
"""

import argparse
import itertools
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from referee.events import FoulSeen, QuestionAsked
from referee.game import Game
from referee.presets import find_variant
from tests.simulation.play import table_of
from tests.simulation.reading import places_of
from tests.synthetic import Scene, Script, Shot, film, random_spec
from tests.synthetic.film import ANY_FOUL
from tests.synthetic.spec import Light, Manner, TableSpec
from vision.cases.table_habits import CaseLook, fit_habits, look_of_case
from vision.pipeline import step
from vision.watching.player_actions import correct_game
from vision.watching.state import State, TableSetup, Watched, start
from web.journal.data_folder import CaseFolder
from web.table.case_keeper import CaseKeeper

GAME, SIZE_PX, HARDNESS, FPS = "six_mens_morris", (640, 360), 0.6, 5.0
TURNS_A_GAME, FOULS = 14, (3, 5, 7, 9, 11)


def peculiar(spec: TableSpec, what: str) -> TableSpec:
    """Return a table with a peculiarity."""
    if what == "like_board":  # the first player's stones have nearly the board's colour
        b, g, r = (float(c * 0.95 + 4) for c in spec.cloth.colour)
        return replace(spec, paints=(replace(spec.paints[0], colour=(b, g, r), coverage=1.0), *spec.paints[1:]))
    if what == "side_lamp":
        return replace(spec, light=Light(azimuth_deg=80.0, elevation_deg=18.0, softness=0.008, shadow=0.65))
    if what == "dots":
        return replace(spec, manner=Manner(mark="dot", mark_size=0.2))
    raise ValueError(f"no peculiarity {what!r}")


def game_film(spec: TableSpec, seed: int, fouls: Iterable[int]) -> Iterator[Shot]:
    """Yield the shots of a game at a table."""
    script = Script(TURNS_A_GAME, dict.fromkeys(fouls, ANY_FOUL), fps=FPS, foul_s=1.6)
    return film(Scene(spec), Game.start(find_variant(GAME)), script, np.random.default_rng(seed))


def referee(shots: Iterable[Shot], table: TableSetup, keeper: CaseKeeper | None = None) -> Counter[str]:
    """Referee a film while somebody puts right what is wrong; return how often what happened."""
    counts = Counter[str]()
    state: State = start(table)
    for shot, after in itertools.pairwise(itertools.chain(shots, [None])):
        assert shot is not None
        result = step(state, shot.frame, table)
        if keeper is not None:
            keeper.note_step(state, shot.frame, result)
        state = result.state
        counts["questions"] += sum(isinstance(event, QuestionAsked) for event in result.events)
        counts["false fouls"] += sum(isinstance(event, FoulSeen) for event in result.events) * (not shot.foul)
        counts["turns"] = len(shot.game.turns)
        is_end_of_rest = not shot.hand and not shot.foul and (after is None or after.hand)
        if is_end_of_rest and isinstance(state, Watched):
            places = places_of(state.reference.anchor.field.points_px, shot.truth.points_px)
            tops = [shot.truth.tops[i] for i in places]
            if list(state.game.position.tops) != tops:
                counts["put right"] += 1
                game = state.game.play_on(tops, to_move=shot.game.position.to_move)
                if keeper is not None:
                    keeper.note_answer("corrected", game)
                state = correct_game(state, game)
    return counts


def settled(spec: TableSpec, seed: int, n_cases: int, data: Path) -> list[CaseLook]:
    """Return the settled cases of as many games at a table as have them."""
    folder, looks = CaseFolder(data), list[CaseLook]()
    for game in range(12):
        keeper = CaseKeeper(data)
        referee(game_film(spec, seed + game, FOULS), table_of(find_variant(GAME)), keeper)
        keeper.close()
        found = (look_of_case(folder.load(number) or b"") for number in sorted(folder.numbers()))
        looks += [look for look in found if look is not None]
        folder.delete(folder.numbers())
        if len(looks) >= n_cases:
            break
    return looks[:n_cases]


def main() -> None:
    """Learn and try every table asked for, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", default=["like_board", "side_lamp", "dots"])
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--turns", type=int, default=60, help="left out of what is learnt")
    parser.add_argument("--seed", type=int, default=43100)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    variant = find_variant(GAME)
    for number, what in enumerate(given.tables):
        seed = given.seed + 100 * number
        drawn = random_spec(np.random.default_rng(seed), variant.board, hardness=HARDNESS, size_px=SIZE_PX)
        spec = peculiar(drawn, what)
        with tempfile.TemporaryDirectory() as data:
            looks = settled(spec, seed, given.cases, Path(data))
        fitted = fit_habits(looks)
        print(f"{what}: {len(looks)} cases\n  {fitted}", flush=True)
        plain, own = table_of(variant), replace(table_of(variant), habits=fitted.habits)
        before, after = Counter[str](), Counter[str]()
        while before["turns"] < given.turns:
            seed += 1
            shots = list(game_film(spec, seed + 50, ()))
            before, after = before + referee(shots, plain), after + referee(shots, own)
        print(f"  before {dict(before)}\n  after  {dict(after)}", flush=True)


if __name__ == "__main__":
    main()
