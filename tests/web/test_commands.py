"""R22: what is acknowledged is written; what is not was not done; a retry is the same command. The page says so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask.testing import FlaskClient

from languages import LANGUAGES
from referee.events import TurnPlayed
from referee.moves import parse_turn
from referee.typed_json import Words
from tests.web.conftest import LOCAL, Until, fill_disk
from tests.web.scripted_eyes import look, write_film
from tests.web.seen import seen_by
from web.app import ROUTES, create_app
from web.game.player_commands import take_back_turn
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.journal.journal_record import UnwrittenRecord
from web.table import vision_messages
from web.table.live_table import LiveTable


@pytest.fixture
def by_hand(journal: Journal) -> Iterator[LiveTable]:
    table = LiveTable(journal)
    table.open("hand", "nine_mens_morris", {})
    yield table
    table.close()


def client_of(table: LiveTable) -> FlaskClient:
    return create_app(AppContext(table)).test_client()


def post(client: FlaskClient, path: str, **body: Any) -> tuple[int, Any]:
    answer = client.post(path, json=body)
    return answer.status_code, answer.get_json()


def kinds(journal: Journal, game: int = 1) -> list[str]:
    return [record.kind for record in journal.records(game)]


def test_a_page_gets_sentences_in_its_own_language_and_a_program_in_all(by_hand: LiveTable) -> None:
    client = client_of(by_hand)
    assert post(client, "/api/act", act="d6", seen=seen_by(client))[0] == 200
    for query, wanted in (("?lang=fr", {"fr"}), ("", set(LANGUAGES)), ("?lang=xx", set(LANGUAGES))):
        newest = client.get(f"/api/state{query}", base_url=LOCAL).get_json()
        assert set(newest["said"][-1]["texts"]) == set(newest["game"]["to_do"]) == wanted
        assert "d6" in newest["said"][-1]["texts"]["fr"]


def test_every_command_about_the_board_says_what_its_sender_saw(by_hand: LiveTable, journal: Journal) -> None:
    client = client_of(by_hand)
    bodies: dict[str, dict[str, Any]] = {
        "/api/act": {"act": "d6"}, "/api/correct": {"point": "d6", "top": 1},
        "/api/tower": {"point": "d6", "top": 1, "height": 1}, "/api/ring": {"ring": 0, "steps": 1},
        "/api/answer": {"option": 0}, "/api/resume": {"tops": [0] * 24}, "/api/mover": {"player": 1},
        "/api/end": {"how": "agreed"},
    }  # fmt: skip
    before = seen_by(client)
    assert post(client, "/api/act", act="d6", seen=before)[0] == 200
    about_board = [r.rule for r in ROUTES if isinstance(r.body, Words) and "seen" in r.body.needed]
    assert len(about_board) == 14
    for path in about_board:
        body = bodies.get(path, {})
        assert post(client, path, **body)[0] == 428, path
        status, said = post(client, path, **body, seen=before)
        assert status == 409 and "gone on" in said["error"]["text"], path
        assert said["state"]["game"]["ply"] == 1, "the state comes with the refusal"
        assert post(client, path, **body, seen={"game": 9, "seq": 99})[0] == 409, path
    assert kinds(journal) == ["start", "turn"]
    for wrong in (1, [], {"game": 1}, {"game": True, "seq": 1}, {"game": "1", "seq": 1}):
        assert post(client, "/api/take-back", seen=wrong)[0] == 400
    for wrong in ("", "x" * 65, 7, "\n"):
        assert post(client, "/api/take-back", seen=seen_by(client), key=wrong)[0] == 400


def test_names_and_clocks_do_not_make_a_command_stale_but_another_game_does(by_hand: LiveTable) -> None:
    client = client_of(by_hand)
    before = seen_by(client)
    assert post(client, "/api/names", names=["Anna", "Ben"], seen={**before, "seq": 0})[0] == 200
    assert post(client, "/api/clock", act="set", kind="down", minutes=5, increment=0)[0] == 200
    assert post(client, "/api/act", act="d6", seen=before)[0] == 200
    assert post(client, "/api/game", game="millchen")[0] == 200
    assert post(client, "/api/names", names=["Carla", "Dora"], seen=before)[0] == 409


def test_a_retry_is_the_same_command_also_after_a_crash(journal: Journal) -> None:
    said: list[Any] = []
    for _ in range(2):
        table = LiveTable(journal)
        table.open("hand", "nine_mens_morris", {})
        client = client_of(table)
        for _ in range(2):
            said.append(post(client, "/api/act", act="d6", seen={"game": 1, "seq": 1}, key="one"))
        table.close()
        hour = journal.records(1)[1].wall_time  # Millchen's word of the same millisecond is none of the command's
        journal.append_all(1, [UnwrittenRecord("remark", 1, {"text": "a thought"})], by="thinker", hour=hour)
    assert said == [said[0]] * 4 and said[0][0] == 200
    assert kinds(journal) == ["start", "turn", "remark", "remark"]


def test_on_a_full_disk_nothing_is_acknowledged_and_nothing_waits(by_hand: LiveTable, journal: Journal) -> None:
    client = client_of(by_hand)
    assert post(client, "/api/act", act="d6", seen=seen_by(client))[0] == 200
    make_room = fill_disk(journal)
    for _ in range(200):  # the pages that are there have a little room
        if post(client, "/api/names", names=["Anna" * 10, "Ben" * 10])[0] != 200:
            break
    before = kinds(journal)
    for n, act in enumerate(("d7", "a1", "d6")):
        status, said = post(client, "/api/act", act=act, seen=seen_by(client), key=f"act {n}")
        assert status == 503 and "was not done" in said["error"]["text"]
    make_room()
    by_hand.camera.tick()
    assert kinds(journal) == before, "what was refused is not done later"
    assert by_hand.publisher.snapshot.saved
    assert post(client, "/api/act", act="d7", seen=seen_by(client), key="act 0")[0] == 200, "but may be tried again"


def test_a_turn_and_what_follows_from_it_are_written_together_or_not(journal: Journal) -> None:
    table = LiveTable(journal)
    table.open("hand", "tic_tac_toe", {})
    client = client_of(table)
    for act in ("a3", "a2", "b3", "b2"):
        assert post(client, "/api/act", act=act, seen=seen_by(client))[0] == 200
    execute, n_calls = journal._connection.execute, [0]

    def fail_at_second(*args: Any) -> Any:
        n_calls[0] += 1
        if n_calls[0] == 4:  # after what it follows, the turn, and what that follows
            raise sa.exc.OperationalError("insert", {}, Exception("database or disk is full"))
        return execute(*args)

    journal._connection.execute = fail_at_second  # type: ignore[method-assign, assignment]
    assert post(client, "/api/act", act="c3", seen=seen_by(client))[0] == 503
    journal._connection.execute = execute  # type: ignore[method-assign]
    assert kinds(journal) == ["start", *["turn"] * 4]
    assert post(client, "/api/act", act="c3", seen=seen_by(client))[0] == 200
    assert kinds(journal)[-2:] == ["turn", "over"]
    table.close()


def test_eyes_that_hang_or_are_gone_hold_up_no_command(journal: Journal, tmp_path: Path, until: Until) -> None:
    film = write_film(tmp_path / "film.json", "d6", "d7", "freeze")
    table = LiveTable(journal, look)
    table.open(str(film), "nine_mens_morris", {})
    until(lambda: table.publisher.snapshot.game.ply == 2)
    client = client_of(table)
    for path, body in (
        ("/api/correct", {"point": "a1", "top": 1}),
        ("/api/take-back", {}),
        ("/api/end", {"how": "resigned", "player": 1}),
    ):
        status, said = post(client, path, **body, seen=seen_by(client))
        assert status == 200 and journal.last_seq() == said["seq"], said
    assert kinds(journal)[-3:] == ["corrected", "amended", "resigned"]
    table.close()


def test_what_eyes_saw_before_they_knew_of_a_command_is_void(journal: Journal, tmp_path: Path, until: Until) -> None:
    film = write_film(tmp_path / "film.json", "d6")
    table = LiveTable(journal, look)
    table.open(str(film), "nine_mens_morris", {})
    until(lambda: table.publisher.snapshot.game.ply == 1)
    results: list[tuple[vision_messages.FrameResult, int]] = []
    receive, starts = table.camera.receive, table.health()["starts"]

    def spy(message: vision_messages.VisionMessage, generation: int) -> None:
        if isinstance(message, vision_messages.FrameResult):
            results.append((message, generation))
        receive(message, generation)

    table.camera.receive = spy  # type: ignore[method-assign]
    table.apply_command(take_back_turn)
    newest = journal.last_seq()
    until(lambda: bool(results) and results[-1][0].change_seq == newest)
    (seen, generation) = results[-1]
    turn = TurnPlayed(2, 1, parse_turn("a1", table.variant.board), (), 0.99, 0.3, 3)
    for known, is_replaced in ((newest - 1, False), (newest, True)):  # eyes that did not know yet are not to blame
        receive(vision_messages.FrameResult((turn,), seen.sight, known, (), 3, 0.3, 1.0), generation)
        until(lambda wanted=starts + is_replaced: table.health()["starts"] == wanted)  # type: ignore[misc]
        assert journal.last_seq() == newest
    table.close()
