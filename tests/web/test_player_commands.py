from dataclasses import replace
from functools import partial

import pytest

from languages import LANGUAGES
from referee.events import QuestionAsked
from referee.moves import parse_turn
from tests.web.conftest import Open, Until, texts
from tests.web.scripted_eyes import JPEG
from tests.web.seen import correct_point
from web.errors import MillchenError
from web.game.game_state import GameState
from web.game.player_commands import (
    answer_question,
    end_game,
    redo,
    set_photographs,
    take_back_turn,
)
from web.game.records import announce_record, apply_record
from web.game.replay import replay, start_record_body
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord


@pytest.mark.parametrize(
    ("how", "player", "decider", "winner", "reason", "said"),
    [
        ("decided", 2, "Marie", 2, "arbiter", "Grey wins: the arbiter has decided. Decision: Marie."),
        ("decided", None, "", None, "arbiter", "Draw: the arbiter has decided."),
        ("abandoned", None, "", None, "abandoned", "No result: the game was broken off. Decision: the referee."),
        ("agreed", None, None, None, "agreement", "Draw: the players agree."),
        ("resigned", 2, None, 1, "resignation", "Red wins: Grey has resigned."),
    ],
)
def test_people_end_a_game_and_the_journal_says_who(
    open_table: Open, journal: Journal, until: Until, how: str, player: int, decider: str | None, winner: int,
    reason: str, said: str
) -> None:  # fmt: skip
    table = open_table(end="over")
    until(lambda: table.publisher.snapshot.source.state == "ended")
    table.apply_command(partial(end_game, how=how, player=player, decider=decider or ""))
    outcome = table.publisher.snapshot.game.outcome
    assert (outcome.winner, outcome.reason, outcome.decider) == (winner, reason, decider)
    assert outcome.texts["en"] == texts(table)[-1] == said
    state = replay(journal.records(1))
    assert (state.game.outcome, state.decider) == (table.state.game.outcome, decider)
    with pytest.raises(MillchenError, match="the game is over already"):
        table.apply_command(partial(end_game, how="agreed", player=None))


def test_a_turn_that_was_taken_back_can_be_played_again(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "d7", "b6")
    until(lambda: table.publisher.snapshot.game.ply == 3)
    for left in (2, 1):
        table.apply_command(take_back_turn)
        until(lambda left=left: table.publisher.snapshot.game.ply == left)  # type: ignore[misc]
    assert table.publisher.snapshot.game.can_redo
    table.apply_command(redo)
    until(lambda: table.publisher.snapshot.game.ply == 2)
    assert set(table.publisher.snapshot.game.stacks) == {"d6", "d7"}
    assert texts(table)[-1] == "Turn 2 stands again."
    correct_point(table, "a1", 1)
    until(lambda: "a1" in table.publisher.snapshot.game.stacks)
    with pytest.raises(MillchenError, match="nothing was taken back"):
        table.apply_command(redo)
    assert replay(journal.records(1)).game.position == table.state.game.position


def test_photographs_are_kept_only_where_players_want_them(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "d7", pause_s=0.4)
    until(lambda: table.publisher.snapshot.game.ply == 1)
    table.apply_command(partial(set_photographs, on=True))
    until(lambda: table.publisher.snapshot.game.ply == 2)
    first, second = (record.seq for record in journal.records(1) if record.kind == "turn")
    assert table.photographs.load(first) is None
    assert table.photographs.load(second) == JPEG
    assert table.photographs.delete([first, second]) == 1
    assert not table.photographs.has(second)


def asked(game: str, *options: str) -> GameState:
    start = JournalRecord(1, 1, "start", None, start_record_body(game, {}, "demo"), "", "eyes")
    question = JournalRecord(2, 1, "question", None, {"t": 1.0, "frame": 10, "options": list(options)}, "", "eyes")
    return replay([start, question])


def test_a_question_is_answered_with_the_turn_that_was_played_and_the_answer_is_told_in_every_language() -> None:
    course = asked("trialectic", "b3", "=")
    record = answer_question(course, 0).in_game(1, "hand")
    after = apply_record(course, record)
    assert (after.game.ply, after.game.position.heights.count(1), after.question) == (1, 1, None)
    said = announce_record(record, after, ("yellow", "red", "blue"))
    assert said is not None and set(said.texts) == set(LANGUAGES)
    assert said.texts["en"].startswith("By hand:") and "b3" in said.texts["en"]


def test_which_way_a_ring_was_turned_is_answered_after_the_next_turn_as_well() -> None:
    course = asked("moulin_rouge", "=", "=")
    game = course.game
    for text in ("o1", "i5", "m+", "i6"):
        for move in parse_turn(text, game.variant.board):
            game = game.play(move)
    course = replace(course, game=game, question=QuestionAsked(("3. m+", "3. m-"), 9.0, 90))
    assert apply_record(course, answer_question(course, 0).in_game(1, "hand")).game is game
    answer = answer_question(course, 1)
    after = apply_record(course, answer.in_game(1, "hand")).game
    assert (answer.ply, answer.body["amends"], [str(turn) for turn in after.turns]) == (3, 3, ["o1", "i5", "m-", "i6"])


def test_only_what_was_asked_can_be_answered() -> None:
    course = asked("moulin_rouge", "o-", "-2", "=")  # nobody has a stone on the board yet: no ring may be turned
    for option, why in ((0, "set the points right"), (1, "set the points right"), (3, "3 answers")):
        with pytest.raises(MillchenError, match=why):
            answer_question(course, option)
    with pytest.raises(MillchenError, match="nothing has been asked"):
        answer_question(
            replay([JournalRecord(1, 1, "start", None, start_record_body("millchen", {}, "demo"), "", "eyes")]), 0
        )
