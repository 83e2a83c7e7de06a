"""Fit how far the patches and the map of stones are believed where one picture of a table is all that is known.

    python tools/readers/fit_alone.py FIRST_SEED N_TABLES [STILLS ...]

A logistic regression on all points in sight of drawn tables, of half as many boards of hollows and of rendered stills,
each point a little off, as a registration leaves it. Prints the three numbers for
``vision/stones/photograph_reader.py``, and loss and mistakes on tables that were left out, beside those of the patches
alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from cut import Labelled, _shifted, draw_synthetic, read_scene
from numpy.typing import NDArray
from reliability import OFF

from referee.layouts import NINE_MENS_MORRIS, SIX_MENS_MORRIS, THREE_MENS_MORRIS
from tests.synthetic.hollows import hollows
from vision.networks.patch_networks import predict_towers_averaged
from vision.stones.photograph_reader import MAX_PATCHES_NATS, occupancy_of_patches, tower_nats
from vision.stones.stone_map import stone_map_log_odds
from vision.stones.tower_heights import cut_tall_patches

HOLLOW_BOARDS = (THREE_MENS_MORRIS, NINE_MENS_MORRIS, SIX_MENS_MORRIS)
N_FOLDS, RIDGE = 5, 0.1
"""Parts of which one after the other is left out, and the penalty on squared coefficients.
Source: chosen."""


def seen_at_points(table: Labelled, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the nats of patches and map, and 1, of each point in sight, (n, 3), and whether a stone lies there."""
    field = _shifted(table.field, OFF, np.random.default_rng(seed))
    nats, patches, _ = occupancy_of_patches(table.bgr, field)
    if field.board.stackable:
        tall = cut_tall_patches(table.bgr, field)
        nats = nats + tower_nats(predict_towers_averaged(tall.log_colour, tall.height_scale))
    nats = np.clip(nats, -MAX_PATCHES_NATS, MAX_PATCHES_NATS)
    on_map = stone_map_log_odds(table.bgr, field, nats)
    seen = np.column_stack([nats, on_map, np.ones(len(nats))])
    return seen[patches.inside], table.tops[patches.inside] > 0


def regression(seen: NDArray[np.float64], stone: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the coefficients that make the truth likeliest, by Newton's method."""
    w = np.zeros(seen.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(seen @ w, -30, 30)))
        bend = (seen * (p * (1 - p))[:, None]).T @ seen + RIDGE * np.eye(len(w))
        w -= np.linalg.solve(bend, seen.T @ (p - stone) + RIDGE * w)
    return w


def tables_of(first: int, n: int, folders: list[str]) -> Iterator[tuple[str, Labelled]]:
    """Yield the drawn tables, the boards of hollows and the rendered ones."""
    for k in range(n):
        yield "drawn", draw_synthetic(first + k)[0]
    for k in range(n // 2):
        rng, share = np.random.default_rng([first + k, 1]), (0.0, 0.3, 0.4, 0.6)[k % 4]
        picture = hollows(rng, HOLLOW_BOARDS[k % 3], share=share, n_colours=1 + k % 2)
        tops = np.array(picture.tops)
        yield "hollows", Labelled(picture.field, picture.bgr, None, tops, (tops > 0).astype(np.int64), (), ())
    for folder in folders:
        for path in sorted(Path(folder).glob("*.json")):
            yield "rendered", read_scene(path)


def main() -> None:
    """Fit, leave out, print."""
    first, n, *folders = sys.argv[1:]
    cv2.setNumThreads(1)
    kinds, tables = zip(*tables_of(int(first), int(n), folders), strict=True)
    looked = [seen_at_points(table, k) for k, table in enumerate(tables)]
    seen, stone = (np.concatenate(part) for part in zip(*looked, strict=True))
    table = np.repeat(np.arange(len(looked)), [len(truth) for _, truth in looked])
    for name, columns in (("patches alone", [0, 2]), ("patches and map", [0, 1, 2])):
        nats = np.zeros(len(stone))
        for fold in range(N_FOLDS):
            out = table % N_FOLDS == fold
            nats[out] = seen[np.ix_(out, columns)] @ regression(seen[np.ix_(~out, columns)], stone[~out])
        for part in dict.fromkeys(kinds):
            rows = np.array(kinds)[table] == part
            loss = np.logaddexp(0, np.where(stone, -nats, nats))[rows]
            print(
                f"{name}, {part}: {int(((nats > 0) != stone)[rows].sum())} of {rows.sum()} wrong, loss {loss.sum():.1f}"
            )
        print(f"{name}: {np.round(regression(seen[:, columns], stone), 2).tolist()}")


if __name__ == "__main__":
    main()
