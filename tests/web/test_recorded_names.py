"""Records call a player for whom Millchen plays by its name and strength: exports, lists, the replay, clubs."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import LOCAL
from web.app import create_app
from web.game.game_state import GameState, Partner
from web.game.records import partner_body
from web.game.replay import replay, start_record_body
from web.history.exports import FORMATS
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.page_words import words
from web.table.live_table import LiveTable

MEDIUM, STRONG = Partner("medium"), Partner("strong", explain=True)


def begin(journal: Journal, **partners: Partner | None) -> int:
    """Begin a game of Tic Tac Toe in which Millchen plays, ``p2=MEDIUM``."""
    number = journal.begin(start_record_body("tic_tac_toe", {}, "hand"), by="hand").game
    for key, partner in partners.items():
        journal.append(number, "partner", partner_body(int(key[1:]) - 1, partner), by="hand")
    return number


def turn(journal: Journal, number: int, ply: int, move: str) -> None:
    body = {"t": float(ply), "frame": 0, "player": 1 + (ply - 1) % 2, "moves": [move], "mills": [], "confidence": 1.0}
    journal.append(number, "turn", body | {"skipped": []}, ply=ply, by="hand")


def state_of(journal: Journal, number: int) -> GameState:
    return replay(journal.records(number))


@pytest.fixture
def client(journal: Journal) -> Iterator[FlaskClient]:
    with closing(LiveTable(journal)) as table:
        table.open("hand", "nine_mens_morris", {})
        yield create_app(AppContext(table)).test_client()


def got(client: FlaskClient, path: str, language: str = "en") -> str:
    answer = client.get(path, base_url=LOCAL, headers={"Accept-Language": language})
    assert answer.status_code == 200, path
    return answer.get_data(as_text=True)


def won_by_anna(journal: Journal) -> int:
    number = begin(journal, p2=MEDIUM)
    journal.append(number, "named", {"names": ["Anna", ""]}, by="hand")
    for ply, move in enumerate(("a1", "a3", "b1", "b3", "c1"), start=1):
        turn(journal, number, ply, move)
    return number


def test_every_export_names_millchen_with_its_strength(journal: Journal, client: FlaskClient) -> None:
    number = won_by_anna(journal)
    pgn = got(client, f"/games/{number}.pgn", "de")
    assert '[White "Anna"]' in pgn and '[Black "Millchen (medium)"]' in pgn
    told = json.loads(got(client, f"/games/{number}.json"))
    assert told["names"] == ["Anna", "Millchen (medium)"] and told["record"]["tags"]["Black"] == "Millchen (medium)"
    assert [row["name"] for row in told["turns"]][:2] == ["Anna", "Millchen (medium)"]
    rows = list(csv.DictReader(io.StringIO(got(client, f"/games/{number}.csv"))))
    assert [row["name"] for row in rows][:2] == ["Anna", "Millchen (medium)"]
    for page in (".html", "/sheet"):
        assert "Anna – Millchen (mittel)" in got(client, f"/games/{number}{page}", "de"), page


@pytest.mark.parametrize("is_won", [True, False])
def test_a_game_that_is_read_in_part_says_so_in_every_export(
    journal: Journal, client: FlaskClient, is_won: bool
) -> None:
    number = won_by_anna(journal) if is_won else begin(journal)
    turn(journal, number, 6 if is_won else 1, "z9")
    for page in (*(f".{kind}" for kind in FORMATS), "", "/sheet"):
        told = client.get(f"/games/{number}{page}", base_url=LOCAL, headers={"Accept-Language": "de"})
        assert words("de")["damaged"] in told.get_data().decode(errors="replace"), page
    pgn, record = got(client, f"/games/{number}.pgn"), json.loads(got(client, f"/games/{number}.json"))
    assert '[Result "*"]' in pgn and pgn.endswith("*\n")
    assert (record["winner"], record["record"]["outcome"], record["problem"] is None) == (None, None, False)
    body = {"name": "cut.json", "text": json.dumps(record).replace("Anna", "Eva")}
    for text in (body["text"], pgn.replace("Anna", "Ida")):
        (again,) = client.post("/api/games/import", json=body | {"text": text}, base_url=LOCAL).get_json()["games"]
        assert words("en")["damaged"] in got(client, f"/games/{again}.pgn"), "it stays marked"


def test_a_name_that_people_gave_stays_and_two_partners_are_told_apart(journal: Journal) -> None:
    number = begin(journal, p1=MEDIUM, p2=STRONG)
    assert state_of(journal, number).recorded_names == ("Millchen 1 (medium)", "Millchen 2 (strong)")
    journal.append(number, "named", {"names": ["Robo", ""]}, by="hand")
    assert state_of(journal, number).called == ("Robo", "Millchen 2")
