"""Playing with Millchen in a real Chromium: the chooser, the arrow on the board, another turn, a hint, the dialog."""

from functools import partial
from importlib.util import find_spec

import pytest

from languages import LANGUAGES
from referee.turns import legal_turns
from tests.web.browsing import Page, Serve, Stage, Visit, expect, wait_until
from tests.web.test_hand_play import spot, taps_for
from web.game.player_commands import set_partner


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


def is_shown(stage: Stage, ply: int) -> str:
    """Whether the page shows the present game after so many turns, in its own words."""
    shown = f"{stage.table.publisher.snapshot.game.id} {ply} "
    return f"document.getElementById('hand-tools').dataset.shown.startsWith('{shown}')"


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


@pytest.mark.slow
def test_ten_turns_against_millchen_are_ten_taps_and_captures(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.table.partner.OWN_TURN_S", 0.1)
    page = stage.show()
    begin_against_millchen(page, "twelve_mens_morris", "easy", laid_by="Millchen")
    n_taps, n_captures = 0, 0
    for n in range(10):
        game = stage.table._state.game
        assert (game.ply, game.position.to_move) == (2 * n, 0)
        turn = max((turn.moves for turn in legal_turns(game.position)), key=len)  # a mill where there is one
        for move in turn:
            for target in taps_for(move):
                page.locator(target).click(force=True)
                n_taps += 1
            if move is not turn[-1]:
                expect(page.locator(".prey-ring").first).to_be_attached()
        n_captures += len(turn) - 1
        wait_until(page, is_shown(stage, 2 * n + 2))
        marks = {"place": ".last-ring", "move": ".last-arrow", "capture": ".taken-stone"}
        for act in stage.table.publisher.snapshot.game.last.moves:
            expect(page.locator(marks[act["act"]]).first).to_be_visible()
    assert n_taps == 10 + n_captures


def test_millchen_against_itself_is_stopped_stepped_and_let_go_on(stage: Stage) -> None:
    page = stage.show()
    begin_against_millchen(page, "tic_tac_toe", "easy", laid_by="Millchen")
    page.click("#more")
    page.click("#partners")
    expect(page.locator("#partner-by-people")).not_to_be_checked()
    page.locator("#partner-places select").nth(0).select_option("easy")
    page.locator("#partner-form button[type='submit']").click()
    expect(page.locator("#partner-title")).to_have_text("Millchen plays every side")
    page.locator("#partner-lays").click()
    expect(page.locator("#do-it")).to_be_visible()
    n = stage.table._state.game.ply
    page.click("#do-it")
    wait_until(page, is_shown(stage, n + 1))
    expect(page.locator("#do-it")).to_be_visible()
    page.locator("#partner-lays").click()
    wait_until(page, f"!{is_shown(stage, n + 1)}")


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


if find_spec("axe_playwright_python") is not None:
    from tests.web.test_access_page import findings

    @pytest.mark.parametrize(
        "language", [pytest.param(one, marks=() if one == "en" else pytest.mark.slow) for one in LANGUAGES]
    )
    @pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
    def test_axe_finds_nothing_while_millchen_plays(served: Serve, visit: Visit, language: str, scheme: str) -> None:
        at = served()
        page = visit(at, f"?lang={language}", color_scheme=scheme)
        page.keyboard.press("Shift")  # the page may speak now, and does not ask for a tap
        at.table.new_game("tic_tac_toe", {}, "hand")
        at.table.apply_command(partial(set_partner, player=1, strength="easy", explain=True, laid_by_people=True))
        expect(page.locator("#do-it")).to_be_visible()
        assert findings(page) == []
        page.click("#more")
        page.click("#partners")
        assert findings(page) == []
