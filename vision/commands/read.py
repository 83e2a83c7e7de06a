"""``millchen read``: what photographs of a table show, for other programs and for people."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from referee.board import Board
from referee.layouts import BOARDS, board_family, few_holes_first
from referee.presets import find_variant, variants_on
from vision.capture.sources import read_picture
from vision.commands.arguments import why_no_picture
from vision.detection.detect import SearchReport, locate_with_report
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image
from vision.overlay import draw_photograph_reading, encode_png
from vision.stones.photograph_reader import read_photograph

N_GROUPS = 3
"""Groups of stones that are told apart in a photograph: A, B and C."""

BoardGroups = Sequence[Sequence[Board] | None]
"""Groups of boards in the order in which they are looked for; None stands for every board that is known."""


class Known(Protocol):
    """A table that was measured before; ``calibration.start`` has them."""

    def look(self, bgr: Image, boards: Sequence[Board] | None) -> tuple[Registration | NotRegistered, Image | None]:
        """Its field in a picture, and the same table without stones where all is where it was."""


def add_read(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], known_table: Callable[[str, Path | None], Known]
) -> None:
    """Say how the command is written; ``known_table`` finds a table by its name and the data folder."""
    read = commands.add_parser("read", help="read photographs of a table")
    read.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    read.add_argument("--board", choices=sorted(BOARDS), help="the kind of board (default: recognised)")
    read.add_argument("--empty", type=Path, metavar="IMAGE", help="the same table, same camera, with the empty board")
    read.add_argument(
        "--draw",
        type=Path,
        metavar="PNG",
        help="paint what was seen over the picture (a folder where there are several)",
    )
    read.add_argument("--json", action="store_true", help="one JSON object a photograph")
    read.add_argument("--table", metavar="NAME", help="a table that was measured with 'millchen calibrate'")
    read.add_argument("--data", type=Path, metavar="FOLDER", help="where Millchen's data lies")
    read.set_defaults(run=run, known_table=known_table)


def run(given: argparse.Namespace) -> int:
    """Read the pictures that were named; the exit status.

    Raises
    ------
    ValueError
        With one sentence: the empty picture cannot be read, or the drawing cannot be written.
    """
    boards = (None,) if given.board is None else few_holes_first(board_family(given.board))
    empty = None
    if given.empty is not None:
        empty = read_picture(given.empty)
        if empty is None:
            raise ValueError(f"--empty {str(given.empty)!r}: {why_no_picture(given.empty)}")
    known = None if given.table is None else given.known_table(given.table, given.data)
    n_read = 0
    for path in given.images:
        answer, painted = _read_one(path, boards, empty, known)
        if given.draw is not None and painted is not None:
            try:
                _drawing_for(given.draw, path, len(given.images)).write_bytes(encode_png(painted))
            except OSError as why:
                raise ValueError(
                    f"{str(given.draw)!r} cannot be written ({why.strerror}): choose another place"
                ) from why
        n_read += answer["board"] is not None
        if given.json:
            print(json.dumps(answer), flush=True)
        else:
            _tell_reading(answer)
    return 0 if n_read else 1


def _drawing_for(target: Path, image: Path, n_images: int) -> Path:
    """One picture is drawn into the file that was named, several into that folder, each under its own name."""
    return target if n_images == 1 else target / f"{image.stem}.png"


def _read_one(
    path: Path, boards: BoardGroups, empty: Image | None, known: Known | None
) -> tuple[dict[str, Any], Image | None]:
    """What a photograph shows, and the same painted over it where it is one; ``boards`` as for ``_search``."""
    bgr = read_picture(path)
    if bgr is None:
        return {"image": str(path), "board": None, "reason": why_no_picture(path)}, None
    try:
        registration, survey, empty = _search(bgr, boards, empty, known)
    except ValueError as why:
        if known is None:
            raise
        return {"image": str(path), "board": None, "reason": str(why)}, None
    if isinstance(registration, NotRegistered):
        refusal = {"image": str(path), "board": None, "reason": no_field(registration)}
        return refusal, draw_photograph_reading(bgr, registration, None, survey)
    bare = empty if empty is not None and empty.shape == bgr.shape else None
    reading = read_photograph(bgr, registration, bare, _most_groups(registration.field.board))
    points = {
        name: {
            "x": round(float(x), 1),
            "y": round(float(y), 1),
            "stone": reading.stones[i],
            "height": int(reading.heights[i]),
            "p": round(float(reading.p[i]), 4),
        }
        for i, (name, (x, y)) in enumerate(
            zip(registration.field.board.points, registration.field.points_px, strict=True)
        )
    }
    answer: dict[str, Any] = {
        "image": str(path),
        "board": registration.field.board.name,
        "confidence": round(registration.confidence, 4),
        "points": points,
        "groups": dict(reading.groups),
    }
    return answer, draw_photograph_reading(bgr, registration, reading, survey)


def no_field(seen: NotRegistered) -> str:
    """Why no board was found, as one sentence."""
    opening = "no playing field in sight: "
    return opening + seen.reason.removeprefix(opening)


def _most_groups(board: Board) -> int:
    """How many kinds of stones may lie on a board, as the games on it have players; turning rings have room for all."""
    players = [find_variant(name).players for name in variants_on(board)]
    return N_GROUPS if board.rings else min(N_GROUPS, max(players, default=N_GROUPS))


def _search(
    bgr: Image, boards: BoardGroups, empty: Image | None, known: Known | None
) -> tuple[Registration | NotRegistered, SearchReport | None, Image | None]:
    """Look for one group of boards after the other, until a field is found.

    Returns
    -------
    Registration or NotRegistered
        Where nothing is found, why the first group was not.
    SearchReport or None
        What the answer rests on; None for a table that is known.
    uint8 array of shape (H, W, 3) or None
        The same table without stones, where there is such a picture.

    Raises
    ------
    ValueError
        With one sentence: the picture is not of the camera that the table is known by.
    """
    answers = (_search_group(bgr, group, empty, known) for group in boards)
    first = next(answers)
    if isinstance(first[0], Registration):
        return first
    return next((answer for answer in answers if isinstance(answer[0], Registration)), first)


def _search_group(
    bgr: Image, boards: Sequence[Board] | None, empty: Image | None, known: Known | None
) -> tuple[Registration | NotRegistered, SearchReport | None, Image | None]:
    """The same for boards of one group."""
    if known is None:
        return *_search_with_empty(bgr, boards, empty), empty
    registration, kept = known.look(bgr, boards)
    return registration, None, kept if empty is None else empty


def _search_with_empty(
    bgr: Image, boards: Sequence[Board] | None, empty: Image | None
) -> tuple[Registration | NotRegistered, SearchReport | None]:
    """The field where it is seen best: on the empty picture of the same table where there is one."""
    if empty is not None and empty.shape == bgr.shape:
        bare, survey = locate_with_report(empty, boards)
        if isinstance(bare, Registration):
            return bare, survey
    return locate_with_report(bgr, boards)


def _tell_reading(answer: dict[str, Any]) -> None:
    if answer["board"] is None:
        print(f"{answer['image']}: {answer['reason']}")
        return
    stones = ", ".join(f"{name} {seen['stone']}" for name, seen in answer["points"].items() if seen["stone"])
    print(f"{answer['image']}: {answer['board']} ({answer['confidence']:.0%}): {stones or 'no stones'}")
