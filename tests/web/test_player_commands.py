import json
import random
from dataclasses import replace
from functools import partial

import pytest

from languages import LANGUAGES
from referee.events import QuestionAsked
from referee.game import Game
from referee.moves import parse_turn
from referee.presets import find_variant
from tests.web.conftest import Open, Until
from tests.web.scripted_eyes import JPEG
from tests.web.seen import correct_point
from web.errors import MillchenError
from web.game.game_state import GameState
from web.game.player_commands import (
    answer_question,
    end_game,
    let_foul_stand,
    name_players,
    play_act,
    put_back,
    redo,
    set_photographs,
    take_back_turn,
)
from web.game.records import announce_record, apply_record
from web.game.replay import replay, start_record_body
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord
from web.table.live_table import LiveTable


def texts(table: LiveTable) -> list[str]:
    return [said.texts["en"] for said in table.publisher.snapshot.said[-9:]]


def test_who_gives_up_has_lost_and_the_journal_says_so(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "d7")
    until(lambda: table.publisher.snapshot.game.ply == 2)
    table.apply_command(partial(end_game, how="resigned", player=2))
    until(lambda: table.publisher.snapshot.game.outcome is not None)
    assert table.publisher.snapshot.game.outcome.winner == 1
    assert table.publisher.snapshot.said[-1].kind == "over"
    assert replay(journal.records(1)).game.outcome == table.state.game.outcome
    with pytest.raises(MillchenError, match="the game is over already"):
        table.apply_command(partial(end_game, how="agreed", player=None))


@pytest.mark.parametrize(
    ("how", "player", "decider", "winner", "reason", "said"),
    [
        ("decided", 2, "Marie", 2, "arbiter", "Grey wins: the arbiter has decided. Decision: Marie."),
        ("decided", None, "", None, "arbiter", "Draw: the arbiter has decided."),
        ("abandoned", None, "", None, "abandoned", "No result: the game was broken off. Decision: the referee."),
        ("agreed", None, None, None, "agreement", "Draw: the players agree."),
    ],
)
def test_the_referee_decides_and_the_journal_says_who(
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


def test_names_stay_from_one_game_to_the_next(open_table: Open, until: Until) -> None:
    table = open_table("d6")
    table.apply_command(partial(name_players, names=["Anna", "Ben"]))
    table.restart_game()
    until(lambda: table.publisher.snapshot.game.id == 2)
    assert table.publisher.snapshot.game.names == ("Anna", "Ben")
    with pytest.raises(MillchenError, match="this game has 2 players, got 1 names"):
        table.apply_command(partial(name_players, names=["Anna"]))


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


@pytest.mark.parametrize("name", ["nine_mens_morris", "moulin_rouge", "trialectic"])
def test_a_game_by_hand_is_the_same_played_and_read_from_its_records(name: str) -> None:
    rng, state = random.Random(name), GameState(Game.start(find_variant(name)), source="hand")
    for _ in range(60):
        acts = [str(move) for move in state.page_game.legal_moves]
        if state.foul is not None:
            record = rng.choice((put_back, let_foul_stand))(state)
        elif not acts or (state.game.turns and rng.random() < 0.05):
            record = take_back_turn(state)
        else:
            record = play_act(state, rng.choice(acts), *([1] if rng.random() < 0.1 else []))
        kept = JournalRecord(0, 1, record.kind, record.ply, json.loads(json.dumps(record.body)), "", "hand")
        played, read = apply_record(state, record.in_game(1, "hand")), apply_record(state, kept)
        assert vars(played) == vars(read)
        state = read
    assert state.game.ply > 10
