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
from web.game.page_state import GameView, game_view, restoring_steps
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


def test_a_stone_that_vanished_comes_back_and_a_swapped_one_is_changed() -> None:
    assert restoring_steps((1, 1, 0, 0), (0, 2, 0, 0), POINTS) == [
        {"paint": 1, "from": None, "to": "a"},
        {"paint": 1, "from": None, "to": "b"},
        {"paint": 2, "from": "b", "to": None},
    ]


def test_a_forgotten_capture_is_not_put_right_by_going_back() -> None:
    game = played("nine_mens_morris", "d6 d7 b6 g7 f6")
    tops = game.position.tops
    foul = FoulSeen(0, "capture_missing", ("a1",), tops, (*tops[:21], 2, *tops[22:]), 1.0, 1)
    assert view(game, foul=foul)["foul"]["steps"] == []  # type: ignore[index]


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
