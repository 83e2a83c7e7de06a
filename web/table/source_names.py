"""Parses the names that people give sources of pictures: the demo, a camera number, an address, or a film."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from languages import message, message_of
from vision.capture.addresses import had_secrets, without_secrets
from web.errors import MillchenError
from web.game.first_record import DEMO, HAND, medium_of
from web.net.film_upload import PHOTOGRAPH_SUFFIXES, UPLOAD, FilmUploads

DEMO_FOLDER = Path(str(files("web") / "demo"))
FIRST_DEMO = "millchen"  # the game of the clip that everybody sees first

PHONE = "phone"  # a phone that has followed the link for cameras; the table knows the address of its pictures


@dataclass(frozen=True, slots=True)
class Source:
    """A source that can be opened."""

    name: str  # as people typed it, without passwords: this is what is shown and kept. "demo" is the bundled clip
    kind: str  # as `web.game.page_state.SourceStatus` has it
    place: str  # what `vision.capture.sources.open_source` is given, with passwords
    problem: str = ""  # why it cannot be opened; empty where that may be tried

    @property
    def is_film(self) -> bool:
        """Whether it has a beginning and an end, unlike a camera."""
        return medium_of(self.kind) in ("film", "photographs")


@dataclass(frozen=True, slots=True)
class DemoClip:
    """A bundled clip and the game that is played in it."""

    video: Path
    game: str


def find_demo(name: str = DEMO) -> DemoClip:
    """Return a bundled clip: "demo" is the one that everybody sees first, "demo:GAME" that of another game."""
    game = name.partition(":")[2] or FIRST_DEMO
    if game not in demo_games():
        raise MillchenError(message("source.no_demo_of", game=game, games=", ".join(demo_games())))
    return DemoClip(DEMO_FOLDER / f"{game}.mp4", game)


def demo_games() -> tuple[str, ...]:
    """Return the games with a bundled clip."""
    return tuple(sorted(clip.stem for clip in DEMO_FOLDER.glob("*.mp4")))


def parse_source(text: str, uploads: FilmUploads | None = None) -> Source:
    """Return the source that a text names.

    Only http, https and rtsp are let through: the decoder knows other schemes, which read any file or start programs.
    """
    name = text.strip()
    if name == DEMO or name.startswith(f"{DEMO}:"):
        return Source(name, "demo", str(find_demo(name).video))
    if name in (PHONE, HAND):
        return Source(name, name, "" if name == HAND else PHONE)
    if uploads is not None and name.startswith(f"{UPLOAD}:"):
        place = uploads.place_of(name)
        return Source(name, _kind_of(place), str(place))
    if re.fullmatch(r"\d{1,3}", name):
        return Source(name, "camera", name)
    if re.match(r"(https?|rtsps?)://[^/\s]", name):
        if had_secrets(name):
            raise MillchenError(message("source.hidden", address=repr(name)))
        return Source(without_secrets(name), "address", name)
    if "://" in name or re.match(r"[a-z][a-z0-9+.-]+:", name):
        raise MillchenError(message("source.scheme", address=repr(without_secrets(name))))
    path = Path(name).expanduser()
    try:
        is_there, is_usable = path.exists(), path.is_file() or path.is_dir()
    except (OSError, ValueError):
        is_there = is_usable = False
    if not is_there:
        raise MillchenError(message("source.no_file", name=repr(name)))
    if not is_usable:
        raise MillchenError(message("source.device", name=repr(name)))
    return Source(name, _kind_of(path), str(path.resolve()))


def _kind_of(path: Path) -> str:
    return "photographs" if path.is_dir() or path.suffix.lower() in PHOTOGRAPH_SUFFIXES else "file"


def parse_kept_source(text: str, uploads: FilmUploads, present: Source) -> Source:
    """Return the source of a game in the journal, ``present`` with its password, or one that says why it has gone."""
    if text == present.name:
        return present
    try:
        return parse_source(text, uploads)
    except MillchenError as why:
        return Source(text, "address" if "://" in text else _kind_of(Path(text)), "", message_of(why))
