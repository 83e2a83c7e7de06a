"""After the game: a game in, the value of each turn beside the best one and the turning point out.

The analysis goes backwards from the end, so it knows what is proved later. It compares the played turn and the best
turn at the same depth: by a search of the position before them, and by searches of the positions after each. It blames
the mover only for what both comparisons say, and only beyond a margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from referee.endings import Outcome
from referee.game import Game
from referee.moves import turn_text
from referee.position import Mills
from referee.search.reasons import Reason, chances, reasons_for
from referee.search.think import think
from referee.search.thought import Limits, RankedTurn, Thought, Value
from referee.turns import Turn
from referee.typed_json import Player, Share

USUAL_LIMITS = Limits(positions=8_000)  # of each search: a fifth of a second; source: ``planted_games.py``
BLUNDER_SHARE = 0.15  # least share of the game given away by a blunder: about a stone; source: ``planted_games.py``
SLIP_SHARE = 0.06  # least share given away by a mill that was missed or allowed

# so many times the positions are looked at before a blunder is reported that is not proved: what lies beyond the depth
# of the first search makes it look wrong too often (8 of 28 blunders were not confirmed by a search five times as long
# without this, in games of a weaker partner); source: ``planted_games.py``
TIMES_TO_CONFIRM = 4

MOST_ANSWERS_TRIED = 12  # best turns whose positions are searched until one of them holds
BLUNDER, GAVE_AWAY, MISSED_MILL, ALLOWED_MILL = "blunder", "gave_away", "missed_mill", "allowed_mill"

# what can be said about a turn: it gave away much; its capture did, where another stone would have kept the win; a mill
# could have been closed and that was better; the next player can now close a mill that the better turn prevents
TAGS = (BLUNDER, GAVE_AWAY, MISSED_MILL, ALLOWED_MILL)


class TurnAnalysis(NamedTuple):
    """What one turn was worth."""

    ply: int  # number of the turn, 1 first
    player: Player  # who made it, 0 first
    # the turn in notation; empty where nobody moved (a foul that stood, a position that was taken over): there is then
    # nothing to say but what the position before was worth
    played: str
    best: str = ""  # the best turn found; empty where none is better than the one played
    # before, after: what the position was worth before it when everybody plays best, and after it; None where there is
    # nothing to compare or the game was over
    before: Value | None = None
    after: Value | None = None
    loss: Share = 0.0  # share of the game that the mover gave away
    tags: tuple[str, ...] = ()  # see ``TAGS``
    # missed, allowed: the mills that the better turn closes, and those that the next player can close and could not
    # after it
    missed: Mills = ()
    allowed: Mills = ()
    capture: str = ""  # the turn with the better capture, where the tag says that the capture gave the win away
    reasons: tuple[Reason, ...] = ()  # why the best turn is better
    line: tuple[str, ...] = ()  # how the game may go on after the best turn

    @property
    def is_proved(self) -> bool:
        """Whether both values are certain."""
        return self.before is not None and self.after is not None and self.before.is_proved and self.after.is_proved


# ---------------------------------------------------------------- the whole game


def games_of(game: Game) -> tuple[Game, ...]:
    """The game before each of its turns, and last after all of them, as the rules alone judge it."""
    whole = Game.replay(game.first_position, game.turns)
    return (*reversed(whole.taken_back(whole.ply)), whole)


def standing(game: Game, limits: Limits) -> Value:
    """What a position of a game is worth by the rules alone, or by the search."""
    if game.outcome is not None:
        return Value.of(game.outcome, game.variant.players)
    return think(game, limits).value


# ---------------------------------------------------------------- one turn


def analyse_turn(game: Game, turn: Turn, limits: Limits, after: Value | None = None) -> TurnAnalysis:
    """Compare a turn with the best one; each search has the ``limits``.

    ``after`` is what the position after it is worth, where that was found out already: ``before`` of the next turn.
    """
    ply, me = game.ply + 1, turn.player
    if turn.remarks or game.outcome is not None:
        return TurnAnalysis(ply, me, "", before=standing(game, limits))
    text = turn_text(turn.moves)
    if after is None:
        after = standing(game.play_turn(turn), limits)
    after = after.a_turn_earlier()
    thought = think(game, limits, also=turn)
    own = next((ranked.value for ranked in thought.ranked if ranked.turn.after == turn.after), after)
    best = thought.ranked[0]
    is_best = best.turn.after == turn.after or after.winner == me  # he wins by force all the same
    is_refuted = after.is_proved and after.winner != me and not best.value.is_proved
    if not is_refuted and (is_best or not _is_worse(own, after, best.value, me)):
        return TurnAnalysis(ply, me, text, before=_better(best.value, after, me), after=after)
    choice, later, loss = _better_choice(game, thought, turn, own, after, limits)
    if choice is None:
        is_certain = best.value.is_proved or len(thought.ranked) <= MOST_ANSWERS_TRIED
        before = _better(best.value, after, me) if is_certain else Value(after.shares)
        return TurnAnalysis(ply, me, text, before=before, after=after)
    line = tuple(map(str, thought.line[1:])) if choice.turn is best.turn else ()
    after_value = later if later.is_proved or choice.value.is_proved or not own.is_proved else own
    analysis = TurnAnalysis(
        ply, me, text, str(choice.turn), choice.value, after_value, loss, reasons=reasons_for(game, choice), line=line
    )
    return _with_tags(game, turn, analysis, choice, limits)


def _is_worse(own: Value, after: Value, best: Value, me: int) -> bool:
    """Whether a turn looks worse than the best one by enough to look more closely."""
    if best.is_proved and after.is_proved:
        return best.shares[me] > after.shares[me]
    return best.shares[me] - min(own.shares[me], after.shares[me]) >= SLIP_SHARE


def _better_choice(
    game: Game, thought: Thought, turn: Turn, own: Value, after: Value, limits: Limits
) -> tuple[RankedTurn | None, Value, float]:
    """The best turn that is better than the one played when what lies after both is searched, if there is one.

    With it what the turn that was played is worth, and by how much less that is, by the least of all comparisons.
    """
    me, deeper = turn.player, limits
    if limits.positions is not None:
        deeper = limits._replace(positions=limits.positions * TIMES_TO_CONFIRM)
    for ranked in thought.ranked[:MOST_ANSWERS_TRIED]:
        if ranked.turn.after == turn.after:
            continue
        value = ranked.value
        if not value.is_proved:
            value = standing(game.play_turn(ranked.turn), limits).a_turn_earlier()
        loss = value.shares[me] - after.shares[me]
        if not after.is_proved and not value.is_proved:
            loss = min(loss, ranked.value.shares[me] - own.shares[me])
        later = after
        if loss >= BLUNDER_SHARE and not (after.is_proved and value.is_proved):
            if not value.is_proved:
                value = standing(game.play_turn(ranked.turn), deeper).a_turn_earlier()
            if not after.is_proved:
                later = standing(game.play_turn(turn), deeper).a_turn_earlier()
            loss = min(loss, value.shares[me] - later.shares[me])
        if loss > 0:
            return RankedTurn(ranked.turn, value), later, loss
        if not after.is_proved:
            break
    return None, after, 0.0


def _with_tags(game: Game, turn: Turn, analysis: TurnAnalysis, choice: RankedTurn, limits: Limits) -> TurnAnalysis:
    """The analysis of a turn that was not the best one, with what is to be said about it."""
    assert analysis.before is not None
    assert analysis.after is not None
    me, loss = turn.player, analysis.loss
    has_changed = analysis.is_proved and loss > 0
    tags: list[str] = []
    has_lost_a_win = analysis.is_proved and analysis.before.winner == me and analysis.after.winner != me
    if has_changed or loss >= BLUNDER_SHARE or has_lost_a_win:
        tags.append(BLUNDER)
    capture = ""
    if tags and len(turn.moves) > 1:
        capture = _better_capture(game, turn, choice, analysis.after, limits)
        tags += [GAVE_AWAY] if capture else []
    missed: Mills = ()
    allowed: Mills = ()
    if has_changed or loss >= SLIP_SHARE:
        if choice.turn.mills and not turn.mills:
            missed = choice.turn.mills
            tags.append(MISSED_MILL)
        allowed = _allowed(turn, choice.turn)
        tags += [ALLOWED_MILL] if allowed else []
    return analysis._replace(tags=tuple(tags), missed=missed, allowed=allowed, capture=capture)


def _better_capture(game: Game, turn: Turn, choice: RankedTurn, after: Value, limits: Limits) -> str:
    """The turn with other captures that keeps the mover ahead where his own did not; empty without one."""
    me = turn.player
    if choice.turn.moves[0] == turn.moves[0] and choice.value.shares[me] > 1 / game.variant.players:
        return str(choice.turn)
    unfinished = game.play(turn.moves[0])
    if not unfinished.position.dues:
        return ""
    thought = think(unfinished, limits)
    is_kept = thought.value.winner == me or thought.value.shares[me] - after.shares[me] >= BLUNDER_SHARE
    if not is_kept or thought.value.shares[me] <= 1 / game.variant.players or thought.turn.after == turn.after:
        return ""
    value = standing(unfinished.play_turn(thought.turn), limits)
    if value.shares[me] - after.shares[me] < BLUNDER_SHARE:
        return ""
    return turn_text((turn.moves[0], *thought.turn.moves))


def _allowed(turn: Turn, better: Turn) -> Mills:
    """The lines that the next player can close now and could not have closed after the better turn."""
    after, other = turn.after, better.after
    if after.ended is not None or after.to_move == turn.player:
        return ()
    closable = _lines(chances(after, after.to_move))
    prevented = _lines(chances(other, after.to_move)) if other.to_move == after.to_move else {}
    return tuple(line for line in closable if line not in prevented)


def _lines(mill_chances: Iterable[Any]) -> dict[tuple[str, ...], None]:
    return {tuple(line): None for chance in mill_chances for line in chance.lines}


def _better(one: Value, other: Value, me: int) -> Value:
    """The better of two values of a turn for its mover; what is proved counts before what is not."""
    if one.is_proved != other.is_proved:
        return one if one.is_proved else other
    return one if one.shares[me] >= other.shares[me] else other


# ---------------------------------------------------------------- the turning point


def turning_point(turns: Sequence[TurnAnalysis], outcome: Outcome | None, end: Value) -> int | None:
    """Number of the turn that changed the result; None where there was none, or the game has no result.

    Of the turns that gave much away it is the one that the winner owes his win to: after the last one with which he
    gave it out of his hands himself, the greatest loss of another player by which his share rose, of equal ones the
    last. Of a draw it is the last turn with which somebody gave a better position away. Nothing is claimed where what
    it changed did not stay so until the end: a player who resigns in an even position has no turning point.
    """
    if outcome is None:
        return None
    blunders = [one for one in turns if BLUNDER in one.tags and one.before is not None and one.after is not None]
    winner = outcome.winner
    if winner is None:
        if not outcome.is_draw:
            return None
        gifts = [one for one in blunders if _share(one.before, one.player) > 1 / len(end.shares)]
        is_even = max(end.shares) - 1 / len(end.shares) < BLUNDER_SHARE
        return gifts[-1].ply if gifts and is_even else None
    given_back = [one.ply for one in blunders if one.player == winner]
    since = given_back[-1] if given_back else 0
    causes = [
        one
        for one in blunders
        if one.ply > since and one.player != winner
        if _share(one.after, winner) > _share(one.before, winner)
        if end.winner == winner or end.shares[winner] - _share(one.before, winner) >= BLUNDER_SHARE
    ]  # fmt: skip
    return max(causes, key=lambda one: (one.loss, one.ply)).ply if causes else None


def _share(value: Value | None, player: int) -> float:
    return 0.0 if value is None else value.shares[player]
