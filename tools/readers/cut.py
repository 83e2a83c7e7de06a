"""Cut labelled patches out of pictures with known truth, for ``train.py``."""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee import layouts
from referee.board import Board
from tests.synthetic import Paint, Scene, TableSpec, random_spec
from tests.synthetic.spec import COMMON_BOARDS
from tests.synthetic.ways_to_draw import drawings_of, drawn_spec
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array
from vision.imaging.patches import (
    PATCH_REACH_UNITS,
    PATCH_SIDE,
    STONE_CENTRE_HEIGHT_UNITS,
    cut_patches,
    image_jacobians,
    parallax_px,
    patch_reaches,
    sample_log_colour,
    stone_unit,
)

JITTER = (0.0, 0.03, 0.05, 0.06)
"""Standard deviations of the shift of every point, in spacings: exact registrations and worse and worse ones.
Source: chosen."""
SLIP = (0.01, 0.02, 0.04)
"""The same between a picture and the bare picture that it is compared with.
Source: chosen."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """A picture of a table, the same table empty (or None), where its points lie, and what stands on them."""

    field: Field
    bgr: NDArray[np.uint8]
    empty: NDArray[np.uint8] | None
    tops: NDArray[np.int64]
    heights: NDArray[np.int64]
    outlines: tuple[NDArray[np.float64] | None, ...]  # of the top stone of every point, px
    loose: tuple[NDArray[np.float64], ...]  # outlines of stones that no other stone hides


def fitted(board: Board, drawing: str, points_px: NDArray[np.float64]) -> Field:
    """The field with these points; its homography is fitted to them."""
    homography, _ = cv2.findHomography(np.array(board.xy), points_px)
    return Field(board, drawing, points_px, np.asarray(homography))


def read_scene(path: Path) -> Labelled:
    """Read a still in the format of the rendered scenes, see its README."""
    truth = json.loads(path.read_text())
    board = _board(truth)
    names = [point["name"] for point in truth["points"]]
    order = _order(board, names, np.array([point["canonical"] for point in truth["points"]], float))
    points = [truth["points"][k] for k in order]
    occupants = [point["occupant"] for point in points]
    whole = [p for p in truth["pebbles"] if not _hidden(p, truth["pebbles"]) and _inside(p, truth["size"])]
    top = {p["point"]: np.array(p["outline"]) for p in sorted(truth["pebbles"], key=lambda p: p["level"]) if p["point"]}
    return Labelled(
        fitted(board, board.drawings[0].name, np.array([point["px"] for point in points], float)),
        cv2.imread(str(path.with_name(truth["image"]))),
        cv2.imread(str(path.with_name(truth["empty_image"]))) if truth["empty_image"] else None,
        np.array([truth["colours"].index(o[-1]) + 1 if o else 0 for o in occupants]),
        np.array([len(o) for o in occupants]),
        tuple(top.get(point["name"]) for point in points),
        tuple(np.array(p["outline"]) for p in whole),
    )


def read_clip(path: Path, n_looks: int = 10) -> list[Labelled]:
    """Read settled frames of a rendered clip, evenly spaced; they have no outlines."""
    truth = json.loads(path.read_text())
    board = _board(truth)
    order = _order(board, truth["point_names"], np.array(truth["canonical"], float))
    settled = [f for f in truth["frames"] if f["settled"] and not f["hand"]]
    empty = cv2.imread(str(path.with_name(truth["frames"][0]["file"])))
    looks = []
    for frame in settled[3 :: max(1, len(settled) // n_looks)]:
        points = np.array(frame["points_px"], float)
        moved = np.abs(points - truth["frames"][0]["points_px"]).max() >= 1
        stacks = [frame["occupancy"][k] for k in order]
        looks.append(
            Labelled(
                fitted(board, board.drawings[0].name, points[order]),
                cv2.imread(str(path.with_name(frame["file"]))),
                None if moved else empty,
                np.array([truth["colours"].index(s[-1]) + 1 if s else 0 for s in stacks]),
                np.array([len(s) for s in stacks]),
                (None,) * len(stacks),
                (),
            )
        )
    return looks


def _board(truth: dict) -> Board:
    if truth["board"] == "moulin_rouge":
        return layouts.moulin_rouge(truth["n_per_ring"])
    if truth["board"] == "tic_tac_toe" and truth.get("variant") == "points":
        return layouts.THREE_MENS_MORRIS
    return COMMON_BOARDS[truth["board"]]


def _order(board: Board, names: list[str], canonical: NDArray[np.float64]) -> list[int]:
    """Index in the truth of every point of the board."""
    if board.name == "moulin_rouge":
        return [names.index(f"r{r}k{k}") for r in range(3) for k in range(len(names) // 3)]
    ours, theirs = (xy - xy.mean(axis=0) for xy in (np.array(board.xy), canonical * (1, -1)))
    ours, theirs = (xy / np.linalg.norm(xy, axis=1).max() for xy in (ours, theirs))
    return [int(k) for k in np.linalg.norm(ours[:, None] - theirs[None], axis=2).argmin(axis=1)]


def _inside(pebble: dict, size: list[int]) -> bool:
    x, y, w, h = pebble["bbox"]
    return x >= 0 and y >= 0 and x + w <= size[0] and y + h <= size[1]


def _hidden(pebble: dict, pebbles: list[dict]) -> bool:
    def reach(p: dict) -> float:
        return (p["bbox"][2] + p["bbox"][3]) / 4

    middle = np.array(pebble["center"])
    others = [p for p in pebbles if p is not pebble]
    return any(np.linalg.norm(middle - p["center"]) < reach(p) + reach(pebble) for p in others)


def draw_synthetic(seed: int, n_pictures: int = 1) -> list[Labelled]:
    """Draw pictures of one table, in any of the drawings that people make and with any stones that they take."""
    rng = np.random.default_rng(seed)
    boards = [b for b in COMMON_BOARDS.values() if b.name != "moulin_rouge"] + [layouts.NINE_MENS_MORRIS] * 2
    board = boards[seed % len(boards)] if seed % 8 else layouts.moulin_rouge(int(rng.integers(6, 11)))
    n_players = 3 if board.name == "trialectic" else 2
    size = [(1280, 720), (960, 540), (640, 480)][rng.integers(3)]
    spec = drawn_spec(
        rng, board, str(rng.choice(drawings_of(board))), hardness=float(rng.uniform(0.2, 1)), size_px=size
    )
    if spec.manner is not None and spec.manner.mark is not None:
        large = replace(spec.manner, mark_size=spec.manner.mark_size * float(rng.uniform(1, 1.4)))
        spec = replace(spec, manner=large)
    pieces = "discs" if rng.random() < 0.3 else "pebbles"
    scene = Scene(replace(spec, pieces=pieces, paints=kinds_of_stones(rng, spec, n_players)))
    empty, truth = scene.render([[] for _ in board.points], rng=rng)
    field, highest, pictures = fitted(board, scene.spec.drawing, truth.points_px), 3 if n_players == 3 else 1, []
    for _ in range(n_pictures):
        share = rng.choice([0.0, 0.1, 0.3, 0.5, 0.7])
        heights = [int(rng.integers(1, highest + 1)) if rng.random() < share else 0 for _ in board.points]
        stacks = [[int(rng.integers(n_players)) for _ in range(h)] for h in heights]
        bgr, truth = scene.render(stacks, rng=rng)
        outlines = tuple(scene.outlines_px(stacks))
        pictures.append(Labelled(field, bgr, empty, np.array(truth.tops), np.array(heights), outlines, ()))
    return pictures


def kinds_of_stones(rng: np.random.Generator, spec: TableSpec, n_players: int) -> tuple[Paint, ...]:
    """The stones of every player: painted, as they were found, or of the board's own wood or cloth."""
    paints = random_spec(rng, spec.board, n_players=n_players).paints
    own = tuple(np.clip(np.array(spec.cloth.colour) * rng.uniform(0.85, 1.15) + rng.uniform(-6, 6, 3), 8, 250).tolist())
    kinds = [0.6, 0.25, 0.15]
    others = [
        Paint(None, speckle=0.1, motley=bool(rng.random() < 0.3)),
        Paint(own, speckle=float(rng.uniform(0.02, 0.06))),
    ]
    return tuple((paint, *others)[rng.choice(3, p=kinds)] for paint in paints)


def draw_empty(seed: int) -> tuple[Field, NDArray[np.uint8]]:
    """Draw a table with tests/synthetic without stones; its field and the picture.

    Every third is a Trialectic, and every second board of lines has one of the drawings that people make of it.
    """
    rng = np.random.default_rng(seed)
    boards = [b for b in COMMON_BOARDS.values() if b.name != "moulin_rouge"] + [layouts.TRIALECTIC] * 3
    board = boards[seed % len(boards)] if seed % 5 else layouts.moulin_rouge(int(rng.integers(6, 13)))
    size = [(1280, 720), (960, 540), (640, 480)][rng.integers(3)]
    hardness = float(rng.uniform(0.2, 1))
    if board.rings or rng.random() < 0.5:
        spec = random_spec(rng, board, n_players=2, hardness=hardness, size_px=size)
    else:
        spec = drawn_spec(rng, board, str(rng.choice(drawings_of(board))), hardness=hardness, size_px=size)
    scene = Scene(spec)
    bgr, truth = scene.render([[] for _ in board.points], rng=rng)
    return fitted(board, scene.spec.drawing, truth.points_px), bgr


def patches_of(table: Labelled, n_jitters: int, seed: int) -> dict:
    """Patches of one table under several registrations."""
    size = (table.bgr.shape[1], table.bgr.shape[0])
    cuts = []
    for k in range(n_jitters):
        rng = np.random.default_rng([seed, k])
        field = _shifted(table.field, JITTER[k % len(JITTER)], rng)
        slipped = _shifted(field, SLIP[k % len(SLIP)], rng)
        middles = field.points_px + parallax_px(field, size) * (STONE_CENTRE_HEIGHT_UNITS * stone_unit(field.board))
        axes = image_jacobians(field) * (patch_reaches(field.board) / PATCH_REACH_UNITS)[:, None, None]
        masks = [
            np.zeros((PATCH_SIDE, PATCH_SIDE), np.uint8) if outline is None else mask_of(outline, middle, axis)
            for outline, middle, axis in zip(table.outlines, middles, axes, strict=True)
        ]
        bare = [None if table.empty is None else cut_patches(table.empty, f).log_colour for f in (field, slipped)]
        cuts.append(
            {
                "now": cut_patches(table.bgr, field).log_colour,
                "bare": bare[0],
                "slipped": bare[1],
                "mask": np.stack(masks),
            }
        )
    stones = [stone_of(table, outline) for outline in table.loose]
    return {"tops": table.tops, "heights": table.heights, "cuts": cuts, "stones": stones}


def _shifted(field: Field, spacings: float, rng: np.random.Generator) -> Field:
    shift = rng.normal(size=field.points_px.shape) * spacings * field.spacing_px[:, None]
    return fitted(field.board, field.drawing, field.points_px + shift)


def mask_of(
    outline_px: NDArray[np.float64], middle: NDArray[np.float64], axes: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """The outline filled, in the samples of a patch; 0 to 255."""
    inside = ((outline_px - middle) @ np.linalg.inv(axes).T / PATCH_REACH_UNITS + 1) * PATCH_SIDE
    mask = np.zeros((2 * PATCH_SIDE, 2 * PATCH_SIDE), np.uint8)
    cv2.fillPoly(mask, [np.round((inside - 0.5) * 16).astype(np.int32)], 255, shift=4)
    return np.asarray(cv2.resize(mask, (PATCH_SIDE, PATCH_SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def stone_of(table: Labelled, outline_px: NDArray[np.float64]) -> tuple[Float32Array, NDArray[np.uint8]]:
    """A stone cut out: log colours and mask of a patch around its middle."""
    h = table.field.image_from_board
    middle = outline_px.mean(axis=0)
    place = np.linalg.solve(h, [*middle, 1.0])
    step = 1e-3 * stone_unit(table.field.board)
    corners = (place / place[2])[None] + np.array([[0, 0, 0], [step, 0, 0], [0, step, 0]])
    seen = corners @ h.T
    seen = seen[:, :2] / seen[:, 2:]
    axes = np.stack([seen[1] - seen[0], seen[2] - seen[0]], axis=1) * 1e3
    grid = ((np.arange(PATCH_SIDE) + 0.5) * (2 / PATCH_SIDE) - 1) * PATCH_REACH_UNITS
    places = middle + axes[:, 0] * grid[None, :, None] + axes[:, 1] * grid[:, None, None]
    width = max(1, int(np.sqrt(abs(np.linalg.det(axes))) * 2 * PATCH_REACH_UNITS / PATCH_SIDE / 1.2))
    log_colour = sample_log_colour(np.asarray(cv2.blur(table.bgr, (width, width)), np.uint8), places.astype(np.float32))
    return log_colour, mask_of(outline_px, middle, axes)


def main() -> None:
    """Cut patches and write them."""
    if sys.argv[1] == "scenes":
        stills = [p for folder in sys.argv[2:-1] for p in sorted(Path(folder).glob("*.json"))]
        paths = [p for p in stills if int(p.stem[-3:]) % 4 != 3]
        tables = [patches_of(read_scene(path), 8, k) for k, path in enumerate(paths)]
    elif sys.argv[1] == "clips":
        clips = [p for folder in sys.argv[2:-1] for p in sorted(Path(folder).glob("*/frames.json"))]
        clips = [p for p in clips if p.parent.name[-2:] in ("_a", "_c")]
        tables = [patches_of(look, 3, k) for path in clips for k, look in enumerate(read_clip(path))]
    else:
        seeds = range(int(sys.argv[2]), int(sys.argv[3]))
        tables = [patches_of(table, 2, k) for k in seeds for table in draw_synthetic(k, 3)]
    Path(sys.argv[-1]).write_bytes(pickle.dumps(tables))
    print(len(tables), "tables")


if __name__ == "__main__":
    main()
