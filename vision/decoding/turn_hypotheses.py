"""The hypotheses that may explain what the table shows: everything that people may do between two looks at rest.

A hypothesis says what the table should show if it is true, and what it costs, in nats, to believe it:

* nothing; a lawful turn; a turn whose capture is still due, and then that capture; two lawful turns between two looks;
* turns taken back; the last turn read wrongly, and another one in its place (its own evidence is weighed again);
* after a foul: the table put right, or some of it so far; put right and a turn played; or the foul let stand and
  a turn played on;
* an unlawful act: the referee (``referee.rulings``) says of every table that the evidence suggests which act leads
  there, and how often people do that. A table that no act explains is never forbidden, only dear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from itertools import combinations

import numpy as np

from referee.game import Game
from referee.moves import Move, Place, Rotate, Slide
from referee.position import Position
from referee.resumption import readings
from referee.rules import Turn, legal_turns, partial_turns
from referee.rulings import Ruling, rule_on, rule_on_turned_ring
from referee.turns import before_removal
from vision.decoding.belief import Belief, PointTops, RingSteps, TurnSequence, UndecidedRest
from vision.rotation.angle_at_rest import ROTATION_STEPS

IDLE_VISIT_COST_NATS = 3.0
"""Nats against the hypothesis that nothing was done although a hand was over the board: one visit in twenty is idle.
Source: chosen."""

TURN_COST_NATS = 2.0
"""Nats against a lawful turn, before it is shared out among the turns that are possible. Source: chosen."""

SECOND_TURN_COST_NATS = 5.0
"""Nats more for a second turn between two looks: people wait for each other, mostly. Source: chosen."""

UNWATCHED_TURN_COST_NATS = 3.0
"""The same between two photographs of a series: one photograph in twenty is left out. Source: chosen."""

BETWEEN_ACTS_COST_NATS = 3.0
"""Nats more for a photograph that was taken between an act and the capture that it earned, and not after the turn: one
in twenty. Source: chosen."""

MIN_UNDECIDED_LOG_POSTERIOR = -8.0
"""Log posterior that turns get in an undecided rest when they were no hypothesis there. Source: chosen."""

COVERED_TURN_COST_NATS = 3.5
"""Nats more for two turns between two looks of which the second covers or takes what the first has changed: of all
points it must be that one, and players look at what they cover. Source: chosen."""

TAKE_BACK_COST_NATS = 6.0
"""Nats for taking back one turn. Source: chosen."""

FURTHER_TAKE_BACK_COST_NATS = 1.0
"""Nats for each further turn that is taken back. Source: chosen."""

RING_TURNED_BACK_COST_NATS = 6.5
"""Nats more where a ring was turned: the next player who turns it back, which is a foul, looks just the same. Source:
chosen."""

PUT_BACK_COST_NATS = 3.5
"""Nats for several turns that were just taken back and are shown again: a stone was only lifted, say. Source:
chosen."""

MISREAD_COST_NATS = 5.0
"""Nats for having misread the last turn, or for a stone that its player has put elsewhere. The evidence of that turn
against it is added: what was clearly seen then needs a foul to look otherwise now. Source: chosen."""

PARTLY_RESTORED_COST_NATS = 2.0
"""Nats for a foul of which some stones have been put right and others not yet: hands rest between two stones less often
than they put all right at once. Source: chosen."""

PLAY_ON_COST_NATS = 5.0
"""Nats for letting a foul stand and playing on: most people put it right. Source: chosen."""

NO_HAND_COST_NATS = 4.0
"""Nats against anything having been done where no hand was seen over the board since: it was only pushed, or the light
has changed. Source: chosen."""

MAX_SUSPECTED_STONES = 6
"""Number of stones, the likeliest of all that are not expected, of which the tables of unlawful acts are made up.
Source: chosen; two turns with two captures each change six points."""

MAX_STONES_OF_ACT = 3
"""Most of them that one act changes: a stone moved, and one taken. Source: chosen; acts that change more are found
where all that is likelier than not has changed."""

MIN_SUSPICION_NATS = -3.0
"""Least evidence for such a stone against what was expected. Source: chosen."""

CHANGE_OUT_OF_SIGHT_COST_NATS = 3.0
"""Nats for each point that a hypothesis changes where nothing can be seen: there any change would fit.
Source: chosen."""

MAX_TURNS_TAKEN_BACK = 6
"""Most turns that may be taken back between two looks. Source: chosen."""


class HypothesisKind(Enum):
    """The kinds of hypotheses: what happened since the last decision."""

    NOTHING_DONE = auto()
    TURN = auto()
    MILL_CLOSED = auto()
    TURN_CHANGED = auto()
    TWO_TURNS = auto()
    TAKEN_BACK = auto()
    MISREAD = auto()
    RESTORED = auto()
    PARTLY_RESTORED = auto()
    PLAYED_ON = auto()
    UNEXPLAINED = auto()


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One hypothesis of what happened, with what the table should show if it is true.

    Attributes
    ----------
    kind : HypothesisKind
    tops : tuple of int
        Appearance per point: 0 bare, k the stone on top is painted in the colour of player k - 1.
    cost : float
        Minus the log of the prior, up to a constant; nats.
    game : Game
        The game before ``turns``, if the hypothesis is true.
    turns : tuple of Turn
        Lawful turns played since, in order.
    pending : Turn or None
        A turn begun whose capture is still due.
    undone : int
        Number of accepted turns that the hypothesis takes back.
    steps : tuple of int
        Steps by which each ring has turned since the last decision; empty where nothing turns.
    ruling : Ruling or None
        What was wrong, where the act was unlawful.
    """

    kind: HypothesisKind
    tops: PointTops
    cost: float
    game: Game
    turns: tuple[Turn, ...] = ()
    pending: Turn | None = None
    undone: int = 0
    steps: RingSteps = ()
    ruling: Ruling | None = None

    @property
    def heights(self) -> PointTops | None:
        """Stones on each point, if the hypothesis is true; None where the hypothesis says nothing about heights."""
        if self.kind is HypothesisKind.UNEXPLAINED:
            return None
        if self.pending is not None:
            return self.pending.after.heights
        if not self.turns:
            return self.game.position.heights
        before, last = self.turns[-2].after if len(self.turns) > 1 else self.game.position, self.turns[-1]
        return (last.after if last.after.tops == self.tops else before_removal(before, last)).heights


def lawful_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """Yield every lawful hypothesis, except those with a second turn."""
    for hypothesis in _all_lawful(belief):
        if hypothesis.kind is not HypothesisKind.NOTHING_DONE:
            cost = hypothesis.cost + _cost_of_unseen_hands(belief)
            if hypothesis.kind is HypothesisKind.MILL_CLOSED and belief.pending is None:
                cost += BETWEEN_ACTS_COST_NATS * belief.photographed
            hypothesis = replace(hypothesis, cost=cost)
        yield _with_ring_steps(hypothesis, belief)


def second_turn_cost(belief: Belief) -> float:
    """Return the nats more for a second turn between two looks."""
    return UNWATCHED_TURN_COST_NATS if belief.photographed else SECOND_TURN_COST_NATS


def follow_up_hypotheses(belief: Belief, first: Hypothesis) -> Iterator[Hypothesis]:
    """Yield a hypothesis that ends in a turn, extended by every lawful next turn."""
    game = first.game
    for turn in first.turns:
        game = game.play_turn(turn)
    for second in _turn_hypotheses(game, HypothesisKind.TWO_TURNS, second_turn_cost(belief)):
        halfway = BETWEEN_ACTS_COST_NATS * (belief.photographed and second.pending is not None)
        both = replace(
            first,
            kind=first.kind
            if first.kind in (HypothesisKind.MISREAD, HypothesisKind.PLAYED_ON)
            else HypothesisKind.TWO_TURNS,
            tops=second.tops,
            cost=first.cost + second.cost + halfway,
            turns=first.turns + second.turns,
            pending=second.pending,
        )
        if has_unseen_turn(both) and not has_unseen_turn(first):
            both = replace(
                both, cost=both.cost + COVERED_TURN_COST_NATS * (game.position.tops != first.game.position.tops)
            )
        yield _with_ring_steps(both, belief)


def has_unseen_turn(hypothesis: Hypothesis) -> bool:
    """Return whether a turn before the last changes nothing visible: covered or taken again, or laid on its colour."""
    after = [
        turn.after.tops
        for turn in (*hypothesis.turns, *((hypothesis.pending,) if hypothesis.pending is not None else ()))
    ]
    before = hypothesis.game.position.tops
    for tops in after[:-1]:
        if not any(now != then and now == last for then, now, last in zip(before, tops, after[-1], strict=True)):
            return True
        before = tops
    return False


def undecided_rest_log_ratio(belief: Belief, hypothesis: Hypothesis) -> float:
    """Return the log likelihood ratio that the undecided rest before this one gives to a hypothesis, nats.

    It is the best of three cases: nothing was played since that rest, so all turns explain it; the last turn was played
    since, so the turns before explain it; or all turns were played since, and what lay there was taken back.
    """
    if not belief.undecided_log_posterior or hypothesis.kind not in (
        HypothesisKind.NOTHING_DONE,
        HypothesisKind.TURN,
        HypothesisKind.MILL_CLOSED,
        HypothesisKind.TWO_TURNS,
    ):
        return 0.0
    turns = tuple(turn.moves for turn in hypothesis.turns)
    idle = _undecided_log_posterior(belief, hypothesis, turns) - IDLE_VISIT_COST_NATS
    if hypothesis.kind is HypothesisKind.NOTHING_DONE:
        return max(idle, -TAKE_BACK_COST_NATS) + hypothesis.cost
    earlier = turns if hypothesis.pending is not None else turns[:-1]
    played = (
        _undecided_log_posterior(belief, hypothesis, earlier)
        - TURN_COST_NATS
        - 0.5 * float(np.log(len(hypothesis.tops)))
    )
    since = max(_undecided_log_posterior(belief, hypothesis, ()), -TAKE_BACK_COST_NATS) - hypothesis.cost
    return max(idle, played, since) + hypothesis.cost


def _undecided_log_posterior(belief: Belief, hypothesis: Hypothesis, turns: TurnSequence) -> float:
    """Return the log posterior of turns in the last rest, less the evidence that this rest shows once more, nats."""
    nats = belief.undecided_log_posterior.get(turns, MIN_UNDECIDED_LOG_POSTERIOR)
    undecided = belief.undecided
    if undecided is None or turns not in undecided.log_posterior:
        return nats
    if belief.position.variant.max_height > 1:
        return nats - _counted_before(belief, undecided, hypothesis, turns)
    if not hypothesis.steps or not len(undecided.ring_log_likelihood):
        return nats
    steps = _ring_steps_of(belief.game, (move for moves in turns for move in moves))
    return nats - sum(
        float(undecided.ring_log_likelihood[ring, ROTATION_STEPS.index(now)])
        for ring, (then, now) in enumerate(zip(steps, hypothesis.steps, strict=True))
        if then == now and now in ROTATION_STEPS
    )


def _counted_before(belief: Belief, undecided: UndecidedRest, hypothesis: Hypothesis, turns: TurnSequence) -> float:
    """Return the change log odds, in the last rest, of stones laid on their own colour: this rest shows them again."""
    index, shown, then = belief.position.board.index, belief.expected_tops, undecided.change_log_odds
    goals = {index[move.to] for moves in turns for move in moves if isinstance(move, Place | Slide)}
    return sum(float(then[goal]) for goal in goals if len(then) and hypothesis.tops[goal] == shown[goal])


def unlawful_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """Yield the unlawful acts that the evidence suggests, each with the table that it leads to, and each ring turned.

    They cost what people do as seldom. Several acts may lead to a table; the likeliest one stands for them.
    """
    position, shown = belief.shown_position, belief.expected_tops
    still = (0,) * len(belief.rest.ring_log_likelihood)
    for tops in _suspected_tables(belief):
        yield _unlawful(belief, tops, still, _ruling(position, tops))
    for r, ring in enumerate(belief.position.board.rings):
        for step in (-1, 1):
            turned = list(shown)
            for k, point in enumerate(ring):
                turned[ring[(k + step) % len(ring)]] = shown[point]
            steps = tuple(step if k == r else 0 for k in range(len(still)))
            plain = tuple(turned) == shown
            ruling = rule_on_turned_ring(position, r, step) if plain else _ruling(position, tuple(turned))
            yield _unlawful(belief, tuple(turned), steps, ruling)


def _cost_of_unseen_hands(belief: Belief) -> float:
    """Return the nats against anything having been done. Before the first decision nobody watched the hands."""
    return NO_HAND_COST_NATS * (not belief.visited and belief.bias is not None)


def _unlawful(belief: Belief, tops: PointTops, steps: RingSteps, ruling: Ruling) -> Hypothesis:
    cost = TURN_COST_NATS + _cost_of_unseen_hands(belief) + ruling.nats
    return Hypothesis(
        HypothesisKind.UNEXPLAINED, tops, cost, belief.game, pending=belief.pending, steps=steps, ruling=ruling
    )


@lru_cache(maxsize=4096)
def _ruling(position: Position, tops: PointTops) -> Ruling:
    """Return the ruling on a table; the looks of one rest suggest the same tables again and again."""
    return rule_on(position, tops)


def _suspected_tables(belief: Belief) -> Iterator[PointTops]:
    """Yield the tables that differ from the expected one by some of the stones that the evidence suggests."""
    expected = np.array(belief.expected_tops)
    rows = np.arange(len(expected))
    news = belief.rest.log_likelihood
    change = belief.rest.change_log_odds
    nats = news - news[rows, expected][:, None] + change[:, None]
    nats[rows, expected] = -np.inf
    order = np.argsort(-nats, axis=None, kind="stable")
    suspected = [divmod(int(k), nats.shape[1]) for k in order if nats.flat[k] > MIN_SUSPICION_NATS]
    likeliest = suspected[:MAX_SUSPECTED_STONES]
    groups = [group for n in range(1, MAX_STONES_OF_ACT + 1) for group in combinations(likeliest, n)]
    plain = dict(reversed([(point, top) for point, top in suspected if nats[point, top] > 0]))
    for stones in [*groups, tuple(plain.items())]:
        points = {point for point, _ in stones}
        if stones and len(points) == len(stones):
            tops = expected.copy()
            for point, top in stones:
                tops[point] = top
            yield tuple(tops.tolist())


def _all_lawful(belief: Belief) -> Iterator[Hypothesis]:
    game = belief.game
    yield Hypothesis(
        HypothesisKind.NOTHING_DONE,
        belief.expected_tops,
        IDLE_VISIT_COST_NATS * belief.visited,
        game,
        pending=belief.pending,
    )
    if belief.disputed_tops is not None:
        yield from _after_a_foul(belief)
    elif belief.pending is not None:
        yield from _completions(belief)
    else:
        for reading in readings(game):
            yield from _turn_hypotheses(reading, HypothesisKind.TURN, TURN_COST_NATS)
    yield from _taken_back(belief)
    if len(belief.accepted.withdrawn) > 1 and belief.pending is None and belief.disputed_tops is None:
        tops = belief.accepted.withdrawn[-1].after.tops
        yield Hypothesis(HypothesisKind.TWO_TURNS, tops, PUT_BACK_COST_NATS, game, turns=belief.accepted.withdrawn)
    if game.turns and belief.disputed_tops is None and belief.pending is None:
        before = game.take_back()
        for hypothesis in _turn_hypotheses(before, HypothesisKind.MISREAD, MISREAD_COST_NATS, undone=1):
            if hypothesis.tops != game.position.tops and hypothesis.turns:
                yield replace(hypothesis, cost=hypothesis.cost - _log_ratio_of_misread(hypothesis, belief))


def _log_ratio_of_misread(hypothesis: Hypothesis, belief: Belief) -> float:
    """Return the log likelihood ratio of a hypothesis's turn to the last accepted one, in the evidence of that turn.

    Where several turns were read from one rest, the last may not have been played then. So the table without it is
    considered as well.
    """
    if not belief.accepted.log_likelihood:
        return 0.0
    evidence = belief.accepted.log_likelihood[-1]
    rows = np.arange(len(evidence))
    instead = [hypothesis.turns[0].after.tops] + [hypothesis.game.position.tops] * (belief.accepted.n_turns > 1)
    then = evidence[rows, np.array(belief.game.position.tops)].sum()
    return float(max(evidence[rows, np.array(tops)].sum() for tops in instead) - then)


def _turn_hypotheses(game: Game, kind: HypothesisKind, cost: float, undone: int = 0) -> Iterator[Hypothesis]:
    """Yield each lawful turn from a game, whole or with its capture still due."""
    if game.outcome is not None:
        return
    whole = legal_turns(game.position)
    begun = partial_turns(game.position)
    share = 0.5 * float(np.log(max(1, len(whole))))
    for turn in whole:
        for tops in tops_of_turn(game.position, turn):
            yield Hypothesis(kind, tops, cost + share, game, turns=(turn,), undone=undone)
    for turn in begun:
        half = HypothesisKind.MILL_CLOSED if kind is HypothesisKind.TURN else kind
        yield Hypothesis(half, turn.after.tops, cost + share, game, pending=turn, undone=undone)


def tops_of_turn(position: Position, turn: Turn) -> tuple[PointTops, ...]:
    """Return what the table may show after a turn: stones that leave the board with it may still lie there."""
    return tuple(dict.fromkeys((turn.after.tops, before_removal(position, turn).tops)))


def _completions(belief: Belief) -> Iterator[Hypothesis]:
    """Yield each completion of a turn begun, and each other turn in its place."""
    game, begun = belief.game, belief.pending
    assert begun is not None  # the caller looked
    endings = legal_turns(begun.after)
    share = 0.5 * float(np.log(max(1, len(endings))))
    for ending in endings:
        turn = Turn(begun.moves + ending.moves, ending.after, begun.mills, begun.player)
        for tops in tops_of_turn(game.position, turn):
            yield Hypothesis(HypothesisKind.TURN, tops, TURN_COST_NATS / 2 + share, game, turns=(turn,))
    for ending in partial_turns(begun.after):
        turn = Turn(begun.moves + ending.moves, ending.after, begun.mills, begun.player)
        yield Hypothesis(HypothesisKind.MILL_CLOSED, turn.after.tops, TURN_COST_NATS / 2 + share, game, pending=turn)
    yield Hypothesis(HypothesisKind.TURN_CHANGED, game.position.tops, TAKE_BACK_COST_NATS, game)
    for hypothesis in _turn_hypotheses(game, HypothesisKind.TURN, TAKE_BACK_COST_NATS + TURN_COST_NATS):
        if hypothesis.tops != begun.after.tops:
            yield replace(
                hypothesis, kind=HypothesisKind.TURN_CHANGED if hypothesis.pending is not None else HypothesisKind.TURN
            )


def _taken_back(belief: Belief) -> Iterator[Hypothesis]:
    game = belief.game
    for k in range(1, min(MAX_TURNS_TAKEN_BACK, len(game.turns)) + 1):
        game = game.take_back()
        cost = TAKE_BACK_COST_NATS + FURTHER_TAKE_BACK_COST_NATS * (k - 1)
        if any(isinstance(move, Rotate) for move in belief.game.turns[-k].moves):
            cost += RING_TURNED_BACK_COST_NATS
        yield Hypothesis(HypothesisKind.TAKEN_BACK, game.position.tops, cost, game, undone=k)


def _after_a_foul(belief: Belief) -> Iterator[Hypothesis]:
    """Yield the table put right, put right and played on, and the foul let stand and played on."""
    game, tops = belief.game, belief.disputed_tops
    assert tops is not None  # the caller looked
    yield Hypothesis(HypothesisKind.RESTORED, belief.position.tops, 1.0, game, pending=belief.pending)
    yield from _partly_restored(belief)
    if belief.pending is not None:
        yield from _completions(belief)
    else:
        yield from _turn_hypotheses(game, HypothesisKind.TURN, 1.0 + TURN_COST_NATS)
    for player in range(game.variant.players):  # whose turn it is then depends on who was at fault
        yield from _turn_hypotheses(
            game.play_on(tops, to_move=player), HypothesisKind.PLAYED_ON, PLAY_ON_COST_NATS + TURN_COST_NATS
        )


def _partly_restored(belief: Belief) -> Iterator[Hypothesis]:
    """Yield the table in dispute with some of its stones put right, as far as no lawful turn is left lying there."""
    tops, right, position = belief.expected_tops, belief.position.tops, belief.position
    wrong = [i for i, (now, then) in enumerate(zip(tops, right, strict=True)) if now != then]
    if len(wrong) > MAX_SUSPECTED_STONES:
        return
    lawful = {turn.after.tops for turn in (*legal_turns(position), *partial_turns(position))}
    for n in range(1, len(wrong)):
        for points in combinations(wrong, n):
            table = tuple(right[i] if i in points else top for i, top in enumerate(tops))
            if table not in lawful:
                yield Hypothesis(
                    HypothesisKind.PARTLY_RESTORED,
                    table,
                    PARTLY_RESTORED_COST_NATS,
                    belief.game,
                    pending=belief.pending,
                )


def _ring_steps_of(game: Game, moves: Iterable[Move], sign: int = 1) -> list[int]:
    """Return the steps by which moves together turn each ring."""
    steps = [0] * len(game.position.board.rings)
    for move in moves:
        if isinstance(move, Rotate):
            steps[move.ring] += sign * move.steps
    return steps


def _with_ring_steps(hypothesis: Hypothesis, belief: Belief) -> Hypothesis:
    """Return a hypothesis with the steps by which each ring has turned since the last decision."""
    board = belief.game.position.board
    if not board.rings:
        return hypothesis
    put_right = belief.disputed_tops is not None and hypothesis.kind not in (
        HypothesisKind.NOTHING_DONE,
        HypothesisKind.PARTLY_RESTORED,
        HypothesisKind.PLAYED_ON,
    )
    wrong = belief.dispute.ring_steps if belief.dispute is not None and put_right else ()
    steps = np.array([-s for s in wrong] or [0] * len(board.rings))
    for turn in belief.game.turns[len(belief.game.turns) - hypothesis.undone :]:
        steps += _ring_steps_of(belief.game, turn.moves, -1)
    begun = belief.pending.moves if belief.pending is not None else ()
    for turn in hypothesis.turns:
        steps += _ring_steps_of(belief.game, turn.moves)
    if hypothesis.pending is not None:
        steps += _ring_steps_of(belief.game, hypothesis.pending.moves)
    steps += _ring_steps_of(belief.game, begun, -1)
    return replace(hypothesis, steps=tuple(int(s) for s in steps))
