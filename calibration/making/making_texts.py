"""Texts about making a board in every language: ``making.json`` of each folder in ``languages/``."""

from __future__ import annotations

from languages import LANGUAGES, catalogue


def making_text(key: str, language: str = "en", /, **values: object) -> str:
    """Return the text for a key, with its places filled.

    Raises:
        ValueError: When the language is not known.
    """
    text: str = catalogue(language, "making")[key]
    return text.format(**values)


def making_texts(key: str, /, **values: object) -> dict[str, str]:
    """Return the text for a key in every language."""
    return {language: making_text(key, language, **values) for language in LANGUAGES}


def number_text(value: float, language: str) -> str:
    """Return a number with at most one decimal, as the language writes it.

    >>> number_text(28.04, "en"), number_text(22.5, "de")
    ('28', '22,5')
    """
    text = f"{round(value, 1):g}"
    return text if language == "en" else text.replace(".", ",")
