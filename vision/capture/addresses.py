"""A text in, the same text without the passwords of addresses such as ``rtsp://user:password@camera/stream`` out."""

from __future__ import annotations

import re

DOTS = "…"
"""Stands where a user with a password, or a query, was left out of an address."""

_USER = re.compile(r"(\w://)\S*@")
_QUERY = re.compile(r"(\w://[^\s?]*)\?\S*?(['\")\]:;,.]*)(?!\S)")
_PASSWORD = re.compile(r"://[^/\s]*:[^/\s]*@|[?&][^=&\s]*(?:pass|pwd|psw|secret|token|key)[^=&\s]*=\S", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """Return a text in which no address holds a user, a password or a query any more.

    What is before the last ``@`` of a word goes, as passwords may have any letters; and so does every query, as each
    camera calls its password otherwise.
    """
    return _QUERY.sub(rf"\1?{DOTS}\2", _USER.sub(rf"\1{DOTS}@", text))


def had_secrets(text: str) -> bool:
    """Return whether a text is an address from which `without_secrets` has removed something."""
    return f"://{DOTS}@" in text or text.endswith(f"?{DOTS}")


def has_password(text: str) -> bool:
    """Return whether a text is an address with a password, as far as that can be seen."""
    return _PASSWORD.search(text) is not None
