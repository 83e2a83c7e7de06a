"""Lenses that are known are measured from rendered views of the target."""

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.lens_calibration import MIN_VIEWS, calibrate_lens
from calibration.printed_target import SQUARE_MM, TARGET_COLUMNS
from calibration.report import DROPPED_COLOUR, plot_errors
from calibration.step_texts import Refused
from calibration.target_views import TargetView, ViewCollection, detect_target
from tests.calibration.studio import LENSES, SIZE, Shot, picture, shots
from vision.imaging.lens import Lens

pytestmark = pytest.mark.film

FOCAL_PERCENT, MIDDLE_PX, RMS_PX = 0.5, 3.0, 0.3  # what calibration promises at 1280 x 720


@cache
def views(name: str, noise: float, blur_px: float, n: int = 12) -> tuple[TargetView, ...]:
    rng = np.random.default_rng(17)
    lens = LENSES[name]
    seen = [detect_target(picture(lens, shot, noise=noise, blur_px=blur_px, rng=rng)) for shot in shots(lens, n, rng)]
    return tuple(view for view in seen if isinstance(view, TargetView))


def compare(name: str, noise: float, blur_px: float) -> tuple[float, float, float]:
    """Errors of focal length (%), principal point (px), and the reprojection error (px), all printed."""
    measured = calibrate_lens(views(name, noise, blur_px))
    got, true = measured.lens.matrix, LENSES[name].matrix
    focal = 100 * max(abs(got[k, k] / true[k, k] - 1) for k in (0, 1))
    middle = float(np.linalg.norm(got[:2, 2] - true[:2, 2]))
    print(
        f"{name:6} noise {noise} blur {blur_px}: focal off {focal:.3f} %, middle off {middle:.2f} px, "
        f"rms {measured.rms_px:.3f} px, {len(measured.errors_px)} views"
    )
    return focal, middle, measured.rms_px


SEEN = [(0.0, 0.4), (4.0, 0.8), (8.0, 1.2), (4.0, 2.0)]
SLOW = [pytest.param(name, *seen, marks=pytest.mark.slow) for name in LENSES for seen in SEEN]


@pytest.mark.parametrize(("name", "noise", "blur_px"), [("strong", 4.0, 0.8), *SLOW])
def test_a_lens_is_measured_through_noise_and_blur(name: str, noise: float, blur_px: float) -> None:
    focal, middle, rms = compare(name, noise, blur_px)
    assert focal < FOCAL_PERCENT
    assert middle < MIDDLE_PX
    assert rms < RMS_PX


def test_the_whole_picture_is_straightened_not_its_middle_only() -> None:
    measured = calibrate_lens(views("strong", 4.0, 0.8)).lens
    grid = np.stack(np.meshgrid(np.linspace(60, 1220, 20), np.linspace(60, 660, 12)), axis=-1)
    off = np.linalg.norm(measured.project(LENSES["strong"].rays(grid)) - grid, axis=-1)
    print(f"same ray, other pixel: median {np.median(off):.3f} px, most {off.max():.2f} px")
    assert np.median(off) < 0.5
    assert off.max() < 3.0


def test_thumbs_and_reflections_are_dropped_and_counted() -> None:
    spoilt = list(views("strong", 4.0, 0.8))
    rng = np.random.default_rng(5)
    for k in (2, 5):
        corners = spoilt[k].corners_px.copy()
        corners[3:7] += rng.uniform(4, 9, (4, 2))
        spoilt[k] = replace(spoilt[k], corners_px=corners)
    spoilt[7] = replace(spoilt[7], corners_px=spoilt[7].corners_px + rng.normal(0, 6, spoilt[7].corners_px.shape))
    measured = calibrate_lens(spoilt)
    assert measured.rms_px < RMS_PX
    assert measured.errors_px[7] is None
    assert abs(measured.lens.matrix[0, 0] / LENSES["strong"].matrix[0, 0] - 1) < FOCAL_PERCENT / 100
    drawn = plot_errors(measured)
    assert drawn.count("<rect") == len(spoilt)
    assert drawn.count(DROPPED_COLOUR) == measured.errors_px.count(None)


def flat(lens: Lens, n: int) -> list[TargetView]:
    """The target held exactly parallel to the picture."""
    width = SIZE[0]
    away = TARGET_COLUMNS * SQUARE_MM * lens.focal_px[0] / (0.6 * width)
    middles = [(x, y) for x in (-60.0, 0.0, 60.0) for y in (-30.0, 0.0, 30.0)][:n]
    seen = [detect_target(picture(lens, Shot((x, y, away)), noise=4, rng=np.random.default_rng(3))) for x, y in middles]
    return [view for view in seen if isinstance(view, TargetView)]


def test_views_that_say_nothing_are_refused_with_what_to_do() -> None:
    some = views("strong", 4.0, 0.8)
    with pytest.raises(Refused, match="none of the pictures"):
        calibrate_lens([])
    with pytest.raises(Refused, match=f"only 4 views of the sheet can be used, {MIN_VIEWS} are needed"):
        calibrate_lens(some[:4])
    with pytest.raises(Refused, match="held too flat"):
        calibrate_lens(flat(LENSES["weak"], 7))
    rng = np.random.default_rng(1)
    bent = [replace(v, corners_px=v.corners_px + rng.normal(0, 7, v.corners_px.shape)) for v in some]
    with pytest.raises(Refused, match="no lens fits"):
        calibrate_lens(bent)


def test_a_collection_takes_what_is_new_and_still_and_says_what_is_missing() -> None:
    some = views("strong", 4.0, 0.8)
    collection, said = ViewCollection().offer(some[0])
    assert said == "view.moving"  # one look does not tell whether it moves
    collection, said = collection.offer(some[0])
    assert said == "view.taken"
    assert collection.offer(some[0])[1] == "view.alike"
    assert collection.offer(some[1])[1] == "view.moving"
    assert collection.offer("target.none")[1] == "target.none"
    assert collection.offer(replace(some[0], size_px=(640, 360)))[1] == "view.other_size"
    assert not collection.is_enough
    assert ViewCollection().wish_key() == "wish.begin"
    assert collection.wish_key() in ("wish.slant", "wish.move")
    for view in some:
        collection, _ = collection.offer(view, is_picture=True)
    assert len(collection.views) >= 10
    only_left = ViewCollection(tuple(v for v in some if v.corners_px[:, 0].mean() < 560))
    if len(only_left.views) >= 3:
        assert only_left.wish_key().endswith("right")


def test_another_target_is_told_from_ours_and_from_none() -> None:
    theirs = np.full((720, 1280, 3), 120, np.uint8)
    foreign = cv2.aruco.CharucoBoard((7, 5), 36.0, 27.0, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    theirs[110:610, 290:990] = foreign.generateImage((700, 500))[..., None]
    assert detect_target(theirs) == "target.wrong"
    nothing = np.random.default_rng(2).integers(90, 150, (720, 1280, 3)).astype(np.uint8)
    assert detect_target(nothing) == "target.none"
