"""From the arguments of the command line to the tables that are opened."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.known_table import load_known_table
from web.errors import MillchenError
from web.game.first_record import DEMO
from web.hosted_tables import MAX_TABLES, TableRequest
from web.table.source_names import demo_games


def requested_tables(arguments: Namespace) -> list[TableRequest]:
    """Return the tables of a command line: one without a name, or one for each ``--table NAME`` or ``NAME=SOURCE``.

    Args:
        arguments: ``source``, ``demo``, ``game``, ``option``, ``corners``, ``table`` and ``partner`` (lists or None)
            and ``data``.

    Raises:
        MillchenError, ValueError: When the tables cannot be opened together, or a measured table is not known.
    """
    _check_words(arguments)
    return [replace(request, partners=tuple(arguments.partner or ())) for request in _requested(arguments)]


def _requested(arguments: Namespace) -> list[TableRequest]:
    options = dict(arguments.option)
    corners = None if arguments.corners is None else tuple((float(x), float(y)) for x, y in arguments.corners)
    source = f"{DEMO}:{arguments.demo}" if arguments.demo is not None else arguments.source
    if not arguments.table:
        if source is None and arguments.game:
            source = f"{DEMO}:{arguments.game}"
        return [TableRequest(source or DEMO, arguments.game, options, corners=corners)]
    if len(arguments.table) > MAX_TABLES:
        raise MillchenError(f"one computer carries {MAX_TABLES} tables, got {len(arguments.table)}")
    if len(arguments.table) > 1 and (source is not None or corners is not None):
        raise MillchenError("several tables have a source and corners each: name them as --table NAME=SOURCE")
    return [_table_request(t, source, arguments.game, options, corners, arguments.data) for t in arguments.table]


def _check_words(arguments: Namespace) -> None:
    """Raise ``MillchenError`` where words contradict each other, or one is missing that another one needs."""
    demo, game = arguments.demo, arguments.game
    if demo is not None and arguments.table:
        raise MillchenError("--demo and --table exclude each other: give one of them")
    if demo is not None and game not in ("", demo):
        raise MillchenError(f"the demo of {demo} shows no {game}: leave --game out, or give --demo {game}")
    if arguments.option and not game:
        raise MillchenError("rules belong to a game: name it with --game")
    own_sources = [table.partition("=")[2].strip() for table in arguments.table or () if "=" in table]
    named = own_sources if arguments.table else [arguments.source or DEMO]
    if not game and any(source and source.partition(":")[0] != DEMO for source in named):
        raise MillchenError("the game is missing: name it with --game, as --game millchen")
    if arguments.partner and not arguments.table and (arguments.source or DEMO).partition(":")[0] == DEMO:
        raise MillchenError("the demo shows its own players: give --partner with a game and its --source, as hand")
    shows_demo = not arguments.table and arguments.source is None and demo is None
    if shows_demo and game and game not in demo_games():
        raise MillchenError(f"there is no demo of {game}: name a camera or a film with --source, or take --source hand")


def _table_request(
    text: str, source: str | None, game: str, options: Mapping[str, Any], corners: Any, data: Path | None
) -> TableRequest:
    """Return the table of one ``--table``; a name without a source is that of a measured table."""
    name, equals, own_source = (part.strip() for part in text.partition("="))
    if not name or (equals and not own_source):
        raise MillchenError(f"a table is named as NAME or NAME=SOURCE, got {text!r}")
    if own_source:
        return TableRequest(own_source, game, options, name, corners=corners)
    known = load_known_table(name, data)
    return TableRequest(
        source or known.source or DEMO, game or known.game, options, name, known_table=name, corners=corners
    )
