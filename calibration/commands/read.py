"""The command ``millchen read``: what photographs of a table show, as JSON or as text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from calibration.field_step import field_at_corners, max_stone_groups, surest
from calibration.step_texts import Refused
from referee.board import Board
from referee.boards import BOARDS, board_family, few_holes_first
from vision.capture.pictures import Picture, SourceError, read_picture
from vision.commands.arguments import BoardName, Data, FieldCorners, MeasuredTable, drawing_paths, one_line
from vision.commands.from_signature import Word, WrongWordsError
from vision.detection.detect import SearchReport, locate_with_report
from vision.imaging.cv import encoded
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image, size_of
from vision.overlay import draw_photograph_reading
from vision.stones.photograph_reader import read_photograph

if TYPE_CHECKING:
    from calibration.known_table import KnownTable

PROGRESS_BAR_CHARACTERS = 30  # width of the progress bar

# the field of a picture, the evidence for it, and the same table without stones, where there is a picture of it
SearchResult = tuple[Registration | NotRegistered, SearchReport | None, Image | None]
Answer = tuple[
    dict[str, Any], Image | None
]  # the reading of a photograph as JSON values, and the photograph drawn over


@dataclass(frozen=True, kw_only=True)
class PlaceWords:
    """The words about where the board lies."""

    corners: FieldCorners = None
    table: MeasuredTable = None
    data: Data = None

    def known_table(self) -> KnownTable | None:
        """Return the table that was named, if one was; its module is loaded only then."""
        if self.table is None:
            return None
        table: KnownTable = import_module("calibration.known_table").load_known_table(self.table, self.data)
        return table


def read(
    images: Annotated[Sequence[Path], Word("the photographs", "IMAGE")],
    *,
    board: BoardName = None,
    empty: Annotated[Path | None, Word("the same table, same camera, with the empty board", "IMAGE")] = None,
    draw: Annotated[str | None, Word("paint what was seen over the picture; a folder for several", "PNG")] = None,
    progress: Annotated[bool, "say how far it is (default: for several pictures, in a terminal)"] = False,
    json_: Annotated[bool, "one JSON object a photograph"] = False,
    place: PlaceWords,
) -> int:
    """Read the pictures that were named, print the result and return the exit status.

    It is 1 for people as soon as one picture could not be read; with ``--json``, where every line says it for itself,
    only when none could be. Raises ``ValueError``, one sentence, when the empty picture cannot be read or a
    drawing cannot be written.
    """
    if place.corners is not None and (board is None or place.table is not None):
        raise WrongWordsError("--corners needs --board" + (" and excludes --table" if place.table is not None else ""))
    drawings = [] if draw is None else drawing_paths(draw, images)
    try:
        bare_table = None if empty is None else read_picture(empty)
    except SourceError as why:
        raise ValueError(f"--empty {str(empty)!r}: {why}") from why
    reader = _Reader(board, place.corners, place.known_table(), bare_table)
    n_read, tells_progress = 0, progress or (len(images) > 1 and sys.stderr.isatty())
    answers = map(reader.answer, images)
    for k, (answer, overlay) in enumerate(_with_progress(answers, len(images)) if tells_progress else answers):
        if drawings and overlay is not None:
            try:
                drawings[k].write_bytes(encoded(overlay, ".png"))
            except OSError as why:
                raise ValueError(f"{str(drawings[k])!r} cannot be written ({why.strerror})") from why
        n_read += answer["board"] is not None
        print(json.dumps(answer) if json_ else one_line(_reading_text(answer)), flush=True)
    return 0 if n_read == len(images) or (json_ and n_read) else 1


def _with_progress(answers: Iterator[Answer], total: int) -> Iterator[Answer]:
    """Yield the answers, and say how far it is: in a terminal a bar drawn over itself, elsewhere a line for each."""
    in_place = sys.stderr.isatty()
    for k in range(total):
        bar = bar_text(k, total) if in_place else f"{k}/{total}"
        print(bar, end="" if in_place else "\n", file=sys.stderr, flush=True)
        answer = next(answers)
        print("\r\x1b[K" if in_place else "", end="", file=sys.stderr, flush=True)
        yield answer


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads photographs of one table; the field may be known from its corners, or from a table that was measured."""

    board: str | None
    corners: list[tuple[float, float]] | None
    known_table: KnownTable | None
    bare_table: Picture | None  # the table without stones

    def answer(self, path: Path) -> Answer:
        """Return the reading of a photograph as JSON values, and the overlay; None when it cannot be read."""
        answer: dict[str, Any] = {"image": str(path), "board": None}
        try:
            picture = read_picture(path)
            empty = None if self.bare_table is None else self.bare_table.turned_like(picture).upright
            registration, report, empty = self._search(picture.upright, empty)
        except (SourceError, Refused) as why:
            return answer | {"reason": str(why)}, None
        bgr = picture.upright
        if isinstance(registration, NotRegistered):
            overlay = draw_photograph_reading(bgr, registration, None, report)
            return answer | {"reason": no_field_sentence(registration)}, overlay
        field = registration.field
        bare = empty if empty is not None and empty.shape == bgr.shape else None
        reading = read_photograph(bgr, registration, bare, max_stone_groups(field.board))
        places, p = picture.as_stored(field.points_px).tolist(), reading.p.tolist()
        points: dict[str, dict[str, Any]] = {
            name: {"x": round(x, 1), "y": round(y, 1), "stone": stone, "height": height, "p": round(p, 4)}
            for name, (x, y), stone, height, p in zip(
                field.board.points, places, reading.stones, reading.heights.tolist(), p, strict=True
            )
        }
        for name in field.names_out_of_sight(size_of(bgr)):
            points[name]["in_sight"] = False  # what lies there is not known: no stone is said of it, and no empty point
        answer |= {"board": field.board.name, "confidence": round(registration.confidence, 4), "points": points}
        return answer | {"groups": dict(reading.groups)}, draw_photograph_reading(bgr, registration, reading, report)

    def _search(self, bgr: Image, empty: Image | None) -> SearchResult:
        """Return the field of a picture, at its corners or searched for, on the empty picture where it fits."""
        if self.corners is not None and self.board is not None:
            bare = bgr if empty is None or empty.shape != bgr.shape else empty
            return field_at_corners(bare, None, BOARDS[self.board], np.array(self.corners)), None, empty
        groups = (None,) if self.board is None else few_holes_first(board_family(self.board))
        return search_board_groups(bgr, groups, empty, self.known_table)


def no_field_sentence(refusal: NotRegistered) -> str:
    """Return the reason why no board was found, as one sentence."""
    opening = "no playing field in sight: "
    return opening + refusal.reason.removeprefix(opening)


def search_board_groups(
    bgr: Image, groups: Sequence[Sequence[Board] | None], empty: Image | None, known_table: KnownTable | None
) -> SearchResult:
    """Return the field of the board that is found with most confidence; groups are searched until that is certain.

    None is the group of every board that is known. Discs with many holes are a group of their own: one of them is
    nearly always taken for discs of few holes, too, but with less confidence. With the field (or the reason for the
    first group) go the evidence, None for a measured table, and a picture of the same table without stones, where there
    is one. Raises ``ValueError``, one sentence, when the picture is not from the camera that the table was measured by.
    """

    def search(boards: Sequence[Board] | None) -> SearchResult:
        if known_table is not None:
            registration, bare_table = known_table.find_field(bgr, boards)
            return registration, None, bare_table if empty is None else empty
        if empty is not None and empty.shape == bgr.shape:
            bare, report = locate_with_report(empty, boards)
            if isinstance(bare, Registration):
                return bare, report, empty
        return *locate_with_report(bgr, boards), empty

    return surest(map(search, groups))


def _reading_text(answer: dict[str, Any]) -> str:
    if answer["board"] is None:
        return f"{answer['image']}: {answer['reason']}"
    stones = ", ".join(f"{name} {point['stone']}" for name, point in answer["points"].items() if point["stone"])
    unseen = ", ".join(name for name, point in answer["points"].items() if not point.get("in_sight", True))
    note = f"; outside the picture: {unseen}" if unseen else ""
    return f"{answer['image']}: {answer['board']} ({answer['confidence']:.0%}): {stones or 'no stones'}{note}"


def bar_text(n_done: int, total: int) -> str:
    """Return a bar and the numbers beside it.

    >>> bar_text(1, 3)
    '[##########....................] 1/3'
    """
    n_full = round(PROGRESS_BAR_CHARACTERS * n_done / total)
    return f"[{'#' * n_full}{'.' * (PROGRESS_BAR_CHARACTERS - n_full)}] {n_done}/{total}"
