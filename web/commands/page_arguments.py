"""Checks of arguments of the page's command. Imports nothing heavy: it is read before the command is known."""

from __future__ import annotations

import argparse
import ipaddress


def parse_ip_address(text: str) -> str:
    """Return an IP address as text; an empty text stays empty and means that the address is to be found.

    Raises
    ------
    ArgumentTypeError
        When the text is no address of one computer.
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
