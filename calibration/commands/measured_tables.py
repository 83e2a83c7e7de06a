"""The command ``millchen tables``: lists, shows, exports, imports and deletes measured tables."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from calibration.profile import Profile, checked_table_name
from calibration.profile_folder import ProfileFolder, read_profile, write_profile
from calibration.report import report_html
from calibration.step_texts import Refused, phrase
from calibration.steps import check_profile, profile_summary
from languages import message, translated
from vision.commands.arguments import Data, Language, make_writable
from vision.commands.from_signature import Acts, Word

GRADE_MARKS = {"good": "+", "fair": "~", "poor": "!"}  # mark before a line of a check, by grade


Name = Annotated[str, Word("what the table is called", "NAME")]
JsonTable = Annotated[bool, "one JSON object a table"]
ReportFile = Annotated[Path | None, Word("write a report that can be printed", "HTML")]


def list_tables(*, json_: JsonTable = False, language: Language = "en", data: Data = None) -> None:
    """Print the names of the tables, and how each was measured."""
    tables = ProfileFolder(data)
    if not tables.names():
        print(translated(message("profile.not_yet"), language), file=sys.stderr)
    for name in tables.names():
        try:
            profile = tables.load(name)
            values, text = _summary_json(profile), profile_summary(profile)[language]
        except Refused as why:
            values, text = {"name": name, "error": str(why)}, why.texts[language]
        print(json.dumps(values) if json_ else f"{name}: {text}")


def _summary_json(profile: Profile) -> dict[str, object]:
    camera, field, lens = profile.camera, profile.field, profile.lens
    return {
        "name": profile.name,
        "saved": profile.saved,
        "source": camera.public_source if camera else None,
        "size_px": list(camera.size_px) if camera else None,
        "board": field.field.board.name if field else None,
        "lens_rms_px": round(lens.rms_px, 4) if lens else None,
        "has_stones": profile.stones is not None,
        "summary": profile_summary(profile)["en"],
    }


def show_table(
    name: Name, *, report: ReportFile = None, json_: JsonTable = False, language: Language = "en", data: Data = None
) -> None:
    """Print the profile of a table."""
    profile = ProfileFolder(data).load(name)
    if report is not None:
        make_writable(report)
        report.write_text(report_html(profile, language), encoding="utf-8")
    if json_:
        lines = [{"step": line.step, "grade": line.grade, "text": line.texts["en"]} for line in check_profile(profile)]
        print(json.dumps({**_summary_json(profile), "lines": lines}))
    else:
        print(phrase("report.title", language, name=profile.name))
        print_check(profile, language)


def export_table(name: Name, file: Annotated[Path, Word("", "FILE")], *, data: Data = None) -> None:
    """Copy a table into a file."""
    profile = ProfileFolder(data).load(name)
    make_writable(file)
    if profile.camera is not None:  # the file is for others: the password of the camera is not
        profile = replace(profile, camera=replace(profile.camera, source=profile.camera.public_source))
    write_profile(file, profile)
    print(file)


def import_table(
    file: Annotated[Path, Word("", "FILE")], *, name: Annotated[str, "call it so"] = "", data: Data = None
) -> None:
    """Take a table from a file."""
    tables, profile = ProfileFolder(data), read_profile(file)
    name = checked_table_name(name or profile.name)
    if tables.has(name):
        raise Refused("profile.exists", name=name)
    print(tables.save(replace(profile, name=name)))


def delete_table(name: Name, *, data: Data = None) -> None:
    """Forget a table."""
    ProfileFolder(data).delete(name)


def print_check(profile: Profile, language: str) -> None:
    """Print the check of a table line by line, and its summary."""
    for line in check_profile(profile):
        text = phrase("line", language, a=phrase(f"step.{line.step}", language), b=line.texts[language])
        print(f"  {GRADE_MARKS[line.grade]} {text}")
    print(profile_summary(profile)[language])


TABLES = Acts(
    {"list": list_tables, "show": show_table, "export": export_table, "import": import_table, "delete": delete_table}
)
