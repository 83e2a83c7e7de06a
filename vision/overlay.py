"""Overlays for people: the field and its stones painted over the picture. No module that sees imports this one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.detection.detect import SearchReport, ranked_boards
from vision.detection.template_pose import BoardCandidate
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, in_picture, size_of
from vision.imaging.homography import spacings
from vision.imaging.medians import median
from vision.stones.photograph_reader import PhotographReading

SEEN_LINE_BGR = (60, 220, 60)
"""Colour of edges, and of strokes that are seen: green."""

MISSED_LINE_BGR = (50, 50, 255)
"""Colour of strokes that are not seen: red."""

WHITE_BGR = (255, 255, 255)
"""Colour of points and of plain captions."""

TEXT_BGR = (0, 255, 255)
"""Colour of names, main captions and rings of doubt: yellow."""

FONT = cv2.FONT_HERSHEY_SIMPLEX
"""Font of all text."""

MIN_SHOWN_COVERAGE = 0.4
"""Share of the strokes of a drawing that must be seen for a rejected board to be painted at all, and share of what
is seen that must be its own for that not to count against it."""

TEXT_SIZE, RING_SPACINGS, SURE = 0.55, 0.22, 0.9
"""Size of text in a picture 900 px wide, radius of the ring round a stone, and what is sure enough for no second ring.
"""

CaptionLine = tuple[str, tuple[int, int, int]]
"""Text of a caption and its colour, blue, green and red."""


def draw_field(bgr: Image, field: Field, *, edges: bool = True) -> Image:
    """Return a copy of a picture with the edges and points of a field, and the names of these, painted over it."""
    painted = bgr.copy()
    thick = max(1, round(bgr.shape[1] / 900))
    places = [(round(float(x)), round(float(y))) for x, y in field.points_px]
    for a, b in field.board.edges if edges else ():
        cv2.line(painted, places[a], places[b], SEEN_LINE_BGR, thick, cv2.LINE_AA)
    draw_points(painted, field.points_px, field.board.points)
    return painted


def draw_points(painted: Image, points_px: Float64Array, names: Sequence[str] = ()) -> None:
    """Paint points, (n, 2) in image space, each with its name beside it where names are given."""
    thick = max(1, round(painted.shape[1] / 900))
    # The names of a board that is small in the picture must not overlap.
    size = min(float(median(spacings(points_px))) / 75, TEXT_SIZE * thick)
    for k, (x, y) in enumerate(points_px):
        place = round(float(x)), round(float(y))
        cv2.circle(painted, place, 3 * thick + 1, (0, 0, 0), thick + 2, cv2.LINE_AA)
        cv2.circle(painted, place, 3 * thick + 1, WHITE_BGR, thick, cv2.LINE_AA)
        if names:
            beside = (place[0] + 5 * thick, place[1] - 5 * thick)
            for colour, width in (((0, 0, 0), thick + 2), (TEXT_BGR, thick)):
                cv2.putText(painted, names[k], beside, FONT, size, colour, width, cv2.LINE_AA)


def draw_photograph_reading(
    bgr: Image,
    seen: Registration | NotRegistered,
    reading: PhotographReading | None,
    report: SearchReport | None = None,
) -> Image:
    """Return a copy of a photograph with what ``millchen read`` saw: field, stones by group, and confidence.

    Where no field was found, the likeliest one is painted, with its missed strokes in another colour. Points that are
    less than 90 % sure get an additional thin ring. Captions, with the evidence of ``report`` for every kind of board,
    stand in a margin below the picture, so that they hide nothing.
    """
    likeliest = None if report is None else next(iter(report.boards), None)
    painted = bgr.copy()
    if isinstance(seen, NotRegistered):
        captions = [(seen.reason, TEXT_BGR)]
        if likeliest is not None and likeliest.features["lines"] >= MIN_SHOWN_COVERAGE:
            _draw_strokes(painted, likeliest)
            captions += _rejection_captions(bgr, likeliest)
    else:
        captions = [(f"{seen.field.board.name} ({seen.field.drawing}), {seen.confidence:.0%} sure", TEXT_BGR)]
        is_drawn = likeliest is not None and likeliest.template.drawing == seen.field.drawing
        if likeliest is not None and is_drawn:
            _draw_strokes(painted, likeliest)
            share = float(likeliest.sample_seen.mean())
            captions.append((f"{share:.0%} of its lines are seen; those that are not are red", WHITE_BGR))
        painted = draw_field(painted, seen.field, edges=not is_drawn)
        if reading is not None:
            _draw_stones(painted, seen, reading)
            counts = [f"{letter}: {reading.stones.count(letter)}" for letter in dict(reading.groups)]
            captions.append((f"stones of {', '.join(counts)}" if counts else "no stones", WHITE_BGR))
    return _with_captions(painted, captions + _ranking_captions(report))


def _draw_strokes(painted: Image, board: BoardCandidate) -> None:
    """Paint the strokes of a drawing: seen ones green, missed ones red."""
    t, thick = board.template, max(1, round(painted.shape[1] / 480))
    places = np.round(board.samples_px * 16).astype(np.int64)
    near = np.abs(places) < 2**26  # cv2's fixed point numbers end there
    for k in range(len(places) - 1):
        if t.sample_links[k] == t.sample_links[k + 1] and near[k : k + 2].all():
            colour = SEEN_LINE_BGR if board.sample_seen[k : k + 2].all() else MISSED_LINE_BGR
            cv2.line(painted, places[k].tolist(), places[k + 1].tolist(), colour, thick, cv2.LINE_AA, 4)


def draw_rings(painted: Image, points_px: Float64Array, colours: Sequence[str | None]) -> None:
    """Paint a ring round each stone in its colour (``#rrggbb``) at points (n, 2); None where a point is bare."""
    scale = max(1.0, painted.shape[1] / 900)
    for (x, y), spacing, colour in zip(points_px, spacings(points_px), colours, strict=True):
        if colour is not None:
            place, radius = (round(float(x)), round(float(y))), round(RING_SPACINGS * float(spacing))
            cv2.circle(painted, place, radius + round(2 * scale), (0, 0, 0), round(2 * scale), cv2.LINE_AA)
            cv2.circle(painted, place, radius, _bgr(colour), round(3 * scale), cv2.LINE_AA)


def _draw_stones(painted: Image, seen: Registration, reading: PhotographReading) -> None:
    """Paint a ring in its colour round each stone, the letter of its group in it, and a thin ring round each doubt."""
    colours, scale = dict(reading.groups), max(1.0, painted.shape[1] / 900)
    draw_rings(painted, seen.field.points_px, [None if stone is None else colours[stone] for stone in reading.stones])
    for i, (x, y) in enumerate(seen.field.points_px):
        place, spacing = (round(float(x)), round(float(y))), float(seen.field.spacing_px[i])
        stone = reading.stones[i]
        if stone is not None:
            _draw_letter(painted, stone, place, RING_SPACINGS * spacing)
        if reading.p[i] < SURE:
            cv2.circle(painted, place, round(2 * RING_SPACINGS * spacing), TEXT_BGR, round(scale), cv2.LINE_AA)


def _draw_letter(painted: Image, letter: str, centre_px: tuple[int, int], height_px: float) -> None:
    """Paint a letter in the middle of a stone, with a dark edge, so that it is read on a stone of any colour."""
    (_, unit), _ = cv2.getTextSize(letter, FONT, 1.0, 1)
    size, thick = max(0.5, height_px / unit), max(1, round(height_px / 12))
    (width, height), _ = cv2.getTextSize(letter, FONT, size, thick)
    corner = (centre_px[0] - width // 2, centre_px[1] + height // 2)
    for colour, width in (((0, 0, 0), 3 * thick), (WHITE_BGR, thick)):
        cv2.putText(painted, letter, corner, FONT, size, colour, width, cv2.LINE_AA)


def _rejection_captions(bgr: Image, board: BoardCandidate) -> list[CaptionLine]:
    lines = [(f"most like a board: {board.template.name}; green lines are seen, red ones are missing", WHITE_BGR)]
    missing = 1 - float(board.sample_seen.mean())
    outside = 1 - float(in_picture(board.samples_px, size_of(bgr)).mean())
    against = {
        f"{missing:.0%} of its lines are not seen": missing > 1 - SURE,
        "there are lines that it does not have": board.features["own"] < MIN_SHOWN_COVERAGE,
        f"{outside:.0%} of it lies outside the picture": outside > 0,
    }
    why = ", ".join(text for text, holds in against.items() if holds)
    return lines + ([(f"against it: {why}", WHITE_BGR)] if why else [])


def _ranking_captions(report: SearchReport | None) -> list[CaptionLine]:
    found = [] if report is None else ranked_boards(report)
    if not found:
        return []
    return [("how likely each kind is: " + ", ".join(f"{name} {share:.0%}" for name, share in found[:4]), WHITE_BGR)]


def _with_captions(picture: Image, lines: list[CaptionLine]) -> Image:
    """Return the picture with captions below it, wrapped at its width."""
    scale = max(0.5, picture.shape[1] / 900)
    size, step = TEXT_SIZE * scale, round(24 * scale)
    rows: list[CaptionLine] = []
    for words, colour in lines:
        row = ""
        for word in words.split():
            longer = f"{row} {word}".strip()
            if row and cv2.getTextSize(longer, FONT, size, round(scale))[0][0] > picture.shape[1] - 2 * step:
                rows.append((row, colour))
                longer = word
            row = longer
        rows.append((row, colour))
    margin = np.zeros((step * (len(rows) + 1), picture.shape[1], 3), np.uint8)
    for k, (row, colour) in enumerate(rows):
        cv2.putText(margin, row, (step // 2, step * (k + 1)), FONT, size, colour, max(1, round(scale)), cv2.LINE_AA)
    return np.asarray(np.vstack([picture, margin]), np.uint8)


def _bgr(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return blue, green, red


def encode_png(picture: Image) -> bytes:
    """Return a picture encoded as the bytes of a PNG file."""
    _, data = cv2.imencode(".png", picture)
    return np.asarray(data, np.uint8).tobytes()
