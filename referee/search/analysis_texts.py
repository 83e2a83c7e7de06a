"""What an analysis says of a turn, in any language; the phrases are in ``languages/xx/search.json``."""

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
    found: TurnAnalysis, line_wins: bool, language: str = "en", names: Sequence[str] | None = None
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
    speaker = _Phrases(language, names)
    row = "_row" if line_wins else ""
    sentences = speaker.change(found)
    if MISSED_MILL in found.tags:
        sentences.append(speaker.fill(f"missed{row}", found.player, points=_lines(found.missed)))
    if ALLOWED_MILL in found.tags:
        sentences.append(speaker.fill(f"allowed{row}", found.player, points=_lines(found.allowed)))
    return sentences


def better_sentences(
    found: TurnAnalysis, before: Game, language: str = "en", names: Sequence[str] | None = None
) -> list[str]:
    """Say which turn would have been better in the game ``before`` it, and why."""
    speaker = _Phrases(language, names)
    sentences = [f"{speaker.fill('better', found.player)} {turn_sentence(before, found.best, language, names)}"]
    if found.reasons:
        sentences.append(reason_sentences(found.reasons, language, names))
    if GAVE_AWAY in found.tags:
        sentences.append(
            f"{speaker.fill('gave_away', found.player)} {turn_sentence(before, found.capture, language, names)}"
        )
    return sentences


def turn_sentence(before: Game, text: str, language: str = "en", names: Sequence[str] | None = None) -> str:
    """Say a turn that could be played in ``before``, written in notation."""
    after = before
    for move in parse_turn(text, before.variant.board):
        after = after.play(move)
    return sentence(turn_played(after, 1.0, 0.0, 0), language, names, before.variant.board)


def _lines(lines: Sequence[Sequence[str]]) -> str:
    return ", ".join("–".join(line) for line in lines)


class _Phrases:
    """The phrases of an analysis in one language, with what fills their places."""

    def __init__(self, language: str, names: Sequence[str] | None) -> None:
        self._language, self._names = language, names
        self._phrases = catalogue(language, "search")["analysis"]
        self._numbers = catalogue(language, "referee")["numbers"]

    def fill(self, key: str, player: int, *, points: str = "", n: int = 0, before: int = 0, after: int = 0) -> str:
        """The phrase of a key, about a player."""
        name = Speaker(self._language, self._names).inside(player)
        number = self._numbers.get(str(n), n)
        filled = self._phrases[key].format(player=name, points=points, n=number, before=before, after=after)
        text = grammar(self._language)(filled)
        return text[:1].upper() + text[1:]

    def change(self, found: TurnAnalysis) -> list[str]:
        """What the position was worth before the turn, and what after it."""
        assert found.before is not None
        assert found.after is not None
        me, before, after = found.player, found.before, found.after
        if not before.is_proved and not after.is_proved:
            shares = [round(100 * value.shares[me]) for value in (before, after)]
            return [self.fill("chances", me, before=shares[0], after=shares[1])]
        sentences = []
        if before.is_proved and before.winner == me and before.turns is not None:
            sentences.append(self.fill("was_won" if before.turns > 1 else "was_won_now", me, n=before.turns))
        elif before.is_proved and before.winner is None:
            sentences.append(self.fill("was_drawn", me))
        if after.is_proved and after.winner is not None and after.turns is not None:
            n = after.turns - 1
            sentences.append(self.fill("now_won" if n > 1 else "now_won_next", after.winner, n=n))
        elif after.is_proved:
            sentences.append(self.fill("now_drawn", me))
        elif before.is_proved:
            sentences.append(self.fill("now_open", me))
        return sentences
