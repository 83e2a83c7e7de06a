"""Train the network of tall patches (``vision/networks/patch_networks.py``) and write its weights; see README.md."""

from __future__ import annotations

import argparse
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from lay import colour_change

TALL_STEPS, TALL_BOARDS, TALL_POINTS = 8000, 8, 18
MOST_RATE = 1.5e-3
"""Longest step of Adam; twice as much killed every rectifier of a new layer."""
Weights = dict[str, list]


def layer(rng: np.random.Generator, size: int, n_in: int, n_out: int) -> list:
    """Weights (size * size * n_in, n_out) and biases of one layer, as He et al. 2015, equation 10."""
    fan_in = size * size * n_in
    return [rng.normal(0, np.sqrt(2 / fan_in), (fan_in, n_out)).astype(np.float32), np.zeros(n_out, np.float32)]


def begun(path: Path, sizes: dict[str, tuple[int, int, int]], rng: np.random.Generator) -> Weights:
    """The weights that are stored there already, so that further lessons go on from them; new ones where none fit."""
    stored = dict(np.load(path)) if path.exists() else {}
    weights = {}
    for name, size in sizes.items():
        weights[name] = layer(rng, *size)
        if name + "_w" in stored:
            weights[name] = grown(weights[name], *(stored[name + end].astype(np.float32) for end in ("_w", "_b")), name)
    return weights


BLOCKS = {"pile1": 25}
"""Inputs that lie one after the other: a convolution has as many as its window has samples."""


def grown(new: list, weight: np.ndarray, bias: np.ndarray, name: str) -> list:
    """A layer that does at first what a narrower one did, whose further inputs and outputs are still to learn.

    Old outputs take nothing from new inputs; what has other shapes for another reason begins anew.
    """
    (wide, n_out), old_out = new[0].shape, weight.shape[1]
    if (wide, n_out) == weight.shape:
        return [weight, bias]
    blocks = BLOCKS.get(name, 1)
    if wide < len(weight) or n_out < old_out or wide % blocks or len(weight) % blocks:
        return new
    mixed = new[0].reshape(blocks, wide // blocks, n_out).copy()
    old = weight.reshape(blocks, -1, old_out)
    mixed[:, :, :old_out] = 0
    mixed[:, : old.shape[1], :old_out] = old
    return [mixed.reshape(wide, n_out), np.concatenate([bias, new[1][old_out:]])]


def convolved(x: jax.Array, weights: list, stride: int = 1) -> jax.Array:
    """Square convolution with zero border, rectified."""
    n_in = x.shape[-1]
    size = round(float(np.sqrt(weights[0].shape[0] / n_in)))
    border = (size // 2, size // 2 - (stride - 1))
    out = jax.lax.conv_general_dilated(
        x,
        weights[0].reshape(size, size, n_in, -1),
        (stride, stride),
        (border, border),
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )
    return jax.nn.relu(out + weights[1])


def linear(x: jax.Array, weights: list) -> jax.Array:
    """A layer without rectification."""
    return x @ weights[0] + weights[1]


def pooled(x: jax.Array) -> jax.Array:
    """Mean of 2 x 2."""
    n, rows, columns = x.shape[:3]
    return x.reshape(n, rows // 2, 2, columns // 2, 2, -1).mean((2, 4))


def beside_the_others(each: jax.Array, first: jax.Array, use: jax.Array) -> jax.Array:
    """What is told of every point (b, n, k) beside all points, those bare at first sight, and stones: (b, n, 6 k)."""

    def over(weights: jax.Array, room: float) -> tuple[jax.Array, jax.Array]:
        weights = (weights * use)[..., None]
        total = weights.sum(1, keepdims=True) + room
        mean = (each * weights).sum(1, keepdims=True) / total
        return mean, jnp.sqrt(((each - mean) ** 2 * weights).sum(1, keepdims=True) / total + 1e-4)

    stones = jax.nn.sigmoid(first)
    others = [*over(jnp.ones_like(first), 0.0), *over(1 - stones, 0.1), over(stones, 0.1)[0]]
    return jnp.concatenate([each, *(jnp.broadcast_to(a, each.shape) for a in others)], -1)


def tall(w: Weights, x: jax.Array, slope: jax.Array, use: jax.Array) -> tuple[jax.Array, ...]:
    """As ``cold`` for tall patches (b, n, 48, 32, 3) and slopes (b, n), and heights (b, n, 3) behind the mask."""
    boards, n = x.shape[:2]
    steep = jnp.broadcast_to(slope[..., None, None, None], (*x.shape[:4], 1))
    fine = convolved(jnp.concatenate([x, steep], -1).reshape(boards * n, *x.shape[2:4], 4), w["tall1"], 2)
    coarse = convolved(convolved(convolved(pooled(fine), w["tall2"]), w["tall3"]), w["tall4"])
    up = linear(coarse, w["tall_mask_coarse"]).repeat(2, axis=1).repeat(2, axis=2)
    mask = linear(fine, w["tall_mask_fine"]) + up
    near = jax.nn.sigmoid(pooled(mask))
    inside = (coarse * near).sum((1, 2)) / (near.sum((1, 2)) + 1)
    cells = jax.nn.relu(linear(coarse, w["tall_cells"])).reshape(boards * n, -1)
    each = jnp.concatenate([cells, coarse.max((1, 2)), inside, slope.reshape(-1, 1)], -1)
    each = jax.nn.relu(linear(each, w["tall_point"])).reshape(boards, n, -1)
    first = linear(each, w["tall_first"])[..., 0]
    hidden = jax.nn.relu(linear(beside_the_others(each, first, use), w["tall_board"]))
    seen = mask.reshape(boards, n, *mask.shape[1:3])
    return linear(hidden, w["tall_stone"])[..., 0], first, seen, linear(hidden, w["tall_height"])


def cross_entropy(logits: jax.Array, truth: jax.Array) -> jax.Array:
    """Binary, in nats."""
    return jax.nn.softplus(logits) - logits * truth


def stone_loss(told: jax.Array, first: jax.Array, stone: jax.Array, use: jax.Array) -> jax.Array:
    """Stones in the end, and less so at first sight, with a little doubt in every label."""
    truth = jnp.clip(stone, 0.005, 0.995)
    return ((cross_entropy(told, truth) + 0.3 * cross_entropy(first, truth)) * use).sum() / use.sum()


def tall_loss(
    w: Weights, x: jax.Array, slope: jax.Array, stone: jax.Array, heights: jax.Array, mask: jax.Array, use: jax.Array
) -> jax.Array:
    """Stones, heights, and the mask of the top stone, whose inside counts three times."""
    told, first, seen, height = tall(w, x, slope, use)
    masks = ((cross_entropy(seen, mask) * (1 + 2 * mask)).mean((2, 3)) * use).sum() / use.sum()
    high = use * (heights > 0)
    each = -(jax.nn.log_softmax(height) * jax.nn.one_hot(heights - 1, 3)).sum(-1)
    return stone_loss(told, first, stone, use) + 10 * masks + 1.5 * (each * high).sum() / (high.sum() + 1)


def fit(w: Weights, loss, batches, n_steps: int, most_rate: float = MOST_RATE) -> Weights:
    """Adam (Kingma and Ba 2015), cosine schedule, gradients of norm 1 at most; the mean of the last 200 steps or so."""

    @jax.jit
    def step(w, mean, square, i, rate, batch):
        value, slope = jax.value_and_grad(loss)(w, *batch)
        norm = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda g: g / jnp.maximum(1, norm), slope)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
        square = jax.tree.map(lambda s, g: 0.998 * s + 0.002 * g * g, square, slope)

        def moved(p, m, s):
            way = m / (1 - 0.9**i) / (jnp.sqrt(s / (1 - 0.998**i)) + 1e-8)
            return p - rate * (way + 5e-4 * p * (p.ndim > 1))

        return jax.tree.map(moved, w, mean, square), mean, square, value

    @jax.jit
    def averaged(usual, w, keep):
        return jax.tree.map(lambda a, b: keep * a + (1 - keep) * b, usual, w)

    w = jax.tree.map(jnp.array, w)
    mean = square = jax.tree.map(jnp.zeros_like, w)
    usual = w
    total = 0.0
    for i, batch in zip(range(1, n_steps + 1), batches, strict=False):
        rate = most_rate * min(1, i / 300) * (0.5 * (1 + np.cos(np.pi * i / n_steps)) + 0.005)
        w, mean, square, value = step(w, mean, square, i, rate, batch)
        usual = averaged(usual, w, min(0.995, i / (i + 10)))
        total += float(value)
        if i % 500 == 0:
            print(i, round(total / 500, 4), flush=True)
            total = 0.0
    return jax.tree.map(np.asarray, usual)


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


def train_tall(tables: list[tuple], start: Path, rng: np.random.Generator, n_steps: int, most_rate: float) -> Weights:
    """Towers, from what ``lay.py`` wrote."""

    def board(k: int) -> tuple:
        log_colour, slope, tops, heights, mask = (part.astype(np.float32) for part in tables[k])
        relative = (log_colour - np.median(log_colour.reshape(-1, 3), axis=0)) @ colour_change(rng).T
        relative += rng.normal(0, rng.choice([0, 0, 0.03]), relative.shape)
        x = np.clip(relative * np.float32([1, 2, 2]), -3, 3)
        if rng.random() < 0.5:
            x, mask = x[:, :, ::-1], mask[:, :, ::-1]
        chosen = rng.permutation(len(x))[:TALL_POINTS]
        return tuple(part[chosen] for part in (x, slope, tops > 0, heights, mask))

    def batches():
        while True:
            shapes = ((48, 32, 3), (), (), (), (24, 16), ())
            batch = [np.zeros((TALL_BOARDS, TALL_POINTS, *shape), np.float32) for shape in shapes]
            for b, k in enumerate(rng.integers(len(tables), size=TALL_BOARDS)):
                parts = board(int(k))
                for whole, part in zip(batch, (*parts, np.ones(len(parts[1]))), strict=True):
                    whole[b, : len(part)] = part
            yield (*batch[:3], batch[3].astype(np.int32), *batch[4:])

    sizes = {"tall1": (5, 4, 12), "tall2": (3, 12, 20), "tall3": (3, 20, 24), "tall4": (3, 24, 24)}
    sizes |= {"tall_mask_fine": (1, 12, 1), "tall_mask_coarse": (1, 24, 1), "tall_cells": (1, 24, 8)}
    sizes |= {"tall_point": (1, 96 * 8 + 49, 48), "tall_first": (1, 48, 1), "tall_board": (1, 288, 48)}
    sizes |= {"tall_stone": (1, 48, 1), "tall_height": (1, 48, 3)}
    return fit(begun(start, sizes, rng), tall_loss, batches(), n_steps, most_rate)


def main() -> None:
    """Train the network and put its weights beside the others'."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("target", type=Path, help="weights to go on from, where there are any, and to write")
    ask.add_argument("sources", nargs="+", help="tables of lay.py (.npz)")
    ask.add_argument("--steps", type=int, default=TALL_STEPS, help="of Adam")
    ask.add_argument("--rate", type=float, default=MOST_RATE, help="longest step")
    given = ask.parse_args()
    lessons, rng = laid_tables(given.sources, "xsthm"), np.random.default_rng(1)
    store(given.target, train_tall(lessons, given.target, rng, given.steps, given.rate))


def store(path: Path, trained: Weights) -> None:
    """Put weights beside those that are there already."""
    stored = dict(np.load(path)) if path.exists() else {}
    for name, (weight, bias) in trained.items():
        stored |= {name + "_w": weight.astype(np.float16), name + "_b": bias.astype(np.float16)}
    np.savez_compressed(path, **stored)


if __name__ == "__main__":
    main()
