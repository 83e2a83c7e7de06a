"""`serve`: one table and its page, from opening the data folder to giving the port back."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from referee.announce import foul_text, sentence
from referee.board import Board
from referee.events import Event, FoulSeen
from web import eyes
from web.app import create_app
from web.datafolder import DataFolder
from web.errors import ShellError
from web.eyes import Corners
from web.journal import Journal
from web.keeper import Look
from web.live import LiveTable
from web.server import make_server
from web.shell import Shell
from web.sources import DEMO, demo
from web.words import LANGUAGES

PORT = 8321


def serve(
    source: str | None,
    game: str,
    options: Mapping[str, Any],
    port: int = PORT,
    open_browser: bool = True,
    data_dir: Path | None = None,
    corners: Corners | None = None,
    *,
    look: Look = eyes.look,
) -> int:
    """Referee a table and show it on a page until Ctrl-C.

    Parameters
    ----------
    source : str or None
        A camera number, a video file, a folder, an address; None is the bundled demo with its own game.
    game : str
        Name of the game.
    options : mapping
        What the table chose of the game's options.
    port : int
        Port on 127.0.0.1; 0 takes any free one.
    open_browser : bool
        Whether to open the page.
    data_dir : Path or None
        Where the journal lies; None is the system's place for it.
    corners : four (x, y) or None
        The field, where it was named, in pixels.
    look : callable
        What the process of the camera runs.

    Returns
    -------
    int
        Exit status: 0 when asked to end, 130 after Ctrl-C, 1 when it could not start.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        return _serve(source, game, options, port, open_browser, data_dir, corners, look)
    except ShellError as why:
        _tell(f"millchen: {why}")
        return 1


def _serve(
    source: str | None,
    game: str,
    options: Mapping[str, Any],
    port: int,
    open_browser: bool,
    data_dir: Path | None,
    corners: Corners | None,
    look: Look,
) -> int:
    asked: list[int] = []
    end = threading.Event()

    def asked_to_end(number: int, _: FrameType | None) -> None:
        asked.append(number)
        end.set()

    if source is None or source == DEMO:
        source, game, options = DEMO, demo().game, {}
    before = {number: signal.signal(number, asked_to_end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with DataFolder(data_dir) as folder, Journal(folder.journal) as journal:
            table = LiveTable(journal, all_sentences, look)
            server = make_server(create_app(Shell(table)), port)
            answering = threading.Thread(target=server.serve, name="server", daemon=True)
            try:
                table.open(source, game, options, corners)
                answering.start()
                address = f"http://127.0.0.1:{server.bind_addr[1]}/"
                _tell(f"Millchen is at {address} (Ctrl-C ends it; the game is kept in {folder.path})")
                if open_browser:
                    webbrowser.open(address)
                while not end.wait(0.5) and answering.is_alive():
                    continue
            finally:
                table.close()
                server.stop()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 130 if asked[:1] == [signal.SIGINT] else 0


def all_sentences(event: Event, colours: tuple[str, ...], board: Board) -> dict[str, dict[str, str]]:
    """The sentences of an event in every language: for the eye, for the ear, and a short one for fouls.

    Parameters
    ----------
    event : Event
    colours : tuple of str
        Name of the colour of each player's stones (``red``), empty where unknown.
    board : Board
        Names the points.
    """
    sentences = {
        "texts": {language: sentence(event, language, colours, board) for language in LANGUAGES},
        "spoken": {language: sentence(event, language, colours, board, spoken=True) for language in LANGUAGES},
    }
    if isinstance(event, FoulSeen):
        sentences["title"] = {lang: foul_text(event.kind, lang, colours, event.player) for lang in LANGUAGES}
    return sentences


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
