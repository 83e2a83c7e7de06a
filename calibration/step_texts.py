"""Texts of calibration in every language: ``setup.json`` of each folder in ``languages/``, and refusals.

A result speaks through keys and numbers; the sentence is made here, so that command, page and report say the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from languages import LANGUAGES, catalogue, in_all_languages, message


def setup_texts(language: str) -> Mapping[str, str]:
    """Return every phrase of one of the `languages.LANGUAGES`, by key.

    Raises:
        ValueError: When the language is not known.
    """
    return catalogue(language, "setup")


def phrase(key: str, language: str = "en", /, **values: object) -> str:
    """Return the phrase for a key, with its places filled."""
    return setup_texts(language)[key].format(**values)


def phrases(key: str, /, **values: object) -> dict[str, str]:
    """Return the phrase for a key in every language."""
    return {language: phrase(key, language, **values) for language in LANGUAGES}


class Refused(ValueError):
    """A step cannot be done with what was given; the message says what to do instead.

    Args:
        key: Of the sentence in ``errors.json``.
        **values: What fills its places.
    """

    def __init__(self, key: str, /, **values: object) -> None:
        self.message = message(key, **values)
        super().__init__(self.message)

    @property
    def texts(self) -> dict[str, str]:
        """The message in every language."""
        return in_all_languages(self.message)
