"""The check of a board in, what people read out: sentences, the photograph drawn over, a sheet to print, JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import cv2
import numpy as np

from calibration.making.board_check import BoardCheck
from calibration.making.stroke_faults import BoardFault
from calibration.placement import METER_LIMITS
from calibration.report import figure_html, page_start
from calibration.step_texts import phrase
from languages import translated
from referee.presets import game_name
from referee.typed_json import write
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.homography import spacings
from vision.overlay import FONT, SEEN_LINE_BGR, WHITE_BGR, draw_points

# colours of the faults in the picture, one after the other: red, orange, pink, blue, yellow, violet; none is the green
# of what is well
FAULT_BGR = ((60, 60, 235), (0, 140, 255), (220, 70, 190), (225, 140, 20), (30, 190, 225), (170, 60, 100))

MOST_NAMES = 6  # most names of points that a sentence lists
PICTURE_PX = (900, 1600)  # longer side of the picture that is drawn over, px: names can be read, the sheet stays small
LINE_KINDS = ("missing_link", "pale_line")  # kinds of faults that lie along a line
RING_SPACINGS = (0.3, 0.35, 0.4)  # radii of the rings round faults, one after the other: rings of one point lie apart


@dataclass(frozen=True, slots=True)
class FaultText:
    """One fault in words: its letter in the picture, its colour there (``#rrggbb``), what is wrong and what to do."""

    letter: str
    colour: str
    what: str
    advice: str


def check_title(check: BoardCheck, language: str = "en") -> str:
    """Return in one sentence what came out."""
    if not check.is_found:
        return phrase("check.other" if check.other else "check.not_found", language)
    name, n = game_name(check.board or "", language), len(check.points)
    if check.is_good:
        return phrase("check.good" if check.strokes_px else "check.good.no_lines", language, n=n)
    n_cut = sum(len(fault.points) for fault in check.faults if fault.kind == "cut_off")
    how_many = "one" if len(check.faults) == 1 else "many"
    return " ".join(
        (
            phrase("check.found.cut" if n_cut else "check.found", language, board=name, n=n, seen=n - n_cut),
            phrase(f"check.faults.{how_many}", language, n=len(check.faults)),
        )
    )


def not_found_texts(check: BoardCheck, language: str = "en") -> tuple[str, str]:
    """Return why no board was found, or which other one, and what to look at."""
    if check.other is not None:
        board, name = (game_name(name, language) for name in check.other)
        return phrase("check.other.board", language, board=board, told=name), phrase("check.other.advice", language)
    return str(translated(check.why_not, language)), phrase("check.not_found.advice", language)


def fault_texts(check: BoardCheck, language: str = "en") -> tuple[FaultText, ...]:
    """Return every fault in words, in the order of the check."""
    texts = []
    for k, fault in enumerate(check.faults):
        key = "one_colour" if fault.kind == "alike_paints" and not fault.colours else fault.kind
        what = phrase(
            f"check.{key}",
            language,
            where=_where(fault, check, language),
            percent=round(100 * fault.amount),
            n=max(1, round(100 * fault.amount)),
            px=round(fault.amount),
            least=round(METER_LIMITS["pebble"].fair),
        )
        blue, green, red = _colour(k)
        advice = phrase(f"check.{fault.kind}.advice", language)
        texts.append(FaultText(_letter(k), f"#{red:02x}{green:02x}{blue:02x}", what, advice))
    return tuple(texts)


def _letter(k: int) -> str:
    return chr(ord("A") + k) if k < 26 else str(k + 1)


def _colour(k: int) -> tuple[int, int, int]:
    return FAULT_BGR[k % len(FAULT_BGR)]


def _where(fault: BoardFault, check: BoardCheck, language: str) -> str:
    """Return where a fault lies, in words."""
    points, beside = (", ".join(names) for names in (fault.points, fault.beside))
    if fault.kind in LINE_KINDS:
        if not points:
            return phrase("check.edge", language, a=beside)
        if beside:
            return phrase("check.between", language, a=points, b=beside)
        return phrase("check.line", language, a=fault.points[0], b=fault.points[-1])
    if len(fault.points) == len(check.points):
        return phrase("check.everywhere", language)
    more = len(fault.points) - MOST_NAMES
    return points if more <= 0 else phrase("check.and_more", language, some=", ".join(fault.points[:-more]), n=more)


def draw_check(bgr: Image, check: BoardCheck) -> Image:
    """Return the photograph drawn over: lines in green, points with their names, faults in colours with letters.

    It is enlarged or reduced to ``PICTURE_PX``; ``bgr`` is not changed.
    """
    longest = max(bgr.shape[:2])
    scale = float(np.clip(longest, *PICTURE_PX)) / longest
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    size = round(bgr.shape[1] * scale), round(bgr.shape[0] * scale)
    picture = np.asarray(cv2.resize(bgr, size, interpolation=how), np.uint8) if scale != 1 else bgr.copy()
    if not check.is_found:
        return picture
    thick = max(1, round(max(size) / 800))
    for way in check.strokes_px:
        _draw_way(picture, way * scale, SEEN_LINE_BGR, thick)
    points = np.array([(x, y) for _, x, y in check.points]) * scale
    spacing = float(np.median(spacings(points)))
    badges = []
    for k, fault in enumerate(check.faults):
        places = fault.places_px * scale
        if fault.kind in LINE_KINDS:
            _draw_way(picture, places, _colour(k), 3 * thick)
            badges.append((k, places[len(places) // 2]))
            continue
        radius = round(RING_SPACINGS[k % len(RING_SPACINGS)] * spacing)
        for place in places:
            cv2.circle(picture, _pixel(place), radius, _colour(k), 2 * thick, cv2.LINE_AA)
        badges.append((k, places[0] - radius / np.sqrt(2)))
    draw_points(picture, points, [name for name, _, _ in check.points])
    for k, place in badges:
        _draw_badge(picture, _letter(k), place, _colour(k), 9 * thick)
    return picture


def _pixel(place: Float64Array) -> tuple[int, int]:
    return round(float(place[0])), round(float(place[1]))


def _draw_way(picture: Image, way: Float64Array, colour: tuple[int, int, int], thick: int) -> None:
    places = np.clip(np.round(way * 16), -(2**25), 2**25).astype(np.int32)  # cv2's fixed point numbers end there
    cv2.polylines(picture, [places.reshape(-1, 1, 2)], False, colour, thick, cv2.LINE_AA, 4)


def _draw_badge(picture: Image, letter: str, place: Float64Array, colour: tuple[int, int, int], radius_px: int) -> None:
    """Paint a letter on a disc of its fault's colour, wholly in the picture."""
    x, y = _pixel(np.clip(place, radius_px + 2, np.array(size_of(picture)) - radius_px - 3))
    cv2.circle(picture, (x, y), radius_px + 2, WHITE_BGR, -1, cv2.LINE_AA)
    cv2.circle(picture, (x, y), radius_px, colour, -1, cv2.LINE_AA)
    size, thick = radius_px / 15, max(1, radius_px // 6)
    (wide, high), _ = cv2.getTextSize(letter, FONT, size, thick)
    cv2.putText(picture, letter, (x - wide // 2, y + high // 2), FONT, size, WHITE_BGR, thick, cv2.LINE_AA)


def check_json(check: BoardCheck, language: str = "en") -> dict[str, Any]:
    """Return the check as JSON values; the sentences in one language.

    Without a board: ``board`` null, ``reason`` and ``advice``. Else ``board``, ``drawing``, ``confidence``, ``good``,
    ``points`` by name, ``stones`` and ``faults``, each with ``letter``, ``kind``, ``points``, ``beside``, ``amount``,
    ``colours``, ``text`` and ``advice`` (see ``BoardFault``).
    """
    if not check.is_found:
        reason, advice = not_found_texts(check, language)
        return {"board": None, "good": False, "reason": reason, "advice": advice}
    texts = fault_texts(check, language)
    return {
        "board": check.board,
        "drawing": check.drawing,
        "confidence": round(check.confidence, 4),
        "good": check.is_good,
        "points": {name: {"x": round(x, 1), "y": round(y, 1)} for name, x, y in check.points},
        "stones": dict(check.stones),
        "faults": [
            {"letter": text.letter, **write(fault), "text": text.what, "advice": text.advice}
            for fault, text in zip(check.faults, texts, strict=True)
        ],
    }


def check_html(bgr: Image, check: BoardCheck, language: str = "en") -> str:
    """Return one sheet to print or keep: the picture drawn over and what to do, in a page of its own."""
    key = "check.picture" if check.faults else "check.picture.good"
    caption = phrase(key, language) if check.is_found else ""
    say = [page_start(phrase("check.title", language), language, "check good" if check.is_good else "check")]
    say.append(f"<p class=sum>{escape(check_title(check, language))}</p>")
    if not check.is_found:
        say += [f"<p>{escape(text)}</p>" for text in not_found_texts(check, language)]
    say += [figure_html(draw_check(bgr, check), caption), "<ol>"]
    for fault, text in zip(check.faults, fault_texts(check, language), strict=True):
        pots = "".join(f"<i style='background:{colour}'></i>" for colour in fault.colours)
        say.append(
            f"<li style='--fault:{text.colour}'><b>{text.letter}</b><div><p>{escape(text.what)}{pots}</p>"
            f"<p>{escape(text.advice)}</p></div></li>"
        )
    return "".join(say) + "</ol>\n"
