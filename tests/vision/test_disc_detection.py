"""Rings of many small holes."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from millchen import main
from referee.game import Game
from referee.layouts import moulin_rouge
from referee.presets import find_variant
from tests.synthetic import Scene, Script, film, random_spec
from vision.detection.detect import search_picture

pytestmark = pytest.mark.film


def test_twenty_four_holes_a_ring_are_found() -> None:
    rng = np.random.default_rng(3)  # marked discs on a dotted table
    spec = random_spec(
        rng, moulin_rouge(24), n_players=6, hardness=float(rng.uniform(0.1, 0.5)), size_px=(960, 540), discs="marked"
    )
    scene = Scene(spec)
    bgr, _ = scene.render([[]] * 72, rng=np.random.default_rng(1))
    seen = search_picture(bgr, [moulin_rouge(24)]).discs
    assert seen is not None
    away = np.linalg.norm(scene.points_px()[:, None] - seen.holes_px.reshape(-1, 2), axis=2).min(axis=1)
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


def test_read_finds_discs_of_twenty_holes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    spec = random_spec(
        np.random.default_rng(1), moulin_rouge(20), n_players=5, hardness=0.1, size_px=(960, 540), discs="marked"
    )
    scene = Scene(spec)
    bgr, _ = scene.render([[]] * 60, rng=np.random.default_rng(1))
    cv2.imwrite(str(tmp_path / "discs.png"), bgr)
    assert main(["read", "--board", "moulin_rouge", "--json", str(tmp_path / "discs.png")]) == 0
    points = json.loads(capfd.readouterr().out)["points"]
    found = np.array([(point["x"], point["y"]) for point in points.values()])
    away = np.linalg.norm(scene.points_px()[:, None] - found, axis=2).min(axis=1)
    assert len(points) == 60 and away.max() < 2
