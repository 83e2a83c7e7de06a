"""Train the network of ``vision/detection/disc_detection.py``: where the holes of turning discs are, seen from above.

    python tools/finder/rings.py cut discs.npz --drawn 0 240 --stills SCENES/stills COLOURS/stills
    python tools/finder/rings.py train vision/networks/hole_heatmap.npz discs.npz --steps 3000 --apart SCENES

Needs ``jax`` beside the project's own libraries; nothing in the project needs this file. A lesson is a playing area as
``find_playing_areas`` cuts it out, turned and slanted at random, with the heat that it should have: a round spot on
each hole, whatever lies in it. Drawn tables without a board show what is no hole. What keeps the net from learning one
world by heart: colours are turned, stretched and mixed, light and dark change places, and there are shadows, noise and
blur.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from drawn_cases import round_case  # noqa: E402

from vision.detection.disc_detection import HEATMAP_CLIP, HEATMAP_LAB_SCALE, HEATMAP_SIDE  # noqa: E402
from vision.detection.playing_areas import find_playing_areas  # noqa: E402
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, unit_from_patch  # noqa: E402
from vision.imaging import cv  # noqa: E402
from vision.imaging.homography import apply_homography  # noqa: E402

Array = NDArray[np.float32]
Weights = dict[str, list]

LAYERS = {
    "ring1": (3, 3, 12),
    "ring2": (3, 12, 24),
    "ring3": (3, 24, 32),
    "ring4": (3, 32, 32),
    "ring5": (3, 32, 32),
    "ring6": (3, 56, 24),
    "ring7": (3, 36, 12),
    "ring8": (1, 12, 1),
}
"""Side of the window, channels in and out."""

SPOT = 0.05
"""Width (standard deviation) of the spot on a hole, in radii of the outermost ring."""

OUTER = 0.85
"""Where the outermost ring usually lies in its disc: of the areas of a picture the one that fits this best is taken."""

PER_STILL = 5
"""Lessons of one rendered picture, each turned and slanted another way."""

RARE = 5.0
"""How much more a hole counts than ground: there is far more of that."""

AT_ONCE, FASTEST = 10, 2e-3


def spots(rings_px: Sequence[NDArray[np.float64]], patch_from_image: NDArray[np.float64]) -> Array:
    """The heat that a patch should have, (SIDE, SIDE)."""
    out = np.zeros((HEATMAP_SIDE, HEATMAP_SIDE), np.float32)
    row, column = np.mgrid[0:HEATMAP_SIDE, 0:HEATMAP_SIDE]
    scale = HEATMAP_SIDE / BOARD_PATCH_SIDE_PX
    rings = [(apply_homography(patch_from_image, ring) + 0.5) * scale - 0.5 for ring in rings_px]
    if not rings:
        return out
    outer = max(np.linalg.norm(ring - ring.mean(0), axis=1).mean() for ring in rings)
    for x, y in np.concatenate(rings):
        near = ((column - x) ** 2 + (row - y) ** 2) / max(1.1, SPOT * outer) ** 2
        out = np.maximum(out, np.exp(-0.5 * near))
    return out


def lessons_of(
    bgr: NDArray[np.uint8], rings_px: Sequence[NDArray[np.float64]], rng: np.random.Generator, per: int
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    """Patches and their heat, 0 to 255."""
    areas = find_playing_areas(bgr)
    if rings_px and areas:
        outer = max(rings_px, key=lambda ring: float(np.linalg.norm(ring - ring.mean(0), axis=1).mean()))

        def off(image_from_unit: NDArray[np.float64]) -> float:
            ring = apply_homography(np.linalg.inv(image_from_unit), outer)
            middle = ring.mean(0)
            return float(np.linalg.norm(middle) + abs(np.linalg.norm(ring - middle, axis=1).mean() - OUTER))

        areas.sort(key=lambda area: off(area.image_from_unit))
        areas = [areas[0]] * per + areas[1:2]
    for area in areas if rings_px else areas[:2]:
        h = area.image_from_unit @ _slanted(rng) @ unit_from_patch()
        yield (
            cv.warp_square(bgr, h, BOARD_PATCH_SIDE_PX),
            np.round(255 * spots(rings_px, np.linalg.inv(h))).astype(np.uint8),
        )


def _slanted(rng: np.random.Generator) -> NDArray[np.float64]:
    """A small change of place, size and slant after any turn."""
    turn, size, wide = rng.uniform(0, 2 * np.pi), rng.uniform(0.82, 1.2), np.exp(rng.normal(0, 0.05))
    shift, slant = rng.normal(0, 0.05, 2), rng.normal(0, 0.06, 2)
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    h = np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1]]) @ np.diag([size * wide, size, 1])
    leaning: NDArray[np.float64] = h @ np.array([[1, 0, 0], [0, 1, 0], [*slant, 1]]) @ rotation
    return leaning


def cut(out: Path, drawn: tuple[int, int], folders: Sequence[Path]) -> None:
    """Gather lessons of drawn cases and of rendered stills (with stones and without)."""
    rng = np.random.default_rng(5)
    patches, heats, names = [], [], []

    def take(name: str, bgr: NDArray[np.uint8], rings_px: Sequence[NDArray[np.float64]], per: int) -> None:
        for patch, heat in lessons_of(bgr, rings_px, rng, per):
            patches.append(patch)
            heats.append(heat)
            names.append(name)

    for number in range(*drawn):
        case = round_case(number)
        take("drawn", case.bgr, list(case.points_px.reshape(3, -1, 2)) if case.board is not None else [], 1)
    for path in (path for folder in folders for path in sorted(folder.glob("*.json"))):
        truth = json.loads(path.read_text())
        if truth.get("board") == "moulin_rouge" and truth.get("image"):
            rings = np.array([point["px"] for point in truth["points"]], np.float64).reshape(3, -1, 2)
            for image in (truth["image"], truth["empty_image"]):
                take(str(path), np.asarray(cv2.imread(str(path.parent / image)), np.uint8), list(rings), PER_STILL)
    np.savez_compressed(out, patch=np.array(patches), heat=np.array(heats), name=np.array(names))
    print(f"{len(patches)} lessons")


def seen(patch: NDArray[np.uint8]) -> Array:
    """Lab of a patch at the size that the network sees."""
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    return np.asarray(cv2.resize(lab, (HEATMAP_SIDE, HEATMAP_SIDE), interpolation=cv2.INTER_AREA), np.float32)


def relative(lab: Array) -> Array:
    """As ``disc_detection.hole_heatmap`` makes it."""
    off = (lab - np.median(lab.reshape(-1, 3), axis=0)) / np.array(HEATMAP_LAB_SCALE, np.float32)
    return np.asarray(np.clip(off, -HEATMAP_CLIP, HEATMAP_CLIP), np.float32)


def altered(lab: Array, rng: np.random.Generator) -> Array:
    """The same discs in other colours and other light."""
    if rng.random() < 0.5:
        lab = np.asarray(cv2.GaussianBlur(lab, (0, 0), rng.uniform(0.3, 1.1)), np.float32)
    turn, mirror = rng.uniform(0, 2 * np.pi), rng.choice([-1, 1])
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    colour = (lab[..., 1:] - 128) @ (rotation * np.exp(rng.normal(0, 0.35, 2)) * [1, mirror])
    light = 255 - lab[..., 0] if rng.random() < 0.25 else lab[..., 0].copy()
    light = 128 + (light - 128) * np.exp(rng.normal(0, 0.25))
    colour = colour + (light[..., None] - 128) * rng.normal(0, 0.12, 2)
    if rng.random() < 0.3:
        light = light + colour @ rng.normal(0, 0.7, 2)
    y, x = np.mgrid[-1 : 1 : HEATMAP_SIDE * 1j, -1 : 1 : HEATMAP_SIDE * 1j]
    light = light + 8 * (rng.normal() * x + rng.normal() * y)
    if rng.random() < 0.4:  # the edge of a shadow
        way = rng.uniform(0, 2 * np.pi)
        beyond = np.cos(way) * x + np.sin(way) * y - rng.uniform(-0.6, 0.6)
        light = light - rng.uniform(0, 40) / (1 + np.exp(-beyond * rng.uniform(10, 60)))
    changed = np.dstack([light, colour])
    return relative((changed + rng.normal(0, rng.uniform(0, 4), changed.shape)).astype(np.float32))


@dataclass(frozen=True, eq=False)
class Lessons:
    """What ``cut`` gathered.

    Attributes:
        lab: float32 array of shape (n, SIDE, SIDE, 3).
        heat: uint8 array of shape (n, SIDE, SIDE). 0 to 255.
        share: float64 array of shape (n,). How often each is taken; 0 for those that are only looked at.
    """

    lab: Array
    heat: NDArray[np.uint8]
    share: NDArray[np.float64]


def gathered(sources: Sequence[Path], apart: str) -> Lessons:
    """The lessons of some files; ``apart`` is a part of the names of those that are only looked at."""
    stored = [np.load(source) for source in sources]
    lab = np.array([seen(patch) for z in stored for patch in z["patch"]])
    heat = np.concatenate([z["heat"] for z in stored])
    names = np.concatenate([z["name"] for z in stored])
    share = np.where(heat.max((1, 2)) < 100, 1.0, np.where(names == "drawn", 1.5, 3.0))
    share[[bool(apart) and apart in name for name in names]] = 0
    return Lessons(lab, heat, share / share.sum())


def begun(path: Path | None, rng: np.random.Generator) -> Weights:
    """The weights to go on from; new ones (He et al. 2015, equation 10) where none are given."""
    if path is not None:
        before = np.load(path)
        return {name: [before[f"{name}_{end}"].astype(np.float32) for end in "wb"] for name in LAYERS}
    return {
        name: [rng.normal(0, np.sqrt(2 / (k * k * a)), (k * k * a, b)).astype(np.float32), np.zeros(b, np.float32)]
        for name, (k, a, b) in LAYERS.items()
    }


def convolved(x: jax.Array, layer: list) -> jax.Array:
    """Square convolution with zero border, rectified."""
    size = round(float(np.sqrt(layer[0].shape[0] / x.shape[-1])))
    kernel = layer[0].reshape(size, size, x.shape[-1], -1)
    axes = ("NHWC", "HWIO", "NHWC")
    return jax.nn.relu(jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=axes) + layer[1])


def halved(x: jax.Array) -> jax.Array:
    """Mean of 2 x 2."""
    return (x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2]) / 4


def beside(coarse: jax.Array, fine: jax.Array) -> jax.Array:
    """A coarse layer at the size of a fine one, and that one."""
    return jnp.concatenate([coarse.repeat(2, 1).repeat(2, 2), fine], -1)


def logits(w: Weights, x: jax.Array) -> jax.Array:
    """Log odds of a hole at every sample (n, SIDE, SIDE), as ``disc_detection.hole_heatmap``."""
    fine = convolved(x, w["ring1"])
    middling = convolved(halved(fine), w["ring2"])
    coarse = convolved(halved(middling), w["ring3"])
    coarse = convolved(convolved(coarse, w["ring4"]), w["ring5"])
    fine = convolved(beside(convolved(beside(coarse, middling), w["ring6"]), fine), w["ring7"])
    return (fine @ w["ring8"][0] + w["ring8"][1])[..., 0]


def loss(w: Weights, x: jax.Array, y: jax.Array) -> jax.Array:
    """Cross entropy, in which a hole counts ``RARE`` times more than ground."""
    z = logits(w, x)
    return ((jax.nn.softplus(z) - z * y) * (1 + RARE * y)).mean()


@jax.jit
def step(w: Weights, m: Weights, v: Weights, x: jax.Array, y: jax.Array, rate: float, t: float) -> tuple:
    """One step of Adam (Kingma and Ba, 2015): weights, both moments and the loss."""
    value, slope = jax.value_and_grad(loss)(w, x, y)
    each = jax.tree_util.tree_map
    m = each(lambda a, b: 0.9 * a + 0.1 * b, m, slope)
    v = each(lambda a, b: 0.98 * a + 0.02 * b * b, v, slope)
    moved = each(lambda p, a, b: p - rate * (a / (1 - 0.9**t)) / (jnp.sqrt(b / (1 - 0.98**t)) + 1e-8), w, m, v)
    return moved, m, v, value


def told(w: Weights, lessons: Lessons, which: NDArray[np.intp]) -> str:
    """Which share of the holes, and of the ground, some lessons show as holes."""
    if not len(which):
        return "-"
    judge, heat = jax.jit(logits), lessons.heat[which]
    z = np.concatenate([judge(w, np.array([relative(lessons.lab[i])])) for i in which])
    return f"{(z[heat > 180] > 0).mean():.3f} of holes, {(z[heat < 20] > 0).mean():.4f} of ground"


def batch(lessons: Lessons, rng: np.random.Generator) -> tuple[Array, Array]:
    """Some lessons, each altered, turned and mirrored, and their heat, 0 to 1."""
    x, y = [], []
    for i in rng.choice(len(lessons.share), AT_ONCE, p=lessons.share):
        turn, mirror = int(rng.integers(4)), int(rng.choice([-1, 1]))
        x.append(np.rot90(altered(lessons.lab[i], rng), turn)[:, ::mirror])
        y.append(np.rot90(lessons.heat[i], turn)[:, ::mirror] / 255)
    return np.array(x, np.float32), np.array(y, np.float32)


def train(out: Path, lessons: Lessons, steps: int, weights: Weights, rng: np.random.Generator) -> None:
    """Adam with a falling rate; the weights are written as ``vision.networks`` reads them."""
    learnt, looked_at = np.flatnonzero(lessons.share > 0), np.flatnonzero(lessons.share == 0)
    m, v = (jax.tree_util.tree_map(np.zeros_like, weights) for _ in range(2))
    losses, start = [], time.time()
    for t in range(1, steps + 1):
        rate = FASTEST * min(1, t / 100) * (0.5 * (1 + np.cos(np.pi * t / steps)) + 0.02)
        weights, m, v, value = step(weights, m, v, *batch(lessons, rng), rate, float(t))
        losses.append(float(value))
        if t % 200 == 0 or t == steps:
            mean, spent = np.mean(losses[-200:]), time.time() - start
            told_of = f"learnt {told(weights, lessons, learnt[::9])}; apart {told(weights, lessons, looked_at)}"
            print(f"{t}: loss {mean:.4f}, {spent:.0f} s; {told_of}", flush=True)
    out_of = {f"{name}_{end}": layer[k] for name, layer in weights.items() for k, end in enumerate("wb")}
    np.savez_compressed(out, **{name: np.asarray(w, np.float16) for name, w in out_of.items()})


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = ask.add_subparsers(dest="what", required=True)
    cutting = what.add_parser("cut")
    cutting.add_argument("out", type=Path)
    cutting.add_argument("--drawn", nargs=2, type=int, default=(0, 0), metavar=("FIRST", "END"))
    cutting.add_argument("--stills", nargs="*", type=Path, default=[])
    training = what.add_parser("train")
    training.add_argument("out", type=Path)
    training.add_argument("sources", nargs="+", type=Path)
    training.add_argument("--steps", type=int, default=3000)
    training.add_argument("--apart", default="", help="part of the path of stills that are only looked at")
    training.add_argument("--begun", type=Path, help="weights to go on from")
    given = ask.parse_args()
    if given.what == "cut":
        cut(given.out, tuple(given.drawn), given.stills)
    else:
        rng = np.random.default_rng(3)
        train(given.out, gathered(given.sources, given.apart), given.steps, begun(given.begun, rng), rng)


if __name__ == "__main__":
    main()
