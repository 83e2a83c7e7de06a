import cv2
import numpy as np
import pytest

from vision.imaging.lens import Lens

WEAK = np.array([-0.08, 0.02, 0.0005, -0.0004, 0.0])
WIDE = np.array([-0.33, 0.14, 0.0, 0.0, -0.03])


def lens(distortion: np.ndarray, focal: float = 800.0) -> Lens:
    return Lens((1280, 720), np.array([[focal, 0, 650.0], [0, focal * 1.01, 352.0], [0, 0, 1]]), distortion)


@pytest.mark.parametrize("distortion", [WEAK, WIDE])
def test_points_bend_as_opencv_bends_them(distortion: np.ndarray) -> None:
    seen = lens(distortion)
    rays = np.random.default_rng(3).uniform(-0.6, 0.6, (50, 2))
    theirs, _ = cv2.projectPoints(
        np.column_stack([rays, np.ones(50)]), np.zeros(3), np.zeros(3), seen.matrix, distortion
    )
    assert np.abs(seen.project(rays) - np.asarray(theirs).reshape(-1, 2)).max() < 1e-9


@pytest.mark.parametrize("distortion", [WEAK, WIDE])
def test_what_was_bent_is_straightened_again_over_the_whole_picture(distortion: np.ndarray) -> None:
    seen = lens(distortion)
    grid = np.stack(np.meshgrid(np.linspace(0, 1279, 30), np.linspace(0, 719, 20)), axis=-1)
    assert np.abs(seen.project(seen.rays(grid)) - grid).max() < 1e-4
    assert np.abs(seen.project(seen.pinhole.rays(seen.undistorted_points(grid))) - grid).max() < 1e-4


def test_the_flat_camera_keeps_the_middles_of_the_rims_and_shows_lines_straight() -> None:
    seen = lens(WIDE, 700.0)
    x, y = seen.matrix[:2, 2]
    rims = seen.undistorted_points([[0, y], [1279, y], [x, 0], [x, 719]])
    assert rims.min() > -1e-6
    assert (rims <= np.array([1279, 719]) + 1e-6).all()
    line = np.column_stack([np.linspace(-0.5, 0.5, 40), np.linspace(-0.4, -0.3, 40)])  # a straight line in the world
    drawn = np.zeros((720, 1280, 3), np.uint8)
    cv2.polylines(drawn, [np.rint(seen.project(line) * 16).astype(np.int32)], False, (255, 255, 255), 3, 16, 4)
    flat = seen.undistorted(drawn)[..., 0].astype(float)
    rows, columns = np.nonzero(flat > 100)
    slope, rise = np.polyfit(columns, rows, 1)
    assert np.abs(rows - slope * columns - rise).max() < 3  # half the width of the stroke and a pixel
    rows, columns = np.nonzero(drawn[..., 0] > 100)
    slope, rise = np.polyfit(columns, rows, 1)
    assert np.abs(rows - slope * columns - rise).max() > 6  # as it was, it was bent


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="measured for pictures of 1280 x 720, this one has 640 x 360"):
        lens(WEAK).undistorted(np.zeros((360, 640, 3), np.uint8))
