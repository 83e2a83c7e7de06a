"""Decide from a posterior: accept a hypothesis and announce it, ask the players, or wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from referee.asking import NOTHING, UNLAWFUL
from referee.events import (
    Event,
    FoulSeen,
    FoulStood,
    GameEnded,
    MillClosed,
    QuestionAsked,
    Restored,
    TurnAmended,
    TurnPlayed,
)
from referee.game import Game
from referee.moves import Rotate
from referee.rules import Turn
from referee.rulings import rule_on
from vision.decoding.belief import (
    AcceptedEvidence,
    Belief,
    Dispute,
    forget_rest,
    initial_belief,
    preference_against,
    remember_undecided,
)
from vision.decoding.posterior import Posterior
from vision.decoding.turn_hypotheses import Hypothesis, HypothesisKind

MIN_POSTERIOR = 0.9
"""Posterior from which a lawful hypothesis is accepted. Source: chosen."""

MIN_POSTERIOR_AFTER_PUSH = 0.97
"""The same for a turn where the board has just been pushed or lit anew and nobody has reached over it since: its
shadows lie elsewhere, and few people lay stones while they push. Source: chosen."""

PATIENT_REST_S = 0.8
"""Rest, in seconds, after which ``MIN_POSTERIOR_PATIENT`` holds. Source: chosen."""

MIN_POSTERIOR_PATIENT = 0.6
"""Posterior from which a lawful hypothesis is accepted after a long rest, where only a foul speaks against it: a shadow
looks like another player's stone more often than somebody lays one. Source: chosen."""

MIN_CHANGE_NATS = 2.0
"""Change log odds from which a point is not explained by nothing having been done before ``PATIENT_REST_S``. Source:
chosen."""

MIN_POSTERIOR_REMEMBERED = 0.02
"""Posterior from which turns that change nothing visible are remembered, although it is likelier that nothing was done:
the next player's turn decides. Source: chosen."""

MIN_POSTERIOR_ASKED = 0.03
"""Posterior of another turn that shows the same table, from which the players are asked which one it was. The game goes
on meanwhile, so a question costs less than an unnoticed mistake. Source: chosen."""

MAX_OPTIONS = 4
"""Turns among which people are asked to choose. Source: chosen."""

MIN_FOUL_POSTERIOR = 0.95
"""Posterior from which somebody may be accused. Source: chosen."""

FOUL_REST_S = 0.7
"""Rest, in seconds, before a foul is called: turns of several acts pass through tables that look like one. Source:
chosen."""

FOUL_REST_AFTER_PUSH_S = 2.0
"""The same where the board itself has moved: its shadows lie elsewhere, and people still arrange it. Source: chosen."""

ASK_AFTER_S = 2.5
"""Rest, in seconds, after which a doubt that remains is put to the players. Source: chosen."""

MAX_IGNORED_FOULS = 0.5
"""``Belief.ignored_fouls`` from which the referee asks what happened and accuses nobody. Source: chosen."""

IGNORED_FOULS_DECAY = 0.8
"""Factor on ``Belief.ignored_fouls`` after a turn that was understood. Source: chosen."""

KEPT_RESTS = 4
"""Rests whose evidence is kept after turns were accepted in them. Source: chosen."""

MAX_FOUL_POINTS = 5
"""Most points in which a foul may differ: a table that differs in more is another table. Source: chosen."""


@dataclass(frozen=True, slots=True)
class DecisionContext:
    """The circumstances in which a decision is made.

    Attributes
    ----------
    time_s : float
        Seconds of the source.
    frame : int
        Number of the frame.
    rest_s : float
        Seconds for which nothing has moved.
    moved : bool
        Whether the board lies elsewhere than in the reference.
    known : bool
        Whether this table was understood before. If not, nobody is accused of what already lay there.
    puzzled : bool
        Whether several earlier rests in a row had no explanation.
    asked : bool
        Whether the players have been asked about this rest.
    only_light_changed : bool
        Whether only the light has changed since the reference: nobody came near.
    """

    time_s: float
    frame: int
    rest_s: float
    moved: bool = False
    known: bool = True
    puzzled: bool = False
    asked: bool = False
    only_light_changed: bool = False


@dataclass(frozen=True, eq=False)
class Decision:
    """The decision on a posterior.

    Attributes
    ----------
    belief : Belief
    events : tuple of Event
    settled : bool
        Whether the table is understood. Nothing more can be learnt then until something moves.
    """

    belief: Belief
    events: tuple[Event, ...] = ()
    settled: bool = False


def decide(belief: Belief, posterior: Posterior, moment: DecisionContext) -> Decision:
    """Return the decision on a posterior: the best hypothesis is accepted where it is sure enough.

    Parameters
    ----------
    belief : Belief
    posterior : Posterior
        Of the hypotheses that ``belief`` allows.
    moment : DecisionContext

    Returns
    -------
    Decision
    """
    if moment.only_light_changed:
        return _nothing_done(belief)
    hypothesis, confidence = posterior.best, posterior.confidence
    if hypothesis.kind is HypothesisKind.UNEXPLAINED:
        decision = _foul(belief, hypothesis, confidence, moment)
        return decision if decision.settled else _ask(belief, posterior, moment)
    which, others = _indistinguishable(posterior)
    doubt = sum(p for _, p in others)
    if others and others[0][1] > MIN_POSTERIOR_ASKED and confidence + doubt >= MIN_POSTERIOR:
        decision = _accept(belief, hypothesis, confidence, moment)
        asked_for = [hypothesis, *(other for other, p in others if p > MIN_POSTERIOR_ASKED)][:MAX_OPTIONS]
        return replace(decision, events=(*decision.events, _ask_which_turn(asked_for, which, moment)))
    pushed = moment.moved and not belief.visited and bool(hypothesis.turns)
    if confidence < (MIN_POSTERIOR_AFTER_PUSH if pushed else MIN_POSTERIOR) and (
        pushed or not _only_foul_against(posterior, moment)
    ):
        return _ask(belief, posterior, moment)
    if hypothesis.kind is HypothesisKind.NOTHING_DONE and moment.rest_s < PATIENT_REST_S and _plainly_changed(belief):
        return Decision(belief)
    if (
        hypothesis.kind is HypothesisKind.NOTHING_DONE
        and belief.visited
        and _posterior_of_unseen_turns(posterior) > MIN_POSTERIOR_REMEMBERED
    ):
        return Decision(remember_undecided(belief, belief.rest, posterior.turn_log_posteriors), settled=True)
    if hypothesis.kind is HypothesisKind.NOTHING_DONE:
        return _nothing_done(belief)
    if moment.rest_s < PATIENT_REST_S and _plainly_unexplained(belief, hypothesis):
        return Decision(belief)
    return _accept(belief, hypothesis, confidence, moment)


def _nothing_done(belief: Belief) -> Decision:
    """Return the decision that nothing was done. The present appearance becomes the bias of the next looks."""
    bias = preference_against(belief, belief.expected_tops)
    return Decision(replace(belief, bias=bias, undecided=None), settled=True)


def _indistinguishable(posterior: Posterior) -> tuple[int, list[tuple[Hypothesis, float]]]:
    """Return the index of a turn, and the hypotheses that differ from the best in that turn only, the likeliest first.

    They show the same table as the best hypothesis. Hypotheses that differ in another turn than the likeliest of them
    are left out. A ring that looks the same all around shows that it was turned only by whose turn is next, and so does
    a stone laid on one of its colour. Only the direction, or the place, is open then, so the game need not wait for the
    answer.
    """
    best, which = posterior.best, -1
    others: list[tuple[Hypothesis, float]] = []
    for hypothesis, p in posterior.ranked[1:]:
        same = (
            hypothesis.kind is best.kind
            and hypothesis.tops == best.tops
            and len(hypothesis.turns) == len(best.turns) > 0
        )
        if same and hypothesis.pending is None and best.pending is None:
            pairs = enumerate(zip(best.turns, hypothesis.turns, strict=True))
            unlike = [k for k, (one, other) in pairs if one.moves != other.moves]
            early = len(unlike) == 1 and unlike[0] < len(best.turns) - 1
            turned = len(unlike) == 1 and _is_turned_back(best.turns[unlike[0]], hypothesis.turns[unlike[0]])
            if (early or turned) and unlike[0] == (which if others else unlike[0]):
                which = unlike[0]
                others.append((hypothesis, p))
    return which, others


def _is_turned_back(one: Turn, other: Turn) -> bool:
    if not (one.moves and other.moves and isinstance(one.moves[0], Rotate)):
        return False
    return other.moves == (replace(one.moves[0], steps=-one.moves[0].steps), *one.moves[1:])


def _ask_which_turn(hypotheses: Sequence[Hypothesis], which: int, moment: DecisionContext) -> QuestionAsked:
    """Return the question for the one turn in which hypotheses differ. One of them is in the game already."""
    turns = [hypothesis.turns[which] for hypothesis in hypotheses]
    ply = len(hypotheses[0].game.turns) + which + 1
    options, players = tuple(f"{ply}. {turn}" for turn in turns), tuple((turn.player,) for turn in turns)
    return QuestionAsked(options, moment.time_s, moment.frame, players=players)


def _posterior_of_unseen_turns(posterior: Posterior) -> float:
    """Return the posterior of turns that do not show: a plain ring turned, a stone laid on one of its colour."""
    return sum(
        p
        for hypothesis, p in posterior.ranked
        if hypothesis.turns and hypothesis.tops == posterior.best.tops and not hypothesis.undone
    )


def _plainly_changed(belief: Belief) -> bool:
    """Return whether the pixel change of any point contradicts the hypothesis that nothing was done."""
    return bool((belief.rest.change_log_odds > MIN_CHANGE_NATS).any())


def _plainly_unexplained(belief: Belief, hypothesis: Hypothesis) -> bool:
    """Return whether pixel change and appearance agree on a changed point that a hypothesis does not explain."""
    tops, rows = np.array(hypothesis.tops), np.arange(len(hypothesis.tops))
    against = belief.rest.log_likelihood.max(axis=1) - belief.rest.log_likelihood[rows, tops] > MIN_CHANGE_NATS
    left = (tops == np.array(belief.expected_tops)) & (belief.rest.change_log_odds > MIN_CHANGE_NATS)
    return bool((left & against).any())


def _only_foul_against(posterior: Posterior, moment: DecisionContext) -> bool:
    """Return whether the rest was long and the best hypothesis is sure among the lawful ones: only a foul rivals it."""
    lawful = sum(p for hypothesis, p in posterior.ranked if hypothesis.kind is not HypothesisKind.UNEXPLAINED)
    long = moment.rest_s >= PATIENT_REST_S and posterior.confidence >= MIN_POSTERIOR_PATIENT
    return long and posterior.confidence >= MIN_POSTERIOR * lawful


def _accept(belief: Belief, hypothesis: Hypothesis, confidence: float, moment: DecisionContext) -> Decision:
    events: list[Event] = []
    at = (moment.time_s, moment.frame)
    if belief.disputed_tops is not None:
        events.append(
            _foul_stood(belief, hypothesis.game, at) if hypothesis.kind is HypothesisKind.PLAYED_ON else Restored(*at)
        )
    last_ply = len(belief.game.turns)
    kept_turns = hypothesis.turns
    if hypothesis.kind is HypothesisKind.MISREAD:
        kept_turns = hypothesis.turns[1:]
        moves = hypothesis.turns[0].moves if hypothesis.turns else None
        events.append(TurnAmended(last_ply, moves, *at))
    elif hypothesis.kind is HypothesisKind.TAKEN_BACK:
        events += [TurnAmended(last_ply - k, None, *at) for k in range(hypothesis.undone)]
    game = hypothesis.game
    if hypothesis.kind is HypothesisKind.MISREAD and hypothesis.turns:
        game = game.play_turn(hypothesis.turns[0])
    announced = belief.pending.mills if belief.pending is not None else ()
    for turn in kept_turns:
        player = game.position.to_move
        events += _mills(player, turn, announced, at)
        announced = ()
        game = game.play_turn(turn)
        mills = () if game.variant.line_wins else turn.mills  # three in a row that win are no mill
        ply, skipped = len(game.turns), game.turns[-1].skipped
        events.append(TurnPlayed(ply, player, turn.moves, mills, confidence, *at, skipped=skipped))
    if hypothesis.pending is not None:
        events += _mills(game.position.to_move, hypothesis.pending, announced, at)
    if game.outcome is not None and (belief.game.outcome is None or kept_turns):
        events.append(GameEnded(game.outcome.winner, game.outcome.termination, *at))
    kept = belief.accepted.log_likelihood
    if hypothesis.kind is not HypothesisKind.RESTORED:
        kept = (*kept, belief.rest.log_likelihood)[-KEPT_RESTS:]
    withdrawn = belief.game.turns[-hypothesis.undone :] if hypothesis.kind is HypothesisKind.TAKEN_BACK else ()
    accepted = replace(
        initial_belief(game),
        pending=hypothesis.pending,
        accepted=AcceptedEvidence(() if hypothesis.undone else kept, max(1, len(kept_turns)), withdrawn),
        bias=preference_against(belief, hypothesis.tops),
        ignored_fouls=_ignored_fouls(belief, hypothesis),
    )
    return Decision(accepted, tuple(events), settled=True)


def _foul_stood(belief: Belief, game: Game, at: tuple[float, int]) -> FoulStood:
    """Return the event that play goes on from the table in dispute. It names nobody where nobody was accused."""
    dispute = belief.dispute
    assert dispute is not None
    ruling = rule_on(belief.position, dispute.tops)
    player = ruling.player if dispute.is_foul else None
    return FoulStood(len(game.turns), player, str(ruling.kinds[0]), dispute.tops, game.position.to_move, *at)


def _ignored_fouls(belief: Belief, hypothesis: Hypothesis) -> float:
    """Return ``Belief.ignored_fouls`` after a hypothesis was accepted."""
    if hypothesis.kind is HypothesisKind.PLAYED_ON:
        return belief.ignored_fouls + (belief.dispute is not None and belief.dispute.is_foul)
    return 0.0 if belief.dispute is not None else belief.ignored_fouls * IGNORED_FOULS_DECAY ** len(hypothesis.turns)


def _mills(player: int, turn: Turn, announced: tuple[tuple[str, ...], ...], at: tuple[float, int]) -> list[Event]:
    if turn.after.variant.line_wins:
        return []
    return [MillClosed(player, line, *at) for line in turn.mills if line not in announced]


def _foul(belief: Belief, hypothesis: Hypothesis, confidence: float, moment: DecisionContext) -> Decision:
    n_edits = (
        sum(a != b for a, b in zip(hypothesis.tops, belief.expected_tops, strict=True))
        if not any(hypothesis.steps)
        else 1
    )
    rest_s = FOUL_REST_AFTER_PUSH_S if moment.moved else FOUL_REST_S
    sure = confidence >= MIN_FOUL_POSTERIOR and moment.rest_s >= rest_s and moment.known
    if belief.game.outcome is not None:
        return Decision(belief)
    if not sure or n_edits > MAX_FOUL_POINTS:
        return _accept_unexplained(belief, hypothesis, confidence, moment)
    ruling = rule_on(belief.position, hypothesis.tops)
    foul = FoulSeen(
        ruling.player,
        ruling.kinds[0],
        ruling.points,
        belief.position.tops,
        hypothesis.tops,
        moment.time_s,
        moment.frame,
    )
    before = belief.dispute or Dispute(())
    steps = tuple(
        a + b for a, b in zip(before.ring_steps or (0,) * len(hypothesis.steps), hypothesis.steps, strict=True)
    )
    disputed = replace(
        forget_rest(belief),
        dispute=Dispute(hypothesis.tops, steps, before.is_foul),
        bias=preference_against(belief, hypothesis.tops),
        ignored_fouls=belief.ignored_fouls + (belief.dispute is not None),
        undecided=None,
    )
    if disputed.ignored_fouls >= MAX_IGNORED_FOULS:
        if belief.dispute is not None and belief.ignored_fouls >= MAX_IGNORED_FOULS:
            return Decision(disputed, settled=True)  # the question still stands
        question = QuestionAsked((UNLAWFUL, NOTHING), moment.time_s, moment.frame, players=((), ()))
        return Decision(disputed, (question,), settled=True)
    return Decision(disputed, (foul,), settled=True)


def _accept_unexplained(belief: Belief, hypothesis: Hypothesis, confidence: float, moment: DecisionContext) -> Decision:
    """Return the decision to go on from a clearly seen table that nothing explains, without accusing anybody.

    The players are asked once what happened. The game then continues with whoever plays next.
    """
    clear = confidence >= MIN_POSTERIOR and moment.rest_s >= FOUL_REST_S and moment.puzzled
    if not clear or any(hypothesis.steps) or belief.position.variant.max_height > 1:
        return Decision(belief)
    steps = belief.dispute.ring_steps if belief.dispute is not None else ()
    taken = replace(
        forget_rest(belief),
        dispute=Dispute(hypothesis.tops, steps, is_foul=False),
        bias=preference_against(belief, hypothesis.tops),
        undecided=None,
    )
    question = QuestionAsked((UNLAWFUL, NOTHING), moment.time_s, moment.frame, players=((), ()))
    return Decision(taken, (question,), settled=True)


def _ask(belief: Belief, posterior: Posterior, moment: DecisionContext) -> Decision:
    """Return the decision to ask the players once, when the rest was long and several hypotheses stay likely."""
    over = belief.game.outcome is not None
    if moment.asked or over or moment.rest_s < ASK_AFTER_S or len(posterior.ranked) < 2:
        return Decision(belief)
    players_by_option: dict[str, tuple[int, ...]] = {}  # several hypotheses may have the same text
    for hypothesis, _ in posterior.ranked:
        players_by_option.setdefault(*_option_text(hypothesis, belief.game))
    options = tuple(players_by_option)[:2]
    if len(options) < 2:
        return Decision(belief)
    players = tuple(players_by_option[option] for option in options)
    return Decision(belief, (QuestionAsked(options, moment.time_s, moment.frame, players=players),))


def _option_text(hypothesis: Hypothesis, game: Game) -> tuple[str, tuple[int, ...]]:
    """Return an option of a question, and the players whose turns it names."""
    if hypothesis.kind is HypothesisKind.UNEXPLAINED:
        return UNLAWFUL, ()
    known = hypothesis.kind in (HypothesisKind.NOTHING_DONE, HypothesisKind.RESTORED)
    turns = hypothesis.turns if known or hypothesis.pending is None else (*hypothesis.turns, hypothesis.pending)
    if not turns:
        return (f"-{hypothesis.undone}" if hypothesis.undone else NOTHING), ()
    number = f"{len(game.turns)}. " if hypothesis.kind is HypothesisKind.MISREAD else ""
    return number + " ".join(map(str, turns)), tuple(turn.player for turn in turns)
