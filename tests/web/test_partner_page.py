"""Playing with Millchen in a real Chromium: the chooser, the arrow on the board, another turn, a hint, the dialog."""

from tests.web.browsing import Page, Stage, expect, wait_until
from tests.web.test_hand_play import spot


def begin_against_millchen(
    page: Page, game: str = "tic_tac_toe", strength: str = "medium", place: int = 2, laid_by: str = "people"
) -> None:
    """Choose a game by hand against Millchen in the chooser."""
    page.click("#choose")
    page.locator(f"input[name='game'][value='{game}']").check(force=True)
    page.click("#chooser-next")
    page.locator(".who-plays").nth(place - 1).select_option(strength)
    expect(page.locator("#party input").nth(place - 1)).to_have_attribute("placeholder", f"Millchen ({strength})")
    page.locator("[name='explain']").check(force=True)
    page.locator("[name='laid_by_people']").set_checked(laid_by == "people", force=True)
    page.click("#chooser-next")
    page.locator("[name='source'][value='hand']").check(force=True)
    page.click("#chooser-new")
    if page.locator("#sure").is_visible():
        page.click("#sure button[value='yes']")
    expect(page.locator("#chooser")).not_to_be_visible()


def put_right_and_do(page: Page) -> None:
    """Make another turn than Millchen means, put it right, and have the page make the one that is meant."""
    goal = page.evaluate("document.querySelector('.meant-marks .goal-ring').getAttribute('cx')")
    free = page.evaluate(
        """(goal) => [...document.querySelectorAll('.touch')].find((one) => !one.classList.contains('has-stone')
           && Math.abs(one.getAttribute('cx') - goal) > 20).getAttribute('aria-label').split(':')[0]""",
        goal,
    )
    page.locator(spot(free)).click(force=True)
    expect(page.locator("#foul-title")).to_have_text("That is not the turn that I meant")
    expect(page.locator("#foul-steps li")).to_have_count(1)
    expect(page.locator(".meant-marks")).to_have_count(0)
    page.click("#put-back")
    expect(page.locator(".meant-marks .goal-ring")).to_have_count(1)
    page.click("#do-it")
    expect(page.locator("#partner")).not_to_be_visible()


def test_a_game_against_millchen_from_the_chooser_to_its_turn(stage: Stage) -> None:
    page = stage.show()
    begin_against_millchen(page)
    expect(page.locator(".player").nth(1)).to_contain_text("Millchen (medium)")
    page.locator(spot("b2")).click(force=True)
    expect(page.locator("#partner-words")).to_contain_text("I place a stone on")
    expect(page.locator(".meant-marks .meant-stone")).to_be_visible()
    expect(page.locator(".player.active")).to_contain_text("Millchen’s turn")
    page.click("#voice")
    page.click("#voice")
    wait_until(page, "window.spoken.some((text) => text.startsWith('I place a stone on'))")
    put_right_and_do(page)
    expect(page.locator(".player.active")).to_contain_text("Player 1")
    expect(page.locator("#hint")).to_be_visible()
    page.keyboard.press("h")
    expect(page.locator("#partner-title")).to_have_text("A hint")
    expect(page.locator("#partner-words")).to_contain_text("The best I can see")
    expect(page.locator(".meant-marks .meant-stone")).to_be_visible()
    expect(page.locator("#do-it")).not_to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#partner")).not_to_be_visible()
    expect(page.locator(".meant-marks")).to_have_count(0)
    page.click("#hint")
    expect(page.locator("#partner-words")).to_contain_text("The best I can see")
    page.click("#partner-close")
    expect(page.locator("#partner")).not_to_be_visible()
    records = stage.table.journal.records(stage.table.publisher.snapshot.game.id)
    assert [record.kind for record in records][-3:] == ["turn", "hinted", "hinted"]


def test_who_plays_is_changed_during_a_game(stage: Stage) -> None:
    page = stage.show()
    begin_against_millchen(page, place=1)
    expect(page.locator("#do-it")).to_be_visible()
    page.click("#more")
    page.click("#partners")
    page.locator("#partner-places select").nth(0).select_option("")
    page.locator("#partner-hints").uncheck(force=True)
    page.locator("#partner-form button[type='submit']").click()
    expect(page.locator("#partner")).not_to_be_visible()
    expect(page.locator("#hint")).not_to_be_visible()
    expect(page.locator(".player.active")).to_contain_text("Player 1")
