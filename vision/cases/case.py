"""A case: one pipeline step with its inputs and its result, in a file that people can read and any version can replay.

A case is a zip: two JPEGs show the board before and now, ``game.pgn`` is the game up to then, and ``case.json`` has the
place of the board, the hypotheses and people's answers. A replay takes the pictures as photographs of a game that goes
on. A picture keeps the board's surroundings; all of it where no board was found.
"""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

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
from referee.record import GameRecord, to_pgn
from vision.decoding.decision import answer_of
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Frame, Image
from vision.tracking.follow import SURROUNDINGS_STRETCH
from vision.watching.phases import Waiting
from vision.watching.state import State, StepResult, Unseen, Watched

REACH_SPACINGS = 1.25
"""Distance from the outermost points up to which the board's surroundings are kept, spacings, at least: a point is
compared within one of them."""

N_HYPOTHESES = 3
"""Likeliest hypotheses that a case tells."""

FORMAT = 2
"""Number of the way in which a case is written."""

MAX_CASE_BYTES = 64_000_000
"""Largest case that is read, unpacked, bytes: two JPEGs of a 4K camera have a tenth of it."""

_DAMAGES = zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError  # the last one is bzip2's

_JPEG_QUALITY = 95
"""By OpenCV's scale of 0 to 100. Source: measured, 28 of 30 cases of drawn evenings are decided as then with it."""


@dataclass(frozen=True, eq=False)
class Moment:
    """A pipeline step: the state before it, the picture, and the result."""

    state: State
    frame: Frame
    result: StepResult[State]


def may_be_kept(before: State, result: StepResult[State]) -> bool:
    """Return whether a step shows the board at rest, and nothing over its points: that may be a hand.

    While no board is seen nobody knows what of the picture it is: people have to agree to a whole one.
    """
    if isinstance(result.state.registration, NotRegistered):
        return True
    seen = [one for one in (before, result.state) if isinstance(one, Watched) and not one.hidden.any()]
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
    """Return the result of a step, unrounded: events, and the evidence and first hypotheses of a decision."""
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


# ---------------------------------------------------------------- writing


def write_case(kind: str, moment: Moment, about: Mapping[str, Any]) -> bytes:
    """Return a case as a file; ``about`` is said of it besides: the day, versions."""
    before, frame, after = moment.state, moment.frame, moment.result.state
    game, seen = before.game, [one.reference.anchor for one in (before, after) if isinstance(one, Watched)]
    is_found = isinstance(after.registration, Registration)
    part = _surroundings([anchor.field for anchor in seen], frame.size_px) if is_found else (0, 0, *frame.size_px)
    left, top, right, bottom = part
    pictures = {"now.jpg": frame.bgr}
    told: dict[str, Any] = {"points": {}, "drawing": ""}
    if isinstance(before, Watched):
        anchor = seen[0]
        pictures["before.jpg"] = anchor.bgr
        places = zip(anchor.field.board.points, anchor.field.points_px, strict=True)
        told["points"] = {name: [round(float(x) - left, 1), round(float(y) - top, 1)] for name, (x, y) in places}
        told["drawing"] = anchor.field.drawing
    told |= {
        "format": FORMAT,
        "kind": kind,
        **about,
        "game": game.variant.name,
        "options": dict(game.variant.chosen),
        "ply": game.ply,
        "to_move": game.position.to_move + 1,
        "before": list(before.belief.expected_tops),
        "is_disputed": before.belief.dispute is not None,
        "searches": before.n_searches if isinstance(before, Unseen) else 0,
        "shows_room": not is_found,
        "picture": {"size": list(frame.size_px), "part": list(part)},
        "colours": before.appearance.colours,
        "thought": thought_of(before, moment.result),
    }
    kept = {name: _jpeg(bgr[top:bottom, left:right]) for name, bgr in pictures.items()}
    return _zip({"case.json": _json(told), "game.pgn": to_pgn(GameRecord(game)).encode(), **kept})


def _surroundings(fields: Sequence[Field], size_px: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the picture's part in which the points lie, and what is looked at there."""
    points_px = np.concatenate([field.points_px for field in fields])
    low, high = points_px.min(axis=0), points_px.max(axis=0)
    spacing_px = max(float(field.spacing_px.max()) for field in fields)
    reach = max(REACH_SPACINGS * spacing_px, (SURROUNDINGS_STRETCH - 1) / 2 * (high - low).max())
    (left, top), (right, bottom) = np.floor(low - reach).tolist(), np.ceil(high + reach).tolist()
    width, height = size_px
    return max(0, int(left)), max(0, int(top)), min(width, int(right)), min(height, int(bottom))


def _jpeg(bgr: Image) -> bytes:
    _, data = cv2.imencode(".jpg", np.ascontiguousarray(bgr), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return np.asarray(data, np.uint8).tobytes()


def _json(told: Mapping[str, Any]) -> bytes:
    return json.dumps(told, indent=1).encode()


def _zip(members: Mapping[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            # The hour in which it was written is nobody's business.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def with_told(case: bytes, told: Mapping[str, Any], **more: bytes) -> bytes:
    """Return a case that tells something else, and has ``more`` files."""
    return _zip({**members_of(case), "case.json": _json(told), **more})


# ---------------------------------------------------------------- reading


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
    """Return what a case tells people, as ``write_case`` writes it. Raises ``ValueError`` as ``members_of``.

    So it does, with another sentence, where another version has kept the case.
    """
    try:
        told = json.loads(members_of(case)["case.json"])
        is_of_today = told["format"] == FORMAT
        if is_of_today:
            find_variant(told["game"], **told["options"])
            list(told["thought"]["hypotheses"] + told["said"] + told["picture"]["size"] + told["picture"]["part"])
    except (KeyError, TypeError, ValueError) as why:
        raise ValueError(message("case.broken")) from why
    if not is_of_today:
        raise ValueError(message("case.of_another_version"))
    return dict(told)


def tops_as_said(told: Mapping[str, Any]) -> list[int] | None:
    """Return the tops by what people did and said of a case; None where they have left them open."""
    for said in reversed(told["said"]):
        if said["kind"] in ("corrected", "turned", "resumed") or (told["kind"] == "question" and "tops" in said):
            return [int(top) for top in said["tops"]]
        if said["kind"] in ("restored", "stood") and told["thought"]["hypotheses"]:
            return [int(top) for top in told["thought"]["hypotheses"][0]["tops"]]  # that it was wrong is agreed
    return None
