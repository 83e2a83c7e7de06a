"""Train the network of points: patches of all points in, with or without bare looks, the stone on each point out.

    python tools/readers/point_network.py train MADE LESSONS.pkl:SHARE ... --steps 6000
    python tools/readers/point_network.py judge MADE LESSONS.pkl ...
    python tools/readers/point_network.py export point_looks.onnx MADE

Needs ``torch`` beside the project's own libraries; nothing in the project needs this file. ``train`` goes on from the
checkpoint in MADE. The weights that count are a mean over the last steps. Lessons are those of ``point_lessons.py``.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]

import export_network  # noqa: E402
from lay import colour_change  # noqa: E402
from point_lessons import LESSON_SIDE, Lesson  # noqa: E402
from train_network import Parts, add_options, padded, train, trained  # noqa: E402

from vision.imaging.patches import PATCH_SIDE, patch_samples_per_unit  # noqa: E402

Array = NDArray[np.float32]

MOST_POINTS = 26
"""Points of a board that one lesson shows at most."""
BOARDS_AT_ONCE = 8
KNOWN_BARE = 0.85
"""Share of the lessons, of those that could, in which the bare look is known."""
LAID, CLEARED, MADE, MARKED, ALIKE = 0.6, 0.4, 0.5, 0.3, 0.2
"""Share of the lessons in which things are laid on bare points; of those that are cleared of their own stones first; of
things that are made, where the others are cut out of other tables; of lessons with a mark at every point; and of those
in which one player's things have the colour of the marks."""
INPUTS, MASK_SIDE = 7, PATCH_SIDE // 2
DIMENSIONS, KIND_DIMENSIONS, HEADS = 96, 16, 4
_MIDDLE = slice((LESSON_SIDE - PATCH_SIDE) // 2, (LESSON_SIDE + PATCH_SIDE) // 2)
_STEPS = (np.arange(PATCH_SIDE) - (PATCH_SIDE - 1) / 2).astype(np.float32)
_X, _Y = np.meshgrid(_STEPS, _STEPS)


class Trunk(nn.Module):
    """What one patch (n, INPUTS, side, side) shows: features (n, DIMENSIONS) and logits of the stone's mask."""

    def __init__(self) -> None:
        super().__init__()

        def layer(n_in: int, n_out: int, size: int = 3, stride: int = 1) -> nn.Sequential:
            convolution = nn.Conv2d(n_in, n_out, size, stride, size // 2, bias=False)
            return nn.Sequential(convolution, nn.BatchNorm2d(n_out), nn.ReLU())

        self.fine = nn.Sequential(layer(INPUTS, 24, 5, 2), layer(24, 32))
        self.middle = nn.Sequential(nn.AvgPool2d(2), layer(32, 56), layer(56, 72))
        self.coarse = nn.Sequential(nn.AvgPool2d(2), layer(72, 112))
        self.mask_fine, self.mask_middle = nn.Conv2d(32, 1, 1), nn.Conv2d(72, 1, 1)
        self.seen = nn.Linear(72 + 112 * 2, DIMENSIONS)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Features and mask logits (n, MASK_SIDE, MASK_SIDE) of patches."""
        fine = self.fine(x)
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        rough = self.mask_middle(middle)
        mask = self.mask_fine(fine) + functional.interpolate(rough, scale_factor=2, mode="nearest")
        weight = torch.sigmoid(functional.avg_pool2d(mask, 2))
        inside = (middle * weight).sum((2, 3)) / (weight.sum((2, 3)) + 1)
        seen = torch.cat([inside, coarse.mean((2, 3)), coarse.amax((2, 3))], 1)
        return functional.relu(self.seen(seen)), mask[:, 0]


class Attention(nn.Module):
    """Every point looks at all others (Vaswani et al. 2017, in the order of Xiong et al. 2020)."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(DIMENSIONS), nn.LayerNorm(DIMENSIONS)
        self.asked, self.answer = nn.Linear(DIMENSIONS, 3 * DIMENSIONS), nn.Linear(DIMENSIONS, DIMENSIONS)
        self.wide, self.narrow = nn.Linear(DIMENSIONS, 2 * DIMENSIONS), nn.Linear(2 * DIMENSIONS, DIMENSIONS)

    def forward(self, x: Tensor, absent: Tensor) -> Tensor:
        """Features (b, n, d) in context; ``absent`` (b or 1, n or 1) is added to the logits of padding."""
        b, n, d = x.shape
        q, k, v = self.asked(self.before(x)).reshape(b, n, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
        logits = q @ k.transpose(2, 3) / (d // HEADS) ** 0.5 + absent[:, None, None, :]
        x = x + self.answer((logits.softmax(3) @ v).transpose(1, 2).reshape(b, n, d))
        return x + self.narrow(functional.relu(self.wide(self.between(x))))


class PointNetwork(nn.Module):
    """All points of some boards at once."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.first = Trunk(), nn.Linear(DIMENSIONS, 1)
        self.rounds = nn.ModuleList([Attention(), Attention()])
        self.last = nn.LayerNorm(DIMENSIONS)
        self.stone, self.kind = nn.Linear(DIMENSIONS, 1), nn.Linear(DIMENSIONS, KIND_DIMENSIONS)
        self.alike = nn.Parameter(torch.tensor([2.0, 0.0]))  # nats of two alike, log of nats per squared distance

    def beside(self, features: Tensor, absent: Tensor) -> tuple[Tensor, Tensor]:
        """Log odds of a stone (b, n) and kinds (b, n, KIND_DIMENSIONS) from features (b, n, DIMENSIONS)."""
        for one in self.rounds:
            features = one(features, absent)
        features = self.last(features)
        return self.stone(features)[..., 0], self.kind(features)

    def forward(self, x: Tensor, use: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Log odds, the same at first sight, log odds of pairs (b, n, n) being of one player, and mask logits."""
        b, n = x.shape[:2]
        features, mask = self.trunk(x.reshape(b * n, *x.shape[2:]))
        features = features.reshape(b, n, -1)
        stone, kind = self.beside(features, (use - 1) * 1e4)
        apart = (kind[:, :, None] - kind[:, None]).square().sum(3)
        return (
            stone,
            self.first(features)[..., 0],
            self.alike[0] - self.alike[1].exp() * apart,
            mask.reshape(b, n, *mask.shape[1:]),
        )


class Boards:
    """Lessons without end, each turned, moved and lit another way, with things of other tables on it."""

    def __init__(self, sources: Sequence[tuple[list[Lesson], float]]) -> None:
        self.sources = sources
        self.shares = np.array([share for _, share in sources]) / sum(share for _, share in sources)
        self.kinds = [kind for lessons, _ in sources for one in lessons for kind in kinds_of(one)]

    def batches(self, rng: np.random.Generator) -> Iterator[tuple[Tensor, ...]]:
        """Yield what some boards show, what lies on them, and which of their points there are."""
        self.rng = rng
        while True:
            yield padded([self.board() for _ in range(BOARDS_AT_ONCE)])

    def board(self) -> tuple[Array, ...]:
        """One lesson: inputs (n, INPUTS, side, side), tops, masks, and which masks are known."""
        r = self.rng
        lessons, _ = self.sources[r.choice(len(self.sources), p=self.shares)]
        one = lessons[r.integers(len(lessons))]
        chosen = r.permutation(len(one["tops"]))[
            : int(r.integers(9, MOST_POINTS + 1)) if len(one["tops"]) > MOST_POINTS else MOST_POINTS
        ]
        now, tops = one["now"][chosen].astype(np.float32), one["tops"][chosen].astype(np.int64)
        mask = one["mask"][chosen].astype(np.float32) / 255
        has_mask = (mask.max(axis=(1, 2)) > 0.3) | (tops == 0)
        bare = one["bare"][chosen].astype(np.float32) if "bare" in one else np.full_like(now, np.nan)
        is_laid = r.random() < (LAID if "bare" in one else 1.5 * LAID)
        if r.random() < CLEARED and (tops == 0).sum() > 3:
            if np.isnan(bare).any():
                use = tops == 0
                now, bare, tops, mask, has_mask = (part[use] for part in (now, bare, tops, mask, has_mask))
            else:
                now, tops, mask, has_mask = bare.copy(), 0 * tops, 0 * mask, np.ones_like(has_mask)
        light, self.colour = r.uniform(0, 2 * np.pi), None
        if r.random() < MARKED and has_mask.all():
            colour, opacity, relief = with_neighbours(r, *made_mark(r, light))
            for look, visible in ((now, 1 - mask), (bare, np.ones_like(mask))):
                ground = np.median(look[:, ::4, ::4].reshape(-1, 3), axis=0)
                look += (ground + colour - look) * (opacity * visible)[..., None]
                look[..., 0] += relief * visible
            if r.random() < ALIKE:
                self.colour = colour
        if is_laid:
            self.lay(now, bare, tops, mask, has_mask, light)
        has_bare = ~np.isnan(bare[:, 0, 0, 0])
        if r.random() > KNOWN_BARE:
            has_bare[:] = False
        has_bare &= r.random(len(has_bare)) > 0.1 * (r.random() < 0.3)
        x, mask = self.seen(now, bare, has_bare, mask)
        return x, tops, mask, has_mask

    def lay(
        self,
        now: Array,
        bare: Array,
        tops: NDArray[np.int64],
        mask: Array,
        has_mask: NDArray[np.bool_],
        light: float,
    ) -> None:
        """Lay things of other tables on or beside bare points. Changes its arguments."""
        r = self.rng
        shadow = r.uniform(0, 0.4), r.uniform(0.6, 3), r.uniform(0, 1.0)
        kinds = [
            made_things(r, light) if r.random() < MADE else self.kinds[r.integers(len(self.kinds))] for _ in range(2)
        ]
        tints = [r.normal(0, (0.25, 0.1, 0.1)) * (r.random() < 0.5) for _ in kinds]
        sizes, share = [r.uniform(0.3, 1.3) for _ in kinds], r.choice([0.15, 0.3, 0.5, 0.8, 1.0])
        n_before, wide = int(max(tops.max(), 0)), r.uniform(0.02, 0.2)
        for i in np.flatnonzero(tops == 0):
            if np.isnan(bare[i, 0, 0, 0]) and r.random() < 0.8:
                bare[i] = now[i]
            lot = r.random()
            if lot > share + 0.1:
                continue
            k = int(r.integers(2))
            off = min(abs(r.normal(0, wide)), 0.45) if lot < share else r.uniform(0.75, 1.1)
            way, angle = r.uniform(0, 2 * np.pi, 2)
            colours, own = kinds[k][int(r.integers(len(kinds[k])))]
            c, s = sizes[k] * r.uniform(0.92, 1.08) * np.array([np.cos(angle), np.sin(angle)])
            turn = np.array([[c, -s], [s, c]]) @ np.diag([r.choice([-1, 1]), 1])
            middle = np.full(2, (LESSON_SIDE - 1) / 2)
            weights = own.astype(np.float32)
            place = np.array([(weights.sum(a) * np.arange(LESSON_SIDE)).sum() for a in (0, 1)]) / weights.sum()
            to = middle + off * patch_samples_per_unit() * np.array([np.cos(way), np.sin(way)])
            warp = np.column_stack([turn, to - turn @ place]).astype(np.float32)
            stone = cv2.warpAffine(colours, warp, (LESSON_SIDE, LESSON_SIDE), borderMode=cv2.BORDER_REPLICATE)
            shape = cv2.warpAffine(weights / 255, warp, (LESSON_SIDE, LESSON_SIDE))
            ground = np.median(now[i].reshape(-1, 3), axis=0)
            length, soft, dark = shadow
            cast = np.zeros_like(shape)
            for part in (0.4, 0.7, 1.0):
                step = length * part * patch_samples_per_unit()
                moved = np.array([[1, 0, np.cos(light) * step], [0, 1, np.sin(light) * step]], np.float32)
                cast = np.maximum(cast, cv2.warpAffine(shape, moved, (LESSON_SIDE, LESSON_SIDE)))
            now[i, ..., 0] -= cv2.GaussianBlur(cast, (0, 0), soft) * dark
            if self.colour is not None and k == 0:  # discs as white as the bars between the cells
                stone = stone - np.median(stone[shape >= 0.5 * shape.max()], axis=0) + self.colour
            now[i] += shape[..., None] * (stone + ground + tints[k] - now[i])
            if lot < share:
                tops[i], mask[i], has_mask[i] = n_before + k + 1, shape, True

    def seen(self, now: Array, bare: Array, has_bare: NDArray[np.bool_], mask: Array) -> tuple[Array, Array]:
        """Inputs of the network, and masks at half the resolution, seen another way by another camera."""
        r, n = self.rng, len(now)
        quarter, mirror, scale = int(r.integers(4)) * np.pi / 2, r.choice([-1, 1]), r.uniform(0.88, 1.15)
        tilt, loose = r.normal(0, 0.05), r.choice([0.01, 0.03, 0.06])
        slip = r.normal(0, r.choice([0.0, 0.02, 0.04]), 2)
        now, bare = now.copy(), np.where(has_bare[:, None, None, None], bare, 0)
        shade = self.shade(n)
        now[..., 0] += shade
        if has_bare.any():
            bare[..., 0] += self.shade(n) if r.random() < 0.5 else shade
        out = np.zeros((n, PATCH_SIDE, PATCH_SIDE, 6), np.float32)
        masks = np.zeros((n, PATCH_SIDE, PATCH_SIDE), np.float32)
        for i in range(n):
            angle = quarter + tilt
            c, s = np.cos(angle) / scale, np.sin(angle) / scale
            turn = np.array([[c, -s], [s, c]]) @ np.diag([mirror, 1])
            shift = r.normal(0, loose, 2) * patch_samples_per_unit()
            centre, middle = np.full(2, (LESSON_SIDE - 1) / 2), np.full(2, (PATCH_SIDE - 1) / 2)
            warp = np.column_stack([turn, centre + shift - turn @ middle]).astype(np.float32)
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            size = (PATCH_SIDE, PATCH_SIDE)
            out[i, ..., :3] = cv2.warpAffine(now[i], warp, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
            masks[i] = cv2.warpAffine(mask[i], warp, size, flags=flags)
            if has_bare[i]:
                warp[:, 2] += (slip + r.normal(0, 0.015, 2)) * patch_samples_per_unit()
                out[i, ..., 3:] = cv2.warpAffine(bare[i], warp, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        blur, small, noise = r.choice([0, 0, 0.6, 1.0]), r.choice([1, 1, 0.7, 0.45]), r.choice([0, 0.02, 0.05, 0.1])
        colours = colour_change(r)
        same = r.random() < 0.8
        for part in (out[..., :3], out[..., 3:]):
            if part is not out[..., :3] and not has_bare.any():
                break
            for i in range(n):
                patch = np.ascontiguousarray(part[i])
                if small < 1:
                    patch = cv2.resize(
                        cv2.resize(patch, None, fx=small, fy=small, interpolation=cv2.INTER_AREA),
                        (PATCH_SIDE, PATCH_SIDE),
                    )
                if blur:
                    patch = cv2.GaussianBlur(patch, (0, 0), blur)
                part[i] = patch @ colours.T
            if noise:
                part += r.normal(0, noise, part.shape) * np.float32([1, 0.6, 0.8])
            if not same:
                blur = r.choice([0, 0.6, 1.0])
        now, bare = relative(out[..., :3], out[..., 3:], has_bare)
        flag = np.broadcast_to(has_bare[:, None, None, None], (n, PATCH_SIDE, PATCH_SIDE, 1))
        x = np.concatenate([now, bare, flag], axis=3).transpose(0, 3, 1, 2)
        return np.ascontiguousarray(x, np.float32), masks.reshape(n, MASK_SIDE, 2, MASK_SIDE, 2).mean((2, 4))

    def shade(self, n: int) -> Array:
        """Change of log brightness by shadows with edges, (n, LESSON_SIDE, LESSON_SIDE)."""
        r = self.rng
        shade = np.zeros((n, LESSON_SIDE, LESSON_SIDE), np.float32)
        if r.random() < 0.5:
            return shade
        steps = (np.arange(LESSON_SIDE) - (LESSON_SIDE - 1) / 2).astype(np.float32)
        dark = -r.uniform(0.15, 0.9) * r.choice([1, 1, -0.5])
        for i in range(n):
            lot, way = r.random(), r.uniform(0, 2 * np.pi)
            if lot > 0.55:
                continue
            edge = steps * np.cos(way) + steps[:, None] * np.sin(way) - r.normal(0, 6)
            shade[i] = dark if lot < 0.2 else dark / (1 + np.exp(-np.clip(edge / r.choice([0.3, 1, 3]), -30, 30)))
        return shade


def relative(now: Array, bare: Array, has_bare: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Colours relative to the usual one of the board, as ``vision.networks.point_network`` has them."""
    step = slice(1, None, 3)
    if has_bare.any():
        ground = np.median(bare[has_bare][:, step, step].reshape(-1, 3), axis=0)
        light = np.median((now[has_bare] - bare[has_bare])[:, step, step].reshape(-1, 3), axis=0)
        now = now - light
    else:
        ground = np.median(now[:, step, step].reshape(-1, 3), axis=0)
    scale = np.float32([1, 2, 2])
    there = np.where(has_bare[:, None, None, None], bare - ground, 0)
    return np.clip((now - ground) * scale, -3, 3), np.clip(there * scale, -3, 3)


def kinds_of(one: Lesson) -> list[list[tuple[Array, NDArray[np.uint8]]]]:
    """The things of each player of one lesson, as log colours against the usual one, and masks."""
    ground = np.median(one["now"].astype(np.float32).reshape(-1, 3), axis=0)
    kinds = []
    for player in range(1, int(one["tops"].max()) + 1):
        mine = [i for i in np.flatnonzero(one["tops"] == player) if (one["mask"][i] > 128).sum() > 40]
        if mine:
            kinds.append([(one["now"][i].astype(np.float32) - ground, one["mask"][i]) for i in mine[:6]])
    return kinds


def made_mark(r: np.random.Generator, light: float) -> tuple[Array, Array, Array]:
    """What a board may have at every point: a hollow, a hole, a dot, a ring, a cell between bars.

    Returns its colour against the usual one, (3,), its share of each sample, and what it adds to the level.
    """
    steps = (np.arange(LESSON_SIDE) - (LESSON_SIDE - 1) / 2).astype(np.float32) / patch_samples_per_unit()
    x, y = np.meshgrid(steps, steps)
    kind = str(r.choice(["hollow", "hole", "dot", "ring", "cell"], p=[0.35, 0.15, 0.2, 0.1, 0.2]))
    hue, grey = r.uniform(0, 2 * np.pi), r.choice([0.0, 0.15, 0.6])
    colour = np.array([r.uniform(-1.5, 1.0), 0.8 * grey * np.cos(hue), 0.8 * grey * np.sin(hue)], np.float32)
    radius, sharp = r.uniform(0.12, 0.42), r.uniform(4, 16)
    away = np.hypot(x, y)
    disc, none = np.clip((radius - away) * sharp + 0.5, 0, 1), np.zeros_like(x)
    if kind == "hollow":  # its wall is bright on the side away from the lamp
        towards = (x * np.cos(light) + y * np.sin(light)) / radius
        relief = disc * (-r.uniform(0.1, 1.2) * (1 - 0.5 * (away / radius) ** 2) + r.uniform(-0.1, 0.9) * towards)
        return colour, none, relief
    if kind == "hole":
        small = np.clip((radius / 2.5 - away) * sharp + 0.5, 0, 1)
        return colour, none, -r.uniform(0.5, 2.0) * small
    if kind == "cell":
        half, wide = r.uniform(0.5, 0.9), r.uniform(0.05, 0.5)
        out = np.maximum(np.abs(x), np.abs(y)) - half
        inside, bars = out < 0, (out >= 0) & (out < wide)
        return colour, np.where(bars if r.random() < 0.7 else inside, np.float32(r.uniform(0.6, 1)), 0), none
    shape = disc if kind == "dot" else np.clip(1 - np.abs(away - radius) * sharp, 0, 1)
    return colour, shape * np.float32(r.uniform(0.5, 1)), none


def with_neighbours(r: np.random.Generator, colour: Array, opacity: Array, relief: Array) -> tuple[Array, Array, Array]:
    """The same mark at the points beside, too, which a patch shows in part."""
    ways = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)]) * patch_samples_per_unit() * r.uniform(0.85, 1.3)
    all_opacity, all_relief = opacity, relief
    for x, y in ways[r.random(4) < 0.75] if r.random() < 0.8 else ():
        moved, size = np.array([[1, 0, x], [0, 1, y]], np.float32), (LESSON_SIDE, LESSON_SIDE)
        all_opacity = np.maximum(all_opacity, cv2.warpAffine(np.asarray(opacity, np.float32), moved, size))
        all_relief = all_relief + cv2.warpAffine(np.asarray(relief, np.float32), moved, size)
    return colour, all_opacity, all_relief


def made_things(r: np.random.Generator, light: float) -> list[tuple[Array, NDArray[np.uint8]]]:
    """Six things of one kind, as ``kinds_of`` has them: discs, rings, buttons, coins, caps, beans, nuts, domes."""
    steps = (np.arange(LESSON_SIDE) - (LESSON_SIDE - 1) / 2).astype(np.float32) / patch_samples_per_unit()
    x, y = np.meshgrid(steps, steps)
    hue, grey = r.uniform(0, 2 * np.pi), r.choice([0.0, 0.15, 0.6, 1.0], p=[0.3, 0.3, 0.2, 0.2])
    colour = np.array([r.uniform(-1.8, 1.2), 0.9 * grey * np.cos(hue), 0.9 * grey * np.sin(hue)])
    shape = str(r.choice(["flat", "metal", "dome", "ball", "rough"], p=[0.3, 0.3, 0.15, 0.1, 0.15]))
    radius, aspect, bent = r.uniform(0.09, 0.42), r.choice([1.0, r.uniform(0.55, 0.95)]), r.uniform(0, 0.5)
    bent, lumps = bent * (r.random() < 0.15), r.uniform(0, 0.1) * (shape == "rough")
    rim, inner = (r.uniform(0.6, 0.92), r.uniform(-0.6, 0.6)) if r.random() < 0.5 else (2.0, 0.0)
    n_holes, hole = int(r.choice([0, 1, 2, 4], p=[0.7, 0.1, 0.1, 0.1])), r.uniform(0.08, 0.25)
    made = []
    for _ in range(6):
        turn = r.uniform(0, 2 * np.pi)
        p = (x * np.cos(turn) + y * np.sin(turn)) / radius
        q = (y * np.cos(turn) - x * np.sin(turn)) / (radius * aspect) + bent * (p**2 - 0.5)
        away = np.hypot(p, q) + lumps * np.sin(5 * np.arctan2(q, p) + turn)
        own = np.clip((1 - away) * radius * patch_samples_per_unit() + 0.5, 0, 1)
        level = np.full_like(x, colour[0] + r.normal(0, 0.08))
        grain = cv2.GaussianBlur(r.normal(0, 1, x.shape).astype(np.float32), (0, 0), r.uniform(0.6, 2.0))
        level += grain * r.choice([0.1, 0.4, 1.2]) * (shape in ("metal", "rough"))
        towards = p * np.cos(light - turn) + q * np.sin(light - turn)
        if shape == "metal":  # it mirrors: light from one side, dark from another, whatever the lamp is
            level += r.uniform(0, 0.9) * np.sin(r.uniform(0.5, 3) * towards + r.uniform(0, 2 * np.pi))
        elif shape != "flat":
            round_ = np.sqrt(np.clip(1 - away**2, 0, 1))
            level += r.uniform(0.2, 0.7) * (0.6 * round_ - 0.5 * towards - 0.3)
        level += (away > rim) * inner
        glare = np.exp(-(((p + 0.4 * np.cos(light - turn)) ** 2 + (q + 0.4 * np.sin(light - turn)) ** 2) / 0.04))
        level += glare * r.uniform(0, 1.5) * (shape in ("dome", "ball"))
        for k in range(n_holes):
            at = 2 * np.pi * k / max(n_holes, 1)
            off = 0.0 if n_holes == 1 else 0.35
            pit = np.clip((hole - np.hypot(p - off * np.cos(at), q - off * np.sin(at))) * 8, 0, 1)
            if n_holes == 1:
                own = own * (1 - pit)  # a ring: the board is seen through it
            else:
                level -= pit * 0.8
        part = np.stack([level, np.full_like(x, colour[1]), np.full_like(x, colour[2])], axis=-1).astype(np.float32)
        made.append((part, np.asarray(255 * own, np.uint8)))
    return made


def parts_of(network: nn.Module, batch: Sequence[Tensor]) -> Parts:
    """The parts of the loss of a batch."""
    x, tops, mask, has_mask, use = batch
    stone, first, pairs, mask_logits = network(x, use)
    is_labelled = ((tops >= 0) & (use > 0)).float()
    stone, first, pairs, mask_logits = (part.float() for part in (stone, first, pairs, mask_logits))
    is_stone = (tops > 0).float().clamp(0.003, 0.997)

    def mean(nats: Tensor, weight: Tensor) -> Tensor:
        return (nats * weight).sum() / weight.sum().clamp(min=1)

    cross = functional.binary_cross_entropy_with_logits
    both = ((tops > 0) & (use > 0)).float()
    both = both[:, :, None] * both[:, None] * (1 - torch.eye(tops.shape[1]))
    same = (tops[:, :, None] == tops[:, None]).float().clamp(0.01, 0.99)
    return {
        "stone": mean(cross(stone, is_stone, reduction="none"), is_labelled),
        "first": 0.3 * mean(cross(first, is_stone, reduction="none"), is_labelled),
        "pairs": 0.5 * mean(cross(pairs, same, reduction="none"), both),
        "mask": 0.5 * mean(cross(mask_logits, mask, reduction="none").mean((2, 3)), has_mask * is_labelled),
    }


class Compared(nn.Module):
    """The second half of the network as it ships: one board, without padding."""

    def __init__(self, network: PointNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Log odds of a stone (n,) and of two points' stones being of one player (n, n), from features (n, d)."""
        stone, kind = self.network.beside(features[None], torch.zeros(1, 1))
        own = kind[0]
        apart = (own[:, None] - own[None]).square().sum(2)
        return stone[0], self.network.alike[0] - self.network.alike[1].exp() * apart


def export(out: Path, network: nn.Module) -> None:
    """Write the half that ``out`` names, as ``vision.networks.points`` runs it."""
    export_network.fold_batch_norms(network)
    n = torch.export.Dim("points", min=1, max=999)
    if out.stem == "point_looks":
        patches = {"patches": ((5, INPUTS, PATCH_SIDE, PATCH_SIDE), {0: n})}
        export_network.export(out, network.trunk, patches, ["features", "mask"])
    else:
        features = {"features": ((5, DIMENSIONS), {0: n})}
        export_network.export(out, Compared(network), features, ["log_odds", "same_log_odds"])


def judge(network: nn.Module, sources: Sequence[str]) -> None:
    """Print how many points and boards are read rightly, without and with their bare looks, and pairs."""
    for source in sources:
        lessons = pickle.loads(Path(source).read_bytes())
        for with_bare in (False, True):
            right = whole = n = boards = sure_wrong = n_pairs = right_pairs = 0
            for one in lessons:
                if with_bare and "bare" not in one:
                    continue
                now = one["now"][:, _MIDDLE, _MIDDLE].astype(np.float32)
                bare = one["bare"][:, _MIDDLE, _MIDDLE].astype(np.float32) if with_bare else np.zeros_like(now)
                has_bare = np.full(len(now), with_bare)
                a, b = relative(now, bare, has_bare)
                flag = np.broadcast_to(has_bare[:, None, None, None], (*now.shape[:3], 1))
                x = torch.from_numpy(
                    np.ascontiguousarray(np.concatenate([a, b, flag], 3).transpose(0, 3, 1, 2), np.float32)
                )
                with torch.no_grad():
                    stone, _, pairs, _ = network(x[None], torch.ones(1, len(x)))
                tops, nats = one["tops"], stone[0].numpy()
                use = tops >= 0
                ok = (nats > 0) == (tops > 0)
                right, n, boards, whole = (
                    right + int(ok[use].sum()),
                    n + int(use.sum()),
                    boards + 1,
                    whole + bool(ok[use].all()),
                )
                sure_wrong += int((~ok & use & (np.abs(nats) > 2.94)).sum())
                i, j = np.triu_indices(len(tops), 1)
                both = (tops[i] > 0) & (tops[j] > 0)
                good = (pairs[0].numpy()[i, j] > 0) == (tops[i] == tops[j])
                n_pairs, right_pairs = n_pairs + int(both.sum()), right_pairs + int(good[both].sum())
            if boards:
                print(
                    source.split("/")[-1],
                    "bare look known" if with_bare else "cold",
                    f"points {right}/{n} = {right / n:.4f}, whole {whole}/{boards}, surely wrong {sure_wrong},",
                    f"pairs {right_pairs}/{n_pairs}",
                    flush=True,
                )


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = ask.add_subparsers(dest="what", required=True)
    training, judging = what.add_parser("train"), what.add_parser("judge")
    training.add_argument("made", type=Path)
    training.add_argument("lessons", nargs="+", help="FILE:SHARE")
    training.add_argument("--steps", type=int, default=6000)
    add_options(training, fastest=2e-3)
    judging.add_argument("made", type=Path)
    judging.add_argument("lessons", nargs="+")
    exporting = what.add_parser("export")
    exporting.add_argument("out", type=Path, help="point_looks.onnx, or points_compared.onnx")
    exporting.add_argument("made", type=Path)
    given: Any = ask.parse_args()
    network = PointNetwork()
    if given.what == "train":
        named = (source.split(":") for source in given.lessons)
        boards = Boards([(pickle.loads(Path(name).read_bytes()), float(share)) for name, share in named])
        network.to(memory_format=torch.channels_last)
        train(given.made, given, network, boards.batches, parts_of)
    elif given.what == "judge":
        judge(trained(given.made, network), given.lessons)
    else:
        export(given.out, trained(given.made, network))


if __name__ == "__main__":
    main()
