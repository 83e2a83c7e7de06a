"""Power cuts, replayed: what a writer of the journal asked of the system is recorded (strace), then cut at any point.

What was not synced at the cut is kept, dropped or torn at random, as a disk with a cache may do. Whatever the writer
had acknowledged before the cut must be there afterwards.

The method is SQLite's own ("simulated file system that drops or damages unsynced writes"), on our transactions.
"""

import random
import re
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = tuple[Any, ...]
ROOT = Path(__file__).parents[2]
SECTOR = 512  # bytes that a disk writes whole
WRITER = """
import sys
from pathlib import Path
from web.journal.journal import Journal
journal = Journal(Path(sys.argv[1]))
for n in range(1, int(sys.argv[2]) + 1):
    record = journal.append(1, "turn", {"n": n, "filling": "x" * (n * 37 % 600)}, ply=n, by="camera")
    sys.stdout.write(f"{record.seq}\\n")
    sys.stdout.flush()
"""
WRITER_OF_COMMANDS = """
import random, sys
from pathlib import Path
from web.app import create_app
from web.journal.journal import Journal
from web.table.live_table import LiveTable
from web.hosted_tables import AppContext
table, chance = LiveTable(Journal(Path(sys.argv[1]))), random.Random(3)
table.open("hand", "nine_mens_morris", {})
page, n = create_app(AppContext(table)).test_client(), 0
while n < int(sys.argv[2]):
    game = page.get("/api/state").get_json()["game"]
    act = {"act": chance.choice(game["acts"] or [{"text": "d6"}])["text"]}
    correct = {"point": chance.choice(game["points"]), "top": chance.choice((0, 1, 2))}
    commands = [("act", act)] * 5 + [("correct", correct), ("take-back", {}), ("redo", {}), ("put-back", {})]
    commands += [("names", {"names": ["Anna", str(n)]})]
    path, body = ("again", {"game": game["id"]}) if game["outcome"] else chance.choice(commands)
    seen = {"game": game["id"], "seq": game["seq"]}
    answer = page.post(f"/api/{path}", json={**body, "seen": seen, "key": str(chance.random())})
    if answer.status_code == 200:
        n += 1
        sys.stdout.write(f"{answer.get_json()['seq']}\\n")
        sys.stdout.flush()
"""
_CALL = re.compile(rb"^\d+ +(\w+)\((?:(\d+)<((?:\\x[0-9a-f]{2})*)>)?(.*)\) += (-?\d+)")
_BYTES = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True)
class Act:
    """Something asked of the system: a write, a truncation, a sync, an unlink of a file, or an acknowledgement."""

    kind: str
    file: str = ""
    at: int = 0
    data: bytes = b""
    ack: int = 0


@dataclass
class Disk:
    """A file as it is on the disk for certain, and what is on its way there."""

    kept: bytearray = field(default_factory=bytearray)
    waiting: list[Act] = field(default_factory=list)

    def sync(self) -> None:
        for act in self.waiting:
            _do(self.kept, act)
        self.waiting.clear()

    def after_cut(self, rng: random.Random) -> bytes:
        """What is found after the power came back."""
        content = bytearray(self.kept)
        how = rng.random()
        for act in self.waiting:
            if how < 0.25 or (how < 0.85 and rng.random() < 0.5):
                continue  # all of it is gone, or just this one
            if act.kind == "write" and rng.random() < 0.3:
                whole = rng.randrange(len(act.data) // SECTOR + 1) * SECTOR
                act = Act("write", act.file, act.at, act.data[:whole])
            _do(content, act)
        return bytes(content)


def _do(content: bytearray, act: Act) -> None:
    if act.kind == "truncate":
        del content[act.at :]
        content.extend(b"\0" * (act.at - len(content)))
    else:
        content.extend(b"\0" * (act.at - len(content)))
        content[act.at : act.at + len(act.data)] = act.data


def record(folder: Path, n: int, writer: str = WRITER) -> list[Act]:
    """Have a writer append ``n`` records, or carry out so many commands, and list what it asked of the system."""
    trace, journal = folder / "trace", folder / "journal.sqlite"
    calls = "trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink"
    words = ["strace", "-f", "-y", "-xx", "-s", "300000", "-e", calls, "-o", str(trace)]
    words += [sys.executable, "-c", writer, str(journal), str(n)]
    subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, timeout=120)
    return [act for line in trace.read_bytes().splitlines() if (act := _act(line, str(folder))) is not None]


def _act(line: bytes, folder: str) -> Act | None:
    call = _CALL.match(line)
    if call is None or call[5].startswith(b"-"):
        return None
    name, number, place, rest = call[1].decode(), call[2], _plain(call[3] or b"").decode(), call[4]
    if name == "write" and number == b"1":
        said = _BYTES.search(rest)
        return Act("ack", ack=int(_plain(said[1]))) if said is not None and _plain(said[1]).strip() else None
    if name == "unlink":
        said = _BYTES.search(rest)
        place = _plain(said[1]).decode() if said is not None else ""
    if not place.startswith(folder) or place.endswith(("-shm", "/trace")):
        return None  # the shared memory beside a log is made anew
    file = Path(place).name
    if name == "pwrite64":
        said = _BYTES.search(rest)
        assert said is not None
        return Act("write", file, int(rest.rsplit(b",", 1)[1]), _plain(said[1]))
    if name == "ftruncate":
        return Act("truncate", file, int(rest.rsplit(b",", 1)[1]))
    return Act("unlink" if name == "unlink" else "sync", file)


def _plain(text: bytes) -> bytes:
    return bytes.fromhex(text.replace(b"\\x", b"").decode())


def rows_of(path: Path) -> list[Row]:
    """Every record of a journal, in order; none where it was never begun."""
    database = sqlite3.connect(path)
    try:
        if database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'event'").fetchone() == (0,):
            return []
        if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("damaged")
        return database.execute("SELECT seq, game, kind, ply, body FROM event ORDER BY seq").fetchall()
    finally:
        database.close()


def cut(acts: list[Act], at: int, rng: random.Random, folder: Path) -> tuple[set[int], list[Row] | None]:
    """Cut the power after ``at`` acts: what had been acknowledged, and what is found (None: a damaged file)."""
    disks: dict[str, Disk] = {}
    acked: set[int] = set()
    for act in acts[:at]:
        disk = disks.setdefault(act.file, Disk())
        if act.kind == "ack":
            acked.add(act.ack)
        elif act.kind == "sync":
            disk.sync()
        elif act.kind == "unlink":
            disks.pop(act.file)
        else:
            disk.waiting.append(act)
    for old in folder.iterdir():
        old.unlink()
    for name, disk in disks.items():
        if name:
            (folder / name).write_bytes(disk.after_cut(rng))
    if not (folder / "journal.sqlite").exists():
        return acked, []
    try:
        return acked, rows_of(folder / "journal.sqlite")
    except sqlite3.DatabaseError:
        return acked, None


def many_cuts(acts: list[Act], written: list[Row], n: int, folder: Path, seed: int = 1) -> tuple[int, int]:
    """How many of ``n`` cuts lost something acknowledged, and how many left other records than were written."""
    rng = random.Random(seed)
    n_lost = n_damaged = 0
    for _ in range(n):
        acked, found = cut(acts, rng.randrange(1, len(acts) + 1), rng, folder)
        if found is None or found != written[: len(found)]:
            n_damaged += 1
        elif not acked <= {row[0] for row in found}:
            n_lost += 1
    return n_lost, n_damaged
