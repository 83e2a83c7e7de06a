"""`serve`: opens the data folder, the journals, the club and the tables, and runs them until a signal."""

from __future__ import annotations

import signal
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from calibration.known_table import load_known_table
from web.app import create_app
from web.club.club import Club
from web.club.mqtt import MqttPublisher
from web.club.postgres_archive import PostgresArchive
from web.errors import MillchenError
from web.game.first_record import DEMO, is_demo_source
from web.hosted_tables import MAX_TABLES, NETWORK_FOLDER, HostedTables, TableRequest
from web.journal.copies import JournalCopies, open_journal
from web.journal.data_folder import DataFolder, private_files
from web.net.links import address_to_open, link_to, open_own_link
from web.net.logs import log_to
from web.net.network import NetworkAccess, open_network_access
from web.table.source_names import demo_games
from web.table.supervisor import VisionTarget

DEFAULT_PORT = 8321  # TCP port of the first table's page

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals that end Millchen; a terminal that is closed sends the last one, which Windows has not."""


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


def page_request(arguments: Namespace) -> PageRequest:
    """Return what a command line asks for."""
    _check_words(arguments)
    return PageRequest(
        [replace(request, partners=tuple(arguments.partner or ())) for request in _requested_tables(arguments)],
        arguments.port,
        not arguments.no_browser,
        arguments.data,
        arguments.lan,
        arguments.archive,
        arguments.mqtt,
        False if arguments.no_link else None,
    )


def _requested_tables(arguments: Namespace) -> list[TableRequest]:
    """Return the tables of a command line: one without a name, or one for each ``--table NAME`` or ``NAME=SOURCE``."""
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
    sources = own_sources if arguments.table else [arguments.source or DEMO]
    if not game and any(source and source.partition(":")[0] != DEMO for source in sources):
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
    measured = load_known_table(name, data)
    return TableRequest(
        source or measured.source or DEMO, game or measured.game, options, name, known_table=name, corners=corners
    )


def serve(words: PageRequest, vision_target: VisionTarget | None = None) -> int:
    """Referee tables and show them on pages until Ctrl-C; return the exit status."""
    signals: SimpleQueue[int] = SimpleQueue()  # an Event can block for ever when a signal comes while it is read
    number: int | None = None
    try:
        with ExitStack() as resources:
            archive = None if words.archive is None else PostgresArchive(words.archive)
            for caught in _SIGNALS:
                resources.callback(signal.signal, caught, signal.signal(caught, lambda number, _: signals.put(number)))
            usual_files = resources.enter_context(private_files())
            folder = resources.enter_context(DataFolder(words.data))
            resources.enter_context(log_to(folder.path))
            own = open_own_link(folder.path, words.asks_for_link)
            games = resources.enter_context(open_journal(folder.journal))
            evenings = resources.enter_context(open_journal(folder.evenings, "evenings"))
            copies = resources.enter_context(closing(JournalCopies((games, evenings))))
            network = None if words.lan is None else open_network_access(folder.path / NETWORK_FOLDER, words.lan)
            club = resources.enter_context(closing(Club(games, evenings, archive)))
            hosted = HostedTables(create_app, club, words.port, network, vision_target, own)
            resources.enter_context(closing(hosted))
            club.when_a_game_ends = copies.copy_soon
            club.start()
            if words.mqtt is not None:
                resources.enter_context(closing(MqttPublisher(club.scoreboard, words.mqtt))).start()
            for request in words.tables:
                table = hosted.open(request)
                listeners = table.listeners
                name = f"table {request.name!r}" if len(words.tables) > 1 else "Millchen"
                _print_message(f"{name} is at {listeners.address} (Ctrl-C ends it; the game is kept in {folder.path})")
                if (offer := table.live.publisher.snapshot.offer) is not None:
                    body = offer.instead
                    other = "the demo" if is_demo_source(body["source"]) else f"a new game of {body['game']}"
                    _print_message(f"game {offer.game} goes on; its page has the way to {other}")
                if (access := listeners.context.network) is not None:
                    _print_message(_network_invitation(access, listeners.address))
            page = hosted.tables[0].listeners.address
            if own is not None:
                link = link_to(page, own) if sys.stderr.isatty() else "'millchen link' prints it"  # it is for no log
                _print_message(f"other people have accounts on this computer, so the page asks for its link:\n  {link}")
            for finding in club.findings:
                _print_message(f"millchen: {finding}")
            if words.opens_browser:
                with usual_files():
                    webbrowser.open(page if own is None else address_to_open(page, own))
            while number is None and hosted.are_running:
                with suppress(Empty):
                    number = signals.get(timeout=0.5)
    except MillchenError as why:
        _print_message(f"millchen: {why}")
        return 1
    return 130 if number == signal.SIGINT else 0


def _network_invitation(lan: NetworkAccess, address: str) -> str:
    """Return what the terminal says about the page in the network."""
    lines = [f"In the network, for those who have a link (as QR codes: {address}links):"]
    lines += [f"  {link.name or link.role:8} {lan.address_of(link)}" for link in lan.links.valid]
    return "\n".join([*lines, f"Fingerprint of its certificate (SHA-256): {lan.fingerprint}"])


def _print_message(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
