"""Cut the lessons of ``point_network.py``: the patches of all points of a board, with what lies on them.

    python tools/readers/point_lessons.py stills OUT.pkl FOLDER ...      # rendered stills with truth
    python tools/readers/point_lessons.py go OUT.pkl FOLDER ...            # photographs of go boards, labelled
    python tools/readers/point_lessons.py drawn OUT.pkl FIRST COUNT         # tables drawn by tests/synthetic
    python tools/readers/point_lessons.py laid OUT.pkl FIRST COUNT FOLDER ...  # pebbles laid on empty pictures

A lesson is a dictionary of arrays over the points of one board: ``now`` and ``bare`` (n, LESSON_SIDE, LESSON_SIDE, 3),
log colours, ``bare`` with NaN where unknown; ``tops`` (n,), -1 unknown, 0 bare, k a stone of player k - 1; ``mask``
(n, LESSON_SIDE, LESSON_SIDE), 0 to 255, of the top stone, 0 where unknown.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "finder"), str(Path(__file__).resolve().parents[2])]

from cut import Labelled, draw_empty, draw_synthetic, read_scene, shifted  # noqa: E402
from lay import laid  # noqa: E402
from map_lessons import spec_of  # noqa: E402
from pebbles import name_of  # noqa: E402

from referee.board import Board  # noqa: E402
from referee.boards import BOARDS  # noqa: E402
from tests.drawn import field_at  # noqa: E402
from tests.synthetic import Scene, scattered  # noqa: E402
from tests.synthetic.hollows import hollows  # noqa: E402
from tests.synthetic.spec import COMMON_BOARDS  # noqa: E402
from vision.imaging.field import Field  # noqa: E402
from vision.imaging.homography import apply_homography  # noqa: E402
from vision.imaging.patches import PATCH_SIDE, cut_patches, patch_axes_px, sample_log_colour, stone_centres_px  # noqa: E402

LESSON_SIDE = 64
"""Side of a lesson's patches, samples: they are turned, moved and enlarged before the network sees its part of them."""

JITTER = (0.0, 0.04)
"""Standard deviations of the shift of every point, in spacings: an exact registration and a worse one."""

GO_CROSSINGS = 80
"""Crossings of one go board that teach."""

Lesson = dict[str, NDArray[Any]]


def lesson_of(table: Labelled, jitter: float, rng: np.random.Generator) -> Lesson:
    """The lesson of one table, its points shifted by chance."""
    size = (table.bgr.shape[1], table.bgr.shape[0])
    field = shifted(table.field, jitter, rng)
    now = cut_patches(table.bgr, field, LESSON_SIDE)
    bare = np.full(now.log_colour.shape, np.nan, np.float32)
    if table.empty is not None:
        bare = cut_patches(table.empty, field, LESSON_SIDE).log_colour
    axes, (middles, _) = patch_axes_px(field) * (LESSON_SIDE / PATCH_SIDE), stone_centres_px(field, size)
    masks = [
        np.zeros((LESSON_SIDE, LESSON_SIDE), np.uint8) if outline is None else mask_of(outline, middle, axis)
        for outline, middle, axis in zip(table.outlines, middles, axes, strict=True)
    ]
    tops = np.where(now.inside, table.tops, -1)
    return packed(now.log_colour, bare, tops, np.stack(masks))


def packed(now: NDArray[Any], bare: NDArray[Any], tops: NDArray[Any], mask: NDArray[Any]) -> Lesson:
    """A lesson, stored small."""
    parts = {"now": now.astype(np.float16), "tops": tops.astype(np.int8), "mask": mask.astype(np.uint8)}
    return parts if np.isnan(bare).all() else parts | {"bare": bare.astype(np.float16)}


def mask_of(outline_px: NDArray[Any], middle: NDArray[Any], axes: NDArray[Any]) -> NDArray[np.uint8]:
    """The outline filled, in the samples of a patch whose half sides are the columns of ``axes``, px; 0 to 255."""
    inside = ((outline_px - middle) @ np.linalg.inv(axes).T + 1) * LESSON_SIDE
    mask = np.zeros((2 * LESSON_SIDE, 2 * LESSON_SIDE), np.uint8)
    cv2.fillPoly(mask, [np.round((inside - 0.5) * 16).astype(np.int32)], 255, shift=4)
    return np.asarray(cv2.resize(mask, (LESSON_SIDE, LESSON_SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def of_stills(folders: list[str]) -> Iterator[Lesson]:
    """The lessons of rendered stills."""
    for k, path in enumerate(p for folder in folders for p in sorted(Path(folder).glob("*.json"))):
        table = read_scene(path)
        for j, jitter in enumerate(JITTER):
            yield lesson_of(table, jitter, np.random.default_rng([k, j]))


def of_go(folders: list[str]) -> Iterator[Lesson]:
    """The lessons of photographs of go boards: some crossings, as if they were the points of a board of ours.

    A stone has the middle of its crossing, and its outline is not known.
    """
    for k, path in enumerate(p for folder in folders for p in sorted(Path(folder).rglob("*.json"))):
        truth = json.loads(path.read_text())
        if "grid" not in truth or not truth.get("stones"):
            continue
        rng, bgr = np.random.default_rng(k), cv2.imread(str(next(path.parent.glob(glob_safe(path.stem) + ".[jp]*g"))))
        rows, columns = truth["grid"]["rows"], truth["grid"]["cols"]
        corners = np.array([[0, 0], [columns - 1, 0], [columns - 1, rows - 1], [0, rows - 1]], float)
        h, _ = cv2.findHomography(corners, np.array(truth["corners_px"], float))
        signs = np.array([list(row) for row in truth["stones"]])
        reach = float(rng.uniform(0.75, 1.15))  # of a patch, in spacings of the grid
        crossings = np.argwhere(signs != "?")
        chosen = crossings[rng.permutation(len(crossings))[:GO_CROSSINGS]][:, ::-1].astype(float)
        steps = (np.arange(LESSON_SIDE) - (LESSON_SIDE - 1) / 2) * (2 / PATCH_SIDE) * reach
        grid = np.stack(np.meshgrid(steps, steps), axis=-1)
        places = apply_homography(h, (chosen[:, None, None] + grid).reshape(-1, 2)).reshape(
            -1, LESSON_SIDE, LESSON_SIDE, 2
        )
        step = np.median(np.linalg.norm(np.diff(places, axis=2), axis=-1))
        width = max(1, int(step / 1.2))
        bgr = np.asarray(cv2.blur(bgr, (width, width)) if width > 1 else bgr, np.uint8)
        now = sample_log_colour(bgr, places.astype(np.float32).reshape(-1, LESSON_SIDE, 2))
        now = now.reshape(-1, LESSON_SIDE, LESSON_SIDE, 3)
        tops = np.array([{".": 0, "B": 1, "W": 2}[signs[int(y), int(x)]] for x, y in chosen])
        yield packed(now, np.full(now.shape, np.nan), tops, np.zeros(now.shape[:3]))


def glob_safe(stem: str) -> str:
    """The stem of a file as a pattern that matches it alone."""
    return "".join(f"[{c}]" if c in "[]*?" else c for c in stem)


def of_drawn(first: int, count: int) -> Iterator[Lesson]:
    """The lessons of drawn tables: with strokes of any width (two of three), as usual, and boards of hollows."""
    lined: list[Board] = [board for board in BOARDS.values() if not board.rings]
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        if seed % 6 == 0:
            balls = {"share": float(rng.choice([0, 0.2, 0.4, 0.6])), "n_colours": int(rng.integers(1, 3))}
            made = hollows(rng, lined[seed // 6 % len(lined)], **balls)  # type: ignore[arg-type]
            tops = np.array(made.tops)
            yield lesson_of(Labelled(made.field, made.bgr, None, tops, tops, (None,) * len(tops)), 0.02, rng)
            continue
        for table in draw_synthetic(seed, 2) if seed % 6 < 3 else wide_strokes(rng):
            yield lesson_of(table, JITTER[seed % 2], rng)


def wide_strokes(rng: np.random.Generator) -> Iterator[Labelled]:
    """Yield two pictures of a table as the network of maps learns from them, with strokes of any width."""
    spec = spec_of(rng, list(COMMON_BOARDS))
    scene, n_players = Scene(spec), len(spec.paints)
    empty, truth = scene.render([[] for _ in spec.board.points], rng=rng)
    for share in rng.choice([0.1, 0.3, 0.5, 0.7, 1.0 if len(spec.board.points) < 10 else 0.6], 2):
        stacks = scattered(rng, len(spec.board.points), n_players, share)
        bgr, true_position = scene.render(stacks, rng=rng)
        field = field_at(spec.board, truth.points_px, spec.drawing)
        tops = np.array(true_position.tops)
        yield Labelled(field, bgr, empty, tops, tops, tuple(scene.outlines_px(stacks)))


def of_laid(first: int, count: int, folders: list[str]) -> Iterator[Lesson]:
    """The lessons of pebbles laid on empty pictures, rendered (three of four) and drawn."""
    paths = [p for folder in folders for p in sorted(Path(folder).glob("*.json"))]
    drawn = [draw_empty(5_000_000 + k) for k in range(40)]
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        if seed % 4 and paths:
            scene = read_scene(paths[int(rng.integers(len(paths)))])
            field, empty = scene.field, scene.empty
        else:
            field, empty = drawn[int(rng.integers(len(drawn)))]
        assert empty is not None
        field, picture, stacks, label = laid(field, empty, rng, towers=False)
        table = Labelled(
            field,
            picture,
            None,
            np.array([s[-1][0] + 1 if s else 0 for s in stacks]),
            np.zeros(0, np.int64),
            (None,) * len(stacks),
        )
        lesson = lesson_of(table, 0.0, rng)
        lesson["mask"] = np.stack([own_mask(label, field, i) for i in range(len(stacks))])
        yield lesson


def own_mask(label: NDArray[np.int32], field: Field, point: int) -> NDArray[np.uint8]:
    """Where the patch of a point shows its own top stone; ``label`` names the stone seen at every pixel."""
    axes, (middles, _) = patch_axes_px(field), stone_centres_px(field, (label.shape[1], label.shape[0]))
    steps = (np.arange(LESSON_SIDE) - (LESSON_SIDE - 1) / 2) * (2 / PATCH_SIDE)
    places = middles[point] + axes[point, :, 0] * steps[None, :, None] + axes[point, :, 1] * steps[:, None, None]
    x, y = places.astype(np.float32).transpose(2, 0, 1)
    return np.asarray(cv2.remap((label == name_of(point, 0)).astype(np.uint8) * 255, x, y, cv2.INTER_LINEAR), np.uint8)


def main() -> None:
    """Cut lessons and write them."""
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    what, out, *rest = sys.argv[1:]
    if what == "stills":
        made = of_stills(rest)
    elif what == "go":
        made = of_go(rest)
    elif what == "drawn":
        made = of_drawn(int(rest[0]), int(rest[1]))
    else:
        made = of_laid(int(rest[0]), int(rest[1]), rest[2:])
    lessons = list(made)
    Path(out).write_bytes(pickle.dumps(lessons, protocol=5))
    print(out, len(lessons), "lessons", sum(len(one["tops"]) for one in lessons), "points")


if __name__ == "__main__":
    main()
