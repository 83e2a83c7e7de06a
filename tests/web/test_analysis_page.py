"""The analysis of a game on its page, in a real Chromium."""

from __future__ import annotations

import pytest

from referee.game import Game
from referee.moves import parse_turn
from referee.presets import find_variant
from referee.record import Record
from tests.web.browsing import Page, Serve, Served, Visit, expect, settles_within
from tests.web.conftest import Until
from tests.web.test_access_page import findings
from web.game.imported_games import import_record_body

LOST = ("b2", "b1", "a1", "c3", "a3", "c1", "a2")


@pytest.fixture
def at(served: Serve, until: Until) -> Served:
    """A table, and a game of Tic Tac Toe from a file, in which Ben answers the centre on a side."""
    table = served("d6")
    until(lambda: table.table.publisher.snapshot.game.ply == 1)  # a game without a turn has nothing to analyse
    game = Game.start(find_variant("tic_tac_toe"))
    for text in LOST:
        game = game.play(parse_turn(text, game.variant.board)[0])
    record = Record(game, (("White", "Anna"), ("Black", "Ben")))
    table.journal.begin_all([[("imported", None, import_record_body(record, "game.pgn"))]], by="file")
    return table


def analyse(page: Page) -> None:
    page.click("#analyse")
    expect(page.locator(".told.turning [data-told]")).to_have_count(1)
    expect(page.locator("#analysis-progress")).to_be_hidden()
    expect(page.locator("#analyse")).to_be_hidden()


def test_a_game_is_analysed_its_turning_point_opened_and_printed(at: Served, visit: Visit) -> None:
    page = visit(at, "games/2")
    expect(page.locator("#analysis-found")).to_be_hidden()
    analyse(page)
    expect(page.locator("#analysis-told")).to_contain_text("With best play the game was drawn here.")
    expect(page.locator("#standing .border")).to_have_count(1)
    expect(page.locator("#standing .turning")).to_have_count(1)
    expect(page.locator("#standing-names li")).to_have_text(["Anna", "Ben"])
    expect(page.locator("#analyse-deeper")).to_be_hidden()  # it is certain already
    page.focus(".told.turning [data-told]")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("Before turn 2 of 7")
    expect(page.locator("#text")).to_have_text("Ben places on b1.")
    expect(page.locator("#asides")).to_contain_text("This was better. Ben places on")
    expect(page.locator(".marks-under .last-ring")).to_have_count(1)  # the better turn
    expect(page.locator(".marks-under .foul-ring")).to_have_count(1)  # the one that was played
    page.keyboard.press("ArrowRight")
    expect(page.locator("#count")).to_have_text("Turn 2 of 7")
    expect(page.locator(".marks-under .foul-ring")).to_have_count(0)
    page.reload()
    expect(page.locator(".told.turning [data-told]")).to_have_count(1)
    expect(page.locator("#analyse")).to_be_hidden()
    box = page.locator("#standing").bounding_box()
    assert box is not None
    page.click("#standing", position={"x": box["width"] * 3 / 7, "y": box["height"] / 3})  # a tap on the curve
    expect(page.locator("#count")).to_have_text("Turn 3 of 7")
    page.emulate_media(media="print")
    expect(page.locator("#standing")).to_be_visible()
    expect(page.locator(".told .on-paper").first).to_be_visible()
    expect(page.locator(".player-bar")).to_be_hidden()
    expect(page.locator(".analysis-tools")).to_be_hidden()


def test_on_a_desk_all_is_one_screen_and_arrow_keys_go_from_mistake_to_mistake(at: Served, visit: Visit) -> None:
    page = visit(at, "games/2")
    analyse(page)
    parts = ("text", "turns", "moments", "standing", "standing-names", "analysis-told .told", "slider")
    for width, height in ((1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        settles_within(page, width)
        for part in parts:
            box = page.locator(f"#{part}").first.bounding_box()
            assert box is not None and box["y"] >= 0 and box["y"] + min(box["height"], 150) <= height, (part, box)
        board = page.locator("#board .board").bounding_box()
        assert board is not None and 0 <= board["y"] <= height - board["height"] and board["height"] > height / 2
    numbers = sorted(
        {int(n) for n in page.locator("[data-told]").evaluate_all("all => all.map(one => one.dataset.told)")}
    )
    for n in (*numbers, numbers[0]):
        page.keyboard.press("ArrowDown")
        expect(page.locator("#count")).to_have_text(f"Before turn {n} of 7")
        expect(page.locator("[data-told][aria-current]")).to_have_attribute("data-told", str(n))
    page.keyboard.press("ArrowUp")
    expect(page.locator("#count")).to_have_text(f"Before turn {numbers[-1]} of 7")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#count")).to_have_text(f"Turn {numbers[-1]} of 7")
    expect(page.locator("[data-told][aria-current]")).to_have_count(0)
    page.goto(at.address + "games/1")  # which is still being played
    page.click("#analyse")
    expect(page.locator("#analysis-error")).to_contain_text("is still being played")


@pytest.mark.parametrize(
    ("language", "scheme", "width"),
    [pytest.param("en-GB", "light", 1280, marks=pytest.mark.slow), ("lb-LU", "dark", 390)],
)
def test_axe_finds_nothing_in_an_analysis(at: Served, visit: Visit, language: str, scheme: str, width: int) -> None:
    page = visit(at, "games/2", language=language, color_scheme=scheme, width=width)
    assert findings(page) == []
    analyse(page)
    page.click(".told.turning [data-told]")
    assert findings(page) == []
    settles_within(page, width)
