"""``millchen link``: the link to the page, where other people have accounts on this computer."""

from __future__ import annotations

import argparse
from pathlib import Path

from web.commands.page_arguments import parse_port
from web.errors import MillchenError
from web.journal.data_folder import data_folder_path
from web.net.links import OWN_LINK_FILE, link_to, open_own_link
from web.net.server import LOOPBACK


def add_link(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options to the parser."""
    parser = commands.add_parser("link")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the data folder of the Millchen that is running")
    parser.add_argument("--port", type=parse_port, default=8321, help="the port of its page (default 8321)")
    parser.set_defaults(run=run_link)


def run_link(arguments: argparse.Namespace) -> int:
    """Print the link; who can read it in the data folder is its owner."""
    folder = data_folder_path(arguments.data)
    own = open_own_link(folder, (folder / OWN_LINK_FILE).is_file())
    if own is None:
        raise MillchenError(
            f"no page of {folder} asks for a link: open the address that Millchen prints, or name another folder with"
            " --data"
        )
    print(link_to(f"http://{LOOPBACK}:{arguments.port}/", own))
    return 0
