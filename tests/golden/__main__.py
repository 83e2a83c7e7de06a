"""The golden replay: what Millchen sees in films and photographs, kept and compared within a thousandth.

python -m tests.golden compare --quick
python -m tests.golden compare --scenes ../scenes
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.golden import replay


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; 1 when something differs, 2 when it cannot be done."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="keep what is seen now as what is to be seen")
    compare = commands.add_parser("compare", help="say where what is seen now differs from what was recorded")
    for command in (record, compare):
        command.add_argument("--scenes", type=Path, metavar="FOLDER", help="rendered clips and stills, too")
        command.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default 2)")
        command.add_argument("--only", default="", metavar="NAME", help="only what has this in its name")
        command.add_argument("--files", nargs="+", choices=replay.FILES, default=[*replay.FILES], help="only these")
    record.add_argument("--most", type=int, default=0, metavar="N", help="so many of each rendered set (default all)")
    compare.add_argument("--quick", action="store_true", help="only a few drawn films and photographs")
    given = parser.parse_args(words)
    if given.jobs < 1:
        parser.error(f"--jobs must be 1 or more, got {given.jobs}")
    if given.command == "compare" and given.quick and given.scenes is not None:
        parser.error("--quick compares only what is drawn: leave --scenes away")
    try:
        return _record(given) if given.command == "record" else _compare(given)
    except ValueError as why:
        print(f"python -m tests.golden: {why}", file=sys.stderr)
        return 2


def _record(given: argparse.Namespace) -> int:
    began, shown = time.perf_counter(), []
    tasks = replay.tasks_for(given.scenes, only=given.only, files=given.files, most=given.most)
    for one in replay.show_all(tasks, given.jobs):
        if one.failed:
            raise ValueError(f"{one.task.name}: {one.failed}; nothing was recorded")
        print(f"{one.seconds:6.1f} s  {one.task.kind} {one.task.name}", flush=True)
        shown.append(one)
    for file, kinds in replay.FILES.items():
        sets = {kind: {s.task.name: s.record for s in shown if s.task.kind == kind} for kind in kinds}
        if not any(sets.values()):
            continue
        if given.only:  # the others stay as they are
            then, before = replay.kept(file)
            if then != replay.made_with():
                raise ValueError(f"{file} was recorded with other versions: record all of it, without --only")
            sets = {kind: {**before[kind], **sets[kind]} for kind in kinds}
        print(f"tests/golden/data/{file}.json.gz: {replay.write(file, sets) / 1000:.0f} kB")
    print(f"golden replay: {replay.counted(shown)}, recorded in {time.perf_counter() - began:.0f} s")
    return 0


def _compare(given: argparse.Namespace) -> int:
    began, shown, different = time.perf_counter(), [], []
    tasks = replay.tasks_for(given.scenes, quick=given.quick, only=given.only, files=given.files)
    files = {file: replay.kept(file) for file in dict.fromkeys(replay.file_of(task.kind) for task in tasks)}
    tasks = [
        task for task in tasks if task.scenes is None or task.name in files[replay.file_of(task.kind)][1][task.kind]
    ]
    now = replay.made_with()
    for file, (then, _) in files.items():
        for name, version in now.items():
            if then[name] != version:
                print(f"{file} was recorded with {name} {then[name]}, this is {version}: digits may differ by that")
    for one in replay.show_all(tasks, given.jobs):
        _, sets = files[replay.file_of(one.task.kind)]
        record = sets[one.task.kind].get(one.task.name)
        found = one.failed or (
            "was not recorded" if record is None else replay.first_difference(one.task, record, one.record)
        )
        if found and record is not None and not one.failed and one.task.kind in replay.FILM_SETS:
            found += f", {'events equal' if replay.events_equal(record, one.record) else 'events differ'}"
        if found:
            different.append(f"{one.task.name} {found.strip()}")
        print(f"{one.seconds:6.1f} s  {one.task.kind} {one.task.name}  {found.strip() or 'equal'}", flush=True)
        shown.append(one)
    print(f"compared in {time.perf_counter() - began:.0f} s")
    what = f"{len(different)} of {len(shown)} differ: {'; '.join(different)}" if different else "all equal"
    print(f"golden replay: {replay.counted(shown)}, {what}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
