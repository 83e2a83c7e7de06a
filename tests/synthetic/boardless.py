"""Pictures without a mill board, of things that a finder might take for one: lines, grids, rings, holes and stones.

>>> import numpy as np
>>> picture = boardless(np.random.default_rng(3), "chess", size_px=(320, 240))
>>> picture.shape, picture.dtype
((240, 320, 3), dtype('uint8'))
"""

from collections.abc import Callable
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.spec import CLOTHS, PAINTS, TABLES, WOODS, Bgr, Pattern, Surface
from tests.synthetic.surfaces import clouds, paint_surface
from tests.synthetic.texels import compressed
from vision.imaging.frame import Image

SIDE_PX = 900
"""Side of the flat picture in which a thing is drawn."""

INK: tuple[Bgr, ...] = ((30, 30, 35), (120, 60, 30), (40, 40, 140), (60, 60, 60), (235, 235, 235))

Canvas = NDArray[np.uint8]
Draw = Callable[[np.random.Generator, Canvas], None]


def boardless(rng: np.random.Generator, kind: str, *, size_px: tuple[int, int] = (960, 540)) -> Image:
    """Draw one thing on a table, seen from anywhere in ordinary light.

    Args:
        rng: The only source of chance.
        kind: One of ``KINDS``, ``GRIDS`` or ``FURTHER``.
        size_px: Width and height of the picture.

    Returns:
        uint8 array of shape (H, W, 3). BGR.

    Raises:
        ValueError: When ``kind`` is none of them.
    """
    draw = (KINDS | GRIDS | FURTHER).get(kind)
    if draw is None:
        raise ValueError(f"kind must be one of {sorted(KINDS | GRIDS | FURTHER)}, got {kind!r}")
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
    return compressed(np.clip(seen, 0, 255).astype(np.uint8), 88)


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


# ------------------------------------------------------------------ further things


def _paint(rng: np.random.Generator) -> Bgr:
    return PAINTS[int(rng.integers(len(PAINTS)))]


def _carpet(rng: np.random.Generator, canvas: Canvas) -> None:
    """Borders with ornaments round a field with a medallion, fringes at two sides."""
    inset = int(rng.integers(20, 60))
    for x in range(inset, SIDE_PX - inset, 14):
        for y in (0, SIDE_PX - inset):
            cv2.line(canvas, (x, y), (x + int(rng.integers(-4, 5)), y + inset), (190, 215, 225), 3, cv2.LINE_AA)
    for _ in range(int(rng.integers(2, 5))):
        cv2.rectangle(canvas, (inset, inset), (SIDE_PX - inset, SIDE_PX - inset), _paint(rng), -1)
        cv2.rectangle(canvas, (inset, inset), (SIDE_PX - inset, SIDE_PX - inset), _ink(rng), int(rng.integers(3, 9)))
        wide, step = int(rng.integers(24, 70)), int(rng.integers(40, 90))
        ink, size = _ink(rng), wide // 4
        for at in range(inset + step // 2, SIDE_PX - inset, step):
            for x, y in ((at, inset + wide // 2), (at, SIDE_PX - inset - wide // 2)):
                for place in ((x, y), (y, x)):
                    diamond = np.array(place) + size * np.array([[-1, 0], [0, -1], [1, 0], [0, 1]])
                    cv2.fillPoly(canvas, [diamond.astype(np.int32)], ink, cv2.LINE_AA)
        inset += wide
    cv2.rectangle(canvas, (inset, inset), (SIDE_PX - inset, SIDE_PX - inset), _paint(rng), -1)
    sides, reach = int(rng.choice([4, 6, 8])), 0.9 * (SIDE_PX // 2 - inset)
    for share in np.linspace(1, 0.2, int(rng.integers(2, 5))):
        angle = 2 * np.pi * np.arange(sides) / sides
        corners = np.round(450 + share * reach * np.column_stack([np.cos(angle), np.sin(angle)])).astype(np.int32)
        cv2.fillPoly(canvas, [corners], _paint(rng), cv2.LINE_AA)
        cv2.polylines(canvas, [corners], True, _ink(rng), 5, cv2.LINE_AA)


def _panes(rng: np.random.Generator, canvas: Canvas) -> None:
    """A large window: two wings with many panes each, or one with a fanlight, with the sky behind it."""
    sky = np.linspace(0, 1, SIDE_PX, dtype=np.float32)[:, None, None]
    trees = (clouds(rng, (SIDE_PX, SIDE_PX), 60) > 1.5 - 3 * sky[..., 0])[..., None]
    canvas[:] = np.where(trees, (50, 90, 60), (250 - 30 * sky) * np.ones(3)).astype(np.uint8)
    bar, thin, thick = _ink(rng), int(rng.integers(8, 20)), int(rng.integers(24, 44))
    low, high = int(rng.integers(20, 80)), SIDE_PX - int(rng.integers(20, 80))
    columns, rows = 2 * int(rng.integers(2, 5)), int(rng.integers(4, 8))
    for k in range(columns + 1):
        x = low + (high - low) * k // columns
        cv2.line(canvas, (x, low), (x, high), bar, thick if k in (0, columns // 2, columns) else thin)
    for k in range(rows + 1):
        y = low + (high - low) * k // rows
        cv2.line(canvas, (low, y), (high, y), bar, thick if k in (0, 1, rows) and rng.random() < 0.6 else thin)


def _circuit(rng: np.random.Generator, canvas: Canvas) -> None:
    """Traces that bend by 45 degrees, vias, chips with their legs."""
    canvas[:] = ((40, 90, 30), (90, 50, 20), (35, 35, 35), (50, 60, 130))[int(rng.integers(4))]
    copper = np.clip(canvas[0, 0].astype(float) * 1.5 + 25, 0, 255).tolist()
    for _ in range(int(rng.integers(30, 70))):
        at, way = rng.integers(1, 44, 2) * 20, int(rng.integers(8))
        for _ in range(int(rng.integers(2, 6))):
            way = (way + int(rng.integers(-1, 2))) % 8
            turn = np.round([np.cos(way * np.pi / 4), np.sin(way * np.pi / 4)]).astype(int)
            to = np.clip(at + int(rng.integers(2, 10)) * 20 * turn, 20, 880)
            cv2.line(canvas, at.tolist(), to.tolist(), copper, 5, cv2.LINE_AA)
            at = to
        cv2.circle(canvas, at.tolist(), 11, (90, 190, 215), -1, cv2.LINE_AA)
        cv2.circle(canvas, at.tolist(), 5, (20, 20, 20), -1, cv2.LINE_AA)
    for _ in range(int(rng.integers(3, 9))):
        x, y, wide, high = (int(v) * 20 for v in rng.integers((3, 3, 3, 3), (34, 34, 10, 10)))
        for k in range(x, x + wide, 20):
            cv2.rectangle(canvas, (k + 4, y - 14), (k + 12, y + high + 14), (190, 195, 200), -1)
        cv2.rectangle(canvas, (x, y), (x + wide, y + high), (30, 30, 32), -1)
        cv2.putText(canvas, f"{rng.integers(1000, 9999)}", (x + 6, y + high // 2), 0, 0.7, (170, 170, 170), 2)


def _planner(rng: np.random.Generator, canvas: Canvas) -> None:
    """The months of a year in frames of their own, each with its days."""
    canvas[:] = 240
    columns, rows = ((4, 3), (3, 4), (6, 2))[int(rng.integers(3))]
    ink, wide, high = _ink(rng), 840 // columns, 760 // rows
    ink = ink if sum(ink) < 500 else (60, 60, 60)
    cv2.putText(canvas, str(rng.integers(2000, 2040)), (360, 70), 0, 2.2, ink, 5, cv2.LINE_AA)
    framed, days = rng.random() < 0.7, rng.random() < 0.5
    for i in range(columns):
        for j in range(rows):
            x, y = 30 + i * wide, 100 + j * high
            if framed:
                cv2.rectangle(canvas, (x + 8, y + 8), (x + wide - 8, y + high - 8), ink, 4)
                cv2.line(canvas, (x + 8, y + 44), (x + wide - 8, y + 44), ink, 3)
            for k in range(31):
                place = (x + 16 + (k % 7) * (wide - 30) // 7, y + 70 + (k // 7) * (high - 70) // 5)
                cv2.putText(canvas, str(k + 1), place, 0, wide / 520, (70, 60, 60), 1, cv2.LINE_AA)
                if days:
                    cv2.rectangle(canvas, (place[0] - 2, place[1] - 20), (place[0] + wide // 8, place[1] + 8), ink, 1)


def _laptop(rng: np.random.Generator, canvas: Canvas) -> None:
    """Keys in rows that are shifted, a long one below them, a pad in front."""
    canvas[:] = int(rng.choice([40, 70, 160, 205]))
    dark = rng.random() < 0.6
    cap, sign = ((35, 35, 35), (220, 220, 220)) if dark else ((235, 235, 235), (40, 40, 40))
    key, gap = 56, int(rng.integers(4, 14))
    for row, n in enumerate((14, 14, 13, 12)):
        for k in range(n):
            x, y = 40 + k * key + row * 14, 120 + row * key
            cv2.rectangle(canvas, (x, y), (x + key - gap, y + key - gap), cap, -1)
            cv2.putText(canvas, chr(33 + (11 * k + 17 * row) % 60), (x + 12, y + 32), 0, 0.8, sign, 2, cv2.LINE_AA)
    for x, wide in ((40, 60), (110, 60), (180, 60), (250, 320), (580, 60), (650, 60), (720, 100)):
        cv2.rectangle(canvas, (x, 120 + 4 * key), (x + wide, 120 + 5 * key - gap), cap, -1)
    cv2.rectangle(canvas, (300, 500), (620, 740), cap if rng.random() < 0.3 else sign, 4)
    cv2.line(canvas, (460, 680), (460, 740), sign, 3)


def _puzzle(rng: np.random.Generator, canvas: Canvas) -> None:
    """A crossword as papers print it: symmetric, numbered, some of it solved."""
    canvas[:] = 236
    n, margin = int(rng.choice([7, 9, 11, 13, 15])), int(rng.integers(30, 160))
    step = (SIDE_PX - 2 * margin) / n
    black = rng.random((n, n)) < rng.uniform(0.08, 0.22)
    black[1::2, 1::2] |= rng.random() < 0.4
    black |= black[::-1, ::-1]
    solved, number = rng.random() < 0.6, 0
    for i, j in np.ndindex(n, n):
        x, y = round(margin + step * i), round(margin + step * j)
        if black[j, i]:
            cv2.rectangle(canvas, (x, y), (round(x + step), round(y + step)), (25, 25, 25), -1)
            continue
        if rng.random() < 0.35:
            number += 1
            place = (x + 3, y + round(0.3 * step))
            cv2.putText(canvas, str(number), place, 0, step / 130, (40, 40, 40), 1, cv2.LINE_AA)
        if solved and rng.random() < 0.6:
            place = (x + round(0.25 * step), y + round(0.85 * step))
            cv2.putText(canvas, chr(int(rng.integers(65, 91))), place, 0, step / 42, (120, 60, 30), 2, cv2.LINE_AA)
    _grid(canvas, (n, n), (30, 30, 30), int(rng.integers(2, 5)), margin)


def _snakes_and_ladders(rng: np.random.Generator, canvas: Canvas) -> None:
    n, margin = int(rng.choice([8, 10, 10])), int(rng.integers(20, 80))
    step = (SIDE_PX - 2 * margin) / n
    colours = [_paint(rng) for _ in range(int(rng.integers(2, 5)))]
    for i, j in np.ndindex(n, n):
        low, high = (np.round(margin + step * (np.array([i, j]) + k)).astype(int).tolist() for k in (0, 1))
        cv2.rectangle(canvas, low, high, colours[(i + j) % len(colours)], -1)
        cv2.putText(canvas, str(n * j + i + 1), (low[0] + 6, high[1] - 8), 0, 0.7, (20, 20, 20), 2, cv2.LINE_AA)
    _grid(canvas, (n, n), (30, 30, 30), 3, margin)
    for _ in range(int(rng.integers(3, 7))):
        a, b = (margin + step * (rng.integers(0, n, 2) + 0.5) for _ in range(2))
        side = np.array([a[1] - b[1], b[0] - a[0]]) / max(float(np.linalg.norm(b - a)), 1.0) * 14
        for sign in (-1, 1):
            ends = [np.round(p + sign * side).astype(int).tolist() for p in (a, b)]
            cv2.line(canvas, ends[0], ends[1], (40, 70, 110), 7, cv2.LINE_AA)
        for t in np.linspace(0, 1, 12):
            ends = [np.round(a + t * (b - a) + sign * side).astype(int).tolist() for sign in (-1, 1)]
            cv2.line(canvas, ends[0], ends[1], (40, 70, 110), 5, cv2.LINE_AA)
    for _ in range(int(rng.integers(2, 6))):
        a, b = (margin + step * (rng.integers(0, n, 2) + 0.5) for _ in range(2))
        t = np.linspace(0, 1, 60)[:, None]
        wave = np.sin(3 * 2 * np.pi * t) * np.array([[b[1] - a[1], a[0] - b[0]]]) * 0.06
        cv2.polylines(canvas, [np.round(a + t * (b - a) + wave).astype(np.int32)], False, _paint(rng), 16, cv2.LINE_AA)


def _draughts(rng: np.random.Generator, canvas: Canvas) -> None:
    """Squares in two woods within a frame, stones on the dark ones as in a game."""
    n, margin = int(rng.choice([8, 8, 10, 12])), int(rng.integers(40, 110))
    step = (SIDE_PX - 2 * margin) / n
    dark = WOODS[int(rng.integers(len(WOODS)))]
    light = tuple(min(255.0, 1.7 * c + 20) for c in dark)
    for i, j in np.ndindex(n, n):
        low, high = (np.round(margin + step * (np.array([i, j]) + k)).astype(int).tolist() for k in (0, 1))
        cv2.rectangle(canvas, low, high, dark if (i + j) % 2 else light, -1)
    for inset in (margin, margin - 12, margin - 30)[: int(rng.integers(1, 4))]:
        cv2.rectangle(canvas, (inset, inset), (SIDE_PX - inset, SIDE_PX - inset), _ink(rng), 4)
    taken = rng.random((n, n)) < rng.uniform(0.1, 0.9)
    colours = [PAINTS[i] for i in rng.permutation(len(PAINTS))[:2]]
    for i, j in np.argwhere(taken):
        if (i + j) % 2 and (j < 3 or j >= n - 3 or rng.random() < 0.3):
            place = np.round(margin + step * (np.array([i, j]) + 0.5)).astype(int).tolist()
            cv2.circle(canvas, place, round(0.4 * step), colours[int(j > n / 2)], -1, cv2.LINE_AA)
            cv2.circle(canvas, place, round(0.28 * step), (30, 30, 30), 2, cv2.LINE_AA)


def _ludo_of_circles(rng: np.random.Generator, canvas: Canvas) -> None:
    """A cross of circles that lines join, four homes in the corners, men on some."""
    if rng.random() < 0.6:
        canvas[:] = (140, 215, 235)
    step, ink = 74, (30, 30, 30)
    colours = [PAINTS[i] for i in rng.permutation(len(PAINTS))[:4]]
    quarter = [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4), (4, 3), (4, 2), (4, 1), (4, 0), (5, 0)]
    track, homes = [], []
    for turn in range(4):
        for x, y in [*quarter, *[(5, k) for k in range(1, 5)], (0, 0), (1, 0), (0, 1), (1, 1)]:
            i, j = x - 5, y - 5
            for _ in range(turn):
                i, j = -j, i
            place = (450 + i * step, 450 + j * step)
            (track if (x, y) in quarter else homes).append((place, colours[turn]))
    if rng.random() < 0.7:
        cv2.polylines(canvas, [np.array([place for place, _ in track], np.int32)], True, ink, 4, cv2.LINE_AA)
    for k, (place, colour) in enumerate(track + homes):
        plain = k < len(track) and k % 10
        cv2.circle(canvas, place, 27, (240, 240, 240) if plain else colour, -1, cv2.LINE_AA)
        cv2.circle(canvas, place, 27, ink, 4, cv2.LINE_AA)
        if rng.random() < 0.2:
            cv2.circle(canvas, place, 19, colours[int(rng.integers(4))], -1, cv2.LINE_AA)


def _alquerque(rng: np.random.Generator, canvas: Canvas) -> None:
    """Five by five crossings with slanting lines, one such field or the cross of them on which foxes hunt geese."""
    ink, width, cross = _ink(rng), int(rng.integers(5, 13)), rng.random() < 0.4
    n, margin = (6, 60) if cross else (4, int(rng.integers(60, 140)))
    step = (SIDE_PX - 2 * margin) / n
    inside = {(i, j) for i in range(n + 1) for j in range(n + 1) if not cross or 2 <= i <= 4 or 2 <= j <= 4}
    for i, j in inside:
        slanting = [(1, 1), (-1, 1)] if (i + j) % 2 == 0 else []
        for di, dj in [(1, 0), (0, 1), *slanting]:
            whole = (i + di, j) in inside and (i, j + dj) in inside
            if (i + di, j + dj) in inside and whole:
                a, b = (np.round(margin + step * np.array(p)).astype(int).tolist() for p in ((i, j), (i + di, j + dj)))
                cv2.line(canvas, a, b, ink, width, cv2.LINE_AA)
    taken = sorted(p for p in inside if rng.random() < 0.3)
    places = [(round(margin + step * i), round(margin + step * j)) for i, j in taken] if rng.random() < 0.5 else []
    _stones(rng, canvas, places, round(0.3 * step))


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

FURTHER: dict[str, Draw] = {
    "carpet": _carpet, "panes": _panes, "circuit board": _circuit, "planner": _planner, "laptop": _laptop,
    "puzzle": _puzzle, "snakes and ladders": _snakes_and_ladders, "draughts": _draughts,
    "ludo of circles": _ludo_of_circles, "alquerque": _alquerque,
}  # fmt: skip
"""Things on which no confidence of the finder was fitted, by name."""

COUNTED = (*KINDS, *FURTHER)
"""The kinds of which the finder's mistakes are counted."""

ROUND = frozenset({"rings", "clock", "mugs", "dial", "pebbles", "bare"})
