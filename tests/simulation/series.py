"""Handheld series: one picture a turn, every picture from another place, and how they are followed and read.

    python -m tests.simulation.series --series 12 --seed 51000 --read
    python -m tests.simulation.series --series 12 --seed 51000 --from-turn 6

Boards, stones and what they lie on go round with the seed: cloth, wood, paper; lines painted, burnt, printed, taped,
sewn; pebbles and plastic discs; and stones that are like the ground. Once a picture is left out, once one is taken
twice. Nothing here looks into the pipeline: it gives pictures and counts what is said.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.events import BoardFound, FoulSeen, QuestionAsked
from referee.game import Game
from referee.moves import Capture, Place, Slide
from referee.presets import find_variant
from referee.turns import Turn, legal_turns
from referee.variant import Variant
from tests.simulation.camera import Development, develop
from tests.simulation.play import Spoken, acts_of, brief, common_in_order, table_of, wilson
from tests.simulation.reading import places_of, read_cold, reads_exactly
from tests.synthetic import Light, Paint, Placing, Scene, Stone, Strokes, Surface, TableSpec, random_spec
from tests.synthetic.spec import Bgr, LineStyle, Pieces
from vision.capture.sources import PHOTOGRAPH_INTERVAL_S
from vision.imaging.frame import Frame, Image
from vision.pipeline import step
from vision.watching.state import start

GAMES = (
    "millchen",
    "six_mens_morris",
    "twelve_mens_morris",
    "tic_tac_toe",
    "three_mens_morris",
    "roman_mill",
    "nine_mens_morris",
    "morabaraba",
)
"""By turns; every board of two players on which nothing turns."""

MILL_HUNGER = 0.5
OUT_OF_FOCUS = 0.12
"""Share of the pictures that are out of focus."""

SIZES_PX = ((960, 540), (960, 720), (1200, 900))
HARDNESS = 0.3

# Colours of papers, woods and pieces, BGR.
PAPERS: tuple[Bgr, ...] = ((238, 240, 241), (222, 230, 236), (205, 212, 214))
WHITES: tuple[Bgr, ...] = ((232, 236, 238), (214, 222, 228), (225, 226, 224))
LIGHT_WOODS: tuple[Bgr, ...] = ((140, 175, 205), (115, 160, 198), (95, 140, 185))
DARK_WOODS: tuple[Bgr, ...] = ((42, 62, 98), (58, 84, 128), (35, 48, 72))
PLASTICS: tuple[Bgr, ...] = (
    (40, 40, 200), (190, 90, 30), (40, 170, 230), (70, 150, 50), (236, 238, 240), (32, 32, 32), (170, 60, 130),
)  # fmt: skip
INKS: tuple[Bgr, ...] = ((30, 30, 30), (70, 60, 55), (120, 50, 30), (40, 40, 150))
TAPES: tuple[Bgr, ...] = ((28, 28, 30), (180, 80, 30), (35, 35, 180), (60, 130, 50), (45, 150, 205))


class Photograph(NamedTuple):
    """One picture of a series with its truth.

    Attributes:
        bgr: uint8 array of shape (H, W, 3).
        tops: By ``board.points``: 0 bare, k a stone of player k - 1 on top.
        n_turns: Turns that were done when it was taken.
        points_px: float64 array of shape (n_points, 2). Where each point lies, image space.
    """

    bgr: Image
    tops: tuple[int, ...]
    n_turns: int
    points_px: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Series:
    """A game, and the pictures that were taken of it: iterate to have them drawn, one after the other.

    Attributes:
        material: What the board and the stones are made of, see ``MATERIALS``.
        turns: The true turns.
        shown: For each picture how many turns were done.
    """

    seed: int
    variant: Variant
    material: str
    spec: TableSpec
    turns: tuple[Turn, ...]
    shown: tuple[int, ...]

    def __iter__(self) -> Iterator[Photograph]:
        rng = np.random.default_rng((self.seed, 2))
        scene = Scene(self.spec)
        tables = list(_tables(self.turns, len(self.variant.board.points), self.variant.board.index, rng))
        for n_turns in self.shown:
            stacks, spares = tables[n_turns], _spares(self.variant, self.turns[:n_turns])
            placing, light = _another_place(self.spec.placing, rng), _later_light(self.spec.light, n_turns, rng)
            bgr, truth = scene.render(stacks, rng=rng, bump=placing, light=light, spare_stones=spares)
            yield Photograph(develop(bgr, _development(rng), rng), truth.tops, n_turns, truth.points_px)


def _another_place(home: Placing, rng: np.random.Generator) -> Placing:
    """Where somebody stands who takes the next picture."""
    return replace(
        home,
        tilt_deg=float(np.clip(home.tilt_deg + rng.normal(0, 6), 1, 58)),
        azimuth_deg=home.azimuth_deg + float(np.clip(rng.normal(0, 11), -28, 28)),
        roll_deg=home.roll_deg + float(rng.normal(0, 6)),
        fill=float(rng.uniform(0.62, 0.93)),
        aside=(float(rng.normal(0, 0.06)), float(rng.normal(0, 0.05))),
    )


def _later_light(light: Light, n_turns: int, rng: np.random.Generator) -> Light:
    """The light half a minute a turn later: the sun has gone on, and whoever takes the picture shades the table."""
    gradient = tuple(float(g + rng.normal(0, 0.06)) for g in light.gradient)
    azimuth = light.azimuth_deg + 0.4 * n_turns
    return replace(light, gradient=(gradient[0], gradient[1]), azimuth_deg=azimuth)


def _development(rng: np.random.Generator) -> Development:
    blurred = rng.random() < OUT_OF_FOCUS
    blue, red = (float(np.exp(n)) for n in rng.normal(0, 0.07, 2))
    return Development(
        gain=float(2 ** np.clip(rng.normal(0, 0.25), -0.7, 0.4)),
        balance=(blue, 1.0, red),
        blur_px=float(rng.uniform(1.4, 2.4) if blurred else rng.uniform(0.0, 0.6)),
        noise=float(rng.uniform(0.8, 2.5)),
        jpeg_quality=int(rng.integers(78, 95)),
    )


def _tables(
    turns: Sequence[Turn], n_points: int, index: dict[str, int], rng: np.random.Generator
) -> Iterator[list[list[Stone]]]:
    """What lies on the points before the first turn and after each."""
    stacks: list[list[Stone]] = [[] for _ in range(n_points)]
    yield [list(stack) for stack in stacks]
    for number, turn in enumerate(turns):
        away, angle = 0.16 * np.sqrt(rng.uniform()), rng.uniform(0, 2 * np.pi)
        offset = (float(away * np.cos(angle)), float(away * np.sin(angle)))
        for move in turn.moves:
            if isinstance(move, Place):
                stacks[index[move.to]].append(Stone(turn.player, 100 + number, offset))
            elif isinstance(move, Slide):
                stacks[index[move.to]].append(replace(stacks[index[move.start]].pop(), offset=offset))
            elif isinstance(move, Capture):
                stacks[index[move.at]].pop(-1 if move.level is None else move.level - 1)
        if tuple(stack[-1].player + 1 if stack else 0 for stack in stacks) != turn.after.tops:
            raise RuntimeError(f"the table that is drawn and the game differ after {turn}")
        yield [list(stack) for stack in stacks]


def _spares(variant: Variant, turns: Sequence[Turn]) -> tuple[int, ...]:
    hands = turns[-1].after.hands if turns else variant.hands
    return tuple(min(n, 6) for n in hands)


# ---------------------------------------------------------------- what tables are made of


def _near(rng: np.random.Generator, colour: Bgr, levels: float = 6.0) -> Bgr:
    b, g, r = np.clip(np.array(colour) + rng.normal(0, levels / 2, 3) + rng.normal(0, levels), 10, 248)
    return float(b), float(g), float(r)


def _one(rng: np.random.Generator, colours: Sequence[Bgr]) -> Bgr:
    return _near(rng, colours[int(rng.integers(len(colours)))])


def _two(rng: np.random.Generator, colours: Sequence[Bgr]) -> tuple[Bgr, Bgr]:
    one, other = rng.choice(len(colours), 2, replace=False)
    return _near(rng, colours[int(one)]), _near(rng, colours[int(other)])


def _lines(spec: TableSpec, style: LineStyle, colour: Bgr, rng: np.random.Generator) -> TableSpec:
    """The table with other lines: printed or taped ones are even and straight, and points lie where they should."""
    if style == "print":
        strokes = Strokes("print", colour, float(rng.uniform(0.004, 0.009)), 0.0, 0.0, 0.0)
        return replace(spec, strokes=strokes, point_error=0.0)
    if style == "tape":
        strokes = Strokes("tape", colour, float(rng.uniform(0.014, 0.026)), 0.0005, float(rng.uniform(0, 0.02)), 0.0)
        return replace(spec, strokes=strokes, point_error=0.01)
    return replace(spec, strokes=replace(spec.strokes, style=style, colour=colour))


def _well_exposed(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    """The table in a light in which a camera sees white things beside each other."""
    return replace(spec, light=replace(spec.light, gain=float(rng.uniform(0.65, 0.85))))


def _on_paper(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    paper = _one(rng, PAPERS)
    sheet = Surface(paper, paper, "plain", weave=float(rng.uniform(0.0, 0.006)))
    return _well_exposed(replace(spec, cloth=sheet, shape="square", wrinkles=min(spec.wrinkles, 0.003)), rng)


def _on_wood(spec: TableSpec, wood: Bgr, rng: np.random.Generator) -> TableSpec:
    darker = (wood[0] * 0.8, wood[1] * 0.82, wood[2] * 0.85)
    board = Surface(wood, darker, "wood", float(rng.uniform(0.05, 0.14)), float(rng.uniform(0.02, 0.07)))
    return replace(spec, cloth=board, shape="square", wrinkles=0.0)


def _in_paints(spec: TableSpec, colours: Sequence[Bgr | None], speckle: float, pieces: Pieces) -> TableSpec:
    n = len(spec.paints)
    others = tuple(p for p in spec.paints[len(colours) :])
    paints = tuple(Paint(colour, speckle=speckle) for colour in colours)[:n]
    return replace(spec, paints=paints + others, pieces=pieces)


def _white_on_paper(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    spec = _lines(_on_paper(spec, rng), "print", _one(rng, INKS), rng)
    other = _one(rng, PLASTICS[:4])
    return _in_paints(spec, _shuffled((_one(rng, WHITES), other), rng), 0.03, "pebbles")


def _wood_on_wood(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    light, dark = _one(rng, LIGHT_WOODS), _one(rng, DARK_WOODS)
    spec = _lines(_on_wood(spec, _near(rng, light, 10), rng), "burnt", (30.0, 40.0, 55.0), rng)
    return _in_paints(spec, _shuffled((_near(rng, light, 8), dark), rng), 0.06, "discs")


def _discs_on_paper(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    spec = _lines(_on_paper(spec, rng), "print", _one(rng, INKS), rng)
    return _in_paints(spec, _two(rng, PLASTICS), 0.005, "discs")


def _natural_on_wood(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    spec = _lines(_on_wood(spec, _one(rng, LIGHT_WOODS), rng), "burnt", (30.0, 40.0, 55.0), rng)
    dull = replace(spec.light, gain=0.75, shadow=0.25, softness=0.05, bars=0)
    spec = replace(spec, light=dull)
    spec = _in_paints(spec, _shuffled((None, _one(rng, WHITES)), rng), 0.1, "pebbles")
    return replace(spec, paints=tuple(replace(paint, motley=paint.colour is None) for paint in spec.paints))


def _discs_on_tape(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    return _in_paints(_lines(spec, "tape", _one(rng, TAPES), rng), _two(rng, PLASTICS), 0.005, "discs")


def _white_on_white_cloth(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    white = _one(rng, WHITES)
    cloth = Surface(
        white, (white[0] * 0.9, white[1] * 0.9, white[2] * 0.9), "plain", weave=float(rng.uniform(0.01, 0.05))
    )
    spec = _lines(_well_exposed(replace(spec, cloth=cloth), rng), "tape", _one(rng, TAPES), rng)
    return _in_paints(spec, _shuffled((_one(rng, WHITES), _one(rng, PLASTICS[:4])), rng), 0.04, "pebbles")


def _painted_wood(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    return _lines(_on_wood(spec, _one(rng, LIGHT_WOODS), rng), "paint", spec.strokes.colour, rng)


def _as_drawn(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    return spec


def _sewn(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    return replace(spec, strokes=replace(spec.strokes, style="wool"))


def _shuffled(pair: tuple[Bgr | None, Bgr | None], rng: np.random.Generator) -> tuple[Bgr | None, Bgr | None]:
    return pair if rng.random() < 0.5 else (pair[1], pair[0])


MATERIALS = {
    "paints": _as_drawn,
    "white on paper": _white_on_paper,
    "painted wood": _painted_wood,
    "wood on wood": _wood_on_wood,
    "discs on paper": _discs_on_paper,
    "natural on wood": _natural_on_wood,
    "discs, taped": _discs_on_tape,
    "white on white": _white_on_white_cloth,
    "sewn": _sewn,
}
"""What tables are made of, by turns; as many as have no factor in common with the number of games."""

ALIKE = ("white on paper", "wood on wood", "natural on wood", "white on white")
"""Materials in which stones are like the ground, or both kinds like each other."""


def draw_series(
    seed: int, game: str | None = None, n_turns: int = 16, *, material: str | None = None, from_turn: int = 0
) -> Series:
    """A series; the same seed gives the same pictures.

    Args:
        game: Name of a game on a board that does not turn; by turns when omitted.
        n_turns: After so many turns it ends, if the game has not ended before.
        material: One of ``MATERIALS``; by turns when omitted.
        from_turn: Turns that are done when the first picture is taken.
    """
    game = game or GAMES[seed % len(GAMES)]
    material = material or list(MATERIALS)[seed % len(MATERIALS)]
    rng, variant = np.random.default_rng((seed, 1)), find_variant(game)
    if variant.board.rings:
        raise ValueError(f"a handheld series shows a board that does not turn, not {game!r}")
    size_px = SIZES_PX[int(rng.integers(len(SIZES_PX)))]
    spec = random_spec(rng, variant.board, n_players=variant.players, hardness=HARDNESS, size_px=size_px)
    spec = replace(MATERIALS[material](spec, rng), jpeg_quality=None, noise=0.5, blur_px=0.4)
    turns = _played(variant, n_turns, rng)
    shown = list(range(min(from_turn, len(turns)), len(turns) + 1))
    if len(shown) > 6:  # once a picture is left out, and once one is taken twice
        left_out = int(rng.integers(2, len(shown) - 2))
        del shown[left_out]
        twice = int(rng.integers(1, len(shown)))
        shown.insert(twice, shown[twice])
    return Series(seed, variant, material, spec, turns, tuple(shown))


def _played(variant: Variant, n_turns: int, rng: np.random.Generator) -> tuple[Turn, ...]:
    """A game by chance, with some wish for mills."""
    game, turns = Game.start(variant), list[Turn]()
    while len(turns) < n_turns and game.outcome is None:
        lawful = legal_turns(game.position)
        closing = [turn for turn in lawful if turn.mills]
        among = closing if closing and rng.random() < MILL_HUNGER else lawful
        turns.append(among[int(rng.integers(len(among)))])
        game = game.play_turn(turns[-1])
    return tuple(turns)


# ---------------------------------------------------------------- how they are followed


@dataclass
class Followed:
    """How one series went.

    Attributes:
        turns, right, announced: Turns that could be seen, those of them that were announced in order, and how many were
            announced.
        asked, accused, resumed: Questions, fouls called (there were none), and how often the board was taken over as it
            was seen.
        pictures, kept: Pictures, and those after which the follower's position was right.
        ended: It was right after the last one.
        read, read_exactly, lost: Pictures read alone; those of them that were read without a mistake; and those of
            these after which the follower's position was wrong: law 1.
    """

    seed: int
    game: str
    material: str
    found: bool = False
    turns: int = 0
    right: int = 0
    announced: int = 0
    asked: int = 0
    accused: int = 0
    resumed: int = 0
    pictures: int = 0
    kept: int = 0
    ended: bool = False
    read: int = 0
    read_exactly: int = 0
    lost: int = 0
    said: list[str] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Every word was right, and what lies on the board was known at the end."""
        return self.turns == self.right == self.announced and self.ended and not self.accused


def follow(series: Series, *, read: bool = False) -> Followed:
    """Show a series to the referee, as ``millchen watch FOLDER`` does, and count what it says."""
    variant = series.variant
    names, table = variant.board.points, table_of(variant, photographs=True)
    state, result = start(table), Followed(series.seed, variant.name, series.material)
    name_of, spoken = dict[str, str](), Spoken()
    for number, photograph in enumerate(series):
        frame = Frame(photograph.bgr, number * PHOTOGRAPH_INTERVAL_S, number)
        state, events = step(state, frame, table)
        for event in events:
            result.said.append(f"{number:3} ({photograph.n_turns} turns) {brief(event)}")
            if isinstance(event, BoardFound):
                places = places_of([xy for _, *xy in event.points], photograph.points_px)
                seen = {n: names[i] for (n, *_), i in zip(event.points, places, strict=True) if i >= 0}
                name_of = seen if len(seen) >= len(name_of) else name_of
                result.found |= len(seen) == len(names)
            spoken.hear(event, name_of)
            result.accused += isinstance(event, FoulSeen)
            result.asked += isinstance(event, QuestionAsked)
        right = position_is_right(state.game, name_of, photograph.tops, names, fixed=not series.shown[0])
        result.pictures, result.kept, result.ended = result.pictures + 1, result.kept + right, right
        if read:
            reading = read_cold(photograph.bgr, variant.board, variant.players)
            exact = reads_exactly(reading, photograph.tops, photograph.points_px)
            result.read, result.read_exactly = result.read + 1, result.read_exactly + exact
            result.lost += exact and not right
            if exact and not right:
                result.said.append(f"{number:3} ({photograph.n_turns} turns) LAW 1: read exactly, followed wrongly")
    said, result.resumed = [turn[:2] for turn in spoken.turns], spoken.resumed
    truth = [(turn.player, acts_of(turn.moves, {n: n for n in names})) for turn in series.turns[series.shown[0] :]]
    # Whose stones are whose is open where the first stones were never seen to be laid.
    orders = (
        list(itertools.permutations(range(variant.players))) if series.shown[0] else [tuple(range(variant.players))]
    )
    ours = [[(order[player], acts) for player, acts in truth] for order in orders]
    result.right = max(common_in_order(one, said) for one in ours)
    result.turns, result.announced = len(truth), len(said)
    return result


def position_is_right(
    game: Game, name_of: dict[str, str], tops: Sequence[int], names: Sequence[str], *, fixed: bool = True
) -> bool:
    """Whether the follower's tops are the table's; unless ``fixed``, up to whose colour is whose."""
    if not name_of:
        return not any(tops) and not any(game.position.tops)
    top_of = {name_of.get(n): top for n, top in zip(game.position.board.points, game.position.tops, strict=True)}
    seen = [top_of.get(n, -1) for n in names]
    n_players = 1 + max((*tops, *seen, 1))
    orders = [tuple(range(n_players))] if fixed else [(0, *o) for o in itertools.permutations(range(1, n_players))]
    return any(all(a >= 0 and order[a] == b for a, b in zip(seen, tops, strict=True)) for order in orders)


def report(results: Sequence[Followed]) -> str:
    """The figures of many series, with Wilson's 95 % intervals."""

    def total(name: str) -> int:
        return sum(int(getattr(r, name)) for r in results)

    lines = [
        f"series               {len(results)}, fields found {wilson(total('found'), len(results))}",
        f"turns right          {wilson(total('right'), total('turns'))}",
        f"series untouched     {wilson(total('exact'), len(results))}",
        f"none accused         {wilson(sum(not r.accused for r in results), len(results))}",
        f"false accusations    {total('accused')}; questions {total('asked')}; taken over {total('resumed')}",
        f"said too much        {total('announced') - total('right')} turns",
        f"position right after {wilson(total('kept'), total('pictures'))} of the pictures",
    ]
    if total("read"):
        lines.append(f"read exactly alone   {wilson(total('read_exactly'), total('read'))}")
        kept = total("read_exactly") - total("lost")
        lines.append(f"law 1                {wilson(kept, total('read_exactly'))} of the pictures read exactly")
    for key in ("material", "game"):
        for name in sorted({getattr(r, key) for r in results}):
            part = [r for r in results if getattr(r, key) == name]
            right = wilson(sum(r.right for r in part), sum(r.turns for r in part))
            alone = f"; alone {sum(r.read_exactly for r in part)}/{sum(r.read for r in part)}" if part[0].read else ""
            lines.append(f"  {name:20} turns {right}; asked {sum(r.asked for r in part)}{alone}")
    return "\n".join(lines)


def line_of(r: Followed) -> str:
    """One series on one line."""
    alone = f"  alone {r.read_exactly}/{r.read} lost {r.lost}" if r.read else ""
    return (
        f"{r.seed} {r.game:18} {r.material:16} {'' if r.found else 'NOT FOUND '}turns {r.right}/{r.turns}"
        f" (said {r.announced})  asked {r.asked}  accused {r.accused}  resumed {r.resumed}"
        f"  kept {r.kept}/{r.pictures}{alone}{'  EXACT' if r.exact else ''}"
    )


def write(series: Series, folder: Path) -> None:
    """Keep a series as a folder of pictures with its truth (``series.json``), for ``millchen watch FOLDER``."""
    folder.mkdir(parents=True, exist_ok=True)
    names = series.variant.board.points
    frames, moves = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, photograph in enumerate(series):
        cv2.imwrite(str(folder / f"p{number:03}.png"), photograph.bgr)
        frames.append(
            {
                "file": f"p{number:03}.png",
                "plies_done": photograph.n_turns,
                "points_px": photograph.points_px.round(2).tolist(),
                "occupancy": [[str(top)] if top else [] for top in photograph.tops],
            }
        )
    for ply, turn in enumerate(series.turns, 1):
        first = turn.moves[0]
        moves.append(
            {
                "ply": ply,
                "player": turn.player,
                "type": "place" if isinstance(first, Place) else "move",
                "from": first.start if isinstance(first, Slide) else None,
                "to": first.to if isinstance(first, Place | Slide) else None,
                "captures": [[move.at, ""] for move in turn.moves if isinstance(move, Capture)],
                "legal": True,
            }
        )
    truth = {
        "clip": folder.name,
        "game": series.variant.name,
        "board": series.variant.board.name,
        "style": series.material,
        "colours": [str(k + 1) for k in range(series.variant.players)],
        "point_names": list(names),
        "seed": series.seed,
        "frames": frames,
        "moves": moves,
    }
    (folder / "series.json").write_text(json.dumps(truth))


def main() -> None:
    """Follow the series asked for on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first series")
    parser.add_argument("--game", help="of all series (default: by turns); also trialectic")
    parser.add_argument("--material", choices=list(MATERIALS), help="of all series (default: by turns)")
    parser.add_argument("--turns", type=int, default=16)
    parser.add_argument("--from-turn", type=int, default=0, help="turns that are done in the first picture")
    parser.add_argument("--read", action="store_true", help="read every picture alone, too")
    parser.add_argument("--words", action="store_true", help="print what the referee said in series that went wrong")
    parser.add_argument("--write", type=Path, help="only keep the pictures and their truth in this folder")
    parser.add_argument("--keep", type=Path, help="file to append each series' figures to, a line of JSON a series")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    results = []
    for seed in range(given.seed, given.seed + given.series):
        series = draw_series(seed, given.game, given.turns, material=given.material, from_turn=given.from_turn)
        if given.write:
            write(series, given.write / f"s{seed}")
            continue
        results.append(follow(series, read=given.read))
        print(line_of(results[-1]), flush=True)
        if given.words and not results[-1].exact:
            print("\n".join(results[-1].said), flush=True)
        if given.keep:
            with given.keep.open("a") as file:
                file.write(json.dumps(asdict(results[-1])) + "\n")
    if results:
        print("\n" + report(results))


if __name__ == "__main__":
    main()
