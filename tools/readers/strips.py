"""Train the network of ``vision/stones/tower_heights.py``: training data from outlines, and the training.

    python tools/readers/strips.py lay 0 1500 laid.pkl SCENES/stills COLOURS/stills   # towers laid on empty tables
    python tools/readers/strips.py cut cut.pkl SCENES/stills COLOURS/stills           # rendered towers with truth
    python tools/readers/strips.py train MADE laid.pkl cut.pkl --steps 6000           # the last takes half the lessons
    python tools/readers/strips.py export OUT.onnx MADE
    python tools/readers/strips.py judge kept.pkl                                     # the network that ships

Of every folder tables with number 3, 7, 11 ... are left out (``keep`` cuts those instead of ``cut``); where three
pictures show one table (names of four digits) tables are counted. A lesson is one board: its strips, which stone each
of their samples shows, and how deep it lies in the tower. ``train`` and ``export`` need ``torch``, ``onnx`` and
``onnxscript`` beside the project's own libraries.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]

from cut import read_scene, shifted  # noqa: E402
from export_network import export  # noqa: E402
from lay import colour_change, laid, rendered_towers, table_of  # noqa: E402
from pebbles import MOST_STONES  # noqa: E402
from tall_network import beside_the_others, convolution, enlarged  # noqa: E402
from train_network import Parts, add_options, padded, train, trained  # noqa: E402

from vision.imaging.field import Field  # noqa: E402
from vision.imaging.patches import sample_log_colour  # noqa: E402
from vision.networks.runtime import run  # noqa: E402
from vision.stones.appearance import top_mask  # noqa: E402
from vision.stones.colour_clustering import cluster_stones  # noqa: E402
from vision.stones.photograph_reader import TALL_PATCH_HEIGHT_WEIGHT  # noqa: E402
from vision.stones.tower_heights import (  # noqa: E402
    STRIP_ROWS_ABOVE_RIM,
    TALL_PATCH_COLUMNS,
    TALL_PATCH_ROWS,
    cut_tall_patches,
    make_masks_exclusive,
    mask_cell_places_px,
    other_paint_colours,
    predict_towers,
    strip_anchors,
    strip_features,
    strip_places_px,
    top_stone_probabilities,
)

N_BOARDS, N_POINTS = 8, 12
LEAST_SEEN = 12
"""Samples of a tall patch in which the top stone must be seen: a tower behind another one teaches nothing."""
DROPPED = 0.25
"""Share of the cells that are left out of a lesson (Srivastava et al. 2014)."""
MUTE = 0.15
"""Share of lessons in which it is not said whose top a sample shows: of tables that taught, that is said too well."""


def lesson(
    bgr: NDArray[np.uint8], field: Field, names: NDArray[np.int32], heights: NDArray[np.integer],
    kind_of: dict[int, int], rng: np.random.Generator, *, jitter: bool,
) -> dict | None:  # fmt: skip
    """One board; ``names`` says which stone every pixel shows (see ``Table.lay``), ``kind_of`` whose it is."""
    tall = cut_tall_patches(bgr, field)
    look = predict_towers(tall)
    size = (bgr.shape[1], bgr.shape[0])
    on_top = make_masks_exclusive(look.mask, mask_cell_places_px(field, *size))
    top_masks = np.stack([top_mask(mask) for mask in on_top])
    tops = on_top * top_masks[:, ::2, ::2]
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
    n_visible = [(names == 1 + MOST_STONES * i).sum() for i in points]
    use = np.flatnonzero(np.array(n_visible) > LEAST_SEEN) if jitter else np.arange(len(points))
    if len(use) < 2:
        return None
    samples = [tall.log_colour[i][top_masks[i]] for i in points]
    ground = np.median(tall.log_colour[points].reshape(len(points), -1, 3), axis=1).astype(np.float32)
    own = np.array([np.median(s, axis=0) for s in samples], np.float32)
    labels, _ = cluster_stones(samples, {3: 1.0}, ground[:, 0])
    log_colour = sample_log_colour(bgr, places.reshape(-1, TALL_PATCH_COLUMNS, 2)).reshape(*places.shape[:3], 3)
    claimed = top_stone_probabilities(field, size, points, tops[points], places)
    middle = hung_middle(field, size, points, hung)
    own_name = names[np.clip(middle[:, 1], 0, size[1] - 1), np.clip(middle[:, 0], 0, size[0] - 1)]
    label_names = sorted(set(np.unique(name).tolist()) | set(own_name.tolist()))
    index = np.zeros(max(label_names) + 1, np.uint8)
    index[label_names] = np.arange(len(label_names)) if label_names[0] == 0 else np.arange(1, len(label_names) + 1)
    kinds = [kind_of[k] for k in label_names if k > 0]
    return {
        "log_colour": log_colour[use].astype(np.float16), "claimed": (claimed[use] * 255).astype(np.uint8),
        "id": index[name][use], "kinds": np.array(kinds),
        "depth": np.where(mine, np.minimum(depth, 2) + 1, 0)[use].astype(np.uint8),
        "own": own[use], "own_id": index[own_name][use], "labels": np.asarray(labels)[use],
        "ground": ground[use],
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
    bare_scenes = [(s.field, s.empty) for s in scenes if s.empty is not None and not s.field.board.rings]
    out = []
    for seed in range(first, first + count):
        rng = np.random.default_rng(777_000 + seed)
        field, picture, stacks, names = laid(*bare_scenes[rng.integers(len(bare_scenes))], rng, towers=True)
        heights = np.array([len(stack) for stack in stacks])
        if (heights > 0).sum() < 3:
            continue
        kinds = {
            1 + MOST_STONES * i + len(stack) - 1 - level: kind
            for i, stack in enumerate(stacks)
            for level, (kind, _) in enumerate(stack)
        }
        field = shifted(field, (0.0, 0.02, 0.04, 0.06)[seed % 4], rng)
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
            is_own = table["own_id"] > 0
            labels[is_own] = kinds[table["own_id"][is_own].astype(int) - 1]
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
    features = strip_features(log_colour, own, ground, others, np.asarray(claimed, np.float32))
    if alter:
        place += rng.normal(0, [0.03, 0.03, 0.02, 0.02], place.shape)
        if rng.random() < 0.5:
            features, depth = features[:, :, ::-1], depth[:, :, ::-1]
            place[:, 1] *= -1
    return features, place, depth, table["heights"]


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


class StripNetwork(nn.Module):
    """The heights of the towers of some boards at once, and which stone of its tower every sample shows."""

    def __init__(self) -> None:
        super().__init__()
        self.fine, self.middle = convolution(8, 16, 5), convolution(16, 24, 3, 2)
        self.coarse = nn.Sequential(convolution(24, 32, 3, 2), convolution(32, 32))
        self.layers = nn.ModuleList(nn.Conv2d(n, 4, 1) for n in (16, 24, 32))
        self.cells, self.dropped = nn.Conv2d(32, 12, 1), nn.Dropout(DROPPED)
        n_cells = TALL_PATCH_ROWS * TALL_PATCH_COLUMNS // 32
        self.point, self.first = nn.Linear(12 * n_cells + 12 + 4, 48), nn.Linear(48, 3)
        self.board, self.height = nn.Linear(6 * 48, 48), nn.Linear(48, 3)

    def forward(self, x: Tensor, pose: Tensor, use: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of heights (b, n, 3), the same at first sight, and of layers (b, n, 4, rows, columns / 2).

        From features (b, n, rows, columns / 2, 8), where strips hang, (b, n, 4), and towers that there are (b, n).
        """
        boards, n = x.shape[:2]
        fine = self.fine(x.flatten(0, 1).permute(0, 3, 1, 2))
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        parts = zip(self.layers, (fine, middle, coarse), (1, 2, 4), strict=True)
        layers = sum(enlarged(layer(features), times) for layer, features, times in parts)
        along = layers.softmax(1).mean(3)
        area = along.sum(2)
        rows = torch.linspace(-1, 1, TALL_PATCH_ROWS)
        moments = [area / 10, torch.log(area + 0.5), (along * rows).sum(2) / (area + 0.5)]
        cells = self.dropped(functional.relu(self.cells(coarse)).flatten(1))
        each = functional.relu(self.point(torch.cat([cells, *moments, pose.flatten(0, 1) * 2], 1)))
        each = each.reshape(boards, n, -1)
        first = self.first(each)
        beside = beside_the_others(each, first.softmax(2)[..., 0], use)  # single stones are the yardstick
        heights = self.height(functional.relu(self.board(beside))) + first
        return heights, first, layers.reshape(boards, n, *layers.shape[1:])


def parts_of(network: nn.Module, batch: Sequence[Tensor]) -> Parts:
    """Heights with a little doubt, at first sight, too, and the layer that every sample shows."""
    x, pose, depth, heights, use = batch
    height_logits, first, layers = (part.float() for part in network(x, pose, use))
    truth, total = (heights.long() - 1).clamp(min=0), use.sum()

    def unlike(logits: Tensor) -> Tensor:
        each = functional.cross_entropy(logits.permute(0, 2, 1), truth, reduction="none", label_smoothing=0.04)
        return (each * use).sum() / total

    depth_share = functional.one_hot((depth.long() - 1) % 4, 4).float()  # the top, one below, two below, something else
    depth_share = depth_share.reshape(*depth_share.shape[:3], -1, 2, 4).mean(4).permute(0, 1, 4, 2, 3)
    rows = -(layers.log_softmax(2) * depth_share).sum(2).mean((2, 3))
    parts = {"heights": unlike(height_logits), "first": 0.4 * unlike(first)}
    return parts | {"rows": 1.5 * (rows * use).sum() / total}


def batches(groups: list[list[dict]], rng: np.random.Generator) -> Iterator[tuple[Tensor, ...]]:
    """Boards of all groups, as many of the last as of all the others."""
    share = np.array([0.5 / max(1, len(groups) - 1)] * (len(groups) - 1) + [0.5])
    while True:
        boards = []
        for _ in range(N_BOARDS):
            lessons = groups[rng.choice(len(groups), p=share / share.sum())]
            parts = board_of(lessons[rng.integers(len(lessons))], rng, alter=True)
            some = rng.permutation(len(parts[0]))[:N_POINTS]
            boards.append([part[some] for part in parts])
        yield padded(boards)


class Told(nn.Module):
    """The network as it ships: one board, the mean over its strips and their mirror images."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, pose: Tensor) -> tuple[Tensor, Tensor]:
        """Log probabilities of heights (n, 3), and of each sample that it shows the top; a tower has an up, no left."""
        poses = torch.stack([pose, pose * torch.tensor([1.0, -1.0, 1.0, 1.0])])
        heights, _, layers = self.network(torch.stack([x, x.flip(2)]), poses, torch.ones_like(poses[..., 0]))
        top = layers.softmax(2)[:, :, 0]
        return heights.log_softmax(2).mean(0), (top[0] + top[1].flip(2)) / 2


def write(out: Path, network: nn.Module) -> None:
    """Write the network as ``vision.stones.tower_heights`` runs it."""
    n = torch.export.Dim("towers", min=1, max=999)
    inputs = {"x": ((5, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS // 2, 8), {0: n}), "pose": ((5, 4), {0: n})}
    export(out, Told(network), inputs, ["log_heights", "top"])


def judge(tables: list[dict]) -> str:
    """Share of heights that are told right by the stored weights: by the strips, by the tall patches, by both."""
    right = {"strips": 0, "tall": 0, "both": 0}
    n, nats = 0, 0.0
    for table in tables:
        features, place, _, heights = board_of(table, np.random.default_rng(0), alter=False)
        log, _ = run("strips", x=features, pose=place)
        both = log + TALL_PATCH_HEIGHT_WEIGHT * table["prior"]
        for name, said in (("strips", log), ("tall", table["prior"]), ("both", both)):
            right[name] += int((said.argmax(axis=1) + 1 == heights).sum())
        nats -= float(log[np.arange(len(log)), heights - 1].sum())
        n += len(heights)
    shares = ", ".join(f"{name} {k / n:.2%} ({k}/{n})" for name, k in right.items())
    return f"{shares}; {nats / n:.3f} nats by the strips"


def main() -> None:
    """Lay, cut, train, export or judge."""
    cv2.setNumThreads(1)
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = ask.add_subparsers(dest="what", required=True)
    laying, training, exporting, judging = (what.add_parser(name) for name in ("lay", "train", "export", "judge"))
    laying.add_argument("first", type=int)
    laying.add_argument("count", type=int)
    for cutting in (laying, what.add_parser("cut"), what.add_parser("keep")):
        cutting.add_argument("target", type=Path)
        cutting.add_argument("folders", nargs="*")
    training.add_argument("made", type=Path)
    for learning in (training, judging):
        learning.add_argument("lessons", type=Path, nargs="+")
    training.add_argument("--steps", type=int, default=6000)
    add_options(training, fastest=1.5e-3)
    exporting.add_argument("out", type=Path)
    exporting.add_argument("made", type=Path)
    given = ask.parse_args()
    if given.what == "judge":
        for source in given.lessons:
            print(source, judge(pickle.loads(source.read_bytes())))
    elif given.what == "export":
        write(given.out, trained(given.made, StripNetwork()))
    elif given.what == "train":
        groups = [pickle.loads(source.read_bytes()) for source in given.lessons]
        train(given.made, given, StripNetwork(), partial(batches, groups), parts_of)
    else:
        is_laid, kept = given.what == "lay", given.what == "keep"
        lessons = lay(given.first, given.count, given.folders) if is_laid else cut(given.folders, kept=kept)
        print(len(lessons), sum(len(lesson["heights"]) for lesson in lessons))
        given.target.write_bytes(pickle.dumps(lessons))


if __name__ == "__main__":
    main()
