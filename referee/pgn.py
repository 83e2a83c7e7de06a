"""The words of a PGN text and where each stands; several games in one text are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")  # the words that end a game
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_WORD = re.compile(r"\{[^}]*\}?|;[^\n]*|\(|\)|\$\d+|\d+\.+(?!\d)|[^\s{}();]+")
_BLANKS = re.compile(r"\s*")
_BESIDE_THE_GAME = re.compile(r"\$\d+|\d+\.+|;.*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, and the character at which it begins (0 first)."""

    text: str
    at: int


@dataclass(slots=True)
class GameText:
    """One game of a text."""

    tags: dict[str, Word] = field(default_factory=dict)  # the value of each tag
    words: list[Word] = field(default_factory=list)  # moves, comments in their braces and the result, nothing else
    unclosed: Word | None = None  # a brace or bracket that never closes


def games_in(text: str) -> Iterator[GameText]:
    """The games of a text, one after the other; at least one, and that may be empty.

    A game ends with its result, or where the tags of the next one begin.

    >>> [[word.text for word in game.words] for game in games_in("1. a7 (1. d7 d6) g7 1-0 {good} 1. d6 *")]
    [['a7', 'g7', '1-0', '{good}'], ['d6', '*']]
    """
    game = GameText()
    open_brackets: list[Word] = []
    at = is_over = 0
    while (at := _end(_BLANKS, text, at)) < len(text):
        tag = None if open_brackets else _TAG.match(text, at)
        if tag is not None:
            name, value = tag.group(1), re.sub(r"\\(.)", r"\1", tag.group(2))
            if game.words or (name == "Event" and name in game.tags):
                yield game
                game, is_over = GameText(), 0
            game.tags[name] = Word(value, tag.start(2))
            at = tag.end()
            continue
        word = _next_word(text, at)
        at += len(word.text)
        if word.text == "(":
            open_brackets.append(word)
        elif word.text == ")":
            open_brackets[-1:] = []
        elif not open_brackets and not _BESIDE_THE_GAME.fullmatch(word.text):
            is_comment = word.text[0] == "{"
            if is_over and not is_comment:
                yield game
                game, is_over = GameText(), 0
            game.words.append(word)
            is_over = is_over or word.text in RESULTS
            if is_comment and word.text[-1] != "}":
                game.unclosed = word
    if open_brackets:
        game.unclosed = open_brackets[0]
    yield game


def place(text: str, at: int) -> tuple[int, int]:
    r"""The line and the column of a character, 1 first.

    >>> place("1. a7\n2. d7", 9)
    (2, 4)
    """
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _next_word(text: str, at: int) -> Word:
    found = _WORD.match(text, at)
    return Word(found.group() if found else text[at], at)  # a stray brace is a word of its own
