"""Views that answer with JSON: what cannot be done becomes its sentence in the page's language."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, jsonify
from flask.typing import ResponseReturnValue

from calibration.step_texts import Refused
from web.views.table_page import request_language

JsonView = Callable[..., ResponseReturnValue]


def json_answer(view: Callable[..., Any]) -> JsonView:
    """Make a view answer with JSON or a file; a refusal becomes its sentence in the language of the page, and 422."""

    @wraps(view)
    def answered(**values: Any) -> ResponseReturnValue:
        try:
            result = view(**values)
        except Refused as why:
            error = {"code": "not_possible", "text": why.texts[request_language()]}
            response = jsonify(error=error)
            response.status_code = 422
            return response
        if isinstance(result, Response):
            return result
        return jsonify({"ok": True} if result is None else result)

    return answered
