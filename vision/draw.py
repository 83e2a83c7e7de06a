"""Overlays for people: what was seen, painted over the picture. Nobody in ``vision`` imports this."""

from __future__ import annotations

import cv2
import numpy as np

from vision.field import Field, NotRegistered, Registration
from vision.frame import Image
from vision.reading import Reading

LINE_BGR = (60, 220, 60)
BARE_BGR = (255, 255, 255)
TEXT_BGR = (0, 255, 255)


def draw_field(bgr: Image, field: Field, names: bool = True) -> Image:
    """Paint the edges and points of a field over a picture.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
        Left as it is.
    field : Field
    names : bool
        Write the name of each point beside it.

    Returns
    -------
    uint8 array of shape (H, W, 3)
    """
    painted = bgr.copy()
    thick = max(1, round(bgr.shape[1] / 900))
    places = [(round(float(x)), round(float(y))) for x, y in field.points_px]
    for a, b in field.board.edges:
        cv2.line(painted, places[a], places[b], LINE_BGR, thick, cv2.LINE_AA)
    for name, place in zip(field.board.points, places, strict=True):
        cv2.circle(painted, place, 3 * thick, BARE_BGR, thick, cv2.LINE_AA)
        if names:
            beside = (place[0] + 5 * thick, place[1] - 5 * thick)
            cv2.putText(painted, name, beside, cv2.FONT_HERSHEY_SIMPLEX, 0.4 * thick, TEXT_BGR, thick, cv2.LINE_AA)
    return painted


def draw_reading(bgr: Image, seen: Registration | NotRegistered, reading: Reading | None) -> Image:
    """Paint what ``millchen read`` saw: the field, each stone in the colour of its group, and how sure it is.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    seen : Registration or NotRegistered
        Where no field was found, the reason is written instead.
    reading : Reading or None
        Points about which it is less than 90 % sure get a dashed-looking double ring.

    Returns
    -------
    uint8 array of shape (H, W, 3)
    """
    scale = max(1.0, bgr.shape[1] / 900)
    if isinstance(seen, NotRegistered):
        painted = bgr.copy()
        words = seen.reason
        for row in range(0, len(words), 60):
            place = (round(10 * scale), round((24 + 0.4 * row) * scale))
            _write(painted, words[row : row + 60], place, scale)
        return painted
    painted = draw_field(bgr, seen.field)
    if reading is not None:
        colours = dict(reading.groups)
        for i, (x, y) in enumerate(seen.field.points_px):
            stone = reading.stones[i]
            if stone is not None:
                colour = _bgr(colours[stone])
                place, radius = (round(float(x)), round(float(y))), round(0.22 * float(seen.field.spacing_px[i]))
                cv2.circle(painted, place, radius + round(2 * scale), (0, 0, 0), round(2 * scale), cv2.LINE_AA)
                cv2.circle(painted, place, radius, colour, round(3 * scale), cv2.LINE_AA)
            if reading.p[i] < 0.9:
                place = (round(float(x)), round(float(y)))
                cv2.circle(painted, place, round(0.4 * float(seen.field.spacing_px[i])), TEXT_BGR, 1, cv2.LINE_AA)
    words = f"{seen.field.board.name} ({seen.field.drawing}), {seen.confidence:.0%} sure"
    _write(painted, words, (round(10 * scale), round(24 * scale)), scale)
    return painted


def _write(picture: Image, words: str, place: tuple[int, int], scale: float) -> None:
    size, font = 0.55 * scale, cv2.FONT_HERSHEY_SIMPLEX
    (width, height), below = cv2.getTextSize(words, font, size, round(scale))
    corner = place[0] + width + 4, place[1] + below + 2
    cv2.rectangle(picture, (place[0] - 4, place[1] - height - 4), corner, (40, 40, 40), cv2.FILLED)
    cv2.putText(picture, words, place, font, size, TEXT_BGR, round(scale), cv2.LINE_AA)


def _bgr(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return blue, green, red


def encode_png(picture: Image) -> bytes:
    """A picture as the bytes of a PNG file."""
    _, data = cv2.imencode(".png", picture)
    return np.asarray(data, np.uint8).tobytes()
