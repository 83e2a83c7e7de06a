"""A worked example: a language is one folder, and everything speaks it.

The language "xx" is English with "xx " before every text. It is put beside the other languages of a copy of the package,
which stands before the real one on the path. No other file of Millchen changes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("referee", "rules", "page", "setup", "errors")
GRAMMAR = '''"""Says "on-d6" for "on d6"."""


def join(text: str) -> str:
    """Put a hyphen after "on"."""
    return text.replace(" on ", " on-")
'''
SPEAKS = """
import sys
sys.path[:0] = [{copy!r}, {root!r}]
import json
from calibration.step_texts import Refused, phrase
from languages import LANGUAGES, in_all_languages, message
from millchen import main
from referee.announce import answers, foul_text, sentence, spoken_point
from referee.events import QuestionAsked, TurnPlayed
from referee.explain import rules_text
from referee.moves import Place
from referee.presets import find_variant
from tests.web.test_many_pages import client_of_a_fresh_table
from web.i18n.catalogue import words
from web.main import all_sentences

turn = TurnPlayed(1, 0, (Place("d6"),), (), 1.0, 1.0, 30)
told = {{
    "languages": dict(LANGUAGES),
    "turn": sentence(turn, "xx", ("red", "")),
    "heard": sentence(turn, "xx", spoken=True),
    "for the page": all_sentences(turn, ("", ""), None)["texts"]["xx"],
    "rules": rules_text(find_variant("millchen"), "xx").splitlines(),
    "page": words("xx")["title"],
    "colour": words("xx")["colour.red"],
    "setup": phrase("wizard.title", "xx"),
    "refused": Refused("lens.few", n=3, least=6).texts["xx"],
    "error": in_all_languages(message("sight.outside", place=message("place.left_side")))["xx"],
}}
print(json.dumps(told))
main(["rules", "millchen", "--language", "xx"])
"""


def marked(data: Any) -> Any:
    """The same data with "xx " before every text."""
    if isinstance(data, str):
        return f"xx {data}"
    if isinstance(data, list):
        return [marked(value) for value in data]
    return {key: marked(value) for key, value in data.items()}


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """What a Millchen with one more language says, and what its command prints."""
    copy = tmp_path_factory.mktemp("path")
    shutil.copytree(ROOT / "languages", copy / "languages", ignore=shutil.ignore_patterns("__pycache__"))
    new = copy / "languages" / "xx"
    new.mkdir()
    for part in PARTS:
        english = json.loads((ROOT / "languages" / "en" / f"{part}.json").read_text(encoding="utf-8"))
        (new / f"{part}.json").write_text(json.dumps(marked(english)), encoding="utf-8")
    about = {"name": "Exxish", "order": 3, "voice": "xx", "locales": ["xx", "en"]}
    (new / "language.json").write_text(json.dumps(about), encoding="utf-8")
    (new / "grammar.py").write_text(GRAMMAR, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SPEAKS.format(copy=str(copy), root=str(ROOT))],
        capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, _, rest = done.stdout.partition("\n")
    return json.loads(first), rest
