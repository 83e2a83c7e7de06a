"""Draw films as they are played and count them: hands at every speed, games that have begun, towers, rings, dots.

    python -m tools.films COUNTED.jsonl --cache FOLDER --seed 70000 [--films 12] [--only speeds begun ...]

A film is drawn once, into the cache, and each count is a line of COUNTED: what stands there is not counted again, so a
run goes on where it ended. Then one table of all that stands there is printed.
"""

import argparse
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import cv2
import numpy as np

from referee.game import Game
from referee.moves import Capture
from referee.position import Position
from referee.presets import find_variant
from referee.resumption import mover_by_counts
from tests.simulation.camera import restless_camera
from tests.simulation.play import DISC_TABLES, DISCS, GAMES, Offence, Result, judge, photographed, shots_of, wilson
from tests.simulation.series import draw_series
from tests.synthetic import Script, Shot
from tests.synthetic.film import ANY_FOUL, chosen_turn
from tests.synthetic.foul import KINDS_OF_DISCS, KINDS_OF_TOWERS
from tests.synthetic.spec import Manner
from vision.imaging.frame import Frame, JpegPicture

SPEEDS = (0.25, 0.33, 0.5, 1.0, 2.0)
N_TURNS, RESTS_S, END_S, SIZE_PX, FPS = 8, (0.8, 2.0), 2.5, (800, 450), 10.0
DOTS, LETTERS = Manner(mark="dot", mark_size=0.19), Manner(ornament="letters")

Drawing = tuple[Game, Callable[[], Iterator[Shot]]]  # the game before the first picture, and what draws the film


def played(seed: int) -> Drawing:
    """A film of any game of two players, with one foul."""
    game, rng = Game.start(find_variant(GAMES[seed % len(GAMES)])), np.random.default_rng((seed, 3))
    script = Script(N_TURNS, {int(rng.integers(3, 6)): ANY_FOUL}, fps=FPS, rests_s=RESTS_S, end_s=END_S)
    return game, lambda: shots_of(game, script, seed, hardness=None, size_px=SIZE_PX)


def begun(seed: int) -> Drawing:
    """A film that begins when some turns are done: from one to as many as there are stones."""
    rng, variant = np.random.default_rng((seed, 2)), find_variant(GAMES[seed % len(GAMES)])
    most = sum(variant.hands) if variant.min_stones else 4
    n_before, game = round(most ** float(rng.uniform())), Game.start(variant)
    while game.ply < n_before:
        game = game.play_turn(chosen_turn(game, Script(), rng))
        game = game if game.outcome is None else Game.start(variant)
    script = Script(N_TURNS, fps=FPS, rests_s=RESTS_S, end_s=END_S)
    return game, lambda: shots_of(Game(game.position), script, seed, hardness=None, size_px=SIZE_PX)


def of_discs_or_towers(seed: int, name: str) -> Drawing:
    """A film of Trialectic or Moulin Rouge, through cameras of every restlessness by turns; every other has a foul."""
    (players, fields), made = DISC_TABLES[seed % len(DISC_TABLES)], DISCS[seed // 2 % len(DISCS)]
    options, kinds, manner = {"players": players, "fields": fields}, KINDS_OF_DISCS, None
    if name == "trialectic":
        options, kinds, manner = {}, KINDS_OF_TOWERS, (None, DOTS, LETTERS)[seed // 3 % 3]
    game, rng = Game.start(find_variant(name, **options)), np.random.default_rng((seed, 3))
    kind = str(rng.choice(("two_moves", "wrong_player", *kinds)))
    fouls = {int(rng.integers(game.variant.players + 1, N_TURNS)): kind} if seed % 2 else {}
    camera = replace(restless_camera(seed, seed % 3), fps=FPS)
    script = Script(N_TURNS, fouls, fps=FPS, rests_s=RESTS_S, end_s=END_S, off_step=0.12, turning=0.35)
    return game, lambda: shots_of(game, script, seed, camera, hardness=None, size_px=SIZE_PX, discs=made, manner=manner)


def dotted_series(seed: int) -> Drawing:
    """A handheld series of Trialectic, a dot on each point."""
    series = draw_series(seed, "trialectic", 12)
    return Game.start(series.variant), lambda: photographed(replace(series, spec=replace(series.spec, manner=DOTS)))


# what is counted, by name: how it is drawn, and how many of it for each film that is asked for
SETS: dict[str, tuple[Callable[[int], Drawing], float]] = {
    "speeds": (played, 1.0),
    "begun": (begun, 1.0),
    "trialectic": (lambda seed: of_discs_or_towers(seed, "trialectic"), 1.0),
    "moulin_rouge": (lambda seed: of_discs_or_towers(seed, "moulin_rouge"), 0.5),
    "series": (dotted_series, 1 / 3),
}


def counts(name: str, seed: int, cache: Path, done: set[tuple[str, int]]) -> Iterator[tuple[str, Result]]:
    """What the referee made of a film of a set, by the name of its row."""
    (game, draw), path = SETS[name][0](seed), cache / f"{name}-{seed}.pickle"
    rows = {f"{name} at level {seed % 3}" if name in ("trialectic", "moulin_rouge") else name: 1.0}
    for row, speed in ({f"speed {speed}": speed for speed in SPEEDS} if name == "speeds" else rows).items():
        if (row, seed) in done:
            continue
        if not path.exists():
            coded = [(shot, cv2.imencode(".jpg", shot.frame.bgr)[1].tobytes()) for shot in draw()]
            path.write_bytes(pickle.dumps([(replace(s, frame=None), data, s.frame.time_s) for s, data in coded]))  # type: ignore[arg-type]
        kept = [(shot, JpegPicture(data), at_s) for shot, data, at_s in pickle.loads(path.read_bytes())]
        shown = [(k, *kept[int(k * speed + 1e-9)]) for k in range(int((len(kept) - 1e-9) / speed) + 1)]
        shots = [replace(s, frame=Frame(jpeg, at_s if speed == 1 else k / FPS, k)) for k, s, jpeg, at_s in shown]
        yield row, judge(iter(shots), game, seed, photographs=name == "series", either_side=_are_sides_open(game))


def _are_sides_open(game: Game) -> bool:
    """Whether the stones that lie there do not tell whose they are."""
    taken = any(isinstance(move, Capture) for turn in game.turns for move in turn.moves)
    told = mover_by_counts(Position.start(game.variant), game.position.tops) == game.position.to_move
    return game.ply > 0 and (taken or not told)


def table(lines: Sequence[tuple[str, Result]]) -> str:
    """One row for each set, speed and level."""
    rows = ["| films | turns right | fouls called | false | invented | asked | untouched |", "| --- |" + " ---: |" * 6]
    for row in dict.fromkeys(row for row, _ in lines):
        of = [result for other, result in lines if other == row]
        cells = [row, wilson(sum(r.right for r in of), sum(r.turns for r in of))]
        cells.append(f"{sum(r.caught for r in of)} of {sum(r.fouls for r in of)}")
        cells += [str(sum(getattr(r, name) for r in of)) for name in ("false_accusations", "invented", "questions")]
        rows.append(f"| {' | '.join(cells)} | {sum(r.exact for r in of)} of {len(of)} |")
    return "\n".join(rows)


def main() -> None:
    """Draw and count what the command line asks for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counted", type=Path, help="file with a line of JSON for each film")
    parser.add_argument("--cache", type=Path, required=True, help="folder of the films")
    parser.add_argument("--seed", type=int, required=True, help="of the first film")
    parser.add_argument("--films", type=int, default=12)
    parser.add_argument("--only", nargs="*", choices=list(SETS), default=list(SETS))
    given = parser.parse_args()
    cv2.setNumThreads(1)
    given.cache.mkdir(parents=True, exist_ok=True)
    lines = list[tuple[str, Result]]()
    for line in given.counted.read_text().splitlines() if given.counted.exists() else ():
        row, kept = json.loads(line)
        lines.append((row, Result(**kept | {"offences": [Offence(**one) for one in kept["offences"]]})))
    done = {(row, result.seed) for row, result in lines}
    wanted = [(name, given.seed + k) for name in given.only for k in range(round(given.films * SETS[name][1]))]
    for name, seed in wanted:
        for row, result in counts(name, seed, given.cache, done):
            lines.append((row, result))
            with given.counted.open("a") as file:
                file.write(json.dumps((row, asdict(result))) + "\n")
    print(table(lines))


if __name__ == "__main__":
    main()
