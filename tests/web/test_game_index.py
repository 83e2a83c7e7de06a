from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.conftest import LOCAL
from web.app import create_app
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.table.live_table import LiveTable


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal with a game of a demo between two of the house."""
    with Journal(tmp_path / "journal.sqlite") as journal:
        for source in ("hand", "demo:trialectic", "0"):
            journal.begin({"game": "millchen", "options": {}, "source": source}, by="hand")
        yield journal


def test_games_of_the_demos_are_kept_apart(journal: Journal) -> None:
    table = LiveTable(journal)
    assert table._current_game.take_up("millchen", {}, "0", table.photographs)
    table._publish()
    client = create_app(AppContext(table)).test_client()
    english = {"Accept-Language": "en"}
    page = client.get("/games", base_url=LOCAL, headers=english).get_data(as_text=True)
    assert 'href="/games/1"' in page and 'href="/games/2"' not in page
    assert "Demo games: 1" in page and "<b>2</b>" in page
    demos = client.get("/games?demo=1", base_url=LOCAL, headers=english).get_data(as_text=True)
    assert 'href="/games/2"' in demos and 'href="/games/1"' not in demos
    assert [game["id"] for game in client.get("/api/games", base_url=LOCAL).get_json()["games"]] == [3, 1]
    assert [game["id"] for game in client.get("/api/games?demo=1", base_url=LOCAL).get_json()["games"]] == [2]
