"""From a verdict to a decision: what is accepted, what is announced, and when it is better to wait."""

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
from vision.decoding.belief import Belief, believe, forget_looks, overruled
from vision.decoding.posterior import Verdict
from vision.decoding.turn_hypotheses import Hypothesis, Kind

CONFIDENT = 0.9
"""Posterior from which a lawful story is accepted."""

CONFIDENT_WHERE_PUSHED = 0.97
"""The same of a turn where the board has just been pushed or lit anew and nobody has reached over it since: shadows lie
elsewhere on it, and few lay stones while they push."""

PATIENT_S = 0.8
CONFIDENT_AT_LENGTH = 0.6
"""Rest after which a lawful story is accepted from this posterior on, where nothing but a foul speaks against it: a
shadow makes a stone look like another's oftener than somebody lays another's."""

PLAINLY_TOUCHED = 2.0
"""Nats of ``Belief.touched`` that are explained by nothing having been done only after ``PATIENT_S``."""

NOTHING_UNSEEN = 0.02
"""Posterior of turns that show nothing from which on they are borne in mind, although nothing having been done is
likelier: the next player tells."""

DOUBTED = 0.03
"""Posterior of another turn that shows the same, from which it is asked which one it was: the game goes on meanwhile,
so that asking costs less than being wrong unnoticed."""

MOST_OPTIONS = 4
"""Turns among which people are asked to choose at most."""

CONFIDENT_OF_A_FOUL = 0.95
"""Posterior from which somebody may be accused."""

FOUL_REST_S = 0.7
"""A foul is called only after so much rest: turns of several acts pass through tables that look like one."""

FOUL_REST_MOVED_S = 2.0
"""The same where the board itself has moved: then shadows lie elsewhere on it, and people are still at it."""

ASK_AFTER_S = 2.5
"""Rest after which a doubt that will not go away is put to the players."""

MOST_UNHEEDED = 0.5
"""``Belief.unheeded`` from which the referee asks what happened, and accuses nobody."""

FORGIVEN = 0.8
"""What is left of ``Belief.unheeded`` after a turn that was understood: the referee's eyes are to be trusted again."""

MOST_FOUL_EDITS = 5
"""A table that differs in more points than this is another table, not a foul."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a decision is asked for.

    Attributes
    ----------
    time_s : float
        Seconds of the source.
    frame : int
        Number of the frame.
    rest_s : float
        Seconds for which nothing has moved.
    moved : bool
        Whether the board lies elsewhere than at the last settled look.
    known : bool
        Whether this table was understood once; nobody is accused of what lay there before.
    puzzled : bool
        Whether several rests before this one made no sense, either.
    asked : bool
        Whether the players were asked about this rest.
    only_light_changed : bool
        Whether nobody came near since the last accepted look, but the light is another.
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
    """What became of a verdict.

    Attributes
    ----------
    belief : Belief
    events : tuple of Event
    settled : bool
        True when the table is understood; nothing more is to be learnt until something moves.
    """

    belief: Belief
    events: tuple[Event, ...] = ()
    settled: bool = False


def decide(belief: Belief, verdict: Verdict, moment: Moment) -> Decision:
    """Accept the best story where it is sure enough, or wait.

    Parameters
    ----------
    belief : Belief
    verdict : Verdict
        Of ``belief``.
    moment : Moment

    Returns
    -------
    Decision
    """
    if moment.only_light_changed:
        return _undisturbed(belief)
    story, confidence = verdict.best, verdict.confidence
    if story.kind is Kind.OPEN:
        decision = _foul(belief, story, confidence, moment)
        return decision if decision.settled else _doubt(belief, verdict, moment)
    which, twins = _twins(verdict)
    doubt = sum(posterior for _, posterior in twins)
    if twins and twins[0][1] > DOUBTED and confidence + doubt >= CONFIDENT:
        decision = _accept(belief, story, confidence, moment)
        asked_for = [story, *(twin for twin, posterior in twins if posterior > DOUBTED)][:MOST_OPTIONS]
        return replace(decision, events=(*decision.events, _which_way(asked_for, which, moment)))
    pushed = moment.moved and not belief.visited and bool(story.turns)
    if confidence < (CONFIDENT_WHERE_PUSHED if pushed else CONFIDENT) and (
        pushed or not _only_a_foul_against(verdict, moment)
    ):
        return _doubt(belief, verdict, moment)
    if story.kind is Kind.SAME and moment.rest_s < PATIENT_S and _plainly_touched(belief):
        return Decision(belief)
    if story.kind is Kind.SAME and belief.visited and _unseen_turns(verdict) > NOTHING_UNSEEN:
        shown = replace(belief, rings_then=belief.turning, touched_then=belief.touched)
        return Decision(replace(shown, leaning=verdict.leaning), settled=True)
    if story.kind is Kind.SAME:
        return Decision(replace(belief, habit=overruled(belief, story.tops), leaning={}), settled=True)
    if moment.rest_s < PATIENT_S and _plainly_unexplained(belief, story):
        return Decision(belief)
    return _accept(belief, story, confidence, moment)


def _undisturbed(belief: Belief) -> Decision:
    """Decide that nothing was done, whatever it looks like now: the light is another, and nobody came near."""
    return Decision(replace(belief, habit=overruled(belief, belief.expected), leaning={}), settled=True)


def _twins(verdict: Verdict) -> tuple[int, list[tuple[Hypothesis, float]]]:
    """The stories that show the same as the best and differ in one turn before its last, the likeliest first.

    And which turn that is; those that differ in another turn than the likeliest one are left out. A ring that looks the
    same all around shows that it was turned only by whose turn is next, and so does a stone laid on one of its colour.
    Nothing but the question which way, or where, is open then, and the game need not wait for the answer.
    """
    best, which = verdict.best, -1
    twins: list[tuple[Hypothesis, float]] = []
    for story, posterior in verdict.ranked[1:]:
        same = story.kind is best.kind and story.tops == best.tops and len(story.turns) == len(best.turns) > 0
        if same and story.pending is None and best.pending is None:
            pairs = enumerate(zip(best.turns, story.turns, strict=True))
            unlike = [k for k, (one, other) in pairs if one.moves != other.moves]
            early = len(unlike) == 1 and unlike[0] < len(best.turns) - 1
            turned = len(unlike) == 1 and _is_turned_back(best.turns[unlike[0]], story.turns[unlike[0]])
            if (early or turned) and unlike[0] == (which if twins else unlike[0]):
                which = unlike[0]
                twins.append((story, posterior))
    return which, twins


def _is_turned_back(one: Turn, other: Turn) -> bool:
    if not (one.moves and other.moves and isinstance(one.moves[0], Rotate)):
        return False
    return other.moves == (replace(one.moves[0], steps=-one.moves[0].steps), *one.moves[1:])


def _which_way(stories: Sequence[Hypothesis], which: int, moment: Moment) -> QuestionAsked:
    """Ask for the one turn in which stories differ, by its number: it is in the game already, one way."""
    turns = [story.turns[which] for story in stories]
    ply = len(stories[0].game.turns) + which + 1
    options, players = tuple(f"{ply}. {turn}" for turn in turns), tuple((turn.player,) for turn in turns)
    return QuestionAsked(options, moment.time_s, moment.frame, players=players)


def _unseen_turns(verdict: Verdict) -> float:
    """How likely it is that something was done that shows nothing: a plain ring turned, a stone laid on its like."""
    return sum(p for story, p in verdict.ranked if story.turns and story.tops == verdict.best.tops and not story.undone)


def _plainly_touched(belief: Belief) -> bool:
    """Whether pixels say that something was laid or taken: then "nothing was done" is not believed at first sight."""
    return belief.closely and bool((belief.touched > PLAINLY_TOUCHED).any())


def _plainly_unexplained(belief: Belief, story: Hypothesis) -> bool:
    """Whether pixels and eyes agree on a stone laid or taken of which a story knows nothing."""
    tops, rows = np.array(story.tops), np.arange(len(story.tops))
    against = belief.news.max(axis=1) - belief.news[rows, tops] > PLAINLY_TOUCHED
    left = (tops == np.array(belief.expected)) & (belief.touched > PLAINLY_TOUCHED)
    return belief.closely and bool((left & against).any())


def _only_a_foul_against(verdict: Verdict, moment: Moment) -> bool:
    """Whether the best story has won among the lawful ones, and has been looked at for long."""
    lawful = sum(p for story, p in verdict.ranked if story.kind is not Kind.OPEN)
    long = moment.rest_s >= PATIENT_S and verdict.confidence >= CONFIDENT_AT_LENGTH
    return long and verdict.confidence >= CONFIDENT * lawful


def _accept(belief: Belief, story: Hypothesis, confidence: float, moment: Moment) -> Decision:
    events: list[Event] = []
    at = (moment.time_s, moment.frame)
    if belief.disputed is not None:
        events.append(_foul_stood(belief, story.game, at) if story.kind is Kind.PLAYED_ON else Restored(*at))
    last_ply = len(belief.game.turns)
    kept_turns = story.turns
    if story.kind is Kind.MISREAD:
        kept_turns = story.turns[1:]
        moves = story.turns[0].moves if story.turns else None
        events.append(TurnAmended(last_ply, moves, *at))
    elif story.kind is Kind.TAKEN_BACK:
        events += [TurnAmended(last_ply - k, None, *at) for k in range(story.undone)]
    game = story.game
    if story.kind is Kind.MISREAD and story.turns:
        game = game.play_turn(story.turns[0])
    announced = belief.pending.mills if belief.pending is not None else ()
    for turn in kept_turns:
        player = game.position.to_move
        events += _mills(player, turn, announced, at)
        announced = ()
        game = game.play_turn(turn)
        mills = () if game.variant.line_wins else turn.mills  # three in a row that win are no mill
        ply, skipped = len(game.turns), game.turns[-1].skipped
        events.append(TurnPlayed(ply, player, turn.moves, mills, confidence, *at, skipped=skipped))
    if story.pending is not None:
        events += _mills(game.position.to_move, story.pending, announced, at)
    if game.outcome is not None and (belief.game.outcome is None or kept_turns):
        events.append(GameEnded(game.outcome.winner, game.outcome.termination, *at))
    kept_evidence = belief.accepted if story.kind is Kind.RESTORED else (*belief.accepted, belief.evidence)[-4:]
    if story.undone:
        kept_evidence = ()
    accepted = replace(
        believe(game),
        pending=story.pending,
        accepted=kept_evidence,
        together=max(1, len(kept_turns)),
        habit=overruled(belief, story.tops),
        unheeded=_unheeded(belief, story),
        withdrawn=belief.game.turns[-story.undone :] if story.kind is Kind.TAKEN_BACK else (),
    )
    return Decision(accepted, tuple(events), settled=True)


def _foul_stood(belief: Belief, game: Game, at: tuple[float, int]) -> FoulStood:
    """That play goes on from the table in dispute; nobody is named where nobody was accused."""
    assert belief.disputed is not None
    ruling = rule_on(belief.position, belief.disputed)
    player = None if belief.taken_up else ruling.player
    return FoulStood(len(game.turns), player, str(ruling.kinds[0]), belief.disputed, game.position.to_move, *at)


def _unheeded(belief: Belief, story: Hypothesis) -> float:
    """How little the referee was heeded, after an accepted story."""
    if story.kind is Kind.PLAYED_ON:
        return belief.unheeded + (not belief.taken_up)
    return 0.0 if belief.disputed is not None else belief.unheeded * FORGIVEN ** len(story.turns)


def _mills(player: int, turn: Turn, announced: tuple[tuple[str, ...], ...], at: tuple[float, int]) -> list[Event]:
    if turn.after.variant.line_wins:
        return []
    return [MillClosed(player, line, *at) for line in turn.mills if line not in announced]


def _foul(belief: Belief, story: Hypothesis, confidence: float, moment: Moment) -> Decision:
    n_edits = sum(a != b for a, b in zip(story.tops, belief.expected, strict=True)) if not any(story.steps) else 1
    rest_s = FOUL_REST_MOVED_S if moment.moved else FOUL_REST_S
    sure = confidence >= CONFIDENT_OF_A_FOUL and moment.rest_s >= rest_s and moment.known
    if belief.game.outcome is not None:
        return Decision(belief)
    if not sure or n_edits > MOST_FOUL_EDITS:
        return _take_up(belief, story, confidence, moment)
    ruling = rule_on(belief.position, story.tops)
    foul = FoulSeen(
        ruling.player,
        ruling.kinds[0],
        ruling.points,
        belief.position.tops,
        story.tops,
        moment.time_s,
        moment.frame,
    )
    steps = tuple(a + b for a, b in zip(belief.disputed_steps or (0,) * len(story.steps), story.steps, strict=True))
    habit = overruled(belief, story.tops)
    disputed = replace(
        forget_looks(belief),
        disputed=story.tops,
        disputed_steps=steps,
        habit=habit,
        unheeded=belief.unheeded + (belief.disputed is not None),
        leaning={},
    )
    if disputed.unheeded >= MOST_UNHEEDED:
        if belief.disputed is not None and belief.unheeded >= MOST_UNHEEDED:
            return Decision(disputed, settled=True)  # the question still stands
        question = QuestionAsked((UNLAWFUL, NOTHING), moment.time_s, moment.frame, players=((), ()))
        return Decision(disputed, (question,), settled=True)
    return Decision(disputed, (foul,), settled=True)


def _take_up(belief: Belief, story: Hypothesis, confidence: float, moment: Moment) -> Decision:
    """Go on from a table that is clearly seen and that nothing explains, accusing nobody: too much went by unseen.

    That something happened which no lawful turn explains is asked, once; then whoever plays on takes the game up.
    """
    clear = confidence >= CONFIDENT and moment.rest_s >= FOUL_REST_S and moment.puzzled
    if not clear or any(story.steps) or belief.position.variant.max_height > 1:
        return Decision(belief)
    taken = replace(
        forget_looks(belief), disputed=story.tops, taken_up=True, leaning={}, habit=overruled(belief, story.tops)
    )
    question = QuestionAsked((UNLAWFUL, NOTHING), moment.time_s, moment.frame, players=((), ()))
    return Decision(taken, (question,), settled=True)


def _doubt(belief: Belief, verdict: Verdict, moment: Moment) -> Decision:
    """Ask one clear question when two stories stay equally likely; nobody is accused meanwhile."""
    over = belief.game.outcome is not None
    if moment.asked or over or moment.rest_s < ASK_AFTER_S or len(verdict.ranked) < 2:
        return Decision(belief)
    told: dict[str, tuple[int, ...]] = {}  # two stories may come to the same for people
    for story, _ in verdict.ranked:
        told.setdefault(*_in_words(story, belief.game))
    options = tuple(told)[:2]
    if len(options) < 2:
        return Decision(belief)
    players = tuple(told[option] for option in options)
    return Decision(belief, (QuestionAsked(options, moment.time_s, moment.frame, players=players),))


def _in_words(story: Hypothesis, game: Game) -> tuple[str, tuple[int, ...]]:
    """An option of a question and whose turns it names."""
    if story.kind is Kind.OPEN:
        return UNLAWFUL, ()
    known = story.kind in (Kind.SAME, Kind.RESTORED)
    turns = story.turns if known or story.pending is None else (*story.turns, story.pending)
    if not turns:
        return (f"-{story.undone}" if story.undone else NOTHING), ()
    number = f"{len(game.turns)}. " if story.kind is Kind.MISREAD else ""
    return number + " ".join(map(str, turns)), tuple(turn.player for turn in turns)
