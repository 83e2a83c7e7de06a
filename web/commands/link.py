"""``millchen link``: the link to the page, where other people have accounts on this computer."""

from __future__ import annotations

from vision.commands.arguments import Data
from web.commands.page_arguments import DEFAULT_PORT, Port
from web.errors import MillchenError
from web.journal.data_folder import data_folder_path
from web.net.links import OWN_LINK_FILE, link_to, open_own_link
from web.net.server import LOOPBACK


def link(*, data: Data = None, port: Port = DEFAULT_PORT) -> None:
    """Print the link; who can read it in the data folder is its owner."""
    folder = data_folder_path(data)
    own = open_own_link(folder, (folder / OWN_LINK_FILE).is_file())
    if own is None:
        raise MillchenError(
            f"no page of {folder} asks for a link: open the address that Millchen prints, or name another folder with"
            " --data"
        )
    print(link_to(f"http://{LOOPBACK}:{port}/", own))
