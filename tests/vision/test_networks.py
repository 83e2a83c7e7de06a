"""The networks answer here as they did where they were trained, whoever asks, and whatever the size of a picture."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from vision.networks import runtime

NETWORKS = sorted(path.stem for path in Path(runtime.__file__).parent.glob("*.onnx"))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_answers_as_pytorch_did(name: str) -> None:
    assert runtime.difference_from_training(name) < 1e-3


def test_a_network_answers_two_threads_and_pictures_of_any_size() -> None:
    pictures = [runtime.question((1, 3, *size)) for size in ((224, 384), (288, 288))]

    def answers(picture: np.ndarray) -> list[np.ndarray]:
        return [runtime.run("board_maps", seen=picture)[0] for _ in range(3)]

    alone = [answers(picture)[0] for picture in pictures]
    assert [told.shape for told in alone] == [(1, 9, 112, 192), (1, 9, 144, 144)]
    with ThreadPoolExecutor(2) as pool:
        for told, together in zip(alone, pool.map(answers, pictures), strict=True):
            assert all(np.array_equal(told, other) for other in together)
