"""Boards found by geometry on the network's maps, measured beside the search that ships: found, kind, error, seconds.

    python tools/finder/map_search.py MADE/board_maps.npz --drawn 700000 700050 [--stills FOLDER ...] [--only-maps]

The first look shows where a board is, the second one that part of the picture as large as the network sees it. Peaks of
the second look take the place of blobs (``vision.detection.hole_layout``): each drawing has one best pose on them. The
drawing whose strokes, joints and points are those of the maps is the board. Pictures are those of ``drawn_cases.case``
by number, and those of folders with the places of their points beside them (``NAME.json``).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from board_maps import SEEN_PX, Array, BoardMaps, letterbox, maps_of, use_weights  # noqa: E402
from drawn_cases import case, errors, is_right  # noqa: E402
from map_report import read_stills  # noqa: E402

from referee.board import Board  # noqa: E402
from referee.boards import COMMON_BOARDS, HOLE_COUNTS  # noqa: E402
from vision.detection import hole_layout  # noqa: E402
from vision.detection.board_hypotheses import PlacedBoard, hypothesis_registration  # noqa: E402
from vision.detection.detect import locate  # noqa: E402
from vision.detection.disc_detection import DetectedDiscs, detect_discs, disc_registration  # noqa: E402
from vision.detection.hole_layout import BlobPattern, Blobs, HoleLayout  # noqa: E402
from vision.detection.line_boards import distinct_templates  # noqa: E402
from vision.detection.playing_areas import PlayingArea, _ellipse_from_moments  # noqa: E402
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, unit_from_patch  # noqa: E402
from vision.detection.templates import Template  # noqa: E402
from vision.imaging.field import NotRegistered, Registration  # noqa: E402
from vision.imaging.frame import Float64Array, Image  # noqa: E402
from vision.imaging.homography import apply_homography, spacings  # noqa: E402

SEEN, MARGIN, ENLARGED = 0.3, 0.12, 2.0
"""Heat from which something of a board is seen; room round it in the second look; how far that enlarges at most."""

APART, RADIUS, MOST_PEAKS = 0.045, 0.037, 40
"""Least distance of two peaks, and radius of the blobs that stand for them, in sizes of what is seen; their number."""

LEAST_PEAK = 0.2
"""Probability from which a peak counts for a pose."""

SPOT_PX = 3.3
"""Standard deviation of the spot on a hole that ``detect_discs`` expects, px of its patch."""

LEAST_SCORE = 0.5
"""Score from which a pose is a board."""


def second_look(maps: BoardMaps, bgr: Image) -> Float64Array | None:
    """Seen from the picture where most of a board is seen; None where nothing is."""
    heat = np.maximum(np.maximum(maps["strokes"], maps["joints"]), maps["points"])
    seen = (heat > SEEN).astype(np.uint8)
    n, labels = cv2.connectedComponents(cv2.dilate(seen, np.ones((13, 13), np.uint8)))
    mass = np.bincount(labels.ravel(), (heat * seen).ravel(), n)
    mass[0] = 0
    best = int(mass.argmax())
    if mass[best] < 5:
        return None
    rows, columns = np.nonzero((labels == best) & (seen > 0))
    rim = np.array([(x, y) for x in (columns.min(), columns.max()) for y in (rows.min(), rows.max())], np.float64)
    at = apply_homography(maps.image_from_map, rim)
    low, size = at.min(0), np.ptp(at, axis=0)
    low, size = low - MARGIN * size.max(), size + 2 * MARGIN * size.max()
    scale = min(ENLARGED, *(np.array(SEEN_PX) / size))
    if scale < 1.15 * letterbox((bgr.shape[1], bgr.shape[0]))[0, 0]:
        return letterbox((bgr.shape[1], bgr.shape[0]))
    shift = (np.array(SEEN_PX) - 1) / 2 - scale * (low + size / 2)
    return np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1.0]])


def layouts_on(xy_px: Float64Array, value: Float64Array, templates: Sequence[Template]) -> list[HoleLayout]:
    """The best pose of each drawing on peaks (n, 2), image space; none where there are few."""
    if len(xy_px) < 7:
        return []
    size = 1.1 * float(np.ptp(np.percentile(xy_px, (5, 95), axis=0), axis=0).max())
    left, kept = np.ones(len(xy_px), np.bool_), list[int]()
    for i in np.argsort(-value, kind="stable"):
        if left[i] and len(kept) < MOST_PEAKS:
            kept.append(int(i))
            left &= np.linalg.norm(xy_px - xy_px[i], axis=1) > APART * size
    blobs = Blobs(xy_px[kept], np.full(len(kept), RADIUS * size), value[kept])
    pairs = BlobPattern(blobs)._pairs
    if pairs is None:
        return []
    distance = hole_layout._DistanceMap(blobs)
    found = [hole_layout._best_layout(blobs, pairs, distance, t) for t in templates]
    return [one for one in found if one is not None]


def at_places(heat: Array, xy: Float64Array, reach: int) -> NDArray[np.float32]:
    """The largest value of a map within some pixels of places (n, 2); 0 outside."""
    wide = cv2.dilate(heat, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
    x, y = xy.astype(np.float32).T
    return np.asarray(cv2.remap(wide, x[:, None], y[:, None], cv2.INTER_LINEAR)[:, 0], np.float32)


def features(maps: BoardMaps, layout: HoleLayout) -> dict[str, float]:
    """How well a pose and the maps agree.

    ``strokes`` and ``spots``: how warm the maps are where the drawing has strokes, and joints or points. ``own``: which
    share of the strokes' warmth lies on the drawing. ``stray``: peaks that it does not have, by joint.
    """
    t, map_from_image = layout.template, np.linalg.inv(maps.image_from_map)
    lines, cells = maps["strokes"], t.drawing != "lines"
    to_map = map_from_image @ layout.image_from_template
    samples, joints = (apply_homography(to_map, xy) for xy in (t.sample_xy, t.joints))
    points = apply_homography(map_from_image, t.points_from_joints @ layout.joints_px)
    size = np.array(lines.shape[::-1])
    here = ((samples > 0) & (samples < size - 1)).all(1)
    on = ((joints > 0) & (joints < size - 1)).all(1)
    if here.sum() < 10 or on.sum() < 4:
        return {"strokes": 0.0, "spots": 0.0, "own": 0.0, "stray": 1.0}
    drawn = np.zeros(lines.shape, np.uint8)
    for link, (i, j) in enumerate(t.links):
        ends = apply_homography(map_from_image, layout.joints_px[[i, j]])
        way = np.vstack([ends[:1], samples[t.sample_links == link], ends[1:]])
        cv2.polylines(drawn, [np.round(np.clip(way, -999, 9999) * 16).astype(np.int32)], False, 1, 4, cv2.LINE_8, 4)
    spots = at_places(maps["joints"] if cells else np.maximum(maps["joints"], maps["points"]), joints[on], 1)
    if cells:
        spots = np.concatenate([spots, at_places(maps["points"], points, 1)])
    told = np.vstack([apply_homography(map_from_image, maps.peaks(name)[0]) for name in ("joints", "points")])
    known = np.vstack([joints, points])
    near = 0.3 * float(np.median(spacings(joints)))
    stray = (np.linalg.norm(told[:, None] - known[None], axis=2).min(1) > near).sum()
    return {
        "strokes": float(np.minimum(at_places(lines, samples[here], 1) / 0.5, 1).mean()),
        "spots": float(np.minimum(spots / 0.5, 1).mean()),
        "own": float((lines * drawn).sum() / (lines.sum() + 1e-6)),
        "stray": float(stray) / len(joints),
    }


def score_of(seen: dict[str, float], *, has_strokes: bool) -> float:
    """From 0 to 1, how much a pose is a board."""
    if has_strokes:
        return seen["strokes"] * seen["own"] * min(1.0, seen["spots"] / 0.5)
    return seen["spots"] - seen["stray"]


def discs_on(maps: BoardMaps, bgr: Image) -> DetectedDiscs | None:
    """Three rings of holes on the board."""
    contours, _ = cv2.findContours((maps["board"] > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=cv2.contourArea, default=None)
    if largest is None or cv2.contourArea(largest) < 100:
        return None
    m = cv2.moments(cv2.convexHull(largest))
    moments = np.array([m["m10"] / m["m00"], m["m01"] / m["m00"], *(m[k] / m["m00"] for k in ("mu20", "mu11", "mu02"))])
    area = PlayingArea(maps.image_from_map @ _ellipse_from_moments(moments, 1.0), 1.0)
    holes, sure = maps.peaks("holes", LEAST_PEAK)
    if len(holes) < 2 * HOLE_COUNTS.start:
        return None
    at = apply_homography(np.linalg.inv(area.image_from_unit @ unit_from_patch()), holes)
    along = np.arange(BOARD_PATCH_SIDE_PX)
    across = [np.exp(-((along[None] - at[:, k, None]) ** 2) / (2 * SPOT_PX**2)) for k in (0, 1)]
    heat = (across[1][:, :, None] * across[0][:, None] * np.minimum(sure / 0.5, 1)[:, None, None]).max(0)
    found = detect_discs(bgr, area, heat=np.asarray(heat, np.float32))
    return found[0] if found else None


@dataclass(frozen=True, eq=False)
class Found:
    """What is found in a picture: an answer, its score, and the seconds of each part."""

    answer: Registration | NotRegistered
    score: float
    spent: dict[str, float]


def search_maps(bgr: Image) -> Found:
    """Find a board by two looks of the network."""
    spent, start = {}, time.process_time()

    def lap(part: str) -> None:
        nonlocal start
        spent[part] = time.process_time() - start
        start = time.process_time()

    maps = maps_of(bgr)
    closer = second_look(maps, bgr)
    if closer is None:
        return Found(NotRegistered("nothing is seen"), 0.0, spent)
    maps = maps_of(bgr, closer)
    lap("looks")
    templates = distinct_templates(tuple(COMMON_BOARDS.values()))
    best: tuple[float, HoleLayout] | None = None
    for name in ("joints", "points"):
        some = templates if name == "joints" else [t for t in templates if t.drawing == "lines"]
        for layout in layouts_on(*maps.peaks(name, LEAST_PEAK), some):
            score = score_of(features(maps, layout), has_strokes=bool(maps["strokes"].max() > 0.5))
            if best is None or score > best[0]:
                best = score, layout
    lap("poses")
    if best is not None and best[0] > LEAST_SCORE:
        placed = PlacedBoard(best[1].template, best[1].joints_px)
        return Found(hypothesis_registration(placed, best[0]), best[0], spent)
    discs = discs_on(maps, bgr)
    lap("discs")
    if discs is not None and discs.confidence > 0.5:
        board = next(board for board in COMMON_BOARDS.values() if board.rings)
        return Found(disc_registration(discs, board, discs.confidence), discs.confidence, spent)
    return Found(NotRegistered("no board"), best[0] if best else 0.0, spent)


@dataclass(frozen=True, eq=False)
class Measured:
    """One picture's outcome by one search."""

    way: str
    group: str
    answer: Registration | NotRegistered
    right: bool
    off: Float64Array
    seconds: float


def outcome(
    way: str,
    group: str,
    bgr: Image,
    board: Board | None,
    points: Float64Array,
    find: Callable[[Image], Registration | NotRegistered],
) -> Measured:
    """Search a picture."""
    start = time.process_time()
    answer = find(bgr)
    seconds = time.process_time() - start
    right = isinstance(answer, Registration) and is_right(answer, board, points)
    off = errors(answer, points) if right and isinstance(answer, Registration) else np.empty(0)
    return Measured(way, group, answer, right, off, seconds)


def pictures(given: argparse.Namespace) -> Iterator[tuple[str, Image, Board | None, Float64Array]]:
    """Group, picture, board and points."""
    for number in range(*given.drawn):
        one = case(number)
        yield ("drawn" if one.board else "nothing"), one.bgr, one.board, one.points_px
    for folder in given.stills:
        for _, bgr, points, board in read_stills(folder):
            yield folder.parent.name, bgr, replace(COMMON_BOARDS[board]), points


def main() -> None:
    """Search and compare."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("weights", type=Path)
    ask.add_argument("--drawn", nargs=2, type=int, default=(0, 0), metavar=("FIRST", "END"))
    ask.add_argument("--stills", nargs="*", type=Path, default=[])
    ask.add_argument("--only-maps", action="store_true")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    use_weights(given.weights)
    all_of: list[Measured] = []
    ways = {"maps": lambda bgr: search_maps(bgr).answer} | ({} if given.only_maps else {"ships": locate})
    for number, (group, bgr, board, points) in enumerate(pictures(given)):
        told = []
        for way, find in ways.items():
            all_of.append(outcome(way, group, bgr, board, points, find))
            answer = all_of[-1].answer
            name = f"{answer.field.board.name} {answer.confidence:.2f}" if isinstance(answer, Registration) else "-"
            told.append(f"{way}: {name}{' right' if all_of[-1].right else ''} {all_of[-1].seconds:.2f} s")
        print(number, group, board.name if board else "", "|", " | ".join(told), flush=True)
    for way in ways:
        for group in sorted({one.group for one in all_of}):
            some = [one for one in all_of if (one.way, one.group) == (way, group)]
            found = sum(isinstance(one.answer, Registration) for one in some)
            off = np.concatenate([one.off for one in some])
            error = f"error {np.median(off):.3f} p95 {np.percentile(off, 95):.3f}" if len(off) else ""
            seconds, right = np.mean([one.seconds for one in some]), sum(one.right for one in some)
            print(f"{way:6}{group:10} found {found}, right {right} of {len(some)}, {error}, {seconds:.2f} s")


if __name__ == "__main__":
    main()
