"""Processor time of what watches: its start, up to the first look, and a whole film beside decoding it alone.

    python -m tools.benchmarks.bench_watch [FILE] --game millchen --repetitions 7

A start is told beside Python that loads OpenCV and numpy and no more, in the same run and alternately, as medians. Byte
code is kept between the runs, as it is where the program is installed; without, each start would compile every file
again. Everything runs in one thread. Without FILE the film is the demo of nine men's morris.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from tools.benchmarks.shared_measures import ROOT, processor_s
from web.table.source_names import find_demo

IMPORT = "import os, sys, cv2, numpy; cv2.setNumThreads(1)"
WATCH = """import os, sys
import millchen, calibration.commands.watch as watch
sys.argv = ["millchen", "watch", sys.argv[1], "--game", sys.argv[2], "--json"]
step = watch.step
def first_step(*given):
    done = step(*given)
    if UNTIL: os._exit(0)
    return done
watch.step = first_step
millchen.main()
"""
STARTS = {
    "Python with OpenCV and numpy": f"{IMPORT}; os._exit(0)",
    "watch, to its first frame": WATCH.replace("UNTIL", "True"),
    "watch, to the board that it has found": WATCH.replace("UNTIL", "done[0].sight != 'searching'"),
}
DECODE = f"""{IMPORT}
film, n = cv2.VideoCapture(sys.argv[1]), 0
while film.read()[0]:
    n += 1
print(n)
"""


def main() -> None:
    """Print what a start costs, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=find_demo().video)
    parser.add_argument("--game", default="millchen")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    film, took = str(given.file.resolve()), {what: [] for what in STARTS}
    with tempfile.TemporaryDirectory() as bytecode:
        kept = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": bytecode}
        spent = partial(processor_s, **kept)
        for k in range(given.repetitions + 1):
            for what, code in STARTS.items():
                spent_s, _ = spent([sys.executable, "-c", code, film, given.game])
                took[what] += [spent_s] * (k > 0)  # the first start compiles
        ready_s, _ = spent([sys.executable, "-c", f"{IMPORT}; import calibration.commands.watch"])
        decode_s, frames = spent([sys.executable, "-c", DECODE, film])
        watch_s, said = spent([sys.executable, "millchen.py", "watch", film, "--game", given.game, "--json"])
    bare_s, *_ = (median(times) for times in took.values())
    for what, times in took.items():
        print(f"{what}: {median(times):.2f} s of the processor, {median(times) / bare_s:.1f} times the libraries alone")
    print(f"{int(frames)} frames, {len(said.splitlines())} events; decoding them {decode_s - bare_s:.2f} s alone")
    ratio, whole = (watch_s - ready_s) / (decode_s - bare_s), watch_s / decode_s
    print(f"watching is {ratio:.2f} times that, {watch_s:.2f} s; start-up included {whole:.2f}")


if __name__ == "__main__":
    main()
