"""Prints what Millchen knows of a game: ``python -m tests.referee.telling GAME PICTURE``, games to judge as input."""

import json
import sys
import tempfile
from pathlib import Path

from languages import LANGUAGES
from millchen import main
from referee.boards import BOARDS, board_family, boards_for
from referee.explain import rules_text
from referee.game import Game
from referee.presets import PRESETS, find_variant
from web.app import create_app
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.page_words import words
from web.table.live_table import LiveTable


def tell(game: str) -> dict[str, object]:
    """What commands and pages show of the game."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = LiveTable(journal)
        table.open("hand", game, {})
        app, point = create_app(AppContext(table)), PRESETS[game].variant.board.points[0]
        pages = {
            language: app.test_client().get(f"/?lang={language}", follow_redirects=True).text for language in LANGUAGES
        }
        client = app.test_client()
        picture = client.get(f"/boards/{game}.svg").text
        rules = client.get(f"/api/rules/{game}", headers={"Accept-Language": "de"}).get_json()["sentences"]
        placed = client.post("/api/correct", json={"point": point, "top": 1, "seen": {"game": 1, "seq": 1}}).status_code
        table.close()
    return {
        "games": list(PRESETS),
        "boards": list(BOARDS),
        "names": {language: words(language)[f"game.{game}"] for language in LANGUAGES},
        "rules": {language: rules_text(find_variant(game), language).splitlines() for language in LANGUAGES},
        "pages": pages,
        "picture": picture,
        "rules of the page": rules,
        "placed": placed,
    }


def tell_discs(game: str, n_holes: int) -> dict[str, object]:
    """The boards of a game on turning discs, and its board once that many holes were seen."""
    variant = find_variant(game)
    (seen,) = (board for board in board_family(variant.board.name) if len(board.rings[0]) == n_holes)
    found = Game.start(variant).on_board(seen).variant
    return {
        "family": [len(board.rings[0]) for board in board_family(variant.board.name)],
        "looked for": [(board.name, len(board.rings[0])) for board in boards_for(variant)],
        "found": [found.name, found.board.name, len(found.board.rings[0])],
    }


if __name__ == "__main__":
    main(["judge"])
    print(json.dumps(tell(sys.argv[1])))
    print(json.dumps(tell_discs("short_discs", 9)))
    main(["read", sys.argv[2], "--board", sys.argv[1], "--json"])
