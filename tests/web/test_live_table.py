import os
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import Pipe, active_children
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue

import cv2
import numpy as np
import pytest

from calibration.profile import decode_jpeg
from tests.web.conftest import Open, Until
from tests.web.pace import is_kept
from tests.web.scripted_eyes import JPEG
from tests.web.seen import correct_point
from web.child_process import send_all
from web.errors import MillchenError, NotWrittenError
from web.game.player_commands import name_players, take_back_turn
from web.journal.journal import Journal, hour_now
from web.journal.journal_record import JournalRecord, UnwrittenRecord
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable
from web.table.vision_messages import Ask
from web.table.vision_process import pace_film


def ply(table: LiveTable) -> int:
    return int(table.publisher.snapshot.game.ply)


def kinds(journal: Journal, game: int = 1) -> list[str]:
    return [record.kind for record in journal.records(game)]


def test_turns_are_in_the_journal_before_pages_hear_of_them(open_table: Open, journal: Journal, until: Until) -> None:
    kept_when_said: list[tuple[int | None, int]] = []
    publish = LiveTable._publish

    def watch(table: LiveTable, said: tuple = ()) -> None:  # type: ignore[type-arg]
        newest = journal.records(1)[-1].seq
        kept_when_said.extend((a.seq, newest) for a in said if a.kind == "turn")
        publish(table, said)

    LiveTable._publish = watch  # type: ignore[method-assign]
    try:
        table = open_table("d6", "d7", "b6", "g7", "mill:f6xd7")
        until(lambda: ply(table) == 5)
    finally:
        LiveTable._publish = publish  # type: ignore[method-assign]
    assert kinds(journal) == ["start", "turn", "turn", "turn", "turn", "mill", "turn"]
    assert len(kept_when_said) == 5
    assert all(seq is not None and seq <= newest for seq, newest in kept_when_said)


@pytest.mark.film
def test_eyes_that_crash_cost_seconds_and_no_turn(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "d7", "crash", "b6", "g7")
    until(lambda: ply(table) == 4)
    assert table.health()["losses"] == 1
    assert kinds(journal) == ["start", "turn", "turn", "turn", "turn"]


def test_a_film_is_taken_up_at_the_rest_before_the_last_event(open_table: Open, until: Until) -> None:
    table = open_table(*("lost:a hand",) * 9, "d6")
    until(lambda: ply(table) == 1)
    assert table.next_job().first_s == pytest.approx(0.6)


def test_a_film_starts_again_with_a_new_game(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "d7", end="over")
    until(lambda: table.publisher.snapshot.source.state == "ended")
    table.restart_game()
    until(lambda: table.publisher.snapshot.game.id == 2 and ply(table) == 2)
    assert kinds(journal, 2) == ["start", "turn", "turn"]


def test_a_source_that_cannot_be_used_says_why(open_table: Open, until: Until) -> None:
    table = open_table(end="the film is no film: try another file")
    until(lambda: table.publisher.snapshot.source.state == "failed")
    assert table.publisher.snapshot.source.reason == "the film is no film: try another file"


def test_a_turn_on_top_of_a_foul_lets_it_stand(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "foul:d7=2,a1=2", "stands", "b6")
    until(lambda: ply(table) == 3)
    assert kinds(journal) == ["start", "turn", "foul", "stood", "turn"]
    assert set(table.publisher.snapshot.game.stacks) == {"d6", "d7", "a1", "b6"}


def test_a_full_disk_holds_the_turn_back_until_there_is_room(open_table: Open, journal: Journal, until: Until) -> None:
    append_all = journal.append_all
    is_full = [True]

    def fail(game: int, events: Sequence[UnwrittenRecord], *, by: str, hour: str = "") -> tuple[JournalRecord, ...]:
        if is_full[0] and events[0].kind != "start":
            raise NotWrittenError("cannot write the journal: database or disk is full")
        return append_all(game, events, by=by, hour=hour)

    journal.append_all = fail  # type: ignore[method-assign]
    table = open_table("d6", "d7")
    until(lambda: not table.publisher.snapshot.saved)
    assert ply(table) == 0
    with pytest.raises(NotWrittenError):  # what was seen before is written first, or nothing is
        correct_point(table, "a1", 1)
    time.sleep(0.01)
    is_full[0], room_came = False, hour_now()
    until(lambda: ply(table) == 2 and table.publisher.snapshot.saved)
    assert kinds(journal) == ["start", "turn", "turn"]
    assert journal.records(1)[1].wall_time < room_came, "a record has the hour of what happened, not of its writing"


def test_pictures_come_only_while_somebody_looks(open_table: Open, until: Until) -> None:
    table = open_table("d6")
    until(lambda: ply(table) == 1)
    time.sleep(0.2)
    assert table.publisher.picture[0] == 0
    table.request_pictures()
    until(lambda: table.publisher.picture[0])
    number, jpeg = table.publisher.picture
    assert jpeg == JPEG
    newer, _ = table.publisher.wait_for_picture(number, 2.0)
    assert newer > number


def test_closing_is_quick_and_leaves_no_process(open_table: Open, until: Until) -> None:
    table = open_table("d6", "freeze")
    until(lambda: ply(table) == 1)
    child = table._supervisor._child
    assert child is not None
    began = time.monotonic()
    table.close()
    assert is_kept(2.0, time.monotonic() - began)
    with pytest.raises(ProcessLookupError):
        os.kill(child.process.process.pid or 0, 0)


def test_a_film_keeps_its_own_time_and_waits_when_much_time_was_lost() -> None:
    class At:
        def __init__(self, time_s: float) -> None:
            self.time_s = time_s

    now = [100.0]
    shown: list[tuple[float, float]] = []

    def sleep(time_s: float) -> None:
        now[0] += time_s

    for frame in pace_film((At(k / 25) for k in range(100)), lambda: now[0], sleep):  # type: ignore[misc]
        shown.append((frame.time_s, now[0]))
        if len(shown) == 20:
            now[0] += 3.0  # the field was searched for
    early = [at - 100.0 - time_s for time_s, at in shown[:20]]
    late = [at - 103.0 - time_s for time_s, at in shown[20:]]
    assert max(map(abs, early)) < 1e-6
    assert max(map(abs, late)) < 0.05
    assert len(shown) == 100


def test_the_set_up_borrows_the_one_camera_process_and_gives_it_back(
    open_table: Open, until: Until, tmp_path: Path
) -> None:
    table, session, picture = open_table("d6", "d7"), SetupSession(tmp_path), tmp_path / "board.jpg"
    until(lambda: ply(table) == 2)
    cv2.imwrite(str(picture), np.full((480, 640, 3), 200, np.uint8))
    session.open(table, str(picture))
    newest = session.camera.picture(0, 30.0)
    assert newest is not None and decode_jpeg(newest[1]).shape == (480, 640, 3)
    assert len(active_children()) == 1, "game and set-up share a process"
    starts = table.health()["starts"]
    table.apply_command(take_back_turn)  # the game rests, and people may change it
    table.new_game("tic_tac_toe", {})
    assert session.camera.picture(newest[0], 30.0) is not None
    assert table.health()["starts"] == starts, "a new game takes no camera away"
    session.leave()
    assert not session.camera.state(-1, 0)["open"]
    with pytest.raises(MillchenError, match="closed"):
        session.watch("placement")
    until(lambda: table.publisher.snapshot.source.state == "live")


def test_the_players_of_the_house_are_offered_again_after_a_demo(open_table: Open) -> None:
    table = open_table("d6")
    table.apply_command(partial(name_players, names=["Anna", "Ben"]))
    table.new_game("tic_tac_toe", {}, "demo")
    shown = table.publisher.snapshot
    assert not any(shown.game.names)
    assert (shown.last.game, shown.last.names) == ("nine_mens_morris", ("Anna", "Ben"))
    table.new_game("nine_mens_morris", {"fly": "own"}, "hand")
    shown = table.publisher.snapshot
    assert shown.game.names == ("Anna", "Ben")
    assert shown.last.options == {"fly": "own"}


def test_a_pipe_that_is_closed_in_the_midst_of_sending_ends_it_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = Pipe()
    outbox: SimpleQueue[object] = SimpleQueue()
    check, left = Connection._check_closed, []  # type: ignore[attr-defined]

    def close_after(pipe: Connection) -> None:
        check(pipe)
        ours.close()  # as another thread does; its handle is None from now on
        left.append(pipe)

    monkeypatch.setattr(Connection, "_check_closed", close_after)
    outbox.put(Ask.PICTURE)
    send_all(ours, outbox)
    assert left == [ours]
    theirs.close()
