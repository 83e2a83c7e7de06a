"""Playing by hand: the same turns, fouls and ends as at a table that a camera looks at."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from languages import message_of
from referee.game import Game
from referee.presets import find_variant
from web.errors import MillchenError, StaleCommandError
from web.game.game_state import GameState
from web.game.player_commands import correct_stone, let_foul_stand, play_act, put_back, take_back_turn
from web.game.replay import replay
from web.journal.journal import Journal
from web.table.current_game import Sent
from web.table.live_table import LiveTable

Play = Callable[..., "Hands"]


class Hands:
    """A table without a camera, and what people do on its page."""

    def __init__(self, journal: Journal, game: str, **options: Any) -> None:
        self.table = LiveTable(journal)
        self.table.open("hand", game, options)
        self.journal = journal

    @property
    def state(self) -> GameState:
        return self.table._state

    @property
    def shown(self) -> Any:
        return self.table.publisher.snapshot.game

    def act(self, *acts: str, player: int | None = None) -> Hands:
        for act in acts:
            self.table.apply_command(lambda state, a=act: play_act(state, a, player))
        return self

    def newest(self) -> str:
        said = self.table.announcements_after(0)
        return str(said[-1].texts["en"])

    def kinds(self) -> list[str]:
        return [record.kind for record in self.table._current_game.records]


@pytest.fixture
def hands(journal: Journal) -> Iterator[Play]:
    opened: list[Hands] = []

    def open_it(game: str = "nine_mens_morris", **options: Any) -> Hands:
        opened.append(Hands(journal, game, **options))
        return opened[-1]

    yield open_it
    for one in opened:
        one.table.close()


def test_a_turn_by_hand_is_a_turn_and_said_like_one(hands: Play) -> None:
    table = hands().act("d6", "d7", "b6", "g7")
    assert table.kinds() == ["start", "turn", "turn", "turn", "turn"]
    assert table.newest() == "Player 2 places on g7."
    table.act("f6")
    assert table.shown.phase == "capture" and table.shown.begun == 1 and table.state.game.ply == 4
    assert {act["text"] for act in table.shown.acts} == {"xd7", "xg7"}
    assert table.newest() == "Mill for player 1! Take a stone of player 2."
    table.act("xg7")
    assert str(table.state.game.turns[-1]) == "f6xg7"
    assert table.newest() == "Player 1 places on f6, closes a mill and takes the stone on g7."


FOULS = [
    ("nine_mens_morris", ["d6"], "d6-d5", None, "moved_opponent", 1),
    ("nine_mens_morris", ["d6", "d7"], "d6-b6", None, "moved_while_placing", 0),
    ("nine_mens_morris", ["d6", "d7"], "xd7", None, "capture_without_mill", 0),
    ("nine_mens_morris", ["d6"], "b6", 1, "wrong_player", 0),
    ("nine_mens_morris", ["d6", "d7", "b6", "g7", "f6"], "xb6", None, "captured_own", 0),
    ("nine_mens_morris", ["d6", "d7", "b6", "g7", "f6"], "a1", 2, "capture_missing", 0),
    ("three_mens_morris", ["a3", "b3", "c3", "a1", "b1", "c1"], "b2", None, "placed_while_moving", 0),
    ("tic_tac_toe", ["b2"], "b2", None, "occupied", 1),
]


@pytest.mark.parametrize(("game", "acts", "foul", "player", "kind", "accused"), FOULS)
def test_what_is_against_the_rules_is_a_foul_and_can_be_put_back_or_stand(
    hands: Play, game: str, acts: list[str], foul: str, player: int | None, kind: str, accused: int
) -> None:
    table = hands(game).act(*acts)
    before, begun = table.state.game, table.state.begun
    table.act(foul, player=player)
    assert table.state.foul is not None
    assert (table.state.foul.kind, table.state.foul.player) == (kind, accused)
    assert table.shown.foul.kind == kind and table.shown.acts == ()
    with pytest.raises(MillchenError, match="put it back"):
        table.act("a1")
    table.table.apply_command(put_back)
    assert (table.state.game, table.state.begun, table.state.foul) == (before, begun, None)
    table.act(foul, player=player)
    seen = table.state.foul
    assert seen is not None
    table.table.apply_command(let_foul_stand)
    assert table.state.game.position.tops == seen.seen_tops
    assert table.state.foul is None and table.state.game.ply == before.ply + 1


def test_an_act_for_another_board_is_refused_and_nobodys_foul(hands: Play) -> None:
    table = hands().act("d6")
    sent = Sent(1, 1)  # the empty board
    with pytest.raises(StaleCommandError) as refused:
        table.table.carry_out(sent, lambda: table.table.apply_command(lambda state: play_act(state, "d6", None)))
    assert "gone on" in message_of(refused.value).translated("en")
    for act, word in (("z9", "nothing that can be done"), ("a1-a4", "nothing lies"), ("o+", "nothing that can")):
        with pytest.raises(MillchenError, match=word):
            table.act(act)
    with pytest.raises(MillchenError, match="no player"):
        table.act("a1", player=7)
    assert table.kinds() == ["start", "turn"]


def test_the_first_moves_of_a_turn_are_taken_back_before_the_turn_is(hands: Play) -> None:
    table = hands().act("d6", "d7", "b6", "g7", "f6")
    table.table.apply_command(take_back_turn)
    assert table.state.begun == () and table.state.game.ply == 4
    table.table.apply_command(take_back_turn)
    assert table.state.game.ply == 3


def test_a_turn_that_a_correction_began_ends_with_the_capture_that_it_owes(hands: Play) -> None:
    table = hands().act("d6", "d7", "b6", "g7")
    table.table.apply_command(lambda state: correct_stone(state, "f6", 1, state.game.position.tops))
    assert table.shown.phase == "capture"
    table.act("xd7")
    assert [str(turn) for turn in table.state.game.turns][-1] == "f6xd7"


def test_towers_are_played_by_hand_and_a_foul_that_stands_keeps_them(hands: Play) -> None:
    table = hands("trialectic").act("a1", "a2", "a3", "a1")
    assert table.state.foul is None and len(table.shown.stacks["a1"]) == 2
    table.act("a1-a2")
    assert table.state.foul is not None
    table.table.apply_command(let_foul_stand)
    assert [len(table.shown.stacks.get(point, ())) for point in ("a1", "a2", "a3")] == [1, 2, 1]


@pytest.mark.parametrize(
    "game", ["tic_tac_toe", "millchen", "roman_mill", "nine_mens_morris", "moulin_rouge", "trialectic", "morabaraba"]
)
def test_any_lawful_game_is_played_through_act_by_act(hands: Play, game: str) -> None:
    rng, table = random.Random(game), hands(game)
    reference = Game.start(find_variant(game))
    for _ in range(120):
        if reference.outcome is not None:
            break
        assert [act["text"] for act in table.shown.acts] == list(map(str, reference.legal_moves))
        move = rng.choice(reference.legal_moves)
        reference = reference.play(move)
        table.act(str(move))
        assert table.state.foul is None
    assert replay(table.table._current_game.records).game.turns == table.state.game.turns
    assert [turn.moves for turn in table.state.game.turns] == [turn.moves for turn in reference.turns]
