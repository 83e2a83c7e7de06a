"""What stands beside the board in a real Chromium: the seen and the written board, questions, what is covered."""

from __future__ import annotations

import pytest

from tests.web.browsing import Stage, expect, wait_until


def test_a_tap_plays_on_from_the_board_as_it_is_seen(stage: Stage) -> None:
    page = stage.show("d6", "d7", "b6", "seen:b6=0,b4=1,a1=2>2", pause_s=0.05)
    expect(page.locator("#seen-title")).to_have_text("The stones lie differently from what is written.")
    expect(page.locator("#seen-now .pebble")).to_have_count(4)
    expect(page.locator("#seen-written .pebble")).to_have_count(3)
    expect(page.locator("#seen-now .differs")).to_have_count(3)
    expect(page.locator("#seen-written .differs")).to_have_count(3)
    assert page.locator("#seen-points li").all_text_contents() == [
        "b6: I see Nothing, Red is written.",
        "b4: I see Red, Nothing is written.",
        "a1: I see Grey, Nothing is written.",
    ]
    expect(page.locator("#seen-whose")).to_be_hidden()
    page.evaluate("document.documentElement.dataset.role = 'viewer'")
    expect(page.locator("#take-over")).to_be_hidden()
    page.evaluate("document.documentElement.dataset.role = 'referee'")
    page.click("#take-over")
    expect(page.locator("#seen")).to_be_hidden()
    expect(page.locator("#story li").first).to_contain_text("the game goes on from what lies on the table")
    expect(page.locator(".player.active .who")).to_have_text("Grey’s turn")
    wait_until(page, "document.querySelectorAll('#board .stones .pebble').length === 4")


def test_a_table_first_seen_with_stones_on_it_may_be_played_on(stage: Stage) -> None:
    page = stage.show("seen:a7=1,d7=1,g7=1,b6=2,f6=2,b4=2")
    expect(page.locator("#seen-title")).to_have_text("Stones lie on the board already.")
    expect(page.locator("#seen-written")).to_be_hidden()
    page.locator("#seen-take button").first.click()
    expect(page.locator("#seen")).to_be_hidden()
    wait_until(page, "document.querySelectorAll('#board .stones .pebble').length === 6")


def test_where_it_is_open_the_tap_says_whose_turn_it_is(stage: Stage) -> None:
    page = stage.show("a1", "b3", "seen:a1=0,c5=3,b3=2", game="trialectic")
    expect(page.locator("#seen-whose")).to_have_text("Play on from here – whose turn is it?")
    expect(page.locator("#seen-take button")).to_have_text(["Red", "Grey", "Player 3"])
    page.locator("#seen-take button").nth(1).click()
    expect(page.locator("#seen")).to_be_hidden()
    expect(page.locator(".player.active .who")).to_have_text("Grey’s turn")


def test_a_question_has_its_answers_and_shows_what_is_seen_when_asked(stage: Stage) -> None:
    page = stage.show("d6", "d7", "b6", "seen:g7=2,g4=2", "ask:g7|=")
    expect(page.locator("#foul-title")).to_have_text("Did Grey lay a stone on g7?")
    expect(page.locator("#foul-steps button")).to_have_text(
        ["Grey places on g7.", "Nothing was played.", "Something else – show me"]
    )
    expect(page.locator("#seen")).to_be_hidden()
    page.click("#something-else")
    expect(page.locator("#something-else")).to_have_attribute("aria-expanded", "true")
    page.locator("#seen-take button").first.click()
    expect(page.locator("#foul")).to_be_hidden()
    expect(page.locator("#seen")).to_be_hidden()
    wait_until(page, "document.querySelectorAll('#board .stones .pebble').length === 5")


def test_a_game_seen_in_its_middle_asks_once_whose_turn_it_is(stage: Stage) -> None:
    page = stage.show("resumed:a7=1,d7=1,g7=1,b6=2,f6=2,b4=2")
    expect(page.locator("#foul-title")).to_have_text("Whose turn is it?")
    expect(page.locator(".player.active")).to_have_count(0)
    page.locator("#foul-steps button").last.click()
    expect(page.locator("#foul")).to_be_hidden()
    expect(page.locator(".player.active .who")).to_have_text("Grey’s turn")


@pytest.mark.parametrize("is_other", [True, False])
def test_another_game_is_one_tap_away_and_so_is_a_no(stage: Stage, is_other: bool) -> None:
    page = stage.show("d6", "other:trialectic")
    expect(page.locator("#foul-title")).to_contain_text("shall we play Trialectic?")
    page.click("[data-game=trialectic]" if is_other else "#keep-game")
    if is_other:
        expect(page.locator("#game-name")).to_have_text("Trialectic")
    else:
        expect(page.locator("#foul")).to_be_hidden()
    assert stage.table.publisher.snapshot.game.name == ("trialectic" if is_other else "nine_mens_morris")


def test_what_lies_on_points_is_said_once_it_has_lain_there(stage: Stage) -> None:
    page = stage.show("d6", "d7", "covered:b4,c4")
    expect(page.locator("#sight-words")).to_have_text("Something lies on b4 and c4")
