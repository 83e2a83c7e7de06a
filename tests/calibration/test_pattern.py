"""The sheet that a lens is measured with, as PDFium prints it: true to scale, readable, all of it on the paper."""

import numpy as np
import pytest

from calibration.printed_target import (
    PAPER_SIZES_MM,
    RULER_MM,
    TARGET_COLUMNS,
    TARGET_ROWS,
    target_corners_mm,
    target_origin_mm,
    target_sheet,
)
from calibration.sheets import sheets_pdf
from calibration.target_views import TargetView, detect_target
from languages import LANGUAGES
from tests.calibration.pdf_pages import pages_of

PER_MM = 4
MARGIN_MM = 5  # that hardly any printer can print on


@pytest.mark.parametrize("paper", PAPER_SIZES_MM)
def test_a_printed_sheet_is_true_to_scale_and_is_read_again(paper: str) -> None:
    (page,) = pages_of(sheets_pdf([target_sheet(paper)]))
    assert page.size == pytest.approx(PAPER_SIZES_MM[paper], abs=0.01)
    boxes = np.concatenate([path.places.reshape(-1, 5, 2) for path in page.paths if path.kind == "box"])
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    assert (low >= MARGIN_MM).all() and (high <= np.array(page.size) - MARGIN_MM).all()
    assert np.ptp(boxes[..., 0], axis=1).max() == pytest.approx(RULER_MM, abs=0.01)
    paper_px = np.full((round(page.size[1] * PER_MM), round(page.size[0] * PER_MM), 3), 255, np.uint8)
    for (left, top), (right, bottom) in zip((low * PER_MM).round(), (high * PER_MM).round(), strict=True):
        paper_px[int(top) : int(bottom), int(left) : int(right)] = 20
    seen = detect_target(paper_px)
    assert isinstance(seen, TargetView)
    assert len(seen.ids) == (TARGET_COLUMNS - 1) * (TARGET_ROWS - 1)
    mm = (seen.corners_px + 0.5) / PER_MM - np.array(target_origin_mm(paper))
    assert np.abs(mm - target_corners_mm()[seen.ids, :2]).max() < 0.1


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_on_the_sheet_fits_on_it(language: str) -> None:
    for page in pages_of(sheets_pdf([target_sheet(paper, language) for paper in PAPER_SIZES_MM])):
        assert any("100 mm" in text for text, _, _ in page.texts)
        for text, middle, size in page.texts:
            assert "?" not in text, "each letter is in the font"
            assert (middle + np.array(size) / 2 < np.array(page.size) - MARGIN_MM).all()
