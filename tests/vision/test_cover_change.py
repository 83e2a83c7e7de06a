"""Stones laid on stones of their colour, between two photographs from different places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.layouts import TRIALECTIC
from tests.drawn import field_of
from tests.synthetic import Scene, random_spec
from tests.synthetic.stones import Stone
from vision.change.cover_change import cover_log_odds, cut_top_patches
from vision.imaging.frame import Float32Array
from vision.imaging.patches import Patches, cut_patches
from vision.stones.appearance import Appearance, learn_points, light_offset, unknown_appearance

pytestmark = pytest.mark.film

POINTS = TRIALECTIC.points
BEFORE = {"a1": (0,), "a5": (0,), "b2": (0,), "b4": (1, 0), "c1": (1,), "c4": (1,)}
EVERYWHERE = np.ones(len(POINTS), np.bool_)


class Series:
    """One table, photographed from a new place every time."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)
        spec = random_spec(self.rng, TRIALECTIC, n_players=3, hardness=0.1, size_px=(960, 720))
        self.home = replace(spec.placing, tilt_deg=30.0)
        self.scene = Scene(replace(spec, placing=self.home, spare_stones=0))
        self.appearance = unknown_appearance(len(POINTS), 3)

    def photograph(self, stacks: dict[str, tuple[int, ...]], heights_of: dict[str, tuple[int, ...]]) -> Float32Array:
        """The patches of the tops, as high as the towers of ``heights_of``; what lies there is learnt."""
        named = [
            tuple(Stone(player, 10 * k + level, (0.1 - 0.2 * level, 0.05)) for level, player in enumerate(stack))
            for k, stack in enumerate(stacks.get(name, ()) for name in POINTS)
        ]
        placing = replace(self.home, azimuth_deg=self.home.azimuth_deg + float(self.rng.normal(0, 10)))
        bgr, truth = self.scene.render(named, rng=self.rng, bump=placing)
        field = field_of(self.scene, truth.points_px)
        patches: Patches = cut_patches(bgr, field)
        self.appearance: Appearance = learn_points(self.appearance, patches, np.array(truth.tops), EVERYWHERE)
        heights = np.array([len(heights_of.get(name, ())) for name in POINTS])
        return cut_top_patches(bgr, field, heights) - light_offset(patches, self.appearance)


def test_a_stone_laid_on_its_like_is_told_from_another_place() -> None:
    series = Series()
    series.photograph({}, {})
    tops = np.array([BEFORE[name][-1] + 1 if name in BEFORE else 0 for name in POINTS])
    before = series.photograph(BEFORE, BEFORE)
    for name in ("a5", "c4"):
        after = BEFORE | {name: (*BEFORE[name], BEFORE[name][-1])}
        nats = cover_log_odds(before, series.photograph(after, BEFORE), tops, series.appearance, np.zeros(len(POINTS)))
        assert POINTS[int(nats.argmax())] == name and nats.max() > 0
        assert (nats[tops == 0] == 0).all()
