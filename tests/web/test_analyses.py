"""Analyses of games: kept beside the journal, made by one process, asked for by the page and by the command line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from languages import LANGUAGES
from referee.record import GameRecord
from tests.referee.positions import played
from tests.web.browsing import Serve, Served, Visit, expect
from tests.web.conftest import LOCAL, Until
from tests.web.test_record_import import games
from web.game.imported_games import import_record_body
from web.history.analysis_desk import AnalysisDesk
from web.history.kept_analyses import KeptAnalyses, KeptAnalysis, game_digest
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.journal.journal_record import UnwrittenRecord

pytestmark = pytest.mark.film

TURNS = "b2 b1 a1 c3 a3 c1 a2"
LOST = played("tic_tac_toe", TURNS)


@pytest.fixture
def desk() -> Iterator[AnalysisDesk]:
    made = AnalysisDesk()
    yield made
    made.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A journal with a lost game of Tic Tac Toe and one of nine men's morris that has just begun."""
    with Journal(tmp_path / "journal.sqlite") as journal:
        morris = played("nine_mens_morris", "d6 f4 d7 d5 g7 b6 a7xb6")
        bodies = [import_record_body(GameRecord(game), "game.pgn") for game in (LOST, morris)]
        journal.begin_all([[UnwrittenRecord("imported", None, body)] for body in bodies], by="file")
    return tmp_path


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 9}', '{"format": 1, "positions": "x"}', "[" * 99])
def test_a_damaged_file_is_made_anew(tmp_path: Path, text: str) -> None:
    game, store = LOST, KeptAnalyses(tmp_path)
    (tmp_path / f"{game_digest(game)}-1000.json").write_text(text)
    assert store.find(game) is None
    assert store.load(game, 1000) == KeptAnalysis(1000, game.ply)


def test_what_is_broken_off_is_kept_and_gone_on_with(tmp_path: Path, desk: AnalysisDesk, until: Until) -> None:
    game, store = played("nine_mens_morris", "d6 f4 d7 d5 g7 b6"), KeptAnalyses(tmp_path)
    desk.start(store, game, 2000)
    until(lambda: (progress := desk.progress(game)) is not None and len(progress[0].turns) >= 1)
    desk.stop(game)
    until(lambda: desk.progress(game) is None)
    kept = store.find(game)
    assert kept is not None and not kept.is_whole and kept.turns
    desk.start(store, game, 2000)
    until(lambda: desk.progress(game) is None)
    whole = store.find(game)
    assert whole is not None and whole.is_whole and whole.turns[-len(kept.turns) :] == kept.turns


def test_a_game_is_analysed_and_shown_in_every_language(client: FlaskClient, shell: AppContext, until: Until) -> None:
    file = {"name": "g.pgn", "text": f'[Variant "tic_tac_toe"]\n\n{TURNS} *'}
    (number,) = client.post("/api/games/import", json=file, base_url=LOCAL).json["games"]  # type: ignore[index]
    path = f"/api/games/{number}/analysis"
    assert client.get(path, base_url=LOCAL).json == {
        **{"state": "none", "done": 0, "of": 7, "unkept": False, "analysis": None, "page": None}
    }
    begun = client.post(f"/api/games/{number}/analyse", json={}, base_url=LOCAL)
    assert begun.status_code == 200
    until(lambda: client.get(path, base_url=LOCAL).json["state"] == "done")  # type: ignore[index]
    found: Any = client.get(path, base_url=LOCAL).json
    assert found["analysis"]["turning_point"] == found["page"]["turning_point"] == 2
    assert found["analysis"]["exact"] is True
    assert [one["ply"] for one in found["page"]["told"]] == [2]
    for language in LANGUAGES:
        told: Any = client.get(path, base_url=LOCAL, headers={"Accept-Language": language}).json
        said = [*told["page"]["told"][0]["said"], *told["page"]["told"][0]["better"]]
        assert all(text.endswith(".") and "{" not in text for text in said)
    page = client.get(f"/games/{number}", base_url=LOCAL).text
    assert '"turning_point": 2' in page
    alone = client.get(f"/games/{number}.html", base_url=LOCAL).text
    assert '"turning_point": 2' in alone and "class AnalysisPanel" in alone and "/api/games" in alone
    whole: Any = json.loads(client.get(f"/games/{number}.json", base_url=LOCAL).text)
    assert whole["analysis"]["turning_point"] == 2
    shell.analyses.stop(LOST)  # nothing is under way: nothing happens


def test_what_cannot_be_analysed_is_said_in_one_sentence(client: FlaskClient) -> None:
    for body in ({"positions": 1}, {"positions": True}, {"positions": "many"}, {"positions": 10**9}):
        refused = client.post("/api/games/1/analyse", json=body, base_url=LOCAL)
        assert refused.status_code == 400
        assert refused.json is not None
        assert re.match(r"positions must be", refused.json["error"]["text"])
    running = client.post("/api/games/1/analyse", json={}, base_url=LOCAL)
    assert running.status_code == 422  # it is being played
    assert client.post("/api/games/999/analyse", json={}, base_url=LOCAL).status_code == 404
    assert client.get("/api/games/999/analysis", base_url=LOCAL).status_code == 404
    assert client.post("/api/games/1/analyse/stop", json={}, base_url=LOCAL).status_code == 200


def test_the_command_tells_and_keeps(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert games(data, "analyse", "1", "--json") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["turning_point"], found["turns"], found["done"], found["exact"]) == (2, 7, 7, True)
    assert "7 of 7 turns" in said.err
    assert games(data, "analyse", "1", "--language", "de") == 0
    again = capsys.readouterr()
    assert again.err == ""  # nothing is done again
    assert "* Der Wendepunkt: 2" in again.out
    assert "Bei bestem Spiel stand es hier unentschieden." in again.out


@pytest.fixture
def at(served: Serve, until: Until) -> Served:
    """A table, and a game of Tic Tac Toe from a file, in which Ben answers the centre on a side."""
    table = served("d6")
    until(lambda: table.table.publisher.snapshot.game.ply == 1)  # a game without a turn has nothing to analyse
    record = GameRecord(LOST, (("White", "Anna"), ("Black", "Ben")))
    table.journal.begin_all([[UnwrittenRecord("imported", None, import_record_body(record, "game.pgn"))]], by="file")
    return table


def test_a_game_is_analysed_its_turning_point_opened_and_printed(at: Served, visit: Visit) -> None:
    page = visit(at, "games/2")
    expect(page.locator("#analysis-found")).to_be_hidden()
    page.click("#analyse")
    expect(page.locator(".told.turning [data-told]")).to_have_count(1)
    expect(page.locator("#analysis-progress")).to_be_hidden()
    expect(page.locator("#analyse")).to_be_hidden()
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
