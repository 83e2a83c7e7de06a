"""Recording what is seen, and comparing it. Nothing here knows the project's names."""

import gzip
import json
import math
import multiprocessing
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.golden import extract, rendered
from tests.golden.films import FILMS, PHOTOGRAPHS

DATA = Path(__file__).parent / "data"
FILM_SETS = ("films", "clips", "hands")
DRAWN = ("films", "photographs")
FILES = {"drawn": DRAWN, "clips": ("clips",), "stills": ("stills", "stills_empty"), "photos": ("photos", "hands")}
"""The files in ``data``, and the sets in each."""

WORDS = {
    "films": "drawn films", "photographs": "drawn photographs", "clips": "rendered films",
    "hands": "film of real hands", "stills": "stills", "stills_empty": "stills beside the empty board",
    "photos": "real photographs",
}  # fmt: skip
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

TOLERANCE = 1e-3
"""Difference of two numbers (nats, px, shares of 1) that is none: networks answer to some 1e-6, by processor."""

Record = Any
"""Of a film a list of frames, each only with what changed; of a photograph a dict. Nothing but what JSON keeps."""


@dataclass(frozen=True)
class Task:
    """One film or photograph to be shown: its set, its name, and the folder of scenes where it lies in one."""

    kind: str
    name: str
    scenes: Path | None = None


@dataclass(frozen=True)
class Shown:
    """What came of a task: its record, how many frames and events it had, seconds, and why it failed if it did."""

    task: Task
    record: Record
    n_frames: int
    n_events: int
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


def tasks_for(
    scenes: Path | None = None,
    *,
    quick: bool = False,
    only: str = "",
    files: Sequence[str] = tuple(FILES),
    most: int = 0,
) -> list[Task]:
    """What is to be shown, films first.

    ``quick`` chooses the quick subset, ``only`` what has this in its name, ``files`` what belongs to these files,
    ``most`` so many of each rendered set, spread over it (0: all).

    Raises:
        ValueError: With one sentence, when nothing bears the name or the folder is no folder of scenes.
    """
    found = [Task("films", film.name) for film in FILMS if film.quick or not quick]
    found += [Task("photographs", photo.name) for photo in PHOTOGRAPHS if photo.quick or not quick]
    if scenes is not None:
        for kind, names in rendered.names_in(scenes).items():
            every = -(-len(names) // most) if most else 1
            found += [Task(kind, name, scenes) for name in names[::every]]
    chosen = [task for task in found if only in task.name and file_of(task.kind) in files]
    if not chosen:
        where = "" if scenes is not None else ", without --scenes"
        raise ValueError(f"nothing in {', '.join(files)} has {only!r} in its name{where}")
    return sorted(chosen, key=lambda task: task.kind not in FILM_SETS)


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
        seen = list(_seen(task))
    except Exception as why:  # a restructuring may break anything; the others are still compared
        return Shown(task, None, 0, 0, time.perf_counter() - began, f"{type(why).__name__}: {why}")
    seconds = time.perf_counter() - began
    seen = json.loads(json.dumps(seen))  # exactly: a float is written with as many digits as it needs
    if task.kind not in FILM_SETS:
        return Shown(task, seen[0], 1, 0, seconds)
    return Shown(task, _only_changes(seen), len(seen), sum(len(frame["events"]) for frame in seen), seconds)


def _seen(task: Task) -> Iterator[extract.Seen]:
    if task.kind == "films":
        yield from extract.watch_film(next(film for film in FILMS if film.name == task.name))
    elif task.kind == "photographs":
        recipe = next(photo for photo in PHOTOGRAPHS if photo.name == task.name)
        bgr, empty_bgr = extract.draw_photograph(recipe)
        yield extract.read_photograph(bgr, empty_bgr, recipe.board if recipe.told else None)
    else:
        assert task.scenes is not None
        yield from rendered.show(task.scenes, task.kind, task.name)


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


def first_difference(task: Task, kept: Record, now: Record) -> str:
    """Where two records differ first: "frame 17 posterior[0] 0.99 != 0.98"; nothing when they are equal."""
    if task.kind not in FILM_SETS:
        return _difference("", kept, now)
    before, after = _whole(kept), _whole(now)
    for one, other in zip(before, after, strict=False):
        found = _difference("", one, other)
        if found:
            return f"frame {one['frame']}{found}"
    return "" if len(before) == len(after) else f"{len(before)} frames != {len(after)} frames"


def events_equal(kept: Record, now: Record) -> bool:
    """Whether two records of a film tell the same events in the same frames.

    How sure the referee was (``confidence``) and where the points of a found board lie in the picture may differ: they
    follow every digit of what is seen.
    """
    return _events(kept) == _events(now)


def _events(changes: list[extract.Seen]) -> list[tuple[int, dict[str, Any]]]:
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


def write(file: str, records: Mapping[str, Mapping[str, Record]]) -> int:
    """Keep sets of records in a file of ``data``; its size in bytes. The same records give the same bytes."""
    DATA.mkdir(exist_ok=True)
    text = json.dumps({"made_with": made_with(), "sets": records}, separators=(",", ":"), sort_keys=True)
    packed = gzip.compress(text.encode(), 9, mtime=0)
    (DATA / f"{file}.json.gz").write_bytes(packed)
    return len(packed)


def kept(file: str) -> tuple[dict[str, str], dict[str, dict[str, Record]]]:
    """The versions and the sets of records that a file of ``data`` keeps.

    Raises:
        ValueError: With one sentence, when nothing was recorded there.
    """
    path = DATA / f"{file}.json.gz"
    if not path.exists():
        raise ValueError(f"tests/golden/data/{path.name} is not there: record it first")
    whole = json.loads(gzip.decompress(path.read_bytes()))
    return whole["made_with"], whole["sets"]


def file_of(kind: str) -> str:
    """The file of ``data`` that keeps a set."""
    return next(file for file, kinds in FILES.items() if kind in kinds)


def counted(shown: Iterable[Shown]) -> str:
    """How much was shown: "20 drawn films (3000 frames, 150 events), 21 drawn photographs"."""
    everything, parts = list(shown), []
    for kind in (kind for kinds in FILES.values() for kind in kinds):
        of_kind = [one for one in everything if one.task.kind == kind]
        if of_kind:
            frames, events = sum(s.n_frames for s in of_kind), sum(s.n_events for s in of_kind)
            detail = f" ({frames} frames, {events} events)" if kind in FILM_SETS else ""
            parts.append(f"{len(of_kind)} {WORDS[kind]}{detail}")
    return ", ".join(parts)
