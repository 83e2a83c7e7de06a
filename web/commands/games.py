"""``millchen games``: the games of the journal, also while a Millchen is running, except where ``import`` writes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from languages import LANGUAGES
from web.commands.analyse_game import add_analyse, analyse_game
from web.commands.import_records import add_import, run_import
from web.commands.show_game import ending_text, export_game, show_game
from web.errors import MillchenError
from web.game.first_record import is_demo_source
from web.history.exports import page_free_writers
from web.history.journal_reader import JournalReader
from web.journal.copies import BACKUP_FOLDER, back_up, copies_of
from web.journal.data_folder import EVENINGS_FILE, DataFolder, FolderInUseError, journal_file, private_files
from web.journal.journal_file import set_aside_folders
from web.journal.salvage import open_journal, take_back


def add_games(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options to the parser."""
    parser = commands.add_parser(
        "games", help="list, show, check, export, analyse, import, copy and take back the games that were kept"
    )
    parser.set_defaults(run=run_games, act="list", json=False)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the journal lies")
    words = "list | show | check | export | analyse | import | backup | restore"
    acts = parser.add_subparsers(title="what to do", metavar=words, dest="act")
    listing = acts.add_parser("list", help="every game (the default)")
    apart = listing.add_mutually_exclusive_group()
    apart.add_argument("--demo", action="store_const", const="demo", dest="kind", help="the demos, kept apart")
    apart.add_argument("--lesson", action="store_const", const="lesson", dest="kind", help="the lessons, kept apart")
    show = acts.add_parser("show", help="one game, turn by turn")
    show.add_argument("--language", choices=LANGUAGES, default="en", help="language of the sentences")
    check = acts.add_parser("check", help="whether everything is as it was written")
    export = acts.add_parser("export", help="one game as PGN, JSON or in another format")
    export.add_argument("--format", choices=page_free_writers(), default="pgn", help="of the file (default: pgn)")
    analysing = add_analyse(acts)
    opening = add_import(acts)
    copy = acts.add_parser("backup", help="copy the whole journal")
    copy.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the copy (default: beside the journal)")
    back = acts.add_parser("restore", help="take back what a copy has and the journal has not; nothing is overwritten")
    back.add_argument("copy", nargs="?", type=Path, metavar="COPY", help="its file or name (default: the newest copy)")
    for one in (show, export, analysing):
        one.add_argument("number", type=int, metavar="NUMBER", help="of the game, as the list has it")
    export.add_argument("--to", type=Path, metavar="FILE", help="write to this file (default: standard output)")
    for one in (listing, show, check, export, analysing, opening, copy, back):
        one.add_argument("--data", type=Path, metavar="FOLDER", default=argparse.SUPPRESS, help="as above")
    for one in (listing, check):
        one.add_argument("--json", action="store_true", help="one JSON object a line")


def run_games(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status: 1 when it cannot be done or a check found something."""
    try:
        path = journal_file(arguments.data)
        if arguments.act == "import":
            return run_import(path, arguments)
        if arguments.act == "restore":
            return _restore(path, arguments.copy)
        with JournalReader(path) as reader:
            return _ACTS[arguments.act or "list"](reader, arguments)
    except MillchenError as why:
        print(f"millchen: {why}", file=sys.stderr)
        return 1


def _list(reader: JournalReader, arguments: argparse.Namespace) -> int:
    wanted = getattr(arguments, "kind", None) or "game"
    for number, played in reader.replays():
        first, state = next(iter(played.records), None), played.state
        body: Mapping[str, Any] = {} if first is None else first.body
        source, lesson = body.get("source", ""), 0 if state is None else state.lesson_number
        if wanted != ("demo" if is_demo_source(source) else "lesson" if lesson else "game"):
            continue
        outcome, n_turns = (None, 0) if state is None else (state.game.outcome, state.game.ply)
        began, name = "" if first is None else first.wall_time, body.get("game", "")
        if arguments.json:
            entry = {"number": number, "game": name, "source": source, "begun": began, "turns": n_turns}
            winner = None if outcome is None or outcome.winner is None else outcome.winner + 1
            entry |= {"over": outcome is not None, "winner": winner, "problem": played.problem or None}
            print(json.dumps(entry | ({"lesson": lesson} if lesson else {})))
        else:
            hour = datetime.fromisoformat(began).astimezone().strftime("%Y-%m-%d %H:%M") if began else ""
            about = f"({source})" + (f"  lesson {lesson}" if lesson else "")
            ending = played.problem or ending_text(outcome)
            print(f"{number:4}  {hour:16}  {name:18} {n_turns:3} turns  {ending}  {about}")
    return 0


def _check(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Print a sentence for everything in the data folder that is not as it was written; return 1 when something is."""
    problems = [*reader.problems(), *_problems_beside(reader.path)]
    n_games = len(reader.places())
    if arguments.json:
        print(json.dumps({"journal": str(reader.path), "games": n_games, "problems": problems}))
    else:
        for problem in problems:
            print(problem)
        verdict = "everything is as it was written" if not problems else f"{len(problems)} problems"
        print(f"{reader.path}: {n_games} games, {verdict}")
    return 1 if problems else 0


def _problems_beside(path: Path) -> Iterator[str]:
    """Yield a sentence for what is wrong with the evenings, and for every journal that could not be used."""
    evenings = path.with_name(EVENINGS_FILE)
    try:
        if evenings.exists():
            with JournalReader(evenings) as reader:
                yield from (problem.replace("of game", "of evening") for problem in reader.problems_of_records())
    except MillchenError as why:
        yield str(why)
    for journal in (path, evenings):
        for folder in set_aside_folders(journal):
            yield f"a damaged {journal.name} lies in {folder}: delete that folder when nothing in it is needed"


def _backup(reader: JournalReader, arguments: argparse.Namespace) -> int:
    print(back_up(reader.path, arguments.file))
    return 0


def _restore(path: Path, named: Path | None) -> int:
    """Take back from a copy what the journal has not; return 1 where it could not be taken back whole."""
    copy = named or next(iter(copies_of(path)), None)
    if copy is None:
        raise MillchenError(f"there is no copy in {path.parent / BACKUP_FOLDER}: name the file of one")
    if not copy.exists():
        copy = path.parent / BACKUP_FOLDER / copy
    if not copy.is_file():
        raise MillchenError(f"there is no copy {copy}: name the file of one, or none for the newest")
    try:
        with private_files(), DataFolder(path.parent), open_journal(path) as journal:
            taken = take_back(journal, copy)
    except FolderInUseError as why:
        raise MillchenError(f"{why}; its page takes copies back too, at /settings") from why
    except OSError as why:
        raise MillchenError(f"{copy} cannot be read ({why.strerror}): name the file of a copy") from why
    print(f"{copy.name}: {taken.games} games taken back, {taken.records} records")
    for number in taken.left:
        print(f"{copy.name}: game {number} went on otherwise here and was left as it is")
    return 1 if taken.left else 0


_ACTS = {
    "list": _list,
    "show": show_game,
    "check": _check,
    "export": export_game,
    "analyse": analyse_game,
    "backup": _backup,
}
