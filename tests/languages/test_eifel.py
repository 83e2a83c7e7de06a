"""The rule of the Eifel (n-Regel) over all of the Luxembourgish catalogue, and over what the referee says.

An n at the end of a word is spoken and written before a vowel, before n, d, t, z and h, and before a pause; before
every other sound it falls, and of two both fall: "den Dësch", "de Steen", "mir hunn Zäit", "mir hu gewonnen". It does
not touch the n of a stem ("de Steen gouf", "Ronn") nor names ("Millchen").
"""

import re
from typing import Any

import pytest

from languages import grammar
from referee.announce import sentence
from referee.layouts import NINE_MENS_MORRIS
from tests.languages.test_catalogues import PARTS, of
from tests.referee.every_event import EVENTS

STEMS_AND_NAMES = {"anton", "auerzäresënn", "enn", "steen", "ronn", "telefon", "moulin", "millchen"} | {
    *("aan", "ceylon", "tapatan", "tin")  # of other languages, in the stories
}
"""Words whose n is not that of an ending."""

NEVER_HAD_AN_N = (
    {
        "code", "jee", "lee", "mee", "nee", "orange", "partie", "se", "si", "ze", "zwee", "phone", "rouge", "sqlite",
        "toe", "wee",
    }
    | {"babbage", "cambridge", "fiske", "shakespeare", "wiltshire"}
    | {"alquerque", "brettspiele", "enzyklopedie", "jare", "mühle", "noriichtenagence"}
)  # fmt: skip
"""Words that look as if an n had fallen: "si" (they), "ze" (to), words of other languages, and stems in e."""

KEEPS = "aäeéëêèiïoöuündtzh"
"""First letters before which the n stays."""

NUMBERS_THAT_KEEP = r"[0-389]|1[0-389]|[2-9][12389]|[2389]0|[12389]\d\d+"
"""Null, eent, zwee, dräi, aacht, néng, zéng, zwielef, zwanzeg begin with such a sound; véier, fofzéng, siwenanzwanzeg
do not."""

LETTER = "A-Za-zÄÖÜäöüéëËÉêèïß"
WORD = re.compile(
    rf"(?<![-/.{{(_{LETTER}])([{LETTER}]{{2,}}|[ae])(?=( [„«]?(?:\d+|[{LETTER}]\d?))|[.,;:!?)“»…]|$| [–(])"
)


def of_part(part: str) -> dict[str, str]:
    # an adjective stands before "Steen" or "Rank"; what programs are called is not spoken
    found = {key: text for key, text in of("lb", part).items() if not re.search(r"^colours\.|\.ring\d$", key)}
    return {key: re.sub(r"„millchen \w+( \w+)?“", "…", text) for key, text in found.items()}


CATALOGUE = {f"{part}.{key}": text for part in PARTS for key, text in of_part(part).items()}
VOCABULARY = {word.lower() for text in CATALOGUE.values() for word in re.findall(rf"[{LETTER}]+", text)}


def stays_before(follower: str | None) -> bool:
    """Whether an n is spoken before what follows the word; ``None`` is a pause."""
    if follower is None:
        return True
    start = follower.strip(" „«").lower()
    if re.fullmatch(r"[a-z]\d", start):  # the name of a point as it is spoken: ef, tsee, em
        return start[0] in "acdefim"
    return bool(re.fullmatch(NUMBERS_THAT_KEEP, start)) if start[0].isdigit() else start[0] in KEEPS


def slips(text: str) -> list[str]:
    """Words of a text that have an n too many or too few, each with what follows it."""
    found = []
    for hit in WORD.finditer(text):
        word, follower = hit[1].lower(), hit[2]
        if word.endswith("n"):
            is_wrong = word not in STEMS_AND_NAMES and not stays_before(follower)
        else:  # one that has lost it, or an e that never had any
            has_lost_it = word.endswith(("e", "ë")) or not VOCABULARY.isdisjoint({f"{word}n", f"{word}nn"})
            is_wrong = has_lost_it and word not in NEVER_HAD_AN_N and stays_before(follower)
        if is_wrong:
            found.append(f"{hit[1]}{follower or ' |'}")
    return found


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("den Dësch", "de Dësch"), ("de Steen", "den Steen"), ("mir hunn Zäit, mir hu gewonnen", "mir hu Zäit"),
        ("ouni Mille geholl", "ouni Millen geholl"), ("dovu kann net", "dovun ka net"),
        ("vun d5 op b4, vu b4", "vu d5 op b4, vun b4"), ("vun 20 Zich, vu 15 Zich, vun 21 Zich", "vun 7 Zich"),
    ],
)  # fmt: skip
def test_the_rule_finds_slips_and_lets_right_texts_be(right: str, wrong: str) -> None:
    assert not slips(right)
    assert slips(wrong)


@pytest.mark.parametrize("part", PARTS)
def test_the_whole_catalogue_keeps_the_rule(part: str) -> None:
    found = {key: slips(text) for key, text in CATALOGUE.items() if key.startswith(f"{part}.")}
    assert {key: words for key, words in found.items() if words} == {}


def test_an_n_before_what_is_filled_in_is_left_to_the_grammar() -> None:
    told = [text for key, text in CATALOGUE.items() if key.startswith("referee.phrases.")]
    loose = [hit for text in told for hit in re.findall(rf"([{LETTER}]+n) {{(?!ply|n}})", text)]
    assert {word for word in loose if word.lower() not in STEMS_AND_NAMES} == set()


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_finished_sentences_keep_the_rule_whatever_the_point_and_the_colour(event: Any) -> None:
    for colours in (("red", "orange"), ("grey", "blue"), ("yellow", "white"), None):
        for spoken in (False, True):
            text = sentence(event, "lb", colours, NINE_MENS_MORRIS, spoken=spoken)
            assert slips(text) == [], text


def test_the_grammar_and_the_test_agree_on_points() -> None:
    for letter in "abcdefg":
        assert (grammar("lb")(f"vu(n) {letter}4") == f"vun {letter}4") is stays_before(f" {letter}4")
