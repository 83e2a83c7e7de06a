"""Recording what is seen, and comparing it. Nothing here knows the project's names."""

import gzip
import json
import math
import multiprocessing
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.golden import extract
from tests.golden.films import FILMS, PHOTOGRAPHS

DATA = Path(__file__).parent / "data" / "drawn.json.gz"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

TOLERANCE = 1e-3
"""Difference of two numbers (nats, px, shares of 1) that is none: networks answer to some 1e-6, by processor."""

Record = Any
"""Of a film a list of frames, each only with what changed; of a photograph a dict. Nothing but what JSON keeps."""


@dataclass(frozen=True)
class Task:
    """A film or photograph to be shown: "films" or "photographs", and its name."""

    kind: str
    name: str


@dataclass(frozen=True)
class Shown:
    """What came of a task: its record, seconds, and why it failed if it did."""

    task: Task
    record: Record
    seconds: float
    failed: str = ""


def made_with() -> dict[str, str]:
    """The versions on which digits depend."""
    return {
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": cv2.getCPUFeaturesLine(),
    }


def tasks_for(*, quick: bool = False, only: str = "") -> list[Task]:
    """What is to be shown: everything, the quick subset, or what has ``only`` in its name.

    Raises:
        ValueError: With one sentence, when nothing bears the name.
    """
    found = [Task(kind, one.name) for kind, some in (("films", FILMS), ("photographs", PHOTOGRAPHS))
             for one in some if only in one.name and (one.quick or not quick)]  # fmt: skip
    if not found:
        raise ValueError(f"nothing has {only!r} in its name")
    return found


def show_all(tasks: Iterable[Task], jobs: int) -> Iterator[Shown]:
    """Show them in ``jobs`` processes, in the order given. Each process computes with one thread."""
    for name in ONE_THREAD:  # numpy reads them when a process starts
        os.environ[name] = "1"
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(show, tasks, chunksize=1)


def show(task: Task) -> Shown:
    """Show one film or photograph to the project."""
    cv2.setNumThreads(1)
    cv2.ocl.setUseOpenCL(False)
    cv2.setRNGSeed(0)  # whatever was shown before in this process
    began = time.perf_counter()
    try:
        if task.kind == "films":
            seen = list(extract.watch_film(next(film for film in FILMS if film.name == task.name)))
        else:
            seen = extract.read_photograph(next(photo for photo in PHOTOGRAPHS if photo.name == task.name))
    except Exception as why:  # a restructuring may break anything; the others are still compared
        return Shown(task, None, time.perf_counter() - began, f"{type(why).__name__}: {why}")
    seconds = time.perf_counter() - began
    seen = json.loads(json.dumps(seen))  # exactly: a float is written with as many digits as it needs
    return Shown(task, _only_changes(seen) if task.kind == "films" else seen, seconds)


def _only_changes(seen: list[extract.Seen]) -> list[extract.Seen]:
    kept, before = [], extract.Seen(events=[])
    for frame in seen:
        kept.append({key: value for key, value in frame.items() if key not in before or before[key] != value})
        before = {**frame, "events": []}
    return kept


def _whole(changes: list[extract.Seen]) -> list[extract.Seen]:
    frames, before = [], extract.Seen()
    for change in changes:
        before = {**before, "events": [], **change}
        frames.append(before)
    return frames


def difference(shown: Shown, kept: Record | None) -> str:
    """How what was shown differs from what was recorded; nothing when it does not."""
    if shown.failed or kept is None:
        return shown.failed or "was not recorded"
    if shown.task.kind != "films":
        return _difference("", kept, shown.record).strip()
    found = first_difference(kept, shown.record)
    return found and f"{found}, {'events equal' if _events(kept) == _events(shown.record) else 'events differ'}"


def first_difference(kept: list[extract.Seen], now: list[extract.Seen]) -> str:
    """Where two records of a film differ first: "frame 17 posterior[0] 0.99 != 0.98"."""
    before, after = _whole(kept), _whole(now)
    for one, other in zip(before, after, strict=False):
        found = _difference("", one, other)
        if found:
            return f"frame {one['frame']}{found}"
    return "" if len(before) == len(after) else f"{len(before)} frames != {len(after)} frames"


def _events(changes: list[extract.Seen]) -> list[tuple[int, dict[str, Any]]]:
    """The events of a film without how sure the referee was and where points lie: those follow every digit."""
    return [
        (change["frame"], {k: v for k, v in event.items() if k != "confidence" and not isinstance(v, dict)})
        for change in changes
        for event in change.get("events", [])
    ]


def _difference(where: str, kept: Any, now: Any) -> str:
    if type(kept) is not type(now):
        return f"{where} {kept!r} != {now!r}"
    if isinstance(kept, dict):
        for key in [*kept, *(key for key in now if key not in kept)]:
            if key not in kept or key not in now:
                return f"{where} {key} is {'new' if key in now else 'gone'}"
            found = _difference(f"{where} {key}", kept[key], now[key])
            if found:
                return found
        return ""
    if isinstance(kept, list):
        for i, (one, other) in enumerate(zip(kept, now, strict=False)):
            found = _difference(f"{where}[{i}]", one, other)
            if found:
                return found
        return "" if len(kept) == len(now) else f"{where} {len(kept)} entries != {len(now)}"
    alike = isinstance(kept, float) and math.isclose(kept, now, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return "" if alike or repr(kept) == repr(now) else f"{where} {kept!r} != {now!r}"  # nan is nan


def write(records: Mapping[str, Mapping[str, Record]]) -> int:
    """Keep the records; the size of their file in bytes. The same records give the same bytes."""
    text = json.dumps({"made_with": made_with(), "sets": records}, separators=(",", ":"), sort_keys=True)
    return DATA.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def kept() -> dict[str, Any]:
    """What was recorded: ``made_with`` the versions, ``sets`` the records by kind and name."""
    return dict(json.loads(gzip.decompress(DATA.read_bytes())))
