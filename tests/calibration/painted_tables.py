"""Drawn tables on which stones are laid, learnt and read, and the mistakes counted: what the paint advice must foresee.

A table is drawn in even light; what lamp and camera make of it is worked out afterwards, in linear light, as a webcam
does it: the lamp's colour, an exposure and a white balance that the camera sets by itself and never quite rightly,
noise, a curve, compression. Nothing of it is taken from the code that gives the advice. The pebbles of a player differ
as those of one pot do that were painted by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.layouts import NINE_MENS_MORRIS
from tests.drawn import field_of
from tests.synthetic import Paint, Scene, Stone, Strokes, Surface, TableSpec, random_spec, stacks_of
from tests.synthetic.spec import CLOTHS, NATURAL, PAINTS, Bgr, lab_distance
from tests.vision.test_evidence import observe_frame
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Frame, Image
from vision.imaging.patches import cut_patches
from vision.stones.appearance import Appearance, learn_bare, learn_points, unknown_appearance
from vision.stones.photograph_reader import read_photograph

N_POINTS = len(NINE_MENS_MORRIS.points)
N_STONES = 18  # on the board at once, as many as nine men's morris has
N_PEBBLES = 30  # that every player has in a bag; some of them lie in each picture
COAT_SPREAD = (0.12, 0.035, 0.035)
"""Standard deviation from pebble to pebble of one pot in log brightness, log red/green and log blue/green: paint laid
on by hand is thick and thin. Source: 1,029 painted stones, see ``vision.stones.colour_clustering``."""
UNPAINTED_SPREAD = (0.22, 0.08, 0.08)
"""The same of pebbles as they were found. Source: 281 unpainted stones, see ``vision.stones.colour_clustering``."""
WARM_LAMP = (2.41, 1.0, 0.239)
"""Red, green and blue of light of 2700 K (CIE x 0.4599, y 0.4106) in linear sRGB, green 1."""


@dataclass(frozen=True)
class Combination:
    """Colours that somebody might choose, and the lamp under which they are played with."""

    cloth: str
    line: str
    paints: tuple[str | None, ...]
    light: str
    seed: int


@dataclass(frozen=True, eq=False)
class Counts:
    """What was read.

    Attributes:
        read: int array of shape (n_players, n_players + 1). In looks at a table that was learnt: stones of each player
            (row) taken for bare (column 0) or for each player's.
        alone: int array of shape (n_players, 2). In photographs read by themselves: stones of each player that were
            overlooked, and that were seen.
    """

    read: NDArray[np.int64]
    alone: NDArray[np.int64]

    def confused(self, one: int, other: int) -> float:
        """Share of the stones of two players that were taken for the other's."""
        own = self.read[[one, other]]
        return float((own[0, other + 1] + own[1, one + 1]) / max(1, own[:, 1:].sum()))

    def overlooked(self, player: int) -> float:
        """Share of the stones of a player that were taken for a bare point, the mean of both ways of reading."""
        looks, photographs = self.read[player], self.alone[player]
        return float(looks[0] / looks.sum() + photographs[0] / photographs.sum()) / 2


def draw_combination(seed: int) -> Combination:
    """Colours as people own them, some of them alike: most are made from another one, up to 30 apart in CIELAB."""
    rng = np.random.default_rng([seed, 25])

    def any_colour() -> Bgr:
        pool = (*CLOTHS, *PAINTS)
        one, other = (np.array(pool[int(k)]) for k in rng.integers(len(pool), size=2))
        b, g, r = np.clip(one + rng.uniform(0, 0.6) * (other - one) * (rng.random() < 0.5), 12, 245)
        return float(b), float(g), float(r)

    chosen = [any_colour()]
    for _ in range(int(rng.integers(3, 5))):
        if rng.random() < 0.4:
            chosen.append(any_colour())
        else:
            way = rng.standard_normal(3) * (0.7, 1.0, 1.0)
            of = chosen[int(rng.integers(len(chosen)))]
            chosen.append(_moved(of, way / np.linalg.norm(way) * rng.uniform(0, 30)))
    cloth, line = chosen[:2]
    if lab_distance(cloth, line) < 20:  # nobody draws lines that nobody sees
        line = (30.0, 30.0, 30.0) if sum(cloth) > 380 else (235.0, 238.0, 240.0)
    paints: list[str | None] = [as_hex(c) for c in chosen[2:]]
    if rng.random() < 0.2:
        paints[-1] = None
    light = ("day", "lamp")[int(rng.integers(2))]
    return Combination(as_hex(cloth), as_hex(line), tuple(paints), light, seed)


def _moved(colour: Bgr, by_lab: NDArray[np.float64]) -> Bgr:
    """Return a colour that lies that far from one in CIELAB, as far as there is such a colour."""
    lab = cv2.cvtColor(np.array([[colour]], np.float32) / 255, cv2.COLOR_BGR2Lab) + by_lab.astype(np.float32)
    b, g, r = np.clip(255 * cv2.cvtColor(lab, cv2.COLOR_Lab2BGR)[0, 0], 12, 245)
    return float(b), float(g), float(r)


def as_hex(bgr: Bgr) -> str:
    b, g, r = (round(c) for c in bgr)
    return f"#{r:02x}{g:02x}{b:02x}"


def as_bgr(colour: str) -> Bgr:
    r, g, b = bytes.fromhex(colour[1:])
    return float(b), float(g), float(r)


def count_mistakes(combination: Combination, n_tables: int, n_pictures: int) -> Counts:
    """Draw tables of the same colours, each with a webcam of its own, learn and read them, and count over all."""
    counts = [_count_on_table(combination, n_pictures, k) for k in range(n_tables)]
    return Counts(sum_of([one.read for one in counts]), sum_of([one.alone for one in counts]))


def sum_of(arrays: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.asarray(np.sum(arrays, axis=0), np.int64)


def _count_on_table(combination: Combination, n_pictures: int, k: int) -> Counts:
    """Learn one table as the eyes do (bare, then with stones of everybody), and read further pictures."""
    rng = np.random.default_rng([combination.seed, 26, k])
    scene, n_players = Scene(spec_of(combination, rng)), len(combination.paints)
    webcam = _Webcam(rng, combination.light)
    bare, field = _photograph(scene, (0,) * N_POINTS, webcam, rng)
    every = np.ones(N_POINTS, np.bool_)
    appearance: Appearance = learn_bare(unknown_appearance(N_POINTS, n_players), cut_patches(bare, field), every)
    tops = lay_stones(n_players, rng)
    taught, field = _photograph(scene, tops, webcam, rng)
    appearance = learn_points(appearance, cut_patches(taught, field), np.array(tops), np.array(tops) > 0)
    read, alone = np.zeros((n_players, n_players + 1), np.int64), np.zeros((n_players, 2), np.int64)
    for n in range(n_pictures):
        tops = lay_stones(n_players, rng)
        bgr, field = _photograph(scene, tops, webcam, rng)
        seen = observe_frame(Frame(bgr, float(n), n), field, appearance).log_likelihood.argmax(axis=1)
        for top, as_seen in zip(tops, seen.tolist(), strict=True):
            if top:
                read[top - 1, as_seen] += 1
        if 3 * n < n_pictures:  # a photograph takes as long as three looks
            reading = read_photograph(bgr, Registration(field, 1.0))
            for top, height in zip(tops, reading.heights.tolist(), strict=True):
                if top:
                    alone[top - 1, min(height, 1)] += 1
    return Counts(read, alone)


def lay_stones(n_players: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Tops of a board on which every player has as many stones."""
    tops = np.zeros(N_POINTS, np.int64)
    tops[rng.permutation(N_POINTS)[:N_STONES]] = np.arange(N_STONES) % n_players + 1
    return tuple(tops.tolist())


def spec_of(combination: Combination, rng: np.random.Generator) -> TableSpec:
    """A table of those colours; everything else is as it comes."""
    spec = random_spec(rng, NINE_MENS_MORRIS, size_px=(640, 480), hardness=0.3, n_players=len(combination.paints))
    cloth = as_bgr(combination.cloth)
    dark = tuple(0.9 * c for c in cloth)
    pattern = spec.cloth.pattern if spec.cloth.pattern in ("plain", "speckle", "wood") else "plain"
    paints = [coat for paint in combination.paints for coat in _coats(paint, rng)]
    return replace(
        spec,
        cloth=Surface(cloth, (dark[0], dark[1], dark[2]), pattern, spec.cloth.period, spec.cloth.weave),
        strokes=Strokes(spec.strokes.style, as_bgr(combination.line), spec.strokes.width, spec.strokes.wobble),
        paints=tuple(paints),
        light=replace(spec.light, gain=1.0, warmth=0.0, bars=0),  # the webcam has its own; bars are no matter of paints
        noise=0.0,
        jpeg_quality=None,
        spare_stones=0,
    )


def _coats(paint: str | None, rng: np.random.Generator) -> list[Paint]:
    """Paint of every pebble of a player; where there is none, its own colour."""
    speckle = float(rng.uniform(0.02, 0.1))
    colour = NATURAL[int(rng.integers(len(NATURAL)))] if paint is None else as_bgr(paint)
    found = []
    for level, red, blue in rng.normal(0, UNPAINTED_SPREAD if paint is None else COAT_SPREAD, (N_PEBBLES, 3)):
        green = level - (red + blue) / 3
        b, g, r = np.clip(np.array(colour) * np.exp([green + blue, green, green + red]), 4, 252)
        found.append(Paint((float(b), float(g), float(r)), 1.0, speckle))
    return found


def _photograph(scene: Scene, tops: tuple[int, ...], webcam: _Webcam, rng: np.random.Generator) -> tuple[Image, Field]:
    bags = [rng.permutation(N_PEBBLES).tolist() for _ in range(len(scene.spec.paints) // N_PEBBLES)]
    own = [[bags[player].pop() for player in stack] for stack in stacks_of(tops)]
    stacks = tuple(
        tuple(Stone(N_PEBBLES * player + k, k) for player, k in zip(stack, which, strict=True))
        for stack, which in zip(stacks_of(tops), own, strict=True)
    )
    bgr, truth = scene.render(stacks, rng=rng)
    return webcam.shoot(bgr, rng), field_of(scene, truth.points_px)


class _Webcam:
    """A webcam that sets exposure and white balance once, by the first picture that it sees."""

    def __init__(self, rng: np.random.Generator, light: str) -> None:
        warm = light == "lamp"
        self.lamp = np.array(WARM_LAMP if warm else (1.0, 1.0, 1.0))[::-1]
        self.adapted = float(rng.uniform(0.6, 0.9))  # share of the cast that the white balance takes away
        self.error = np.exp(rng.normal(0, 0.05, 3))
        self.target = float(rng.uniform(0.17, 0.27)) * (0.8 if warm else 1.0)
        self.shot, self.dark = rng.uniform(0.01, 0.02) * (1.4 if warm else 1.0), rng.uniform(0.002, 0.004)
        self.curve = float(rng.uniform(0.0, 0.4))
        self.quality = int(rng.integers(80, 95))
        self.gains: NDArray[np.float64] | None = None

    def shoot(self, bgr: Image, rng: np.random.Generator) -> Image:
        light = _LINEAR[bgr] * self.lamp
        if self.gains is None:
            mean = np.asarray(light.mean(axis=(0, 1)))
            cast = (self.lamp * mean) ** 0.5  # webcams take half of what is coloured for coloured light
            balance = (cast.mean() / cast) ** self.adapted * self.error
            rows, columns = (np.abs(np.linspace(-1, 1, n)) < 0.6 for n in light.shape[:2])
            weight = 1 + 1.5 * np.outer(rows, columns)  # what lies in the middle counts more
            grey = (light * balance).mean(axis=2)
            level = float(np.exp((np.log(grey + 1e-4) * weight).sum() / weight.sum()))
            self.gains = balance * min(self.target / level, 1.2 / float(np.percentile(grey, 97)))
        light = light * self.gains
        grain = rng.standard_normal(light.shape[:2])[..., None] + 0.6 * rng.standard_normal(light.shape)
        light = light + grain * np.sqrt(self.shot**2 * np.clip(light, 0, 1) + self.dark**2)
        light = np.clip(np.where(light < 0.8, light, 0.8 + 0.2 * (1 - np.exp(-(light - 0.8) / 0.2))), 0, 1)
        code = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-6) ** (1 / 2.4) - 0.055)
        code = code * (1 - self.curve) + self.curve * code**2 * (3 - 2 * code)
        packed = cv2.imencode(".jpg", np.round(255 * code).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, self.quality])
        seen = cv2.imdecode(packed[1], cv2.IMREAD_COLOR)
        assert seen is not None
        return np.asarray(seen, np.uint8)


_CODE = np.arange(256) / 255
_LINEAR = np.where(_CODE <= 0.04045, _CODE / 12.92, ((_CODE + 0.055) / 1.055) ** 2.4)
