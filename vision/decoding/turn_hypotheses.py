"""The hypotheses that may explain what the table shows: everything that people may do between two looks at rest.

A hypothesis says what the table should show if it is true, and what it costs, in nats, to believe it:

* nothing; a lawful turn; a turn whose capture is still due, and then that capture; two lawful turns between two looks;
* turns taken back; the last turn read wrongly, and another one in its place (its own evidence is weighed again);
* after a foul: the table put right, or some of it so far; put right and a turn played; or the foul let stand and
  a turn played on;
* a ring without stones turned unseen, and the next player's turn, which alone shows it;
* an unlawful act.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from referee.advance import advance
from referee.game import Game
from referee.legal import is_legal
from referee.moves import Move, Place, Rotate, RotateUnseen, Slide
from referee.position import Position
from referee.resumption import possible_games
from referee.rulings import Ruling, rule_on, rule_on_turned_ring
from referee.turns import Turn, before_removal, whole_and_begun
from vision.decoding.belief import Belief, PointTops, RingSteps, TurnSequence, UndecidedRest
from vision.rotation.angle_at_rest import ROTATION_STEPS

SELDOM_COST_NATS = 3.0
"""Nats against what happens seldom, once in twenty times: nothing was done although a hand was over the board, a
photograph of a series was left out, or one was taken between an act and the capture that it earned. A change at a
hidden point, where any change would fit, costs as much."""

UNLIKELY_COST_NATS = 3.5
"""Nats against what happens once in thirty times: a second turn covers or takes what the first has changed (players
look at what they cover), turns that were just taken back are shown again (a stone was only lifted, say), or something
was done where no hand was seen. Source: measured, 24 drawn tables of towers: 5 of 6 fouls are called, 3 with 3.0."""

DOUBT_NATS = SELDOM_COST_NATS
"""Nats below which a second explanation stays in doubt; beyond it the likelier one is clear."""

TURN_COST_NATS = 2.0
"""Nats against a lawful turn, before it is shared out among the turns that are possible. The same against a foul of
which only some stones have been put right: hands seldom rest between two stones."""

RARE_COST_NATS = SELDOM_COST_NATS + TURN_COST_NATS
"""Nats against a turn that is played seldom: a second one between two looks (people mostly wait for each other), the
last one misread or its stone put elsewhere by its player, one played on from a foul that stands (most people put it
right). The evidence of a misread turn is added: what was clearly seen then needs a foul to look otherwise now."""

TAKE_BACK_COST_NATS = SELDOM_COST_NATS + SELDOM_COST_NATS
"""Nats for taking back one turn, which players seldom ask for and seldom allow; as many more where a ring was turned:
the next player who turns it back, which is a foul, looks just the same."""

TWO_PHOTOGRAPHS_SHARE = 0.63
"""Factor on what each of two photographs says of a stone laid on one of its colour: both are compared with one before.
Source: measured, logistic regression on 292 towers of eight drawn series, 35 of them covered: 0.62 and 0.65."""

MAX_CHANGED_POINTS = 6
"""Most points that hands change between two looks, and likeliest of those that make up the tables of unlawful acts: two
turns with two captures each. So many turns may be taken back, as each changes a point."""


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


class Hypothesis(NamedTuple):
    """One hypothesis about the time since the last decision, with the tops that the table should show if it is true."""

    kind: HypothesisKind
    tops: PointTops  # by point: 0 bare, k the stone on top is painted in the colour of player k - 1
    cost: float  # minus the log of the prior, up to a constant; nats
    game: Game  # before ``turns``, if the hypothesis is true
    turns: tuple[Turn, ...] = ()  # lawful, played since, in order
    pending: Turn | None = None  # a turn begun whose capture is still due
    n_taken_back: int = 0  # accepted turns that it takes back
    steps: RingSteps = ()  # by which each ring has turned since the last decision
    ruling: Ruling | None = None  # the ruling, where the act was unlawful
    hides: bool = False  # a turn before the last shows nothing any more: covered or taken again, or laid on its colour

    @property
    def moves(self) -> TurnSequence:
        """The moves of its turns, in order."""
        return tuple(turn.moves for turn in self.turns)

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
        return (last.after if last.tops == self.tops else before_removal(before, last)).heights


def lawful_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """Yield every lawful hypothesis, except those with a second turn."""
    unseen = cost_of_unseen_hands(belief)
    between = SELDOM_COST_NATS * (belief.photographed and belief.pending is None)
    for hypothesis in _all_lawful(belief):
        cost = hypothesis.cost
        if hypothesis.kind is not HypothesisKind.NOTHING_DONE:
            cost += unseen
            if hypothesis.kind is HypothesisKind.MILL_CLOSED:
                cost += between
        steps = _ring_steps(hypothesis, belief)
        if hypothesis.kind is HypothesisKind.RESTORED and any(steps):  # by hand, and no ring was turned back
            yield hypothesis._replace(cost=cost + TURN_COST_NATS, steps=still(belief))
        is_new = steps or cost != hypothesis.cost
        yield hypothesis._replace(cost=cost, steps=steps) if is_new else hypothesis


def after_unseen_rotation(belief: Belief) -> Iterator[Hypothesis]:
    """Yield a ring without stones turned although it looks as before, and every lawful turn after that.

    Only hands that came since the last turn, and seem to have done nothing, may have done that. Of itself it shows
    nothing, and is no hypothesis.
    """
    game, move = belief.game, RotateUnseen()
    if not belief.idle or belief.dispute is not None or not is_legal(game.position, move):
        return
    # One rotation in twenty is not seen; that hands came and did nothing is as rare, and need not be believed then.
    cost = TURN_COST_NATS + cost_of_unseen_hands(belief)
    turn = Turn((move,), advance(game.position, move), (), game.position.to_move)
    first = Hypothesis(HypothesisKind.TURN, belief.expected_tops, cost, game, (turn,), steps=still(belief))
    for hypothesis in follow_up_hypotheses(belief, first):
        cost = hypothesis.cost - second_turn_cost(belief) + TURN_COST_NATS  # they were played one after the other
        yield hypothesis._replace(cost=cost, hides=True)


def still(belief: Belief) -> RingSteps:
    """Return the steps of rings that have not turned."""
    return (0,) * len(belief.position.board.rings)


def second_turn_cost(belief: Belief) -> float:
    """Return the nats more for a second turn between two looks."""
    return SELDOM_COST_NATS if belief.photographed else RARE_COST_NATS


def follow_up_hypotheses(belief: Belief, first: Hypothesis) -> Iterator[Hypothesis]:
    """Yield a hypothesis that ends in a turn, extended by every lawful next turn."""
    game = first.game
    for turn in first.turns:
        game = game.play_turn(turn)
    keeps_kind = first.kind in (HypothesisKind.MISREAD, HypothesisKind.PLAYED_ON)
    kind = first.kind if keeps_kind else HypothesisKind.TWO_TURNS
    traces = _traces(first.game.position.tops, first.turns)
    cover_cost = UNLIKELY_COST_NATS * (not first.hides and game.position.tops != first.game.position.tops)
    for second in _turn_hypotheses(game, HypothesisKind.TWO_TURNS, second_turn_cost(belief)):
        cost = first.cost + second.cost + SELDOM_COST_NATS * (belief.photographed and second.pending is not None)
        last = second.turns[0] if second.pending is None else second.pending
        hides = _hides(traces, second.tops if game.variant.leftover != "remove" else last.tops)
        cost += cover_cost * hides
        turns, steps = first.turns + second.turns, _turned(first.steps, last.moves)
        yield Hypothesis(
            kind, second.tops, cost, first.game, turns, second.pending, first.n_taken_back, steps, hides=hides
        )


def _traces(before: PointTops, turns: Sequence[Turn]) -> list[list[tuple[int, int]]]:
    """Return the points that each turn changes, with what they show then."""
    traces: list[list[tuple[int, int]]] = []
    for turn in turns:
        after = turn.tops
        traces.append([(i, now) for i, (then, now) in enumerate(zip(before, after, strict=True)) if now != then])
        before = after
    return traces


def _hides(traces: Sequence[Sequence[tuple[int, int]]], last: PointTops) -> bool:
    """Return whether of one of the traces of turns nothing is left on the table that the last turn leaves."""
    return any(not [top for point, top in trace if last[point] == top] for trace in traces)


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
    turns = hypothesis.moves
    idle = _undecided_log_posterior(belief, hypothesis, turns) - SELDOM_COST_NATS
    if hypothesis.kind is HypothesisKind.NOTHING_DONE:
        return max(idle, -TAKE_BACK_COST_NATS) + hypothesis.cost
    earlier = turns if hypothesis.pending is not None else turns[:-1]
    cost = TURN_COST_NATS
    played = _undecided_log_posterior(belief, hypothesis, earlier) - cost - 0.5 * float(np.log(len(hypothesis.tops)))
    since = max(_undecided_log_posterior(belief, hypothesis, ()), -TAKE_BACK_COST_NATS) - hypothesis.cost
    return max(idle, played, since) + hypothesis.cost


def _undecided_log_posterior(belief: Belief, hypothesis: Hypothesis, turns: TurnSequence) -> float:
    """Return the log posterior of turns in the last rest, less the evidence that this rest shows once more, nats."""
    # Turns that were no hypothesis there may have been played and taken back.
    nats = belief.undecided_log_posterior.get(turns, -TURN_COST_NATS - TAKE_BACK_COST_NATS)
    undecided = belief.undecided_rest
    if undecided is None or turns not in undecided.log_posterior:
        return nats
    if belief.position.variant.max_height > 1:
        return nats - _counted_before(belief, undecided, hypothesis, turns)
    if not hypothesis.steps or not len(undecided.ring_log_likelihood):
        return nats
    steps = _turned((0,) * len(hypothesis.steps), (move for moves in turns for move in moves))
    return nats - sum(
        float(undecided.ring_log_likelihood[ring, ROTATION_STEPS.index(now)])
        for ring, (then, now) in enumerate(zip(steps, hypothesis.steps, strict=True))
        if then == now and now in ROTATION_STEPS
    )


def _counted_before(belief: Belief, undecided: UndecidedRest, hypothesis: Hypothesis, turns: TurnSequence) -> float:
    """Return the change log odds, in the last rest, of stones laid on their own colour: this rest shows them again.

    Two photographs show them from two places, so a part of the earlier log odds still counts.
    """
    index, tops_before, change_before = belief.position.board.index, belief.expected_tops, undecided.change_log_odds
    goals = {index[move.to] for moves in turns for move in moves if isinstance(move, Place | Slide)}
    if belief.photographed and len(change_before):
        change_before = (1 - TWO_PHOTOGRAPHS_SHARE) * (change_before + belief.rest.like_log_odds)
    return sum(
        float(change_before[goal])
        for goal in goals
        if len(change_before) and hypothesis.tops[goal] == tops_before[goal]
    )


def cost_of_unseen_hands(belief: Belief) -> float:
    """Return the nats against anything having been done. Before the first decision nobody watched the hands."""
    return UNLIKELY_COST_NATS * (not belief.visited and belief.bias is not None)


def _all_lawful(belief: Belief) -> Iterator[Hypothesis]:
    game = belief.game
    idle_cost = SELDOM_COST_NATS * belief.visited
    yield Hypothesis(HypothesisKind.NOTHING_DONE, belief.expected_tops, idle_cost, game, pending=belief.pending)
    if belief.dispute is not None:
        yield from _after_a_foul(belief)
    elif belief.pending is not None:
        yield from _completions(belief)
    else:
        for one in possible_games(game):
            yield from _turn_hypotheses(one, HypothesisKind.TURN, TURN_COST_NATS)
    earlier = game.taken_back(min(MAX_CHANGED_POINTS, len(game.turns)))
    for k, before in enumerate(earlier, 1):
        cost = TAKE_BACK_COST_NATS + TURN_COST_NATS * (k - 1)
        if any(isinstance(move, Rotate) for move in game.turns[-k].moves):
            cost += TAKE_BACK_COST_NATS
        yield Hypothesis(HypothesisKind.TAKEN_BACK, before.position.tops, cost, before, n_taken_back=k)
    if len(belief.last_evidence.withdrawn) > 1 and belief.pending is None and belief.dispute is None:
        turns = belief.last_evidence.withdrawn
        tops, hides = turns[-1].tops, _hides(_traces(game.position.tops, turns[:-1]), turns[-1].tops)
        yield Hypothesis(HypothesisKind.TWO_TURNS, tops, UNLIKELY_COST_NATS, game, turns=turns, hides=hides)
    if game.turns and belief.dispute is None and belief.pending is None:
        for hypothesis in _turn_hypotheses(earlier[0], HypothesisKind.MISREAD, RARE_COST_NATS, n_taken_back=1):
            if hypothesis.tops != game.position.tops and hypothesis.turns:
                yield hypothesis._replace(cost=hypothesis.cost - _log_ratio_of_misread(hypothesis, belief))


def _log_ratio_of_misread(hypothesis: Hypothesis, belief: Belief) -> float:
    """Return the log likelihood ratio of a hypothesis's turn to the last accepted one, in the evidence of that turn.

    A hand that has not gone may put its stone elsewhere, however plainly it lay.
    """
    evidence = belief.last_evidence.log_likelihood
    if evidence is None or belief.last_evidence.under_hand:
        return 0.0
    rows = np.arange(len(evidence))
    accepted_nats = evidence[rows, np.array(belief.game.position.tops)].sum()
    return float(evidence[rows, np.array(hypothesis.turns[0].tops)].sum() - accepted_nats)


def _turn_hypotheses(
    game: Game, kind: HypothesisKind, cost: float, n_taken_back: int = 0, first_part: Turn | None = None
) -> Iterator[Hypothesis]:
    """Yield each lawful turn from a game, or completion of one begun, whole or with its capture still due."""
    if game.outcome is not None and first_part is None:
        return
    whole_turns, begun_turns = whole_and_begun(game.position if first_part is None else first_part.after)
    cost += 0.5 * float(np.log(max(1, len(whole_turns))))
    half = HypothesisKind.MILL_CLOSED if kind is HypothesisKind.TURN else kind
    for turn in _with_first_part(first_part, whole_turns):
        for tops in tops_of_turn(game.position, turn):
            yield Hypothesis(kind, tops, cost, game, turns=(turn,), n_taken_back=n_taken_back)
    for turn in _with_first_part(first_part, begun_turns):
        yield Hypothesis(half, turn.tops, cost, game, pending=turn, n_taken_back=n_taken_back)


def _with_first_part(first: Turn | None, endings: Iterable[Turn]) -> Iterator[Turn]:
    for turn in endings:
        if first is not None:
            turn = turn._replace(moves=first.moves + turn.moves, mills=first.mills, player=first.player)
        yield turn


def tops_of_turn(position: Position, turn: Turn) -> tuple[PointTops, ...]:
    """Return what the table may show after a turn: stones that leave the board with it may still lie there."""
    if position.variant.leftover != "remove":
        return (turn.tops,)
    return tuple(dict.fromkeys((turn.tops, before_removal(position, turn).tops)))


def _completions(belief: Belief) -> Iterator[Hypothesis]:
    """Yield each completion of a turn begun, and each other turn in its place."""
    game, first_part = belief.game, belief.pending
    assert first_part is not None  # the caller looked
    yield from _turn_hypotheses(game, HypothesisKind.TURN, TURN_COST_NATS / 2, first_part=first_part)
    yield Hypothesis(HypothesisKind.TURN_CHANGED, game.position.tops, TAKE_BACK_COST_NATS, game)
    for hypothesis in _turn_hypotheses(game, HypothesisKind.TURN, TAKE_BACK_COST_NATS + TURN_COST_NATS):
        if hypothesis.tops != first_part.after.tops:
            is_whole = hypothesis.pending is None
            yield hypothesis._replace(kind=HypothesisKind.TURN if is_whole else HypothesisKind.TURN_CHANGED)


def _after_a_foul(belief: Belief) -> Iterator[Hypothesis]:
    """Yield the table put right, put right and played on, and the foul let stand and played on.

    Where photographs show what nobody was accused of, nobody puts it right.
    """
    game, tops = belief.game, belief.expected_tops
    assert belief.dispute is not None  # the caller looked
    stands = RARE_COST_NATS * (belief.dispute.is_foul or not belief.photographed)
    yield Hypothesis(HypothesisKind.RESTORED, belief.position.tops, 1.0, game, pending=belief.pending)
    yield from _partly_restored(belief)
    if belief.pending is not None:
        yield from _completions(belief)
    else:
        yield from _turn_hypotheses(game, HypothesisKind.TURN, 1.0 + TURN_COST_NATS)
    for player in range(game.variant.players):  # whose turn it is then depends on who was at fault
        yield from _turn_hypotheses(
            game.play_on(tops, to_move=player), HypothesisKind.PLAYED_ON, stands + TURN_COST_NATS
        )


def _partly_restored(belief: Belief) -> Iterator[Hypothesis]:
    """Yield the table in dispute with some of its stones put right, as far as no lawful turn is left lying there."""
    tops, right, position = belief.expected_tops, belief.position.tops, belief.position
    wrong = [i for i, (now, then) in enumerate(zip(tops, right, strict=True)) if now != then]
    if len(wrong) > MAX_CHANGED_POINTS:
        return
    lawful = {turn.tops for turns in whole_and_begun(position) for turn in turns}
    for n in range(1, len(wrong)):
        for points in combinations(wrong, n):
            table = tuple(right[i] if i in points else top for i, top in enumerate(tops))
            if table not in lawful:
                kind, cost = HypothesisKind.PARTLY_RESTORED, TURN_COST_NATS
                yield Hypothesis(kind, table, cost, belief.game, pending=belief.pending)


def _turned(steps: RingSteps, moves: Iterable[Move], sign: int = 1) -> RingSteps:
    """Return the steps of the rings after moves, or with sign -1 before them."""
    for move in moves:
        if isinstance(move, Rotate):
            steps = tuple([step + sign * move.steps * (ring == move.ring) for ring, step in enumerate(steps)])
    return steps


def _ring_steps(hypothesis: Hypothesis, belief: Belief) -> RingSteps:
    """Return the steps by which each ring has turned since the last decision, if a hypothesis is true."""
    game = belief.game
    rings = game.position.board.rings
    if not rings:
        return ()
    put_right = belief.dispute is not None and hypothesis.kind not in (
        HypothesisKind.NOTHING_DONE,
        HypothesisKind.PARTLY_RESTORED,
        HypothesisKind.PLAYED_ON,
    )
    wrong = belief.dispute.ring_steps if belief.dispute is not None and put_right else ()
    steps = tuple([-step for step in wrong]) or (0,) * len(rings)
    for turn in game.turns[len(game.turns) - hypothesis.n_taken_back :]:
        steps = _turned(steps, turn.moves, -1)
    for played in (*hypothesis.turns, hypothesis.pending):
        steps = steps if played is None else _turned(steps, played.moves)
    return steps if belief.pending is None else _turned(steps, belief.pending.moves, -1)


def unlawful_hypotheses(belief: Belief, explained: Container[tuple[PointTops, RingSteps]]) -> Iterator[Hypothesis]:
    """Yield the unlawful acts that the evidence suggests, each with the table that it leads to, and each ring turned.

    They cost what people do as seldom. Several acts may lead to a table; the likeliest one stands for them. A table
    that is ``explained`` (it, and the steps of the rings) is no foul; neither is one that a lawful turn of a ring leads
    to, though the ring seems not to have turned.
    """
    position, tops_now = belief.shown_position, belief.expected_tops
    steps_of_none = still(belief)
    for tops in _suspected_tables(belief):
        if (tops, steps_of_none) not in explained and (ruling := _ruling(position, tops)).kinds:
            yield _unlawful(belief, tops, steps_of_none, ruling)
    for r, ring in enumerate(belief.position.board.rings):
        for step in (-1, 1):
            places = list(tops_now)
            for k, point in enumerate(ring):
                places[ring[(k + step) % len(ring)]] = tops_now[point]
            table, steps = tuple(places), tuple(step if k == r else 0 for k in range(len(steps_of_none)))
            if (table, steps) not in explained:
                ruling = rule_on_turned_ring(position, r, step) if table == tops_now else _ruling(position, table)
                if ruling.kinds:
                    yield _unlawful(belief, table, steps, ruling)


def _unlawful(belief: Belief, tops: PointTops, steps: RingSteps, ruling: Ruling) -> Hypothesis:
    cost = TURN_COST_NATS + cost_of_unseen_hands(belief) + ruling.nats
    return Hypothesis(
        HypothesisKind.UNEXPLAINED, tops, cost, belief.game, pending=belief.pending, steps=steps, ruling=ruling
    )


@lru_cache(maxsize=4096)
def _ruling(position: Position, tops: PointTops) -> Ruling:
    """Return the ruling on a table; the looks of one rest suggest the same tables again and again."""
    return rule_on(position, tops)


def _suspected_tables(belief: Belief) -> Iterator[PointTops]:
    """Yield the tables that differ from the expected one by some of the stones that the evidence suggests."""
    tops_before = np.array(belief.expected_tops)
    rows = np.arange(len(tops_before))
    news = belief.rest.log_likelihood
    change = belief.rest.change_log_odds
    nats = news - news[rows, tops_before][:, None] + change[:, None]
    nats[rows, tops_before] = -np.inf
    order = np.argsort(-nats, axis=None, kind="stable")
    candidates = [divmod(int(k), nats.shape[1]) for k in order if nats.flat[k] > -DOUBT_NATS]
    likeliest = candidates[:MAX_CHANGED_POINTS]
    # One act changes half as many as two turns do, a stone moved and one taken; more where each is likelier than not.
    groups = [group for n in range(1, MAX_CHANGED_POINTS // 2 + 1) for group in combinations(likeliest, n)]
    plain = dict(reversed([(point, top) for point, top in candidates if nats[point, top] > 0]))
    for stones in [*groups, tuple(plain.items())]:
        points = {point for point, _ in stones}
        if stones and len(points) == len(stones):
            tops = tops_before.copy()
            for point, top in stones:
                tops[point] = top
            yield tuple(tops.tolist())
