"""Collect labelled looks: what every cue says of every point, and what really lies there.

    python -m tools.evidence.collect OUT.npz --folders FOLDER ... --drawn N --drawn-series N --seed SEED

Every film is followed with the truth in hand (teacher forcing): after each look the true table is accepted, so a
misread turn spoils no later look. Films of many tables are kept apart by their number, for cross-validation by table.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.boards import boards_for
from referee.game import Game, as_shown
from referee.presets import find_variant
from referee.variant import Variant
from tests.simulation.play import ACCIDENTS, GAMES
from tests.simulation.reading import places_of
from tests.simulation.series import draw_series
from tests.synthetic import Scene, Script, film, random_spec
from vision.cases.table_habits import look_of_case
from vision.decoding.belief import initial_belief, preference_against, update
from vision.decoding.decision import Decision
from vision.decoding.posterior import decode
from vision.evidence.fusion import Cues, Evidence, fuse
from vision.imaging.frame import Float32Array, Frame
from vision.watching.compare import take_look
from vision.watching.field_search import search
from vision.watching.gather_cues import gather_cues
from vision.watching.learning import learn
from vision.watching.looks import Look
from vision.watching.state import State, TableSetup, Unseen, Watched, start
from vision.watching.table_tracking import begin_photograph, track_field, track_motion

DRAWN_GAMES = (*GAMES, "trialectic", "moulin_rouge", "trialectic")

MAX_PLAYERS = 6
"""Players that a row has room for."""

HELD_FPS, HELD_FRAMES, HELD_FRAMES_AT_REST = 5.0, 2, 5
"""Frames a second of a rendered film, and how many of them every picture of it stands. Source: chosen."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """One frame with its truth.

    Attributes:
        points_px: float64 array of shape (n_points, 2). The true points, image space.
        tops, heights: What lies on them.
        at_rest: Nobody's hand is over the table.
    """

    frame: Frame
    points_px: NDArray[np.float64]
    tops: tuple[int, ...]
    heights: tuple[int, ...]
    at_rest: bool


@dataclass(frozen=True, eq=False)
class LabelledLook:
    """One labelled look: the number of its table, its cues, and what really lies there (arrays by point)."""

    table: int
    cues: Cues
    truth: NDArray[np.intp]
    touched: NDArray[np.bool_]
    came_from: NDArray[np.intp]


def folder_frames(folder: Path) -> tuple[str, bool, Iterator[Labelled]]:
    """Return the kind of board, whether it is a series of photographs, and the labelled frames of a rendered film."""
    series = folder / "series.json"
    meta = json.loads((series if series.exists() else folder / "frames.json").read_text())
    players = {colour: player + 1 for player, colour in enumerate(meta["colours"])}

    def frames() -> Iterator[Labelled]:
        rng, n = np.random.default_rng(meta["seed"]), 0
        for i, row in enumerate(meta["frames"]):
            bgr = cv2.imread(str(folder / row["file"]))
            tops = tuple(players[stack[-1]] if stack else 0 for stack in row["occupancy"])
            heights = tuple(map(len, row["occupancy"]))
            points = np.array(row["points_px"], np.float64)
            if series.exists():
                yield Labelled(Frame(bgr, float(i), i), points, tops, heights, True)
                continue
            # Every picture of a rendered film stands for a while, under fresh noise.
            rest = not row["hand"] and row["settled"]
            for _ in range(HELD_FRAMES_AT_REST if rest else HELD_FRAMES):
                noise = rng.normal(0, 1.6, bgr.shape[:2])[..., None]
                noisy = np.clip(bgr * (1 + rng.normal(0, 0.004)) + noise, 0, 255).astype(np.uint8)
                yield Labelled(Frame(noisy, n / HELD_FPS, n), points, tops, heights, rest)
                n += 1

    return meta["board"], series.exists(), frames()


def drawn_frames(seed: int) -> tuple[str, bool, Iterator[Labelled], Variant]:
    """Return the same for a drawn game with accidents and fouls."""
    rng = np.random.default_rng(seed)
    name = DRAWN_GAMES[seed % len(DRAWN_GAMES)]
    discs = name == "moulin_rouge"
    variant = find_variant(name, players=2 + seed % 3, fields=8 + 4 * (seed % 3)) if discs else find_variant(name)
    game = Game.start(variant)
    spec = random_spec(
        rng,
        variant.board,
        n_players=len(game.position.hands),
        hardness=float(rng.uniform(0.2, 0.8)),
        size_px=(960, 540),
        discs="marked" if seed % 2 else "grainy",
    )
    fouls = {int(ply): "any" for ply in range(4, 14) if rng.random() < 0.15}
    accidents = {} if discs or variant.max_height > 1 else {k: v for k, v in ACCIDENTS.items() if rng.random() < 0.8}
    script = Script(14, fouls, accidents, fps=6.0, off_step=0.1 * discs, turning=0.35 * discs)

    def frames() -> Iterator[Labelled]:
        for shot in film(Scene(spec), game, script, rng):
            truth = shot.truth
            yield Labelled(shot.frame, truth.points_px, truth.tops, truth.heights, not shot.hand)

    return name, False, frames(), variant


def drawn_series_frames(seed: int, game: str | None, on_like: float) -> tuple[Variant, Iterator[Labelled]]:
    """Return the variant and the labelled frames of a drawn handheld series."""
    series = draw_series(seed, game, n_turns=14, on_like=on_like)
    bare = (0,) * len(series.variant.board.points)

    def frames() -> Iterator[Labelled]:
        for i, photograph in enumerate(series):
            heights = series.turns[photograph.n_turns - 1].after.heights if photograph.n_turns else bare
            frame = Frame(photograph.bgr, float(i), i)
            yield Labelled(frame, photograph.points_px, photograph.tops, heights, True)

    return series.variant, frames()


def collect(variant: Variant, photographs: bool, frames: Iterator[Labelled], table_number: int) -> list[LabelledLook]:
    """Return the looks of one film, each with its cues and its truth."""
    looks: list[LabelledLook] = []
    for state, look, cues, tops, heights in followed(variant, photographs, frames):
        touched = (tops != cues.tops) | (heights != np.array(state.belief.shown_position.heights)[look.came_from])
        looks.append(LabelledLook(table_number, cues, tops, touched, look.came_from))
    return looks


def followed(
    variant: Variant, photographs: bool, frames: Iterator[Labelled]
) -> Iterator[tuple[Watched, Look, Cues, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield each look of one film with the state before it, its cues, and the true tops and heights, (n_points,)."""
    table = TableSetup(variant, boards_for(variant))
    state: State = start(table)
    for labelled in frames:
        frame = labelled.frame
        state = begin_photograph(state, frame) if photographs else track_motion(state, frame)
        if isinstance(state, Unseen):
            state, _ = search(state, frame, table)
            continue
        state, look = take_look(track_field(state, frame).state, frame)
        if look is None:
            continue
        order = places_of(look.field.points_px, labelled.points_px)
        if sorted(order) != list(range(len(labelled.tops))) or not labelled.at_rest:
            continue
        tops, heights = np.array(labelled.tops)[order], np.array(labelled.heights)[order]
        cues, colours = gather_cues(state, look)
        yield state, look, cues, tops, heights
        state = _accept(state, look, fuse(cues), colours, tops, heights)


def _accept(
    state: Watched,
    look: Look,
    evidence: Evidence,
    colours: Float32Array,
    tops: NDArray[np.intp],
    heights: NDArray[np.intp],
) -> Watched:
    """Return the state after the true table was accepted."""
    belief = update(state.belief, evidence)
    first = Game.start(state.game.variant).on_board(state.game.position.board).position
    game = as_shown(first, [int(t) for t in tops], [int(h) for h in heights])
    accepted = replace(
        initial_belief(Game.replay(game, ())), bias=preference_against(belief, tuple(int(t) for t in tops))
    )
    return learn(state, look, evidence, colours, decode(belief), Decision(accepted, settled=True))


def save(path: Path, looks: Sequence[LabelledLook]) -> None:
    """Write the looks, one row a point; players who do not take part have -inf nats."""
    columns: dict[str, list[NDArray[Any]]] = {}
    row = 0
    for i, look in enumerate(looks):
        n, cues = len(look.truth), look.cues
        follows = i > 0 and looks[i - 1].table == look.table and len(looks[i - 1].truth) == n
        own: dict[str, NDArray[Any]] = {
            "truth": look.truth,
            "touched": look.touched,
            "table": np.full(n, look.table),
            "previous": look.came_from + row - n if follows else np.full(n, -1),
        }
        own |= {f.name: getattr(cues, f.name) for f in fields(Cues) if f.name not in ("stone", "paint", "cover")}
        own |= {f"stone/{name}": nats for name, nats in cues.stone.items()}
        for name, nats in cues.paint.items():
            own[f"paint/{name}"] = np.full((n, MAX_PLAYERS), -np.inf)
            own[f"paint/{name}"][:, : nats.shape[1]] = nats
        for key, values in own.items():
            columns.setdefault(key, []).append(values)
        row += n
    np.savez_compressed(path, **{key: np.concatenate(values) for key, values in columns.items()})


def main() -> None:
    """Collect the looks asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--folders", type=Path, nargs="*", default=[], help="folders of rendered films or series")
    parser.add_argument("--cases", type=Path, nargs="*", default=[], help="folders of cases, one folder a table")
    parser.add_argument("--drawn", type=int, default=0, help="drawn films")
    parser.add_argument("--drawn-series", type=int, default=0)
    parser.add_argument("--game", help="of the drawn series (default: by turns)")
    parser.add_argument("--on-like", type=float, default=0.0, help="share of their turns onto a stone of one colour")
    parser.add_argument("--seed", type=int, default=61000, help="of the first drawn film; tables are numbered from it")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    looks: list[LabelledLook] = []
    for n, (name, variant, photographs, frames) in enumerate(_films(given)):
        got = collect(variant, photographs, frames, given.seed + n)
        print(name, len(got), flush=True)
        looks += got
        save(given.out, looks)
    for n, folder in enumerate(given.cases):
        for path in sorted(folder.glob("*.millchen-case")):
            if (look := look_of_case(path.read_bytes())) is not None:
                touched = look.truth != look.cues.tops
                looks.append(LabelledLook(given.seed + n, look.cues, look.truth, touched, look.came_from))
        save(given.out, looks)


def _films(given: argparse.Namespace) -> Iterator[tuple[str, Variant, bool, Iterator[Labelled]]]:
    """Yield name, variant, whether they are photographs, and the frames of all films that are asked for."""
    for folder in given.folders:
        for path in sorted([*folder.glob("*/series.json"), *folder.glob("*/frames.json")]):
            name, photographs, frames = folder_frames(path.parent)
            yield path.parent.name, find_variant(name), photographs, frames
    for seed in range(given.seed, given.seed + given.drawn):
        name, photographs, frames, variant = drawn_frames(seed)
        yield f"{seed} {name}", variant, photographs, frames
    for seed in range(given.seed, given.seed + given.drawn_series):
        variant, frames = drawn_series_frames(seed, given.game, given.on_like)
        yield f"series {seed} {variant.name}", variant, True, frames


if __name__ == "__main__":
    main()
