"""Two networks in numpy and in cv2.dnn: what they cost on one core, and how far their answers lie apart.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.bench_networks [--rounds 15]

The smallest network (``patch_networks.changed_stone_log_odds``, asked at every look) and the largest
(``disc_detection.hole_heatmap``). Needs ``pip install onnx``, for the stored weights are written as ONNX first; works
with OpenCV 4.13 and 5.0. Both ways take turns, so that the ratio can be judged on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import cv2
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from referee.layouts import NINE_MENS_MORRIS, moulin_rouge
from tests.synthetic import Scene, random_spec
from vision.detection import disc_detection
from vision.imaging.field import Field
from vision.imaging.patches import cut_patches
from vision.networks import patch_networks
from vision.stones.appearance import change_maps, change_network_input, learn_bare, light_offset, unknown_appearance

SIZE_PX = (1280, 720)
N_POINTS = (24, 9, 5, 2)
"""Points that changed: as many as a look may find, in turns, for cv2.dnn plans anew for every shape."""


class Graph:
    """An ONNX graph with one input, which grows by one node a call."""

    def __init__(self, *shape: int | str) -> None:
        self.given = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        self.nodes: list[Any] = []
        self.stored: list[Any] = []

    def __call__(self, kind: str, *inputs: str | np.ndarray, **attributes: Any) -> str:
        names = [x if isinstance(x, str) else self.store(x) for x in inputs]
        self.nodes.append(helper.make_node(kind, names, [f"v{len(self.nodes)}"], **attributes))
        return f"v{len(self.nodes) - 1}"

    def store(self, value: np.ndarray) -> str:
        name = f"c{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name))
        return name

    def conv(self, x: str, name: str, size: int = 3) -> str:
        weight, bias = patch_networks.network_weights()[name + "_w"], patch_networks.network_weights()[name + "_b"]
        kernel = weight.reshape(size, size, -1, len(bias)).transpose(3, 2, 0, 1)
        out = self("Conv", x, kernel, bias, kernel_shape=[size] * 2, pads=[size // 2] * 4)
        return self("Relu", out) if size > 1 else out

    def halved(self, x: str) -> str:
        return self("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])

    def beside(self, coarse: str, fine: str) -> str:
        how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self("Concat", self("Resize", coarse, "", np.array([1, 1, 2, 2]), **how), fine, axis=1)

    def read(self) -> cv2.dnn.Net:
        ends = [helper.make_tensor_value_info(self.nodes[-1].output[0], TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "net", [self.given], ends, self.stored)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        packed = onnx.shape_inference.infer_shapes(model).SerializeToString()
        began = time.process_time()
        net = cv2.dnn.readNetFromONNX(np.frombuffer(packed, np.uint8))
        print(f"ONNX of {len(packed)} bytes read in {1000 * (time.process_time() - began):.0f} ms")
        return net


def known() -> Graph:
    g = Graph("n", 3, 16, 16)
    flat = g("Flatten", g.conv(g.halved(g.conv("x", "known1")), "known2"))
    w = patch_networks.network_weights()
    first = w["known3_w"].reshape(8, 8, 12, -1).transpose(2, 0, 1, 3).reshape(768, -1)  # ONNX has channels first
    g("Gemm", g("Relu", g("Gemm", flat, first, w["known3_b"])), w["known4_w"], w["known4_b"])
    return g


def ring() -> Graph:
    g = Graph(1, 3, "rows", "columns")
    fine = g.conv("x", "ring1")
    middling = g.conv(g.halved(fine), "ring2")
    coarse = g.conv(g.conv(g.conv(g.halved(middling), "ring3"), "ring4"), "ring5")
    fine = g.conv(g.beside(g.conv(g.beside(coarse, middling), "ring6"), fine), "ring7")
    g("Sigmoid", g.conv(fine, "ring8", size=1))
    return g


def asked(net: cv2.dnn.Net, x: np.ndarray) -> np.ndarray:
    net.setInput(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))
    return np.asarray(net.forward())


def judged(net: cv2.dnn.Net, maps: np.ndarray) -> np.ndarray:
    """As ``patch_networks.changed_stone_log_odds``."""
    return asked(net, maps)[:, 0].astype(np.float64)


def heated(net: cv2.dnn.Net, seen: np.ndarray, side: int) -> np.ndarray:
    """As ``disc_detection.hole_heatmap``."""
    lab = cv2.cvtColor(seen, cv2.COLOR_BGR2LAB).astype(np.float32)
    small = cv2.resize(lab, (side, side), interpolation=cv2.INTER_AREA)
    scale = np.array(disc_detection.HEATMAP_LAB_SCALE, np.float32)
    relative = (small - np.median(small.reshape(-1, 3), axis=0)) / scale
    told = asked(net, np.clip(relative, -disc_detection.HEATMAP_CLIP, disc_detection.HEATMAP_CLIP)[None])[0, 0]
    return cv2.resize(told, seen.shape[1::-1], interpolation=cv2.INTER_LINEAR)


def changed_points() -> list[tuple[np.ndarray]]:
    """What a laid table differs in from the bare one, for ever other numbers of points."""
    rng = np.random.default_rng(91)
    scene = Scene(random_spec(rng, NINE_MENS_MORRIS, size_px=SIZE_PX, hardness=0.4))
    stacks = [[int(rng.integers(2))] if rng.random() < 0.4 else [] for _ in NINE_MENS_MORRIS.points]
    (laid, truth), (bare, _) = scene.render(stacks, rng=rng), scene.render([[]] * len(stacks), rng=rng)
    homography, _ = cv2.findHomography(np.array(NINE_MENS_MORRIS.xy), truth.points_px)
    field = Field(NINE_MENS_MORRIS, scene.spec.drawing, truth.points_px, np.asarray(homography))
    n = len(stacks)
    table = learn_bare(unknown_appearance(n, 0), cut_patches(bare, field), np.ones(n, np.bool_))
    patches = cut_patches(laid, field)
    maps = change_network_input(change_maps(patches, table, light_offset(patches, table)))
    return [(maps[:some],) for some in N_POINTS]


def disc() -> np.ndarray:
    """A disc of three rings, seen as ``wheel`` cuts it out."""
    spec = random_spec(np.random.default_rng(24), moulin_rouge(24), n_players=4, hardness=0.3, size_px=SIZE_PX)
    bgr, truth = Scene(spec).render([[]] * 72, rng=np.random.default_rng(1))
    corners = cv2.minAreaRect(truth.points_px.astype(np.float32))
    target = np.array([[37, 187], [37, 37], [187, 37], [187, 187]], np.float32)
    return cv2.warpPerspective(bgr, cv2.getPerspectiveTransform(cv2.boxPoints(corners), target), (224, 224))


def compared(name: str, calls: Sequence[tuple[Any, ...]], ways: Sequence[Callable[..., Any]], rounds: int) -> None:
    """Print what numpy and cv2.dnn cost a call, their ratio, and the largest difference of their answers."""
    apart = max(float(np.abs(ways[0](*call) - ways[1](*call)).max()) for call in calls)
    spent = np.zeros((2, rounds))
    for turn in range(rounds):
        for way, ask in enumerate(ways):
            began = time.process_time()
            for call in calls:
                ask(*call)
            spent[way, turn] = (time.process_time() - began) / len(calls)
    ratio = np.percentile(spent[0] / spent[1], (25, 50, 75))
    one, other = 1000 * np.median(spent, axis=1)
    print(
        f"{name:24} numpy {one:7.2f} ms, cv2.dnn {other:7.2f} ms, ratio {ratio[1]:.2f} "
        f"({ratio[0]:.2f} to {ratio[2]:.2f}), apart {apart:.1e}"
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--rounds", type=int, default=15)
    rounds = ask.parse_args().rounds
    cv2.setNumThreads(1)
    began = time.process_time()
    patch_networks.network_weights()
    print(f"OpenCV {cv2.__version__}; weights of all networks read in {1000 * (time.process_time() - began):.0f} ms")
    few, many = known().read(), ring().read()
    smallest = (patch_networks.changed_stone_log_odds, partial(judged, few))
    compared("known, 2 to 24 points", changed_points(), smallest, 10 * rounds)
    seen = disc()
    for side in (disc_detection.HEATMAP_SIDE, 2 * disc_detection.HEATMAP_SIDE):
        largest = (disc_detection.hole_heatmap, partial(heated, many))
        compared(f"heat, {side} samples a side", [(seen, side)], largest, rounds)


if __name__ == "__main__":
    main()
