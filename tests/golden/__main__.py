"""The golden replay: what Millchen sees in films and photographs, kept and compared within a thousandth.

python -m tests.golden compare --quick
"""

import argparse
import sys
import time
from collections.abc import Sequence

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
        command.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default 2)")
        command.add_argument("--only", default="", metavar="NAME", help="only what has this in its name")
    compare.add_argument("--quick", action="store_true", help="only a few films and photographs")
    given = parser.parse_args(words)
    if given.jobs < 1:
        parser.error(f"--jobs must be 1 or more, got {given.jobs}")
    began = time.perf_counter()
    try:
        different = _record(given) if given.command == "record" else _compare(given)
    except ValueError as why:
        print(f"python -m tests.golden: {why}", file=sys.stderr)
        return 2
    print(f"{given.command}: {time.perf_counter() - began:.0f} s, {'; '.join(different) or 'no difference'}")
    return 1 if different else 0


def _record(given: argparse.Namespace) -> list[str]:
    records = replay.kept() if given.only else {}  # the others stay as they are
    if given.only and records["made_with"] != replay.made_with():
        raise ValueError("the others were recorded with other versions: record everything, without --only")
    for one in replay.show_all(replay.tasks_for(only=given.only), given.jobs):
        if one.failed:
            raise ValueError(f"{one.task.name}: {one.failed}; nothing was recorded")
        print(f"{one.seconds:6.1f} s  {one.task.kind} {one.task.name}", flush=True)
        records.setdefault("sets", {}).setdefault(one.task.kind, {})[one.task.name] = one.record
    print(f"{replay.DATA.name}: {replay.write(records['sets']) / 1000:.0f} kB")
    return []


def _compare(given: argparse.Namespace) -> list[str]:
    different, records = [], replay.kept()
    for name, version in replay.made_with().items():
        if records["made_with"][name] != version:
            print(f"recorded with {name} {records['made_with'][name]}, this is {version}: digits may differ by that")
    for one in replay.show_all(replay.tasks_for(quick=given.quick, only=given.only), given.jobs):
        found = replay.difference(one, records["sets"][one.task.kind].get(one.task.name))
        if found:
            different.append(f"{one.task.name} {found}")
        print(f"{one.seconds:6.1f} s  {one.task.kind} {one.task.name}  {found or 'equal'}", flush=True)
    return different


if __name__ == "__main__":
    sys.exit(main())
