"""The page in a real Chromium, as players use it: its board, its ways, its corners and its voice."""

import json
from pathlib import Path

import pytest
from flask import Flask

from languages import LANGUAGES
from tests.web.browsing import Page, Serve, Stage, Visit, expect, wait_until
from tests.web.conftest import LOCAL, Until
from tests.web.seen import correct_point
from web.game.player_commands import end_game
from web.page_words import words

LONG = ("d6", "d7", "b6", "g7")
PICTURE = "JSON.stringify(document.getElementById('picture').getBoundingClientRect())"


def test_a_game_is_seen_turn_by_turn(stage: Stage) -> None:
    page = stage.show("page", *LONG, "mill:f6xd7", pause_s=0.3)
    expect(page.locator("#board .mill.lit")).to_have_count(1)
    expect(page.locator("#story li").first).to_contain_text("takes the stone on d7")
    expect(page.locator("#board .stones .pebble")).to_have_count(4)
    expect(page.locator(".player[data-player='1'] .count")).to_have_text("6 left in hand")
    expect(page.locator("#sight-words")).to_have_text("I see the board")
    expect(page.locator("#said")).to_contain_text("takes the stone on d7")
    expect(page.locator(".player.active .who")).to_have_text("Grey’s turn")
    wait_until(page, "document.querySelector('#picture canvas').dataset.number > 2")
    expect(page.locator("#picture .overlay")).to_have_attribute("viewBox", "0 0 1280 720")
    for drawn, n_times in (("spot", 24), ("last-ring", 1), ("mill-line.fresh", 1)):
        expect(page.locator(f".overlay .{drawn}")).to_have_count(n_times)


def test_a_foul_shows_what_to_put_back_and_people_may_play_on(stage: Stage) -> None:
    page = stage.show("d6", "d7", "foul:d6=0,b4=1,a1=2")
    expect(page.locator("#foul")).to_be_visible()
    expect(page.locator("#foul-title")).to_contain_text("two moves at once")
    assert page.locator("#foul-steps li").all_inner_texts() == ["Red: from b4 back to d6", "Grey: take away from a1"]
    expect(page.locator(".foul-ring")).to_have_count(6)  # three on the board, three on the picture
    expect(page.locator(".foul-arrow")).to_have_count(2)
    page.evaluate("window.spoken.length = 0")
    page.click("#record-right")
    wait_until(page, "window.spoken.some((said) => said.includes('back to'))")
    page.click("#play-on")
    expect(page.locator("#foul")).to_be_hidden()
    wait_until(page, "document.querySelectorAll('#board .stones .pebble').length === 3")


def test_the_end_of_a_game_is_told_and_another_can_begin(stage: Stage) -> None:
    page = stage.show("a1", "b2", "a2", "b1", "a3", game="tic_tac_toe")
    expect(page.locator("#finish-words")).to_contain_text("Red wins")
    expect(page.locator(".player.active .what")).to_have_text("Won!")
    expect(page.locator("#board .mill.lit")).to_have_count(1)
    again = stage.table.publisher.snapshot.game.id + 1
    page.click("#finish-again")
    expect(page.locator("#finish-see")).to_have_attribute("href", f"/games/{again}")
    expect(page.locator("#finish")).to_be_visible()
    expect(page.locator("#finish-confetti span")).to_have_count(14)
    stage.table.new_game("tic_tac_toe", {}, "hand")
    expect(page.locator("#finish")).to_be_hidden()
    expect(page.locator("#story li")).to_have_count(0)  # what was said of the game before is gone
    correct_point(stage.table, "a1", 1)
    expect(page.locator("#story li")).to_have_count(1)
    page.click("#again")
    page.click("#sure button[value='no']")  # a game that is on is not ended without a question
    page.click("#again")
    page.click("#sure button[value='yes']")
    expect(page.locator("#story li")).to_have_count(0)
    assert stage.table.publisher.snapshot.game.id == again + 2


@pytest.mark.parametrize("language", ["lb", *(pytest.param(one, marks=pytest.mark.slow) for one in ("de", "en", "fr"))])
def test_the_page_speaks_four_languages_aloud_and_in_writing(served: Serve, visit: Visit, language: str) -> None:
    at = served("page", "d6", "d7", pause_s=0.4)
    page = visit(
        at, language={"lb": "lb-LU", "de": "de-DE", "fr": "fr-FR", "en": "en-GB"}[language], voices=(f"{language}-XX",)
    )
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("#choose span")).to_have_text(words(language)["choose"])
    wait_until(page, "window.spoken.length >= 1")
    expect(page.locator("#story li").first).to_contain_text("d7")
    expect(page.locator("#said")).to_contain_text("d7")
    assert page.evaluate("document.body.innerText.includes('undefined')") is False


def test_luxembourgish_is_never_read_by_a_german_voice(served: Serve, visit: Visit) -> None:
    page = visit(served("page", "d6", "d7", pause_s=0.4), language="lb-LU", voices=("de-DE", "fr-FR"))
    expect(page.locator("#said")).to_contain_text("d7")
    assert page.evaluate("window.spoken") == []


def test_the_first_tap_lets_a_phone_speak_later_and_a_refereed_table_stays_lit(served: Serve, visit: Visit) -> None:
    at = served("page", "d6")
    page = visit(at, voices=("en-GB",))
    page.add_init_script("""window.asked = 0;
        navigator.wakeLock.request = async () => { window.asked += 1;
            return window.lock = { released: false, async release() { this.released = true; } }; };""")
    page.reload()
    page.mouse.click(5, 300)
    page.mouse.click(5, 300)
    assert page.evaluate("window.primed.map((said) => said.trim())") == [""], "silence, and once"
    wait_until(page, "window.asked === 1 && !window.lock.released")
    page.evaluate("window.lock.released = true, document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(page, "window.asked === 2 && !window.lock.released")  # it is taken again where it was lost
    at.table.apply_command(lambda state: end_game(state, "abandoned"))
    wait_until(page, "window.lock.released")


def test_the_voice_can_be_switched_off_and_stays_off(served: Serve, visit: Visit) -> None:
    at = served("page", "d6", "d7", "b6", pause_s=0.4)
    page = visit(at, voices=("en-GB",))
    page.click("#voice")
    expect(page.locator("#voice")).to_have_attribute("aria-pressed", "false")
    said = len(page.evaluate("window.spoken"))
    expect(page.locator("#story li").first).to_contain_text("b6")
    assert len(page.evaluate("window.spoken")) == said
    page.reload()
    expect(page.locator("#voice")).to_have_attribute("aria-pressed", "false")


def test_corners_are_dragged_or_moved_by_keys(
    served: Serve, visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    monkeypatch.setenv("MILLCHEN_TEST_CORNERS", str(tmp_path / "corners"))
    monkeypatch.setattr("web.child_process.START_METHOD", "spawn")  # so that they know of it
    page = visit(served("d6"))
    expect(page.locator(".overlay .spot")).to_have_count(24)
    wait_until(page, "document.querySelector('#picture canvas').dataset.number > 1")
    expect(page.locator("#board .stones .pebble")).to_have_count(1)
    first = page.evaluate(f"(document.getElementById('corners').click(), {PICTURE})")
    expect(page.locator(".overlay .guess")).to_have_count(24)
    d6 = page.locator(".overlay .guess").nth(4)
    assert abs(float(d6.get_attribute("cx") or 0) - 600) < 1 and abs(float(d6.get_attribute("cy") or 0) - 160) < 1
    grip = page.locator(".grip").nth(0)
    grip.locator(".eye").hover()
    assert page.evaluate(PICTURE) == first  # a picture that leaps after the press slips from under the hand
    page.mouse.down()
    box = grip.locator(".eye").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] - 20, box["y"] - 10, steps=3)
    page.mouse.up()
    page.locator(".grip").nth(2).focus()
    page.keyboard.press("Shift+ArrowRight")
    page.click("#corners-done")
    expect(page.locator("#corner-tools")).to_be_hidden()
    corners = tmp_path / "corners"
    until(lambda: corners.exists() and corners.stat().st_size > 0)
    sent = [tuple(corner) for corner in json.loads(corners.read_text())]
    assert len(sent) == 4
    assert sent[0][0] < 295 and sent[0][1] < 58  # a7 lay at 300, 60
    assert sent[1] == (900, 60)
    assert sent[2] == (940, 660)


def test_a_point_is_set_right_in_two_taps_and_a_turn_taken_back(stage: Stage) -> None:
    page = stage.show("d6", "d7")
    expect(page.locator(".touch")).to_have_count(24)
    page.click(".touch[aria-label='d6: Red']")
    expect(page.locator("#set-right")).to_be_visible()
    page.click("#set-right [data-top='0']")
    expect(page.locator("#set-right")).to_be_hidden()
    expect(page.locator(".touch[aria-label='d6: free']")).to_have_count(1)
    expect(page.locator("#story li").first).to_have_text("Set right by hand: d6 is empty.")
    wait_until(page, "window.spoken.some((said) => said.includes('Delta 6'))")
    page.click("#take-back")
    expect(page.locator(".touch[aria-label='d6: Red']")).to_have_count(1)
    expect(page.locator("#story li").first).to_contain_text("Turn 3 is taken back")


WAYS = ("choose", "nav.partner", "nav.learn", "nav.make", "nav.games")
PAGES = ("", "lessons", "make", "games")


def test_every_page_has_the_same_ways_and_each_leads_there(served: Serve, visit: Visit) -> None:
    at = served("d6")
    page = visit(at)
    for path in PAGES:
        page.goto(at.address + path)
        assert page.locator(".navigation > *").all_inner_texts() == [words("en")[key] for key in WAYS]
        expect(page.locator(".navigation [aria-current]")).to_have_count(1 if path else 0)
    for key, heading in (("nav.learn", "Lessons"), ("nav.make", "Make a board"), ("nav.games", "Games played")):
        page.click(f".navigation a:text-is('{words('en')[key]}')")
        expect(page.locator("h1").first).to_contain_text(heading)
    page.click(".navigation a:text-is('Play')")
    expect(page.locator("#board")).to_be_visible()


def place_of(page: Page, point: str) -> tuple[float, float]:
    """The middle of a point's touch target on the screen."""
    box = page.locator(f".touch[aria-label^='{point}:']").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_board_is_turned_and_mirrored_and_named_at_its_rim(served: Serve, visit: Visit, until: Until) -> None:
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
    page.reload()
    until(lambda: place_of(page, "g7") == pytest.approx((left, bottom), abs=1))
    expect(page.locator("#names-shown")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#mirror-board")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_start_page_is_light_and_its_texts_come_in_files_that_the_browser_keeps(app: Flask, language: str) -> None:
    client = app.test_client()
    page = client.get("/", base_url=LOCAL, headers={"Accept-Language": language}).data
    assert len(page) <= 80_000, "a phone in a weak network waits for it"
    for path in (f"/words/{language}.js", f"/offers/{language}.js"):
        assert path.encode() in page
        kept = client.get(path, base_url=LOCAL)
        again = client.get(path, base_url=LOCAL, headers={"If-None-Match": kept.headers["ETag"]})
        assert (kept.status_code, again.status_code) == (200, 304)
    assert client.get("/words/xx.js", base_url=LOCAL).status_code == 404
