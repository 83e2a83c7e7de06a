"""What stands on the pages of a PDF, by a reader that is not ours (PDFium)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

MM = 25.4 / 72


@dataclass(frozen=True)
class Drawn:
    """What PDFium sees of one path: its places in mm from the upper left of the page, and how it is painted."""

    kind: str  # "line", "circle" or "box"
    places: np.ndarray
    width: float
    is_filled: bool
    grey: int

    @property
    def middle(self) -> np.ndarray:
        return (self.places.min(axis=0) + self.places.max(axis=0)) / 2

    @property
    def radius(self) -> float:
        return float((self.places.max(axis=0) - self.places.min(axis=0)).mean() / 2)

    def moved(self, by: np.ndarray) -> Drawn:
        return Drawn(self.kind, self.places + by, self.width, self.is_filled, self.grey)


@dataclass(frozen=True)
class Page:
    size: tuple[float, float]
    paths: list[Drawn]
    texts: list[tuple[str, np.ndarray, tuple[float, float]]]  # what it says, the middle of its box, its size


def pages_of(data: bytes) -> list[Page]:
    document = pypdfium2.PdfDocument(data)
    found = []
    for page in document:
        height = page.get_height()
        paths, texts = [], []
        text_page = page.get_textpage()
        for item in page.get_objects():
            if item.type == pdfium.FPDF_PAGEOBJ_PATH:
                paths.append(path_of(item, height))
            elif item.type == pdfium.FPDF_PAGEOBJ_TEXT:
                left, low, right, up = item.get_bounds()
                middle = np.array([(left + right) / 2, height - (low + up) / 2]) * MM
                texts.append((text_of(item, text_page), middle, ((right - left) * MM, (up - low) * MM)))
        found.append(Page((page.get_width() * MM, height * MM), paths, texts))
    document.close()
    return found


def text_of(item: pypdfium2.PdfObject, text_page: pypdfium2.PdfTextPage) -> str:
    n = pdfium.FPDFTextObj_GetText(item.raw, text_page.raw, None, 0)
    buffer = (pdfium.FPDF_WCHAR * (n // 2))()
    pdfium.FPDFTextObj_GetText(item.raw, text_page.raw, buffer, n)
    return bytes(buffer).decode("utf-16-le").rstrip("\0").strip()  # PDFium ends some with a space


def path_of(item: pypdfium2.PdfObject, height: float) -> Drawn:
    matrix = item.get_matrix()
    places, kinds = [], []
    for k in range(pdfium.FPDFPath_CountSegments(item.raw)):
        segment = pdfium.FPDFPath_GetPathSegment(item.raw, k)
        x, y = pdfium.c_float(), pdfium.c_float()
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        kinds.append(pdfium.FPDFPathSegment_GetType(segment))
        at_x, at_y = matrix.on_point(x.value, y.value)
        places.append((at_x * MM, (height - at_y) * MM))
    fill, stroke, width = pdfium.c_int(), pdfium.c_int(), pdfium.c_float()
    pdfium.FPDFPath_GetDrawMode(item.raw, fill, stroke)
    pdfium.FPDFPageObj_GetStrokeWidth(item.raw, width)
    scale = float(np.hypot(matrix.a, matrix.b))
    four = [pdfium.c_uint() for _ in range(4)]
    (pdfium.FPDFPageObj_GetFillColor if fill.value else pdfium.FPDFPageObj_GetStrokeColor)(item.raw, *four)
    kind = "circle" if pdfium.FPDF_SEGMENT_BEZIERTO in kinds else "box" if fill.value else "line"
    if kind == "circle":  # the ends of the four quarters lie on it, their control points beside it
        places = [places[0], *places[3::3]]
    return Drawn(kind, np.array(places), width.value * scale * MM, bool(fill.value), four[0].value)
