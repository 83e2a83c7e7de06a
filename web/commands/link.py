"""``millchen link``: a one-time link to the page, where other people have accounts on this computer."""

from __future__ import annotations

import argparse
from pathlib import Path

from web.commands.page_arguments import parse_port
from web.errors import MillchenError
from web.journal.data_folder import data_folder_path
from web.net.owner_access import LINK_AGE_S, OWNER_FOLDER, OwnerAccess


def add_link(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options to the parser."""
    parser = commands.add_parser("link", help="print a link that opens the page once in another browser of yours")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the data folder of the Millchen that is running")
    parser.add_argument("--port", type=parse_port, help="the port of its page (default: as it was opened)")
    parser.set_defaults(run=run_link)


def run_link(arguments: argparse.Namespace) -> int:
    """Print a link; who can write it into the data folder is its owner."""
    folder = data_folder_path(arguments.data) / OWNER_FOLDER
    if not folder.is_dir():
        raise MillchenError(
            f"no page of {folder.parent} asks for a link: open the address that Millchen prints, or name another folder"
            " with --data"
        )
    owner = OwnerAccess(folder)
    address = owner.address() if arguments.port is None else f"http://127.0.0.1:{arguments.port}/"
    if not address:
        raise MillchenError("which page is meant? name its port with --port")
    print(owner.new_link(address))
    print(f"It opens the page once, within {LINK_AGE_S / 60:.0f} minutes.")
    return 0
