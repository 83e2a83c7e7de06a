"""Flat pictures of cloth, wood and table tops."""

from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.spec import Surface

Float = NDArray[np.float32]


def clouds(rng: np.random.Generator, shape: tuple[int, int], cell_px: float) -> Float:
    """Smooth noise, float32 ``shape``, mean 0 and standard deviation 1, with blobs about ``cell_px`` across."""
    rows, columns = (max(2, round(n / cell_px) + 1) for n in shape)
    coarse = rng.standard_normal((rows, columns)).astype(np.float32)
    fine = cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)
    mean, spread = fine.mean(), max(float(fine.std()), 1e-6)
    fine -= mean
    fine /= spread
    return cast(Float, fine)


def _stretched_clouds(rng: np.random.Generator, side_px: int, cell_px: float, stretch: float) -> Float:
    tall = clouds(rng, (side_px, max(2, round(side_px / stretch))), cell_px)
    return cast(Float, cv2.resize(tall, (side_px, side_px), interpolation=cv2.INTER_LINEAR))


def _wood(rng: np.random.Generator, side_px: int, px_per_side: float) -> Float:
    """How much of the second colour the grain shows, with planks; float32 (side_px, side_px), 0 to 1."""
    grain = 0.5 * _stretched_clouds(rng, side_px, 0.02 * px_per_side, 14.0)
    grain += 0.5 * _stretched_clouds(rng, side_px, 0.006 * px_per_side, 30.0)
    rows = np.arange(side_px, dtype=np.float32)
    plank = float(rng.uniform(0.4, 0.8)) * px_per_side
    seams = np.minimum(rows % plank, plank - rows % plank) < 0.004 * px_per_side
    tone = rng.standard_normal(int(side_px / plank) + 1).astype(np.float32)[(rows / plank).astype(int)]
    wood = 0.3 + 0.16 * grain + 0.08 * tone[:, None] + 0.5 * seams[:, None]
    return cast(Float, np.clip(wood, 0, 1).astype(np.float32))


def _printed(rng: np.random.Generator, surface: Surface, side_px: int, px_per_side: float) -> Float:
    """How much of the second colour the pattern shows; float32 (side_px, side_px), 0 to 1."""
    period = surface.period * px_per_side
    edge = max(0.02 * period, 1.0)
    if surface.pattern == "wood":
        return _wood(rng, side_px, px_per_side)
    if surface.pattern == "speckle":
        return cast(Float, np.clip(clouds(rng, (side_px, side_px), max(2.0, 0.008 * px_per_side)) - 1.0, 0, 1))
    columns = np.arange(side_px, dtype=np.float32)[None]
    rows = columns.T
    if surface.pattern == "stripes":
        share = float(rng.uniform(0.25, 0.5))
        distance = np.abs((rows + 2 * np.sin(columns / period)) % period - period / 2)
        return cast(Float, np.clip((share * period / 2 - distance) / edge + 0.5, 0, 1))
    if surface.pattern == "checks":
        folded = [np.abs(axis % period - period / 2) for axis in (rows, columns)]
        bands = [np.clip((0.25 * period - distance) / edge + 0.5, 0, 1) for distance in folded]
        return cast(Float, (bands[0] + bands[1]) / 2)
    odd = np.floor(rows / period) % 2  # dots
    across = (columns + odd * period / 2) % period - period / 2
    distance = np.hypot(rows % period - period / 2, across)
    return cast(Float, np.clip((0.2 * period - distance) / edge + 0.5, 0, 1))


def paint_surface(rng: np.random.Generator, surface: Surface, side_px: int, px_per_side: float) -> Float:
    """A square of the surface seen from above.

    Args:
        side_px: Width and height of the picture.
        px_per_side: Pixels for one side of the board.

    Returns:
        float32 array of shape (side_px, side_px, 3). BGR, 0 to 255.
    """
    colours: list[Float | np.float32] = [np.float32(c) for c in surface.colour]
    if surface.pattern != "plain":
        share = _printed(rng, surface, side_px, px_per_side)
        rest = 1 - share
        colours = [one * rest + np.float32(c) * share for one, c in zip(colours, surface.second, strict=True)]
    rough = clouds(rng, (side_px, side_px), 0.3 * px_per_side) * 0.025
    if surface.pattern == "wood":
        rough += surface.weave * 0.5 * _stretched_clouds(rng, side_px, 0.004 * px_per_side, 20.0)
    else:
        thread_px = max(0.0055 * px_per_side, 2.0)
        warp = np.sin(2 * np.pi * np.arange(side_px, dtype=np.float32) / thread_px)
        fibre = clouds(rng, (side_px, side_px), 1.5 * thread_px)
        rough += surface.weave * (0.5 * np.outer(warp, warp) + 0.5 * fibre)
    rough += 1
    return cast(Float, cv2.merge([np.clip(colour * rough, 0, 255) for colour in colours]))  # whole planes are quick
