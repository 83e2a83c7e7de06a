"""Millchen as a partner at a table: its turns, other ones that people made for it, hints, and a process that dies."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.events import FoulSeen, QuestionAsked
from referee.game import Game
from referee.moves import Capture, Move, Place, parse_move
from referee.presets import find_variant
from referee.search.reasons import Reason
from referee.turns import legal_turns
from tests.web.caller import Caller, free_port
from tests.web.conftest import Open, Until
from tests.web.scripted_eyes import look, write_film
from web.app import create_app
from web.child_process import ProcessEndedError
from web.errors import MillchenError, StaleCommandError
from web.game.game_state import GameState, Proposal
from web.game.page_state import PartnerView
from web.game.player_commands import (
    allow_hints,
    answer_question,
    check_hint,
    do_proposed,
    let_foul_stand,
    name_players,
    play_act,
    put_back,
    set_partner,
    take_back_turn,
)
from web.game.records import event_of_record
from web.game.replay import ReplayedGame, replay, replay_states
from web.history.finished_games import game_history, game_statistics, replay_json
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.table.live_table import LiveTable
from web.thinking import Advice, Thinker, propose

pytestmark = pytest.mark.film

GAMES = [("nine_mens_morris", {}), ("trialectic", {}), ("moulin_rouge", {"players": 3})]
"""Two players, towers, rings."""


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


class Late(Thinker):
    """Answers when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []

    def ask(self, function: Any, *args: Any, **kwargs: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        if function.__name__ == "be_ready":
            answer.set_result(None)
        else:
            answer.set_running_or_notify_cancel()
            self.asked.append((answer, function, args))
        return answer


Begin = Open


@pytest.fixture
def begin(journal: Journal) -> Iterator[Begin]:
    """Begin a game at a table with a thinker, by hand where no source is named."""
    opened: list[LiveTable] = []

    def begin_it(
        game: str = "nine_mens_morris", thinker: Thinker | None = None, source: Path | str = "hand", **options: Any
    ) -> LiveTable:
        table = LiveTable(journal, look, thinker=thinker or HereAtOnce())
        opened.append(table)
        table.open(str(source), game, options)
        return table

    yield begin_it
    for table in opened:
        table.close()


def partner(
    player: int, strength: str | None = "medium", explain: bool = False, laid_by_people: bool = True
) -> Callable[[GameState], Any]:
    return partial(set_partner, player=player, strength=strength, explain=explain, laid_by_people=laid_by_people)


def play(text: str) -> Callable[[GameState], Any]:
    return partial(play_act, act=text, player=None)


def proposal(table: LiveTable) -> Proposal | None:
    """The turn that Millchen wants, once pages have heard of it."""
    return table._state.proposal if table.publisher.snapshot.proposal is not None else None


def wait_for_proposal(table: LiveTable, until: Until) -> Proposal:
    until(lambda: proposal(table) is not None)
    meant = proposal(table)
    assert meant is not None
    return meant


def said(table: LiveTable, language: str = "en") -> list[str]:
    return [one.texts[language] for one in table.publisher.snapshot.said]


def other_turns(game: Game, meant: Proposal) -> list[tuple[Move, ...]]:
    """Lawful turns that leave other stones than the proposed one."""
    turns = [turn.moves for turn in legal_turns(game.position)]
    return [moves for moves in turns if not meant.is_made_by(game, moves)]


# ---------------------------------------------------------------- the turn that is meant


def test_millchen_proposes_on_its_turn_and_people_make_it(begin: Begin, journal: Journal, until: Until) -> None:
    table = begin()
    table.apply_command(partner(2))
    table.apply_command(play("d6"))
    meant = wait_for_proposal(table, until)
    assert meant.player == 1
    assert table.publisher.snapshot.proposal is not None
    assert said(table)[-1].startswith("I place a stone on ")
    table.apply_command(play(str(meant.moves[0])))
    assert [record.kind for record in journal.records(1)] == ["start", "partner", "turn", "proposed", "turn"]
    assert journal.records(1)[3].by == "thinker"
    assert (proposal(table), table.publisher.snapshot.proposal) == (None, None)
    assert said(table)[-1] == f"Millchen places on {meant.moves[0]}."


@pytest.mark.parametrize("it_stands", [False, True])
def test_another_lawful_turn_is_told_kindly_and_put_right_or_stands(
    begin: Begin, journal: Journal, until: Until, it_stands: bool
) -> None:
    table = begin()
    table.apply_command(partner(1))
    meant = wait_for_proposal(table, until)
    [(wrong,), *_] = other_turns(table._state.game, meant)
    table.apply_command(play(str(wrong)))
    foul = table.publisher.snapshot.game.foul
    assert (foul.kind, foul.player, table._state.game.ply) == ("not_the_proposed_turn", 1, 0)
    assert f"I meant: a stone on {meant.moves[0]}. I see: a stone on {wrong}." in foul.texts["en"]
    assert foul.steps == ({"paint": 1, "from": str(wrong), "to": None},)
    table.apply_command(let_foul_stand if it_stands else put_back)
    if it_stands:
        assert said(table)[-1] == f"Millchen places on {wrong}."
    else:
        assert table.publisher.snapshot.proposal is not None, "it still means that turn"
        table.apply_command(do_proposed)
        kinds = [record.kind for record in journal.records(1)]
        assert kinds == ["start", "partner", "proposed", "foul", "restored", "turn"]
    game = table._state.game
    assert [(turn.moves, turn.remarks) for turn in game.turns] == [((wrong,) if it_stands else meant.moves, ())]
    assert replay(journal.records(1)).game.position == game.position


def test_a_mill_may_wait_for_its_capture_and_is_guided(begin: Begin, until: Until) -> None:
    table = begin()
    for act in ("d6", "a1", "b6", "g1"):
        table.apply_command(play(act))
    table.apply_command(partner(1, "strong"))
    meant = wait_for_proposal(table, until)
    assert [type(move).__name__ for move in meant.moves] == ["Place", "Capture"]
    place, capture = meant.moves
    assert isinstance(capture, Capture)
    table.apply_command(play(str(place)))
    assert said(table)[-1] == f"Please take the stone on {capture.at} for me."
    told = table.publisher.snapshot.proposal
    assert told is not None and told.moves == ({"act": "capture", "at": capture.at},)
    wrong = next(name for name in ("a1", "g1") if name != capture.at)
    table.apply_command(play(f"x{wrong}"))
    assert table.publisher.snapshot.game.foul.kind == "not_the_proposed_turn"
    table.apply_command(put_back)
    assert table._state.begun == (place,)
    table.apply_command(play(str(capture)))
    assert table._state.game.ply == 5


def test_another_mill_than_the_one_that_was_meant_may_stand(begin: Begin, until: Until) -> None:
    late = Late()
    table = begin(thinker=late)
    for act in ("d6", "a1", "b6", "g1"):
        table.apply_command(play(act))
    table.apply_command(partner(1))
    until(lambda: bool(late.asked))
    game = table._state.game
    late.asked[0][0].set_result(Advice((parse_move("c3", game.variant.board),), *advice_of(game)))
    wait_for_proposal(table, until)
    table.apply_command(play("f6"))
    assert table.publisher.snapshot.game.foul.kind == "not_the_proposed_turn"
    table.apply_command(let_foul_stand)
    assert (table._state.begun, table._state.foul, proposal(table)) == ((Place("f6"),), None, None)
    until(lambda: len(late.asked) == 2)  # and Millchen is asked what it takes
    assert late.asked[1][2][0].position.dues


def advice_of(game: Game) -> tuple[Any, tuple[Reason, ...]]:
    thought = propose(game, "easy", 1)
    return thought.value, thought.reasons


@pytest.mark.parametrize("change", ["take back", "another strength", "a person plays"])
def test_what_changes_the_game_makes_a_proposal_void(begin: Begin, until: Until, change: str) -> None:
    table = begin()
    table.apply_command(play("d6"))
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


def test_an_answer_about_a_game_of_before_is_void(begin: Begin, until: Until) -> None:
    late = Late()
    table = begin(thinker=late)
    table.apply_command(partner(2))
    table.apply_command(play("d6"))
    until(lambda: len(late.asked) == 1)
    assert table.publisher.snapshot.partner.thinking
    table.apply_command(take_back_turn)
    table.apply_command(play("a1"))
    until(lambda: len(late.asked) == 2)
    late.asked[0][0].set_result(propose(late.asked[0][2][0], "easy", 1))
    time.sleep(0.1)
    assert proposal(table) is None
    late.asked[1][0].set_result(propose(late.asked[1][2][0], "easy", 1))
    wait_for_proposal(table, until)
    assert not table.publisher.snapshot.partner.thinking


# ---------------------------------------------------------------- a process that dies


@pytest.mark.parametrize("laid_by_people", [True, False])
def test_after_two_deaths_people_play_for_it(begin: Begin, until: Until, laid_by_people: bool) -> None:
    table = begin(thinker=Failing(2))
    table.apply_command(partner(1, laid_by_people=laid_by_people))
    wait_for_proposal(table, until)
    assert said(table) == ["I cannot think just now. Please play for me."]
    with pytest.raises(MillchenError):
        table.apply_command(do_proposed)
    table.apply_command(play("d6"))
    table.apply_command(play("d7"))
    if laid_by_people:
        assert wait_for_proposal(table, until).moves, "at its next turn it thinks again"
    else:
        until(lambda: table.publisher.snapshot.game.ply == 3)


# ---------------------------------------------------------------- eyes


def test_eyes_that_see_another_turn_are_told_and_see_it_put_right(begin: Begin, tmp_path: Path, until: Until) -> None:
    film = write_film(tmp_path / "film.json", "d6", "page", "a1", pause_s=0.3)
    table = begin(source=film)
    table.apply_command(partner(2))
    meant = wait_for_proposal(table, until)
    (tmp_path / "film.json.seen").touch()
    assert str(meant.moves[0]) != "a1"
    until(lambda: table.publisher.snapshot.game.foul is not None)
    foul = table._state.foul
    assert isinstance(foul, FoulSeen) and foul.kind == "not_the_proposed_turn"
    assert (foul.played, table._state.game.ply) == ((parse_move("a1", table.variant.board),), 1)
    table.apply_command(let_foul_stand)
    assert table._state.game.ply == 2


def test_an_answer_about_the_next_turn_lets_the_other_one_stand() -> None:
    board = find_variant("tic_tac_toe").board
    b2, a1, c3, _ = (parse_move(name, board) for name in ("b2", "a1", "c3", "a3"))
    game = Game.start(find_variant("tic_tac_toe")).play(b2)
    foul = FoulSeen(1, "not_the_proposed_turn", ("c3",), game.position.tops, game.play(c3).position.tops, 1.0, 9,
                    played=(c3,), meant=(a1,))  # fmt: skip
    asked = QuestionAsked(("a3", "..."), 2.0, 20, players=((0,), ()))
    kind, ply, body, *_ = answer_question(GameState(game, foul=foul, question=asked), 0)
    assert (kind, ply, body["moves"]) == ("corrected", 2, ["c3", "a3"])


# ---------------------------------------------------------------- hints


def test_hints_are_given_only_where_the_house_allows_them(begin: Begin, until: Until) -> None:
    table = begin("tic_tac_toe")
    with pytest.raises(MillchenError, match="no hints"):
        table.ask_for_hint()
    table.apply_command(partial(allow_hints, on=True))
    for act in ("a1", "b2", "a2", "b1"):
        table.apply_command(play(act))
    table.ask_for_hint()
    until(lambda: table.publisher.snapshot.hint is not None)
    text = said(table)[-1]
    assert "You can make three in a row: a3." in text
    assert "threatens three in a row: b3." in text
    assert "The best I can see: a stone on a3. It wins the game." in text
    assert table._state.game.ply == 4
    table.apply_command(play("c1"))
    assert table._state.hint is None


def test_a_partner_allows_hints_but_needs_none(begin: Begin) -> None:
    table = begin()
    table.apply_command(partner(1))
    assert table.publisher.snapshot.partner.hints
    with pytest.raises(MillchenError, match="my turn"):
        table.ask_for_hint()
    table.apply_command(partial(allow_hints, on=False))
    with pytest.raises(MillchenError, match="no hints"):
        check_hint(table._state)


# ---------------------------------------------------------------- its own stones, where no camera looks


def own(player: int, **how: Any) -> Callable[[GameState], Any]:
    """Millchen lays its own stones."""
    return partner(player, laid_by_people=False, **how)


def test_millchen_lays_its_stone_after_half_a_second_and_takes(begin: Begin, journal: Journal, until: Until) -> None:
    table = begin()
    for act in ("d6", "a1", "b6", "g1"):
        table.apply_command(play(act))
    began_s = time.monotonic()
    table.apply_command(own(1, strength="strong", explain=True))
    assert (table.publisher.snapshot.partner.lays, table.publisher.snapshot.game.acts) == (True, ())
    until(lambda: table.publisher.snapshot.game.ply == 5)
    assert time.monotonic() - began_s >= 0.5
    record = journal.records(1)[-1]
    assert (record.kind, record.by) == ("turn", "thinker")
    place, capture = table._state.game.turns[-1].moves
    assert (str(place), type(capture)) == ("f6", Capture)
    told = table.publisher.snapshot.said[-1]
    assert told.texts["en"] == f"Millchen places on f6, closes a mill and takes the stone on {capture.at}."
    assert told.why["en"].startswith("It closes a mill.") and "It closes a mill." in told.spoken["en"]
    last = table.publisher.snapshot.game.last
    assert last.taken == {capture.at: 2}, "what was taken can still be drawn"
    assert replay(journal.records(1)).game.position == table._state.game.position


def test_nobody_else_lays_a_stone_while_millchen_is_about_to(begin: Begin) -> None:
    table = begin(thinker=Late())
    table.apply_command(own(1))
    with pytest.raises(MillchenError, match="it is my turn"):
        table.apply_command(play("d6"))


def test_millchen_against_itself_can_be_stopped(begin: Begin, until: Until, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.table.partner.ONLY_MILLCHEN_S", 0.3)
    table = begin()
    began_s = time.monotonic()
    for player in (2, 1):  # whose turn it is comes last: then it plays for everybody
        table.apply_command(own(player))
    until(lambda: table.publisher.snapshot.game.ply >= 2)
    assert time.monotonic() - began_s >= 0.6
    for player in (1, 2):
        table.apply_command(partner(player))
    wait_for_proposal(table, until)
    n = table._state.game.ply
    table.apply_command(own(1))
    table.apply_command(own(2))
    until(lambda: table.publisher.snapshot.game.ply > n)


def test_before_a_camera_millchen_lays_no_stone(begin: Begin, tmp_path: Path, until: Until) -> None:
    table = begin(source=write_film(tmp_path / "film.json", "d6", pause_s=0.3))
    table.apply_command(own(2))
    wait_for_proposal(table, until)
    assert not table.publisher.snapshot.partner.lays


# ---------------------------------------------------------------- kept


def test_partners_are_taken_over_by_the_next_game_and_change_places(begin: Begin) -> None:
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
    assert not table._state.may_hint
    table.new_game("trialectic", {})
    assert table.publisher.snapshot.game.partners == ()


def test_every_record_of_a_partner_comes_back_as_it_was(begin: Begin, journal: Journal, until: Until) -> None:
    table = begin()
    table.apply_command(partner(1, explain=True))
    meant = wait_for_proposal(table, until)
    table.apply_command(play(str(other_turns(table._state.game, meant)[0][0])))
    again = replay(journal.records(1))
    assert (again.proposal, again.partners, again.foul) == (meant, table._state.partners, table._state.foul)
    foul = next(record for record in journal.records(1) if record.kind == "foul")
    assert event_of_record(foul, again.game) == table._state.foul


def test_the_list_of_games_names_millchen_and_counts_no_foul(begin: Begin, journal: Journal, until: Until) -> None:
    table = begin("tic_tac_toe")
    table.apply_command(partner(1))
    meant = wait_for_proposal(table, until)
    table.apply_command(play(str(other_turns(table._state.game, meant)[0][0])))
    table.apply_command(put_back)
    table.apply_command(do_proposed)
    records = tuple(journal.records(1))
    history = game_history(ReplayedGame(records, tuple(replay_states(records))), "en")
    assert history.spoken_names == ("Millchen", "")
    assert history.plies[1].text == f"Millchen places on {meant.moves[0]}."
    assert [text for _, text in history.plies[0].interim_events][0].startswith("I meant: ")
    assert game_statistics(history)["fouls"] == 0
    shown = replay_json(history, None)
    assert (shown["names"], shown["given"]) == (["Millchen (medium)", ""], ["", ""])  # the form is for people


def test_what_the_command_asks_for_holds_for_the_game_that_it_asks_for(begin: Begin, journal: Journal) -> None:
    table = begin("tic_tac_toe")
    table.apply_command(play("b2"))
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


# ---------------------------------------------------------------- whole games through the API


@pytest.mark.parametrize(("game", "options"), GAMES, ids=[f"{name}{len(chosen) or ''}" for name, chosen in GAMES])
def test_a_whole_game_by_hand_through_the_api(
    begin: Begin, journal: Journal, until: Until, game: str, options: dict[str, Any]
) -> None:
    table = begin(game, **options)
    caller = create_app(AppContext(table)).test_client()

    def post(path: str, **body: Any) -> None:
        now = table.publisher.snapshot.game
        answer = caller.post(path, json={**body, "seen": {"game": now.id, "seq": now.seq}})
        assert answer.status_code == 200, answer.get_json()

    n_players = find_variant(game, **options).players
    for player in range(2, n_players + 1):
        post("/api/partner", player=player, strength="easy", laid_by_people=True)
    n_wrong = n_meant = 0
    while table._state.game.outcome is None and (table._state.game.ply < 8 or n_meant < 4):
        state = table._state
        if state.game.position.to_move not in state.partners:
            moves = propose(state.game, "easy", 7).moves
        else:
            meant = wait_for_proposal(table, until)
            assert meant.moves
            moves, wrong = meant.moves, other_turns(state.game, meant)
            n_meant += 1
            if n_meant == 2 and wrong:
                n_wrong += 1
                for move in wrong[0]:
                    if table._state.foul is None:
                        post("/api/act", act=str(move))
                assert table.publisher.snapshot.game.foul.kind == "not_the_proposed_turn"
                post("/api/put-back")
                if table._state.begun:
                    post("/api/take-back")
            if n_meant == 3:
                post("/api/do-it")
                continue
        for move in moves:
            post("/api/act", act=str(move))
        assert table._state.foul is None
    assert n_wrong == 1
    assert replay(journal.records(1)).game.position == table._state.game.position
    assert caller.get("/api/state").get_json()["partner"]["hints"] is True


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/partner", {"player": "2", "strength": "easy"}), ("/api/partner", {"player": 2, "strength": 5}),
        ("/api/partner", {"player": 2, "strength": "easy", "explain": 1}),
        ("/api/partner", {"player": 2, "strength": "easy", "laid_by_people": "no"}),
        ("/api/partner", {"player": 0, "strength": "easy"}), ("/api/partner", {"player": 3, "strength": "easy"}),
        ("/api/partner", {"player": 1, "strength": "godlike"}), ("/api/hints", {"on": "yes"}), ("/api/hint", {}),
        ("/api/do-it", {}),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_a_sentence(begin: Begin, path: str, body: dict[str, Any]) -> None:
    table = begin()
    caller = create_app(AppContext(table)).test_client()
    answer = caller.post(path, json={**body, "seen": {"game": 1, "seq": 1}})
    assert answer.status_code in (400, 422)
    assert answer.get_json()["error"]["text"]


# ---------------------------------------------------------------- the command


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

    def is_gone() -> bool:
        try:
            os.kill(thinking, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{thinking}/stat")
        return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"

    until(is_gone)


@pytest.mark.slow
def test_the_command_lets_millchen_play_and_a_killed_program_goes_on(tmp_path: Path) -> None:
    port = free_port()
    words = (
        sys.executable, "millchen.py", "--game", "tic_tac_toe", "--source", "hand", "--partner", "1=medium:explain",
    )  # fmt: skip
    words = (*words, "--port", str(port), "--no-browser", "--no-link", "--data", str(tmp_path))
    for n in range(2):
        process = subprocess.Popen(words, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
        caller = Caller(port)
        try:
            give_up = time.monotonic() + 60
            while (state := caller.wait_for_state())["partner"]["lays"]:
                assert time.monotonic() < give_up
                time.sleep(0.05)
            manner = {"strength": "medium", "explain": True, "laid_by_people": False}
            assert state["game"]["partners"] == [{"player": 1, **manner}]
            assert state["game"]["ply"] == 2 * n + 1
            seen = {"game": state["game"]["id"], "seq": state["game"]["seq"]}
            free = next(name for name in ("a1", "c3", "a3") if name not in state["game"]["stacks"])
            assert caller.ask("/api/act", {"act": free, "seen": seen})[0] == 200
        finally:
            caller.close()
            process.kill()
            process.wait()
