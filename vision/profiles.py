"""How many stones lie on each other: what shows below the top one, row by row.

A tower is as high as what is seen of it below its top stone is long, which on a picture from half above is a few
samples for every stone. The tall patch (``towers``) is too coarse for that. Here a finer strip hangs from the upper
rim of the top stone, down along the image of the vertical and as wide as that stone, and every sample is told by how
unlike it is to the ground, to the paint of its own top stone and to the paints of the other tops of this board. A small
network reads the strip row by row, then looks at all strips of the board beside each other: the single stones among
them are the yardstick for the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.field import Field
from vision.frame import Image
from vision.nets import linear, weighted
from vision.patches import Floats, lean_px, log_colours, tangents, unit_of
from vision.towers import BELOW, COLUMNS, PER_UNIT, ROWS

STRIP_ROWS, STRIP_COLUMNS = 48, 20
FINE = 36.0
"""Rows of a strip in one unit of the board (see ``patches.unit_of``): as fine as good pictures are."""

HEAD = 7
"""Rows of a strip above the upper rim of the top stone."""

WIDER = 1.15
"""Width of a strip over that of its top stone."""

WIDTHS = (0.3, 1.0)
"""Least and greatest width that a top stone is taken to have, in units."""

RIM = 0.06
"""Share of a mask that may lie above the rim: masks are soft."""

BANDS = 5
"""Columns that the network sees, each the mean of some of the strip's."""

SURELY_TOP, FEWEST_ROWS = 0.75, 3
"""Share of a row from which on its middle half is taken for the paint of the top stone, and so many rows at least: of
388 tops on rendered boards that taught nothing 21 are given to the wrong player then, 40 by masks of tall patches."""

PAINT = np.array([0.3, 0.1, 0.1], np.float32)
"""What one paint differs by on one stone, lit and shaded: half the unit in which unlikeness is told."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """What the strips of one board show.

    Attributes
    ----------
    log_heights : float64 array of shape (n, 3)
        Log probability of one, two and three stones.
    tops : list of float32 arrays of shape (m, 3)
        Log colours of samples that show the top stone and nothing below it.
    """

    log_heights: NDArray[np.float64]
    tops: list[Floats]


def look_closer(
    bgr: Image,
    field: Field,
    points: NDArray[np.intp],
    masks: Floats,
    own: Floats,
    ground: Floats,
    labels: NDArray[np.integer],
) -> Profiles:
    """Judge the towers of one board by their strips.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    field : Field
        Where the points lie in it.
    points : int array of shape (n,)
        Those that hold stones; at least one.
    masks : float32 array of shape (n, ROWS / 2, COLUMNS / 2)
        Probability that a sample of the tall patch shows the top stone; zero where it is another stone's.
    own : float32 array of shape (n, 3)
        Log colour of every top stone.
    ground : float32 array of shape (n, 3)
        Usual log colour around it.
    labels : int array of shape (n,)
        Which tops have the same paint, as far as ``own`` tells.

    Returns
    -------
    Profiles
    """
    hung = hang(masks)
    luv, slope = _strips(bgr, field, points, hung)
    seen = [np.clip((luv - ground[:, None, None]) * np.array([1, 2, 2], np.float32), -3, 3)]
    seen += [_unlike(luv, paint)[..., None] for paint in (own, ground)]
    seen += [np.min([_unlike(luv, paint) for paint in _other_paints(own, labels)], axis=0)[..., None]]
    bands = np.concatenate(seen, axis=3).reshape(len(luv), STRIP_ROWS, BANDS, STRIP_COLUMNS // BANDS, 6).mean(axis=3)
    place = np.column_stack([hung, slope]).astype(np.float32)
    mirrored = place * np.array([1, -1, 1, 1], np.float32)
    (heights, top), (heights_too, top_too) = _told(bands, place), _told(bands[:, :, ::-1], mirrored)
    return Profiles((heights + heights_too) / np.float64(2), _tops(luv, np.asarray((top + top_too) / 2, np.float32)))


def _tops(luv: Floats, share: Floats) -> list[Floats]:
    """Samples of every strip in rows that show the top stone, as ``share`` (n, STRIP_ROWS) has it."""
    least = np.minimum(SURELY_TOP, np.partition(share, -FEWEST_ROWS, axis=1)[:, -FEWEST_ROWS])
    middle = luv[:, :, STRIP_COLUMNS // 4 : -(STRIP_COLUMNS // 4)]
    return [strip[rows >= few].reshape(-1, 3) for strip, rows, few in zip(middle, share, least, strict=True)]


def hang(masks: Floats) -> Floats:
    """Where strips hang, from masks of top stones: units above and beside the point, and width; shape (n, 3)."""
    n, rows, columns = masks.shape
    total = masks.sum(axis=(1, 2))
    down = np.cumsum(masks.sum(axis=2), axis=1) / total[:, None]
    rim = np.array([np.interp(RIM, share, np.arange(1, rows + 1)) for share in down]).reshape(n)
    across, weight = np.arange(columns) + 0.5, masks.sum(axis=1) / total[:, None]
    middle = weight @ across
    spread = np.sqrt((weight * (across - middle[:, None]) ** 2).sum(axis=1))
    cell = 2 / PER_UNIT
    above = (ROWS / 2 - rim) * cell - BELOW
    beside = (middle - COLUMNS / 4) * cell
    return np.column_stack([above, beside, np.clip(4 * spread * cell, *WIDTHS)]).astype(np.float32)


def _strips(bgr: Image, field: Field, points: NDArray[np.intp], hung: Floats) -> tuple[Floats, Floats]:
    """Log colours of the strips (n, STRIP_ROWS, STRIP_COLUMNS, 3), and the slopes (n,) as ``towers`` has them."""
    height, width = bgr.shape[:2]
    unit = unit_of(field.board)
    lean = (lean_px(field, (width, height)) * unit)[points]
    across = np.linalg.svd(tangents(field)[points] * unit, compute_uv=False)[:, 0]
    length = np.linalg.norm(lean, axis=1)
    up = np.where(length[:, None] > 1e-6, lean / np.maximum(length, 1e-6)[:, None], (0.0, -1.0)) * across[:, None]
    right = np.column_stack([-up[:, 1], up[:, 0]])
    above = hung[:, :1] + (HEAD - np.arange(STRIP_ROWS)) / FINE
    beside = hung[:, 1:2] + ((np.arange(STRIP_COLUMNS) + 0.5) / STRIP_COLUMNS - 0.5) * hung[:, 2:] * WIDER
    places = (
        field.points_px[points, None, None]
        + up[:, None, None] * above[:, :, None, None]
        + right[:, None, None] * beside[:, None, :, None]
    )
    luv = log_colours(bgr, places.astype(np.float32).reshape(-1, STRIP_COLUMNS, 2))
    slope = np.minimum(length / across, 1.0).astype(np.float32)
    return luv.reshape(-1, STRIP_ROWS, STRIP_COLUMNS, 3), slope


def _other_paints(own: Floats, labels: NDArray[np.integer]) -> list[Floats]:
    """Usual colours of the paints that a top stone does not have, each (n, 3); nan where there is none."""
    paints = {label: np.median(own[labels == label], axis=0) for label in sorted(set(labels.tolist()))}
    others = [[paint for label, paint in paints.items() if label != mine] for mine in labels.tolist()]
    none = np.full(3, np.nan, np.float32)
    return [np.array([(*paints_, none, none)[k] for paints_ in others], np.float32).reshape(-1, 3) for k in range(2)]


def _unlike(luv: Floats, paint: Floats) -> Floats:
    """How unlike samples (n, rows, columns, 3) are to a colour (n, 3), 0 to 3; 3 where there is no colour."""
    unlike = np.minimum(np.linalg.norm((luv - paint[:, None, None]) / PAINT, axis=3) / 2, 3)
    return np.asarray(np.where(np.isnan(unlike), 3, unlike), np.float32)


def _told(bands: Floats, place: Floats) -> tuple[Floats, Floats]:
    """Log probabilities of heights (n, 3), and shares of the top stone (n, STRIP_ROWS), from where strips hang, too."""
    n = len(bands)
    fine = _along(bands.reshape(n, STRIP_ROWS, -1), "pile1", 7)
    coarse = _along(_along(fine, "pile2", 5, stride=2), "pile3", 5)
    shares = np.exp(_log_shares(linear(np.concatenate([fine, coarse.repeat(2, axis=1)], axis=2), "pile_rows")))
    lengths = shares.sum(axis=1)
    middles = (shares * np.linspace(-1, 1, STRIP_ROWS, dtype=np.float32)[:, None]).sum(axis=1) / (lengths + 0.5)
    thick = lengths[:, 1:] / (20 * place[:, 3:] + 2)
    seen = coarse.reshape(n, STRIP_ROWS // 4, 2, -1).mean(axis=2).reshape(n, -1)
    told = np.hstack([seen, lengths / 10, thick, np.log(lengths + 0.5), middles, place * 2])
    each = np.maximum(linear(told.astype(np.float32), "pile_point"), 0)
    first = linear(each, "pile_first")
    single = np.exp(_log_shares(first))[:, :1]
    others = np.concatenate([each.mean(axis=0), np.sqrt(each.var(axis=0) + 1e-4), *weighted(each, single)])
    others = np.concatenate([others, weighted(each, 1 - single)[0]])
    beside = np.hstack([each, np.broadcast_to(others, (n, len(others)))]).astype(np.float32)
    heights = linear(np.maximum(linear(beside, "pile_board"), 0), "pile_height") + first
    return _log_shares(heights), np.asarray(shares[..., 0], np.float32)


def _along(x: Floats, name: str, size: int, stride: int = 1) -> Floats:
    """A convolution along the rows of strips (n, rows, k) with zero border and rectified output."""
    before, after = size // 2, size // 2 - (stride - 1)
    padded = np.pad(x, ((0, 0), (before, after), (0, 0)))
    count = (padded.shape[1] - size) // stride + 1
    windows = np.concatenate([padded[:, i : i + stride * count : stride] for i in range(size)], axis=2)
    return np.maximum(linear(windows[:, :count], name), 0)


def _log_shares(logits: Floats) -> Floats:
    """Logarithm of the softmax over the last axis."""
    moved = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(moved - np.log(np.exp(moved).sum(axis=-1, keepdims=True)), np.float32)
