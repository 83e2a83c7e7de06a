"""French: "de" and "que" lose their e before a vowel."""

from __future__ import annotations

import re

_ELIDED = re.compile(r"\b(d|qu)\(e\) (?=[aeiouyéèh])", re.IGNORECASE)

_KEPT = re.compile(r"\b(d|qu)\(e\) ", re.IGNORECASE)


def join(text: str) -> str:
    """Elide or keep each ``d(e)`` and ``qu(e)``.

    >>> join("Faute d(e) Orange"), join("Faute d(e) Rouge")
    ('Faute d’Orange', 'Faute de Rouge')
    """
    return _KEPT.sub(r"\1e ", _ELIDED.sub(r"\1’", text))
