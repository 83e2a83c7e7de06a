"""Boards in the drawings that people make of them: how many are found, of which kind, and how exactly.

python -m tests.simulation.drawings --pictures 200 --seed 101000

Every picture follows from the seed and its number: boards and their drawings in turn, half of the pictures with
stones, a quarter of them hard.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from tests.simulation.play import wilson
from tests.synthetic import Scene, scattered
from tests.synthetic.spec import COMMON_BOARDS
from tests.synthetic.texels import spacings
from tests.synthetic.ways_to_draw import drawings_of, drawn_spec
from vision.detection.detect import locate
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image

BOARDS_OF_LINES = tuple(name for name, board in COMMON_BOARDS.items() if not board.rings)

SAME_DRAWING = frozenset({"tic_tac_toe", "three_mens_morris"})
"""Three in a row on nine points is drawn like three men's morris: no picture can tell them apart."""

HARD, HARD_SHARE = 0.9, 0.25


@dataclass(frozen=True, eq=False)
class DrawnPicture:
    """One picture with its truth.

    Attributes:
        drawing, strokes: Name in ``tests.synthetic.ways_to_draw``, and which of the board's own drawings it is.
        bgr: uint8 array of shape (H, W, 3).
        points_px: float64 array of shape (n_points, 2). Image space.
        tops: 0 for a bare point, else whose stone lies there.
    """

    board: Board
    drawing: str
    strokes: str
    bgr: Image
    points_px: NDArray[np.float64]
    tops: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What was found in one picture: the kind or why there is none, and errors in spacings."""

    board: str
    drawing: str
    answer: str
    found: bool
    kind_right: bool
    confidence: float
    errors: tuple[float, ...]
    seconds: float

    @property
    def right(self) -> bool:
        """Whether the right board was found with every point within half a spacing of its place."""
        return self.kind_right and max(self.errors) < 0.5


def drawn_picture(
    seed: int,
    number: int,
    *,
    boards: Sequence[str] = BOARDS_OF_LINES,
    drawings: Sequence[str] = (),
    size_px: tuple[int, int] = (960, 540),
) -> DrawnPicture:
    """The picture of a number: boards in turn, and of each board its drawings in turn."""
    rng = np.random.default_rng([seed, number])
    board = COMMON_BOARDS[boards[number % len(boards)]]
    names = [name for name in drawings_of(board) if not drawings or name in drawings]
    name = names[(number // len(boards) + seed) % len(names)]
    hardness = HARD if rng.random() < HARD_SHARE else float(rng.uniform(0, 0.6))
    scene = Scene(drawn_spec(rng, board, name, hardness=hardness, size_px=size_px))
    share = float(rng.uniform(0.1, 0.6)) if rng.random() < 0.5 else 0.0
    bgr, truth = scene.render(scattered(rng, len(board.points), 2, share), rng=rng)
    return DrawnPicture(board, name, scene.spec.drawing, bgr, truth.points_px, truth.tops)


def is_kind(found: str, board: str, strokes: str) -> bool:
    """Whether a board that was found is the kind that was drawn."""
    return found == board or (strokes == "lines" and {found, board} == SAME_DRAWING)


def outcome(picture: DrawnPicture, boards: Sequence[Board] | None = None) -> Outcome:
    """Search one picture for boards; None for every kind."""
    start = time.process_time()
    answer = locate(picture.bgr, boards)
    return judged(picture, answer, time.process_time() - start)


def judged(picture: DrawnPicture, answer: Registration | NotRegistered, seconds: float = 0.0) -> Outcome:
    """What was found in a picture beside its truth."""
    if isinstance(answer, NotRegistered):
        return Outcome(picture.board.name, picture.drawing, answer.reason, False, False, 0.0, (np.inf,), seconds)
    field = answer.field
    # discs of another number of holes are another board
    is_right = is_kind(field.board.name, picture.board.name, picture.strokes)
    is_right &= len(field.points_px) == len(picture.tops)
    errors = point_errors(answer, picture.points_px) if is_right else (np.inf,)
    kind = f"{field.board.name} ({field.drawing})"
    return Outcome(picture.board.name, picture.drawing, kind, True, is_right, answer.confidence, errors, seconds)


def point_errors(found: Registration, points_px: NDArray[np.float64]) -> tuple[float, ...]:
    """Distance from each true point to the nearest one found, in units of its spacing; symmetries do not matter."""
    off = np.linalg.norm(points_px[:, None] - found.field.points_px[None], axis=2)
    return tuple(float(x) for x in off.min(1) / spacings(points_px))


def describe(title: str, outcomes: Sequence[Outcome]) -> str:
    """One line of figures about some pictures."""
    n = len(outcomes)
    found, kind = sum(o.found for o in outcomes), sum(o.kind_right for o in outcomes)
    line = f"{title:<18} found {found:3d}/{n:3d} ({wilson(found, n)})  kind {kind:3d}/{found:3d}"
    errors = np.array([e for o in outcomes if o.kind_right for e in o.errors])
    if len(errors):
        line += f"  error median {np.median(errors):.3f} p95 {np.percentile(errors, 95):.3f}"
        line += f"  all points near {sum(o.right for o in outcomes):3d}"
    return line


def main() -> None:
    """Draw, search and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--seed", type=int, required=True)
    given = parser.parse_args()
    outcomes = []
    for number in range(given.pictures):
        outcomes.append(one := outcome(drawn_picture(given.seed, number)))
        words = f"{number:4d} {one.board:<18} {one.drawing:<13} {one.seconds:5.2f} s  {one.answer} {one.confidence:.3f}"
        print(words + ("" if one.right else "  <-"), flush=True)
    print(describe("all", outcomes))
    for key in ("board", "drawing"):
        for value in sorted({getattr(one, key) for one in outcomes}):
            print("  " + describe(value, [one for one in outcomes if getattr(one, key) == value]))


if __name__ == "__main__":
    main()
