"""`serve`: one table and its page, from opening the data folder to giving the port back."""

from __future__ import annotations

import signal
import sys
import threading
import webbrowser
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from calibration.start import known_for
from calibration.tables import Tables
from referee.announce import foul_text, sentence
from referee.board import Board
from referee.events import Event, FoulSeen
from web import eyes
from web.datafolder import DataFolder
from web.doors import Doors
from web.errors import ShellError
from web.eyes import Corners
from web.journal import Journal
from web.keeper import Look
from web.lan import Lan, open_lan
from web.live import LiveTable
from web.logs import Logs
from web.shell import Shell
from web.sources import DEMO, demo
from web.wizard import Wizard
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
    lan: str | None = None,
    measured: str | None = None,
    look: Look = eyes.look,
) -> int:
    """Referee a table and show it on a page until Ctrl-C.

    Parameters
    ----------
    source : str or None
        A camera number, a video file, a folder, an address; None is the bundled demo with its own game, "demo:GAME"
        that of another.
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
    lan : str or None
        IP address under which the network may come in with https and links; "" finds it, None lets nobody in.
    measured : str or None
        Name of the measured table that is looked at; None takes those that were measured through the same source.
    look : callable
        What the process of the camera runs.

    Returns
    -------
    int
        Exit status: 0 when asked to end, 130 after Ctrl-C, 1 when it could not start.
    """
    try:
        return _serve(source, game, options, port, open_browser, data_dir, corners, lan, measured, look)
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
    lan: str | None,
    measured: str | None,
    look: Look,
) -> int:
    asked: list[int] = []
    end = threading.Event()

    def asked_to_end(number: int, _: FrameType | None) -> None:
        asked.append(number)
        end.set()

    if source is None or source.partition(":")[0] == DEMO:
        source = source or DEMO
        game, options = demo(source).game, {}
    before = {number: signal.signal(number, asked_to_end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with DataFolder(data_dir) as folder, Logs(folder.path), Journal(folder.journal) as journal:
            network = None if lan is None else open_lan(folder.path / "network", lan)
            table = LiveTable(journal, all_sentences, look)
            with closing(table), Doors(Shell(table, wizard=Wizard(folder.path)), port, network) as doors:
                table.known_for = partial(known_for, Tables(folder.path), measured)
                table.phone_address = f"{doors.address}phone.mjpeg"
                table.open(source, game, options, corners)
                doors.open()
                _tell(f"Millchen is at {doors.address} (Ctrl-C ends it; the game is kept in {folder.path})")
                if doors.lan is not None:
                    _tell(_invitation(doors.lan, doors.address))
                if open_browser:
                    webbrowser.open(doors.address)
                while not end.wait(0.5) and doors.are_open:
                    continue
                table.close()  # first, so that nobody waits for a page that listens
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


def _invitation(lan: Lan, address: str) -> str:
    """What is said on the terminal about the page in the network."""
    lines = [f"In the network, for those who have a link (as QR codes: {address}links):"]
    lines += [f"  {role:8} {link}" for role, link in lan.links.items()]
    return "\n".join([*lines, f"Fingerprint of its certificate (SHA-256): {lan.fingerprint}"])


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
