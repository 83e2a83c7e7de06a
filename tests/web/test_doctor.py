import json
import logging
import socket
import zipfile
from pathlib import Path

import pytest

from millchen import main
from tests.web.told_cases import told_case
from web.commands import doctor
from web.journal.data_folder import CaseFolder
from web.journal.journal import Journal
from web.net.logs import log_to
from web.table.source_names import find_demo


def findings(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, tuple[str, str]]]:
    status = main(["doctor", "--json", *words])
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return status, {one["about"]: (one["verdict"], one["text"]) for one in told}


def test_the_doctor_finds_no_fault_in_a_camera_that_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = findings(capsys, "--data", str(tmp_path), "--source", str(find_demo().video))
    assert status == 0
    assert "frames a second" in found["camera"][1]
    assert {found[about][0] for about in ("versions", "data folder", "journal", "demo", "camera")} == {"good"}
    assert {"SQLite", "port", "voice", "network", "libraries"} <= set(found)


def test_the_doctor_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        journal.append(1, "turn", {}, by="hand")  # a game that does not begin
    monkeypatch.setattr(doctor, "MIN_FREE_MB", 10**12)
    monkeypatch.setattr(doctor.shutil, "which", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, found = findings(capsys, "--data", str(tmp_path), "--source", str(tmp_path / "no.mp4"), "--port", port)
    assert status == 1
    assert found["data folder"][0] == "bad" and "make room" in found["data folder"][1]
    assert found["journal"][0] == "bad" and "millchen games check" in found["journal"][1]
    assert found["port"][0] == "note" and "--port" in found["port"][1]
    assert found["camera"][0] == "note"
    assert "espeak-ng" in found["voice"][1]


PRIVATE = ("Anna", "Schmit", "Club", "secret", "192.168", "fe80", "kitchen", "Bruno", "Games")


def test_the_report_holds_what_helps_and_nothing_private(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "Anna Schmit"
    data = home / "My Games"
    data.mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: home)
    monkeypatch.setattr("getpass.getuser", lambda: "Bruno")
    monkeypatch.setattr("socket.gethostname", lambda: "kitchen")
    log = logging.getLogger("millchen.test")
    with log_to(data):
        for i in range(300):
            log.info("line %d", i)
        log.warning("table %r of Bruno at kitchen is at %s", "Club", "http://ann:secret@192.168.1.5:8321/x?key=secret")
        log.warning("other users may write into %s; fe80::1 and 192.168.1.7:80 and kitchen.local ask", data)
        try:
            raise ValueError(f"{data}/journal.sqlite: 'Anna' says “Bruno”")
        except ValueError:
            log.exception("vision failed (%s); a new process goes on", "ValueError")
    path = tmp_path / "report.zip"
    words = ("doctor", "--data", str(data), "--source", str(find_demo().video), "--report", str(path))
    assert main([*words]) == 0
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(members) == {"system.json", "doctor.txt", "log.jsonl", "README.txt"}
    said = capsys.readouterr().err
    assert all(f"{name}: " in text for name in set(members) - {"README.txt"} for text in (said, members["README.txt"]))
    assert "frames a second" in members["doctor.txt"] and "opencv" in members["system.json"]
    lines = [json.loads(line) for line in members["log.jsonl"].splitlines()]
    assert len(lines) == 200
    assert lines[-1]["text"] == "vision failed (ValueError); a new process goes on"
    assert "File test_doctor.py, line" in lines[-1]["trace"] and "ValueError: …" in lines[-1]["trace"]
    assert [name for name in PRIVATE for text in members.values() if name in text] == []


def test_the_report_holds_cases_only_where_somebody_agrees(tmp_path: Path) -> None:
    folder = CaseFolder(tmp_path)
    for case in (*[told_case("foul")] * 7, b"a case of another version"):
        folder.add(case)
    path = tmp_path / "report.zip"
    words = ("doctor", "--data", str(tmp_path), "--source", str(find_demo().video), "--report", str(path))
    for agreed, kept in ((), []), (("--cases",), [7, 6, 5, 4, 3]):
        assert main([*words, *agreed]) == 0
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        assert [name for name in names if name.startswith("case")] == [f"case-{n}.millchen-case" for n in kept]
