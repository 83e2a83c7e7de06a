"""``millchen games``: the games of the journal, also while a Millchen is running, except where a command writes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from languages import message_of, translated
from referee.announce import Speaker
from referee.endings import Outcome
from referee.presets import PRESETS
from referee.record_files import MAX_RECORD_BYTES
from vision.commands.arguments import Data, Json, Language, Rules, make_writable
from vision.commands.from_signature import Acts, Word, WrongWordsError
from web.colour_names import colour_names
from web.commands.analyse_game import GameNumber, analyse_game
from web.commands.delete_games import delete_chosen, rename_in_game, written
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
from web.journal.copies import BACKUP_FOLDER, back_up, copies_of, take_back
from web.journal.data_folder import EVENINGS_FILE, TurnPhotographs, journal_file
from web.journal.journal import set_aside_folders
from web.journal.journal_record import JournalRecord
from web.page_words import words


def list_games(
    *,
    demo: Annotated[bool, "the demos, kept apart"] = False,
    lesson: Annotated[bool, "the lessons, kept apart"] = False,
    json_: Json = False,
    data: Data = None,
) -> int:
    """Print every game (the default)."""
    if demo and lesson:
        raise WrongWordsError("--demo and --lesson exclude each other: give one of them")
    kind_to_list = "demo" if demo else "lesson" if lesson else "game"
    with JournalReader(journal_file(data)) as reader:
        for kind, entry, line in _listed(reader):
            if kind == kind_to_list:
                print(json.dumps(entry) if json_ else line)
        problems = reader.problems()
    if problems:
        print(f"millchen: the journal is damaged ({problems[0]}): 'millchen games check' says more", file=sys.stderr)
    return 1 if problems else 0


def _listed(reader: JournalReader) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield of every game its kind, its entry for programs, and its line for people."""
    for number, game in reader.replays():
        first, state = next(iter(game.records), None), game.state
        body: Mapping[str, Any] = {} if first is None else first.body
        source, lesson = body.get("source", ""), 0 if state is None else state.lesson_number
        outcome, n_turns = (None, 0) if state is None else (state.game.outcome, state.game.ply)
        began, name = "" if first is None else first.wall_time, body.get("game", "")
        entry = {"number": number, "game": name, "source": source, "begun": began, "turns": n_turns}
        winner = None if outcome is None or outcome.winner is None else outcome.winner + 1
        entry |= {"over": outcome is not None, "winner": winner, "problem": game.problem or None}
        hour = datetime.fromisoformat(began).astimezone().strftime("%Y-%m-%d %H:%M") if began else ""
        about = f"({source})" + (f"  lesson {lesson}" if lesson else "")
        ending = game.problem or ending_text(outcome)
        line = f"{number:4}  {hour:16}  {name:18} {n_turns:3} turns  {ending}  {about}"
        kind = "demo" if is_demo_source(source) else "lesson" if lesson else "game"
        yield kind, entry | ({"lesson": lesson} if lesson else {}), line


def delete(
    numbers: Annotated[Sequence[int], Word("of games, as in the list", "NUMBER")] = (),
    *,
    all_: Annotated[bool, "every game"] = False,
    demo: Annotated[bool, "every demo"] = False,
    lesson: Annotated[bool, "every lesson"] = False,
    yes: Annotated[bool, "do not ask"] = False,
    data: Data = None,
) -> int:
    """Delete games, with all that is kept about them."""
    kinds = [kind for kind, is_meant in (("game", all_), ("demo", demo), ("lesson", lesson)) if is_meant]
    if len(kinds) + bool(numbers) != 1:
        raise WrongWordsError("name the games by their numbers, or give one of --all, --demo, --lesson")
    path = journal_file(data)
    with JournalReader(path) as reader:
        lines = list(_listed(reader))
        games = list(dict.fromkeys(numbers)) or [entry["number"] for kind, entry, _ in lines if kind in kinds]
        for number in games:
            reader.replay(number)  # raises where there is none
    if not games:
        print("there are none")
        return 0
    return delete_chosen(path, games, {entry["number"]: line for _, entry, line in lines}, is_sure=yes)


def check(*, json_: Json = False, data: Data = None) -> int:
    """Say what in the data folder is not as it was written, if anything.

    Millchen makes a damaged file anew from its whole games, and this names the games that the new file lacks.
    """
    path = journal_file(data)
    with JournalReader(path) as reader:
        problems = [*reader.problems(), *_problems_of_evenings(path.with_name(EVENINGS_FILE))]
        n_games = len(reader.places())
    aside = [
        f"a damaged {name} was set aside in {folder}: delete that folder when nothing in it is needed"
        for name in (path.name, EVENINGS_FILE)
        for folder in set_aside_folders(path.with_name(name))
    ]
    if json_:
        print(json.dumps({"journal": str(path), "games": n_games, "problems": problems, "set_aside": aside}))
    else:
        for sentence in problems + aside:
            print(sentence)
        verdict = "everything is as it was written" if not problems else f"{len(problems)} problems"
        print(f"{path}: {n_games} games, {verdict}")
    return 1 if problems else 0


def _problems_of_evenings(evenings: Path) -> Iterator[str]:
    """Yield a sentence for what is wrong with the evenings."""
    try:
        if evenings.exists():
            with JournalReader(evenings) as reader:
                yield from (problem.replace("of game", "of evening") for problem in reader.problems_of_records())
    except MillchenError as why:
        yield str(why)


def backup(
    file: Annotated[Path | None, Word("the copy (default: beside the journal)", "FILE")] = None, *, data: Data = None
) -> None:
    """Copy the whole journal."""
    path = journal_file(data)
    with JournalReader(path):
        print(back_up(path, file))


def restore(
    copy: Annotated[Path | None, Word("its file or name (default: the newest copy)", "COPY")] = None,
    *,
    data: Data = None,
) -> int:
    """Take back what a copy has and the journal has not; nothing is overwritten."""
    path = journal_file(data)
    copy = copy or next(iter(copies_of(path)), None)
    if copy is None:
        raise MillchenError(f"there is no copy in {path.parent / BACKUP_FOLDER}: name the file of one")
    if not copy.exists():
        copy = path.parent / BACKUP_FOLDER / copy
    if not copy.is_file():
        raise MillchenError(f"there is no copy {copy}: name the file of one, or none for the newest")
    try:
        with written(path, "takes copies back too, at /settings") as journal:
            result = take_back(journal, copy)
    except OSError as why:
        raise MillchenError(f"{copy} cannot be read ({why.strerror}): name the file of a copy") from why
    print(f"{copy.name}: {result.games} games taken back, {result.records} records")
    for number in result.left:
        print(f"{copy.name}: game {number} went on otherwise here and was left as it is")
    return 1 if result.left else 0


# ---------------------------------------------------------------- one game, as lines or as a file


def show(number: GameNumber, *, language: Language = "en", data: Data = None) -> int:
    """Print one game, turn by turn."""
    with JournalReader(journal_file(data)) as reader:
        game = reader.replay(number)
    for line in record_lines(game, language):
        print(line)
    if game.state is not None:
        print(ending_text(game.state.game.outcome, language))
    return _exit_status(game.problem)


def export(
    number: GameNumber,
    *,
    format_: Annotated[str, Word("of the file (default: pgn)", choices=page_free_writers())] = "pgn",
    to: Annotated[Path | None, Word("write to this file (default: standard output)", "FILE")] = None,
    data: Data = None,
) -> int:
    """Write one game as PGN, JSON or in another format."""
    with JournalReader(journal_file(data)) as reader:
        history = reader.history(number)
        history = replace(history, analysis=KeptAnalyses.beside(reader.path).find(history.game))
    content = page_free_writers()[format_](history)
    encoded = content.encode() if isinstance(content, str) else content
    if to is not None:
        make_writable(to)
        to.write_bytes(encoded)
    elif isinstance(content, str):
        print(content, end="")
    else:
        sys.stdout.buffer.write(encoded)
        sys.stdout.flush()
    return _exit_status(history.problem)


def film(
    number: GameNumber,
    file: Annotated[Path, Word("the film", "FILE")],
    *,
    language: Language = "en",
    data: Data = None,
) -> int:
    """Write a film of a game whose turns were photographed (WebM)."""
    path = journal_file(data)
    with JournalReader(path) as reader:
        history = reader.history(number, language)
    make_writable(file)
    began = time.monotonic()
    for n, of, webm in make_film(history, TurnPhotographs(path)):
        left_s = (time.monotonic() - began) / n * (of - n)
        print(f"{n} of {of}, {left_s:.0f} s left", file=sys.stderr)
        if webm:
            file.write_bytes(webm)
    print(file)
    return _exit_status(history.problem)


def _exit_status(problem: str) -> int:
    """Return the exit status; where the reading stopped early, print why."""
    if not problem:
        return 0
    print(f"millchen: {problem}; what stands before it is whole", file=sys.stderr)
    return 1


def record_lines(game: ReplayedGame, language: str) -> list[str]:
    """Return one line for each record of a game but the first, which begins it."""
    end, lines = game.state, []
    if end is None:
        return []
    if game.records[0].kind == IMPORTED:
        plies = imported_plies(game.records[0], game.states[0].game, end, language)
        lines = [f"{ply.game.ply:3}. {ply.text}" for ply in plies[1:]]
    for record, before, state in zip(game.records[1:], game.states, game.states[1:], strict=False):
        if record.kind == "pictures" and state == before:
            continue  # it ended what had never begun
        with_names = replace(state, names=end.called, colours=end.colours)  # they may be known only later in the game
        announced = announced_text(record, with_names, colour_names(end.colours), language)
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
    values = {"names": names, "strength": texts.get(f"partner.{body.get('strength')}"), "text": body.get("text") or "-"}
    return text.format(**{**body, **values})


def ending_text(outcome: Outcome | None, language: str = "en") -> str:
    """Return how a game ended; players by their numbers."""
    if outcome is None:
        return words(language)["result.open"]
    if outcome.winner is not None:
        return words(language)["result.won"].format(player=Speaker(language).player(outcome.winner))
    return words(language)["result.draw" if outcome.is_draw else "result.none"]


# ---------------------------------------------------------------- games from files


def import_games(
    files: Annotated[Sequence[Path], Word("all games of a file are kept, or none", "FILE")],
    *,
    game: Annotated[str, Word("judge by this game, whatever a file says of it", choices=PRESETS)] = "",
    option: Rules = (),
    language: Language = "en",
    data: Data = None,
) -> int:
    """Keep games from files: PGN, JSON or FEN, also Sanmill's; the exit status is 1 when a file was refused."""
    if option and not game:
        raise MillchenError("rules belong to a game: name it with --game")
    chosen_rules(game, option)
    path, index, status = journal_file(data), GameIndex(), 0
    with written(path, "opens files too, at /games") as journal, JournalReader(path) as reader:
        for file in files:
            try:
                bodies = bodies_of_file(file.name, _content_of(file), game, option)
            except RefusedFileError as why:
                print(f"millchen: {translated(message_of(why), language)}", file=sys.stderr)
                status = 1
                continue
            for record in index.keep(journal, reader, bodies):
                if isinstance(record, int):
                    print(f"{file.name}: game {record}, which you have already")
                    continue
                imported = initial_state(record).game
                rules = "".join(f", {name}={str(value).lower()}" for name, value in imported.variant.chosen)
                ending = ending_text(imported.outcome, language)
                print(
                    f"{file.name}: game {record.game}, {imported.variant.name}{rules}, {imported.ply} turns, {ending}"
                )
    return status


def _content_of(file: Path) -> bytes:
    """Return the beginning of a file, with one byte more than is accepted where it is too large."""
    if file.exists() and not file.is_file() and not file.is_dir():  # a pipe would be waited for
        raise RefusedFileError(f"{str(file)!r} is a pipe or a device: name a file with a record")
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_RECORD_BYTES + 1)
    except OSError as why:
        raise RefusedFileError(f"{str(file)!r} cannot be read ({why.strerror}): name a file with a record") from why


GAMES = Acts(
    {
        "list": list_games,
        "show": show,
        "check": check,
        "export": export,
        "analyse": analyse_game,
        "film": film,
        "import": import_games,
        "rename": rename_in_game,
        "delete": delete,
        "backup": backup,
        "restore": restore,
    },
    usual="list",
)
