"""A worked example: a language is one folder, and everything speaks it.

The language "xx" is English with "xx " before every text. It lies beside the other languages in a copy of the package,
which stands before the real one on the path. No other file of Millchen changes.
"""

import json
from typing import Any

import pytest

from languages import LANGUAGES
from tests.languages.test_catalogues import PARTS
from tests.process import copy_of, printed


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
    folder = tmp_path_factory.mktemp("path")
    languages = copy_of("languages", folder)
    new = languages / "xx"
    new.mkdir()
    for part in PARTS:
        english = json.loads((languages / "en" / f"{part}.json").read_text(encoding="utf-8"))
        (new / f"{part}.json").write_text(json.dumps(marked(english)), encoding="utf-8")
    about = {"name": "Exxish", "order": 3, "voice": "xx", "locales": ["xx", "en"], "grammar": [[" on ", " on-"]]}
    (new / "language.json").write_text(json.dumps(about), encoding="utf-8")
    first, _, rest = printed(folder, "tests.languages.speaking", "xx").partition("\n")
    return json.loads(first), rest


def test_it_stands_in_the_menu_where_it_wants_to(spoken: tuple[dict[str, Any], str]) -> None:
    menu = list(spoken[0]["languages"])
    assert set(menu) == {*LANGUAGES, "xx"}
    assert menu.index("fr") < menu.index("xx") < menu.index("en")  # its order is 3, as is that of French
    assert spoken[0]["languages"]["xx"] == "Exxish"


def test_the_referee_speaks_it_with_its_own_grammar(spoken: tuple[dict[str, Any], str]) -> None:
    told, _ = spoken
    assert told["turn"] == "xx Red xx places on-d6."
    assert told["heard"] == "xx Player 1 xx places on-xx Delta 6."
    assert told["sent to pages"] == "xx Player 1 xx places on-d6."


def test_the_rules_are_told_in_it_also_by_the_command(spoken: tuple[dict[str, Any], str]) -> None:
    told, rules = spoken
    assert told["rules"][0] == "xx Millchen"
    assert told["rules"][2].startswith("xx 2 players, ")
    assert rules.splitlines()[: len(told["rules"])] == told["rules"]


def test_the_pages_are_written_in_it(spoken: tuple[dict[str, Any], str]) -> None:
    told, _ = spoken
    assert '<html lang="xx"' in told["page"]
    assert 'title="Exxish"' in told["page"]
    assert ">xx Games played<" in told["page"]
    assert (told["colour"], told["setup"]) == ("xx Red", "xx Lens")


def test_what_goes_wrong_is_said_in_it(spoken: tuple[dict[str, Any], str]) -> None:
    told, _ = spoken
    assert told["refused command"] == "xx nothing has been played that could be taken back"
    assert told["refused step"].startswith("xx only 3 views")
    assert told["error"] == (
        "xx the board is cut off xx at the left: about xx a fifth of it is missing; "
        "move the camera back or xx to the left"
    )
