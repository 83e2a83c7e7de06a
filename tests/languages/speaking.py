"""Prints one sentence of every kind in a language: ``python -m tests.languages.speaking xx``."""

import json
import sys
import tempfile
from pathlib import Path

from calibration.step_texts import Refused, phrase
from languages import LANGUAGES, in_all_languages
from millchen import main
from referee.announce import sentence
from referee.events import TurnPlayed
from referee.explain import rules_text
from referee.moves import Place
from referee.presets import find_variant
from vision.detection.refusal import cut_off_message
from web.app import create_app
from web.game.event_sentences import sentences_of_event
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.page_words import words
from web.table.live_table import LiveTable


def speak(language: str) -> dict[str, object]:
    """One sentence of every kind."""
    variant, turn = find_variant("millchen"), TurnPlayed(1, 0, (Place("d6"),), (), 1.0, 1.0, 30)
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = LiveTable(journal)
        table.open("hand", "millchen", {})
        client = create_app(AppContext(table)).test_client()
        page = client.get(f"/?lang={language}", follow_redirects=True).get_data(as_text=True)
        refused = client.post("/api/take-back", json={"seen": {"game": 1, "seq": 1}}).get_json()["error"]["text"]
        table.close()
    return {
        "languages": dict(LANGUAGES),
        "turn": sentence(turn, language, ("red", "")),
        "heard": sentence(turn, language, spoken=True),
        "sent to pages": sentences_of_event(turn, ("", ""), variant.board)["texts"][language],
        "rules": rules_text(variant, language).splitlines()[:3],
        "colour": words(language)["colour.red"],
        "setup": phrase("step.lens", language),
        "refused step": Refused("lens.few", n=3, least=6).texts[language],
        "error": in_all_languages(cut_off_message(["left"], 0.2))[language],
        "page": page,
        "refused command": refused,
    }


if __name__ == "__main__":
    print(json.dumps(speak(sys.argv[1])))
    main(["rules", "millchen", "--language", sys.argv[1]])
