"""The paint advice: it knows which colours will be mistaken, for cameras and for eyes, and what would be better."""

import numpy as np
import pytest

from calibration.making.colour_difference import ciede2000, lab_of
from calibration.making.paints import PALETTE, PaintChoice, advise_paints
from calibration.step_texts import Refused
from languages import LANGUAGES

GREY, BLACK, RED, BLUE, GREEN = "#8c9096", "#1b1b1f", "#b3191f", "#1d4fa8", "#2a7d3c"


def test_colours_far_apart_are_clear_and_nothing_is_proposed() -> None:
    advice = advise_paints(PaintChoice("#e9e7e1", BLACK, (RED, BLUE)))
    assert advice.grade == "good"
    assert advice.proposals == ()
    assert len(advice.pairs) == 3 + 2 * (3 + 2)  # players in three eyes; each on cloth in three and on lines in two


def test_one_paint_for_both_is_mistaken_in_every_light_and_every_proposal_mends_it() -> None:
    advice = advise_paints(PaintChoice("#e9e7e1", BLACK, (RED, RED)))
    alike = [p for p in advice.pairs if (p.one, p.other) == ("player 1", "player 2") and p.per_hundred is not None]
    assert {p.eye for p in alike} == {"day", "lamp"}
    assert min(p.per_hundred for p in alike if p.per_hundred is not None) > 20
    assert advice.cure == "either"
    assert len(advice.proposals) == 2
    for proposal in advice.proposals:
        paints = [RED, RED]
        paints[proposal.player - 1] = proposal.colour
        assert advise_paints(PaintChoice("#e9e7e1", BLACK, tuple(paints))).grade == "good"


def test_the_proposal_is_the_nearest_paint_that_helps() -> None:
    choice = PaintChoice("#e9e7e1", BLACK, (RED, "#b3291f"))
    (nearest, *_) = advise_paints(choice).proposals
    before = lab_of(choice.paints[nearest.player - 1] or "")
    for colour in PALETTE.values():
        paints = list(choice.paints)
        paints[nearest.player - 1] = colour
        if float(ciede2000(before, lab_of(colour))) < nearest.change - 1e-6:
            assert advise_paints(PaintChoice(choice.cloth, choice.line, tuple(paints))).grade != "good"


def test_red_and_green_are_clear_to_a_camera_and_alike_to_some_eyes() -> None:
    pairs = advise_paints(PaintChoice(GREY, BLACK, (RED, GREEN))).pairs
    rated = {p.eye: p.grade for p in pairs if (p.one, p.other) == ("player 1", "player 2")}
    assert rated == {"day": "good", "lamp": "good", "red_green": "poor"}


def test_a_paint_like_the_cloth_is_blamed_on_the_cloth() -> None:
    worst = advise_paints(PaintChoice(RED, "#f2efe6", ("#b51c22", BLUE))).pairs[0]
    assert (worst.one, worst.other) == ("player 1", "cloth")


def test_everything_is_said_in_every_language() -> None:
    advice = advise_paints(PaintChoice(GREY, BLACK, (RED, None, "#b3291f")))
    for part in (advice, *advice.pairs, *advice.proposals):
        assert set(part.texts) == set(LANGUAGES)
        assert all(text and "{" not in text for text in part.texts.values())


@pytest.mark.parametrize(
    ("cloth", "line", "paints"),
    [
        ("red", BLACK, (RED, BLUE)),
        (GREY, "#12345", (RED, BLUE)),
        (GREY, BLACK, (RED, "#12345g")),
        (GREY, BLACK, (RED, "")),
        (GREY, BLACK, (RED,)),
        (GREY, BLACK, (RED,) * 7),
    ],
)
def test_what_is_no_choice_is_refused(cloth: str, line: str, paints: tuple[str, ...]) -> None:
    with pytest.raises(Refused):
        PaintChoice(cloth, line, paints)


def test_ciede2000_as_published() -> None:
    """Pairs of Sharma, Wu and Dalal 2005, table 1."""
    one = [(50, 2.6772, -79.7751), (50, 3.1571, -77.2803), (50, -1.3802, -84.2814), (50, 2.5, 0), (50, 2.5, 0)]
    one += [(50, 2.5, 0), (60.2574, -34.0099, 36.2677), (2.0776, 0.0795, -1.1350)]
    other = [(50, 0, -82.7485), (50, 0, -82.7485), (50, 0, -82.7485), (50, 0, -2.5), (73, 25, -18)]
    other += [(61, -5, 29), (60.4626, -34.1751, 39.4387), (0.9033, -0.0636, -0.5514)]
    published = [2.0425, 2.8615, 1.0, 4.3065, 27.1492, 22.8977, 1.2644, 0.9082]
    assert ciede2000(np.array(one, float), np.array(other, float)) == pytest.approx(published, abs=1e-4)
