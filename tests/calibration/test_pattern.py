import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from calibration.printed_target import (
    PAPER_SIZES_MM,
    RULER_MM,
    SQUARE_MM,
    TARGET_COLUMNS,
    TARGET_ROWS,
    Rectangle,
    black_rectangles,
    charuco_board,
    target_corners_mm,
    target_origin_mm,
    target_sheet,
)
from calibration.sheets import sheet_svg, sheets_pdf
from calibration.target_views import TargetView, detect_target
from languages import LANGUAGES
from tests.calibration.pdf_pages import pages_of


def painted(black: list[Rectangle], size_mm: tuple[float, float], per_mm: float = 4.0) -> np.ndarray:
    """The rectangles as a picture."""
    page = np.full((round(size_mm[1] * per_mm), round(size_mm[0] * per_mm), 3), 255, np.uint8)
    for x, y, w, h in black:
        page[round(y * per_mm) : round((y + h) * per_mm), round(x * per_mm) : round((x + w) * per_mm)] = 20
    return page


def in_pdf(data: bytes) -> tuple[tuple[float, float], list[Rectangle]]:
    """Size of the page and its rectangles, mm, y down."""
    (page,) = pages_of(data)
    boxes = [box for path in page.paths if path.kind == "box" for box in path.places.reshape(-1, 5, 2)]
    return page.size, [(*box.min(axis=0), *np.ptp(box, axis=0)) for box in boxes]


def test_the_rectangles_are_opencvs_own_target() -> None:
    per_mm = 32 / SQUARE_MM
    drawn = (
        painted(list(black_rectangles()), (TARGET_COLUMNS * SQUARE_MM, TARGET_ROWS * SQUARE_MM), per_mm)[..., 0] < 128
    )
    theirs = charuco_board().generateImage((TARGET_COLUMNS * 32, TARGET_ROWS * 32), marginSize=0, borderBits=1) < 128
    assert (drawn == theirs).all()


@pytest.mark.parametrize("paper", PAPER_SIZES_MM)
def test_a_printed_sheet_is_true_to_scale_and_is_read_again(paper: str) -> None:
    page = target_sheet(paper)
    size, black = in_pdf(sheets_pdf([page]))
    assert size == pytest.approx(PAPER_SIZES_MM[paper], abs=0.01)
    seen = detect_target(painted(black, size))
    assert isinstance(seen, TargetView)
    assert len(seen.ids) == (TARGET_COLUMNS - 1) * (TARGET_ROWS - 1)
    mm = (seen.corners_px + 0.5) / 4.0 - np.array(target_origin_mm(paper))
    assert np.abs(mm - target_corners_mm()[seen.ids, :2]).max() < 0.1
    ruler = max(black, key=lambda r: r[2] / r[3])
    assert ruler[2] == pytest.approx(RULER_MM, abs=0.01)
    margin = 5.0  # mm that hardly any printer can print on
    for x, y, w, h in black:
        assert margin <= x and x + w <= size[0] - margin and margin <= y and y + h <= size[1] - margin


def test_svg_and_pdf_draw_the_same() -> None:
    page = target_sheet("a4", "fr")
    root = ET.fromstring(sheet_svg(page))
    assert root.attrib["width"] == "297mm"
    assert root.attrib["viewBox"] == "0 0 297 210"
    path = root.findall("{*}path")[1].attrib["d"]
    drawn = [tuple(float(n) for n in four) for four in re.findall(r"M(\S+) (\S+?)h(\S+?)v(\S+?)h\S+?z", path)]
    assert np.allclose(sorted(drawn), sorted(in_pdf(sheets_pdf([page]))[1]), atol=0.01)
    assert any("100 mm" in (text.text or "") for text in root.findall("{*}text"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_on_the_sheet_fits_on_it(language: str) -> None:
    for paper, (width, height) in PAPER_SIZES_MM.items():
        for line in target_sheet(paper, language).marks[1:]:
            assert line.x + 0.5 * line.size * len(line.text) < width - 5  # half an em a letter in Helvetica
            assert line.y < height - 5
            line.text.encode("cp1252")
