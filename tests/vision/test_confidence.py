"""The shipped coefficients come out of the lessons that are kept, and they say what they should."""

import sys
from pathlib import Path

import pytest

from vision.detection.confidence import confidence_models

TOOLS = Path(__file__).parents[2] / "tools" / "finder"
sys.path.insert(0, str(TOOLS))

import fit  # noqa: E402 - a tool, beside the packages


@pytest.mark.parametrize("what", fit.RIDGE)
def test_the_shipped_coefficients_come_out_of_the_lessons_exactly(what: str) -> None:
    assert fit.fitted(*fit.rows_of(fit.read_lessons(), what), fit.RIDGE[what]) == confidence_models()[what]


def test_what_is_believed_at_nine_in_ten_is_right_nine_times_in_ten() -> None:
    rows, right = fit.rows_of(fit.read_lessons(), "lines")
    given = [true for true, p in zip(right, fit.crossed(rows, right, fit.RIDGE["lines"]), strict=True) if p >= 0.9]
    # Nine in ten, less what chance does to so few: two standard errors of a share of 0.9.
    assert len(given) > 10
    assert sum(given) / len(given) >= 0.9 - 2 * (0.09 / len(given)) ** 0.5
