"""``millchen cases``: lists, shows, exports, deletes and replays moments in which the referee was unsure."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from calibration.own_habits import forget_habits, habits_text, learn_habits
from calibration.profile_folder import ProfileFolder
from vision.cases.case import read_case_data, thought_of, tops_by_people
from vision.cases.case_replay import try_again
from vision.commands.arguments import Data, make_writable
from vision.commands.from_signature import Acts, Word
from web.errors import MillchenError
from web.history.case_view import case_to_send, first_text, readable_cases, said_texts
from web.journal.data_folder import CASE_SUFFIX, CaseFolder, data_folder_path

Number = Annotated[int, Word("of the case, as the list has it", "NUMBER")]


def list_cases(*, data: Data = None) -> None:
    """Print every case (the default)."""
    folder = _folder(data)
    if not folder.numbers():
        print(f"there are no cases in {folder.folder} yet", file=sys.stderr)
    for number, case_data in readable_cases(folder):
        afterwards = "; ".join(said_texts(case_data, "en")) or "nothing was said of it"
        about = f"{number:4}  {case_data['day']}  {case_data['kind']:11}  {case_data['game']:18}"
        print(f"{about}  {first_text(case_data, 'en')}  ({afterwards})")


def show_case(number: Number, *, data: Data = None) -> None:
    """Print what one case tells, as JSON."""
    print(json.dumps(read_case_data(_load(_folder(data), number)), indent=1))


def export_case(
    number: Number,
    *,
    to: Annotated[Path | None, Word(f"default: case-NUMBER{CASE_SUFFIX}", "FILE")] = None,
    data: Data = None,
) -> None:
    """Write one case into a file that can be sent, and say what is in it."""
    path, exported = to or Path(f"case-{number}{CASE_SUFFIX}"), case_to_send(_load(_folder(data), number), "en")
    make_writable(path)
    path.write_bytes(exported)
    print(path)


def delete_cases(
    number: Annotated[Sequence[int], Word("of the cases, as the list has them", "NUMBER")], *, data: Data = None
) -> None:
    """Throw cases away."""
    for one in number:
        if not _folder(data).delete([one]):
            raise _no_case(_folder(data), one)


def fit(
    table: Annotated[str, Word("its name", "TABLE")],
    *,
    undo: Annotated[bool, "forget what was learnt of it"] = False,
    data: Data = None,
) -> None:
    """Learn a measured table's own habits from its settled cases, where that helps."""
    folder = _folder(data)
    if undo:
        forget_habits(ProfileFolder(folder.data_folder), table)
    else:
        cases = (case for _, case in _cases(folder, []))
        print(habits_text(learn_habits(ProfileFolder(folder.data_folder), table, cases), "en"))


def _folder(data: Path | None) -> CaseFolder:
    return CaseFolder(data_folder_path(data))


def _load(folder: CaseFolder, number: int) -> bytes:
    case = folder.load(number)
    if case is None:
        raise _no_case(folder, number)
    return case


def _no_case(folder: CaseFolder, number: int) -> MillchenError:
    return MillchenError(f"there is no case {number} in {folder.folder}: 'millchen cases list' says which there are")


def replay(
    file: Annotated[Sequence[Path], Word("cases (default: those that were kept here)", "FILE")] = (),
    *,
    data: Data = None,
) -> int:
    """Say what would be decided today, and whether that is right; the exit status is 1 where a case cannot be tried."""
    trials: list[tuple[bool, bool | None, bool | None]] = []  # the same as then; right then and now, if settled
    n_failed = 0
    for name, case in _cases(_folder(data), file):
        try:
            case_data, moment = read_case_data(case), try_again(case)
        except ValueError as why:
            n_failed += 1
            print(f"millchen: {name}: {why}", file=sys.stderr)
            continue
        now, tops = {**case_data, "thought": thought_of(moment)}, tops_by_people(case_data)
        was_right, is_right = (None if tops is None else _likeliest(one) == tops for one in (case_data, now))
        is_same = _likeliest(case_data) == _likeliest(now)
        trials.append((is_same, was_right, is_right))
        verdict = "" if is_right is None else ", and that is right" if is_right else ", and that is wrong"
        said_now, said_then = (first_text(one, "en") or "nothing" for one in (now, case_data))
        print(f"{name}: {case_data['kind']}: {said_now}{verdict}" + ("" if is_same else f" (then {said_then})"))
    settled = [(then, now) for _, then, now in trials if then is not None]
    n_same, n_then, n_now = (sum(map(bool, one)) for one in (*zip(*trials, strict=True),) or ((),) * 3)
    print(f"{len(trials)} cases: {n_same} decided as then")
    print(f"{len(settled)} of them people have settled: {n_now} are right now, {n_then} were right then")
    return 1 if n_failed else 0


def _likeliest(case_data: dict[str, Any]) -> list[int] | None:
    """Return what lies on the points by the likeliest hypothesis; None without one."""
    return next((list(one["tops"]) for one in case_data["thought"]["hypotheses"]), None)


def _cases(folder: CaseFolder, files: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    for path in files:
        yield str(path), path.read_bytes()
    for number in () if files else sorted(folder.numbers()):
        yield str(number), _load(folder, number)


CASES = Acts(
    {
        "list": list_cases,
        "show": show_case,
        "export": export_case,
        "delete": delete_cases,
        "replay": replay,
        "fit": fit,
    },
    usual="list",
)
