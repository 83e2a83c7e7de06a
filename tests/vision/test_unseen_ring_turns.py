"""A ring without stones that was turned and looks as before: whose turn is next shows that, and no more is asked."""

import numpy as np
import pytest

from referee.events import FoulSeen, QuestionAsked, Restored, TurnPlayed
from referee.game import Game
from referee.moves import Place, to_action, turn_text
from referee.record import GameRecord, to_pgn
from referee.record_files import read_records
from tests.referee.positions import played
from tests.vision.beliefs import after_undecided, having
from vision.decoding.belief import Belief, Dispute, initial_belief
from vision.decoding.decision import DecisionContext, decide
from vision.decoding.posterior import decode
from vision.rotation.angle_at_rest import MAX_ROTATION_NATS, ROTATION_STEPS


def looked(game: Game, tops: dict[str, int], plain_ring: int) -> Belief:
    """A look at a table on which only the plain ring may have turned."""
    belief = initial_belief(game)
    shown = np.array([tops.get(name, 0) for name in game.position.board.points])
    evidence = np.full(belief.rest.log_likelihood.shape, -8.0)
    evidence[np.arange(len(shown)), shown] = 0.0
    turning = np.where(np.array(ROTATION_STEPS) == 0, 0.0, -MAX_ROTATION_NATS) * np.ones((3, 1))
    turning[plain_ring] = 0.0
    touched = np.where(shown != np.array(belief.expected_tops), 6.0, -6.0)
    return having(
        belief,
        looks=evidence,
        looks_at=np.full(len(shown), 5),
        visited=True,
        ring_log_likelihood=turning,
        ring_steps=(0, 0, 0),
        change_log_odds=touched,
        bias=np.zeros_like(evidence),
    )


def test_an_unseen_turn_is_believed_when_the_next_player_goes_on_and_its_way_is_not_asked() -> None:
    game = played("moulin_rouge", "o1 m2")
    before, after = {"o1": 1, "m2": 2}, {"o1": 1, "m2": 2, "m4": 2}
    belief = looked(game, before, plain_ring=2)
    first = decide(belief, decode(belief), DecisionContext(10.0, 100, 1.0))
    assert not first.settled and not first.events  # something may have been turned, or nothing: later turns will tell
    belief = looked(game, after, plain_ring=2)
    belief = after_undecided(belief, decode(looked(game, before, plain_ring=2)).turn_log_posteriors)
    second = decide(belief, decode(belief), DecisionContext(12.0, 120, 1.0))
    assert second.settled
    assert [turn_text(event.moves) for event in second.events if isinstance(event, TurnPlayed)] == ["~", "m4"]
    assert not any(isinstance(event, FoulSeen | QuestionAsked) for event in second.events)


@pytest.mark.parametrize(("idle", "said"), [(True, ["~", "m4"]), (False, [])])
def test_rings_that_seem_to_lie_still_were_turned_if_hands_came_and_one_plays_again(
    idle: bool, said: list[str]
) -> None:
    game = played("moulin_rouge", "o1 m2")
    still = np.where(np.array(ROTATION_STEPS) == 0, 0.0, -MAX_ROTATION_NATS) * np.ones((3, 1))

    def seen(tops: dict[str, int]) -> Belief:
        return having(looked(game, tops, plain_ring=2), ring_log_likelihood=still)

    before, after = {"o1": 1, "m2": 2}, {"o1": 1, "m2": 2, "m4": 2}
    first = decide(seen(before), decode(seen(before)), DecisionContext(10.0, 100, 1.0))
    assert first.settled and not first.events, "hands came, and nothing is seen to have been done"
    again = having(seen(after), idle=first.belief.idle and idle)
    events = decide(again, decode(again), DecisionContext(12.0, 120, 1.0)).events
    assert [turn_text(event.moves) for event in events if isinstance(event, TurnPlayed)] == said
    assert [event.kind for event in events if isinstance(event, FoulSeen)] == ([] if idle else ["wrong_player"])
    if idle:
        (turned,) = [event for event in events if isinstance(event, TurnPlayed) and event.player == 0]
        assert to_action(turned.moves[0]) == {"act": "rotate", "ring": None, "steps": None}
        whole = game.play(*turned.moves).play(Place("m4"))
        assert read_records(to_pgn(GameRecord(whole))) == (GameRecord(whole),)


def test_stones_put_right_by_hand_on_a_ring_that_was_not_turned_back_are_right() -> None:
    game = played("moulin_rouge", "i1 m2")
    turned = Dispute(played("moulin_rouge", "i2 m2").position.tops, ring_steps=(0, 0, 1))
    still = np.where(np.array(ROTATION_STEPS) == 0, 0.0, -MAX_ROTATION_NATS) * np.ones((3, 1))
    belief = having(looked(game, {"i1": 1, "m2": 2}, plain_ring=0), dispute=turned, ring_log_likelihood=still)
    decision = decide(belief, decode(belief), DecisionContext(12.0, 120, 5.0))
    assert [type(event) for event in decision.events] == [Restored]
