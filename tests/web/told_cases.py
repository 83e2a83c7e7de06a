"""Cases as pages show them, of any kind, without what they are tried again with."""

import io
import json
import zipfile
from typing import Any

import cv2
import numpy as np

from languages import LANGUAGES
from referee.presets import find_variant
from vision.cases.case import FORMAT

KINDS = (
    *("question", "foul", "resumed", "misread", "taken_back", "stood", "unexplained", "corrected"),
    *("unfound", "other_game"),
)  # fmt: skip


def told_case(kind: str) -> bytes:
    """A case of a kind: with three thoughts, or what was seen and not understood, or a search that ended in vain."""
    points = find_variant("tic_tac_toe").board.points
    is_found = kind not in ("unfound", "other_game")
    thoughts: list[dict[str, Any]] = [
        {"p": p, "tops": [1, 2, *[0] * (len(points) - 2)], "answer": [text, [0]], "foul": foul}
        for p, text, foul in ((0.61, "a1", "wrong_player"), (0.3899, "b2", ""), (0.0001, "c3", ""))
    ]
    told = {
        "format": FORMAT,
        "kind": kind,
        "day": "2026-11-26",
        "said": [{"kind": "corrected", "tops": [0] * len(points)}] if is_found else [{"kind": "kept", "tops": []}],
        "game": "tic_tac_toe",
        "options": {},
        "ply": 7,
        "colours": ["#aa3322", ""],
        "shows_room": not is_found,
        "picture": {"size": [160, 90], "part": [0, 0, 160, 90]},
        "thought": {
            "hypotheses": thoughts if is_found and kind != "unexplained" else [],
            "seen": [1] * len(points) if kind == "unexplained" else None,
            "search": {} if is_found else dict.fromkeys(LANGUAGES, "…"),
        },
    }
    jpeg = cv2.imencode(".jpg", np.full((90, 160, 3), (90, 120, 150), np.uint8))[1].tobytes()
    pictures = {"now.jpg": jpeg} | ({"before.jpg": jpeg} if is_found else {})
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in {"case.json": json.dumps(told).encode(), **pictures}.items():
            archive.writestr(name, data)
    return written.getvalue()
