from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.events import FoulSeen
from referee.game import Game
from referee.moves import parse_turn
from referee.presets import find_variant
from tests.web.scripted_eyes import look
from tests.web.seen import seen_at
from web.app import create_app
from web.drawing.position_svg import standing_mills
from web.game.event_sentences import sentences_in_all_languages
from web.game.game_json import game_to_json, restoring_steps
from web.game.game_state import GameState
from web.journal.journal import Journal
from web.table.live_table import LiveTable
from web.views.context import AppContext

POINTS = ("a", "b", "c", "d")


def played(game: str, text: str) -> Game:
    now = Game.start(find_variant(game))
    for turn in text.split():
        for move in parse_turn(turn, now.variant.board):
            now = now.play(move)
    return now


def say(event: object) -> dict[str, dict[str, str]]:
    return {"texts": {"en": type(event).__name__}}


def view(game: Game, **more: object) -> dict[str, object]:
    return json.loads(json.dumps(game_to_json(1, GameState(game, **more), game, say)))  # type: ignore[arg-type,no-any-return]


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
    assert seen["outcome"] == {"winner": 1, "reason": "three_in_a_row", "decider": None, "texts": {"en": "GameEnded"}}


def test_a_forgotten_capture_is_not_put_right_by_going_back() -> None:
    game = played("nine_mens_morris", "d6 d7 b6 g7 f6")
    tops = game.position.tops
    foul = FoulSeen(0, "capture_missing", ("a1",), tops, (*tops[:21], 2, *tops[22:]), 1.0, 1)
    assert view(game, foul=foul)["foul"]["steps"] == []  # type: ignore[index]


def test_mills_of_a_tower_board_stand_on_one_level() -> None:
    game = Game.start(find_variant("trialectic"))
    assert standing_mills(game.position) == []


TYPES = (Path(__file__).parents[2] / "web/static/common/types.js").read_text(encoding="utf-8")


def check_shape(name: str, value: Mapping[str, Any]) -> None:
    """A value that a page gets has the entries that the scripts' types give it, and no other."""
    if (found := re.search(rf"@typedef \{{\{{(.*)\}}\}} {name}\b", TYPES)) is None:
        known = {(key, "") for key in re.findall(r"@property \{.*\} (\w+)", TYPES)}
    else:
        flat = found[1]
        while flat != (flat := re.sub(r"\{[^{}]*\}|<[^<>]*>", "", flat)):
            pass
        known = set(re.findall(r"(\w+)(\??):", flat))
    needed = {key for key, mark in known if not mark}
    assert needed <= set(value) <= {key for key, _ in known}, (name, needed ^ set(value))


def test_the_scripts_know_every_entry_of_the_state_and_no_other(journal: Journal) -> None:
    table = LiveTable(journal, sentences_in_all_languages, look)
    table.open("hand", "tic_tac_toe", {})
    client = create_app(AppContext(table)).test_client()

    def after(path: str, **body: object) -> dict[str, Any]:
        client.post(path, json={**body, "seen": seen_at(table)})
        state: dict[str, Any] = client.get("/api/state").get_json()
        for name, value in (("State", state), ("Game", state["game"]), ("Sight", state["sight"])):
            check_shape(name, value)
        check_shape("Source", state["source"])
        for said in state["said"]:
            check_shape("Said", said)
        return state

    check_shape("LastTurn", after("/api/act", act="b2")["game"]["last"])
    check_shape("Foul", after("/api/act", act="b2")["game"]["foul"])
    after("/api/put-back")
    check_shape("Outcome", after("/api/end", how="resigned", player=1)["game"]["outcome"])
    table.close()
