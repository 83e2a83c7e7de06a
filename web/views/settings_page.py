"""The page of the settings: this browser's language, voice and theme; photographs, storage, copies and phones."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from flask import Response, g, jsonify
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import message, number_text
from referee.typed_json import line
from web.hosted_tables import current_context
from web.journal.copies import back_up, copies_of, take_back
from web.net.roles import REFEREE, THIS_COMPUTER, VIEWER, Route
from web.views.games_api import open_journal
from web.views.speech import available_voices
from web.views.table_page import render_page, request_language

_PIECE_BYTES = 1 << 18

_ENDS = ("", "-wal", "-shm")  # what the names of SQLite's files end with after that of the database


def settings_page() -> ResponseReturnValue:
    """Answer GET /settings: what concerns the table is shown to its referee alone."""
    context = current_context()
    return render_page(
        "settings.html",
        voices=available_voices(),
        photographs=context.table.publisher.snapshot.game.photographs,
        is_open=context.network is not None,
        storage=_storage() if g.role == REFEREE else None,
    )


def download_backup() -> Response:
    """Answer GET /settings/games.sqlite: a copy of the journal, as `millchen games backup` makes it."""
    folder = Path(tempfile.mkdtemp(prefix="millchen-"))
    try:
        copy = back_up(current_context().table.journal.path, folder / "games.sqlite")
        response = Response(_pieces(copy), mimetype="application/vnd.sqlite3")
        response.content_length = copy.stat().st_size
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    response.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    name = f"millchen-{datetime.now(UTC):%Y-%m-%d}.sqlite"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def restore_copy(copy: Annotated[str, line(100)]) -> Response:
    """Answer POST /api/settings/restore: take back what one of the listed copies has and the journal has not."""
    table = current_context().table
    file = next((one for one in copies_of(table.journal.path) if one.name == copy), None)
    if file is None:
        raise NotFound(message("settings.no_copy", name=copy))
    result = take_back(table.journal, file)
    return jsonify(ok=True, games=result.games, records=result.records, left=list(result.left))


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE_BYTES):
            yield piece


def _storage() -> dict[str, Any]:
    """Return how many games are kept, and the size of each kind of data in megabytes."""
    table = current_context().table
    with open_journal() as journal:
        n_games = len(journal.places())
    return {
        "games": n_games,
        "journal": _megabytes(sum(_size(table.journal.path.with_name(table.journal.path.name + end)) for end in _ENDS)),
        "photographs": _megabytes(_size(table.photographs.folder)),
        "uploads": _megabytes(table.uploads.n_bytes),
        "copies": [{"name": one.name, "size": _megabytes(_size(one))} for one in copies_of(table.journal.path)],
    }


def _size(place: Path) -> int:
    """Return the bytes of a file, or of the files in a folder; 0 where it is not there."""
    if place.is_dir():
        return sum(_size(inside) for inside in place.iterdir())
    return place.stat().st_size if place.exists() else 0


def _megabytes(n_bytes: int) -> str:
    n = n_bytes / 1_000_000
    return number_text(n if n < 10 else round(n), request_language())


SETTINGS_ROUTES = (
    Route("/settings", "GET", VIEWER, settings_page),
    Route("/settings/games.sqlite", "GET", THIS_COMPUTER, download_backup),
    Route("/api/settings/restore", "POST", THIS_COMPUTER, restore_copy),
)
