"""Write a network of PyTorch as a file that ``vision/networks/runtime.py`` runs, and read its weights again.

Needs ``torch``, ``onnx`` and ``onnxscript`` beside the project's own libraries; nothing installed needs this file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vision.networks import runtime  # noqa: E402

MAX_DIFFERENCE = 1e-3


def export(
    out: Path,
    network: nn.Module,
    inputs: Mapping[str, tuple[Sequence[int], Mapping[int, Any]]],
    outputs: Sequence[str],
) -> None:
    """Write a network with weights of half precision, and some of what it answers to ``runtime.question``.

    ``inputs`` names the arguments of its ``forward``, in order, each with the shape of an example and the sizes that
    vary, by axis: ``torch.export.Dim("n", min=2, max=64)``, or ``32 * torch.export.Dim("rows")`` for multiples of 32.
    Of an axis that varies the example is not 1. Batch norms must be folded: ``fold_batch_norms``.
    """
    network.eval()
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_(weight.half().float())
        examples = tuple(torch.from_numpy(runtime.question(shape)) for shape, _ in inputs.values())
        answers = network(*examples)
    program = torch.onnx.export(
        network,
        examples,
        dynamo=True,
        verbose=False,
        input_names=list(inputs),
        output_names=list(outputs),
        dynamic_shapes=tuple(dict(axes) for _, axes in inputs.values()),
    )
    assert program is not None
    tensors = (answers,) if isinstance(answers, Tensor) else answers
    for part in (*program.model.graph.all_nodes(), *program.model.graph.inputs, *program.model.graph.outputs):
        part.metadata_props.clear()  # lines and folders of the scripts that made it
    meta = {name: list(shape) for name, (shape, _) in inputs.items()}, [runtime.some_of(one.numpy()) for one in tensors]
    for key, value in zip(("inputs", "answers"), meta, strict=True):
        program.model.metadata_props[key] = json.dumps(value)
    program.save(out, external_data=False)
    worst = runtime.difference_from_training(out)
    assert worst < MAX_DIFFERENCE, f"{out} answers otherwise than PyTorch, by {worst}"
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB, within {worst:.0e} of PyTorch")


def fold_batch_norms(network: nn.Module) -> None:
    """Put each batch norm that follows a convolution of an ``nn.Sequential`` into it, an identity in its place."""
    network.eval()
    for part in network.modules():
        if isinstance(part, nn.Sequential):
            for k in range(len(part) - 1):
                if isinstance(part[k], nn.Conv2d) and isinstance(part[k + 1], nn.BatchNorm2d):
                    part[k] = nn.utils.fuse_conv_bn_eval(part[k], part[k + 1])
                    part[k + 1] = nn.Identity()


def weights_of(path: Path) -> dict[str, Tensor]:
    """The weights of a written file by the names that they have in PyTorch."""
    stored = onnx.load(path).graph.initializer
    return {one.name: torch.from_numpy(np.array(onnx.numpy_helper.to_array(one))) for one in stored}
