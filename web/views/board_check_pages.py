"""API of the check of a finished board: a photograph comes in, and its points and faults, picture and sheet go out."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from werkzeug.exceptions import NotFound, ServiceUnavailable

from calibration.making.check_report import check_html, check_title, fault_texts, not_found_texts
from languages import message_of
from referee.boards import boards_for
from referee.presets import PRESETS
from web.net.image_upload import MAX_UPLOAD_BYTES, BusyError
from web.net.roles import REFEREE, Route
from web.page_words import words
from web.setup.board_photographs import CheckedBoard
from web.views.context import current_context
from web.views.json_answer import json_answer
from web.views.make_query import known_game
from web.views.table_page import request_language

BOARD_CHECK_ENDPOINT = "POST /api/make/check"
"""The route of photographs of boards."""


def sent_picture() -> bytes:
    """Return the body of a request, a picture.

    Raises:
        RequestEntityTooLarge: When it is larger than pictures are.
    """
    request.max_content_length = MAX_UPLOAD_BYTES
    return request.get_data(cache=False)


@json_answer
def check_picture() -> Any:
    """Answer POST /api/make/check?game=GAME: the picture in the body; what is wrong with the board on it."""
    game, language = known_game(request.args.get("game", "")), request_language()
    try:
        found = current_context().board_photographs.check(sent_picture(), boards_for(PRESETS[game].variant))
    except BusyError as why:
        raise ServiceUnavailable(message_of(why), retry_after=5) from why
    check = found.check
    if not check.is_found:
        reason, advice = not_found_texts(check, language)
        return {
            "number": found.number,
            "grade": "poor",
            "summary": reason,
            "lines": [{"grade": "poor", "text": advice}],
        }
    faults = fault_texts(check, language)
    label = words(language)["label"]
    lines = [
        {"grade": "poor", "text": label.format(name=text.letter, text=f"{text.what} {text.advice}")} for text in faults
    ]
    grade = "good" if check.is_good else "fair"
    return {"number": found.number, "grade": grade, "summary": check_title(check, language), "lines": lines}


def checked_picture(number: int) -> Response:
    """Answer GET /make/checked/N.jpg: the photograph with points and faults drawn over it."""
    return Response(_checked(number).picture_jpeg, mimetype="image/jpeg")


def checked_sheet(number: int) -> Response:
    """Answer GET /make/checked/N.html: one sheet to print or keep."""
    found = _checked(number)
    response = Response(check_html(found.bgr, found.check, request_language()), mimetype="text/html")
    response.headers["Content-Disposition"] = 'attachment; filename="millchen-board.html"'
    return response


def _checked(number: int) -> CheckedBoard:
    found = current_context().board_photographs.find(number)
    if not isinstance(found, CheckedBoard):
        raise NotFound("this board was checked too long ago")
    return found


BOARD_CHECK_ROUTES = (
    Route("/api/make/check", "POST", REFEREE, check_picture),
    Route("/make/checked/<int:number>.jpg", "GET", REFEREE, checked_picture),
    Route("/make/checked/<int:number>.html", "GET", REFEREE, checked_sheet),
)
"""Routes of the check for the table of routes in `web.app`."""
