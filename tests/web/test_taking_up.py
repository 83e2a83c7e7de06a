"""A game that was not over is taken up again: at the next start, and from the list of games."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from languages import LANGUAGES
from tests.web.browsing import Serve, Visit, expect
from tests.web.conftest import House, Open, Until, play
from tests.web.scripted_eyes import JPEG
from tests.web.test_access_page import findings
from web.app import create_app
from web.game.page_state import Offer
from web.game.player_commands import end_game, play_act
from web.game.replay import source_record_body, start_record_body
from web.hosted_tables import AppContext, TableRequest
from web.journal.journal import Journal
from web.table.live_table import LiveTable

NINE, TIC = "nine_mens_morris", "tic_tac_toe"


def shown(table: LiveTable) -> tuple[int, str, int]:
    game = table.publisher.snapshot.game
    return game.id, game.name, game.ply


def offer(table: LiveTable) -> Any:
    return table.publisher.snapshot.offer


def app_of(table: LiveTable) -> Flask:
    return create_app(AppContext(table))


def go_on(table: LiveTable, number: object) -> tuple[int, str]:
    answer = app_of(table).test_client().post("/api/go-on", json={"game": number})
    return answer.status_code, answer.json.get("error", {}).get("text", "") if answer.json else ""


def test_a_game_begun_on_the_page_is_taken_up_whatever_the_command_asks_for(start: Open, journal: Journal) -> None:
    table = start()
    table.new_game(TIC, {})
    play(table, "a3", "b2")
    table.photographs.save(journal.records(2)[-1].seq, JPEG)
    again = start("demo", "millchen")
    assert shown(again) == (2, TIC, 2)
    assert again.publisher.snapshot.source.name == "hand"
    last = journal.records(2)[-1]
    assert offer(again) == Offer(2, 2, last.wall_time, last.seq, {"game": "millchen", "options": {}, "source": "demo"})
    said = [one.texts["en"] for one in again.publisher.snapshot.said[-12:]]
    assert said == ["Player 1 places on a3.", "Player 2 places on b2."]
    assert journal.last_game() == 2, "no empty game is written"
    photograph = f"/games/2/photographs/{offer(again).photograph}.jpg"
    for language in LANGUAGES:
        answer = app_of(again).test_client().get(photograph, headers={"Accept-Language": language})
        assert answer.data == JPEG, language


def test_the_question_can_be_answered_once(start: Open, journal: Journal) -> None:
    table = start(game=TIC)
    play(table, "a3")
    table = start(fly="own")
    assert go_on(table, 1) == (200, "")
    assert offer(table) is None
    table = start(fly="own")
    assert go_on(table, None) == (200, "")
    assert shown(table) == (2, NINE, 0)
    assert journal.records(2)[0].body == start_record_body(NINE, {"fly": "own"}, "hand")
    assert go_on(table, None) == (422, "nothing is asked any more: the game goes on, or somebody else has answered")
    assert shown(table) == (2, NINE, 0)


@pytest.mark.parametrize("acts", [(), ("a3", "b3", "a2", "b2", "a1")])
def test_a_game_that_is_over_or_has_nothing_in_it_is_not_asked_about(start: Open, acts: tuple[str, ...]) -> None:
    play(start(game=TIC), *acts)
    table = start()
    assert (shown(table), offer(table)) == ((2, NINE, 0), None)


def test_a_demo_is_no_game_of_the_house(start: Open, journal: Journal) -> None:
    journal.begin(start_record_body("millchen", {}, "demo"), by="hand")
    table = start("demo", "millchen")
    assert (shown(table), offer(table)) == ((1, "millchen", 0), None)
    table = start("demo:trialectic", "trialectic")
    assert (shown(table), offer(table)) == ((2, "trialectic", 0), None)
    table.new_game(TIC, {}, "hand")
    play(table, "a3")
    table.new_game("millchen", {}, "demo")
    assert offer(start("demo", "millchen")).game == 3, "the demo that was shown last does not hide it"


def test_games_of_other_tables_are_theirs(start: Open) -> None:
    play(start(game=TIC, name="Kitchen"), "a3")
    table = start(name="Hall")
    assert (shown(table), offer(table)) == ((2, NINE, 0), None)
    table.go_on(1)
    assert shown(start(name="Kitchen")) == (3, NINE, 0), "it has gone to the other table"
    assert shown(start(name="Hall")) == (1, TIC, 1)


@pytest.mark.parametrize("source", ["upload:0123456789abcdef", "/nowhere/film.mp4"])
def test_a_source_that_has_gone_loses_no_game(start: Open, journal: Journal, source: str) -> None:
    play(start(game=TIC), "a3")
    journal.append(1, "source", source_record_body(source), by="hand")
    table = start("demo", "millchen")
    assert shown(table) == (1, TIC, 1)
    told = table.publisher.snapshot.source
    assert (told.name, told.state) == (source, "failed")
    assert told.reason
    table.use_source("hand")
    play(table, "b2")
    assert shown(table) == (1, TIC, 2)


def test_one_goes_on_with_another_game_and_comes_back(start: Open, journal: Journal) -> None:
    table = start(game=TIC)
    play(table, "a3", "b2")
    table.new_game(NINE, {})
    play(table, "d6")
    assert go_on(table, 1) == (200, "")
    assert shown(table) == (1, TIC, 2)
    assert [said.seq for said in table.publisher.snapshot.said[-12:]][-2:] == [2, 3], "each once"
    play(table, "c1")
    assert go_on(table, 2) == (200, "")
    assert shown(table) == (2, NINE, 1)
    assert [record.kind for record in journal.records(1)] == ["start", "turn", "turn", "source", "turn"]


def test_what_cannot_be_gone_on_with_is_refused_with_one_sentence(start: Open, journal: Journal) -> None:
    table = start(game=TIC)
    table.apply_command(partial(end_game, how="agreed", player=None, decider=""))
    journal.begin(start_record_body("millchen", {}, "demo"), by="hand")
    journal.begin({"game": TIC, "options": {}, "source": "file:a.pgn", "record": {}}, by="file", kind="imported")
    journal.begin(start_record_body(TIC, {"no": "such"}, "hand"), by="hand")
    before = journal.last_seq()
    for number, status, text in (
        (1, 422, "game 1 is over: begin a new one"),
        (2, 422, "game 2 was played in a demo: begin one of your own"),
        (3, 422, "game 3 was opened from a file: it can be looked at and not gone on with"),
        (4, 422, "game 4 is damaged in the journal and cannot be gone on with"),
        (5, 422, "there is no game with the number 5"),
        (-1, 422, "there is no game with the number -1"),
        (2**62, 422, f"there is no game with the number {2**62}"),
        (2**63, 400, "game must be a whole number, or null"),
        ("1", 400, "game must be a whole number, or null"),
        (True, 400, "game must be a whole number, or null"),
    ):
        assert go_on(table, number) == (status, text)
    assert (journal.last_seq(), shown(table)[0]) == (before, 1)


def test_a_game_that_is_on_at_another_table_stays_there(house: House, until: Until) -> None:
    kitchen, hall = (house.tables.open(TableRequest("hand", TIC, name=name)).live for name in ("Kitchen", "Hall"))
    play(kitchen, "a3")
    page = create_app(AppContext(hall, host=house.tables)).test_client()
    refused = page.post("/api/go-on", json={"game": 1})
    assert (refused.status_code, refused.json["error"]["text"]) == (422, "game 1 is on at another table just now")
    kitchen.new_game(NINE, {})
    assert page.post("/api/go-on", json={"game": 1}).status_code == 200
    assert shown(hall) == (1, TIC, 1)
    shelf = house.club.scoreboard
    until(lambda: ("Hall", 1, 1) in [(one.table, one.game_number, one.game.ply) for one in shelf.tables])


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
    at.table.new_game("nine_mens_morris", {}, "hand")
    at.table.apply_command(partial(play_act, act="a1", player=None))

    page.goto(at.address + "games")
    page.get_by_role("button", name="Go on").click()
    dialog = page.locator("#go-on")
    expect(dialog).to_contain_text("Go on with game 1?")
    expect(dialog).to_contain_text("The present game stays unfinished")
    assert findings(page) == []
    page.locator("#go-on button[value=yes]").click()
    expect(page.locator("#game-name")).to_have_text("Tic Tac Toe")
