"""Everything that the referee says, written, spoken, and read aloud once by espeak-ng: no raw key is among it."""

import itertools
import re
import shutil
import subprocess

import pytest

from languages import ABOUT_LANGUAGES, LANGUAGES
from referee.announce import Speaker, sentence
from referee.fouls import Foul
from referee.layouts import NINE_MENS_MORRIS
from tests.referee.every_event import EVENTS, WITHOUT_AN_EXAMPLE

COLOURS = (None, ("red", "grey"), ("orange", "white", "blue", "green"), ("Anna", "Ben", "Cleo", "Dan"))

RAW = re.compile(r"[{}_]|\(\w\)|\b[a-z]+\.[a-z]+|\bNone\b")
"""What is left of a key or a place: braces, an underscore, a mark of the grammar, "do.placing"."""

TURN_TEXT = re.compile(r"\b[a-g]\d|\bx[a-g]\d")
"""Notation, which is for eyes; the names of points that cannot be confused are for ears."""


def test_every_type_of_event_has_an_example() -> None:
    assert set() == WITHOUT_AN_EXAMPLE, "add one to tests/referee/every_event.py"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_is_written_and_spoken_without_a_raw_key(language: str) -> None:
    for event in EVENTS:
        for colours in COLOURS:
            for spoken in (False, True):
                text = sentence(event, language, colours, NINE_MENS_MORRIS, spoken=spoken)
                assert not RAW.search(text) and "  " not in text, text
                assert text[0].isupper(), text
                assert text.endswith((".", "?", "!")), text
                assert not (spoken and TURN_TEXT.search(text)), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_of_fouls_have_no_raw_key(language: str) -> None:
    for kind, colours, player in itertools.product(Foul, COLOURS, (None, 0)):
        assert not RAW.search(Speaker(language, colours).foul(kind, player)), kind


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="this computer has no espeak-ng")
@pytest.mark.parametrize(
    "language", ["lb", *(pytest.param(code, marks=pytest.mark.slow) for code in LANGUAGES if code != "lb")]
)
def test_espeak_reads_every_event_aloud(language: str) -> None:
    of_all = itertools.product(EVENTS, COLOURS)
    said = {sentence(event, language, colours, NINE_MENS_MORRIS, spoken=True) for event, colours in of_all}
    voice = ABOUT_LANGUAGES[language]["voice"]
    done = subprocess.run(
        ["espeak-ng", "-q", "-x", "-v", voice, "--stdin"],
        input="\n\n".join(said), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) >= len(said)
