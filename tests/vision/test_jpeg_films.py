"""A camera that gives JPEGs is refereed like one that gives pixels, though few of its pictures are decoded whole."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.boards import boards_for
from referee.presets import find_variant
from vision.capture.sources import open_source
from vision.imaging.frame import Frame, JpegPicture
from vision.pipeline import step
from vision.watching.state import Table, start

DEMOS = Path(__file__).parents[2] / "web" / "demo"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["millchen", "moulin_rouge", "trialectic"])
def test_the_demos_as_jpegs_are_refereed_as_they_are_as_pixels(game: str) -> None:
    variant = find_variant(game)
    table = Table(variant, boards_for(variant))
    states, told, n_whole, n = [start(table), start(table)], ([], []), 0, 0
    with open_source(str(DEMOS / f"{game}.mp4")) as film:
        for frame in film:
            jpeg = np.asarray(cv2.imencode(".jpg", frame.bgr)[1]).tobytes()
            pixels = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
            pictures = pixels, JpegPicture(jpeg)
            for k, picture in enumerate(pictures):
                states[k], events = step(states[k], Frame(picture, frame.time_s, frame.sequence), table)
                told[k].extend(type(event) for event in events)
            n_whole, n = n_whole + ("bgr" in vars(pictures[1])), n + 1
    assert told[0] == told[1]
    assert states[0].game == states[1].game
    print(f"{game}: {n_whole} of {n} pictures were decoded whole")
    assert n_whole < n / 2 or variant.board.rings, "turning rings are followed in every picture"
