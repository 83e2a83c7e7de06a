"""What a page says that it saw, with each command about the board."""

from __future__ import annotations

from flask.testing import FlaskClient

from web.table.live_table import LiveTable


def seen_by(client: FlaskClient) -> dict[str, int]:
    """The game that the page shows now, and the number of its newest record."""
    game = client.get("/api/state").get_json()["game"]
    return {"game": game["id"], "seq": game["seq"]}


def seen_at(table: LiveTable) -> dict[str, int]:
    """The same, read from the table."""
    game = table.publisher.snapshot.game
    return {"game": game["id"], "seq": game["seq"]}
