"""The words of the page's command in, the tables and the page that are to be opened out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.known_table import load_known_table
from vision.commands.from_signature import WrongWordsError
from web.commands.page_arguments import DEFAULT_PORT, PageWords, TableWords
from web.errors import MillchenError
from web.game.first_record import DEMO
from web.hosted_tables import MAX_TABLES, TableRequest
from web.table.source_names import demo_games


@dataclass(frozen=True)
class PageRequest:
    """What is asked for with the command of the page."""

    tables: Sequence[TableRequest]
    port: int = DEFAULT_PORT  # of 127.0.0.1 for the first page, the next ones have the next ports; 0: any
    opens_browser: bool = True
    data: Path | None = None
    # address of this computer at which devices in the network are served by https; "" finds it, None serves none
    lan: str | None = None
    archive: str | None = None  # address of a database
    mqtt: str | None = None  # address of a broker
    asks_for_link: bool | None = None  # None: where other people have accounts here


def page_request(tables: TableWords, page: PageWords) -> PageRequest:
    """Return what a command line asks for. Raises `WrongWordsError` and `MillchenError` for words that do not fit."""
    _check_words(tables)
    return PageRequest(
        [replace(request, partners=tuple(tables.partner)) for request in _requested_tables(tables, page.data)],
        page.port,
        not page.no_browser,
        page.data,
        page.lan,
        page.archive,
        page.mqtt,
        False if page.no_link else None,
    )


def _requested_tables(words: TableWords, data: Path | None) -> list[TableRequest]:
    """Return the tables of a command line: one without a name, or one for each ``--table NAME`` or ``NAME=SOURCE``."""
    corners = None if words.corners is None else tuple((float(x), float(y)) for x, y in words.corners)
    source = f"{DEMO}:{words.demo}" if words.demo is not None else words.source
    usual = TableRequest(source or DEMO, words.game, dict(words.option), corners=corners)
    if not words.table:
        return [replace(usual, source=f"{DEMO}:{words.game}") if source is None and words.game else usual]
    if len(words.table) > MAX_TABLES:
        raise MillchenError(f"one computer carries {MAX_TABLES} tables, got {len(words.table)}")
    if len(words.table) > 1 and (source is not None or corners is not None):
        raise MillchenError("several tables have a source and corners each: name them as --table NAME=SOURCE")
    return [_table_request(text, usual, source, data) for text in words.table]


def _check_words(words: TableWords) -> None:
    """Raise an error where words contradict each other, or one is missing that another one needs."""
    demo, game = words.demo, words.game
    if words.source is not None and demo is not None:
        raise WrongWordsError("--source and --demo exclude each other: give one of them")
    if demo is not None and words.table:
        raise MillchenError("--demo and --table exclude each other: give one of them")
    if demo is not None and game not in ("", demo):
        raise MillchenError(f"the demo of {demo} shows no {game}: leave --game out, or give --demo {game}")
    if words.option and not game:
        raise MillchenError("rules belong to a game: name it with --game")
    own_sources = [table.partition("=")[2].strip() for table in words.table if "=" in table]
    sources = own_sources if words.table else [words.source or DEMO]
    if not game and any(source and source.partition(":")[0] != DEMO for source in sources):
        raise MillchenError("the game is missing: name it with --game, as --game millchen")
    if words.partner and not words.table and (words.source or DEMO).partition(":")[0] == DEMO:
        raise MillchenError("the demo shows its own players: give --partner with a game and its --source, as hand")
    shows_demo = not words.table and words.source is None and demo is None
    if shows_demo and game and game not in demo_games():
        raise MillchenError(f"there is no demo of {game}: name a camera or a film with --source, or take --source hand")


def _table_request(text: str, usual: TableRequest, source: str | None, data: Path | None) -> TableRequest:
    """Return the table of one ``--table``; a name without a source is that of a measured table."""
    name, equals, own_source = (part.strip() for part in text.partition("="))
    if not name or (equals and not own_source):
        raise MillchenError(f"a table is named as NAME or NAME=SOURCE, got {text!r}")
    if own_source:
        return replace(usual, source=own_source, name=name)
    measured = load_known_table(name, data)
    source = source or measured.source or DEMO
    return replace(usual, source=source, game=usual.game or measured.game, name=name, known_table=name)
