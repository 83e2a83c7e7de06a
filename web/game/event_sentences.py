"""The sentences that the referee says about an event, in every language at once."""

from __future__ import annotations

from languages import LANGUAGES
from referee.announce import answers, foul_text, sentence
from referee.board import Board
from referee.events import Event, FoulSeen, QuestionAsked


def sentences_in_all_languages(event: Event, colours: tuple[str, ...], board: Board) -> dict[str, dict[str, str]]:
    """Return the sentences of an event by their use and language.

    Parameters
    ----------
    event : Event
    colours : tuple of str
        Name of the colour of each player's stones (``red``), empty where unknown.
    board : Board
        Names the points.

    Returns
    -------
    dict
        ``texts`` to read and ``spoken`` to hear; ``title``, a short one, for a foul; ``answer0``, ``answer1`` ... for a
        question. Each maps a language to a sentence.
    """
    sentences = {
        "texts": {language: sentence(event, language, colours, board) for language in LANGUAGES},
        "spoken": {language: sentence(event, language, colours, board, spoken=True) for language in LANGUAGES},
    }
    if isinstance(event, FoulSeen):
        sentences["title"] = {
            lang: foul_text(event.kind, lang, colours, event.player, event.rule) for lang in LANGUAGES
        }
    if isinstance(event, QuestionAsked):
        texts = {lang: answers(event, lang, colours, board) for lang in LANGUAGES}
        sentences |= {f"answer{k}": {lang: texts[lang][k] for lang in LANGUAGES} for k in range(len(event.options))}
    return sentences
