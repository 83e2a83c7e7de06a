"""Speech of this computer for browsers that have no voice: espeak-ng, where it is installed.

Only announcements of the referee, what is said of lessons and one fixed sentence are spoken, never a text from a
request. The sentence goes to the program on its standard input, so that it cannot be taken for an option or a command.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from functools import cache, lru_cache
from threading import BoundedSemaphore

from flask import Response
from werkzeug.exceptions import NotFound

from languages import ABOUT_LANGUAGES, LANGUAGES
from web.hosted_tables import current_context
from web.page_words import words

log = logging.getLogger("millchen.speech")

SPEECH_PROGRAM = "espeak-ng"  # program that turns text into sound
WORDS_PER_MINUTE = 150  # speed of the speech, a little slower than usual, to be understood across a table
MAX_SPOKEN_CHARACTERS = 600  # longest text that is spoken; the longest sentence of a foul has about 300 characters
SPEECH_TIMEOUT_S = 5.0  # longest run of the program, seconds; a sentence takes some hundredths of a second

_process_slots = BoundedSemaphore(2)  # programs that run at once


@cache
def available_voices() -> tuple[str, ...]:
    """Return the languages that this computer can speak; none where the program is not installed."""
    lines = _run_program("--voices").decode(errors="replace").splitlines()[1:]
    voices = {line.split()[1] for line in lines if len(line.split()) > 1}
    return tuple(language for language in LANGUAGES if any(name.split("-")[0] == language for name in voices))


@lru_cache(maxsize=64)
def synthesise(text: str, language: str) -> bytes:
    """Return a sentence as WAV sound; empty where it cannot be spoken."""
    if language not in available_voices():
        return b""
    words = ("-v", ABOUT_LANGUAGES[language]["voice"], "-s", str(WORDS_PER_MINUTE), "--stdin", "--stdout")
    return _run_program(*words, text=text[:MAX_SPOKEN_CHARACTERS])


def _run_program(*words: str, text: str = "") -> bytes:
    """Return what the program writes, which reads a text; nothing where it is not installed, or fails."""
    program = shutil.which(SPEECH_PROGRAM)
    if program is None:
        return b""
    try:
        with _process_slots:
            ran = subprocess.run(  # noqa: S603
                [program, *words], input=text.encode(), capture_output=True, timeout=SPEECH_TIMEOUT_S, check=True
            )
    except (OSError, subprocess.SubprocessError) as why:
        log.warning("%s does not speak: %s", SPEECH_PROGRAM, why)
        return b""
    return ran.stdout


def spoken_trial(language: str) -> Response:
    """Answer GET /say/LANGUAGE/trial.wav: one sentence to hear how this computer speaks."""
    return sound_response(words(language)["settings.voice.sentence"] if language in LANGUAGES else "", language)


def spoken_announcement(language: str, seq: int) -> Response:
    """Answer GET /say/LANGUAGE/SEQ.wav: the announcement with this number of the journal, spoken."""
    of_seq = [one for one in current_context().table.publisher.snapshot.said if one.seq == seq]
    response = sound_response((of_seq[-1].spoken or of_seq[-1].texts).get(language, "") if of_seq else "", language)
    response.headers["Cache-Control"] = "max-age=600"
    return response


def sound_response(sentence: str, language: str) -> Response:
    """Return a sentence as a sound; answer 404 where it is empty, or cannot be spoken here."""
    sound = synthesise(sentence, language) if sentence else b""
    if not sound:
        raise NotFound("that cannot be said aloud here")
    return Response(sound, mimetype="audio/wav")
