from __future__ import annotations

import json
from dataclasses import asdict, fields

from referee.events import FoulSeen
from referee.game import Game
from referee.moves import parse_turn
from referee.presets import find_variant
from tests.web.scripted_eyes import look
from tests.web.seen import seen_at
from tools.page_types import FILE, ROOT, page_types
from web.app import create_app
from web.game.game_state import GameState
from web.game.page_state import GameView, game_view, restoring_steps, standing_mills
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.table.live_table import LiveTable

POINTS = ("a", "b", "c", "d")


def played(game: str, text: str) -> Game:
    now = Game.start(find_variant(game))
    for turn in text.split():
        for move in parse_turn(turn, now.variant.board):
            now = now.play(move)
    return now


def view(game: Game, **more: object) -> dict[str, object]:
    seen = game_view(1, GameState(game, **more), game, languages=("en",))  # type: ignore[arg-type]
    return json.loads(json.dumps(seen, default=vars))  # type: ignore[no-any-return]


def test_a_stone_that_moved_goes_back_and_one_too_many_goes_away() -> None:
    assert restoring_steps((1, 0, 2, 0), (0, 1, 2, 2), POINTS) == [
        {"paint": 1, "from": "b", "to": "a"},
        {"paint": 2, "from": "d", "to": None},
    ]


def test_a_stone_that_vanished_comes_back_and_a_swapped_one_is_changed() -> None:
    assert restoring_steps((1, 1, 0, 0), (0, 2, 0, 0), POINTS) == [
        {"paint": 1, "from": None, "to": "a"},
        {"paint": 1, "from": None, "to": "b"},
        {"paint": 2, "from": "b", "to": None},
    ]


def test_the_page_hears_whose_turn_it_is_and_what_is_due() -> None:
    seen = view(played("nine_mens_morris", "d6 d7 b6 g7 f6"))
    assert (seen["to_move"], seen["phase"], seen["owed"]) == (1, "capture", 1)
    assert seen["mills"] == [["b6", "d6", "f6"]]
    assert seen["last"] == {
        "player": 1,
        "moves": [{"act": "place", "to": "f6"}],
        "mills": [["b6", "d6", "f6"]],
        "taken": {},
    }
    assert seen["hands"] == [6, 7]
    assert seen["stacks"] == {"d6": [[1, 1]], "d7": [[2, 2]], "b6": [[1, 1]], "g7": [[2, 2]], "f6": [[1, 1]]}


def test_a_game_that_is_over_has_a_winner_and_nobody_to_move() -> None:
    seen = view(played("tic_tac_toe", "a1 b2 a2 b1 a3"))
    assert seen["to_move"] is None
    assert seen["outcome"] == {
        "winner": 1,
        "reason": "three_in_a_row",
        "decider": None,
        "texts": {"en": "Player 1 wins: three in a row."},
        "spoken": {"en": "Player 1 wins: three in a row."},
    }


def test_a_forgotten_capture_is_not_put_right_by_going_back() -> None:
    game = played("nine_mens_morris", "d6 d7 b6 g7 f6")
    tops = game.position.tops
    foul = FoulSeen(0, "capture_missing", ("a1",), tops, (*tops[:21], 2, *tops[22:]), 1.0, 1)
    assert view(game, foul=foul)["foul"]["steps"] == []  # type: ignore[index]


def test_mills_of_a_tower_board_stand_on_one_level() -> None:
    game = Game.start(find_variant("trialectic"))
    assert standing_mills(game.position) == []


def test_the_types_of_the_scripts_are_made_from_what_they_are_sent() -> None:
    assert (ROOT / FILE).read_text(encoding="utf-8") == page_types(), "python -m tools.page_types"


def test_what_a_page_is_sent_is_the_tree_of_its_state(journal: Journal) -> None:
    table = LiveTable(journal, look)
    table.open("hand", "tic_tac_toe", {})
    client = create_app(AppContext(table)).test_client()
    for path, body in (("act", {"act": "b2"}), ("act", {"act": "b2"}), ("put-back", {})):
        client.post(f"/api/{path}", json={**body, "seen": seen_at(table)})
        sent = client.get("/api/state").get_json()
        assert sent == json.loads(json.dumps(asdict(table.publisher.snapshot)))
        assert set(sent["game"]) == {one.name for one in fields(GameView)}
    table.close()
