"""Eyes that die at what they are given, by the name of their film: stand-ins for a bug that nobody knows yet."""

import os
import time
from multiprocessing.connection import Connection
from pathlib import Path

from tests.web.scripted_eyes import look
from web.table.vision_messages import CrashCause, CrashRiskNotice, SourceEnded, VisionFailed, VisionJob


def die_at(pipe: Connection, job: VisionJob) -> None:
    """See what the film shows, unless there is something that kills."""
    deadly = Path(job.source).stem
    with Path(f"{job.source}.starts").open("a", encoding="utf-8") as starts:
        starts.write(f"{time.monotonic()}\n")
    if deadly == "game":
        pipe.send(CrashRiskNotice(CrashCause.GAME))
        pipe.send(VisionFailed("ValueError: no such position", "a trace"))
        return
    if deadly == "killed":
        pipe.send(CrashRiskNotice(CrashCause.GAME))
        _die(pipe, n_times=3, job=job)
    pipe.send(CrashRiskNotice(CrashCause.SOURCE))
    if deadly == "source":
        _die(pipe)
    if deadly == "unplugged":
        pipe.send(SourceEnded("the camera does not answer", is_over=False))
        return
    if deadly == "corners" and job.corners is not None:
        pipe.send(CrashRiskNotice(CrashCause.CORNERS))
        _die(pipe)
    if deadly == "known" and job.known_tables:
        pipe.send(CrashRiskNotice(CrashCause.KNOWN_TABLES))
        _die(pipe)
    pipe.send(CrashRiskNotice(None))
    look(pipe, job)


def _die(pipe: Connection, n_times: int | None = None, job: VisionJob | None = None) -> None:
    if n_times is None or (job is not None and n_starts(job.source) <= n_times):
        pipe.close()
        os.kill(os.getpid(), 11)


def n_starts(source: str | Path) -> int:
    """How often eyes were started for a film."""
    starts = Path(f"{source}.starts")
    return len(starts.read_text(encoding="utf-8").splitlines()) if starts.exists() else 0
