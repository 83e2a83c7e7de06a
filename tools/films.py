"""Draw films as they are played and count them: long and short games, at every speed, through every camera, by hand.

    python -m tools.films COUNTED.jsonl --cache FOLDER --seed 70000 [--films 12] [--only speeds begun ...]

A film is drawn once, into the cache, and each count is a line of COUNTED: what stands there is not counted again, so a
run goes on where it ended. Then one table of all that stands there is printed, and below it what a table has no room
for. ``--words`` prints what the referee said in games that went wrong.
"""

import argparse
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.game import Game
from referee.moves import Capture
from referee.position import Position
from referee.presets import find_variant
from referee.resumption import mover_by_counts
from tests.simulation.camera import restless_camera
from tests.simulation.play import ACCIDENTS, GAMES, Offence, Result, judge, photographed, shots_of, wilson
from tests.simulation.series import draw_series
from tests.synthetic import Script, Shot
from tests.synthetic.film import ANY_FOUL, chosen_turn
from tests.synthetic.foul import KINDS_OF_DISCS, KINDS_OF_TOWERS
from tests.synthetic.spec import Discs, Manner
from vision.capture.pictures import jpeg_of
from vision.imaging.frame import Frame

SPEEDS = (0.25, 0.33, 0.5, 1.0, 2.0)
N_TURNS, RESTS_S, END_S, SIZE_PX, FPS = 8, (0.8, 2.0), 2.5, (800, 450), 10.0
DOTS, LETTERS = Manner(mark="dot", mark_size=0.19), Manner(ornament="letters")
DISC_TABLES = ((2, 8), (3, 12), (2, 8), (4, 16), (2, 12), (3, 16))
"""Players and holes of a ring in Moulin Rouge, by turns; of more players, four holes for each."""

DISCS: tuple[Discs, ...] = ("grainy", "marked", "plain")
"""What discs are made of, by turns."""

LONG_TURNS, FOUL_RATE = 20, 0.05
UNREST = {3: "point", 7: "rest", 11: "hide", 15: "cup"}
"""What people do besides in an unquiet game, by turn; captured stones are laid right beside the board then, too."""

UPSET_GAMES = ("millchen", "nine_mens_morris", "six_mens_morris", "twelve_mens_morris", "morabaraba")
UPSET_TURN, TURNS_AFTER_UPSET = 7, 5
"""Games in which three stones may be moved without an end, by turns; and when that happens."""

Drawing = tuple[Game, Callable[[], Iterator[Shot]]]  # the game before the first picture, and what draws the film


def played(seed: int) -> Drawing:
    """A film of any game of two players, with one foul."""
    game, rng = Game.start(find_variant(GAMES[seed % len(GAMES)])), np.random.default_rng((seed, 3))
    script = Script(N_TURNS, {int(rng.integers(3, 6)): ANY_FOUL}, fps=FPS, rests_s=RESTS_S, end_s=END_S)
    return game, lambda: shots_of(game, script, seed, hardness=None, size_px=SIZE_PX)


def long_game(seed: int, level: int = 0, **script: Any) -> Drawing:
    """A whole game of two players with a push, a knock, a lamp and any fouls, through a camera as restless as said."""
    game, rng = Game.start(find_variant(GAMES[seed % len(GAMES)])), np.random.default_rng((seed, 1))
    plies = 3 + rng.permutation(LONG_TURNS - 3)[: rng.binomial(LONG_TURNS, FOUL_RATE)]
    fouls = {int(ply): ANY_FOUL for ply in plies}
    whole = Script(LONG_TURNS, fouls, **{"accidents": ACCIDENTS, **script})
    return game, lambda: shots_of(game, whole, seed, restless_camera(seed, level) if level else None)


def upset(seed: int) -> Drawing:
    """A game in which three stones are moved at once, and which goes on from there."""
    game = Game.start(find_variant(UPSET_GAMES[seed % len(UPSET_GAMES)]))
    script = Script(UPSET_TURN + TURNS_AFTER_UPSET - 1, accidents={UPSET_TURN: "shuffle"}, rest_s=2.5)
    return game, lambda: shots_of(game, script, seed)


def handheld(seed: int, game: str | None = None, n_turns: int = 16) -> Drawing:
    """A series of photographs, a picture a turn."""
    series = draw_series(seed, game, n_turns)
    return Game.start(series.variant), lambda: photographed(series)


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
    "long": (long_game, 1.0),
    "restless": (lambda seed: long_game(seed, 2), 0.5),
    "unquiet": (lambda seed: long_game(seed, accidents=ACCIDENTS | UNREST, beside=True), 0.5),
    "laws": (lambda seed: long_game(seed, 1, rests_s=(0.5, 3.0), foul_s=5.0, end_s=5.0, thinking=0.2), 0.5),
    "upset": (upset, 0.5),
    "handheld": (handheld, 1.0),
    "handheld laws": (handheld, 0.5),
}


PHOTOGRAPHED = ("series", "handheld")


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
        kept = [(shot, jpeg_of(data), at_s) for shot, data, at_s in pickle.loads(path.read_bytes())]
        shown = [(k, *kept[int(k * speed + 1e-9)]) for k in range(int((len(kept) - 1e-9) / speed) + 1)]
        shots = [replace(s, frame=Frame(jpeg, at_s if speed == 1 else k / FPS, k)) for k, s, jpeg, at_s in shown]
        how = {"photographs": name.startswith(PHOTOGRAPHED), "laws": name.endswith("laws")}
        yield row, judge(iter(shots), game, seed, either_side=_are_sides_open(game), **how)


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


def details(lines: Sequence[tuple[str, Result]]) -> str:
    """What the table does not say of each row: rings, towers, the kinds of fouls, waits and laws."""
    told = []
    for row in dict.fromkeys(row for row, _ in lines):
        of = [result for other, result in lines if other == row]
        called = [foul for result in of for foul in result.offences if foul.called]
        n = {
            name: sum(getattr(r, name) for r in of)
            for name in ("rings", "rings_right", "like", "like_found", "under_hand")
        }
        waits_s = sorted(wait_s for result in of for wait_s in result.waits_s) or [0.0]
        p50, p95 = (waits_s[int(share * (len(waits_s) - 1))] for share in (0.5, 0.95))
        said = [
            f"{sum(foul.called in (foul.kind, *foul.alike) for foul in called)} of {len(called)} fouls called as shown"
        ]
        said += [f"ring steps {n['rings_right']} of {n['rings']}", f"on their like {n['like_found']} of {n['like']}"]
        said += [f"said under a hand {n['under_hand']}", f"announced after p50 {p50:.2f}, p95 {p95:.2f} s"]
        said += [f"{1000 * sum(r.seconds for r in of) / max(sum(r.frames for r in of), 1):.1f} ms a frame"]
        for law in dict.fromkeys(name for result in of for name in result.laws):
            kept, asked = (round(sum(r.laws[law][k] for r in of if law in r.laws)) for k in (0, 1))
            said += [f"{law}: {wilson(kept, asked).strip()}"] if asked else []
        told.append(f"{row}: {'; '.join(said)}")
    return "\n".join(told)


def main() -> None:
    """Draw and count what the command line asks for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counted", type=Path, help="file with a line of JSON for each film")
    parser.add_argument("--cache", type=Path, required=True, help="folder of the films")
    parser.add_argument("--seed", type=int, required=True, help="of the first film")
    parser.add_argument("--films", type=int, default=12)
    parser.add_argument("--only", nargs="*", choices=list(SETS), default=list(SETS))
    parser.add_argument("--words", action="store_true", help="print what was said in games that went wrong")
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
            if given.words and (not result.exact or result.broken):
                print(f"{row} {seed}", *result.missed, *result.said, *result.broken, sep="\n    ", flush=True)
    print(table(lines), details(lines), sep="\n\n")


if __name__ == "__main__":
    main()
