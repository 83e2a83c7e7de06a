"""The doctor's findings in, one file for a helper out, which says nothing of who plays and where."""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import socket
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from web.history.case_view import README, case_to_send, readable_cases
from web.journal.data_folder import CASE_SUFFIX, CaseFolder
from web.net.logs import LOG_FILE
from web.table.case_keeper import versions

N_LOG_LINES, N_CASES = 200, 5  # the newest ones that are reported: about an evening

HIDDEN = "…"

_FRAME = re.compile(r'File "(?:[^"\n]*[\\/])?([^"\n]+)"(?=, line)')
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|[“„«‘][^\n]*?[”“»’]")
_ADDRESS = re.compile(
    r"\w+://\S+"  # of a page, a camera, a database
    r"|\S+@\S+"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d+)?"
    r"|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{1,4}(?![\w:])|[0-9a-fA-F:]*::[0-9a-fA-F:]+"  # also of a card
    r"|\b[\w-]+\.(?:local|lan|home|box)\b"
)
_FOLDER = re.compile(r"(?:\b[A-Za-z]:|~|(?<!\w))(?:[\\/][^\\/\s:;,'\"]+)+[\\/]?")


def without_people(text: str, *private: str) -> str:
    """Return a text without what is private, addresses, folders, names of computer and user, and anything in quotes.

    What people type is quoted wherever it is logged. Files of the program are left their names.

    >>> without_people("table 'Anna' is at http://127.0.0.1:8321/ in /home/anna/games")
    'table … is at … in …'
    """
    anonymous = _FRAME.sub(r"File \1", text)
    own = [*private, str(Path.home()), socket.gethostname(), Path.home().name]
    with suppress(OSError, KeyError):  # a user without a name
        own.append(getpass.getuser())
    for name in own:
        if len(name) > 1:
            anonymous = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", HIDDEN, anonymous)
    for pattern in (_QUOTED, _ADDRESS, _FOLDER):
        anonymous = pattern.sub(HIDDEN, anonymous)
    return anonymous


def write_report(path: Path, findings: Sequence[str], data_folder: Path, *, shows_cases: bool) -> list[str]:
    """Write the report, with the newest cases where somebody agrees to it; return what is in it, a sentence a file."""
    folder = CaseFolder(data_folder)
    newest_cases = islice(readable_cases(folder), N_CASES if shows_cases else 0)
    cases = [(number, folder.load(number) or b"") for number, _ in newest_cases]
    system = {"system": platform.platform(), "processors": os.cpu_count(), **versions()}
    log = _log_lines(data_folder / LOG_FILE)
    members = {
        "system.json": (json.dumps(system, indent=1), "the system and the versions of the program and its libraries"),
        "doctor.txt": (
            "\n".join(without_people(one, str(data_folder)) for one in findings),
            f"the doctor's {len(findings)} findings",
        ),
        LOG_FILE: ("\n".join(log), f"the last {len(log)} lines of the log"),
    } | {
        f"case-{number}{CASE_SUFFIX}": (
            case_to_send(case, "en"),
            "a case, with its pictures; its README says which",
        )
        for number, case in cases
    }
    contents = [
        *(f"{name}: {what}." for name, (_, what) in members.items()),
        f"Not in it: names, addresses, folders, the games{'' if cases else ', pictures'}; you can open it and look.",
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, _) in members.items():
            archive.writestr(name, data)
        archive.writestr(README, "\n".join(["A report of millchen doctor.", *contents, ""]))
    return contents


def _log_lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-N_LOG_LINES:]
    except FileNotFoundError:
        return []
    entries = []
    for line in lines:
        with suppress(ValueError):  # the last one may be half written
            entries.append(
                {key: without_people(str(value), str(path.parent)) for key, value in json.loads(line).items()}
            )
    return [json.dumps(one, ensure_ascii=False) for one in entries]
