"""Find an unknown board in one picture and say which board it is and where its points lie.

The path: playing areas that stand out from the table (``find_playing_areas``) are looked at from above, strokes are made
visible whatever their colour (``evidence``), every drawing is turned, sized and tilted over them (``search``), the
best places are fitted to the very strokes (``refine``), the kinds compete for the evidence (``contest``), and the
winner is looked at once more (``witness``) to say how far it can be trusted (``confidence``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.board import Board
from referee.layouts import BOARDS, MOULIN_ROUGE
from vision.detection.board_hypotheses import (
    LINE_SEEN_RESPONSE,
    BoardHypothesis,
    related_hypotheses,
    hypotheses_in_area,
    best_of_each_drawing,
    refine_hypothesis,
    search_around,
)
from vision.detection.confidence import line_confidence, disc_confidence
from vision.detection.disc_detection import FEW_HOLES, DEFAULT_HOLE_COUNTS, DetectedDiscs, detect_discs
from vision.detection.failure_reasons import outside_picture_reason, failure_reason, is_too_dark
from vision.detection.hole_boards import find_hole_boards, hole_confidence
from vision.detection.line_filter import line_responses
from vision.detection.playing_areas import PlayingArea, find_playing_areas, central_areas, whole_picture_areas, enlarged_areas
from vision.detection.point_names import hypothesis_registration, disc_registration
from vision.detection.template_fit import fit_template, stack_fine
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, unit_from_patch
from vision.detection.templates import Template, line_drawings, board_template
from vision.detection.verification import Verification, verify_hypothesis
from vision.imaging import cv
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image
from vision.imaging.homography import apply_homography, fit_homography, spacings

MAX_PLAYING_AREAS = 4
"""Playing areas that are looked into before giving up."""

CERTAIN_CONFIDENCE = 0.95
"""Confidence at which nobody looks elsewhere."""

BEYOND_DOUBT = 0.95
"""Confidence at which nothing else is tried in the same place: neither strokes of another colour, nor drawings that
share them, nor holes."""

HOPELESS = 0.5
"""Share of strokes seen after the search under which an area is given up: boards that are found have more."""

ALIKE = 0.6
"""Share of strokes seen from which drawings that share them are tried in the same place."""

MIN_BOARD_CONFIDENCE = 0.5
"""Confidence under which nothing is said to be a board, and the picture as a whole is searched as well."""

LEAST_SIDE_PX = 64
"""Shorter side of a picture in which a board could be told from a blot."""

N_LOOKS = 3
"""Guesses that are looked at twice."""

N_FINE, RIVALS = 3, 0.65
"""Drawings that are fitted again for the final, and what share of the best one's gain they must have before."""

BETTER = 1.03
"""How many times as much a drawing must explain in another place near by for it to lie there."""


@dataclass(frozen=True, eq=False)
class SearchReport:
    """All that one picture says about where a board may lie.

    Attributes
    ----------
    hypotheses : tuple of Guess
        One a drawing, the most likely first.
    verification : Witness or None
        What a second look at the first guess says; None without a guess.
    others : tuple of Witness
        Second looks at the guesses that came near it.
    wheel : Wheel or None
        The best three rings of holes, where they were looked for.
    holes : tuple of Guess
        Boards whose points are holes, balls or stones, the clearest first, where they were looked for.
    line_confidence, wheel_confidence, hole_confidence : float
        Posteriors of the first guess, of the wheel and of the first board of holes.
    """

    hypotheses: tuple[BoardHypothesis, ...]
    verification: Verification | None
    others: tuple[Verification, ...]
    wheel: DetectedDiscs | None
    holes: tuple[BoardHypothesis, ...]
    line_confidence: float
    disc_confidence: float
    hole_confidence: float


def locate(bgr: Image, boards: Sequence[Board] | None = None) -> Registration | NotRegistered:
    """Find the playing field in one picture.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    boards : sequence of Board, optional
        The boards that may lie there; None for every board that is known.

    Returns
    -------
    Registration
        With the points in image space, never mirrored, the board's "up" as upward in the picture as its symmetry
        allows.
    NotRegistered
        With a sentence that says what to change.
    """
    return locate_with_report(bgr, boards)[0]


def locate_with_report(bgr: Image, boards: Sequence[Board] | None = None) -> tuple[Registration | NotRegistered, SearchReport | None]:
    """As ``locate``, with all that the answer rests on; None where a picture was not worth searching."""
    check_picture(bgr)
    if min(bgr.shape[:2]) < LEAST_SIDE_PX:
        size = f"{bgr.shape[1]} x {bgr.shape[0]}"
        return NotRegistered(f"the picture has only {size} pixels: too few to see the lines of a board"), None
    if is_too_dark(bgr):
        why = "the picture is too dark to see a board: switch on a lamp or open the camera's cover"
        return NotRegistered(why), None
    seen = search_picture(bgr, boards)
    return registration_from_report(bgr, seen), seen


def search_picture(bgr: Image, boards: Sequence[Board] | None = None) -> SearchReport:
    """Gather what one picture says about where a board may lie; parameters as ``locate``.

    Area after area is looked into for strokes and rings, and once the whole picture for holes, until one is sure.
    """
    check_picture(bgr)
    chosen = tuple(BOARDS.values()) if boards is None else tuple(boards)
    templates = _distinct(chosen)
    with_rings = any(board.name == MOULIN_ROUGE.name for board in chosen)
    lined: list[BoardHypothesis] = []
    holes: list[BoardHypothesis] | None = None if templates else []
    looks: list[Verification] = []
    sure, wheel = 0.0, None
    areas, whole = find_playing_areas(bgr)[:MAX_PLAYING_AREAS], whole_picture_areas(bgr)
    for turn, area in enumerate((*areas, *whole)):
        lined, looks = _looked_into(bgr, area, templates, lined, looks)
        sure = line_confidence(looks[0]) if looks else 0.0
        if sure > BEYOND_DOUBT:
            break
        if holes is None:
            holes = find_hole_boards(bgr, templates)
        nowhere = max(sure, hole_confidence(holes)) < MIN_BOARD_CONFIDENCE
        if with_rings and area.outline_quality > 0 and (turn == 0 or nowhere):
            wheel = _better_wheel(bgr, area, chosen, wheel)
        if max(sure, hole_confidence(holes), disc_confidence(wheel)) > CERTAIN_CONFIDENCE:
            break
    lined, looks = _settled(bgr, lined, looks)
    sure = line_confidence(looks[0]) if looks else 0.0
    holes = holes or []
    if with_rings and max(sure, hole_confidence(holes)) < MIN_BOARD_CONFIDENCE:
        finely = areas if min(_numbers_of_holes(chosen)) > FEW_HOLES else ()
        for area, finer in (*((area, 1) for area in (*enlarged_areas(areas), *central_areas(whole))), *((area, 2) for area in finely)):
            if disc_confidence(wheel) > MIN_BOARD_CONFIDENCE:
                break
            wheel = _better_wheel(bgr, area, chosen, wheel, finer)
    by_wheel = disc_confidence(wheel)
    witness, others = (looks[0], tuple(looks[1:])) if looks else (None, ())
    return SearchReport(tuple(best_of_each_drawing(lined)), witness, others, wheel, tuple(holes), sure, by_wheel, hole_confidence(holes))


def _settled(bgr: Image, lined: list[BoardHypothesis], looks: list[Verification]) -> tuple[list[BoardHypothesis], list[Verification]]:
    """Guesses and second looks after the believed one was searched for once more where it lies."""
    if not looks or line_confidence(looks[0]) < MIN_BOARD_CONFIDENCE:
        return lined, looks
    better = search_around(bgr, looks[0].hypothesis)
    if better is None or better.net_length_px < BETTER * looks[0].hypothesis.net_length_px:
        return lined, looks
    look = verify_hypothesis(bgr, better)
    if line_confidence(look) < min(CERTAIN_CONFIDENCE, line_confidence(looks[0])):
        return lined, looks
    return [better, *lined], [look, *looks]


def _better_wheel(
    bgr: Image, area: PlayingArea, boards: Sequence[Board], wheel: DetectedDiscs | None, finer: int = 1
) -> DetectedDiscs | None:
    """The best wheel so far, and of those in one more playing area."""
    found = detect_discs(bgr, area, holes=_numbers_of_holes(boards), finer=finer)
    return max(found if wheel is None else [wheel, *found], key=lambda w: w.total_nats, default=None)


def _numbers_of_holes(boards: Sequence[Board]) -> Sequence[int]:
    """How many holes a ring may have: the board of the list of all boards stands for any number."""
    told = sorted({len(board.rings[0]) for board in boards if board.rings})
    return DEFAULT_HOLE_COUNTS if told == [len(MOULIN_ROUGE.rings[0])] else told


def _second_looks(bgr: Image, lined: Sequence[BoardHypothesis], looks: Sequence[Verification]) -> list[Verification]:
    """Second looks at the best guesses, the one to be believed first; ``looks`` are those that were taken already.

    What explains most strokes is nearly always the board. Where it is not to be believed, as it lacks strokes that it
    should have or leaves others over, one that comes near it may be beyond doubt.
    """
    taken = {id(look.hypothesis): look for look in looks}
    out: list[Verification] = []
    for guess in best_of_each_drawing(lined)[:N_LOOKS]:
        if out and guess.net_length_px < 0.5 * lined[0].net_length_px:
            break
        out.append(taken.get(id(guess)) or verify_hypothesis(bgr, guess))
        if line_confidence(out[-1]) > (CERTAIN_CONFIDENCE if len(out) > 1 else MIN_BOARD_CONFIDENCE):
            return [out[-1], *out[:-1]]
    return out


def registration_from_report(bgr: Image, seen: SearchReport) -> Registration | NotRegistered:
    """What a survey amounts to: the likeliest of strokes, holes and rings, or why none is believed."""
    best = max(seen.line_confidence, seen.hole_confidence, seen.disc_confidence)
    if best < MIN_BOARD_CONFIDENCE:
        return NotRegistered(failure_reason(bgr, seen.hypotheses, seen.verification))
    if seen.wheel is not None and seen.disc_confidence == best:
        return disc_registration(seen.wheel, best)
    if _holes_know_better(seen) or (seen.hole_confidence == best and not _strokes_know_better(seen)):
        return hypothesis_registration(seen.holes[0], seen.hole_confidence)
    cut = outside_picture_reason(seen.verification, bgr) if seen.verification is not None else ""
    return NotRegistered(cut) if cut else hypothesis_registration(seen.hypotheses[0], best)


def ranked_boards(seen: SearchReport) -> list[tuple[str, float]]:
    """The kinds of board that were looked for, the likeliest first, with the share of each one's strokes that is seen.

    Of holes there are no strokes: for a board of holes it is its posterior.
    """
    lined = [(guess.template.board.name, guess.coverage) for guess in seen.hypotheses]
    drilled = [(guess.template.board.name, seen.hole_confidence) for guess in seen.holes[:1]]
    turning = [] if seen.wheel is None else [(MOULIN_ROUGE.name, seen.disc_confidence)]
    trusts = seen.line_confidence, seen.hole_confidence, seen.disc_confidence
    groups = sorted(zip(trusts, (lined, drilled, turning), strict=True), key=lambda group: -group[0])
    found = [kind for _, group in groups for kind in group]
    once: dict[str, float] = {}
    for name, share in found:
        once.setdefault(name, round(share, 3))
    return list(once.items())


def _strokes_know_better(seen: SearchReport) -> bool:
    """Whether the board of strokes holds every point of the board of holes.

    The same board in the same place lies more exactly on its strokes. A larger one that is believed explains the
    smaller one, whose points are some of its crossings; the smaller one does not explain the strokes left over.
    """
    if not seen.hypotheses or not seen.holes:
        return False
    lined, holes = seen.hypotheses[0], seen.holes[0]
    same = lined.template is holes.template
    least = CERTAIN_CONFIDENCE if same else MIN_BOARD_CONFIDENCE
    larger = len(lined.points_px) > len(holes.points_px)
    return (same or larger) and seen.line_confidence > least and _holds(lined, holes)


def _holes_know_better(seen: SearchReport) -> bool:
    """Whether a larger board of holes that is believed holds every point of the board of strokes."""
    if not seen.hypotheses or not seen.holes or seen.hole_confidence < MIN_BOARD_CONFIDENCE:
        return False
    lined, holes = seen.hypotheses[0], seen.holes[0]
    return len(holes.points_px) > len(lined.points_px) and _holds(holes, lined)


def _holds(larger: BoardHypothesis, smaller: BoardHypothesis) -> bool:
    """Whether every point of one board is a point of the other."""
    apart = np.linalg.norm(smaller.points_px[:, None] - larger.points_px[None], axis=2).min(1)
    return bool((apart < 0.35 * spacings(smaller.points_px)).all())


def check_picture(bgr: Image) -> None:
    """Refuse what is no picture; raises ``ValueError``."""
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"bgr must be uint8 of shape (H, W, 3), got {bgr.dtype} of {bgr.shape}")


def _looked_into(
    bgr: Image, area: PlayingArea, templates: list[Template], lined: list[BoardHypothesis], looks: list[Verification]
) -> tuple[list[BoardHypothesis], list[Verification]]:
    """Guesses and second looks so far and those in one more playing area, the one to be believed first.

    Nobody tries another colour of strokes, or drawings that share them, once what was found is beyond doubt.
    """

    def with_more(more: list[BoardHypothesis]) -> bool:
        nonlocal lined, looks
        lined = sorted(lined + more, key=lambda g: -g.net_length_px)
        before, looks = looks[:1], _second_looks(bgr, lined, looks)
        same = bool(before) and before[0].hypothesis.template is looks[0].hypothesis.template
        # Of one drawing in two places the more likely one counts, even where the other explains longer strokes.
        if same and line_confidence(before[0]) > line_confidence(looks[0]):
            looks = before + looks[1:]
        if looks:
            lined = [looks[0].hypothesis, *(g for g in lined if g is not looks[0].hypothesis)]
        return bool(looks) and line_confidence(looks[0]) > BEYOND_DOUBT

    fine: list[BoardHypothesis] = []
    for rough in hypotheses_in_area(bgr, area, templates):
        more = _polished(bgr, rough)
        fine += more
        if with_more(more):
            return lined, looks
    best = max(fine, key=lambda g: g.net_length_px, default=None)
    if best is not None and best.coverage > ALIKE:
        with_more([refine_hypothesis(bgr, g) for g in related_hypotheses(best, templates)])
    return lined, looks


def _polished(bgr: Image, rough: Sequence[BoardHypothesis]) -> list[BoardHypothesis]:
    """Guesses fitted once more: the best, and those that might turn out to be better, in no order."""
    fine: list[BoardHypothesis] = []
    for guess in rough[:N_FINE]:
        if rough[0].coverage > HOPELESS and guess.net_length_px > RIVALS * max([0.0, *(g.net_length_px for g in fine)]):
            fine.append(refine_hypothesis(bgr, guess))
    return fine


def _distinct(boards: Sequence[Board]) -> list[Template]:
    """The drawings of the boards; of two boards that are painted alike the one that is mainly painted so."""
    drawings = [(d.drawing != board.drawings[0], board_template(d)) for board in boards for d in line_drawings(board)]
    out: list[Template] = []
    for _, t in sorted(drawings, key=lambda item: item[0]):
        if not any(t.sample_xy.shape == o.sample_xy.shape and np.allclose(t.sample_xy, o.sample_xy) for o in out):
            out.append(t)
    return out


def field_from_corners(bgr: Image, board: Board, corners_px: Float64Array) -> Registration:
    """A field that a person has pointed at, fitted to the strokes nearby.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    board : Board
    corners_px : float array of shape (4, 2)
        Where the corners of the unit square of board space lie (for square boards those of the outermost square),
        from the upper left one (a7) clockwise, image space. They decide the names of the points.

    Returns
    -------
    Registration
        Confidence is the share of strokes that are seen; at worst the points are where the corners put them.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    if corners.shape != (4, 2):
        raise ValueError(f"corners_px must have shape (4, 2), got {corners.shape}")
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    image_from_board = fit_homography(square, corners)
    best: tuple[float, Field] | None = None
    for drawing in line_drawings(board):
        t = board_template(drawing)
        image_from_template = image_from_board @ np.linalg.inv(t.template_from_board)
        patch_from_template: Float64Array = (np.linalg.inv(unit_from_patch()) @ np.diag([0.9, 0.9, 1.0])).astype(
            np.float64
        )
        image_from_patch = image_from_template @ np.linalg.inv(patch_from_template)
        patch = cv.warp_square(bgr, image_from_patch, BOARD_PATCH_SIDE_PX)
        region = np.full((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), 255, np.uint8)
        laid = fit_template(stack_fine(line_responses(patch, region)), t, patch_from_template, (6, 5, 4, 4))
        seen = float((laid.support > LINE_SEEN_RESPONSE).mean())
        points = t.points_from_joints @ apply_homography(image_from_patch, laid.joints_px)
        if best is None or seen > best[0]:
            best = seen, Field(board, t.drawing, points, fit_homography(np.array(board.xy), points))
    if best is None or best[0] < 0.35:
        drawing_name = board.drawings[0].name if best is None else best[1].drawing
        points = apply_homography(image_from_board, np.array(board.xy))
        return Registration(Field(board, drawing_name, points, image_from_board), 0.35)
    return Registration(best[1], best[0])
