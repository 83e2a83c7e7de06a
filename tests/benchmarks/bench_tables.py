"""Whether four tables at ten pictures a second fit on two cores: pictures that are dropped, and the processor's share.

    python -m tests.benchmarks.bench_tables [seconds]             # from the processor's time of each picture
    python -m tests.benchmarks.bench_tables --live [seconds]      # four processes, four cameras: for a quiet machine

Each table is a bundled demo as JPEGs of 1280 x 720, looked at by the eyes as they are. A picture is dropped when the
next one comes before it was fetched. What is dropped while a board is searched for is counted apart: nothing is played
before it is found. The first way measures each picture alone and lays them onto the cores by arithmetic, at the pace
of the moment and at that of quiet cores, so that a busy machine may be asked; the second one also has a process that
fetches pictures and looks at none, to tell whether the machine was quiet enough.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

import cv2
import numpy as np

from referee.events import BoardFound
from vision.capture.sources import LiveCamera
from vision.imaging.frame import Frame, JpegPicture
from vision.watching.state import State, Step, Table
from web.game.replay import start_record_body
from web.journal.journal_record import JournalRecord
from web.table import vision_process
from web.table.source_names import find_demo
from web.table.vision_messages import FrameResult, VisionFailed, VisionJob

TABLES = ("millchen", "moulin_rouge", "trialectic", "roman_mill")
SIZE_PX = 1280, 720
FPS = 10
CORES = 2
QUIET_DECODING_MS = 3.6
"""Processor time for decoding one picture on quiet cores. Source: measured, at a load of 1.4 on two slow ones."""

HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"
PART = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n"


def pictures(game: str, n: int) -> list[bytes]:
    """The JPEGs of a demo; where it is over its last picture stays."""
    film, data = cv2.VideoCapture(str(find_demo(f"demo:{game}").video)), list[bytes]()
    while len(data) < n and film.grab():
        bgr = cv2.resize(np.asarray(film.retrieve()[1]), SIZE_PX, interpolation=cv2.INTER_CUBIC)
        data.append(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes())
    return data + data[-1:] * (n - len(data))


def job(game: str, source: str) -> VisionJob:
    """A game that begins now."""
    start = JournalRecord(1, 1, "start", None, start_record_body(game, {}, "demo"), "", "hand")
    return VisionJob(source, (start,))


class Measured:
    """A source whose pictures are fetched when the last one is done, and the processor's time of each, ms."""

    fps, n_frames, is_photo_series = FPS, None, False

    def __init__(self, data: Sequence[bytes]) -> None:
        self._data = data
        self.spent_ms: list[float] = []

    def __enter__(self) -> Measured:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Frame]:
        for k, data in enumerate(self._data):
            began = time.process_time()
            yield Frame(JpegPicture(data), k / FPS, k)
            self.spent_ms.append(1000 * (time.process_time() - began))


class Heard:
    """The page's end of the pipe: keeps the results."""

    def __init__(self) -> None:
        self.results: list[FrameResult] = []

    def poll(self) -> bool:
        return False

    def send(self, message: object) -> None:
        if isinstance(message, VisionFailed):
            raise SystemExit(message.trace)
        if isinstance(message, FrameResult):
            self.results.append(message)


def look_alone(game: str, n: int) -> tuple[list[float], int, int]:
    """Milliseconds of the processor for each picture of a table; the picture of its board; the number of events."""
    source, heard = Measured(pictures(game, n)), Heard()
    vision_process.open_source = lambda *_, **__: source  # type: ignore[attr-defined, assignment]
    vision_process.run_vision(heard, job(game, ""))  # type: ignore[arg-type]
    events = [event for result in heard.results for event in result.events]
    found = next((event.frame for event in events if isinstance(event, BoardFound)), n)
    return source.spent_ms, found, len(events)


def lay_onto_cores(costs_ms: Sequence[Sequence[float]], found: Sequence[int]) -> list[tuple[int, int]]:
    """Pictures that each table drops while it searches and afterwards, when all have the same cores.

    The pictures of the tables come at times as different as can be. Who is busy gets the same share of the cores.
    """
    interval_ms = 1000 // FPS
    n_tables, n = len(costs_ms), len(costs_ms[0])
    left, looks_at, waiting = [0.0] * n_tables, [-1] * n_tables, [-1] * n_tables
    dropped = [[0, 0] for _ in costs_ms]
    for now_ms in range(interval_ms * (n + 1)):
        for table in range(n_tables):
            number, since = divmod(now_ms - table * interval_ms // n_tables, interval_ms)
            if since == 0 and 0 <= number < n:
                if waiting[table] >= 0:
                    dropped[table][looks_at[table] > found[table]] += 1
                waiting[table] = number
            if left[table] <= 0 and waiting[table] >= 0:
                looks_at[table], waiting[table] = waiting[table], -1
                left[table] += costs_ms[table][looks_at[table]]
        busy = [table for table in range(n_tables) if left[table] > 0]
        for table in busy:
            left[table] -= min(1.0, CORES / len(busy))
    return [(searching, afterwards) for searching, afterwards in dropped]


def reckon(n: int) -> None:
    """Print what the tables would drop together, from what each costs alone."""
    cv2.setNumThreads(1)
    decoding = pictures(TABLES[0], 30)
    began = time.process_time()
    for data in decoding:
        cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    decode_ms = 1000 * (time.process_time() - began) / len(decoding)
    alone = {game: look_alone(game, n) for game in TABLES}
    founds = [found for _, found, _ in alone.values()]
    now = lay_onto_cores([costs for costs, _, _ in alone.values()], founds)
    pace = QUIET_DECODING_MS / decode_ms
    quiet = lay_onto_cores([[pace * ms for ms in costs] for costs, _, _ in alone.values()], founds)
    total_ms = 0.0
    for k, (game, (costs, found, n_events)) in enumerate(alone.items()):
        total_ms += sum(costs[found + 1 :])
        print(
            f"{game:13} {len(costs)} pictures, {quiet[k][1]} dropped at the quiet pace ({now[k][1]} at this one) and "
            f"{quiet[k][0]} ({now[k][0]}) while its board was searched; {n_events} events; a picture "
            f"{np.mean(costs[found + 1 :]) / decode_ms:.2f} decodings, the board {costs[found] / decode_ms:.0f}, the "
            f"slowest after it {max(costs[found + 1 :]) / decode_ms:.0f}"
        )
    share = total_ms / sum(1000 / FPS * len(costs[found + 1 :]) for costs, found, _ in alone.values()) * len(TABLES)
    print(
        f"four tables: {pace * share / CORES:.0%} of {CORES} cores at the quiet pace ({share / CORES:.0%} now); "
        f"one decoding is {QUIET_DECODING_MS:.1f} ms ({decode_ms:.1f} ms)"
    )


class Camera(threading.Thread):
    """Serves pictures to one caller, each at its time."""

    def __init__(self, data: Sequence[bytes]) -> None:
        super().__init__(daemon=True)
        self._data = data
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"

    def run(self) -> None:
        caller, _ = self._socket.accept()
        with caller:
            caller.recv(4096)
            caller.sendall(HEAD)
            began = time.monotonic()
            for k, data in enumerate(self._data):
                time.sleep(max(0.0, began + k / FPS - time.monotonic()))
                caller.sendall(PART % (len(data), data))


def see(pipe: Connection, given: VisionJob) -> None:
    """The eyes as they are; at the end they say what they took and dropped, and their processor time."""
    cv2.setNumThreads(1)
    opened: list[Any] = []
    before: list[tuple[int, float]] = []  # drops and processor time until the board was there
    open_source, step = vision_process.open_source, vision_process.step

    def noting_open_source(*words: Any, **named: Any) -> Any:
        opened.append(open_source(*words, **named))
        return opened[0]

    def noting_step(state: State, frame: Frame, table: Table) -> Step:
        if state.reference is not None and not before:
            before.append((opened[0].n_dropped, time.process_time()))
        return step(state, frame, table)

    vision_process.open_source = noting_open_source  # type: ignore[attr-defined]
    vision_process.step = noting_step  # type: ignore[attr-defined]
    vision_process.run_vision(pipe, given)
    (searching, searched_s), source = before[0], opened[0]
    pipe.send((source.n_taken, source.n_dropped - searching, searching, time.process_time() - searched_s))


def fetch(pipe: Connection, address: str) -> None:
    """Fetch pictures and look at none."""
    with LiveCamera(address) as camera:
        for _ in camera:
            pass
        pipe.send((camera.n_taken, camera.n_dropped, 0, time.process_time()))


def live(n: int) -> None:
    """Run the tables together and print what each dropped and cost."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    cameras = {game: Camera(pictures(game, n)) for game in TABLES}
    cameras["no eyes"] = Camera(pictures(TABLES[0], n))
    context = multiprocessing.get_context("spawn")
    pipes: dict[str, Connection] = {}
    for name, camera in cameras.items():
        camera.start()
        pipes[name], theirs = context.Pipe()
        if name in TABLES:
            context.Process(target=see, args=(theirs, job(name, camera.address)), daemon=True).start()
        else:
            context.Process(target=fetch, args=(theirs, camera.address), daemon=True).start()
    told: dict[str, tuple[int, int, int, float]] = {}
    while len(told) < len(cameras):
        for name, pipe in pipes.items():
            while name not in told and pipe.poll(0.02):
                message = pipe.recv()
                if isinstance(message, VisionFailed):
                    raise SystemExit(message.trace)
                if isinstance(message, tuple):
                    told[name] = message
    for name, (taken, dropped, searching, spent_s) in told.items():
        print(
            f"{name:13} {taken} pictures, {dropped} dropped and {searching} while its board was searched; "
            f"{spent_s / (n / FPS):.0%} of a core afterwards"
        )


def main() -> None:
    """Reckon, or let them live."""
    words = [word for word in sys.argv[1:] if word != "--live"]
    (live if "--live" in sys.argv else reckon)(round(FPS * float(words[0] if words else 60)))


if __name__ == "__main__":
    main()
