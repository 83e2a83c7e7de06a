"""The sentences that the referee says about an event, in every language at once."""

from __future__ import annotations

from collections.abc import Mapping

from languages import LANGUAGES
from referee.announce import answers, foul_text, sentence, what_to_do
from referee.board import Board
from referee.endings import Termination
from referee.events import Event, FoulSeen, QuestionAsked
from referee.position import Position
from web.i18n.catalogue import words


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


def with_decider(
    sentences: Mapping[str, Mapping[str, str]], decider: str | None, reason: str
) -> Mapping[str, Mapping[str, str]]:
    """Return the sentences of an ending, each followed by the referee who decided it.

    Parameters
    ----------
    sentences : mapping
        By use ("texts", "spoken") and language.
    decider : str or None
        A name, or empty where nobody has given one; None where no referee has decided, which adds nothing.
    reason : str
        Why the game is over, as in `referee.events.GameEnded`.
    """
    if decider is None or (not decider and reason == Termination.ARBITER):  # the sentence says so itself
        return sentences
    return {
        use: {
            language: f"{text} {words(language)['end.decision'].format(name=decider or words(language)['the_referee'])}"
            for language, text in by_language.items()
        }
        for use, by_language in sentences.items()
        if use in ("texts", "spoken")
    }


def instructions_in_all_languages(
    position: Position, names: tuple[str, ...], colours: tuple[str, ...]
) -> dict[str, str]:
    """Return what the player to move may do, by language.

    Parameters
    ----------
    position : Position
    names, colours : tuple of str
        What each player, and the colour of each player's stones, is called; empty where unknown.
    """
    callers = tuple(
        (names[k] if k < len(names) else "") or (colours[k] if k < len(colours) else "")
        for k in range(position.variant.players)
    )
    return {language: what_to_do(position, language, callers) for language in LANGUAGES}
