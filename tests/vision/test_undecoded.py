"""Pictures are decoded when somebody asks for their pixels, and then they are what they always were."""

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from millchen import main
from referee.layouts import TIC_TAC_TOE
from tests.synthetic import Scene, random_spec
from tests.web.broken_camera import BrokenCamera
from vision.capture.pictures import jpeg_of
from vision.capture.sources import MJPG, LiveCamera
from vision.imaging.frame import Frame, Image, JpegPicture


def scene(size_px: tuple[int, int], seed: int = 0) -> Image:
    """Smooth patches of colour, which JPEG keeps."""
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), np.uint8)
    return np.asarray(cv2.resize(coarse, size_px, interpolation=cv2.INTER_CUBIC), np.uint8)


def jpeg(bgr: Image) -> bytes:
    return bytes(np.asarray(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])[1]).tobytes())


def as_jpeg(data: bytes) -> JpegPicture:
    picture = jpeg_of(data)
    assert picture is not None
    return picture


@pytest.mark.parametrize("n_frames", [28, 29, 30])
def test_a_film_ends_with_any_of_its_frames(n_frames: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "film.avi"
    out = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, MJPG, 30, (320, 240))
    for _ in range(n_frames):
        out.write(table_at_rest())
    out.release()
    assert main(["watch", str(path), "--game", "tic_tac_toe", "--json"]) == 0
    assert '"board"' in capsys.readouterr().out


@cache
def table_at_rest() -> Image:
    """A bare board, small, which is found."""
    rng = np.random.default_rng(4)
    spec = random_spec(rng, TIC_TAC_TOE, drawing="lines", hardness=0.0, size_px=(320, 240))
    return Scene(spec).render([[] for _ in TIC_TAC_TOE.points], rng=rng)[0]


@pytest.mark.parametrize("size_px", [(160, 120), (163, 117), (9, 3)])
def test_a_jpeg_says_its_size_and_has_its_pixels_when_asked(size_px: tuple[int, int]) -> None:
    data = jpeg(scene(size_px))
    frame = Frame(as_jpeg(data), 1.0, 1)
    assert frame.size_px == size_px
    assert not set(vars(frame.picture)) & {"bgr", "reduced"}
    np.testing.assert_array_equal(frame.bgr, cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR))
    assert frame.bgr is replace(frame, time_s=2.0).bgr  # decoded once
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(frame)).bgr, frame.bgr)


def test_a_reduced_picture_has_the_means_of_the_blocks_of_a_jpeg_and_of_other_pixels() -> None:
    frame = Frame(as_jpeg(jpeg(scene((163, 117)))), 0.0, 0)
    assert frame.reduced.shape == (15, 21, 3) == Frame(frame.bgr, 0.0, 0).reduced.shape
    means = cv2.resize(frame.bgr[:112, :160], (20, 14), interpolation=cv2.INTER_AREA)
    assert np.abs(frame.reduced[:14, :20].astype(int) - means).mean() < 2.0  # of 255: both round, and one averages YCC
    assert np.abs(Frame(frame.bgr, 0.0, 0).reduced[:14, :20].astype(int) - means).max() <= 1  # it rounds thrice


def test_what_is_damaged_is_grey_and_what_is_no_jpeg_is_refused() -> None:
    data = jpeg(scene((160, 120)))
    cut = Frame(as_jpeg(data[: len(data) // 2]), 0.0, 0)
    assert cut.size_px == (160, 120) and set(np.unique(cut.bgr)) == set(np.unique(cut.reduced)) == {128}
    size = data.index(bytes([0, 120, 0, 160]))
    huge, empty = (data[:size] + sides + data[size + 4 :] for sides in (b"\xff\xff" * 2, b"\0" * 4))
    for wrong in (b"", data[:4], data[2:], bytes(1000), b"\xff\xd8" + bytes(100), huge, empty):
        assert jpeg_of(wrong) is None


def test_a_camera_with_an_address_hands_its_jpegs_over() -> None:
    camera = BrokenCamera(lambda n: scene((160, 120), n))
    try:
        with LiveCamera(camera.address) as live:
            frame = next(iter(live))
    finally:
        camera.close()
    assert isinstance(frame.picture, JpegPicture)
    off = np.abs(frame.bgr.astype(int) - scene((160, 120), frame.sequence)).mean()
    assert off < 3.0  # of 255, by a JPEG of quality 95
