"""Access from the local network (``--lan``, or the button of the page): address, certificate, links that give roles.

A phone's browser gives no camera over plain http, so the certificate is self-signed. The browser warns once; a
fingerprint equal to the one on the screen tells that nobody is in between.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from languages import message
from web.errors import MillchenError
from web.net.links import AccessLink, Links, write_secret
from web.net.roles import CAMERA

log = logging.getLogger("millchen.server")

VALIDITY = timedelta(days=397)
"""Browsers refuse more than 398 days. Source: CA/Browser Forum Baseline Requirements (section not looked up)."""

RENEW_BEFORE_END_DAYS = 30  # how long before its end a certificate is replaced

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

    def address_of(self, link: AccessLink) -> str:
        """Return the address that a phone opens."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"https://{host}:{self.port}/join/{link.token}"


def open_network_access(folder: Path, address: str = "") -> NetworkAccess:
    """Return what the server needs to answer in the network; the port is filled in when it is bound.

    Links, certificate and key are kept in the folder. Without an address of this computer `lan_address` finds it.
    Raises `MillchenError` when there is no network, or the folder cannot be used.
    """
    ip_address, name = address or lan_address(), socket.gethostname().lower()
    is_host_name = re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name)
    names = (name, f"{name}.local") if is_host_name else ()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as why:
        raise MillchenError(f"the links cannot be kept in {folder}: {why.strerror or why}") from why
    links = Links(folder / LINKS_FILE)
    file, key, fingerprint = load_or_create_certificate(folder, ip_address, names)
    return NetworkAccess(ip_address, (ip_address, *names), links, file, key, fingerprint)


def revoke_links(folder: Path) -> None:
    """Forget the links, so that no link that was given away opens anything again."""
    try:
        (folder / LINKS_FILE).unlink(missing_ok=True)
    except OSError as why:
        raise MillchenError(f"the links in {folder} cannot be removed: {why.strerror or why}") from why


def lan_address() -> str:
    """Return the address by which this computer reaches others; nothing is sent. Raises where there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; "connecting" UDP only selects a route
            address = str(probe.getsockname()[0])
        except OSError:
            address = ""
    if not address or ipaddress.ip_address(address).is_unspecified:
        raise MillchenError(message("network.none"))
    return address


# ---------------------------------------------------------------- the certificate


def load_or_create_certificate(folder: Path, address: str, names: tuple[str, ...]) -> tuple[Path, Path, str]:
    """Return files of the certificate and its key, and the SHA-256 fingerprint as hexadecimal pairs with colons.

    It is made for the address and the names where the folder has none that is for this address and does not end soon.
    """
    files = folder / "certificate.pem", folder / "key.pem"
    try:
        certificate = _load_if_usable(files, address)
        if certificate is None:
            certificate = _create(files, address, names)
    except OSError as why:
        raise MillchenError(f"the certificate cannot be kept in {folder}: {why.strerror or why}") from why
    return *files, certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def days_until_expiry(file: Path) -> int | None:
    """Return for how many days a certificate is still valid; None when it cannot be read."""
    try:
        return (x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc - datetime.now(UTC)).days
    except (OSError, ValueError):
        return None


def _load_if_usable(files: tuple[Path, Path], address: str) -> x509.Certificate | None:
    """Return the certificate in its file; None when its key cannot be read, it is for another address or ends soon."""
    if (days_until_expiry(files[0]) or 0) < RENEW_BEFORE_END_DAYS:
        return None
    certificate = x509.load_pem_x509_certificate(files[0].read_bytes())
    try:
        key = serialization.load_pem_private_key(files[1].read_bytes(), None)
        if key.public_key() != certificate.public_key():
            raise ValueError("they do not belong together")
        names_of_host = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError, TypeError, UnsupportedAlgorithm, FileNotFoundError) as why:
        log.warning("the certificate in %s is made anew (%s): phones warn once more", files[0].parent, why)
        return None
    return certificate if ipaddress.ip_address(address) in names_of_host.get_values_for_type(x509.IPAddress) else None


def _create(files: tuple[Path, Path], address: str, names: tuple[str, ...]) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Millchen")])
    now = datetime.now(UTC)
    names_of_host: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(address))]
    names_of_host += [x509.DNSName(host_name) for host_name in names]
    created = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # for phones whose clock is slow
        .not_valid_after(now + VALIDITY)
        .add_extension(x509.SubjectAlternativeName(names_of_host), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    write_secret(files[1], key.private_bytes(serialization.Encoding.PEM, form, plain))
    write_secret(files[0], created.public_bytes(serialization.Encoding.PEM))
    return created
