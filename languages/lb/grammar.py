"""Luxembourgish: an n at the end of a word is dropped before most sounds."""

from __future__ import annotations

import re

_KEPT_N = re.compile(r"\(n\) (?=[aäeéëiïoöuündtzh]|[cf]\d)", re.IGNORECASE)

_LOOSE_N = re.compile(r"\(n\)")


def join(text: str) -> str:
    """Keep or drop each ``(n)``: the n stays before a vowel and before n, d, t, z and h (the rule of the Eifel).

    The name of a point counts as it is spoken: "vun f6" (eff), "vun c3" (tsee), but "vu b4".

    >>> join("vu(n) f6, vu(n) b4, vu(n) Orange")
    'vun f6, vu b4, vun Orange'
    """
    return _LOOSE_N.sub("", _KEPT_N.sub("n ", text))
