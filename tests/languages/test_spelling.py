"""What every language writes in one way: spaces at its marks, names of games, words for things, forms of address."""

import re
from pathlib import Path

import pytest

from languages import LANGUAGES, catalogue
from referee.announce import sentence
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import PRESETS
from referee.search.reasons import Reason, reason_sentences
from tests.languages.test_catalogues import PARTS, of
from tests.referee.every_event import EVENTS
from web.page_words import words

WEB = Path(__file__).parents[2] / "web"
NO_BREAK = "\u00a0"
PLACE = re.compile(r"{[^{}]*}|\b(?:https?|rtsps?)://")
"""Places to fill and addresses have colons that are none of a sentence's."""

COLONS = {"**/*.js": r"\}: \$\{", "**/*.html": r"\}\}: |\}\}:<", "views/*.py": r"\}: \{", "game/*.py": r"\}: \{"}
"""How a source would write what should be the word ``label``: a name, a colon and what it is."""


def told(language: str) -> dict[str, str]:
    return {f"{part}.{key}": text for part in PARTS for key, text in of(language, part).items()}


def test_french_has_a_space_at_its_marks_at_which_no_line_breaks() -> None:
    about = {f"about/{name}": preset.about_in("fr") for name, preset in PRESETS.items() if "fr" in preset.about}
    for key, text in (told("fr") | about).items():
        for found in re.finditer(r"(.?)[:;!?»]+(?!\w)|«(.?)", PLACE.sub("x", text)):
            assert (found[1] or found[2]) in (NO_BREAK, "…"), f"{key}: {found[0]!r} in {text!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_begins_with_a_mark(language: str) -> None:
    for part in PARTS:
        assert not [text for text in of(language, part).values() if re.search(r"[ \u202f][:;!?»]|«[ \u202f]", text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_have_one_apostrophe(language: str) -> None:
    for part in set(PARTS) - {"referee", "rules", "errors"}:  # those go to terminals too
        assert not [text for text in of(language, part).values() if re.search(r"[^\W\d_]'[^\W\d_]", text)], part


def test_no_page_writes_a_colon_where_french_wants_a_space() -> None:
    for kind, pattern in COLONS.items():
        for path in WEB.glob(kind):
            text = path.read_text(encoding="utf-8")
            assert not re.search(pattern, text), f"{path}: {re.findall(f'.*{pattern}.*', text)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_the_games_have_no_figures_and_those_with_n_stones_are_built_alike(language: str) -> None:
    names = {key: text for key, text in words(language).items() if key.startswith("game.")}
    assert not [text for text in names.values() if re.search(r"[0-9']", text)]
    numbers = "|".join(of(language, "referee")[f"numbers.{n}"].removesuffix("n") for n in (5, 6, 7, 11, 12))
    counted = [names[f"game.{n}_mens_morris"] for n in ("five", "six", "seven", "eleven", "twelve")]
    assert len({re.sub(rf"({numbers})n?\b", "N", name, flags=re.IGNORECASE) for name in counted}) == 1, counted


TO_SEVERAL = (
    r"aktualisiert|berichtigt|bewegt|bringt|druckt|fangt|fragt|gebt|haltet|importiert|installiert|kippt|klappt|klebt|"
    r"lasst|legt|löscht|messt|nehmt|nennt|öffnet|sagt|schaltet|schaut|schickt|setzt|steckt|stellt|tippt|versucht|"
    r"wählt|wandelt|wartet|wiederholt|zeigt|zieht"
)
"""What is said to several people where "du" has "aktualisiere", "berichtige", "beweg" ..."""

OBJECT = r" (?:bitte |gleich )?(?:das|den|die|eine?n?|es|ihn|sie|mit)\b"

REQUEST = re.compile(rf"(?:^|[:;.!?] |\b(?:und|oder) )(?:{TO_SEVERAL})(?={OBJECT})", re.IGNORECASE)

FORMAL = re.compile(r"(?<=[a-zäöüß,;:] )(?:Sie|Ihnen|Ihre?[nmrs]?)\b|\b(?:euch|eure?[nmrs]?)\b")

OF_A_THIRD = {"page.begins", "page.links.camera.help"}
"""Sentences about somebody: "beginnt und legt den ersten Stein"."""


def is_not_du(text: str) -> bool:
    return bool(REQUEST.search(text) or FORMAL.search(text))


def test_german_says_du() -> None:
    for text in ("es fehlt: nehmt es weg", "suchen Sie nach dem Namen", "das ist nicht für euch", "Legt das Brett hin"):
        assert is_not_du(text)
    assert {key: text for key, text in told("de").items() if is_not_du(text) and key not in OF_A_THIRD} == {}


def test_luxembourgish_says_du() -> None:
    verbs = "huelt|leet|maacht|sicht|wielt|nennt|gitt|probéiert|réckelt|haalt|loosst|sot|schéckt|moosst|weist"
    to_several = re.compile(rf"(?:^|[:;.!?] |, oder )(?:{verbs})\b|\b(?:dir|iech|äre?[nmr]?)\b", re.IGNORECASE)
    assert to_several.search("d’Bild ass ze däischter: maacht eng Luucht un")
    assert {key: text for key, text in told("lb").items() if to_several.search(text)} == {}


def test_french_has_one_word_for_a_stone_and_says_vous() -> None:
    said = told("fr")
    assert {key: text for key, text in said.items() if re.search(r"(?i)\bpierres?\b|\bpiles? de\b", text)} == {}
    assert {
        key: text for key, text in said.items() if re.search(r"(?i)\b(?:tu|toi|ton|ta|tes)\b|[^z]-moi\b", text)
    } == {}


NEVER_SAID = {
    "fr": r"\b(?:de|à) le\b|\b[dD]’Y|\bde [aeiouéèêîô](?!\d)|au trait|c’est nulle",
    "lb": r"\bkan (?!n)|\b[Zz]wee Mill|\bvu [1-3]\b|Schiidsrichter|\bdierf|onscharf|\bFoul\b",
    "de": r"hergab|hergegeben|\bschlagen\b|\bFoul\b|aller zusammen",
    "en": r"^Who (?:closes|has only|has fewer than|cannot)|\bhe likes|of all together",
}
"""What nobody says: two words that grow together, and words of another language or of another game."""


@pytest.mark.parametrize("language", NEVER_SAID)
@pytest.mark.parametrize("names", [(), ("red", "orange", "blue"), ("Anna", "Yann", "Ève"), ("Île", "Tom", "Zoé")])
def test_whatever_players_are_called_no_sentence_has_one_of_these_slips(language: str, names: tuple[str, ...]) -> None:
    said = [
        sentence(event, language, names, NINE_MENS_MORRIS, spoken=aloud) for event in EVENTS for aloud in (False, True)
    ]
    for kind in catalogue(language, "search")["reason"]:
        said += [reason_sentences([Reason(kind, ("d6",), n=2, player=player)], language, names) for player in (0, 1, 2)]
    print(f"{language}, {names}: {len(said)} composed sentences")
    said += told(language).values()
    assert [text for text in said if re.search(NEVER_SAID[language], text)] == []
