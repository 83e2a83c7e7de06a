"""Millchen as a partner at a table: its turns, other ones that people made for it, hints, and a process that dies."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.moves import Capture
from referee.turns import legal_turns
from tests.process import is_gone
from tests.web.conftest import Open, Until, play, texts
from web.child_process import ProcessEndedError
from web.errors import MillchenError, StaleCommandError
from web.game.game_state import GameState, Proposal
from web.game.page_state import PartnerView
from web.game.player_commands import (
    allow_hints,
    do_proposed,
    let_foul_stand,
    name_players,
    put_back,
    set_partner,
    take_back_turn,
)
from web.game.replay import replay
from web.journal.journal import Journal
from web.table.live_table import LiveTable
from web.thinking import Thinker, propose

pytestmark = pytest.mark.film


class HereAtOnce(Thinker):
    """Thinks at once and in this process, with the partner's own functions but the quickest strength."""

    def ask(self, function: Any, *args: Any, **kwargs: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        if function is propose:
            args = (args[0], "easy", args[2])
        answer.set_result(function(*args, **kwargs))
        return answer


class Failing(HereAtOnce):
    """Dies at the first ``n`` turns."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n_left, self.n_asked = n, 0

    def ask(self, function: Any, *args: Any, **kwargs: Any) -> Future[Any]:
        if function is not propose:
            return super().ask(function, *args, **kwargs)
        self.n_asked += 1
        if self.n_left > 0:
            self.n_left -= 1
            answer: Future[Any] = Future()
            answer.set_exception(ProcessEndedError("killed"))
            return answer
        return super().ask(function, *args, **kwargs)


@pytest.fixture
def begin(start: Open) -> Open:
    """Open a game at a table with a thinker, by hand where no source is named."""
    return lambda game="nine_mens_morris", **how: start(game=game, **{"thinker": HereAtOnce(), **how})


def partner(
    player: int, strength: str | None = "medium", explain: bool = False, laid_by_people: bool = True
) -> Callable[[GameState], Any]:
    return partial(set_partner, player=player, strength=strength, explain=explain, laid_by_people=laid_by_people)


def proposal(table: LiveTable) -> Proposal | None:
    """The turn that Millchen wants, once pages have heard of it."""
    return table.state.proposal if table.publisher.snapshot.proposal is not None else None


def wait_for_proposal(table: LiveTable, until: Until) -> Proposal:
    until(lambda: proposal(table) is not None)
    meant = proposal(table)
    assert meant is not None
    return meant


# ---------------------------------------------------------------- the turn that is meant


@pytest.mark.parametrize("it_stands", [False, True])
def test_another_lawful_turn_is_told_kindly_and_put_right_or_stands(
    begin: Open, journal: Journal, until: Until, it_stands: bool
) -> None:
    table = begin()
    table.apply_command(partner(1))
    meant = wait_for_proposal(table, until)
    game = table.state.game  # another lawful turn leaves other stones than the proposed one
    (wrong,) = next(turn.moves for turn in legal_turns(game.position) if not meant.is_made_by(game, turn.moves))
    play(table, str(wrong))
    foul = table.publisher.snapshot.game.foul
    assert (foul.kind, foul.player, table.state.game.ply) == ("not_the_proposed_turn", 1, 0)
    assert f"I meant: a stone on {meant.moves[0]}. I see: a stone on {wrong}." in foul.texts["en"]
    assert foul.steps == ({"paint": 1, "from": str(wrong), "to": None},)
    table.apply_command(let_foul_stand if it_stands else put_back)
    if it_stands:
        assert texts(table)[-1] == f"Millchen places on {wrong}."
    else:
        assert table.publisher.snapshot.proposal is not None, "it still means that turn"
        table.apply_command(do_proposed)
        kinds = [record.kind for record in journal.records(1)]
        assert kinds == ["start", "partner", "proposed", "foul", "restored", "turn"]
    game = table.state.game
    assert [(turn.moves, turn.remarks) for turn in game.turns] == [((wrong,) if it_stands else meant.moves, ())]
    assert replay(journal.records(1)).game.position == game.position


def test_a_mill_may_wait_for_its_capture_and_is_guided(begin: Open, until: Until) -> None:
    table = begin()
    play(table, "d6", "a1", "b6", "g1")
    table.apply_command(partner(1, "strong"))
    meant = wait_for_proposal(table, until)
    assert [type(move).__name__ for move in meant.moves] == ["Place", "Capture"]
    place, capture = meant.moves
    assert isinstance(capture, Capture)
    play(table, str(place))
    assert texts(table)[-1] == f"Please take the stone on {capture.at} for me."
    told = table.publisher.snapshot.proposal
    assert told is not None and told.moves == ({"act": "capture", "at": capture.at},)
    wrong = next(name for name in ("a1", "g1") if name != capture.at)
    play(table, f"x{wrong}")
    assert table.publisher.snapshot.game.foul.kind == "not_the_proposed_turn"
    table.apply_command(put_back)
    assert table.state.begun == (place,)
    play(table, str(capture))
    assert table.state.game.ply == 5


@pytest.mark.parametrize("change", ["take back", "another strength", "a person plays"])
def test_what_changes_the_game_makes_a_proposal_void(begin: Open, until: Until, change: str) -> None:
    table = begin()
    play(table, "d6")
    table.apply_command(partner(2))
    before = wait_for_proposal(table, until)
    if change == "take back":
        table.apply_command(take_back_turn)
        assert proposal(table) is None
        return
    table.apply_command(partner(2, None if change == "a person plays" else "easy"))
    if change == "a person plays":
        assert proposal(table) is None
    until(lambda: proposal(table) is not before and (change == "a person plays" or proposal(table) is not None))


# ---------------------------------------------------------------- a process that dies


@pytest.mark.parametrize("laid_by_people", [True, False])
def test_after_two_deaths_people_play_for_it(begin: Open, until: Until, laid_by_people: bool) -> None:
    table = begin(thinker=Failing(2))
    table.apply_command(partner(1, laid_by_people=laid_by_people))
    wait_for_proposal(table, until)
    assert texts(table) == ["I cannot think just now. Please play for me."]
    with pytest.raises(MillchenError):
        table.apply_command(do_proposed)
    play(table, "d6")
    play(table, "d7")
    if laid_by_people:
        assert wait_for_proposal(table, until).moves, "at its next turn it thinks again"
    else:
        until(lambda: table.publisher.snapshot.game.ply == 3)


# ---------------------------------------------------------------- hints


def test_hints_are_given_only_where_the_house_allows_them(begin: Open, until: Until) -> None:
    table = begin("tic_tac_toe")
    with pytest.raises(MillchenError, match="no hints"):
        table.ask_for_hint()
    table.apply_command(partial(allow_hints, on=True))
    play(table, "a1", "b2", "a2", "b1")
    table.ask_for_hint()
    until(lambda: table.publisher.snapshot.hint is not None)
    text = texts(table)[-1]
    assert "You can make three in a row: a3." in text
    assert "threatens three in a row: b3." in text
    assert "The best I can see: a stone on a3. It wins the game." in text
    assert table.state.game.ply == 4
    play(table, "c1")
    assert table.state.hint is None


# ---------------------------------------------------------------- its own stones, where no camera looks


def test_millchen_lays_its_stone_after_half_a_second_and_takes(begin: Open, journal: Journal, until: Until) -> None:
    table = begin()
    play(table, "d6", "a1", "b6", "g1")
    began_s = time.monotonic()
    table.apply_command(partner(1, "strong", explain=True, laid_by_people=False))
    assert (table.publisher.snapshot.partner.lays, table.publisher.snapshot.game.acts) == (True, ())
    until(lambda: table.publisher.snapshot.game.ply == 5)
    assert time.monotonic() - began_s >= 0.5
    record = journal.records(1)[-1]
    assert (record.kind, record.by) == ("turn", "thinker")
    place, capture = table.state.game.turns[-1].moves
    assert (str(place), type(capture)) == ("f6", Capture)
    told = table.publisher.snapshot.said[-1]
    assert told.texts["en"] == f"Millchen places on f6, closes a mill and takes the stone on {capture.at}."
    assert told.why["en"].startswith("It closes a mill.") and "It closes a mill." in told.spoken["en"]
    last = table.publisher.snapshot.game.last
    assert last.taken == {capture.at: 2}, "what was taken can still be drawn"
    assert replay(journal.records(1)).game.position == table.state.game.position


# ---------------------------------------------------------------- kept


def test_partners_are_taken_over_by_the_next_game_and_change_places(begin: Open) -> None:
    table = begin()
    table.apply_command(partner(2, "strong", explain=True))
    table.apply_command(partial(allow_hints, on=False))
    table.apply_command(partial(name_players, names=["Anna", ""]))
    table.restart_game()
    manner = {"strength": "strong", "explain": True, "laid_by_people": True}
    assert table.publisher.snapshot.game.partners == (PartnerView(2, **manner),)
    table.restart_game(swap=True)
    with pytest.raises(StaleCommandError):  # the tap of somebody else who was slower
        table.restart_game(game=2, swap=True)
    assert table.publisher.snapshot.game.partners == (PartnerView(1, **manner),)
    assert table.publisher.snapshot.game.names == ("", "Anna")
    assert not table.state.may_hint
    table.new_game("trialectic", {})
    assert table.publisher.snapshot.game.partners == ()


def test_what_the_command_asks_for_holds_for_the_game_that_it_asks_for(begin: Open, journal: Journal) -> None:
    table = begin("tic_tac_toe")
    play(table, "b2")
    table.close()
    again = begin("nine_mens_morris")
    again.let_millchen_play(((2, "easy", False),))
    assert again.publisher.snapshot.offer is not None
    assert again.publisher.snapshot.game.partners == (), "people are asked first which game it is"
    again.decline_offer()
    manner = {"strength": "easy", "explain": False, "laid_by_people": False}
    assert again.publisher.snapshot.game.partners == (PartnerView(2, **manner),)
    again.let_millchen_play(((2, "easy", False),))
    assert [record.kind for record in journal.records(2)] == ["start", "partner"]


# ---------------------------------------------------------------- its process


ORPHAN = """
import os, time
from web.thinking import Thinker
if __name__ == "__main__":
    print(Thinker().ask(os.getpid).result(), flush=True)
    time.sleep(600)
"""
"""A program that thinks once, says in which process, and waits to be killed."""


def test_what_thinks_ends_with_a_program_that_is_killed(tmp_path: Path, until: Until) -> None:
    file = tmp_path / "orphan.py"
    file.write_text(ORPHAN, encoding="utf-8")
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    process = subprocess.Popen([sys.executable, file], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    thinking = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    until(lambda: is_gone(thinking))
