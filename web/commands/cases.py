"""``millchen cases``: what the referee was unsure of at this computer's tables; and cases of others, tried again."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calibration.own_habits import forget_habits, habits_text, learn_habits
from calibration.profile_folder import ProfileFolder
from vision.cases.case import read_told, thought_of, tops_as_said
from vision.cases.case_replay import try_again
from vision.commands.arguments import make_writable
from web.errors import MillchenError
from web.history.case_view import case_to_send, first_text, readable_cases, said_texts
from web.journal.data_folder import CASE_SUFFIX, CaseFolder, data_folder_path


def add_cases(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options to the parser."""
    parser = commands.add_parser("cases")
    parser.set_defaults(run=run_cases, act="list")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the cases lie")
    acts = parser.add_subparsers(title="what to do", metavar="list | show | export | delete | replay | fit", dest="act")
    listing = acts.add_parser("list", help="every case (the default)")
    show = acts.add_parser("show", help="what one case tells, as JSON")
    export = acts.add_parser("export", help="write one case into a file that can be sent, and say what is in it")
    delete = acts.add_parser("delete", help="throw cases away")
    replay = acts.add_parser("replay", help="say what would be decided today, and whether that is right")
    fit = acts.add_parser("fit", help="learn a measured table's own habits from its settled cases, where that helps")
    fit.add_argument("table", metavar="TABLE", help="its name")
    fit.add_argument("--undo", action="store_true", help="forget what was learnt of it")
    for one in (show, export):
        one.add_argument("number", type=int, metavar="NUMBER", help="of the case, as the list has it")
    export.add_argument("--to", type=Path, metavar="FILE", help=f"the file (default: case-NUMBER{CASE_SUFFIX})")
    delete.add_argument("number", type=int, nargs="+", metavar="NUMBER", help="of the cases, as the list has them")
    replay.add_argument("file", type=Path, nargs="*", metavar="FILE", help="cases (default: those that were kept here)")
    for one in (listing, show, export, delete, replay, fit):
        one.add_argument("--data", type=Path, metavar="FOLDER", default=argparse.SUPPRESS, help="as above")


def run_cases(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status."""
    folder = CaseFolder(data_folder_path(arguments.data))
    match arguments.act:
        case "show":
            print(json.dumps(read_told(_load(folder, arguments.number)), indent=1))
        case "export":
            path = arguments.to or Path(f"case-{arguments.number}{CASE_SUFFIX}")
            exported = case_to_send(_load(folder, arguments.number), "en")
            make_writable(path)
            path.write_bytes(exported)
            print(path)
        case "delete":
            for number in arguments.number:
                if not folder.delete([number]):
                    raise _no_case(folder, number)
        case "replay":
            return _replay(folder, arguments.file)
        case "fit" if arguments.undo:
            forget_habits(ProfileFolder(folder.data_folder), arguments.table)
        case "fit":
            cases = (case for _, case in _cases(folder, []))
            print(habits_text(learn_habits(ProfileFolder(folder.data_folder), arguments.table, cases), "en"))
        case _:
            if not folder.numbers():
                print(f"there are no cases in {folder.folder} yet", file=sys.stderr)
            for number, told in readable_cases(folder):
                said = "; ".join(said_texts(told, "en")) or "nothing was said of it"
                about = f"{number:4}  {told['day']}  {told['kind']:11}  {told['game']:18}"
                print(f"{about}  {first_text(told, 'en')}  ({said})")
    return 0


def _load(folder: CaseFolder, number: int) -> bytes:
    found = folder.load(number)
    if found is None:
        raise _no_case(folder, number)
    return found


def _no_case(folder: CaseFolder, number: int) -> MillchenError:
    return MillchenError(f"there is no case {number} in {folder.folder}: 'millchen cases list' says which there are")


def _replay(folder: CaseFolder, files: list[Path]) -> int:
    """Print of every case what is decided today; return 1 where one could not be tried again."""
    tried: list[tuple[bool, bool | None, bool | None]] = []  # the same as then; right then and now, if settled
    n_failed = 0
    for name, case in _cases(folder, files):
        try:
            told, moment = read_told(case), try_again(case)
        except ValueError as why:
            n_failed += 1
            print(f"millchen: {name}: {why}", file=sys.stderr)
            continue
        now, tops = {**told, "thought": thought_of(moment.state, moment.result)}, tops_as_said(told)
        was_right, is_right = (None if tops is None else _likeliest(one) == tops for one in (told, now))
        is_same = _likeliest(told) == _likeliest(now)
        tried.append((is_same, was_right, is_right))
        verdict = "" if is_right is None else ", and that is right" if is_right else ", and that is wrong"
        said_now, said_then = (first_text(one, "en") or "nothing" for one in (now, told))
        print(f"{name}: {told['kind']}: {said_now}{verdict}" + ("" if is_same else f" (then {said_then})"))
    settled = [(then, now) for _, then, now in tried if then is not None]
    n_same, n_then, n_now = (sum(map(bool, one)) for one in (*zip(*tried, strict=True),) or ((),) * 3)
    print(f"{len(tried)} cases: {n_same} decided as then")
    print(f"{len(settled)} of them people have settled: {n_now} are right now, {n_then} were right then")
    return 1 if n_failed else 0


def _likeliest(told: dict[str, Any]) -> list[int] | None:
    """Return what lies on the points by the likeliest hypothesis, None where there is none."""
    return next((list(one["tops"]) for one in told["thought"]["hypotheses"]), None)


def _cases(folder: CaseFolder, files: list[Path]) -> Iterator[tuple[str, bytes]]:
    for path in files:
        yield str(path), path.read_bytes()
    for number in () if files else sorted(folder.numbers()):
        yield str(number), _load(folder, number)
