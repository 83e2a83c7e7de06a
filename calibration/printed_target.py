"""The target with which a lens is measured, to be printed or shown on a tablet: true to scale, as PDF and as SVG.

A ChArUco board is a chessboard with a marker in every white square: its corners are as sharp as a chessboard's, and
each is known by name, so that a view counts even when a part of the sheet is cut off or covered. Both formats are
written by plain code (rectangles and a few lines of text): a library for either would be larger than this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.step_texts import phrase

TARGET_COLUMNS, TARGET_ROWS = 9, 6
"""Columns and rows of squares: more would be too small for a webcam at arm's length, fewer would give too few corners.
Source: chosen."""

SQUARE_MM = 28.0
"""Side of a square, mm: the largest with which A4 and Letter keep a margin that every printer can print.
Source: chosen."""

MARKER_MM = 21.0
"""Side of a marker, mm. Its modules are 3.5 mm, an eighth of a square, so that everything lies on one grid.
Source: chosen."""

MODULES_PER_SQUARE = 8
"""Modules along the side of a square, count. Source: chosen."""

PAPER_SIZES_MM = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
"""Width and height of the papers in landscape, mm. Source: ISO 216; ANSI/ASME Y14.1."""

RULER_MM = 100.0
"""Length of the line that checks the scale of the printer, mm. Source: chosen."""

_POINTS_PER_MM = 72 / 25.4
"""Units of PDF user space per millimetre; a unit is 1/72 inch. Source: PDF 1.4 reference, section 4.2.1."""

Rectangle = tuple[float, float, float, float]
"""Left, top, width and height of a rectangle, mm; y runs down."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text: where its baseline begins (mm), how high its letters are (mm), what it says."""

    x: float
    y: float
    size: float
    text: str


@dataclass(frozen=True, slots=True)
class TargetSheet:
    """A page with the target, in mm from its upper left corner.

    Attributes
    ----------
    size_mm : (float, float)
        Width and height of the paper.
    black : tuple of Rectangle
        Modules of the target and the ruler.
    lines : tuple of TextLine
        Instructions for people.
    origin_mm : (float, float)
        Upper left corner of the chessboard.
    """

    size_mm: tuple[float, float]
    black: tuple[Rectangle, ...]
    lines: tuple[TextLine, ...]
    origin_mm: tuple[float, float]


@cache
def charuco_board() -> cv2.aruco.CharucoBoard:
    """Return the target as OpenCV describes it; lengths in mm."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)  # few large modules: readable from afar
    return cv2.aruco.CharucoBoard((TARGET_COLUMNS, TARGET_ROWS), SQUARE_MM, MARKER_MM, dictionary)


@cache
def target_corners_mm() -> NDArray[np.float64]:
    """Return the inner corners of the chessboard in the order of their ids, shape (n_corners, 3), mm, z = 0."""
    found = np.asarray(charuco_board().getChessboardCorners(), np.float64).reshape(-1, 3)
    found.setflags(write=False)
    return found


@cache
def black_modules() -> NDArray[np.bool_]:
    """Return which modules of OpenCV's drawing are black, one row and column for each module of the target."""
    times = 8
    size = TARGET_COLUMNS * MODULES_PER_SQUARE * times, TARGET_ROWS * MODULES_PER_SQUARE * times
    drawn = np.asarray(charuco_board().generateImage(size, marginSize=0, borderBits=1), np.uint8)
    black: NDArray[np.bool_] = drawn[times // 2 :: times, times // 2 :: times] < 128
    return black


def black_rectangles() -> tuple[Rectangle, ...]:
    """Return the black parts of the target as few rectangles, mm from its upper left corner.

    Equal runs of neighbouring rows are merged, because seams between them would show as hairlines.
    """
    side = SQUARE_MM / MODULES_PER_SQUARE
    done: list[Rectangle] = []
    growing: dict[tuple[int, int], int] = {}  # run of columns: first row
    for row, line in enumerate([*black_modules(), np.zeros(TARGET_COLUMNS * MODULES_PER_SQUARE, np.bool_)]):
        steps = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(np.int8), [0]])))
        runs = {(int(a), int(b)) for a, b in zip(steps[::2], steps[1::2], strict=True)}
        for (a, b), first in list(growing.items()):
            if (a, b) not in runs:
                done.append((a * side, first * side, (b - a) * side, (row - first) * side))
                del growing[(a, b)]
        for run in runs:
            growing.setdefault(run, row)
    return tuple(sorted(done, key=lambda r: (r[1], r[0])))


def target_sheet(paper: str, language: str = "en") -> TargetSheet:
    """Return a page with the target, the ruler and instructions.

    Parameters
    ----------
    paper : str
        "a4" or "letter".
    language : str
        Of the sentences.

    Raises
    ------
    ValueError
        When the paper or the language is not known.
    """
    if paper not in PAPER_SIZES_MM:
        raise ValueError(f"paper must be one of {', '.join(PAPER_SIZES_MM)}, got {paper!r}")
    width, height = PAPER_SIZES_MM[paper]
    wide, high = TARGET_COLUMNS * SQUARE_MM, TARGET_ROWS * SQUARE_MM
    left, top = (width - wide) / 2, 9.0
    black = [(x + left, y + top, w, h) for x, y, w, h in black_rectangles()]
    ruler_y = top + high + 12.0
    black.append((left, ruler_y - 0.2, RULER_MM, 0.4))
    for tick in range(0, round(RULER_MM) + 1, 10):
        length = 4.0 if tick % 50 == 0 else 2.4
        black.append((left + tick - 0.15, ruler_y - length, 0.3, length))
    lines = [TextLine(left + RULER_MM + 3, ruler_y, 4.2, phrase("pattern.ruler", language, mm=round(RULER_MM)))]
    for k, key in enumerate(("pattern.print", "pattern.use")):
        lines.append(TextLine(left, ruler_y + 6.5 + 5.2 * k, 3.5, phrase(key, language)))
    return TargetSheet((width, height), tuple(black), tuple(lines), (left, top))


def sheet_svg(page: TargetSheet) -> str:
    """Return the page as SVG whose user unit is a millimetre."""
    width, height = page.size_mm
    path = "".join(f"M{x:g} {y:g}h{w:g}v{h:g}h{-w:g}z" for x, y, w, h in page.black)
    texts = "".join(
        f'<text x="{line.x:g}" y="{line.y:g}" font-size="{line.size:g}">{_escaped(line.text)}</text>'
        for line in page.lines
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="Helvetica, Arial, sans-serif">'
        f'<path fill="#fff" d="M0 0h{width:g}v{height:g}H0z"/><path d="{path}"/>{texts}</svg>\n'
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def sheet_pdf(page: TargetSheet) -> bytes:
    """Return the page as PDF 1.4: one content stream, one of the fonts that every reader has.

    References
    ----------
    PDF Reference, third edition (PDF 1.4): section 3.4 (file structure), 4.4 (paths), 5.5 (fonts).
    """
    width, height = page.size_mm
    drawn = [f"{_POINTS_PER_MM:.8f} 0 0 {_POINTS_PER_MM:.8f} 0 0 cm", "0 g"]
    drawn += [f"{x:.4f} {height - y - h:.4f} {w:.4f} {h:.4f} re" for x, y, w, h in page.black]
    drawn.append("f")
    stream = "\n".join(drawn).encode("ascii")
    for line in page.lines:
        text = line.text.encode("cp1252", "replace")  # WinAnsiEncoding: enough for the languages of western Europe
        for sign in (b"\\", b"(", b")"):
            text = text.replace(sign, b"\\" + sign)
        place = f"\nBT /F1 {line.size:.3f} Tf {line.x:.4f} {height - line.y:.4f} Td (".encode("ascii")
        stream += place + text + b") Tj ET"
    box = f"[0 0 {width * _POINTS_PER_MM:.3f} {height * _POINTS_PER_MM:.3f}]"
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, body in enumerate(bodies, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(bodies) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        table,
        size,
        len(out),
    )
