"""The shipped coefficients come out of the lessons that are kept, and they say what they should."""

import sys
from pathlib import Path

import pytest

from vision.detection.confidence import confidence_models
from vision.detection.hole_boards import hole_features

TOOLS = Path(__file__).parents[2] / "tools" / "finder"
sys.path.insert(0, str(TOOLS))

import fit  # noqa: E402 - a tool, beside the packages


@pytest.mark.parametrize("what", fit.RIDGE)
def test_the_shipped_coefficients_come_out_of_the_lessons_exactly(what: str) -> None:
    assert fit.fitted(*fit.rows_of(fit.kept(), what), fit.RIDGE[what]) == confidence_models()[what]


@pytest.mark.parametrize("what", ["lines", "discs"])
def test_what_is_believed_at_nine_in_ten_is_right_nine_times_in_ten(what: str) -> None:
    rows, right = fit.rows_of(fit.kept(), what)
    given = [true for true, p in zip(right, fit.crossed(rows, right, fit.RIDGE[what]), strict=True) if p >= 0.9]
    # Nine in ten, less what chance does to so few: two standard errors of a share of 0.9.
    assert len(given) > 10
    assert sum(given) / len(given) >= 0.9 - 2 * (0.09 / len(given)) ** 0.5


def test_lines_that_go_on_and_links_that_are_missing_speak_against_a_board() -> None:
    usual = {name: mean for name, mean, _, _ in confidence_models()["lines"].terms}
    whole = usual | {
        "link_share": 1.0,
        "clutter": 0.0,
        "overrun": 0.0,
        "root_inner_clutter": 0.0,
        "scattered_loss": 0.0,
    }
    cluttered = whole | {"overrun": 0.8, "clutter": 0.25, "root_inner_clutter": 0.4}
    incomplete = whole | {"link_share": 0.5, "coverage": 0.5, "scattered_loss": 0.5}
    assert confidence_models()["lines"].posterior(whole) > 0.9
    assert confidence_models()["lines"].posterior(cluttered) < 0.5
    assert confidence_models()["lines"].posterior(incomplete) < 0.5


def test_more_evidence_of_holes_is_believed_more() -> None:
    low, high = (confidence_models()["holes"].posterior(hole_features(nats)) for nats in (5.0, 50.0))
    assert low < 0.5 < high
