"""The sentences that the referee says about an event, in every language at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from languages import LANGUAGES
from referee.announce import Speaker, sentence
from referee.board import Board
from referee.endings import Termination
from referee.events import Event, FoulSeen, QuestionAsked
from referee.moves import turn_text
from referee.position import Position
from referee.search.lesson_texts import task_text, trial_text, tried
from referee.search.lessons import Lesson
from referee.turns import Turn
from referee.variant import Variant
from web.game.partner_sentences import other_turn_sentences
from web.page_words import words


def callers_of(names: Sequence[str], colours: Sequence[str]) -> tuple[str, ...]:
    """Return what each player is called: by name, else by the colour of the stones, empty where neither is known."""
    return tuple(name or colour for name, colour in zip_longest(names, colours, fillvalue=""))


def sentences_in_all_languages(
    event: Event, callers: tuple[str, ...], board: Board, colours: tuple[str, ...] = ()
) -> dict[str, dict[str, str]]:
    """Return the sentences of an event by their use and language.

    Args:
        callers: Name of each player, or of the colour of the stones (``red``); empty where unknown.
        board: Names the points.
        colours: Name of the colour of each player's stones, where ``callers`` holds names.

    Returns:
        ``texts`` to read and ``spoken`` to hear; ``title``, a short one, for a foul; ``answer0``, ``answer1`` ... for a
        question. Each maps a language to a sentence.
    """
    if isinstance(event, FoulSeen) and event.meant:
        return other_turn_sentences(event, board, callers_of(colours, callers))
    sentences = {
        "texts": {language: sentence(event, language, callers, board, stones=colours) for language in LANGUAGES},
        "spoken": {
            language: sentence(event, language, callers, board, spoken=True, stones=colours) for language in LANGUAGES
        },
    }
    if isinstance(event, FoulSeen):
        sentences["title"] = {
            lang: Speaker(lang, callers).foul(event.kind, event.player, event.rule) for lang in LANGUAGES
        }
    if isinstance(event, QuestionAsked):
        texts = {lang: Speaker(lang, callers).answers(event, board) for lang in LANGUAGES}
        sentences |= {f"answer{k}": {lang: texts[lang][k] for lang in LANGUAGES} for k in range(len(event.options))}
    return sentences


def with_decider(
    sentences: Mapping[str, Mapping[str, str]], decider: str | None, reason: str
) -> Mapping[str, Mapping[str, str]]:
    """Return the sentences of an ending, each followed by the referee who decided it.

    Args:
        sentences: By use ("texts", "spoken") and language.
        decider: A name, or empty where nobody has given one; None where no referee has decided, which adds nothing.
        reason: Why the game is over, as in `referee.events.GameEnded`.
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


def task_sentences(lesson: Lesson, variant: Variant, callers: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    """Return what is asked for in a lesson, by use and language."""
    texts = {}
    for language in LANGUAGES:
        text = task_text(lesson, variant, language, _names(variant, language, callers))
        texts[language] = text[:1].upper() + text[1:]
    return {"texts": texts, "spoken": texts}


def with_verdict(
    sentences: Mapping[str, Mapping[str, str]], lesson: Lesson, variant: Variant, turn: Turn, callers: Sequence[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return the sentences of a turn in a lesson, each followed by whether it solves the lesson, and why.

    Args:
        sentences: By use ("texts", "spoken") and language.
        turn: The first one in the lesson.
        callers: What each player is called.
    """
    trial = tried(lesson, variant, turn_text(turn.moves))

    def verdict(use: str, language: str) -> str:
        names = _names(variant, language, callers)
        return trial_text(lesson, variant, trial, language, names, spoken=use == "spoken", on_table=True)

    return {
        use: {language: f"{text} {verdict(use, language)}" for language, text in by_language.items()}
        for use, by_language in sentences.items()
    }


def _names(variant: Variant, language: str, callers: Sequence[str]) -> list[str]:
    return [Speaker(language, callers).inside(player) for player in range(variant.players)]


def instructions_in_all_languages(
    position: Position, names: tuple[str, ...], colours: tuple[str, ...]
) -> dict[str, str]:
    """Return what the player to move may do, by language.

    Args:
        names, colours: What each player, and the colour of each player's stones, is called; empty where unknown.
    """
    callers = callers_of(names, colours)[: position.variant.players]
    return {language: Speaker(language, callers).to_do(position) for language in LANGUAGES}
