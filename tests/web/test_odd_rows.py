"""One odd row in the archive, with a digest that is right, costs one game its place in the list and nobody else's."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.web.cluster import Cluster, needs_archive
from tests.web.conftest import LOCAL, Until
from tests.web.test_club import Computer, begin, place
from web.app import create_app
from web.club.scoreboard import JournalFollower
from web.hosted_tables import AppContext
from web.journal.journal_record import record_digest
from web.table.live_table import LiveTable

START = {"game": "nine_mens_morris", "options": {}, "source": "0", "table": "Kitchen"}
TURN = {"t": 1.0, "frame": 1, "player": 1, "moves": ["a1"], "mills": [], "confidence": 1.0, "skipped": []}
ODD = {
    "no JSON": ("start", "{"), "brackets without end": ("start", "[" * 60_000),
    "a game of a newer Millchen": ("start", START | {"game": "hyper_morris"}),
    "options that are none": ("start", START | {"options": [[1]]}),
    "a kind of a newer Millchen": ("teleported", {"to": "a1", "t": 1.0, "frame": 1}),
    "a turn of nobody": ("turn", TURN | {"player": None}), "moves of numbers": ("turn", TURN | {"moves": [7, None]}),
    "a clock that is text": ("turn", TURN | {"clock": ["a", "b"]}), "too many names": ("named", {"names": ["A"] * 9}),
    "a foul of nothing": ("foul", {"points": None, "t": 1.0, "frame": 1}),
    "infinity": ("turn", '{"t": Infinity, "frame": 1e999, "player": 1, "moves": ["a1"], "mills": 3}'),
}  # fmt: skip


def text_of(name: str) -> str:
    body = ODD[name][1]
    return body if isinstance(body, str) else json.dumps(body)


def row(seq: int, kind: str, body: str, game: int = 1) -> Any:
    columns = (game, kind, None, body, "2026-01-01T00:00:00+00:00", "camera")
    return SimpleNamespace(
        seq=seq, game=game, kind=kind, ply=None, body=body, wall_time=columns[4], by="camera",
        digest=record_digest(*columns),
    )  # fmt: skip


def test_a_scoreboard_goes_on_after_any_odd_row() -> None:
    follower = JournalFollower("0" * 32, "elsewhere")
    for game, name in enumerate(ODD, start=1):
        rows = [row(1, "start", json.dumps(START), game), row(2, ODD[name][0], text_of(name), game)]
        rows.append(row(3, "turn", json.dumps(TURN | {"moves": ["d7"]}), game))
        for table in follower.process(rows):
            assert table.to_json()["game"]["name"] == "nine_mens_morris", name
    assert follower.seq == 3


@needs_archive
@pytest.mark.film
def test_the_archive_shows_every_other_game_beside_odd_rows(cluster: Cluster, tmp_path: Path, until: Until) -> None:
    here = Computer(tmp_path / "here", cluster.address())
    with here.stack:
        place(here.games, begin(here.games, "Garden"), 1)
        until(lambda: getattr(here.club.scoreboard.status.link, "last_sent_seq", 0) == 2)
        origin = "f" * 32
        cluster.sql(f"INSERT INTO journal (origin, host, begun) VALUES ('{origin}', 'elsewhere', '2026')")
        values = []
        for game, name in enumerate(ODD, start=1):
            rows = [row(2 * game, ODD[name][0], text_of(name), game)]
            if rows[0].kind != "start":
                rows.insert(0, row(2 * game - 1, "start", json.dumps(START), game))
            for one in rows:
                texts = (one.kind, one.body, one.wall_time, one.digest, origin)
                told = ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
                values.append(f"({told}, {one.game}, {one.seq}, 0, 'camera', now())")
        columns = "kind, body, wall_time, digest, origin, game, origin_seq, monotonic_s, by, arrived"
        cluster.sql(f"INSERT INTO event ({columns}) VALUES {', '.join(values)}")
        app = create_app(AppContext(cast(LiveTable, SimpleNamespace()), club=here.club))
        client = app.test_client()
        for words in ("", "?q=elsewhere", "?q=garden"):
            answer = client.get(f"/archive{words}", base_url=LOCAL)
            assert answer.status_code == 200, answer.get_data(as_text=True)[:500]
            page = answer.get_data(as_text=True)
            assert ("Garden" in page) == (words != "?q=elsewhere")
            assert page.count("cannot be shown") >= 4 or words == "?q=garden"
        for game, name in enumerate(ODD, start=1):
            for end in ("", ".svg") if game % 5 else ("", "/sheet", ".json", ".pgn", ".svg"):
                status = client.get(f"/archive/{origin}/{game}{end}", base_url=LOCAL).status_code
                assert status in (200, 404), (name, end)
        place(here.games, 1, 2)
        until(lambda: here.shown().get("Garden") == 2)
        until(lambda: len(cluster.sql(f"SELECT 1 FROM event WHERE origin <> '{origin}'")) == 3)
