"""Render solid pebbles, lit and with shadows, into a picture of an empty table."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.patches import stone_unit

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Paint:
    """How the stones of one player look and how large they are (units of the board)."""

    colour: Float64Array  # (3,) BGR 0..255, in plain light
    rough: float  # contrast of the pattern on one stone
    speckle: float
    spread: float  # what brightness differs by from stone to stone
    half: bool  # painted on one side only
    gloss: float
    radius: float
    flat: float  # height over width
    ball: bool


@dataclass(frozen=True, eq=False)
class Pebble:
    """Ellipsoids that overlap, with a common paint; ``turn`` maps board directions onto the axes of each."""

    middles: Float64Array  # (k, 3)
    shapes: Float64Array  # (k, 3, 3) symmetric; |shape @ (p - middle)| = 1 on the surface
    paint: Paint
    bright: float
    texture: NDArray[np.float32]
    top: float


NATURAL = np.array(
    [[120, 128, 135], [95, 105, 112], [150, 160, 168], [80, 95, 110], [70, 75, 80], [170, 180, 190], [100, 110, 100]],
    float,
)


MOST_STONES = 4
"""Stones of a stack that can be told apart by their labels."""


class Table:
    """A picture of an empty table and the camera that took it, in board space with z towards the camera."""

    def __init__(
        self,
        bgr: NDArray[np.uint8],
        field: Field,
        focal: float,
        rng: np.random.Generator,
        n_kinds: int,
        *,
        towers: bool = False,
    ) -> None:
        self.bgr, self.field, self.rng = bgr, field, rng
        h, w = bgr.shape[:2]
        camera = np.array([[focal * w, 0, (w - 1) / 2], [0, focal * w, (h - 1) / 2], [0, 0, 1]])
        pose = np.linalg.solve(camera, field.image_from_board)
        pose /= np.sqrt(np.linalg.norm(pose[:, 0]) * np.linalg.norm(pose[:, 1]))
        if (pose @ np.array([0.5, 0.5, 1]))[2] < 0:
            pose = -pose
        normal = np.cross(pose[:, 0], pose[:, 1])
        normal /= np.linalg.norm(normal)
        if normal @ (pose @ np.array([0.5, 0.5, 1])) > 0:
            normal = -normal
        self.axes = np.column_stack([pose[:, 0], pose[:, 1], normal])
        self.shift = pose[:, 2]
        self.camera = camera
        self.back = np.linalg.inv(self.axes) @ np.linalg.inv(camera)
        self.eye = -np.linalg.inv(self.axes) @ self.shift
        self.unit = stone_unit(field.board)
        around, high = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(22, 80))
        self.sun = np.array([np.cos(around) * np.cos(high), np.sin(around) * np.cos(high), np.sin(high)])
        self.soft, self.dark = rng.uniform(0.02, 0.35), rng.uniform(0.25, 0.85)
        self.lamp = np.exp(rng.normal(0, 0.12, 3))
        sure = cv2.GaussianBlur(bgr, (0, 0), 1.5).reshape(-1, 3).astype(float)
        self.level = np.clip(np.percentile(sure.max(axis=1), 75) / 170, 0.35, 1.4)
        self.radius = rng.uniform(0.21, 0.34)  # pebbles of one beach; round ones make no towers
        self.flat = rng.uniform(0.27, 0.5) if towers else rng.uniform(0.36, 0.66)
        self.off = rng.uniform(0.02, 0.2)
        self.paints = [self._paint() for _ in range(n_kinds)]

    def _paint(self) -> Paint:
        r = self.rng
        lot = r.random()
        if lot < 0.2:  # like the board
            px = self.field.points_px[r.integers(len(self.field.points_px))] + r.normal(0, 12, 2)
            x, y = (int(np.clip(c, 0, s - 1)) for c, s in zip(px, self.bgr.shape[1::-1], strict=True))
            colour = self.bgr[y, x].astype(float) / self.lamp / self.level * np.exp(r.normal(0, 0.12))
        elif lot < 0.45:
            colour = NATURAL[r.integers(len(NATURAL))] * np.exp(r.normal(0, 0.15))
        elif lot < 0.55:
            colour = np.full(3, r.choice([14, 22, 30, 230, 250, 215])) * np.exp(r.normal(0, 0.04, 3))
        else:
            hsv = np.uint8([[[r.integers(180), r.integers(20, 256), r.integers(50, 256)]]])
            colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(float)
        natural = 0.2 <= lot < 0.45
        return Paint(
            np.clip(colour, 8, 255),
            r.uniform(0.02, 0.3 if natural else 0.12),
            r.uniform(0.2, 0.8) if r.random() < (0.4 if natural else 0.15) else 0.0,
            r.uniform(0.05, 0.3) if natural else r.uniform(0.02, 0.1),
            r.random() < 0.08,
            r.choice([0, 0, 0.15, 0.5]) * r.random(),
            self.radius * np.exp(r.normal(0, 0.08)),
            self.flat * np.exp(r.normal(0, 0.08)),
            r.random() < 0.04,
        )

    def drill(self) -> None:
        """Give every point a hole, a hollow, a printed disc or a ring, all alike, in this light."""
        r, u = self.rng, self.unit
        radius, deep, kind = (
            r.uniform(0.1, 0.34) * u,
            r.uniform(0.2, 1.3),
            str(r.choice(["hole", "hole", "disc", "ring"])),
        )
        tint, sharp = np.exp(r.normal(0, 0.15, 3)), r.uniform(0.5, 1.2)
        bright = -1 if kind != "hole" and r.random() < 0.3 else 1
        out = self.bgr.astype(np.float32)
        for px in self.field.points_px:
            spot = np.linalg.solve(self.field.image_from_board, [*px, 1])
            xy = spot[:2] / spot[2] + r.normal(0, 0.02, 2) * u
            window = self._window(
                np.array([[xy[0] + x * radius * 1.3, xy[1] + y * radius * 1.3, 0] for x in (-1, 1) for y in (-1, 1)]), 2
            )
            if window is None:
                continue
            ray = self._rays(window, 1)
            ground = self.eye + ray * (-self.eye[2] / ray[..., 2:])
            d = (ground[..., :2] - xy) / radius
            away = np.hypot(d[..., 0], d[..., 1])
            px_radius = max(1.0, 0.5 * float(np.sqrt(away.size)) / 1.3)
            inside = np.clip((1 - away) * px_radius * sharp + 0.5, 0, 1)
            if kind == "ring":
                inside = np.exp(-(((away - 0.85) * px_radius / 1.2) ** 2))
            dark = deep * inside
            if kind == "hole":
                dark = dark * np.clip(
                    1 + r.uniform(0.5, 0.9) * (d @ self.sun[:2]) / max(np.hypot(*self.sun[:2]), 0.1), 0.1, 2
                )
            else:
                dark = dark * 0.5 * bright
            out[window] *= np.exp(-dark)[..., None] * (1 + inside[..., None] * (tint - 1) * (kind != "hole"))
        self.bgr = np.clip(out, 0, 255).astype(np.uint8)

    def pebble(self, paint: Paint, xy: Float64Array, base: float) -> Pebble:
        """A pebble that stands at a place (board space) on a height (board space)."""
        r, u = self.rng, self.unit
        radius = paint.radius * u * np.exp(r.normal(0, 0.09))
        if paint.ball:
            half = np.full(3, radius * 0.9)
        else:
            half = radius * np.array([1, r.uniform(0.72, 1), paint.flat * np.exp(r.normal(0, 0.1))])
        k = 1 if paint.ball else 1 + int(r.integers(3))
        angle = r.uniform(0, np.pi)
        middles, shapes = [], []
        for _ in range(k):
            size = half * (np.exp(r.normal(0, 0.12, 3)) if k > 1 else 1)
            size = np.minimum(size, half * (1.05, 1.05, 1))
            a, lean = angle + r.normal(0, 0.3), r.normal(0, 0.1, 2)
            turn = np.array(
                [[np.cos(a), np.sin(a), lean[0]], [-np.sin(a), np.cos(a), lean[1]], [-lean[0], -lean[1], 1]]
            )
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
            shapes.append(np.diag(1 / size) @ turn)
            off = np.append(r.normal(0, 0.15, 2) * half[:2], 0) if k > 1 else np.zeros(3)
            middles.append(np.array([*xy, base + half[2]]) + off)
        noise = r.normal(0, 1, (24, 48)).astype(np.float32)
        texture = cv2.GaussianBlur(noise, (0, 0), r.uniform(0.8, 4))
        texture /= texture.std() + 1e-6
        if paint.speckle:
            dots = cv2.GaussianBlur((r.random((24, 48)) < 0.1).astype(np.float32), (0, 0), 0.5)
            texture = texture * 0.4 + dots * r.choice([-1, 1]) * 6 * paint.speckle
        return Pebble(
            np.array(middles),
            np.array(shapes),
            paint,
            float(np.exp(r.normal(0, paint.spread))),
            texture,
            base + 2 * half[2],
        )

    def project(self, xyz: Float64Array) -> Float64Array:
        """Picture places of points in board space."""
        p = (xyz @ self.axes.T + self.shift) @ self.camera.T
        return p[:, :2] / p[:, 2:]

    def lay(self, stacks: list[list[tuple[int, Float64Array]]]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """Lay stacks of (kind, place in board space); the picture, and which stone is seen at every pixel.

        Labels: 0 ground, ``name_of(i, depth)`` the stone of stack i on which ``depth`` others lie.
        """
        r = self.rng
        stones: list[tuple[Pebble, int]] = []
        for i, stack in enumerate(stacks):
            base = 0.0
            for level, (kind, xy) in enumerate(stack):
                stone = self.pebble(self.paints[kind], xy, base)
                base += (stone.top - base) * r.uniform(0.82, 0.97)
                stones.append((stone, name_of(i, len(stack) - 1 - level)))
        out, label = self.bgr.astype(np.float32), np.zeros(self.bgr.shape[:2], np.int32)
        depth = np.full(label.shape, np.inf)
        suns = [self.sun + r.normal(0, self.soft, 3) for _ in range(3)]
        suns = [s / np.linalg.norm(s) * np.sign(s[2]) for s in suns if abs(s[2]) > 0.2] or [self.sun]
        if self.bgr.size and r.random() < 0.93:
            self._shade_ground(out, stones, suns)
        for stone, name in stones:
            self._paint_stone(
                out,
                label,
                depth,
                stone,
                name,
                [
                    s
                    for s, _ in stones
                    if s is not stone and np.linalg.norm(s.middles[0] - stone.middles[0]) < 1.6 * self.unit
                ],
                suns,
            )
        return np.clip(out, 0, 255).astype(np.uint8), label

    def _window(self, xyz: Float64Array, room: float) -> tuple[slice, slice] | None:
        px = self.project(xyz)
        h, w = self.bgr.shape[:2]
        x0, y0 = np.maximum(np.floor(px.min(axis=0) - room), 0).astype(int)
        x1, y1 = np.minimum(np.ceil(px.max(axis=0) + room), (w, h)).astype(int)
        return (slice(y0, y1), slice(x0, x1)) if x1 > x0 + 1 and y1 > y0 + 1 else None

    def _rays(self, window: tuple[slice, slice], fine: int) -> Float64Array:
        ys = np.arange(window[0].start * fine, window[0].stop * fine) / fine + (0.5 / fine - 0.5)
        xs = np.arange(window[1].start * fine, window[1].stop * fine) / fine + (0.5 / fine - 0.5)
        grid = np.stack(np.meshgrid(xs, ys), axis=-1)
        return np.concatenate([grid, np.ones((*grid.shape[:2], 1))], axis=-1) @ self.back.T

    def _shadowed(self, places: Float64Array, others: list[Pebble], suns: list[Float64Array]) -> Float64Array:
        """Share of the suns that places (3, n) see past the stones, shape (n,)."""
        dark = np.zeros((len(suns), places.shape[1]), bool)
        for stone in others:
            for k in range(len(stone.middles)):
                o = stone.shapes[k].astype(np.float32) @ (places - stone.middles[k][:, None].astype(np.float32))
                c = o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - 1
                inside = c < -0.1
                for j, sun in enumerate(suns):
                    d = (stone.shapes[k] @ sun).astype(np.float32)
                    a, b = float(d @ d), d @ o
                    dark[j] |= ((b * b > a * c) & (b < 0) & (c > 0)) | inside
        return 1 - dark.mean(axis=0)

    def _shade_ground(self, out, stones, suns) -> None:
        h, w = out.shape[:2]
        shade = np.ones((h, w), np.float32)
        touch = np.zeros((h, w), np.float32)
        for stone, _ in stones:
            m = stone.middles[0]
            length = stone.top / max(self.sun[2], 0.35) + 0.45 * self.unit
            r = 0.5 * self.unit
            corners = np.array(
                [
                    [m[0] + sx * r + t * -self.sun[0] * length, m[1] + sy * r + t * -self.sun[1] * length, 0]
                    for sx in (-1, 1)
                    for sy in (-1, 1)
                    for t in (0, 1)
                ]
            )
            window = self._window(corners, 3)
            if window is None:
                continue
            ray = self._rays(window, 1)
            ground = self.eye + ray * (-self.eye[2] / ray[..., 2:])
            lit = self._shadowed(np.ascontiguousarray(ground.reshape(-1, 3).T, np.float32), [stone], suns).reshape(
                ground.shape[:2]
            )
            shade[window] = np.minimum(shade[window], lit.astype(np.float32))
            if m[2] < 0.5 * self.unit:
                d = (ground[..., :2] - m[:2]) / self.unit
                touch[window] = np.maximum(
                    touch[window], np.exp(-(d**2).sum(-1) / (2 * (0.8 * stone.paint.radius) ** 2)).astype(np.float32)
                )
        shade = cv2.GaussianBlur(shade, (0, 0), 0.8)
        factor = (1 - self.dark * (1 - shade)) ** 0.6 * (1 - 0.3 * touch)
        out *= factor[..., None] * (1 + (1 - factor[..., None]) * np.array([0.06, 0, -0.05], np.float32))

    def _paint_stone(self, out, label, depth, stone: Pebble, name: int, others: list[Pebble], suns) -> None:
        fine = 2
        reach = 1.3 * max(np.linalg.norm(np.linalg.inv(s), axis=0).max() for s in stone.shapes)
        m = stone.middles.mean(axis=0)
        corners = m + reach * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        window = self._window(corners, 2)
        if window is None:
            return
        ray = self._rays(window, fine)
        size = ray.shape[:2]
        ray = np.ascontiguousarray(ray.reshape(-1, 3).T, np.float32)
        best, which = self._met(stone, ray)
        hit = np.isfinite(best)
        if not hit.any():
            return
        colour = np.zeros((*size, 3))
        shade = self._lit(stone, ray[:, hit], best[hit], which[hit], others, suns)
        best, hit = best.reshape(size), hit.reshape(size)
        colour[hit] = shade.T
        far = np.where(hit, best, np.inf)
        sees = hit & (far < depth[window].repeat(fine, 0).repeat(fine, 1))

        def small(a):
            h, w = a.shape[:2]
            return a.reshape(h // fine, fine, w // fine, fine, *a.shape[2:]).mean((1, 3))

        cover = small(sees.astype(float))
        surface = small(np.where(sees[..., None], colour, 0))
        out[window] = out[window] * (1 - cover[..., None]) + np.minimum(surface, 255 * cover[..., None])
        solid = cover > 0.5
        label[window][solid] = name
        near = far.reshape(hit.shape[0] // fine, fine, hit.shape[1] // fine, fine).min((1, 3))
        depth[window] = np.where(solid, np.minimum(depth[window], near), depth[window])

    def _met(self, stone: Pebble, ray: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """How far along its ray (3, n) from the eye each meets the stone (inf: never), and which ellipsoid of it."""
        best, which = np.full(ray.shape[1], np.inf, np.float32), np.zeros(ray.shape[1], int)
        for k in range(len(stone.middles)):
            o = (stone.shapes[k] @ (self.eye - stone.middles[k])).astype(np.float64)
            d = stone.shapes[k] @ ray.astype(np.float64)
            a, b_, c = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], o @ d, o @ o - 1
            disc = b_ * b_ - a * c
            at = (-b_ - np.sqrt(np.maximum(disc, 0))) / a
            nearer = (disc > 0) & (at < best)
            best[nearer], which[nearer] = at[nearer], k
        return best, which

    def _lit(self, stone: Pebble, rays, near, which, others: list[Pebble], suns) -> Float64Array:
        """The BGR (3, n) of the stone where rays (3, n) meet it, ``near`` along them, on its ellipsoids ``which``."""
        place = self.eye[:, None] + rays * near
        normal, local = np.zeros(place.shape), np.zeros(place.shape)
        for k in range(len(stone.middles)):
            part = which == k
            here = stone.shapes[k] @ (place[:, part] - stone.middles[k][:, None])
            n = stone.shapes[k].T @ here
            normal[:, part], local[:, part] = n / (np.sqrt((n * n).sum(0)) + 1e-12), here
        lit = (
            self._shadowed((place + normal * 0.02 * self.unit).astype(np.float32), others, suns)
            if others
            else np.ones(len(near))
        )
        diffuse = np.clip(self.sun @ normal, 0, 1) * lit
        ambient = 0.55 + 0.45 * np.clip(normal[2], -0.5, 1)
        light = ambient * (1 - 0.75 * self.dark) + 1.15 * self.dark * diffuse
        iu = ((np.arctan2(local[1], local[0]) / (2 * np.pi) + 0.5) * 47).astype(int)
        iv = ((np.clip(local[2], -1, 1) * 0.5 + 0.5) * 23).astype(int)
        tone = stone.texture[iv, iu]
        albedo = np.tile((stone.paint.colour * stone.bright)[:, None], (1, len(near)))
        if stone.paint.half:
            side = np.array([0.62, 0.25, 0.74]) @ local + 0.15 * tone < 0
            albedo[:, side] = NATURAL[1][:, None]
        shade: Float64Array = (
            albedo
            * (self.lamp * self.level)[:, None]
            * (np.maximum(light, 0.03) ** 0.6 * np.exp(stone.paint.rough * tone))
        )
        if stone.paint.gloss:
            view = -rays / np.sqrt((rays * rays).sum(0)) + self.sun[:, None]
            view /= np.sqrt((view * view).sum(0))
            shade += 255 * stone.paint.gloss * 2 * np.clip((normal * view).sum(0), 0, 1) ** 40 * lit
        return shade


def name_of(stack: int, depth: int) -> int:
    """The label of the stone of a stack on which so many others lie."""
    return 1 + stack * MOST_STONES + depth


def random_stacks(table: Table, towers: bool) -> list[list[tuple[int, Float64Array]]]:
    """What lies on the points of the table, by point, the lowest stone first: kind and place in board space."""
    r, board, u = table.rng, table.field.board, table.unit
    share, n = r.choice([0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.65, 0.85]), len(table.paints)
    off, balance = table.off, r.dirichlet(np.full(n, 1.5))
    stacks: list[list[tuple[int, Float64Array]]] = []
    for i in range(len(board.points)):
        stack: list[tuple[int, Float64Array]] = []
        if r.random() < share:
            spot = np.linalg.solve(table.field.image_from_board, [*table.field.points_px[i], 1])
            way = r.normal(0, off, 2)
            way *= min(1, 0.36 / (np.linalg.norm(way) + 1e-9))
            xy = spot[:2] / spot[2] + way * u
            height = int(r.choice([1, 2, 3], p=[0.4, 0.25, 0.35])) if towers else 1
            for level in range(height):
                kind = int(r.choice(n, p=balance))
                if level and r.random() < 0.15:
                    kind = stack[-1][0]
                stack.append((kind, xy + (r.normal(0, 0.05, 2) * u if level else 0)))
        stacks.append(stack)
    return stacks
