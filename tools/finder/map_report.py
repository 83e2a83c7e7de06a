"""What the network of maps sees in pictures that it was not trained on.

    python tools/finder/map_report.py MADE/board_maps.onnx --tables 1000000 1000060 [--stills FOLDER ...] [--sheet PNG]

The tables are those of ``map_lessons.py``, each number with three views; a folder holds pictures with the places of
their points beside them (``NAME.json``). Printed is which share of the true places has a peak within 0.08, 0.15 and 0.3
of the distance to the next one, and which share of the peaks lies within 0.3 of one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from map_lessons import lessons_of  # noqa: E402

from vision.imaging.frame import Float64Array, Image  # noqa: E402
from vision.imaging.homography import apply_homography, spacings  # noqa: E402
from vision.networks import heat_maps  # noqa: E402
from vision.networks.heat_maps import MAPS, N_PROBABILITIES, SEEN_PX, letterbox, look, peaks_of, seen_part  # noqa: E402

SURE = 0.3
"""Probability from which a peak is one."""

NEAR = (0.08, 0.15, 0.3)
"""Distances, spacings."""


@dataclass
class Count:
    """How many true places and peaks there were, and how many of them were near one another."""

    pictures: int = 0
    places: int = 0
    near: NDArray[np.int_] = field(default_factory=lambda: np.zeros(len(NEAR), int))
    peaks: int = 0
    true_peaks: int = 0

    def add(self, places: Float64Array, peaks: Float64Array) -> None:
        """Count one picture's places (n, 2) and peaks (m, 2), image space."""
        self.pictures += 1
        self.places += len(places)
        self.peaks += len(peaks)
        if len(places) > 1 and len(peaks):
            off = np.linalg.norm(places[:, None] - peaks[None], axis=2) / spacings(places)[:, None]
            self.near += [int((off.min(1) < near).sum()) for near in NEAR]
            self.true_peaks += int((off.min(0) < NEAR[-1]).sum())

    def __str__(self) -> str:
        if not self.places:
            return f"{self.peaks} peaks in {self.pictures} pictures"
        shares = " ".join(f"{100 * n / self.places:5.1f}" for n in self.near)
        right = 100 * self.true_peaks / max(self.peaks, 1)
        return f"recall {shares} % of {self.places}, precision {right:5.1f} % of {self.peaks}, {self.pictures} pictures"


@dataclass(frozen=True, eq=False)
class Case:
    """A picture with its places by map."""

    group: str
    bgr: Image
    places: dict[str, Float64Array]


def drawn(first: int, end: int) -> Iterator[Case]:
    """Views of tables that no lesson shows."""
    for number in range(first, end):
        for one in lessons_of(number):
            bgr = np.asarray(cv2.imdecode(np.frombuffer(one.picture, np.uint8), cv2.IMREAD_COLOR), np.uint8)
            places = {name: getattr(one, name).astype(np.float64) for name in MAPS[:3]}
            yield Case(f"drawn {one.name or 'nothing'}", bgr, places)


def stills(folder: Path) -> Iterator[Case]:
    """The pictures of a folder of rendered stills, with stones and empty."""
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        if "points" in truth:
            points = np.array([point["px"] for point in truth["points"]], np.float64)
            for image in filter(None, (truth["image"], truth.get("empty_image"))):
                bgr = np.asarray(cv2.imread(str(folder / image)), np.uint8)
                yield Case(f"{folder.parent.name} {truth['board']} {truth['style']}", bgr, {"points": points})


def sheet_of(bgr: Image, answer_maps: NDArray[np.float32]) -> Image:
    """A picture beside its maps: joints, strokes and points in colours, stones, cover and board in colours."""
    picture = seen_part(bgr, letterbox((bgr.shape[1], bgr.shape[0])))[0]
    up = [cv2.resize((np.clip(m, 0, 1) * 255).astype(np.uint8), SEEN_PX) for m in answer_maps[:N_PROBABILITIES]]
    joints, points, holes, strokes, stones, board, cover = up
    return np.hstack(
        [picture, np.dstack([points, strokes, joints]), np.dstack([cover, stones, board // 2]), np.dstack([holes] * 3)]
    )


def main() -> None:
    """Look and count."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("weights", type=Path)
    ask.add_argument("--tables", nargs=2, type=int, default=(0, 0), metavar=("FIRST", "END"))
    ask.add_argument("--stills", nargs="*", type=Path, default=[])
    ask.add_argument("--sheet", type=Path, help="a picture of every tenth case beside its maps")
    given = ask.parse_args()
    cv2.setNumThreads(1)
    heat_maps.NETWORK = given.weights
    counts: dict[tuple[str, str], Count] = defaultdict(Count)
    rows = []
    cases: Sequence[Iterator[Case]] = (drawn(*given.tables), *(stills(folder) for folder in given.stills))
    for number, case in enumerate(case for some in cases for case in some):
        maps = look(case.bgr)
        size = np.array(case.bgr.shape[1::-1])
        for name, places in case.places.items():
            peaks = apply_homography(maps.image_from_map, peaks_of(maps[name], SURE)[0])
            here = places[((places >= 0) & (places < size)).all(1)]
            for group in (case.group, case.group.split()[0] + " ALL" if len(places) else "nothing there ALL"):
                if len(places) or "nothing" in group:
                    counts[group, name].add(here, peaks)
        if given.sheet and number % 10 == 0:
            rows.append(sheet_of(case.bgr, maps.told))
    for (group, name), count in sorted(counts.items()):
        print(f"{group:42}{name:8}{count}")
    if rows:
        cv2.imwrite(str(given.sheet), np.vstack(rows))


if __name__ == "__main__":
    main()
