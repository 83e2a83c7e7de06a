"""Train the network of tall patches, of which a picture of towers has one a point; see README.md.

    python tools/readers/tall_network.py train MADE TABLES.npz ... --steps 8000
    python tools/readers/tall_network.py export OUT.onnx MADE

Needs ``torch``, ``onnx`` and ``onnxscript`` beside the project's own libraries. Tables are those of ``lay.py``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]

from export_network import export  # noqa: E402
from lay import colour_change  # noqa: E402
from train_network import Parts, add_options, padded, train, trained  # noqa: E402

from vision.stones.tower_heights import TALL_PATCH_COLUMNS, TALL_PATCH_ROWS  # noqa: E402

BOARDS_AT_ONCE, MOST_POINTS = 8, 18


def convolution(n_in: int, n_out: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    """A convolution with a zero border, rectified."""
    return nn.Sequential(nn.Conv2d(n_in, n_out, size, stride, size // 2), nn.ReLU())


def enlarged(maps: Tensor, times: int) -> Tensor:
    """Maps (n, k, rows, columns) with every sample repeated along both sides."""
    return functional.interpolate(maps, scale_factor=float(times), mode="nearest")


def beside_the_others(each: Tensor, one: Tensor, use: Tensor) -> Tensor:
    """What is told of every point (b, n, k) beside all points, and those of one sort and the other: (b, n, 6 k).

    ``one``, (b, n), is the probability of the one sort, ``use`` is 0 where there is no point.
    """

    def over(weights: Tensor, room: float) -> tuple[Tensor, Tensor]:
        weights = (weights * use)[..., None]
        total = weights.sum(1, keepdim=True) + room
        mean = (each * weights).sum(1, keepdim=True) / total
        return mean, torch.sqrt(((each - mean) ** 2 * weights).sum(1, keepdim=True) / total + 1e-4)

    others = [*over(torch.ones_like(one), 0.0), *over(one, 0.1), over(1 - one, 0.1)[0]]
    return torch.cat([each, *(part.expand_as(each) for part in others)], 2)


class TallNetwork(nn.Module):
    """Stones and heights on the points of some boards at once: patch by patch, then the points beside each other."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = convolution(4, 12, 5, 2)
        self.coarse = nn.Sequential(nn.AvgPool2d(2), convolution(12, 20), convolution(20, 24), convolution(24, 24))
        self.mask_fine, self.mask_coarse, self.cells = nn.Conv2d(12, 1, 1), nn.Conv2d(24, 1, 1), nn.Conv2d(24, 8, 1)
        self.point = nn.Linear(TALL_PATCH_ROWS * TALL_PATCH_COLUMNS // 16 * 8 + 2 * 24 + 1, 48)
        self.first, self.board = nn.Linear(48, 1), nn.Linear(6 * 48, 48)
        self.stone, self.height = nn.Linear(48, 1), nn.Linear(48, 3)

    def forward(self, x: Tensor, height_scale: Tensor, use: Tensor) -> tuple[Tensor, ...]:
        """Log odds of a stone (b, n), the same at first sight, mask logits, and logits of heights (b, n, 3).

        From limited log colours (b, n, rows, columns, 3), height scales and points that there are (b, n).
        """
        boards, n = x.shape[:2]
        steep = height_scale[..., None, None, None].expand(*x.shape[:4], 1)
        fine = self.fine(torch.cat([x, steep], 4).flatten(0, 1).permute(0, 3, 1, 2))
        coarse = self.coarse(fine)
        mask = self.mask_fine(fine) + enlarged(self.mask_coarse(coarse), 2)
        near = torch.sigmoid(functional.avg_pool2d(mask, 2))
        inside = (coarse * near).sum((2, 3)) / (near.sum((2, 3)) + 1)
        cells = functional.relu(self.cells(coarse)).flatten(1)
        features = torch.cat([cells, coarse.amax((2, 3)), inside, height_scale.reshape(-1, 1)], 1)
        each = functional.relu(self.point(features)).reshape(boards, n, -1)
        first = self.first(each)[..., 0]
        hidden = functional.relu(self.board(beside_the_others(each, 1 - torch.sigmoid(first), use)))
        return self.stone(hidden)[..., 0], first, mask.reshape(boards, n, *mask.shape[2:]), self.height(hidden)


def parts_of(network: nn.Module, batch: Sequence[Tensor]) -> Parts:
    """Stones, less so at first sight, with a little doubt, heights, and masks, whose inside counts three times."""
    x, height_scale, stone, heights, mask, use = batch
    stone_logits, first, mask_logits, height = (part.float() for part in network(x, height_scale, use))
    cross = functional.binary_cross_entropy_with_logits
    truth, total, high = stone.clamp(0.005, 0.995), use.sum(), use * (heights > 0)
    masks = (cross(mask_logits, mask, reduction="none") * (1 + 2 * mask)).mean((2, 3))
    deep = functional.cross_entropy(height.permute(0, 2, 1), (heights.long() - 1).clamp(min=0), reduction="none")
    return {
        "stone": (cross(stone_logits, truth, reduction="none") * use).sum() / total,
        "first": 0.3 * (cross(first, truth, reduction="none") * use).sum() / total,
        "mask": 10 * (masks * use).sum() / total,
        "height": 1.5 * (deep * high).sum() / (high.sum() + 1),
    }


def laid_tables(sources: list[str], names: str) -> list[tuple]:
    """The tables that ``lay.py`` wrote, each as its arrays of these names."""
    tables = []
    for source in sources:
        with np.load(source) as stored:
            ends = np.cumsum(stored["b"])
            arrays = [stored[name] for name in names]
        tables += [
            tuple(a[end - n : end] for a in arrays) for end, n in zip(ends, np.diff(ends, prepend=0), strict=True)
        ]
    return tables


def board(table: tuple, rng: np.random.Generator) -> tuple:
    """What the network sees of a table this time, and what it should tell."""
    log_colour, height_scale, tops, heights, mask = (part.astype(np.float32) for part in table)
    relative = (log_colour - np.median(log_colour.reshape(-1, 3), axis=0)) @ colour_change(rng).T
    relative += rng.normal(0, rng.choice([0, 0, 0.03]), relative.shape)
    x = np.clip(relative * np.float32([1, 2, 2]), -3, 3)
    if rng.random() < 0.5:
        x, mask = x[:, :, ::-1], mask[:, :, ::-1]
    chosen = rng.permutation(len(x))[:MOST_POINTS]
    return tuple(part[chosen] for part in (x, height_scale, tops > 0, heights, mask))


class Told(nn.Module):
    """The network as it ships: one board, the mean over its patches and their mirror images."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, height_scale: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Log odds of a stone (n,), its mask, and log probabilities of heights (n, 3); a tower has an up, no left."""
        use = torch.ones_like(height_scale).expand(2, -1)
        stone_logits, _, mask, height = self.network(torch.stack([x, x.flip(2)]), height_scale.expand(2, -1), use)
        mask = torch.sigmoid(mask)
        return stone_logits.mean(0), (mask[0] + mask[1].flip(2)) / 2, height.log_softmax(2).mean(0)


def write(out: Path, network: nn.Module) -> None:
    """Write the network as ``vision.stones.tower_heights`` runs it."""
    n = torch.export.Dim("points", min=1, max=999)
    inputs = {"x": ((5, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 3), {0: n}), "height_scale": ((5,), {0: n})}
    export(out, Told(network), inputs, ["log_odds", "mask", "log_heights"])


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = ask.add_subparsers(dest="what", required=True)
    training, exporting = what.add_parser("train"), what.add_parser("export")
    training.add_argument("made", type=Path)
    training.add_argument("tables", nargs="+")
    training.add_argument("--steps", type=int, default=8000)
    add_options(training, fastest=1.5e-3)  # twice the rate killed every rectifier of a new layer
    exporting.add_argument("out", type=Path)
    exporting.add_argument("made", type=Path)
    given = ask.parse_args()
    if given.what == "export":
        write(given.out, trained(given.made, TallNetwork()))
        return
    tables = laid_tables(given.tables, "xsthm")

    def batches(rng: np.random.Generator) -> Iterator[tuple[Tensor, ...]]:
        while True:
            yield padded([board(tables[k], rng) for k in rng.integers(len(tables), size=BOARDS_AT_ONCE)])

    train(given.made, given, TallNetwork(), batches, parts_of)


if __name__ == "__main__":
    main()
