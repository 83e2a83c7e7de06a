"""Colours of a photograph: cloth, line and pebbles come back as the picture shows them, or it says what is lacking."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.making.photographed_colours import PhotographedColours, colours_of_photograph
from calibration.making.seen_colours import ciede2000, lab_of, linear_of
from calibration.step_texts import Refused
from languages import LANGUAGES
from referee.layouts import NINE_MENS_MORRIS
from tests.calibration.painted_tables import as_hex, lay_stones
from tests.synthetic import Scene, random_spec, stacks_of
from tests.synthetic.spec import TableSpec
from vision.imaging.frame import Image

N_POINTS = len(NINE_MENS_MORRIS.points)
INNER = tuple(k for k, (x, y) in enumerate(NINE_MENS_MORRIS.xy) if max(abs(x - 0.5), abs(y - 0.5)) < 0.4)


def table(seed: int, n_players: int) -> TableSpec:
    """A board of paint or wool on cloth or wood, on a table, seen aslant in white light; pebbles lie on their points."""
    spec = random_spec(
        np.random.default_rng([seed, 77]), NINE_MENS_MORRIS, n_players=n_players, hardness=0.3, size_px=(960, 720)
    )
    plain = spec.cloth.pattern if spec.cloth.pattern in ("plain", "speckle", "wood") else "plain"
    light = replace(spec.light, gain=1.0, warmth=0.0, bars=0)
    return replace(spec, cloth=replace(spec.cloth, pattern=plain), light=light, placing_error=0.0)


def photograph(spec: TableSpec, tops: tuple[int, ...]) -> tuple[Image, list[str]]:
    """A picture, and the colour that it shows in the middle of each player's pebbles."""
    bgr, truth = Scene(spec).render(stacks_of(tops), rng=np.random.default_rng(1))
    apart = np.linalg.norm(truth.points_px[:, None] - truth.points_px[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    shown = []
    for player in range(1, len(spec.paints) + 1):
        middle = np.zeros(bgr.shape[:2], np.uint8)
        for k in np.flatnonzero(np.array(tops) == player):
            radius = max(1, round(0.35 * spec.stone_size * float(apart[k].min())))
            x, y = (int(round(c)) for c in truth.points_px[k])
            cv2.circle(middle, (x, y), radius, 1, -1)
        b, g, r = np.median(bgr[middle > 0], axis=0)
        shown.append(as_hex((float(b), float(g), float(r))))
    return bgr, shown


def apart(one: str, other: str) -> float:
    """CIEDE2000 difference."""
    return float(ciede2000(lab_of(linear_of(one)), lab_of(linear_of(other))))


def worst_of_paints(found: PhotographedColours, shown: list[str]) -> float:
    """Greatest difference of a player's colour from the nearest that was found; every one is found once."""
    nearest = [min(found.paints, key=lambda paint, want=want: apart(paint, want)) for want in shown]
    assert len(set(nearest)) == len(shown)
    return max(apart(paint, want) for paint, want in zip(nearest, shown, strict=True))


@pytest.mark.parametrize(("seeds", "n_players"), [(range(0, 4), 2), (range(4, 6), 3)])
def test_cloth_line_and_pebbles_of_a_board_come_back_as_the_picture_shows_them(seeds: range, n_players: int) -> None:
    for seed in seeds:
        spec = table(seed, n_players)
        bgr, shown = photograph(spec, lay_stones(n_players, np.random.default_rng(seed)))
        found = colours_of_photograph(bgr, n_players)
        cloth, paints = apart(found.cloth, as_hex(spec.cloth.colour)), worst_of_paints(found, shown)
        assert found.line is not None
        line = apart(found.line, as_hex(spec.strokes.colour))
        print(f"{seed}: cloth {cloth:.1f}, line {line:.1f}, paints {paints:.1f} CIEDE2000; {found.n_pebbles} pebbles")
        assert cloth <= 5
        assert line <= 8
        assert paints <= 6
