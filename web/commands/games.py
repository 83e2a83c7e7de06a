"""``millchen games``: the games of the journal, also while a Millchen is running, except where a command writes."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from languages import LANGUAGES, message_of, translated
from referee.announce import Speaker
from referee.endings import Outcome
from referee.presets import PRESETS
from referee.record_files import MAX_RECORD_BYTES
from vision.commands.arguments import make_writable, parse_option
from web.colour_names import colour_names
from web.commands.analyse_game import add_analyse, analyse_game
from web.commands.delete_games import add_delete, add_rename, delete_chosen, rename_in_game
from web.errors import MillchenError
from web.game.first_record import is_demo_source
from web.game.imported_games import IMPORTED, RefusedFileError, bodies_of_file, chosen_rules
from web.game.replay import ReplayedGame, initial_state
from web.history.exports import page_free_writers
from web.history.finished_games import announced_text, imported_plies
from web.history.game_film import make_film
from web.history.game_index import GameIndex
from web.history.journal_reader import JournalReader
from web.history.kept_analyses import KeptAnalyses
from web.journal.copies import BACKUP_FOLDER, back_up, copies_of, open_journal, take_back
from web.journal.data_folder import (
    EVENINGS_FILE,
    DataFolder,
    FolderInUseError,
    TurnPhotographs,
    journal_file,
    private_files,
)
from web.journal.journal import Journal, set_aside_folders
from web.journal.journal_record import JournalRecord
from web.page_words import words


def add_games(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options to the parser."""
    parser = commands.add_parser("games")  # millchen.py has the line of help
    parser.set_defaults(run=run_games, act="list", json=False)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the journal lies")
    words = "list | show | check | export | analyse | film | import | rename | delete | backup | restore"
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
    filming = acts.add_parser("film", help="a film of a game whose turns were photographed (WebM)")
    opening, renaming, deleting = _add_import(acts), add_rename(acts), add_delete(acts)
    copy = acts.add_parser("backup", help="copy the whole journal")
    copy.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the copy (default: beside the journal)")
    back = acts.add_parser("restore", help="take back what a copy has and the journal has not; nothing is overwritten")
    back.add_argument("copy", nargs="?", type=Path, metavar="COPY", help="its file or name (default: the newest copy)")
    for one in (show, export, analysing, filming):
        one.add_argument("number", type=int, metavar="NUMBER", help="of the game, as the list has it")
    filming.add_argument("file", type=Path, metavar="FILE", help="the film")
    filming.add_argument("--language", choices=LANGUAGES, default="en", help="language of the sentences")
    export.add_argument("--to", type=Path, metavar="FILE", help="write to this file (default: standard output)")
    for one in (listing, show, check, export, analysing, filming, opening, renaming, deleting, copy, back):
        one.add_argument("--data", type=Path, metavar="FOLDER", default=argparse.SUPPRESS, help="as above")
    for one in (listing, check):
        one.add_argument("--json", action="store_true", help="one JSON object a line")


def run_games(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status: 1 when it cannot be done or a check found something."""
    path = journal_file(arguments.data)
    if arguments.act == "import":
        return _import(path, arguments)
    if arguments.act == "restore":
        return _restore(path, arguments.copy)
    if arguments.act == "rename":
        return rename_in_game(path, arguments.number, arguments.names)
    if arguments.act == "delete":
        return _delete(path, arguments)
    with JournalReader(path) as reader:
        if arguments.act == "backup":
            print(back_up(path, arguments.file))
            return 0
        return _ACTS[arguments.act or "list"](reader, arguments)


def _list(reader: JournalReader, arguments: argparse.Namespace) -> int:
    wanted = getattr(arguments, "kind", None) or "game"
    for kind, entry, line in _listed(reader):
        if kind == wanted:
            print(json.dumps(entry) if arguments.json else line)
    if problems := reader.problems():
        print(f"millchen: the journal is damaged ({problems[0]}): 'millchen games check' says more", file=sys.stderr)
    return 1 if problems else 0


def _listed(reader: JournalReader) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield of every game its kind, its entry for programs, and its line for people."""
    for number, played in reader.replays():
        first, state = next(iter(played.records), None), played.state
        body: Mapping[str, Any] = {} if first is None else first.body
        source, lesson = body.get("source", ""), 0 if state is None else state.lesson_number
        outcome, n_turns = (None, 0) if state is None else (state.game.outcome, state.game.ply)
        began, name = "" if first is None else first.wall_time, body.get("game", "")
        entry = {"number": number, "game": name, "source": source, "begun": began, "turns": n_turns}
        winner = None if outcome is None or outcome.winner is None else outcome.winner + 1
        entry |= {"over": outcome is not None, "winner": winner, "problem": played.problem or None}
        hour = datetime.fromisoformat(began).astimezone().strftime("%Y-%m-%d %H:%M") if began else ""
        about = f"({source})" + (f"  lesson {lesson}" if lesson else "")
        ending = played.problem or ending_text(outcome)
        line = f"{number:4}  {hour:16}  {name:18} {n_turns:3} turns  {ending}  {about}"
        kind = "demo" if is_demo_source(source) else "lesson" if lesson else "game"
        yield kind, entry | ({"lesson": lesson} if lesson else {}), line


def _delete(path: Path, arguments: argparse.Namespace) -> int:
    """Delete the games that were named, or all of a kind; return the exit status."""
    with JournalReader(path) as reader:
        listed = list(_listed(reader))
        of_kind = [entry["number"] for kind, entry, _ in listed if kind == arguments.kind]
        numbers = of_kind if arguments.kind else list(dict.fromkeys(arguments.numbers))
        for number in numbers:
            reader.replay(number)  # raises where there is none
    if not numbers:
        print("there are none")
        return 0
    return delete_chosen(path, numbers, {entry["number"]: line for _, entry, line in listed}, is_sure=arguments.yes)


def _check(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Print a sentence for everything in the data folder that is not as it was written; return 1 when something is.

    What was set aside has been made anew from what is whole, and what could not be is missed in the new file.
    """
    problems = [*reader.problems(), *_problems_of_evenings(reader.path.with_name(EVENINGS_FILE))]
    aside = [
        f"a damaged {name} was set aside in {folder}: delete that folder when nothing in it is needed"
        for name in (reader.path.name, EVENINGS_FILE)
        for folder in set_aside_folders(reader.path.with_name(name))
    ]
    n_games = len(reader.places())
    if arguments.json:
        found = {"journal": str(reader.path), "games": n_games, "problems": problems, "set_aside": aside}
        print(json.dumps(found))
    else:
        for sentence in problems + aside:
            print(sentence)
        verdict = "everything is as it was written" if not problems else f"{len(problems)} problems"
        print(f"{reader.path}: {n_games} games, {verdict}")
    return 1 if problems else 0


def _problems_of_evenings(evenings: Path) -> Iterator[str]:
    """Yield a sentence for what is wrong with the evenings."""
    try:
        if evenings.exists():
            with JournalReader(evenings) as reader:
                yield from (problem.replace("of game", "of evening") for problem in reader.problems_of_records())
    except MillchenError as why:
        yield str(why)


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


# ---------------------------------------------------------------- one game, as lines or as a file


def _show(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Print a game turn by turn; return the exit status, 1 where the game is damaged."""
    played = reader.replay(arguments.number)
    for line in record_lines(played, arguments.language):
        print(line)
    if played.state is not None:
        print(ending_text(played.state.game.outcome, arguments.language))
    return _exit_status(played.problem)


def _export(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Write a game in one of the formats; return the exit status, 1 where the game is damaged."""
    history = reader.history(arguments.number)
    history = replace(history, analysis=KeptAnalyses.beside(reader.path).find(history.game))
    content = page_free_writers()[arguments.format](history)
    encoded = content.encode() if isinstance(content, str) else content
    if arguments.to is not None:
        make_writable(arguments.to)
        arguments.to.write_bytes(encoded)
    elif isinstance(content, str):
        print(content, end="")
    else:
        sys.stdout.buffer.write(encoded)
        sys.stdout.flush()
    return _exit_status(history.problem)


def _film(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Write the film of a game, and say meanwhile how far it is; return the exit status, 1 where it is damaged."""
    history = reader.history(arguments.number, arguments.language)
    make_writable(arguments.file)
    began = time.monotonic()
    for n, of, film in make_film(history, TurnPhotographs(reader.path)):
        left_s = (time.monotonic() - began) / n * (of - n)
        print(f"{n} of {of}, {left_s:.0f} s left", file=sys.stderr)
        if film:
            arguments.file.write_bytes(film)
    print(arguments.file)
    return _exit_status(history.problem)


def _exit_status(problem: str) -> int:
    """Return the exit status; where the reading stopped early, print why."""
    if not problem:
        return 0
    print(f"millchen: {problem}; what stands before it is whole", file=sys.stderr)
    return 1


def record_lines(played: ReplayedGame, language: str) -> list[str]:
    """Return one line for each record of a game but the first, which begins it."""
    end, lines = played.state, []
    if end is None:
        return []
    if played.records[0].kind == IMPORTED:
        plies = imported_plies(played.records[0], played.states[0].game, end, language)
        lines = [f"{ply.game.ply:3}. {ply.text}" for ply in plies[1:]]
    for record, before, state in zip(played.records[1:], played.states, played.states[1:], strict=False):
        if record.kind == "pictures" and state == before:
            continue  # it ended what had never begun
        named = replace(state, names=end.called, colours=end.colours)  # they may be known only later in the game
        announced = announced_text(record, named, colour_names(end.colours), language)
        number = f"{record.ply:3}." if record.kind == "turn" else "    "
        lines.append(f"{number} {_unannounced(record, words(language)) if announced is None else announced}")
    return lines


def _unannounced(record: JournalRecord, texts: Mapping[str, str]) -> str:
    """Return the text of a record that is not announced at the table; of a kind without one, the record."""
    body, kind = record.body, record.kind
    if kind == "clock":
        agreed = f" ({body['minutes']} min + {body['increment']} s)" if body["kind"] == "down" else ""
        return texts["label"].format(name=texts["clock"], text=f"{texts['clock.' + body['kind']]}{agreed}")
    is_off = body.get("on") is False or body.get("strength", "") is None
    text = texts.get(f"kept.no_{kind}" if is_off else f"kept.{kind}")
    if text is None:
        return f"{kind}: {json.dumps(body, ensure_ascii=False)}"
    names = ", ".join(name or "-" for name in body.get("names", ()))
    filled = {"names": names, "strength": texts.get(f"partner.{body.get('strength')}"), "text": body.get("text") or "-"}
    return text.format(**{**body, **filled})


def ending_text(outcome: Outcome | None, language: str = "en") -> str:
    """Return how a game ended; players by their numbers."""
    if outcome is None:
        return words(language)["result.open"]
    if outcome.winner is not None:
        return words(language)["result.won"].format(player=Speaker(language).player(outcome.winner))
    return words(language)["result.draw" if outcome.is_draw else "result.none"]


# ---------------------------------------------------------------- games from files


def _add_import(acts: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """Add the command and its options and return its parser."""
    parser = acts.add_parser("import", help="keep games from files: PGN, JSON or FEN, also Sanmill's")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="all games of a file are kept, or none")
    parser.add_argument("--game", choices=PRESETS, default="", help="judge by this game, whatever a file says of it")
    parser.add_argument("--option", type=parse_option, action="append", default=[], metavar="NAME=VALUE",
                         help="a rule of that game, as fly=off")  # fmt: skip
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the refusals")
    return parser


def _import(path: Path, arguments: argparse.Namespace) -> int:
    """Keep the games of files in the journal at ``path``; return the exit status, 1 when a file was refused."""
    if arguments.option and not arguments.game:
        raise MillchenError("rules belong to a game: name it with --game")
    chosen_rules(arguments.game, arguments.option)
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
                fresh = [[(IMPORTED, None, body)] for body, number in zip(bodies, known, strict=True) if number is None]
                for record in journal.begin_all(fresh, by="file") if fresh else ():
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


_ACTS = {
    "list": _list,
    "show": _show,
    "check": _check,
    "export": _export,
    "film": _film,
    "analyse": analyse_game,
}
