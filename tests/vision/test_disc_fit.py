"""Three rings of holes: fitted to the very holes, told from spokes, stones beside their holes overruled."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.detection.disc_detection import detect_discs
from vision.detection.playing_areas import PlayingArea
from vision.imaging.homography import apply_homography

Picture = NDArray[np.uint8]
Places = NDArray[np.float64]

RADII = (1.0, 0.69, 0.4)
LIFTED_PX = 5.0
"""How much higher in the picture each disc lies than the one beneath it."""


def plane() -> Places:
    """image_from_wheel of a wheel seen aslant."""
    return np.array([[190.0, 20, 320], [-12, 128, 250], [0.02, 0.11, 1]])


def wheel(n: int, turns: tuple[float, float, float], *, stones: int = 0, seed: int = 1) -> tuple[Picture, Places]:
    """Three discs on each other, each with drawn holes, some with a stone beside the middle; and the true holes."""
    rng = np.random.default_rng(seed)
    picture = np.full((480, 640, 3), (110, 140, 160), np.float64)
    h, circle = plane(), np.linspace(0, 2 * np.pi, 120)
    out = []
    for ring, (radius, turn) in enumerate(zip(RADII, turns, strict=True)):
        lift = np.array([0, -LIFTED_PX * ring])

        def draw(middle: Places, r: float, colour: tuple[float, float, float], thick: int, up: Places = lift) -> None:
            rim = apply_homography(h, middle + r * np.column_stack([np.sin(circle), np.cos(circle)])) + up
            outline = np.round(rim).astype(np.int32)
            if thick < 0:
                cv2.fillPoly(picture, [outline], colour, cv2.LINE_AA)
            else:
                cv2.polylines(picture, [outline], True, colour, thick, cv2.LINE_AA)

        draw(np.zeros(2), radius + 0.14, (200.0 - 40 * ring, 190.0, 170.0 + 20 * ring), -1)
        draw(np.zeros(2), radius + 0.14, (60.0, 60.0, 60.0), 1)
        angle = turn + np.arange(n) * 2 * np.pi / n
        for middle in radius * np.column_stack([np.sin(angle), -np.cos(angle)]):
            draw(middle, 0.1, (90.0, 60.0, 40.0), 2)
            out.append(apply_homography(h, middle) + lift)
    holes = np.array(out)
    for k in rng.permutation(len(holes))[:stones]:
        x, y = holes[k] + rng.normal(0, 5, 2)
        cv2.circle(picture, (round(x), round(y)), 11, tuple(rng.uniform(20, 230, 3).tolist()), -1, cv2.LINE_AA)
    picture = cv2.GaussianBlur(picture, (0, 0), 1.0) + rng.normal(0, 3, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), holes.reshape(3, n, 2)


def off(found_px: Places, truth_px: Places) -> Places:
    """Distance of each true hole to the nearest found one, in distances of neighbours on its ring."""
    apart = np.linalg.norm(truth_px - np.roll(truth_px, 1, axis=1), axis=2)
    apart = np.minimum(apart, np.roll(apart, -1, axis=1)).ravel()
    distance = np.linalg.norm(truth_px.reshape(-1, 1, 2) - found_px.reshape(1, -1, 2), axis=2)
    return np.asarray(distance.min(1) / apart, dtype=np.float64)


def area() -> PlayingArea:
    """The outline of the outermost disc, as an ellipse that knows nothing of perspective."""
    circle = np.linspace(0, 2 * np.pi, 100)
    rim = apply_homography(plane(), 1.14 * np.column_stack([np.sin(circle), np.cos(circle)]))
    (x, y), (a, b), turn = cv2.fitEllipse(rim.astype(np.float32))
    t = np.deg2rad(turn)
    rotation = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    h = np.eye(3)
    h[:2, :2], h[:2, 2] = rotation @ np.diag([a / 2, b / 2]), (x, y)
    return PlayingArea(h, 0.95)


@pytest.mark.parametrize("n", [6, 8, 11])
def test_rings_are_found_with_their_number_of_holes_and_each_hole_where_it_is(n: int) -> None:
    picture, holes = wheel(n, (0.1, 0.1 + 2 * np.pi / n, 0.1))
    best = detect_discs(picture, area())[0]
    assert best.n_holes == n
    assert best.rim_nats > 60
    assert off(best.rings.holes_px, holes).max() < 0.1


def test_stones_that_lie_beside_the_middle_of_their_holes_do_not_pull_the_rings() -> None:
    picture, holes = wheel(8, (0.2, 0.2, 0.2), stones=10)
    best = detect_discs(picture, area())[0]
    error = off(best.rings.holes_px, holes)
    assert best.n_holes == 8
    assert np.median(error) < 0.05
    assert error.max() < 0.25


def test_spokes_are_no_holes() -> None:
    picture = np.full((480, 640, 3), 205, np.uint8)
    circle = np.linspace(0, 2 * np.pi, 120)
    rim = apply_homography(plane(), np.column_stack([np.sin(circle), np.cos(circle)]))
    cv2.polylines(picture, [np.round(rim).astype(np.int32)], True, (40, 30, 120), 6, cv2.LINE_AA)
    middle = np.round(apply_homography(plane(), np.zeros(2))).astype(int).tolist()
    for a in np.arange(8) * np.pi / 4:
        end = np.round(apply_homography(plane(), np.array([np.sin(a), np.cos(a)]))).astype(int).tolist()
        cv2.line(picture, middle, end, (40, 30, 120), 6, cv2.LINE_AA)
    noise = np.random.default_rng(3).normal(0, 3, picture.shape)
    found = detect_discs(np.clip(picture + noise, 0, 255).astype(np.uint8), area())
    assert all(w.rim_nats < 30 for w in found)
