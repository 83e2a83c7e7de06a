"""Data augmentation for training: real patches, altered until no paint, cloth, lamp or stone can be learnt by heart."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.patches import PATCH_REACH_UNITS, PATCH_SIDE, patch_samples_per_unit

_GRID = ((np.arange(PATCH_SIDE) + 0.5) * (2 / PATCH_SIDE) - 1) * PATCH_REACH_UNITS
X, Y = (g.astype(np.float32) for g in np.meshgrid(_GRID, _GRID))
"""Place of every sample in units, 0 in the middle of the patch."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """One board: patches (n, side, side, 3), bare patches (same shape) or None, labels, masks, which are known."""

    now: Float32Array
    bare: Float32Array | None
    tops: NDArray[np.int64]
    heights: NDArray[np.int64]
    mask: Float32Array
    has_mask: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Kind:
    """The stones of one player: cut out of a picture (``cut``), or made (``colour``, ``shape``)."""

    cut: tuple[Float32Array, NDArray[np.uint8]] | None
    colour: Float32Array
    radius: float
    shape: str


class Alterer:
    """Generates altered boards without end.

    Args:
        tables: As written by ``cut.py``.
        weights: How often each table is taken.
    """

    holes = 0.3
    """Share of boards that get holes, hollows or rings at their points."""

    def __init__(self, tables: list[dict], weights: list[float], rng: np.random.Generator) -> None:
        self.tables, self.rng = tables, rng
        self.share = np.array(weights) / sum(weights)
        self.stones = [stone for table in tables for stone in table["stones"]]

    def lesson(self, *, with_bare: bool) -> Lesson:
        """One altered board; ``with_bare`` asks for one whose bare patches are known."""
        r = self.rng
        table = self.tables[r.choice(len(self.tables), p=self.share)]
        cut = table["cuts"][r.integers(len(table["cuts"]))]
        if cut["bare"] is None and with_bare:
            return self.lesson(with_bare=True)
        now, tops, heights = cut["now"].copy(), table["tops"].copy(), table["heights"].copy()
        mask = cut["mask"].astype(np.float32) / 255
        has_mask = mask.any(axis=(1, 2)) | (tops == 0)
        bare = None if cut["bare"] is None else cut["slipped"].copy()
        self.light, self.shadow = r.uniform(0, 2 * np.pi), (r.uniform(0, 0.45), r.uniform(0.6, 3), r.uniform(0.1, 1.0))
        if bare is not None:
            self._lay_stones(cut["bare"], bare, now, tops, heights, mask, has_mask)
        shade = self._shade(len(now))
        now[..., 0] += shade
        blur = float(r.choice([0, 0, 0.5, 0.8, 1.2]))
        if bare is not None and with_bare:
            bare[..., 0] += self._shade(len(now)) if r.random() < 0.5 else shade
            bare += np.array([r.normal(0, 0.3), r.normal(0, 0.08), r.normal(0, 0.1)], np.float32)
        colours, noise = colour_change(r), float(r.choice([0, 0.02, 0.05]))
        turn, mirror, same_blur = int(r.integers(4)), r.random() < 0.5, r.random() < 0.8

        def sensed(patches: Float32Array, width: float) -> Float32Array:
            if width:
                patches = np.stack([cv2.GaussianBlur(p, (0, 0), width) for p in patches])
            patches = patches @ colours.T
            patches += r.normal(0, 1, patches.shape).astype(np.float32) * noise * np.float32([1, 0.6, 0.8])
            return turned(patches)

        def turned(planes: Float32Array) -> Float32Array:
            return np.rot90(planes[:, :, ::-1] if mirror else planes, turn, (1, 2))

        seen_bare = sensed(bare, blur if same_blur else 0.0) if bare is not None and with_bare else None
        return Lesson(sensed(now, blur), seen_bare, tops, heights, turned(mask), has_mask)

    def _lay_stones(
        self,
        ground: Float32Array,
        bare: Float32Array,
        now: Float32Array,
        tops: NDArray[np.int64],
        heights: NDArray[np.int64],
        mask: Float32Array,
        has_mask: NDArray[np.bool_],
    ) -> None:
        """Lay other stones on some or all bare points. Changes all arrays but ``ground``."""
        r, n = self.rng, len(now)
        with_holes, mode = r.random() < self.holes, r.random()
        if with_holes or mode < 0.2:
            use = np.ones(n, bool)
        elif mode < 0.4:
            use = r.random(n) < 0.5
        elif mode < 0.6:
            use = (tops == 0) & (r.random(n) < 0.5)
        else:
            return
        radius, depth, sharp = r.uniform(0.12, 0.33), -r.uniform(0.25, 1.2), r.uniform(0.8, 4)
        ring, fitting = r.random() < 0.25, with_holes and r.random() < 0.6
        aside = r.normal(0, 0.03, 2) + (0, r.uniform(-0.05, 0.15))
        kinds = [self._kind(radius * r.uniform(1.0, 1.5) if fitting else None) for _ in range(max(2, tops.max()))]
        share = r.choice([0, 0.15, 0.3, 0.5, 0.75], p=[0.1, 0.25, 0.3, 0.25, 0.1])
        for i in np.flatnonzero(use):
            patch = ground[i].copy()
            if with_holes:
                dark = depth * self._hole(aside, radius, sharp, ring)
                patch[..., 0] += dark
                bare[i, ..., 0] += dark
            for _ in range(r.choice([0, 1, 2], p=[0.55, 0.3, 0.15])):
                patch, _ = self._laid(patch, kinds[r.integers(len(kinds))], r.uniform(0.62, 1.1))
            tops[i] = heights[i] = 0
            mask[i], has_mask[i] = 0, True
            if r.random() < share:
                k = int(r.integers(len(kinds)))
                patch, mask[i] = self._laid(patch, kinds[k], min(abs(r.normal(0, 0.04 if fitting else 0.17)), 0.44))
                tops[i] = k + 1  # the height stays 0: these stones teach no heights
            now[i] = patch

    def _hole(self, aside: NDArray[np.float64], radius: float, sharp: float, ring: bool) -> Float32Array:
        def at(x: float, y: float) -> Float32Array:
            away = np.hypot(X - aside[0] - x, Y - aside[1] - y) / radius
            if ring:
                return np.exp(-(((away - 1) * radius * patch_samples_per_unit()) ** 2))
            return np.clip((1 - away) * radius * patch_samples_per_unit() * sharp / 2 + 0.5, 0, 1)

        dark = at(0, 0)
        if ring:
            return dark
        for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            if self.rng.random() < 0.35:
                dark = np.maximum(dark, at(x, y))
        return dark * (1 + 0.5 * (X * np.cos(self.light) + Y * np.sin(self.light)) / radius)

    def _kind(self, fitting_radius: float | None) -> Kind:
        r = self.rng
        colour = np.array([r.uniform(2.9, 5.4), r.normal(0, 0.35), r.normal(0, 0.4)]) * (1, *(r.random(2) < 0.7))
        if fitting_radius is not None:
            shape = str(r.choice(["ball", "ball", "flat"]))
            return Kind(None, colour.astype(np.float32), float(np.clip(fitting_radius, 0.15, 0.42)), shape)
        if r.random() < 0.65 and self.stones:
            brighter = np.array([r.normal(0, 0.25), 0, 0], np.float32)
            return Kind(self.stones[r.integers(len(self.stones))], brighter, r.uniform(0.7, 1.35), "cut")
        shape = str(r.choice(["ball", "flat", "pebble", "speckled"]))
        return Kind(None, colour.astype(np.float32), r.uniform(0.2, 0.42), shape)

    def _laid(self, patch: Float32Array, kind: Kind, off: float) -> tuple[Float32Array, Float32Array]:
        """The patch with a stone ``off`` units from its middle and its shadow, and the stone's mask."""
        r = self.rng
        way = r.uniform(0, 2 * np.pi)
        x, y = off * np.cos(way), off * np.sin(way)
        stone, mask = self._cut_stone(kind, x, y) if kind.cut is not None else self._made_stone(kind, x, y)
        length, soft, dark = self.shadow
        if r.random() < 0.9:
            cast = np.zeros_like(mask)
            for part in (0.35, 0.7, 1.0):
                step = length * part * patch_samples_per_unit()
                moved = np.float32([[1, 0, np.cos(self.light) * step], [0, 1, np.sin(self.light) * step]])
                cast = np.maximum(cast, cv2.warpAffine(mask, moved, (PATCH_SIDE, PATCH_SIDE)))
            cast = cv2.GaussianBlur(cast, (0, 0), soft)
            patch = patch - np.stack([cast * dark, cast * 0.02, -cast * 0.03], axis=-1)
        return patch * (1 - mask[..., None]) + stone * mask[..., None], mask

    def _cut_stone(self, kind: Kind, x: float, y: float) -> tuple[Float32Array, Float32Array]:
        assert kind.cut is not None
        r = self.rng
        angle, scale, mirror = r.uniform(0, 2 * np.pi), kind.radius * r.uniform(0.9, 1.1), r.choice([-1, 1])
        c, s = np.cos(angle) * scale, np.sin(angle) * scale
        turn = np.array([[c, -s * mirror], [s, c * mirror]])
        middle = np.full(2, (PATCH_SIDE - 1) / 2)
        move = middle + np.array([x, y]) * patch_samples_per_unit() - turn @ middle
        warp = np.column_stack([turn, move]).astype(np.float32)
        log_colour = cv2.warpAffine(kind.cut[0], warp, (PATCH_SIDE, PATCH_SIDE), borderMode=cv2.BORDER_REPLICATE)
        return log_colour + kind.colour, cv2.warpAffine(kind.cut[1], warp, (PATCH_SIDE, PATCH_SIDE)).astype(
            np.float32
        ) / 255

    def _made_stone(self, kind: Kind, x: float, y: float) -> tuple[Float32Array, Float32Array]:
        r = self.rng
        radius, round_one = kind.radius * r.uniform(0.9, 1.1), kind.shape in ("ball", "flat")
        angle, aspect = r.uniform(0, np.pi), 1.0 if round_one else r.uniform(0.75, 1.0)
        dx, dy = X - x, Y - y
        p = (dx * np.cos(angle) + dy * np.sin(angle)) / radius
        q = (dy * np.cos(angle) - dx * np.sin(angle)) / (radius * aspect)
        away = np.hypot(p, q) + (0 if round_one else 0.08 * np.sin(3 * np.arctan2(q, p) + 5 * angle))
        mask = np.clip((1 - away) * radius * patch_samples_per_unit() + 0.5, 0, 1).astype(np.float32)
        log_colour = np.tile(kind.colour, (PATCH_SIDE, PATCH_SIDE, 1))
        if kind.shape == "flat":
            if r.random() < 0.6:
                log_colour[..., 0] += (np.abs(away - r.uniform(0.5, 0.85)) < 0.1) * r.uniform(-0.5, 0.4)
        else:
            towards = p * np.cos(self.light - angle) + q * np.sin(self.light - angle)
            log_colour[..., 0] += r.uniform(0.2, 0.7) * (
                0.6 * np.sqrt(np.clip(1 - away**2, 0, 1)) - 0.5 * towards - 0.3
            )
        if kind.shape == "ball" or (kind.shape != "flat" and r.random() < 0.4):
            gx, gy = x - 0.4 * radius * np.cos(self.light), y - 0.4 * radius * np.sin(self.light)
            glare = np.exp(-((X - gx) ** 2 + (Y - gy) ** 2) / (2 * (0.16 * radius) ** 2)) * r.uniform(0.3, 1.0)
            log_colour += glare[..., None] * (np.float32([5.5, 0, 0]) - log_colour)
        if kind.shape == "speckled":
            dots = cv2.GaussianBlur((r.random((PATCH_SIDE, PATCH_SIDE)) < 0.08).astype(np.float32), (0, 0), 0.6)
            log_colour[..., 0] += dots * r.uniform(-3, 3)
        if r.random() < 0.12:  # painted on one half only
            bare_half = dx * np.cos(self.light) + dy * np.sin(self.light) > r.normal(0, 0.1)
            log_colour[bare_half] = (r.uniform(3.8, 4.9), r.normal(0.03, 0.03), r.normal(-0.05, 0.05))
        return log_colour.astype(np.float32), mask

    def _shade(self, n: int) -> Float32Array:
        """Change of log brightness by shadows with edges, shape (n, SIDE, SIDE)."""
        r = self.rng
        shade = np.zeros((n, PATCH_SIDE, PATCH_SIDE), np.float32)
        if r.random() < 0.5:
            return shade
        dark = -r.uniform(0.15, 0.9) * r.choice([1, 1, -0.5])
        for i in range(n):
            lot = r.random()
            if lot < 0.45:
                continue
            way = r.uniform(0, 2 * np.pi)
            edge = X * np.cos(way) + Y * np.sin(way) - r.normal(0, 0.3)
            soft = r.choice([0.01, 0.04, 0.15])
            shade[i] = dark if lot < 0.65 else dark / (1 + np.exp(-np.clip(edge / soft, -30, 30)))
        return shade


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
