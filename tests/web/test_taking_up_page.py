"""The question of the start and the list of games that can be gone on with, in a real Chromium."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.web.browsing import Serve, Visit, expect
from tests.web.scripted_eyes import JPEG
from tests.web.test_access_page import findings
from web.game.player_commands import play_act
from web.journal.journal import Journal
from web.table.live_table import LiveTable


def test_the_question_of_the_start_is_answered_with_one_key_and_what_is_left_is_in_the_list(
    served: Serve, visit: Visit, tmp_path: Path
) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        table = LiveTable(journal)
        table.open("hand", "tic_tac_toe", {})
        table.apply_command(partial(play_act, act="a3", player=None))
        table.photographs.save(journal.last_seq(), JPEG)
        table.close()
    at = served("page", "d6")
    asked = at.table._current_game.question()
    page = visit(at, width=390)
    offer = page.locator("#offer")
    expect(offer).to_contain_text("Go on with game 1?")
    expect(offer).to_contain_text("Tic Tac Toe · Player 1 – Player 2 · turn 1")
    expect(page.locator("#offer-photograph")).to_be_visible()
    expect(page.locator("#offer-yes")).to_be_focused()
    assert findings(page) == []
    page.keyboard.press("Enter")
    expect(offer).to_be_hidden()
    expect(page.locator("#game-name")).to_have_text("Tic Tac Toe")

    at.table._current_game._offer = asked
    at.table._publish()
    page.get_by_role("button", name="Begin: Nine men’s morris").click()
    expect(offer).to_be_hidden()
    expect(page.locator("#game-name")).to_have_text("Nine men’s morris")
    at.table.use_source("hand")
    at.table.apply_command(partial(play_act, act="a1", player=None))

    page.goto(at.address + "games")
    page.get_by_role("button", name="Go on").click()
    dialog = page.locator("#go-on")
    expect(dialog).to_contain_text("Go on with game 1?")
    expect(dialog).to_contain_text("The present game stays unfinished")
    assert findings(page) == []
    page.locator("#go-on-yes").click()
    expect(page.locator("#game-name")).to_have_text("Tic Tac Toe")
