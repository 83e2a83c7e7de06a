"""Sheets of paper with marks in millimetres in, a PDF of several pages or SVG out.

Marks are lines, rings, boxes, texts, and marks that are clipped to a rectangle. Places
are mm from the upper left corner of the sheet, y down. Both writers are plain code: a library for either would be
larger than this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import inf

from referee.board import Xy

Rectangle = tuple[float, float, float, float]  # left, top, width and height of a rectangle, mm; y runs down

# width and height of papers, upright, mm; source: ISO 216; ANSI/ASME Y14.1
PAPERS_MM: dict[str, Xy] = {"a4": (210.0, 297.0), "a3": (297.0, 420.0), "letter": (215.9, 279.4)}

RULER_MM = 100.0  # length of the line that checks the scale of the printer, mm
DIGIT_WIDTH = 0.556  # width of a digit, fraction of the height of its font; source: font metrics of Helvetica
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


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text: beginning of its baseline (mm), height of its font (mm), words."""

    x: float
    y: float
    size: float
    text: str
    ink: float = 0.0


@dataclass(frozen=True, slots=True)
class Clip:
    """Marks clipped to ``box``."""

    box: Rectangle
    marks: tuple[Mark, ...]


Mark = Line | Ring | Boxes | TextLine | Clip


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: width and height (mm), and its marks, the lowest first."""

    size_mm: Xy
    marks: tuple[Mark, ...]


def outline(box: Rectangle, width: float, ink: float = 0.0, dash: tuple[float, ...] = ()) -> Line:
    """Return the rim of a rectangle."""
    x, y, w, h = box
    return Line(((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)), width, ink, dash)


def moved(mark: Mark, right: float, down: float) -> Mark:
    """Return a mark moved by so many mm."""
    match mark:
        case Line(points):
            return replace(mark, points=tuple((x + right, y + down) for x, y in points))
        case Ring((x, y)):
            return replace(mark, centre=(x + right, y + down))
        case Boxes(rectangles):
            return replace(mark, rectangles=tuple((x + right, y + down, w, h) for x, y, w, h in rectangles))
        case TextLine(x, y):
            return replace(mark, x=x + right, y=y + down)
        case Clip((x, y, w, h), marks):
            return Clip((x + right, y + down, w, h), tuple(moved(each, right, down) for each in marks))


def bounds(marks: Iterable[Mark]) -> Rectangle:
    """Return the rectangle round all marks but texts, mm; strokes with their width."""
    left, top, right, bottom = inf, inf, -inf, -inf
    for mark in marks:
        match mark:
            case Line(points, width):
                boxes = [(x - width / 2, y - width / 2, width, width) for x, y in points]
            case Ring((x, y), radius, width):
                reach = radius + width / 2
                boxes = [(x - reach, y - reach, 2 * reach, 2 * reach)]
            case Boxes(rectangles):
                boxes = list(rectangles)
            case Clip(box):
                boxes = [box]
            case TextLine():
                boxes = []
        for x, y, w, h in boxes:
            left, top, right, bottom = min(left, x), min(top, y), max(right, x + w), max(bottom, y + h)
    return left, top, right - left, bottom - top


def touches(mark: Mark, box: Rectangle) -> bool:
    """Return whether a mark may touch a rectangle; a text counts with its greatest width."""
    if isinstance(mark, TextLine):
        reach = mark.size * len(mark.text)
        x, y, w, h = mark.x, mark.y - mark.size, reach, 2 * mark.size
    else:
        x, y, w, h = bounds([mark])
    left, top, width, height = box
    return x < left + width and x + w > left and y < top + height and y + h > top


def ruler_boxes(left: float, bottom: float) -> tuple[Rectangle, ...]:
    """Return the ruler that checks the scale of the printer, with a tick each centimetre."""
    ticks = [(tick, 4.0 if tick % 50 == 0 else 2.4) for tick in range(0, round(RULER_MM) + 1, 10)]
    return (
        (left, bottom - 0.2, RULER_MM, 0.4),
        *((left + tick - 0.15, bottom - length, 0.3, length) for tick, length in ticks),
    )


def centred_number(place: Xy, size: float, text: str, ink: float = 0.0) -> TextLine:
    """Return digits whose middle lies at a place."""
    return TextLine(place[0] - DIGIT_WIDTH * size * len(text) / 2, place[1] + 0.36 * size, size, text, ink)


# ------------------------------------------------------------------ SVG


def sheet_svg(sheet: Sheet, title: str = "", *, is_themed: bool = False) -> str:
    """Return a sheet as SVG whose user unit is a millimetre; ``title`` is for screen readers.

    It is as large as the paper, in greys on white. For a page, ``is_themed``, it is as wide as its place, in the colour
    of the text around it.
    """
    width, height = sheet.size_mm
    box = f'viewBox="0 0 {width:g} {height:g}" font-family="Helvetica, Arial, sans-serif"'
    size, ground = (
        f'width="{width:g}mm" height="{height:g}mm" ',
        f'<path fill="#fff" d="M0 0h{width:g}v{height:g}H0z"/>',
    )
    if is_themed:
        size, ground = 'class="sheet" ', ""
    named = f' role="img"><title>{escape(title, quote=False)}</title>' if title else ">"
    drawn = "".join(_svg_of(mark, is_themed) for mark in sheet.marks)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}{box}{named}{ground}{drawn}</svg>\n'


def _svg_of(mark: Mark, is_themed: bool) -> str:
    match mark:
        case Line(points, width, ink, dash):
            path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
            return f'<path d="{path}"{_svg_stroke(width, ink, dash, is_themed)}/>'
        case Ring((x, y), radius, width, ink, dash):
            how = _svg_stroke(width, ink, dash, is_themed) if width else _svg_colour("fill", ink, is_themed)
            return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"{how}/>'
        case Boxes(rectangles, ink):
            path = "".join(f"M{x:g} {y:g}h{w:g}v{h:g}h{-w:g}z" for x, y, w, h in rectangles)
            return f'<path d="{path}"{_svg_colour("fill", ink, is_themed)}/>'
        case TextLine(x, y, size, text, ink):
            escaped = escape(text, quote=False)
            return (
                f'<text x="{x:g}" y="{y:g}" font-size="{size:g}"{_svg_colour("fill", ink, is_themed)}>{escaped}</text>'
            )
        case Clip((x, y, w, h), marks):  # an inner svg clips to its place, and needs no name as a clip path would
            inside = "".join(_svg_of(each, is_themed) for each in marks)
            place = f'x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" viewBox="{x:g} {y:g} {w:g} {h:g}"'
            return f"<svg {place}>{inside}</svg>"


def _svg_stroke(width: float, ink: float, dash: tuple[float, ...], is_themed: bool) -> str:
    dashed = f' stroke-dasharray="{" ".join(f"{d:g}" for d in dash)}"' if dash else ' stroke-linecap="round"'
    return f' fill="none" stroke-width="{width:g}"{dashed}{_svg_colour("stroke", ink, is_themed)}'


def _svg_colour(what: str, ink: float, is_themed: bool) -> str:
    if is_themed:
        return f' {what}="currentColor"' + (f' {what}-opacity="{1 - ink:g}"' if ink else "")
    grey = f"{round(255 * ink):02x}"
    return f' {what}="#{grey * 3}"' if ink or what == "stroke" else ""


# ------------------------------------------------------------------ PDF


def sheets_pdf(sheets: Sequence[Sheet]) -> bytes:
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
        start = f"{_POINTS_PER_MM:.8f} 0 0 {_POINTS_PER_MM:.8f} 0 0 cm\n1 j"
        drawn = [start, *(_pdf_of(mark, sheet.size_mm[1]) for mark in sheet.marks)]
        stream = "\n".join(drawn).encode("cp1252", "replace")  # WinAnsiEncoding: enough for western Europe
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


def _pdf_of(mark: Mark, height: float) -> str:
    """Return the operators that draw a mark on a page of this height (mm), whose y runs up."""
    match mark:
        case Line(points, width, ink, dash):
            path = " ".join(f"{x:.4f} {height - y:.4f} {'l' if k else 'm'}" for k, (x, y) in enumerate(points))
            return f"{_pdf_stroke(width, ink, dash)} {path} S"
        case Ring(centre, radius, width, ink, dash):
            how = (_pdf_stroke(width, ink, dash), "s") if width else (f"{ink:.3f} g", "f")
            return f"{how[0]} {_pdf_circle(centre, radius, height)} {how[1]}"
        case Boxes(rectangles, ink):
            path = "\n".join(f"{x:.4f} {height - y - h:.4f} {w:.4f} {h:.4f} re" for x, y, w, h in rectangles)
            return f"{ink:.3f} g\n{path}\nf"
        case TextLine(x, y, size, text, ink):
            for sign in ("\\", "(", ")"):
                text = text.replace(sign, "\\" + sign)
            return f"{ink:.3f} g BT /F1 {size:.3f} Tf {x:.4f} {height - y:.4f} Td ({text}) Tj ET"
        case Clip((x, y, w, h), marks):
            inside = "\n".join(_pdf_of(each, height) for each in marks)
            return f"q {x:.4f} {height - y - h:.4f} {w:.4f} {h:.4f} re W n\n{inside}\nQ"


def _pdf_stroke(width: float, ink: float, dash: tuple[float, ...]) -> str:
    return f"{ink:.3f} G {width:.4f} w {0 if dash else 1} J [{' '.join(f'{d:.3f}' for d in dash)}] 0 d"


def _pdf_circle(centre: Xy, radius: float, height: float) -> str:
    x, y, r, k = centre[0], height - centre[1], radius, radius * _BEZIER_QUARTER
    quarters = (
        (x + r, y + k, x + k, y + r, x, y + r),
        (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r),
        (x + k, y - r, x + r, y - k, x + r, y),
    )
    curves = " ".join(" ".join(f"{n:.4f}" for n in quarter) + " c" for quarter in quarters)
    return f"{x + r:.4f} {y:.4f} m {curves}"
