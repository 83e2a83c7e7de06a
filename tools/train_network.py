"""Train a network of PyTorch from boards without end, and go on from where it stopped.

Needs ``torch`` beside the project's own libraries; nothing installed needs this file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

Parts = dict[str, Tensor]
"""What a loss is the sum of, by name."""


class Batches(IterableDataset[Sequence[Tensor]]):
    """The batches that ``made`` makes with a generator of numbers, which differs between workers."""

    def __init__(self, made: Callable[[np.random.Generator], Iterable[Sequence[Tensor]]], seed: int) -> None:
        self.made, self.seed = made, seed

    def __iter__(self) -> Iterator[Sequence[Tensor]]:
        worker = torch.utils.data.get_worker_info()
        return iter(self.made(np.random.default_rng([self.seed, worker.id if worker else 0])))


def add_options(training: argparse.ArgumentParser, fastest: float) -> None:
    """Add the options of ``train`` to a command, but for ``--steps``."""
    training.add_argument("--rate", type=float, default=fastest, help="longest step")
    training.add_argument("--workers", type=int, default=1, help="processes that make lessons beside it")
    training.add_argument("--again", action="store_true", help="a new cycle from the weights in MADE")


def train(
    made: Path,
    given: argparse.Namespace,
    network: nn.Module,
    batches: Callable[[np.random.Generator], Iterable[Sequence[Tensor]]],
    parts_of: Callable[[nn.Module, Sequence[Tensor]], Parts],
) -> None:
    """Adam (Kingma and Ba 2015) with a cosine schedule; the mean of the weights is kept beside them.

    It goes on from the checkpoint in ``made``. ``given`` are ``--steps`` and the options of ``add_options``.
    """
    made.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    mean = {name: value.clone() for name, value in network.state_dict().items()}
    adam = torch.optim.AdamW(network.parameters(), given.rate, weight_decay=1e-3)
    checkpoint, before = made / "checkpoint.pt", 0
    if checkpoint.exists():
        stored = torch.load(checkpoint)
        network.load_state_dict(stored["network"])
        mean = stored["mean"]
        if not given.again:
            adam.load_state_dict(stored["adam"])
            before = stored["step"]
    loader = DataLoader(
        Batches(batches, before + 1),
        batch_size=None,
        num_workers=given.workers,
        prefetch_factor=8 if given.workers else None,
    )
    losses: dict[str, float] = {}
    began = time.monotonic()
    for step, batch in zip(range(before + 1, given.steps + 1), loader, strict=False):
        for group in adam.param_groups:
            share = 0.5 * (1 + np.cos(np.pi * step / given.steps)) + 0.01
            group["lr"] = float(given.rate * min(1, step / 200) * share)
        with torch.autocast("cpu", torch.bfloat16):  # half the time on processors that have it
            parts = parts_of(network, batch)
        adam.zero_grad()
        sum(parts.values(), torch.zeros(())).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        adam.step()
        keep = min(0.995, step / (step + 10))
        for name, value in network.state_dict().items():
            is_float = value.is_floating_point()
            mean[name] = mean[name].lerp(value, 1 - keep) if is_float else value.clone()
        for name, value in parts.items():
            losses[name] = losses.get(name, 0.0) + float(value.detach()) / 100
        if step % 100 == 0:
            seconds = (time.monotonic() - began) / 100
            print(step, f"{seconds:.2f} s", {name: round(value, 4) for name, value in losses.items()}, flush=True)
            losses, began = {}, time.monotonic()
        if step % 500 == 0 or step == given.steps:
            state = {"network": network.state_dict(), "mean": mean, "adam": adam.state_dict(), "step": step}
            torch.save(state, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)


def trained(made: Path, network: nn.Module) -> nn.Module:
    """Give a network the mean weights of the checkpoint, as it is used."""
    network.load_state_dict(torch.load(made / "checkpoint.pt")["mean"])
    return network.eval()


def padded(boards: Sequence[Sequence[np.ndarray]]) -> tuple[Tensor, ...]:
    """Arrays over the points of some boards as tensors (b, n, ...) with zeros; the last part says which points are."""
    n = max(len(board[0]) for board in boards)
    parts = [np.zeros((len(boards), n, *part.shape[1:]), np.float32) for part in boards[0]]
    use = np.zeros((len(boards), n), np.float32)
    for b, board in enumerate(boards):
        use[b, : len(board[0])] = 1
        for whole, part in zip(parts, board, strict=True):
            whole[b, : len(part)] = part
    return *(torch.from_numpy(part) for part in parts), torch.from_numpy(use)
