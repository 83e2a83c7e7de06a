"""Reasons in words, in any language; the phrases are in ``languages/xx/search.json``."""

from __future__ import annotations

from collections.abc import Sequence

from languages import catalogue, grammar
from referee.announce import player_inside, spoken_point
from referee.search.reasons import Reason


def reason_sentence(
    reason: Reason, language: str = "en", colours: Sequence[str] | None = None, *, spoken: bool = False
) -> str:
    """Say one reason, for players; parameters as for ``referee.announce.sentence``.

    >>> reason_sentence(Reason("blocks", ("d2",), player=1), "en", ("red", "blue"))
    'It stops a mill of Blue on d2.'
    >>> reason_sentence(Reason("opens_mills", ("a1", "d2"), 2), "de")
    'Damit drohen zwei Mühlen zugleich: auf a1 und d2.'
    """
    phrases, words = catalogue(language, "search")["reason"], catalogue(language, "referee")
    points = [spoken_point(point, language) if spoken else point for point in reason.points]
    told = points[0] if len(points) == 1 else ""
    if len(points) > 1:
        told = f"{', '.join(points[:-1])} {words['phrases']['and']} {points[-1]}"
    other = "" if reason.player is None else player_inside(reason.player, language, colours)
    n = words["numbers"].get(str(reason.n), reason.n)
    return grammar(language)(phrases[reason.kind].format(points=told, n=n, other=other))


def reason_sentences(
    reasons: Sequence[Reason], language: str = "en", colours: Sequence[str] | None = None, *, spoken: bool = False
) -> str:
    """Say reasons one after another."""
    return " ".join(reason_sentence(reason, language, colours, spoken=spoken) for reason in reasons)
