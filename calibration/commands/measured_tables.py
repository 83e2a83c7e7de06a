"""The command ``millchen tables``: lists, shows, exports, imports and deletes measured tables."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from calibration.profile import Profile, checked_table_name
from calibration.profile_folder import ProfileFolder, read_profile, write_profile
from calibration.report import report_html
from calibration.step_texts import Refused, phrase
from calibration.steps import check_profile, profile_summary
from languages import LANGUAGES, message, translated
from vision.commands.arguments import make_writable

GRADE_MARKS = {"good": "+", "fair": "~", "poor": "!"}  # mark before a line of a check, by grade


def add_tables(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register ``millchen tables``."""
    parser = commands.add_parser("tables", help="list, show, export, import or delete measured tables")
    acts = parser.add_subparsers(title="what to do", metavar="list | show | export | import | delete", required=True)
    listing = acts.add_parser("list", help="names of the tables")
    listing.set_defaults(run=_list)
    show = acts.add_parser("show", help="what is known of a table")
    show.add_argument("--report", type=Path, metavar="HTML", help="write a report that can be printed")
    show.set_defaults(run=_show)
    export = acts.add_parser("export", help="copy a table into a file")
    export.set_defaults(run=_export)
    bring = acts.add_parser("import", help="take a table from a file")
    bring.add_argument("file", type=Path, metavar="FILE")
    bring.add_argument("--name", help="call it so")
    bring.set_defaults(run=_import)
    delete = acts.add_parser("delete", help="forget a table")
    delete.set_defaults(run=_delete)
    for act in (show, export, delete):
        act.add_argument("name", metavar="NAME")
    export.add_argument("file", type=Path, metavar="FILE")
    for act in (listing, show, export, bring, delete):
        add_common(act)
    for act in (listing, show):
        act.add_argument("--json", action="store_true", help="one JSON object a table")


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that all of these commands share."""
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the answers")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where Millchen's data lies")


def _list(words: argparse.Namespace) -> int:
    tables = ProfileFolder(words.data)
    if not tables.names():
        print(translated(message("profile.not_yet"), words.language), file=sys.stderr)
    for name in tables.names():
        try:
            profile = tables.load(name)
            values, text = _summary_json(profile), profile_summary(profile)[words.language]
        except Refused as why:
            values, text = {"name": name, "error": str(why)}, why.texts[words.language]
        print(json.dumps(values) if words.json else f"{name}: {text}")
    return 0


def _summary_json(profile: Profile) -> dict[str, object]:
    camera, field, lens = profile.camera, profile.field, profile.lens
    return {
        "name": profile.name,
        "saved": profile.saved,
        "source": camera.shown_source if camera else None,
        "size_px": list(camera.size_px) if camera else None,
        "board": field.field.board.name if field else None,
        "lens_rms_px": round(lens.rms_px, 4) if lens else None,
        "has_stones": profile.stones is not None,
        "summary": profile_summary(profile)["en"],
    }


def _show(words: argparse.Namespace) -> int:
    profile = ProfileFolder(words.data).load(words.name)
    if words.report is not None:
        make_writable(words.report)
        words.report.write_text(report_html(profile, words.language), encoding="utf-8")
    if words.json:
        lines = [{"step": line.step, "grade": line.grade, "text": line.texts["en"]} for line in check_profile(profile)]
        print(json.dumps({**_summary_json(profile), "lines": lines}))
    else:
        print(phrase("report.title", words.language, name=profile.name))
        print_check(profile, words.language)
    return 0


def _export(words: argparse.Namespace) -> int:
    profile = ProfileFolder(words.data).load(words.name)
    make_writable(words.file)
    if profile.camera is not None:  # the file is for others: the password of the camera is not
        profile = replace(profile, camera=replace(profile.camera, source=profile.camera.shown_source))
    write_profile(words.file, profile)
    print(words.file)
    return 0


def _import(words: argparse.Namespace) -> int:
    tables, profile = ProfileFolder(words.data), read_profile(words.file)
    name = checked_table_name(words.name or profile.name)
    if any(known.casefold() == name.casefold() for known in tables.names()):
        raise Refused("profile.exists", name=name)
    print(tables.save(replace(profile, name=name)))
    return 0


def _delete(words: argparse.Namespace) -> int:
    ProfileFolder(words.data).delete(words.name)
    return 0


def print_check(profile: Profile, language: str) -> None:
    """Print the check of a table line by line, and its summary."""
    for line in check_profile(profile):
        text = phrase("line", language, a=phrase(f"step.{line.step}", language), b=line.texts[language])
        print(f"  {GRADE_MARKS[line.grade]} {text}")
    print(profile_summary(profile)[language])
