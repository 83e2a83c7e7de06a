"""A game that goes on from what lies on the table: taken over by a tap, or by the eyes themselves."""

import json

from flask import Flask

from languages import LANGUAGES
from referee.record_reader import whole_json
from tests.referee.whole_games import from_pgn
from tests.web.conftest import Open, Until
from web.app import create_app
from web.commands.games import record_lines
from web.drawing.position_svg import render_position_svg
from web.history import exports
from web.history.finished_games import GameHistory, game_history, replay_json
from web.history.journal_reader import JournalReader
from web.hosted_tables import AppContext
from web.table.live_table import LiveTable

MIDDLE = "a7=1,d7=1,g7=1,b6=2,f6=2,b4=2"


def shown(table: LiveTable) -> tuple[int, ...]:
    seen = table.publisher.snapshot.sight.seen
    return () if seen is None else seen.tops


def post(app: Flask, path: str, body: dict[str, object]) -> tuple[int, str]:
    answer = app.test_client().post(path, json=body | {"seen": {"game": 1, "seq": 99}})
    return answer.status_code, answer.json.get("error", {}).get("text", "") if answer.json else ""


def read(table: LiveTable) -> GameHistory:
    with JournalReader(table.journal.path) as archive:
        return game_history(archive.replay(1), "en")


def test_what_is_taken_over_must_be_what_is_seen(open_table: Open, until: Until) -> None:
    table = open_table("d6", "seen:d6=0,b4=1")
    app = create_app(AppContext(table))
    until(lambda: bool(shown(table)))
    seen = list(shown(table))
    bad = (
        ({"tops": "b4"}, 400, "tops must be a list of whole numbers"),
        ({"tops": [True] * 24}, 400, "tops must be a list of whole numbers"),
        ({}, 400, "tops must be a list of whole numbers"),
        ({"tops": seen, "to_move": "red"}, 400, "to_move must be a whole number, or null"),
        ({"tops": seen, "to_move": 3}, 422, "no player 3 is in the game"),
        ({"tops": [0] * 24, "to_move": 1}, 422, "the table shows something else by now: look again"),
        ({"tops": [], "to_move": 1}, 422, "the table shows something else by now: look again"),
    )
    for body, status, text in bad:
        assert post(app, "/api/resume", body) == (status, text)
    assert post(app, "/api/mover", {"player": 1}) == (422, "whose turn it is is known already")
    assert post(app, "/api/mover", {"player": "Anna"}) == (400, "player must be a whole number")
    assert table.publisher.snapshot.game.ply == 1
    assert post(app, "/api/resume", {"tops": seen, "to_move": 1}) == (200, "")
    until(lambda: table.publisher.snapshot.game.ply == 2)


def test_it_can_be_replayed_listed_and_taken_away(open_table: Open, until: Until) -> None:
    table = open_table("d6", "d7", f"resumed:d6=0,{MIDDLE}>2", "f6-f4")
    until(lambda: table.publisher.snapshot.game.ply == 4)
    past = read(table)
    assert past.plies[3].text.startswith("I do not know what was played")
    again = from_pgn(exports.export_pgn(past))
    assert again.game == past.game
    assert again.comments == ((3, "Played on from what lay there; what happened before is not known."),)
    assert whole_json(json.loads(exports.export_json(past))["record"]).game == past.game
    assert "(resumed)" in exports.export_csv(past)
    app = create_app(AppContext(table))
    with app.test_request_context():
        assert b"GIF" in exports.export_gif(past)[:3]
        assert "<svg" in render_position_svg(past.plies[3].game, (), "a game")
    assert [ply["kind"] for ply in replay_json(past, None)["plies"]][3] == "resumed"
    client = app.test_client()
    assert "from what lay there" in client.get("/games/1/sheet").text
    for path in ("/games/1", "/games/1/sheet", "/games/1.html", "/scoreboard", "/overlay"):
        assert client.get(path).status_code == 200, path
    with JournalReader(table.journal.path) as archive:
        for language in LANGUAGES:
            assert not any("{" in line for line in record_lines(archive.replay(1), language))
