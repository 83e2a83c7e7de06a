"""Boards found by geometry on the network's maps, measured beside the search that ships: found, kind, error, seconds.

    python tools/finder/map_search.py MADE/board_maps.npz --drawn 700000 700050 [--stills FOLDER ...] [--only-maps]

Peaks of the maps take the place of blobs (``vision.detection.hole_layout``): each drawing has one best pose on them.
The best of these poses are refined and verified on the picture as those of the search that ships are, so that both give
a confidence of one kind. Pictures are those of ``drawn_cases.case`` by number, and those of folders with the places of
their points beside them (``NAME.json``); seconds are the processor's.
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

from board_maps import MAPS, maps_of, peaks, use_weights  # noqa: E402
from drawn_cases import case, errors, is_right  # noqa: E402
from map_report import read_stills  # noqa: E402

from referee.board import Board  # noqa: E402
from referee.boards import COMMON_BOARDS  # noqa: E402
from vision.detection import hole_layout  # noqa: E402
from vision.detection.board_hypotheses import (  # noqa: E402
    BoardHypothesis,
    patch_around,  # noqa: E402
    refine_hypothesis,
)
from vision.detection.confidence import MIN_BOARD_CONFIDENCE  # noqa: E402
from vision.detection.detect import SearchReport, locate, registration_from_report  # noqa: E402
from vision.detection.disc_detection import search_area_for_discs  # noqa: E402
from vision.detection.hole_boards import _refine_layout  # noqa: E402
from vision.detection.hole_layout import BlobPattern, Blobs, HoleLayout  # noqa: E402
from vision.detection.line_boards import LineBoards, _with_hypotheses, distinct_templates  # noqa: E402
from vision.detection.line_filter import line_responses, stroke_colour_direction  # noqa: E402
from vision.detection.playing_areas import PlayingArea, _ellipse_from_moments  # noqa: E402
from vision.detection.template_fit import fit_template, sample_normals, stack_fine  # noqa: E402
from vision.detection.template_search import FIT_RADIUS_PX, patch_from_disc  # noqa: E402
from vision.detection.templates import Template  # noqa: E402
from vision.imaging.field import NotRegistered, Registration  # noqa: E402
from vision.imaging.frame import Float64Array, Image  # noqa: E402
from vision.imaging.homography import apply_homography, spacings  # noqa: E402

LEAST_PEAK = 0.2
"""Probability from which a peak counts for a pose."""

N_POSES = 4
"""Poses that are refined."""


def layouts_on(xy_px: Float64Array, value: NDArray[np.float64], templates: Sequence[Template]) -> list[HoleLayout]:
    """The best pose of each drawing on peaks (n, 2), image space; none where there are few."""
    if len(xy_px) < 7:
        return []
    radius = np.full(len(xy_px), 0.2 * float(np.median(spacings(xy_px))))
    blobs = Blobs(xy_px, radius, value)
    pairs = BlobPattern(blobs)._pairs
    if pairs is None:
        return []
    distance = hole_layout._DistanceMap(blobs)
    found = [hole_layout._best_layout(blobs, pairs, distance, t) for t in templates]
    return [one for one in found if one is not None]


def stroke_score(strokes: NDArray[np.float32], map_from_image: NDArray[np.float64], layout: HoleLayout) -> float:
    """How well the strokes of a layout lie on those of the map: harmonic mean of the shares of both that are met."""
    t = layout.template
    xy = apply_homography(map_from_image @ layout.image_from_template, t.sample_xy)
    here = ((xy > 0) & (xy < np.array(strokes.shape[::-1]) - 1)).all(1)
    if here.sum() < 10:
        return 0.0
    wide = cv2.dilate(strokes, np.ones((3, 3), np.uint8))
    seen = cv2.remap(wide, *np.float32(xy[here].T)[:, :, None], cv2.INTER_LINEAR)  # type: ignore[call-overload]
    drawn = np.zeros(strokes.shape, np.uint8)
    for link in range(len(t.links)):
        ends = apply_homography(map_from_image, layout.joints_px[t.links[link]])
        way = np.vstack([ends[:1], xy[t.sample_links == link], ends[1:]])
        cv2.polylines(drawn, [np.round(np.clip(way, -999, 9999) * 16).astype(np.int32)], False, 1, 4, cv2.LINE_8, 4)
    met, told = float(np.minimum(seen / 0.5, 1).mean()), float((strokes * drawn).sum() / (strokes.sum() + 1e-6))
    return 2 * met * told / (met + told + 1e-6)


def hypothesis_of(bgr: Image, layout: HoleLayout) -> BoardHypothesis:
    """A rough hypothesis of lines from a pose, with the colour of its strokes."""
    t, h = layout.template, layout.image_from_template
    samples = apply_homography(h, t.sample_xy)
    rough = BoardHypothesis(t, apply_homography(h, t.joints), h, samples, np.zeros(3))
    patch_from_template = patch_from_disc(FIT_RADIUS_PX)
    view = patch_around(bgr, rough, patch_from_template, None)
    fit = fit_template(stack_fine(line_responses(view.patch, view.region)), t, patch_from_template, (4, 4))
    colour = stroke_colour_direction(view.patch, fit.samples_px, sample_normals(fit), fit.support)
    h = view.image_from_patch @ fit.patch_from_template
    samples = apply_homography(h, t.sample_xy)
    return replace(rough, image_from_template=h / h[2, 2], samples_px=samples, stroke_colour=colour)


def board_areas(board: NDArray[np.float32], image_from_map: NDArray[np.float64]) -> list[PlayingArea]:
    """The largest board in its map as a playing area."""
    contours, _ = cv2.findContours((board > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=cv2.contourArea, default=None)
    if largest is None or cv2.contourArea(largest) < 100:
        return []
    m = cv2.moments(cv2.convexHull(largest))
    moments = np.array([m["m10"] / m["m00"], m["m01"] / m["m00"], *(m[k] / m["m00"] for k in ("mu20", "mu11", "mu02"))])
    return [PlayingArea(image_from_map @ _ellipse_from_moments(moments, 1.0), 1.0)]


def search_maps(bgr: Image) -> tuple[SearchReport, dict[str, float]]:
    """The evidence in one picture, as ``vision.detection.detect.search_picture``, and the seconds of each part."""
    spent, start = {}, time.process_time()

    def lap(part: str) -> None:
        nonlocal start
        spent[part] = time.process_time() - start
        start = time.process_time()

    told, image_from_map = maps_of(bgr)
    map_from_image = np.linalg.inv(image_from_map)
    lap("network")
    templates = distinct_templates(tuple(COMMON_BOARDS.values()))
    on = {name: peaks(told[MAPS.index(name)], LEAST_PEAK) for name in ("joints", "points")}
    px = {name: apply_homography(image_from_map, p[:, :2]) for name, p in on.items()}
    strokes = told[MAPS.index("strokes")]
    layouts = layouts_on(px["joints"], on["joints"][:, 2], templates)
    rated = [(layout.log_likelihood_ratio, stroke_score(strokes, map_from_image, layout), layout) for layout in layouts]
    rated = sorted((item for item in rated if item[1] > 0.3), key=lambda item: -item[1])[:N_POSES]
    bored = layouts_on(px["points"], on["points"][:, 2], [t for t in templates if t.drawing == "lines"])
    lap("poses")
    lines = LineBoards()
    refined = [refine_hypothesis(bgr, hypothesis_of(bgr, layout)) for _, _, layout in rated]
    if refined:
        lines = _with_hypotheses(bgr, lines, refined)
    lap("lines")
    report = SearchReport(lines=lines)
    if report.confidence < MIN_BOARD_CONFIDENCE:
        bored.sort(key=lambda layout: -layout.log_likelihood_ratio)
        boards = [item[0] for layout in bored[:3] if (item := _refine_layout(bgr, layout)) is not None]
        report = replace(report, holes=tuple(sorted(boards, key=lambda board: -board.nats)))
    lap("holes")
    disc_boards = [board for board in COMMON_BOARDS.values() if board.rings]
    if report.confidence < MIN_BOARD_CONFIDENCE:
        discs = None
        for area in board_areas(told[MAPS.index("board")], image_from_map):
            discs = search_area_for_discs(bgr, area, disc_boards, discs)
        report = replace(report, discs=discs, disc_board=disc_boards[0])
    lap("discs")
    return report, spent


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
    found = isinstance(answer, Registration)
    right = found and is_right(answer, board, points)
    return Measured(way, group, answer, right, errors(answer, points) if right else np.empty(0), seconds)


def pictures(given: argparse.Namespace) -> Iterator[tuple[str, Image, Board | None, Float64Array]]:
    """Group, picture, board and points."""
    for number in range(*given.drawn):
        one = case(number)
        yield ("drawn" if one.board else "nothing"), one.bgr, one.board, one.points_px
    for folder in given.stills:
        for name, bgr, points, board in read_stills(folder):
            yield f"{folder.parent.name} {name}".split()[0], bgr, COMMON_BOARDS[board], points


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
    all_of = list[Measured]()

    def by_maps(bgr: Image) -> Registration | NotRegistered:
        report, spent = search_maps(bgr)
        print(
            "   ",
            " ".join(f"{part} {1000 * s:.0f}" for part, s in spent.items()),
            {k: round(v, 2) for k, v in report.confidences.items()},
        )
        return registration_from_report(bgr, report)

    ways = {"maps": by_maps} | ({} if given.only_maps else {"ships": locate})
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
            seconds = np.mean([one.seconds for one in some])
            right = sum(one.right for one in some)
            print(f"{way:6}{group:10} found {found}, right {right} of {len(some)}, {error}, {seconds:.2f} s")


if __name__ == "__main__":
    main()
