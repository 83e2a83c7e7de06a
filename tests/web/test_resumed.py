"""A game that goes on from what lies on the table: taken over by a tap, or by the eyes themselves."""

import json
from dataclasses import replace

import numpy as np
from flask import Flask

from languages import LANGUAGES
from referee.game import Game
from referee.presets import find_variant
from referee.record_reader import whole_json
from tests.referee.whole_games import from_pgn
from tests.simulation.shown_table import in_sight
from tests.web.conftest import Open, Until
from vision.imaging.frame import Frame
from vision.watching.state import SeenBoard, Table, start
from web.app import create_app
from web.commands.games import record_lines
from web.drawing.position_svg import render_position_svg
from web.game.game_state import GameState
from web.game.page_state import SeenPosition
from web.game.player_commands import resume_from_seen, tell_mover
from web.game.records import apply_record
from web.game.replay import replay
from web.history import exports
from web.history.finished_games import GameHistory, game_history, replay_json
from web.history.journal_reader import JournalReader
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.table import vision_process
from web.table.live_table import LiveTable
from web.table.vision_messages import ChangeGame
from web.table.vision_process import VisionReporter

NINE = find_variant("nine_mens_morris")
NOTHING = Frame(np.zeros((2, 2, 3), np.uint8), 9.0, 90)
MIDDLE = "a7=1,d7=1,g7=1,b6=2,f6=2,b4=2"


def tops_with(game: Game, **stones: int) -> tuple[int, ...]:
    return tuple(stones.get(name, game.position.tops[k]) for k, name in enumerate(game.variant.board.points))


def shown(table: LiveTable) -> tuple[int, ...]:
    seen = table.publisher.snapshot.sight.seen
    return () if seen is None else seen.tops


def stones_of(table: LiveTable) -> dict[str, int]:
    return {name: stack[-1][0] for name, stack in table.publisher.snapshot.game.stacks.items()}


def post(app: Flask, path: str, body: dict[str, object]) -> tuple[int, str]:
    answer = app.test_client().post(path, json=body | {"seen": {"game": 1, "seq": 99}})
    return answer.status_code, answer.json.get("error", {}).get("text", "") if answer.json else ""


def read(table: LiveTable) -> GameHistory:
    with JournalReader(table.journal.path) as archive:
        return game_history(archive.replay(1), "en")


def test_a_tap_takes_the_seen_board_over_and_is_kept(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "d7", "seen:d6=0,b4=1,a1=2")
    until(lambda: bool(shown(table)))
    assert table.publisher.snapshot.sight.seen == SeenPosition(shown(table), None)
    table.apply_command(lambda state: resume_from_seen(state, shown(table), shown(table), 2))
    until(lambda: table.publisher.snapshot.game.ply == 3)
    game = table.publisher.snapshot.game
    assert stones_of(table) == {"d7": 2, "b4": 1, "a1": 2}
    assert (game.to_move, game.mover_open, game.hands) == (2, False, (8, 7))
    record = journal.records(1)[-1]
    assert (record.kind, record.by, record.body["to_move"]) == ("resumed", "hand", 2)
    said = table.publisher.snapshot.said[-1]
    assert said.kind == "resumed"
    assert said.texts["en"] == (
        "I do not know what was played; the game goes on from what lies on the table. Grey is to move."
    )
    assert set(said.texts) == set(LANGUAGES)
    assert replay(journal.records(1)).game.position.tops == table._state.game.position.tops
    until(lambda: not shown(table))


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


def test_eyes_and_journal_hold_the_same_game_after_it() -> None:
    course = GameState(Game.start(NINE))
    tops = tops_with(course.game, a7=1, d7=2, g4=1)
    for command in (lambda now: resume_from_seen(now, tops, tops, None), lambda now: tell_mover(now, 2)):
        record = command(course)
        after = apply_record(course, record.in_game(1, "hand"))
        state = in_sight(start(Table(NINE, (NINE.board,)), course.game))
        state = replace(state, proposed_position=SeenBoard(tops, None))
        assert VisionReporter().status(state, NOTHING).seen.tops == tops
        state = vision_process.apply_change(state, ChangeGame(record.kind, record.body, after.game, 1))
        assert state.game == after.game
        assert state.proposed_position is None
        course = after
    assert course.game.position.to_move == 1


def test_a_game_first_seen_midway_asks_once_whose_turn_it_is(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table(f"resumed:{MIDDLE}")
    until(lambda: table.publisher.snapshot.game.mover_open)
    game = table.publisher.snapshot.game
    assert (game.ply, game.to_move) == (1, None)
    app = create_app(AppContext(table))
    assert post(app, "/api/mover", {"player": 5}) == (422, "no player 5 is in the game")
    assert post(app, "/api/mover", {"player": 2}) == (200, "")
    until(lambda: not table.publisher.snapshot.game.mover_open)
    game = table.publisher.snapshot.game
    assert (game.ply, game.to_move) == (1, 2), "one position in the record, not two"
    assert [(r.kind, r.by) for r in journal.records(1)[1:]] == [("resumed", "camera"), ("resumed", "hand")]
    assert len(read(table).plies) == 2


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


def test_another_game_is_offered_until_somebody_says_no(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "other:trialectic")
    until(lambda: table.publisher.snapshot.other_game is not None)
    other = table.publisher.snapshot.other_game
    assert other.games == ("trialectic",)
    assert other.texts["en"] == "This board does not look like Nine men’s morris: shall we play Trialectic?"
    assert table.publisher.snapshot.said[-1].kind == "question"
    table.keep_game()
    assert table.publisher.snapshot.other_game is None
    assert [record.kind for record in journal.records(1)] == ["start", "turn"], "it is no event of the game"
