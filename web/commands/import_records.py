"""``millchen games import``: keep games from files in the journal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from languages import LANGUAGES, message_of, translated
from referee.presets import PRESETS
from referee.record_files import MAX_RECORD_BYTES
from vision.commands.arguments import parse_option
from web.commands.show_game import ending_text
from web.errors import MillchenError
from web.game.imported_games import IMPORTED, RefusedFileError, bodies_of_file, chosen_rules
from web.game.replay import initial_state
from web.history.game_index import GameIndex
from web.history.journal_reader import JournalReader
from web.journal.data_folder import DataFolder, FolderInUseError, private_files
from web.journal.journal import Journal


def add_import(acts: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """Add the command and its options to those of ``millchen games``, and return its parser."""
    parser = acts.add_parser("import", help="keep games from files: PGN, JSON or FEN, also Sanmill's")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="all games of a file are kept, or none")
    parser.add_argument("--game", choices=PRESETS, default="", help="judge by this game, whatever a file says of it")
    parser.add_argument("--option", type=parse_option, action="append", default=[], metavar="NAME=VALUE",
                         help="a rule of that game, as fly=off")  # fmt: skip
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the refusals")
    return parser


def run_import(path: Path, arguments: argparse.Namespace) -> int:
    """Keep the games of files in the journal at ``path``; return the exit status, 1 when a file was refused."""
    if arguments.option and not arguments.game:
        raise MillchenError("rules belong to a game: name it with --game")
    try:
        chosen_rules(arguments.game, arguments.option)
    except ValueError as why:
        raise MillchenError(str(why)) from why
    status = 0
    try:
        index = GameIndex()
        with private_files(), DataFolder(path.parent), Journal(path) as journal, JournalReader(path) as reader:
            for file in arguments.files:
                try:
                    bodies = bodies_of_file(file.name, _content_of(file), arguments.game, arguments.option)
                except RefusedFileError as why:
                    print(f"millchen: {translated(message_of(why), arguments.language)}", file=sys.stderr)
                    status = 1
                    continue
                known = index.known(reader, bodies)
                for number in filter(None, known):
                    print(f"{file.name}: game {number}, which you have already")
                fresh = [body for body, number in zip(bodies, known, strict=True) if number is None]
                for record in journal.begin_all(fresh, by="file", kind=IMPORTED) if fresh else ():
                    game = initial_state(record).game
                    rules = "".join(f", {name}={str(value).lower()}" for name, value in game.variant.chosen)
                    ending = ending_text(game.outcome, arguments.language)
                    print(f"{file.name}: game {record.game}, {game.variant.name}{rules}, {game.ply} turns, {ending}")
    except FolderInUseError as why:
        raise MillchenError(f"{why}; its page opens files too, at /games") from why
    return status


def _content_of(file: Path) -> bytes:
    """Return the beginning of a file, with one byte more than is accepted where it is too large."""
    if file.exists() and not file.is_file() and not file.is_dir():  # a pipe would be waited for
        raise RefusedFileError(f"{str(file)!r} is a pipe or a device: name a file with a record")
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_RECORD_BYTES + 1)
    except OSError as why:
        raise RefusedFileError(f"{str(file)!r} cannot be read ({why.strerror}): name a file with a record") from why
