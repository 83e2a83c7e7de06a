"""What is written comes back as it was, and what a page is sent of it."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from languages import LANGUAGES
from referee.events import Event, FoulSeen, GameEnded, MillClosed, QuestionAsked, Restored, TurnAmended, TurnPlayed
from referee.moves import parse_turn
from referee.position import Due
from referee.presets import find_variant
from tests.web.scripted_eyes import look
from tests.web.seen import seen_at
from tools import page_ids
from tools.page_types import FILE, ROOT, page_types
from web.app import create_app
from web.game.game_state import GameState
from web.game.page_state import GameView
from web.game.records import event_of_record, record_of_event
from web.game.replay import initial_state, is_already_recorded, replay, start_record_body
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord
from web.page_words import in_languages
from web.table.live_table import LiveTable

NINE = find_variant("nine_mens_morris")


def start(game: str = "nine_mens_morris", **options: object) -> JournalRecord:
    return JournalRecord(1, 1, "start", None, start_record_body(game, options, "0"), "", "hand")


def keep(event: Event, seq: int) -> JournalRecord:
    kind, ply, body, *_ = record_of_event(event)
    return JournalRecord(seq, 1, kind, ply, json.loads(json.dumps(body)), "", "camera")


def turn(ply: int, text: str) -> TurnPlayed:
    return TurnPlayed(ply, (ply - 1) % 2, parse_turn(text, NINE.board), (), 0.99, ply * 1.0, ply * 10)


def tell_all(*events: Event) -> GameState:
    return replay([start(), *(keep(event, seq) for seq, event in enumerate(events, start=2))])


def test_new_eyes_do_not_tell_again_what_the_journal_knows() -> None:
    foul = FoulSeen(0, "two_moves", ("a1",), (0,) * 24, (0,) * 21 + (1, 0, 0), 2.0, 20)
    mill = MillClosed(0, ("b6", "d6", "f6"), 1.0, 10)
    assert is_already_recorded(foul, tell_all(foul))
    assert is_already_recorded(mill, tell_all(turn(1, "d6"), mill))
    assert not is_already_recorded(mill, tell_all(mill, turn(1, "d6")))


@pytest.mark.parametrize(
    "event",
    [
        turn(1, "d6"),
        TurnPlayed(9, 1, parse_turn("d6-d5xb4", NINE.board), (("c5", "d5", "e5"),), 0.93, 1.5, 4, skipped=(0,)),
        TurnAmended(3, parse_turn("d6", NINE.board), 1.0, 2),
        TurnAmended(3, None, 1.0, 2),
        TurnAmended(2, parse_turn("a7", NINE.board), 3.0, 30, player=1),
        MillClosed(1, ("b6", "d6", "f6"), 1.0, 10),
        MillClosed(0, ("a7", "d7", "g7"), 3.0, 30, due=(Due(0b110, 2, True),)),
        MillClosed(0, ("a7", "d7", "g7"), 3.0, 30, due=()),
        FoulSeen(None, "stone_vanished", ("a1",), (1,) * 24, (0,) * 24, 2.0, 20),
        Restored(1.0, 1),
        QuestionAsked(("d6", "d7"), 1.0, 1),
        QuestionAsked(("d6 d7", "="), 1.0, 1, players=((0, 1), ())),
        GameEnded(0, "fewer_than_three", 1.0, 1, loser=1, n=2),
        GameEnded(None, "no_mill", 1.0, 1),
    ],
    ids=lambda event: type(event).__name__,
)
def test_an_event_comes_out_of_the_journal_as_it_went_in(event: Event) -> None:
    assert event_of_record(keep(event, 2), initial_state(start()).game) == event


IN_THE_COPY = """
import json, sys
from pathlib import Path
from tests.web.scripted_eyes import look
from web.app import create_app
from web.game.event_sentences import sentences_of_event
from web.journal.journal import Journal
from web.table.live_table import LiveTable
from web.hosted_tables import AppContext

with Journal(Path("journal.sqlite")) as journal:
    table = LiveTable(journal, look)
    table.open("hand", "tic_tac_toe", {})
    client = create_app(AppContext(table)).test_client()
    answers = [client.post("/api/call", json=body).status_code for body in ({"why": "Moien"}, {"why": 7}, {})]
    described = client.get("/api/openapi.json").get_json()["paths"]["/api/call"]["post"]
    said = client.get("/api/state").get_json()["said"][-1]
    kinds = [record.kind for record in journal.records(1)]
    print(json.dumps([answers, described["summary"], said["kind"], said["texts"]["lb"], kinds]))
    table.close()
"""


def test_one_more_command_is_a_function_and_a_row_and_one_more_kind_is_a_row(tmp_path: Path) -> None:
    recipe = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## A new command")[1].split("\n## ")[0]
    function, row, kind = re.findall(r"```python\n(.*?)```", recipe, re.DOTALL)
    shutil.copytree(ROOT / "web", tmp_path / "web", ignore=shutil.ignore_patterns("__pycache__", "fonts"))
    for path, place, addition in (
        ("game/player_commands.py", "def allow_hints", f"{function}\n\n"),
        ("views/player_api.py", "    Command(", f"    {row.strip()},\n"),
        ("game/records.py", '    "start": Kind(', kind),
    ):
        before, found, after = (tmp_path / "web" / path).read_text(encoding="utf-8").partition(place)
        assert found
        (tmp_path / "web" / path).write_text(f"{before}{addition}{found}{after}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", IN_THE_COPY],
        cwd=tmp_path, timeout=60, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        [200, 400, 400], "people call the referee to the table.", "called", "Moien", ["start", "called"],
    ]  # fmt: skip


def test_the_types_of_the_scripts_are_made_from_what_they_are_sent_and_find_in_the_page() -> None:
    assert (ROOT / FILE).read_text(encoding="utf-8") == page_types(), "python -m tools.page_types"
    assert (ROOT / page_ids.FILE).read_text(encoding="utf-8") == page_ids.page_ids(), "python -m tools.page_ids"


def test_what_a_page_is_sent_is_the_tree_of_its_state(journal: Journal) -> None:
    table = LiveTable(journal, look)
    table.open("hand", "tic_tac_toe", {})
    client = create_app(AppContext(table)).test_client()
    for path, body in (("act", {"act": "b2"}), ("act", {"act": "b2"}), ("put-back", {})):
        client.post(f"/api/{path}", json={**body, "seen": seen_at(table)})
        sent = client.get("/api/state").get_json()
        assert sent == json.loads(json.dumps(table.publisher.snapshot, default=in_languages(tuple(LANGUAGES))))
        assert set(sent["game"]) == {one.name for one in fields(GameView)}
    table.close()
