"""The runtime of the neural networks: ONNX Runtime. A network is one file of this folder, loaded once.

``tools/export_network.py`` writes such a file from PyTorch, with answers of PyTorch that are compared here. Why not
``cv2.dnn``: measured on one thread with the network of maps, it takes 2.3 times as long (numpy 3.1 times), plans anew
for every shape, and answers wrongly where two threads ask one network. It would save 79 MB of the install, and 50 to
120 ms of the start.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array


@cache
def network(name: str | Path) -> Any:
    """Return the network of that name, of ``vision/networks/NAME.onnx``, or of a file; threads may share it.

    It computes in the thread that asks: its answers depend on no number of threads.
    """
    onnxruntime.disable_telemetry_events()  # its builds for Windows report use otherwise
    onnxruntime.set_default_logger_severity(3)  # errors alone: it warns of graphics cards that are not there
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # plans of memory for every size of picture cost more than they give
    with as_file(files("vision.networks")) as folder:
        path = name if isinstance(name, Path) else folder / f"{name}.onnx"
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(name: str | Path, **inputs: NDArray[Any]) -> list[Float32Array]:
    """Return the outputs of a network, in their order, from its inputs by name.

    Numbers of points, and sizes of pictures, may differ from call to call.
    """
    arrays = {key: np.ascontiguousarray(value, np.float32) for key, value in inputs.items()}
    outputs: list[Float32Array] = network(name).run(None, arrays)
    return outputs


def question(shape: Sequence[int]) -> Float32Array:
    """Return an input of that shape, the same on every computer, to which answers can be compared."""
    return np.asarray(np.sin(np.sqrt(np.arange(np.prod(shape), dtype=np.float64) ** 3)).reshape(shape), np.float32)


def some_of(answer: Float32Array) -> list[float]:
    """Return up to 32 values of an answer, evenly from first to last."""
    flat = answer.ravel()
    return [float(flat[k]) for k in np.linspace(0, len(flat) - 1, min(32, len(flat))).astype(np.intp)]


def difference_from_training(name: str | Path) -> float:
    """Return the greatest difference of a network's answers here from those of PyTorch, which its file keeps."""
    metadata = network(name).get_modelmeta().custom_metadata_map
    answers = run(name, **{key: question(shape) for key, shape in json.loads(metadata["inputs"]).items()})
    expected = np.concatenate(json.loads(metadata["answers"]))
    return float(np.abs(np.concatenate([some_of(answer) for answer in answers]) - expected).max())
