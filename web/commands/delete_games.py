"""``millchen games delete`` and ``millchen games rename``: games, or names of players, that shall be kept no more."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from referee.announce import Speaker
from web.body_types import MAX_NAME_CHARACTERS
from web.errors import MillchenError
from web.game.player_commands import name_players
from web.history.deletion import delete_games, rename_players
from web.history.journal_reader import JournalReader
from web.journal.copies import keep_copy, open_journal, wipe_forgotten
from web.journal.data_folder import DataFolder, FolderInUseError, private_files
from web.journal.journal import Journal, set_aside_folders

_YES = ("y", "yes", "j", "ja", "jo", "o", "oui")


def add_delete(acts: Any) -> argparse.ArgumentParser:
    """Add the command that deletes games to those of ``millchen games``."""
    parser: argparse.ArgumentParser = acts.add_parser("delete", help="delete games, with all that is kept about them")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("numbers", type=int, nargs="*", default=[], metavar="NUMBER", help="of games, as in the list")
    for word, kind in (("all", "game"), ("demo", "demo"), ("lesson", "lesson")):
        which.add_argument(f"--{word}", action="store_const", const=kind, dest="kind", help=f"every {kind}")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    return parser


def add_rename(acts: Any) -> argparse.ArgumentParser:
    """Add the command that puts other names in the place of those of a game."""
    parser: argparse.ArgumentParser = acts.add_parser("rename", help="put other names in the place of those in a game")
    parser.add_argument("number", type=int, metavar="NUMBER", help="of the game, as the list has it")
    parser.add_argument("names", nargs="+", type=_player_name, metavar="PLAYER=NAME",
                        help="as 1=Ann; 2= takes the name away")  # fmt: skip
    return parser


def _player_name(text: str) -> tuple[int, str]:
    player, equals, name = text.partition("=")
    name = name.strip()
    if not equals or not player.isascii() or not player.isdigit() or int(player) < 1:
        raise argparse.ArgumentTypeError(f"a name is given as PLAYER=NAME, as 1=Ann, got {text!r}")
    if not name.isprintable() or len(name) > MAX_NAME_CHARACTERS:
        raise argparse.ArgumentTypeError(f"a name has at most {MAX_NAME_CHARACTERS} letters, got {name[:60]!r}")
    return int(player), name


def delete_chosen(path: Path, numbers: Collection[int], lines: Mapping[int, str], *, is_sure: bool) -> int:
    """Delete games of the journal at ``path``, after a question where somebody can be asked; return the exit status."""
    for number in numbers:
        print(lines.get(number, f"{number:4}"))
    if not is_sure:
        if sys.stdin is None or not sys.stdin.isatty():
            raise MillchenError("nobody can be asked here whether they are to be deleted: add --yes where you are sure")
        what = "this game" if len(numbers) == 1 else f"these {len(numbers)} games"
        print(f"Delete {what} for good, with photographs, and from all copies? [y/N] ", end="", flush=True)
        if sys.stdin.readline().strip().lower() not in _YES:
            print("nothing was deleted")
            return 1
    with _written(path) as journal:
        delete_games(journal, numbers)
    print(f"deleted: {', '.join(map(str, numbers))}")
    return 0


def rename_in_game(path: Path, number: int, given: Collection[tuple[int, str]]) -> int:
    """Give players of a game other names, for good; return the exit status."""
    with JournalReader(path) as reader:
        state = reader.history(number).state
    players = state.game.variant.players
    names = [*state.names, *[""] * players][:players]
    for player, name in given:
        if player > players:
            raise MillchenError(f"game {number} has {players} players, and no player {player}")
        names[player - 1] = name
    kind, ply, body = name_players(state, names)
    with _written(path) as journal:
        rename_players(journal, number, names)
        journal.append(number, kind, body, ply=ply, by="hand")
    shown = (name or Speaker("en").player(k) for k, name in enumerate(names))
    print(f"game {number}: {', '.join(shown)}; what they were called before is gone, from all copies too")
    return 0


@contextmanager
def _written(path: Path) -> Iterator[Journal]:
    """Open the journal to delete in it, and leave nothing of what is deleted."""
    try:
        with private_files(), DataFolder(path.parent), open_journal(path) as journal:
            yield journal
            wipe_forgotten(journal)
            keep_copy(path)
    except FolderInUseError as why:
        raise MillchenError(f"{why}; its page deletes and renames too, at /games") from why
    for folder in set_aside_folders(path):
        print(f"a damaged journal in {folder} may still have it: delete that folder when nothing in it is needed")
