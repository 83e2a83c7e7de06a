"""``millchen games delete`` and ``millchen games rename``: remove games, or names of players, for good."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from referee.announce import Speaker
from vision.commands.arguments import Data
from vision.commands.from_signature import Word
from web.body_types import MAX_NAME_CHARACTERS
from web.commands.analyse_game import GameNumber
from web.errors import MillchenError
from web.game.player_commands import name_players
from web.history.deletion import delete_games, rename_players
from web.history.journal_reader import JournalReader
from web.journal.copies import keep_copy, open_journal, wipe_forgotten
from web.journal.data_folder import DataFolder, FolderInUseError, journal_file, private_files
from web.journal.journal import Journal, set_aside_folders

_YES = ("y", "yes", "j", "ja", "jo", "o", "oui")


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


def rename_in_game(
    number: GameNumber,
    names: Annotated[Sequence[tuple[int, str]], Word("as 1=Ann; 2= takes the name away", "PLAYER=NAME", _player_name)],
    *,
    data: Data = None,
) -> None:
    """Put other names in the place of those in a game, for good."""
    path = journal_file(data)
    with JournalReader(path) as reader:
        state = reader.history(number).state
    players = state.game.variant.players
    new_names = [*state.names, *[""] * players][:players]
    for player, name in names:
        if player > players:
            raise MillchenError(f"game {number} has {players} players, and no player {player}")
        new_names[player - 1] = name
    record = name_players(state, new_names)
    with _written(path) as journal:
        rename_players(journal, number, new_names)
        journal.append_all(number, [record], by="hand")
    labels = (name or Speaker("en").player(k) for k, name in enumerate(new_names))
    print(f"game {number}: {', '.join(labels)}; what they were called before is gone, from all copies too")


@contextmanager
def written(path: Path, what_the_page_does: str) -> Iterator[Journal]:
    """Open the journal to write in it; where a running Millchen has it, say what its page does as well."""
    try:
        with private_files(), DataFolder(path.parent), open_journal(path) as journal:
            yield journal
    except FolderInUseError as why:
        raise MillchenError(f"{why}; its page {what_the_page_does}") from why


@contextmanager
def _written(path: Path) -> Iterator[Journal]:
    """Open the journal for deletion, and wipe the deleted games afterwards."""
    with written(path, "deletes and renames too, at /games") as journal:
        yield journal
        wipe_forgotten(journal)
        keep_copy(path)
    for folder in set_aside_folders(path):
        print(f"a damaged journal in {folder} may still have it: delete that folder when nothing in it is needed")
