"""Train the network of ``vision/stones/tower_heights.py``: training data from outlines, and the training.

    python tools/readers/strips.py lay 0 1500 laid.pkl SCENES/stills COLOURS/stills   # towers laid on empty tables
    python tools/readers/strips.py cut cut.pkl SCENES/stills COLOURS/stills           # rendered towers with truth
    python tools/readers/strips.py train weights.npz 6000 laid.pkl cut.pkl            # the last takes half the lessons
    python tools/readers/strips.py judge kept.pkl                                     # the stored weights

Of every folder tables with number 3, 7, 11 ... are left out (``keep`` cuts those instead of ``cut``); where three
pictures show one table (names of four digits) tables are counted. A lesson is one board: its strips, which stone each
of their samples shows, and how deep it lies in the tower.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import cv2
import jax
import jax.numpy as jnp
import numpy as np
from cut import _shifted, read_scene
from lay import colour_change, laid, rendered_towers, table_of
from numpy.typing import NDArray
from pebbles import MOST_STONES
from train import begun, convolved, fit, linear, store

from vision.imaging.field import Field
from vision.imaging.patches import sample_log_colour
from vision.networks.patch_networks import predict_towers_averaged
from vision.stones.colour_clustering import cluster_stones
from vision.stones.photograph_reader import TALL_PATCH_HEIGHT_WEIGHT, _top_mask
from vision.stones.tower_heights import (
    STRIP_ROWS_ABOVE_RIM,
    TALL_PATCH_COLUMNS,
    TALL_PATCH_ROWS,
    cut_tall_patches,
    make_masks_exclusive,
    mask_cell_places_px,
    other_paint_colours,
    run_strip_network,
    strip_anchors,
    strip_features,
    strip_places_px,
    top_stone_probabilities,
)

N_BOARDS, N_POINTS = 8, 12
LEAST_SEEN = 12
"""Samples of a tall patch in which the top stone must be seen: a tower behind another one teaches nothing."""
N_CELLS = 12 * 4 * 12
DROPPED = 0.25
"""Share of the cells that are left out of a lesson (Srivastava et al. 2014)."""
MUTE = 0.15
"""Share of lessons in which it is not said whose top a sample shows: of tables that taught, that is said too well."""
SIZES = {"pile1": (5, 8, 16), "pile2": (3, 16, 24), "pile3": (3, 24, 32), "pile4": (3, 32, 32)}
SIZES |= {"pile_fine": (1, 16, 4), "pile_middle": (1, 24, 4), "pile_coarse": (1, 32, 4), "pile_cells": (1, 32, 12)}
SIZES |= {"pile_point": (1, N_CELLS + 12 + 4, 48), "pile_first": (1, 48, 3), "pile_board": (1, 48 * 6, 48)}
SIZES |= {"pile_height": (1, 48, 3)}


def lesson(
    bgr: NDArray[np.uint8], field: Field, names: NDArray[np.int32], heights: NDArray[np.integer],
    kind_of: dict[int, int], rng: np.random.Generator, *, jitter: bool,
) -> dict | None:  # fmt: skip
    """One board; ``names`` says which stone every pixel shows (see ``Table.lay``), ``kind_of`` whose it is."""
    tall = cut_tall_patches(bgr, field)
    look = predict_towers_averaged(tall.log_colour, tall.height_scale)
    size = (bgr.shape[1], bgr.shape[0])
    on_top = make_masks_exclusive(look.mask, mask_cell_places_px(field, *size))
    shown = np.stack([_top_mask(mask) for mask in on_top])
    tops = on_top * shown[:, ::2, ::2]
    points = np.flatnonzero(np.asarray(heights) > 0)
    hung = strip_anchors(tops[points])
    if jitter:
        hung[:, :2] += rng.normal(0, 0.02, (len(points), 2))
        hung[:, 2] = np.clip(hung[:, 2] * np.exp(rng.normal(0, 0.05, len(points))), 0.3, 1.0)
    places, slope = strip_places_px(field, size, points, hung)
    q = np.rint(places).astype(int)
    inside = (q >= 0).all(axis=-1) & (q < size).all(axis=-1)
    name = np.where(inside, names[np.clip(q[..., 1], 0, size[1] - 1), np.clip(q[..., 0], 0, size[0] - 1)], 0)
    stack, depth = (name - 1) // MOST_STONES, (name - 1) % MOST_STONES
    mine = (name > 0) & (stack == points[:, None, None])
    seen = [(names == 1 + MOST_STONES * i).sum() for i in points]
    use = np.flatnonzero(np.array(seen) > LEAST_SEEN) if jitter else np.arange(len(points))
    if len(use) < 2:
        return None
    samples = [tall.log_colour[i][shown[i]] for i in points]
    own = np.array([np.median(s, axis=0) for s in samples], np.float32)
    labels, _ = cluster_stones(samples, {3: 1.0}, stacked=True)
    log_colour = sample_log_colour(bgr, places.reshape(-1, TALL_PATCH_COLUMNS, 2)).reshape(*places.shape[:3], 3)
    claimed = top_stone_probabilities(field, size, points, tops[points], places)
    middle = hung_middle(field, size, points, hung)
    own_name = names[np.clip(middle[:, 1], 0, size[1] - 1), np.clip(middle[:, 0], 0, size[0] - 1)]
    known = sorted(set(np.unique(name).tolist()) | set(own_name.tolist()))
    index = np.zeros(max(known) + 1, np.uint8)
    index[known] = np.arange(len(known)) if known[0] == 0 else np.arange(1, len(known) + 1)
    kinds = [kind_of[k] for k in known if k > 0]
    return {
        "log_colour": log_colour[use].astype(np.float16), "claimed": (claimed[use] * 255).astype(np.uint8),
        "id": index[name][use], "kinds": np.array(kinds),
        "depth": np.where(mine, np.minimum(depth, 2) + 1, 0)[use].astype(np.uint8),
        "own": own[use], "own_id": index[own_name][use], "labels": np.asarray(labels)[use],
        "ground": np.median(tall.log_colour[points].reshape(len(points), -1, 3), axis=1)[use].astype(np.float32),
        "place": np.column_stack([hung, slope])[use].astype(np.float32), "heights": np.asarray(heights)[points][use],
        "prior": look.log_heights[points][use],
    }  # fmt: skip


def hung_middle(field: Field, size: tuple[int, int], points: NDArray[np.intp], hung: NDArray) -> NDArray[np.int64]:
    """A pixel in the middle of every top stone."""
    places, _ = strip_places_px(field, size, points, hung)
    return np.rint(places[:, 14, TALL_PATCH_COLUMNS // 2]).astype(np.int64)


def cut(folders: list[str], *, kept: bool) -> list[dict]:
    """Lessons of rendered stills; of those that teach three each, at other sizes and with slips of the points."""
    out = []
    for picture, field, names, scene, kinds, rng in rendered_towers(folders, kept=kept):
        made = lesson(picture, field, names, scene.heights, kinds, rng, jitter=not kept)
        out += [made] if made else []
    return out


def lay(first: int, count: int, folders: list[str]) -> list[dict]:
    """Lessons of towers laid on empty tables."""
    paths = [p for folder in folders for p in sorted(Path(folder).glob("*.json")) if table_of(p) % 4 != 3]
    scenes = [read_scene(p) for p in paths]
    found = [(s.field, s.empty) for s in scenes if s.empty is not None and not s.field.board.rings]
    out = []
    for seed in range(first, first + count):
        rng = np.random.default_rng(777_000 + seed)
        field, picture, stacks, names = laid(*found[rng.integers(len(found))], rng, towers=True)
        heights = np.array([len(stack) for stack in stacks])
        if (heights > 0).sum() < 3:
            continue
        kinds = {
            1 + MOST_STONES * i + len(stack) - 1 - level: kind
            for i, stack in enumerate(stacks)
            for level, (kind, _) in enumerate(stack)
        }
        field = _shifted(field, (0.0, 0.02, 0.04, 0.06)[seed % 4], rng)
        made = lesson(picture, field, names, heights, kinds, rng, jitter=True)
        out += [made] if made else []
    return out


def board_of(table: dict, rng: np.random.Generator, *, alter: bool) -> tuple:
    """What the network sees of a lesson, where strips hang, shares of the layers, heights."""
    log_colour, ids, depth, place = (
        table["log_colour"].astype(np.float32),
        table["id"],
        table["depth"],
        table["place"].copy(),
    )
    claimed = table["claimed"] / np.float32(255)
    if alter:
        log_colour, claimed, ids, depth, place = stretched(log_colour, claimed, ids, depth, place, rng)
        claimed = claimed * (rng.random(2) > MUTE)
    own, ground, labels = table["own"].copy(), table["ground"], table["labels"].copy()
    n, n_stones = len(log_colour), len(table["kinds"])
    if alter:
        if rng.random() < 0.6:  # every stone gets a paint of its own
            n_kinds = 3
            paints = np.column_stack([rng.normal(0, 0.7, n_kinds), rng.normal(0, 0.35, (n_kinds, 2))])
            again = rng.random() < 0.5
            kinds = rng.integers(n_kinds, size=n_stones) if again else table["kinds"] % n_kinds
            shift = np.zeros((256, 3), np.float32)
            usual = np.median(log_colour.reshape(-1, 3), axis=0)
            for k in range(n_stones):
                shows = ids == k + 1
                if shows.sum() >= 4:
                    paint = usual + paints[kinds[k]] + rng.normal(0, [0.07, 0.02, 0.02])
                    shift[k + 1] = paint - np.median(log_colour[shows], axis=0)
            moved = shift[ids]
            log_colour = log_colour + (moved * 2 + sum(np.roll(moved, s, a) for a in (1, 2) for s in (-1, 1))) / 6
            own = own + shift[table["own_id"]]
            known = table["own_id"] > 0
            labels[known] = kinds[table["own_id"][known].astype(int) - 1]
            wrong = rng.random(n) < 0.06
            labels[wrong] = rng.integers(n_kinds, size=int(wrong.sum()))
        change = colour_change(rng).T
        log_colour, own, ground = log_colour @ change, own @ change, ground @ change
        if rng.random() < 0.25:
            axis = int(rng.integers(1, 3))
            log_colour = (log_colour + np.roll(log_colour, 1, axis) + np.roll(log_colour, -1, axis)) / 3
        if rng.random() < 0.5:
            log_colour = log_colour + rng.normal(0, rng.choice([0.03, 0.08]), log_colour.shape) * [1, 0.6, 0.8]
        own = own + rng.normal(0, [0.05, 0.015, 0.015], own.shape)
    log_colour, own, ground = (np.asarray(a, np.float32) for a in (log_colour, own, ground))
    others = other_paint_colours(own, labels)
    if alter and rng.random() < 0.15:
        others = [np.full_like(own, np.nan)] * 2
    seen = strip_features(log_colour, own, ground, others, np.asarray(claimed, np.float32))
    if alter:
        place += rng.normal(0, [0.03, 0.03, 0.02, 0.02], place.shape)
        if rng.random() < 0.5:
            seen, depth = seen[:, :, ::-1], depth[:, :, ::-1]
            place[:, 1] *= -1
    return seen, place, depth, table["heights"]


def stretched(
    log_colour: NDArray, claimed: NDArray, ids: NDArray, depth: NDArray, place: NDArray, rng: np.random.Generator
) -> tuple:
    """The strips as if all stones were flatter or rounder, and larger or smaller."""
    tall, wide = np.exp(rng.normal(0, 0.1, 2))
    rows = np.clip(
        STRIP_ROWS_ABOVE_RIM + (np.arange(TALL_PATCH_ROWS) - STRIP_ROWS_ABOVE_RIM) / tall, 0, TALL_PATCH_ROWS - 1
    )
    half = (TALL_PATCH_COLUMNS - 1) / 2
    columns = np.clip(half + (np.arange(TALL_PATCH_COLUMNS) - half) / wide, 0, TALL_PATCH_COLUMNS - 1)
    grid = [np.asarray(a, np.float32) for a in np.meshgrid(columns, rows)]
    log_colour, claimed = (
        np.stack([cv2.remap(a, *grid, cv2.INTER_LINEAR) for a in part]) for part in (log_colour, claimed)
    )
    near = np.ix_(np.rint(rows).astype(int), np.rint(columns).astype(int))
    ids, depth = (np.stack([a[near] for a in part]) for part in (ids, depth))
    return log_colour, claimed, ids, depth, (place * [tall, wide, wide, 1]).astype(np.float32)


def told(w: dict, seen: jax.Array, place: jax.Array, kept: jax.Array, use: jax.Array) -> tuple[jax.Array, ...]:
    """Heights (b, n, 3), the same at first sight, and layers (b, n, rows, columns, 4), all before the softmax."""
    boards, n = seen.shape[:2]
    fine = convolved(seen.reshape(-1, *seen.shape[2:]), w["pile1"])
    middle = convolved(fine, w["pile2"], 2)
    coarse = convolved(convolved(middle, w["pile3"], 2), w["pile4"])
    layers = linear(fine, w["pile_fine"]) + linear(middle, w["pile_middle"]).repeat(2, 1).repeat(2, 2)
    layers += linear(coarse, w["pile_coarse"]).repeat(4, 1).repeat(4, 2)
    along = jax.nn.softmax(layers).mean(2)
    area = along.sum(1)
    rows = jnp.linspace(-1, 1, TALL_PATCH_ROWS)[:, None]
    moments = jnp.concatenate([area / 10, jnp.log(area + 0.5), (along * rows).sum(1) / (area + 0.5)], -1)
    cells = jax.nn.relu(linear(coarse, w["pile_cells"])).reshape(boards * n, -1) * kept.reshape(boards * n, -1)
    each = jnp.concatenate([cells, moments, place.reshape(boards * n, -1) * 2], -1)
    each = jax.nn.relu(linear(each, w["pile_point"])).reshape(boards, n, -1)
    first = linear(each, w["pile_first"])
    single = jax.nn.softmax(first)[..., 0]

    def over(weights: jax.Array, room: float) -> tuple[jax.Array, jax.Array]:
        weights = (weights * use)[..., None]
        total = weights.sum(1, keepdims=True) + room
        mean = (each * weights).sum(1, keepdims=True) / total
        return mean, jnp.sqrt(((each - mean) ** 2 * weights).sum(1, keepdims=True) / total + 1e-4)

    others = [*over(jnp.ones_like(single), 0.0), *over(single, 0.1), over(1 - single, 0.1)[0]]
    beside = jnp.concatenate([each, *(jnp.broadcast_to(a, each.shape) for a in others)], -1)
    heights = linear(jax.nn.relu(linear(beside, w["pile_board"])), w["pile_height"]) + first
    return heights, first, layers.reshape(boards, n, *layers.shape[1:])


def loss(
    w: dict, seen: jax.Array, place: jax.Array, depth: jax.Array, heights: jax.Array, kept: jax.Array, use: jax.Array
) -> jax.Array:
    """Heights with a little doubt, at first sight, too, and the layer that every sample shows."""
    told_heights, first, layers = told(w, seen, place, kept, use)
    truth = jax.nn.one_hot(heights - 1, 3) * 0.96 + 0.0133
    total = use.sum()

    def unlike(logits: jax.Array) -> jax.Array:
        return (-(jax.nn.log_softmax(logits) * truth).sum(-1) * use).sum() / total

    shown = jax.nn.one_hot((depth - 1) % 4, 4)  # the top, one below, two below, something else
    shown = shown.reshape(*shown.shape[:3], TALL_PATCH_COLUMNS // 2, 2, 4).mean(4)
    rows = (-(jax.nn.log_softmax(layers) * shown).sum(-1).mean((2, 3)) * use).sum() / total
    return unlike(told_heights) + 0.4 * unlike(first) + 1.5 * rows


def batches(groups: list[list[dict]], rng: np.random.Generator):
    """Boards of all groups, as many of the last as of all the others."""
    share = np.array([0.5 / max(1, len(groups) - 1)] * (len(groups) - 1) + [0.5])
    while True:
        shapes = (((TALL_PATCH_ROWS, TALL_PATCH_COLUMNS // 2, 8), np.float32), ((4,), np.float32))
        shapes += (
            ((TALL_PATCH_ROWS, TALL_PATCH_COLUMNS), np.int32),
            ((), np.int32),
            ((N_CELLS,), np.float32),
            ((), np.float32),
        )
        batch = [np.zeros((N_BOARDS, N_POINTS, *shape), kind) for shape, kind in shapes]
        batch[3][:] = 1
        for b in range(N_BOARDS):
            lessons = groups[rng.choice(len(groups), p=share / share.sum())]
            parts = board_of(lessons[rng.integers(len(lessons))], rng, alter=True)
            some = rng.permutation(len(parts[0]))[:N_POINTS]
            kept = (rng.random((len(parts[0]), N_CELLS)) > DROPPED) / (1 - DROPPED)
            for whole, part in zip(batch, (*parts, kept, np.ones(len(parts[0]))), strict=True):
                whole[b, : len(some)] = part[some]
        yield tuple(batch)


def judge(tables: list[dict]) -> str:
    """Share of heights that are told right by the stored weights: by the strips, by the tall patches, by both."""
    right = {"strips": 0, "tall": 0, "both": 0}
    n, nats = 0, 0.0
    for table in tables:
        seen, place, _, heights = board_of(table, np.random.default_rng(0), alter=False)
        mirrored = place * np.array([1, -1, 1, 1], np.float32)
        log = (run_strip_network(seen, place)[0] + run_strip_network(seen[:, :, ::-1], mirrored)[0]) / 2
        both = log + TALL_PATCH_HEIGHT_WEIGHT * table["prior"]
        for name, said in (("strips", log), ("tall", table["prior"]), ("both", both)):
            right[name] += int((said.argmax(axis=1) + 1 == heights).sum())
        nats -= float(log[np.arange(len(log)), heights - 1].sum())
        n += len(heights)
    shares = ", ".join(f"{name} {k / n:.2%} ({k}/{n})" for name, k in right.items())
    return f"{shares}; {nats / n:.3f} nats by the strips"


def main() -> None:
    """Lay, cut, train or judge."""
    what, *rest = sys.argv[1:]
    cv2.setNumThreads(1)
    if what == "lay":
        first, count, target, *folders = rest
        Path(target).write_bytes(pickle.dumps(lay(int(first), int(count), folders)))
    elif what in ("cut", "keep"):
        target, *folders = rest
        lessons = cut(folders, kept=what == "keep")
        print(len(lessons), sum(len(t["heights"]) for t in lessons))
        Path(target).write_bytes(pickle.dumps(lessons))
    elif what == "judge":
        for source in rest:
            print(source, judge(pickle.loads(Path(source).read_bytes())))
    else:
        target, n_steps, *sources = rest
        rng = np.random.default_rng(1)
        groups = [pickle.loads(Path(source).read_bytes()) for source in sources]
        path = Path(target)
        store(path, fit(begun(path, SIZES, rng), loss, batches(groups, rng), int(n_steps)))


if __name__ == "__main__":
    main()
