"""One pipeline step with its inputs and result in, a case out: a file that people can read and later versions replay.

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

import numpy as np

from languages import LANGUAGES, in_all_languages, message
from referee import events
from referee.announce import sentence
from referee.presets import find_variant
from referee.record import GameRecord, to_pgn
from vision.capture.pictures import MAX_PIXELS
from vision.decoding.decision import answer_of
from vision.imaging.cv import encoded
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Frame, Image
from vision.tracking.follow import SURROUNDINGS_STRETCH
from vision.watching.phases import Waiting
from vision.watching.state import State, StepResult, Unseen, Watched

N_HYPOTHESES = 3
"""Likeliest hypotheses that a case tells."""

FORMAT = 2
"""Number of the way in which a case is written."""

EVENT_KINDS: Mapping[type[events.Event], str] = {
    events.QuestionAsked: "question",
    events.FoulSeen: "foul",
    events.Resumed: "resumed",
    events.FoulStood: "stood",
    events.BoardLost: "unfound",
}
"""Why a step with such an event is a case, in one word."""

_DAMAGES = zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError  # the last one is bzip2's


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
    after = result.state
    if isinstance(after.registration, NotRegistered):
        return True
    is_at_rest = isinstance(before, Watched) and isinstance(after, Watched) and not isinstance(after.phase, Waiting)
    return is_at_rest and not (before.hidden | after.hidden).any()


def kind_of(before: State, result: StepResult[State]) -> str:
    """Return why the result of a step is a case, in one word; empty where it is no case."""
    is_new = result.state.proposed_position is not None and before.proposed_position is None
    kind = next(filter(None, map(_event_kind, result.events)), "unexplained" if is_new else "")
    return kind if kind and may_be_kept(before, result) else ""


def _event_kind(event: events.Event) -> str:
    if isinstance(event, events.TurnAmended):
        return "misread" if event.moves is not None else "taken_back"
    return EVENT_KINDS.get(type(event), "")


def thought_of(moment: Moment) -> dict[str, Any]:
    """Return the result of a step, unrounded: its first hypotheses, what is seen instead, how a search has ended."""
    before, after = moment.state, moment.result.state
    posterior: Any = getattr(getattr(after, "phase", None), "posterior", None)
    is_new = posterior is not None and posterior is not getattr(getattr(before, "phase", None), "posterior", None)
    proposal = after.proposed_position
    return {
        "hypotheses": [
            {
                "p": p,
                "tops": list(one.tops),
                "answer": answer_of(one, before.game),
                "foul": str(one.ruling.kinds[0]) if one.ruling is not None and one.ruling.kinds else "",
            }
            for one, p in (posterior.ranked[:N_HYPOTHESES] if is_new else ())
        ],
        "seen": None if proposal is None else list(proposal.tops),
        "search": next(filter(None, map(_search_texts, moment.result.events)), {}),
    }


def _search_texts(event: events.Event) -> dict[str, str]:
    """Return by language how a search for the board ended: why in vain, or with which board; empty of other events."""
    if isinstance(event, events.BoardLost):
        return in_all_languages(event.reason)
    is_end = isinstance(event, events.BoardFound | events.OtherGameSeen)
    return {language: sentence(event, language) for language in LANGUAGES} if is_end else {}


# ---------------------------------------------------------------- writing


def write_case(kind: str, moment: Moment, about: Mapping[str, Any]) -> bytes:
    """Return a case as a file; ``about`` is said of it besides: the day, versions."""
    before, frame, after = moment.state, moment.frame, moment.result.state
    game, anchors = before.game, [one.reference.anchor for one in (before, after) if isinstance(one, Watched)]
    shows_room = isinstance(after.registration, NotRegistered)
    part = (0, 0, *frame.size_px) if shows_room else _surroundings([one.field for one in anchors], frame.size_px)
    files, points, drawing = {"now.jpg": _jpeg(frame.bgr, part)}, dict[str, list[float]](), ""
    if isinstance(before, Watched):
        field, files["before.jpg"] = anchors[0].field, _jpeg(anchors[0].bgr, part)
        places_px = (field.points_px - part[:2]).round(1).tolist()
        points, drawing = dict(zip(field.board.points, places_px, strict=True)), field.drawing
    case_data = {
        "format": FORMAT,
        "kind": kind,
        **about,
        "game": game.variant.name,
        "options": dict(game.variant.chosen),
        "ply": game.ply,
        "before": list(before.belief.expected_tops),
        "is_disputed": before.belief.dispute is not None,
        "points": points,
        "drawing": drawing,
        "searches": before.n_searches if isinstance(before, Unseen) else 0,
        "shows_room": shows_room,
        "picture": {"size": list(frame.size_px), "part": list(part)},
        "colours": before.appearance.colours,
        "thought": thought_of(moment),
    }
    return _zip(case_data, {**files, "game.pgn": to_pgn(GameRecord(game)).encode()})


def _surroundings(fields: Sequence[Field], size_px: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the part of a picture with the points and all that may touch them."""
    points_px = np.concatenate([field.points_px for field in fields])
    low, high = points_px.min(axis=0), points_px.max(axis=0)
    spacing_px = max(float(field.spacing_px.max()) for field in fields)
    reach_px = max(SURROUNDINGS_STRETCH * spacing_px, (SURROUNDINGS_STRETCH - 1) / 2 * (high - low).max())
    left, top = np.maximum(np.floor(low - reach_px), 0).astype(int).tolist()
    right, bottom = np.minimum(np.ceil(high + reach_px), size_px).astype(int).tolist()
    return left, top, right, bottom


def _jpeg(bgr: Image, part: tuple[int, ...]) -> bytes:
    """Return a part of a picture, of a quality with which 28 of 30 cases of drawn evenings are decided as then."""
    left, top, right, bottom = part
    return encoded(bgr[top:bottom, left:right], quality=95)


def _zip(case_data: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in {**files, "case.json": json.dumps(case_data, indent=1).encode()}.items():
            # The hour in which it was written is nobody's business.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def with_case_data(case: bytes, case_data: Mapping[str, Any], **files: bytes) -> bytes:
    """Return a case that tells something else, and has more ``files``."""
    return _zip(case_data, {**members_of(case), **files})


# ---------------------------------------------------------------- reading


def members_of(case: bytes) -> dict[str, bytes]:
    """Return the files in a case. Raises ``ValueError``, with a sentence, where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(case)) as archive:
            if sum(one.file_size for one in archive.infolist()) > MAX_PIXELS:  # two pictures, half a byte a pixel
                raise ValueError("too large")
            return {one.filename: archive.read(one) for one in archive.infolist()}
    except (*_DAMAGES, ValueError, NotImplementedError, RuntimeError, EOFError) as why:
        raise ValueError(message("case.broken")) from why


def read_case_data(case: bytes) -> dict[str, Any]:
    """Return what a case tells people, as ``write_case`` writes it. Raises ``ValueError`` as ``members_of``.

    So it does, with another sentence, where another version has kept the case.
    """
    try:
        case_data: dict[str, Any] = json.loads(members_of(case)["case.json"])
        is_of_today = case_data["format"] == FORMAT
        if is_of_today:
            find_variant(case_data["game"], **case_data["options"])
            list(case_data["thought"]["hypotheses"] + case_data["said"] + case_data["picture"]["size"])
            list(case_data["picture"]["part"])
    except (KeyError, TypeError, ValueError) as why:
        raise ValueError(message("case.broken")) from why
    if not is_of_today:
        raise ValueError(message("case.of_another_version"))
    return case_data


def tops_by_people(case_data: Mapping[str, Any]) -> list[int] | None:
    """Return the tops of a case as people have settled them; None where they are open."""
    hypotheses = case_data["thought"]["hypotheses"]
    for word in reversed(case_data["said"]):
        if word["kind"] in ("corrected", "turned", "resumed") or (case_data["kind"] == "question" and "tops" in word):
            return [int(top) for top in word["tops"]]
        if word["kind"] in ("restored", "stood") and hypotheses:
            return [int(top) for top in hypotheses[0]["tops"]]  # that it was wrong is agreed
    return None
