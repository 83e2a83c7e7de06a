"""A picture and its reading in, the picture painted over for people out. No module that sees imports this one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.detection.detect import SearchReport
from vision.detection.template_pose import BoardCandidate
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.homography import spacings
from vision.imaging.medians import median
from vision.stones.photograph_reader import PhotographReading

SEEN_LINE_BGR, MISSED_LINE_BGR = (50, 205, 50), (0, 0, 255)
"""Colours of edges and of strokes that are seen, and of those that are not: lime green and red. Source:
https://www.w3.org/TR/css-color-4/#named-colors."""

WHITE_BGR, TEXT_BGR, EDGE_BGR = (255, 255, 255), (0, 255, 255), (0, 0, 0)
"""Colours of points; of names and rings of doubt; of dark edges: white, yellow and black. Source:
https://www.w3.org/TR/css-color-4/#named-colors."""

FONT = cv2.FONT_HERSHEY_SIMPLEX
"""Font of all text."""

SURE = 0.9
"""Posterior from which a point needs no second ring. Source: measured, of 1,068 points of drawn tables with as much
1,065 are read rightly, of 27 others 21."""


def draw_field(bgr: Image, field: Field, *, edges: bool = True) -> Image:
    """Return a copy of a picture with the edges and points of a field, and the names of these, painted over it."""
    canvas = bgr.copy()
    for a, b in field.board.edges if edges else ():
        ends = _pixel(field.points_px[a]), _pixel(field.points_px[b])
        cv2.line(canvas, *ends, SEEN_LINE_BGR, _thickness(canvas), cv2.LINE_AA)
    draw_points(canvas, field.points_px, field.board.points)
    return canvas


def draw_points(canvas: Image, points_px: Float64Array, names: Sequence[str] = ()) -> None:
    """Paint points, (n, 2) in image space, each with its name beside it where names are given."""
    thick = _thickness(canvas)
    # The names of a board that is small in the picture must not overlap.
    size = min(float(median(spacings(points_px))) / 75, thick / 2)
    for k, place in enumerate(points_px):
        _draw_ring(canvas, place, 3 * thick + 1, WHITE_BGR, thick)
        if names:
            _draw_text(canvas, names[k], _pixel(place + (5 * thick, -5 * thick)), size, TEXT_BGR, thick)


def _thickness(picture: Image) -> int:
    """Return the width of a thin line in a picture, px."""
    return max(1, round(size_of(picture)[0] / 900))


def _pixel(place_px: Float64Array) -> tuple[int, int]:
    return round(float(place_px[0])), round(float(place_px[1]))


def _draw_ring(
    canvas: Image, centre_px: Float64Array, radius_px: float, colour: tuple[int, int, int], thick: int
) -> None:
    """Paint a ring with dark edges."""
    for shade, width in ((EDGE_BGR, thick + 2), (colour, thick)):
        cv2.circle(canvas, _pixel(centre_px), round(radius_px), shade, width, cv2.LINE_AA)


def _draw_text(
    canvas: Image, text: str, corner: tuple[int, int], size: float, colour: tuple[int, int, int], thick: int
) -> None:
    """Paint text with a dark edge, so that it is read on a ground of any colour."""
    for shade, width in ((EDGE_BGR, thick + 2), (colour, thick)):
        cv2.putText(canvas, text, corner, FONT, size, shade, width, cv2.LINE_AA)


def draw_photograph_reading(
    bgr: Image,
    registration: Registration | NotRegistered,
    reading: PhotographReading | None,
    report: SearchReport | None = None,
) -> Image:
    """Return a copy of a photograph with its reading: field, stones by group, and confidence.

    Where no field was found, the likeliest one is painted, with its missed strokes in another colour, if half of its
    strokes are seen. Points that are less than 90 % sure get an additional thin ring.
    """
    field = None if isinstance(registration, NotRegistered) else registration.field
    likeliest = None if report is None else next(iter(report.boards), None)
    canvas, is_drawn = bgr.copy(), False
    if likeliest is not None:
        is_like = likeliest.features["lines"] >= 0.5
        is_drawn = is_like if field is None else likeliest.template.drawing == field.drawing
        if is_drawn:
            _draw_strokes(canvas, likeliest)
    if field is not None:
        canvas = draw_field(canvas, field, edges=not is_drawn)
        if reading is not None:
            _draw_stones(canvas, field, reading)
    return canvas


def _draw_strokes(canvas: Image, board: BoardCandidate) -> None:
    """Paint the strokes of a drawing: seen ones green, missed ones red."""
    t, thick = board.template, 2 * _thickness(canvas)
    places = np.round(board.samples_px * 16).astype(np.int64)
    near = np.abs(places) < 2**26  # cv2's fixed point numbers end there
    for k in range(len(places) - 1):
        if t.sample_links[k] == t.sample_links[k + 1] and near[k : k + 2].all():
            colour = SEEN_LINE_BGR if board.sample_seen[k : k + 2].all() else MISSED_LINE_BGR
            cv2.line(canvas, places[k].tolist(), places[k + 1].tolist(), colour, thick, cv2.LINE_AA, 4)


def draw_rings(canvas: Image, points_px: Float64Array, colours: Sequence[str | None]) -> None:
    """Paint a ring round each stone in its colour (``#rrggbb``) at points (n, 2); None where a point is bare."""
    for place, spacing, colour in zip(points_px, spacings(points_px), colours, strict=True):
        if colour is not None:
            red, green, blue = bytes.fromhex(colour[1:])
            _draw_ring(canvas, place, spacing / 4, (blue, green, red), 3 * _thickness(canvas))


def _draw_stones(canvas: Image, field: Field, reading: PhotographReading) -> None:
    """Paint a ring in its colour round each stone, the letter of its group in it, and a thin ring round each doubt."""
    colours = dict(reading.groups)
    draw_rings(canvas, field.points_px, [None if stone is None else colours[stone] for stone in reading.stones])
    for i, (place, spacing) in enumerate(zip(field.points_px, field.spacing_px, strict=True)):
        if (letter := reading.stones[i]) is not None:
            _draw_letter(canvas, letter, place, spacing / 4)
        if reading.p[i] < SURE:
            cv2.circle(canvas, _pixel(place), round(spacing / 2), TEXT_BGR, _thickness(canvas), cv2.LINE_AA)


def _draw_letter(canvas: Image, letter: str, centre_px: Float64Array, height_px: float) -> None:
    """Paint a letter in the middle of a stone."""
    (_, unit), _ = cv2.getTextSize(letter, FONT, 1.0, 1)
    size, thick = max(0.5, height_px / unit), max(1, round(height_px / 12))
    (width, height), _ = cv2.getTextSize(letter, FONT, size, thick)
    _draw_text(canvas, letter, _pixel(centre_px + (-width / 2, height / 2)), size, WHITE_BGR, thick)
