"""Prints what Millchen knows of a game and of a language: ``python -m tests.referee.telling GAME PICTURE LANGUAGE``.

Games to judge are its input. What it prints are lines of JSON, and after five of them the rules in that language.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask.testing import FlaskClient

from languages import LANGUAGES, in_all_languages
from millchen import main
from referee.announce import sentence
from referee.boards import BOARDS, board_family, boards_for
from referee.events import TurnPlayed
from referee.explain import rules_text
from referee.game import Game
from referee.moves import Place
from referee.presets import PRESETS, find_variant
from vision.detection.refusal import cut_off_message
from web.app import create_app
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.page_words import words
from web.table.live_table import LiveTable


@contextmanager
def page_of(game: str) -> Iterator[FlaskClient]:
    """A table at which a game is played by hand."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = LiveTable(journal)
        table.open("hand", game, {})
        yield create_app(AppContext(table)).test_client()
        table.close()


def tell(game: str) -> dict[str, object]:
    """What commands and pages show of the game."""
    with page_of(game) as client:
        pages = {name: client.get(f"/?lang={name}", follow_redirects=True).text for name in LANGUAGES}
        client = client.application.test_client()  # without the cookie of a language
        picture = client.get(f"/boards/{game}.svg").text
        rules = client.get(f"/api/rules/{game}", headers={"Accept-Language": "de"}).get_json()["sentences"]
        set_right = {"point": PRESETS[game].variant.board.points[0], "top": 1, "seen": {"game": 1, "seq": 1}}
        placed = client.post("/api/correct", json=set_right).status_code
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


def speak(language: str) -> dict[str, object]:
    """One sentence of every kind in a language."""
    turn = TurnPlayed(1, 0, (Place("d6"),), (), 1.0, 1.0, 30)
    with page_of("millchen") as client:
        page = client.get(f"/?lang={language}", follow_redirects=True).text
        refused = client.post("/api/take-back", json={"seen": {"game": 1, "seq": 1}}).get_json()["error"]["text"]
    return {
        "languages": dict(LANGUAGES),
        "turn": sentence(turn, language, ("red", "")),
        "heard": sentence(turn, language, spoken=True),
        "error": in_all_languages(cut_off_message(["left"], 0.2))[language],
        "page": page,
        "refused command": refused,
    }


if __name__ == "__main__":
    _, game, picture, language = sys.argv
    main(["judge"])
    print(json.dumps(tell(game)))
    print(json.dumps(tell_discs("short_discs", 9)))
    main(["read", picture, "--board", game, "--json"])
    print(json.dumps(speak(language)))
    main(["rules", "millchen", "--language", language])
