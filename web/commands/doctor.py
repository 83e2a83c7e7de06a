"""``millchen doctor``: checks everything that an evening needs and says how to get what is missing."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple, cast

import cv2

from languages import message
from vision.capture.addresses import without_secrets
from vision.capture.sources import SourceError, open_source
from vision.commands.arguments import Data, make_writable, parse_address
from vision.commands.from_signature import Word
from vision.imaging.frame import Frame
from vision.tracking.camera_unrest import CameraUnrest, compare_frames, unrest_note
from web.commands.doctor_report import write_report
from web.commands.page_arguments import DEFAULT_PORT, Port
from web.errors import MillchenError
from web.history.journal_reader import JournalReader
from web.journal.data_folder import DataFolder, FolderInUseError, can_others_write, data_folder_path, journal_file
from web.net.health import FIRST_SAFE_SQLITE, millchen_version
from web.net.links import is_shared_computer
from web.net.network import days_until_expiry, lan_address
from web.net.server import LOOPBACK, is_port_in_use
from web.table.source_names import find_demo

GOOD, NOTE, BAD = "good", "note", "bad"  # verdicts of a finding; an evening is possible without what deserves a note
VERDICT_SIGNS = {GOOD: "ok", NOTE: "--", BAD: "!!"}  # what is printed before a finding
MIN_FREE_MB = 200  # free space on the disk that is enough: an evening takes 1 MB, its photographs some 20
CAMERA_TRIAL_S = 10.0  # how long the camera is read, seconds
COMPARED_S = 0.09  # least time between two frames that are compared, seconds: as between two looks


class Finding(NamedTuple):
    """The result of one check."""

    about: str
    verdict: str
    text: str  # one sentence; with advice where the verdict is not good


def doctor(
    *,
    data: Data = None,
    source: Annotated[str, Word("the camera to be tried: number, address or @FILE", "SOURCE", parse_address)] = "0",
    port: Port = DEFAULT_PORT,
    json_: Annotated[bool, "one JSON object a finding"] = False,
    report: Annotated[Path | None, Word("write what a helper needs into one zip file", "FILE")] = None,
    cases: Annotated[bool, "with --report: the newest cases too; they show the board"] = False,
) -> int:
    """Run all checks and print what they found; return the exit status, 1 when something is bad."""
    is_bad, lines = False, list[str]()
    if report is not None:
        make_writable(report)
    for finding in check_everything(data, source, port):
        is_bad |= finding.verdict == BAD
        lines.append(f"{VERDICT_SIGNS[finding.verdict]}  {finding.about:12} {finding.text}")
        print(json.dumps(finding._asdict()) if json_ else lines[-1], flush=True)
    if report is not None:
        contents = write_report(report, lines, data_folder_path(data), shows_cases=cases)
        print("\n  ".join([f"In {report} is", *contents]), file=sys.stderr)
    return 1 if is_bad else 0


def check_everything(data: Path | None, source: str, port: int) -> Iterator[Finding]:
    """Yield each finding as soon as it is made."""
    yield from _versions()
    yield _check("data folder", lambda: _folder(data))
    yield _check("other users", lambda: _other_users(data))
    yield _check("journal", lambda: _journal(data))
    yield _check("port", lambda: _port(port))
    yield _check("demo", lambda: (GOOD, f"{find_demo().video.name} is there"))
    yield _check("camera", lambda: _camera(source), worst=NOTE)
    yield _check("voice", _voice)
    yield _check("network", lambda: _network(data, port), worst=NOTE)


def _check(about: str, check: Callable[[], tuple[str, str]], worst: str = BAD) -> Finding:
    try:
        return Finding(about, *check())
    except (MillchenError, SourceError) as why:
        return Finding(about, worst, str(why))
    except OSError as why:
        return Finding(about, worst, f"the system refuses: {why.strerror or why}")


def _versions() -> Iterator[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("versions", GOOD, f"Millchen {millchen_version()}, Python {python}, OpenCV {cv2.__version__}")
    yield Finding("libraries", GOOD, "OpenCV and the graphics libraries that it needs are there")
    verdict, sqlite = GOOD, f"{sqlite3.sqlite_version} keeps your games"
    if sqlite3.sqlite_version_info < FIRST_SAFE_SQLITE:
        safe = ".".join(map(str, FIRST_SAFE_SQLITE))
        why = f"before {safe} two that write at once can damage it"
        verdict, sqlite = NOTE, f"{sqlite}; let no other program change journal.sqlite: {why}"
    yield Finding("SQLite", verdict, sqlite)


def _folder(data: Path | None) -> tuple[str, str]:
    folder = data_folder_path(data)
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if there == folder:
        with tempfile.TemporaryFile(dir=folder):
            pass  # it can be written to
    elif not os.access(there, os.W_OK):
        raise MillchenError(f"{folder} cannot be made: name another folder with --data")
    free_mb = shutil.disk_usage(there).free // 1_000_000
    if free_mb < MIN_FREE_MB:
        return BAD, f"only {free_mb} MB are free where {folder} lies: make room, or name another folder with --data"
    return GOOD, f"{folder}, {free_mb // 1000} GB free"


def _other_users(data: Path | None) -> tuple[str, str]:
    folder = data_folder_path(data)
    who = "nobody else has a home on this computer, or root runs Millchen: its page asks for no link here"
    if is_shared_computer():
        who = "other people have accounts on this computer: the page asks for its link ('millchen link' prints it)"
    if folder.exists() and can_others_write(folder):
        return BAD, f"other users may write into {folder}: take this right from them (chmod go-w)"
    return GOOD, who


def _journal(data: Path | None) -> tuple[str, str]:
    path = journal_file(data)
    if not path.exists():
        return GOOD, "none yet; the first game begins it"
    with JournalReader(path) as reader:
        n_games = len(reader.places())
        problems = reader.problems()
    if problems:
        return BAD, f"{problems[0]} (and {len(problems) - 1} more): see 'millchen games check'"
    whole = f"{n_games} games, everything is as it was written"
    try:
        with DataFolder(path.parent):
            return GOOD, whole
    except FolderInUseError:
        return NOTE, f"{whole}; a Millchen is running on it: close it, or name another folder with --data for a second"


def _port(port: int) -> tuple[str, str]:
    if is_port_in_use(LOOPBACK, port):
        return NOTE, f"somebody answers on {port} (a Millchen?): close it, or name another port with --port"
    return GOOD, f"{port} is free"


def _camera(source: str) -> tuple[str, str]:
    began, compared, pairs = time.monotonic(), cast(Frame | None, None), list[CameraUnrest]()
    n_frames, size, name = 0, (0, 0), repr(without_secrets(source))
    with open_source(source) as camera:
        for frame in camera:
            n_frames, size = n_frames + 1, frame.size_px
            if compared is None or frame.time_s - compared.time_s >= COMPARED_S:
                if compared is not None and compared.size_px == size:
                    pairs.append(compare_frames(compared.bgr, frame.bgr))
                compared = frame
            if max(time.monotonic() - began, frame.time_s) > CAMERA_TRIAL_S:
                break
    seconds = max(time.monotonic() - began, 1e-3)
    if n_frames == 0:
        return NOTE, f"{name} opens but shows nothing: is its cover closed, or another program using it?"
    shows, note = f"{name} shows {size[0]}x{size[1]}, {n_frames / seconds:.0f} frames a second", unrest_note(pairs)
    return (GOOD, shows) if note is None else (NOTE, f"{shows}; {note}")


def _voice() -> tuple[str, str]:
    if shutil.which("espeak-ng"):
        return GOOD, "espeak-ng is there and speaks Luxembourgish, German, French and English"
    return NOTE, "the browser's own voices are used; for Luxembourgish install espeak-ng"


def _network(data: Path | None, port: int) -> tuple[str, str]:
    """Say what keeps phones out; only a phone can tell whether a firewall does."""
    address = lan_address()
    try:
        with socket.create_server((address, port)):
            pass
    except OSError as why:
        if why.errno != errno.EADDRINUSE:
            raise
        return NOTE, message("network.port_taken", port=port)
    days = days_until_expiry(data_folder_path(data) / "network" / "certificate.pem")
    certificate = "a certificate is made with the first link"
    if days is not None:
        certificate = f"the certificate is valid for {days} days"
    firewall = f"a phone that gets no answer is stopped by a firewall: let TCP port {port} in"
    return GOOD, f"{address}; {certificate}; {firewall}"
