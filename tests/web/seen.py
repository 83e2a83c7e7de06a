"""What a page says that it saw, with each command about the board; and a point that people set right there."""

from flask.testing import FlaskClient

from web.game.player_commands import correct_stone
from web.table.live_table import LiveTable


def seen_by(client: FlaskClient) -> dict[str, int]:
    """The game that the page shows now, and the number of its newest record."""
    game = client.get("/api/state").get_json()["game"]
    return {"game": game["id"], "seq": game["seq"]}


def seen_at(table: LiveTable) -> dict[str, int]:
    """The same, read from the table."""
    game = table.publisher.snapshot.game
    return {"game": game.id, "seq": game.seq}


def correct_point(table: LiveTable, point: str, top: int) -> None:
    """Say what lies on a point, as a tap on the page does."""
    table.apply_command(lambda state: correct_stone(state, point, top, table.publisher.page_game.position.tops))
