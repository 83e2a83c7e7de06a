"""Where the camera stands, and millimetres on the table, against cameras that are known."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.field_step import find_field
from calibration.lens_calibration import calibrate_lens
from calibration.placement import estimate_pose, grade_placement, measure_placement
from calibration.profile import board_named
from referee.board import Segment
from referee.layouts import NINE_MENS_MORRIS
from tests.calibration.studio import LENSES, Shot, picture, plane_of
from tests.calibration.test_lens import views
from tests.drawn import field_at, field_of
from tests.synthetic import Scene, random_spec
from vision.imaging.field import Registration
from vision.imaging.homography import apply_homography
from vision.imaging.lens import Lens

pytestmark = pytest.mark.film

TILT_DEG, HEIGHT_PERCENT = 2.0, 3.0  # what calibration promises
CAMERAS = json.loads((Path(__file__).parents[1] / "data" / "calibration" / "cameras.json").read_text(encoding="utf-8"))
SIDE_MM = 300.0


def off(scene: Scene) -> tuple[float, float]:
    """Errors of tilt (degrees) and height (%) when the field is found in a rendered picture and the lens is known."""
    view = scene.viewpoint()
    bgr, _ = scene.render([[] for _ in scene.spec.board.points], rng=np.random.default_rng(1))
    width, height = view.size_px
    matrix = np.array([[view.focal_px, 0, (width - 1) / 2], [0, view.focal_px, (height - 1) / 2], [0, 0, 1]])
    lens = Lens(view.size_px, matrix, np.array([view.k1, 0, 0, 0, 0]))
    found = find_field(bgr, lens, (scene.spec.board,))
    assert isinstance(found, Registration)
    pose = estimate_pose(found.field, view.size_px, lens)
    tilt = float(np.rad2deg(np.arccos(view.camera_from_world[2, 2])))
    return abs(pose.tilt_deg - tilt), 100 * abs(pose.height / -view.centre[2] - 1)


@pytest.mark.parametrize("n", [1, pytest.param(16, marks=pytest.mark.slow)])
def test_tilt_and_height_come_from_the_field(n: int) -> None:
    rng = np.random.default_rng(11)
    scenes = (Scene(random_spec(rng, NINE_MENS_MORRIS, hardness=0.3, size_px=(960, 540))) for _ in range(n))
    errors = np.array([off(scene) for scene in scenes])
    print(f"tilt off: mean {errors[:, 0].mean():.2f}, most {errors[:, 0].max():.2f} degrees; ", end="")
    print(f"height off: mean {errors[:, 1].mean():.2f}, most {errors[:, 1].max():.2f} %")
    assert (errors < (TILT_DEG, HEIGHT_PERCENT)).all()


def test_cameras_of_photographed_scenes_are_found_again_from_hand_drawn_boards() -> None:
    """Every third board of a set of rendered photographs: nobody drew them square, so a few are off by more."""
    errors = []
    for camera in CAMERAS:
        board = board_named(camera["board"], len(camera["points"]))
        assert board is not None
        points = np.array([camera["points"][name] for name in board.points])
        lens = Lens(tuple(camera["size"]), np.array(camera["K"]), np.array(camera["dist"]))
        pose = estimate_pose(field_at(board, points), lens.size_px, lens)
        turn, shift = np.array(camera["R"]), np.array(camera["t_cm"])
        centre = -turn.T @ shift
        rays = np.column_stack([lens.rays(points), np.ones(len(points))]) @ turn
        on_table = (centre - rays * (centre[2] / rays[:, 2])[:, None])[:, :2]
        ideal = np.array(board.xy) - np.mean(board.xy, axis=0)
        side_cm = np.sqrt(((on_table - on_table.mean(axis=0)) ** 2).sum() / (ideal**2).sum())
        tilt = np.rad2deg(np.arccos(abs(turn[2, 2])))
        errors.append((abs(pose.tilt_deg - tilt), 100 * abs(pose.height * side_cm / centre[2] - 1)))
    tilt, height = np.array(errors).T
    print(f"{len(errors)} scenes: tilt off median {np.median(tilt):.2f}, most {tilt.max():.2f} degrees; ", end="")
    print(f"height off median {np.median(height):.2f}, most {height.max():.2f} %")
    assert np.median(tilt) < TILT_DEG / 2
    assert np.median(height) < HEIGHT_PERCENT / 2
    assert ((tilt < TILT_DEG) & (height < HEIGHT_PERCENT)).mean() > 0.7


@cache
def drawn_board() -> NDArray[np.float32]:
    """A board of 300 mm on a sheet of 400 mm, 2.5 texels to a millimetre."""
    times, margin = 2.5, 50.0
    sheet = np.full((round(400 * times), round(400 * times)), 215, np.uint8)
    for stroke in NINE_MENS_MORRIS.drawings[0].strokes:
        assert isinstance(stroke, Segment)
        ends = (np.array([stroke.start, stroke.end]) * SIDE_MM + margin) * times - 0.5
        cv2.line(sheet, *np.rint(ends * 16).astype(int).tolist(), 40, 8, cv2.LINE_AA, 4)
    return sheet.astype(np.float32)


def test_a_plane_is_measured_in_millimetres_through_the_whole_chain() -> None:
    """Views of the sheet give the lens, the board gives the pose, and any place on the table its millimetres."""
    true = LENSES["strong"]
    shot = Shot((-20.0, -60.0, 560.0), (-36.0, 6.0), 8.0)
    chance = np.random.default_rng(9)
    paper = {"paper": drawn_board(), "mm_per_texel": 0.4, "margin_mm": 50.0}
    bgr = picture(true, shot, noise=3, blur_px=0.7, rng=chance, **paper)
    turn, shift = plane_of(shot)
    places_mm = np.random.default_rng(4).uniform(0, SIDE_MM, (200, 2))
    camera = np.column_stack([places_mm, np.zeros(200)]) @ turn.T + shift
    seen_px = true.project(camera[:, :2] / camera[:, 2:])
    errors = {}
    for name, lens in (("measured", calibrate_lens(views("strong", 4.0, 0.8)).lens), ("none", None)):
        found = find_field(bgr, lens, (NINE_MENS_MORRIS,))
        assert isinstance(found, Registration), name
        pose = estimate_pose(found.field, (1280, 720), lens)
        plane_from_rays = np.linalg.inv(pose.camera_from_board[:, [0, 1, 3]])
        got_mm = apply_homography(plane_from_rays, pose.lens.rays(seen_px)) * SIDE_MM
        errors[name] = float(np.sqrt(((got_mm - places_mm) ** 2).sum(axis=1).mean()))
        errors[name + " height %"] = 100 * abs(pose.height * SIDE_MM / abs(turn[:, 2] @ shift) - 1)
    print({name: round(value, 2) for name, value in errors.items()})
    assert errors["measured"] < 0.6  # mm, of 300: a pixel of this picture is 0.6
    assert errors["measured"] < errors["none"] / 2
    assert errors["measured height %"] < 1


def test_meters_judge_in_words() -> None:
    rng = np.random.default_rng(5)
    scene = Scene(random_spec(rng, NINE_MENS_MORRIS, hardness=0.2, size_px=(960, 540)))
    bgr, truth = scene.render([[] for _ in range(24)], rng=rng)
    field = field_of(scene, truth.points_px)
    meters = {meter.key: meter for meter in grade_placement(measure_placement(bgr, field))}
    assert list(meters) == ["sharp", "light", "glare", "tilt", "pebble", "sight"]
    assert meters["sight"].grade == "good"
    assert meters["tilt"].texts["en"].startswith("Tilt: ")
    assert "good (under 45)" in meters["tilt"].texts["en"] or "45" in meters["tilt"].texts["en"]
    blurred = cv2.GaussianBlur(bgr, (0, 0), 4)
    worse = {meter.key: meter for meter in grade_placement(measure_placement(np.asarray(blurred, np.uint8), field))}
    assert worse["sharp"].value > meters["sharp"].value + 1
    assert worse["sharp"].grade == "poor"
    assert "wipe the lens" in worse["sharp"].texts["en"]
    dark = grade_placement(measure_placement(bgr // 6, field))
    assert next(m for m in dark if m.key == "light").grade == "poor"
    shining = bgr.copy()
    cv2.circle(shining, tuple(int(v) for v in truth.points_px.mean(axis=0)), 60, (255, 255, 255), -1)
    assert next(m for m in grade_placement(measure_placement(shining, field)) if m.key == "glare").grade == "poor"
    aside = replace(field, points_px=truth.points_px + [500, 0])
    assert next(m for m in grade_placement(measure_placement(bgr, aside)) if m.key == "sight").grade == "poor"


@pytest.mark.parametrize("sigma", [1.0, 3.5])
def test_sharpness_is_the_blur_that_was_added(sigma: float) -> None:
    lens = LENSES["weak"]
    bgr = picture(lens, Shot((0, 0, 420.0)), noise=2, blur_px=sigma, rng=np.random.default_rng(2))
    assert measure_placement(bgr).sharp == pytest.approx(sigma, rel=0.25, abs=0.35)
