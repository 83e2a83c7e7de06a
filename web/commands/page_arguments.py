"""The words of the page's command, and how each is checked; imports nothing heavy, because every command loads it."""

from __future__ import annotations

import argparse
import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from referee.nearest_word import no_such, quoted
from referee.search.think import find_strength
from vision.commands.arguments import Data, FieldCorners, GameName, Rules, parse_address
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


DEFAULT_PORT = 8321  # TCP port of the first table's page
Port = Annotated[int, Word(f"port of the page on 127.0.0.1 (default: {DEFAULT_PORT})", convert=parse_port)]


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


SOURCE, ADDRESS = ("SOURCE", parse_address), ("ADDRESS", parse_address)
PARTNER = "PLAYER=STRENGTH[:explain]"


@dataclass(frozen=True, kw_only=True)
class TableWords:
    """The words about the tables: games, sources and players."""

    game: GameName = ""
    option: Rules = ()
    corners: FieldCorners = None
    source: Annotated[str | None, Word("camera number, film, address or @FILE (default: the demo)", *SOURCE)] = None
    demo: Annotated[str | None, Word(f"clip of a game: {', '.join(demo_games())}", "GAME", parse_demo)] = None
    table: Annotated[Sequence[str], Word("measured, or any; up to four", "NAME[=SOURCE]", parse_table)] = ()
    partner: Annotated[Sequence[tuple[int, str, bool]], Word("Millchen plays for him", PARTNER, parse_partner)] = ()


@dataclass(frozen=True, kw_only=True)
class PageWords:
    """The words about the page: who may see it, where its games are kept and sent to."""

    port: Port = DEFAULT_PORT
    lan: Annotated[str | None, Word("let phones in, by https and links", "ADDRESS", parse_ip_address, bare="")] = None
    archive: Annotated[str | None, Word("send the games to postgresql://user@host/database or @FILE", *ADDRESS)] = None
    mqtt: Annotated[str | None, Word("tell what is announced to mqtt://host/prefix or @FILE", *ADDRESS)] = None
    no_link: Annotated[bool, "let everybody with an account on this computer be the referee too"] = False
    no_browser: Annotated[bool, "do not open a browser"] = False
    data: Data = None
