"""Boards drawn with lines: search playing areas, refine and verify the best hypotheses, and choose one to believe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from referee.board import Board
from vision.detection.board_hypotheses import (
    AreaView,
    BoardHypothesis,
    best_of_each_drawing,
    fit_near_pose,
    hypotheses_in_area,
    refine_hypothesis,
    related_hypotheses,
    search_around,
)
from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE
from vision.detection.templates import Template, board_template, line_drawings
from vision.detection.verification import MIN_LINK_COVERAGE, Verification, verify_hypothesis
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, fit_homography

MIN_ROUGH_COVERAGE = 0.5
"""Share of the strokes that the best hypothesis of a search must show; else the area is given up."""

MIN_RELATED_COVERAGE = 0.6
"""Share of the strokes that a hypothesis must show for drawings that share them to be tried in its place."""

N_TRIED_HYPOTHESES = 3
"""Best hypotheses of a search that are refined at most, and of all that are verified."""

REFINED_LENGTH_RATIO = 0.65
"""Least net length before refinement, as a share of the best refined one's, for a hypothesis to be refined."""

VERIFIED_LENGTH_RATIO = 0.5
"""Least net length, as a share of the best one's, for a hypothesis to be verified."""

N_PARTIAL_HYPOTHESES = 4
"""Rough hypotheses of boards of which a part is hidden that are kept."""

PARTIAL_LENGTH_RATIO = 0.6
"""Least length that such a hypothesis explains, as a share of the best one's, for it to be verified."""

N_REPEATED_SEARCHES = 3
"""Searches around the first hypothesis, at most."""

MAX_FLAWLESS_OVERRUN = 0.15
"""Largest ``Verification.overrun`` of a board that is not searched for again around its place.

Source: measured, 20 drawn boards that are found with every link (seed 202000): at most 0.11, and searching again moved
none of them."""

REPEATED_SEARCH_GAIN = 1.03
"""Factor by which the net length must grow for the result of a repeated search to be taken."""

MIN_CORNER_COVERAGE = 0.35
"""Share of strokes that must be seen for a fit to count; else the corners do, and this is their confidence."""


@dataclass(frozen=True, eq=False)
class LineBoards:
    """Hypotheses of boards drawn with lines."""

    hypotheses: tuple[BoardHypothesis, ...] = ()  # the one to be believed first, then by net length
    verifications: tuple[Verification, ...] = ()  # of the best hypotheses, that of the first one first
    partial: tuple[BoardHypothesis, ...] = ()  # rough ones of a board partly hidden, the best first, one a drawing
    partly: Verification | None = None  # the likeliest of these, where one is likely

    @property
    def verification(self) -> Verification | None:
        """The verification of the first hypothesis; None without a hypothesis."""
        return self.verifications[0] if self.verifications else None

    @property
    def confidence(self) -> float:
        """Posterior of the first hypothesis; 0 without one."""
        return self.verification.confidence if self.verification else 0.0


def search_area_for_lines(view: AreaView, templates: list[Template], found: LineBoards) -> LineBoards:
    """Return the hypotheses found before and those in one more playing area.

    Once a hypothesis is certain, no other stroke colour is tried, and where it lies wholly in the picture no drawings
    that share its strokes either. Of a board that is cut off, few of the strokes may be left that tell it from another.
    """
    bgr = view.bgr
    refined: list[BoardHypothesis] = []
    for rough in hypotheses_in_area(view, templates):
        more = _refine_best(bgr, rough)
        refined += more
        likely = sorted([*found.partial, *rough], key=lambda hypothesis: -hypothesis.partial_length_px)
        found = replace(found, partial=tuple(best_of_each_drawing(likely)[:N_PARTIAL_HYPOTHESES]))
        found = _with_hypotheses(bgr, found, more)
        if found.confidence > CERTAIN_CONFIDENCE:
            found = _with_larger(bgr, found, templates)
            if in_picture(found.hypotheses[0].points_px, size_of(bgr)).all():
                return found
            break
    best = max(refined, key=lambda hypothesis: hypothesis.net_length_px, default=None)
    if best is not None and best.coverage > MIN_RELATED_COVERAGE:
        related = [refine_hypothesis(bgr, other) for other in related_hypotheses(best, templates)]
        found = _with_hypotheses(bgr, found, related)
    return found


def _with_larger(bgr: Image, found: LineBoards, templates: list[Template]) -> LineBoards:
    """Return the hypotheses after larger drawings were tried around a first one whose strokes run on: an inner part."""
    first = found.verifications[0]
    if first.overrun == 0:
        return found
    larger = [
        refine_hypothesis(bgr, other)
        for other in related_hypotheses(first.hypothesis, templates)
        if len(other.points_px) > len(first.hypothesis.points_px)
    ]
    better = [other for other in larger if other.net_length_px > first.hypothesis.net_length_px]
    return _with_hypotheses(bgr, found, better) if better else found


def repeat_search(bgr: Image, found: LineBoards) -> LineBoards:
    """Return one hypothesis of each drawing, after the first was searched for again around its place.

    That is done once for a hypothesis that is believed, unless it is flawless. One that is not believed but is cut off
    by the picture may lie beside the board, whose middle is not that of the playing area then: it is followed as long
    as it gets better.
    """
    for _ in range(N_REPEATED_SEARCHES):
        before, found = found, _search_around_first(bgr, found)
        if found is before or before.confidence > MIN_BOARD_CONFIDENCE:
            break
    return replace(found, hypotheses=tuple(best_of_each_drawing(found.hypotheses)))


def boards_drawn_as(found: LineBoards, templates: Sequence[Template]) -> LineBoards:
    """Return the hypotheses whose drawing is one of ``templates``, or the same drawing of another board."""
    shown = {*found.hypotheses, *(v.hypothesis for v in found.verifications)}
    own = {h: replace(h, template=t) for h in shown for t in templates if _are_alike(h.template, t)}
    named = [own[h] for h in found.hypotheses if h in own]
    checked = [replace(v, hypothesis=own[v.hypothesis]) for v in found.verifications if v.hypothesis in own]
    checked.sort(key=lambda v: -v.confidence)
    first = [v.hypothesis for v in checked[:1]]
    return LineBoards((*first, *(h for h in named if h not in first)), tuple(checked))


def _are_alike(one: Template, other: Template) -> bool:
    """Return whether two templates are the same drawing."""
    return one.sample_xy.shape == other.sample_xy.shape and np.allclose(one.sample_xy, other.sample_xy)


def distinct_templates(boards: Sequence[Board]) -> list[Template]:
    """Return the templates of the boards. Of boards with the same drawing, the one whose usual drawing it is counts."""
    drawings = [(d.drawing != board.drawings[0], board_template(d)) for board in boards for d in line_drawings(board)]
    out: list[Template] = []
    for _, t in sorted(drawings, key=lambda item: item[0]):
        if not any(_are_alike(t, o) for o in out):
            out.append(t)
    return out


def _search_around_first(bgr: Image, found: LineBoards) -> LineBoards:
    """Return the result of a search around the first hypothesis, put before the others if it explains clearly more."""
    if not found.verifications:
        return found
    first = found.verifications[0].hypothesis
    whole = in_picture(first.points_px, size_of(bgr)).all()
    if whole and (found.confidence < MIN_BOARD_CONFIDENCE or _is_flawless(found.verifications[0])):
        return found
    better = search_around(bgr, first)
    if better is None or better.net_length_px < REPEATED_SEARCH_GAIN * first.net_length_px:
        return found
    verification = verify_hypothesis(bgr, better)
    if verification.confidence < min(CERTAIN_CONFIDENCE, found.confidence):
        return found
    return replace(found, hypotheses=(better, *found.hypotheses), verifications=(verification, *found.verifications))


def _is_flawless(verification: Verification) -> bool:
    """Return whether a certain board lacks no link and hardly a stroke of it runs on: no other place explains more."""
    return (
        verification.confidence > CERTAIN_CONFIDENCE
        and bool((verification.link_coverage >= MIN_LINK_COVERAGE).all())
        and verification.overrun < MAX_FLAWLESS_OVERRUN
    )


def _with_hypotheses(bgr: Image, found: LineBoards, more: Sequence[BoardHypothesis]) -> LineBoards:
    """Return the more hypotheses added to those found before, the one to be believed first."""
    hypotheses = sorted([*found.hypotheses, *more], key=lambda hypothesis: -hypothesis.net_length_px)
    before = found.verification
    verifications = _verify_best(bgr, hypotheses, found.verifications)
    same = before is not None and before.hypothesis.template is verifications[0].hypothesis.template
    # Of one drawing in two places, the more likely place counts, even where the other explains longer strokes.
    if before is not None and same and before.confidence > verifications[0].confidence:
        verifications = [before, *verifications[1:]]
    if verifications:
        first = verifications[0].hypothesis
        hypotheses = [first, *(hypothesis for hypothesis in hypotheses if hypothesis is not first)]
    return replace(found, hypotheses=tuple(hypotheses), verifications=tuple(verifications))


def verify_partly_hidden(bgr: Image, found: LineBoards) -> LineBoards:
    """Return the boards found before with the likeliest partly hidden board, verified without what is hidden."""
    likely: Verification | None = None
    for rough in found.partial:
        if (
            rough.occluder is None
            or rough.partial_length_px < PARTIAL_LENGTH_RATIO * found.partial[0].partial_length_px
        ):
            continue
        refined = refine_hypothesis(bgr, rough, rough.occluder)
        if refined.net_length_px <= 0:
            continue
        verification = verify_hypothesis(bgr, refined, rough.occluder)
        if verification.confidence > (MIN_BOARD_CONFIDENCE if likely is None else likely.confidence):
            likely = verification
    return replace(found, partly=likely)


def _verify_best(
    bgr: Image, hypotheses: Sequence[BoardHypothesis], known: Sequence[Verification]
) -> list[Verification]:
    """Return the verifications of the best hypotheses, the one to be believed first; ``known`` are those made before.

    The hypothesis that explains most strokes is nearly always the board. It is not believed where it lacks strokes that
    it should have or leaves others unexplained. Then one that explains nearly as much may be certain, or likely as far
    as those that explain more are not.
    """
    by_hypothesis = {verification.hypothesis: verification for verification in known}
    out: list[Verification] = []
    none_before, likeliest, best = 1.0, MIN_BOARD_CONFIDENCE, 0
    for hypothesis in best_of_each_drawing(hypotheses)[:N_TRIED_HYPOTHESES]:
        if out and hypothesis.net_length_px <= VERIFIED_LENGTH_RATIO * hypotheses[0].net_length_px:
            break
        out.append(by_hypothesis.get(hypothesis) or verify_hypothesis(bgr, hypothesis))
        confidence = out[-1].confidence
        if confidence > (CERTAIN_CONFIDENCE if len(out) > 1 else MIN_BOARD_CONFIDENCE):
            return [out[-1], *out[:-1]]
        if confidence * none_before > likeliest:
            likeliest, best = confidence * none_before, len(out) - 1
        none_before *= 1 - confidence
    return [out[best], *out[:best], *out[best + 1 :]] if out else out


def _refine_best(bgr: Image, rough: Sequence[BoardHypothesis]) -> list[BoardHypothesis]:
    """Return the best hypothesis refined, and those that might turn out to be better, in no order."""
    refined: list[BoardHypothesis] = []
    for hypothesis in rough[:N_TRIED_HYPOTHESES]:
        longest = max([0.0, *(other.net_length_px for other in refined)])
        if rough[0].coverage > MIN_ROUGH_COVERAGE and hypothesis.net_length_px > REFINED_LENGTH_RATIO * longest:
            refined.append(refine_hypothesis(bgr, hypothesis))
    return refined


def field_from_corners(bgr: Image, board: Board, corners_px: Float64Array) -> Registration:
    """Return the field at corners that a person has pointed at, fitted to the strokes nearby.

    The corners, (4, 2), are those of the unit square of board space, image space, from the upper left one (a7)
    clockwise; of a square board those of its outermost square. They decide the names of the points, and at worst their
    places. The confidence is the share of strokes that are seen. Raises ``ValueError`` when ``corners_px`` has another
    shape.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    if corners.shape != (4, 2):
        raise ValueError(f"corners_px must have shape (4, 2), got {corners.shape}")
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    image_from_board = fit_homography(square, corners)
    fits = []
    for drawing in line_drawings(board):
        template = board_template(drawing)
        image_from_template = image_from_board @ np.linalg.inv(template.template_from_board)
        fits.append((template.drawing, *fit_near_pose(bgr, template, image_from_template)))
    at_corners = apply_homography(image_from_board, np.array(board.xy))
    name, points, coverage = max(fits, key=lambda fit: fit[2], default=(board.drawings[0].name, at_corners, 0.0))
    if coverage < MIN_CORNER_COVERAGE:
        return Registration(Field(board, name, at_corners, image_from_board), MIN_CORNER_COVERAGE)
    return Registration(Field(board, name, points, fit_homography(np.array(board.xy), points)), coverage)
