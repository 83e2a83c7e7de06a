"""The board as its player sits: its names, turned and mirrored; the page in the colour of who is to move."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import dist

import pytest

from referee.boards import BOARDS
from tests.web.browsing import Page, Serve, Visit, expect
from tests.web.conftest import Until
from tests.web.test_access_page import AXE
from web.drawing.board_svg import draw_board
from web.game.player_commands import name_players

LONG_NAMES = ("Maximiliane-Alexandra von Hohenstein-Auen"[:40], "Ben")
BESIDE = """async ([places, radius]) =>
    (await import("/static/board/point_names.js")).sideLabels(new Map(places), [], radius, 36)"""
MATTERING = ("#board svg", ".player.active", "#foul", "#play-on", "#take-back", "#more", "#mirror-board")


def place_of(page: Page, point: str) -> tuple[float, float]:
    """The middle of a point's touch target on the screen."""
    box = page.locator(f".touch[aria-label^='{point}:']").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_board_is_turned_and_mirrored_as_its_player_sits_and_named_at_its_rim(
    served: Serve, visit: Visit, until: Until
) -> None:
    at = served("d6", "d7", "foul:d6=0,b4=1,a1=2")
    page = visit(at)
    names = page.locator("#board .names text")
    assert sorted(names.all_text_contents()) == [*"1234567abcdefg"]
    expect(page.locator(".marks-over .name-tag")).to_have_count(3)
    assert sorted(page.locator(".marks-over .name-tag").all_text_contents()) == ["a1", "b4", "d6"]  # the foul's ends
    left, top = place_of(page, "a7")
    right, bottom = place_of(page, "g1")
    page.click("#turn-board")  # a quarter clockwise: what was on the upper left is on the upper right
    assert place_of(page, "a7") == pytest.approx((right, top), abs=1)
    page.click("#mirror-board")
    assert place_of(page, "a7") == pytest.approx((left, top), abs=1)
    assert place_of(page, "g7") == pytest.approx((left, bottom), abs=1)
    assert page.locator("#board .names text").first.evaluate("(text) => text.getScreenCTM().a > 0")  # upright
    stone = page.locator("#board .stones .pebble").first.bounding_box()
    assert stone is not None
    assert stone["x"] + stone["width"] / 2 == pytest.approx(place_of(page, "d7")[0], abs=12)
    page.mouse.move(*place_of(page, "g7"))
    expect(page.locator(".pointed")).to_have_text("g7")
    page.click("#names-shown")
    expect(page.locator("#board .names text")).to_have_count(0)
    expect(page.locator(".spot-name")).to_have_count(0)
    for name in ("roman_mill", "moulin_rouge", "trialectic"):  # no files and ranks: a name beside each point
        drawing = draw_board(BOARDS[name])
        places = {point: (x, y) for point, x, y in drawing.points}
        labels = page.evaluate(
            BESIDE, [[[point, {"x": x, "y": y}] for point, (x, y) in places.items()], drawing.stone_radius]
        )
        at_labels = {label["text"]: (label["x"], label["y"]) for label in labels}
        assert list(at_labels) == list(places)
        assert all(
            dist(label, place) > drawing.stone_radius for label in at_labels.values() for place in places.values()
        )
        assert all(dist(a, b) > 30 for a, b in combinations(at_labels.values(), 2))
    page.reload()
    until(lambda: place_of(page, "g7") == pytest.approx((left, bottom), abs=1))
    expect(page.locator("#names-shown")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#mirror-board")).to_have_attribute("aria-pressed", "true")


def test_on_a_desk_all_that_matters_is_on_the_screen_in_the_colour_of_who_is_to_move(
    served: Serve, visit: Visit
) -> None:
    at = served("d6", "d7", "b6", "g7", "a1", "c3", "foul:d6=0,b4=1,g1=2")
    page = visit(at)
    at.table.apply_command(partial(name_players, names=LONG_NAMES))
    expect(page.locator(".player.active .who")).to_contain_text(LONG_NAMES[0])
    expect(page.locator("#foul-title")).to_contain_text(LONG_NAMES[0])
    for what in MATTERING:
        box = page.locator(what).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800, what
    expect(page.locator("body")).to_have_attribute("data-turn", "1")
    expect(page.locator(".touch[aria-label='d6: Ben']")).to_have_count(0)
    expect(page.locator(".touch[aria-label='d7: Ben']")).to_have_count(1)
    page.click("#choose")
    page.click("[data-step=people]")
    page.locator("#party input").first.fill("x" * 40)
    expect(page.locator(".field-full")).to_contain_text("40")
    page.click("#chooser-close")
    page.evaluate("document.body.style.backgroundImage = 'none'")
    page.evaluate(AXE)
    assert page.evaluate("axe.run(document).then((all) => all.violations.map((one) => one.id))") == []
