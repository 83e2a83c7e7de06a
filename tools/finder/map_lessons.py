"""Draw the tables that teach the network of maps, each from several places, with everything that it shall see in them.

    python tools/finder/map_lessons.py LESSONS --tables 0 2000 [--grounds FOLDER_OF_PHOTOGRAPHS]
    python tools/finder/map_lessons.py LESSONS --stills FOLDER ...
    python tools/finder/map_lessons.py LESSONS --go FOLDER ...

Every table follows from its number alone. Its views go into LESSONS in files of 50 tables; files that are there are
kept, so that a run that was ended goes on. Photographs without a board lie under a part of the boards, or teach that
there is none. Rendered stills teach beside them (a picture and a JSON each; a list ``nodes_px``, where it has one,
says where the strokes meet).
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from referee.boards import BOARDS  # noqa: E402
from referee.layouts import moulin_rouge  # noqa: E402
from tests.synthetic import Cup, Hand, Placing, Scene, Surface, TableSpec, random_light, random_spec  # noqa: E402
from tests.synthetic.boardless import FURTHER, GRIDS, KINDS, boardless  # noqa: E402
from tests.synthetic.film import SKINS  # noqa: E402
from tests.synthetic.spec import WOODS, Light, Manner, Paint, half_shadow, lab_distance, window_bars  # noqa: E402
from tests.synthetic.truth import Stacks  # noqa: E402
from tests.synthetic.ways_to_draw import drawings_of, drawn_spec  # noqa: E402
from tools.readers.cut import read_scene  # noqa: E402
from vision.detection.templates import Template, TemplateKey, board_template  # noqa: E402
from vision.imaging.frame import Float64Array, Image  # noqa: E402
from vision.imaging.homography import apply_homography, fit_homography, spacings  # noqa: E402

SIZE_PX = (640, 360)
"""Width and height of a lesson's picture: what the network sees of it is smaller."""

TABLES_PER_FILE, VIEWS, STILLS_PER_FILE = 50, 3, 20

NODE_REACH = 0.3
"""How far from where it is looked for a joint of a rendered board lies at most, shares of the least spacing."""

BOARDLESS_SHARE, PHOTOGRAPH_SHARE = 0.2, 0.35
"""Shares of the numbers that have no board, and of the grounds and boardless pictures that are photographs."""

STONE, COVER, BOARD, UNKNOWN = 1, 2, 4, 8
"""Bits of a mask. Where it is unknown, nobody says what is a stone or a cover."""

STROKE_WIDTHS, MOST_OF_GAP = (0.003, 0.14), 0.45
"""Least and greatest width of a stroke, sides of the board, and the most of the distance of neighbouring joints."""

WIDE_STROKES, OUTLINES, EVEN = 0.6, 0.1, 0.2
"""Shares of the tables whose strokes are of any width, are drawn as outlines, and lie on even ground."""

AT_THE_RIM = 0.15
"""Share of the views that the board fills to the rim."""

GO_STONE, GO_MARGIN = 0.47, 0.6
"""Radius of a go stone, and the board beyond its outermost lines, cells."""

SEEN_STROKE = 0.15
"""Opacity from which a stroke is one."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A picture with its truth.

    Attributes:
        picture, mask: A JPEG, and a PNG of bits: stones and covers as far as they are seen, the board under all.
        name: Of the board and its drawing; empty where there is none.
        joints, points, holes: float32 arrays of shape (n, 2). Where strokes meet, turn or end, where stones stand and
            where the ground is bored, hidden or not; image space.
        strokes: float32 arrays of shape (k, 2). The middle of every link from joint to joint, hidden or not.
    """

    picture: bytes
    mask: bytes
    name: str
    joints: NDArray[np.float32]
    points: NDArray[np.float32]
    holes: NDArray[np.float32]
    strokes: tuple[NDArray[np.float32], ...]


def masked(scene: Scene, stacks: Stacks, placing: Placing, **how: Any) -> tuple[Image, NDArray[np.uint8]]:
    """A picture and its mask."""
    bgr, _, masks = scene.render_with_masks(stacks, bump=placing, **how)
    mask = np.zeros(bgr.shape[:2], np.uint8)
    mask[masks.stones[..., 0] > 127] = STONE
    mask[masks.covers > 127] = COVER
    board = np.zeros_like(mask)
    cv2.fillPoly(board, [np.round(np.clip(scene.rim_px(placing), -9999, 9999)).astype(np.int32)], BOARD)
    return bgr, mask | board


def spec_of(rng: np.random.Generator, boards: Sequence[str]) -> TableSpec:
    """A table with one of these boards, drawn in any way, in strokes of any width."""
    name = boards[int(rng.integers(len(boards)))]
    hardness = float(rng.uniform(0, 1))
    if name == "moulin_rouge":
        discs = ("grainy", "plain", "marked", "drawn", "drawn")[int(rng.integers(5))]
        board = moulin_rouge(int(rng.choice([6, 7, 8, 9, 10, 12])))
        spec = random_spec(rng, board, hardness=hardness, size_px=SIZE_PX, discs=discs)  # type: ignore[arg-type]
    else:
        board = BOARDS[name]
        ways = drawings_of(board)
        drawing = "plain" if rng.random() < 0.25 else ways[int(rng.integers(len(ways)))]
        spec = drawn_spec(rng, board, drawing, hardness=hardness, size_px=SIZE_PX)
        spec = _burnt(rng, spec) if rng.random() < 0.2 else spec
    if not board.rings:
        spec = _any_width(rng, spec)
        strokes = spec.strokes
        if rng.random() < 0.3:
            strokes = replace(strokes, opacity=float(rng.uniform(0.25, 1)))
        holes = 0.0
        if spec.manner is None and spec.drawing == "lines" and rng.random() < 0.25:
            holes = float(rng.uniform(0.008, 0.024))
            strokes = replace(strokes, opacity=float(rng.choice([0.0, 0.3, 1.0])))
        spec = replace(spec, strokes=strokes, holes=holes)
    if not board.rings and rng.random() < EVEN:
        spec = _on_even_ground(rng, spec)
    elif rng.random() < 0.15:
        spec = replace(spec, table=spec.cloth)
    if rng.random() < 0.2:
        spec = replace(spec, paints=(spec.paints[0], Paint(None, motley=bool(rng.random() < 0.5))))
    if rng.random() < 0.1:  # men of the board's own stuff
        spec = replace(spec, paints=(Paint(spec.cloth.colour), *spec.paints[1:]))
    return replace(
        spec,
        pieces="discs" if rng.random() < 0.25 else "pebbles",
        noise=1.0 if spec.noise else 0.0,
        jpeg_quality=None,
        distractors=int(rng.integers(0, 7)) if spec.noise else 0,
    )


def _any_width(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    """The board in strokes of any width, from a pencil's to a bar's, or in their outlines."""
    chance, (least, most) = rng.random(), STROKE_WIDTHS
    drawing = spec.board.drawing(spec.drawing)
    gap = 1 / 3 if spec.drawing in ("cells", "framed") else spec.board.least_gap
    most = min(most, MOST_OF_GAP * gap)
    width = float(np.exp(rng.uniform(np.log(least), np.log(most))))
    if chance < OUTLINES and len(drawing.strokes) and spec.manner is None:
        apart = float(np.exp(rng.uniform(np.log(0.02), np.log(most))))
        strokes = replace(spec.strokes, style="print", width=float(rng.uniform(0.003, 0.009)), wobble=0.0)
        return replace(spec, strokes=strokes, manner=Manner(double=apart))
    if chance < OUTLINES + WIDE_STROKES:
        style = spec.strokes.style
        if width > 0.03:
            style = ("paint", "print", "tape", "chalk")[int(rng.integers(4))]  # type: ignore[assignment]
        return replace(spec, strokes=replace(spec.strokes, width=width, style=style))
    return spec


def _on_even_ground(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    """The board on a sheet, a whiteboard or in a scan: no grain, no rim, and half of the time no noise."""
    white = rng.random() < 0.6
    grey = rng.uniform(200, 252) if white else rng.uniform(15, 245)
    ground = tuple(np.clip(grey + rng.normal(0, 3 if white else 25, 3), 3, 252).tolist())
    even = Surface(ground, ground, "plain", 0.1, 0.0)
    ink = tuple(rng.uniform(5, 250, 3).tolist())
    if lab_distance(ink, ground) < 30:
        ink = (25.0, 25.0, 25.0) if grey > 120 else (240.0, 240.0, 240.0)
    strokes = replace(spec.strokes, colour=ink, style="print" if rng.random() < 0.5 else "tape")
    table = even if rng.random() < 0.7 else spec.table
    return replace(spec, cloth=even, table=table, strokes=strokes, wrinkles=0.0, noise=float(rng.random() < 0.5))


def _burnt(rng: np.random.Generator, spec: TableSpec) -> TableSpec:
    """The board in wood, with thin lines burnt into it."""
    wood = np.array(WOODS[int(rng.integers(len(WOODS)))]) * rng.uniform(0.8, 1.25)
    b, g, r = np.clip(wood, 8, 250).tolist()
    b2, g2, r2 = (0.84 * wood).tolist()
    ink = tuple((wood * rng.uniform(0.2, 0.6)).tolist())
    grown = Surface((b, g, r), (b2, g2, r2), "wood", 0.1, float(rng.uniform(0.02, 0.1)))
    strokes = replace(spec.strokes, style="burnt", colour=ink, width=float(rng.uniform(0.003, 0.012)))  # type: ignore
    return replace(spec, cloth=grown, strokes=strokes, wrinkles=0.0)


def view_of(rng: np.random.Generator, even: bool = False) -> tuple[Placing, Light]:
    """From where the board is seen, whole or in part, and in which light; as a scan where all is even."""
    if even and rng.random() < 0.6:
        turn = float(rng.choice([0, 0, 90, 180]))
        flat = Placing(0.0, 0.0, turn, float(np.exp(rng.uniform(np.log(0.25), np.log(1.02)))))
        return flat, Light(gain=float(rng.uniform(0.8, 1.1)), softness=0.03, shadow=0.3)
    if rng.random() < AT_THE_RIM:
        close = Placing(
            float(rng.uniform(0, 15)), 0.0, float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 2)),
            float(rng.uniform(0.85, 1.2)), field_of_view_deg=float(rng.uniform(40, 75)),
        )  # fmt: skip
        return close, random_light(rng)
    fill = float(np.exp(rng.uniform(np.log(0.3), np.log(1.3)))) if rng.random() < 0.5 else float(rng.uniform(0.7, 1.05))
    placing = Placing(
        tilt_deg=float(rng.uniform(0, 68)),
        azimuth_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.normal(0, 6)),
        fill=fill,
        field_of_view_deg=float(rng.uniform(40, 75)),
        k1=float(rng.uniform(-0.15, 0.04)),
        aside=(float(rng.uniform(-0.25, 0.25)), float(rng.uniform(-0.15, 0.15))),
    )
    light = random_light(rng)
    if rng.random() < 0.25:
        bands = window_bars(rng) if rng.random() < 0.5 else half_shadow(rng)
        light = replace(
            light, bands=bands, softness=float(rng.uniform(0.004, 0.012)), shadow=float(rng.uniform(0.4, 0.7))
        )
    if rng.random() < 0.2:
        light = replace(light, gain=float(rng.uniform(0.3, 0.8)))
    return placing, light


def stacks_on(rng: np.random.Generator, spec: TableSpec) -> list[list[int]]:
    """Stones on a share of the points, in Trialectic on one another."""
    share = float(rng.uniform(0, 0.85)) if rng.random() < 0.8 else 0.0
    most = 3 if spec.board.name == "trialectic" else 1
    heights = (rng.random(len(spec.board.points)) < share) * rng.integers(1, most + 1, len(spec.board.points))
    return [rng.integers(0, len(spec.paints), height).tolist() for height in heights]


def made_joints(scene: Scene, template: Template) -> Float64Array:
    """Where the joints of a board as it was made lie, template space: those at a point moved with it."""
    ideal = np.array(scene.spec.board.xy)
    moved = (scene.cloth.points_xy - ideal) @ template.template_from_board[:2, :2].T
    at = apply_homography(template.template_from_board, ideal)
    apart = np.linalg.norm(template.joints[:, None] - at[None], axis=2)
    return template.joints + np.where(apart.min(1, keepdims=True) < 1e-6, moved[apart.argmin(1)], 0.0)


def truth_of(scene: Scene, placing: Placing, ring_steps: tuple[float, ...]) -> dict[str, object]:
    """Joints, points, holes and strokes of a view, as in ``Lesson``."""
    spec = scene.spec
    points = scene.points_px(bump=placing, ring_steps=ring_steps).astype(np.float32)
    bored = bool(spec.holes or spec.board.rings or (spec.manner and spec.manner.mark in ("hole", "cup")))
    nowhere = np.empty((0, 2), np.float32)
    truth: dict[str, object] = {"points": points, "holes": points if bored else nowhere}
    if spec.board.rings or spec.strokes.opacity < SEEN_STROKE:
        return truth | {"joints": nowhere, "strokes": ()}
    t = board_template(TemplateKey(spec.board, next(d for d in spec.board.drawings if d.name == spec.drawing)))
    board_from_template = np.linalg.inv(t.template_from_board)
    joints = made_joints(scene, t)
    off, (a, b), f = joints - t.joints, t.links[t.sample_links].T, t.sample_fractions[:, None]
    samples = t.sample_xy + (1 - f) * off[a] + f * off[b]
    joints_px, samples_px = (
        scene.seen(apply_homography(board_from_template, xy), placing).astype(np.float32) for xy in (joints, samples)
    )
    strokes = tuple(
        np.vstack([joints_px[i], samples_px[t.sample_links == link], joints_px[j]])
        for link, (i, j) in enumerate(t.links)
    )
    return truth | {"joints": joints_px, "strokes": strokes}


def lesson(bgr: Image, mask: NDArray[np.uint8], name: str, truth: dict[str, object]) -> Lesson:
    """A lesson, packed."""
    jpeg = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    return Lesson(jpeg, cv2.imencode(".png", mask)[1].tobytes(), name, **truth)  # type: ignore[arg-type]


def ground_of(rng: np.random.Generator, photographs: Sequence[Path]) -> Image:
    """A picture without a board."""
    if photographs and rng.random() < PHOTOGRAPH_SHARE:
        photograph = cv2.imread(str(photographs[int(rng.integers(len(photographs)))]))
        return np.asarray(cv2.resize(photograph, SIZE_PX, interpolation=cv2.INTER_AREA), np.uint8)
    kinds = list(KINDS | GRIDS | FURTHER)
    return boardless(rng, kinds[int(rng.integers(len(kinds)))], size_px=SIZE_PX)


def lessons_of(number: int, photographs: Sequence[Path] = (), boards: Sequence[str] = tuple(BOARDS)) -> list[Lesson]:
    """The views of one number's table, or pictures without a board."""
    rng = np.random.default_rng([number, 3902])
    nowhere = np.empty((0, 2), np.float32)
    if rng.random() < BOARDLESS_SHARE:
        truth: dict[str, object] = {"joints": nowhere, "points": nowhere, "holes": nowhere, "strokes": ()}
        bare = np.zeros(SIZE_PX[::-1], np.uint8)
        return [lesson(ground_of(rng, photographs), bare, "", truth) for _ in range(VIEWS)]
    spec = spec_of(rng, boards)
    scene = Scene(spec)
    if rng.random() < 0.35:
        scene.table = np.asarray(cv2.resize(ground_of(rng, photographs), scene.table.shape[1::-1]), np.uint8)
    out = []
    for _ in range(VIEWS):
        placing, light = view_of(rng, even=not spec.noise)
        steps = tuple(float(rng.integers(0, 5)) for _ in spec.board.rings)
        hand = cup = None
        if rng.random() < 0.2:
            skin, sleeve = SKINS[int(rng.integers(len(SKINS)))], tuple(rng.uniform(20, 220, 3).tolist())
            place = (float(rng.uniform(0, 1)), float(rng.uniform(0, 1)))
            hand = Hand(place, float(rng.uniform(0, 360)), skin=skin, sleeve=sleeve)  # type: ignore[arg-type]
        if rng.random() < 0.1:
            colour = tuple(rng.uniform(20, 230, 3).tolist())
            cup = Cup((float(rng.uniform(0, 1)), float(rng.uniform(0, 1))), colour=colour)  # type: ignore[arg-type]
        stacks = stacks_on(rng, spec)
        bgr, mask = masked(scene, stacks, placing, rng=rng, hand=hand, cup=cup, light=light, ring_steps=steps)
        out.append(lesson(bgr, mask, f"{spec.board.name} {spec.drawing}", truth_of(scene, placing, steps)))
    return out


def rendered_lesson(path: Path) -> Lesson:
    """The lesson of a rendered still with its truth."""
    label, still = json.loads(path.read_text()), read_scene(path)
    scale = SIZE_PX[0] / label["size"][0]
    bgr = np.asarray(cv2.resize(still.bgr, SIZE_PX, interpolation=cv2.INTER_AREA), np.uint8)
    mask = np.zeros(SIZE_PX[::-1], np.uint8)
    stone = mask.copy()
    for outlines, shape, bit in (([label["board_outline"]], mask, BOARD), (label["pebbles"], stone, STONE)):
        for outline in outlines:
            xy = scale * np.array(outline["outline"] if bit == STONE else outline, np.float64)
            cv2.fillPoly(shape, [np.round(xy).astype(np.int32)], bit)
    points, board = (scale * still.field.points_px).astype(np.float32), still.field.board
    nowhere = np.empty((0, 2), np.float32)
    if board.rings:
        return lesson(
            bgr, mask | stone, board.name, {"points": points, "holes": points, "joints": nowhere, "strokes": ()}
        )
    t = board_template(TemplateKey(board, board.drawings[0]))
    h = np.diag([scale, scale, 1]) @ still.field.image_from_board @ np.linalg.inv(t.template_from_board)
    at = apply_homography(h, t.joints)
    nodes = scale * np.array(label.get("nodes_px", still.field.points_px.tolist()))
    apart = np.linalg.norm(at[:, None] - nodes[None], axis=2)
    joints = np.where(apart.min(1, keepdims=True) < NODE_REACH * spacings(points).min(), nodes[apart.argmin(1)], at)
    off, (a, b), f = joints - at, t.links[t.sample_links].T, t.sample_fractions[:, None]
    samples = apply_homography(h, t.sample_xy) + (1 - f) * off[a] + f * off[b]
    strokes = tuple(
        np.vstack([joints[i], samples[t.sample_links == link], joints[j]]).astype(np.float32)
        for link, (i, j) in enumerate(t.links)
    )
    truth = {"points": points, "holes": nowhere, "joints": joints.astype(np.float32), "strokes": strokes}
    return lesson(bgr, mask | stone, f"{board.name} {still.field.drawing}", truth)


def go_lesson(path: Path) -> Lesson:
    """The lesson of a photographed go board: all crossings are joints and points, what is not labelled is unknown."""
    label = json.loads(path.read_text())
    bgr = np.asarray(cv2.imread(str(path.with_name(label["image"]))), np.uint8)
    rows, columns = label["grid"]["rows"], label["grid"]["cols"]
    ends = np.array([[0, 0], [columns - 1, 0], [columns - 1, rows - 1], [0, rows - 1]], np.float64)
    h = fit_homography(ends, np.array(label["corners_px"], np.float64))
    mask = np.full(bgr.shape[:2], UNKNOWN, np.uint8)
    rim = ends + GO_MARGIN * np.sign(ends - ends.mean(0))
    cv2.fillPoly(mask, [np.round(apply_homography(h, rim)).astype(np.int32)], BOARD)
    around = 2 * np.pi * np.arange(24) / 24
    disc = GO_STONE * np.column_stack([np.cos(around), np.sin(around)])
    for row, line in enumerate(label["stones"]):
        for column, what in enumerate(line):
            if what != ".":
                outline = np.round(apply_homography(h, disc + [column, row])).astype(np.int32)
                cv2.fillPoly(mask, [outline], BOARD | (UNKNOWN if what == "?" else STONE))
    crossings = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).astype(np.float64)
    joints = apply_homography(h, crossings.reshape(-1, 2)).astype(np.float32)
    grid = joints.reshape(rows, columns, 2)
    truth = {"points": joints, "joints": joints, "holes": joints[:0], "strokes": (*grid, *grid.transpose(1, 0, 2))}
    return lesson(bgr, mask, f"go {rows} {columns}", truth)


def main() -> None:
    """Draw and store."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("out", type=Path)
    ask.add_argument("--tables", nargs=2, type=int, default=(0, 0), metavar=("FIRST", "END"))
    ask.add_argument("--boards", nargs="+", default=list(BOARDS), help="boards of the tables, all unless named")
    ask.add_argument("--grounds", type=Path, help="folder of photographs without a board")
    ask.add_argument(
        "--go", type=Path, nargs="*", default=[], help="folders of photographed go boards with their truth"
    )
    ask.add_argument("--stills", type=Path, nargs="*", default=[], help="folders of rendered stills with their truth")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    photographs = sorted(given.grounds.glob("*.jpg"))[::2] if given.grounds else []  # the others judge
    files: dict[str, Iterator[Lesson]] = {}
    for first in range(*given.tables, TABLES_PER_FILE):
        numbers = range(first, min(first + TABLES_PER_FILE, given.tables[1]))
        files[f"tables_{first:06d}"] = (
            one for number in numbers for one in lessons_of(number, photographs, given.boards)
        )
    for kind, folders, read in (("stills", given.stills, rendered_lesson), ("go", given.go, go_lesson)):
        all_paths = [path for folder in folders for path in sorted(folder.glob("*.json"))]
        paths = [path for path in all_paths if kind != "go" or "grid" in json.loads(path.read_text())]
        for first in range(0, len(paths), STILLS_PER_FILE):
            files[f"{kind}_{first:06d}"] = map(read, paths[first : first + STILLS_PER_FILE])
    for name, lessons in files.items():
        path = given.out / f"{name}.pkl"
        if not path.exists():
            draft = path.with_suffix(".draft")
            draft.write_bytes(pickle.dumps(made := list(lessons)))
            draft.rename(path)
            print(f"{path.name}: {len(made)} lessons", flush=True)


if __name__ == "__main__":
    main()
