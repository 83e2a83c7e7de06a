"""The decoder without pixels: made-up evidence of known tables in, stories out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.events import FoulSeen, MillClosed, PlayerOut, QuestionAsked, Restored, TurnAmended, TurnPlayed
from referee.game import Game
from referee.moves import parse_turn, turn_text
from referee.position import Due, Position
from referee.presets import find_variant
from referee.question_options import UNLAWFUL, in_doubt, readings
from referee.turns import legal_turns
from tests.vision.beliefs import having
from vision.decoding.belief import AcceptedEvidence, Belief, forget_rest, initial_belief, update
from vision.decoding.decision import QUESTION_COST, SECOND_COST, DecisionContext, decide
from vision.decoding.posterior import Posterior, decode
from vision.decoding.turn_hypotheses import Hypothesis, HypothesisKind, lawful_hypotheses
from vision.evidence.fusion import Evidence

SURE = 12.0  # nats between the right appearance of a point and any other: several cues that agree


def evidence_of(tops: tuple[int, ...], n_players: int = 2, sure: float = SURE) -> Evidence:
    """What the eyes would say of a table that shows ``tops``, every point clear."""
    rows = np.full((len(tops), n_players + 1), -sure)
    rows[np.arange(len(tops)), tops] = 0.0
    return Evidence(rows)


def game_after(name: str, *turns: str, **options: object) -> Game:
    game = Game.start(find_variant(name, **options))
    for text in turns:
        for move in parse_turn(text, game.position.board):
            game = game.play(move)
    return game


def tops_after(game: Game, **changes: int) -> tuple[int, ...]:
    """What the table shows after ``game`` if some points were changed by hand."""
    tops = list(game.position.tops)
    for point, top in changes.items():
        tops[game.position.board.index[point]] = top
    return tuple(tops)


def see(belief: Belief, tops: tuple[int, ...], rest_s: float = 1.0, sure: float = SURE):
    changed = np.array(tops) != np.array(belief.expected_tops)
    belief = having(forget_rest(belief), change_log_odds=np.where(changed, sure, -sure), visited=bool(changed.any()))
    for _ in range(3):
        belief = update(belief, evidence_of(tops, len(belief.game.position.hands), sure))
    return decide(belief, decode(belief), DecisionContext(10.0, 100, rest_s))


def test_an_unchanged_table_is_understood_and_nothing_is_said():
    game = game_after("millchen", "d6", "d7")
    decision = see(initial_belief(game), game.position.tops)
    assert decision.settled
    assert decision.events == ()


def test_a_stone_laid_by_the_player_to_move_is_a_turn():
    game = game_after("millchen", "d6")
    decision = see(initial_belief(game), tops_after(game, a1=2))
    assert [turn_text(e.moves) for e in decision.events if isinstance(e, TurnPlayed)] == ["a1"]
    assert decision.belief.game.ply == 2


def test_a_mill_is_announced_before_its_capture_and_the_turn_after_it():
    game = game_after("millchen", "a7", "b6", "d7", "b4")
    first = see(initial_belief(game), tops_after(game, g7=1))
    (mill,) = (e for e in first.events if isinstance(e, MillClosed))
    assert (mill.line, mill.due) == (("a7", "d7", "g7"), (Due(0b10, 1, False),)), "and what is still to be taken"
    assert not any(isinstance(e, TurnPlayed) for e in first.events)
    second = see(first.belief, tops_after(game, g7=1, b6=0))
    assert [turn_text(e.moves) for e in second.events if isinstance(e, TurnPlayed)] == ["g7xb6"]
    assert not any(isinstance(e, MillClosed) for e in second.events), "a mill is announced once"


def test_the_last_stones_of_who_is_out_are_waited_for_and_nobody_is_accused():
    owners = {0: ("b1", "b3", "c2"), 1: ("a1", "a3", "a5"), 2: ("c1", "c3", "c5", "c6")}
    points = {point: [owner] for owner, lain in owners.items() for point in lain}
    game = Game(Position.set_up(find_variant("trialectic", leftover="remove"), points, to_move=0))
    taken = see(initial_belief(game), tops_after(game, c2=0, b2=1, a1=0))
    kinds = [type(event) for event in taken.events]
    assert kinds == [MillClosed, TurnPlayed, PlayerOut]
    one_left = see(taken.belief, tops_after(game, c2=0, b2=1, a1=0, a3=0))
    assert one_left.events == ()
    cleared = see(one_left.belief, tops_after(game, c2=0, b2=1, a1=0, a3=0, a5=0))
    assert [type(event) for event in cleared.events] == [Restored]
    played_on = see(taken.belief, tops_after(game, c2=0, b2=1, a1=0, a3=0, a5=0, c5=0, c4=3))
    assert [turn_text(e.moves) for e in played_on.events if isinstance(e, TurnPlayed)] == ["c5-c4"]


def test_two_turns_between_two_looks_are_both_found():
    game = game_after("millchen", "d6")
    decision = see(initial_belief(game), tops_after(game, a1=2, g7=1))
    assert [(e.player, turn_text(e.moves)) for e in decision.events] == [(1, "a1"), (0, "g7")]


def test_a_turn_taken_back_never_happened():
    game = game_after("millchen", "d6", "a1")
    before = game.take_back()
    decision = see(initial_belief(game), before.position.tops)
    assert [(e.ply, e.moves) for e in decision.events if isinstance(e, TurnAmended)] == [(2, None)]
    assert decision.belief.game.ply == 1


def test_a_turn_put_elsewhere_replaces_the_one_that_was_read():
    game = game_after("millchen", "d6", "a1")
    decision = see(initial_belief(game), tops_after(game.take_back(), a4=2))
    assert [turn_text(e.moves) for e in decision.events if isinstance(e, TurnAmended)] == ["a4"]
    assert decision.belief.game.position.tops == tops_after(game.take_back(), a4=2)


def test_a_mill_made_again_by_moving_straight_back_is_called_by_its_name():
    owners = {0: ("a7", "d7", "g7", "f4", "e4", "c3"), 1: ("b6", "d6", "c5", "e3", "d1", "b2")}
    points = {point: [owner] for owner, lain in owners.items() for point in lain}
    game = Game(Position.set_up(find_variant("morabaraba"), points, to_move=0))
    for text in ("g7-g4xb2", "d1-a1"):
        for move in parse_turn(text, game.variant.board):
            game = game.play(move)
    called = see(initial_belief(game), tops_after(game, g4=0, g7=1)).events
    assert [(event.kind, event.player) for event in called if isinstance(event, FoulSeen)] == [("remade_mill", 0)]


FOULS = [
    ("two stones at once", "millchen", ("d6",), {"a1": 2, "a4": 2}, "two_moves"),
    ("the other player's stone", "millchen", ("d6",), {"a1": 1}, "wrong_player"),
    ("a stone taken without a mill", "millchen", ("d6", "a1", "d7"), {"d6": 0, "g1": 2}, "capture_without_mill"),
    ("a stone moved while placing", "millchen", ("d6", "a1", "d7"), {"a1": 0, "a4": 2}, "moved_while_placing"),
]


@pytest.mark.parametrize(("turns", "changes", "kind"), [f[2:] for f in FOULS], ids=[f[0] for f in FOULS])
def test_a_foul_is_called_by_its_kind_and_put_right(turns: tuple[str, ...], changes: dict[str, int], kind: str):
    game = game_after("millchen", *turns)
    called = see(initial_belief(game), tops_after(game, **changes))
    assert [e.kind for e in called.events if isinstance(e, FoulSeen)] == [kind]
    assert called.belief.game == game, "a foul is no turn"
    righted = see(called.belief, game.position.tops)
    assert any(isinstance(e, Restored) for e in righted.events)
    assert righted.belief.disputed_tops is None


def test_nobody_is_accused_before_the_table_has_rested():
    game = game_after("millchen", "d6")
    decision = see(initial_belief(game), tops_after(game, a1=2, a4=2), rest_s=0.45)
    assert decision.events == ()
    assert not decision.settled


def test_a_foul_that_stays_while_the_other_plays_on_is_let_stand():
    game = game_after("millchen", "d6")
    called = see(initial_belief(game), tops_after(game, a1=1))
    after = see(called.belief, tops_after(game, a1=1, g7=2))
    later = [e for e in after.events if isinstance(e, TurnPlayed | Restored)]
    assert later, "the game goes on"


def test_one_wrongly_read_point_does_not_undo_what_the_rules_know():
    game = game_after("millchen", "d6", "a1", "g7")
    tops = tops_after(game, b4=2)
    rows = np.array(evidence_of(tops).log_likelihood)
    rows[game.position.board.index["c3"]] = (-1.5, 0.0, -SURE)  # glare: a little like a stone
    belief = update(having(initial_belief(game), visited=True), Evidence(rows))
    decision = decide(belief, decode(belief), DecisionContext(1.0, 10, 1.0))
    assert [turn_text(e.moves) for e in decision.events if isinstance(e, TurnPlayed)] == ["b4"]


def test_two_readings_equally_likely_are_asked_about_once_and_nobody_is_accused():
    game = game_after("millchen", "d6")
    rows = np.array(evidence_of(tops_after(game)).log_likelihood)
    for point in ("a1", "a4"):
        rows[game.position.board.index[point]] = (-3.6, -SURE, 0.0)
    belief = update(initial_belief(game), Evidence(rows))
    decision = decide(belief, decode(belief), DecisionContext(1.0, 10, 3.0))
    (question,) = decision.events
    assert isinstance(question, QuestionAsked)
    assert (set(question.options), question.players) == ({"a1", "a4"}, ((1,), (1,)))
    asked = decision.belief
    assert decide(asked, decode(asked), DecisionContext(1.0, 10, 3.0)).events == ()


def test_a_shadow_on_a_board_just_pushed_is_no_turn_unless_somebody_reached_over_it():
    game = game_after("millchen", "d6", "a1", "g7")
    rows = np.array(evidence_of(tops_after(game)).log_likelihood)
    rows[game.position.board.index["b4"]] = (-6.0, -SURE, 0.0)
    for visited in (False, True):
        belief = update(having(initial_belief(game), visited=visited, bias=np.zeros((24, 3))), Evidence(rows))
        decision = decide(belief, decode(belief), DecisionContext(1.0, 10, 1.0))
        assert any(isinstance(e, TurnPlayed) for e in decision.events) == visited


def test_a_stone_laid_on_one_of_its_own_colour_is_found_by_what_was_touched():
    game = game_after("trialectic", "a1", "b1", "c1")
    same = game.position.tops
    belief = update(initial_belief(game), evidence_of(same, 3))
    rows = np.full(18, -5.0)
    rows[game.position.board.index["a1"]] = 5.0
    seen = decide(
        having(belief, change_log_odds=rows, visited=True),
        decode(having(belief, change_log_odds=rows, visited=True)),
        DecisionContext(1.0, 10, 0.5),
    )
    assert [turn_text(e.moves) for e in seen.events if isinstance(e, TurnPlayed)] == ["a1"]
    idle = decide(belief, decode(belief), DecisionContext(1.0, 10, 0.5))
    assert idle.events == (), "without a hand nothing was done"


def test_a_ring_that_turned_is_a_turn_with_its_direction():
    game = game_after("moulin_rouge", "o1", "m1")
    step = game_after("moulin_rouge", "o1", "m1", "o+")
    turning = np.full((3, 5), -8.0)
    turning[:, 2] = 0.0
    turning[0] = (-8.0, -8.0, -8.0, 0.0, -8.0)
    belief = update(having(initial_belief(game), ring_log_likelihood=turning), evidence_of(step.position.tops))
    seen = decide(belief, decode(belief), DecisionContext(1.0, 10, 0.5))
    assert [turn_text(e.moves) for e in seen.events if isinstance(e, TurnPlayed)] == ["o+"]


def test_a_ring_turned_back_is_called():
    game = game_after("moulin_rouge", "o1", "m1", "o+")
    back = game_after("moulin_rouge", "o1", "m1")
    turning = np.full((3, 5), -8.0)
    turning[:, 2] = 0.0
    turning[0] = (-8.0, 0.0, -8.0, -8.0, -8.0)
    belief = initial_belief(game)
    for _ in range(3):
        belief = update(having(belief, ring_log_likelihood=turning), evidence_of(back.position.tops))
    story = decode(belief).best
    assert story.kind is HypothesisKind.UNEXPLAINED, (
        "nobody may turn it back, though taking the turn back looks the same"
    )


def test_a_hidden_point_says_nothing():
    game = game_after("millchen", "d6")
    rows = np.array(evidence_of(tops_after(game, a1=2)).log_likelihood)
    rows[game.position.board.index["a1"]] = 0.0
    belief = update(initial_belief(game), Evidence(rows))
    verdict = decode(belief)
    assert verdict.best.kind is HypothesisKind.NOTHING_DONE


def test_evidence_of_another_shape_is_refused():
    belief = initial_belief(game_after("millchen"))
    with pytest.raises(ValueError, match="log_likelihood must have shape"):
        update(belief, evidence_of((0,) * 9))


def test_a_still_scene_never_weighs_more_than_two_looks():
    game = game_after("millchen", "d6")
    belief = initial_belief(game)
    for _ in range(50):
        belief = update(belief, evidence_of(game.position.tops))
    assert np.abs(belief.rest.log_likelihood).max() <= 2 * SURE


def noisy(tops: tuple[int, ...], error: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Evidence in which each point is misread with probability ``error``, honestly weighted."""
    rows = np.zeros((len(tops), 3))
    worth = min(SURE, float(np.log((1 - error) / (error / 2))))
    for i, top in enumerate(tops):
        seen = top if rng.random() > error else int(rng.choice([a for a in range(3) if a != top]))
        rows[i] = -worth
        rows[i, seen] = 0.0
    return rows


@pytest.mark.parametrize("error", [0.001, 0.01])
def test_games_are_followed_through_noise(error: float):
    """Without rules a table of 24 points with 1 % misread points is wrong in every fifth look; with them, seldom."""
    rng = np.random.default_rng(7)
    right = played = 0
    for _ in range(4):
        game = Game.start(find_variant("nine_mens_morris"))
        belief = initial_belief(game)
        for _ in range(40):
            turns = legal_turns(game.position)
            if game.outcome is not None or not turns:
                break
            turn = turns[int(rng.integers(len(turns)))]
            game = game.play_turn(turn)
            belief = having(forget_rest(belief), visited=True)
            for _ in range(3):
                rows = noisy(game.position.tops, error, rng)
                belief = update(belief, Evidence(rows))
            decision = decide(belief, decode(belief), DecisionContext(1.0, 1, 0.5))
            played += 1
            right += any(isinstance(e, TurnPlayed) and e.moves == turn.moves for e in decision.events)
            belief = initial_belief(game)  # the truth again, so that every turn counts for itself
    assert right >= 0.97 * played


def test_what_the_eyes_got_wrong_last_time_accuses_nobody():
    game = game_after("millchen", "a7", "g7", "a4")
    shown = tops_after(game)
    misread = tops_after(game, g7=0)  # a stone that the eyes take for bare cloth, under a new lamp, say
    doubtful = update(
        having(initial_belief(game), change_log_odds=np.full(len(shown), -7.0)), evidence_of(misread, sure=1.5)
    )
    settled = decide(doubtful, decode(doubtful), DecisionContext(1.0, 0, 1.0))
    assert settled.settled
    assert not settled.events
    habit = settled.belief.bias  # what the next look is told not to count again
    assert habit is not None
    assert habit[game.position.board.index["g7"], 0] == pytest.approx(1.5)


def test_nobody_is_accused_of_what_lay_there_before_the_first_look():
    game = Game.start(find_variant("millchen"))
    belief = replace(initial_belief(game), visited=True)
    for _ in range(3):
        belief = update(belief, evidence_of(tops_after(game, a7=1, g7=1)))
    assert [type(e) for e in decide(belief, decode(belief), DecisionContext(3.0, 0, 3.0)).events] == [FoulSeen]
    decision = decide(belief, decode(belief), DecisionContext(3.0, 0, 3.0, known=False))
    assert [type(e) for e in decision.events] == [QuestionAsked]


def test_a_referee_whom_nobody_heeds_asks_and_accuses_no_more():
    game = game_after("millchen", "a7", "g7")
    shown = tops_after(game, a1=1, d6=1, g7=0)
    first = see(initial_belief(game), shown)
    assert [type(e) for e in first.events] == [FoulSeen]
    assert first.belief.misreadings == 0
    again = see(first.belief, tops_after(game, a1=1, d6=1, c5=2, e3=2, g7=0))  # nobody puts anything right
    assert [type(e) for e in again.events] == [QuestionAsked]
    heeded = see(first.belief, game.position.tops)
    assert heeded.belief.misreadings == 0


def test_some_stones_put_right_are_waited_for_and_no_new_foul():
    game = game_after("millchen", "d6", "a1", "d7")
    foul = see(initial_belief(game), tops_after(game, d6=0, g1=2))
    assert [type(e) for e in foul.events] == [FoulSeen]
    half = see(foul.belief, tops_after(game, d6=0), rest_s=3.0)  # g1 is taken away, d6 not yet back
    assert half.settled
    assert half.events == ()
    done = see(half.belief, game.position.tops)
    assert [type(e) for e in done.events] == [Restored]
    assert done.belief.game.ply == game.ply


def test_what_is_left_of_a_foul_may_be_a_turn():
    game = game_after("millchen", "d6")
    foul = see(initial_belief(game), tops_after(game, a1=2, a4=2))
    assert [type(e) for e in foul.events] == [FoulSeen]
    decision = see(foul.belief, tops_after(game, a1=2))
    assert [turn_text(e.moves) for e in decision.events if isinstance(e, TurnPlayed)] == ["a1"]


def test_a_referee_who_has_just_had_to_ask_accuses_nobody():
    game = game_after("millchen", "d6")
    doubtful = replace(initial_belief(game), asked=True, misreadings=1.0)
    foul = tops_after(game, a1=1)
    assert [type(e) for e in see(initial_belief(game), foul).events] == [FoulSeen]
    assert see(doubtful, foul).events == ()
    later = see(replace(doubtful, asked=False), foul, rest_s=3.0)
    assert [type(e) for e in later.events] == [QuestionAsked]
    belief = doubtful
    for point in ("a1", "a4", "d5", "g4"):
        game = belief.game
        belief = see(belief, tops_after(game, **{point: game.position.to_move + 1})).belief
    last = tops_after(belief.game, g7=2 - belief.game.position.to_move)
    assert [type(e) for e in see(belief, last).events] == [FoulSeen], "four turns were understood since"


def test_a_photograph_left_out_is_likelier_than_two_turns_under_the_eyes():
    game = game_after("millchen", "d6")
    tops = tops_after(game, a1=2, g7=1)
    costs = []
    for photographed in (False, True):
        belief = replace(initial_belief(game), photographed=photographed, visited=True)
        belief = update(belief, evidence_of(tops))
        best = decode(belief).best
        assert [turn_text(turn.moves) for turn in best.turns] == ["a1", "g7"]
        costs.append(best.cost)
    assert costs[1] < costs[0]


def test_turns_that_look_like_turns_taken_back_are_weighed_against_them_in_photographs():
    game = game_after("three_mens_morris", "a1", "b2", "c1", "c3", "a3", "b1", "a3-a2", "c3-c2")
    earlier = game.take_back().take_back().position.tops
    changed = np.array(earlier) != np.array(game.position.tops)
    belief = having(initial_belief(game), change_log_odds=np.where(changed, SURE, -SURE), visited=True)
    belief = update(replace(belief, photographed=True), evidence_of(earlier))
    ranked = decode(belief).ranked
    assert {HypothesisKind.TAKEN_BACK, HypothesisKind.TWO_TURNS} <= {hypothesis.kind for hypothesis, _ in ranked}


def test_a_photograph_between_a_mill_and_its_capture_is_seldom():
    game = game_after("millchen", "a7", "b6", "d7", "b4")
    belief = update(replace(initial_belief(game), visited=True), evidence_of(tops_after(game, g7=1)))
    rare = decode(replace(belief, photographed=True)).best
    assert rare.kind is HypothesisKind.MILL_CLOSED
    assert rare.cost > decode(belief).best.cost


def test_a_stone_laid_and_taken_again_between_two_looks_cannot_rule_out_a_foul():
    game = game_after("millchen", "a7", "b6", "d7", "b4", "a1")  # player 1 to move; g7 would close player 0's mill
    belief = update(replace(initial_belief(game), visited=True), evidence_of(tops_after(game, g7=1)))
    assert HypothesisKind.UNEXPLAINED in {hypothesis.kind for hypothesis, _ in decode(belief).ranked}


def test_nothing_is_not_believed_at_first_sight_where_pixels_say_that_something_was_taken():
    game = game_after("millchen", "d6", "a1", "g7", "b4")
    rows = np.array(evidence_of(game.position.tops).log_likelihood)
    taken = game.position.board.index["a1"]
    rows[taken] = (0.0, -SURE, -5.0)  # hardly seen to be gone
    nats = np.full(24, -7.0)
    nats[taken] = 5.5
    belief = having(initial_belief(game), visited=True, change_log_odds=nats, bias=np.zeros((24, 3)))
    first = update(belief, Evidence(rows))
    assert not decide(first, decode(first), DecisionContext(1.0, 10, 0.4)).settled
    for _ in range(5):
        belief = update(belief, Evidence(rows))
    assert [type(e) for e in decide(belief, decode(belief), DecisionContext(2.0, 20, 1.0)).events] == [FoulSeen]


def test_a_stone_too_many_taken_after_a_mill_is_no_lawful_turn():
    game = game_after("millchen", "d6", "a1", "d7", "a4", "f6", "g1")
    index = game.position.board.index
    seen = list(tops_after(game, b6=1, a1=0))
    rows = np.array(evidence_of(tuple(seen)).log_likelihood)
    rows[index["g1"]] = (0.0, -SURE, -5.9)  # taken, too, but the eyes are not quite sure of it
    nats = np.full(24, -7.0)
    nats[[index["b6"], index["a1"]]] = 7.0
    nats[index["g1"]] = 6.0
    belief = having(initial_belief(game), visited=True, change_log_odds=nats)
    first = update(belief, Evidence(rows))
    assert not decide(first, decode(first), DecisionContext(1.0, 10, 0.4)).settled
    for _ in range(5):
        belief = update(belief, Evidence(rows))
    called = decide(belief, decode(belief), DecisionContext(2.0, 20, 0.9)).events
    assert [event.kind for event in called if isinstance(event, FoulSeen)] == ["too_many_captures"]


def test_what_is_out_of_sight_does_not_excuse_the_wrong_player():
    game = game_after("millchen", "d6", "d7")
    index = game.position.board.index
    rows = np.array(evidence_of(tops_after(game, c5=2)).log_likelihood)
    rows[index["a1"]] = 0.0  # out of the picture: a stone may have been laid there first
    nats = np.full(24, -7.0)
    nats[index["c5"]], nats[index["a1"]] = 7.0, 0.0
    belief = having(initial_belief(game), visited=True, change_log_odds=nats)
    for _ in range(5):
        belief = update(belief, Evidence(rows))
    called = decide(belief, decode(belief), DecisionContext(2.0, 20, 0.9)).events
    assert [event.kind for event in called if isinstance(event, FoulSeen)] == ["wrong_player"]


def test_the_next_player_who_does_not_wait_for_a_capture_leaves_it_missing():
    game = game_after("millchen", "d6", "a1", "d7", "a4", "f6", "g1")
    called = see(initial_belief(game), tops_after(game, b6=1, g4=2)).events
    assert [(event.kind, event.player) for event in called if isinstance(event, FoulSeen)] == [("capture_missing", 0)]


def test_a_foul_that_would_fit_another_reading_of_the_last_turn_is_one_where_that_was_plainly_seen():
    game = game_after("millchen", "d6", "a1", "b6", "g1", "f6xg1")
    shown = tops_after(game, a1=0, g1=2)  # a1 moved to g1, or f6 took a1 and not g1
    plain = update(initial_belief(game), evidence_of(game.position.tops)).rest.log_likelihood
    for seen_then, said in ((plain, FoulSeen), (np.zeros_like(plain), TurnAmended)):
        belief = replace(initial_belief(game), accepted=AcceptedEvidence((seen_then,)))
        assert [type(e) for e in see(belief, shown, rest_s=3.0).events] == [said]


def test_too_much_that_went_by_unseen_is_asked_about_once_and_nobody_is_accused():
    game = game_after("millchen", "d6", "d7")
    shown = tops_after(game, a1=1, b4=2, g1=1, e4=2, f2=1, c5=2)
    seen = having(initial_belief(game), change_log_odds=np.zeros(len(shown)), visited=True)
    for _ in range(3):
        seen = update(seen, evidence_of(shown))
    asked = decide(seen, decode(seen), DecisionContext(10.0, 100, 3.0))
    assert [type(e) for e in asked.events] == [QuestionAsked] and not asked.settled
    assert decide(asked.belief, decode(asked.belief), DecisionContext(11.0, 110, 4.0)).events == ()


def test_where_the_light_changes_and_nobody_comes_near_nothing_was_done():
    game = game_after("millchen", "a7", "g7", "a4")
    belief = update(
        initial_belief(game), evidence_of(tops_after(game, a7=2, a4=2))
    )  # all of them look like the other's
    decision = decide(belief, decode(belief), DecisionContext(1.0, 10, 1.0, only_light_changed=True))
    assert decision.settled and not decision.events
    assert decision.belief.expected_tops == game.position.tops


def test_turns_that_were_taken_back_and_lie_there_again_were_played_after_all():
    game = game_after("millchen", "d6", "a1", "b6", "g1", "f6xg1")
    lifted = see(initial_belief(game), game.take_back().take_back().position.tops)  # f6 lifted: as it was two turns ago
    assert [type(e) for e in lifted.events] == [TurnAmended, TurnAmended]
    again = see(lifted.belief, game.position.tops)  # any stone might have been laid and taken since
    played = [(e.player, turn_text(e.moves)) for e in again.events if isinstance(e, TurnPlayed)]
    assert played == [(1, "g1"), (0, "f6xg1")]
    assert again.belief.accepted.withdrawn == ()


# ---------------------------------------------------------------- one decision by expected loss


def posterior_of(game: Game, *turns: str, p: tuple[float, ...]) -> Posterior:
    """Lawful turns, each as likely as ``p`` says; the rest of 1 is spread over what is not worth naming."""
    by_text = {turn_text(turn.moves): turn for turn in legal_turns(game.position)}
    ranked = []
    for text, share in zip(turns, p, strict=True):
        turn = by_text.get(text)
        kind = HypothesisKind.NOTHING_DONE if turn is None else HypothesisKind.TURN
        after = game.position if turn is None else turn.after
        ranked.append((Hypothesis(kind, after.tops, 0.0, game, turns=() if turn is None else (turn,)), share))
    return Posterior(tuple(ranked))


@pytest.mark.parametrize("rest_s", [0.4, 1.0, 2.4, 10.0, float("inf")])
@pytest.mark.parametrize("p", [0.5, 0.7, 0.89])
def test_nothing_is_announced_that_is_wrong_more_often_than_a_question_costs(rest_s: float, p: float) -> None:
    game = game_after("millchen", "d6")
    for best in ("a1", "="):
        other = "a4"
        decision = decide(
            initial_belief(game), posterior_of(game, best, other, p=(p, 1 - p)), DecisionContext(1.0, 1, rest_s)
        )
        assert not decision.settled
        assert not any(isinstance(event, TurnPlayed | FoulSeen) for event in decision.events)


@pytest.mark.parametrize("p", [0.3, 0.6, 0.89, 0.91, 1.0])
def test_a_photograph_is_decided_at_once_for_it_will_not_come_again(p: float) -> None:
    game = game_after("millchen", "d6")
    decision = decide(
        initial_belief(game), posterior_of(game, "a1", "a4", p=(p, 1 - p)), DecisionContext(1.0, 1, float("inf"))
    )
    (event,) = decision.events
    assert isinstance(event, TurnPlayed if 1 - p <= QUESTION_COST else QuestionAsked)


def test_one_question_is_open_at_a_time_also_when_the_hands_come_back_meanwhile() -> None:
    game = game_after("millchen", "d6")
    belief, doubtful = initial_belief(game), posterior_of(game, "a1", "a4", p=(0.5, 0.5))
    asked_at = []
    for k in range(100):
        rest_s = 0.1 * (k % 50)  # two rests of five seconds
        belief = belief if rest_s else forget_rest(belief)
        decision = decide(belief, doubtful, DecisionContext(0.1 * k, k, rest_s))
        belief = decision.belief
        asked_at += [rest_s for event in decision.events if isinstance(event, QuestionAsked)]
    assert asked_at == [pytest.approx(QUESTION_COST / SECOND_COST)]


def test_a_question_is_void_when_the_next_turn_is_understood() -> None:
    game = game_after("millchen", "d6")
    belief = decide(
        initial_belief(game), posterior_of(game, "a1", "a4", p=(0.5, 0.5)), DecisionContext(5.0, 1, 5.0)
    ).belief
    assert belief.asked
    after = decide(belief, posterior_of(game, "a1", p=(1.0,)), DecisionContext(9.0, 2, 1.0))
    assert isinstance(after.events[0], TurnPlayed)
    assert not after.belief.asked


def test_a_question_names_one_turn_and_at_most_two_answers() -> None:
    game = game_after("millchen", "d6")
    start = posterior_of(game, "a1", "a4", p=(0.4, 0.3))
    first, second = (hypothesis for hypothesis, _ in start.ranked)
    longer = [
        first._replace(kind=HypothesisKind.TWO_TURNS, turns=(*first.turns, answer))
        for answer in legal_turns(first.turns[0].after)[:2]
    ]
    for other in (*longer, second):
        posterior = Posterior(((longer[0], 0.4), (other, 0.3), (first, 0.2)))
        (question,) = decide(initial_belief(game), posterior, DecisionContext(5.0, 1, 5.0)).events
        assert isinstance(question, QuestionAsked)
        in_question = in_doubt(readings(question, game.position.board))
        assert len(question.options) == 2
        assert all(len(reading.turns) <= 1 for reading in in_question)
        assert len({player for reading in in_question for player, _ in reading.turns}) == 1


def test_where_two_players_turns_compete_only_one_of_them_is_named() -> None:
    game = game_after("millchen", "d6")
    turn = posterior_of(game, "a1", p=(0.5,)).best
    misread = next(h for h in lawful_hypotheses(initial_belief(game)) if h.kind is HypothesisKind.MISREAD and h.turns)
    (question,) = decide(
        initial_belief(game), Posterior(((turn, 0.5), (misread, 0.4))), DecisionContext(5.0, 1, 5.0)
    ).events
    assert isinstance(question, QuestionAsked)
    assert question.options == ("a1", UNLAWFUL)


def test_a_foul_waits_for_the_hands_to_come_back_and_a_lawful_turn_does_not() -> None:
    game = game_after("millchen", "d6")
    for changes, waits in (({"a1": 2}, False), ({"a1": 1}, True)):
        decision = see(initial_belief(game), tops_after(game, **changes), rest_s=0.4)
        assert decision.settled != waits


# ---------------------------------------------------------------- unlawful acts are hypotheses like others


def test_a_stone_gone_without_a_mill_is_called_plainly() -> None:
    game = game_after("millchen", "d6", "a1", "g7", "b4")
    decision = see(initial_belief(game), tops_after(game, g7=0))
    assert [event.kind for event in decision.events if isinstance(event, FoulSeen)] == ["stone_vanished"]


def test_what_is_announced_of_an_unlawful_act_is_the_act_that_was_weighed() -> None:
    game = game_after("millchen", "d6", "a1", "d7")
    belief = having(initial_belief(game), visited=True)
    for _ in range(3):
        belief = update(belief, evidence_of(tops_after(game, d6=0, g1=2)))
    posterior = decode(belief)
    ruling = posterior.best.ruling
    assert ruling is not None
    assert [str(move) for move in ruling.moves] == ["g1", "xd6"]
    (called,) = decide(belief, posterior, DecisionContext(10.0, 100, 1.0)).events
    assert isinstance(called, FoulSeen)
    assert (called.kind, called.player) == (ruling.kinds[0], ruling.player)


def test_a_commoner_foul_is_believed_with_less_evidence() -> None:
    game = game_after("millchen", "d6", "a1", "d7", "a4", "f6", "g1")
    common, rare = tops_after(game, b6=1, g4=2), tops_after(game, a1=0)  # a capture forgotten, a stone vanished
    cost = {}
    for tops in (common, rare):
        belief = update(having(initial_belief(game), visited=True), evidence_of(tops))
        cost[tops] = next(h.cost for h, _ in decode(belief).ranked if h.ruling is not None and h.tops == tops)
    assert cost[common] < cost[rare]


def test_a_table_that_no_act_explains_is_asked_about_once_and_nobody_is_accused() -> None:
    game = game_after("millchen", "d6", "a1", "g7", "b4")
    shown = tops_after(game, d6=2, a1=1, g7=2, b4=1, e3=1)
    belief = initial_belief(game)
    events = []
    for rest_s in (0.4, 0.8, 1.5, 2.4, 2.5, 3.0, 4.0):
        decision = see(belief, shown, rest_s)
        belief = decision.belief
        events += decision.events
        assert not decision.settled
    (question,) = events
    assert isinstance(question, QuestionAsked)
    assert question.options[0] == UNLAWFUL


def test_a_photograph_with_a_plain_foul_calls_it_at_once() -> None:
    game = game_after("millchen", "d6", "a1", "g7", "b4")
    belief = having(initial_belief(game), visited=True)
    belief = update(belief, evidence_of(tops_after(game, g7=0), sure=2 * SURE))
    (event,) = decide(belief, decode(belief), DecisionContext(1.0, 1, float("inf"))).events
    assert isinstance(event, FoulSeen)


def test_the_turn_that_is_sure_is_announced_although_the_next_one_is_in_doubt() -> None:
    game = game_after("millchen", "d6")
    rows = np.array(evidence_of(tops_after(game, a1=2), sure=2 * SURE).log_likelihood)
    rows[game.position.board.index["g7"]] = (-6.5, 0.0, -SURE)  # a stone of the next player, or its shadow
    belief = update(having(initial_belief(game), visited=True), Evidence(rows))
    decision = decide(belief, decode(belief), DecisionContext(1.0, 1, float("inf")))
    turn, question = decision.events
    assert isinstance(turn, TurnPlayed) and turn_text(turn.moves) == "a1"
    assert isinstance(question, QuestionAsked) and set(question.options) == {"g7", "="}
    assert not decision.settled
    assert decision.belief.game.ply == 2
    later = decode(decision.belief)
    assert {str(hypothesis.turns[0]) for hypothesis, _ in later.ranked[:2] if hypothesis.turns} == {"g7"}


def test_the_doubt_about_the_next_turn_ends_with_the_next_looks() -> None:
    game = game_after("millchen", "d6")
    for plain in (True, False):
        rows = np.array(evidence_of(tops_after(game, a1=2), sure=2 * SURE).log_likelihood)
        rows[game.position.board.index["g7"]] = (-6.5, 0.0, -SURE)
        belief = update(having(initial_belief(game), visited=True), Evidence(rows))
        belief = decide(belief, decode(belief), DecisionContext(1.0, 1, 1.0)).belief
        rows = rows.copy()
        rows[game.position.board.index["g7"]] = (-2 * SURE, 0.0, -2 * SURE) if plain else (0.0, -2 * SURE, -2 * SURE)
        belief = update(update(update(belief, Evidence(rows)), Evidence(rows)), Evidence(rows))
        decision = decide(belief, decode(belief), DecisionContext(2.0, 2, 2.0))
        assert decision.settled
        assert [turn_text(e.moves) for e in decision.events if isinstance(e, TurnPlayed)] == (["g7"] if plain else [])


@pytest.mark.parametrize("n_told", [0, 1, 2])
def test_what_is_seen_against_a_persons_word_is_asked_and_not_overruled(n_told: int):
    game = game_after("nine_mens_morris", "d6", "d7")
    belief = replace(initial_belief(game), n_told=n_told)
    elsewhere = tops_after(game, d7=0, g7=2)  # the last turn was another one, or so it seems
    decision = see(belief, elsewhere, rest_s=10.0)
    if n_told < 2:
        assert isinstance(decision.events[0], TurnAmended)
        assert decision.belief.n_told == n_told
    else:
        assert [type(event) for event in decision.events] == [QuestionAsked]
        assert decision.belief.game == game
