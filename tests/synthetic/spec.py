"""What a synthetic table is made of, as values; ``random_spec`` draws one."""

from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from referee.board import Board, Circle
from referee.layouts import STANDARD_BOARDS
from tests.synthetic.blemish import Blemish
from tests.synthetic.viewpoint import Placing

Bgr = tuple[float, float, float]
Pattern = Literal["plain", "stripes", "checks", "dots", "speckle", "wood"]
LineStyle = Literal["paint", "wool", "burnt", "print", "tape", "chalk"]
Shape = Literal["round", "square"]
Discs = Literal["grainy", "plain", "marked", "drawn"]
"""Of what turning discs are made: wood with its grain; a plain sheet cut by a machine; that with a mark on it; card,
each disc of its own colour, with circles drawn for holes."""
Pieces = Literal["pebbles", "discs"]
"""What is played with: pebbles from a garden, or flat discs of plastic or wood that a machine made."""
Mark = Literal["dot", "circle", "hole", "cup", "square", "triangle"]
"""What may be drawn or cut where stones stand."""


@dataclass(frozen=True, slots=True)
class Surface:
    """A cloth, a board or a table top.

    Attributes:
        colour, second: Ground colour and the colour of its pattern, BGR, 0 to 255.
        pattern: What is woven, printed or grown into it.
        period: Distance from one stripe, check or dot to the next, sides of the board.
        weave: Strength of the threads or the grain, fraction of the brightness.
    """

    colour: Bgr
    second: Bgr
    pattern: Pattern = "plain"
    period: float = 0.15
    weave: float = 0.06


@dataclass(frozen=True, slots=True)
class Strokes:
    """How the lines are drawn.

    Attributes:
        style: Paint (solid, dry in places), wool (dashes), burnt (dark, soft edges), print or tape (even and solid),
            chalk (crumbled).
        colour: BGR, 0 to 255.
        width: Fraction of the board's side.
        wobble: How far a stroke wanders between its points, fraction of the side; the points stay on it.
        overshoot: How far a stroke runs past its last point at most, fraction of the side.
        gaps: Fraction of a stroke's length that is missing.
        opacity: 1 hides the ground, 0 is no stroke at all.
    """

    style: LineStyle
    colour: Bgr
    width: float = 0.018
    wobble: float = 0.006
    overshoot: float = 0.02
    gaps: float = 0.03
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Paint:
    """What one player's pebbles look like.

    Attributes:
        colour: BGR; None leaves the stone as it was found.
        coverage: Fraction of the pebble under paint; 0.5 is painted on one half only.
        speckle: Strength of the stone's own grain, fraction of the brightness.
        motley: Whether the stones as they were found differ in colour: brown, grey and black ones together.
    """

    colour: Bgr | None
    coverage: float = 1.0
    speckle: float = 0.08
    motley: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """A hard shadow on the table that lies between two parallel lines.

    Attributes:
        angle_deg: Direction across it, 0 to the right of the board, 90 towards the first player.
        low, high: Where it begins and ends along this direction, from the middle of the board, sides; they may be
            infinite.
    """

    angle_deg: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Light:
    """What shines on the table.

    Attributes:
        gain: Brightness of the whole picture; 1 is well exposed.
        warmth:
            -1 is a blue overcast sky, 1 a lamp of 2700 K; red and blue change by a quarter either way.
        gradient: Change of the brightness over the picture's width and height, fraction.
        azimuth_deg, elevation_deg: Where the lamp stands, as ``Viewpoint``'s azimuth; 90 is overhead.
        softness: Blur of the shadows, fraction of the board's side; 0.005 is the sun, 0.05 an overcast window.
        shadow: How much of the light a shadow takes away, 0 to 1.
        bars: Number of soft shadow bars that a window frame throws over the table.
        bands: Hard shadows, as sharp as ``softness`` says; the light of the sky is left in them, which is bluer.
    """

    gain: float = 1.0
    warmth: float = 0.0
    gradient: tuple[float, float] = (0.0, 0.0)
    azimuth_deg: float = 140.0
    elevation_deg: float = 55.0
    softness: float = 0.02
    shadow: float = 0.45
    bars: int = 0
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True, slots=True)
class Manner:
    """In what manner people draw a board that is not the plain one: what they add to its strokes, and what they omit.

    Attributes:
        double: Distance between the two lines that stand for one, fraction of the board's side; 0 for single lines.
        dash: Length of a dash and of the gap after it, fraction of the side; 0 for whole lines.
        short: How far from each point its lines stop, fraction of the smallest distance between points.
        mark: What is drawn or cut at every point.
        mark_size: Its radius, fraction of the smallest distance between points.
        frames: How far outside the drawing further outlines run, fraction of the side.
        fill: BGR of every other field (cell, square, triangle or sector).
        fill_opacity: 1 hides the ground.
        ornament: What fills the middle where that is free.
        rim_letters: Whether letters and numbers run along the rim.
        crease: What runs across the whole board.
        stitched: Whether a seam runs along the rim, as on leather.
    """

    double: float = 0.0
    dash: float = 0.0
    short: float = 0.0
    mark: Mark | None = None
    mark_size: float = 0.12
    frames: tuple[float, ...] = ()
    fill: Bgr | None = None
    fill_opacity: float = 0.6
    ornament: Literal["rosette", "letters"] | None = None
    rim_letters: bool = False
    crease: Literal["fold", "seam", "hinge"] | None = None
    stitched: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """Everything that a synthetic table is made of; the same spec gives the same pictures.

    Attributes:
        board, drawing: What is drawn on it: one of ``board.drawings`` by name.
        seed: Of every irregularity.
        paints: One for each player.
        point_error: How far a point lies off its place at most, fraction of the board's radius (half a side).
        wrinkles: How far wrinkles push a point aside at most, fraction of the side; cloth only.
        stone_size: Mean radius of a pebble, fraction of the smallest distance between points.
        placing_error: How far a stone stands off its point at most, fraction of the distance to the nearest other
            point.
        noise: Standard deviation of the sensor's noise, grey levels of 255.
        blur_px: Standard deviation of the lens blur.
        vignette: Darkening of the picture's corners, fraction.
        jpeg_quality: None leaves the picture uncompressed.
        distractors: Things on the table that are no stones: paper, a pencil, a telephone, a ball of wool.
        spare_stones: Stones of each player that lie beside the board in every picture.
        holes: Radius of a hole drilled at every point, fraction of the side; 0 for none.
        uneven: How unlike the hollows of a disc are: 1 as a hand bores them, 0 as a machine does.
        mark: Radius of a mark that sticks on every disc between two hollows, fraction of the side; 0 for none.
        hole_line: Width of the circles that are drawn for holes, fraction of the side; 0 where they are bored.
        pieces: "pebbles" or "discs".
        manner: None is the plain manner, in which nothing is added to the strokes.
        blemish: What is wrong with the board as it was made.
    """

    board: Board
    drawing: str
    seed: int
    cloth: Surface
    table: Surface
    strokes: Strokes
    paints: tuple[Paint, ...]
    shape: Shape = "round"
    placing: Placing = Placing()
    light: Light = Light()
    size_px: tuple[int, int] = (1280, 720)
    point_error: float = 0.02
    wrinkles: float = 0.0
    stone_size: float = 0.28
    placing_error: float = 0.2
    noise: float = 2.0
    blur_px: float = 0.6
    vignette: float = 0.15
    jpeg_quality: int | None = 90
    distractors: int = 2
    spare_stones: int = 3
    holes: float = 0.0
    uneven: float = 1.0
    mark: float = 0.0
    hole_line: float = 0.0
    pieces: Pieces = "pebbles"
    manner: Manner | None = None
    blemish: Blemish | None = None

    def __post_init__(self) -> None:
        names = [drawing.name for drawing in self.board.drawings]
        if self.drawing not in names:
            raise ValueError(f"{self.board.name} is drawn as one of {names}, got {self.drawing!r}")
        if not 0 <= self.placing.tilt_deg <= 75:
            raise ValueError(f"a camera tilted by more than 75 degrees sees no board, got {self.placing.tilt_deg!r}")
        if not 0 <= self.placing_error < 0.5:
            raise ValueError(f"a stone must be nearest to its own point, got placing_error {self.placing_error!r}")
        if not self.paints:
            raise ValueError("paints must name at least one player")


# Colours as people own them, BGR: cottons and felts, table tops, poster paints.
CLOTHS: tuple[Bgr, ...] = (
    (205, 214, 220), (170, 190, 205), (120, 150, 165), (60, 95, 40), (150, 125, 95), (175, 160, 205), (90, 95, 105),
    (130, 165, 200), (205, 200, 185), (70, 60, 130), (60, 50, 45), (110, 180, 205), (95, 140, 90),
)  # fmt: skip
WOODS: tuple[Bgr, ...] = ((95, 135, 180), (50, 80, 125), (120, 165, 205), (35, 55, 90), (140, 170, 190))
COMMON_BOARDS: dict[str, Board] = {board.name: board for board in STANDARD_BOARDS}
"""The boards that are drawn: those of the standard games, without the boards that only one game brings."""

TABLES: tuple[Bgr, ...] = (*WOODS, (110, 120, 100), (75, 72, 70), (190, 195, 205), (130, 90, 60), (165, 160, 150))
PAINTS: tuple[Bgr, ...] = (
    (35, 35, 190), (170, 70, 30), (35, 160, 215), (60, 140, 40), (235, 238, 240), (35, 33, 32), (160, 50, 120),
    (30, 95, 220), (150, 150, 45), (185, 130, 215),
)  # fmt: skip
MOTLEY: tuple[Bgr, ...] = (
    (125, 132, 138), (60, 62, 66), (75, 100, 130), (105, 125, 145), (45, 50, 58), (150, 155, 160),
)  # fmt: skip
NATURAL: tuple[Bgr, ...] = ((125, 132, 138), (150, 160, 170), (95, 105, 115), (170, 180, 188), (110, 125, 145))


def lab_distance(one: Bgr, other: Bgr) -> float:
    """Colour difference (CIE76) of two BGR colours."""
    pair = cv2.cvtColor(np.array([[one, other]], np.float32) / 255, cv2.COLOR_BGR2Lab)
    return float(np.linalg.norm(pair[0, 0] - pair[0, 1]))


def _jitter(rng: np.random.Generator, colour: Bgr) -> Bgr:
    b, g, r = np.clip(np.array(colour) * rng.uniform(0.88, 1.12) + rng.uniform(-8, 8, 3), 8, 250)
    return float(b), float(g), float(r)


def _darker(rng: np.random.Generator, colour: Bgr) -> Bgr:
    return _jitter(rng, (colour[0] * 0.84, colour[1] * 0.84, colour[2] * 0.84))


def _pick(rng: np.random.Generator, colours: tuple[Bgr, ...], apart_from: list[Bgr], least: float) -> Bgr:
    """A colour that differs by ``least`` from those given; the most different one where none does."""
    shuffled = [_jitter(rng, colours[i]) for i in rng.permutation(len(colours))]
    nearest = [min((lab_distance(c, other) for other in apart_from), default=np.inf) for c in shuffled]
    return next((c for c, d in zip(shuffled, nearest, strict=True) if d >= least), shuffled[int(np.argmax(nearest))])


def window_bars(rng: np.random.Generator) -> tuple[Band, ...]:
    """The shadow of a window: one to three bars in one direction and up to two across them, as far apart as panes."""
    turn, leaning = float(rng.uniform(0, 180)), float(rng.uniform(60, 120))
    bands = []
    for angle, n in ((turn, int(rng.integers(1, 4))), (turn + leaning, int(rng.integers(0, 3)))):
        apart, wide = float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.04, 0.14))
        first = float(rng.uniform(-0.25, 0.25)) - apart * (n - 1) / 2
        bands += [Band(angle, first + apart * k - wide / 2, first + apart * k + wide / 2) for k in range(n)]
    return tuple(bands)


def half_shadow(rng: np.random.Generator) -> tuple[Band, ...]:
    """The shadow of a wall, an edge of which runs across the board."""
    return (Band(float(rng.uniform(0, 360)), float(rng.uniform(-0.35, 0.35)), float("inf")),)


def random_light(rng: np.random.Generator) -> Light:
    """A light as people have it: sun through a window, overcast, a lamp, a dim evening."""
    sunny = rng.random() < 0.35
    gain, warmth, across, down = (
        float(rng.uniform(*ends)) for ends in ((0.8, 1.25), (-0.5, 0.8), (-0.25, 0.25), (-0.2, 0.2))
    )
    azimuth, elevation = float(rng.uniform(0, 360)), float(rng.uniform(35, 75))
    softness = float(rng.uniform(0.004, 0.01) if sunny else rng.uniform(0.015, 0.05))
    shadow = float(rng.uniform(0.45, 0.65) if sunny else rng.uniform(0.2, 0.4))
    bars = int(rng.integers(0, 3)) if sunny else 0
    return Light(gain, warmth, (across, down), azimuth, elevation, softness, shadow, bars)


def random_spec(
    rng: np.random.Generator,
    board: Board,
    *,
    drawing: str | None = None,
    n_players: int = 2,
    hardness: float = 0.5,
    size_px: tuple[int, int] = (1280, 720),
    discs: Discs = "grainy",
) -> TableSpec:
    """Draw a table.

    Args:
        rng: The only source of chance.
        drawing: Name of one of the board's drawings; one of the usual ones is drawn when omitted.
        n_players: How many kinds of pebble there are.
        hardness: 0 is a careful painter under a good camera, 1 as crooked, wrinkled, aslant, dim and noisy as tables
            get.
        size_px: Width and height of the pictures.
        discs: What turning discs are made of; boards without discs do not ask.
    """
    if not 0 <= hardness <= 1:
        raise ValueError(f"hardness must lie in 0 to 1, got {hardness!r}")

    def at(least: float, most: float) -> float:
        return float(rng.uniform(least, most))

    turning = bool(board.rings)
    wooden = turning or rng.random() < 0.3
    usual = [d.name for d in board.drawings if d.name != "framed"]
    drawing = drawing or str(rng.choice(usual))
    ground = _pick(rng, WOODS if wooden else CLOTHS, [], 0)
    table_patterns: list[Pattern] = ["wood", "wood", "plain", "stripes", "dots", "checks", "speckle"]
    table_pattern = table_patterns[int(rng.integers(len(table_patterns)))]
    table = _pick(rng, WOODS if table_pattern == "wood" else TABLES, [ground], 22)
    line = _pick(rng, ((30, 40, 55),) if wooden and rng.random() < 0.4 else PAINTS, [ground], 34)
    paints: list[Paint] = []
    for player in range(n_players):
        others = [p.colour for p in paints if p.colour]
        if player > 0 and rng.random() < 0.3 and all(p.colour for p in paints):
            paints.append(Paint(None, speckle=at(0.05, 0.15)))
        else:
            coverage = at(0.55, 0.75) if rng.random() < 0.2 * hardness else 1.0
            colour = _pick(rng, PAINTS, [*others, ground], 40 - 15 * hardness)
            paints.append(Paint(colour, coverage, at(0.02, 0.1)))
    patterns: list[Pattern] = ["wood"] if wooden else ["plain", "plain", "stripes", "checks", "speckle"]
    style: LineStyle = "burnt" if wooden and lab_distance(line, (30, 40, 55)) < 25 else "paint"
    if not wooden and rng.random() < 0.35:
        style = "wool"
    is_round = any(isinstance(s, Circle) for s in board.drawings[0].strokes)
    light, seed = random_light(rng), int(rng.integers(2**31))
    pattern = _darker(rng, ground), patterns[int(rng.integers(len(patterns)))]
    cloth = Surface(ground, *pattern, at(0.05, 0.14), at(0.02, 0.07))
    other = _pick(rng, TABLES, [table], 20) if table_pattern != "wood" else _darker(rng, table)
    under = Surface(table, other, table_pattern, at(0.08, 0.3), at(0.03, 0.08))
    width, wobble = at(0.011, 0.026), at(0.001, 0.004 + 0.008 * hardness)
    strokes = Strokes(style, line, width, wobble, at(0.0, 0.04 * hardness), at(0, 0.08 * hardness))
    is_square = wooden and not turning and not is_round
    spec = TableSpec(
        board, drawing, seed, cloth, under, strokes, tuple(paints),
        shape="square" if is_square or rng.random() >= 0.7 else "round",
        placing=Placing(
            tilt_deg=at(0, 20 + 40 * hardness), azimuth_deg=at(-40, 40), roll_deg=at(-6, 6), fill=at(0.7, 0.95),
            field_of_view_deg=at(45, 72), k1=at(-0.12, 0.02), aside=(at(-0.12, 0.12), at(-0.04, 0.04)),
        ),
        light=light, size_px=size_px,
        point_error=at(0.2, 1) * 0.04 * hardness,
        wrinkles=0.0 if wooden else at(0, 0.03 * hardness),
        stone_size=at(0.22, 0.33), placing_error=at(0.1, 0.15 + 0.2 * hardness),
        noise=at(1, 2 + 3 * hardness), blur_px=at(0.3, 0.7 + 0.7 * hardness), vignette=at(0.0, 0.3),
        jpeg_quality=int(rng.integers(80, 96)), distractors=int(rng.integers(0, 4)),
        spare_stones=int(rng.integers(0, 7)),
    )  # fmt: skip
    if not turning or discs == "grainy":
        return spec
    plain = replace(spec.cloth, pattern="plain", weave=0.004)
    if discs == "drawn":
        card = _pick(rng, TABLES, [table, line], 22)
        plain = replace(plain, colour=card, second=card)
        return replace(spec, cloth=plain, uneven=0.4, hole_line=at(0.003, 0.009))
    return replace(spec, cloth=plain, uneven=0.15, mark=at(0.01, 0.016) if discs == "marked" else 0.0)
