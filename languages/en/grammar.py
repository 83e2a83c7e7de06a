"""English: "a" becomes "an" before a vowel."""

from __future__ import annotations

import re

_AN = re.compile(r"\(n\) (?=[aeiou])", re.IGNORECASE)

_A = re.compile(r"\(n\) ")


def join(text: str) -> str:
    """Complete or shorten each ``a(n)``.

    >>> join("a(n) orange stone, a(n) red stone")
    'an orange stone, a red stone'
    """
    return _A.sub(" ", _AN.sub("n ", text))
