"""From what people type to the tables that are opened."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.known_table import load_known_table
from web.errors import MillchenError
from web.hosted_tables import MAX_TABLES, TableRequest
from web.table.source_names import DEMO


def requested_tables(given: Namespace) -> list[TableRequest]:
    """The tables of a command line: one without a name, or one for every ``--table NAME`` or ``NAME=SOURCE``.

    Parameters
    ----------
    given : Namespace
        ``source``, ``demo``, ``game``, ``option``, ``corners``, ``table`` (list or None) and ``data``.

    Raises
    ------
    MillchenError, ValueError
        When they cannot be opened together, or a measured table is not known.
    """
    options = dict(given.option)
    corners = None if given.corners is None else tuple((float(x), float(y)) for x, y in given.corners)
    source = f"{DEMO}:{given.demo}" if given.demo is not None else given.source
    if not given.table:
        return [TableRequest(source or DEMO, given.game, options, corners=corners)]
    if len(given.table) > MAX_TABLES:
        raise MillchenError(f"one computer carries {MAX_TABLES} tables, got {len(given.table)}")
    if len(given.table) > 1 and (source is not None or corners is not None):
        raise MillchenError("several tables have a source and corners each: name them as --table NAME=SOURCE")
    return [_table_request(text, source, given.game, options, corners, given.data) for text in given.table]


def _table_request(
    text: str, source: str | None, game: str, options: Mapping[str, Any], corners: Any, data: Path | None
) -> TableRequest:
    name, equals, own = (part.strip() for part in text.partition("="))
    if not name or (equals and not own):
        raise MillchenError(f"a table is named as NAME or NAME=SOURCE, got {text!r}")
    if own:
        return TableRequest(own, game, options, name, corners=corners)
    known = load_known_table(name, data)
    return TableRequest(source or known.source or DEMO, game or known.game, options, name, measured=name, corners=corners)
