"""What watching a video file costs beside decoding it alone: processor time of two processes, one thread each.

    python -m tests.benchmarks.bench_watch FILE --game millchen

Start-up is measured as well, and told apart: a short film is mostly that.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.benchmarks.frame import processor_s

IMPORT = "import cv2; cv2.setNumThreads(1)"
DECODE = f"""{IMPORT}
import sys
film, n = cv2.VideoCapture(sys.argv[1]), 0
while film.read()[0]:
    n += 1
print(n)
"""


def main() -> None:
    """Print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--game", default="millchen")
    given = parser.parse_args()
    film, python = str(given.file.resolve()), sys.executable
    start_s, _ = processor_s([python, "-c", IMPORT])
    ready_s, _ = processor_s([python, "-c", f"{IMPORT}; import vision.commands.watch"])
    decode_s, frames = processor_s([python, "-c", DECODE, film])
    watch_s, said = processor_s([python, "millchen.py", "watch", film, "--game", given.game, "--json"])
    alone_s = decode_s - start_s
    print(f"{int(frames)} frames, {len(said.splitlines())} events")
    print(f"decoding alone {alone_s:.2f} s; watching {watch_s:.2f} s, of that start-up {ready_s:.2f} s")
    ratio, whole = (watch_s - ready_s) / alone_s, watch_s / decode_s
    print(f"watching is {ratio:.2f} times decoding alone; start-up included {whole:.2f}")


if __name__ == "__main__":
    main()
