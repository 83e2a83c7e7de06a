import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from languages import LANGUAGES
from tests.simulation.shown_table import TABLE, in_sight
from tests.web.conftest import Open, Until, kinds
from tests.web.scripted_eyes import JPEG
from tests.web.seen import correct_point
from vision.imaging.frame import Frame
from vision.watching.state import start
from web.errors import NotWrittenError
from web.journal.journal import Journal, hour_now
from web.journal.journal_record import JournalRecord, UnwrittenRecord
from web.table.live_table import LiveTable
from web.table.vision_process import VisionReporter, pace_film


def ply(table: LiveTable) -> int:
    return int(table.publisher.snapshot.game.ply)


@pytest.mark.film
def test_eyes_that_crash_cost_seconds_and_no_turn(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("d6", "d7", "crash", "b6", "g7")
    until(lambda: ply(table) == 4)
    assert table.health()["losses"] == 1
    assert kinds(journal) == ["start", "turn", "turn", "turn", "turn"]


def test_a_film_is_taken_up_at_the_rest_before_the_last_event(open_table: Open, until: Until) -> None:
    table = open_table(*("lost:a hand",) * 9, "d6")
    until(lambda: ply(table) == 1)
    assert table.camera.next_job().first_s == pytest.approx(0.6)


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
    table.camera.supervisor.request_pictures()
    until(lambda: table.publisher.picture[0])
    number, jpeg = table.publisher.picture
    assert jpeg == JPEG
    newer, _ = table.publisher.wait_for_picture(number, 2.0)
    assert newer > number


def test_a_film_that_nobody_has_watched_leaves_its_last_picture(journal: Journal, tmp_path: Path, until: Until) -> None:
    film = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (320, 240))
    for _ in range(25):
        film.write(np.full((240, 320, 3), 120, np.uint8))
    film.release()
    table = LiveTable(journal)
    table.open(str(tmp_path / "film.avi"), "millchen", {})
    try:
        until(lambda: table.publisher.snapshot.source.state == "ended")
        assert table.publisher.picture[0] > 0
    finally:
        table.close()


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


@pytest.mark.film
def test_real_eyes_referee_the_demo_and_take_corners_and_show_pictures(journal: Journal, until: Until) -> None:
    table = LiveTable(journal)
    table.open("demo", "millchen", {})
    try:
        desk = table.publisher
        until(lambda: len(desk.snapshot.sight.points) == 24)
        table.camera.supervisor.request_pictures()
        until(lambda: desk.picture[0] > 0)
        picture = cv2.imdecode(np.frombuffer(desk.picture[1], np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        assert picture.shape[1::-1] == desk.snapshot.sight.size
        until(lambda: desk.snapshot.game.ply >= 1)
        assert desk.snapshot.sight.colours[0].startswith("#")
        spots = dict(zip(table.variant.board.points, desk.snapshot.sight.points, strict=True))
        table.camera.place_corners([spots[name] for name in ("a7", "g7", "g1", "a1")])
        until(lambda: desk.snapshot.game.ply >= 2)
        assert table.health()["losses"] == 0
    finally:
        table.close()
    kinds = [record.kind for record in journal.records(1)]
    assert set(kinds) == {"start", "turn"}


@pytest.mark.parametrize(("file", "says"), [("no film at all", "is no film that can be read"), ("", "no film")])
def test_a_broken_film_is_one_sentence(journal: Journal, tmp_path: Path, until: Until, file: str, says: str) -> None:
    film = tmp_path / "broken.mp4"
    film.write_text(file)
    table = LiveTable(journal)
    table.open(str(film), "millchen", {})
    try:
        until(lambda: table.publisher.snapshot.source.state == "failed")
        reason = table.publisher.snapshot.source.reason
        assert says in reason and "\n" not in reason
        assert "'broken.mp4'" in reason and tmp_path.name not in reason, "pages are told what it is, not where it lies"
    finally:
        table.close()


def test_the_page_is_told_which_points_the_picture_cuts_off() -> None:
    state = in_sight(start(TABLE), left_px=-10.0)
    reporter = VisionReporter()
    reporter.known_table_note = dict.fromkeys(LANGUAGES, "The table is known.")
    note = reporter.status(state, Frame(np.zeros((240, 240, 3), np.uint8), 0.0, 0)).note
    assert note["en"] == "The table is known. The picture cuts off a7, a4, a1: what lies there is not seen."
    assert set(note) == set(LANGUAGES)
