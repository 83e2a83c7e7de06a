"""What people add to the strokes of a board, and what they omit: see ``spec.Manner``. None of it moves a point."""

from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Circle
from tests.synthetic.spec import Manner, TableSpec
from tests.synthetic.surfaces import Float, clouds
from tests.synthetic.texels import PX_PER_SIDE, SIDE_PX, SUB, Array, spacings, subtexel, texel

Mask = NDArray[np.uint8]

MIDDLE = np.array([0.5, 0.5])
STITCH = 0.018  # sides from one stitch of a seam to the next
FREE_MIDDLE = 0.6  # share of the innermost figure that an ornament fills


def smallest_spacing(spec: TableSpec) -> float:
    """The smallest distance between two points of the board, sides."""
    return float(spacings(np.array(spec.board.xy)).min())


def ways_of_stroke(path: Array, manner: Manner | None) -> list[Array]:
    """The lines that stand for one stroke: itself, two beside each other, or dashes; each (n, 2), board space."""
    if manner is None:
        return [path]
    ways = [path]
    if manner.double:
        ahead = np.gradient(path, axis=0)
        ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
        aside = 0.5 * manner.double * np.column_stack([-ahead[:, 1], ahead[:, 0]])
        ways = [path + aside, path - aside]
    return [piece for way in ways for piece in _dashes(way, manner.dash)] if manner.dash else ways


def _dashes(path: Array, dash: float) -> list[Array]:
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    pieces = []
    for start in np.arange(0, length[-1], 2 * dash):
        at = np.linspace(start, min(start + dash, length[-1]), 8)
        pieces.append(np.stack([np.interp(at, length, path[:, axis]) for axis in (0, 1)], axis=1))
    return pieces


def leave_points_free(mask: Mask, spec: TableSpec, points_xy: Array) -> None:
    """Take away the strokes around each point of a board whose lines stop short of them."""
    if spec.manner is None or not spec.manner.short or spec.drawing in ("cells", "framed"):
        return
    radius = round(spec.manner.short * smallest_spacing(spec) * PX_PER_SIDE * SUB)
    for place in subtexel(points_xy):
        cv2.circle(mask, place.tolist(), radius, 0, -1, cv2.LINE_AA, 4)


def crumbled(rng: np.random.Generator) -> Float:
    """How much of a chalk stroke holds on rough stone, float32 (SIDE_PX, SIDE_PX)."""
    grain = clouds(rng, (SIDE_PX, SIDE_PX), 3) + 0.6 * clouds(rng, (SIDE_PX, SIDE_PX), 30)
    return cast(Float, np.clip(0.75 + 0.35 * grain, 0.1, 1).astype(np.float32))


def fill_fields(colour: Float, spec: TableSpec) -> Float:
    """The ground with every other field filled; float32 (SIDE_PX, SIDE_PX, 3)."""
    if spec.manner is None or spec.manner.fill is None:
        return colour
    share = spec.manner.fill_opacity * _every_other_field(spec).astype(np.float32)[..., None] / 255
    return cast(Float, colour * (1 - share) + np.array(spec.manner.fill, np.float32) * share)


def _every_other_field(spec: TableSpec) -> Mask:
    """Every other field of the drawing, 255."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    if spec.drawing in ("cells", "framed"):
        for k in range(0, 9, 2):
            low = np.array([k % 3, k // 3]) / 3
            cv2.fillPoly(mask, [subtexel(low + np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) / 3)], 255, cv2.LINE_AA, 4)
        return mask
    figures = _figures(spec)
    if len(figures) > 1:
        for k, figure in enumerate(figures):
            cv2.fillPoly(mask, [subtexel(figure)], 0 if k % 2 else 255, cv2.LINE_AA, 4)
        return mask
    rim = np.array([p for p in spec.board.xy if np.linalg.norm(np.array(p) - MIDDLE) > 0.1])
    rim = rim[np.argsort(np.arctan2(*(rim - MIDDLE).T))]
    for k in range(0, len(rim) - 1, 2):
        cv2.fillPoly(mask, [subtexel(np.array([MIDDLE, rim[k], rim[k + 1]]))], 255, cv2.LINE_AA, 4)
    return mask


def _figures(spec: TableSpec) -> list[Array]:
    """The corners of the nested figures on whose rims all points lie, outermost first; board space."""
    left = np.array(spec.board.xy, np.float32)
    figures = []
    while len(left) > 2:
        hull = cv2.convexHull(left)[:, 0]
        figures.append(hull.astype(np.float64))
        left = np.array([p for p in left if cv2.pointPolygonTest(hull, p.tolist(), measureDist=True) > 1e-3])
    return figures


def outline_of_drawing(spec: TableSpec, away: float) -> Array:
    """A closed line around the drawing, ``away`` (sides) outside it: (n, 2), board space."""
    if any(isinstance(s, Circle) and s.radius > 0.3 for s in spec.board.drawings[0].strokes) or spec.board.rings:
        around = np.linspace(0, 2 * np.pi, 121)
        return cast(Array, MIDDLE + (0.5 + away) * np.column_stack([np.sin(around), -np.cos(around)]))
    corners = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    if spec.drawing not in ("cells", "framed"):
        corners = _figures(spec)[0]
    middle = corners.mean(0)
    ways = np.roll(corners, -1, axis=0) - corners
    inner = np.abs(ways[:, 0] * (middle - corners)[:, 1] - ways[:, 1] * (middle - corners)[:, 0])
    inradius = float((inner / np.linalg.norm(ways, axis=1)).min())
    grown = middle + (corners - middle) * (1 + away / inradius)
    return np.vstack([grown, grown[:1]])


def reach_of_frames(spec: TableSpec) -> float:
    """How far from its middle the drawing with its frames and letters reaches, sides."""
    manner = spec.manner or Manner()
    away = max((0.0, *manner.frames)) + (0.1 if manner.rim_letters else 0.0)
    return float(np.linalg.norm(outline_of_drawing(spec, away) - MIDDLE, axis=1).max())


def adorn(colour: Float, spec: TableSpec, points_xy: Array, rim_xy: Array) -> Float:
    """Draw frames, marks, letters, ornament, seams and folds over the board.

    Args:
        colour: float32 array of shape (SIDE_PX, SIDE_PX, 3).
        points_xy, rim_xy: float64 arrays of shape (n, 2). Where the points and the rim of the board lie, board space.

    Returns:
        float32 array of shape (SIDE_PX, SIDE_PX, 3)
    """
    manner = spec.manner
    if manner is None:
        return colour
    rng = np.random.default_rng([spec.seed, 12])
    ink = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    thick = max(1, round(spec.strokes.width * PX_PER_SIDE))
    for away in manner.frames:
        cv2.polylines(ink, [subtexel(outline_of_drawing(spec, away))], False, 255, thick, cv2.LINE_AA, 4)
    if manner.rim_letters:
        _write_rim(ink, spec, rng)
    if manner.ornament is not None:
        _write_middle(ink, spec, thick)
    if manner.mark is not None and spec.drawing not in ("cells", "framed"):
        colour = _mark_points(colour, ink, spec, points_xy, thick)
    if spec.strokes.style == "chalk":
        ink = np.asarray(ink * crumbled(rng), dtype=np.uint8)
    share = ink.astype(np.float32)[..., None] / 255 * np.float32(spec.strokes.opacity)
    colour = cast(Float, colour * (1 - share) + np.array(spec.strokes.colour, np.float32) * share)
    if manner.stitched:
        colour = colour * _stitches(0.5 + 0.93 * (rim_xy - 0.5))
    return _creased(colour, manner, rng)


def _write_rim(ink: Mask, spec: TableSpec, rng: np.random.Generator) -> None:
    """Letters along the bottom and numbers along the left, as on a chess board."""
    size = float(rng.uniform(0.9, 1.4))
    away = 0.055 + max((0.0, *(spec.manner or Manner()).frames))
    columns = sorted({round(x, 3) for x, _ in spec.board.xy})
    rows = sorted({round(y, 3) for _, y in spec.board.xy}, reverse=True)
    for k, x in enumerate(columns):
        _write(ink, chr(ord("a") + k), np.array([x, 1 + away]), size)
    for k, y in enumerate(rows):
        _write(ink, str(k + 1), np.array([-away, y]), size)


def _write_middle(ink: Mask, spec: TableSpec, thick: int) -> None:
    """A rosette or a word in the innermost figure; in a board with a point there, a sign beside every point."""
    manner, figures = spec.manner or Manner(), _figures(spec)
    if len(figures) < 2:
        away = 0.3 * smallest_spacing(spec)
        for k, (x, y) in enumerate(spec.board.xy):
            _write(ink, str(k + 1), np.array([x - away, y - away]), 0.9)
        return
    inner = figures[-1]
    middle = inner.mean(0)
    reach = FREE_MIDDLE * float(np.linalg.norm((inner + np.roll(inner, -1, axis=0)) / 2 - middle, axis=1).min())
    if manner.ornament == "letters":
        _write(ink, "MILL", middle, 0.018 * reach * PX_PER_SIDE)
        return
    around = np.linspace(0, 2 * np.pi, 181)
    petals = np.abs(np.sin(3 * around)) * reach
    rosette = middle + petals[:, None] * np.column_stack([np.cos(around), np.sin(around)])
    cv2.polylines(ink, [subtexel(rosette)], True, 255, max(1, thick // 2), cv2.LINE_AA, 4)
    cv2.circle(ink, subtexel(middle).tolist(), round(reach * PX_PER_SIDE * SUB), 255, max(1, thick // 2), 16, 4)


def _write(ink: Mask, words: str, middle: Array, size: float) -> None:
    (width, height), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_DUPLEX, size, 2)
    column, row = np.round(texel(middle) + (-width / 2, height / 2)).astype(int)
    cv2.putText(ink, words, (int(column), int(row)), cv2.FONT_HERSHEY_DUPLEX, size, 255, 2, cv2.LINE_AA)


def _mark_points(colour: Float, ink: Mask, spec: TableSpec, points_xy: Array, thick: int) -> Float:
    """Put a mark of ink at every point, or bore a hole or a hollow into the board."""
    manner = spec.manner or Manner()
    radius = manner.mark_size * smallest_spacing(spec)
    if manner.mark in ("hole", "cup"):
        depth = np.zeros((SIDE_PX, SIDE_PX), np.float32)
        bored = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
        for place in subtexel(points_xy):
            cv2.circle(bored, place.tolist(), round(radius * PX_PER_SIDE * SUB), 255, -1, cv2.LINE_AA, 4)
        # A hole is dark to its rim; a hollow is dark on the side of the lamp and bright on the other.
        soft = radius * PX_PER_SIDE * (0.06 if manner.mark == "hole" else 0.3)
        inside = bored.astype(np.float32)[..., None] / 255
        depth = cv2.GaussianBlur(bored, (0, 0), max(0.8, soft)).astype(np.float32) / 255
        slope = np.gradient(depth)[1] * radius * PX_PER_SIDE
        dark = 0.6 if manner.mark == "hole" else 0.25
        light = 1 - dark * depth - (0.0 if manner.mark == "hole" else 0.35) * slope
        floor = 0.5 * cv2.GaussianBlur(colour, (0, 0), 4) + 0.5 * colour  # a bore takes the strokes' paint away
        return cast(Float, np.clip((colour * (1 - inside) + floor * inside) * light[..., None], 0, 255))
    for place in points_xy:
        if manner.mark in ("dot", "circle"):
            width = -1 if manner.mark == "dot" else thick
            cv2.circle(ink, subtexel(place).tolist(), round(radius * PX_PER_SIDE * SUB), 255, width, cv2.LINE_AA, 4)
        else:
            n = 4 if manner.mark == "square" else 3
            angle = 2 * np.pi * np.arange(n) / n + np.pi / n
            corners = place + radius * np.column_stack([np.sin(angle), np.cos(angle)])
            cv2.fillPoly(ink, [subtexel(corners)], 255, cv2.LINE_AA, 4)
    return colour


def _stitches(path: Array) -> Float:
    """How bright a seam along a closed path is, float32 (SIDE_PX, SIDE_PX, 1)."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for dash in _dashes(np.vstack([path, path[:1]]), STITCH / 2):
        cv2.polylines(mask, [subtexel(dash)], False, 255, 4, cv2.LINE_AA, 4)
    return cast(Float, (1 + 0.5 * mask.astype(np.float32) / 255)[..., None])


def _creased(colour: Float, manner: Manner, rng: np.random.Generator) -> Float:
    """A fold (one half a little darker, a soft crest), a seam (a dark line) or a hinge (through the middle points)."""
    if manner.crease is None:
        return colour
    hinged = manner.crease == "hinge"
    at, upright = 0.5 if hinged else float(rng.uniform(0.35, 0.65)), bool(rng.random() < 0.5)
    lean = 0.0 if hinged else float(rng.uniform(-0.02, 0.02))
    along = np.linspace(-0.5, 1.5, 3)
    line = np.column_stack([along, at + lean * (along - 0.5)])
    line = line[:, ::-1] if upright else line
    crest = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    if hinged:
        return _hinged(colour, line, rng)
    if manner.crease == "seam":
        cv2.polylines(crest, [subtexel(line)], False, 255, 4, cv2.LINE_AA, 4)
        return cast(Float, colour * (1 - 0.5 * crest.astype(np.float32)[..., None] / 255))
    cv2.polylines(crest, [subtexel(line)], False, 255, 10, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(crest, (0, 0), 4).astype(np.float32) / 255
    beyond = np.arange(SIDE_PX) > texel(np.array([at, at]))[0]
    half = np.where(beyond, np.float32(rng.uniform(0.85, 0.95)), np.float32(1.0)).astype(np.float32)
    shade = (half[None] if upright else half[:, None]) * (1 + np.float32(rng.choice([-0.25, 0.2])) * soft)
    return cast(Float, np.clip(colour * shade[..., None], 0, 255).astype(np.float32))


def _hinged(colour: Float, line: Array, rng: np.random.Generator) -> Float:
    """A strip of brass, steel or iron along a line, with the gap in its middle and the gaps between its knuckles."""
    metal = (np.array([[80, 150, 185], [150, 155, 160], [45, 45, 48]]) * rng.uniform(0.8, 1.2))[int(rng.integers(3))]
    wide = float(rng.uniform(0.012, 0.05))
    across = 0.5 * wide * (line[-1] - line[0])[::-1] / np.linalg.norm(line[-1] - line[0])
    knuckles = [
        np.stack([dash[0] - across, dash[0] + across]) for dash in _dashes(line, float(rng.uniform(0.02, 0.05)))
    ]
    for lines, thick, paint in ([line], round(wide * PX_PER_SIDE), metal), ([line, *knuckles], 2, 0.4 * metal):
        mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
        cv2.polylines(mask, [subtexel(one) for one in lines], False, 255, thick, cv2.LINE_AA, 4)
        share = mask.astype(np.float32)[..., None] / 255
        colour = cast(Float, colour * (1 - share) + paint.astype(np.float32) * share)
    return colour
