"""Pictures without a mill board, of things that a finder might take for one: lines, grids, rings, holes and stones.

>>> import numpy as np
>>> picture = boardless(np.random.default_rng(3), "chess", size_px=(320, 240))
>>> picture.shape, picture.dtype
((240, 320, 3), dtype('uint8'))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.spec import CLOTHS, PAINTS, TABLES, WOODS, Bgr, Pattern, Surface
from tests.synthetic.surfaces import clouds, paint_surface
from vision.imaging.frame import Image

SIDE_PX = 900
"""Side of the flat picture in which a thing is drawn."""

INK: tuple[Bgr, ...] = ((30, 30, 35), (120, 60, 30), (40, 40, 140), (60, 60, 60), (235, 235, 235))

Canvas = NDArray[np.uint8]
Draw = Callable[[np.random.Generator, Canvas], None]


def boardless(rng: np.random.Generator, kind: str, *, size_px: tuple[int, int] = (960, 540)) -> Image:
    """Draw one thing on a table, seen from anywhere in ordinary light.

    Parameters
    ----------
    rng : numpy Generator
        The only source of chance.
    kind : str
        One of ``KINDS`` or ``GRIDS``.
    size_px : (int, int)
        Width and height of the picture.

    Returns
    -------
    uint8 array of shape (H, W, 3)
        BGR.

    Raises
    ------
    ValueError
        When ``kind`` is none of them.
    """
    draw = KINDS.get(kind) or GRIDS.get(kind)
    if draw is None:
        raise ValueError(f"kind must be one of {sorted((*KINDS, *GRIDS))}, got {kind!r}")
    table = _surface(rng, TABLES, ("wood", "plain", "speckle"), rng.uniform(150, 400))
    thing = _surface(rng, CLOTHS + WOODS, ("plain", "plain", "wood", "speckle"), rng.uniform(150, 400))
    draw(rng, thing)
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    if rng.random() < 0.3:  # it fills the picture, or goes on beyond it
        mask[:] = 255
        reach = rng.uniform(0.55, 0.9)
    elif kind in ROUND:
        cv2.circle(mask, (SIDE_PX // 2, SIDE_PX // 2), SIDE_PX // 2 - 4, 255, -1)
        reach = rng.uniform(0.3, 0.47)
    else:
        mask[4:-4, 4:-4] = 255
        reach = rng.uniform(0.3, 0.47)
    image_from_thing = _camera(rng, size_px, reach)
    flat = cv2.warpPerspective(table, _camera(rng, size_px, 1.3), size_px, borderMode=cv2.BORDER_REFLECT_101)
    border = cv2.BORDER_REPLICATE if mask.min() else cv2.BORDER_CONSTANT
    laid = cv2.warpPerspective(thing, image_from_thing, size_px, flags=cv2.INTER_AREA, borderMode=border)
    where = cv2.warpPerspective(mask, image_from_thing, size_px)[..., None].astype(np.float32) / 255
    return _sensed(rng, flat * (1 - where) + laid * where)


def _surface(rng: np.random.Generator, colours: tuple[Bgr, ...], patterns: tuple[Pattern, ...], px: float) -> Canvas:
    one, two = (colours[i] for i in rng.permutation(len(colours))[:2])
    pattern = patterns[int(rng.integers(len(patterns)))]
    second = (0.85 * one[0], 0.85 * one[1], 0.85 * one[2]) if pattern == "wood" else two
    surface = Surface(one, second, pattern, 0.15, float(rng.uniform(0.02, 0.07)))
    painted = paint_surface(rng, surface, SIDE_PX // 2, float(px) / 2).astype(np.uint8)
    return cast(Canvas, cv2.resize(painted, (SIDE_PX, SIDE_PX)))


def _camera(rng: np.random.Generator, size_px: tuple[int, int], reach: float) -> NDArray[np.float64]:
    """A thing turned and tilted by up to 60 degrees, ``reach`` of the picture's height from its middle to its side."""
    turn, tilt, spin = rng.uniform(0, 2 * np.pi), np.deg2rad(rng.uniform(0, 60)), rng.uniform(-0.2, 0.2)
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) @ _rotation(turn)
    depth = 3.2 + square[:, 1] * np.sin(tilt)
    seen = np.column_stack([square[:, 0], square[:, 1] * np.cos(tilt)]) / depth[:, None] * 3.2 @ _rotation(spin)
    middle = (np.array(size_px) - 1) / 2 + rng.uniform(-0.08, 0.08, 2) * size_px[1]
    corners = middle + seen * reach * size_px[1]
    source = np.array([[0, 0], [SIDE_PX, 0], [SIDE_PX, SIDE_PX], [0, SIDE_PX]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(source, corners.astype(np.float32)), dtype=np.float64)


def _rotation(angle: float) -> NDArray[np.float64]:
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def _sensed(rng: np.random.Generator, bright: NDArray[np.floating]) -> Image:
    """Light that falls unevenly, a lens that blurs a little, a sensor with noise, a JPEG."""
    height, width = bright.shape[:2]
    across, down = np.meshgrid(np.linspace(-0.5, 0.5, width), np.linspace(-0.5, 0.5, height))
    light = rng.uniform(0.7, 1.15) * (1 + rng.uniform(-0.3, 0.3) * across + rng.uniform(-0.3, 0.3) * down)
    seen = cv2.GaussianBlur(bright * light[..., None].astype(np.float32), (0, 0), float(rng.uniform(0.4, 1.2)))
    seen = seen + rng.normal(0, rng.uniform(1, 4), seen.shape)
    packed = cv2.imencode(".jpg", np.clip(seen, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
    return cast(Image, cv2.imdecode(packed, cv2.IMREAD_COLOR))


# ------------------------------------------------------------------ the things


def _ink(rng: np.random.Generator) -> Bgr:
    return INK[int(rng.integers(len(INK)))]


def _grid(canvas: Canvas, cells: tuple[int, int], ink: Bgr, width: int, margin: int) -> None:
    far = SIDE_PX - margin
    for k in range(cells[0] + 1):
        x = round(margin + (far - margin) * k / cells[0])
        cv2.line(canvas, (x, margin), (x, far), ink, width, cv2.LINE_AA)
    for k in range(cells[1] + 1):
        y = round(margin + (far - margin) * k / cells[1])
        cv2.line(canvas, (margin, y), (far, y), ink, width, cv2.LINE_AA)


def _stones(rng: np.random.Generator, canvas: Canvas, places: list[tuple[int, int]], radius: int) -> None:
    colours = [PAINTS[i] for i in rng.permutation(len(PAINTS))[:2]]
    for x, y in places:
        colour = colours[int(rng.integers(2))]
        cv2.circle(canvas, (x + radius // 5, y + radius // 4), radius, (25, 25, 25), -1, cv2.LINE_AA)
        cv2.circle(canvas, (x, y), radius, colour, -1, cv2.LINE_AA)


def _go(rng: np.random.Generator, canvas: Canvas) -> None:
    n, margin = int(rng.choice([9, 13, 19])), int(rng.integers(35, 80))
    _grid(canvas, (n - 1, n - 1), (30, 30, 35), int(rng.integers(2, 4)), margin)
    step = (SIDE_PX - 2 * margin) / (n - 1)
    taken = rng.random((n, n)) < rng.uniform(0, 0.4)
    places = [(round(margin + step * i), round(margin + step * j)) for i, j in np.argwhere(taken)]
    _stones(rng, canvas, places, round(0.45 * step))


def _chess(rng: np.random.Generator, canvas: Canvas) -> None:
    n, margin = int(rng.choice([8, 8, 10])), int(rng.integers(10, 90))
    side = (SIDE_PX - 2 * margin) / n
    dark = np.array(PAINTS[int(rng.integers(len(PAINTS)))], np.float32)
    for i in range(n):
        for j in range(n):
            if (i + j) % 2:
                x, y = round(margin + i * side), round(margin + j * side)
                part = canvas[y : round(y + side), x : round(x + side)]
                part[:] = (0.35 * part + 0.65 * dark).astype(np.uint8)
    cv2.rectangle(canvas, (margin, margin), (SIDE_PX - margin, SIDE_PX - margin), (30, 30, 35), 3, cv2.LINE_AA)
    taken = rng.random((n, n)) < rng.uniform(0, 0.4)
    places = [(round(margin + side * (i + 0.5)), round(margin + side * (j + 0.5))) for i, j in np.argwhere(taken)]
    _stones(rng, canvas, places, round(0.34 * side))


def _plaid(rng: np.random.Generator, canvas: Canvas) -> None:
    inks = [np.array(_ink(rng), np.float32) for _ in range(3)]
    period = int(rng.integers(90, 260))
    bands = [(int(rng.integers(0, period)), int(rng.integers(3, 26)), inks[k % 3]) for k in range(4)]
    for start in range(0, SIDE_PX, period):
        for offset, width, ink in bands:
            for part in (canvas[start + offset :][:width], canvas[:, start + offset :][:, :width]):
                part[:] = (0.5 * part + 0.5 * ink).astype(np.uint8)


def _tiles(rng: np.random.Generator, canvas: Canvas) -> None:
    side, joint = int(rng.integers(70, 230)), int(rng.integers(3, 9))
    bond = rng.random() < 0.4
    ink = _ink(rng)
    for row, y in enumerate(range(0, SIDE_PX, side)):
        cv2.line(canvas, (0, y), (SIDE_PX, y), ink, joint)
        for x in range(-side // 2 if bond and row % 2 else 0, SIDE_PX, side):
            cv2.line(canvas, (x, y), (x, y + side), ink, joint)
    if rng.random() < 0.4:
        canvas[:] = cv2.warpAffine(canvas, cv2.getRotationMatrix2D((450, 450), 45, 1.45), (SIDE_PX, SIDE_PX))


def _squared_paper(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = 235
    step = int(rng.integers(22, 60))
    for k in range(0, SIDE_PX, step):
        cv2.line(canvas, (k, 0), (k, SIDE_PX), (200, 170, 150), 1, cv2.LINE_AA)
        cv2.line(canvas, (0, k), (SIDE_PX, k), (200, 170, 150), 1, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 8))):
        a, b = rng.integers(100, 800, 2), rng.integers(100, 800, 2)
        cv2.line(canvas, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), _ink(rng), 3, cv2.LINE_AA)


def _writing(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = 232
    step, size = int(rng.integers(26, 60)), float(rng.uniform(0.6, 1.4))
    ruled = rng.random() < 0.5
    for y in range(60, SIDE_PX - 40, step):
        words = "".join(chr(int(c)) for c in rng.integers(97, 123, 60))
        words = " ".join(words[k : k + int(rng.integers(3, 8))] for k in range(0, 56, 6))
        cv2.putText(canvas, words[: round(36 / size)], (70, y), int(rng.choice([0, 3, 7])), size, (50, 40, 40), 2)
        if ruled:
            cv2.line(canvas, (40, y + 8), (860, y + 8), (190, 180, 160), 2, cv2.LINE_AA)


def _keyboard(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = rng.integers(30, 90)
    key = int(rng.integers(48, 70))
    for row in range(5):
        for k in range(16):
            x, y = 30 + k * key + row * key // 4, 300 + row * key
            cv2.rectangle(canvas, (x, y), (x + key - 8, y + key - 8), (215, 215, 215), -1)
            cv2.putText(canvas, chr(65 + (7 * k + row) % 26), (x + 8, y + 30), 0, 0.7, (40, 40, 40), 2)


def _shelf(rng: np.random.Generator, canvas: Canvas) -> None:
    n = int(rng.integers(2, 5))
    for k in range(n):
        low, high = SIDE_PX * k // n, SIDE_PX * (k + 1) // n
        cv2.rectangle(canvas, (0, high - 22), (SIDE_PX, high), (60, 90, 120), -1)
        x = 10
        while x < SIDE_PX - 60:
            width, height = int(rng.integers(16, 60)), int(rng.integers(60, 95)) * (high - low - 30) // 100
            colour = tuple(float(c) for c in rng.integers(20, 230, 3))
            cv2.rectangle(canvas, (x, high - 22 - height), (x + width, high - 22), colour, -1)
            cv2.rectangle(canvas, (x, high - 22 - height), (x + width, high - 22), (30, 30, 30), 2)
            x += width + int(rng.integers(1, 12))


def _room(rng: np.random.Generator, canvas: Canvas) -> None:
    cv2.rectangle(canvas, (0, 620), (SIDE_PX, SIDE_PX), (60, 90, 130), -1)
    cv2.line(canvas, (0, 620), (SIDE_PX, 620), (230, 230, 230), 9)
    x, y, side = (int(v) for v in rng.integers((60, 60, 200), (320, 180, 380)))
    panes = int(rng.choice([1, 4, 5]))  # 2 and 3 panes a side are what three in a row is played on
    cv2.rectangle(canvas, (x, y), (x + side, y + side), (240, 225, 200), -1)
    for k in range(panes + 1):
        at = side * k // panes
        cv2.line(canvas, (x + at, y), (x + at, y + side), (245, 245, 245), 10)
        cv2.line(canvas, (x, y + at), (x + side, y + at), (245, 245, 245), 10)
    for inset in (0, 18, 36)[: int(rng.integers(1, 4))]:  # a picture in its frame and mount
        cv2.rectangle(canvas, (640 + inset, 160 + inset), (830 - inset, 420 - inset), _ink(rng), 4)
    cv2.rectangle(canvas, (480, 330), (600, 620), (70, 110, 150), -1)


def _rings(rng: np.random.Generator, canvas: Canvas) -> None:
    for radius in np.sort(rng.integers(60, 430, int(rng.integers(2, 7))))[::-1]:
        if rng.random() < 0.4:
            cv2.circle(canvas, (450, 450), int(radius), _ink(rng), -1, cv2.LINE_AA)
        else:
            cv2.circle(canvas, (450, 450), int(radius), _ink(rng), int(rng.integers(3, 14)), cv2.LINE_AA)


def _clock(rng: np.random.Generator, canvas: Canvas) -> None:
    ink, n = _ink(rng), int(rng.choice([5, 6, 7, 10, 12]))
    inner = 0.0 if rng.random() < 0.5 else 0.8
    cv2.circle(canvas, (450, 450), 420, ink, int(rng.integers(4, 14)), cv2.LINE_AA)
    for k in range(n):
        way = np.array([np.sin(2 * np.pi * k / n), -np.cos(2 * np.pi * k / n)])
        a, b = np.round(450 + 420 * inner * way).astype(int), np.round(450 + 420 * way).astype(int)
        cv2.line(canvas, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), ink, 8, cv2.LINE_AA)


def _mugs(rng: np.random.Generator, canvas: Canvas) -> None:
    for _ in range(int(rng.integers(2, 7))):
        x, y, radius = (int(v) for v in rng.integers((120, 120, 60), (780, 780, 150)))
        cv2.circle(canvas, (x + 14, y + 20), radius, (30, 35, 40), -1, cv2.LINE_AA)
        for share in (1.0, 0.9, 0.62):
            cv2.circle(canvas, (x, y), round(share * radius), _ink(rng), -1, cv2.LINE_AA)


def _sudoku(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = 235
    _grid(canvas, (9, 9), (90, 90, 90), 2, 60)
    _grid(canvas, (3, 3), (30, 30, 30), 8, 60)
    for _ in range(int(rng.integers(15, 50))):
        i, j = (int(v) for v in rng.integers(0, 9, 2))
        cv2.putText(canvas, str(int(rng.integers(1, 10))), (85 + i * 87, 125 + j * 87), 0, 1.6, (40, 40, 40), 3)


def _calendar(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = 238
    _grid(canvas, (7, int(rng.integers(5, 7))), (110, 110, 110), 3, 70)
    for k in range(35):
        cv2.putText(canvas, str(k + 1), (80 + (k % 7) * 108, 120 + (k // 7) * 126), 0, 1.0, (50, 50, 50), 2)


def _stripes(rng: np.random.Generator, canvas: Canvas) -> None:
    period, width = int(rng.integers(24, 120)), float(rng.uniform(0.1, 0.6))
    ink = np.array(_ink(rng), np.float32)
    for k in range(0, SIDE_PX, period):
        part = canvas[k : k + max(2, round(width * period))]
        part[:] = (0.4 * part + 0.6 * ink).astype(np.uint8)


def _backgammon(rng: np.random.Generator, canvas: Canvas) -> None:
    inks = (_ink(rng), _ink(rng))
    for k in range(12):
        x = 40 + k * 68 + (20 if k > 5 else 0)
        for top, tip in ((40, 380), (860, 520)):
            corners = np.array([[x, top], [x + 62, top], [x + 31, tip]], np.int32)
            cv2.fillPoly(canvas, [corners], inks[k % 2], cv2.LINE_AA)
    cv2.rectangle(canvas, (36, 36), (864, 864), (30, 30, 30), 6)
    cv2.line(canvas, (450, 36), (450, 864), (30, 30, 30), 14)


def _pebbles(rng: np.random.Generator, canvas: Canvas) -> None:
    spots = rng.integers(120, 780, (int(rng.integers(5, 30)), 2))
    _stones(rng, canvas, [(int(x), int(y)) for x, y in spots], int(rng.integers(18, 40)))


def _sticks(rng: np.random.Generator, canvas: Canvas) -> None:
    for _ in range(int(rng.integers(6, 30))):
        a, way, length = rng.uniform(100, 800, 2), rng.uniform(0, np.pi), rng.uniform(100, 600)
        b = a + length * np.array([np.cos(way), np.sin(way)])
        ends = [(round(float(p[0])), round(float(p[1]))) for p in (a, b)]
        cv2.line(canvas, ends[0], ends[1], _ink(rng), int(rng.integers(3, 14)), cv2.LINE_AA)


def _dot_grid(rng: np.random.Generator, canvas: Canvas) -> None:
    n, radius = int(rng.integers(4, 13)), int(rng.integers(8, 26))
    step, ink = 800 / n, _ink(rng)
    for i in range(n):
        for j in range(n):
            place = (round(50 + step * (i + 0.5)), round(50 + step * (j + 0.5)))
            cv2.circle(canvas, place, radius, ink, -1, cv2.LINE_AA)


def _dial(rng: np.random.Generator, canvas: Canvas) -> None:
    n, ink = int(rng.integers(8, 13)), _ink(rng)  # one ring of holes: a telephone's dial, a colander, a wreath
    for k in range(n):
        way = np.array([np.sin(2 * np.pi * k / n), -np.cos(2 * np.pi * k / n)])
        place = np.round(450 + rng.uniform(330, 335) * way).astype(int)
        cv2.circle(canvas, (int(place[0]), int(place[1])), int(rng.integers(40, 46)), ink, -1, cv2.LINE_AA)
    cv2.circle(canvas, (450, 450), 160, _ink(rng), -1, cv2.LINE_AA)


def _pattern_of_tags(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = 240
    n = int(rng.integers(12, 26))
    bits = (rng.random((n, n)) < 0.5).astype(np.uint8) * 220 + 15
    canvas[75:825, 75:825] = cv2.resize(bits, (750, 750), interpolation=cv2.INTER_NEAREST)[..., None]


def _pitch(rng: np.random.Generator, canvas: Canvas) -> None:
    ink, width = (235.0, 235.0, 235.0), int(rng.integers(5, 10))
    canvas[:] = (60, 120, 50)
    cv2.rectangle(canvas, (60, 160), (840, 740), ink, width)
    cv2.line(canvas, (450, 160), (450, 740), ink, width)
    cv2.circle(canvas, (450, 450), 90, ink, width, cv2.LINE_AA)
    for x, depth in ((60, 140), (840, -140), (60, 60), (840, -60)):
        half = 170 if abs(depth) > 100 else 80
        cv2.rectangle(canvas, (x, 450 - half), (x + depth, 450 + half), ink, width)


def _desk(rng: np.random.Generator, canvas: Canvas) -> None:
    for _ in range(int(rng.integers(3, 9))):
        middle, size = rng.uniform(150, 750, 2), rng.uniform(60, 360, 2)
        turned = (float(middle[0]), float(middle[1])), (float(size[0]), float(size[1])), float(rng.uniform(0, 90))
        box = cv2.boxPoints(turned)
        colour = tuple(float(c) for c in rng.integers(20, 245, 3))
        cv2.fillPoly(canvas, [np.round(box).astype(np.int32)], colour, cv2.LINE_AA)
        cv2.polylines(canvas, [np.round(box).astype(np.int32)], True, (40, 40, 40), 3, cv2.LINE_AA)


def _rug(rng: np.random.Generator, canvas: Canvas) -> None:
    """Frames in frames: no strokes join them, and there are too many or too few."""
    inset, ink = int(rng.integers(10, 40)), _ink(rng)
    for _ in range(int(rng.integers(4, 9))):
        cv2.rectangle(canvas, (inset, inset), (SIDE_PX - inset, SIDE_PX - inset), ink, int(rng.integers(3, 12)))
        inset += int(rng.integers(16, 48))


def _blots(rng: np.random.Generator, canvas: Canvas) -> None:
    amount = np.clip(clouds(rng, (SIDE_PX, SIDE_PX), float(rng.uniform(8, 120))), -2, 2)[..., None] * 0.25
    canvas[:] = np.clip(canvas * (1 + amount), 0, 255).astype(np.uint8)


def _noise(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = rng.integers(0, 255, canvas.shape, dtype=np.uint8)


def _bare(rng: np.random.Generator, canvas: Canvas) -> None:
    """Nothing at all on the cloth."""


def _crossword(rng: np.random.Generator, canvas: Canvas) -> None:
    canvas[:] = 238
    n, margin = int(rng.integers(5, 16)), int(rng.integers(40, 200))
    step = (SIDE_PX - 2 * margin) / n
    for i, j in np.argwhere(rng.random((n, n)) < rng.uniform(0.1, 0.3)):
        low, high = (np.round(margin + step * (np.array([i, j]) + k)).astype(int).tolist() for k in (0, 1))
        cv2.rectangle(canvas, low, high, (25, 25, 25), -1)
    _grid(canvas, (n, n), (30, 30, 30), int(rng.integers(2, 6)), margin)


def _window(rng: np.random.Generator, canvas: Canvas) -> None:
    """Panes with sky and trees behind them; neither 2 by 2 nor 3 by 3, which three in a row is played on."""
    sky = np.linspace(0, 1, SIDE_PX, dtype=np.float32)[:, None, None]
    trees = (clouds(rng, (SIDE_PX, SIDE_PX), 60) > 2 - 4 * sky[..., 0])[..., None]
    canvas[:] = np.where(trees, (40, 80, 50), (250 - 20 * sky) * np.ones(3)).astype(np.uint8)
    cells = ((1, 2), (2, 3), (3, 2), (3, 4), (4, 3), (2, 4), (4, 4), (1, 3))[int(rng.integers(8))]
    bar = INK[int(rng.integers(len(INK)))]
    _grid(canvas, cells, bar, int(rng.integers(10, 34)), int(rng.integers(30, 160)))


def _table(rng: np.random.Generator, canvas: Canvas) -> None:
    """Rows and columns with words: a time table, a form, a ledger."""
    canvas[:] = 238
    cells = (int(rng.integers(2, 7)), int(rng.integers(4, 9)))
    margin = int(rng.integers(50, 160))
    _grid(canvas, cells, _ink(rng), int(rng.integers(2, 6)), margin)
    wide, high = ((SIDE_PX - 2 * margin) // n for n in cells)
    for i in range(cells[0]):
        for j in range(cells[1]):
            words = "".join(chr(int(c)) for c in rng.integers(97, 123, int(rng.integers(0, 7))))
            place = (margin + i * wide + 10, margin + j * high + high // 2 + 8)
            cv2.putText(canvas, words, place, cv2.FONT_HERSHEY_SIMPLEX, wide / 180, (50, 45, 45), 2, cv2.LINE_AA)


def _keypad(rng: np.random.Generator, canvas: Canvas) -> None:
    """Three keys beside each other and four below: a telephone, a lock, a calculator."""
    canvas[:] = int(rng.integers(25, 110))
    columns, rows = 3, int(rng.choice([4, 4, 5]))
    side, gap = 800 // (rows + 1), int(rng.integers(6, 40))
    ink = _ink(rng)
    for i in range(columns):
        for j in range(rows):
            x, y = 450 + (i - columns // 2) * side - side // 2, 60 + j * side
            cv2.rectangle(canvas, (x, y), (x + side - gap, y + side - gap), ink, -1 if gap > 15 else 4)
            cv2.putText(canvas, str(3 * j + i + 1), (x + side // 4, y + side // 2), 0, 1.6, (128, 128, 128), 3)


def _ludo(rng: np.random.Generator, canvas: Canvas) -> None:
    """A cross of cells with coloured corners in a frame."""
    canvas[:] = 235
    step = 780 // 15
    for k in range(16):
        at, low, high = 60 + k * step, 60 + 6 * step, 60 + 9 * step
        cv2.line(canvas, (at, low), (at, high), (40, 40, 40), 3, cv2.LINE_AA)
        cv2.line(canvas, (low, at), (high, at), (40, 40, 40), 3, cv2.LINE_AA)
    for k in range(4):
        at = 60 + 6 * step + k * step
        cv2.line(canvas, (at, 60), (at, 60 + 15 * step), (40, 40, 40), 3, cv2.LINE_AA)
        cv2.line(canvas, (60, at), (60 + 15 * step, at), (40, 40, 40), 3, cv2.LINE_AA)
    for i, j in ((0, 0), (0, 9), (9, 0), (9, 9)):
        low, high = (60 + i * step, 60 + j * step), (60 + (i + 6) * step, 60 + (j + 6) * step)
        cv2.rectangle(canvas, low, high, PAINTS[int(rng.integers(len(PAINTS)))], -1)
        cv2.rectangle(canvas, low, high, (40, 40, 40), 3)


KINDS: dict[str, Draw] = {
    "go": _go, "chess": _chess, "plaid": _plaid, "tiles": _tiles, "squared paper": _squared_paper,
    "writing": _writing, "keyboard": _keyboard, "shelf": _shelf, "room": _room, "rings": _rings, "clock": _clock,
    "mugs": _mugs, "sudoku": _sudoku, "calendar": _calendar, "stripes": _stripes, "backgammon": _backgammon,
    "pebbles": _pebbles, "sticks": _sticks, "dot grid": _dot_grid, "dial": _dial, "tags": _pattern_of_tags,
    "pitch": _pitch, "desk": _desk, "rug": _rug, "blots": _blots, "noise": _noise, "bare": _bare,
}  # fmt: skip
"""What can be drawn, by name."""

GRIDS: dict[str, Draw] = {
    "crossword": _crossword, "window": _window, "table": _table, "keypad": _keypad, "ludo": _ludo,
}  # fmt: skip
"""Grids that are closed all round, as a framed board is: by name, beside ``KINDS``, from which older sets are drawn."""

ROUND = frozenset({"rings", "clock", "mugs", "dial", "pebbles", "bare"})
