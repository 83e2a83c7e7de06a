"""Checks the arguments of the page's command; imports nothing heavy, because every command loads it."""

from __future__ import annotations

import argparse
import ipaddress
import re
from typing import Annotated

from referee.nearest_word import no_such, quoted
from referee.search.think import find_strength
from vision.commands.arguments import parse_address
from vision.commands.from_signature import Word
from web.table.source_names import demo_games


def parse_ip_address(text: str) -> str:
    """Return an IP address as text; an empty text stays empty and means that the address is to be found."""
    if not text:
        return text
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"an IP address of this computer is wanted, got {quoted(text)}") from None
    if ip.is_unspecified or ip.is_multicast:
        raise argparse.ArgumentTypeError("name one address of this computer; all of them at once cannot be checked")
    if ip.is_loopback:
        raise argparse.ArgumentTypeError(f"no phone reaches this computer at {ip}: name its address in the network")
    return str(ip)


def parse_port(text: str) -> int:
    """Return the number of a port, 0 for any that is free."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, got {quoted(text)}")
    return int(text)


Port = Annotated[int, Word("port of the page on 127.0.0.1 (default: 8321)", read=parse_port)]


def parse_demo(text: str) -> str:
    """Return the name of a game that has a bundled clip."""
    if text not in demo_games():
        raise argparse.ArgumentTypeError(no_such("demo", text, demo_games()))
    return text


def parse_table(text: str) -> str:
    """Return a table as NAME or NAME=SOURCE, where the source may be given as @FILE."""
    name, equals, source = text.partition("=")
    return f"{name}{equals}{parse_address(source.strip())}"


def parse_partner(text: str) -> tuple[int, str, bool]:
    """Return for which player (1 first) Millchen plays, how well, and whether it explains: ``2=medium[:explain]``."""
    match = re.fullmatch(r"([1-9])=([^:=]+)(:explain)?", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"a partner is named as 2=medium or 2=medium:explain, got {quoted(text)}")
    try:
        find_strength(match[2])
    except ValueError as why:
        raise argparse.ArgumentTypeError(str(why)) from None
    return int(match[1]), match[2], match[3] is not None
