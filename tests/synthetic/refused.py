"""Tables that cannot be played on as they are shown: cut off, covered, folded, dark, blurred or small, with the cause.

Every picture follows from its numbers alone. How bad it is does not depend on what a finder makes of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.layouts import moulin_rouge
from tests.synthetic.cloth import MARGIN, PX_PER_SIDE, Cloth, make_cloth
from tests.synthetic.hand import Hand
from tests.synthetic.scene import Scene
from tests.synthetic.spec import COMMON_BOARDS, TableSpec, random_spec
from tests.synthetic.truth import Stacks, cut_off, scattered
from tests.synthetic.viewpoint import Array
from vision.imaging.frame import Image

SIZES = ((640, 480), (960, 540), (1280, 720))
SKINS = ((105, 135, 195), (70, 95, 140), (150, 180, 230), (45, 62, 95))
SIDES = ("left", "right", "upper", "lower")
IN_SIGHT = (0.4, 0.72)  # share of the points of a board that is cut off


@dataclass(frozen=True, eq=False)
class Refused:
    """A picture in which a board is shown badly.

    Attributes:
        cause: One of ``CAUSES``.
        what: The board, and what was done to it.
        bgr: uint8 array of shape (H, W, 3).
        points_px: float64 array of shape (n_points, 2). Image space; they may lie outside the picture.
        side: Side of the picture on which the board is cut off; empty for other causes.
    """

    cause: str
    what: str
    bgr: Image
    board: Board
    points_px: NDArray[np.float64]
    side: str = ""

    @property
    def in_picture(self) -> NDArray[np.bool_]:
        """Which points lie in the picture, shape (n_points,)."""
        height, width = self.bgr.shape[:2]
        return np.asarray(((self.points_px >= 0) & (self.points_px <= (width - 1, height - 1))).all(axis=1))


def refused(seed: int, number: int) -> Refused:
    """The picture of a number in the set of a seed; causes go round."""
    return list(CAUSES.values())[number % len(CAUSES)](np.random.default_rng([seed, number]))


def _table(rng: np.random.Generator, *, discs: bool = True, fill: tuple[float, float] = (0.7, 0.95)) -> TableSpec:
    names = [name for name in COMMON_BOARDS if discs or name != "moulin_rouge"]
    name = names[int(rng.integers(len(names)))]
    board = moulin_rouge(int(rng.choice([6, 8, 10]))) if name == "moulin_rouge" else COMMON_BOARDS[name]
    size_px = SIZES[int(rng.integers(len(SIZES)))]
    drawing = "cells" if name == "tic_tac_toe" else None
    spec = random_spec(rng, board, drawing=drawing, hardness=float(rng.uniform(0.1, 0.6)), size_px=size_px)
    roll = float(rng.uniform(-180, 180))
    return replace(spec, placing=replace(spec.placing, fill=float(rng.uniform(*fill)), roll_deg=roll, aside=(0.0, 0.0)))


def _stones(spec: TableSpec, rng: np.random.Generator, free: NDArray[np.bool_] | None = None) -> Stacks:
    drawn = scattered(rng, len(spec.board.points), len(spec.paints), float(rng.uniform(0, 0.4)))
    return drawn if free is None else [stack if ok else [] for stack, ok in zip(drawn, free, strict=True)]


def _taken(rng: np.random.Generator, **table: Any) -> tuple[TableSpec, Image, Array]:
    """A table with some stones, its picture and its points."""
    spec = _table(rng, **table)
    bgr, truth = Scene(spec).render(_stones(spec, rng), rng=rng)
    return spec, bgr, truth.points_px


def _name(spec: TableSpec) -> str:
    return f"{spec.board.name} ({spec.drawing})"


def _cut(rng: np.random.Generator) -> Refused:
    """The picture ends within the board, at one side."""
    spec, bgr, points_px = _taken(rng)
    side = SIDES[int(rng.integers(4))]
    axis = 0 if side in ("left", "right") else 1
    places = np.sort(points_px[:, axis])
    n = len(places)
    kept = int(np.clip(round(float(rng.uniform(*IN_SIGHT)) * n), np.ceil(IN_SIGHT[0] * n), np.floor(IN_SIGHT[1] * n)))
    ordered = places[::-1] if side in ("left", "upper") else places
    kept = min(kept, n - 1)
    while kept < n - 1 and abs(ordered[kept] - ordered[kept - 1]) < 3:  # a row of points is cut off as a whole
        kept += 1
    at = float(ordered[kept - 1] * 0.6 + ordered[kept] * 0.4)
    part, points_px = cut_off(bgr, points_px, side, at, 80)
    made = Refused("cut", "", part, spec.board, points_px, side)
    return replace(made, what=f"{_name(spec)} cut {side}, {made.in_picture.mean():.0%} in sight")


def _covered(rng: np.random.Generator) -> Refused:
    """A hand with its arm over a quarter of the points or more, or large things over 35 to 65 % of them."""
    spec = _table(rng)
    stacks, scene, share = _stones(spec, rng), Scene(spec), float(rng.uniform(0.4, 0.6))
    skin = SKINS[int(rng.integers(len(SKINS)))]
    sleeved = bool(rng.random() < 0.5)
    for _ in range(6 if rng.random() < 0.5 else 0):
        reach = tuple(float(v) for v in rng.uniform(0.05, 0.95, 2))
        hand = Hand(reach, float(rng.uniform(0, 360)), float(rng.uniform(0.05, 0.6)), skin=skin)
        bgr, truth = scene.render(stacks, rng=rng, hand=hand if sleeved else replace(hand, sleeve=skin))
        hidden = float(np.mean(truth.hidden))
        if hidden >= 0.25:
            what = f"{_name(spec)} under a hand, {hidden:.0%} hidden"
            return Refused("covered", what, bgr, spec.board, truth.points_px)
    bgr, truth = scene.render(stacks, rng=rng)
    bgr, under = _lay_things(bgr, truth.points_px, share, rng)
    what = f"{_name(spec)} under things, {under.mean():.0%} hidden"
    return Refused("covered", what, bgr, spec.board, truth.points_px)


def _lay_things(
    bgr: Image, points_px: Array, share: float, rng: np.random.Generator
) -> tuple[Image, NDArray[np.bool_]]:
    """Lay a book, a sheet or a bowl over the board, another one if it hides less than ``share`` of the points."""
    out = bgr.copy()
    hidden = np.zeros(len(points_px), np.bool_)
    low, high = points_px.min(axis=0), points_px.max(axis=0)
    size = float(np.sqrt(np.prod(high - low)))
    for _ in range(40):
        if hidden.mean() >= share:
            break
        middle = rng.uniform(low + 0.15 * (high - low), high - 0.15 * (high - low))
        wide, tall = size * rng.uniform(0.45, 0.8), size * rng.uniform(0.35, 0.65)
        colour = rng.uniform(20, 240, 3)
        mask = np.zeros(bgr.shape[:2], np.uint8)
        if rng.random() < 0.35:
            cv2.circle(mask, np.round(middle).astype(int).tolist(), round(wide / 2), 255, -1)
        else:
            box = cv2.boxPoints((middle.tolist(), (wide, tall), float(rng.uniform(0, 180))))
            cv2.fillPoly(mask, [np.round(box).astype(np.int32)], 255)
        at = np.clip(np.round(points_px).astype(int), 0, (bgr.shape[1] - 1, bgr.shape[0] - 1))
        under = mask[at[:, 1], at[:, 0]] > 0
        if (hidden | under).mean() > 0.65:
            continue
        grain = rng.normal(0, 3, (*bgr.shape[:2], 1)) + colour
        soft = cv2.GaussianBlur(mask, (0, 0), 0.8)[..., None].astype(np.float32) / 255
        out = np.clip(out * (1 - soft) + grain * soft, 0, 255).astype(np.uint8)
        hidden |= under
    return out, hidden


def _dark(rng: np.random.Generator) -> Refused:
    """A room without light, and a sensor that makes noise of it."""
    spec, bgr, points_px = _taken(rng)
    gain = float(rng.uniform(0.02, 0.07))
    noisy = np.clip(bgr * gain + rng.normal(0, 3, bgr.shape), 0, 255).astype(np.uint8)
    return Refused("dark", f"{_name(spec)} at {gain:.0%} of the light", noisy, spec.board, points_px)


def _blurred(rng: np.random.Generator) -> Refused:
    """Out of focus, or drawn along by a camera that moves, by about as much as lines lie apart."""
    spec, bgr, points_px = _taken(rng)
    sigma = float(rng.uniform(0.02, 0.035)) * min(bgr.shape[:2])
    if rng.random() < 0.3:
        length = round(5 * sigma)
        kernel = np.zeros((length, length), np.float32)
        angle = float(rng.uniform(0, np.pi))
        half = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        ends = [np.round(np.array([length / 2, length / 2]) + way * half).astype(int).tolist() for way in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA)
        soft = cv2.GaussianBlur(cv2.filter2D(bgr, -1, kernel / kernel.sum()), (0, 0), 0.4 * sigma)
    else:
        soft = cv2.GaussianBlur(bgr, (0, 0), sigma)
    noisy = np.clip(soft + rng.normal(0, 2, bgr.shape), 0, 255).astype(np.uint8)
    return Refused("blurred", f"{_name(spec)} blurred by {sigma:.0f} px", noisy, spec.board, points_px)


def _small(rng: np.random.Generator) -> Refused:
    """A board far away, on a tenth or a seventh of the picture's width or height."""
    spec, bgr, points_px = _taken(rng, fill=(0.09, 0.14))
    what = f"{_name(spec)} at {spec.placing.fill:.0%} of the picture"
    return Refused("small", what, bgr, spec.board, points_px)


def fold_cloth(cloth: Cloth, direction: Array, offset: float, back_bgr: Array) -> Cloth:
    """Fold the part of a cloth that lies beyond a line over the rest; its back is plain.

    Args:
        direction: float64 array of shape (2,). Unit vector from the middle of the board towards the flap.
        offset: Distance of the fold from the middle, sides.
        back_bgr: float64 array of shape (3,).
    """
    side = cloth.bgra.shape[0]
    rows, columns = np.mgrid[:side, :side].astype(np.float32)
    x, y = columns / PX_PER_SIDE - MARGIN - 0.5, rows / PX_PER_SIDE - MARGIN - 0.5
    beyond = x * direction[0] + y * direction[1] - offset
    mirrored_x, mirrored_y = x - 2 * beyond * direction[0], y - 2 * beyond * direction[1]
    at = [((v + MARGIN + 0.5) * PX_PER_SIDE).astype(np.float32) for v in (mirrored_x, mirrored_y)]
    flap = cv2.remap(cloth.bgra[..., 3], at[0], at[1], cv2.INTER_LINEAR).astype(np.float32) / 255
    flap[beyond > 0] = 0
    flap = flap[..., None]
    shadow = cv2.GaussianBlur(flap, (0, 0), 5)[..., None]
    out = cloth.bgra.astype(np.float32)
    out[..., :3] *= 1 - 0.35 * shadow * (1 - flap)
    crease = np.clip(1 - np.abs(beyond) * PX_PER_SIDE / 8, 0, 1)[..., None]
    out[..., :3] = out[..., :3] * (1 - flap) + back_bgr.astype(np.float32) * (0.92 + 0.1 * crease) * flap
    out[..., 3:] = np.maximum(out[..., 3:], 255 * flap)
    out[beyond > 0] = 0
    return replace(cloth, bgra=np.clip(out, 0, 255).round().astype(np.uint8))


def _folded(rng: np.random.Generator) -> Refused:
    """A cloth or a hinged board of which up to a half is folded over, so that a third to two thirds are seen."""
    spec = _table(rng, discs=False)
    xy = np.array(spec.board.xy) - 0.5
    angle = float(rng.choice(4)) * np.pi / 2 + (float(rng.choice([0.0, np.pi / 4])) if rng.random() < 0.3 else 0.0)
    angle += float(rng.normal(0, 0.05))
    direction = np.array([np.cos(angle), np.sin(angle)])
    along = xy @ direction
    reach = float(along.max())
    outer = max(reach, 0.62) if spec.drawing == "cells" else 1.15 * reach + 0.03  # about the rim of the cloth
    share = float(rng.uniform(0.33, 0.67))
    offset = (float(np.quantile(along, share)) + 0.04 + outer) / 2  # the flap ends as far before the fold as behind it
    free = np.asarray(along < 2 * offset - outer)
    stacks = _stones(spec, rng, free)
    bgr, truth = Scene(spec, fold_cloth(make_cloth(spec), direction, offset, np.array(spec.cloth.colour))).render(
        stacks, rng=rng
    )
    return Refused("folded", f"{_name(spec)}, {free.mean():.0%} unfolded", bgr, spec.board, truth.points_px)


CAUSES: dict[str, Callable[[np.random.Generator], Refused]] = {
    "cut": _cut, "covered": _covered, "dark": _dark, "blurred": _blurred, "small": _small, "folded": _folded,
}  # fmt: skip
"""What may be wrong, and how it is drawn."""
