"""Tables with known truth, rendered and drawn, for ``point_lessons.py``, ``lay.py`` and ``strips.py``."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee import layouts
from referee.board import Board
from tests.drawn import field_at
from tests.synthetic import Paint, Scene, TableSpec, random_spec
from tests.synthetic.spec import COMMON_BOARDS
from tests.synthetic.ways_to_draw import drawings_of, drawn_spec
from vision.imaging.field import Field


@dataclass(frozen=True, eq=False)
class Labelled:
    """A picture of a table, the same table empty (or None), where its points lie, and what stands on them."""

    field: Field
    bgr: NDArray[np.uint8]
    empty: NDArray[np.uint8] | None
    tops: NDArray[np.int64]
    heights: NDArray[np.int64]
    outlines: tuple[NDArray[np.float64] | None, ...]  # of the top stone of every point, px


def read_scene(path: Path) -> Labelled:
    """Read a still in the format of the rendered scenes, see its README."""
    truth = json.loads(path.read_text())
    board = _board(truth)
    names = [point["name"] for point in truth["points"]]
    order = _order(board, names, np.array([point["canonical"] for point in truth["points"]], float))
    points = [truth["points"][k] for k in order]
    occupants = [point["occupant"] for point in points]
    top = {p["point"]: np.array(p["outline"]) for p in sorted(truth["pebbles"], key=lambda p: p["level"]) if p["point"]}
    return Labelled(
        field_at(board, np.array([point["px"] for point in points], float)),
        cv2.imread(str(path.with_name(truth["image"]))),
        cv2.imread(str(path.with_name(truth["empty_image"]))) if truth["empty_image"] else None,
        np.array([truth["colours"].index(o[-1]) + 1 if o else 0 for o in occupants]),
        np.array([len(o) for o in occupants]),
        tuple(top.get(point["name"]) for point in points),
    )


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
    field, highest, pictures = field_at(board, truth.points_px, scene.spec.drawing), 3 if n_players == 3 else 1, []
    for _ in range(n_pictures):
        share = rng.choice([0.0, 0.1, 0.3, 0.5, 0.7])
        heights = [int(rng.integers(1, highest + 1)) if rng.random() < share else 0 for _ in board.points]
        stacks = [[int(rng.integers(n_players)) for _ in range(h)] for h in heights]
        bgr, truth = scene.render(stacks, rng=rng)
        outlines = tuple(scene.outlines_px(stacks))
        pictures.append(Labelled(field, bgr, empty, np.array(truth.tops), np.array(heights), outlines))
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
    return field_at(board, truth.points_px, scene.spec.drawing), bgr


def shifted(field: Field, spacings: float, rng: np.random.Generator) -> Field:
    """The field with every point moved by chance, with this standard deviation."""
    shift = rng.normal(size=field.points_px.shape) * spacings * field.spacing_px[:, None]
    return field_at(field.board, field.points_px + shift, field.drawing)
