"""Each language speaks to people in one way, and has one word for a thing."""

from __future__ import annotations

import re

from tests.languages.test_catalogues import PARTS, of

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


def told(language: str) -> dict[str, str]:
    return {f"{part}.{key}": text for part in PARTS for key, text in of(language, part).items()}


def is_not_du(text: str) -> bool:
    return bool(REQUEST.search(text) or FORMAL.search(text))


def test_german_says_du() -> None:
    for text in ("es fehlt: nehmt es weg", "suchen Sie nach dem Namen", "das ist nicht für euch", "Legt das Brett hin"):
        assert is_not_du(text)
    assert {key: text for key, text in told("de").items() if is_not_du(text) and key not in OF_A_THIRD} == {}


def test_french_has_one_word_for_a_stone_and_says_vous() -> None:
    said = told("fr")
    assert {key: text for key, text in said.items() if re.search(r"(?i)\bpierres?\b|\bpiles? de\b", text)} == {}
    assert {
        key: text for key, text in said.items() if re.search(r"(?i)\b(?:tu|toi|ton|ta|tes)\b|[^z]-moi\b", text)
    } == {}
