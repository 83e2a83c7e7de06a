"""What people type for the page, checked; loads nothing, as it is read before the command is known."""

from __future__ import annotations

import argparse
import ipaddress


def parse_ip_address(text: str) -> str:
    """The IP address that somebody typed; an empty text stays one and means that it is to be found.

    Raises
    ------
    ArgumentTypeError
    """
    if not text:
        return text
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"an IP address of this computer is wanted, got {text!r}") from None
    if found.is_unspecified or found.is_multicast:
        raise argparse.ArgumentTypeError("name one address of this computer; all of them at once cannot be checked")
    return str(found)
