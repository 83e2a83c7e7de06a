"""Stones laid on stones: what the pixels of a tower say, and what is made of a turn that shows in nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.events import FoulSeen, QuestionAsked, TurnPlayed
from referee.game import Game
from referee.layouts import TRIALECTIC
from referee.moves import parse_turn, turn_text
from referee.presets import find_variant
from vision.altered import Altered
from vision.appearance import forget_paint, unknown
from vision.belief import Belief, believe, update
from vision.colours import NO_STONES
from vision.decide import Decision, Moment, decide
from vision.decoder import weigh
from vision.field import Field
from vision.observation import Observation
from vision.piled import LEANED_OVER, piled

POINTS = TRIALECTIC.points
AT_REST = Moment(10.0, 100, 1.0)


def said_of(**nats: float) -> dict[str, float]:
    """What is said of every point, from what its pixels say."""
    field = Field(TRIALECTIC, "outline", 400.0 * np.asarray(TRIALECTIC.xy), np.diag([400.0, 400.0, 1.0]))
    seen = np.array([nats.get(name, -7.0) for name in POINTS])
    return dict(zip(POINTS, piled(Altered(seen, seen > -6, 3.0), field).tolist(), strict=True))


def played(*turns: str) -> Game:
    game = Game.start(find_variant("trialectic"))
    for text in turns:
        for move in parse_turn(text, game.position.board):
            game = game.play(move)
    return game


def look(game: Game, *, sees: dict[str, int], touched: dict[str, float], n_looks: int = 3) -> Belief:
    """Some looks at a table on which some points show other stones than before, and some were touched."""
    tops = np.array([sees.get(name, top) for name, top in zip(POINTS, game.position.tops, strict=True)])
    rows = np.full((len(POINTS), 4), -7.0)
    rows[np.arange(len(POINTS)), tops] = 0.0
    belief = replace(
        believe(game),
        touched=np.array([touched.get(name, -4.5) for name in POINTS]),
        visited=True,
        habit=np.zeros_like(rows),
    )
    for _ in range(n_looks):
        belief = update(belief, Observation(rows, 0.0, np.zeros(len(POINTS))))
    return belief


def turns_of(decision: Decision) -> list[str]:
    return [turn_text(event.moves) for event in decision.events if isinstance(event, TurnPlayed)]


def test_a_small_change_of_a_tower_is_a_stone_laid_on_it() -> None:
    said = said_of(a3=-3.0)
    assert said["a3"] == 5.0
    assert all(nats < -4 for name, nats in said.items() if name != "a3")


def test_a_tower_beside_a_greater_change_may_only_be_leaned_over() -> None:
    said = said_of(b4=-3.0, c4=4.0)
    assert said["b4"] == LEANED_OVER
    assert said["c4"] == 5.0


def test_a_stone_of_the_wrong_player_is_no_pair_of_turns_of_which_one_is_covered() -> None:
    game = played("a1", "b3", "c5", "a3")
    belief = look(game, sees={"b6": 3}, touched={"b6": 7.0})  # blue, though red is next
    decision = decide(belief, weigh(belief), AT_REST)
    (foul,) = decision.events
    assert isinstance(foul, FoulSeen) and foul.kind == "wrong_player"


def test_a_stone_laid_on_its_like_that_was_seen_excuses_the_next_player() -> None:
    game = played("a1", "b3", "c5", "a3")
    belief = look(game, sees={"b6": 3}, touched={"b6": 7.0, "b3": 5.0})
    assert turns_of(decide(belief, weigh(belief), AT_REST)) == ["b3", "b6"]


def test_where_a_stone_was_laid_on_its_like_is_asked_once_the_next_player_has_gone_on() -> None:
    game = played("a1", "b3", "c5", "a3", "c1", "b5", "a5")  # red has b3 and c1
    undecided = look(game, sees={}, touched={"b3": 1.5, "c1": 1.5})
    first = decide(undecided, weigh(undecided), AT_REST)
    assert not first.settled and not first.events
    later = look(game, sees={"b6": 3}, touched={"b6": 7.0, "b3": 1.5, "c1": 1.5})
    later = replace(later, leaning=weigh(undecided).leaning)
    second = decide(later, weigh(later), AT_REST)
    assert second.settled and turns_of(second)[1] == "b6"
    (question,) = (event for event in second.events if isinstance(event, QuestionAsked))
    assert (set(question.options), question.players) == ({"8. b3", "8. c1"}, ((1,), (1,)))


def test_two_unseen_rests_do_not_stop_the_game() -> None:
    game = played("a1", "b3", "c5", "a3")
    first = look(game, sees={}, touched={"b3": 1.0})
    second = look(game, sees={"b6": 3}, touched={"b6": 7.0, "b3": 1.0})
    second = replace(second, leaning=weigh(first).leaning)
    third = look(game, sees={"b6": 3, "a6": 1}, touched={"b6": 7.0, "b3": 1.0, "a6": 7.0})
    third = replace(third, leaning=weigh(second).leaning)
    assert turns_of(decide(third, weigh(third), AT_REST)) == ["b3", "b6", "a6"]


def test_what_was_laid_out_of_turn_and_taken_away_again_was_nothing() -> None:
    game = played("a1", "b3", "c5")
    first = look(game, sees={"b1": 2}, touched={"b1": 5.0, "a1": 1.0})  # red, though yellow is next
    verdict = weigh(first)
    assert not decide(first, verdict, replace(AT_REST, rest_s=0.6)).settled
    second = replace(look(game, sees={}, touched={"b3": 2.0}), leaning=verdict.leaning)
    decision = decide(second, weigh(second), AT_REST)
    assert decision.settled and not decision.events


def test_paint_is_forgotten_of_those_alone_who_have_not_played() -> None:
    appearance = unknown(len(POINTS), 2)
    painted = replace(appearance, stones=tuple(replace(stones, n_stones=2.0) for stones in appearance.stones))
    forgotten = forget_paint(painted, [False, True])
    assert forgotten.stones == (painted.stones[0], NO_STONES)
