"""Generate training data for ``tall_network.py``: solid pebbles laid on pictures of empty tables.

    python tools/readers/lay.py tall 0 1500 tall.npz SCENES/stills ...    # towers of up to three, on tall patches
    python tools/readers/lay.py towers cut.npz SCENES/stills ...          # rendered towers, on tall patches

Three tables in four are the empty pictures of rendered stills in one or more folders (but for every fourth, numbers 3,
7, 11 ...), the others are drawn by tests/synthetic; every second one is given other colours first. Written are arrays
over all points of all tables: ``x`` log colours, ``t`` the top stone's player, ``h`` heights, ``m`` masks of the top
stone at half the resolution, ``s`` height scales (tall), and ``b``, the number of points of each table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cut import Labelled, draw_empty, read_scene, shifted  # noqa: E402
from pebbles import MOST_STONES, Table, name_of, random_stacks  # noqa: E402

from referee.boards import BOARDS  # noqa: E402
from tests.drawn import field_at  # noqa: E402
from vision.imaging.field import Field  # noqa: E402
from vision.imaging.frame import Float32Array  # noqa: E402
from vision.imaging.patches import log_colour_to_bgr, sample_log_colour  # noqa: E402
from vision.stones.tower_heights import TALL_PATCH_COLUMNS, TALL_PATCH_ROWS, cut_tall_patches, tall_patch_sampling

MOST_POINTS = 24
OFF = (0.0, 0.02, 0.04, 0.06)
"""Standard deviations of the error of every point, in spacings.
Source: chosen."""
N_DRAWN = 80
SMALLEST = 0.55
"""Size of the smallest stones and hollows laid, beside those that fill their points.
Source: chosen."""
RECOLOURED = 0.5
"""Share of the empty tables that get other colours before stones are laid on them.
Source: chosen."""


def colour_change(r: np.random.Generator) -> Float32Array:
    """A linear map of log colours: the plane of colours turned and stretched, contrast changed or turned over."""
    angle = r.uniform(0, 2 * np.pi) if r.random() < 0.6 else 0.0
    # Log red over green and log blue over green enclose 60 degrees in the plane of equal brightness.
    square = np.array([[1, 0.5], [0, np.sqrt(0.75)]])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    change = np.zeros((3, 3), np.float32)
    change[1:, 1:] = r.uniform(0.35, 1.3) * np.linalg.inv(square) @ turn @ square
    change[0, 0] = r.uniform(0.8, 1.25) * (-1 if r.random() < 0.15 else 1)
    return change


def recoloured(bgr: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """The picture with its plane of colours turned, stretched and moved; light and dark may change places."""
    height, width = bgr.shape[:2]
    places = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(np.float32)
    log_colour = sample_log_colour(bgr, places)
    middle = np.median(log_colour.reshape(-1, 3), axis=0)
    moved = (log_colour - middle) @ colour_change(rng).T
    tint = rng.normal(0, 0.2, 2) * (rng.random() < 0.5)
    level = float(np.clip(middle[0] + rng.normal(0, 0.4), 3.4, 5.4))
    return log_colour_to_bgr(moved + np.array([level, *(middle[1:] * rng.uniform(0, 1) + tint)]))


def laid(
    field: Field, bgr: NDArray[np.uint8], rng: np.random.Generator, *, towers: bool
) -> tuple[Field, NDArray[np.uint8], list[list[tuple[int, NDArray[np.float64]]]], NDArray[np.int32]]:
    """A table with stones: its field, the picture, what lies on the points, and the top stone seen at every pixel."""
    scale = min(1.0, rng.uniform(22, 60) / float(np.median(field.spacing_px)))
    if scale < 1:
        bgr = np.asarray(cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        field = field_at(field.board, (field.points_px + 0.5) * scale - 0.5, field.drawing)
    if rng.random() < RECOLOURED:
        bgr = recoloured(bgr, rng)
    n_kinds = 3 if towers else int(rng.choice([2, 3]))
    table = Table(bgr, field, float(rng.uniform(0.65, 1.35)), rng, n_kinds, towers=towers)
    if not towers:
        table.unit *= float(rng.uniform(SMALLEST, 1))
    if not towers and not field.board.rings and rng.random() < 0.35:
        table.drill()
        if rng.random() < 0.6:
            balls = {"ball": True, "radius": float(rng.uniform(0.17, 0.34)), "gloss": 0.9 * float(rng.random())}
            table.paints, table.off = [replace(paint, **balls) for paint in table.paints], 0.03
    stacks = random_stacks(table, towers)
    picture, label = table.lay(stacks)
    blur = float(rng.choice([0, 0.4, 0.8, 1.2]))
    if blur:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8)
    noisy = picture + rng.normal(0, rng.choice([1, 2, 4]), picture.shape)
    picture = np.clip(noisy, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        _, stored = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 95))])
        picture = np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR), np.uint8)
    return field, picture, stacks, label


def masks(label: NDArray[np.int32], places: Float32Array) -> Float32Array:
    """Share of the top stone in every 2 x 2 samples; ``places`` (n, rows, columns, 2) in px."""
    out = []
    for i, place in enumerate(places):
        shares = cv2.remap((label == name_of(i, 0)).astype(np.float32), place[..., 0], place[..., 1], cv2.INTER_LINEAR)
        rows, columns = shares.shape
        out.append(shares.reshape(rows // 2, 2, columns // 2, 2).mean(axis=(1, 3)))
    return np.stack(out)


def names_of(scene: Labelled, path: Path) -> tuple[NDArray[np.int32], dict[int, int]]:
    """Which stone every pixel of a rendered still shows, and whose each is; from the outlines in its truth."""
    truth = json.loads(path.read_text())
    pebbles = truth["pebbles"]
    px = np.array([p["px"] for p in truth["points"]], float)
    near = np.linalg.norm(scene.field.points_px[:, None] - px, axis=2).argmin(axis=0)
    index = {p["name"]: int(near[k]) for k, p in enumerate(truth["points"])}
    base = {p["point"]: p["center"][1] for p in pebbles if p["point"] and p["level"] == 0}
    names = np.zeros(scene.bgr.shape[:2], np.int32)
    kinds = {}
    n_points = len(px)
    ahead = [base.get(p["point"], p["center"][1]) for p in pebbles]  # whatever lies nearer hides what is behind it
    for k in sorted(range(len(pebbles)), key=lambda k: (ahead[k], pebbles[k]["level"])):
        p = pebbles[k]
        name = 1 + MOST_STONES * (n_points + k)  # beside the board
        if p["point"]:
            i = index[p["point"]]
            name = 1 + MOST_STONES * i + int(scene.heights[i]) - 1 - p["level"]
        kinds[name] = p["player"]
        cv2.fillPoly(names, [np.round(np.array(p["outline"])).astype(np.int32)], name)
    return names, kinds


def table_of(path: Path) -> int:
    """The number of the table that a still shows."""
    digits = path.stem.removeprefix("still_")
    return int(digits) // 3 if len(digits) == 4 else int(digits)


def rendered_towers(folders: list[str], *, kept: bool) -> Iterator[tuple]:
    """Yield rendered stills of towers; those for training three times, at other sizes and with shifted points.

    Yields the picture, the field, the label of the stone seen at every pixel, the scene, the player of every label, and
    the random generator. Of all tables every fourth is kept aside.
    """
    for path in [p for folder in folders for p in sorted(Path(folder).glob("*.json"))]:
        if (table_of(path) % 4 == 3) != kept or not BOARDS[json.loads(path.read_text())["board"]].stackable:
            continue
        scene = read_scene(path)
        names, kinds = names_of(scene, path)
        for k in range(1 if kept else 3):
            rng = np.random.default_rng([table_of(path), k, len(path.stem)])
            bgr, field, name = scene.bgr, scene.field, names
            if k == 1:
                scale = float(rng.uniform(max(0.5, min(1.0, 24 / float(np.median(field.spacing_px)))), 1.0))
                bgr = np.asarray(cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
                name = cv2.resize(names.astype(np.float32), bgr.shape[1::-1], interpolation=cv2.INTER_NEAREST)
                name = name.astype(np.int32)
                field = field_at(field.board, (field.points_px + 0.5) * scale - 0.5, field.drawing)
            field = shifted(field, 0.03 if kept else (0.0, 0.03, 0.06)[k], rng)
            yield bgr, field, name, scene, kinds, rng


def upright(picture: NDArray[np.uint8], field: Field, names: NDArray[np.int32], some: NDArray[np.int64]) -> dict:
    """Tall patches of some points: log colours, height scales and masks of the top stones."""
    patches, (shrink, maps, _) = (
        cut_tall_patches(picture, field),
        tall_patch_sampling(field, names.shape[1], names.shape[0]),
    )
    places = ((maps + 0.5) * shrink - 0.5).reshape(-1, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 2)
    return {
        "x": patches.log_colour[some].astype(np.float16),
        "s": patches.height_scale[some].astype(np.float16),
        "m": masks(names, places.astype(np.float32))[some].astype(np.float16),
    }


def cut_towers(target: str, folders: list[str]) -> None:
    """Tall patches of rendered towers, as ``main`` writes those of laid ones."""
    lessons: dict[str, list] = {name: [] for name in "xthmsb"}
    for picture, field, names, scene, _, _ in rendered_towers(folders, kept=False):
        every = np.arange(len(scene.tops))
        for name, part in upright(picture, field, names, every).items():
            lessons[name].append(part)
        lessons["t"].append(scene.tops.astype(np.int8))
        lessons["h"].append(scene.heights.astype(np.int8))
        lessons["b"].append([len(every)])
    np.savez(target, **{name: np.concatenate(parts) for name, parts in lessons.items()})


def main() -> None:
    """Lay towers, cut them and write."""
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if sys.argv[1] == "towers":
        cut_towers(sys.argv[2], sys.argv[3:])
        return
    _, first, count, target, *folders = sys.argv[1:]
    paths = [p for folder in folders for p in sorted(Path(folder).glob("*.json")) if table_of(p) % 4 != 3]
    scenes = [read_scene(p) for p in paths]
    bare_scenes = [(scene.field, scene.empty) for scene in scenes if scene.empty is not None]
    drawn = [draw_empty(5_000_000 + k) for k in range(N_DRAWN)]
    lessons: dict[str, list] = {name: [] for name in "xthmsb"}
    for seed in range(int(first), int(first) + int(count)):
        rng = np.random.default_rng(seed)
        source = bare_scenes if rng.random() < 0.75 and bare_scenes else drawn
        field, picture, stacks, label = laid(*source[rng.integers(len(source))], rng, towers=True)
        field = shifted(field, OFF[seed % len(OFF)], rng)
        some = rng.permutation(len(stacks))[:MOST_POINTS]
        for name, part in upright(picture, field, label, some).items():
            lessons[name].append(part)
        lessons["t"].append(np.array([stack[-1][0] + 1 if stack else 0 for stack in stacks], np.int8)[some])
        lessons["h"].append(np.array([len(stack) for stack in stacks], np.int8)[some])
        lessons["b"].append([len(some)])
    np.savez(target, **{name: np.concatenate(parts) for name, parts in lessons.items()})


if __name__ == "__main__":
    main()
