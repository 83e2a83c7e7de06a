"""The decoder without pixels: made-up evidence of known tables in, stories out."""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from referee.events import FoulSeen, MillClosed, QuestionAsked, Restored, TurnAmended, TurnPlayed
from referee.game import Game
from referee.moves import Place, to_action, turn_text
from referee.presets import find_variant
from referee.question_options import UNLAWFUL
from referee.record import GameRecord, to_pgn
from referee.record_files import read_records
from referee.turns import legal_turns
from tests.referee.positions import play_words, played, setup
from tests.vision.beliefs import after_undecided, having
from vision.decoding.belief import AcceptedEvidence, Belief, Dispute, UndecidedRest, forget_rest, initial_belief, update
from vision.decoding.decision import QUESTION_COST, SECOND_COST, Decision, DecisionContext, decide
from vision.decoding.posterior import Posterior, decode
from vision.decoding.turn_hypotheses import Hypothesis, HypothesisKind
from vision.evidence.fusion import Evidence
from vision.rotation.angle_at_rest import MAX_ROTATION_NATS, ROTATION_STEPS

SURE = 12.0  # nats between the right appearance of a point and any other: several cues that agree


def evidence_of(tops: tuple[int, ...], n_players: int = 2, sure: float = SURE) -> Evidence:
    """What the eyes would say of a table that shows ``tops``, every point clear."""
    rows = np.full((len(tops), n_players + 1), -sure)
    rows[np.arange(len(tops)), tops] = 0.0
    return Evidence(rows)


def tops_after(game: Game, changes: str = "") -> tuple[int, ...]:
    """What the table shows after ``game`` if some points were changed by hand: ``b4=2 a1=0``."""
    tops = list(game.position.tops)
    for point, _, top in (change.partition("=") for change in changes.split()):
        tops[game.position.board.index[point]] = int(top)
    return tuple(tops)


def looked(
    game: Game,
    changes: str = "",
    n_looks: int = 1,
    *,
    doubt: Mapping[str, tuple[float, ...]] | None = None,
    touched: Mapping[str, float] | None = None,
    sure: float = SURE,
    **known: object,
) -> Belief:
    """What is believed after looks at a table that was changed by hand.

    ``doubt`` has the rows of points that are not clear, ``touched`` the nats of points that somebody may have touched
    where pixels speak, ``known`` further fields of the belief.
    """
    index, n = game.position.board.index, len(game.position.tops)
    rows = np.array(evidence_of(tops_after(game, changes), game.variant.players, sure).log_likelihood)
    for name, row in (doubt or {}).items():
        rows[index[name]] = row
    if touched is not None:
        known["change_log_odds"] = np.full(n, -7.0)
        known["change_log_odds"][[index[name] for name in touched]] = list(touched.values())
    belief = having(initial_belief(game), **known)
    for _ in range(n_looks):
        belief = update(belief, Evidence(rows))
    return belief


def decided(belief: Belief, rest_s: float = 1.0, **context: bool | float) -> Decision:
    return decide(belief, decode(belief), DecisionContext(1.0, 10, rest_s, **context))


def see(belief: Belief, tops: tuple[int, ...], rest_s: float = 1.0) -> Decision:
    """What is decided after three looks, where pixels say plainly what has changed."""
    changed = np.array(tops) != np.array(belief.expected_tops)
    belief = having(forget_rest(belief), change_log_odds=np.where(changed, SURE, -SURE), visited=bool(changed.any()))
    for _ in range(3):
        belief = update(belief, evidence_of(tops, belief.game.variant.players))
    return decided(belief, rest_s)


def words(decision: Decision) -> str:
    """What is said, a few words an event; players from 1. ``...`` where the table is still looked at."""
    said = []
    for event in decision.events:
        match event:
            case TurnPlayed():
                said.append(f"{event.player + 1} {turn_text(event.moves)}")
            case TurnAmended():
                said.append(f"ply {event.ply} was {turn_text(event.moves) if event.moves else 'taken back'}")
            case FoulSeen():
                said.append(f"foul {event.kind}" + ("" if event.player is None else f" of {event.player + 1}"))
            case QuestionAsked():
                said.append(f"asked {' or '.join(sorted(event.options))}")
            case MillClosed():
                said.append(f"mill {' '.join(event.line)}")
            case _:
                said.append(type(event).__name__)
    return ", ".join(said) + ("" if decision.settled else " ...")


MORABARABA = play_words(Game(setup("morabaraba", "a7 d7 g7 f4 e4 c3 | b6 d6 c5 e3 d1 b2")), "g7-g4xb2 d1-a1")
OUT_NEXT = Game(setup("trialectic leftover=remove", "b1 b3 c2 | a1 a3 a5 | c1 c3 c5 c6"))
SCENES: list[tuple[str, Game | str, list[tuple[str, float, str]]]] = [
    ("An unchanged table is understood", "d6 d7", [("", 1, "")]),
    ("A stone laid by the player to move is a turn", "d6", [("a1=2", 1, "2 a1")]),
    ("A mill is announced before its capture, and once", "a7 b6 d7 b4",
     [("g7=1", 1, "mill a7 d7 g7"), ("g7=1 b6=0", 1, "1 g7xb6")]),
    ("The last stones of who is out are waited for, and nobody is accused", OUT_NEXT,
     [("c2=0 b2=1 a1=0", 1, "mill b1 b2 b3, 1 c2-b2xa1, PlayerOut"), ("c2=0 b2=1 a1=0 a3=0", 1, ""),
      ("c2=0 b2=1 a1=0 a3=0 a5=0", 1, "Restored")]),
    ("... and so is the next turn", OUT_NEXT,
     [("c2=0 b2=1 a1=0", 1, "mill b1 b2 b3, 1 c2-b2xa1, PlayerOut"),
      ("c2=0 b2=1 a1=0 a3=0 a5=0 c5=0 c4=3", 1, "Restored, 3 c5-c4")]),
    ("Two turns between two looks are both found", "d6", [("a1=2 g7=1", 1, "2 a1, 1 g7")]),
    ("A turn taken back never happened", "d6 a1", [("a1=0", 1, "ply 2 was taken back")]),
    ("A turn put elsewhere replaces the one that was read", "d6 a1", [("a1=0 a4=2", 1, "ply 2 was a4")]),
    ("Turns that were taken back and lie there again were played after all", "d6 a1 b6 g1 f6xg1",
     [("f6=0 g1=0", 1, "ply 5 was taken back, ply 4 was taken back"), ("", 1, "2 g1, mill b6 d6 f6, 1 f6xg1")]),
    ("A mill made again by moving straight back is called by its name", MORABARABA,
     [("g4=0 g7=1", 1, "foul remade_mill of 1")]),
    ("Two stones at once are a foul, which is put right", "d6",
     [("a1=2 a4=2", 1, "foul two_moves of 2"), ("", 1, "Restored")]),
    ("... and what is left of it may be a turn", "d6",
     [("a1=2 a4=2", 1, "foul two_moves of 2"), ("a1=2", 1, "Restored, 2 a1")]),
    ("... it is called once the table has rested", "d6", [("a1=2 a4=2", 0.45, " ...")]),
    ("The other player's stone is a foul", "d6", [("a1=1", 1, "foul wrong_player of 1"), ("", 1, "Restored")]),
    ("... it waits for the hands to come back", "d6", [("a1=1", 0.4, " ...")]),
    ("... as a lawful turn does not", "d6", [("a1=2", 0.4, "2 a1")]),
    ("... and stands when the other plays on", "d6",
     [("a1=1", 1, "foul wrong_player of 1"), ("a1=1 g7=2", 1, "FoulStood, 2 g7")]),
    ("A stone taken without a mill is a foul, of which half may be put right first", "d6 a1 d7",
     [("d6=0 g1=2", 1, "foul capture_without_mill of 2"), ("d6=0", 3, ""), ("", 1, "Restored")]),
    ("A stone moved while placing is a foul", "d6 a1 d7",
     [("a1=0 a4=2", 1, "foul moved_while_placing of 2"), ("", 1, "Restored")]),
    ("Who does not wait for a capture leaves it missing", "d6 a1 d7 a4 f6 g1",
     [("b6=1 g4=2", 1, "foul capture_missing of 1")]),
    ("A stone gone without a mill is called plainly", "d6 a1 g7 b4", [("g7=0", 1, "foul stone_vanished")]),
    ("Whom nobody heeds asks, and accuses no more", "a7 g7",
     [("a1=1 d6=1 g7=0", 1, "foul two_moves of 1"), ("a1=1 d6=1 c5=2 e3=2 g7=0", 1, f"asked {UNLAWFUL} or =")]),
    ("A table that no act explains is asked about once, and nobody is accused", "d6 a1 g7 b4",
     [("d6=2 a1=1 g7=2 b4=1 e3=1", rest_s, said) for rest_s, said in
      ((0.4, " ..."), (0.8, " ..."), (1.5, " ..."), (2.4, " ..."), (2.5, f"asked {UNLAWFUL} or = ..."), (3.0, " ..."),
       (4.0, " ..."))]),
]  # fmt: skip


@pytest.mark.parametrize(("begun", "looks"), [scene[1:] for scene in SCENES], ids=[scene[0] for scene in SCENES])
def test_what_is_said_of_a_table_that_shows(begun: Game | str, looks: list[tuple[str, float, str]]) -> None:
    game = begun if isinstance(begun, Game) else played("millchen", begun)
    belief = initial_belief(game)
    for changes, rest_s, said in looks:
        decision = see(belief, tops_after(game, changes), rest_s)
        belief = decision.belief
        assert words(decision) == said
    if said.startswith("foul"):
        assert belief.game == game, "a foul is no turn"


@pytest.mark.parametrize("n_told", [0, 1, 2])
def test_what_is_seen_against_a_persons_word_is_asked_and_not_overruled(n_told: int) -> None:
    game = played("nine_mens_morris", "d6 d7")
    decision = see(replace(initial_belief(game), n_fixed_turns=n_told), tops_after(game, "d7=0 g7=2"), rest_s=10.0)
    assert words(decision).split()[0] == ("ply" if n_told < 2 else "asked")
    assert (decision.belief.n_fixed_turns, decision.belief.game == game) == (n_told, n_told == 2)


def test_two_readings_equally_likely_are_asked_about_once_and_nobody_is_accused():
    belief = looked(played("millchen", "d6"), doubt=dict.fromkeys(("a1", "a4"), (-3.6, -SURE, 0.0)))
    decision = decided(belief, 3.0)
    (question,) = decision.events
    assert isinstance(question, QuestionAsked)
    assert (set(question.options), question.players) == ({"a1", "a4"}, ((1,), (1,)))
    assert decided(decision.belief, 3.0).events == ()


@pytest.mark.parametrize("visited", [False, True])
def test_a_shadow_on_a_board_just_pushed_is_no_turn_unless_somebody_reached_over_it(visited: bool):
    shadow = {"b4": (-6.0, -SURE, 0.0)}
    belief = looked(played("millchen", "d6 a1 g7"), doubt=shadow, visited=visited, bias=np.zeros((24, 3)))
    assert any(isinstance(e, TurnPlayed) for e in decided(belief).events) == visited


def test_a_stone_laid_on_one_of_its_own_colour_is_found_by_what_was_touched():
    game = played("trialectic", "a1 b1 c1")
    assert words(decided(looked(game, touched={"a1": 5.0}, visited=True), 0.5)) == "1 a1"
    assert decided(looked(game), 0.5).events == (), "without a hand nothing was done"


@pytest.mark.parametrize(("before", "after", "way"), [("o1 m1", "o1 m1 o+", 1), ("o1 m1 o+", "o1 m1", -1)])
def test_a_ring_that_turned_is_a_turn_with_its_direction_and_one_turned_back_is_none(before: str, after: str, way: int):
    game, turning = played("moulin_rouge", before), np.full((3, 5), -8.0)
    turning[[0, 1, 2], [2 + way, 2, 2]] = 0.0
    belief = having(initial_belief(game), ring_log_likelihood=turning)
    for _ in range(3):
        belief = update(belief, evidence_of(played("moulin_rouge", after).position.tops))
    if way == 1:
        assert words(decided(belief, 0.5)) == "1 o+"
    else:  # though taking the turn back looks the same
        assert decode(belief).best.kind is HypothesisKind.UNEXPLAINED


def test_stones_that_a_ring_has_carried_along_are_no_foul_though_it_seems_to_lie_still():
    lies_still = np.full((3, 5), -8.0)
    lies_still[:, 2] = 0.0
    changed = dict.fromkeys(("o1", "o2", "m3"), 7.0)
    known = {"ring_log_likelihood": lies_still, "ring_steps": (0, 0, 0), "visited": True}
    belief = looked(played("moulin_rouge", "o1 m1"), "o1=0 o2=1 m3=2", 3, touched=changed, **known)
    assert words(decided(belief, 3.0)) == "1 o+, 2 m3"


def hiding(belief: Belief, *points: str) -> Belief:
    """The belief with points that something has hidden in every look of the rest: without their evidence."""
    hidden = np.isin(belief.position.board.points, points)
    looks = np.where(hidden[:, None], 0.0, belief.rest.mean_log_likelihood)
    return having(belief, looks=looks, looks_at=np.where(hidden, 0, belief.rest.looks_at))


def test_nobody_is_asked_about_points_that_an_arm_hides():
    arm = "a1", "a4", "d1", "d2", "d3", "b2"
    belief = hiding(looked(played("millchen", "d6"), visited=True), *arm)
    assert decode(belief).confidence < 0.9, "a stone may have been laid under it"
    decision = decided(belief, 3.0)
    assert decision.settled
    assert decision.events == ()
    assert decision.belief.turns_to_trust == 0
    seen = looked(decision.belief.game, "a1=2")
    assert words(decided(seen, 0.5)) == "2 a1", "it is read when it is in sight"


@pytest.mark.parametrize("hidden", [False, True])
def test_nobody_is_accused_while_something_hides_a_point(hidden: bool):
    belief = looked(played("millchen", "d6 a1 g7"), "a4=1", visited=True)  # whose turn it is may have played under it
    belief = hiding(belief, "b2") if hidden else belief
    assert any(isinstance(event, FoulSeen) for event in decided(belief, 1.0).events) != hidden


def test_what_the_eyes_got_wrong_last_time_accuses_nobody():
    game = played("millchen", "a7 g7 a4")  # under a new lamp, say, a stone is taken for bare cloth
    settled = decided(looked(game, "g7=0", sure=1.5, touched={}))
    assert settled.settled
    assert not settled.events
    habit = settled.belief.bias  # what the next look is told not to count again
    assert habit is not None
    assert habit[game.position.board.index["g7"], 0] == pytest.approx(1.5)


def test_nobody_is_accused_of_what_lay_there_before_the_first_look():
    belief = looked(Game.start(find_variant("millchen")), "a7=1 g7=1", 3, visited=True)
    assert [type(e) for e in decided(belief, 3.0).events] == [FoulSeen]
    assert [type(e) for e in decided(belief, 3.0, was_decided=False).events] == [QuestionAsked]


@pytest.mark.parametrize(("p_foul", "asked"), [(0.7, ["3. c3 or ..."]), (0.02, [])])
def test_turns_that_a_foul_seen_before_explains_as_well_are_asked_for(p_foul: float, asked: list[str]) -> None:
    game = played("tic_tac_toe", "a1 b2")
    foul = UndecidedRest({(): -3.0}, np.zeros((0, 3)), np.zeros(0), {tops_after(game, "a3=2"): p_foul})
    belief = replace(looked(game, "a3=2 c3=1", 3, photographed=True, visited=True), undecided_rest=foul)
    decision = decided(belief, float("inf"))
    assert [turn_text(event.moves) for event in decision.events if isinstance(event, TurnPlayed)] == ["c3", "a3"]
    assert [" or ".join(event.options) for event in decision.events if isinstance(event, QuestionAsked)] == asked


def test_who_laid_twice_between_two_photographs_is_asked_and_the_game_goes_on():
    belief = replace(initial_belief(played("tic_tac_toe", "a1 b2 c3 a3")), photographed=True)
    asked = see(belief, tops_after(belief.game, "c2=2"), float("inf"))
    assert words(asked) == f"asked {UNLAWFUL} or ="
    goes_on = see(asked.belief, tops_after(belief.game, "c2=2 b1=1"), float("inf"))
    assert words(goes_on) == "FoulStood, 1 b1"


@pytest.mark.parametrize(
    ("stays", "changes", "said"),
    [
        (False, "a1=0 a4=2", "foul moved_opponent of 1"),
        (True, "a1=0 a4=2", "ply 2 was a4"),
        (True, "d6=0 g7=1", "foul moved_while_placing"),
    ],
)
def test_what_a_hand_does_that_has_not_gone_is_no_foul_of_the_other_player(stays: bool, changes: str, said: str):
    told = decided(looked(played("millchen", "d6"), "a1=2", 3, visited=True), arm_stays=stays)
    assert words(told) == "2 a1"
    assert words(see(told.belief, tops_after(told.belief.game, changes), 3.0)) == said
    gone = see(told.belief, told.belief.expected_tops).belief
    assert "of 1" in words(see(gone, tops_after(gone.game, "a1=0 a4=2"), 3.0))


@pytest.mark.parametrize(("quickness", "said"), [(1.0, " ..."), (0.5, "foul two_moves of 2")])
def test_what_quick_hands_leave_is_finished_sooner(quickness: float, said: str):
    belief = looked(played("millchen", "d6"), "a1=2 a4=2", 3, visited=True)
    assert words(decided(belief, 0.5, quickness=quickness)) == said


TAKEN = {"a1": (0.0, -SURE, -5.0)}  # hardly seen to be gone
TAKEN_TOO = {"g1": (0.0, -SURE, -5.9)}  # but the eyes are not quite sure of it
OUT_OF_SIGHT = {"a1": (0.0, 0.0, 0.0)}  # a stone may have been laid there first


@pytest.mark.parametrize(
    ("begun", "changes", "doubt", "touched", "kind", "at_once"),
    [
        ("d6 a1 g7 b4", "", TAKEN, {"a1": 5.5}, "stone_vanished", False),
        ("d6 a1 d7 a4 f6 g1", "b6=1 a1=0", TAKEN_TOO, {"b6": 7.0, "a1": 7.0, "g1": 6.0}, "too_many_captures", False),
        ("d6 d7", "c5=2", OUT_OF_SIGHT, {"c5": 7.0, "a1": 0.0}, "wrong_player", True),
    ],
)
def test_a_foul_that_is_hardly_seen_is_called_after_some_looks_and_no_lawful_turn_before(
    begun: str, changes: str, doubt: dict[str, tuple[float, ...]], touched: dict[str, float], kind: str, at_once: bool
):
    first, later = (
        looked(played("millchen", begun), changes, n, doubt=doubt, touched=touched, visited=True) for n in (1, 5)
    )
    assert at_once or not decided(first, 0.4).settled
    called = decided(later, 1.0).events
    assert [event.kind for event in called if isinstance(event, FoulSeen)] == [kind]


def test_a_foul_that_would_fit_another_reading_of_the_last_turn_is_one_where_that_was_plainly_seen():
    game = played("millchen", "d6 a1 b6 g1 f6xg1")
    shown = tops_after(game, "a1=0 g1=2")  # a1 moved to g1, or f6 took a1 and not g1
    plain = looked(game).rest.log_likelihood
    for seen_then, said in ((plain, FoulSeen), (np.zeros_like(plain), TurnAmended)):
        belief = replace(initial_belief(game), last_evidence=AcceptedEvidence(seen_then))
        assert [type(e) for e in see(belief, shown, rest_s=3.0).events] == [said]


def test_too_much_that_went_by_unseen_is_asked_about_once_and_nobody_is_accused():
    unseen = dict.fromkeys(played("millchen", "").variant.board.points, 0.0)
    belief = looked(played("millchen", "d6 d7"), "a1=1 b4=2 g1=1 e4=2 f2=1 c5=2", 3, touched=unseen, visited=True)
    asked = decided(belief, 3.0)
    assert [type(e) for e in asked.events] == [QuestionAsked] and not asked.settled
    assert decided(asked.belief, 4.0).events == ()


def test_where_the_light_changes_and_nobody_comes_near_nothing_was_done():
    game = played("millchen", "a7 g7 a4")
    decision = decided(looked(game, "a7=2 a4=2"), only_light_changed=True)  # all of them look like the other's
    assert decision.settled and not decision.events
    assert decision.belief.expected_tops == game.position.tops


# ---------------------------------------------------------------- one decision by expected loss


def test_one_question_is_open_at_a_time_also_when_the_hands_come_back_meanwhile() -> None:
    game = played("millchen", "d6")
    by_text = {turn_text(turn.moves): turn for turn in legal_turns(game.position)}
    likely = (by_text["a1"], by_text["a4"])
    ranked = [(Hypothesis(HypothesisKind.TURN, one.after.tops, 0.0, game, turns=(one,)), 0.5) for one in likely]
    belief, doubtful = initial_belief(game), Posterior(tuple(ranked))
    asked_at = []
    for k in range(100):
        rest_s = 0.1 * (k % 50)  # two rests of five seconds
        belief = belief if rest_s else forget_rest(belief)
        decision = decide(belief, doubtful, DecisionContext(0.1 * k, k, rest_s))
        belief = decision.belief
        asked_at += [rest_s for event in decision.events if isinstance(event, QuestionAsked)]
    assert asked_at == [pytest.approx(QUESTION_COST / SECOND_COST)]


# ---------------------------------------------------------------- unlawful acts are hypotheses like others


SHADOW = {"g7": (-6.5, 0.0, -SURE)}
"""A stone of the next player, or its shadow."""


def test_the_turn_that_is_sure_is_announced_although_the_next_one_is_in_doubt() -> None:
    belief = looked(played("millchen", "d6"), "a1=2", sure=2 * SURE, doubt=SHADOW, visited=True)
    decision = decided(belief, float("inf"))
    assert words(decision) == "2 a1, asked = or g7 ..."
    assert decision.belief.game.ply == 2
    later = decode(decision.belief)
    assert {str(hypothesis.turns[0]) for hypothesis, _ in later.ranked[:2] if hypothesis.turns} == {"g7"}


def ring_look(game: Game, changes: str, plain_ring: int) -> Belief:
    """A look at a table on which only the plain ring may have turned."""
    turning = np.where(np.array(ROTATION_STEPS) == 0, 0.0, -MAX_ROTATION_NATS) * np.ones((3, 1))
    turning[plain_ring] = 0.0
    known = {"ring_log_likelihood": turning, "ring_steps": (0, 0, 0), "visited": True, "bias": np.zeros((24, 3))}
    return looked(game, changes, 5, touched=dict.fromkeys(re.findall(r"(\w+)=", changes), 6.0), **known)


def test_an_unseen_turn_is_believed_when_the_next_player_goes_on_and_its_way_is_not_asked() -> None:
    game = played("moulin_rouge", "o1 m2")
    belief = ring_look(game, "", plain_ring=2)
    first = decide(belief, decode(belief), DecisionContext(10.0, 100, 1.0))
    assert not first.settled and not first.events  # something may have been turned, or nothing: later turns will tell
    belief = ring_look(game, "m4=2", plain_ring=2)
    belief = after_undecided(belief, decode(ring_look(game, "", plain_ring=2)).turn_log_posteriors)
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

    before, after = (
        having(ring_look(game, changes, plain_ring=2), ring_log_likelihood=still) for changes in ("", "m4=2")
    )
    first = decide(before, decode(before), DecisionContext(10.0, 100, 1.0))
    assert first.settled and not first.events, "hands came, and nothing is seen to have been done"
    again = having(after, idle=first.belief.idle and idle)
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
    belief = having(ring_look(game, "", plain_ring=0), dispute=turned, ring_log_likelihood=still)
    decision = decide(belief, decode(belief), DecisionContext(12.0, 120, 5.0))
    assert [type(event) for event in decision.events] == [Restored]
