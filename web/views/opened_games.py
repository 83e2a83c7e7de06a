"""The games of the house's journal, opened for a page or an answer, each with its analysis."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from flask import request
from werkzeug.exceptions import NotFound

from languages import message
from web.errors import MillchenError
from web.history.finished_games import GameHistory, game_history
from web.history.game_index import ListedGame
from web.history.journal_reader import JournalReader, NoSuchGameError
from web.history.kept_analyses import KeptAnalyses
from web.journal.journal_file import BackupError
from web.views.context import current_context
from web.views.table_page import page_language_sentences, request_language

log = logging.getLogger("millchen.web")


def is_about_demos() -> bool:
    """Return whether the request asks for the games of the demos."""
    return request.args.get("demo") == "1"


def find_in_journal(query: str = "", *, demos: bool = False) -> list[ListedGame]:
    """Return the games of the house in the journal, or those of the demos, in which every word occurs, newest first."""
    context = current_context()
    with open_journal() as archive:
        return context.game_index.find(archive, query, demos=demos)


def known_games(bodies: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """Return which game of the house each record of a game from a file is already; None where it is new."""
    context = current_context()
    with open_journal() as archive:
        return context.game_index.known(archive, bodies)


@contextmanager
def open_journal() -> Iterator[JournalReader]:
    """Read the journal; what is wrong with the file goes to the log, not to the page."""
    try:
        with JournalReader(current_context().table.journal_path) as archive:
            yield archive
    except (NoSuchGameError, BackupError):
        raise
    except MillchenError as why:
        log.warning("the journal cannot be read: %s", why)
        raise MillchenError(message("page.no_journal")) from why


def open_game(number: int) -> GameHistory:
    """Return a game of the journal with its sentences in the language of the page.

    Raises:
        NotFound: When there is no such game, or its beginning cannot be read.
        MillchenError: When the journal cannot be read.
    """
    try:
        with open_journal() as archive:
            history = game_history(archive.replay(number), page_language_sentences, request_language())
            return replace(history, analysis=kept_analyses().find(history.game))
    except NoSuchGameError as why:
        raise NotFound(message("page.no_game", number=number)) from why
    except ValueError as why:
        log.warning("game %s cannot be read: %s", number, why)
        raise NotFound(message("page.damaged_game", number=number)) from why


def kept_analyses() -> KeptAnalyses:
    """Return the analyses of the games of the house's journal."""
    return KeptAnalyses.beside(current_context().table.journal_path)
