"""The pages of the cases, at this computer alone: what was seen, what was thought of it, and what people said."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from calibration.own_habits import forget_habits, habits_text, learn_habits
from calibration.profile_folder import ProfileFolder
from calibration.step_texts import Refused
from languages import message
from referee.typed_json import line
from vision.cases.case import members_of, read_case_data
from web.drawing.position_svg import render_position_svg
from web.history.case_view import (
    case_to_send,
    contents_text,
    hypothesis_text,
    percent,
    position_of,
    readable_cases,
    said_texts,
)
from web.hosted_tables import current_context
from web.journal.data_folder import CASE_SUFFIX
from web.net.roles import THIS_COMPUTER, Route
from web.page_words import words
from web.views.table_page import attachment, render_page, request_language


def cases_page() -> ResponseReturnValue:
    """Answer GET /cases: every case that is kept, newest first."""
    folder = current_context().table.cases
    cases = list(readable_cases(folder))
    size, tables = f"{folder.n_bytes / 1_000_000:.0f}", list[tuple[str, str]]()
    for name in ProfileFolder(folder.data_folder).names():
        with suppress(Refused):  # a profile that cannot be read
            habits = ProfileFolder(folder.data_folder).load(name).habits
            tables.append((name, "" if habits is None else habits_text(habits, request_language())))
    return render_page("cases.html", cases=cases, folder=folder, n_megabytes=size, tables=tables)


def case_page(number: int) -> ResponseReturnValue:
    """Answer GET /cases/N: one case, and what would be in its file."""
    case, case_data, language = _case(number), _case_data(number), request_language()
    thoughts = [
        (percent(one["p"]), hypothesis_text(case_data, k, language))
        for k, one in enumerate(case_data["thought"]["hypotheses"])
    ]
    values: dict[str, Any] = {
        "thoughts": thoughts,
        "said": said_texts(case_data, language) or [words(language)["case.unsaid"]],
        "pictures": [name for name in ("before", "now") if f"{name}.jpg" in members_of(case)],
        "contents": contents_text(case, language).split("\n\n"),
    }
    return render_page("case.html", number=number, told=case_data, **values)


def case_picture(number: int, name: str) -> Response:
    """Answer GET /cases/N/NAME.jpg: the board in this moment, or before it."""
    jpeg = members_of(_case(number)).get(f"{name}.jpg")
    if jpeg is None:
        raise NotFound("a case has the pictures before.jpg and now.jpg")
    return Response(jpeg, mimetype="image/jpeg")


def case_drawing(number: int, k: int) -> Response:
    """Answer GET /cases/N/K.svg: the position of its hypothesis K, 1 first, or with 0 as it was seen."""
    case_data, language = _case_data(number), request_language()
    thought = case_data["thought"]
    positions = [thought["seen"], *(one["tops"] for one in thought["hypotheses"])]
    if k >= len(positions) or positions[k] is None:
        raise NotFound("this case has no such drawing")
    title = hypothesis_text(case_data, k - 1, language) if k else words(language)["case.seen"]
    return Response(
        render_position_svg(position_of(case_data, positions[k]), case_data["colours"], title, names=False),
        mimetype="image/svg+xml",
    )


def download_case(number: int) -> Response:
    """Answer GET /cases/N.millchen-case: the one file that can be sent."""
    case = case_to_send(_case(number), request_language())
    return attachment(case, "application/zip", f"case-{number}{CASE_SUFFIX}")


def keep_cases(on: bool, rooms: bool) -> Response:
    """Answer POST /api/cases: say whether cases are kept from now on, also of ``rooms`` where no board was found."""
    current_context().table.cases.switch(on=on, rooms=rooms)
    return jsonify(ok=True)


def delete_cases(numbers: Sequence[int]) -> Response:
    """Answer POST /api/cases/delete: throw cases away."""
    folder = current_context().table.cases
    return jsonify(ok=True, deleted=folder.delete(numbers))


def fit_to_cases(table: Annotated[str, line(40)], learn: bool) -> Response:
    """Answer POST /api/cases/habits: learn a table's own habits from its settled cases, or forget them."""
    folder = current_context().table.cases
    tables = ProfileFolder(folder.data_folder)
    if not learn:
        forget_habits(tables, table)
        return jsonify(ok=True, changed=True)
    cases = (case for number in folder.numbers() if (case := folder.load(number)) is not None)
    fitted = learn_habits(tables, table, cases)
    return jsonify(ok=True, changed=fitted.is_better, text=habits_text(fitted, request_language()))


def _case(number: int) -> bytes:
    case = current_context().table.cases.load(number)
    if case is None:
        raise NotFound(message("case.gone"))
    return case


def _case_data(number: int) -> dict[str, Any]:
    try:
        return read_case_data(_case(number))
    except ValueError as why:
        raise NotFound(why.args[0]) from why


CASE_ROUTES = (
    Route("/cases", "GET", THIS_COMPUTER, cases_page),
    Route("/cases/<int:number>", "GET", THIS_COMPUTER, case_page),
    Route(f"/cases/<int:number>{CASE_SUFFIX}", "GET", THIS_COMPUTER, download_case),
    Route("/cases/<int:number>/<name>.jpg", "GET", THIS_COMPUTER, case_picture),
    Route("/cases/<int:number>/<int:k>.svg", "GET", THIS_COMPUTER, case_drawing),
    Route("/api/cases", "POST", THIS_COMPUTER, keep_cases),
    Route("/api/cases/delete", "POST", THIS_COMPUTER, delete_cases),
    Route("/api/cases/habits", "POST", THIS_COMPUTER, fit_to_cases),
)
