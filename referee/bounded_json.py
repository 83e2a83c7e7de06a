"""Parses JSON from outside, and refuses text that is nested too deep."""

from __future__ import annotations

import json
import re
from typing import Any

MOST_NESTING = 64  # deepest nesting of lists and objects; a record has six, and parsing recurses
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', re.DOTALL)


class NestedTooDeepError(ValueError):
    """JSON has more brackets in one another than `MOST_NESTING`."""

    def __init__(self) -> None:
        super().__init__(f"more than {MOST_NESTING} brackets in one another")


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; NestedTooDeepError when it is too deep, ValueError when it is no JSON.

    >>> parse_json('{"a": ["[[[", 1]}')
    {'a': ['[[[', 1]}
    """
    if text.count("[") + text.count("{") > MOST_NESTING:
        _check_nesting(text)
    return json.loads(text)


def _check_nesting(text: str) -> None:
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        first = token.group()[0]
        depth += (first in "[{") - (first in "]}")
        if depth > MOST_NESTING:
            raise NestedTooDeepError
