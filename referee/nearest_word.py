"""One sentence about an unknown word, with the nearest known word."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_WORD = 60  # characters of an unknown word that its sentence repeats


def no_such(kind: str, word: object, choices: Iterable[object]) -> str:
    """Return the sentence about an unknown word.

    >>> no_such("game", "milchen", ("millchen", "roman_mill"))
    "no game 'milchen'; did you mean millchen?"
    >>> no_such("game", "chess", ("millchen", "roman_mill"))
    "no game 'chess'; there are millchen, roman_mill"
    """
    words = [str(one) for one in choices]
    sentence = f"no {kind} {quoted(word)}"
    if not words:
        return f"{sentence}; there are none"
    return sentence + (did_you_mean(word, words) or f"; there {'are' if len(words) > 1 else 'is'} {', '.join(words)}")


def did_you_mean(word: object, choices: Iterable[object]) -> str:
    """Return the question "did you mean" with the nearest known word, empty where none is near.

    >>> did_you_mean("Roman mill", ("millchen", "roman_mill"))
    '; did you mean roman_mill?'
    """
    plain = {_plain(one): str(one) for one in choices}
    typed = _plain(word)[:LONGEST_WORD]  # comparing takes the square of the length
    near = get_close_matches(typed, plain, n=1) if typed else []
    return f"; did you mean {plain[near[0]]}?" if near else ""


def quoted(word: object) -> str:
    """Return a word in quotation marks, cut off where it is very long."""
    text = str(word)
    return repr(text if len(text) <= LONGEST_WORD else f"{text[: LONGEST_WORD - 1]}…")


def _plain(word: object) -> str:
    return str(word).strip().lower().replace(" ", "_").replace("-", "_")
