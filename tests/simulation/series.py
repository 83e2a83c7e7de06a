"""Handheld series: one picture a turn, every picture from another place.

Boards, stones and what they lie on go round with the seed: cloth, wood, paper; lines painted, burnt, printed, taped,
sewn; pebbles and plastic discs; and stones that are like the ground. Once a picture is left out, once one is taken
twice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.game import Game
from referee.moves import Capture, Place, Slide
from referee.position import Position
from referee.presets import find_variant
from referee.turns import Turn, legal_turns
from referee.variant import Variant
from tests.simulation.camera import Development, develop
from tests.synthetic import Light, Paint, Placing, Scene, Stone, Strokes, Surface, TableSpec, random_spec
from tests.synthetic.spec import Bgr, LineStyle, Pieces
from vision.imaging.frame import Image

GAMES = (
    "millchen", "six_mens_morris", "twelve_mens_morris", "tic_tac_toe", "three_mens_morris", "roman_mill",
    "nine_mens_morris", "morabaraba",
)  # fmt: skip
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


def _white_on_white_cloth(spec: TableSpec, rng: np.random.Generator) -> TableSpec:
    white = _one(rng, WHITES)
    cloth = Surface(
        white, (white[0] * 0.9, white[1] * 0.9, white[2] * 0.9), "plain", weave=float(rng.uniform(0.01, 0.05))
    )
    spec = _lines(_well_exposed(replace(spec, cloth=cloth), rng), "tape", _one(rng, TAPES), rng)
    return _in_paints(spec, _shuffled((_one(rng, WHITES), _one(rng, PLASTICS[:4])), rng), 0.04, "pebbles")


def _shuffled(pair: tuple[Bgr | None, Bgr | None], rng: np.random.Generator) -> tuple[Bgr | None, Bgr | None]:
    return pair if rng.random() < 0.5 else (pair[1], pair[0])


MATERIALS: dict[str, Callable[[TableSpec, np.random.Generator], TableSpec]] = {
    "paints": lambda spec, _: spec,
    "white on paper": _white_on_paper,
    "painted wood": lambda spec, rng: _lines(
        _on_wood(spec, _one(rng, LIGHT_WOODS), rng), "paint", spec.strokes.colour, rng
    ),
    "wood on wood": _wood_on_wood, "discs on paper": _discs_on_paper, "natural on wood": _natural_on_wood,
    "discs, taped": lambda spec, rng: _in_paints(
        _lines(spec, "tape", _one(rng, TAPES), rng), _two(rng, PLASTICS), 0.005, "discs"
    ),
    "white on white": _white_on_white_cloth,
    "sewn": lambda spec, _: replace(spec, strokes=replace(spec.strokes, style="wool")),
}  # fmt: skip
"""What tables are made of, by turns; as many as have no factor in common with the number of games."""


def draw_series(
    seed: int,
    game: str | None = None,
    n_turns: int = 16,
    *,
    material: str | None = None,
    from_turn: int = 0,
    on_like: float = 0.0,
) -> Series:
    """A series; the same seed gives the same pictures.

    Args:
        game: Name of a game on a board that does not turn; by turns when omitted.
        n_turns: After so many turns it ends, if the game has not ended before.
        material: One of ``MATERIALS``; by turns when omitted.
        from_turn: Turns that are done when the first picture is taken.
        on_like: Share of the turns that lay a stone on one of its colour wherever some can.
    """
    game = game or GAMES[seed % len(GAMES)]
    material = material or list(MATERIALS)[seed % len(MATERIALS)]
    rng, variant = np.random.default_rng((seed, 1)), find_variant(game)
    if variant.board.rings:
        raise ValueError(f"a handheld series shows a board that does not turn, not {game!r}")
    size_px = SIZES_PX[int(rng.integers(len(SIZES_PX)))]
    spec = random_spec(rng, variant.board, n_players=variant.players, hardness=HARDNESS, size_px=size_px)
    spec = replace(MATERIALS[material](spec, rng), jpeg_quality=None, noise=0.5, blur_px=0.4)
    turns = _played(variant, n_turns, rng, on_like)
    shown = list(range(min(from_turn, len(turns)), len(turns) + 1))
    if len(shown) > 6:  # once a picture is left out, and once one is taken twice
        left_out = int(rng.integers(2, len(shown) - 2))
        del shown[left_out]
        twice = int(rng.integers(1, len(shown)))
        shown.insert(twice, shown[twice])
    return Series(seed, variant, material, spec, turns, tuple(shown))


def _played(variant: Variant, n_turns: int, rng: np.random.Generator, on_like: float) -> tuple[Turn, ...]:
    """A game by chance, with some wish for mills."""
    game, turns = Game.start(variant), list[Turn]()
    while len(turns) < n_turns and game.outcome is None:
        lawful = legal_turns(game.position)
        like = [turn for turn in lawful if covers_its_like(game.position, turn)] if on_like else []
        if like and rng.random() < on_like:
            among = like
        else:
            closing = [turn for turn in lawful if turn.mills]
            among = closing if closing and rng.random() < MILL_HUNGER else lawful
        turns.append(among[int(rng.integers(len(among)))])
        game = game.play_turn(turns[-1])
    return tuple(turns)


def covers_its_like(before: Position, turn: Turn) -> bool:
    """Whether a turn laid a stone on a tower whose top has its colour: from above nothing has changed."""
    goals = [before.board.index[move.to] for move in turn.moves if isinstance(move, Place | Slide)]
    return any(before.tops[goal] == turn.after.tops[goal] > 0 for goal in goals)
