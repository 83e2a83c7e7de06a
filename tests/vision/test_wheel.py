"""Rings of many small holes."""

from __future__ import annotations

import numpy as np

from referee.game import Game
from referee.layouts import moulin_rouge
from referee.presets import find_variant
from tests.synthetic import Scene, Script, film, random_spec
from vision.detection.detect import search_picture
from vision.detection.disc_detection import detect_discs
from vision.detection.playing_areas import find_playing_areas


def test_twenty_four_holes_a_ring_are_found_when_looked_at_twice_as_finely() -> None:
    rng = np.random.default_rng(439)  # marked discs in a broad hard shadow; as finely as usual nothing is seen
    spec = random_spec(
        rng, moulin_rouge(24), n_players=6, hardness=float(rng.uniform(0.1, 0.5)), size_px=(960, 540), discs="marked"
    )
    scene = Scene(spec)
    bgr, _ = scene.render([[]] * 72, rng=np.random.default_rng(1))
    area = find_playing_areas(bgr)[0]
    assert not detect_discs(bgr, area, holes=[24])
    found = detect_discs(bgr, area, holes=[24], finer=2)[0].holes_px.reshape(-1, 2)
    away = np.linalg.norm(scene.points_px()[:, None] - found, axis=2).min(axis=1)
    assert away.max() < 5


def test_a_chequered_cloth_with_stones_around_the_discs_is_not_taken_for_their_outermost_ring() -> None:
    rng = np.random.default_rng(6009)  # the two outer rings were taken for the two inner ones
    hardness = float(rng.uniform(0.1, 0.5))
    spec = random_spec(rng, moulin_rouge(16), n_players=4, hardness=hardness, size_px=(960, 540), discs="grainy")
    scene, game = Scene(spec), Game.start(find_variant("moulin_rouge", players=4, fields=16))
    bgr = next(iter(film(scene, game, Script(2), rng))).frame.bgr
    seen = search_picture(bgr, [moulin_rouge(16)]).discs
    assert seen is not None
    found = seen.holes_px.reshape(-1, 2)
    away = np.linalg.norm(scene.points_px()[:, None] - found, axis=2).min(axis=1)
    assert away.max() < 8
