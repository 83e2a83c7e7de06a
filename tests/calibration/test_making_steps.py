"""How a board is made, step by step: every game, every way, every language; what is drawn is the game's own board."""

from __future__ import annotations

import re
from math import hypot
from xml.etree import ElementTree

import pytest

from calibration.making.board_template import disc_radii
from calibration.making.making_steps import WAYS, steps_for, ways_for
from calibration.making.step_drawings import HEIGHT, WIDTH, board_lines, stones
from languages import LANGUAGES
from referee.board import Circle
from referee.layouts import moulin_rouge
from referee.presets import PRESETS, find_variant

EVERY = [(way, name) for name, preset in PRESETS.items() for way in ways_for(preset.variant)]


def test_boards_that_turn_are_made_of_discs_and_all_others_are_not() -> None:
    assert {name for way, name in EVERY if way == "card_discs"} == {"moulin_rouge"}
    assert {way for way, _ in EVERY} == set(WAYS)
    assert all(4 <= len(way.steps) <= 7 for way in WAYS.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_is_told_and_drawn_in_every_way(language: str) -> None:
    for way, name in EVERY:
        if name not in ("millchen", "trialectic", "moulin_rouge"):  # all others are told in the words of these
            continue
        told = steps_for(way, PRESETS[name].variant, language)
        for text in (told.title, *told.needs, *(step.text for step in told.steps)):
            assert text and not set("{}") & set(text)
        assert len(told.steps) == len(WAYS[way].steps)


@pytest.mark.parametrize("name", PRESETS)
def test_every_drawing_is_a_picture_of_its_own_inside_its_frame_with_one_accent_at_most(name: str) -> None:
    drawn = set()
    for way in ways_for(PRESETS[name].variant):
        for step in steps_for(way, PRESETS[name].variant).steps:
            root = ElementTree.fromstring(step.svg)
            assert root.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
            assert {one.get("class") for one in root.iter()} <= {"step-drawing", "accent", "paper", None}
            colours = {one.get(kind) for one in root.iter() for kind in ("stroke", "fill")}
            assert colours <= {"currentColor", "none", None}
            drawn.add(step.svg)
    assert len(drawn) >= 6


@pytest.mark.parametrize(
    ("name", "n"), [("tic_tac_toe", 9), ("millchen", 18), ("trialectic", 27), ("moulin_rouge", 20)]
)
def test_as_many_stones_are_needed_and_drawn_as_the_game_has(name: str, n: int) -> None:
    variant = PRESETS[name].variant
    told = steps_for(ways_for(variant)[0], variant)
    heaps = " + ".join(map(str, variant.stones))
    assert f"{n} " in next(need for need in told.needs if heaps in need)
    outlines = re.findall(r'd="M[^"]*Z"', stones(variant.stones, (0, 0, 150, 80)))
    assert len(outlines) == n == sum(variant.stones)


def test_house_rules_change_what_is_needed() -> None:
    more = find_variant("moulin_rouge", players=3)
    needs = " ".join(steps_for("card_discs", more).needs)
    assert "30 pebbles (10 + 10 + 10)" in needs
    assert "3 colours for all of them" in needs
    assert "30° apart" in " ".join(step.text for step in steps_for("card_discs", more).steps)


@pytest.mark.parametrize("n_holes", [7, 8, 12, 16, 24])
def test_every_hollow_lies_on_its_own_disc(n_holes: int) -> None:
    board = moulin_rouge(n_holes)
    radii = disc_radii(board)
    for ring, disc, above in zip(board.rings, radii, (*radii[1:], 0.0), strict=True):
        for point in ring:
            hollow = board.drawings[0].strokes[point]
            assert isinstance(hollow, Circle)
            out = hypot(board.xy[point][0] - 0.5, board.xy[point][1] - 0.5)
            assert above < out - hollow.radius and out + hollow.radius < disc


def test_what_is_drawn_is_the_board_itself() -> None:
    for preset in PRESETS.values():
        board = preset.variant.board
        lines = board_lines(board, (80, 60), 40, is_round=True)
        assert len(lines) == len(board.drawings[0].strokes)
        for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", " ".join(lines)):
            assert hypot(float(x) - 80, float(y) - 60) < 40 * 1.06  # the hand shakes


def test_a_way_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="way must be one of card_discs for moulin_rouge, got 'cloth_wool'"):
        steps_for("cloth_wool", PRESETS["moulin_rouge"].variant)
