"""Decide from a posterior: accept a hypothesis and announce it, ask the players, or wait; whichever costs least.

What is announced and wrong costs 1, a question ``QUESTION_COST``, every second of waiting ``SECOND_COST``. So

* a hypothesis is announced where it is wrong less often than a question costs, and where a longer wait, in which the
  hands may come back, would cost more than it could save;
* otherwise the players are asked, once waiting has cost as much as a question: nobody knows before how long it takes
  until the next look is clearer, and waiting that long never costs more than twice the least price;
* a picture that will not come again (its rest is infinite) is decided from that picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from referee.events import (
    Event,
    FoulSeen,
    FoulStood,
    MillClosed,
    QuestionAsked,
    Restored,
    TurnAmended,
)
from referee.fouls import Foul, rule_behind
from referee.game import Game
from referee.game_events import consequences, game_ended, turn_played
from referee.moves import Rotate, RotateUnseen
from referee.question_options import NOTHING, UNLAWFUL
from referee.rulings import Ruling, rule_on
from referee.turns import Turn
from vision.decoding.belief import (
    LOOK_CORRELATION,
    AcceptedEvidence,
    Belief,
    Dispute,
    forget_rest,
    initial_belief,
    preference_against,
    remember_undecided,
)
from vision.decoding.posterior import Posterior
from vision.decoding.turn_hypotheses import TURN_COST_NATS, Hypothesis, HypothesisKind

QUESTION_COST = 0.1
"""Cost of a question, in wrong announcements."""

SECOND_COST = 0.04
"""Cost of a second of waiting, in wrong announcements."""

UNFINISHED_FOUL = math.exp(-TURN_COST_NATS)
"""How often, just after hands have gone, a table that looks like a foul is a turn of several acts, not yet whole."""

NEWS_S = 0.25
"""Time, in seconds, in which hands that have not finished mostly come back, and next looks confirm the first."""

NEED_A_WITNESS = frozenset(map(str, (Foul.WRONG_PLAYER, Foul.TWO_MOVES)))
"""Fouls that say whose hand it was, or how often it came: photographs show no hand, and one may be left out."""

TURNS_TO_TRUST = 4
"""Turns that must be understood after every misreading before the referee accuses anybody again."""

Option = tuple[str, tuple[int, ...]]
"""An answer to a question, and the players whose turns it names."""


@dataclass(frozen=True, slots=True)
class DecisionContext:
    """The circumstances in which a decision is made."""

    time_s: float  # of the source
    frame: int  # its number
    rest_s: float  # seconds for which nothing has moved
    was_decided: bool = True  # the table, once before; else nobody is accused of what already lay there
    only_light_changed: bool = False  # since the reference: nobody came near
    past_hands: bool = False  # something moves over other points
    arm_stays: bool = False  # an arm is over the board, and is waited for no longer
    quickness: float = 1.0  # share of a usual visit that the hands at this table take


@dataclass(frozen=True, eq=False)
class Decision:
    """The decision on a posterior."""

    belief: Belief
    events: tuple[Event, ...] = ()
    settled: bool = False  # the table is understood: nothing more can be learnt until something moves
    posterior: Posterior | None = None  # after the first turns were accepted, of the rest


def decide(belief: Belief, posterior: Posterior, moment: DecisionContext) -> Decision:
    """Return the decision on a posterior of what ``belief`` allows: the first of these cases decides."""
    if moment.only_light_changed:
        return _nothing_done(belief, moment)
    if moment.past_hands:
        return _accept_past_hands(belief, posterior.best, posterior.confidence, moment)
    if _waits_for_next_turn(belief, posterior, moment):
        return _leave_undecided(belief, posterior)
    hypothesis = _announceable(belief, posterior, moment)
    if hypothesis is None:
        return _accept_first_turns(belief, posterior, moment) or _ask(belief, posterior, moment)
    if hypothesis.n_taken_back and len(belief.game.turns) - hypothesis.n_taken_back < belief.n_fixed_turns:
        return _ask(belief, posterior, moment)  # against the word of people
    return ACCEPT.get(hypothesis.kind, _accept_with_doubt)(belief, hypothesis, posterior, moment)


def _announceable(belief: Belief, posterior: Posterior, moment: DecisionContext) -> Hypothesis | None:
    """Return the best hypothesis as it can be announced, a foul perhaps without its player; None for not yet."""
    best, likelihood = posterior.best, posterior.confidence + _indistinguishable(belief, posterior)[2]
    if not _announces(belief, best, likelihood + _of_same_foul(posterior, by_same_player=True), moment):
        if not _announces(belief, best, likelihood + _of_same_foul(posterior), moment):
            return None
        assert best.ruling is not None  # only fouls are of a kind
        best = best._replace(ruling=replace(best.ruling, player=None))
    if belief.dispute is not None and best.tops == belief.position.tops:
        return best._replace(kind=HypothesisKind.RESTORED)  # by hand, with a ring that was not turned back
    return best


def _leave_undecided(belief: Belief, posterior: Posterior) -> Decision:
    """Return the decision to say nothing, and to weigh this rest again with the next one."""
    return Decision(remember_undecided(belief, belief.rest, posterior.turn_log_posteriors), settled=True)


def _call_foul(belief: Belief, hypothesis: Hypothesis, posterior: Posterior, moment: DecisionContext) -> Decision:
    """Return the decision to call a foul, or to ask where nobody may be accused."""
    decision = _foul(belief, hypothesis, moment)
    return decision if decision.settled else _ask(belief, posterior, moment)


def _await_rest_of_foul(belief: Belief, hypothesis: Hypothesis, _: Posterior, __: DecisionContext) -> Decision:
    """Return the decision that some of a foul is put right: the rest is waited for, nothing is said."""
    assert belief.dispute is not None  # nothing else can be put right
    dispute, bias = replace(belief.dispute, tops=hypothesis.tops), preference_against(belief, hypothesis.tops)
    after = replace(forget_rest(belief), dispute=dispute, bias=bias, undecided_rest=None, is_question_open=False)
    return Decision(after, settled=True)


def _accept_nothing(belief: Belief, hypothesis: Hypothesis, posterior: Posterior, moment: DecisionContext) -> Decision:
    """Return the decision that nothing was done, or to wait for hidden points, or for the next turn."""
    if belief.rest.hidden.any():
        return Decision(replace(belief, undecided_rest=None), settled=True)  # a hidden point shows when it is in sight
    # Turns that do not show: a plain ring turned, a stone laid on one of its colour.
    unseen = posterior.of_others(lambda h: bool(h.turns) and h.tops == hypothesis.tops and not h.n_taken_back)
    if belief.visited and unseen > SECOND_COST:
        return _leave_undecided(belief, posterior)
    return _nothing_done(belief, moment)


def _accept_with_doubt(
    belief: Belief, hypothesis: Hypothesis, posterior: Posterior, moment: DecisionContext
) -> Decision:
    """Return the decision to accept a hypothesis that shows the table; where it is open how it came about, it is asked.

    The game need not wait for the answer.
    """
    (which, other, doubt), confidence = _indistinguishable(belief, posterior), posterior.confidence
    if _of_foul_before(belief, hypothesis) > QUESTION_COST:
        return _accept_and_ask(belief, hypothesis, confidence, moment, (_numbered(hypothesis, 0), (UNLAWFUL, ())))
    if other is None or doubt <= QUESTION_COST:
        return _accept(belief, hypothesis, confidence, moment)
    if which < len(hypothesis.turns) - 1 and _turns_empty_ring(hypothesis.turns[which]):
        # Which ring it was, and which way, nothing depends on any more: the next player has played.
        turn = hypothesis.turns[which]._replace(moves=(RotateUnseen(),))
        turns = (*hypothesis.turns[:which], turn, *hypothesis.turns[which + 1 :])
        return _accept(belief, hypothesis._replace(turns=turns), confidence + doubt, moment)
    options = _numbered(hypothesis, which), _numbered(other, which)
    return _accept_and_ask(belief, hypothesis, confidence, moment, options)


ACCEPT: Mapping[HypothesisKind, Callable[[Belief, Hypothesis, Posterior, DecisionContext], Decision]] = {
    HypothesisKind.UNEXPLAINED: _call_foul,
    HypothesisKind.PARTLY_RESTORED: _await_rest_of_foul,
    HypothesisKind.NOTHING_DONE: _accept_nothing,
}
"""What follows from a hypothesis that can be announced, by its kind; every other kind is accepted with its doubt."""


def _numbered(hypothesis: Hypothesis, which: int) -> Option:
    turn = hypothesis.turns[which]
    return f"{len(hypothesis.game.turns) + which + 1}. {turn}", (turn.player,)


def _accept_and_ask(
    belief: Belief, hypothesis: Hypothesis, confidence: float, moment: DecisionContext, options: tuple[Option, Option]
) -> Decision:
    """Return the decision to accept a hypothesis, and to ask how the table that it shows came about."""
    decision = _accept(belief, hypothesis, confidence, moment)
    texts, players = tuple(text for text, _ in options), tuple(who for _, who in options)
    question = QuestionAsked(texts, moment.time_s, moment.frame, players=players)
    return replace(
        decision, belief=replace(decision.belief, is_question_open=True), events=(*decision.events, question)
    )


def _of_foul_before(belief: Belief, hypothesis: Hypothesis) -> float:
    """Return the posterior of unlawful acts in the undecided rest before whose stones all lie here as well.

    The turns of a hypothesis that leads here were played in another order then, and a foul explains that as well.
    """
    if belief.undecided_rest is None or len(hypothesis.turns) < 2:
        return 0.0
    tops_before, tops_now = belief.expected_tops, hypothesis.tops
    tables = belief.undecided_rest.unlawful.items()
    return sum(
        p
        for tops, p in tables
        if all(top in (before, now) for top, before, now in zip(tops, tops_before, tops_now, strict=True))
    )


def _waits_for_next_turn(belief: Belief, posterior: Posterior, moment: DecisionContext) -> bool:
    """Return whether a photograph shows the table as it was, and only whether a stone lies on its like is in doubt.

    The next photograph shows the next player's turn, and with it that this one was played: nobody need be asked yet.
    """
    best, plain = posterior.best, (HypothesisKind.NOTHING_DONE, HypothesisKind.TURN)
    if not (belief.photographed and belief.visited) or best.kind not in plain or best.tops != belief.expected_tops:
        return False
    if belief.position.variant.max_height == 1:
        return False
    unseen = posterior.of_others(lambda h: h.tops == best.tops and not h.n_taken_back)
    is_sure = _announces(belief, best, posterior.confidence, moment)
    return not is_sure and _announces(belief, best, posterior.confidence + unseen, moment)


def _of_hidden_points(belief: Belief, posterior: Posterior) -> float:
    """Return the posterior of acts at hidden points alone, where nothing seems to have been done.

    No look can decide that before they are in sight, and no answer is worth a question.
    """
    best, in_sight = posterior.best, np.flatnonzero(~belief.rest.hidden)
    if best.kind is not HypothesisKind.NOTHING_DONE or len(in_sight) == len(best.tops):
        return 0.0
    return posterior.of_others(lambda h: all(h.tops[point] == best.tops[point] for point in in_sight))


def _of_same_foul(posterior: Posterior, *, by_same_player: bool = False) -> float:
    """Return the posterior of the other unlawful acts that change the same points and are the best one's foul as well.

    Whose stone it is may be open while not all players have shown one: then the foul is called, and nobody accused.
    """
    act = posterior.best.ruling

    def is_same(other: Ruling | None) -> bool:
        if act is None or other is None or (by_same_player and other.player != act.player):
            return False
        return other.points == act.points and bool(set(act.kinds[:1]) & set(other.kinds))

    return posterior.of_others(lambda h: is_same(h.ruling))


def _announces(belief: Belief, hypothesis: Hypothesis, confidence: float, moment: DecisionContext) -> bool:
    """Return whether a hypothesis should be announced now: neither a question nor a longer wait costs less."""
    is_foul = hypothesis.kind is HypothesisKind.UNEXPLAINED
    unfinished_share = UNFINISHED_FOUL * math.exp(-moment.rest_s / (NEWS_S * moment.quickness)) if is_foul else 0.0
    # share of all that a rest can ever show which has not been seen yet
    looks = belief.rest.effective_looks.max(initial=0.0)
    unseen_share = 1.0 - LOOK_CORRELATION * float(looks) if np.isfinite(moment.rest_s) else 0.0
    loss = 1.0 - confidence * (1.0 - unfinished_share)
    gain_per_s = (confidence * unfinished_share + (1.0 - confidence) * unseen_share) / NEWS_S
    return loss <= QUESTION_COST and gain_per_s <= SECOND_COST


def _accept_past_hands(belief: Belief, best: Hypothesis, confidence: float, moment: DecisionContext) -> Decision:
    """Return the decision to accept a turn whose points are all in sight, though hands cover others; or to wait.

    The rest of the evidence is kept. Nobody is accused or asked before the hands are gone, nor is nothing taken for
    done.
    """
    changed = np.array(best.tops) != np.array(belief.expected_tops)
    changed |= np.array(best.heights) != np.array(belief.position.heights)
    is_turn = best.kind in (HypothesisKind.TURN, HypothesisKind.MILL_CLOSED, HypothesisKind.TWO_TURNS)
    is_seen = changed.any() and belief.rest.looks_at[changed].all()
    if not (is_turn and is_seen and _announces(belief, best, confidence, moment)):
        return Decision(belief)
    decision = _accept(belief, best, confidence, moment)
    return Decision(_with_evidence_of(belief, decision.belief), decision.events)


def _accept_first_turns(belief: Belief, posterior: Posterior, moment: DecisionContext) -> Decision | None:
    """Return the decision to accept the turns that the likely hypotheses begin with; None without any.

    Whether another turn followed is left in doubt: the evidence of this rest is kept for it. Where rings or towers may
    hide what was done, all of it is decided at once.
    """
    plain = (HypothesisKind.TURN, HypothesisKind.TWO_TURNS)
    best, position = posterior.best, belief.position
    is_flat = position.variant.max_height == 1 and not position.board.rings
    if best.kind not in plain or belief.dispute is not None or belief.pending is not None or not is_flat:
        return None
    for n in range(len(best.turns), 0, -1):
        going_on = [(h, p) for h, p in posterior.ranked if h.kind in plain and h.moves[:n] == best.moves[:n]]
        confidence = sum(p for _, p in going_on)
        first = best._replace(turns=best.turns[:n], tops=best.turns[n - 1].after.tops, pending=None)
        if len(going_on) > 1 and _announces(belief, first, confidence, moment):
            decision = _accept(belief, first, confidence, moment)
            after = _with_evidence_of(belief, decision.belief)
            left = Posterior(tuple((_without_turns(h, n, after.game), p / confidence) for h, p in going_on))
            question = _ask(after, left, moment)
            return Decision(question.belief, decision.events + question.events, posterior=left)
    return None


def _with_evidence_of(before: Belief, after: Belief) -> Belief:
    """Return a belief with the evidence of a rest, less the part that a decision has explained since."""
    changed = np.array(before.expected_tops) != np.array(after.expected_tops)
    rest = replace(before.rest, change_log_odds=np.where(changed, 0.0, before.rest.change_log_odds))
    bias = None if before.bias is None else np.where(changed[:, None], 0.0, before.bias)
    return replace(after, rest=rest, bias=bias, visited=before.visited)


def _without_turns(hypothesis: Hypothesis, n_turns: int, game: Game) -> Hypothesis:
    """Return a hypothesis less its first turns, which have been accepted: ``game`` is the game after them."""
    turns = hypothesis.turns[n_turns:]
    if hypothesis.pending is not None:
        kind = HypothesisKind.TWO_TURNS if turns else HypothesisKind.MILL_CLOSED
    else:
        kind = (HypothesisKind.NOTHING_DONE, HypothesisKind.TURN, HypothesisKind.TWO_TURNS)[min(len(turns), 2)]
    return hypothesis._replace(kind=kind, turns=turns, game=game)


def _nothing_done(belief: Belief, moment: DecisionContext) -> Decision:
    """Return the decision that nothing was done. The present appearance becomes the bias of the next looks."""
    bias = preference_against(belief, belief.expected_tops)
    idle = belief.idle or belief.visited
    evidence = replace(belief.last_evidence, under_hand=belief.last_evidence.under_hand and moment.arm_stays)
    after = replace(belief, bias=bias, idle=idle, undecided_rest=None, is_question_open=False, last_evidence=evidence)
    return Decision(after, settled=True)


def _indistinguishable(belief: Belief, posterior: Posterior) -> tuple[int, Hypothesis | None, float]:
    """Return the index of a turn, the likeliest hypothesis that differs from the best in that turn only, and a doubt.

    The doubt is the posterior of all hypotheses that differ from the best in that turn only. They show the same table.
    A ring that looks the same all around shows that it was turned only by whose turn is next, and so does a stone laid
    on one of its colour. Only the direction, or the place, is open then, so the game need not wait for the answer. Acts
    that only hidden points could show add to the doubt.
    """
    best, which, doubt = posterior.best, -1, _of_hidden_points(belief, posterior)
    likeliest: Hypothesis | None = None
    for hypothesis, p in posterior.ranked[1:]:
        is_alike = hypothesis.kind is best.kind and hypothesis.tops == best.tops
        if not is_alike or len(hypothesis.turns) != len(best.turns) or hypothesis.pending or best.pending:
            continue
        pairs = enumerate(zip(best.turns, hypothesis.turns, strict=True))
        unlike = [(k, one, other) for k, (one, other) in pairs if one.moves != other.moves]
        if len(unlike) != 1 or which not in (-1, unlike[0][0]):
            continue
        k, one, other = unlike[0]
        if k < len(best.turns) - 1 or _is_turned_back(one, other):
            which, likeliest, doubt = k, likeliest or hypothesis, doubt + p
    return which, likeliest, doubt


def _turns_empty_ring(turn: Turn) -> bool:
    """Return whether a turn turns a ring without stones, whether anybody saw it or not."""
    move = turn.moves[0] if len(turn.moves) == 1 else None
    if not isinstance(move, Rotate):
        return isinstance(move, RotateUnseen)
    after = turn.after
    return not any(after.stacks[point] for point in after.board.rings[move.ring])


def _is_turned_back(one: Turn, other: Turn) -> bool:
    first = one.moves[0] if one.moves and other.moves else None
    return isinstance(first, Rotate) and other.moves == (replace(first, steps=-first.steps), *one.moves[1:])


def _accept(belief: Belief, hypothesis: Hypothesis, confidence: float, moment: DecisionContext) -> Decision:
    events: list[Event] = []
    at = (moment.time_s, moment.frame)
    if belief.dispute is not None:
        if hypothesis.kind is HypothesisKind.PLAYED_ON:
            events += [_foul_stood(belief, hypothesis.game, at), *consequences(belief.game, hypothesis.game, *at)]
        else:
            events.append(Restored(*at))
    last_ply, game, turns = len(belief.game.turns), hypothesis.game, hypothesis.turns
    if hypothesis.kind is HypothesisKind.MISREAD:
        instead, turns = turns[0], turns[1:]
        events.append(TurnAmended(last_ply, instead.moves, *at, player=instead.player))
        game = game.play_turn(instead)
    elif hypothesis.kind is HypothesisKind.TAKEN_BACK:
        events += [TurnAmended(last_ply - k, None, *at) for k in range(hypothesis.n_taken_back)]
    mills_before = belief.pending.mills if belief.pending is not None else ()
    for turn in turns:
        events += _mills(game.position.to_move, turn, mills_before, at)
        before, game, mills_before = game, game.play_turn(turn), ()
        events += (turn_played(game, confidence, *at), *consequences(before, game, *at))
    if hypothesis.pending is not None:
        stand = _mills(game.position.to_move, hypothesis.pending, mills_before, at)
        events += (*stand[:-1], *(replace(last, due=hypothesis.pending.after.dues) for last in stand[-1:]))
    if game.outcome is not None and (belief.game.outcome is None or turns):
        events.append(game_ended(game, *at))
    is_restored = hypothesis.kind is HypothesisKind.RESTORED
    evidence = belief.last_evidence.log_likelihood if is_restored else belief.rest.log_likelihood
    withdrawn = belief.game.turns[-hypothesis.n_taken_back :] if hypothesis.kind is HypothesisKind.TAKEN_BACK else ()
    turns_to_trust = 0 if belief.dispute else max(0, belief.turns_to_trust - len(hypothesis.turns))
    if hypothesis.kind is HypothesisKind.PLAYED_ON:
        was_foul = belief.dispute is not None and belief.dispute.is_foul
        turns_to_trust = belief.turns_to_trust + TURNS_TO_TRUST * was_foul
    after = replace(
        initial_belief(game),
        pending=hypothesis.pending,
        last_evidence=AcceptedEvidence(None if hypothesis.n_taken_back else evidence, withdrawn, moment.arm_stays),
        bias=preference_against(belief, hypothesis.tops),
        turns_to_trust=turns_to_trust,
        n_fixed_turns=min(belief.n_fixed_turns, len(game.turns)),
    )
    if turns and hypothesis.pending is None and hypothesis.tops != game.position.tops:
        # The last stones of a player who is out still lie there: they are waited for, and nobody is accused.
        after = replace(after, dispute=Dispute(hypothesis.tops, is_foul=False))
    return Decision(after, tuple(events), settled=True)


def _foul_stood(belief: Belief, game: Game, at: tuple[float, int]) -> FoulStood:
    """Return the event that play goes on from the table in dispute. It names nobody where nobody was accused."""
    dispute = belief.dispute
    assert dispute is not None
    ruling = rule_on(belief.position, dispute.tops)
    player = ruling.player if dispute.is_foul else None
    # A lawful turn that people have taken back, or that was not the one they were asked for, is no foul at all.
    kind, *_ = ruling.kinds or game.turns[-1].remarks
    return FoulStood(len(game.turns), player, str(kind), dispute.tops, game.position.to_move, *at)


def _mills(
    player: int, turn: Turn, mills_before: tuple[tuple[str, ...], ...], at: tuple[float, int]
) -> list[MillClosed]:
    return [MillClosed(player, line, *at) for line in turn.counted_mills if line not in mills_before]


def _foul(belief: Belief, hypothesis: Hypothesis, moment: DecisionContext) -> Decision:
    act = hypothesis.ruling
    assert act is not None  # every unlawful hypothesis has one
    # who has just had to ask what lies there cannot call it a foul
    is_unsure = belief.dispute is None and belief.turns_to_trust > 0
    is_unsure |= bool(belief.rest.hidden.any())  # nor whoever does not see what lies under an arm
    if belief.game.outcome is not None or not (moment.was_decided and act.is_explained) or is_unsure:
        return Decision(belief)
    whole = act if belief.dispute is None else rule_on(belief.position, hypothesis.tops)
    ruling = whole if whole.kinds else act
    if belief.last_evidence.under_hand and belief.game.turns and ruling.player != belief.game.turns[-1].player:
        ruling = replace(ruling, player=None)  # the hand that has just played has not gone: it may have done it
    kind, at, before = ruling.kinds[0], (moment.time_s, moment.frame), belief.dispute or Dispute(())
    rule = rule_behind(kind, belief.game.variant)
    foul = FoulSeen(ruling.player, kind, ruling.points, belief.position.tops, hypothesis.tops, *at, rule=rule)
    steps = hypothesis.steps
    if before.ring_steps:
        steps = tuple(map(sum, zip(before.ring_steps, steps, strict=True)))
    is_unseen = belief.photographed and kind in NEED_A_WITNESS
    after = replace(
        forget_rest(belief),
        dispute=Dispute(hypothesis.tops, steps, before.is_foul and not is_unseen),
        bias=preference_against(belief, hypothesis.tops),
        turns_to_trust=belief.turns_to_trust + TURNS_TO_TRUST * (belief.dispute is not None),
        undecided_rest=None,
    )
    if after.turns_to_trust == 0 and not is_unseen:
        return Decision(replace(after, is_question_open=False), (foul,), settled=True)
    # The table is taken as it is, and people are asked what happened unless that question still stands.
    question = QuestionAsked((UNLAWFUL, NOTHING), *at, players=((), ()))
    return Decision(replace(after, is_question_open=True), () if after.is_question_open else (question,), settled=True)


def _ask(belief: Belief, posterior: Posterior, moment: DecisionContext) -> Decision:
    """Return the decision to wait, or to ask one question: for the first turn in which the likeliest answers differ."""
    too_early = moment.rest_s * SECOND_COST < QUESTION_COST
    options = _options(posterior, belief.game)
    if belief.is_question_open or too_early or belief.game.outcome is not None or not options:
        return Decision(belief)
    texts, players = zip(*options, strict=True)
    question = QuestionAsked(texts, moment.time_s, moment.frame, players=players)
    asking = replace(belief, is_question_open=True, turns_to_trust=belief.turns_to_trust + TURNS_TO_TRUST)
    return Decision(asking, (question,))


def _options(posterior: Posterior, game: Game) -> tuple[Option, ...]:
    """Return the two likeliest answers that differ; none where all that is likely is that nothing was done.

    They name one turn at most. Where they would name turns of two players, the second one is "something else".
    """
    best = posterior.best
    for other, _ in posterior.ranked[1:]:
        pairs = zip(_turns_named(best), _turns_named(other), strict=False)
        n_common = sum(1 for _ in takewhile(lambda pair: pair[0].moves == pair[1].moves, pairs))
        one, two = _option(best, n_common, game), _option(other, n_common, game)
        if one != two:
            is_one_misread = (best.kind is HypothesisKind.MISREAD) != (other.kind is HypothesisKind.MISREAD)
            are_two_turns = len(one[1]) == len(two[1]) > 0 and (is_one_misread or one[1] != two[1])
            return one, (UNLAWFUL, ()) if are_two_turns else two
    one, two = _option(best, 0, game), (NOTHING, ())
    return (one, two) if one != two else ()


def _turns_named(hypothesis: Hypothesis) -> tuple[Turn, ...]:
    """Return the turns that a question may name: of a turn misread only that one."""
    match hypothesis.kind:
        case HypothesisKind.NOTHING_DONE | HypothesisKind.UNEXPLAINED:
            return ()  # a turn begun is as it was
        case HypothesisKind.RESTORED | HypothesisKind.PARTLY_RESTORED:
            return ()
    turns = hypothesis.turns if hypothesis.pending is None else (*hypothesis.turns, hypothesis.pending)
    return turns[:1] if hypothesis.kind is HypothesisKind.MISREAD else turns


def answer_of(hypothesis: Hypothesis, game: Game) -> Option:
    """Return the answer to a question that names a hypothesis, all of its turns."""
    return _option(hypothesis, len(hypothesis.turns), game)


def _option(hypothesis: Hypothesis, n_common: int, game: Game) -> Option:
    """Return an answer: the turns that both answers begin with, and the next one."""
    if hypothesis.kind is HypothesisKind.UNEXPLAINED:
        return UNLAWFUL, ()
    turns = _turns_named(hypothesis)[: n_common + 1]
    if not turns:
        return (f"-{hypothesis.n_taken_back}" if hypothesis.n_taken_back else NOTHING), ()
    number = f"{len(game.turns)}. " if hypothesis.kind is HypothesisKind.MISREAD else ""
    return number + " ".join(map(str, turns)), tuple(turn.player for turn in turns)
