"""A stone beside its point is read where it lies, as far as it is plain which point it belongs to."""

from dataclasses import replace

import numpy as np
import pytest

from referee.presets import find_variant
from tests.drawn import drawn
from tests.simulation.play import Eyes, table_of
from tests.synthetic import Hand, random_spec
from tests.synthetic.stones import Stone
from vision.imaging.frame import Frame

pytestmark = pytest.mark.film

FPS = 5
Lying = dict[str, tuple[int, tuple[float, float]]]
MIDDLE = (0.0, 0.0)
OUTWARD = (-0.5, -0.25)


def said(*tables: Lying, game: str = "three_mens_morris") -> list[str]:
    """The turns and fouls that are said while the table lies so, each time after a hand: player and offset by point."""
    variant, rng, n = find_variant(game), np.random.default_rng(1), 0
    eyes, names = Eyes(table_of(variant)), variant.board.points
    spec = random_spec(np.random.default_rng(25), variant.board, hardness=0.25, size_px=(640, 360))
    table = drawn(replace(spec, noise=0.0, jpeg_quality=None))
    hand = Hand((0.5, 0.6), from_deg=20.0)
    for lying in ({}, *tables):
        stones = [(Stone(lying[name][0], k, lying[name][1]),) if name in lying else () for k, name in enumerate(names)]
        for over in (*[hand] * (3 if n else 0), *[None] * (3 * FPS)):
            bgr, truth = table.render(stones, rng=rng, hand=over)
            eyes.see(Frame(bgr, n / FPS, n), truth.points_px)
            n += 1
    return [line.split(maxsplit=1)[1] for line in eyes.said if "TurnPlayed" in line or "Foul" in line]


BESIDE: Lying = {"b1": (0, MIDDLE), "a3": (1, (0.35, 0.35))}


def test_a_stone_that_is_put_on_its_point_again_is_no_turn() -> None:
    put_right = BESIDE | {"a3": (1, MIDDLE)}
    turns = said({"b1": (0, MIDDLE)}, BESIDE, put_right, put_right | {"c1": (0, MIDDLE)})
    assert turns == ["TurnPlayed b1", "TurnPlayed a3", "TurnPlayed c1"]


def test_a_captured_stone_that_is_laid_beside_a_corner_of_the_board_is_on_no_point() -> None:
    tables: list[Lying] = [{}]
    for player, name in enumerate(("a1", "b2", "c1", "d2", "e1")):
        tables.append(tables[-1] | {name: (player % 2, MIDDLE)})
    taken = {name: stone for name, stone in tables[-1].items() if name != "b2"}
    turns = said(*tables[1:5], taken, taken | {"a5": (1, OUTWARD)}, game="six_mens_morris")
    assert turns == [f"TurnPlayed {move}" for move in ("a1", "b2", "c1", "d2", "e1xb2")]
