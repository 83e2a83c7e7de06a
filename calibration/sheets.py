"""Sheets of paper with marks in millimetres in, a PDF of several pages or SVG out.

Marks are lines, rings, boxes, texts, and windows onto other marks. Places are mm from the upper left corner of the
sheet, y down. Both writers are plain code: a library for either would be larger than this file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar

from referee.board import Xy

Rectangle = tuple[float, float, float, float]  # left, top, width and height of a rectangle, mm; y runs down

# width and height of papers, upright, mm; source: ISO 216; ANSI/ASME Y14.1
PAPERS_MM: dict[str, Xy] = {"a4": (210.0, 297.0), "a3": (297.0, 420.0), "letter": (215.9, 279.4)}

RULER_MM = 100.0  # length of the line that checks the scale of the printer, mm
RULER_WIDTH_MM, TICK_WIDTH_MM = 0.4, 0.3  # width of that line and of its ticks, mm
TICKS_MM = (4.0, 2.4)  # length of a tick at 0, 5 and 10 cm, and of the others, mm
DIGIT_WIDTH = 0.556  # width of a digit, fraction of the height of its font; source: font metrics of Helvetica
DIGIT_MIDDLE = 0.36  # height of its middle over the baseline, the same; source: font metrics of Helvetica
_POINTS_PER_MM = 72 / 25.4  # units of PDF user space, 1/72 inch; source: PDF 1.4 reference, section 4.2.1
_BEZIER_QUARTER = 0.5522847498  # of the control points of a quarter circle, radii; source: 4/3 (sqrt 2 - 1)


@dataclass(frozen=True, slots=True)
class Line:
    """A stroke through ``points`` with round ends; ``ink`` 0 is black and 1 white, ``dash`` is mm on, mm off."""

    points: tuple[Xy, ...]
    width: float
    ink: float = 0.0
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Ring:
    """A round stroke whose ``radius`` reaches to its middle; where it has no ``width``, a filled circle."""

    centre: Xy
    radius: float
    width: float = 0.0
    ink: float = 0.0
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Boxes:
    """Filled rectangles."""

    rectangles: tuple[Rectangle, ...]
    ink: float = 0.0
    width: ClassVar[float] = 0.0
    dash: ClassVar[tuple[float, ...]] = ()


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text: beginning of its baseline (mm), height of its font (mm), words."""

    x: float
    y: float
    size: float
    text: str
    ink: float = 0.0


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of another drawing; its upper left corner lies at ``at`` on this one."""

    box: Rectangle
    at: Xy
    marks: tuple[Mark, ...]


Path = Line | Ring | Boxes
Mark = Path | TextLine | Window


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: width and height (mm), and its marks, the lowest first."""

    size_mm: Xy
    marks: tuple[Mark, ...]


def outline(box: Rectangle, width: float, ink: float = 0.0, dash: tuple[float, ...] = ()) -> Line:
    """Return the rim of a rectangle."""
    x, y, w, h = box
    return Line(((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)), width, ink, dash)


def _segments(mark: Path) -> list[tuple[str, Sequence[float]]]:
    """Return the way of a mark as SVG names its parts: M begins, L is straight, C a Bézier curve, Z closes."""
    match mark:
        case Line(points):
            return [("L" if k else "M", place) for k, place in enumerate(points)]
        case Boxes(rectangles):
            return [segment for box in rectangles for segment in _segments(outline(box, 0.0))]
        case Ring((x, y), r):
            k = r * _BEZIER_QUARTER
            return [
                ("M", (x + r, y)),
                ("C", (x + r, y - k, x + k, y - r, x, y - r)),
                ("C", (x - k, y - r, x - r, y - k, x - r, y)),
                ("C", (x - r, y + k, x - k, y + r, x, y + r)),
                ("C", (x + k, y + r, x + r, y + k, x + r, y)),
                ("Z", ()),
            ]


def bounds(marks: Iterable[Mark]) -> Rectangle:
    """Return the rectangle round all paths, mm; strokes with their width, no texts."""
    xs, ys = list[float](), list[float]()
    for mark in marks:
        if isinstance(mark, Path):
            for x, y in (numbers[-2:] for _, numbers in _segments(mark) if numbers):
                xs += [x - mark.width / 2, x + mark.width / 2]
                ys += [y - mark.width / 2, y + mark.width / 2]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


def ruler(left: float, bottom: float) -> Boxes:
    """Return the ruler that checks the scale of the printer, with a tick each centimetre."""
    ticks = [(tick, TICKS_MM[tick % 50 != 0]) for tick in range(0, round(RULER_MM) + 1, 10)]
    line = (left, bottom - RULER_WIDTH_MM / 2, RULER_MM, RULER_WIDTH_MM)
    return Boxes(
        (line, *((left + at - TICK_WIDTH_MM / 2, bottom - length, TICK_WIDTH_MM, length) for at, length in ticks))
    )


def centred_number(place: Xy, size: float, text: str, ink: float = 0.0) -> TextLine:
    """Return digits whose middle lies at a place."""
    return TextLine(place[0] - DIGIT_WIDTH * size * len(text) / 2, place[1] + DIGIT_MIDDLE * size, size, text, ink)


# ------------------------------------------------------------------ SVG


def sheet_svg(sheet: Sheet, title: str = "") -> str:
    """Return a sheet as SVG as large as the paper, its user unit a millimetre; ``title`` is for screen readers."""
    width, height = sheet.size_mm
    box = f'viewBox="0 0 {width:g} {height:g}" font-family="Helvetica, Arial, sans-serif"'
    size = f'width="{width:g}mm" height="{height:g}mm"'
    ground = f'<path fill="#fff" d="M0 0h{width:g}v{height:g}H0z"/>'
    heading = f' role="img"><title>{escape(title, quote=False)}</title>' if title else ">"
    marks = "".join(map(_svg_of, sheet.marks))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}{heading}{ground}{marks}</svg>\n'


def _svg_of(mark: Mark) -> str:
    match mark:
        case TextLine(x, y, size, text, ink):
            words = escape(text, quote=False)
            return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}"{_svg_colour("fill", ink)}>{words}</text>'
        case Window((left, top, w, h), (x, y), marks):
            inside = "".join(map(_svg_of, marks))
            place = f'x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" viewBox="{left:g} {top:g} {w:g} {h:g}"'
            return f"<svg {place}>{inside}</svg>"
        case Ring((x, y), radius):
            shape = f'circle cx="{x:g}" cy="{y:g}" r="{radius:g}"'
        case Line() | Boxes():
            path = "".join(
                name + " ".join(f"{round(n, 4) + 0.0:g}" for n in numbers) for name, numbers in _segments(mark)
            )
            shape = f'path d="{path}"'
    if not mark.width:
        return f"<{shape}{_svg_colour('fill', mark.ink)}/>"
    dash = " ".join(f"{d:g}" for d in mark.dash)
    dashed = f'stroke-dasharray="{dash}"' if dash else 'stroke-linecap="round"'
    colour = _svg_colour("stroke", mark.ink)
    return f'<{shape} fill="none" stroke-width="{mark.width:g}" {dashed}{colour}/>'


def _svg_colour(what: str, ink: float) -> str:
    grey = f"{round(255 * ink):02x}"
    return f' {what}="#{grey * 3}"' if ink or what == "stroke" else ""


# ------------------------------------------------------------------ PDF


def sheets_pdf(sheets: Collection[Sheet]) -> bytes:
    """Return sheets as PDF 1.4: a content stream a page, one of the fonts that every reader has.

    Source: PDF Reference, third edition, sections 3.4 (file structure), 4.4 (paths) and 5.5 (fonts).
    """
    first_page = 4
    pages = [first_page + 2 * k for k in range(len(sheets))]
    kids = " ".join(f"{number} 0 R" for number in pages)
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>".encode("ascii"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, sheet in zip(pages, sheets, strict=True):
        width, height = (side * _POINTS_PER_MM for side in sheet.size_mm)
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode("ascii")
        )
        in_mm = f"{_POINTS_PER_MM:.8f} 0 0 {-_POINTS_PER_MM:.8f} 0 {height:.6f} cm\n1 j"  # y runs down from here on
        operators = "\n".join((in_mm, *map(_pdf_of, sheet.marks)))
        stream = operators.encode("cp1252", "replace")  # WinAnsiEncoding: enough for western Europe
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    return _pdf_file(bodies)


def _pdf_file(bodies: Sequence[bytes]) -> bytes:
    """Return the file with these objects, numbered from 1; the first is the catalogue."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(bodies, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, end = len(bodies) + 1, len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\n" % (size, table, size)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % end)


_PDF_OPERATORS = {"M": "m", "L": "l", "C": "c", "Z": "h"}  # by the names of SVG; source: PDF 1.4 reference, table 4.9


def _pdf_of(mark: Mark) -> str:
    """Return the operators that draw a mark."""
    match mark:
        case TextLine(x, y, size, text, ink):
            for sign in ("\\", "(", ")"):
                text = text.replace(sign, "\\" + sign)
            return f"{ink:.3f} g BT /F1 {size:.3f} Tf 1 0 0 -1 {x:.4f} {y:.4f} Tm ({text}) Tj ET"
        case Window((left, top, w, h), (x, y), marks):
            inside = "\n".join(map(_pdf_of, marks))
            there = f"1 0 0 1 {x - left:.4f} {y - top:.4f} cm"
            return f"q {there} {left:.4f} {top:.4f} {w:.4f} {h:.4f} re W n\n{inside}\nQ"
    path = "\n".join(
        " ".join((*(f"{n:.4f}" for n in numbers), _PDF_OPERATORS[name])) for name, numbers in _segments(mark)
    )
    if not mark.width:
        return f"{mark.ink:.3f} g {path} f"
    dash = " ".join(f"{d:.3f}" for d in mark.dash)
    return f"{mark.ink:.3f} G {mark.width:.4f} w {0 if dash else 1} J [{dash}] 0 d {path} S"
