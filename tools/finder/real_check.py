"""Count what the finder finds in pictures that nobody drew for it: real photographs first, then rendered tables.

    python tools/finder/real_check.py FOLDER [--before TREE] [--drawn 400] [--only photographs,go]

FOLDER holds ``photos`` and ``tables/check`` (pictures with their truth as JSON beside them). ``--before`` names a
checkout of an older version, whose counts are printed in front of this one's. ``--drawn`` adds so many drawn pictures
without a board. Nothing may be chosen by these pictures: they are counted after the last change.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

TREE = "MILLCHEN_TREE"
"""Variable of the environment that names the checkout whose finder is counted; this one's where it is not set."""

sys.path.insert(0, os.environ.get(TREE, str(Path(__file__).resolve().parents[2])))

from tests.synthetic.boardless import FURTHER, GRIDS, KINDS, boardless  # noqa: E402
from vision.detection.detect import MAX_ENLARGED, board_box, locate  # noqa: E402
from vision.detection.template_pose import MIN_PEAK  # noqa: E402
from vision.imaging.homography import apply_homography, fit_homography  # noqa: E402
from vision.networks.heat_maps import SEEN_PX, HeatMaps, letterbox, look, looking_at, peaks_of, value_at  # noqa: E402

GO_CHECKS = ("OliverBenz__Go_Game", "francoisbeaussier__photokifu")
"""Folders of go boards that never teach."""

Count = tuple[float, float]
"""What was counted, and of how many; of an error its value, and 0."""


def truths(folder: Path, pattern: str = "*.json") -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield each picture with what is told of it."""
    for path in sorted(folder.glob(pattern)):
        label = json.loads(path.read_text())
        if isinstance(label, dict) and "image" in label:
            yield path.with_name(label["image"]), label


def errors_of(points_px: Any, label: dict[str, Any]) -> Any:
    """The distance from each true point to the nearest found one, spacings, (n,); infinite where not as many."""
    true = np.array([point["px"] for point in label["points"]], float)
    apart = np.linalg.norm(true[:, None] - true[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    if len(points_px) != len(true):
        return np.full(len(true), np.inf)
    return np.linalg.norm(true[:, None] - points_px[None], axis=2).min(1) / apart.min(1)


def boards_found(paths: list[tuple[Path, dict[str, Any]]]) -> dict[str, Count]:
    """Boards found with every point in its place, of the right kind, and how far off their points lie."""
    n_found = kind = 0
    off: list[float] = []
    for path, label in paths:
        registration = locate(cv2.imread(str(path)))
        if not hasattr(registration, "field"):
            continue
        errors = errors_of(registration.field.points_px, label)
        name = "three_mens_morris" if label.get("variant") == "points" else label["board"]
        if errors.max() < 0.5:
            n_found, kind = n_found + 1, kind + (registration.field.board.name == name)
            off += errors.tolist()
    n = len(paths)
    centres = {"median error": (float(np.median(off)), 0), "p95": (float(np.percentile(off, 95)), 0)} if off else {}
    return {"found": (n_found, n), "and kind": (kind, n)} | centres


def go_grids_found(folder: Path) -> dict[str, Count]:
    """Grids of go boards found, told how many lines there are: all corners within half a cell, in any order.

    The maps alone are asked: no mill board has so many joints, so the grid is grown here from one joint to the next, on
    looks at the picture and at the board, and on the same twice as fine: lines lie close.
    """
    n_found = n = 0
    for kind in GO_CHECKS:
        for path, label in truths(folder / kind):
            lines = label.get("grid", {}).get("rows")
            if lines is None or lines != label["grid"]["cols"]:
                continue
            n += 1
            bgr, true = cv2.imread(str(path)), np.array(label["corners_px"], float)
            cell = np.linalg.norm(true - np.roll(true, 1, 0), axis=1).min() / (lines - 1)
            whole = letterbox((bgr.shape[1], bgr.shape[0]))
            box = board_box(look(bgr, whole))
            views = [whole] if box is None else [whole, looking_at(box, MAX_ENLARGED)]
            looks = [
                look(bgr, np.diag([k, k, 1.0]) @ h, (k * SEEN_PX[0], k * SEEN_PX[1])) for h in views for k in (1, 2)
            ]
            fits = [fit for fit in (grid_corners(one, lines) for one in looks) if fit is not None]
            if fits:
                corners = max(fits, key=lambda fit: fit[0])[1]
                n_found += bool(np.linalg.norm(corners[:, None] - true[None], axis=2).min(0).max() < 0.5 * cell)
    return {"grids": (n_found, n)}


def grid_corners(maps: HeatMaps, lines: int) -> tuple[float, Any] | None:
    """How warm the joints of the best square grid of so many lines are, and its corners, image space, (4, 2)."""
    xy, _ = peaks_of(maps["joints"], MIN_PEAK)
    if len(xy) < 9:
        return None
    best = None
    for seed in np.argsort(np.linalg.norm(xy - np.median(xy, axis=0), axis=1))[:6]:
        place = grown_grid(xy, int(seed))
        if len(place) < 9:
            continue
        cells, at = np.array(list(place.values()), float), xy[list(place)]
        h = fit_homography(cells, at)
        low, high = cells.min(0).astype(int), cells.max(0).astype(int)
        steps = np.arange(lines)
        for x in range(high[0] - lines, low[0] + 2):
            for y in range(high[1] - lines, low[1] + 2):
                grid = np.stack(np.meshgrid(x + steps, y + steps), axis=-1).reshape(-1, 2)
                warmth = float(value_at(maps["joints"], apply_homography(h, grid), 2).mean())
                if best is None or warmth > best[0]:
                    ends = grid[[0, lines - 1, -1, -lines]]
                    best = warmth, apply_homography(maps.image_from_map @ h, ends)
    return best


def grown_grid(xy: Any, seed: int) -> dict[int, tuple[int, int]]:
    """The cells of peaks (n, 2) of a square grid, from a seed on: each where its neighbours let it be expected."""
    off = xy - xy[seed]
    near = np.argsort(np.linalg.norm(off, axis=1))[1:7]
    first = off[near[0]]
    across = [k for k in near if abs(off[k] @ first) < 0.5 * np.linalg.norm(off[k]) * np.linalg.norm(first)]
    if not across:
        return {}
    ways = {seed: (first, off[across[0]])}
    place, queue = {seed: (0, 0)}, [seed]
    while queue:
        here = queue.pop(0)
        for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
            step = sign * ways[here][axis]
            apart = np.linalg.norm(xy - xy[here] - step, axis=1)
            k = int(apart.argmin())
            if k not in place and apart[k] < 0.3 * np.linalg.norm(step):
                way = list(ways[here])
                way[axis] = sign * (xy[k] - xy[here])
                ways[k] = (way[0], way[1])
                column, row = place[here]
                place[k] = (column + sign, row) if axis == 0 else (column, row + sign)
                queue.append(k)
    return place


def called_boards(pictures: Iterator[Any]) -> Count:
    """In how many pictures without a board one is said to lie."""
    said = [hasattr(locate(bgr), "field") for bgr in pictures]
    return sum(said), len(said)


def drawn_without_board(n: int) -> Iterator[Any]:
    """Pictures of things that are no board, of each kind in turn."""
    kinds = list(KINDS | GRIDS | FURTHER)
    for number in range(n):
        yield boardless(np.random.default_rng([number, 778]), kinds[number % len(kinds)], size_px=(960, 540))


def counts(shared: Path, n_drawn: int, only: list[str]) -> dict[str, Count]:
    """Every count by its name."""
    photos, out = shared / "photos", dict[str, Count]()
    stills = list(truths(photos / "stills"))
    sets = {
        "mills": [one for one in stills if one[1]["board"] != "tic_tac_toe"],
        "lattice": [one for one in stills if one[1]["board"] == "tic_tac_toe"],
        "tables": list(truths(shared / "tables" / "check" / "stills")),
        "scenes": list(truths(shared / "scenes" / "stills")),
    }
    for name, paths in sets.items():
        if not only or name in only:
            out |= {f"{name}: {what}": count for what, count in boards_found(paths).items()}
    if not only or "go" in only:
        out |= {f"go: {what}": count for what, count in go_grids_found(photos / "go").items()}
        every = sorted(p for kind in GO_CHECKS for p in (photos / "go" / kind).glob("*.jpg"))
        out["go: called a mill board"] = called_boards(cv2.imread(str(path)) for path in every)
    if not only or "negatives" in only:
        paths = sorted((photos / "negatives").glob("*.jpg"))
        out["negatives: called a board"] = called_boards(cv2.imread(str(path)) for path in paths)
        out["drawn without: called a board"] = called_boards(drawn_without_board(n_drawn))
    return out


def main() -> None:
    """Count, and print a row a figure."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("shared", type=Path, metavar="FOLDER")
    ask.add_argument("--before", type=Path, help="checkout of an older version")
    ask.add_argument("--drawn", type=int, default=0)
    ask.add_argument("--only", default="", help="mills, lattice, go, negatives, tables, scenes")
    ask.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    given = ask.parse_args()
    cv2.setNumThreads(1)
    earlier: dict[str, Count] = {}
    if given.before:
        words = [sys.executable, __file__, str(given.shared), "--json"]
        words += ["--drawn", str(given.drawn), "--only", given.only]
        environment = {**os.environ, TREE: str(given.before.resolve())}
        printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
        earlier = json.loads(printed)
    figures = counts(given.shared, given.drawn, [one for one in given.only.split(",") if one])
    if given.json:
        print(json.dumps(figures))
        return
    for name, (count, of) in figures.items():
        cells = [
            f"{a:.0f} of {b:.0f}" if b else f"{a:.3f}"
            for a, b in ([earlier[name]] if name in earlier else []) + [(count, of)]
        ]
        print(f"{name:32}{'   '.join(f'{one:>12}' for one in cells)}", flush=True)


if __name__ == "__main__":
    main()
