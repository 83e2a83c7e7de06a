"""Access from the local network (``--lan``, or the button of the page): address, certificate, links that give roles."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from languages import message
from web.errors import MillchenError
from web.net.links import Link, Links
from web.net.roles import CAMERA

LINKS_FILE = "links.json"

START_PAGE_BY_ROLE = {CAMERA: "/camera"}  # page to which a link leads, by role; the page of the table for the others


@dataclass(frozen=True)
class NetworkAccess:
    """The access from the network while it is open."""

    address: str  # IP address of this computer in the network
    host_names: tuple[str, ...]  # under which it may be requested; the address is one of them
    links: Links
    certificate_file: Path  # PEM, as the private key
    key_file: Path
    fingerprint: str  # SHA-256, of the certificate
    port: int = 0

    def address_of(self, link: Link) -> str:
        """Return the address that a phone opens."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"https://{host}:{self.port}/join/{link.token}"


def open_network_access(folder: Path, address: str = "") -> NetworkAccess:
    """Return what the server needs to answer in the network; the port is filled in when it is bound.

    Links, certificate and key are kept in the folder. Without an address of this computer `lan_address` finds it.
    Raises `MillchenError` when there is no network, no library for certificates, or the folder cannot be used.
    """
    library = certificate_module()
    if library is None:
        raise MillchenError(message("network.library"))
    found, name = address or lan_address(), socket.gethostname().lower()
    is_host_name = re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name)
    names = (name, f"{name}.local") if is_host_name else ()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as why:
        raise MillchenError(f"the links cannot be kept in {folder}: {why.strerror or why}") from why
    links = Links(folder / LINKS_FILE)
    file, key, fingerprint = library.load_or_create_certificate(folder, found, names)
    return NetworkAccess(found, (found, *names), links, file, key, fingerprint)


def revoke_links(folder: Path) -> None:
    """Forget the links, so that no link that was given away opens anything again."""
    try:
        (folder / LINKS_FILE).unlink(missing_ok=True)
    except OSError as why:
        raise MillchenError(f"the links in {folder} cannot be removed: {why.strerror or why}") from why


def certificate_module() -> ModuleType | None:
    """Return `web.net.certificate`, imported on demand as that takes time; None when its library is not installed."""
    try:
        return import_module("web.net.certificate")
    except ImportError:
        return None


def lan_address() -> str:
    """Return the address by which this computer reaches others; nothing is sent. Raises where there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; "connecting" UDP only selects a route
            found = str(probe.getsockname()[0])
        except OSError:
            found = ""
    if not found or ipaddress.ip_address(found).is_unspecified:
        raise MillchenError(message("network.none"))
    return found
