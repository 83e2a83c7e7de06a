"""`serve`: opens the data folder, the journals, the club and the tables, and runs them until a signal."""

from __future__ import annotations

import signal
import sys
import webbrowser
from contextlib import ExitStack, closing, suppress
from queue import Empty, SimpleQueue

from web.app import create_app
from web.club.club import Club
from web.club.mqtt import MqttPublisher
from web.club.postgres_archive import PostgresArchive
from web.commands.page_request import PageRequest
from web.errors import MillchenError
from web.game.first_record import is_demo_source
from web.hosted_tables import NETWORK_FOLDER, HostedTables
from web.journal.copies import JournalCopies, open_journal
from web.journal.data_folder import DataFolder, private_files
from web.net.links import address_to_open, link_to, open_own_link
from web.net.logs import log_to
from web.net.network import NetworkAccess, open_network_access
from web.table.supervisor import VisionTarget

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals that end Millchen; a terminal that is closed sends the last one, which Windows has not."""


def serve(request: PageRequest, vision_target: VisionTarget | None = None) -> int:
    """Referee tables and show them on pages until Ctrl-C; return the exit status."""
    signals: SimpleQueue[int] = SimpleQueue()  # an Event can block for ever when a signal comes while it is read
    number: int | None = None
    try:
        with ExitStack() as resources:
            archive = None if request.archive is None else PostgresArchive(request.archive)
            for caught in _SIGNALS:
                resources.callback(signal.signal, caught, signal.signal(caught, lambda number, _: signals.put(number)))
            usual_files = resources.enter_context(private_files())
            folder = resources.enter_context(DataFolder(request.data))
            resources.enter_context(log_to(folder.path))
            own = open_own_link(folder.path, request.asks_for_link)
            games = resources.enter_context(open_journal(folder.journal))
            evenings = resources.enter_context(open_journal(folder.evenings, "evenings"))
            copies = resources.enter_context(closing(JournalCopies((games, evenings))))
            network = None if request.lan is None else open_network_access(folder.path / NETWORK_FOLDER, request.lan)
            club = resources.enter_context(closing(Club(games, evenings, archive)))
            hosted = HostedTables(create_app, club, request.port, network, vision_target, own)
            resources.enter_context(closing(hosted))
            club.when_a_game_ends = copies.copy_soon
            club.start()
            if request.mqtt is not None:
                resources.enter_context(closing(MqttPublisher(club.scoreboard, request.mqtt))).start()
            for table_request in request.tables:
                table = hosted.open(table_request)
                listeners = table.listeners
                name = f"table {table_request.name!r}" if len(request.tables) > 1 else "Millchen"
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
            if request.opens_browser:
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
