"""Sentences of an analysis in any language; the phrases are in ``languages/xx/search.json``."""

from __future__ import annotations

from collections.abc import Sequence

from languages import catalogue, grammar
from referee.announce import Speaker, sentence
from referee.game import Game
from referee.game_events import turn_played
from referee.moves import parse_turn
from referee.search.analysis import ALLOWED_MILL, GAVE_AWAY, MISSED_MILL, TurnAnalysis
from referee.search.reasons import reason_sentences


def analysis_sentences(
    analysis: TurnAnalysis, line_wins: bool, language: str = "en", names: Sequence[str] | None = None
) -> list[str]:
    """Say what a turn changed, for players; ``names`` (or colours) are as for ``referee.announce.sentence``.

    Where ``line_wins`` the game three in a row are no mill.

    >>> from referee.search.thought import Value
    >>> lost = TurnAnalysis(8, 1, "a1-a2", "b2-c2", Value.drawn(2), Value.won(2, 0, 4), 0.5, ("blunder",))
    >>> for told in analysis_sentences(lost, True, "en", ("red", "blue")):
    ...     print(told)
    With best play the game was drawn here.
    After this turn Red wins by force, in three turns, counting all players.
    """
    row = "_row" if line_wins else ""
    phrases = _change(analysis)
    if MISSED_MILL in analysis.tags:
        phrases.append((f"missed{row}", analysis.player, {"points": _lines(analysis.missed)}))
    if ALLOWED_MILL in analysis.tags:
        phrases.append((f"allowed{row}", analysis.player, {"points": _lines(analysis.allowed)}))
    return [_filled(language, names, *one) for one in phrases]


def better_sentences(
    analysis: TurnAnalysis, before: Game, language: str = "en", names: Sequence[str] | None = None
) -> list[str]:
    """Say which turn would have been better in the game ``before`` it, and why."""
    better = _filled(language, names, "better", analysis.player)
    sentences = [f"{better} {turn_sentence(before, analysis.best, language, names)}"]
    if analysis.reasons:
        sentences.append(reason_sentences(analysis.reasons, language, names))
    if GAVE_AWAY in analysis.tags:
        gave_away = _filled(language, names, "gave_away", analysis.player)
        sentences.append(f"{gave_away} {turn_sentence(before, analysis.capture, language, names)}")
    return sentences


def turn_sentence(before: Game, text: str, language: str = "en", names: Sequence[str] | None = None) -> str:
    """Say a turn that could be played in ``before``, written in notation."""
    after = before
    for move in parse_turn(text, before.variant.board):
        after = after.play(move)
    return sentence(turn_played(after, 1.0, 0.0, 0), language, names, before.variant.board)


def _lines(lines: Sequence[Sequence[str]]) -> str:
    return ", ".join("–".join(line) for line in lines)


_Phrase = tuple[str, int, dict[str, object]]  # the key of a phrase, the player whom it is about, what fills its places


def _filled(
    language: str, names: Sequence[str] | None, key: str, player: int, values: dict[str, object] | None = None
) -> str:
    speaker = Speaker(language, names)
    numbers = {
        name: speaker.number(value) if isinstance(value, int) else value for name, value in (values or {}).items()
    }
    text = catalogue(language, "search")["analysis"][key].format(player=speaker.inside(player), **numbers)
    text = grammar(language)(text)
    return text[:1].upper() + text[1:]


def _change(analysis: TurnAnalysis) -> list[_Phrase]:
    """What the position was worth before the turn, and what after it."""
    assert analysis.before is not None
    assert analysis.after is not None
    me, before, after = analysis.player, analysis.before, analysis.after
    if not before.is_proved and not after.is_proved:
        shares = (f"{100 * value.shares[me]:.0f}" for value in (before, after))
        return [("chances", me, dict(zip(("before", "after"), shares, strict=True)))]
    phrases: list[_Phrase] = []
    if before.is_proved and before.winner == me and before.turns is not None:
        phrases.append(("was_won" if before.turns > 1 else "was_won_now", me, {"n": before.turns}))
    elif before.is_proved and before.winner is None:
        phrases.append(("was_drawn", me, {}))
    if after.is_proved and after.winner is not None and after.turns is not None:
        n = after.turns - 1
        phrases.append(("now_won" if n > 1 else "now_won_next", after.winner, {"n": n}))
    elif after.is_proved:
        phrases.append(("now_drawn", me, {}))
    elif before.is_proved:
        phrases.append(("now_open", me, {}))
    return phrases
