"""Processor time from the start of a process to its first look: of `watch`, and of the eyes of a page.

    python -m tests.benchmarks.bench_start [repetitions]

Told beside Python that loads OpenCV and numpy and no more, in the same run and alternately, as medians. Byte code is
kept between the runs, as it is where the program is installed; without, each start would compile every file again.
"""

from __future__ import annotations

import sys
import tempfile
from statistics import median

from tests.benchmarks.frame import ROOT, processor_s
from web.table.source_names import find_demo

END = "os._exit(0)"
LIBRARIES = f"import os, sys, cv2, numpy; {END}"
WATCH = """import os, sys
import millchen, vision.commands.watch as watch
sys.argv = ["millchen", "watch", sys.argv[1], "--game", "millchen", "--json"]
step = watch.step
def first_step(*given):
    done = step(*given)
    if UNTIL: END
    return done
watch.step = first_step
millchen.main()
""".replace("END", END)
EYES = f"""import os, sys
import millchen, web.table.vision_process as eyes
from web.game.replay import start_record_body
from web.journal.journal_record import JournalRecord
from web.table.vision_messages import FrameResult, VisionJob
class Pipe:
    def poll(self): return False
    def send(self, message):
        if isinstance(message, FrameResult): {END}
begin = JournalRecord(1, 1, "start", None, start_record_body("millchen", {{}}, "demo"), "", "hand")
eyes.run_vision(Pipe(), VisionJob(sys.argv[1], (begin,), is_film=True))
"""
STARTS = {
    "Python with OpenCV and numpy": LIBRARIES,
    "watch, to its first frame": WATCH.replace("UNTIL", "True"),
    "watch, to the board that it has found": WATCH.replace("UNTIL", "done[0].reference is not None"),
    "the eyes of a page, to their first result": EYES,
}


def main() -> None:
    """Print the table."""
    film, n = find_demo().video, int(sys.argv[1]) if len(sys.argv) > 1 else 7
    kept = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}
    took: dict[str, list[float]] = {what: [] for what in STARTS}
    with tempfile.TemporaryDirectory() as bytecode:
        for k in range(n + 1):
            for what, code in STARTS.items():
                spent_s, _ = processor_s([sys.executable, "-c", code, str(film)], **kept, PYTHONPYCACHEPREFIX=bytecode)
                took[what] += [spent_s] * (k > 0)  # the first start compiles
    (bare_s, *_) = (median(times) for times in took.values())
    for what, times in took.items():
        print(f"{what}: {median(times):.2f} s of the processor, {median(times) / bare_s:.1f} times the libraries alone")


if __name__ == "__main__":
    main()
