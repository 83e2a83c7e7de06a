"""The page in the network: its address there, its certificate, and the links that let people in."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from web.errors import MillchenError
from web.net.roles import CAMERA, ROLES, RoleTokens

CERTIFICATE_LIBRARY_MISSING = "the page in the network needs a certificate: install what makes one with pip install 'millchen[phone]'"


@dataclass(frozen=True)
class NetworkAccess:
    """What `--lan` opens.

    Attributes
    ----------
    address : str
        IP address of this computer in the network.
    names : tuple of str
        What it may be called there; the address is one of them.
    tokens : Tokens
    certificate, key : Path
        Files in PEM form.
    fingerprint : str
        SHA-256 of the certificate.
    port : int
        Where it answers.
    """

    address: str
    names: tuple[str, ...]
    tokens: RoleTokens
    certificate: Path
    key: Path
    fingerprint: str
    port: int = 0

    @property
    def links(self) -> dict[str, str]:
        """For each role the link that gives it to whoever follows it."""
        place = f"[{self.address}]" if ":" in self.address else self.address
        return {role: f"https://{place}:{self.port}/join/{self.tokens.by_role[role]}" for role in ROLES}


START_PAGE_BY_ROLE = {CAMERA: "/camera"}
"""Where a link leads, by role; the table where nothing else is said."""


def open_network_access(folder: Path, address: str = "") -> NetworkAccess:
    """Prepare the page in the network.

    Parameters
    ----------
    folder : Path
        Where tokens, certificate and key are kept; made for the owner alone.
    address : str
        IP address of this computer, see `address_typed`; empty finds the one by which it reaches others.

    Raises
    ------
    MillchenError
        When there is no network, or nothing here can make a certificate.
    """
    maker = certificate_module()
    if maker is None:
        raise MillchenError(CERTIFICATE_LIBRARY_MISSING)
    found = address or lan_address()
    names = _host_names()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as why:
        raise MillchenError(f"the links cannot be kept in {folder}: {why.strerror or why}") from why
    tokens = RoleTokens.load_or_create(folder / "links.json")
    file, key, fingerprint = maker.load_or_create_certificate(folder, found, names)
    return NetworkAccess(found, (found, *names), tokens, file, key, fingerprint)


def certificate_module() -> ModuleType | None:
    """The module `certificate`, loaded when it is needed (a tenth of the start); None where it cannot be."""
    try:
        return import_module("web.net.certificate")
    except ImportError:
        return None


def lan_address() -> str:
    """The address by which this computer reaches others; nothing is sent.

    Raises
    ------
    MillchenError
        When there is no network.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; "connecting" only chooses a way
            found = str(probe.getsockname()[0])
        except OSError:
            found = ""
    if not found or ipaddress.ip_address(found).is_unspecified:
        raise MillchenError("this computer is in no network: name its address with --lan ADDRESS")
    return found


def _host_names() -> tuple[str, ...]:
    name = socket.gethostname().lower()
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name):
        return ()
    return name, f"{name}.local"
