"""A voice of the computer where it has one, and none where it has not; only what the referee said is read aloud."""

import io
import os
import re
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from languages import LANGUAGES
from tests.web.browsing import Serve, Visit, expect
from web.game.player_commands import take_back_turn
from web.hosted_tables import AppContext
from web.views import speech
from web.views.speech import available_voices, synthesise

VOICES = ("5 de --/M German gmw/de", "5 en-gb --/M English gmw/en", "5 lb --/M Luxembourgish gmw/lb")
LIST = "\\n".join(("Pty Language Age/Gender VoiceName File", *VOICES))
FAKE = f"""#!/bin/sh
if [ "$1" = --voices ]; then printf '{LIST}'; exit 0; fi
echo "$@" > "$0.asked"
cat > "$0.heard"
cat "$0.wav"
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program that is called espeak-ng, writes down what it is asked and gives a tenth of a second of silence."""
    made = tmp_path / "espeak-ng"
    made.write_text(FAKE, encoding="utf-8")
    made.chmod(0o755)
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(bytes(4410))
    (tmp_path / "espeak-ng.wav").write_bytes(sound.getvalue())
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    forget()
    yield made
    forget()


def forget() -> None:
    available_voices.cache_clear()
    synthesise.cache_clear()


def test_a_sentence_is_handed_over_as_a_text_and_never_as_an_option(program: Path) -> None:
    sentence = "-w /tmp/x; $(touch y) `z` Red places on d6"
    assert synthesise(sentence, "lb")[:4] == b"RIFF"
    assert program.with_name("espeak-ng.asked").read_text().split() == [
        "-v", "lb", "-s", str(speech.WORDS_PER_MINUTE), "--stdin", "--stdout",
    ]  # fmt: skip
    assert program.with_name("espeak-ng.heard").read_text() == sentence


def test_what_was_announced_is_said_and_nothing_else(program: Path, app: Flask, shell: AppContext) -> None:
    caller = app.test_client()
    seq = shell.table.publisher.snapshot.said[-1].seq
    answer = caller.get(f"/say/en/{seq}.wav")
    assert (answer.status_code, answer.mimetype, answer.data[:4]) == (200, "audio/wav", b"RIFF")
    assert "Delta 7" in program.with_name("espeak-ng.heard").read_text()
    for path in (f"/say/fr/{seq}.wav", f"/say/tlh/{seq}.wav", "/say/en/999999.wav"):
        assert caller.get(path).status_code == 404, path


def test_without_the_program_there_is_no_voice_and_no_fault(
    app: Flask, shell: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    forget()
    assert available_voices() == ()
    assert all(synthesise("d6", language) == b"" for language in LANGUAGES)
    assert app.test_client().get(f"/say/en/{shell.table.publisher.snapshot.said[-1].seq}.wav").status_code == 404
    forget()


def test_a_browser_without_a_voice_speaks_with_that_of_the_computer(program: Path, served: Serve, visit: Visit) -> None:
    at = served("d6")
    page = visit(at, language="lb-LU")
    expect(page.locator("#story li").first).to_contain_text("d6")
    page.mouse.click(5, 300)  # browsers are silent until somebody has touched the page
    at.table.apply_command(take_back_turn)
    expect(page.locator("#voice")).to_have_attribute("data-spoken", re.compile(r"\d+"))
    assert "zréckgeholl" in program.with_name("espeak-ng.heard").read_text()
