"""Figures for the docs, drawn with OpenCV alone so that nothing has to be installed for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from vision.imaging.frame import Image

INK, FAINT, PAPER = (60, 50, 45), (215, 210, 205), (255, 255, 255)
HUES = ((160, 90, 20), (40, 110, 210), (70, 140, 50), (130, 60, 140), (40, 40, 160), (140, 140, 0))
FONT = cv2.FONT_HERSHEY_SIMPLEX


def words(
    picture: Image, text: str, at: tuple[int, int], size: float = 0.45, colour: tuple[int, int, int] = INK
) -> None:
    """Write with the lower left corner of the text ``at`` a place."""
    cv2.putText(picture, text, at, FONT, size, colour, 1, cv2.LINE_AA)


def centred(picture: Image, text: str, at: tuple[int, int], size: float = 0.45) -> None:
    """Write with the middle of the text ``at`` a place."""
    width = cv2.getTextSize(text, FONT, size, 1)[0][0]
    words(picture, text, (at[0] - width // 2, at[1]), size)


def reliability_picture(curves: Mapping[str, Sequence[tuple[float, float, int]]], least: float = 0.0) -> Image:
    """Share that is right over the confidence given, from ``least`` on.

    Each curve has a (mean, share, n) for every step of the confidence.
    """
    side, left, top = 420, 70, 30
    picture = np.full((side + 74 + 18 * max(2, len(curves)), side + 120, 3), 255, np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        across, up = ((max(share, least) - least) / (1 - least) for share in (x, y))
        return round(left + across * side), round(top + (1 - up) * side)

    for share in np.linspace(least, 1, 6):
        cv2.line(picture, at(share, 0), at(share, 1), FAINT, 1)
        cv2.line(picture, at(0, share), at(1, share), FAINT, 1)
        centred(picture, f"{share:.1f}", (at(share, 0)[0], top + side + 18))
        words(picture, f"{share:.1f}", (left - 34, at(0, share)[1] + 5))
    cv2.line(picture, at(0, 0), at(1, 1), (150, 150, 150), 1, cv2.LINE_AA)
    centred(picture, "confidence given", (left + side // 2, top + side + 38))
    words(picture, "share that is right", (8, 18))
    for (name, steps), hue in zip(curves.items(), HUES, strict=False):
        places = [at(mean, share) for mean, share, _ in steps]
        for a, b in zip(places, places[1:], strict=False):
            cv2.line(picture, a, b, hue, 2, cv2.LINE_AA)
        for place, (_, _, n) in zip(places, steps, strict=True):
            cv2.circle(picture, place, round(3 + 1.2 * np.log2(n)), hue, 1, cv2.LINE_AA)
            cv2.circle(picture, place, 3, hue, -1, cv2.LINE_AA)
        row = top + side + 58 + 18 * list(curves).index(name)
        cv2.line(picture, (left, row - 4), (left + 26, row - 4), hue, 2)
        words(picture, f"{name} (of {sum(n for _, _, n in steps)})", (left + 34, row))
    return picture


def sweep_picture(panels: Mapping[str, Sequence[tuple[float, float, float]]]) -> Image:
    """One panel an axis, values evenly apart from mild to hard: share found above, 95 % error of the points below.

    Each panel is a sequence of (value, share found, p95 error in spacings).
    """
    return grid_of([_panel(title, steps) for title, steps in panels.items()], across=3)


def grid_of(pictures: Sequence[Image], across: int) -> Image:
    """Pictures of one size side by side and in rows."""
    blank = np.full_like(pictures[0], 255)
    filled = [*pictures, *[blank] * (-len(pictures) % across)]
    return np.vstack([np.hstack(filled[k : k + across]) for k in range(0, len(filled), across)])


def _panel(title: str, steps: Sequence[tuple[float, float, float]]) -> Image:
    width, left, right = 430, 60, 410
    picture = np.full((330, width, 3), 255, np.uint8)
    centred(picture, title, (width // 2, 20), 0.5)

    def column(k: int) -> int:
        return round(left + (right - left) * k / max(1, len(steps) - 1))

    def found_row(share: float) -> int:
        return round(180 - 140 * share)

    def error_row(error: float) -> int:
        return round(290 - 85 * min(error, 0.3) / 0.3)

    for share in (0.0, 0.5, 1.0):
        cv2.line(picture, (left, found_row(share)), (right, found_row(share)), FAINT, 1)
        words(picture, f"{share:.0%}", (8, found_row(share) + 5), 0.4)
    for error in (0.0, 0.15, 0.3):
        cv2.line(picture, (left, error_row(error)), (right, error_row(error)), FAINT, 1)
        words(picture, f"{error:.2f}", (14, error_row(error) + 5), 0.4)
    words(picture, "found", (left + 4, 194), 0.38, HUES[0])
    words(picture, "p95 error, spacings", (left + 4, 216), 0.38, HUES[1])
    for k, (value, _, _) in enumerate(steps):
        centred(picture, f"{value:g}", (column(k), 312), 0.4)
    for hue, rows in (
        (HUES[0], [found_row(share) for _, share, _ in steps]),
        (HUES[1], [error_row(error) if np.isfinite(error) else None for _, _, error in steps]),
    ):
        places = [(column(k), row) for k, row in enumerate(rows) if row is not None]
        for a, b in zip(places, places[1:], strict=False):
            cv2.line(picture, a, b, hue, 2, cv2.LINE_AA)
        for place in places:
            cv2.circle(picture, place, 4, hue, -1, cv2.LINE_AA)
    return picture


def cells_picture(title: str, rows: Sequence[str], columns: Sequence[str], shares: Sequence[Sequence[float]]) -> Image:
    """A table of shares, each cell the greener the larger; a share that is not a number stays blank."""
    wide, tall, left, top = 62, 34, 90, 62
    picture = np.full((top + tall * len(rows) + 12, left + wide * len(columns) + 12, 3), 255, np.uint8)
    words(picture, title, (8, 20))
    for k, column in enumerate(columns):
        centred(picture, column, (left + wide * k + wide // 2, top - 10), 0.4)
    for j, (row, of_row) in enumerate(zip(rows, shares, strict=True)):
        words(picture, row, (8, top + tall * j + 22), 0.4)
        for k, share in enumerate(of_row):
            if np.isfinite(share):
                low, high = np.array([110, 120, 235]), np.array([130, 200, 120])
                place = (left + wide * k, top + tall * j)
                colour = (low + share * (high - low)).tolist()
                cv2.rectangle(picture, place, (place[0] + wide - 2, place[1] + tall - 2), colour, -1)
                centred(picture, f"{share:.0%}", (place[0] + wide // 2, place[1] + 22), 0.4)
    return picture
