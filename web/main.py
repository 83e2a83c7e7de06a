"""`serve`: tables and their pages, from opening the data folder to giving the ports back."""

from __future__ import annotations

import signal
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType

from languages import LANGUAGES
from referee.announce import answers, foul_text, sentence
from referee.board import Board
from referee.events import Event, FoulSeen, QuestionAsked
from web.club.club import Club
from web.club.mqtt import MqttPublisher
from web.club.postgres_archive import PostgresArchive
from web.errors import MillchenError
from web.hosted_tables import HostedTables, TableRequest
from web.journal.data_folder import DataFolder
from web.journal.journal import Journal
from web.net.logs import LogHandlers
from web.net.network import NetworkAccess, open_network_access
from web.table import vision_process
from web.table.supervisor import VisionTarget

DEFAULT_PORT = 8321


def serve(
    tables: Sequence[TableRequest],
    port: int = DEFAULT_PORT,
    open_browser: bool = True,
    data_dir: Path | None = None,
    *,
    lan: str | None = None,
    archive: str | None = None,
    mqtt: str | None = None,
    look: VisionTarget = vision_process.run_vision,
) -> int:
    """Referee tables and show them on pages until Ctrl-C.

    Parameters
    ----------
    tables : sequence of Wanted
        One, or several with a name each.
    port : int
        Port of the first table's page on 127.0.0.1, the next ones take those after it; 0 takes any free ones.
    open_browser : bool
        Whether to open the first page.
    data_dir : Path or None
        Where the journal lies; None is the system's place for it.
    lan : str or None
        IP address under which the network may come in with https and links; "" finds it, None lets nobody in.
    archive : str or None
        Address of the PostgreSQL database to which several computers send their games.
    mqtt : str or None
        Address of the MQTT broker that is told what is announced.
    look : callable
        What the process of a camera runs.

    Returns
    -------
    int
        Exit status: 0 when asked to end, 130 after Ctrl-C, 1 when it could not start.
    """
    try:
        return _serve(tables, port, open_browser, data_dir, lan, archive, mqtt, look)
    except MillchenError as why:
        _print_message(f"millchen: {why}")
        return 1


def _serve(
    tables: Sequence[TableRequest],
    port: int,
    open_browser: bool,
    data_dir: Path | None,
    lan: str | None,
    archive: str | None,
    mqtt: str | None,
    look: VisionTarget,
) -> int:
    asked: SimpleQueue[int] = SimpleQueue()  # an Event may stand still when a signal comes while it is being asked
    number: int | None = None

    def asked_to_end(number: int, _: FrameType | None) -> None:
        asked.put(number)

    central = None if archive is None else PostgresArchive(archive)
    before = {number: signal.signal(number, asked_to_end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with ExitStack() as opened:
            folder = opened.enter_context(DataFolder(data_dir))
            opened.enter_context(LogHandlers(folder.path))
            games, evenings = (opened.enter_context(Journal(path)) for path in (folder.journal, folder.evenings))
            network = None if lan is None else open_network_access(folder.path / "network", lan)
            club = opened.enter_context(closing(Club(games, evenings, sentences_in_all_languages, central)))
            house = opened.enter_context(closing(HostedTables(folder, games, club, sentences_in_all_languages, look, port, network)))
            club.start()
            if mqtt is not None:
                herald = opened.enter_context(closing(MqttPublisher(club.hall, mqtt)))
                herald.start()
            for wanted in tables:
                doors = house.open(wanted).doors
                name = f"table {wanted.name!r}" if len(tables) > 1 else "Millchen"
                _print_message(f"{name} is at {doors.address} (Ctrl-C ends it; the game is kept in {folder.path})")
                if doors.lan is not None:
                    _print_message(_network_invitation(doors.lan, doors.address))
            if open_browser:
                webbrowser.open(house.tables[0].doors.address)
            while number is None and house.are_open:
                with suppress(Empty):
                    number = asked.get(timeout=0.5)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    return 130 if number == signal.SIGINT else 0


def sentences_in_all_languages(event: Event, colours: tuple[str, ...], board: Board) -> dict[str, dict[str, str]]:
    """The sentences of an event in every language: for the eye, for the ear, a short one for fouls, all answers.

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
    if isinstance(event, QuestionAsked):
        told = {lang: answers(event, lang, colours, board) for lang in LANGUAGES}
        sentences |= {f"answer{k}": {lang: told[lang][k] for lang in LANGUAGES} for k in range(len(event.options))}
    return sentences


def _network_invitation(lan: NetworkAccess, address: str) -> str:
    """What is said on the terminal about the page in the network."""
    lines = [f"In the network, for those who have a link (as QR codes: {address}links):"]
    lines += [f"  {role:8} {link}" for role, link in lan.links.items()]
    return "\n".join([*lines, f"Fingerprint of its certificate (SHA-256): {lan.fingerprint}"])


def _print_message(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
