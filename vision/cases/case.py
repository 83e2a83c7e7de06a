"""A case: one step of what sees, kept as it was given and with what came of it, so that it can be tried again.

A case is a zip: ``case.json`` says what people are shown, two JPEGs show the board before and now, and ``state.json``
with ``arrays.bin`` is what ``vision.pipeline.read_table`` was given. Of pictures the board's surroundings are kept;
where no board was found, all of the one in which it was searched for.
"""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from languages import LANGUAGES, in_all_languages, message
from referee.announce import sentence
from referee.events import (
    BoardFound,
    BoardLost,
    Event,
    FoulSeen,
    FoulStood,
    OtherGameSeen,
    QuestionAsked,
    Resumed,
    TurnAmended,
    to_json,
)
from referee.presets import find_variant
from vision.cases.value_codec import Cutting, KeptPicture, ValuePacker, unpack
from vision.decoding.decision import answer_of
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Frame, Image
from vision.imaging.patches import log_colour_to_hex
from vision.pipeline import read_table
from vision.tracking.follow import SURROUNDINGS_STRETCH, Anchor
from vision.tracking.motion import MotionState
from vision.watching.phases import Waiting
from vision.watching.state import State, StepResult, Table, Unseen, Watched

REACH_SPACINGS = 1.25
"""Distance from the outermost points up to which the board's surroundings are kept, spacings, at least: a point is
compared within one of them."""

N_HYPOTHESES = 3
"""Likeliest hypotheses that a case tells."""

FORMAT = 1
"""Number of the way in which ``case.json`` is written."""

MAX_CASE_BYTES = 64_000_000
"""Largest case that is read, unpacked, bytes: a picture of 12 million pixels has 36 million."""

_DAMAGES = zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError  # the last one is bzip2's

_JPEG_QUALITY, _COMPRESSION = 85, 1  # deflate's own 6 takes five times as long and saves a fifth

_PICTURES: Mapping[type, tuple[str, ...]] = {
    Frame: ("picture",),
    KeptPicture: ("bgr", "reduced"),
    Anchor: ("bgr",),
    Watched: ("mean_bgr",),
    MotionState: ("moving_cells", "moved_cells", "flash_cells"),
}
"""Everything in a state that shows the whole picture, at any size; the rest shows the board alone."""


@dataclass(frozen=True, eq=False)
class Given:
    """What ``vision.pipeline.read_table`` was given: the motion in the frame is known."""

    state: State
    frame: Frame
    table: Table

    def try_again(self) -> dict[str, Any]:
        """Return what comes of it today, as ``thought_of``."""
        return thought_of(self.state, read_table(self.state, self.frame, self.table))


def may_be_kept(before: State, result: StepResult[State]) -> bool:
    """Return whether a step shows the board at rest, and nothing over its points: that may be a hand.

    While no board is seen nobody knows what of the picture it is: people have to agree to a whole one.
    """
    if isinstance(result.state.registration, NotRegistered):
        return True
    seen = [one for one in (before, result.state) if isinstance(one, Watched) and not any(one.hidden)]
    return len(seen) == 2 and not isinstance(seen[1].phase, Waiting)


def kind_of(before: State, result: StepResult[State]) -> str:
    """Return why the result of a step is a case, in one word; empty where it is no case."""
    kind = _reason(before, result)
    return kind if kind and may_be_kept(before, result) else ""


def _reason(before: State, result: StepResult[State]) -> str:
    for event in result.events:
        match event:
            case QuestionAsked():
                return "question"
            case FoulSeen():
                return "foul"
            case Resumed():
                return "resumed"
            case TurnAmended():
                return "misread" if event.moves is not None else "taken_back"
            case FoulStood():
                return "stood"
            case BoardLost():
                return "unfound"
    is_new = result.state.proposed_position is not None and before.proposed_position is None
    return "unexplained" if is_new else ""


def thought_of(before: State, result: StepResult[State]) -> dict[str, Any]:
    """Return what came of a step, unrounded: events, and the evidence and first hypotheses where it was decided on."""
    after = result.state
    posterior = None if not isinstance(after, Watched) or isinstance(after.phase, Waiting) else after.phase.posterior
    is_new = posterior is not None and posterior is not getattr(getattr(before, "phase", None), "posterior", None)
    ranked = posterior.ranked[:N_HYPOTHESES] if posterior is not None and is_new else ()
    board, seen = after.game.variant.board, getattr(after, "proposed_position", None)
    evidence = posterior.log_likelihood if posterior is not None and ranked else None
    return {
        "events": [to_json(event, sentence(event, "en", board=board)) for event in result.events],
        "hypotheses": [
            {"p": p, "tops": list(one.tops), "answer": answer_of(one, before.game), "foul": _foul_in(one.ruling)}
            for one, p in ranked
        ],
        "evidence": None if evidence is None else evidence.tolist(),
        "seen": None if seen is None else list(seen.tops),
        "search": _search_texts(result.events),
    }


def _search_texts(events: Sequence[Event]) -> dict[str, str]:
    """Return by language how a search for the board ended: why in vain, or with which board."""
    for event in events:
        if isinstance(event, BoardLost):
            return in_all_languages(event.reason)
        if isinstance(event, BoardFound | OtherGameSeen):
            return {language: sentence(event, language) for language in LANGUAGES}
    return {}


def _foul_in(ruling: Any) -> str:
    return str(ruling.kinds[0]) if ruling is not None and ruling.kinds else ""


def write_case(kind: str, given: Given, result: StepResult[State], about: Mapping[str, Any]) -> bytes:
    """Return a case as a file; ``about`` is said of it besides: the day, versions."""
    state, size_px = given.state, given.frame.size_px
    seen = [one.reference.anchor for one in (state, result.state) if isinstance(one, Watched)]
    fields = [anchor.field for anchor in seen if isinstance(result.state.registration, Registration)]
    surroundings = _surroundings(fields, size_px) if fields else (0, 0, *size_px)

    def cut(owner: object, name: str, array: NDArray[Any]) -> Cutting | None:
        is_picture = name in _PICTURES.get(type(owner), ())
        return _scaled(surroundings, size_px, array.shape) if is_picture else None

    packer = ValuePacker(cut)
    unasked = replace(state.motion, grid=None, means=None, unrest=None)  # for finding motion, which is known
    state = replace(state, motion=unasked)
    state = replace(state, frames=()) if isinstance(state, Unseen) else state  # other pictures of the room
    packed = packer.pack((state, given.frame, given.table))
    left, top = surroundings[:2]
    game = state.game
    told = {
        "format": FORMAT,
        "kind": kind,
        **about,
        "game": game.variant.name,
        "options": dict(game.variant.chosen),
        "ply": game.ply,
        "to_move": game.position.to_move + 1,
        "before": list(state.belief.expected_tops),
        "colours": [
            log_colour_to_hex(stones.mean_log_colour) if stones.n_stones else "" for stones in state.appearance.stones
        ],
        "points": {
            name: [round(float(x) - left, 1), round(float(y) - top, 1)]
            for field in fields[-1:]
            for name, (x, y) in zip(game.variant.board.points, field.points_px, strict=True)
        },
        "thought": thought_of(state, result),
    }
    pictures = dict(zip(("now.jpg", "before.jpg"), (given.frame.bgr, *(one.bgr for one in seen[:1])), strict=False))
    shown = _scaled(surroundings, size_px, (size_px[1], size_px[0]))
    return _zip(
        {
            "case.json": json.dumps(told, indent=1).encode(),
            **{name: _jpeg(bgr[shown]) for name, bgr in pictures.items()},
            "state.json": json.dumps([packed, packer.objects], separators=(",", ":")).encode(),
            "arrays.bin": bytes(packer.blob),
        }
    )


def _surroundings(fields: Sequence[Field], size_px: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the picture's part in which the points lie, and what is looked at there."""
    points_px = np.concatenate([field.points_px for field in fields])
    low, high = points_px.min(axis=0), points_px.max(axis=0)
    spacing_px = max(float(field.spacing_px.max()) for field in fields)
    reach = max(REACH_SPACINGS * spacing_px, (SURROUNDINGS_STRETCH - 1) / 2 * (high - low).max())
    (left, top), (right, bottom) = np.floor(low - reach).tolist(), np.ceil(high + reach).tolist()
    width, height = size_px
    return max(0, int(left)), max(0, int(top)), min(width, int(right)), min(height, int(bottom))


def _scaled(part: tuple[int, int, int, int], size_px: tuple[int, int], shape: tuple[int, ...]) -> Cutting:
    """Return the rows and columns of a part in a picture of another size of the same scene; at least one of each."""
    (left, top, right, bottom), (width, height) = part, size_px
    return Cutting(
        slice(min(first * n // whole, n - 1), max(min(-(-last * n // whole), n), 1))
        for first, last, whole, n in ((top, bottom, height, shape[0]), (left, right, width, shape[1]))
    )


def _jpeg(bgr: Image) -> bytes:
    _, data = cv2.imencode(".jpg", np.ascontiguousarray(bgr), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return np.asarray(data, np.uint8).tobytes()


def _zip(members: Mapping[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            # The hour in which it was written is nobody's business.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, _COMPRESSION)
    return written.getvalue()


def members_of(case: bytes) -> dict[str, bytes]:
    """Return the files in a case. Raises ``ValueError``, with a sentence, where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(case)) as archive:
            if sum(one.file_size for one in archive.infolist()) > MAX_CASE_BYTES:
                raise ValueError("too large")
            return {one.filename: archive.read(one) for one in archive.infolist()}
    except (*_DAMAGES, ValueError, NotImplementedError, RuntimeError, EOFError) as why:
        raise ValueError(message("case.broken")) from why


def read_told(case: bytes) -> dict[str, Any]:
    """Return what a case tells people, as ``write_case`` writes it. Raises ``ValueError`` as ``members_of``."""
    try:
        told = json.loads(members_of(case)["case.json"])
        find_variant(told["game"], **told["options"])
        if told["format"] != FORMAT or not isinstance(told["thought"]["hypotheses"] + told["said"], list):
            raise ValueError("another format")
    except (KeyError, TypeError, ValueError) as why:
        raise ValueError(message("case.broken")) from why
    return dict(told)


def with_members(case: bytes, more: Mapping[str, bytes]) -> bytes:
    """Return a case with further files, or other ones, by their names."""
    return _zip({**members_of(case), **more})


def read_given(case: bytes) -> Given:
    """Return what the step of a case was given. Raises ``ValueError`` where this version cannot read it."""
    members = members_of(case)
    try:
        packed, objects = json.loads(members["state.json"])
        return Given(*unpack(objects, members["arrays.bin"])(packed))
    except (KeyError, ValueError, TypeError, LookupError, AttributeError) as why:
        raise ValueError(message("case.of_another_version")) from why


def tops_as_said(told: Mapping[str, Any]) -> list[int] | None:
    """Return what lay on the points by what people did and said of a case; None where they have left that open."""
    for said in reversed(told["said"]):
        if said["kind"] in ("corrected", "turned", "resumed") or (told["kind"] == "question" and "tops" in said):
            return [int(top) for top in said["tops"]]
        if said["kind"] in ("restored", "stood") and told["thought"]["hypotheses"]:
            return [int(top) for top in told["thought"]["hypotheses"][0]["tops"]]  # that it was wrong is agreed
    return None
